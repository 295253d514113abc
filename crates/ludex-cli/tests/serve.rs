//! `ludex serve` as a program.

use crate::command;
use std::net::TcpStream;
use std::path::Path;

use crate::server::{Api, Server, command as serve_command, wait};
use ludex_server::store::{SqliteOptions, SqliteStore, Store};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{fine, ludex};

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

/// A match between a person and a player that comes with the server, in which nothing happens unless the person moves:
/// its name, and the path of the seat with its key.
fn schedule_person(api: &Api, game: &str) -> (String, String) {
    let answer = api.post("/api/players", &json!({ "name": "Anna", "kind": "person" })).unwrap();
    assert!(matches!(answer.status, 201 | 409), "{answer:?}");
    let clocks = json!({ "start": 600_000, "play": 600_000 });
    let seats = json!([{ "player": "Anna" }, { "player": "random-player" }]);
    let plan = json!({ "game": game, "seats": seats, "clocks": clocks });
    let made = api.post("/api/matches", &plan).unwrap();
    assert_eq!(made.status, 201, "{made:?}");
    let made = made.json();
    let (id, key) = (made["id"].as_str().unwrap(), made["seats"][0]["key"].as_str().unwrap());
    (id.to_owned(), format!("/api/matches/{id}/seats/0?key={key}"))
}

/// Makes the move of a person in the state after so many steps, when it is asked for.
fn move_person(api: &Api, seat: &str, step: usize) {
    wait_until_asked(api, seat, step);
    let answer = api.post(&seat.replace('?', "/move?"), &json!({ "step": step, "move": "(add 1)" })).unwrap();
    assert_eq!(answer.status, 204, "{answer:?}");
}

/// Makes the move of a person, if one is asked for; whether the match is over.
fn go_on(api: &Api, id: &str, seat: &str) -> bool {
    let view = api.json(seat);
    let step = view["snapshot"]["steps"].as_array().map_or(0, Vec::len);
    if view["awaited"] == true {
        // It may have been made already.
        let _ = api.post(&seat.replace('?', "/move?"), &json!({ "step": step, "move": "(add 2)" }));
    }
    stage(api, id) == "completed"
}

