//! What is remembered is there in the next match, under other names, after a crash, and gone when it is forgotten.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use ludex::gdl::{Notation, print, scramble};
use ludex::logic::Budget;
use ludex::players::{Registry, Resources};
use ludex::{Game, GameOptions, Match, MatchSetup, Table, introductions};
use ludex_memory::{MatchNote, Memory, MemoryError, Place, RememberingPlayer, SearchedMove, Subject};

fn game(name: &str) -> Game {
    Game::bundled(name, &GameOptions::default()).unwrap()
}

/// Plays a match, in which the player of the first role remembers.
fn play(game: &Game, players: [&str; 2], memory: &Arc<Memory>, seed: u64) -> Match {
    let setup = MatchSetup { seed, ..MatchSetup::default() };
    let memory = Arc::clone(memory);
    let remembering = Registry::default()
        .wrapped(move |player, text| Box::new(RememberingPlayer::new(player, text, Arc::clone(&memory))));
    let resources = Resources::from_seed(seed);
    let first = remembering.create(players[0], &resources).unwrap();
    let second = Registry::default().create(players[1], &resources).unwrap();
    let names = players.map(str::to_owned);
    let table = Table::new(game, setup, vec![first, second], None, Budget::unlimited()).unwrap();
    table.with_introductions(introductions(game, &names, None)).play().unwrap()
}

fn memory(folder: &Path) -> Arc<Memory> {
    Arc::new(Memory::open(folder.join("memory.db")).unwrap())
}

#[test]
fn matches_are_recalled_in_the_words_of_the_seat() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path());
    let plain = game("repeated-prisoners-dilemma");
    play(&plain, ["habit:is=last", "habit:is=copy"], &memory, 1);
    let budget = Budget::unlimited();
    let known = memory.game(plain.program(), &budget).unwrap();
    let past = memory.past(&known, &["habit:is=copy".to_owned()], 10, &budget).unwrap();
    assert_eq!(past.len(), 1);
    assert_eq!(past[0].moves[0], ["defect", "cooperate"]);
    assert_eq!(past[0].moves[1], ["defect", "defect"]);
    assert_eq!(past[0].goals, [Some(24), Some(19)]);
    assert!(memory.past(&known, &["nobody".to_owned()], 10, &budget).unwrap().is_empty());
    assert!(
        memory.past(&known, &["habit:is=last".to_owned()], 10, &budget).unwrap().is_empty(),
        "that is who remembers"
    );

    // The same game in other words.
    let (rulesheet, _) = ludex::gdl::parse(plain.program().source.clone(), None);
    let (rules, renaming) = scramble(&rulesheet, 5);
    let text = print(&rules, Notation::Prefix);
    let other = Game::parse("other.kif", &text, &GameOptions::default()).unwrap();
    let known = memory.game(other.program(), &budget).unwrap();
    let past = memory.past(&known, &["habit:is=copy".to_owned()], 10, &budget).unwrap();
    assert_eq!(past.len(), 1);
    assert_ne!(past[0].moves[0], ["defect", "cooperate"]);
    let expected =
        ["defect", "cooperate"].map(|word| renaming.scramble_terms(word, Notation::Prefix).unwrap());
    assert!(
        past[0].moves[0].iter().all(|made| expected.contains(made))
            && past[0].moves[1][0] == past[0].moves[1][1],
        "{:?}",
        past[0].moves
    );
    let overview = memory.overview().unwrap();
    assert_eq!((overview.games.len(), overview.games[0].matches), (1, 1), "it is one game");
}

