//! Environments in lanes and one by one tell the same.

use ludex::engines::{LaneEnvironments, LaneOptions, LaneWidth};
use ludex::game::{
    ActionId, Actions, BitRows, EnvironmentArrays, EnvironmentError, EnvironmentLayout, EnvironmentOptions,
    Environments, EnvironmentsOneByOne, GameError, Place, Rng, RoleId, State,
};
use ludex::{Engine, Game, GameOptions, library};
use ludex_testkit::one_part_of;

/// Arrays of their own.
struct Arrays {
    observations: Vec<u8>,
    last_observations: Vec<u8>,
    legal: Vec<u8>,
    rewards: Vec<f32>,
    terminated: Vec<u8>,
    truncated: Vec<u8>,
    players: Vec<u8>,
}

impl Arrays {
    fn new(layout: &EnvironmentLayout) -> Self {
        let EnvironmentLayout { count, seats, in_turns, actions, observed } = *layout;
        Self {
            observations: vec![7; count * observed],
            last_observations: vec![7; count * observed],
            legal: vec![7; count * layout.rows() * actions],
            rewards: vec![7.0; count * seats],
            terminated: vec![7; count],
            truncated: vec![7; count],
            players: vec![7; if in_turns { count } else { 0 }],
        }
    }

    fn borrowed(&mut self) -> EnvironmentArrays<'_> {
        EnvironmentArrays {
            observations: BitRows::Bytes(&mut self.observations),
            last_observations: BitRows::Bytes(&mut self.last_observations),
            legal: BitRows::Bytes(&mut self.legal),
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            players: &mut self.players,
        }
    }

    /// A random legal action for each row; 0 where there is none.
    fn choose(&self, actions: usize, rng: &mut Rng) -> Vec<i32> {
        let chosen = self.legal.chunks(actions).map(|row| {
            let legal: Vec<i32> =
                (0..).zip(row).filter(|&(_, &legal)| legal == 1).map(|(at, _)| at).collect();
            rng.pick(&legal).copied().unwrap_or(0)
        });
        chosen.collect()
    }

    fn assert_same(&self, other: &Self, what: &str) {
        assert_eq!(self.players, other.players, "players: {what}");
        assert_eq!(self.terminated, other.terminated, "terminated: {what}");
        assert_eq!(self.truncated, other.truncated, "truncated: {what}");
        assert_eq!(self.legal, other.legal, "legal: {what}");
        let bits = |rewards: &[f32]| rewards.iter().map(|reward| reward.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&self.rewards), bits(&other.rewards), "rewards: {what}");
        assert_eq!(self.observations, other.observations, "observations: {what}");
        assert_eq!(self.last_observations, other.last_observations, "last observations: {what}");
    }
}

/// All facts, and all that anybody can see.
fn observed(game: &Game, lanes: LaneOptions) -> Vec<Place> {
    let mut places = EnvironmentOptions::new(1, game.rules()).observed;
    places.push(Place::Nothing);
    let program = game.lanes(lanes).expect("a net");
    for (role, percepts) in (0..).map(RoleId).zip(&program.stream().percepts) {
        places.extend(percepts.iter().map(|&(percept, _)| Place::Percept(role, percept)));
    }
    places
}

fn bundled(name: &str) -> Game {
    Game::bundled(name, &GameOptions { engine: Engine::Net, ..GameOptions::default() }).expect("it has a net")
}

/// Steps both as often, with the same random actions.
fn compare(game: &Game, options: &EnvironmentOptions, lanes: LaneOptions, steps: usize) {
    let program = game.lanes(lanes).expect("a net");
    let made = LaneEnvironments::new(&program, options.clone()).expect("players");
    let mut in_lanes = made.expect("everything can be observed");
    let mut one_by_one = EnvironmentsOneByOne::new(game.rules(), options.clone()).expect("players");
    assert_eq!(in_lanes.layout(), one_by_one.layout());
    let layout = in_lanes.layout().clone();
    let (mut fast, mut slow) = (Arrays::new(&layout), Arrays::new(&layout));
    in_lanes.reset(1, fast.borrowed()).expect("it begins");
    one_by_one.reset(1, slow.borrowed()).expect("it begins");
    let mut rng = Rng::from_seed(1);
    for step in 0..steps {
        let what = format!("{} after {step} steps, in turns: {}", game.short_name(), layout.in_turns);
        fast.assert_same(&slow, &what);
        let actions = fast.choose(layout.actions, &mut rng);
        in_lanes.step(Actions::Given(&actions), fast.borrowed()).expect("legal actions");
        one_by_one.step(Actions::Given(&actions), slow.borrowed()).expect("legal actions");
    }
    let all: Vec<usize> = (0..layout.count).collect();
    assert_eq!(in_lanes.states(&all), one_by_one.states(&all));
}

