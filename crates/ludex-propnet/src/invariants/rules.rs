//! The rules of one step as constraints over variables: what the prover and the solver start from.

use crate::{Circuit, Edge, Gate, GateId};

use super::fact::Fact;

/// What must hold of some literals. A literal is an [`Edge`] whose gate is a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// At least one is true.
    AnyOf,
    /// At most one is true.
    AtMostOne,
}

/// A constraint; `fact` is the number of the fact it comes from, if it is not a rule.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    pub(super) kind: Kind,
    pub(super) literals: Box<[Edge]>,
    pub(super) fact: Option<u32>,
}

/// The variables are the gates and, after them, bases and moves that no gate reads.
///
/// An and-gate's variable equals the conjunction of its edges. Variables of loops are left free, so
/// more can happen here than in the game, and what cannot happen here cannot happen there.
pub(super) struct Rules<'c> {
    pub(super) circuit: &'c Circuit,
    pub(super) variables: usize,
    /// Per base its variable.
    pub(super) bases: Vec<GateId>,
    /// Per role and move its variable.
    pub(super) inputs: Vec<Vec<GateId>>,
    /// The state is not terminal, and the like.
    pub(super) general: Vec<Constraint>,
    /// Per role: it makes one move, and a legal one.
    pub(super) of_role: Vec<Vec<Constraint>>,
}

impl<'c> Rules<'c> {
    pub(super) fn new(circuit: &'c Circuit) -> Self {
        let mut bases: Vec<Option<GateId>> = vec![None; circuit.bases.len()];
        let mut inputs: Vec<Vec<Option<GateId>>> =
            circuit.moves.iter().map(|m| vec![None; m.len()]).collect();
        let mut general =
            vec![rule(Kind::AnyOf, vec![Edge::TRUE]), rule(Kind::AnyOf, vec![!circuit.terminal])];
        for (at, gate) in circuit.gates.iter().enumerate() {
            let known = match gate {
                Gate::Base(base) => &mut bases[*base as usize],
                Gate::Input(role, action) => &mut inputs[*role as usize][*action as usize],
                _ => continue,
            };
            let gate = GateId(at as u32);
            match *known {
                None => *known = Some(gate),
                // A second gate of the same meaning.
                Some(first) => general.extend(equal(Edge::new(first, false), Edge::new(gate, false))),
            }
        }
        let mut variables = circuit.gates.len();
        let mut variable = |known: Option<GateId>| {
            known.unwrap_or_else(|| {
                variables += 1;
                GateId(variables as u32 - 1)
            })
        };
        let bases: Vec<GateId> = bases.into_iter().map(&mut variable).collect();
        let inputs: Vec<Vec<GateId>> =
            inputs.into_iter().map(|moves| moves.into_iter().map(&mut variable).collect()).collect();
        let of_role = inputs.iter().zip(&circuit.legal).map(|(moves, legal)| of_role(moves, legal)).collect();
        Self { circuit, variables, bases, inputs, general, of_role }
    }

    /// A fact about the current state as constraints.
    pub(super) fn of_fact(&self, number: u32, fact: &Fact) -> Vec<Constraint> {
        let literal = |base: u32| Edge::new(self.bases[base as usize], false);
        let mut constraints = match fact {
            Fact::Constant { base, value } => {
                vec![rule(Kind::AnyOf, vec![literal(*base).complement_if(!value)])]
            }
            Fact::Equal { base, other, complemented } => {
                equal(literal(*base), literal(*other).complement_if(*complemented)).into()
            }
            Fact::AtMostOne(members) => {
                vec![rule(Kind::AtMostOne, members.iter().map(|&b| literal(b)).collect())]
            }
            Fact::AtLeastOne(members) => {
                vec![rule(Kind::AnyOf, members.iter().map(|&b| literal(b)).collect())]
            }
        };
        constraints.iter_mut().for_each(|c| c.fact = Some(number));
        constraints
    }
}

fn of_role(moves: &[GateId], legal: &[Edge]) -> Vec<Constraint> {
    let chosen: Vec<Edge> = moves.iter().map(|&gate| Edge::new(gate, false)).collect();
    let mut constraints = vec![rule(Kind::AtMostOne, chosen.clone()), rule(Kind::AnyOf, chosen.clone())];
    constraints
        .extend(chosen.iter().zip(legal).map(|(&input, &legal)| rule(Kind::AnyOf, vec![!input, legal])));
    constraints
}

fn rule(kind: Kind, literals: Vec<Edge>) -> Constraint {
    Constraint { kind, literals: literals.into(), fact: None }
}

fn equal(one: Edge, other: Edge) -> [Constraint; 2] {
    [rule(Kind::AnyOf, vec![!one, other]), rule(Kind::AnyOf, vec![one, !other])]
}
