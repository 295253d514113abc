//! The goal formulas of a role as flat lists, in the order in which they are worked out.

use std::ops::Range;

use ludex_game::{Goal, RoleId};
use ludex_logic::ground::Grounding;
use ludex_logic::scc::components;
use ludex_logic::{AtomId, GroundAtom, Id, LimitError, Meter, TermId};
use ludex_propnet::{Circuit, Edge};
use rustc_hash::FxHashMap;

use crate::Faithful;

/// A slot or its negation, as a place in [`Formulas`]' values: each slot has two, for its value and for
/// one less its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Literal(pub u32);

impl Literal {
    /// Slot 0 is false in every state.
    pub(super) const FALSE: Literal = Literal(0);
    /// The negation of slot 0.
    pub(super) const TRUE: Literal = Literal(1);

    pub(super) fn of_slot(slot: usize) -> Self {
        // Slots are atoms of a grounding, of which there are fewer than 2^31: it packs them so, too.
        Self((slot as u32) << 1)
    }

    pub(super) fn negated_if(self, negated: bool) -> Self {
        Self(self.0 ^ u32::from(negated))
    }

    pub(super) fn place(self) -> usize {
        self.0 as usize
    }
}

/// Nodes that are worked out together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    pub nodes: Range<usize>,
    /// Whether they depend on each other.
    pub recursive: bool,
}

/// The rules on which the positive goals of a role depend. What is the same in every state has been
/// evaluated away, and an atom that only stands for another one is that one.
///
/// Slots: first the constant, then the leaves (propositions), then the nodes (atoms with rules), each
/// after what it depends on.
#[derive(Clone, Debug, Default)]
pub(super) struct Formulas {
    /// Per leaf the number of its base in the faithful circuit.
    pub leaves: Vec<u32>,
    pub stages: Vec<Stage>,
    /// The bodies of node `n` are `first_body[n]..first_body[n + 1]`.
    first_body: Vec<u32>,
    /// The literals of body `b` are `first_literal[b]..first_literal[b + 1]`.
    first_literal: Vec<u32>,
    literals: Vec<Literal>,
    /// The positive goal values with their formulas, ascending.
    pub goals: Vec<(Goal, Literal)>,
    /// What the atoms with names have become.
    pub names: FxHashMap<GroundAtom, Literal>,
}

impl Formulas {
    pub(super) fn leaf_slot(leaf: usize) -> usize {
        1 + leaf
    }

    pub(super) fn node_slot(&self, node: usize) -> usize {
        1 + self.leaves.len() + node
    }

    pub(super) fn node_count(&self) -> usize {
        self.first_body.len() - 1
    }

    pub(super) fn slot_count(&self) -> usize {
        self.node_slot(self.node_count())
    }

    pub(super) fn literal_count(&self) -> usize {
        self.literals.len()
    }

    /// The bodies of a node.
    pub(super) fn bodies(&self, node: usize) -> impl ExactSizeIterator<Item = &[Literal]> {
        let range = self.first_body[node] as usize..self.first_body[node + 1] as usize;
        range.map(|body| {
            &self.literals[self.first_literal[body] as usize..self.first_literal[body + 1] as usize]
        })
    }
}

/// Reads the goal formulas of a role.
pub(super) fn compile(faithful: &Faithful, role: RoleId, meter: &mut Meter) -> Result<Formulas, LimitError> {
    let grounding = &faithful.grounding;
    let goals = positive_goals(faithful, role);
    let mut compiler = Compiler {
        grounding,
        meaning: vec![Literal::FALSE; grounding.atom_count()],
        formulas: Formulas { first_body: vec![0], first_literal: vec![0], ..Formulas::default() },
    };
    meter.spend(grounding.atom_count() as u64)?;
    let atoms = reachable(grounding, goals.iter().map(|&(_, atom)| atom), meter)?;
    compiler.add_leaves(faithful, &atoms);
    compiler.add_nodes(&atoms, meter)?;
    let Compiler { meaning, mut formulas, .. } = compiler;
    formulas.goals = goals.iter().map(|&(value, atom)| (value, meaning[atom.index()])).collect();
    for &id in &atoms {
        if let Some(name) = grounding.atom(id) {
            formulas.names.insert(name.clone(), meaning[id.index()]);
        }
    }
    Ok(formulas)
}

