//! A program without variables.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::csr::Csr;
use crate::ids::{AtomId, ClauseId, Id, IdVec, RelationId};
use crate::program::GroundAtom;
use crate::terms::Terms;

/// An atom or its negation in the body of a ground rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroundLiteral(u32);

impl GroundLiteral {
    /// The literal over `atom`.
    pub fn new(atom: AtomId, negated: bool) -> Self {
        Self((atom.index() as u32) << 1 | u32::from(negated))
    }

    /// The atom.
    pub fn atom(self) -> AtomId {
        AtomId::from_index((self.0 >> 1) as usize)
    }

    /// Whether the atom must not hold.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// One way to derive an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroundRule<'a> {
    /// The atom that is derived.
    pub head: AtomId,
    /// All of these must hold; with an empty body the head always holds.
    pub body: &'a [GroundLiteral],
    /// The clause this is an instance of (or of a part of); `None` for what holds in every state by
    /// rules that were evaluated away.
    pub origin: Option<ClauseId>,
}

/// The ground rules of a program, without static relations: what is true in every state has been
/// evaluated away.
///
/// Atoms of the program's relations have names; atoms that stand for a part of a rule have none. A
/// relation that is given has atoms without rules: the ones that can be true at some time, by the
/// relaxed model (book 14.4). An asked atom that is missing can never hold. Negation is stratified;
/// positive recursion is possible.
#[derive(Clone, Debug)]
pub struct Grounding {
    pub(super) terms: Arc<Terms>,
    pub(super) atoms: IdVec<AtomId, Option<GroundAtom>>,
    pub(super) is_given: Vec<bool>,
    pub(super) ids: FxHashMap<GroundAtom, AtomId>,
    /// The head of each rule, ascending.
    pub(super) heads: Vec<AtomId>,
    /// By head, the origin of each rule.
    pub(super) origins: Csr<Option<ClauseId>>,
    /// The body of each rule.
    pub(super) bodies: Csr<GroundLiteral>,
}

impl Grounding {
    /// The terms of the program.
    pub fn terms(&self) -> &Arc<Terms> {
        &self.terms
    }

    /// All atoms.
    pub fn atoms(&self) -> impl ExactSizeIterator<Item = AtomId> + use<> {
        self.atoms.ids()
    }

    /// The number of atoms.
    pub fn atom_count(&self) -> usize {
        self.atoms.len()
    }

    /// What an atom says; `None` for one that stands for a part of a rule.
    pub fn atom(&self, id: AtomId) -> Option<&GroundAtom> {
        self.atoms[id].as_ref()
    }

    /// Whether the atom comes from outside (`true`, `does`).
    pub fn is_given(&self, id: AtomId) -> bool {
        self.is_given[id.index()]
    }

    /// The atom's id, if it can hold in some state.
    pub fn find(&self, atom: &GroundAtom) -> Option<AtomId> {
        self.ids.get(atom).copied()
    }

    /// The atoms of a relation, in canonical order of their arguments.
    pub fn atoms_of(&self, relation: RelationId) -> Vec<AtomId> {
        let mut found: Vec<(&GroundAtom, AtomId)> = self
            .atoms
            .entries()
            .filter_map(|(id, atom)| Some((atom.as_ref().filter(|a| a.relation == relation)?, id)))
            .collect();
        found.sort_by(|(a, _), (b, _)| self.terms.compare_lists(&a.args, &b.args));
        found.into_iter().map(|(_, id)| id).collect()
    }

    /// The number of rules.
    pub fn rule_count(&self) -> usize {
        self.heads.len()
    }

    /// The number of literals in all bodies.
    pub fn literal_count(&self) -> usize {
        self.bodies.item_count()
    }

    /// All rules, sorted by head.
    pub fn rules(&self) -> impl ExactSizeIterator<Item = GroundRule<'_>> {
        (0..self.heads.len()).map(|r| self.rule(r))
    }

    /// The rules of an atom.
    pub fn rules_of(&self, atom: AtomId) -> impl ExactSizeIterator<Item = GroundRule<'_>> {
        self.origins.range(atom.index()).map(|r| self.rule(r))
    }

    fn rule(&self, number: usize) -> GroundRule<'_> {
        let origin = self.origins.items()[number];
        GroundRule { head: self.heads[number], body: &self.bodies[number], origin }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let named: usize = self.atoms.iter().flatten().map(|a| a.args.len() * 4).sum();
        self.atoms.len() * size_of::<Option<GroundAtom>>()
            + 2 * named
            + self.ids.capacity() * (size_of::<(GroundAtom, AtomId)>() + 1)
            + self.is_given.len()
            + self.heads.len() * size_of::<AtomId>()
            + self.origins.bytes()
            + self.bodies.bytes()
    }
}
