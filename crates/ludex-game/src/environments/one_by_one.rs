//! Environments on any machine, one state after the other.

use ludex_logic::TermId;
use rustc_hash::FxHashSet;

use super::{
    Actions, EnvironmentArrays, EnvironmentError, EnvironmentLayout, EnvironmentOptions, Environments, Place,
};
use crate::error::GameError;
use crate::machine::Runner;
use crate::rng::Rng;
use crate::rules::Rules;
use crate::signature::{ActionId, PropositionId, RoleId};
use crate::state::State;
use crate::turns::Mover;

/// Environments of games that are no net. They work on one thread.
pub struct EnvironmentsOneByOne {
    rules: Rules,
    options: EnvironmentOptions,
    layout: EnvironmentLayout,
    seats: Vec<RoleId>,
    rng: Rng,
    games: Vec<OneGame>,
}

/// One environment.
#[derive(Clone, Debug, Default)]
struct OneGame {
    state: State,
    steps: u32,
    is_over: bool,
    /// Whether it was broken off.
    is_broken_off: bool,
    /// What each role saw in the last step.
    percepts: Vec<Vec<TermId>>,
    /// What is legal, by row, in whole words.
    legal: Vec<u64>,
    player: u8,
}

/// What came of a step of one game.
#[derive(Default)]
struct Outcome {
    terminated: bool,
    truncated: bool,
    /// Several players have a choice, who should take turns.
    several: bool,
}

impl OneGame {
    /// Lets it have no past.
    fn go_on(&mut self) {
        self.steps = 0;
        self.is_over = false;
        self.is_broken_off = false;
        self.percepts.iter_mut().for_each(Vec::clear);
    }

    /// Takes it that the game is over, where it is.
    fn end(&mut self, outcome: &Outcome) {
        if outcome.terminated || outcome.truncated {
            self.is_over = true;
            self.is_broken_off = !outcome.terminated;
            self.legal.fill(0);
        }
    }
}

impl EnvironmentsOneByOne {
    /// Environments of a game.
    ///
    /// # Errors
    /// [`EnvironmentError::NoPlayers`], and a limit on memory.
    pub fn new(rules: &Rules, options: EnvironmentOptions) -> Result<Self, EnvironmentError> {
        let layout = EnvironmentLayout::new(rules.signature(), &options)?;
        let game = OneGame {
            state: rules.initial().clone(),
            steps: 0,
            is_over: false,
            is_broken_off: false,
            percepts: vec![Vec::new(); rules.roles().len()],
            legal: vec![0; layout.rows() * layout.actions.div_ceil(64)],
            player: 0,
        };
        let each = size_of::<OneGame>() + 8 * (game.legal.len() + game.state.words().len());
        options.check_memory(options.count.saturating_mul(each))?;
        let games = vec![game; options.count];
        let rng = Rng::from_seed(options.seed);
        Ok(Self { rules: rules.clone(), options, layout, seats: rules.seats(), rng, games })
    }

    /// Whether all actions can be made, as far as games are not over.
    fn check(&self, actions: &[i32]) -> Result<(), EnvironmentError> {
        self.layout.check_actions(actions)?;
        let (rows, words) = (self.layout.rows(), self.layout.actions.div_ceil(64));
        for (at, &action) in actions.iter().enumerate() {
            let (environment, row) = (at / rows, at % rows);
            let game = &self.games[environment];
            let number = usize::try_from(action).unwrap_or(usize::MAX);
            let is_legal = number < self.layout.actions
                && game.legal[row * words + number / 64] >> (number % 64) & 1 == 1;
            if !is_legal && !game.is_over {
                let role = self.seats[if self.layout.in_turns { usize::from(game.player) } else { row }];
                let signature = self.rules.signature();
                return Err(EnvironmentError::of_action(signature, environment, role, action));
            }
        }
        Ok(())
    }

    /// A joint move in the state of the runner.
    fn joint(
        &mut self,
        runner: &mut dyn Runner,
        player: u8,
        given: Option<&[i32]>,
    ) -> Result<Vec<ActionId>, GameError> {
        let mut joint = Vec::with_capacity(self.rules.roles().len());
        for role in self.rules.roles() {
            let seat = self.seats.iter().position(|&seat| seat == role);
            let legal = runner.legal(role)?;
            let action = match (seat, given) {
                (Some(seat), Some(given)) if !self.layout.in_turns => Some(ActionId(given[seat] as u32)),
                (Some(seat), Some(given)) if seat == usize::from(player) => Some(ActionId(given[0] as u32)),
                (Some(_), Some(_)) => legal.first().copied(),
                _ => self.rng.pick(legal).copied(),
            };
            let stuck = || GameError::NoLegalMove { role: self.rules.role_name(role) };
            joint.push(action.ok_or_else(stuck)?);
        }
        Ok(joint)
    }

