//! Programs of the book, and random ones.

use ludex_game::Rng;
use ludex_logic::{Budget, LimitError};

use super::super::{ChoiceRule, End, Head, Program, Rule};
use super::oracle::{self, Set};

/// Figure 15.1.
const FIGURE: &str = "
    p1

    p2 :- a1 & p1
    p2 :- b1 & ~p1

    a1 :- ~b1
    b1 :- ~a1

    :- p2";

fn program(text: &str) -> Program {
    Program::read(text).unwrap()
}

/// The names of all answer sets, sorted.
fn models(program: &Program) -> Vec<String> {
    let found = program.models(usize::MAX, &Budget::unlimited());
    assert_eq!(found.end, End::All);
    let mut names: Vec<String> = found.models.iter().map(|model| program.names(model).join(" ")).collect();
    names.sort();
    names
}

fn named(program: &Program, set: Set) -> String {
    let atoms: Vec<_> = program.atoms().filter(|atom| set >> atom.index() & 1 == 1).collect();
    program.names(&atoms).join(" ")
}

#[test]
fn figure_15_1_has_one_model() {
    assert_eq!(models(&program(FIGURE)), ["b1 p1"]);
}

#[test]
fn exercise_15_1_has_two_minimal_models_and_one_is_supported() {
    let program = program(&FIGURE.replacen("p1", "", 1));
    let minimal = oracle::minimal_models(&program);
    let mut names: Vec<String> = minimal.iter().map(|&set| named(&program, set)).collect();
    names.sort();
    assert_eq!(names, ["a1", "b1 p1"]);
    let supported = minimal.iter().copied().filter(|&set| oracle::is_supported(&program, set));
    assert_eq!(supported.map(|set| named(&program, set)).collect::<Vec<_>>(), ["a1"]);
    assert_eq!(models(&program), ["a1"]);
}

#[test]
fn atoms_that_only_support_each_other_are_false() {
    let round = program("a :- b. b :- a. c :- not a.");
    assert_eq!(models(&round), ["c"]);
    let helped = program("a :- b. b :- a. {s}. b :- s. :- not a.");
    let found = helped.models(9, &Budget::unlimited());
    assert_eq!(found.models.len(), 1);
    assert_eq!(helped.names(&found.models[0]), ["a", "b", "s"]);
    // Reachability around a ring of choices: 2^5 sets of edges, told apart by edges.
    let mut text = String::from("r0. ");
    for at in 0..5 {
        text.push_str(&format!("{{e{at}}}. r{} :- r{at}, e{at}. r{at} :- r{}, e{at}. ", at + 1, at + 1));
    }
    let mut ring = program(&(text + ":- not r5."));
    assert_eq!(models(&ring).len(), 1);
    let edges = (0..5).map(|at| ring.find(&format!("e{at}")).unwrap()).collect();
    ring.show(edges);
    assert_eq!(models(&ring), ["e0 e1 e2 e3 e4"]);
}

#[test]
fn choices_keep_their_bounds() {
    let of = |text: &str| models(&program(text)).len();
    assert_eq!(of("{a; b; c; d; e; f}."), 64);
    assert_eq!(of("2 {a; b; c; d; e; f} 3."), 15 + 20);
    assert_eq!(of("1 {a; b; c; d; e; f} 1."), 6);
    assert_eq!(of("6 {a; b; c; d; e; f}."), 1);
    assert_eq!(of("7 {a; b; c; d; e; f}."), 0);
    assert_eq!(of("{a; b} 0."), 1);
    assert_eq!(of("2 {a; a; b} 2."), 1);
    assert_eq!(of("1 {} 1."), 0);
    assert_eq!(of("{g}. 1 {a; b; c} 1 :- g."), 1 + 3);
    assert_eq!(of("{a; b}. 1 {a; b} 1."), 2);
}

