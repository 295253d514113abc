//! Rulesheets to programs and nets.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ludex_gdl::{Checked, GameProgram, LoadOptions, Source, load};
use ludex_logic::ground::{GroundOptions, ground};
use ludex_propnet::Propnet;

/// The game of book 9.3, as printed.
pub const FIGURE: &str = "
role(white)
base(s)
input(white,a)
input(white,b)
legal(white,a)
legal(white,b)
p :- does(white,a) & true(s)
q :- ~p
r :- q
r :- does(white,b)
next(s) :- r
goal(white,100) :- true(s)
goal(white,0) :- ~true(s)
terminal :- q
";

/// A game from its text. Findings are let pass as long as there is a program.
pub fn game(text: &str) -> GameProgram {
    let checked: Checked = load(Arc::new(Source::new("test", text)), &LoadOptions::default());
    let problems = format!("{:?}", checked.diagnostics);
    checked.game.unwrap_or_else(|| panic!("{problems}"))
}

/// The game's net, faithful to the rules or made to run.
pub fn net(game: &GameProgram, options: &GroundOptions) -> Propnet {
    let grounding = ground(&game.program, options).unwrap();
    Propnet::new(game, &grounding).unwrap()
}

/// The bundled rulesheets of games that go step by step, sorted by path.
pub fn bundled() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                let in_real_time = path.file_name().is_some_and(|name| name == "rtgdl");
                folders.extend((!in_real_time).then_some(path));
            } else if path.extension().is_some_and(|e| e == "kif" || e == "gdl" || e == "hrf") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 20, "the bundled games were found");
    found
}

/// The game of a bundled rulesheet.
pub fn read(path: &Path) -> GameProgram {
    game(&std::fs::read_to_string(path).unwrap())
}
