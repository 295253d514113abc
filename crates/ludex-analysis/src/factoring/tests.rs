use ludex_game::{Rng, RoleId, Rules};
use ludex_logic::{Budget, TermId};
use ludex_propnet::CircuitEvaluator;
use ludex_testkit::{playable, playable_bundled, rounds};

use super::{Evidence, Factors, Joining, Standing, Termination};
use crate::latches::{LatchEffort, Latches};
use crate::{Subject, Witness};

fn factors(rules: &Rules) -> Factors {
    Factors::find(&Subject::new(rules), &Budget::unlimited()).unwrap()
}

fn texts(factors: &Factors, terms: &[TermId]) -> Vec<String> {
    factors.rules().texts(terms)
}

/// Per factor its propositions in one line.
fn propositions(factors: &Factors) -> Vec<String> {
    factors.factors().iter().map(|factor| texts(factors, &factor.propositions).join(" ")).collect()
}

/// `copies` groups of lights with three buttons each; `goal` says what is to be done with `on(X)`.
fn groups(copies: usize, steps: usize, goal: &str) -> Rules {
    let mut text = "
        role(white) init(step(0)) base(step(0)) base(step(N)) :- successor(M,N)
        base(p(X)) :- index(X) base(q(X)) :- index(X) base(r(X)) :- index(X)
        input(white,a(X)) :- index(X) input(white,b(X)) :- index(X) input(white,c(X)) :- index(X)
        legal(white,a(X)) :- index(X) legal(white,b(X)) :- index(X) legal(white,c(X)) :- index(X)
        next(p(X)) :- does(white,a(X)) & ~true(p(X))
        next(p(X)) :- does(white,b(X)) & true(q(X))
        next(p(X)) :- true(p(X)) & ~does(white,a(X)) & ~does(white,b(X))
        next(q(X)) :- does(white,b(X)) & true(p(X))
        next(q(X)) :- does(white,c(X)) & true(r(X))
        next(q(X)) :- true(q(X)) & ~does(white,b(X)) & ~does(white,c(X))
        next(r(X)) :- does(white,c(X)) & true(q(X))
        next(r(X)) :- true(r(X)) & ~does(white,c(X))
        next(step(N)) :- true(step(M)) & successor(M,N)
        on(X) :- true(p(X)) & true(q(X)) & true(r(X))
        "
    .to_owned();
    text += goal;
    text += &format!("terminal :- true(step({steps}))\n");
    (1..=copies).for_each(|n| text += &format!("index({n}) "));
    (0..steps).for_each(|n| text += &format!("successor({n},{}) ", n + 1));
    playable("groups.gdl", &text).unwrap()
}

const BEST: &str = "done :- on(X)\nterminal :- done\ngoal(white,100) :- done\ngoal(white,0) :- ~done\n";

/// `copies` groups of lights, and a button for each combination of what it does in each group.
fn joint(copies: usize) -> Rules {
    let names: Vec<String> = (0..3usize.pow(copies as u32))
        .map(|number| (0..copies).map(|at| ['a', 'b', 'c'][number / 3usize.pow(at as u32) % 3]).collect())
        .collect();
    let mut text = "
        role(white) init(step(1)) base(step(1)) base(step(N)) :- successor(M,N)
        base(light(G,L)) :- index(G) & index(L)
        input(white,B) :- button(B) legal(white,B) :- button(B)
        does_in(G,A) :- does(white,B) & part(B,G,A)
        next(light(G,1)) :- does_in(G,a) & ~true(light(G,1))
        next(light(G,M)) :- does_in(G,A) & true(light(G,L)) & carries(A,L,M)
        next(step(N)) :- true(step(M)) & successor(M,N)
        carries(a,2,2) carries(a,3,3) carries(b,1,2) carries(b,2,1) carries(b,3,3)
        carries(c,1,1) carries(c,2,3) carries(c,3,2)
        terminal :- true(step(7))
        goal(white,100) :- ~some_off
        goal(white,0) :- some_off
        some_off :- group(G) & ~on(G)
        on(G) :- true(light(G,1)) & true(light(G,2)) & true(light(G,3))
        index(1) index(2) index(3)
        successor(1,2) successor(2,3) successor(3,4) successor(4,5) successor(5,6) successor(6,7)\n"
        .replace("base(light(G,L)) :- index(G)", "base(light(G,L)) :- group(G)");
    (1..=copies).for_each(|n| text += &format!("group({n}) "));
    for name in &names {
        text += &format!("button({name}) ");
        for (at, action) in name.chars().enumerate() {
            text += &format!("part({name},{},{action}) ", at + 1);
        }
    }
    playable("joint.gdl", &text).unwrap()
}

