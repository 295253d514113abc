//! Symmetries of known games, tried out by playing.

use ludex_game::{PerftRow, Rng, Rules};

use super::*;

fn subject(name: &str) -> Subject {
    Subject::new(&ludex_testkit::playable_bundled(name).unwrap())
}

fn found(subject: &Subject, scope: Scope) -> Symmetries {
    Symmetries::find(subject, scope, &Budget::unlimited()).unwrap()
}

fn orders(name: &str, scope: Scope) -> (u128, u128) {
    let symmetries = found(&subject(name), scope);
    (symmetries.order().value().unwrap(), symmetries.fixing_order().value().unwrap())
}

/// Plays at random and beside it the image of each move: both games must be images of each other to the
/// end, or for so many steps.
fn play(rules: &Rules, symmetry: &Symmetry, seed: u64, from_start: bool, steps: usize) {
    let mut rng = Rng::from_seed(seed);
    let sorted = |mut facts: Vec<TermId>| {
        facts.sort_unstable();
        facts
    };
    let mut state = rules.initial().clone();
    let mut image = rules.state_of(&symmetry.state(&rules.facts(&state))).unwrap();
    assert!(!from_start || image == state);
    for _ in 0..steps {
        let facts = sorted(symmetry.state(&rules.facts(&state)));
        assert_eq!(facts, sorted(rules.facts(&image)));
        assert_eq!(rules.terminal(&state).unwrap(), rules.terminal(&image).unwrap());
        assert_eq!(symmetry.values(&rules.goals(&state).unwrap()), rules.goals(&image).unwrap());
        if rules.terminal(&state).unwrap() {
            break;
        }
        let mut joint = Vec::new();
        for role in rules.roles() {
            let legal = rules.legal(&state, role).unwrap();
            let there = ludex_game::RoleId(symmetry.role(role.index()) as u32);
            let images: Vec<TermId> = legal.iter().map(|&a| symmetry.action(role.index(), a)).collect();
            assert_eq!(sorted(images), sorted(rules.legal(&image, there).unwrap()));
            joint.push(*rng.pick(&legal).unwrap());
        }
        let (next, other) = (
            rules.successor(&state, &joint).unwrap(),
            rules.successor(&image, &symmetry.joint(&joint)).unwrap(),
        );
        let percepts = rules.roles().map(|role| {
            let seen = next.percepts[role.index()].iter();
            sorted(seen.map(|&percept| symmetry.percept(role.index(), percept)).collect())
        });
        let percepts: Vec<_> = percepts.collect();
        let there = other.percepts.iter().map(|seen| sorted(seen.clone())).collect::<Vec<_>>();
        assert_eq!(symmetry.values(&percepts), there);
        (state, image) = (next.state, other.state);
    }
}

#[test]
fn tic_tac_toe_has_the_eight_symmetries_of_its_board() {
    assert_eq!(orders("tic-tac-toe", Scope::Game), (8, 8));
    // Without the initial state, black may as well begin: the marks are exchanged, too.
    assert_eq!(orders("tic-tac-toe", Scope::Rules), (16, 8));
}

#[test]
fn images_of_random_games_are_games() {
    for (name, rounds) in [
        ("tic-tac-toe", 6),
        ("connect-four", 3),
        ("rock-paper-scissors", 4),
        ("prisoners-dilemma", 2),
        ("nim", 3),
    ] {
        let subject = subject(name);
        for scope in [Scope::Game, Scope::Rules] {
            let symmetries = found(&subject, scope);
            for (number, symmetry) in symmetries.generators().iter().enumerate() {
                for seed in ludex_testkit::seeds(rounds) {
                    play(subject.rules(), symmetry, seed + number as u64, scope == Scope::Game, 200);
                }
            }
            assert!(symmetries.fixing_roles().iter().all(Symmetry::fixes_roles), "{name}");
        }
    }
}

#[test]
fn connect_four_has_its_reflection() {
    let subject = subject("connect-four");
    let symmetries = found(&subject, Scope::Game);
    assert_eq!(symmetries.order().value(), Some(2));
    let cycles = symmetries.generators()[0].move_cycles(subject.rules());
    assert_eq!(cycles.len(), 3, "{cycles:?}");
}

#[test]
fn reversi_has_the_symmetries_that_its_opening_leaves() {
    let subject = subject("reversi");
    let symmetries = found(&subject, Scope::Game);
    // Both diagonals and half a turn. Discs are counted row after row, which changes nothing.
    assert_eq!(symmetries.order().value(), Some(4));
    for (symmetry, seed) in symmetries.generators().iter().zip(0..) {
        play(subject.rules(), symmetry, seed, true, 10);
    }
}

#[test]
fn what_counts_is_found_however_it_counts() {
    // Two of four cells in a row: in order, and two by two.
    let rules = |count: &str| {
        format!(
            "role(a) index(1) index(2) index(3) index(4) succ(0,1) succ(1,2) succ(2,3) succ(3,4)
             base(on(X)) :- index(X)
             input(a,press(X)) :- index(X)
             legal(a,press(X)) :- index(X)
             next(on(X)) :- true(on(X))
             next(on(X)) :- does(a,press(X))
             terminal :- total(2)
             goal(a,100) :- total(2)
             goal(a,0) :- ~total(2)
             {count}"
        )
    };
    let in_order = "count(0,0) total(N) :- count(4,N)
        count(J,N) :- succ(I,J) & count(I,N) & ~true(on(J))
        count(J,N) :- succ(I,J) & count(I,M) & succ(M,N) & true(on(J))";
    let by_pairs = "total(2) :- both(1,2) & none(3,4)
        total(2) :- none(1,2) & both(3,4)
        total(2) :- one(1,2) & one(3,4)
        pair(1,2) pair(3,4)
        both(X,Y) :- pair(X,Y) & true(on(X)) & true(on(Y))
        none(X,Y) :- pair(X,Y) & ~true(on(X)) & ~true(on(Y))
        one(X,Y) :- pair(X,Y) & ~both(X,Y) & ~none(X,Y)";
    for count in [in_order, by_pairs] {
        let subject = Subject::new(&ludex_testkit::playable("count.gdl", &rules(count)).unwrap());
        assert_eq!(found(&subject, Scope::Game).order().value(), Some(24), "{count}");
    }
}

