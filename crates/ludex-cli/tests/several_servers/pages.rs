//! Pages, streams and moves from another server than the one that has the match.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::{signal, start};
use crate::cluster::Cluster;
use crate::server::{Api, wait};

/// Events of a match as they come: the last line of data.
fn listen(api: &Api, path: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(api.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {}\r\n\r\n", api.address()).unwrap();
    BufReader::new(stream)
}

/// The next event: its name and its data; `None` where the stream has ended.
fn next_event(stream: &mut BufReader<TcpStream>) -> Option<(String, Value)> {
    let mut name = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(word) = line.strip_prefix("event: ") {
            word.trim().clone_into(&mut name);
        } else if let Some(data) = line.strip_prefix("data: ") {
            return Some((name, serde_json::from_str(data.trim()).unwrap()));
        }
    }
}

#[test]
fn any_server_has_the_pages_of_all_matches() {
    let Some(cluster) = Cluster::begin(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    let address = cluster.address();
    // Nobody is taken for dead while this is looked at, however busy the machine is.
    let arguments = ["--players", "0", "--lease", "60s"];
    let mut first = start(&address, &folder.path().join("first.log"), &arguments);
    let mut second = start(&address, &folder.path().join("second.log"), &arguments);
    let (one, other) = (first.api(), second.api());
    for name in ["Anna", "Bert"] {
        let made = one.post("/api/players", &json!({ "name": name, "kind": "person" })).unwrap();
        assert_eq!(made.status, 201, "{made:?}");
    }
    let seats = json!([{ "player": "Anna" }, { "player": "Bert" }]);
    let clocks = json!({ "start": 600_000, "play": 600_000 });
    let plan = json!({ "game": "tic-tac-toe", "seats": seats, "clocks": clocks });
    let made = one.post("/api/matches", &plan).unwrap().json();
    let id = made["id"].as_str().unwrap();
    let keys: Vec<&str> = (0..2).map(|seat| made["seats"][seat]["key"].as_str().unwrap()).collect();
    let seat = |number: usize| format!("/api/matches/{id}/seats/{number}");
    // The other one asks the one that has it.
    wait("a turn", || {
        let view = other.get(&format!("{}?key={}", seat(0), keys[0])).unwrap();
        (view.status == 200 && view.json()["awaited"] == true).then_some(())
    });
    let mut events = listen(&other, &format!("/api/matches/{id}/events"));
    let (name, view) = next_event(&mut events).unwrap();
    let step_of = |view: &Value| view["snapshot"]["state"]["step"].as_u64();
    assert_eq!((name.as_str(), step_of(&view)), ("part", Some(0)));
    let say = |api: &Api, number: usize, step: usize, action: &str| {
        let body = json!({ "step": step, "move": action });
        api.post(&format!("{}/move?key={}", seat(number), keys[number]), &body).unwrap()
    };
    assert_eq!(say(&other, 0, 0, "(mark 1 1)").status, 204);
    // It comes at once, and not when the stream ends.
    while step_of(&next_event(&mut events).unwrap().1) != Some(1) {}
    let wrong = other.post(&format!("{}/move?key=wrong", seat(1)), &json!({ "step": 1, "move": "x" }));
    assert_eq!(wrong.unwrap().status, 403);
    let page = other.get(&format!("/matches/{id}")).unwrap();
    assert!(page.status == 200 && page.body.contains("data-live"), "{page:?}");
    assert_eq!(other.get("/matches/none").unwrap().status, 404);
    // A server that ends hands its matches over: the other one goes on with them at once.
    let begun = crate::server::now();
    let (status, log) = first.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
    // The stream ends without an end of the match, and is asked for again.
    while let Some((name, _)) = next_event(&mut events) {
        assert_eq!(name, "part");
    }
    wait("the next turn", || {
        let view = other.get(&format!("{}?key={}", seat(1), keys[1])).unwrap();
        (view.status == 200 && view.json()["awaited"] == true).then_some(())
    });
    assert!(begun.elapsed() < Duration::from_secs(50), "nobody waits for a lease to run out");
    assert_eq!(say(&other, 1, 1, "(mark 2 2)").status, 204);
    let metrics = wait("that it is alone", || {
        let metrics = other.get("/metrics").unwrap().body;
        metrics.contains("\nludex_members 1\n").then_some(metrics)
    });
    assert!(metrics.contains("\nludex_matches_owned 1\n") && metrics.contains("\nludex_takeovers_total 1\n"));
    // One that does not answer: what is written is shown, and changes are for later.
    let mut third = start(&address, &folder.path().join("third.log"), &arguments);
    let third_api = third.api();
    signal(&second, "-STOP");
    let list = third_api.json("/api/matches");
    assert_eq!(list["items"][0]["id"], id);
    signal(&second, "-CONT");
    let aborted = third_api.post(&format!("/api/matches/{id}/abort"), &json!({ "why": "enough" })).unwrap();
    assert_eq!(aborted.status, 204, "{aborted:?}");
    wait("the end", || {
        (third_api.json(&format!("/api/matches/{id}"))["summary"]["stage"] == "aborted").then_some(())
    });
    second.kill();
    let record = third_api.get(&format!("/api/matches/{id}/record")).unwrap();
    assert_eq!(record.status, 200, "what is over any server has");
}

/// Who asks for something of a server that hangs is told to ask again, and what it had goes on elsewhere.
#[test]
fn a_server_that_hangs_keeps_nobody_waiting() {
    let Some(cluster) = Cluster::begin(false) else { return };
    let folder = tempfile::tempdir().unwrap();
    let address = cluster.address();
    let arguments = ["--players", "0", "--lease", "3s"];
    let mut first = start(&address, &folder.path().join("first.log"), &arguments);
    let mut second = start(&address, &folder.path().join("second.log"), &arguments);
    let (one, other) = (first.api(), second.api());
    let made = one.post("/api/players", &json!({ "name": "Anna", "kind": "person" })).unwrap();
    assert_eq!(made.status, 201, "{made:?}");
    let seats = json!([{ "player": "Anna" }, { "player": "Anna" }]);
    let clocks = json!({ "start": 600_000, "play": 600_000 });
    let plan = json!({ "game": "tic-tac-toe", "seats": seats, "clocks": clocks });
    let id = one.create("/api/matches", &plan);
    wait("that it runs", || {
        (other.get(&format!("/api/matches/{id}")).unwrap().json()["summary"]["stage"] == "running")
            .then_some(())
    });
    signal(&first, "-STOP");
    let mut refused = 0;
    wait("somebody who goes on", || {
        let answer = other.post(&format!("/api/matches/{id}/abort"), &json!({ "why": "enough" })).unwrap();
        assert!(matches!(answer.status, 204 | 503), "{answer:?}");
        refused += usize::from(answer.status == 503);
        (answer.status == 204).then_some(())
    });
    assert!(refused > 0, "the server that hangs is asked first");
    let stage = |api: &Api| {
        let answer = api.get(&format!("/api/matches/{id}")).unwrap();
        (answer.status == 200).then(|| answer.json()["summary"]["stage"].clone())
    };
    wait("the end", || (stage(&other)? == "aborted").then_some(()));
    signal(&first, "-CONT");
    wait("that it is a server again", || {
        (stage(&one)? == "aborted" && one.post("/api/matches", &plan).unwrap().status == 201).then_some(())
    });
}
