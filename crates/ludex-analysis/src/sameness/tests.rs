//! Scrambled games, games written in other ways, and different games.

use ludex_game::{Rng, RoleId, Rules};
use ludex_gdl::{Notation, print, scramble};
use ludex_logic::TermId;

use super::*;

fn bundled(name: &str) -> Subject {
    Subject::new(&ludex_testkit::playable_bundled(name).unwrap())
}

fn game(name: &str, text: &str) -> Subject {
    Subject::new(&ludex_testkit::playable(name, text).unwrap())
}

fn answer(first: &Subject, second: &Subject) -> Sameness {
    compare(first, second, &Budget::unlimited())
}

fn text_of(subject: &Subject) -> String {
    print(subject.rules().rulesheet(), Notation::Prefix)
}

/// The same rules with other names, clauses and subgoals in another order.
fn disguised(subject: &Subject, seed: u64) -> Subject {
    let text = print(&scramble(subject.rules().rulesheet(), seed).0, Notation::Prefix);
    let text = ludex_testkit::Rules::parse(&text).unwrap().shuffled(seed).to_string();
    game("disguised.kif", &text)
}

/// Plays at random in one game and the translated moves in the other: both go the same way.
fn play(
    first: &Rules,
    second: &Rules,
    role_of: impl Fn(usize) -> usize,
    action_of: impl Fn(usize, TermId) -> TermId,
    seed: u64,
) {
    let mut rng = Rng::from_seed(seed);
    let (mut here, mut there) = (first.initial().clone(), second.initial().clone());
    for _ in 0..100 {
        assert_eq!(first.terminal(&here).unwrap(), second.terminal(&there).unwrap());
        let (goals, others) = (first.goals(&here).unwrap(), second.goals(&there).unwrap());
        first.roles().for_each(|role| assert_eq!(goals[role.index()], others[role_of(role.index())]));
        if first.terminal(&here).unwrap() {
            break;
        }
        let mut joint = Vec::new();
        let mut translated = vec![None; goals.len()];
        for role in first.roles() {
            let legal = first.legal(&here, role).unwrap();
            let mut images: Vec<TermId> = legal.iter().map(|&a| action_of(role.index(), a)).collect();
            images.sort_unstable();
            let mut expected = second.legal(&there, RoleId(role_of(role.index()) as u32)).unwrap();
            expected.sort_unstable();
            assert_eq!(images, expected);
            let action = *rng.pick(&legal).unwrap();
            joint.push(action);
            translated[role_of(role.index())] = Some(action_of(role.index(), action));
        }
        let translated: Vec<TermId> = translated.into_iter().flatten().collect();
        here = first.successor(&here, &joint).unwrap().state;
        there = second.successor(&there, &translated).unwrap().state;
    }
}

#[test]
fn a_scrambled_game_is_recognised_and_its_moves_are_translated() {
    for name in ["tic-tac-toe", "nim", "hodgepodge", "lowest-unique"] {
        let first = bundled(name);
        for seed in ludex_testkit::seeds(2) {
            let second = disguised(&first, seed);
            let Sameness::Rules(names) = answer(&first, &second) else { panic!("{name} {seed}") };
            assert!(!names.is_identity());
            let (terms, others) = (first.rules().signature().terms(), second.rules().signature().terms());
            let roles = first.rules().signature().roles();
            let role_of = |role: usize| {
                let there = names.term(terms, roles[role], others);
                second.rules().signature().find_role(there).unwrap().index()
            };
            let action_of = |_: usize, action: TermId| names.term(terms, action, others);
            play(first.rules(), second.rules(), role_of, action_of, seed);
        }
    }
}

#[test]
fn a_corpus_game_is_recognised_when_scrambled() {
    let Some(corpus) = ludex_testkit::corpus::Corpus::find("scrambled corpus games") else { return };
    for name in ["connectFour", "blocker", "pentago"] {
        let path = corpus.path(&format!("gdl/{name}.kif"));
        let first = Subject::new(&ludex_testkit::playable_file(&path).unwrap());
        let second = disguised(&first, 7);
        assert!(matches!(answer(&first, &second), Sameness::Rules(_)), "{name}");
    }
}

#[test]
fn a_game_is_the_same_as_itself_under_its_own_names() {
    let first = bundled("tic-tac-toe");
    let Sameness::Rules(names) = answer(&first, &bundled("tic-tac-toe")) else { panic!() };
    // Any of its four symmetries is a translation, too.
    assert_eq!(names.other("white"), Some("white"));
    assert_eq!(names.other("2"), Some("2"));
}

#[test]
fn lines_that_are_written_out_are_the_same_ground_rules() {
    let first = bundled("tic-tac-toe");
    let mut text: String = text_of(&first);
    let start = text.find("(<= (line ?z)").unwrap_or_else(|| panic!("{text}"));
    let end = text.find("(<= open").or_else(|| text.find("(<= open")).unwrap();
    let lines =
        ["11 12 13", "21 22 23", "31 32 33", "11 21 31", "12 22 32", "13 23 33", "11 22 33", "13 22 31"];
    let mut written = String::new();
    for line in lines {
        let cells: Vec<String> =
            line.split(' ').map(|at| format!("(true (cell {} {} ?z))", &at[..1], &at[1..])).collect();
        written.push_str(&format!("(<= (line ?z) {})\n", cells.join(" ")));
    }
    text.replace_range(start..end, &written);
    let second = game("written-out.kif", &text);
    let Sameness::Ground(translation) = answer(&first, &second) else {
        panic!("{:?}", answer(&first, &second))
    };
    assert_eq!(translation.roles, [0, 1]);
    let role_of = |role: usize| translation.roles[role];
    let action_of = |role: usize, action: TermId| translation.action(role, action).unwrap();
    for seed in ludex_testkit::seeds(4) {
        play(first.rules(), second.rules(), role_of, action_of, seed);
    }
    // The initial state is translated to the initial state.
    let here = first.rules().facts(first.rules().initial());
    let mut there: Vec<TermId> = here.iter().map(|&fact| translation.fact(fact).unwrap()).collect();
    let mut expected = second.rules().facts(second.rules().initial());
    there.sort_unstable();
    expected.sort_unstable();
    assert_eq!(there, expected);
}

#[test]
fn different_games_say_why() {
    let first = bundled("tic-tac-toe");
    let Sameness::Different(found) = answer(&first, &bundled("connect-four")) else { panic!() };
    assert_eq!(found.play.unwrap().to_string(), "9 and 7 ways to play 1 step");
    let Sameness::Different(found) = answer(&first, &bundled("buttons-and-lights")) else { panic!() };
    assert_eq!(found.play, Some(PlayDifference::Roles(2, 1)));
    // One goal value that differs.
    let text = text_of(&first).replace("(goal white 50)", "(goal white 40)");
    assert!(text.contains("40"));
    let Sameness::Different(found) = answer(&first, &game("other-goals.kif", &text)) else { panic!() };
    assert_eq!(found.play, None);
    assert_eq!(found.ground.unwrap(), "0 and 1 goals of 40, 2 and 1 goals of 50");
    assert!(found.rules.contains("`40`"), "{}", found.rules);
}

#[test]
fn a_spent_budget_leaves_it_undecided() {
    let first = bundled("tic-tac-toe");
    let found = compare(&first, &first, &Budget::unlimited().with_work(50));
    assert!(matches!(found, Sameness::Undecided { rules: None, reason: Reason::Limit(_) }));
}
