//! `ludex store`, and `ludex serve` on a PostgreSQL database.

use std::path::Path;

use ludex::tournament::FaultCounts;
use ludex_server::model::{
    ClockPlan, MatchEnd, MatchPlan, MatchRow, MatchStage, MatchSummary, PlayerKind, SeatPlan, SeatSummary,
};
use ludex_server::store::StorePlace;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cluster::Cluster;
use crate::command::{fine, json as parsed, keys, ludex};
use crate::server::{Api, Server, command as serve_command};

/// A store with a player in a folder.
fn fill(folder: &Path) {
    let store = StorePlace::Folder(folder.to_owned()).open().unwrap();
    store.put_player("Anna", &PlayerKind::Person, 1).unwrap();
}

#[test]
fn a_store_is_copied_and_its_digest_stays() {
    let folder = TempDir::new().unwrap();
    fill(&folder.path().join("data"));
    let copied = fine(folder.path(), &["store", "copy", "data", "copy", "--json"]);
    let copied: Value = parsed(&copied);
    assert_eq!(keys(&copied), ["store", "sha256", "tables"]);
    assert_eq!(copied["store"], "copy");
    let players = copied["tables"].as_array().unwrap().iter().find(|table| table["table"] == "players");
    assert_eq!(players.unwrap()["rows"], 1);
    for store in ["data", "copy"] {
        let text = fine(folder.path(), &["store", "check", store]);
        let digest = format!("digest: {}\n", copied["sha256"].as_str().unwrap());
        assert!(text.ends_with(&digest) && text.contains("\nplayers"), "{text}");
    }
    let wrong = |arguments: &[&str]| ludex(folder.path(), &[&["store"], arguments].concat());
    let (code, _, errors) = wrong(&["copy", "data", "copy"]);
    assert!(code == 1 && errors.contains("holds other data"), "{errors}");
    let (code, _, errors) = wrong(&["check", "nothing"]);
    assert!(code == 1 && errors.contains("there is no store `nothing`"), "{errors}");
    assert!(!folder.path().join("nothing").exists());
}

#[test]
fn addresses_that_cannot_be_used_are_said_without_their_password() {
    let folder = TempDir::new().unwrap();
    let serve = |address: &str| ludex(folder.path(), &["serve", "--port", "0", "--store", address]);
    let (code, out, errors) = serve("postgres://anna:sesame@127.0.0.1:1/ludex");
    assert_eq!((code, out.as_str()), (1, ""), "{errors}");
    assert!(
        errors.contains("the database `postgres://anna@127.0.0.1:1/ludex` cannot be reached: "),
        "{errors}"
    );
    assert!(errors.contains("hint: `psql` with the same address") && !errors.contains("sesame"), "{errors}");
    for (address, said) in [
        ("postgres://anna:sesame@host:port/ludex", "has an address like"),
        ("postgres://anna:sesame@host/ludex?sslmode=require", "without TLS"),
        ("mysql://anna:sesame@host/ludex", "of the kind `mysql`"),
    ] {
        let (code, _, errors) = serve(address);
        assert!(code == 2 && errors.contains(said) && !errors.contains("sesame"), "{errors}");
    }
    let (code, _, errors) = ludex(folder.path(), &["serve", "--store", "postgres://h/d", "--data", "x"]);
    assert!(code == 2 && errors.contains("cannot be used with"), "{errors}");
}

fn start(folder: &Path, address: &str) -> Server {
    let mut command = serve_command();
    command.args(["serve", "--port", "0", "--players", "0", "--store", address]);
    Server::spawn(command, &folder.join("server.log"))
}

#[test]
fn a_server_on_postgres_is_killed_and_its_store_copied() {
    let Some(cluster) = Cluster::shared() else { return };
    let folder = TempDir::new().unwrap();
    let address = cluster.address();
    let mut server = start(folder.path(), &address);
    let api: Api = server.api();
    let made = api.post("/api/players", &json!({ "name": "Anna", "kind": "person" })).unwrap();
    assert_eq!(made.status, 201, "{made:?}");
    let (code, _, errors) = ludex(folder.path(), &["store", "check", &address]);
    assert!(code == 1 && errors.contains("is in use by another process of ludex"), "{errors}");
    server.kill();
    let mut server = start(folder.path(), &address);
    assert_eq!(server.api().json("/api/players")["items"][0]["name"], "Anna");
    let (status, log) = server.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
    let copied = parsed(&fine(folder.path(), &["store", "copy", &address, "data", "--json"]));
    let checked = parsed(&fine(folder.path(), &["store", "check", &address, "--json"]));
    assert_eq!(copied["sha256"], checked["sha256"]);
    let mut server =
        Server::start(&folder.path().join("data"), &folder.path().join("log"), &["--players", "0"]);
    assert_eq!(server.api().json("/api/players")["items"][0]["name"], "Anna");
}

#[test]
fn matches_that_are_over_are_rated_without_a_server() {
    let folder = TempDir::new().unwrap();
    let place = StorePlace::Folder(folder.path().join("data"));
    let store = place.open().unwrap();
    let seat = |player: &str| SeatPlan { player: player.to_owned(), ..SeatPlan::default() };
    for (player, number) in ["Anna", "Bert"].iter().zip(0..) {
        store.put_player(player, &PlayerKind::Person, number).unwrap();
    }
    let plan = MatchPlan::new("nim", vec![seat("Anna"), seat("Bert")], ClockPlan::new(1, 1));
    let summary = MatchSummary::planned("m1", &plan, "1", 5);
    let goals = summary.seats.iter().zip([100, 0]);
    let seats =
        goals.map(|(seat, goal)| (SeatSummary { goal: Some(goal), ..seat.clone() }, FaultCounts::default()));
    let end = MatchEnd {
        id: "m1".into(),
        stage: MatchStage::Completed,
        ended: 9,
        rated: true,
        steps: 3,
        aborted: None,
        seats: seats.collect(),
        record: None,
        last_entry: None,
        event: None,
    };
    let row = MatchRow {
        summary,
        plan,
        fixture: None,
        hidden: false,
        keys: Vec::new(),
        resumptions: 0,
        wanted_abort: None,
    };
    store.add_match(&row).unwrap();
    store.end_match(&end).unwrap();
    drop(store);
    let counted = fine(folder.path(), &["store", "ratings", "data"]);
    assert!(counted.starts_with("counted 1 match; 2 players rated\n"), "{counted}");
    let rows: Vec<Vec<&str>> = counted.lines().skip(1).map(|row| row.split_whitespace().collect()).collect();
    assert!(rows[0][..2] == ["PLAYER", "RATING"] && rows[1][..2] == ["Anna", "1662"], "{counted}");
    let counted = fine(folder.path(), &["store", "ratings", "data"]);
    assert!(counted.starts_with("counted 0 matches; 2 players rated\n"), "{counted}");
    let again: Value = parsed(&fine(folder.path(), &["store", "ratings", "data", "--again", "--json"]));
    assert_eq!(keys(&again), ["store", "counted", "players", "strongest"]);
    assert_eq!((&again["counted"], &again["strongest"][1]["player"]), (&json!(1), &json!("Bert")));
    let wrong = ludex(folder.path(), &["store", "ratings", "postgres://"]);
    assert!(wrong.0 > 0);
}
