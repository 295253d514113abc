//! Profiles of known games.

use ludex_game::Rules;

use super::*;
use crate::finding::Finding;

fn profile_of(rules: &Rules, options: &ProfileOptions) -> GameProfile {
    let budget = Budget::unlimited();
    let structure = Structure::find(rules.program(), &**rules.machine(), &budget);
    GameProfile::find(&Subject::new(rules), &structure, options, &budget)
}

fn bundled(name: &str) -> (Rules, GameProfile) {
    let rules = ludex_testkit::playable_bundled(name).unwrap();
    let found = profile_of(&rules, &ProfileOptions::default());
    (rules, found)
}

/// Without search, so that only the solver and random games are asked.
fn unsearched(name: &str) -> (Rules, GameProfile) {
    let rules = ludex_testkit::playable_bundled(name).unwrap();
    let found = profile_of(&rules, &ProfileOptions { most_states: 0, ..ProfileOptions::default() });
    (rules, found)
}

fn controls(rules: &Rules, found: &GameProfile) -> Vec<(String, String, Certainty)> {
    let text = |control: &Control| {
        (rules.role_name(control.role), rules.text(control.proposition), control.certainty)
    };
    found.order.control.iter().map(text).collect()
}

#[test]
fn tic_tac_toe() {
    for (rules, found) in [bundled("tic-tac-toe"), unsearched("tic-tac-toe")] {
        assert!(found.order.one_at_a_time.is_proved());
        assert!(!found.order.always_together);
        let expected =
            ["white", "black"].map(|role| (role.to_owned(), format!("control({role})"), Certainty::Proved));
        assert_eq!(controls(&rules, &found), expected);
        let [turns] = &found.counters[..] else { panic!("{:?}", found.counters) };
        assert_eq!(rules.texts(&turns.values), ["control(white)", "control(black)"]);
        assert_eq!((&turns.course, found.most_steps), (&Course::Circle(0), None));
        let pieces: Vec<_> = found.pieces.iter().map(|p| (&*p.name, p.owner, p.at_first, p.seen)).collect();
        let owned = |role| Some(Owned { role: ludex_game::RoleId(role), certainty: Certainty::Proved });
        assert_eq!(pieces, [("o", owned(1), 0, (0, 4)), ("x", owned(0), 0, (0, 5))]);
        let cells = found.groups.iter().find(|family| family.groups == 9).unwrap();
        assert_eq!((cells.form.as_deref(), cells.sizes), (Some("cell(1,1,*)"), (3, 3)));
        assert!(cells.exactly_one);
        assert_eq!(found.results.interests, Interests::ConstantSum(100));
        assert_eq!(found.results.seen, [[0, 100], [50, 50], [100, 0]]);
    }
    assert_eq!(bundled("tic-tac-toe").1.results.certainty, Certainty::Proved);
}

#[test]
fn buttons_and_lights_ends_with_its_counter() {
    let (rules, found) = bundled("buttons-and-lights");
    assert_eq!(found.results.interests, Interests::Alone);
    let [steps] = &found.counters[..] else { panic!("{:?}", found.counters) };
    let digits = |text: &String| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let values: Vec<String> = rules.texts(&steps.values).iter().map(digits).collect();
    assert_eq!(values, ["1", "2", "3", "4", "5", "6", "7"]);
    assert_eq!(steps.course, Course::Line);
    assert_eq!(found.most_steps, Some(6));
}

#[test]
fn both_move_at_once_in_rock_paper_scissors() {
    let (rules, found) = bundled("rock-paper-scissors");
    let Finding::Refuted(witness) = &found.order.one_at_a_time else { panic!("{:?}", found.order) };
    let position = witness.replay(&rules).unwrap();
    assert!(rules.seats().into_iter().all(|role| position.legal(role).unwrap().len() > 1));
    assert!(found.order.always_together && found.order.control.is_empty());
}

#[test]
fn nobody_loses_what_the_other_gains_in_the_prisoners_dilemma() {
    let (rules, found) = bundled("prisoners-dilemma");
    assert_eq!((found.results.interests, found.results.certainty), (Interests::Mixed, Certainty::Proved));
    let (one, other) = found.results.witnesses.unwrap();
    let goals = |witness: &crate::Witness| witness.replay(&rules).unwrap().goals().unwrap();
    let (one, other) = (goals(&one), goals(&other));
    let better: Vec<_> = one.iter().zip(&other).map(|(a, b)| a.cmp(b)).collect();
    assert!(better[0] == better[1] && better[0].is_ne(), "{one:?} {other:?}");
}

#[test]
fn heaps_only_fall() {
    let (rules, found) = unsearched("nim");
    let heaps: Vec<&Counter> =
        found.counters.iter().filter(|c| c.course == Course::Moves(Direction::Falls)).collect();
    assert!(!heaps.is_empty(), "{:?}", found.counters);
    assert!(heaps.iter().all(|heap| rules.text(heap.values[0]).contains("heap")));
}

