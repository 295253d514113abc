//! Rule by rule: which versions of it are needed, and how its steps lie.

use ludex_logic::{Atom, IdVec, Pattern, RelationId};

use super::WithoutSteps;
use super::distances::{Distances, Lags, StepTerm, StepTerms};
use super::placed_rule::PlacedRule;
use super::placement::{Misplaced, Version, placements};
use super::rule::Rule;
use super::writer::Writer;
use crate::check::registry::{FUTURE_STEP, STEP_CHAIN, STEPS_RUN_OUT, UNREACHABLE};
use crate::diagnostic::Diagnostic;
use crate::game_program::GameProgram;
use crate::source::Span;
use crate::tree::{Item, NodeId, Rulesheet};

/// So many steps may one rule speak of.
const MOST_STEPS: usize = 24;

/// A rule with its steps.
struct Analysed<'r, 'a> {
    rule: &'r Rule<'a>,
    /// `None` for a rule that no state decides.
    steps: Option<RuleSteps>,
}

struct RuleSteps {
    terms: StepTerms,
    distances: Distances,
    /// The step of the head.
    anchor: usize,
}

/// A rulesheet on its way.
pub(super) struct Conversion<'r, 'a> {
    pub(super) rulesheet: &'a Rulesheet,
    pub(super) game: &'a GameProgram,
    rules: Vec<Analysed<'r, 'a>>,
    /// By relation: whether it depends on the moves of its own step.
    reads_moves: IdVec<RelationId, bool>,
    pub(super) writer: Writer<'r>,
    warnings: Vec<Diagnostic>,
}