#[test]
fn of_multiple_buttons_and_lights_one_group_matters() {
    let rules = playable_bundled("multiple-buttons-and-lights").unwrap();
    let found = factors(&rules);
    // The clock is the counter, and each group is a factor of its own.
    assert_eq!(found.clock().len(), 13);
    assert_eq!(propositions(&found), ["p(1) q(1) r(1)", "p(2) q(2) r(2)", "p(3) q(3) r(3)"]);
    let relevant: Vec<bool> = found.factors().iter().map(|factor| factor.is_relevant()).collect();
    assert_eq!(relevant, [false, true, false]);
    assert_eq!((found.joining(), found.termination()), (Joining::Single, Termination::Single));
    let classes = &found.factors()[1].actions[0];
    let own: Vec<Vec<String>> =
        classes.iter().filter(|class| !class.idle).map(|class| texts(&found, &class.moves)).collect();
    assert_eq!(own, [["a(2)"], ["b(2)"], ["c(2)"]]);
    // Six presses, found among the states of one group.
    let solution = found.plan(20, &Budget::unlimited()).unwrap();
    let plan = solution.plan.unwrap();
    assert_eq!((plan.moves.len(), plan.value, solution.nodes), (6, 100, 8));
}

#[test]
fn best_buttons_and_lights_ends_with_any_of_its_factors() {
    let rules = playable_bundled("best-buttons-and-lights").unwrap();
    let found = factors(&rules);
    assert_eq!(propositions(&found), ["p(1) q(1) r(1)", "p(2) q(2) r(2)", "p(3) q(3) r(3)"]);
    assert_eq!((found.joining(), found.termination()), (Joining::Single, Termination::Disjunctive));
    let plan = found.plan(20, &Budget::unlimited()).unwrap().plan.unwrap();
    assert_eq!((plan.moves.len(), plan.value), (6, 100));
}

#[test]
fn joint_buttons_and_lights_comes_apart_by_classes_of_buttons() {
    let rules = playable_bundled("joint-buttons-and-lights").unwrap();
    let found = factors(&rules);
    assert_eq!(
        propositions(&found),
        [
            "light(1,1) light(1,2) light(1,3)",
            "light(2,1) light(2,2) light(2,3)",
            "light(3,1) light(3,2) light(3,3)"
        ]
    );
    assert_eq!((found.joining(), found.termination()), (Joining::Joint, Termination::Clock));
    for factor in found.factors() {
        let sizes: Vec<usize> = factor.actions[0].iter().map(|class| class.moves.len()).collect();
        assert_eq!(sizes, [9, 9, 9]);
    }
    let plan = found.plan(20, &Budget::unlimited()).unwrap().plan.unwrap();
    assert_eq!((plan.moves.len(), plan.value), (6, 100));
}

/// Book 11.1: a^d + b^d instead of (ab)^d.
#[test]
fn work_grows_as_the_sum_of_the_factors() {
    let nodes = |rules: &Rules| {
        let solution = factors(rules).plan(20, &Budget::unlimited()).unwrap();
        let plan = solution.plan.unwrap();
        assert_eq!((plan.moves.len(), plan.value), (6, 100));
        let end = Witness { steps: plan.moves.iter().map(|&action| vec![action]).collect() };
        assert!(end.replay(rules).unwrap().terminal().unwrap());
        solution.nodes
    };
    let one = nodes(&groups(1, 12, BEST));
    let best: Vec<u64> = (2..=8).map(|copies| nodes(&groups(copies, 12, BEST))).collect();
    assert_eq!(best, (2..=8).map(|copies| copies * one).collect::<Vec<_>>());
    // All factors move in each step, so that states count once for each number of steps.
    let one = nodes(&joint(2)) / 2;
    // With eight copies there are 6 561 buttons, which unoptimised builds take long to read.
    let most = if rounds(1) > 1 { 8 } else { 4 };
    let joint: Vec<u64> = (2..=most).map(|copies| nodes(&joint(copies as usize))).collect();
    assert_eq!(joint, (2..=most).map(|copies| copies * one).collect::<Vec<_>>());
}

