//! Games of sentences: the numbers of the book, and all courses one after the other.

use std::collections::BTreeSet;
use std::sync::Arc;

use ludex_game::Rng;
use ludex_game::incomplete::{Course, IncompleteGame, SheetOptions, Worlds, check_sheet};
use ludex_gdl::{GameSentences, LoadOptions, Source, load, lower_question, parse};
use ludex_logic::relational::{Answer, Assignment, GroundingOptions};
use ludex_logic::{Budget, TermId};

const COMPLETE: &str = include_str!("../../../games/igdl/lights-in-sentences.gdl");
const FROM_ANYWHERE: &str = include_str!("../../../games/igdl/lights-from-anywhere.gdl");
const ALIKE: &str = include_str!("../../../games/igdl/lights-alike.gdl");
const DOORS: &str = include_str!("../../../games/igdl/closed-doors.gdl");
const WATCHMAN: &str = include_str!("../../../games/isdl/watchman.gdl");

fn sentences(text: &str) -> Arc<GameSentences> {
    let checked = load(Arc::new(Source::new("game", text)), &LoadOptions::default());
    assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
    checked.sentences.unwrap()
}

/// A game with some questions.
fn game(text: &str, questions: &str) -> IncompleteGame {
    let sentences = sentences(text);
    let (sheet, errors) = parse(Arc::new(Source::new("questions", questions)), None);
    assert_eq!(errors, []);
    let stated = lower_question(&sentences, &sheet).unwrap();
    let options = GroundingOptions { each_alone: true, budget: Budget::unlimited() };
    IncompleteGame::new(sentences, &stated, &options).unwrap()
}

fn state_count(course: &mut Course<'_>) -> usize {
    let mut count = 0;
    let step = course.now();
    assert!(course.states(step, 1000, |_| count += 1).unwrap());
    count
}

fn number(game: &IncompleteGame, among: &[TermId], text: &str) -> usize {
    let terms = &game.sentences().theory.terms;
    among.iter().position(|&term| terms.infix(term) == text).unwrap()
}

/// Makes the moves of the first role, and sees the percepts of each step.
fn told<'g>(game: &'g IncompleteGame, moves: &[&str], sees: &[&[&str]]) -> Course<'g> {
    let mut course = Course::new(game, &Budget::unlimited()).unwrap();
    for made in moves {
        course.does(0, number(game, game.moves(0), made)).unwrap();
        course.advance().unwrap();
    }
    for (step, seen) in sees.iter().enumerate() {
        let percepts: Vec<TermId> =
            seen.iter().map(|text| game.percepts(0)[number(game, game.percepts(0), text)]).collect();
        course.sees(step, 0, &percepts).unwrap();
    }
    course
}

fn ask(course: &mut Course<'_>, question: usize) -> Answer {
    let edge = course.game().grounding().questions[question][0].edge;
    course.ask(course.now(), edge).unwrap()
}

/// Chapter 19.6: eight states, four after the percept; with one sentence more four, then two.
#[test]
fn possible_states_of_buttons_and_lights() {
    for (text, first, seen) in [(COMPLETE, 1, 1), (FROM_ANYWHERE, 8, 4), (ALIKE, 4, 2)] {
        let game = game(text, "");
        assert_eq!(state_count(&mut told(&game, &[], &[])), first);
        assert_eq!(state_count(&mut told(&game, &[], &[&[]])), seen);
    }
}

/// Chapter 19.7: with q off, p is off, too; after a, b, c, what q shows is what r was.
#[test]
fn what_is_known_in_the_course_of_the_book() {
    let game = game(ALIKE, "true(p). true(q). true(r). true(q) & true(r). init(r)");
    let mut first = told(&game, &[], &[&[]]);
    assert_eq!(
        (0..3).map(|q| ask(&mut first, q)).collect::<Vec<_>>(),
        [Answer::Refuted, Answer::Refuted, Answer::Unknown]
    );
    // Figure 19.3: p is off and q is on.
    let mut third = told(&game, &["a", "b"], &[&[]]);
    assert_eq!((0..2).map(|q| ask(&mut third, q)).collect::<Vec<_>>(), [Answer::Refuted, Answer::Entailed]);
    // Figure 19.4: r is on.
    let mut fourth = told(&game, &["a", "b", "c"], &[&[]]);
    assert_eq!((ask(&mut fourth, 1), ask(&mut fourth, 2)), (Answer::Unknown, Answer::Entailed));
    let mut seen = told(&game, &["a", "b", "c"], &[&[], &[], &["q"], &["q"]]);
    assert_eq!((ask(&mut seen, 3), ask(&mut seen, 4)), (Answer::Entailed, Answer::Entailed));
    let mut never = told(&game, &["a"], &[&["q"], &[]]);
    assert_eq!(ask(&mut never, 0), Answer::Contradictory);
}