#[test]
fn searches_of_matches_before_count() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path());
    let game = game("tic-tac-toe");
    let known = memory.game(game.program(), &Budget::unlimited()).unwrap();
    // A search that nobody can outweigh liked a corner.
    let place = Place { strategy: "uct:playouts=50".into(), aim: "own".into(), path: String::new(), role: 0 };
    let found = vec![SearchedMove { action: "(mark 3 1)".into(), visits: 1_000_000, value: 60.0 }];
    let note = MatchNote { searches: vec![(place.clone(), found)], ..MatchNote::default() };
    memory.add_match(&known, &note).unwrap();
    let played = play(&game, ["uct:playouts=50", "random"], &memory, 4);
    let first = played.steps()[0].joint[0];
    assert_eq!(game.signature().terms().prefix(first), "(mark 3 1)");
    // And what was found now was added.
    let searched = memory.searched(&known, &place).unwrap();
    assert!(searched.len() > 1, "{searched:?}");
    assert!(searched.iter().any(|known| known.action == "(mark 3 1)" && known.visits > 1_000_000));
}

#[test]
fn a_model_of_matches_before_is_used_in_the_first_move() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path());
    let game = game("repeated-rock-paper-scissors");
    let goals: Vec<u32> = (0..3)
        .map(|seed| {
            let played = play(&game, ["adaptive:courses=200", "habit:is=pattern"], &memory, seed);
            played.goals()[0].unwrap()
        })
        .collect();
    assert!(goals[2] > 90 && goals[2] >= goals[0], "{goals:?}");
}

#[test]
fn newer_files_and_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    assert!(matches!(Memory::open_existing(&path), Err(MemoryError::Missing { .. })));
    drop(Memory::open(&path).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let newer = Memory::open(&path).unwrap_err();
    assert!(matches!(newer, MemoryError::Newer { found: 99, known: 2, .. }));
    assert!(newer.to_string().contains("newer version of ludex"));
    let other = folder.path().join("other.db");
    let connection = rusqlite::Connection::open(&other).unwrap();
    connection.execute_batch("CREATE TABLE something (a)").unwrap();
    drop(connection);
    assert!(matches!(Memory::open(&other), Err(MemoryError::Other { .. })));
    std::fs::write(&other, "no database at all, but a text that is long enough to be looked at".repeat(20))
        .unwrap();
    assert!(matches!(Memory::open(&other), Err(MemoryError::Other { .. })));
    assert!(matches!(Memory::open(folder.path()), Err(MemoryError::Other { .. })));
}

#[test]
fn what_is_forgotten_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path());
    let game = game("prisoners-dilemma");
    play(&game, ["habit:is=first", "habit:is=copy"], &memory, 1);
    play(&game, ["habit:is=first", "habit:is=grim"], &memory, 2);
    assert!(matches!(
        memory.forget(&Subject::Opponent("nobody".into())),
        Err(MemoryError::Unknown { what: "the opponent", .. })
    ));
    assert_eq!(memory.forget(&Subject::Opponent("habit:is=grim".into())).unwrap().matches, 1);
    let bytes = std::fs::read(memory.path()).unwrap();
    let has = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has("habit:is=copy") && !has("habit:is=grim"));
    let overview = memory.overview().unwrap();
    assert_eq!((overview.opponents.len(), overview.opponents[0].name.as_str()), (1, "habit:is=copy"));
    assert_eq!(memory.forget(&Subject::Game("prisoners-dilemma".into())).unwrap().games, 1);
    assert!(memory.overview().unwrap().games.is_empty());
    assert!(matches!(memory.forget(&Subject::Game("1".into())), Err(MemoryError::Unknown { .. })));
    memory.forget(&Subject::All).unwrap();
}

/// A note of a match of the first role with somebody.
fn note_of(opponent: &str) -> MatchNote {
    MatchNote {
        players: vec![Some("a".into()), Some(opponent.into())],
        moves: vec![vec!["defect".into(), "defect".into()]],
        ..MatchNote::default()
    }
}

/// The same rules under a name that says nothing.
fn nameless(game: &Game) -> Game {
    Game::parse("rules", game.program().source.text(), &GameOptions::default()).unwrap()
}

