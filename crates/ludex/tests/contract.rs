//! What holds on every engine alike: what a joint move has to be, whose states are taken, what samples are.

use std::panic::{RefUnwindSafe, UnwindSafe};

use ludex::game::{
    ActionId, Answer, BatchOptions, Expansion, GameError, Jobs, OpenState, RandomGuide, Rng, RoleId,
    SampleOptions, Samples, Start, State,
};
use ludex::logic::Budget;
use ludex::players::{BeliefOptions, News};
use ludex::{Engine, Game, GameOptions, MatchSetup, Rules, Table, players};

const ENGINES: [Engine; 3] = [Engine::Rules, Engine::Net, Engine::Lanes];
const GAMES: [&str; 6] =
    ["tic-tac-toe", "rock-paper-scissors", "hanoi", "blind-tic-tac-toe", "breakthrough", "monty-hall"];

fn game(name: &str, engine: Engine) -> Game {
    Game::bundled(name, &GameOptions { engine, hasty: true, ..GameOptions::default() }).unwrap()
}

/// What a wrong joint move comes to, and the state after it.
fn refused(game: &Game, state: &State, joint: &[ActionId]) -> (GameError, GameError) {
    let mut runner = game.runner_in(state).unwrap();
    let error = runner.step(joint).unwrap_err();
    let mut after = State::default();
    runner.save(&mut after);
    assert_eq!(&after, state, "the state is as before");
    let mut jobs = Jobs::default();
    let number = jobs.add_state(state.words());
    jobs.add(number, joint);
    let mut batch = game.machine().batch(&BatchOptions::default());
    let in_batch = batch.expand(&jobs, &mut Expansion::default()).unwrap_err();
    (error, in_batch)
}

#[test]
fn a_joint_move_is_legal_or_refused() {
    for engine in ENGINES {
        for name in GAMES {
            let game = game(name, engine);
            let mut rng = Rng::from_seed(5);
            let mut state = game.initial().clone();
            for _ in 0..12 {
                let mut runner = game.runner_in(&state).unwrap();
                let roles: Vec<RoleId> = game.roles().collect();
                let legal: Vec<Vec<ActionId>> =
                    roles.iter().map(|&role| runner.legal(role).unwrap().to_vec()).collect();
                let terminal = runner.terminal().unwrap();
                let joint: Vec<ActionId> =
                    legal.iter().map(|list| rng.pick(list).copied().unwrap_or(ActionId(0))).collect();
                let check = |joint: &[ActionId], expected: &dyn Fn(&GameError) -> bool| {
                    let (single, batch) = refused(&game, &state, joint);
                    assert!(expected(&single) && expected(&batch), "{engine} {name}: {single}; {batch}");
                };
                if terminal {
                    check(&joint, &|error| *error == GameError::Over);
                    break;
                }
                check(&joint[1..], &|error| matches!(error, GameError::MoveCount { .. }));
                for at in 0..roles.len() {
                    let mut wrong = joint.clone();
                    wrong[at] = ActionId(1_000_000);
                    check(&wrong, &|error| matches!(error, GameError::UnknownAction { .. }));
                    let all = (0..game.signature().known_actions() as u32).map(ActionId);
                    for illegal in all.filter(|action| !legal[at].contains(action)).take(3) {
                        wrong[at] = illegal;
                        check(&wrong, &|error| matches!(error, GameError::IllegalMove { .. }));
                    }
                }
                runner.step(&joint).unwrap();
                runner.save(&mut state);
            }
        }
    }
}

#[test]
fn a_state_of_another_machine_is_refused() {
    for engine in ENGINES {
        let (mine, other) = (game("tic-tac-toe", engine), game("nim", engine));
        let foreign = other.initial();
        assert_eq!(mine.runner().set(foreign), Err(GameError::ForeignState), "{engine}");
        let start = Start { state: foreign.clone(), playouts: 1 };
        let played = mine.playouts(&[start], &Default::default());
        assert_eq!(played.unwrap_err(), GameError::ForeignState, "{engine}");
        assert!(mine.facts(foreign).is_empty());
        let again = game("tic-tac-toe", engine);
        let bytes = mine.initial().to_bytes().unwrap();
        assert_eq!(again.initial(), &State::from_bytes(&bytes).unwrap(), "made alike, it reads them");
    }
    let [rules, net, _] = ENGINES.map(|engine| game("tic-tac-toe", engine));
    assert_eq!(rules.runner().set(net.initial()), Err(GameError::ForeignState));
}

