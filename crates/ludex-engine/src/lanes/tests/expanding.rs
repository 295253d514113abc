//! Expanding, and one lane among others, against the net machine.

use ludex_game::{
    ActionId, Batch, Expansion, GameError, Goal, Jobs, Machine, Rng, RoleId, Runner, State, Wanted,
    one_by_one,
};
use ludex_logic::Budget;

use super::games::{CONNECT_FOUR, ROCK_PAPER_SCISSORS, TIC_TAC_TOE, WALK, lanes};
use crate::lanes::{Backend, LaneWidth};

fn state_of(runner: &dyn Runner) -> State {
    let mut state = State::default();
    runner.save(&mut state);
    state
}

fn random_joint(runner: &mut dyn Runner, roles: u32, rng: &mut Rng) -> Vec<ActionId> {
    (0..roles).map(|role| *rng.pick(runner.legal(RoleId(role)).unwrap()).unwrap()).collect()
}

/// What is known of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Description {
    state: State,
    terminal: bool,
    goals: Vec<Option<Goal>>,
    legal: Vec<Vec<ActionId>>,
}

/// The states of an expansion.
fn describe_all(found: &Expansion, roles: u32) -> Vec<Description> {
    let describe = |at| Description {
        state: found.to_state(at),
        terminal: found.terminal(at),
        goals: found.goals(at).to_vec(),
        legal: (0..roles).map(|role| found.legal(at, RoleId(role)).to_vec()).collect(),
    };
    (0..found.len()).map(describe).collect()
}

fn describe(runner: &mut dyn Runner, roles: u32) -> Description {
    let terminal = runner.terminal().unwrap();
    let mut legal = vec![Vec::new(); roles as usize];
    if !terminal {
        legal = (0..roles).map(|role| runner.legal(RoleId(role)).unwrap().to_vec()).collect();
    }
    let goals = (0..roles).map(|role| runner.goal(RoleId(role)).unwrap()).collect();
    Description { state: state_of(runner), terminal, goals, legal }
}

const GAMES: [(&str, LaneWidth); 4] = [
    (TIC_TAC_TOE, LaneWidth::W64),
    (CONNECT_FOUR, LaneWidth::W512),
    (WALK, LaneWidth::W256),
    (ROCK_PAPER_SCISSORS, LaneWidth::W512),
];

/// The steps of so many random games that there are `least` of them, and what they lead to.
fn random_steps(machine: &dyn Machine, least: usize, seed: u64) -> (Jobs, Vec<Description>) {
    let (mut runner, mut rng) = (machine.runner(&Budget::unlimited()), Rng::from_seed(seed));
    let roles = machine.signature().roles().len() as u32;
    let (mut jobs, mut found) = (Jobs::default(), Vec::new());
    while jobs.len() < least {
        runner.set(machine.initial()).unwrap();
        while !runner.terminal().unwrap() {
            let joint = random_joint(&mut *runner, roles, &mut rng);
            let state = jobs.add_state(state_of(&*runner).words());
            jobs.add(state, &joint);
            runner.step(&joint).unwrap();
            found.push(describe(&mut *runner, roles));
        }
    }
    (jobs, found)
}