#[test]
fn lanes_and_single_states_tell_the_same_of_games_without_chance() {
    let mut compared = 0;
    for found in one_part_of(4, library::stepwise().filter(|game| game.runs())) {
        let game = bundled(found.name);
        let actions = game.signature().known_actions();
        if game.random_role().is_some() || game.seats().is_empty() || actions > 500 {
            continue;
        }
        let turns = game.turns().expect("no limits").clone();
        let lanes = LaneOptions::default();
        let all = EnvironmentOptions {
            observed: observed(&game, lanes),
            ..EnvironmentOptions::new(7, game.rules())
        };
        compare(&game, &EnvironmentOptions { step_limit: Some(11), ..all.clone() }, lanes, 25);
        if turns.are_taken {
            let in_turns = EnvironmentOptions { turns: Some(turns), rewards: (-1.0, 1.0), ..all };
            compare(&game, &in_turns, lanes, 25);
            compare(&game, &EnvironmentOptions { begins_anew: false, ..in_turns }, lanes, 25);
            compared += 1;
        }
    }
    assert!(compared > 4, "{compared} games");
}

#[test]
fn blocks_of_any_width_and_number_tell_the_same() {
    let game = bundled("connect-four");
    let turns = Some(game.turns().expect("no limits").clone());
    for (width, count) in [(LaneWidth::W64, 200), (LaneWidth::W256, 257), (LaneWidth::W512, 513)] {
        let lanes = LaneOptions { width: Some(width), ..LaneOptions::default() };
        let options = EnvironmentOptions {
            turns: turns.clone(),
            observed: observed(&game, lanes),
            ..EnvironmentOptions::new(count, game.rules())
        };
        compare(&game, &options, lanes, 50);
    }
}

/// The joint moves that fit given actions: those with any legal move of chance.
fn joints(game: &Game, state: &State, actions: &[i32]) -> Vec<Vec<ActionId>> {
    let mut runner = game.runner_in(state).expect("a state");
    let mut joints = vec![Vec::new()];
    let mut seat = 0;
    for role in game.roles() {
        let choices = if Some(role) == game.random_role() {
            runner.legal(role).expect("legal moves").to_vec()
        } else {
            seat += 1;
            vec![ActionId(actions[seat - 1] as u32)]
        };
        let longer =
            |joint: &Vec<ActionId>, action| joint.iter().copied().chain([action]).collect::<Vec<_>>();
        joints = joints
            .iter()
            .flat_map(|joint| choices.iter().map(move |&action| longer(joint, action)))
            .collect();
    }
    joints
}

#[test]
fn chance_makes_one_of_its_moves() {
    for name in ["kuhn-poker", "leduc-poker", "liars-dice", "monty-hall", "loaded-die"] {
        let game = bundled(name);
        let options = EnvironmentOptions { begins_anew: false, ..EnvironmentOptions::new(40, game.rules()) };
        let mut environments = game.environments(options).expect("players");
        let layout = environments.layout().clone();
        let all: Vec<usize> = (0..layout.count).collect();
        let mut arrays = Arrays::new(&layout);
        environments.reset(3, arrays.borrowed()).expect("it begins");
        let mut rng = Rng::from_seed(1);
        for _ in 0..8 {
            let before = environments.states(&all);
            let was_over = arrays.terminated.clone();
            let actions = arrays.choose(layout.actions, &mut rng);
            environments.step(Actions::Given(&actions), arrays.borrowed()).expect("legal actions");
            let after = environments.states(&all);
            for at in all.iter().copied().filter(|&at| was_over[at] == 0) {
                let own = &actions[at * layout.seats..][..layout.seats];
                let leads_there = |joint: &Vec<ActionId>| {
                    let mut runner = game.runner_in(&before[at]).expect("a state");
                    runner.step(joint).expect("a legal move");
                    let mut state = State::default();
                    runner.save(&mut state);
                    state == after[at]
                };
                assert!(joints(&game, &before[at], own).iter().any(leads_there), "{name}: environment {at}");
            }
        }
    }
}