fn wait_until_asked(api: &Api, seat: &str, step: usize) {
    wait("that a person is asked", || {
        let view = api.json(seat);
        let steps = view["snapshot"]["steps"].as_array().map_or(0, Vec::len);
        (view["awaited"] == true && steps == step).then_some(())
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
    // Others are let in with accounts or a token only, and no short one.
    let (code, out, errors) = wrong(&["--host", "0.0.0.0", "--port", "0"]);
    assert_eq!((code, out.as_str()), (2, ""), "{errors}");
    assert!(
        errors.contains(
            "a server that others can reach, through a proxy or not, needs `--accounts`, or `--token`"
        ),
        "{errors}"
    );
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
    let (id, seat) = schedule_person(&api, "counting");
    move_person(&api, &seat, 0);
    wait_until_asked(&api, &seat, 1);
    let (blind, blind_seat) = schedule_person(&api, "blind-tic-tac-toe");
    wait_until_asked(&api, &blind_seat, 0);
    let children = children_of(&server);
    assert_eq!(stage(&api, &id), "running");
    server.kill();
    wait("the end of the built-in players", || children.iter().all(|child| !is_alive(*child)).then_some(()));

    let mut server = start(folder.path(), &["--players", "2"]);
    let api = server.api();
    // The processes of the players ended with the server. New ones are told what happened so far, where that can be.
    for step in 1..6 {
        move_person(&api, &seat, step);
    }
    wait_for_stage(&api, &id, "completed");
    wait_for_stage(&api, &blind, "aborted");
    let summary = api.json(&format!("/api/matches/{blind}"))["summary"].clone();
    assert!(summary["aborted"].as_str().unwrap().contains("is built in"), "{summary}");
    assert_eq!(api.get("/api/games/counting").unwrap().json()["text"], GAME, "{summary}");
    let again = schedule(&api, ["uct", "random-player"], 1_500);
    let again = {
        let rematch = api.create(&format!("/api/matches/{again}/rematch"), &json!({}));
        wait_for_stage(&api, &again, "completed");
        wait_for_stage(&api, &rematch, "completed");
        [again, rematch]
    };
    let quick = schedule(&api, ["random-player", "random-player"], 1_500);
    wait_for_stage(&api, &quick, "completed");
    verify(&api, folder.path(), &[&id, &blind, &again[0], &again[1], &quick]);
    let (status, log) = server.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
}

/// The example on the page for programs, sent word for word to a server that has just been started: its players
/// are there, and the match is played.
#[test]
fn the_example_for_programs_makes_a_match() {
    let folder = TempDir::new().unwrap();
    let mut server = start(folder.path(), &["--players", "2"]);
    let api = server.api();
    let page = api.get("/api").unwrap().body;
    let example = page.split("<code>").nth(1).and_then(|rest| rest.split("</code>").next()).unwrap();
    let (command, rest) = example.split_once(" -d '").unwrap();
    assert!(command.starts_with("curl http://127.0.0.1:8080/api/matches "), "{command}");
    let plan = rest.trim_end().strip_suffix('\'').unwrap();
    let id = api.create("/api/matches", &command::json(plan));
    wait("that it begins", || (stage(&api, &id) != "planned").then_some(()));
    assert_eq!(api.post(&format!("/api/matches/{id}/abort"), &json!({})).unwrap().status, 204);
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
    let mut server = start(folder.path(), &["--players", "2", "--grace", "10m"]);
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
    let first = "mkdir -p \"$1\" && mount -t tmpfs -o size=9m,mode=700 tmpfs \"$1\" && head -c 5000000 /dev/zero > \"$1/ballast\" &&
        { (while kill -0 $$ && ! [ -e \"$1/../room\" ]; do sleep 0.1; done; rm \"$1/ballast\") 2>/dev/null & } &&";
    let mut command = std::process::Command::new("unshare");
    let script = format!("{first} exec \"$0\" serve --port 0 --players 2 --rules-time 10m --data \"$1\"");
    let program = serve_command().get_program().to_owned();
    command.args(["-rm", "sh", "-c", &script]).arg(program).arg(folder.path().join("data"));
    command.env_remove("LUDEX_TOKEN").stdin(std::process::Stdio::null());
    let mut server = Server::spawn(command, &folder.path().join("server.log"));
    let api = server.api();
    api.create("/api/games", &json!({ "name": "counting", "text": GAME }));
    // A match that waits for somebody: it is at the same place however long all this takes.
    let (long, seat) = schedule_person(&api, "counting");
    move_person(&api, &seat, 0);
    wait_until_asked(&api, &seat, 1);
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
    // The match wants to write, too. Small entries may still fit, even to its end.
    let is_said = || {
        let health = api.get("/healthz").unwrap();
        assert!(matches!(health.status, 200 | 503), "{health:?}");
        health.status == 503 && health.body.contains("no room left")
    };
    wait("that it is said", || (is_said() || go_on(&api, &long, &seat)).then_some(()));
    std::fs::write(folder.path().join("room"), "").unwrap();
    wait("room", || {
        let answer = api.post("/api/games", &json!({ "name": "again", "text": GAME })).unwrap();
        (answer.status == 201).then_some(())
    });
    wait("the end", || go_on(&api, &long, &seat).then_some(()));
    wait_for_stage(&api, &long, "completed");
    wait("that all is well", || (api.get("/healthz").unwrap().status == 200).then_some(()));
    assert_eq!(api.json("/api/games/filling")["summary"]["versions"], kept, "nothing is lost");
    let quick = schedule(&api, ["random-player", "random-player"], 1_500);
    wait_for_stage(&api, &quick, "completed");
    verify(&api, folder.path(), &[&long, &quick]);
    let (status, log) = server.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
}

/// A file-size limit (`ulimit -f`) ends a process that does not know of it. Here it is told as a full disk is,
/// and the server goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_the_size_of_files_is_said_and_ends_nothing() {
    let folder = TempDir::new().unwrap();
    // 4 MiB, in blocks of 512 bytes; the log of the server is a file, too, and stays small.
    let mut server = start_after("ulimit -f 8192;", folder.path());
    let api = server.api();
    let refused = (0..40).find_map(|number| {
        let text = format!("{GAME}\n; {number} {}", "x".repeat(400_000));
        let answer = api.post("/api/games", &json!({ "name": "filling", "text": text })).unwrap();
        (answer.status != 201).then_some(answer)
    });
    let refused = refused.expect("that it is full");
    assert!(refused.status == 507 && refused.body.contains("cannot grow"), "{refused:?}");
    assert_eq!(api.get("/api/games/filling").unwrap().status, 200, "what was kept can be read");
    // What is small may fit for a while. When nothing does, that is said before a match runs into it.
    let is_full = |number: usize| {
        let text = format!("{GAME}\n; {number} {}", "x".repeat(20_000));
        let answer = api.post("/api/games", &json!({ "name": "small", "text": text })).unwrap();
        answer.status != 201
    };
    assert!((0..200).any(is_full));
    let said = wait("that it is said", || {
        let health = api.get("/healthz").unwrap();
        (health.status == 503).then_some(health.body)
    });
    assert!(said.contains("nothing can be written") && said.contains("cannot grow"), "{said}");
    let (status, log) = server.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
}

/// A match that waits for somebody goes on however often the server is killed. One whose referee was at work each time
/// is given up, and the server stands.
#[test]
fn a_match_that_never_comes_through_is_given_up() {
    let folder = TempDir::new().unwrap();
    let mut server = start(folder.path(), &["--players", "1"]);
    let api = server.api();
    api.create("/api/games", &json!({ "name": "counting", "text": GAME }));
    for name in ["Anna", "Bert"] {
        assert_eq!(api.post("/api/players", &json!({ "name": name, "kind": "person" })).unwrap().status, 201);
    }
    let clocks = json!({ "start": 600_000, "play": 600_000 });
    let seats = json!([{ "player": "Anna" }, { "player": "Bert" }]);
    let plan = json!({ "game": "counting", "seats": seats, "clocks": clocks });
    let made = api.post("/api/matches", &plan).unwrap().json();
    let id = made["id"].as_str().unwrap().to_owned();
    let seat = format!("/api/matches/{id}/seats/0?key={}", made["seats"][0]["key"].as_str().unwrap());
    wait_until_asked(&api, &seat, 0);
    server.kill();
    let data = folder.path().join("data");
    let store = || SqliteStore::open(&data, &SqliteOptions::default()).unwrap();
    let count = || {
        let database = rusqlite::Connection::open(data.join("ludex.db")).unwrap();
        database.query_row("SELECT resumptions FROM matches", [], |row| row.get::<_, u32>(0)).unwrap()
    };
    for _ in 0..4 {
        let mut server = start(folder.path(), &["--players", "0"]);
        wait_until_asked(&server.api(), &seat, 0);
        wait("that it is at rest", || (count() == 0).then_some(()));
        server.kill();
    }
    for _ in 0..3 {
        store().begin_resumption(&id).unwrap();
    }
    let mut server = start(folder.path(), &["--players", "0"]);
    let api = server.api();
    wait_for_stage(&api, &id, "aborted");
    let why = api.json(&format!("/api/matches/{id}"))["summary"]["aborted"].clone();
    assert!(
        why.as_str().unwrap().starts_with("it was gone on with 3 times, and each time the server"),
        "{why}"
    );
    let (status, log) = server.terminate();
    assert_eq!(status.code(), Some(0), "{log}");
}

/// Others on the machine read nothing of what is kept, whatever the rights of new files are.
#[cfg(unix)]
#[test]
fn what_is_kept_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let rights = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let mut server = start_after("umask 0;", folder.path());
    let api = server.api();
    api.create("/api/games", &json!({ "name": "counting", "text": GAME }));
    assert_eq!(rights(&data), 0o700);
    for file in ["ludex.db", "ludex.db-wal", "ludex.db-shm", "ludex.lock"] {
        assert_eq!(rights(&data.join(file)), 0o600, "{file}");
    }
    server.terminate();
    // A folder of before that others can look into is refused, with what to do about it.
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (code, _, errors) =
        ludex(folder.path(), &["serve", "--port", "0", "--players", "0", "--data", "data"]);
    assert!(code == 1 && errors.contains("others on this machine have a right to `data`"), "{errors}");
    assert!(errors.contains("`chmod -R go= data` takes it from them"), "{errors}");
}

/// Rules that need more memory than a process for rules may have are refused, and the server stands.
#[cfg(target_os = "linux")]
#[test]
fn rules_that_are_too_much_end_another_process() {
    let folder = TempDir::new().unwrap();
    let mut server = start(folder.path(), &["--players", "0", "--rules-memory", "80M"]);
    let api = server.api();
    let numbers: String = (0..1500).map(|number| format!("(d {number})")).collect();
    let text = format!(
        "(role a) {numbers} (<= (init (cell ?x ?y)) (d ?x) (d ?y)) (legal a wait) (goal a 50)
         (<= (next (cell ?x ?y)) (true (cell ?x ?y))) (<= terminal (true (cell 0 1)))"
    );
    let refused = api.post("/api/games", &json!({ "name": "hungry", "text": text })).unwrap();
    assert!(refused.status == 422 && refused.body.contains("need more than can be had"), "{refused:?}");
    assert_eq!(api.json("/healthz"), json!({ "status": "ok", "troubles": [] }));
    // Others are worked on as before, and their pictures come from there.
    api.create("/api/games", &json!({ "name": "counting", "text": GAME }));
    assert!(api.get("/games/tic-tac-toe").unwrap().body.contains("<svg"), "a board");
    assert!(children_of(&server).len() <= 2, "processes are kept, and there are few");
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
