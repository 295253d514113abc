//! The strategy `regret-matching`: a learner that plays each move as much as it missed it so far.

use std::sync::Arc;

use ludex_game::{ActionId, Answer, Belief, BeliefError, BeliefOptions, Machine, News, Rng, RoleId, State};
use ludex_logic::{Budget, TermId};
use rustc_hash::FxHashMap;

use crate::known_moves::moves_to_choose_from;
use crate::player::{Choice, Outcome, Player, PlayerError, Seat};
use crate::registry::BuiltIn;
use crate::regret::match_regrets;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "regret-matching",
    description: "in repeated games: each move as much as it would have brought more, step by step",
    options: &[],
    make: |_, resources| {
        let rng = Rng::from_seed(resources.seed);
        Ok(Box::new(RegretPlayer { rng, belief: None, seated: None }))
    },
};

/// Learns from what its other moves would have brought in the very next state (Hart and Mas-Colell, 2000).
struct RegretPlayer {
    rng: Rng,
    belief: Option<Belief>,
    /// What it learns from, as long as it knows where the match stands.
    seated: Option<Seated>,
}

struct Seated {
    machine: Arc<dyn Machine>,
    role: RoleId,
    state: State,
    /// By move.
    regrets: FxHashMap<ActionId, f64>,
}

impl Seated {
    fn legal(&self) -> Answer<Vec<ActionId>> {
        let budget = Budget::unlimited();
        let mut runner = self.machine.runner(&budget);
        runner.set(&self.state)?;
        Ok(runner.legal(self.role)?.to_vec())
    }

    /// Sees a step, and what other moves would have brought. Whether it could be followed: a move that the machine does
    /// not know leads nobody knows where.
    fn see(&mut self, joint: &[TermId]) -> Answer<bool> {
        let signature = Arc::clone(self.machine.signature());
        let Some(made) = joint.iter().map(|&term| signature.find_action(term)).collect::<Option<Vec<_>>>()
        else {
            return Ok(false);
        };
        if made.len() != signature.roles().len() {
            return Ok(false);
        }
        let machine = Arc::clone(&self.machine);
        let budget = Budget::unlimited();
        let mut runner = machine.runner(&budget);
        let mut brought = Vec::new();
        for action in self.legal()? {
            let mut joint = made.clone();
            joint[self.role.index()] = action;
            runner.set(&self.state)?;
            runner.step(&joint)?;
            brought.push((action, f64::from(runner.goal(self.role)?.unwrap_or(0))));
        }
        let own = made[self.role.index()];
        let got = brought.iter().find(|(action, _)| *action == own).map_or(0.0, |&(_, goal)| goal);
        for (action, goal) in brought {
            *self.regrets.entry(action).or_default() += goal - got;
        }
        runner.set(&self.state)?;
        runner.step(&made)?;
        runner.save(&mut self.state);
        Ok(true)
    }
}

impl Player for RegretPlayer {
    fn prepare(&mut self, seat: Seat, _budget: &Budget) -> Result<(), PlayerError> {
        self.belief = Some(seat.belief(BeliefOptions::of_player(self.rng.clone().bits())));
        let state = seat.machine.initial().clone();
        self.seated =
            Some(Seated { machine: seat.machine, role: seat.role, state, regrets: FxHashMap::default() });
        Ok(())
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        let belief = self.belief.as_mut().ok_or(PlayerError::NotPrepared)?;
        let (moves, report) = moves_to_choose_from(belief, None, budget)?;
        let regret = |&action: &TermId| {
            let seated = self.seated.as_ref()?;
            seated.regrets.get(&seated.machine.signature().find_action(action)?).copied()
        };
        let mut parts: Vec<f64> = moves.iter().map(|action| regret(action).unwrap_or(0.0).max(0.0)).collect();
        match_regrets(&mut parts, 1.0);
        let place = self.rng.weighted(parts.iter().copied()).unwrap_or(0);
        let action = *moves.get(place).ok_or(BeliefError::NoMove)?;
        Ok(Choice { action, report })
    }

    fn observe(&mut self, news: &News) {
        if let Some(belief) = &mut self.belief {
            belief.observe(news);
        }
        let is_lost = match (&mut self.seated, news) {
            (Some(seated), News::Joint(joint)) => !seated.see(joint).unwrap_or(false),
            _ => true,
        };
        if is_lost {
            self.seated = None;
        }
    }

    fn finish(&mut self, _outcome: &Outcome) {
        (self.belief, self.seated) = (None, None);
    }
}
