//! `ludex serve` as a program.

mod command;
mod server;

use std::net::TcpStream;
use std::path::Path;

use serde_json::{Value, json};
use server::{Api, Server, command as serve_command, wait};
use tempfile::TempDir;

use command::{fine, ludex};

/// Two players name a number six times; one wants the last two to be the same, and the other does not.
const GAME: &str = "
(role one) (role two)
(digit 1) (digit 2) (digit 3)
(<= (input ?r (add ?d)) (role ?r) (digit ?d))
(base (step 0)) (<= (base (step ?n)) (successor ?m ?n))
(<= (base (last ?r ?d)) (role ?r) (digit ?d))
(init (step 0))
(<= (legal ?r (add ?d)) (role ?r) (digit ?d))
(<= (next (step ?n)) (true (step ?m)) (successor ?m ?n))
(<= (next (last ?r ?d)) (does ?r (add ?d)))
(successor 0 1) (successor 1 2) (successor 2 3) (successor 3 4) (successor 4 5) (successor 5 6)
(<= terminal (true (step 6)))
(<= same (true (last one ?d)) (true (last two ?d)))
(<= (goal one 100) same) (<= (goal one 0) (not same))
(<= (goal two 0) same) (<= (goal two 100) (not same))
";

fn start(folder: &Path, arguments: &[&str]) -> Server {
    Server::start(&folder.join("data"), &folder.join("server.log"), arguments)
}

/// How far a match is.
fn stage(api: &Api, id: &str) -> String {
    let detail = api.json(&format!("/api/matches/{id}"));
    detail["summary"]["stage"].as_str().unwrap_or_default().to_owned()
}

fn wait_for_stage(api: &Api, id: &str, wanted: &str) {
    wait(wanted, || match stage(api, id) {
        stage if stage == wanted => Some(()),
        stage if stage == "planned" || stage == "running" => None,
        _ => panic!("{}", api.json(&format!("/api/matches/{id}"))),
    });
}

/// A match of the game above between two players that come with the server.
fn schedule(api: &Api, players: [&str; 2], milliseconds: u64) -> String {
    let clocks = json!({ "start": milliseconds, "play": milliseconds });
    let seats = players.map(|player| json!({ "player": player }));
    api.create("/api/matches", &json!({ "game": "counting", "seats": seats, "clocks": clocks }))
}

#[test]
fn it_says_where_it_is_and_who_can_reach_it() {
    let folder = TempDir::new().unwrap();
    let mut server = start(folder.path(), &[]);
    let api = server.api();
    assert!(api.address().ip().is_loopback() && api.address().port() > 0);
    assert_eq!(api.json("/healthz"), json!({ "status": "ok", "troubles": [] }));
    assert!(api.json("/api/games?size=100")["total"].as_u64().unwrap() > 10, "it comes with games");
    // Other addresses of this machine lead nowhere.
    #[cfg(target_os = "linux")]
    assert!(TcpStream::connect(("127.0.0.2", api.address().port())).is_err());
    let (status, log) = server.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(log.contains("only this machine can reach the server"), "{log}");
    assert!(log.contains("the server ends"), "{log}");
    assert!(TcpStream::connect(api.address()).is_err(), "nobody is there any more");
}

#[test]
fn its_log_can_be_lines_of_json() {
    let folder = TempDir::new().unwrap();
    let mut server = start(folder.path(), &["--json", "--players", "0"]);
    server.api();
    let (status, log) = server.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
    let lines: Vec<Value> = log.lines().map(command::json).collect();
    let said: Vec<&str> = lines.iter().filter_map(|line| line["message"].as_str()).collect();
    assert!(said.contains(&"the server ends") && said.iter().any(|said| said.contains("only this machine")));
    assert!(lines.iter().all(|line| line["level"].is_string() && line["timestamp"].is_string()), "{log}");
}