#[test]
fn games_without_names_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path());
    let budget = Budget::unlimited();
    for name in ["prisoners-dilemma", "tic-tac-toe"] {
        let known = memory.game(nameless(&game(name)).program(), &budget).unwrap();
        assert!(memory.past(&known, &["b".to_owned()], 10, &budget).unwrap().is_empty());
        memory.add_match(&known, &note_of("b")).unwrap();
        assert_eq!(memory.past(&known, &["b".to_owned()], 10, &budget).unwrap().len(), 1);
    }
    let games = memory.overview().unwrap().games;
    assert!(games.len() == 2 && games.iter().all(|game| game.name.starts_with("rules-")), "{games:?}");
    assert_ne!(games[0].name, games[1].name);
}

#[test]
fn a_name_of_several_games_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path());
    for name in ["prisoners-dilemma", "tic-tac-toe"] {
        let text = game(name).program().source.text().to_owned();
        let same = Game::parse("games/same.kif", &text, &GameOptions::default()).unwrap();
        let known = memory.game(same.program(), &Budget::unlimited()).unwrap();
        memory.add_match(&known, &note_of("b")).unwrap();
    }
    let refused = memory.forget(&Subject::Game("same".into())).unwrap_err();
    assert!(matches!(&refused, MemoryError::Ambiguous { found, .. } if found == &[1, 2]), "{refused}");
    assert!(refused.to_string().ends_with("by its number, 1 or 2"), "{refused}");
    assert_eq!(memory.forget(&Subject::Game("2".into())).unwrap().matches, 1);
    assert_eq!(memory.forget(&Subject::Game("same".into())).unwrap().games, 1);
}

#[test]
fn nothing_is_remembered_of_a_game_that_was_only_looked_at_or_not_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path());
    let plain = game("prisoners-dilemma");
    memory.game(plain.program(), &Budget::unlimited()).unwrap();
    assert!(memory.overview().unwrap().games.is_empty());
    let known = memory.game(plain.program(), &Budget::unlimited()).unwrap();
    memory.add_match(&known, &note_of("b")).unwrap();
    // In other words it cannot be told from another game without any work.
    let (rulesheet, _) = ludex::gdl::parse(plain.program().source.clone(), None);
    let text = print(&scramble(&rulesheet, 5).0, Notation::Prefix);
    let other = Game::parse("other.kif", &text, &GameOptions::default()).unwrap();
    let none = Budget::unlimited();
    none.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(matches!(memory.game(other.program(), &none), Err(MemoryError::Undecided { .. })));
    assert!(memory.past(&known, &["b".to_owned()], 10, &none).unwrap().is_empty(), "there is no time");
    assert_eq!(memory.overview().unwrap().games.len(), 1);
    assert!(memory.game(other.program(), &Budget::unlimited()).is_ok());
}

#[test]
fn the_last_matches_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path().join("memory.db")).unwrap().keeping(3);
    let known = memory.game(game("prisoners-dilemma").program(), &Budget::unlimited()).unwrap();
    for opponent in ["b", "c", "b", "b", "b", "b", "c"] {
        memory.add_match(&known, &note_of(opponent)).unwrap();
    }
    (0..5).for_each(|_| memory.add_match(&known, &MatchNote::default()).unwrap());
    let with = |name: &str| memory.past(&known, &[name.to_owned()], 10, &Budget::unlimited()).unwrap().len();
    assert_eq!((with("b"), with("c"), memory.overview().unwrap().games[0].matches), (3, 2, 8));
}

#[test]
fn others_that_write_keep_nobody_from_reading() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path());
    let known = memory.game(game("prisoners-dilemma").program(), &Budget::unlimited()).unwrap();
    memory.add_match(&known, &note_of("b")).unwrap();
    let mut other = rusqlite::Connection::open(memory.path()).unwrap();
    let writing = other.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    std::thread::scope(|scope| {
        // It waits for the other one, and holds what this process writes with.
        let waiting = scope.spawn(|| memory.add_match(&known, &note_of("b")));
        let place = Place { strategy: "s".into(), aim: "own".into(), path: String::new(), role: 0 };
        assert!(memory.searched(&known, &place).unwrap().is_empty());
        assert_eq!(memory.past(&known, &["b".to_owned()], 10, &Budget::unlimited()).unwrap().len(), 1);
        writing.commit().unwrap();
        waiting.join().unwrap().unwrap();
    });
}

