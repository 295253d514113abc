//! The files in `deploy/`: what operators are given works with the server as it is.

use std::collections::BTreeSet;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::{Api, Server, command, wait};

const TOKEN: &str = "a token of twelve";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

/// What comes behind a word on its line.
fn after<'a>(text: &'a str, word: &str) -> &'a str {
    text.lines().find_map(|line| line.strip_prefix(word)).unwrap_or_else(|| panic!("no line {word}"))
}

/// Whether a program is there that only some machines have; says so where not.
fn is_there(program: &str, test: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("skipped: {test} needs {program}");
    }
    there
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn the_unit_is_one_and_gives_the_server_little_of_the_system() {
    if !is_there("systemd-analyze", "the unit of systemd") {
        return;
    }
    let place = TempDir::new().unwrap();
    let unit = place.path().join("ludex.service");
    // What is verified is there.
    let program = assert_cmd::cargo::cargo_bin("ludex");
    let installed = text("ludex.service").replace("/usr/local/bin/ludex", program.to_str().unwrap());
    std::fs::write(&unit, installed.replace("Documentation=", "#")).unwrap();
    let verified = Command::new("systemd-analyze").arg("verify").arg(&unit).output().unwrap();
    assert!(verified.status.success() && said(&verified).is_empty(), "{}", said(&verified));
    let mut security = Command::new("systemd-analyze");
    security.args(["security", "--offline=true", "--threshold=20"]).arg(&unit);
    let exposed = security.output().unwrap();
    assert!(exposed.status.success(), "{}", said(&exposed));
}

/// Starts the server as a file has it, on another folder and port.
fn start(place: &Path, arguments: &str, more: impl FnOnce(&mut Command)) -> Server {
    let mut command = command();
    command.env("LUDEX_TOKEN", TOKEN).args(arguments.split_whitespace());
    command.args(["--port", "0", "--data"]).arg(place.join("data"));
    more(&mut command);
    Server::spawn(command, &place.join("log"))
}

/// The arguments of `serve` in the unit, without those that say where.
fn unit_arguments() -> String {
    let unit = text("ludex.service");
    let line = after(&unit, "ExecStart=/usr/local/bin/ludex ").to_owned();
    line.replace("--port 8080 ", "").replace("--data /var/lib/ludex/data ", "")
}

#[test]
fn the_service_manager_hears_that_the_server_answers_and_that_it_ends_and_others_get_its_requests() {
    let place = TempDir::new().unwrap();
    let heard = UnixDatagram::bind(place.path().join("notify")).unwrap();
    heard.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let hear = || {
        let mut text = [0; 256];
        let length = heard.recv(&mut text).expect("something is told");
        String::from_utf8_lossy(&text[..length]).trim().to_owned()
    };
    let mut server = start(place.path(), &unit_arguments().replace("--drain 5s", "--drain 10m"), |command| {
        command.env("NOTIFY_SOCKET", place.path().join("notify")).env("WATCHDOG_USEC", "20000");
        command.env_remove("WATCHDOG_PID");
    });
    let api = server.api();
    assert_eq!(hear(), "READY=1");
    for _ in 0..3 {
        assert_eq!(hear(), "WATCHDOG=1");
    }
    for path in ["/livez", "/readyz", "/healthz"] {
        assert_eq!(api.get(path).unwrap().status, 200, "{path}");
    }
    let number = server.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &number]).status().unwrap().success());
    while hear() != "STOPPING=1" {}
    wait("that others are to get the requests", || (api.get("/readyz").unwrap().status == 503).then_some(()));
    assert_eq!(api.get("/readyz").unwrap().json()["status"], "ending");
    assert_eq!(api.get("/livez").unwrap().json(), json!({ "status": "ok" }));
    let named = api.with_header("X-Forwarded-For", "192.0.2.1").get("/api/status").unwrap();
    assert_eq!(named.status, 200, "whoever comes is answered still");
}

/// Names of figures in a text, as they are asked for.
fn figures(text: &str) -> BTreeSet<&str> {
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
    let words = text.split(|c: char| !is_name(c));
    words.filter(|word| word.starts_with("ludex_")).collect()
}

