//! Matches between players for tests, with a referee of a few lines that checks every move.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ludex_game::{ActionId, Machine, Rng, RoleId, Runner, State};
use ludex_gdl::{Dialect, GameProgram};
use ludex_logic::{Budget, Clock, TermId};
use ludex_players::{Choice, News, Player, Resources, Seat, create};
use ludex_testkit::{net_machine, program, program_of};

/// A game on its net machine.
pub struct Game {
    pub program: Arc<GameProgram>,
    pub machine: Arc<dyn Machine>,
}

impl Game {
    fn new(program: GameProgram) -> Self {
        let machine = net_machine(&program).unwrap();
        Self { program: Arc::new(program), machine: Arc::new(machine) }
    }

    /// A bundled game, by the name of its file.
    pub fn bundled(file: &str) -> Self {
        Self::new(program_of(&Path::new("../../games").join(file)).unwrap())
    }

    pub fn from_rules(text: &str) -> Self {
        Self::new(program("test", text, None).unwrap())
    }

    pub fn seat(&self, role: usize) -> Seat {
        Seat {
            program: Arc::clone(&self.program),
            machine: Arc::clone(&self.machine),
            upgrade: None,
            analysis: None,
            role: RoleId(role as u32),
        }
    }

    pub fn roles(&self) -> usize {
        self.machine.signature().roles().len()
    }

    /// A player in its seat, without a clock.
    pub fn player(&self, text: &str, resources: &Resources, role: usize) -> Box<dyn Player> {
        let mut player = create(text, resources).unwrap();
        player.prepare(self.seat(role), &Budget::unlimited()).unwrap();
        player
    }

    /// The legal moves of all roles as texts, by role.
    pub fn legal(&self, runner: &mut dyn Runner) -> Vec<Vec<(String, ActionId)>> {
        let signature = self.machine.signature();
        let text = |&action: &ActionId| (signature.text(signature.action(action)), action);
        signature.role_ids().map(|role| runner.legal(role).unwrap().iter().map(text).collect()).collect()
    }

    /// The joint moves of a history: of each role the move of this text, or its only move for `_`.
    pub fn joints(&self, history: &[&[&str]]) -> (Vec<Vec<TermId>>, State) {
        let mut runner = self.machine.runner(&Budget::unlimited());
        let mut joints = Vec::new();
        for texts in history {
            let legal = self.legal(&mut *runner);
            let joint: Vec<ActionId> = legal
                .iter()
                .zip(*texts)
                .map(|(list, wanted)| match &list[..] {
                    [(_, only)] if *wanted == "_" => *only,
                    _ => list.iter().find(|(text, _)| text == wanted).expect("a legal move").1,
                })
                .collect();
            joints.push(joint.iter().map(|&action| self.machine.signature().action(action)).collect());
            runner.step(&joint).unwrap();
        }
        let mut state = State::default();
        runner.save(&mut state);
        (joints, state)
    }

    /// What a player chooses after a history, without a clock; and the move as text.
    pub fn choice(&self, text: &str, seed: u64, role: usize, history: &[&[&str]]) -> (String, Choice) {
        let mut player = self.player(text, &Resources::from_seed(seed), role);
        for joint in self.joints(history).0 {
            player.observe(&News::Joint(joint));
        }
        let choice = player.choose(&Budget::unlimited()).unwrap();
        (self.machine.signature().text(choice.action), choice)
    }
}

/// A match: the joint moves, and what the last state was worth to each role.
pub struct Played {
    pub joints: Vec<Vec<TermId>>,
    pub goals: Vec<u32>,
}

/// Plays a match to its end, or for so many steps, with a player's text for each role. Chance draws
/// whatever its text says.
///
/// # Panics
/// If a player makes an illegal move or none.
pub fn play(game: &Game, players: &[&str], resources: &Resources, limit: usize) -> Played {
    let signature = game.machine.signature();
    let is_told_percepts = game.program.dialect == Dialect::GdlII;
    let seated = |(role, text): (usize, &&str)| {
        let seed = resources.seed.wrapping_mul(31).wrapping_add(role as u64);
        game.player(text, &Resources { seed, ..resources.clone() }, role)
    };
    let mut players: Vec<Box<dyn Player>> = players.iter().enumerate().map(seated).collect();
    let mut runner = game.machine.runner(&Budget::unlimited());
    let mut chance = Rng::from_seed(resources.seed);
    let mut joints = Vec::new();
    while !runner.terminal().unwrap() && joints.len() < limit {
        let mut terms = Vec::new();
        for (role, player) in signature.role_ids().zip(&mut players) {
            terms.push(if Some(role) == signature.random() {
                signature.action(*chance.pick(runner.legal(role).unwrap()).unwrap())
            } else {
                player.choose(&Budget::unlimited()).unwrap().action
            });
        }
        let joint: Vec<ActionId> = terms.iter().map(|&term| signature.find_action(term).unwrap()).collect();
        for (role, action) in signature.role_ids().zip(&joint) {
            assert!(runner.legal(role).unwrap().contains(action), "an illegal move");
        }
        runner.step(&joint).unwrap();
        for (role, player) in signature.role_ids().zip(&mut players) {
            player.observe(&if is_told_percepts {
                News::Percepts { action: terms[role.index()], percepts: runner.percepts(role).to_vec() }
            } else {
                News::Joint(terms.clone())
            });
        }
        joints.push(terms);
    }
    let goals = signature.role_ids().map(|role| runner.goal(role).unwrap().unwrap_or(0)).collect();
    Played { joints, goals }
}

/// The share of the goals that a player takes from another in a two-player game, over so many pairs of
/// matches with seats exchanged.
pub fn share_against(game: &Game, player: &str, other: &str, pairs: u64) -> f64 {
    let mut shares = 0.0;
    for seed in 0..pairs {
        for (seat, players) in [[player, other], [other, player]].iter().enumerate() {
            let played = play(game, players, &Resources::from_seed(seed * 2 + seat as u64 + 1), 500);
            let all = played.goals.iter().sum::<u32>();
            shares += if all == 0 { 0.5 } else { f64::from(played.goals[seat]) / f64::from(all) };
        }
    }
    shares / (2 * pairs) as f64
}

/// A clock that goes on by a fixed time whenever it is asked.
pub struct Ticks {
    now: std::sync::atomic::AtomicU64,
    step: u64,
}

impl Ticks {
    /// A budget of so many ticks.
    pub fn budget(ticks: u64) -> Budget {
        let clock = Self { now: 0.into(), step: 1 };
        Budget::unlimited().with_time(Arc::new(clock), Duration::from_millis(ticks))
    }
}

impl Clock for Ticks {
    fn now(&self) -> Duration {
        Duration::from_millis(self.now.fetch_add(self.step, std::sync::atomic::Ordering::Relaxed))
    }
}