#[test]
fn what_others_still_read_is_forgotten_and_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let memory = memory(folder.path());
    let known = memory.game(game("prisoners-dilemma").program(), &Budget::unlimited()).unwrap();
    memory.add_match(&known, &note_of("b")).unwrap();
    let other = rusqlite::Connection::open(memory.path()).unwrap();
    other.execute_batch("BEGIN; SELECT count(*) FROM matches").unwrap();
    let forgotten = memory.forget(&Subject::All).unwrap();
    assert_eq!((forgotten.matches, forgotten.overwritten), (1, false));
    assert!(memory.overview().unwrap().games.is_empty());
    other.execute_batch("COMMIT").unwrap();
    assert!(memory.forget(&Subject::All).unwrap().overwritten);
}

#[test]
fn several_write_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let game = game("prisoners-dilemma");
    std::thread::scope(|scope| {
        for writer in 0..4u64 {
            let (path, game) = (&path, &game);
            scope.spawn(move || {
                let memory = Arc::new(Memory::open(path).unwrap());
                (0..5).for_each(|seed| drop(play(game, ["random", "random"], &memory, 10 * writer + seed)));
            });
        }
    });
    let overview = Memory::open_existing(&path).unwrap().overview().unwrap();
    assert_eq!((overview.games.len(), overview.games[0].matches), (1, 20));
}

/// The process that writes until it is killed: this test program started again.
const WRITER: &str = "LUDEX_MEMORY_WRITER";

#[test]
fn writes_without_end_where_that_is_asked_for() {
    let Some(path) = std::env::var_os(WRITER) else { return };
    let memory = Memory::open(path).unwrap();
    let game = game("prisoners-dilemma");
    let known = memory.game(game.program(), &Budget::unlimited()).unwrap();
    let place = Place { strategy: "s".into(), aim: "own".into(), path: String::new(), role: 0 };
    let found = vec![SearchedMove { action: "defect".into(), visits: 1, value: 50.0 }];
    let joint = vec!["cooperate".to_owned(), "defect".to_owned()];
    let note = MatchNote {
        moves: vec![joint; 500],
        players: vec![Some("a".into()), Some("b".into())],
        searches: vec![(place, found)],
        ..MatchNote::default()
    };
    loop {
        memory.add_match(&known, &note).unwrap();
    }
}

#[test]
fn a_killed_process_leaves_the_memory_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let mut before = 0;
    for _ in 0..3 {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writes_without_end_where_that_is_asked_for", "--test-threads=1"])
            .env(WRITER, &path)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // It is killed when it has written something, in the middle of the next thing.
        let matches = || {
            let overview = Memory::open_existing(&path).and_then(|memory| memory.overview()).ok()?;
            overview.games.first().map(|game| game.matches)
        };
        while matches().is_none_or(|matches| matches < before + 3) {
            std::thread::yield_now();
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let memory = Memory::open_existing(&path).unwrap();
        let overview = memory.overview().unwrap();
        assert_eq!(overview.games.len(), 1);
        before = overview.games[0].matches;
        // Each match has all that was written with it.
        let known = memory.game(game("prisoners-dilemma").program(), &Budget::unlimited()).unwrap();
        let place = Place { strategy: "s".into(), aim: "own".into(), path: String::new(), role: 0 };
        assert_eq!(memory.searched(&known, &place).unwrap()[0].visits, before);
        let past = memory.past(&known, &["b".to_owned()], usize::MAX >> 1, &Budget::unlimited()).unwrap();
        assert_eq!(past.len() as u64, before);
        assert!(past.iter().all(|past| past.moves.len() == 500 && past.players.len() == 2));
        let check: String = rusqlite::Connection::open(&path)
            .unwrap()
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(check, "ok");
    }
}
