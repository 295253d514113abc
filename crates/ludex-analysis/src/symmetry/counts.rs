//! Views that only count: symmetric functions of atoms.
//!
//! A rulesheet counts discs cell by cell in some order, which is no symmetry of the board; what it counts
//! is one. So each view is made a function of the atoms below it, as far as that stays small, and one that
//! depends only on how many of its atoms hold becomes one thing with all of them as its members.

use ludex_logic::scc::components;
use ludex_logic::{LimitError, Meter};

use super::decisions::{ALWAYS, Decisions, MOST_VARIABLES, NEVER, Node, Stop};
use super::ground_rules::{AtomKind, GroundRules};

/// A view that depends only on how many of some atoms hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Count {
    /// The view.
    pub view: u32,
    /// The atoms, ascending.
    pub members: Box<[u32]>,
    /// Whether it holds when none, one, two... of them do.
    pub table: Box<[bool]>,
}

/// Of fewer atoms, rules say it well enough.
const FEWEST_MEMBERS: usize = 4;
/// A view whose function takes more steps is not looked into.
const STEPS_FOR_ONE: u64 = 20_000;
/// Steps for all views.
const STEPS_FOR_ALL: u64 = 4_000_000;

/// Views as functions of atoms.
struct Functions {
    decisions: Decisions,
    /// By atom its variable; each atom that is not looked into has one.
    variables: Vec<Option<u32>>,
    atoms: Vec<u32>,
    functions: Vec<Option<Node>>,
    steps: u64,
}

/// Finds the views that count, among those that matter, and drops the rules that nothing needs any more.
pub(super) fn find(rules: &mut GroundRules, meter: &mut Meter) -> Result<(), LimitError> {
    let first = rules.starts();
    let below = |atom: usize| -> Vec<usize> {
        let of = rules.rules[first[atom]..first[atom + 1]].iter();
        of.flat_map(|(_, body)| body.iter().map(|literal| (literal >> 1) as usize)).collect()
    };
    let order = components(rules.kinds.len(), below);
    meter.spend((rules.kinds.len() + rules.rules.len()) as u64)?;
    let mut functions = Functions {
        decisions: Decisions::new(),
        variables: vec![None; rules.kinds.len()],
        atoms: Vec::new(),
        functions: vec![None; rules.kinds.len()],
        steps: STEPS_FOR_ALL,
    };
    for component in &order {
        let atom = component[0];
        let is_view = rules.kinds[atom] == AtomKind::View;
        if is_view && component.len() == 1 && !below(atom).contains(&atom) {
            functions.define(atom, &rules.rules[first[atom]..first[atom + 1]], meter)?;
        }
    }
    // From what is asked for down to what it needs. What depends on each other is needed together.
    let mut is_needed: Vec<bool> = rules.kinds.iter().map(|kind| kind.is_asked()).collect();
    let mut counts = Vec::new();
    for component in order.iter().rev() {
        if !component.iter().any(|&atom| is_needed[atom]) {
            continue;
        }
        if let Some(count) = functions.count(component[0], meter)? {
            count.members.iter().for_each(|&member| is_needed[member as usize] = true);
            counts.push(count);
            continue;
        }
        component.iter().flat_map(|&atom| below(atom)).for_each(|atom| is_needed[atom] = true);
    }
    rules.keep_counts(counts, meter)?;
    Ok(())
}

impl Functions {
    /// Makes the function of a view from its rules, if it stays small.
    fn define(
        &mut self,
        view: usize,
        rules: &[(u32, Box<[u32]>)],
        meter: &mut Meter,
    ) -> Result<(), LimitError> {
        let allowed = self.steps.min(STEPS_FOR_ONE);
        self.decisions.allow(allowed);
        let function = self.disjunction(rules, meter);
        self.steps -= allowed - self.decisions.steps_left();
        match function {
            Ok(node) if self.decisions.depth(node) <= MOST_VARIABLES => self.functions[view] = Some(node),
            Err(Stop::Limit(limit)) => return Err(limit),
            Ok(_) | Err(Stop::Steps) => {}
        }
        Ok(())
    }

    fn disjunction(&mut self, rules: &[(u32, Box<[u32]>)], meter: &mut Meter) -> Result<Node, Stop> {
        let mut any = NEVER;
        for (_, body) in rules {
            let mut all = ALWAYS;
            for literal in body {
                let mut node = self.of(literal >> 1);
                if literal & 1 == 1 {
                    node = self.decisions.not(node, meter)?;
                }
                all = self.decisions.join(true, all, node, meter)?;
            }
            any = self.decisions.join(false, any, all, meter)?;
            if self.decisions.depth(any) > MOST_VARIABLES {
                return Err(Stop::Steps);
            }
        }
        Ok(any)
    }

    /// The function of an atom: a variable where it is not looked into.
    fn of(&mut self, atom: u32) -> Node {
        if let Some(node) = self.functions[atom as usize] {
            return node;
        }
        let next = self.atoms.len() as u32;
        let variable = *self.variables[atom as usize].get_or_insert(next);
        if variable == next {
            self.atoms.push(atom);
        }
        self.decisions.variable(variable)
    }

    fn count(&self, view: usize, meter: &mut Meter) -> Result<Option<Count>, LimitError> {
        let Some(node) = self.functions[view] else { return Ok(None) };
        let Some((variables, table)) = self.decisions.symmetric(node, meter)? else { return Ok(None) };
        if variables.len() < FEWEST_MEMBERS {
            return Ok(None);
        }
        let mut members: Box<[u32]> = variables.iter().map(|&v| self.atoms[v as usize]).collect();
        members.sort_unstable();
        Ok(Some(Count { view: view as u32, members, table: table.into() }))
    }
}
