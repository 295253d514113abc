//! Several ways to search, in turns.

use std::sync::Arc;

use ludex_game::{ActionId, Answer, Signature};

use super::adapt::Adapt;
use super::best_first::BestFirst;
use super::breadth::Breadth;
use super::cover::Cover;
use super::dive::Dive;
use super::method::{Incumbent, Method, Progress};
use super::nearest::Nearest;
use super::sample::Sample;
use super::space::Space;
use crate::machine_knowledge::MachineKnowledge;
use crate::strategy::{Arena, Resources};

/// So many states each method looks at in its first turn; later turns are longer.
const FIRST_TURN: u64 = 8_192;
/// Turns do not become longer than this.
const LONGEST_TURN: u64 = 1 << 17;

/// All ways to search from one state, in turns that become longer.
pub(super) struct Portfolio {
    root: Vec<u64>,
    legal: Vec<ActionId>,
    resources: Resources,
    seed: u64,
    methods: Option<Vec<Box<dyn Method>>>,
    /// The bits that tell the time, once games were looked at.
    clock: Vec<u64>,
    /// Whether there is a method that goes by the goals, or was.
    is_guided: bool,
    turn: u64,
    /// The best plan so far.
    pub(super) found: Incumbent,
    /// How many states were looked at.
    pub(super) states: u64,
    /// What was known of the game when it was last used.
    knowledge_of_states: Option<Arc<MachineKnowledge>>,
}

impl Portfolio {
    /// A search from a state that is not terminal. `found` is what is known already.
    pub(super) fn new(
        root: &[u64],
        legal: &[ActionId],
        resources: &Resources,
        seed: u64,
        found: Incumbent,
    ) -> Self {
        Self {
            root: root.to_vec(),
            legal: legal.to_vec(),
            resources: resources.clone(),
            seed,
            methods: None,
            clock: Vec::new(),
            is_guided: false,
            turn: FIRST_TURN,
            found,
            states: 0,
            knowledge_of_states: None,
        }
    }

    /// Whether this is other than what was known last.
    pub(super) fn is_news(&self, knowledge_of_states: &Arc<MachineKnowledge>) -> bool {
        self.knowledge_of_states.as_ref().is_none_or(|known| !Arc::ptr_eq(known, knowledge_of_states))
    }

    /// Remembers what is known.
    pub(super) fn learn_knowledge(&mut self, knowledge_of_states: &Arc<MachineKnowledge>) {
        self.knowledge_of_states = Some(Arc::clone(knowledge_of_states));
        self.settle();
    }

    /// Nothing is better than the best there can be.
    fn settle(&mut self) {
        self.found.proven |= self.found.goal.is_some_and(|goal| goal >= Incumbent::MOST);
    }

    /// The state it searches from.
    pub(super) fn root(&self) -> &[u64] {
        &self.root
    }

    /// Whether there is nothing more to do.
    pub(super) fn is_over(&self) -> bool {
        self.found.proven || self.methods.as_ref().is_some_and(Vec::is_empty)
    }

    /// Gives every method a turn.
    ///
    /// # Errors
    /// The end of the budget, or what the machine answers.
    pub(super) fn round(&mut self, space: &mut Space<'_>, arena: &Arena) -> Answer<()> {
        let before = space.states();
        space.recall_choice_of_others(self.found.others_choose);
        let worked = self.work(space, arena);
        self.states += space.states() - before;
        self.found.others_choose = space.others_choose();
        self.settle();
        worked
    }

    fn work(&mut self, space: &mut Space<'_>, arena: &Arena) -> Answer<()> {
        if self.methods.is_none() {
            let sample = Sample::take(&self.root, self.seed, space, &mut self.found)?;
            self.clock = sample.clock();
            self.methods = Some(self.make_methods(&sample, arena.signature()));
        }
        self.be_guided();
        let Some(methods) = &mut self.methods else { return Ok(()) };
        let mut at = 0;
        while at < methods.len() && !self.found.proven {
            match methods[at].work(space, &mut self.found, self.turn)? {
                Progress::Open => at += 1,
                Progress::GaveUp => {
                    methods.remove(at);
                }
                Progress::Complete => self.found.proven = true,
            }
        }
        self.turn = (2 * self.turn).min(LONGEST_TURN);
        Ok(())
    }

    /// Adds the search by fuzzy goals as the first method, once these are known.
    fn be_guided(&mut self) {
        let (Some(methods), false) = (&mut self.methods, self.is_guided) else { return };
        let Some(knowledge_of_states) =
            self.knowledge_of_states.as_ref().filter(|knowledge_of_states| knowledge_of_states.knows_worth())
        else {
            return;
        };
        let memory = self.resources.memory / 100 * 15;
        methods.insert(0, Box::new(Nearest::new(&self.root, &self.clock, memory, knowledge_of_states)));
        self.is_guided = true;
    }

    fn make_methods(&self, sample: &Sample, signature: &Signature) -> Vec<Box<dyn Method>> {
        let clock = &self.clock[..];
        let has_clock = clock.iter().any(|&word| word != 0);
        let share = |percent: usize| self.resources.memory / 100 * percent;
        let (root, legal) = (&self.root[..], &self.legal[..]);
        let mut methods: Vec<Box<dyn Method>> = Vec::new();
        if has_clock {
            methods.push(Box::new(Breadth::new(root, legal, clock, share(30))));
        }
        if let Some(cover) = Cover::find(root, legal, sample, signature) {
            methods.push(Box::new(cover));
        }
        methods.push(Box::new(Dive::new(root, clock, self.seed, share(10))));
        methods.push(Box::new(Adapt::new(root, self.seed)));
        methods.push(Box::new(BestFirst::new(root, clock, share(20))));
        methods.push(Box::new(Breadth::new(root, legal, &[], share(if has_clock { 25 } else { 55 }))));
        methods
    }
}