/// Conjunctive termination (11.3): the plans of all groups, one after another.
#[test]
fn plans_of_all_factors_are_put_together_under_the_step_limit() {
    let all = |steps| {
        let goal =
            "done :- on(1) & on(2)\nterminal :- done\ngoal(white,100) :- done\ngoal(white,0) :- ~done\n";
        groups(2, steps, goal)
    };
    let found = factors(&all(12));
    let plan = found.plan(20, &Budget::unlimited()).unwrap().plan.unwrap();
    assert_eq!((found.factors().len(), plan.moves.len(), plan.value), (2, 12, 100));
    // One step less, and there is no plan.
    let short = factors(&all(11)).plan(20, &Budget::unlimited()).unwrap();
    assert_eq!((short.plan, short.standing), (None, Standing::Best(Evidence::Factors)));
}

/// The game goes on until its last step: whoever is done before presses where it does not matter.
#[test]
fn plans_wait_for_the_step_that_ends_the_game() {
    let until_the_end =
        |copies| groups(copies, 14, "goal(white,100) :- on(1) & on(2)\ngoal(white,0) :- ~on(1)\n");
    let found = factors(&until_the_end(3));
    assert_eq!((found.relevant().count(), found.factors().len()), (2, 3));
    let plan = found.plan(20, &Budget::unlimited()).unwrap().plan.unwrap();
    assert_eq!((plan.moves.len(), plan.value), (14, 100));
    let moves = texts(&found, &plan.moves);
    assert!(
        moves[..12].iter().all(|text| !text.contains('3'))
            && moves[12..].iter().all(|text| text.contains('3'))
    );
    // Too short a game is too short, however one waits.
    let short = groups(3, 11, "goal(white,100) :- on(1) & on(2)\ngoal(white,0) :- ~on(1)\n");
    let short = factors(&short).plan(20, &Budget::unlimited()).unwrap();
    assert_eq!((short.plan, short.standing), (None, Standing::Best(Evidence::Factors)));
}

#[test]
fn only_the_middle_board_of_multiple_tic_tac_toe_matters() {
    let found = factors(&playable_bundled("multiple-tic-tac-toe").unwrap());
    assert_eq!(texts(&found, &found.clock()), ["(control black)", "(control white)"]);
    let relevant: Vec<_> = found.relevant().collect();
    assert_eq!(relevant.len(), 1);
    assert_eq!(relevant[0].propositions.len(), 27);
    assert!(texts(&found, &relevant[0].propositions).iter().all(|text| text.starts_with("(cell 2 ")));
    for role in [0, 1] {
        let own = relevant[0].actions[role].iter().filter(|class| !class.idle).count();
        assert_eq!(own, 9);
        let game = found.game(found.factors().iter().position(|f| f.is_relevant()).unwrap()).unwrap();
        game.circuit.check().unwrap();
    }
}

/// Rows of two cells; a blank cell is said of each mark to stay blank, as in tic-tac-toe, so that waiting is
/// another move in all rows.
fn rows(goals: &str) -> Rules {
    let text = "role(white) role(black) init(control(white)) init(cell(R,C,b)) :- row(R) & row(C)
        row(1) row(2)
        legal(W,mark(R,C)) :- true(control(W)) & true(cell(R,C,b))
        legal(W,pass) :- true(control(W))
        legal(white,noop) :- true(control(black)) legal(black,noop) :- true(control(white))
        next(cell(R,C,W)) :- does(W,mark(R,C))
        next(cell(R,C,Z)) :- true(cell(R,C,Z)) & distinct(Z,b)
        next(cell(R,C,b)) :- does(W,mark(M,N)) & true(cell(R,C,b)) & distinct(R,M)
        next(cell(R,C,b)) :- does(W,mark(M,N)) & true(cell(R,C,b)) & distinct(C,N)
        next(cell(R,C,b)) :- does(W,pass) & true(cell(R,C,b))
        next(control(white)) :- true(control(black)) next(control(black)) :- true(control(white))\n";
    playable("rows.gdl", &format!("{text}{goals}")).unwrap()
}