#[test]
fn chance_is_fair() {
    let game = bundled("kuhn-poker");
    let options = EnvironmentOptions { step_limit: Some(1), ..EnvironmentOptions::new(60_000, game.rules()) };
    let mut environments = game.environments(options).expect("players");
    let mut arrays = Arrays::new(&environments.layout().clone());
    environments.reset(3, arrays.borrowed()).expect("it begins");
    let outcomes = |arrays: &Arrays, layout: &EnvironmentLayout| {
        let mut counts = std::collections::BTreeMap::new();
        for row in arrays.last_observations.chunks(layout.observed) {
            *counts.entry(row.to_vec()).or_insert(0u32) += 1;
        }
        counts.into_values().collect::<Vec<_>>()
    };
    let layout = environments.layout().clone();
    let actions = arrays.choose(layout.actions, &mut Rng::from_seed(2));
    environments.step(Actions::Given(&actions), arrays.borrowed()).expect("legal actions");
    let first = outcomes(&arrays, &layout);
    let expected = 60_000.0 / first.len() as f64;
    assert!(first.len() > 1, "chance has a choice");
    // Ten standard deviations.
    assert!(first.iter().all(|&n| (f64::from(n) - expected).abs() < 10.0 * expected.sqrt()), "{first:?}");
}

#[test]
fn threads_change_nothing() {
    let game = bundled("tic-tac-toe");
    let turns = Some(game.turns().expect("no limits").clone());
    let run = |threads| {
        let options = EnvironmentOptions {
            turns: turns.clone(),
            threads,
            ..EnvironmentOptions::new(20_000, game.rules())
        };
        let mut environments = game.environments(options).expect("players");
        let mut arrays = Arrays::new(&environments.layout().clone());
        environments.reset(5, arrays.borrowed()).expect("it begins");
        arrays.last_observations.fill(0);
        for _ in 0..12 {
            environments.step(Actions::Random, arrays.borrowed()).expect("random actions are legal");
        }
        arrays
    };
    let one = run(1);
    run(3).assert_same(&one, "three threads");
    assert!(one.terminated.contains(&1) && one.players.contains(&1));
}

#[test]
fn random_actions_are_what_playouts_draw() {
    let game = bundled("connect-four");
    let turns = Some(game.turns().expect("no limits").clone());
    let options =
        EnvironmentOptions { turns, begins_anew: false, ..EnvironmentOptions::new(4_000, game.rules()) };
    let mut environments = game.environments(options).expect("players");
    let mut arrays = Arrays::new(&environments.layout().clone());
    environments.reset(5, arrays.borrowed()).expect("it begins");
    let mut won = [0.0f64; 2];
    while arrays.terminated.contains(&0) {
        environments.step(Actions::Random, arrays.borrowed()).expect("random actions are legal");
        arrays.rewards.chunks(2).for_each(|row| (won[0] += f64::from(row[0]), won[1] += f64::from(row[1])).1);
    }
    let start = ludex::game::Start { state: game.initial().clone(), playouts: 100_000 };
    let played = game.playouts(&[start], &Default::default()).expect("no limits");
    for (at, role) in game.seats().into_iter().enumerate() {
        let mean = played.tallies[0].mean_goal(role).expect("a value") / 100.0;
        // A mean of 4 000 values in 0..1 is rarely farther off than 0.04.
        assert!((won[at] / 4_000.0 - mean).abs() < 0.04, "{} and {mean}", won[at] / 4_000.0);
    }
}