#[test]
fn what_cannot_be_served_is_told() {
    let folder = TempDir::new().unwrap();
    let help = fine(folder.path(), &["serve", "--help"]);
    assert!(help.contains("Examples:\n  ludex serve\n") && help.contains("--port <PORT>"), "{help}");
    let wrong = |arguments: &[&str]| ludex(folder.path(), &[&["serve"], arguments].concat());
    // Others are let in with a token only, and no short one.
    let (code, out, errors) = wrong(&["--host", "0.0.0.0", "--port", "0"]);
    assert_eq!((code, out.as_str()), (2, ""), "{errors}");
    assert!(errors.contains("a server that others can reach needs `--token`"), "{errors}");
    let (code, _, errors) = wrong(&["--host", "0.0.0.0", "--token", "short"]);
    assert!(code == 2 && errors.contains("12 characters or more"), "{errors}");
    assert!(!folder.path().join("ludex-data").exists(), "nothing was begun");

    let mut server = start(folder.path(), &["--players", "0"]);
    let port = server.api().address().port().to_string();
    let (code, _, errors) = wrong(&["--port", &port, "--data", "other"]);
    assert!(code == 1 && errors.contains("cannot listen at 127.0.0.1:"), "{errors}");
    assert!(errors.contains("hint: another program listens there; `--port 0`"), "{errors}");
    assert!(!folder.path().join("other").exists(), "a folder is not made for nothing");
    let (code, _, errors) = wrong(&["--port", "0", "--data", "data"]);
    assert!(code == 1 && errors.contains("is in use by another process of ludex"), "{errors}");
    assert!(errors.contains("hint: `--data FOLDER`"), "{errors}");
    let (code, _, errors) = wrong(&["--port", "0", "--data", "server.log"]);
    assert!(code == 1 && errors.contains("cannot use the folder `server.log`"), "{errors}");
}

#[test]
fn whoever_changes_something_needs_the_token_where_others_are_let_in() {
    let folder = TempDir::new().unwrap();
    let mut command = serve_command();
    command.args(["serve", "--port", "0", "--host", "0.0.0.0", "--players", "0", "--data"]);
    command.arg(folder.path().join("data")).env("LUDEX_TOKEN", "a long and secret word");
    let mut server = Server::spawn(command, &folder.path().join("server.log"));
    let address = server.address();
    assert!(address.ip().is_unspecified(), "{address}");
    let api = Api::at(([127, 0, 0, 1], address.port()).into());
    assert_eq!(api.get("/api/status").unwrap().status, 200);
    let game = json!({ "name": "counting", "text": GAME });
    let refused = api.post("/api/games", &game).unwrap();
    assert!(refused.status == 401 && refused.body.contains("needs the token"), "{refused:?}");
    assert_eq!(api.with_token("a long and wrong word").post("/api/games", &game).unwrap().status, 401);
    let known = api.with_token("a long and secret word");
    assert_eq!(known.post("/api/games", &game).unwrap().status, 201);
    let private = json!({ "name": "Near", "kind": "remote", "address": "127.0.0.1:9147" });
    let refused = known.post("/api/players", &private).unwrap();
    assert!(refused.status == 422 && refused.body.contains("not a public address"), "{refused:?}");
    let (status, log) = server.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(log.contains("can look on; the token is for changes") && !log.contains("secret"), "{log}");
}