#[test]
fn a_move_that_has_to_be_made_is_not_made_in_several_factors_at_once() {
    // A row without blank cells ends it: each row is a game of its own.
    let found = factors(&rows(
        "open(R) :- true(cell(R,C,b))
         full(R) :- row(R) & ~open(R)
         won(R) :- true(cell(R,1,white)) & true(cell(R,2,white))
         terminal :- full(R)
         goal(white,100) :- won(R)
         goal(white,0) :- ~won(1) & ~won(2)
         goal(black,0)",
    ));
    let cells: Vec<usize> = found.factors().iter().map(|factor| factor.propositions.len()).collect();
    assert_eq!((cells, found.joining()), (vec![6, 6], Joining::Single));
    assert!(found.has_common_moves(), "waiting is another move in both");
    assert_eq!(found.termination(), Termination::Disjunctive);
    factors_follow_the_game(&found);
    // Nobody marks two cells at once, and lines join the cells of the board, as in multiple tic-tac-toe.
    let found = factors(&playable_bundled("tic-tac-toe").unwrap());
    assert_eq!((found.factors().len(), found.joining()), (1, Joining::Single));
}

#[test]
fn hodgepodge_is_tic_tac_toe_and_nim() {
    let found = factors(&playable_bundled("hodgepodge").unwrap());
    let all = propositions(&found);
    assert_eq!(all.len(), 2, "{all:#?}");
    assert!(all[0].split(") (").all(|text| text.contains("cell")), "{}", all[0]);
    assert!(all[1].split(") (").all(|text| text.contains("heap") || text.contains("nim_won")), "{}", all[1]);
    assert_eq!((found.joining(), found.termination()), (Joining::Joint, Termination::Conjunctive));
    assert!(found.factors().iter().all(|factor| factor.ends && !factor.goals.is_empty()));
    for factor in 0..2 {
        found.game(factor).unwrap().circuit.check().unwrap();
    }
}

/// Book 11.5: the boards come apart once no line can go through the centre any more.
#[test]
fn joint_tic_tac_toe_comes_apart_during_play() {
    let rules = playable_bundled("joint-tic-tac-toe").unwrap();
    let subject = Subject::new(&rules);
    let budget = Budget::unlimited();
    let effort = LatchEffort { most_bases: 0, ..LatchEffort::default() };
    let latches = Latches::find(&subject, &effort, &budget).unwrap();
    let boards = |steps: &[&str]| {
        let mut position = rules.start();
        for (number, action) in steps.iter().enumerate() {
            position.play_some(&[(RoleId(number as u32 % 2), action)]).unwrap();
        }
        let bits = latches.bits(&position.facts());
        Factors::find_in(&latches, &bits, &budget).unwrap()
    };
    assert_eq!(boards(&[]).factors().len(), 1);
    assert_eq!(boards(&["(marks 2 2 5 2)", "(marks 3 2 6 2)"]).factors().len(), 1);
    // White takes the centre, and black has a mark on both lines through it.
    let blocked = ["(marks 2 2 4 2)", "(marks 3 2 6 2)"];
    let found = boards(&blocked);
    let all = propositions(&found);
    assert_eq!(all.len(), 2, "{all:#?}");
    assert!(!all[0].contains("(cell 5") && !all[0].contains("(cell 7"), "{}", all[0]);
    assert!(!all[1].contains("(cell 1") && !all[1].contains("(cell 3"), "{}", all[1]);
    assert_eq!((found.joining(), found.termination()), (Joining::Joint, Termination::Mixed));
}