#[test]
fn what_cannot_be_done_is_said_and_changes_nothing() {
    let game = bundled("tic-tac-toe");
    let turns = Some(game.turns().expect("no limits").clone());
    let options = EnvironmentOptions { turns, ..EnvironmentOptions::new(600, game.rules()) };
    let one_by_one = EnvironmentsOneByOne::new(game.rules(), options.clone()).expect("players");
    let both: [Box<dyn Environments>; 2] =
        [game.environments(options).expect("players"), Box::new(one_by_one)];
    for mut environments in both {
        let mut arrays = Arrays::new(&environments.layout().clone());
        environments.reset(1, arrays.borrowed()).expect("it begins");
        let mut actions = vec![5; 600];
        for (wrong, legal) in
            [(0, false), (-1, false), (10, false), (i32::MAX, false), (i32::MIN, false), (9, true)]
        {
            actions[599] = wrong;
            let stepped = environments.step(Actions::Given(&actions), arrays.borrowed());
            assert_eq!(stepped.is_ok(), legal, "{wrong}");
            if let Err(error) = stepped {
                let EnvironmentError::Action { environment, cause } = error else { panic!("{error}") };
                assert_eq!(environment, 599);
                let is_unknown = matches!(cause, GameError::UnknownAction { .. });
                assert_eq!(is_unknown, wrong != 0, "{cause}");
                assert_eq!(environments.states(&[0]), [game.initial().clone()], "nothing has happened");
            }
        }
        let short = environments.step(Actions::Given(&[1]), arrays.borrowed());
        assert!(matches!(short, Err(EnvironmentError::Shape { array: "actions", expected: 600, found: 1 })));
        arrays.legal.pop();
        let short = environments.step(Actions::Random, arrays.borrowed());
        assert!(matches!(short, Err(EnvironmentError::Shape { array: "legal actions", .. })));
    }
}

#[test]
fn who_all_act_at_once_do_not_take_turns() {
    let game = bundled("rock-paper-scissors");
    let turns = Some(game.turns().expect("no limits").clone());
    let options = EnvironmentOptions { turns, ..EnvironmentOptions::new(5, game.rules()) };
    let one_by_one = EnvironmentsOneByOne::new(game.rules(), options.clone()).expect("players");
    let both: [Box<dyn Environments>; 2] =
        [game.environments(options).expect("players"), Box::new(one_by_one)];
    for mut environments in both {
        let mut arrays = Arrays::new(&environments.layout().clone());
        let began = environments.reset(1, arrays.borrowed());
        assert_eq!(began, Err(EnvironmentError::Several { environment: 0 }));
    }
}

#[test]
fn selected_environments_go_on_by_themselves() {
    let game = bundled("connect-four");
    let turns = Some(game.turns().expect("no limits").clone());
    let options = EnvironmentOptions { turns, ..EnvironmentOptions::new(1_000, game.rules()) };
    let one_by_one = EnvironmentsOneByOne::new(game.rules(), options.clone()).expect("players");
    let both: [Box<dyn Environments>; 2] =
        [game.environments(options).expect("players"), Box::new(one_by_one)];
    for mut environments in both {
        let mut arrays = Arrays::new(&environments.layout().clone());
        environments.reset(1, arrays.borrowed()).expect("it begins");
        for _ in 0..5 {
            environments.step(Actions::Random, arrays.borrowed()).expect("random actions are legal");
        }
        let chosen = [999, 3, 999, 600];
        let mut others = environments.select(&chosen, 7);
        let states = environments.states(&chosen);
        assert_eq!(others.states(&[0, 1, 2, 3]), states);
        let mut own = Arrays::new(&others.layout().clone());
        others.observe(own.borrowed()).expect("states");
        assert_eq!(
            own.observations[..others.layout().observed],
            arrays.observations[999 * others.layout().observed..]
        );
        others.step(Actions::Random, own.borrowed()).expect("random actions are legal");
        assert_eq!(environments.states(&chosen), states, "those that were selected from stay");
        environments.set_states(&[0, 512], &others.states(&[1, 3])).expect("states of the game");
        assert_eq!(environments.states(&[512, 0]), others.states(&[3, 1]));
        // What is legal there is known without a look.
        let drop = |column: &str| game.find_legal(game.initial(), RoleId(0), column).expect("no limits");
        let joint = [drop("(drop 1)").expect("legal"), game.read_term("noop").expect("a term")];
        let mut position = game.start();
        let mut other = [RoleId(0), RoleId(1)].into_iter().cycle();
        for _ in 0..6 {
            position.play_some(&[(other.next().expect("a cycle"), "(drop 1)")]).expect("legal");
        }
        let full = position.state().clone();
        environments.set_states(&[7], &[full]).expect("states of the game");
        let first = game.signature().action_id(joint[0]);
        let mut actions = arrays.choose(environments.layout().actions, &mut Rng::from_seed(1));
        actions[0] = first.0 as i32;
        actions[512] = first.0 as i32;
        actions[7] = first.0 as i32;
        let refused = environments.step(Actions::Given(&actions), arrays.borrowed());
        assert!(matches!(refused, Err(EnvironmentError::Action { environment: 7, .. })), "{refused:?}");
        let foreign = bundled("tic-tac-toe");
        assert!(environments.set_states(&[0], &[foreign.initial().clone()]).is_err());
    }
}

