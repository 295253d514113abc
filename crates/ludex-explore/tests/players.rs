//! What players find out and how well they then play.

use ludex_explore::{BlindPlayer, Seat, blind_player, play_episode};
use ludex_logic::Budget;
use ludex_match::MatchSetup;
use ludex_match::blind::Structure;
use ludex_testkit::generate::{Knobs, generate};
use ludex_testkit::{playable, playable_bundled, seeds};

/// What the player of a role gets in so many matches against random moves.
fn goals(game: &str, role: &str, player: &str, episodes: u64, seed: u64) -> Vec<u32> {
    let rules = playable_bundled(game).unwrap();
    let role = rules.find_role(role).unwrap();
    let seat = rules.seats().iter().position(|&of| of == role).unwrap();
    let structure = Structure::of(&rules, role, &Budget::unlimited()).unwrap();
    let mut blind = blind_player(player, &structure, role.index(), seed).unwrap();
    let play = |episode| {
        let mut seats: Vec<Seat<'_>> = rules.seats().iter().map(|_| Seat::Random).collect();
        seats[seat] = Seat::Blind(&mut *blind);
        let setup = MatchSetup { seed: 1000 * seed + episode, ..MatchSetup::default() };
        let played = play_episode(&rules, setup, &mut seats, &Budget::unlimited()).unwrap();
        played.goals[seat].unwrap_or(0)
    };
    (0..episodes).map(play).collect()
}

/// The mean of the last matches.
fn last(goals: &[u32], count: usize) -> f64 {
    let last = &goals[goals.len() - count..];
    f64::from(last.iter().sum::<u32>()) / count as f64
}

#[test]
fn the_explorer_finds_the_way_out_of_puzzles() {
    for (game, role, matches) in [("buttons-and-lights", "white", 30), ("untwisty-corridor", "player", 30)] {
        let explored = goals(game, role, "explorer", matches, 1);
        assert_eq!(last(&explored, 10), 100.0, "{game}: {explored:?}");
        assert!(last(&goals(game, role, "random", matches, 1), 10) < 50.0, "{game}");
    }
}

#[test]
fn the_explorer_finds_out_what_chance_does() {
    // Who switches wins two times of three.
    let explored = goals("monty-hall", "candidate", "explorer", 300, 2);
    assert!(last(&explored, 200) > 55.0, "{}", last(&explored, 200));
}

#[test]
fn the_explorer_learns_the_rules_of_tic_tac_toe() {
    let explored = goals("tic-tac-toe", "white", "explorer", 40, 1);
    assert!(last(&explored, 30) > 85.0, "{explored:?}");
}

#[test]
fn the_explorer_adds_up_numbers() {
    // Moves at random win one match of two.
    let goals = goals("nim", "white", "explorer", 40, 1);
    assert!(last(&goals, 30) >= 65.0, "{goals:?}");
}

#[test]
fn the_same_seed_gives_the_same_matches() {
    for player in ["explorer", "q-learning", "random"] {
        let play = || goals("buttons-and-lights", "white", player, 20, 7);
        assert_eq!(play(), play(), "{player}");
    }
}

#[test]
fn a_table_of_values_learns_a_puzzle_in_time() {
    let learned = goals("buttons-and-lights", "white", "q-learning", 600, 1);
    assert!(last(&learned, 100) > 70.0, "{learned:?}");
}

#[test]
fn whatever_is_perceived_a_player_answers_one_of_its_actions() {
    let actions = vec![vec!["a".to_owned(), "(b 1)".to_owned()], vec![]];
    let own = actions[0].clone();
    let structure =
        Structure { roles: vec!["one".to_owned(), "two".to_owned()], actions, percepts: Vec::new() };
    let strange = [
        "",
        "(",
        "(true",
        "(true )",
        "(utility x)",
        "(utility 1e400)",
        "(utility NaN)",
        "(utility -5)",
        "(does one)",
        "(does two z)",
        "(refused )",
        "(refused nothing)",
        "(((",
    ];
    for name in ["explorer", "q-learning", "random"] {
        assert!(blind_player(name, &structure, 2, 1).is_none(), "there is no such role");
        let mut player: Box<dyn BlindPlayer> = blind_player(name, &structure, 0, 1).unwrap();
        // Before any match there is nothing to choose from, but it is no error to ask.
        player.choose(&Budget::unlimited());
        player.observe("a", &[]);
        player.end();
        for percept in strange {
            player.prepare(&Budget::unlimited());
            player.begin(&[percept.to_owned()]);
            for made in ["a", "(b 1)", "unheard of", ""] {
                let chosen = player.choose(&Budget::unlimited());
                let is_strange = ["", "unheard of", "nothing"].contains(&chosen.as_str());
                assert!(own.contains(&chosen) || is_strange, "{name}: {chosen}");
                player.observe(made, &[percept.to_owned(), "(utility 1e20)".to_owned()]);
            }
            player.end();
            player.end();
        }
    }
}

#[test]
fn only_what_is_told_to_be_refused_is_not_tried_again() {
    let structure = Structure {
        roles: vec!["one".to_owned()],
        actions: vec![vec!["a".to_owned(), "b".to_owned()]],
        percepts: vec!["(true here)".to_owned()],
    };
    for name in ["explorer", "q-learning"] {
        for is_told in [false, true] {
            let mut player = blind_player(name, &structure, 0, 1).unwrap();
            let mut chosen = Vec::new();
            for _ in 0..40 {
                player.begin(&["(true here)".to_owned()]);
                let action = player.choose(&Budget::unlimited());
                // `b` never comes through: it is late, or refused.
                let mut percepts = vec!["(true there)".to_owned(), "(utility 0)".to_owned()];
                if action == "b" && is_told {
                    percepts.push("(refused b)".to_owned());
                }
                chosen.push(action);
                player.observe("a", &percepts);
                player.end();
            }
            let tried = chosen.iter().filter(|action| *action == "b").count();
            assert!(if is_told { tried <= 1 } else { tried > 1 }, "{name}, {is_told}: {chosen:?}");
        }
    }
}

#[test]
fn random_games_are_played_without_their_rules() {
    // `LUDEX_SEED` and `LUDEX_SOAK` say which games, and how many times more of them.
    for seed in seeds(4) {
        let game = generate(seed, &Knobs::from_seed(seed)).to_string();
        let Ok(rules) = playable("generated", &game) else { continue };
        let Some(&role) = rules.seats().first() else { continue };
        let budget = Budget::unlimited().with_work(2_000_000);
        let structure = Structure::of(&rules, role, &budget).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let mut player = blind_player("explorer", &structure, role.index(), seed).unwrap();
        for episode in 0..6 {
            let mut seats: Vec<Seat<'_>> = rules.seats().iter().map(|_| Seat::Random).collect();
            seats[0] = Seat::Blind(&mut *player);
            let setup = MatchSetup { seed: seed + episode, ..MatchSetup::default() };
            let played = play_episode(&rules, setup, &mut seats, &budget);
            let played = played.unwrap_or_else(|e| panic!("seed {seed}, match {episode}: {e}\n{game}"));
            assert!(played.goals[0].is_some(), "seed {seed}, match {episode}\n{game}");
        }
    }
}
