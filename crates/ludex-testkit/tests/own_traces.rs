//! Traces of bundled games that stand in the repository (`traces/`): every engine gives each state of them as it was
//! recorded, and the rule machine records them again, byte by byte. With the variable `LUDEX_BLESS` set, they are
//! written anew.

use std::fs;
use std::path::Path;

use ludex_game::{Trace, record_playouts, verify};
use ludex_logic::Budget;
use ludex_testkit::{Configuration, bundled, program_of, rule_machine};

/// Games of each kind: in turn, at once, alone, by chance, with what is not seen, with functions and recursion.
const GAMES: [&str; 11] = [
    "best-buttons-and-lights.gdl",
    "blind-breakthrough.kif",
    "blocks-world.gdl",
    "breakthrough.kif",
    "chomp.kif",
    "high-card.gdl",
    "lowest-unique.kif",
    "monty-hall.gdl",
    "nim.kif",
    "rock-paper-scissors.kif",
    "tic-tac-toe.kif",
];
/// Playouts of each, with the seeds 1 and 2.
const PLAYOUTS: u32 = 2;
/// A playout ends after so many steps.
const LIMIT: u32 = 40;

#[test]
fn every_engine_repeats_the_recorded_playouts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("traces");
    for name in GAMES {
        let path = bundled().into_iter().find(|path| path.ends_with(name)).unwrap();
        let game = program_of(&path).unwrap();
        let machine = rule_machine(&game).unwrap();
        let trace = record_playouts(&*machine, name, PLAYOUTS, 1, LIMIT, &Budget::unlimited()).unwrap();
        let lines: String = trace.lines().map(|line| line + "\n").collect();
        let kept = folder.join(name).with_extension("jsonl");
        if std::env::var_os("LUDEX_BLESS").is_some() {
            fs::write(&kept, &lines).unwrap();
        }
        let text = fs::read_to_string(&kept).unwrap();
        assert!(text == lines, "{name}: the rule machine records it differently");
        let kept = Trace::read(text.lines()).unwrap();
        for engine in Configuration::engines() {
            let report = verify(&*engine.machine(&game).unwrap(), &kept, &Budget::unlimited());
            assert!(report.mismatches.is_empty(), "{name}, {engine:?}: {:?}", report.mismatches[0]);
            assert_eq!(report.steps, kept.steps.len() as u64, "{name}, {engine:?}");
        }
    }
}
