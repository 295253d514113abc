//! Where a draw or a loss is proven, the tournament player goes on for what the other may get wrong, and gives nothing
//! away that is proven.

use crate::matches;
use crate::matches::{Game, Ticks};
use ludex_game::{ActionId, Rng, RoleId, Runner};
use ludex_logic::Budget;
use ludex_players::{News, Player, Resources, SolveOptions, Values, solve};

/// What the state of a runner is worth to a role.
fn value(game: &Game, runner: &mut dyn Runner, role: RoleId) -> f64 {
    if runner.terminal().unwrap() {
        return f64::from(runner.goal(role).unwrap().unwrap_or(0));
    }
    let mut state = game.machine.initial().clone();
    runner.save(&mut state);
    let options = SolveOptions { memory: 1 << 24, ..SolveOptions::default() };
    match solve(&game.machine, &state, &options, &Budget::unlimited()).unwrap().values {
        Values::ZeroSum(values) => values[role.index()],
        other => panic!("{other:?}"),
    }
}

/// A match of a player against random moves.
struct Course<'g> {
    game: &'g Game,
    runner: Box<dyn Runner + 'g>,
    player: Box<dyn Player>,
    role: RoleId,
    rng: Rng,
}

impl<'g> Course<'g> {
    /// A match from its start.
    fn new(game: &'g Game, text: &str, role: usize, seed: u64) -> Self {
        let player = game.player(text, &Resources::from_seed(seed), role);
        let runner = game.machine.runner(&Budget::unlimited());
        Self { game, runner, player, role: RoleId(role as u32), rng: Rng::from_seed(seed) }
    }

    /// A match after so many drawn moves; `None` if it is over by then.
    fn drawn(game: &'g Game, text: &str, role: usize, steps: usize, seed: u64) -> Option<Self> {
        let mut course = Self::new(game, text, role, seed);
        for _ in 0..steps {
            if course.runner.terminal().unwrap() {
                return None;
            }
            let own = course.draw(course.role);
            course.step(own);
        }
        (!course.runner.terminal().unwrap()).then_some(course)
    }

    fn draw(&mut self, role: RoleId) -> ActionId {
        *self.rng.pick(self.runner.legal(role).unwrap()).unwrap()
    }

    /// The player makes this move, the others random ones.
    fn step(&mut self, own: ActionId) {
        let signature = self.game.machine.signature();
        let joint: Vec<ActionId> =
            signature.role_ids().map(|role| if role == self.role { own } else { self.draw(role) }).collect();
        self.runner.step(&joint).unwrap();
        self.player.observe(&News::Joint(joint.iter().map(|&action| signature.action(action)).collect()));
    }

    /// What each of the player's moves is worth, where the others have no choice.
    fn values_of_moves(&mut self) -> Vec<f64> {
        let mut state = self.game.machine.initial().clone();
        self.runner.save(&mut state);
        let roles = || self.game.machine.signature().role_ids();
        let first: Vec<ActionId> = roles().map(|role| self.runner.legal(role).unwrap()[0]).collect();
        let own = self.runner.legal(self.role).unwrap().to_vec();
        let mut value_of = |&action: &ActionId| {
            let mut joint = first.clone();
            joint[self.role.index()] = action;
            self.runner.set(&state).unwrap();
            self.runner.step(&joint).unwrap();
            value(self.game, &mut *self.runner, self.role)
        };
        let values = own.iter().map(&mut value_of).collect();
        self.runner.set(&state).unwrap();
        values
    }