/// Three nodes in a ring, coloured so that neighbours differ.
#[test]
fn rules_with_variables_are_written_out_for_what_may_hold() {
    let ring = "#const n = 3.
        node(1..n). edge(X,X+1) :- node(X), X < n. edge(n,1).
        1 { colour(X,C) : hue(C) } 1 :- node(X).
        hue(red). hue(green). hue(blue).
        :- edge(X,Y), colour(X,C), colour(Y,C).
        #show colour/2.";
    let found = models(&program(ring));
    assert_eq!(found.len(), 6);
    assert_eq!(found[0], "colour(1,blue) colour(2,green) colour(3,red)");
    assert_eq!(models(&program(&ring.replace("n = 3", "n = 4"))).len(), 18);
    // What is not true of a value is found out for that value.
    let defaults =
        "bird(tweety). bird(pingu). penguin(pingu). flies(X) :- bird(X), not penguin(X). #show flies/1.";
    assert_eq!(models(&program(defaults)), ["flies(tweety)"]);
    let sums =
        "p(1..4). q(Z) :- p(X), p(Y), X < Y, Z = X*Y - 1, Z != 5. r(f(X),\"a b\") :- q(X), X > 6. #show r/2.";
    assert_eq!(models(&program(sums)), ["r(f(11),\"a b\") r(f(7),\"a b\")"]);
}

/// What was true a step before, as translations of games say it.
#[test]
fn what_is_reckoned_with_may_come_from_another_atom() {
    let text = "#const n = 3. time(1..n). done(2). done(T) :- done(T-1), time(T). #show done/1.";
    assert_eq!(models(&program(text)), ["done(2) done(3)"]);
}

/// What may be chosen depends on what was chosen: only what holds counts.
#[test]
fn elements_of_choices_count_where_their_conditions_hold() {
    let text = "{ open(1..3) }. 1 { taken(X) : open(X) } 1. #show open/1. #show taken/1.";
    // One of the open ones is taken: 3 times 1, 3 times 2 and once 3.
    assert_eq!(models(&program(text)).len(), 3 + 6 + 3);
    let never = "{ open(1..3) }. 1 { taken(X) : open(X) } 1. :- open(1). :- open(2). :- open(3).";
    assert_eq!(models(&program(never)).len(), 0);
    let unless = "{ shut(1) }. { go(X) : way(X), not shut(X) }. way(1..2). #show go/1. #show shut/1.";
    assert_eq!(models(&program(unless)).len(), 4 + 2);
}

#[test]
fn models_can_be_few_projected_and_out_of_budget() {
    let mut free = program("{a; b; c}. d :- a.");
    let found = free.models(3, &Budget::unlimited());
    assert_eq!((found.models.len(), found.end), (3, End::Enough));
    let shown = ["a", "d"].map(|name| free.find(name).unwrap()).to_vec();
    free.show(shown);
    assert_eq!(models(&free), ["", "a d"]);
    let stopped = free.models(9, &Budget::unlimited().with_work(3));
    assert_eq!(stopped.end, End::Stopped(LimitError::Work { limit: 3 }));
}

/// A random program over a few atoms.
fn random(rng: &mut Rng) -> Program {
    let mut program = Program::new();
    let count = 2 + rng.below(5) as usize;
    let atoms: Vec<_> = (0..count).map(|at| program.atom(&format!("a{at}"))).collect();
    for _ in 0..1 + rng.below(12) {
        let mut some = |most: u64| -> Vec<_> {
            (0..rng.below(most)).map(|_| atoms[rng.below(count as u64) as usize]).collect()
        };
        let (positive, negative, chosen) = (some(3), some(3), some(4));
        let head = match rng.below(8) {
            0 => Head::Constraint,
            1 | 2 => Head::Choice(ChoiceRule {
                atoms: chosen,
                at_least: rng.below(3) as usize,
                at_most: (rng.below(2) == 0).then(|| rng.below(4) as usize),
            }),
            _ => Head::Atom(atoms[rng.below(count as u64) as usize]),
        };
        program.rule(Rule { head, positive, negative });
    }
    program
}

#[test]
fn random_programs_have_the_models_that_trying_all_sets_finds() {
    let mut rng = Rng::from_seed(15);
    let (mut models, mut loops) = (0, 0);
    for _ in 0..ludex_testkit::rounds(600) {
        let program = random(&mut rng);
        let found = program.models(usize::MAX, &Budget::unlimited());
        let bits = |model: &Vec<super::super::Atom>| model.iter().map(|a| 1 << a.index()).sum::<Set>();
        let mut sets: Vec<Set> = found.models.iter().map(bits).collect();
        sets.sort_unstable();
        assert_eq!(sets, oracle::answer_sets(&program), "{program}");
        models += sets.len();
        loops += found.loops;
    }
    assert!(models > 300 && loops > 20, "{models} models, {loops} loops");
}
