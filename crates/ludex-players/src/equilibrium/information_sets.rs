//! What a role can tell apart, and what it can do there.

use ludex_game::{ActionId, News, RoleId, Signature};
use ludex_logic::{Csr, Id, TermId, define_id};
use rustc_hash::FxHashMap;

define_id!(
    /// An information set of one role: all situations that the role cannot tell apart, in which it has several moves
    /// to choose from.
    pub SetId
);
define_id!(
    /// A sequence of choices of one role: 0 is the empty one, and every other one ends with a move in an information
    /// set, and goes on from the sequence that leads there.
    pub SequenceId
);

define_id!(
    /// Something that a role was told in one step: in GDL the joint move, in GDL-II its own move and what it saw.
    NewsId
);
define_id!(
    /// A list of legal moves.
    ListId
);
define_id!(
    /// All that a role was told since the match began. Two situations that a role was told the same before are one to
    /// it, so that it forgets nothing (perfect recall).
    pub(super) ToldId
);

impl ToldId {
    /// Nothing was told yet.
    pub(super) const NOTHING: Self = Self(0);
}

impl SequenceId {
    /// The role has not chosen yet.
    pub const EMPTY: Self = Self(0);
}

/// What a role was told, as what it was told before and one more step.
#[derive(Debug)]
struct Told {
    before: ToldId,
    news: NewsId,
    /// The last choice that the role made.
    sequence: SequenceId,
    /// What is legal for it here, once a node with this was looked at that is not terminal.
    list: Option<ListId>,
    /// The information set, where it has to choose.
    set: Option<SetId>,
}

/// An information set.
#[derive(Debug)]
struct Set {
    told: ToldId,
    /// The sequence that leads here.
    parent: SequenceId,
    /// The sequence that ends with the first of the moves; those of the others follow.
    first: SequenceId,
    list: ListId,
}

/// All information sets of a role, and its sequences of choices. A set comes after all that lead to it.
#[derive(Debug)]
pub struct InformationSets {
    role: RoleId,
    /// Whether the role is told joint moves (GDL), or what it sees (GDL-II).
    is_told_joint: bool,
    told: Vec<Told>,
    next: FxHashMap<(ToldId, NewsId), ToldId>,
    news: Csr<TermId>,
    news_ids: FxHashMap<Box<[TermId]>, NewsId>,
    /// The lists of legal moves that there are, as ids of the machine and as terms.
    actions: Csr<ActionId>,
    moves: Csr<TermId>,
    list_ids: FxHashMap<Box<[ActionId]>, ListId>,
    sets: Vec<Set>,
    sequences: usize,
}

impl InformationSets {
    /// Nothing but the beginning of the match.
    pub(super) fn new(role: RoleId, is_told_joint: bool) -> Self {
        let mut sets = Self {
            role,
            is_told_joint,
            told: Vec::new(),
            next: FxHashMap::default(),
            news: Csr::new(),
            news_ids: FxHashMap::default(),
            actions: Csr::new(),
            moves: Csr::new(),
            list_ids: FxHashMap::default(),
            sets: Vec::new(),
            sequences: 1,
        };
        let news = sets.news_id(&[]);
        let sequence = SequenceId::EMPTY;
        sets.told.push(Told { before: ToldId::NOTHING, news, sequence, list: None, set: None });
        sets
    }

    /// Whose they are.
    pub fn role(&self) -> RoleId {
        self.role
    }

