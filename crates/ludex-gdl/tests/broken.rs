//! Broken rulesheets with the messages that they get.
//!
//! `broken/*.txt` holds cases: a line `=== title`, the rulesheet, a line `---`, the findings. In a
//! case whose title starts with `+` the rest of a game (below) follows the rulesheet, so that only
//! what is meant to be wrong is wrong. `LUDEX_BLESS=1` writes the present messages into the files;
//! read the difference before you commit it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use ludex_gdl::{LoadOptions, Notation, Source, load, report};

const PREFIX_GAME: &str = "\
(role white)
(role black)
(init (control white))
(<= (legal ?r noop) (role ?r))
(<= (next (control black)) (true (control white)))
(<= terminal (true (control black)))
(<= (goal ?r 50) (role ?r))
";

const INFIX_GAME: &str = "\
role(white)
role(black)
init(control(white))
legal(R,noop) :- role(R)
next(control(black)) :- true(control(white))
terminal :- true(control(black))
goal(R,50) :- role(R)
";

struct Case {
    title: String,
    rulesheet: String,
    expected: String,
}

fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut in_rulesheet = false;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("=== ") {
            cases.push(Case { title: title.into(), rulesheet: String::new(), expected: String::new() });
            in_rulesheet = true;
        } else if line == "---" {
            in_rulesheet = false;
        } else if let Some(case) = cases.last_mut() {
            let part = if in_rulesheet { &mut case.rulesheet } else { &mut case.expected };
            part.push_str(line);
            part.push('\n');
        }
    }
    cases
}

fn run(name: &str, notation: Notation, game: &str, least: usize) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/broken").join(name);
    let cases = read(&fs::read_to_string(&path).unwrap());
    assert!(cases.len() >= least, "{}", cases.len());
    let bless = std::env::var_os("LUDEX_BLESS").is_some();
    let mut blessed = String::new();
    for case in &cases {
        let rest = if case.title.starts_with('+') { game } else { "" };
        let source = Arc::new(Source::new("game", format!("{}{rest}", case.rulesheet)));
        let options = LoadOptions { notation: Some(notation), ..LoadOptions::default() };
        let checked = load(source.clone(), &options);
        let drawn = report::plain(&source, &checked.diagnostics);
        blessed.push_str(&format!("=== {}\n{}---\n{drawn}", case.title, case.rulesheet));
        assert!(!drawn.is_empty(), "nothing was found: {}", case.title);
        if !bless {
            assert_eq!(drawn, case.expected, "{}\n{drawn}", case.title);
        }
    }
    if bless {
        fs::write(path, blessed).unwrap();
    }
}

#[test]
fn prefix_rulesheets() {
    run("prefix.txt", Notation::Prefix, PREFIX_GAME, 60);
}

#[test]
fn infix_rulesheets() {
    run("infix.txt", Notation::Infix, INFIX_GAME, 12);
}

#[test]
fn the_rest_of_the_game_is_flawless() {
    for (notation, game) in [(Notation::Prefix, PREFIX_GAME), (Notation::Infix, INFIX_GAME)] {
        let source = Arc::new(Source::new("game", game));
        let options = LoadOptions { notation: Some(notation), ..LoadOptions::default() };
        assert_eq!(load(source, &options).diagnostics, []);
    }
}
