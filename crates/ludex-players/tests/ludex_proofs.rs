//! The search for proofs beside the tree of the tournament player: what is proven is true, and is kept.

use crate::matches::Game;
use ludex_game::{ActionId, Rng, Runner};
use ludex_logic::Budget;
use ludex_players::{News, Player, Resources, SolveOptions, Values, solve};

/// What the state of a runner is worth to each role.
fn values(game: &Game, runner: &mut dyn Runner) -> Vec<f64> {
    if runner.terminal().unwrap() {
        let goals = game.machine.signature().role_ids().map(|role| runner.goal(role).unwrap());
        return goals.map(|goal| f64::from(goal.unwrap_or(0))).collect();
    }
    let mut state = game.machine.initial().clone();
    runner.save(&mut state);
    let options = SolveOptions { memory: 1 << 24, ..SolveOptions::default() };
    match solve(&game.machine, &state, &options, &Budget::unlimited()).unwrap().values {
        Values::ZeroSum(values) => values,
        other => panic!("{other:?}"),
    }
}

/// A match in which the first moves are drawn.
struct Course<'g> {
    game: &'g Game,
    runner: Box<dyn Runner + 'g>,
    players: Vec<Box<dyn Player>>,
}

impl<'g> Course<'g> {
    /// After so many drawn moves; `None` if the game is over before.
    fn drawn(game: &'g Game, player: &str, resources: &Resources, steps: usize) -> Option<Self> {
        let players = (0..game.roles()).map(|role| game.player(player, resources, role)).collect();
        let mut course = Self { game, runner: game.machine.runner(&Budget::unlimited()), players };
        let mut rng = Rng::from_seed(resources.seed);
        for _ in 0..steps {
            if course.runner.terminal().unwrap() {
                return None;
            }
            let draw = |role| *rng.pick(course.runner.legal(role).unwrap()).unwrap();
            let joint: Vec<ActionId> = game.machine.signature().role_ids().map(draw).collect();
            course.step(&joint);
        }
        (!course.runner.terminal().unwrap()).then_some(course)
    }

    fn step(&mut self, joint: &[ActionId]) {
        self.runner.step(joint).unwrap();
        let terms: Vec<_> =
            joint.iter().map(|&action| self.game.machine.signature().action(action)).collect();
        for player in &mut self.players {
            player.observe(&News::Joint(terms.clone()));
        }
    }

    /// Lets all choose; gives the role that had a choice, and what was said to be proven.
    fn choose(&mut self) -> (usize, Option<f64>) {
        let signature = self.game.machine.signature();
        let (mut joint, mut chooser, mut proven) = (Vec::new(), 0, None);
        for (role, player) in signature.role_ids().zip(&mut self.players) {
            let choice = player.choose(&Budget::unlimited()).unwrap();
            if self.runner.legal(role).unwrap().len() > 1 {
                chooser = role.index();
                proven = choice.report.entry("proven").map(|value| value.parse().unwrap());
            }
            joint.push(signature.find_action(choice.action).unwrap());
        }
        self.step(&joint);
        (chooser, proven)
    }
}

/// Late in connect four, most can be proven. With little memory, proofs are forgotten from time to time.
#[test]
fn what_is_proven_is_true_and_is_not_given_away() {
    let game = Game::bundled("gdl/connect-four.kif");
    let player = "ludex:playouts=3000:probes=2:proving=0.9";
    let (mut proofs, mut checked) = ([0; 3], 0);
    for (memory, seed) in [1 << 28, 1 << 21, 1 << 22].into_iter().cycle().zip(1..=600) {
        let resources = Resources { memory, ..Resources::from_seed(seed) };
        let Some(mut course) = Course::drawn(&game, player, &resources, 29) else { continue };
        while !course.runner.terminal().unwrap() {
            let before = values(&game, &mut *course.runner);
            let (role, proven) = course.choose();
            let Some(proven) = proven else { continue };
            assert_eq!(proven, before[role], "seed {seed}, role {role}");
            proofs[proven as usize / 50] += 1;
            let after = values(&game, &mut *course.runner);
            assert_eq!(after[role], before[role], "seed {seed}, role {role}: it was proven");
            checked += 1;
        }
    }
    assert!(checked > 10 && proofs[0] > 0 && proofs[2] > 0, "{checked} moves, {proofs:?}");
}

#[test]
fn what_is_far_away_is_proven_earlier_with_a_search_for_proofs() {
    let game = Game::bundled("gdl/connect-four.kif");
    let proven = |player: &str| {
        (1..=30)
            .filter(|&seed| {
                let course = Course::drawn(&game, player, &Resources::from_seed(seed), 20);
                course.is_some_and(|mut course| course.choose().1.is_some())
            })
            .count()
    };
    let with = proven("ludex:playouts=2000:probes=2:proving=0.9");
    let without = proven("ludex:playouts=2000:probes=2:proving=0");
    assert!(with > without, "{with} against {without}");
}
