//! A library of many games, players and matches.

use std::path::Path;

use ludex::game::sha256;
use ludex::matches::tournament::FaultCounts;
use ludex::players::{Registry, Resources};
use ludex::{Game, GameOptions, MatchRecord, MatchSetup, Table};
use ludex_server::driver::unix_milliseconds;
use ludex_server::model::{
    ClockPlan, GameRow, MatchEnd, MatchPlan, MatchRow, MatchStage, MatchSummary, PlayerKind, SeatKey,
    SeatPlan, SeatSummary,
};
use ludex_server::store::{SqliteOptions, SqliteStore, Store};

/// How much there is.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub matches: usize,
    pub players: usize,
    pub games: usize,
}

/// What can be looked at in the library.
pub struct Full {
    pub game: String,
    pub player: String,
    pub match_id: String,
}

/// Fills a store: all matches were played to the end, and have the same record.
pub fn fill(folder: &Path, sizes: &Sizes) -> Full {
    let store = SqliteStore::open(folder, &SqliteOptions::default()).expect("a store");
    let game = ludex::library::find("tic-tac-toe").expect("a bundled game");
    let texts: Vec<String> = (0..sizes.games).map(|number| format!("{}\n; {number}\n", game.text)).collect();
    for (number, text) in texts.iter().enumerate() {
        let row = GameRow {
            name: name("game", number),
            title: format!("Tic-tac-toe, number {number}"),
            description: String::new(),
            text: text.clone(),
            sha256: sha256(text),
            dialect: game.dialect.to_string(),
            notation: "prefix".to_owned(),
            bundled: false,
            added: unix_milliseconds(),
            offered: true,
        };
        store.put_game(&row).expect("a game");
    }
    for number in 0..sizes.players {
        store.put_player(&name("player", number), &PlayerKind::Person, number as u64).expect("a player");
    }
    let record = record(game.text);
    for number in 0..sizes.matches {
        add_match(&store, sizes, number, &sha256(&texts[number % sizes.games]), &record);
    }
    Full { game: name("game", 0), player: name("player", 0), match_id: name("m", sizes.matches / 2) }
}

fn name(kind: &str, number: usize) -> String {
    format!("{kind}{number:05}")
}

/// A game between players that move at random.
fn record(text: &str) -> MatchRecord {
    let game = Game::parse("tic-tac-toe", text, &GameOptions::default()).expect("a game");
    let player = |_| Registry::default().create("random", &Resources::default()).expect("a player");
    let players = (0..2).map(player).collect();
    let table = Table::new(&game, MatchSetup::default(), players, None, Default::default()).expect("a match");
    MatchRecord { rulesheet: None, ..table.play().expect("a course").record() }
}

fn add_match(store: &SqliteStore, sizes: &Sizes, number: usize, version: &str, record: &MatchRecord) {
    let id = name("m", number);
    let seats = [0, 1].map(|seat| SeatPlan {
        player: name("player", (7 * number + seat) % sizes.players),
        ..SeatPlan::default()
    });
    let created = unix_milliseconds();
    let plan = MatchPlan::new(name("game", number % sizes.games), seats.into(), ClockPlan::new(1000, 1000));
    let plan = MatchPlan { version: Some(version.to_owned()), seed: Some(number as u64), ..plan };
    let summary = MatchSummary::planned(&id, &plan, version, created);
    let keys = vec![SeatKey::of("one", false), SeatKey::of("two", false)];
    let seats: Vec<(SeatSummary, FaultCounts)> = summary
        .seats
        .iter()
        .zip([("white", 100), ("black", 0)])
        .map(|(seat, (role, goal))| {
            let seat = SeatSummary { role: role.to_owned(), goal: Some(goal), ..seat.clone() };
            (seat, FaultCounts::default())
        })
        .collect();
    let row =
        MatchRow { summary, plan, fixture: None, hidden: false, keys, resumptions: 0, wanted_abort: None };
    store.add_match(&row).expect("a match");
    store.begin_match(&id, &["white".to_owned(), "black".to_owned()], created).expect("a match that begins");
    let record = MatchRecord { match_id: id.clone(), ..record.clone() };
    let end = MatchEnd {
        id,
        stage: MatchStage::Completed,
        ended: created + 1000,
        steps: record.moves.len() as u32,
        aborted: None,
        seats,
        rated: false,
        record: Some(record.write()),
        last_entry: None,
        event: None,
    };
    store.end_match(&end).expect("a match that is over");
}