#[test]
fn steps_together_tell_what_none_tells_alone() {
    let game = game(DOORS, "open(west,treasure). open(east,treasure)");
    let moves = ["go(west)", "go(treasure)"];
    let mut course = told(&game, &moves, &[&["at(hall)"], &["at(west)"], &["at(west)"]]);
    assert_eq!((ask(&mut course, 0), ask(&mut course, 1)), (Answer::Refuted, Answer::Entailed));
    let mut blind = told(&game, &moves, &[]);
    assert_eq!(ask(&mut blind, 1), Answer::Unknown);
    let reasons = {
        let edge = game.grounding().questions[1][0].edge;
        course.reasons(course.now(), edge).unwrap().unwrap()
    };
    assert!(reasons.iter().filter(|reason| reason.is_ok()).count() >= 3, "{reasons:?}");
}

#[test]
fn a_round_is_known_after_two_steps() {
    let game = game(WATCHMAN, "true(at(a),4). true(at(b),3)");
    let mut course = told(&game, &["wait"], &[&["at(a)"], &["at(b)"]]);
    assert_eq!((ask(&mut course, 0), ask(&mut course, 1)), (Answer::Entailed, Answer::Refuted));
    let mut first = told(&game, &[], &[&["at(a)"]]);
    assert_eq!((ask(&mut first, 0), ask(&mut first, 1)), (Answer::Entailed, Answer::Unknown));
    let mut worlds = Worlds::new(Arc::new(game), 64, &Budget::unlimited()).unwrap();
    assert_eq!(worlds.initial().unwrap().len(), 3);
}

const SMALL: &str = "role(a) base(p) base(q) input(a,m) input(a,n) percept(a,s)
legal(a,m) legal(a,n) ~terminal X!=p & X!=q => ~base(X)
";

/// A random sentence over the atoms of a small game.
fn random_sentence(rng: &mut Rng, depth: u32) -> String {
    const ATOMS: [&str; 10] = [
        "init(p)",
        "init(q)",
        "k",
        "true(p)",
        "true(q)",
        "does(a,m)",
        "does(a,n)",
        "next(p)",
        "next(q)",
        "sees(a,s)",
    ];
    if depth == 0 || rng.below(4) == 0 {
        return ATOMS[rng.below(10) as usize].to_owned();
    }
    let part = |rng: &mut Rng| random_sentence(rng, depth - 1);
    match rng.below(5) {
        0 => format!("~({})", part(rng)),
        1 => format!("({} & {})", part(rng), part(rng)),
        2 => format!("({} | {})", part(rng), part(rng)),
        3 => format!("({} => {})", part(rng), part(rng)),
        _ => format!("({} <=> {})", part(rng), part(rng)),
    }
}

/// The states that are possible after two moves, of random sheets, are those of all courses.
#[test]
fn random_sheets_have_the_states_of_all_courses() {
    let mut rng = Rng::from_seed(19);
    let (mut possible, mut several) = (0, 0);
    for _ in 0..150 {
        let lines: Vec<String> = (0..2 + rng.below(4)).map(|_| random_sentence(&mut rng, 3)).collect();
        let text = format!("{SMALL}{}\nk | ~k\nsees(a,s) | ~sees(a,s)\n", lines.join("\n"));
        let checked = load(Arc::new(Source::new("game", text.as_str())), &LoadOptions::default());
        let Some(sentences) = checked.sentences else { panic!("{text}: {:?}", checked.diagnostics) };
        let options = GroundingOptions { each_alone: false, budget: Budget::unlimited() };
        let game = IncompleteGame::new(Arc::clone(&sentences), &[], &options).unwrap();
        let made = ["m", "n"].map(|_| if rng.below(2) == 0 { "m" } else { "n" });
        let seen = rng.below(3);
        let mut course = match seen {
            0 => told(&game, &made, &[]),
            1 => told(&game, &made, &[&[]]),
            _ => told(&game, &made, &[&["s"]]),
        };
        let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
        let terms = &sentences.theory.terms;
        course
            .states(2, 16, |facts| {
                let mut names: Vec<String> = facts.iter().map(|&fact| terms.infix(fact)).collect();
                names.sort();
                found.insert(names);
            })
            .unwrap();
        let seen = [None, Some(false), Some(true)][seen as usize];
        let expected = all_courses(&sentences, &made, seen);
        assert_eq!(found, expected, "{text} {made:?} {seen:?}");
        possible += usize::from(!expected.is_empty());
        several += usize::from(expected.len() > 1);
    }
    assert!(possible > 60 && several > 30, "{possible} {several}");
}

