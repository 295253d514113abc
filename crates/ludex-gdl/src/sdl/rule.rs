//! The clauses of a rulesheet in SDL: what the program says of them, side by side with where it is written.

use ludex_logic::{Atom, Clause, Formula, Pattern, VariableId};

use crate::game_program::GameProgram;
use crate::tree::{Item, NodeId, Rulesheet, Tree};

/// A clause with disjunctions of steps taken apart.
#[derive(Clone)]
pub(super) struct Rule<'a> {
    pub written: &'a Item,
    pub clause: &'a Clause,
    pub body: Vec<Part<'a>>,
}

/// A part of a body with its place.
#[derive(Clone)]
pub(super) enum Part<'a> {
    Atom(&'a Atom, NodeId),
    Distinct(&'a Pattern, &'a Pattern, NodeId),
    Not(Box<Part<'a>>, NodeId),
    And(Vec<Part<'a>>, NodeId),
    Or(Vec<Part<'a>>, NodeId),
}

/// So many rules are made of one by taking disjunctions apart, at most.
const MOST_ALTERNATIVES: usize = 256;

impl<'a> Part<'a> {
    fn new(formula: &'a Formula, node: NodeId, tree: &Tree) -> Option<Self> {
        let parts = |parts: &'a [Formula]| {
            parts
                .iter()
                .zip(tree.children(node))
                .filter_map(|(part, &node)| Self::new(part, node, tree))
                .collect()
        };
        Some(match formula {
            Formula::Atom(atom) => Self::Atom(atom, node),
            Formula::Distinct(left, right) => Self::Distinct(left, right, node),
            Formula::Not(inner) => {
                Self::Not(Box::new(Self::new(inner, *tree.children(node).first()?, tree)?), node)
            }
            Formula::And(inner) => Self::And(parts(inner), node),
            Formula::Or(inner) => Self::Or(parts(inner), node),
        })
    }

    /// Where it is written.
    pub fn node(&self) -> NodeId {
        match self {
            Self::Atom(_, node)
            | Self::Distinct(_, _, node)
            | Self::Not(_, node)
            | Self::And(_, node)
            | Self::Or(_, node) => *node,
        }
    }

    /// Calls `visit` for each atom; with whether it stands under a negation or in a disjunction, so that it need
    /// not hold.
    pub fn atoms(&self, visit: &mut impl FnMut(&'a Atom, NodeId, bool)) {
        self.atoms_below(false, visit);
    }

    fn atoms_below(&self, is_inside: bool, visit: &mut impl FnMut(&'a Atom, NodeId, bool)) {
        match self {
            Self::Atom(atom, node) => visit(atom, *node, is_inside),
            Self::Distinct(..) => {}
            Self::Not(inner, _) => inner.atoms_below(true, visit),
            Self::And(parts, _) => parts.iter().for_each(|part| part.atoms_below(is_inside, visit)),
            Self::Or(parts, _) => parts.iter().for_each(|part| part.atoms_below(true, visit)),
        }
    }
}

impl<'a> Rule<'a> {
    /// All clauses of a program, in order. A disjunction in which `is_taken_apart` finds something is written out.
    pub fn all(
        rulesheet: &'a Rulesheet,
        game: &'a GameProgram,
        is_taken_apart: impl Fn(&Atom) -> bool,
    ) -> Vec<Self> {
        let mut rules = Vec::new();
        for (clause, written) in game.program.clauses.iter().zip(&rulesheet.items) {
            let mut body = Vec::new();
            if let (Some(nodes), Formula::And(parts)) = (&written.body, &clause.body) {
                let parts = parts.iter().zip(nodes);
                body.extend(parts.filter_map(|(part, &node)| Part::new(part, node, &rulesheet.tree)));
            }
            let rule = Self { written, clause, body };
            rules.extend(rule.alternatives(&is_taken_apart));
        }
        rules
    }

    /// The rule, or one for each alternative.
    fn alternatives(self, is_taken_apart: &impl Fn(&Atom) -> bool) -> Vec<Self> {
        let mut done = Vec::new();
        let mut open = vec![self];
        while let Some(mut rule) = open.pop() {
            // Conjunctions of conjunctions are one.
            while let Some(at) = rule.body.iter().position(|part| matches!(part, Part::And(..))) {
                if let Part::And(parts, _) = rule.body.remove(at) {
                    rule.body.splice(at..at, parts);
                }
            }
            let wanted = |part: &Part<'a>| {
                let mut found = false;
                if let Part::Or(..) = part {
                    part.atoms(&mut |atom, _, _| found |= is_taken_apart(atom));
                }
                found
            };
            let at = rule.body.iter().position(wanted);
            match at.map(|at| (at, rule.body[at].clone())) {
                Some((at, Part::Or(parts, _)))
                    if done.len() + open.len() + parts.len() <= MOST_ALTERNATIVES =>
                {
                    for part in parts.into_iter().rev() {
                        let mut alternative = rule.clone();
                        alternative.body[at] = part;
                        open.push(alternative);
                    }
                }
                _ => done.push(rule),
            }
        }
        done
    }

    /// The head.
    pub fn head(&self) -> &'a Atom {
        &self.clause.head
    }

    /// The atoms of the body; with whether one need not hold.
    pub fn atoms(&self, visit: &mut impl FnMut(&'a Atom, NodeId, bool)) {
        self.body.iter().for_each(|part| part.atoms(visit));
    }

    /// The name of a variable.
    pub fn variable_name<'t>(&self, game: &'t GameProgram, variable: VariableId) -> &'t str {
        game.program.terms.name(self.clause.variables[variable])
    }
}
