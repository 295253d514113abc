//! Dense ids of one machine for the terms of a game.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use ludex_gdl::{GameProgram, Notation};
use ludex_logic::{TermId, Terms};
use rustc_hash::FxHashMap;

use crate::error::{Answer, GameError};
use crate::state::{MachineTag, State};

macro_rules! dense_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// As a position, from 0.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

dense_id!(
    /// A role, in the order of the rulesheet.
    RoleId
);
dense_id!(
    /// A move (without the role that makes it) of one machine.
    ActionId
);
dense_id!(
    /// A base proposition of one machine.
    PropositionId
);

/// What a state is worth to a role: 0 to 100 in well-formed games.
pub type Goal = u32;

/// Terms with dense ids; others are added when they are met.
#[derive(Debug, Default)]
struct Interner(RwLock<Interned>);

#[derive(Debug, Default)]
struct Interned {
    terms: Vec<TermId>,
    ids: FxHashMap<TermId, u32>,
}

impl Interner {
    fn new(terms: Vec<TermId>) -> Self {
        let ids = terms.iter().enumerate().map(|(i, &t)| (t, i as u32)).collect();
        Self(RwLock::new(Interned { terms, ids }))
    }

    fn read(&self) -> RwLockReadGuard<'_, Interned> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn bytes(&self) -> usize {
        let Interned { terms, ids } = &*self.read();
        terms.capacity() * size_of::<TermId>() + ids.capacity() * (size_of::<(TermId, u32)>() + 1)
    }

    fn find(&self, term: TermId) -> Option<u32> {
        self.read().ids.get(&term).copied()
    }

    fn id(&self, term: TermId) -> u32 {
        self.find(term).unwrap_or_else(|| {
            let Interned { terms, ids } = &mut *self.0.write().unwrap_or_else(PoisonError::into_inner);
            let next = terms.len() as u32;
            *ids.entry(term).or_insert_with(|| {
                terms.push(term);
                next
            })
        })
    }
}

/// The roles, moves and propositions of a machine, as terms with dense ids.
///
/// Moves and propositions that are known beforehand come first, in canonical order
/// ([`Terms::compare`]); a machine adds others when it meets them, so the tables only grow.
#[derive(Debug)]
pub struct Signature {
    terms: Arc<Terms>,
    notation: Notation,
    roles: Vec<TermId>,
    role_ids: FxHashMap<TermId, RoleId>,
    random: Option<RoleId>,
    known_actions: usize,
    known_propositions: usize,
    actions: Interner,
    propositions: Interner,
    tag: MachineTag,
}

impl Signature {
    /// The signature of a game with the moves and propositions known so far. States of a machine with this
    /// signature are numbers of propositions, unless [`Signature::with_encoding`] says otherwise.
    pub fn new(
        game: &GameProgram,
        notation: Notation,
        mut actions: Vec<TermId>,
        mut propositions: Vec<TermId>,
    ) -> Self {
        let terms = Arc::clone(&game.program.terms);
        for list in [&mut actions, &mut propositions] {
            list.sort_by(|&a, &b| terms.compare(a, b));
            list.dedup();
        }
        let texts: Vec<String> = propositions.iter().map(|&term| terms.prefix(term)).collect();
        Self {
            tag: MachineTag::of("propositions", texts.iter().map(String::as_str)),
            notation,
            roles: game.roles.clone(),
            role_ids: (0..).map(RoleId).zip(&game.roles).map(|(id, &term)| (term, id)).collect(),
            random: game.random_role().map(|r| RoleId(r as u32)),
            known_actions: actions.len(),
            known_propositions: propositions.len(),
            actions: Interner::new(actions),
            propositions: Interner::new(propositions),
            terms,
        }
    }

    /// The same for a machine whose states are bits that stand for these propositions, in this order.
    #[must_use]
    pub fn with_encoding(mut self, bits: &[TermId]) -> Self {
        let texts: Vec<String> = bits.iter().map(|&term| self.terms.prefix(term)).collect();
        self.tag = MachineTag::of("bits", texts.iter().map(String::as_str));
        self
    }

    /// The tag of the machine's states.
    pub fn tag(&self) -> MachineTag {
        self.tag
    }

    /// Whether a state is of this machine.
    ///
    /// # Errors
    /// [`GameError::ForeignState`] where it is not.
    #[inline]
    pub fn check_state(&self, state: &State) -> Answer<()> {
        if state.tag().is_of(self.tag) { Ok(()) } else { Err(GameError::ForeignState) }
    }

    /// The terms of the game.
    pub fn terms(&self) -> &Arc<Terms> {
        &self.terms
    }

    /// Why a role may not make a move.
    pub fn not_legal(&self, role: RoleId, action: ActionId) -> GameError {
        if action.index() >= self.action_count() {
            return GameError::UnknownAction { action: format!("move {}", action.0) };
        }
        let role = self.terms.prefix(self.roles[role.index()]);
        GameError::IllegalMove { role, action: self.terms.shown(self.action(action)) }
    }

    /// How to write terms for people: as the rulesheet does.
    pub fn notation(&self) -> Notation {
        self.notation
    }

    /// A term as the rulesheet would write it.
    pub fn text(&self, term: TermId) -> String {
        self.terms.written(term, self.notation)
    }

    /// The roles, in order.
    pub fn roles(&self) -> &[TermId] {
        &self.roles
    }

    /// All role ids, in order.
    pub fn role_ids(&self) -> impl ExactSizeIterator<Item = RoleId> + use<> {
        (0..self.roles.len() as u32).map(RoleId)
    }

    /// The role of this name.
    pub fn find_role(&self, term: TermId) -> Option<RoleId> {
        self.role_ids.get(&term).copied()
    }

    /// The role that moves at random (GDL-II).
    pub fn random(&self) -> Option<RoleId> {
        self.random
    }

    /// How many moves were known beforehand.
    pub fn known_actions(&self) -> usize {
        self.known_actions
    }

    /// How many propositions were known beforehand.
    pub fn known_propositions(&self) -> usize {
        self.known_propositions
    }

    /// How many moves were met so far.
    pub fn action_count(&self) -> usize {
        self.actions.read().terms.len()
    }

    /// How many propositions were met so far.
    pub fn proposition_count(&self) -> usize {
        self.propositions.read().terms.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.actions.bytes() + self.propositions.bytes()
    }

    /// All moves met so far, by id.
    pub fn actions(&self) -> Vec<TermId> {
        self.actions.read().terms.clone()
    }

    /// All propositions met so far, by id.
    pub fn propositions(&self) -> Vec<TermId> {
        self.propositions.read().terms.clone()
    }

    /// The term of a move.
    pub fn action(&self, id: ActionId) -> TermId {
        self.actions.read().terms[id.index()]
    }

    /// The term of a proposition.
    pub fn proposition(&self, id: PropositionId) -> TermId {
        self.propositions.read().terms[id.index()]
    }

    /// The id of a move, if it was met.
    pub fn find_action(&self, term: TermId) -> Option<ActionId> {
        self.actions.find(term).map(ActionId)
    }

    /// The id of a proposition, if it was met.
    pub fn find_proposition(&self, term: TermId) -> Option<PropositionId> {
        self.propositions.find(term).map(PropositionId)
    }

    /// The id of a move, added if need be.
    pub fn action_id(&self, term: TermId) -> ActionId {
        ActionId(self.actions.id(term))
    }

    /// The id of a proposition, added if need be.
    pub fn proposition_id(&self, term: TermId) -> PropositionId {
        PropositionId(self.propositions.id(term))
    }
}