    /// Plays to the end; what the player gets. Each of its moves has to keep what the state is worth, and where several
    /// do and it is no win, they have to be compared.
    fn play(mut self) -> u32 {
        while !self.runner.terminal().unwrap() {
            let is_own = self.runner.legal(self.role).unwrap().len() > 1;
            let values = if is_own { self.values_of_moves() } else { vec![0.0] };
            let before = values.iter().copied().fold(0.0, f64::max);
            let choice = self.player.choose(&Budget::unlimited()).unwrap();
            if before < 100.0 && values.iter().filter(|&&value| value == before).count() > 1 {
                let count =
                    |entry| choice.report.entry(entry).map_or(0, |count| count.parse::<u32>().unwrap());
                let looked = count("leaves") + count("descents to what is known");
                assert!(looked > 100, "{looked} were looked at: {choice:?}");
            }
            let own = self.game.machine.signature().find_action(choice.action).unwrap();
            self.step(own);
            if is_own {
                let after = value(self.game, &mut *self.runner, self.role);
                assert!(after >= before, "{before} became {after} by {choice:?}");
            }
        }
        self.runner.goal(self.role).unwrap().unwrap()
    }
}

/// Of these matches, how many are won.
fn wins<'g>(matches: impl Iterator<Item = Course<'g>>) -> (usize, usize) {
    let goals: Vec<u32> = matches.map(Course::play).collect();
    println!("{goals:?}");
    (goals.iter().filter(|&&goal| goal == 100).count(), goals.len())
}

/// Who plays tic-tac-toe second wins nine of ten games at most against random moves.
#[test]
fn a_proven_draw_is_won_where_the_other_errs() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let (won, all) = wins((1..101).map(|seed| Course::new(&game, "ludex:playouts=20000", 1, seed)));
    assert!(won >= 88, "{won} of {all}");
}

#[test]
fn what_is_drawn_in_connect_four_is_won_where_the_other_errs() {
    let game = Game::bundled("gdl/connect-four.kif");
    let matches = (1..2000).filter_map(|seed| {
        let text = "ludex:playouts=10000:probes=2:proving=0.9";
        let mut course = Course::drawn(&game, text, 1, 33, seed)?;
        (value(&game, &mut *course.runner, course.role) == 50.0).then_some(course)
    });
    let (won, all) = wins(matches.take(12));
    // Some draws leave the other no wrong move any more.
    assert!(all >= 8 && won + 3 >= all, "{won} of {all}");
}

/// The search takes what it is given, also where a draw is proven.
#[test]
fn a_proven_draw_is_no_end() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let visits = |playouts: u64| -> u64 {
        let mut player = game.player(&format!("ludex:playouts={playouts}"), &Resources::from_seed(1), 0);
        let choice = player.choose(&Budget::unlimited()).unwrap();
        assert_eq!(choice.report.entry("proven"), Some("50"));
        choice.report.moves.iter().map(|rated| rated.visits).sum()
    };
    let (few, many) = (visits(100_000), visits(200_000));
    assert!(few > 10_000 && many > few + 50_000, "{few} {many}");
}

/// Where the game is too large to be solved, descents go on as long as there is time.
#[test]
fn only_a_proof_or_the_clock_ends_a_search_of_simultaneous_moves() {
    let game = light_cycles();
    for text in ["ludex", "ludex:solver=off"] {
        let mut player = game.player(text, &Resources::from_seed(1), 0);
        let clock = Ticks::budget(6000);
        let choice = player.choose(&clock).unwrap();
        let left = clock.time_left().unwrap().as_millis();
        assert!(left < 600 && choice.report.entry("proven").is_none(), "{left} ticks left: {choice:?}");
    }
}

fn light_cycles() -> Game {
    Game::bundled("gdl/light-cycles.kif")
}

/// Two cycles face each other. Who rides on is met by the other, or has less room than one who turned away.
#[test]
fn light_cycles_turn_away_and_last() {
    let game = light_cycles();
    let mut lengths = Vec::new();
    for seed in 1..=4 {
        let text = "ludex:playouts=20000";
        let against_chance = matches::play(&game, &[text, "random"], &Resources::from_seed(seed), 100);
        assert_eq!(against_chance.goals, [100, 0], "seed {seed}");
        lengths.push(matches::play(&game, &[text, text], &Resources::from_seed(seed), 100).joints.len());
    }
    assert!(lengths.iter().all(|&length| length >= 15), "{lengths:?}");
}