    /// Looks at the state of the runner: notes what is legal, and says whether the game is over.
    fn look(&self, game: &mut OneGame, runner: &mut dyn Runner) -> Result<Outcome, GameError> {
        game.legal.fill(0);
        game.player = 0;
        let mut outcome = Outcome { terminated: runner.terminal()?, ..Outcome::default() };
        if outcome.terminated || game.is_over {
            return Ok(outcome);
        }
        for role in self.rules.roles() {
            outcome.truncated |= runner.legal(role)?.is_empty();
        }
        if let Some(turns) = &self.options.turns {
            let mover = turns.mover(runner)?;
            outcome.several = mover == Mover::Several;
            let is_mover = |role: &RoleId| mover == Mover::One(*role);
            game.player = self.seats.iter().position(is_mover).unwrap_or(0) as u8;
        }
        let words = self.layout.actions.div_ceil(64);
        for row in 0..self.layout.rows() {
            let seat = if self.layout.in_turns { usize::from(game.player) } else { row };
            for action in runner.legal(self.seats[seat])? {
                let number = action.index();
                if number >= self.layout.actions {
                    let action = self.rules.text(self.rules.signature().action(*action));
                    return Err(GameError::UnknownAction { action });
                }
                game.legal[row * words + number / 64] |= 1 << (number % 64);
            }
        }
        outcome.truncated |= self.options.step_limit.is_some_and(|limit| game.steps >= limit);
        Ok(outcome)
    }

    /// Looks at a state in which no step has just ended; a game that is over stays so.
    fn look_anew(&self, game: &mut OneGame, runner: &mut dyn Runner) -> Result<Outcome, GameError> {
        let mut outcome = self.look(game, runner)?;
        outcome.truncated |= game.is_broken_off;
        game.end(&outcome);
        Ok(outcome)
    }

    /// The numbers of the facts of a state.
    fn facts(&self, game: &OneGame) -> FxHashSet<PropositionId> {
        let signature = self.rules.signature();
        self.rules.facts(&game.state).into_iter().map(|fact| signature.proposition_id(fact)).collect()
    }

    /// The bits that are observed in a state, of which these are the facts.
    fn observation(&self, game: &OneGame, facts: &FxHashSet<PropositionId>) -> Vec<u64> {
        let holds = |place: &Place| match *place {
            Place::Nothing => false,
            Place::Fact(number) => facts.contains(&number),
            Place::Percept(role, percept) => game.percepts[role.index()].contains(&percept),
        };
        let mut words = vec![0; self.layout.observed.div_ceil(64)];
        for (at, place) in self.options.observed.iter().enumerate() {
            words[at / 64] |= u64::from(holds(place)) << (at % 64);
        }
        words
    }

    /// A fact that has no place, where all that are known beforehand have one.
    fn unknown_fact(&self, facts: &FxHashSet<PropositionId>) -> Option<String> {
        let signature = self.rules.signature();
        let known = signature.known_propositions();
        let observed = self.options.observed.iter().filter(|place| matches!(place, Place::Fact(_))).count();
        let first = facts.iter().filter(|fact| fact.index() >= known).min().filter(|_| observed >= known)?;
        Some(self.rules.text(signature.proposition(*first)))
    }

    /// Writes what is the case in an environment.
    fn tell(
        &self,
        environment: usize,
        game: &OneGame,
        arrays: &mut EnvironmentArrays<'_>,
    ) -> Result<(), EnvironmentError> {
        let mut told = Ok(());
        if arrays.observations.is_wanted() {
            let facts = self.facts(game);
            arrays.observations.write(environment, self.layout.observed, &self.observation(game, &facts));
            let unknown = self.unknown_fact(&facts);
            told = unknown.map_or(Ok(()), |fact| Err(EnvironmentError::UnknownFact { environment, fact }));
        }
        let (rows, words) = (self.layout.rows(), self.layout.actions.div_ceil(64));
        for row in 0..rows {
            let legal = if words == 0 { &[][..] } else { &game.legal[row * words..][..words] };
            arrays.legal.write(environment * rows + row, self.layout.actions, legal);
        }
        if let Some(player) = arrays.players.get_mut(environment) {
            *player = game.player;
        }
        told
    }

    fn begin(&self, game: &mut OneGame) {
        game.state = self.rules.initial().clone();
        game.go_on();
    }

    /// The rewards of a state in which a game ends.
    fn reward(&self, runner: &mut dyn Runner, rewards: &mut [f32]) -> Result<(), GameError> {
        for (reward, &role) in rewards.iter_mut().zip(&self.seats) {
            *reward = self.options.reward(runner.goal(role)?);
        }
        Ok(())
    }