#[test]
fn a_game_is_uploaded_and_played_and_survives_the_server() {
    let folder = TempDir::new().unwrap();
    let mut server = start(folder.path(), &["--players", "2"]);
    let api = server.api();
    let bad = api.post("/api/games", &json!({ "name": "counting", "text": "(role one" })).unwrap();
    assert_eq!(bad.status, 422);
    assert_eq!(bad.json()["findings"][0]["severity"], "error", "{bad:?}");
    api.create("/api/games", &json!({ "name": "counting", "text": GAME }));
    let id = schedule(&api, ["uct", "random-player"], 1_500);
    wait("a step", || (api.json(&format!("/api/matches/{id}"))["summary"]["steps"] != 0).then_some(()));
    let children = children_of(&server);
    assert_eq!(stage(&api, &id), "running");
    server.kill();
    wait("the end of the built-in players", || children.iter().all(|child| !is_alive(*child)).then_some(()));

    let mut server = start(folder.path(), &["--players", "2"]);
    let api = server.api();
    // The processes of the players ended with the server, and new ones cannot know what happened so far.
    wait_for_stage(&api, &id, "aborted");
    let summary = api.json(&format!("/api/matches/{id}"))["summary"].clone();
    assert!(summary["aborted"].as_str().unwrap().contains("is built in"), "{summary}");
    assert!(summary["steps"].as_u64().unwrap() > 0, "what was played stays: {summary}");
    assert_eq!(api.get("/api/games/counting").unwrap().json()["text"], GAME, "{summary}");
    let again = api.create(&format!("/api/matches/{id}/rematch"), &json!({}));
    let quick = schedule(&api, ["random-player", "random-player"], 1_500);
    for id in [&again, &quick] {
        wait_for_stage(&api, id, "completed");
    }
    verify(&api, folder.path(), &[&id, &again, &quick]);
    let (status, log) = server.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
}

/// Downloads records, one by one and all together, and compares them with the rules.
fn verify(api: &Api, folder: &Path, matches: &[&str]) {
    for id in matches {
        let record = api.get(&format!("/api/matches/{id}/record")).unwrap();
        assert_eq!(record.status, 200, "{record:?}");
        let name = format!("{id}.json");
        std::fs::write(folder.join(&name), &record.body).unwrap();
        assert_eq!(record.json()["matchId"], **id);
        fine(folder, &["verify", &name]);
    }
    let all = api.get("/api/records").unwrap();
    assert_eq!(all.body.lines().count(), matches.len(), "{all:?}");
    std::fs::write(folder.join("records.jsonl"), &all.body).unwrap();
    fine(folder, &["verify", "records.jsonl"]);
}

#[test]
fn who_ends_it_can_let_matches_end() {
    let folder = TempDir::new().unwrap();
    let mut server = start(folder.path(), &["--players", "2", "--grace", "40s"]);
    let api = server.api();
    api.create("/api/games", &json!({ "name": "counting", "text": GAME }));
    let id = schedule(&api, ["uct", "random-player"], 1_000);
    wait("a step", || (api.json(&format!("/api/matches/{id}"))["summary"]["steps"] != 0).then_some(()));
    let (status, log) = server.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
    let mut server = start(folder.path(), &["--players", "0"]);
    let api = server.api();
    assert_eq!(stage(&api, &id), "completed");
    verify(&api, folder.path(), &[&id]);
}

/// A server through a shell that does something first.
#[cfg(target_os = "linux")]
fn start_after(first: &str, folder: &Path) -> Server {
    let mut command = std::process::Command::new("sh");
    let script = format!("{first} exec \"$0\" serve --port 0 --players 0 --data \"$1\" --log debug");
    command.args(["-c", &script]).arg(serve_command().get_program()).arg(folder.join("data"));
    command.env_remove("LUDEX_TOKEN").stdin(std::process::Stdio::null());
    Server::spawn(command, &folder.join("server.log"))
}

/// The limit of open files is raised as far as that may be, and it is said where that is not far.
#[cfg(target_os = "linux")]
#[test]
fn it_can_open_as_many_files_as_the_system_allows() {
    let folder = TempDir::new().unwrap();
    for (first, low) in [("ulimit -Sn 100;", false), ("ulimit -n 100;", true)] {
        let mut server = start_after(first, folder.path());
        server.api();
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", server.child.id())).unwrap();
        let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
        let numbers: Vec<&str> = line.split_whitespace().filter(|word| word.parse::<u64>().is_ok()).collect();
        assert_eq!(numbers[0], numbers[1], "{line}");
        let (status, log) = server.terminate();
        assert_eq!(status.code(), Some(0), "{log}");
        assert_eq!(log.contains("only 100 files and connections can be open at once"), low, "{log}");
    }
}

