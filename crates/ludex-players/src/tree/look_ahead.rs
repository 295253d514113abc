//! All successors of states, looked at for ends of the game and for which moves look good.

use std::ops::Range;

use ludex_game::{ActionId, Answer, Batch, DecisiveMoves, Expansion, Jobs, Wanted};

/// How far a search looks ahead from states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Foresight {
    /// Not at all.
    #[default]
    Nothing,
    /// To ends of the game behind new leaves.
    Ends,
    /// To all that says which moves look good, also in states of very many moves.
    Moves,
}

/// New leaves with more joint moves than this are not looked ahead from.
pub(super) const WIDEST_LEAF: usize = 256;

/// The successors of states in which one role chooses.
#[derive(Default)]
pub(super) struct LookAhead {
    jobs: Jobs,
    /// Per look the number of the state that it goes on from, and the place of the move among those of the role that
    /// chooses.
    of: Vec<(usize, u32)>,
    /// Where the looks of each state end.
    ends: Vec<usize>,
    /// Per state the role that chooses.
    choosers: Vec<usize>,
    joint: Vec<ActionId>,
    /// What was seen.
    pub looked: Expansion,
    /// The looks that showed an end of the game.
    endings: Vec<usize>,
}

impl LookAhead {
    /// Forgets all successors.
    pub fn clear(&mut self) {
        self.jobs.clear();
        self.of.clear();
        self.ends.clear();
        self.choosers.clear();
        self.endings.clear();
    }

    /// How many successors there are to look at.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// Adds a state to look ahead from, where one role chooses among no more moves than `widest`, and gives its number.
    pub fn add<'s>(
        &mut self,
        words: &[u64],
        legal: impl Fn(usize) -> &'s [ActionId],
        roles: usize,
        widest: usize,
    ) -> usize {
        let number = self.ends.len();
        let mut choosers = (0..roles).filter(|&role| legal(role).len() > 1);
        let chooser = choosers.next().unwrap_or(0);
        self.choosers.push(chooser);
        let is_plain = choosers.next().is_none() && (0..roles).all(|role| !legal(role).is_empty());
        if is_plain && legal(chooser).len() <= widest {
            let state = self.jobs.add_state(words);
            self.joint.clear();
            self.joint.extend((0..roles).map(|role| legal(role)[0]));
            for (choice, &action) in (0u32..).zip(legal(chooser)) {
                self.joint[chooser] = action;
                self.jobs.add(state, &self.joint);
                self.of.push((number, choice));
            }
        }
        self.ends.push(self.of.len());
        number
    }

    /// Tries all moves from the states that were added, and counts those that there are then, as these bits tell whose turn
    /// it is, if there are any.
    ///
    /// # Errors
    /// What the batch answers.
    pub fn look(&mut self, turn: &[u64], batch: &mut dyn Batch) -> Answer<()> {
        self.jobs.want_goals(Wanted::Terminal);
        self.jobs.want_moves(false);
        self.jobs.count_moves(turn);
        batch.expand(&self.jobs, &mut self.looked)?;
        let looked = &self.looked;
        self.endings.clear();
        self.endings.extend((0..self.of.len()).filter(|&look| looked.terminal(look)));
        Ok(())
    }

    /// The looks at the successors of a state that was added, in the order of the moves; none where it was not looked
    /// ahead from.
    pub fn successors(&self, state: usize) -> Range<usize> {
        let begin = if state == 0 { 0 } else { self.ends[state - 1] };
        begin..self.ends[state]
    }

    /// The role that chooses in a state.
    pub fn chooser(&self, state: usize) -> usize {
        self.choosers[state]
    }

    /// The place, among those of the role that chooses, of the move of a look.
    pub fn choice(&self, look: usize) -> u32 {
        self.of[look].1
    }

    /// The looks from a state that showed an end of the game.
    pub fn endings(&self, state: usize) -> &[usize] {
        let looks = self.successors(state);
        let place = |at| self.endings.partition_point(|&look| look < at);
        &self.endings[place(looks.start)..place(looks.end)]
    }

    /// Whether a role can win at once in one of the states.
    pub fn is_decisive(&self, stakes: &DecisiveMoves) -> bool {
        self.endings.iter().any(|&look| {
            let chooser = self.choosers[self.of[look].0];
            let goal = self.looked.goals(look).get(chooser).copied().flatten();
            stakes.of(chooser).zip(goal).is_some_and(|(stakes, goal)| goal >= stakes.win)
        })
    }
}