/// A row in texts: facts, legal moves by role, moves.
type Row = (Vec<String>, Vec<Vec<String>>, Vec<String>);

fn in_texts(game: &Game, samples: &Samples) -> Vec<Row> {
    let text = |moves: &[ActionId]| -> Vec<String> {
        moves.iter().map(|&action| game.text(game.signature().action(action))).collect()
    };
    let row = |row| {
        let legal = game.roles().map(|role| text(samples.legal(row, role))).collect();
        (game.fact_texts(&samples.state(row)), legal, text(samples.joint(row)))
    };
    (0..samples.rows()).map(row).collect()
}

#[test]
fn one_seed_samples_the_same_games_on_every_engine() {
    for name in GAMES {
        let mut first = None;
        for engine in ENGINES {
            let game = game(name, engine);
            let mut samples = Samples::default();
            let start = |playouts| Start { state: game.initial().clone(), playouts };
            let options = SampleOptions { seed: 3, step_limit: 40 };
            let mut batch = game.batch(&BatchOptions::default());
            batch
                .sample(&[start(30), start(0), start(20)], &options, &mut RandomGuide, &mut samples)
                .unwrap();
            assert_eq!((samples.starts.len(), samples.starts[49]), (50, 2));
            assert_eq!(samples.steps.iter().sum::<u32>() as usize, samples.rows());
            let found = (in_texts(&game, &samples), samples.goals, samples.faults, samples.games);
            assert_eq!(first.get_or_insert_with(|| found.clone()), &found, "{engine} {name}");
        }
    }
}

#[test]
fn a_guide_chooses_the_moves_of_samples() {
    let game = game("tic-tac-toe", Engine::Net);
    let mut guide = |states: &[OpenState<'_>], _: &mut Rng, moves: &mut Vec<ActionId>| -> Answer<()> {
        moves.extend(states.iter().flat_map(|state| [0, 1].map(|role| state.legal(RoleId(role))[0])));
        Ok(())
    };
    let mut samples = Samples::default();
    let from = [Start { state: game.initial().clone(), playouts: 10_000 }];
    let mut batch = game.batch(&BatchOptions::default());
    batch.sample(&from, &Default::default(), &mut guide, &mut samples).unwrap();
    assert!(samples.steps.iter().all(|&steps| steps == samples.steps[0]));
    assert!(samples.rows() == 10_000 * samples.steps[0] as usize && samples.outcome(0)[0].is_some());
    let mut cheat = |states: &[OpenState<'_>], _: &mut Rng, moves: &mut Vec<ActionId>| -> Answer<()> {
        moves.extend(states.iter().flat_map(|state| [0, 0].map(|role| state.legal(RoleId(role))[0])));
        Ok(())
    };
    let refused = batch.sample(&from, &Default::default(), &mut cheat, &mut samples);
    assert!(matches!(refused, Err(GameError::IllegalMove { .. })), "{refused:?}");
}

#[test]
fn states_of_records_are_read() {
    for name in ["tic-tac-toe", "hanoi"] {
        let game = game(name, Engine::Net);
        let setup = MatchSetup { id: "read".into(), seed: 1, ..MatchSetup::default() };
        let players =
            game.seats().into_iter().map(|_| players::create("random", &Default::default()).unwrap());
        let table = Table::new(&game, setup, players.collect(), None, Budget::unlimited()).unwrap();
        let record = table.play().unwrap().record();
        let states: Vec<State> = record.states.iter().map(|text| game.read_state(text).unwrap()).collect();
        assert_eq!(&states[0], game.initial());
        assert!(game.terminal(states.last().unwrap()).unwrap());
    }
}

#[test]
fn at_the_end_a_belief_keeps_the_state_that_fits() {
    let game = game("rock-paper-scissors", Engine::Net);
    let mut belief = game.seat(RoleId(0)).belief(BeliefOptions::default());
    let mut position = game.start();
    while !position.terminal().unwrap() {
        let joint: Vec<_> = game.roles().map(|role| position.legal(role).unwrap()[0]).collect();
        position.advance(&joint).unwrap();
        belief.observe(&News::Joint(joint));
        belief.update(&Budget::unlimited()).unwrap();
    }
    assert_eq!(belief.states(), [position.state().clone()]);
}

#[test]
fn a_game_may_be_used_after_a_panic() {
    fn holds<T: UnwindSafe + RefUnwindSafe + Send + Sync>() {}
    holds::<Game>();
    holds::<Rules>();
}