/// A small file system that fills up while a match is played.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let alone = std::process::Command::new("unshare").args(["-rm", "true"]).output();
    if !alone.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: no file system of its own can be made for this test");
        return;
    }
    // Something takes room until it is wanted. Nobody else sees the file system, so its room is made there.
    let first = "mkdir -p \"$1\" && mount -t tmpfs -o size=9m tmpfs \"$1\" && head -c 5000000 /dev/zero > \"$1/ballast\" &&
        { (for try in $(seq 1000); do [ -e \"$1/../room\" ] && break; sleep 0.1; done; rm \"$1/ballast\") & } &&";
    let mut command = std::process::Command::new("unshare");
    let script = format!("{first} exec \"$0\" serve --port 0 --players 2 --data \"$1\"");
    let program = serve_command().get_program().to_owned();
    command.args(["-rm", "sh", "-c", &script]).arg(program).arg(folder.path().join("data"));
    command.env_remove("LUDEX_TOKEN").stdin(std::process::Stdio::null());
    let mut server = Server::spawn(command, &folder.path().join("server.log"));
    let api = server.api();
    api.create("/api/games", &json!({ "name": "counting", "text": GAME }));
    let long = schedule(&api, ["uct", "random-player"], 1_500);
    wait("a step", || (api.json(&format!("/api/matches/{long}"))["summary"]["steps"] != 0).then_some(()));
    // Large versions of a game, then smaller ones, until nothing goes in any more.
    let (mut kept, mut sizes) = (0, vec![20_000, 900_000]);
    let refused = loop {
        let text = format!("{GAME}\n; {kept} {}", "x".repeat(*sizes.last().unwrap()));
        let answer = api.post("/api/games", &json!({ "name": "filling", "text": text })).unwrap();
        if answer.status == 201 {
            kept += 1;
        } else {
            sizes.pop();
        }
        if sizes.is_empty() {
            break answer;
        }
        assert!(kept < 190, "it is never full");
    };
    assert!(refused.status == 507 && refused.body.contains("no room left on the disk"), "{refused:?}");
    assert_eq!(api.json("/api/games/filling")["summary"]["versions"], kept, "what was kept can be read");
    // The match wants to write, too.
    let health = wait("that it is said", || {
        let health = api.get("/healthz").unwrap();
        let over = stage(&api, &long) == "completed";
        (over || health.body.contains("no room left")).then_some((over, health))
    });
    assert!(health.0 || health.1.status == 503, "{health:?}");
    std::fs::write(folder.path().join("room"), "").unwrap();
    wait("room", || {
        let answer = api.post("/api/games", &json!({ "name": "again", "text": GAME })).unwrap();
        (answer.status == 201).then_some(())
    });
    wait_for_stage(&api, &long, "completed");
    wait("that all is well", || (api.get("/healthz").unwrap().status == 200).then_some(()));
    assert_eq!(api.json("/api/games/filling")["summary"]["versions"], kept, "nothing is lost");
    let quick = schedule(&api, ["random-player", "random-player"], 1_500);
    wait_for_stage(&api, &quick, "completed");
    verify(&api, folder.path(), &[&long, &quick]);
    let (status, log) = server.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
}

/// The processes that a server has started; none where that cannot be found out.
fn children_of(server: &Server) -> Vec<u32> {
    let parent = server.child.id();
    let of_parent = |process: &u32| {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The name of the program stands in brackets, and may hold anything.
        let after = text.rsplit_once(')').map_or("", |(_, after)| after);
        after.split_whitespace().nth(1).and_then(|number| number.parse().ok()) == Some(parent)
    };
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok());
    let children: Vec<u32> = numbers.filter(of_parent).collect();
    assert!(!children.is_empty() || !cfg!(target_os = "linux"), "built-in players are processes");
    children
}

/// Whether a process is there and does anything.
fn is_alive(process: u32) -> bool {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = text.rsplit_once(')').and_then(|(_, after)| after.trim().chars().next());
    // Whoever has no parent any more may not be buried yet.
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}