#[test]
fn successors_are_those_of_the_net_machine() {
    for (text, width) in GAMES {
        let lanes = lanes(text, width, Backend::Auto);
        let roles = lanes.machine.signature().roles().len() as u32;
        let (mut jobs, mut expected) = random_steps(&lanes.machine, 1200, 7);
        let mut engine = lanes.engine(false);
        let mut found = Expansion::default();
        engine.expand(&jobs, &mut found).unwrap();
        assert_eq!(describe_all(&found, roles), expected);
        jobs.want_goals(Wanted::Terminal);
        engine.expand(&jobs, &mut found).unwrap();
        for description in expected.iter_mut().filter(|description| !description.terminal) {
            description.goals.fill(None);
        }
        assert_eq!(describe_all(&found, roles), expected);
        jobs.want_moves(false);
        let mut without_moves = Expansion::default();
        engine.expand(&jobs, &mut without_moves).unwrap();
        for (number, description) in expected.iter().enumerate() {
            assert_eq!(without_moves.state(number), found.state(number));
            assert_eq!(without_moves.goals(number), description.goals);
            assert!((0..roles).all(|role| without_moves.legal(number, RoleId(role)).is_empty()));
        }
        let mut fewer = Jobs::default();
        fewer.want_goals(Wanted::Terminal);
        for job in 0..3 {
            let state = fewer.add_state(jobs.state(job));
            fewer.add(state, jobs.joint(job));
        }
        engine.expand(&fewer, &mut found).unwrap();
        assert_eq!(describe_all(&found, roles), expected[..3]);
        let again = lanes.play(100, &ludex_game::Policy::uniform(99), 1, false);
        assert_eq!(again.tallies[0].playouts(), 100);
    }
}

/// Moves are counted as one state after the other has them, also where the bits that are turned tell nothing of whose turn
/// it is.
#[test]
fn moves_are_counted_as_if_it_was_the_turn_of_each_role() {
    for (text, width) in GAMES {
        let lanes = lanes(text, width, Backend::Auto);
        let roles = lanes.machine.signature().roles().len() as u32;
        let (mut jobs, _) = random_steps(&lanes.machine, 300, 3);
        let differ = |(a, b): (&u64, &u64)| a ^ b;
        let turn: Vec<u64> = jobs.state(0).iter().zip(jobs.state(1)).map(differ).collect();
        jobs.count_moves(&turn);
        let (mut counted, mut expected) = (Expansion::default(), Expansion::default());
        lanes.engine(false).expand(&jobs, &mut counted).unwrap();
        one_by_one(&lanes.machine, &Default::default()).expand(&jobs, &mut expected).unwrap();
        assert_eq!(counted, expected);
        let all = |role| (0..jobs.len()).map(move |number| (number, RoleId(role)));
        for (number, role) in (0..roles).flat_map(all) {
            assert!(counted.move_count(number, role) >= counted.legal(number, role).len());
        }
    }
}

/// Many joint moves in one state, more of them than there are lanes.
#[test]
fn jobs_share_states() {
    let lanes = lanes(CONNECT_FOUR, LaneWidth::W64, Backend::Auto);
    let mut runner = lanes.machine.runner(&Budget::unlimited());
    let mut rng = Rng::from_seed(4);
    let (mut jobs, mut expected) = (Jobs::default(), Vec::new());
    for _ in 0..30 {
        let state = state_of(&*runner);
        let number = jobs.add_state(state.words());
        let legal = [0, 1].map(|role| runner.legal(RoleId(role)).unwrap().to_vec());
        for joint in legal[0].iter().flat_map(|&a| legal[1].iter().map(move |&b| [a, b])) {
            jobs.add(number, &joint);
            runner.set(&state).unwrap();
            runner.step(&joint).unwrap();
            expected.push(describe(&mut *runner, 2));
        }
        runner.set(&state).unwrap();
        let joint = random_joint(&mut *runner, 2, &mut rng);
        runner.step(&joint).unwrap();
        if runner.terminal().unwrap() {
            runner.set(lanes.machine.initial()).unwrap();
        }
    }
    assert!(jobs.len() > 128);
    let mut found = Expansion::default();
    let mut engine = lanes.engine(false);
    engine.expand(&jobs, &mut found).unwrap();
    assert_eq!(describe_all(&found, 2), expected);
    // A move that is refused leaves nothing behind for the next call.
    let last = jobs.len() - 1;
    let (number, wrong) = (jobs.state_number(last), [jobs.joint(last)[0], ActionId(77_777)]);
    jobs.add(number, &wrong);
    assert!(engine.expand(&jobs, &mut found).is_err() && found.is_empty());
    let mut fewer = Jobs::default();
    let number = fewer.add_state(jobs.state(0));
    fewer.add(number, jobs.joint(0));
    engine.expand(&fewer, &mut found).unwrap();
    assert_eq!(describe_all(&found, 2), expected[..1]);
}

