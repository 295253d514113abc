//! Histories, recorded playouts and what verifying them finds.

use ludex_game::{ActionId, History, Machine, Question, Rng, Trace, playthrough, record_playouts, verify};
use ludex_logic::Budget;
use ludex_testkit::{Configuration, bundled, machine_of, program_of};

fn path(game: &str) -> std::path::PathBuf {
    bundled().into_iter().find(|p| p.file_stem().is_some_and(|s| s == game)).unwrap()
}

fn first_moves(machine: &dyn Machine, runner: &mut dyn ludex_game::Runner) -> Vec<ActionId> {
    machine.signature().role_ids().map(|r| runner.legal(r).unwrap()[0]).collect()
}

#[test]
fn a_history_goes_back_and_forth() {
    let machine = machine_of(&path("tic-tac-toe")).unwrap();
    let mut runner = machine.runner(&Budget::unlimited());
    let mut history = History::new(machine.initial().clone());
    assert!(!history.back() && !history.forward() && history.is_empty());
    let mut states = vec![machine.initial().clone()];
    for _ in 0..4 {
        runner.set(history.state()).unwrap();
        let joint = first_moves(&*machine, &mut *runner);
        history.advance(&mut *runner, &joint).unwrap();
        states.push(history.state().clone());
    }
    assert!(history.jump(1) && !history.jump(5));
    assert_eq!((history.state(), history.step(), history.len()), (&states[1], 1, 4));
    // The recorded move again keeps what comes after it; another one drops it.
    let again = history.joint_at(2).unwrap().to_vec();
    history.advance(&mut *runner, &again).unwrap();
    assert_eq!((history.state(), history.len()), (&states[2], 4));
    assert!(history.back());
    runner.set(history.state()).unwrap();
    let signature = machine.signature();
    let other: Vec<_> = signature.role_ids().map(|r| *runner.legal(r).unwrap().last().unwrap()).collect();
    assert_ne!(other, again);
    history.advance(&mut *runner, &other).unwrap();
    assert_eq!((history.step(), history.len()), (2, 2));
    let joints: Vec<_> = history.joints().map(<[ActionId]>::to_vec).collect();
    assert_eq!(History::replay(&*machine, &mut *runner, &joints).unwrap(), history);
}

#[test]
fn percepts_belong_to_the_move_that_led_here() {
    let machine = machine_of(&path("monty-hall")).unwrap();
    let mut runner = machine.runner(&Budget::unlimited());
    let mut history = History::new(machine.initial().clone());
    let mut seen = Vec::new();
    while !runner.terminal().unwrap() {
        let joint = first_moves(&*machine, &mut *runner);
        history.advance(&mut *runner, &joint).unwrap();
        let roles = machine.signature().role_ids();
        seen.push(roles.map(|r| history.percepts(r).to_vec()).collect::<Vec<_>>());
    }
    assert!(seen.iter().flatten().any(|p| !p.is_empty()), "something is seen");
    for (step, percepts) in seen.iter().enumerate() {
        assert!(history.jump(step + 1));
        let roles = machine.signature().role_ids();
        assert_eq!(&roles.map(|r| history.percepts(r).to_vec()).collect::<Vec<_>>(), percepts);
    }
    assert!(history.jump(0));
    assert!(machine.signature().role_ids().all(|r| history.percepts(r).is_empty()));
}

#[test]
fn a_playthrough_is_the_playout_of_its_seed() {
    for game in ["tic-tac-toe", "breakthrough", "monty-hall"] {
        let machine = machine_of(&path(game)).unwrap();
        for seed in 0..3 {
            let seen = playthrough(&*machine, seed, 300, &Budget::unlimited()).unwrap();
            let mut runner = machine.runner(&Budget::unlimited());
            let played = runner.playout(&mut Rng::from_seed(seed), 300).unwrap();
            assert_eq!(
                (seen.steps, seen.terminal, seen.goals),
                (played.steps, played.terminal, played.goals)
            );
        }
    }
}

#[test]
fn verifying_finds_exactly_what_was_changed() {
    let game = program_of(&path("tic-tac-toe")).unwrap();
    let machine = Configuration::Rules.machine(&game).unwrap();
    let trace = record_playouts(&*machine, "tic-tac-toe", 3, 1, 100, &Budget::unlimited()).unwrap();
    let lines: Vec<String> = trace.lines().collect();
    assert_eq!(Trace::read(&lines).unwrap(), trace);
    assert_eq!(trace.playouts(), 3);
    for configuration in Configuration::BY_RULES {
        let report = verify(&*configuration.machine(&game).unwrap(), &trace, &Budget::unlimited());
        assert_eq!((report.steps, report.mismatches), (trace.steps.len() as u64, Vec::new()));
    }
    let faults = |change: &dyn Fn(&mut Trace)| {
        let mut changed = trace.clone();
        change(&mut changed);
        let report = verify(&*machine, &changed, &Budget::unlimited());
        report.mismatches.into_iter().map(|m| (m.step, m.what)).collect::<Vec<_>>()
    };
    let x = trace.header.roles[0].clone();
    assert_eq!(faults(&|t| t.header.roles.reverse())[0], (0, Question::Roles));
    assert_eq!(faults(&|t| t.steps[2].terminal = true), [(2, Question::Terminal)]);
    assert_eq!(faults(&|t| t.steps[0].goals.0[0].1 = Some(7)), [(0, Question::Goal(x.clone()))]);
    assert_eq!(faults(&|t| drop(t.steps[0].legals.0[0].1.pop())), [(0, Question::Legal(x.clone()))]);
    assert_eq!(faults(&|t| t.steps[0].legals.0[0].1.push("(f".into())), [(0, Question::Legal(x.clone()))]);
    // From a wrong state it goes on as recorded: the questions about that state differ, too.
    assert_eq!(faults(&|t| drop(t.steps[1].state.pop()))[0], (1, Question::State));
    let unknown = faults(&|t| t.steps[0].joint = Some(vec!["(mark 9 9)".into(), "noop".into()]));
    assert_eq!(unknown, [(0, Question::Move(x))]);
}