/// What is true at a step: p, q, does m (else n), next p, next q, sees, k.
type Step = [bool; 7];

/// The states after two moves of all courses, by definition.
fn all_courses(sentences: &GameSentences, made: &[&str; 2], seen: Option<bool>) -> BTreeSet<Vec<String>> {
    let theory = &sentences.theory;
    let k = theory.find_relation("k", 0).unwrap();
    let bits = |number: u32, at: usize| number >> at & 1 == 1;
    let mut states = BTreeSet::new();
    for fixed in 0..8u32 {
        let steps: Vec<Step> = (0..128u32)
            .map(|number| std::array::from_fn(|at| bits(number, at)))
            .filter(|step: &Step| sentences.changes[k] || step[6] == bits(fixed, 2))
            .filter(|step| is_model(sentences, [bits(fixed, 0), bits(fixed, 1)], step))
            .collect();
        let does = |name: &str| name == "m";
        for first in &steps {
            let begins = first[..2] == [bits(fixed, 0), bits(fixed, 1)] && first[2] == does(made[0]);
            if !begins || seen.is_some_and(|seen| first[5] != seen) {
                continue;
            }
            for second in steps.iter().filter(|step| step[..2] == first[3..5] && step[2] == does(made[1])) {
                for third in steps.iter().filter(|step| step[..2] == second[3..5]) {
                    let names = ["p", "q"].iter().zip(&third[..2]).filter(|(_, held)| **held);
                    states.insert(names.map(|(name, _)| (*name).to_owned()).collect());
                }
            }
        }
    }
    states
}

/// Whether all sentences hold at a step.
fn is_model(sentences: &GameSentences, init: [bool; 2], step: &Step) -> bool {
    let theory = &sentences.theory;
    let v = &sentences.vocabulary;
    let constant = |name: &str| theory.terms.constant(name);
    let (a, p, q) = (constant("a"), constant("p"), constant("q"));
    let (m, n, s) = (constant("m"), constant("n"), constant("s"));
    let mut assignment = Assignment { objects: vec![a, p, q, m, n, s], ..Assignment::default() };
    let mut set = |relation, args: &[TermId], holds: bool| {
        if holds {
            assignment.set(relation, args);
        }
    };
    for (relation, args) in [
        (v.role, &[a][..]),
        (v.base, &[p]),
        (v.base, &[q]),
        (v.input, &[a, m]),
        (v.input, &[a, n]),
        (v.percept, &[a, s]),
        (v.legal, &[a, m]),
        (v.legal, &[a, n]),
    ] {
        set(relation, args, true);
    }
    set(v.init, &[p], init[0]);
    set(v.init, &[q], init[1]);
    set(v.truth, &[p], step[0]);
    set(v.truth, &[q], step[1]);
    set(v.does, &[a, m], step[2]);
    set(v.does, &[a, n], !step[2]);
    set(v.next, &[p], step[3]);
    set(v.next, &[q], step[4]);
    set(v.sees, &[a, s], step[5]);
    set(theory.find_relation("k", 0).unwrap(), &[], step[6]);
    theory.sentences.iter().all(|stated| assignment.satisfies(&theory.terms, stated))
}

#[test]
fn sheets_are_compared_with_the_complete_rules() {
    let complete = sentences(COMPLETE);
    let report = |text: &str| {
        let (sheet, errors) = parse(Arc::new(Source::new("sheet", text)), None);
        assert_eq!(errors, []);
        let stated = lower_question(&complete, &sheet).unwrap();
        (stated.len(), check_sheet(&complete, &stated, &SheetOptions::default()).unwrap())
    };
    let (count, alike) = report(ALIKE);
    assert_eq!((alike.proved, alike.held.len(), alike.wrong.len()), (count, 0, 0));
    // True in all states that come up, and not in all states that there could be.
    let (_, held) = report("true(step(7)) => ~true(step(1))");
    assert_eq!((held.proved, held.held.as_slice(), held.wrong.len()), (0, &[0][..], 0));
    assert!(held.states >= 70);
    let (_, wrong) = report("true(step(3)) => ~true(p)\ninit(p) <=> init(q)");
    assert_eq!((wrong.proved, wrong.wrong.len(), wrong.wrong[0].sentence), (1, 1, 0));
    assert_eq!(wrong.wrong[0].course.steps.len(), 3);
}
