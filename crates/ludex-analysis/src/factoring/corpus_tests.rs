//! What is found in the games of the corpus that are made of games. The numbers are read off the rules.

use ludex_game::{Rng, Rules};
use ludex_logic::Budget;
use ludex_testkit::corpus::Corpus;
use ludex_testkit::playable_file;

use super::{Factors, Joining, Termination};
use crate::Subject;
use crate::latches::{LatchEffort, Latches};

fn rules(corpus: &Corpus, name: &str) -> Rules {
    playable_file(&corpus.path(&format!("gdl/{name}.kif"))).unwrap()
}

fn factors(rules: &Rules) -> Factors {
    Factors::find(&Subject::new(rules), &Budget::unlimited()).unwrap()
}

#[test]
fn parallel_and_dual_games_come_apart() {
    let Some(corpus) = Corpus::find("parallel games of the corpus") else { return };
    use Joining::{Joint, Single};
    use Termination::{Clock, Conjunctive, Disjunctive};
    for (name, relevant, all, joining, termination) in [
        // Four boards of lights in one: a press lights one cell of one board.
        ("lightsOnParallel", 4, 4, Single, Disjunctive),
        // A press is of one cell on each board, in all combinations.
        ("lightsOnSimul4", 4, 4, Joint, Disjunctive),
        // Two cells are pressed at once, anywhere: who presses two of one board presses none of another.
        ("lightsOnSimultaneous", 1, 1, Single, Termination::Single),
        ("simultaneousWin2", 1, 1, Single, Termination::Single),
        // Each move is one in both worlds, in all combinations; it ends when both towers stand.
        ("blocksWorldParallel", 2, 2, Joint, Conjunctive),
        // Each move is of one snake; either one's crash is the end.
        ("snakeParallel", 2, 2, Single, Disjunctive),
        // Two boards, on one of which the player whose turn it is drops a disc.
        ("dualConnect4", 2, 2, Single, Disjunctive),
        // Two boards in turns that are opposite. `noop` waits on this board or that, which only the turn tells.
        ("doubletictactoe", 2, 2, Single, Termination::Mixed),
        // Two bridges, on both of which everybody marks a cell at once.
        ("blockerParallel", 2, 2, Joint, Disjunctive),
        // Checkers on the odd and on the even squares, each with its own turns.
        ("chinook", 2, 2, Single, Disjunctive),
        // White stacks blocks while black fetches gold.
        ("hodgepodge", 2, 2, Single, Conjunctive),
        // A maze and blocks, one move at a time, and moves that do nothing.
        ("incredible", 2, 2, Single, Termination::Single),
        // Boards that are played one after the other, by the clock; ten of them count.
        ("factoringImpossibleTurtleBrain", 10, 21, Single, Clock),
    ] {
        let found = factors(&rules(&corpus, name));
        let numbers = (found.relevant().count(), found.factors().len());
        assert_eq!(numbers, (relevant, all), "{name}");
        assert_eq!((found.joining(), found.termination()), (joining, termination), "{name}");
    }
}

#[test]
fn plans_of_one_board_are_plans_of_all() {
    let Some(corpus) = Corpus::find("plans of parallel games of the corpus") else { return };
    for (name, steps) in [("lightsOnParallel", 4), ("lightsOnSimul4", 4), ("blocksWorldParallel", 3)] {
        let plan = factors(&rules(&corpus, name)).plan(30, &Budget::unlimited()).unwrap().plan.unwrap();
        assert_eq!((plan.value, plan.moves.len()), (100, steps), "{name}");
    }
}

/// Twenty boards, one after the other by the clock: each is played in its own four steps, and all the others wait.
#[test]
fn boards_that_are_played_by_the_clock_have_a_plan_in_common() {
    let Some(corpus) = Corpus::find("plans of boards by the clock of the corpus") else { return };
    let rules = rules(&corpus, "factoringImpossibleTurtleBrain");
    let found = factors(&rules).plan(100, &Budget::unlimited()).unwrap();
    let plan = found.plan.unwrap();
    assert_eq!((plan.value, plan.moves.len()), (100, 84));
    // Four presses on four cells, in each of the ten boards that count, and waiting for the end.
    assert!(found.nodes < 10 * 1_000, "{}", found.nodes);
}

/// Plays at random until something holds, and takes the game apart there.
fn after(rules: &Rules, holds: &str) -> (Latches, Vec<bool>) {
    let effort = LatchEffort { most_bases: 0, ..LatchEffort::default() };
    let latches = Latches::find(&Subject::new(rules), &effort, &Budget::unlimited()).unwrap();
    for seed in 1.. {
        let mut rng = Rng::from_seed(seed);
        let mut position = rules.start();
        while !position.terminal().unwrap() {
            if position.fact_texts().iter().any(|fact| fact == holds) {
                let state = latches.bits(&position.facts());
                return (latches, state);
            }
            let mut joint = Vec::new();
            for role in rules.roles() {
                joint.push(*rng.pick(&position.legal(role).unwrap()).unwrap());
            }
            position.advance(&joint).unwrap();
        }
        assert!(seed < 100, "`{holds}` never holds");
    }
    unreachable!("seeds do not end")
}

/// Two games one after the other: what the second may do depends on the first, so they are one game; once
/// the first is over, only the second is left.
#[test]
fn of_serial_games_the_second_is_left_when_the_first_is_over() {
    let Some(corpus) = Corpus::find("serial games of the corpus") else { return };
    for (name, second) in [
        ("blockerSerial", &["(cell2 "][..]),
        (
            "asteroidsSerial",
            &["(x2 ", "(y2 ", "(heading2 ", "(north-speed2 ", "(east-speed2 ", "(step2 "][..],
        ),
    ] {
        let rules = rules(&corpus, name);
        assert_eq!(factors(&rules).factors().len(), 1, "{name}");
        let (latches, state) = after(&rules, "game1overlock");
        let found = Factors::find_in(&latches, &state, &Budget::unlimited()).unwrap();
        // Cells that were marked stay as they are, as every move says for itself, so each is a factor that
        // nothing happens in.
        let left: Vec<String> =
            found.factors().iter().flat_map(|factor| rules.texts(&factor.propositions)).collect();
        let of_second = |text: &String| second.iter().any(|begin| text.starts_with(begin));
        assert!(!left.is_empty() && left.iter().all(of_second), "{name}: {left:?}");
    }
}