#[test]
fn roles_are_exchanged_where_the_game_is_the_same_for_both() {
    for (name, expected) in [("rock-paper-scissors", (6, 3)), ("prisoners-dilemma", (2, 1))] {
        assert_eq!(orders(name, Scope::Game), expected, "{name}");
    }
}

#[test]
fn buttons_and_lights_has_none() {
    assert_eq!(orders("buttons-and-lights", Scope::Game), (1, 1));
}

#[test]
fn merging_halves_connect_four() {
    let subject = subject("connect-four");
    let (rules, budget) = (subject.rules(), Budget::unlimited());
    let symmetries = found(&subject, Scope::Game);
    let representatives = Representatives::new(rules, &symmetries, 1000, &mut budget.meter()).unwrap();
    let rows = merged_states(rules, &representatives, 4, 10_000, &budget).unwrap();
    let counts: Vec<(u64, u64)> = rows.iter().map(|row| (row.distinct, row.merged)).collect();
    assert_eq!(counts, [(1, 1), (7, 4), (49, 25), (238, 121), (1120, 568)]);
}

#[test]
fn merging_leaves_765_states_of_tic_tac_toe() {
    let subject = subject("tic-tac-toe");
    let (rules, budget) = (subject.rules(), Budget::unlimited());
    let symmetries = found(&subject, Scope::Game);
    let representatives = Representatives::new(rules, &symmetries, 1000, &mut budget.meter()).unwrap();
    assert!(representatives.is_complete() && !representatives.is_trivial());
    let rows = merged_states(rules, &representatives, 9, 10_000, &budget).unwrap();
    let distinct: Vec<u64> = rows.iter().map(|row| row.distinct).collect();
    let merged: Vec<u64> = rows.iter().map(|row| row.merged).collect();
    assert_eq!(distinct, [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
    assert_eq!(merged, [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]);
    assert_eq!((distinct.iter().sum::<u64>(), merged.iter().sum::<u64>()), (5478, 765));
    // Four depths have at most 600 states, and then come more.
    assert_eq!(merged_states(rules, &representatives, 9, 600, &budget).unwrap(), rows[..4]);
    // With the generators alone, states are merged, too, if not all of them.
    let some = Representatives::new(rules, &symmetries, 1, &mut budget.meter()).unwrap();
    assert!(!some.is_complete());
    let rows = merged_states(rules, &some, 9, 10_000, &budget).unwrap();
    let merged = rows.iter().map(|row| row.merged).sum::<u64>();
    assert!((765..5478 / 4).contains(&merged), "{merged}");
}

/// The first rows of the plain count and of the count of classes.
fn both_counts(name: &str, depth: u32, most: usize) -> (Vec<PerftRow>, Vec<PerftRow>) {
    let (subject, budget) = (subject(name), Budget::unlimited());
    let symmetries = found(&subject, Scope::Game);
    let representatives =
        Representatives::new(subject.rules(), &symmetries, most, &mut budget.meter()).unwrap();
    let classes = perft_of_classes(subject.rules(), &representatives, depth, &budget).unwrap();
    (subject.rules().perft(depth, &budget).unwrap(), classes)
}

fn distinct(rows: &[PerftRow]) -> Vec<u64> {
    rows.iter().map(|row| row.distinct).collect()
}

#[test]
fn classes_of_tic_tac_toe_lead_to_as_many_games() {
    let (plain, classes) = both_counts("tic-tac-toe", 9, 1000);
    assert_eq!(distinct(&classes), [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]);
    assert_eq!(distinct(&classes).iter().sum::<u64>(), 765);
    assert_eq!(classes.iter().map(|row| row.terminals).sum::<u128>(), 255_168);
    let paths = |rows: &[PerftRow]| rows.iter().map(|row| (row.paths, row.terminals)).collect::<Vec<_>>();
    assert_eq!(paths(&classes), paths(&plain));
}

#[test]
fn counting_classes_changes_no_path() {
    for (name, depth, expected) in [
        ("connect-four", 4, &[1, 4, 25, 121, 568][..]),
        // One of four first moves is enough.
        ("reversi", 2, &[1, 1, 3][..]),
        ("breakthrough", 2, &[][..]),
        ("nim", 3, &[][..]),
        ("chomp", 4, &[][..]),
        ("three-player-tic-tac-toe", 2, &[][..]),
        ("multiple-tic-tac-toe", 2, &[][..]),
        ("rock-paper-scissors", 3, &[][..]),
        ("buttons-and-lights", 6, &[][..]),
    ] {
        for most in [1, 1000] {
            let (plain, classes) = both_counts(name, depth, most);
            assert_eq!(plain.len(), classes.len(), "{name}");
            for (plain, classes) in plain.iter().zip(&classes) {
                assert_eq!((plain.paths, plain.terminals), (classes.paths, classes.terminals), "{name}");
                assert!(classes.distinct <= plain.distinct, "{name}");
            }
            if most > 1 && !expected.is_empty() {
                assert_eq!(distinct(&classes), expected, "{name}");
            }
        }
    }
}