    /// How many information sets there are.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether the role never has a choice.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// All information sets; each comes after those that lead to it.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = SetId> + ExactSizeIterator + use<> {
        (0..self.sets.len()).map(SetId::from_index)
    }

    /// How many sequences of choices there are, the empty one included.
    pub fn sequence_count(&self) -> usize {
        self.sequences
    }

    /// The moves of an information set, in canonical order.
    pub fn moves(&self, set: SetId) -> &[TermId] {
        &self.moves[self.sets[set.index()].list.index()]
    }

    /// The sequence of choices that leads to an information set.
    pub fn parent(&self, set: SetId) -> SequenceId {
        self.sets[set.index()].parent
    }

    /// The sequences that end with the moves of an information set, in order.
    pub fn sequences(&self, set: SetId) -> std::ops::Range<usize> {
        let first = self.sets[set.index()].first.index();
        first..first + self.moves(set).len()
    }

    /// What the role was told on the way to an information set, step by step.
    pub fn news(&self, set: SetId) -> Vec<News> {
        self.steps(set).into_iter().map(|told| self.news_of(told)).collect()
    }

    /// For each step on the way to an information set, whether the role had a choice in it; as long as
    /// [`InformationSets::news`].
    pub fn had_choice(&self, set: SetId) -> Vec<bool> {
        let before = |told: ToldId| self.told[told.index()].before;
        self.steps(set).into_iter().map(|told| self.told[before(told).index()].set.is_some()).collect()
    }

    /// The information set in which the role is after these news; `None` where it has no choice there, or where they
    /// never come.
    pub fn find(&self, news: &[News]) -> Option<SetId> {
        let mut at = ToldId::NOTHING;
        let mut key = Vec::new();
        for news in news {
            key.clear();
            match news {
                News::Joint(joint) => key.extend_from_slice(joint),
                News::Percepts { action, percepts } => {
                    key.push(*action);
                    key.extend_from_slice(percepts);
                }
            }
            let news = *self.news_ids.get(&key[..])?;
            at = *self.next.get(&(at, news))?;
        }
        self.told[at.index()].set
    }

    /// The steps on the way to an information set, the first one first.
    fn steps(&self, set: SetId) -> Vec<ToldId> {
        let mut at = self.sets[set.index()].told;
        let mut steps = Vec::new();
        while at != ToldId::NOTHING {
            steps.push(at);
            at = self.told[at.index()].before;
        }
        steps.reverse();
        steps
    }

    fn news_of(&self, told: ToldId) -> News {
        let terms = &self.news[self.told[told.index()].news.index()];
        match terms {
            [action, percepts @ ..] if !self.is_told_joint => {
                News::Percepts { action: *action, percepts: percepts.to_vec() }
            }
            joint => News::Joint(joint.to_vec()),
        }
    }

    /// The last choice that led to what was told.
    pub(super) fn sequence(&self, told: ToldId) -> SequenceId {
        self.told[told.index()].sequence
    }

    /// Notes what is legal where this was told. Where something else was noted before, that is the answer: the role
    /// cannot know what it may do.
    pub(super) fn decide(
        &mut self,
        told: ToldId,
        legal: &[ActionId],
        signature: &Signature,
    ) -> Result<(), Vec<TermId>> {
        if let Some(known) = self.told[told.index()].list {
            let is_same = self.actions[known.index()] == *legal;
            return if is_same { Ok(()) } else { Err(self.moves[known.index()].to_vec()) };
        }
        let list = self.list_id(legal, signature);
        let at = &mut self.told[told.index()];
        at.list = Some(list);
        if legal.len() > 1 {
            let parent = at.sequence;
            at.set = Some(SetId::from_index(self.sets.len()));
            self.sets.push(Set { told, parent, first: SequenceId::from_index(self.sequences), list });
            self.sequences += legal.len();
        }
        Ok(())
    }

    /// What the role was told after one more step: its own move, by its place among the legal ones, and the news.
    pub(super) fn hear(&mut self, before: ToldId, place: usize, news: &[TermId]) -> ToldId {
        let news = self.news_id(news);
        if let Some(&known) = self.next.get(&(before, news)) {
            return known;
        }
        let Told { sequence, set, .. } = self.told[before.index()];
        let sequence =
            set.map_or(sequence, |set| SequenceId::from_index(self.sets[set.index()].first.index() + place));
        let told = ToldId::from_index(self.told.len());
        self.told.push(Told { before, news, sequence, list: None, set: None });
        self.next.insert((before, news), told);
        told
    }

    fn news_id(&mut self, news: &[TermId]) -> NewsId {
        if let Some(&known) = self.news_ids.get(news) {
            return known;
        }
        let id = NewsId::from_index(self.news.len());
        self.news.push_list(news.iter().copied());
        self.news_ids.insert(news.into(), id);
        id
    }

    fn list_id(&mut self, legal: &[ActionId], signature: &Signature) -> ListId {
        if let Some(&known) = self.list_ids.get(legal) {
            return known;
        }
        let id = ListId::from_index(self.actions.len());
        self.actions.push_list(legal.iter().copied());
        self.moves.push_list(legal.iter().map(|&action| signature.action(action)));
        self.list_ids.insert(legal.into(), id);
        id
    }

    /// Bytes held, about: lists that grow have up to twice the room, and tables are about half full.
    pub(super) fn bytes(&self) -> usize {
        let table = |entries: usize, key: usize| 2 * entries * (key + 8);
        2 * (self.told.len() * size_of::<Told>() + self.sets.len() * size_of::<Set>())
            + table(self.next.len(), 8)
            + table(self.news_ids.len() + self.list_ids.len(), 32)
            + 3 * (self.news.bytes() + self.moves.bytes())
            + self.actions.bytes()
    }
}
