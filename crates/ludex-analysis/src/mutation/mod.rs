//! Mutants of a rulesheet: the same rules but for one thing that is left out. Cases that still pass say nothing of it.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use ludex_game::{RuleMachine, RuleMachineOptions, Rules};
use ludex_gdl::{Dialect, Edit, LoadOptions, NodeId, Notation, Rulesheet, Source, Span, load, print};
use ludex_logic::{Budget, LimitError};

use crate::cases::{Case, CaseFile, CaseOptions, run_case};
use crate::property::run_by_rules;

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// A literal of a body.
    Literal,
    /// An alternative of a disjunction.
    Alternative,
    /// A rule.
    Rule,
}

impl Dropped {
    /// What it is, in a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Literal => "literal",
            Self::Alternative => "alternative",
            Self::Rule => "rule",
        }
    }
}

/// One thing that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// What it is.
    pub dropped: Dropped,
    /// Where it is written.
    pub span: Span,
    item: usize,
    node: Option<NodeId>,
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The case of this number is not as expected.
    Noticed(usize),
    /// All cases are as they were.
    Survived,
    /// The rules cannot be run without it.
    NoGame,
}

/// All that can be left out of a rulesheet, in the order of the text: rules, and what their bodies consist of; but for
/// the rules of `base`, `input` and `percept`, which only list what there is.
pub fn mutations(rulesheet: &Rulesheet) -> Vec<Mutation> {
    let mut found = Vec::new();
    for (at, item) in rulesheet.items.iter().enumerate() {
        let Some(body) = &item.body else { continue };
        // What only lists moves, facts and percepts makes none of them so.
        let is_list =
            matches!(rulesheet.tree.head(item.head), Some(("base" | "percept", 1..=2) | ("input", 2)));
        if is_list {
            continue;
        }
        found.push(Mutation { dropped: Dropped::Rule, span: item.span, item: at, node: None });
        // What is still to be looked at, with whether it is an alternative.
        let mut open: Vec<(NodeId, bool)> = body.iter().rev().map(|&node| (node, false)).collect();
        while let Some((node, is_alternative)) = open.pop() {
            let children = rulesheet.tree.children(node).iter().rev();
            let connective = rulesheet.tree.head(node).map(|(name, _)| name);
            let is_conjunction = connective == Some("and");
            if is_alternative || !matches!(connective, Some("and" | "or")) {
                let dropped = if is_alternative { Dropped::Alternative } else { Dropped::Literal };
                found.push(Mutation { dropped, span: rulesheet.tree.span(node), item: at, node: Some(node) });
            }
            match connective {
                Some("or") => open.extend(children.map(|&child| (child, true))),
                Some(_) if is_conjunction => open.extend(children.map(|&child| (child, false))),
                _ => {}
            }
        }
    }
    found
}

impl Mutation {
    /// The text of the rulesheet without it.
    pub fn text(&self, rulesheet: &Rulesheet) -> String {
        let edit = match self.node {
            None => Edit::without_clauses([self.item]),
            Some(node) => Edit::without_nodes([node]),
        };
        print(&rulesheet.edited(&edit), rulesheet.notation)
    }
}

/// The limits on one mutant.
#[derive(Clone, Debug)]
pub struct MutantLimits {
    /// For each question that is put to it. Cases that need more than they need of the whole rules have noticed
    /// ([`cases_within_limits`]).
    pub budget: Budget,
    /// How cases are run.
    pub options: CaseOptions,
}

/// The cases that hold of the rules themselves within the limits on a mutant. The others would notice anything.
///
/// # Errors
/// The time is over, or somebody cancelled.
pub fn cases_within_limits(
    rules: &Rules,
    cases: &CaseFile,
    limits: &MutantLimits,
) -> Result<CaseFile, LimitError> {
    let mut kept = CaseFile { source: Arc::clone(&cases.source), cases: Vec::new() };
    if let Ok(plain) = run_by_rules(rules, Arc::clone(rules.program()), &limits.budget) {
        let holds = |case: &&Case| run_case(cases, case, &plain, &limits.options, &limits.budget).passed();
        kept.cases = cases.cases.iter().filter(holds).cloned().collect();
    }
    limits.budget.meter().check()?;
    Ok(kept)
}

/// Puts the cases to a mutant until one of them is not as expected.
///
/// # Errors
/// The time is over, or somebody cancelled: nothing is known of the mutant then.
pub fn try_mutant(
    mutation: &Mutation,
    rules: &Rules,
    cases: &CaseFile,
    limits: &MutantLimits,
) -> Result<Fate, LimitError> {
    let text = mutation.text(rules.rulesheet());
    let mutant = mutant_rules(rules.source().name(), text, rules.notation(), rules.dialect(), limits);
    let options = CaseOptions { stops_early: true, ..limits.options.clone() };
    let fate = mutant.map_or(Fate::NoGame, |mutant| {
        let notices = |case| !run_case(cases, case, &mutant, &options, &limits.budget).passed();
        cases.cases.iter().position(notices).map_or(Fate::Survived, Fate::Noticed)
    });
    limits.budget.meter().check()?;
    Ok(fate)
}

fn mutant_rules(
    name: &str,
    text: String,
    notation: Notation,
    dialect: Dialect,
    limits: &MutantLimits,
) -> Option<Rules> {
    let options = LoadOptions { notation: Some(notation), dialect: Some(dialect), ..LoadOptions::default() };
    let mut checked = load(Arc::new(Source::new(name, text)), &options);
    let program = Arc::new(checked.game.take()?);
    let machine_options = RuleMachineOptions {
        tune: false,
        budget: limits.budget.clone(),
        notation,
        ..RuleMachineOptions::default()
    };
    let machine = Arc::new(RuleMachine::new(&program, &machine_options).ok()?);
    Some(Rules::new(checked, program, machine, "rules", limits.budget.clone()))
}
