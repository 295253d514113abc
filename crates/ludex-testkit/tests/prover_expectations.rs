//! What another project's state-machine tests assert about their small games
//! (`gdl-tests/EXPECTATIONS.md`), on every engine.

use ludex_game::{Goal, Machine, find_term};
use ludex_logic::Budget;
use ludex_testkit::corpus::Corpus;
use ludex_testkit::{Configuration, program_of};

struct Play<'a> {
    machine: &'a dyn Machine,
    runner: Box<dyn ludex_game::Runner + 'a>,
    name: String,
}

impl Play<'_> {
    fn legal(&mut self, role: usize) -> Vec<String> {
        let signature = self.machine.signature();
        let role = signature.role_ids().nth(role).unwrap();
        let legal = self.runner.legal(role).unwrap();
        legal.iter().map(|&a| signature.terms().prefix(signature.action(a))).collect()
    }

    fn step(&mut self, joint: &[&str]) {
        let signature = self.machine.signature();
        let mut actions = Vec::new();
        for (role, text) in joint.iter().enumerate() {
            assert!(self.legal(role).contains(&(*text).to_owned()), "{}: {text}", self.name);
            let term = find_term(signature.terms(), text).unwrap().unwrap();
            actions.push(signature.find_action(term).unwrap());
        }
        self.runner.step(&actions).unwrap();
    }

    fn terminal(&mut self) -> bool {
        self.runner.terminal().unwrap()
    }

    fn goals(&mut self) -> Vec<Option<Goal>> {
        self.machine.signature().role_ids().map(|r| self.runner.goal(r).unwrap()).collect()
    }
}

/// Runs a test on each engine.
fn play(file: &str, test: impl Fn(&mut Play<'_>)) {
    let Some(corpus) = Corpus::find(file) else { return };
    let path = corpus.path("gdl-tests/ggp-base-tests").join(format!("{file}.kif"));
    let game = program_of(&path).unwrap_or_else(|e| panic!("{e}"));
    for configuration in Configuration::BY_RULES {
        let name = format!("{file} on the {configuration}");
        let machine = configuration.machine(&game).unwrap_or_else(|e| panic!("{name}: {e}"));
        let runner = machine.runner(&Budget::unlimited());
        test(&mut Play { machine: &*machine, runner, name });
    }
}

#[test]
fn tic_tac_toe() {
    play("ticTacToe", |game| {
        let signature = game.machine.signature();
        let roles: Vec<_> = signature.roles().iter().map(|&r| signature.terms().prefix(r)).collect();
        assert_eq!(roles, ["xplayer", "oplayer"]);
        assert_eq!(game.legal(0).len(), 9);
        assert_eq!(game.legal(1), ["noop"]);
        let moves = ["(mark 1 1)", "(mark 1 3)", "(mark 3 1)", "(mark 2 2)", "(mark 2 1)"];
        for (i, text) in moves.into_iter().enumerate() {
            assert!(!game.terminal());
            game.step(&if i % 2 == 0 { [text, "noop"] } else { ["noop", text] });
        }
        assert!(game.terminal(), "{}", game.name);
        assert_eq!(game.goals(), [Some(100), Some(0)]);
    });
}

#[test]
fn a_rule_without_a_body() {
    play("test_case_1a", |game| {
        assert!(!game.terminal());
        assert_eq!(game.goals(), [Some(100)]);
        game.step(&["proceed"]);
        assert!(game.terminal(), "{}", game.name);
        assert_eq!(game.goals(), [Some(100)]);
    });
}

#[test]
fn an_undefined_proposition_is_false() {
    play("test_case_3c", |game| {
        assert_eq!(game.legal(0), ["win"]);
        game.step(&["win"]);
        assert!(game.terminal(), "{}", game.name);
        assert_eq!(game.goals(), [Some(100)]);
    });
}

#[test]
fn recursion_through_function_terms_and_among_relations() {
    for file in ["test_case_5a", "test_case_5c", "test_case_5d"] {
        play(file, |game| {
            assert_eq!(game.legal(0), ["proceed"], "{}", game.name);
            game.step(&["proceed"]);
            assert!(game.terminal(), "{}", game.name);
            assert_eq!(game.goals(), [Some(100)], "{}", game.name);
        });
    }
}

#[test]
fn doubled_variables() {
    play("test_case_5b", |game| {
        assert_eq!(game.legal(0), ["(draw 1 1 1 2)"]);
        game.step(&["(draw 1 1 1 2)"]);
        assert!(game.terminal(), "{}", game.name);
    });
}

#[test]
fn seven_ways_to_reduce() {
    play("test_case_5e", |game| {
        let expected = [
            "(reduce a 0)",
            "(reduce a 1)",
            "(reduce c 0)",
            "(reduce c 1)",
            "(reduce c 2)",
            "(reduce c 3)",
            "(reduce c 4)",
        ];
        assert_eq!(game.legal(0), expected);
        assert!(!game.terminal());
    });
}

#[test]
fn distinct_at_the_beginning_of_a_rule() {
    play("test_distinct_beginning_rule", |game| {
        assert_eq!(game.legal(0).len(), 2);
        game.step(&["(do a b)"]);
        assert!(game.terminal(), "{}", game.name);
        assert_eq!(game.goals(), [Some(100)]);
    });
}