/// The atoms that say what more than 0 a state is worth to a role, values ascending.
fn positive_goals(faithful: &Faithful, role: RoleId) -> Vec<(Goal, AtomId)> {
    let (net, grounding) = (&faithful.net, &faithful.grounding);
    let Some(&role) = net.roles().get(role.index()) else { return Vec::new() };
    let of_role = |id: AtomId| {
        let &[whose, value] = &*grounding.atom(id)?.args else { return None };
        let value = net.terms().integer(value).and_then(|value| Goal::try_from(value).ok())?;
        (whose == role && value > 0).then_some((value, id))
    };
    let mut goals: Vec<(Goal, AtomId)> =
        grounding.atoms_of(net.vocabulary().goal).into_iter().filter_map(of_role).collect();
    goals.sort_unstable();
    goals
}

/// The atoms on which some atoms depend, and these.
fn reachable(
    grounding: &Grounding,
    from: impl Iterator<Item = AtomId>,
    meter: &mut Meter,
) -> Result<Vec<AtomId>, LimitError> {
    let mut seen = vec![false; grounding.atom_count()];
    let mut found: Vec<AtomId> = Vec::new();
    let mut reach = |atom: AtomId, found: &mut Vec<AtomId>| {
        if !std::mem::replace(&mut seen[atom.index()], true) {
            found.push(atom);
        }
    };
    from.for_each(|atom| reach(atom, &mut found));
    let mut at = 0;
    while let Some(&atom) = found.get(at) {
        at += 1;
        for rule in grounding.rules_of(atom) {
            meter.spend(1 + rule.body.len() as u64)?;
            rule.body.iter().for_each(|literal| reach(literal.atom(), &mut found));
        }
    }
    Ok(found)
}

/// The value of a base that has the same one in all reachable states, as far as its own next value
/// shows: nothing makes it false once it is true, or true once it is false.
fn constant(circuit: &Circuit, base: usize) -> Option<bool> {
    let stored = &circuit.bases[base];
    let own = circuit.values[stored.proposition as usize];
    let is_part_of = |edge: Edge, of: Edge| circuit.gates[of.gate().index()].operands().contains(&edge);
    let (kept, next) = (own.complement_if(!stored.initial), stored.next.complement_if(!stored.initial));
    // `kept` and `next` speak of the value that the base has at first. It stays where `next` is true,
    // or `kept`, or a disjunction with `kept`, which is the complement of a conjunction.
    let stays = next == Edge::TRUE || next == kept || (next.is_complemented() && is_part_of(!kept, next));
    stays.then_some(stored.initial)
}

struct Compiler<'a> {
    grounding: &'a Grounding,
    /// Per atom what it has become; false for what was not reached or has no rule.
    meaning: Vec<Literal>,
    formulas: Formulas,
}