#[test]
fn the_dashboard_and_the_alerts_ask_for_figures_that_there_are() {
    let place = TempDir::new().unwrap();
    let mut server = start(place.path(), "serve --players 0", |_| ());
    let api = server.api();
    let told = api.get("/metrics").unwrap();
    // The second time there is a request that was answered.
    let told = [told.body, api.get("/metrics").unwrap().body].concat();
    // Families of which nothing has happened yet have no samples, and are described all the same.
    let described: BTreeSet<&str> =
        told.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_whitespace().next()).collect();
    let dashboard: Value = serde_json::from_str(&text("dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let asked = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let asked: Vec<String> = asked.map(|target| target["expr"].as_str().unwrap().to_owned()).collect();
    let asked = asked.join("\n") + &text("alerts.yml");
    let names = figures(&asked);
    assert!(names.len() > 15, "{names:?}");
    for name in &names {
        let family = ["_bucket", "_total"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        assert!(described.contains(family), "{name} of {described:?}");
    }
    // Whatever is measured is shown.
    for family in described {
        assert!(names.iter().any(|name| name.starts_with(family)), "{family} is on no panel");
    }
}

#[test]
fn requests_have_names_under_which_the_log_speaks_of_them() {
    let place = TempDir::new().unwrap();
    let mut server = start(place.path(), "serve --players 0 --behind-proxy --json --log debug", |_| ());
    let api = server.api().with_header("x-request-id", "from-a-proxy.1");
    let answer = api.get("/api/status?key=secret").unwrap();
    assert_eq!(answer.header("x-request-id"), Some("from-a-proxy.1"));
    let (line, log) = wait("a line about it", || {
        let log = server.log();
        let line = log.lines().find(|line| line.contains("from-a-proxy.1")).map(crate::command::json);
        line.map(|line| (line, log))
    });
    assert_eq!(line["span"], json!({ "id": "from-a-proxy.1", "name": "request" }), "{line}");
    assert_eq!(
        (&line["message"], &line["path"], &line["status"], &line["method"]),
        (&json!("answered"), &json!("/api/status"), &json!(200), &json!("GET"))
    );
    assert!(!log.contains("secret"), "keys are in no log: {log}");
}

/// A base without a system: only what the command is linked to.
fn libraries_of(program: &Path) -> Vec<PathBuf> {
    let linked = Command::new("ldd").arg(program).output().unwrap();
    let linked = said(&linked);
    let paths = linked.split_whitespace().filter(|word| word.starts_with('/'));
    paths.map(PathBuf::from).collect()
}

#[test]
fn the_container_file_makes_an_image_in_which_the_server_runs() {
    if !is_there("buildah", "the container image") || !is_there("pkill", "the container image") {
        return;
    }
    let place = TempDir::new().unwrap();
    let context = place.path().join("archive");
    std::fs::create_dir(&context).unwrap();
    let program = assert_cmd::cargo::cargo_bin("ludex");
    std::fs::copy(&program, context.join("ludex")).unwrap();
    for licence in ["LICENSE-APACHE", "LICENSE-MIT", "NOTICES.txt"] {
        std::fs::write(context.join(licence), licence).unwrap();
    }
    let base = place.path().join("base");
    for library in libraries_of(&program) {
        let to = base.join(library.strip_prefix("/").unwrap());
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(library.canonicalize().unwrap(), to).unwrap();
    }
    let store = place.path().join("store");
    let in_store = || {
        let mut command = Command::new("buildah");
        command.arg("--root").arg(store.join("root")).arg("--runroot").arg(store.join("run"));
        command.args(["--storage-driver", "vfs"]).current_dir(place.path());
        command
    };
    let buildah = |arguments: &[&str]| {
        let output = in_store().args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let empty = buildah(&["from", "scratch"]);
    buildah(&["add", &empty, "base", "/"]);
    buildah(&["commit", &empty, "localhost/base"]);
    let file = folder().join("Containerfile");
    let file = file.to_str().unwrap();
    let options = ["--isolation", "chroot", "--build-arg", "BASE=localhost/base", "--tag", "ludex"];
    buildah(&[&["build", "--file", file][..], &options, &["archive"]].concat());
    let image: Value = serde_json::from_str(&buildah(&["inspect", "--type", "image", "ludex"])).unwrap();
    let settings = &image["OCIv1"]["config"];
    assert_eq!(settings["Entrypoint"], json!(["/usr/bin/ludex"]));
    assert_eq!(settings["User"], "10001:10001");
    // As the image has it, but for the port and the token.
    let container = buildah(&["from", "ludex"]);
    let words: Vec<&str> = settings["Cmd"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let mut command = in_store();
    command.args([
        "run",
        "--isolation",
        "chroot",
        "--env",
        "LUDEX_TOKEN=a token of twelve",
        &container,
        "--",
    ]);
    command.arg("/usr/bin/ludex").args(words).args(["--port", "0"]);
    let mut server = Server::spawn(command, &place.path().join("log"));
    let address = server.address();
    let api = Api::at(([127, 0, 0, 1], address.port()).into());
    assert_eq!(api.get("/readyz").unwrap().status, 200);
    assert_eq!(api.with_token(TOKEN).get("/api/status").unwrap().status, 200);
    // No other server has this name.
    let asked = Command::new("pkill").args(["-TERM", "-f", "^/usr/bin/ludex serve"]).status().unwrap();
    assert!(asked.success());
    let status = wait("the end of the container", || server.child.try_wait().unwrap());
    assert!(status.success(), "{}", server.log());
}