/// Two lamps in opposite turns: who must not switch here waits, and waiting here is the same move as there.
const OPPOSITE: &str = "
    role(white) role(black)
    init(turn(left,white)) init(turn(right,black)) init(lamp(left,0)) init(lamp(right,0))
    base(turn(S,R)) :- side(S) & role(R)
    base(lamp(S,N)) :- side(S) & number(N)
    input(R,switch(S,N)) :- role(R) & side(S) & number(N)
    input(R,wait) :- role(R)
    legal(R,switch(S,N)) :- true(turn(S,R)) & true(lamp(S,M)) & higher(N,M)
    legal(R,wait) :- true(turn(S,R)) & true(lamp(S,3))
    next(lamp(S,N)) :- does(R,switch(S,N))
    next(lamp(S,N)) :- true(lamp(S,N)) & true(turn(S,R)) & does(R,wait)
    next(turn(S,white)) :- true(turn(S,black))
    next(turn(S,black)) :- true(turn(S,white))
    terminal :- true(lamp(left,3)) & true(lamp(right,3))
    goal(R,100) :- true(turn(left,R))
    goal(R,0) :- true(turn(right,R))
    side(left) side(right) number(0) number(1) number(2) number(3)
    higher(1,0) higher(2,0) higher(3,0) higher(2,1) higher(3,1) higher(3,2)
";

#[test]
fn a_move_that_is_another_one_in_each_turn_holds_no_factors_together() {
    let rules = playable("opposite.gdl", OPPOSITE).unwrap();
    let found = factors(&rules);
    let left = "lamp(left,0) lamp(left,1) lamp(left,2) lamp(left,3)";
    assert_eq!(propositions(&found), [left.to_owned(), left.replace("left", "right")]);
    assert_eq!((found.joining(), found.termination()), (Joining::Single, Termination::Conjunctive));
    factors_follow_the_game(&found);
}

/// That a heap stays as it is while another one is taken from is only known where one role takes at a time.
#[test]
fn nim_is_its_heaps() {
    let found = factors(&playable_bundled("nim").unwrap());
    let heaps: Vec<usize> = found.factors().iter().map(|factor| factor.propositions.len()).collect();
    assert_eq!((heaps, found.joining()), (vec![2, 4, 6, 8], Joining::Single));
    assert_eq!(found.termination(), Termination::Conjunctive);
}

#[test]
fn factors_alone_go_as_in_the_whole_game() {
    for name in [
        "nim",
        "multiple-tic-tac-toe",
        "hodgepodge",
        "multiple-buttons-and-lights",
        "joint-buttons-and-lights",
    ] {
        factors_follow_the_game(&factors(&playable_bundled(name).unwrap()));
    }
}

/// Plays random games, and in each factor alone the classes of the moves made: they are legal there, and
/// lead to the same propositions.
fn factors_follow_the_game(found: &Factors) {
    let rules = found.rules();
    for number in 0..found.factors().len() {
        let game = found.game(number).unwrap();
        game.circuit.check().unwrap();
        let evaluator = CircuitEvaluator::new(&game.circuit);
        for seed in 0..8 {
            let mut rng = Rng::from_seed(seed);
            let mut position = rules.start();
            let mut state: Vec<bool> = game.circuit.bases.iter().map(|base| base.initial).collect();
            while !position.terminal().unwrap() {
                let now = evaluator.in_state(&state, &[]);
                let (mut joint, mut classes) = (Vec::new(), Vec::new());
                for role in rules.roles() {
                    let action = *rng.pick(&position.legal(role).unwrap()).unwrap();
                    let role = role.index();
                    let of_class = |class: &usize| {
                        game.moves[role][*class].contains(&action)
                            && now.get(game.circuit.legal[role][*class])
                    };
                    classes.push((0..game.moves[role].len()).find(of_class).unwrap() as u32);
                    joint.push(action);
                }
                position.advance(&joint).unwrap();
                state = evaluator.next(&state, &classes);
                let facts = position.facts();
                for (base, &holds) in game.circuit.bases.iter().zip(&state) {
                    let proposition = game.circuit.propositions[base.proposition as usize];
                    assert_eq!(
                        facts.contains(&proposition),
                        holds,
                        "{}",
                        rules.texts(&[proposition]).join("")
                    );
                }
            }
        }
    }
}
