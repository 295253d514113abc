//! Rulesheets as competitions of years ago used them, within counted work.

use ludex_engine::{NetMachine, NetOptions};
use ludex_game::{Machine, Rng, RoleId, RuleMachine, RuleMachineOptions, record_playouts, verify};
use ludex_gdl::GameProgram;
use ludex_logic::Budget;
use ludex_logic::ground::{GroundOptions, ground};
use ludex_testkit::corpus::Corpus;
use ludex_testkit::{program_of, rounds};

/// A chess whose checks see through the piece that moves and pass over the one that it takes.
fn chess(test: &str) -> Option<GameProgram> {
    let path = Corpus::find(test)?.path("old-competitions/argentina-chess.kif");
    Some(program_of(&path).unwrap_or_else(|errors| panic!("{errors}")))
}

#[test]
fn a_chess_of_2006_runs_by_its_rules() {
    let Some(game) = chess("a_chess_of_2006_runs_by_its_rules") else { return };
    // Computed whole, one state's relation of checks takes tens of millions.
    let question = Budget::unlimited().with_work(1_000_000);
    for tune in [false, true] {
        let machine = RuleMachine::new(&game, &RuleMachineOptions { tune, ..Default::default() }).unwrap();
        let mut runner = machine.runner(&question);
        let mut rng = Rng::from_seed(5);
        let mut steps = 0;
        while steps < 60 {
            if runner.terminal().unwrap() {
                runner.set(machine.initial()).unwrap();
            }
            let pick = |role| *rng.pick(runner.legal(role).unwrap()).unwrap();
            let joint: Vec<_> = [RoleId(0), RoleId(1)].map(pick).into();
            runner.step(&joint).unwrap();
            steps += 1;
        }
    }
}

/// Games whose relations are huge where they are computed whole, and nothing where they are asked.
#[test]
fn the_first_position_of_games_with_huge_relations_takes_little_work() {
    let test = "the_first_position_of_games_with_huge_relations_takes_little_work";
    let Some(corpus) = Corpus::find(test) else { return };
    let question = Budget::unlimited().with_work(1_000_000).with_memory(1 << 30);
    for name in ["laikLee_hex", "mummymaze1p"] {
        let game = program_of(&corpus.path(&format!("gdl/{name}.kif"))).unwrap();
        let options = RuleMachineOptions { tune: false, ..Default::default() };
        let machine = RuleMachine::new(&game, &options).unwrap();
        let mut runner = machine.runner(&question);
        assert_eq!(runner.terminal(), Ok(false), "{name}");
        for (role, _) in (0..).map(RoleId).zip(machine.signature().roles()) {
            assert!(!runner.legal(role).unwrap().is_empty(), "{name}");
        }
    }
}

#[test]
fn a_chess_of_2006_can_be_grounded() {
    let Some(game) = chess("a_chess_of_2006_can_be_grounded") else { return };
    let budget = Budget::unlimited().with_memory(2 << 30).with_work(60_000_000);
    drop(ground(&game.program, &GroundOptions::optimised().with_budget(budget)).unwrap());
}

/// The passes have twelve million operands to go through, more than once: only in the long tests. That nets
/// agree with rules is tried with other games, too.
#[test]
fn a_chess_of_2006_becomes_a_net_that_agrees() {
    if rounds(1) <= 1 {
        return;
    }
    let Some(game) = chess("a_chess_of_2006_becomes_a_net_that_agrees") else { return };
    let budget = Budget::unlimited().with_memory(2 << 30).with_work(1_000_000_000);
    let net = NetMachine::new(&game, &NetOptions { budget, ..NetOptions::default() }).unwrap();
    let rules = RuleMachine::new(&game, &RuleMachineOptions::default()).unwrap();
    let trace = record_playouts(&rules, "argentina-chess", 4, 11, 60, &Budget::unlimited()).unwrap();
    let report = verify(&net, &trace, &Budget::unlimited());
    assert_eq!(report.mismatches, []);
    assert!(report.steps > 40, "{} steps", report.steps);
}