impl<'r, 'a> Conversion<'r, 'a> {
    pub fn new(
        rulesheet: &'a Rulesheet,
        game: &'a GameProgram,
        rules: &'r [Rule<'a>],
        writer: Writer<'r>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let lags = writer.order.lags(rules);
        let reads_moves = game.program.relations.iter().map(|_| false).collect();
        let mut conversion =
            Self { rulesheet, game, rules: Vec::new(), reads_moves, writer, warnings: Vec::new() };
        let mut errors = Vec::new();
        for rule in rules {
            match conversion.analyse(rule, &lags) {
                Ok(Some(analysed)) => conversion.rules.push(analysed),
                Ok(None) => {}
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        conversion.find_moves_read();
        Ok(conversion)
    }

    /// A rule with its steps; `None` for one that can never apply.
    fn analyse(&mut self, rule: &'r Rule<'a>, lags: &Lags) -> Result<Option<Analysed<'r, 'a>>, Diagnostic> {
        if !self.writer.order.arguments.is_dynamic(rule.head().relation) {
            return Ok(Some(Analysed { rule, steps: None }));
        }
        self.steps_are_steps(rule)?;
        let order = &self.writer.order;
        let terms = StepTerms::of(rule, order);
        if terms.all.len() > MOST_STEPS {
            let message = format!("this rule speaks of more than {MOST_STEPS} steps");
            return Err(FUTURE_STEP.at(rule.written.span, message).hint("split it with helper relations"));
        }
        let Some(distances) = order.distances(rule, &terms, lags) else {
            let message = "the steps of this rule contradict one another, so it never applies";
            self.warnings.push(UNREACHABLE.at(rule.written.span, message));
            return Ok(None);
        };
        // A relation without a step was refused.
        let Some(anchor) = terms.current(rule.head(), order) else { return Ok(None) };
        Ok(Some(Analysed { rule, steps: Some(RuleSteps { terms, distances, anchor }) }))
    }

    /// Refuses what stands for a step and is none.
    fn steps_are_steps(&self, rule: &Rule<'a>) -> Result<(), Diagnostic> {
        let order = &self.writer.order;
        let tree = &self.rulesheet.tree;
        let mut wrong: Option<(NodeId, String)> = None;
        let mut look = |atom: &Atom, node: NodeId| {
            let Some(place) = order.arguments.current(atom.relation) else { return };
            let Some(&child) = tree.children(node).get(place) else { return };
            let terms = &self.game.program.terms;
            match &atom.args[place] {
                Pattern::Variable(_) => {}
                Pattern::Ground(term) if order.chain.place(*term).is_some() => {}
                Pattern::Ground(term) => {
                    wrong.get_or_insert((
                        child,
                        format!("`{}` is no step", terms.shown_in(*term, self.rulesheet.notation)),
                    ));
                }
                Pattern::Compound(..) => {
                    wrong.get_or_insert((child, "a step is a constant or a variable".into()));
                }
            }
        };
        look(rule.head(), rule.written.head);
        rule.atoms(&mut |atom, node, _| look(atom, node));
        match wrong {
            None => Ok(()),
            Some((node, message)) => {
                let hint = "clauses of `step` say what the steps are";
                Err(STEP_CHAIN.at(tree.span(node), message).hint(hint))
            }
        }
    }

    /// Finds the relations that depend on the moves of their own step.
    fn find_moves_read(&mut self) {
        loop {
            let reads: Vec<RelationId> = self
                .rules
                .iter()
                .filter(|analysed| {
                    !self.reads_moves[analysed.rule.head().relation] && self.reads_own_moves(analysed)
                })
                .map(|analysed| analysed.rule.head().relation)
                .collect();
            if reads.is_empty() {
                return;
            }
            for relation in reads {
                self.reads_moves[relation] = true;
            }
        }
    }

    fn reads_own_moves(&self, analysed: &Analysed<'r, 'a>) -> bool {
        let Some(steps) = &analysed.steps else { return false };
        let vocabulary = &self.game.vocabulary;
        let order = &self.writer.order;
        let mut reads = false;
        analysed.rule.atoms(&mut |atom, _, _| {
            if atom.relation != vocabulary.does
                && (!self.reads_moves[atom.relation] || atom.relation == vocabulary.truth)
            {
                return;
            }
            let number = steps.terms.current(atom, order);
            reads |= number.is_some_and(|number| steps.distances.difference(number, steps.anchor).0 <= 0);
        });
        reads
    }

    /// The versions of a rule that are needed.
    fn versions(&self, analysed: &Analysed<'r, 'a>) -> Vec<Version> {
        let vocabulary = &self.game.vocabulary;
        let relation = analysed.rule.head().relation;
        if relation == vocabulary.truth {
            return vec![Version::First, Version::Next];
        }
        if relation == vocabulary.sees {
            return vec![if self.reads_own_moves(analysed) { Version::Now } else { Version::Next }];
        }
        let all = [Version::Now, Version::Next, Version::First];
        all.into_iter().filter(|version| self.writer.needed.contains(&(relation, *version))).collect()
    }

    pub fn convert(mut self) -> Result<WithoutSteps, Vec<Diagnostic>> {
        let vocabulary = &self.game.vocabulary;
        for relation in [vocabulary.legal, vocabulary.goal, vocabulary.terminal] {
            self.writer.needed.insert((relation, Version::Now));
        }
        // Rules ask for versions of relations, whose rules ask for others.
        let (mut items, mut added) = (Vec::new(), Vec::new());
        loop {
            let known = (self.writer.needed.len(), self.writer.memories.len());
            self.writer.found.clear();
            items.clear();
            for number in 0..self.rules.len() {
                self.rule(number, &mut items);
            }
            added.clear();
            added.extend(self.writer.memory_rules());
            if known == (self.writer.needed.len(), self.writer.memories.len()) {
                break;
            }
        }
        let has_end = self.ends_on_last_step(&items);
        added.splice(0..0, self.step_rules(has_end));
        added.extend(self.helper_rules());
        if !self.writer.found.is_empty() {
            // One rule in several placements has one error.
            let mut found: Vec<Diagnostic> = Vec::new();
            for error in self.writer.found {
                if !found.contains(&error) {
                    found.push(error);
                }
            }
            return Err(found);
        }
        let mut diagnostics = self.warnings;
        if !has_end {
            let terminal =
                items.iter().find(|item| self.writer.tree.head(item.head) == Some(("terminal", 0)));
            let span = terminal.map_or(Span::default(), |item| item.span);
            let message = "no rule says that the game is over on the last step, whatever holds: it ends there all the same";
            diagnostics
                .push(STEPS_RUN_OUT.at(span, message).hint("say what the game is worth then, or add steps"));
        }
        let written = items.len();
        items.extend(added);
        let program = &self.game.program;
        let versions = self.writer.names.versions(|relation| program.relation_name(relation));
        let rulesheet = Rulesheet { tree: self.writer.tree, items, ..self.rulesheet.clone() };
        Ok(WithoutSteps { rulesheet, written, diagnostics, versions })
    }

    /// Writes the versions of a rule.
    fn rule(&mut self, number: usize, items: &mut Vec<Item>) {
        let analysed = &self.rules[number];
        let rule = analysed.rule;
        let Some(steps) = &analysed.steps else {
            items.push(rule.written.clone());
            return;
        };
        for version in self.versions(analysed) {
            let last = self.writer.order.chain.last();
            match placements(&steps.distances, &steps.terms, steps.anchor, version, last) {
                Ok(found) => {
                    for placement in &found {
                        let placed = PlacedRule::new(rule, &steps.terms, placement, &mut self.writer);
                        items.push(placed.write(&mut self.writer));
                    }
                }
                Err(misplaced) => {
                    let error = self.misplaced(rule, steps, misplaced);
                    self.writer.found.push(error);
                }
            }
        }
    }

    fn misplaced(&self, rule: &Rule<'a>, steps: &RuleSteps, misplaced: Misplaced) -> Diagnostic {
        let Misplaced::Later(number) = misplaced else {
            let message = "the steps of this rule may lie in too many ways";
            return FUTURE_STEP.at(rule.written.span, message).hint("split it with helper relations");
        };
        let term = steps.terms.all[number - 1];
        let name = |term: StepTerm| match term {
            StepTerm::Variable(variable) => {
                self.rulesheet.notation.variable(rule.variable_name(self.game, variable))
            }
            StepTerm::Ground(step) => self.game.program.terms.shown_in(step, self.rulesheet.notation),
        };
        let mut place = None;
        rule.atoms(&mut |atom, node, _| {
            if steps.terms.current(atom, &self.writer.order) == Some(number) {
                place.get_or_insert(node);
            }
        });
        let span = self.rulesheet.tree.span(place.unwrap_or(rule.written.head));
        let (later, head) = (name(term), name(steps.terms.all[steps.anchor - 1]));
        let message =
            format!("this is asked of step `{later}`, which may come after step `{head}` of the head");
        FUTURE_STEP.at(span, message).hint("say by a subgoal which step comes first, as `successor` does")
    }

    /// Whether some rule ends the game on the last step, whatever holds.
    fn ends_on_last_step(&mut self, items: &[Item]) -> bool {
        let last = self.writer.order.chain.last();
        let Some(step) = self.writer.step(last, Span::default()) else { return false };
        let is_last = self.writer.step_is(step, Span::default());
        let tree = &self.writer.tree;
        items
            .iter()
            .filter(|item| tree.head(item.head) == Some(("terminal", 0)))
            .any(|item| item.body.iter().flatten().all(|&part| self.writer.same(part, is_last)))
    }
}