#[test]
fn what_is_over_stays_so_or_begins_anew() {
    let game = bundled("tic-tac-toe");
    let turns = Some(game.turns().expect("no limits").clone());
    let mut position = game.start();
    for (role, action) in
        [(0, "(mark 1 1)"), (1, "(mark 2 1)"), (0, "(mark 1 2)"), (1, "(mark 2 2)"), (0, "(mark 1 3)")]
    {
        position.play_some(&[(RoleId(role), action)]).expect("legal");
    }
    let won = position.state().clone();
    let both = |options: EnvironmentOptions| -> [Box<dyn Environments>; 2] {
        let one_by_one = EnvironmentsOneByOne::new(game.rules(), options.clone()).expect("players");
        [game.environments(options).expect("players"), Box::new(one_by_one)]
    };
    let all = EnvironmentOptions { turns, ..EnvironmentOptions::new(3, game.rules()) };
    for mut environments in
        both(EnvironmentOptions { step_limit: Some(2), begins_anew: false, ..all.clone() })
    {
        let mut arrays = Arrays::new(&environments.layout().clone());
        environments.reset(1, arrays.borrowed()).expect("it begins");
        let mut told = Vec::new();
        for _ in 0..4 {
            environments.step(Actions::Random, arrays.borrowed()).expect("random actions are legal");
            told.push((arrays.truncated[1], arrays.terminated[1], arrays.legal.contains(&1)));
        }
        assert_eq!(told, [(0, 0, true), (1, 0, false), (1, 0, false), (1, 0, false)]);
        environments.observe(arrays.borrowed()).expect("no limits");
        assert_eq!(arrays.truncated, [1, 1, 1]);
        let mut others = environments.select(&[1], 1);
        let mut own = Arrays::new(&others.layout().clone());
        others.observe(own.borrowed()).expect("no limits");
        assert_eq!((own.truncated[0], own.legal.iter().filter(|&&legal| legal == 1).count()), (0, 7));
    }
    for mut environments in both(all) {
        let mut arrays = Arrays::new(&environments.layout().clone());
        environments.reset(1, arrays.borrowed()).expect("it begins");
        environments.set_states(&[2], std::slice::from_ref(&won)).expect("a state of the game");
        environments.observe(arrays.borrowed()).expect("no limits");
        assert_eq!(arrays.terminated, [0, 0, 1]);
        environments
            .step(Actions::Given(&[5, 6, 0]), arrays.borrowed())
            .expect("who is over takes any action");
        assert_eq!((&arrays.terminated[..], &arrays.rewards[4..]), (&[0, 0, 0][..], &[0.0, 0.0][..]));
        assert_eq!(environments.states(&[2]), [game.initial().clone()]);
        environments.step(Actions::Given(&[1, 1, 1]), arrays.borrowed()).expect("legal actions");
    }
}
