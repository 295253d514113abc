//! Random games, as somebody sees them who watches a few.

use std::collections::BTreeSet;

use ludex_game::{ActionId, Answer, Rng, RoleId, Rules, Runner, State};
use ludex_logic::{Budget, Meter, SymbolId, TermId, TermView};
use rustc_hash::FxHashSet;

/// How many random games are played. All limits are counts, so the same rules and options show the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// Seed of the games.
    pub seed: u64,
    /// Games at most.
    pub games: u32,
    /// Steps of one game.
    pub steps_each: u32,
    /// Steps of all games together.
    pub steps: u32,
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self { seed: 1, games: 20, steps_each: 300, steps: 1_500 }
    }
}

/// Moves of one form.
#[derive(Clone, Debug)]
pub(super) struct MoveKind {
    /// The name and how many arguments it has.
    form: (SymbolId, usize),
    /// Who can make them.
    pub(super) roles: BTreeSet<RoleId>,
    /// The first one that was met.
    pub(super) example: TermId,
    /// Those that were met, up to a limit.
    pub(super) met: FxHashSet<TermId>,
    /// Whether one of them was ever one of several legal moves.
    pub(super) is_choice: bool,
}

/// So many moves of one form are told apart.
const MOST_MET: usize = 10_000;
/// So many forms of moves are told apart.
const MOST_KINDS: usize = 64;

/// What random games showed.
#[derive(Clone, Debug, Default)]
pub struct RandomGames {
    /// How many steps each game had that ended, in order of playing.
    pub lengths: Vec<u32>,
    /// How many steps each game had that was not over when a limit was reached.
    pub unfinished: Vec<u32>,
    /// Whether several players had a choice in one state.
    pub together: bool,
    /// The players who had a choice in the initial state.
    pub(super) first: Vec<RoleId>,
    pub(super) kinds: Vec<MoveKind>,
    /// The last states of the games that ended.
    ends: Vec<State>,
}

impl RandomGames {
    /// Plays games until a limit is reached. A game that fails ends the sample.
    pub fn play(rules: &Rules, options: &SampleOptions, budget: &Budget) -> Self {
        let mut games = Self::default();
        let mut rng = Rng::from_seed(options.seed);
        let mut meter = budget.meter();
        let mut left = options.steps;
        for _ in 0..options.games {
            let most = left.min(options.steps_each);
            if most == 0 {
                break;
            }
            let mut runner = rules.machine().runner(budget);
            let mut steps = 0;
            let played = games.play_one(rules, &mut *runner, &mut rng, most, &mut steps, &mut meter);
            left -= steps.min(left);
            match played {
                Ok(Some(end)) => {
                    games.lengths.push(steps);
                    games.ends.push(end);
                }
                // The last one is cut where there are no steps left, and says little.
                Ok(None) if steps < options.steps_each && !games.lengths.is_empty() => {}
                Ok(None) => games.unfinished.push(steps),
                Err(_) => break,
            }
        }
        games
    }

    /// The last state, where it is terminal.
    fn play_one(
        &mut self,
        rules: &Rules,
        runner: &mut dyn Runner,
        rng: &mut Rng,
        most: u32,
        steps: &mut u32,
        meter: &mut Meter,
    ) -> Answer<Option<State>> {
        runner.set(rules.initial())?;
        let mut joint: Vec<ActionId> = Vec::new();
        loop {
            if runner.terminal()? {
                let mut end = State::default();
                runner.save(&mut end);
                return Ok(Some(end));
            }
            joint.clear();
            let mut choosers = Vec::new();
            for role in rules.roles() {
                let legal = runner.legal(role)?;
                meter.spend(16 + legal.len() as u64)?;
                meter.check()?;
                joint.extend(rng.pick(legal).copied());
                if Some(role) != rules.random_role() {
                    if legal.len() > 1 {
                        choosers.push(role);
                    }
                    self.note(rules, role, legal);
                }
            }
            self.together |= choosers.len() > 1;
            if *steps == 0 {
                self.first = choosers;
            }
            if joint.len() < rules.roles().len() || *steps >= most {
                return Ok(None);
            }
            runner.step_legal(&joint)?;
            *steps += 1;
        }
    }

    /// Notes the forms of legal moves.
    fn note(&mut self, rules: &Rules, role: RoleId, legal: &[ActionId]) {
        let signature = rules.signature();
        for &action in legal {
            let action = signature.action(action);
            let form = match signature.terms().view(action) {
                TermView::Constant(name) => (name, 0),
                TermView::Compound(name, arguments) => (name, arguments.len()),
            };
            let at = match self.kinds.iter().position(|kind| kind.form == form) {
                Some(at) => at,
                None if self.kinds.len() >= MOST_KINDS => continue,
                None => {
                    let (roles, met) = (BTreeSet::new(), FxHashSet::default());
                    self.kinds.push(MoveKind { form, roles, example: action, met, is_choice: false });
                    self.kinds.len() - 1
                }
            };
            let kind = &mut self.kinds[at];
            kind.roles.insert(role);
            kind.is_choice |= legal.len() > 1;
            if kind.met.len() < MOST_MET {
                kind.met.insert(action);
            }
        }
    }

    /// How many steps a game usually has, as far as games were followed: half of them had no more.
    pub fn usual_length(&self) -> Option<u32> {
        let mut all: Vec<u32> = self.lengths.iter().chain(&self.unfinished).copied().collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied()
    }

    /// The last state of a game that was about as long as most.
    pub(super) fn usual_end(&self) -> Option<&State> {
        let mut order: Vec<(u32, usize)> = self.lengths.iter().copied().zip(0..).collect();
        order.sort_unstable();
        order.get(order.len() / 2).map(|&(_, at)| &self.ends[at])
    }
}
