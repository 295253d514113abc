//! Games of the corpus in real time have the same tree when everybody moves in time.

use ludex::game::{PerftRow, RoleId, TimedAnswer, TimedMachine, TimedRuleMachine, TimedState, perft};
use ludex::gdl::Notation;
use ludex::logic::TermId;
use ludex_logic::Budget;
use ludex_testkit::corpus::{Corpus, read_text, stem};
use rustc_hash::FxHashMap;

use super::converted::Twins;
use super::time;

/// So many games have to be compared.
const GAMES: usize = 30;
/// The time for each step, and when in it everybody moves.
const STEP: &str = "1.0";
const MOVED: &str = "0.75";
/// Games in whose first moves there is more than this to do are left out: steps of inference for each question, and in all.
const WORK: u64 = 20_000;
const TOTAL_WORK: u64 = 3_000;

fn budget() -> Budget {
    Budget::unlimited().with_work(WORK).with_total_work(TOTAL_WORK)
}

/// Every choice of one of the moves of each role that can move.
fn joints(legal: &[(RoleId, Vec<TermId>)]) -> Vec<Vec<(RoleId, TermId)>> {
    let mut joints = vec![Vec::new()];
    for (role, moves) in legal {
        let longer = |joint: &Vec<(RoleId, TermId)>| -> Vec<Vec<(RoleId, TermId)>> {
            moves.iter().map(|&action| [&joint[..], &[(*role, action)]].concat()).collect()
        };
        joints = joints.iter().flat_map(longer).collect();
    }
    joints
}

/// Counts as [`perft`] does, where all who are to move do so together within the time of each step.
fn perft_in_time(machine: &TimedRuleMachine, depth: u32) -> TimedAnswer<Vec<PerftRow>> {
    let mut runner = machine.runner(&Budget::unlimited());
    let mut layer: FxHashMap<TimedState, u128> = FxHashMap::default();
    layer.insert(machine.initial().clone(), 1);
    let mut rows = Vec::new();
    for at in 0..=depth {
        let paths = layer.values().sum();
        let mut row = PerftRow { depth: at, paths, distinct: layer.len() as u64, terminals: 0 };
        let mut next: FxHashMap<TimedState, u128> = FxHashMap::default();
        for (state, ways) in layer {
            runner.set(&state)?;
            if runner.terminal()? {
                row.terminals += ways;
            } else if at < depth {
                let mut legal = Vec::new();
                for role in (0..machine.roles().len() as u32).map(RoleId) {
                    let moves = runner.legal(role)?;
                    legal.extend((!moves.is_empty()).then(|| (role, moves.to_vec())));
                }
                for joint in joints(&legal) {
                    runner.set(&state)?;
                    runner.update(time(MOVED), &joint)?;
                    *next.entry(runner.state().clone()).or_default() += ways;
                }
            }
        }
        rows.push(row);
        if next.is_empty() {
            break;
        }
        layer = next;
    }
    Ok(rows)
}

#[test]
fn corpus_games_in_time_have_the_same_tree_and_the_same_playouts() {
    let Some(corpus) = Corpus::find("corpus games in real time") else { return };
    let (mut compared, mut ended, mut left_out) = (Vec::new(), 0, Vec::new());
    for path in corpus.files("gdl", ".kif") {
        if compared.len() == GAMES {
            break;
        }
        let name = stem(&path);
        let Some(twins) = Twins::of_text(&name, read_text(&path).unwrap(), Notation::Prefix, STEP) else {
            left_out.push(name);
            continue;
        };
        let Ok(rows) = perft(&twins.plain, 2, &budget()) else {
            left_out.push(name);
            continue;
        };
        assert_eq!(perft_in_time(&twins.timed, 2).unwrap(), rows, "{name}");
        ended += (0..2).filter(|&seed| twins.play(seed)).count();
        compared.push(name);
    }
    assert_eq!(compared.len(), GAMES, "left out: {left_out:?}");
    assert!(ended > 10, "{ended}");
    println!("{} games, left out: {left_out:?}", compared.len());
}