impl Compiler<'_> {
    /// Propositions become leaves, or constants. Moves, on which goals must not depend, are not made.
    fn add_leaves(&mut self, faithful: &Faithful, atoms: &[AtomId]) {
        let truth = faithful.net.vocabulary().truth;
        let bases: FxHashMap<TermId, u32> =
            (0..faithful.circuit.bases.len() as u32).map(|base| (faithful.base_term(base), base)).collect();
        for &id in atoms.iter().filter(|&&id| self.grounding.is_given(id)) {
            let name = self.grounding.atom(id).filter(|name| name.relation == truth);
            let base = name.and_then(|name| bases.get(name.args.first()?));
            let Some(&base) = base else { continue };
            self.meaning[id.index()] = match constant(&faithful.circuit, base as usize) {
                Some(value) => Literal::FALSE.negated_if(value),
                None => {
                    self.formulas.leaves.push(base);
                    Literal::of_slot(self.formulas.leaves.len())
                }
            };
        }
    }

    /// Atoms with rules become nodes, component by component.
    fn add_nodes(&mut self, atoms: &[AtomId], meter: &mut Meter) -> Result<(), LimitError> {
        let grounding = self.grounding;
        let mut number = vec![u32::MAX; grounding.atom_count()];
        (0..).zip(atoms).for_each(|(at, atom)| number[atom.index()] = at);
        let uses = |at: usize| -> Vec<usize> {
            let literals = grounding.rules_of(atoms[at]).flat_map(|rule| rule.body);
            literals.map(|literal| number[literal.atom().index()] as usize).collect()
        };
        meter.check()?;
        for members in components(atoms.len(), uses) {
            let mut members: Vec<AtomId> = members.into_iter().map(|at| atoms[at]).collect();
            members.sort_unstable();
            let is_own = |atom: AtomId| members.binary_search(&atom).is_ok();
            let mut literals = grounding.rules_of(members[0]).flat_map(|rule| rule.body);
            if members.len() > 1 || literals.any(|literal| is_own(literal.atom())) {
                self.add_component(&members, meter)?;
            } else if !grounding.is_given(members[0]) {
                self.add_atom(members[0], meter)?;
            }
        }
        Ok(())
    }

    /// An atom that does not depend on itself.
    fn add_atom(&mut self, atom: AtomId, meter: &mut Meter) -> Result<(), LimitError> {
        let bodies = self.bodies(atom, meter)?;
        self.meaning[atom.index()] = match bodies.as_slice() {
            [] => Literal::FALSE,
            // The shortest comes first.
            [shortest, ..] if shortest.is_empty() => Literal::TRUE,
            [only] if only.len() == 1 => only[0],
            _ => {
                let node = self.push(&bodies);
                match self.formulas.stages.last_mut() {
                    Some(stage) if !stage.recursive => stage.nodes.end = node + 1,
                    _ => self.formulas.stages.push(Stage { nodes: node..node + 1, recursive: false }),
                }
                Literal::of_slot(self.formulas.node_slot(node))
            }
        };
        Ok(())
    }

    /// Atoms that depend on each other.
    fn add_component(&mut self, members: &[AtomId], meter: &mut Meter) -> Result<(), LimitError> {
        let start = self.formulas.node_count();
        for (node, &member) in (start..).zip(members) {
            self.meaning[member.index()] = Literal::of_slot(self.formulas.node_slot(node));
        }
        for &member in members {
            let bodies = self.bodies(member, meter)?;
            self.push(&bodies);
        }
        let nodes = start..self.formulas.node_count();
        self.formulas.stages.push(Stage { nodes, recursive: true });
        Ok(())
    }

    /// What the bodies of an atom's rules have become, the shortest first, each once: two rules that say
    /// the same of every state say it once.
    fn bodies(&self, atom: AtomId, meter: &mut Meter) -> Result<Vec<Vec<Literal>>, LimitError> {
        let mut bodies = Vec::new();
        for rule in self.grounding.rules_of(atom) {
            meter.spend(1 + rule.body.len() as u64)?;
            let meant = rule.body.iter().map(|l| self.meaning[l.atom().index()].negated_if(l.is_negated()));
            let mut body: Vec<Literal> = meant.filter(|&literal| literal != Literal::TRUE).collect();
            if body.contains(&Literal::FALSE) {
                continue;
            }
            body.sort_unstable();
            body.dedup();
            bodies.push(body);
        }
        bodies.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        bodies.dedup();
        Ok(bodies)
    }

    fn push(&mut self, bodies: &[Vec<Literal>]) -> usize {
        let Formulas { first_body, first_literal, literals, .. } = &mut self.formulas;
        for body in bodies {
            literals.extend(body);
            first_literal.push(literals.len() as u32);
        }
        first_body.push(first_literal.len() as u32 - 1);
        first_body.len() - 2
    }
}