    /// A step of one game that is not over; its row of actions, if they are given.
    fn step_one(
        &mut self,
        (environment, game): (usize, &mut OneGame),
        given: Option<&[i32]>,
        runner: &mut dyn Runner,
        arrays: &mut EnvironmentArrays<'_>,
    ) -> Result<Outcome, GameError> {
        runner.set(&game.state)?;
        let joint = self.joint(runner, game.player, given)?;
        runner.step_legal(&joint)?;
        runner.save(&mut game.state);
        for role in self.rules.roles() {
            game.percepts[role.index()] = runner.percepts(role).to_vec();
        }
        game.steps += 1;
        let mut outcome = self.look(game, runner)?;
        let seats = self.layout.seats;
        if outcome.terminated {
            self.reward(runner, &mut arrays.rewards[environment * seats..][..seats])?;
        }
        if outcome.terminated || outcome.truncated {
            if arrays.last_observations.is_wanted() {
                let observed = self.observation(game, &self.facts(game));
                arrays.last_observations.write(environment, self.layout.observed, &observed);
            }
            if self.options.begins_anew {
                self.begin(game);
                runner.set(&game.state)?;
                outcome.several = self.look_anew(game, runner)?.several;
            } else {
                game.end(&outcome);
                outcome.several = false;
            }
        }
        Ok(outcome)
    }

    /// Goes over all environments.
    fn go(
        &mut self,
        actions: Option<Actions<'_>>,
        mut arrays: EnvironmentArrays<'_>,
    ) -> Result<(), EnvironmentError> {
        arrays.check(&self.layout)?;
        arrays.rewards.fill(0.0);
        let rules = self.rules.clone();
        let mut runner = rules.runner();
        let rows = self.layout.rows();
        let mut first_error = Ok(());
        for environment in 0..self.games.len() {
            let given = match actions {
                Some(Actions::Given(actions)) => Some(&actions[environment * rows..][..rows]),
                _ => None,
            };
            let mut game = std::mem::take(&mut self.games[environment]);
            let gone =
                self.go_one((environment, &mut game), (actions.is_some(), given), &mut *runner, &mut arrays);
            self.games[environment] = game;
            let outcome = gone?;
            arrays.terminated[environment] = u8::from(outcome.terminated);
            arrays.truncated[environment] = u8::from(outcome.truncated && !outcome.terminated);
            if outcome.several {
                first_error = first_error.and(Err(EnvironmentError::Several { environment }));
            }
            first_error = first_error.and(self.tell(environment, &self.games[environment], &mut arrays));
        }
        first_error
    }

    /// Goes on with one game, by a step or only by looking.
    fn go_one(
        &mut self,
        (environment, game): (usize, &mut OneGame),
        (is_step, given): (bool, Option<&[i32]>),
        runner: &mut dyn Runner,
        arrays: &mut EnvironmentArrays<'_>,
    ) -> Result<Outcome, GameError> {
        if is_step && !game.is_over {
            return self.step_one((environment, game), given, runner, arrays);
        }
        if is_step && self.options.begins_anew {
            self.begin(game);
        }
        runner.set(&game.state)?;
        self.look_anew(game, runner)
    }
}

impl Environments for EnvironmentsOneByOne {
    fn layout(&self) -> &EnvironmentLayout {
        &self.layout
    }

    fn reset(&mut self, seed: u64, arrays: EnvironmentArrays<'_>) -> Result<(), EnvironmentError> {
        self.rng = Rng::from_seed(seed);
        let mut games = std::mem::take(&mut self.games);
        games.iter_mut().for_each(|game| self.begin(game));
        self.games = games;
        self.observe(arrays)
    }

    fn step(&mut self, actions: Actions<'_>, arrays: EnvironmentArrays<'_>) -> Result<(), EnvironmentError> {
        if let Actions::Given(actions) = actions {
            self.check(actions)?;
        }
        self.go(Some(actions), arrays)
    }

    fn observe(&mut self, arrays: EnvironmentArrays<'_>) -> Result<(), EnvironmentError> {
        self.go(None, arrays)
    }

    fn states(&self, environments: &[usize]) -> Vec<State> {
        environments.iter().map(|&environment| self.games[environment].state.clone()).collect()
    }

    fn set_states(&mut self, environments: &[usize], states: &[State]) -> Result<(), EnvironmentError> {
        for state in states {
            self.rules.signature().check_state(state)?;
        }
        let rules = self.rules.clone();
        let mut runner = rules.runner();
        let mut contested = Ok(());
        for (&environment, state) in environments.iter().zip(states) {
            let mut game = std::mem::take(&mut self.games[environment]);
            game.state = state.clone();
            game.go_on();
            let looked = runner.set(state).and_then(|()| self.look_anew(&mut game, &mut *runner));
            self.games[environment] = game;
            if looked?.several {
                contested = contested.and(Err(EnvironmentError::Several { environment }));
            }
        }
        contested
    }

    fn select(&self, environments: &[usize], seed: u64) -> Box<dyn Environments> {
        let options = EnvironmentOptions {
            count: environments.len(),
            begins_anew: false,
            seed,
            ..self.options.clone()
        };
        let layout = EnvironmentLayout { count: environments.len(), ..self.layout.clone() };
        let games = vec![self.games.first().cloned().unwrap_or_default(); environments.len()];
        let (rules, seats) = (self.rules.clone(), self.seats.clone());
        let mut selected = Self { rules, options, layout, seats, rng: Rng::from_seed(seed), games };
        let numbers: Vec<usize> = (0..environments.len()).collect();
        // They are states of this machine; where something is wrong with them, whoever observes is told.
        let _ = selected.set_states(&numbers, &self.states(environments));
        Box::new(selected)
    }
}
