//! All successors of new leaves, looked at for ends of the game.

use std::ops::Range;

use ludex_game::{Answer, Batch, DecisiveMoves, Expansion, Jobs, RoleId, Wanted};

/// New leaves with more joint moves than this are not looked ahead from.
const MOST: usize = 256;

/// The successors of the states of an expansion, as far as one role chooses among not too many.
#[derive(Default)]
pub(super) struct LookAhead {
    jobs: Jobs,
    /// Per look the state that it goes on from, and the place of the move among those of the role that chooses.
    of: Vec<(usize, u32)>,
    /// Where the looks of each state begin, and after the last where they end.
    begin: Vec<usize>,
    /// Per state the role that chooses.
    choosers: Vec<usize>,
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
        self.begin.clear();
        self.choosers.clear();
        self.endings.clear();
    }

    /// Tries all moves from states.
    ///
    /// # Errors
    /// What the batch answers.
    pub fn look(&mut self, states: &Expansion, roles: usize, batch: &mut dyn Batch) -> Answer<()> {
        self.clear();
        self.jobs.want_goals(Wanted::Terminal);
        self.jobs.want_moves(false);
        let mut joint = Vec::new();
        for number in 0..states.len() {
            self.begin.push(self.of.len());
            let legal = |role: usize| states.legal(number, RoleId(role as u32));
            let mut choosers = (0..roles).filter(|&role| legal(role).len() > 1);
            let chooser = choosers.next().unwrap_or(0);
            self.choosers.push(chooser);
            let is_plain = choosers.next().is_none() && (0..roles).all(|role| !legal(role).is_empty());
            if states.terminal(number) || !is_plain || legal(chooser).len() > MOST {
                continue;
            }
            let state = self.jobs.add_state(states.state(number));
            joint.clear();
            joint.extend((0..roles).map(|role| legal(role)[0]));
            for (choice, &action) in (0u32..).zip(legal(chooser)) {
                joint[chooser] = action;
                self.jobs.add(state, &joint);
                self.of.push((number, choice));
            }
        }
        self.begin.push(self.of.len());
        batch.expand(&self.jobs, &mut self.looked)?;
        let looked = &self.looked;
        self.endings.extend((0..self.of.len()).filter(|&look| looked.terminal(look)));
        Ok(())
    }

    /// The looks at the successors of a state, in the order of the moves; none where it was not looked ahead from.
    pub fn successors(&self, state: usize) -> Range<usize> {
        match (self.begin.get(state), self.begin.get(state + 1)) {
            (Some(&from), Some(&to)) => from..to,
            _ => 0..0,
        }
    }

    /// The role that chooses in a state.
    pub fn chooser(&self, state: usize) -> usize {
        self.choosers.get(state).copied().unwrap_or(0)
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