/// Two roles that press together, and get the same: by rules that a formula over one state decides.
#[test]
fn roles_that_share_their_goals_cooperate() {
    let text = "role(a) role(b) base(lit) init(off) base(off) base(step(1)) base(step(2)) base(step(3))
        init(step(1)) succ(1,2) succ(2,3)
        input(R,press) :- role(R) input(R,wait) :- role(R)
        legal(R,press) :- role(R) legal(R,wait) :- role(R)
        next(lit) :- true(lit)
        next(lit) :- does(a,press) & does(b,press)
        next(off) :- true(off) & does(a,wait)
        next(off) :- true(off) & does(b,wait)
        next(step(N)) :- true(step(M)) & succ(M,N)
        terminal :- true(step(3))
        goal(R,100) :- role(R) & true(lit)
        goal(R,0) :- role(R) & ~true(lit)";
    let rules = ludex_testkit::playable("together.gdl", text).unwrap();
    for most_states in [0, 1000] {
        let found = profile_of(&rules, &ProfileOptions { most_states, ..ProfileOptions::default() });
        assert_eq!(
            (found.results.interests, found.results.certainty),
            (Interests::Cooperative, Certainty::Proved)
        );
        assert_eq!(found.most_steps, Some(2));
        assert!(found.order.always_together);
    }
}

/// Three roles in turn, each of which has to be done before the game ends.
#[test]
fn roles_that_all_get_the_same_at_every_end_are_no_opponents() {
    let text = "role(a) role(b) role(c) init(turn(a)) some(go) some(pass) some(noop)
        base(turn(R)) :- role(R)
        base(done(R)) :- role(R)
        input(R,M) :- role(R) & some(M)
        legal(R,go) :- true(turn(R)) legal(R,pass) :- true(turn(R)) legal(R,noop) :- role(R) & ~true(turn(R))
        next(turn(b)) :- true(turn(a)) next(turn(c)) :- true(turn(b)) next(turn(a)) :- true(turn(c))
        next(done(R)) :- does(R,go) next(done(R)) :- true(done(R))
        terminal :- true(done(a)) & true(done(b)) & true(done(c))
        goal(R,100) :- true(done(R)) goal(R,0) :- role(R) & ~true(done(R))";
    let rules = ludex_testkit::playable("in-turn.gdl", text).unwrap();
    for most_states in [0, 1000] {
        let found = profile_of(&rules, &ProfileOptions { most_states, ..ProfileOptions::default() });
        let results = (found.results.interests, found.results.certainty);
        assert_eq!(results, (Interests::Cooperative, Certainty::Proved));
    }
}

#[test]
fn what_is_not_proved_is_said_to_be_seen() {
    let rules = ludex_testkit::playable_bundled("connect-four").unwrap();
    let budget = Budget::unlimited().with_work(50_000);
    let structure = Structure::find(rules.program(), &**rules.machine(), &Budget::unlimited());
    let found = GameProfile::find(&Subject::new(&rules), &structure, &ProfileOptions::default(), &budget);
    assert!(found.order.one_at_a_time.is_undecided(), "{:?}", found.order);
    assert!(found.order.control.iter().all(|control| control.certainty == Certainty::Seen));
    assert_eq!(found.results.certainty, Certainty::Seen);
    assert!(!found.reasons.is_empty());
}

#[test]
fn connect_four_is_proved_by_induction() {
    let (_, found) = unsearched("connect-four");
    assert!(found.order.one_at_a_time.is_proved(), "{:?}", found.order);
    assert!(found.order.control.iter().all(|control| control.certainty == Certainty::Proved));
    let owners: Vec<_> = found.pieces.iter().map(|piece| piece.owner.map(|owned| owned.certainty)).collect();
    assert_eq!(owners, [Some(Certainty::Proved), Some(Certainty::Proved)]);
}

/// Both choose only in a state that random games do not find: it is not said that they take turns.
#[test]
fn a_rare_state_in_which_both_choose_is_no_proof_of_turns() {
    let mut text = "role(a) role(b) init(at(0)) init(step(0)) base(at(0)) base(step(0))
        base(at(N)) :- succ(M,N) base(step(N)) :- succ(M,N)
        input(a,left) input(a,right) input(b,wait) input(b,jump)
        legal(a,left) legal(a,right) legal(b,wait) legal(b,jump) :- true(at(16))
        next(at(0)) :- does(a,left)
        next(at(N)) :- does(a,right) & true(at(M)) & succ(M,N)
        next(step(N)) :- true(step(M)) & succ(M,N)
        terminal :- true(step(20))
        goal(a,100) goal(b,0)\n"
        .to_owned();
    (0..20).for_each(|n| text += &format!("succ({n},{}) ", n + 1));
    let rules = ludex_testkit::playable("rare.gdl", &text).unwrap();
    let found = profile_of(&rules, &ProfileOptions { most_states: 0, ..ProfileOptions::default() });
    assert!(found.order.one_at_a_time.is_undecided(), "{:?}", found.order.one_at_a_time);
    let found = profile_of(&rules, &ProfileOptions::default());
    let Finding::Refuted(witness) = &found.order.one_at_a_time else { panic!("{:?}", found.order) };
    assert_eq!(witness.steps.len(), 16);
    let position = witness.replay(&rules).unwrap();
    assert!(rules.seats().into_iter().all(|role| position.legal(role).unwrap().len() == 2));
    assert_eq!((found.most_steps, found.results.interests), (Some(20), Interests::ConstantSum(100)));
}