#[test]
fn moves_that_are_unknown_or_illegal_are_refused() {
    let lanes = lanes(TIC_TAC_TOE, LaneWidth::W64, Backend::Portable);
    let mut engine = lanes.engine(false);
    let state = lanes.machine.initial().clone();
    let mut runner = lanes.machine.runner(&Budget::unlimited());
    let legal = [runner.legal(RoleId(0)).unwrap()[0], runner.legal(RoleId(1)).unwrap()[0]];
    let refuse = |engine: &mut crate::LaneEngine, words: &[u64], joint: &[ActionId]| {
        let mut jobs = Jobs::default();
        let number = jobs.add_state(words);
        jobs.add(number, joint);
        let mut out = Expansion::default();
        let error = engine.expand(&jobs, &mut out).unwrap_err();
        assert!(out.is_empty());
        error
    };
    let words = state.words();
    let unknown = refuse(&mut engine, words, &[ActionId(77_777), legal[1]]);
    assert!(matches!(unknown, GameError::UnknownAction { .. }), "{unknown}");
    let short = refuse(&mut engine, words, &legal[..1]);
    assert_eq!(short, GameError::MoveCount { roles: 2, moves: 1 });
    let illegal = refuse(&mut engine, words, &[legal[1], legal[1]]);
    assert!(matches!(illegal, GameError::IllegalMove { .. }), "{illegal}");
    let foreign = refuse(&mut engine, &[1, 2, 3, 4, 5, 6, 7, 8, 9], &legal);
    assert!(matches!(foreign, GameError::ForeignState), "{foreign}");
}

#[test]
fn a_lane_plays_as_the_net_machine_does() {
    for text in [TIC_TAC_TOE, CONNECT_FOUR, WALK, ROCK_PAPER_SCISSORS] {
        for width in [LaneWidth::W64, LaneWidth::W256, LaneWidth::W512] {
            let lanes = lanes(text, width, Backend::Auto);
            let roles = lanes.machine.signature().roles().len() as u32;
            let mut alone = lanes.machine.runner(&Budget::unlimited());
            let mut among = lanes.program.runner(&Budget::unlimited(), 5);
            assert_eq!(state_of(&*among), *lanes.machine.initial());
            let mut rng = Rng::from_seed(3);
            for _ in 0..8 {
                alone.set(lanes.machine.initial()).unwrap();
                among.set(lanes.machine.initial()).unwrap();
                loop {
                    let description = describe(&mut *alone, roles);
                    assert_eq!(describe(&mut *among, roles), description);
                    if description.terminal {
                        break;
                    }
                    let joint = random_joint(&mut *alone, roles, &mut rng);
                    alone.step(&joint).unwrap();
                    among.step(&joint).unwrap();
                    for role in 0..roles {
                        assert_eq!(alone.percepts(RoleId(role)), among.percepts(RoleId(role)));
                    }
                }
            }
            alone.set(lanes.machine.initial()).unwrap();
            among.set(lanes.machine.initial()).unwrap();
            let expected = alone.playout(&mut Rng::from_seed(9), 50).unwrap();
            assert_eq!(among.playout(&mut Rng::from_seed(9), 50).unwrap(), expected);
            let unknown = vec![ActionId(u32::MAX); roles as usize];
            assert!(matches!(among.step_legal(&unknown), Err(GameError::UnknownAction { .. })));
        }
    }
}

#[test]
fn names_of_backends_read_back() {
    for (backend, name) in Backend::NAMES {
        assert_eq!(name.parse(), Ok(backend));
        assert_eq!(backend.to_string(), name);
    }
    assert!("gpu".parse::<Backend>().is_err());
}
