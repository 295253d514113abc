//! Downloading records.

use std::process::Command;

use super::scheduling::played;
use super::session::browse;

#[test]
fn records_are_downloaded_and_hold_what_was_played() {
    browse(|page| {
        page.open("/");
        let id = played(page, "tic-tac-toe", &["random-player", "random-player"]);
        page.open(&format!("/matches/{id}"));
        page.click("a[href$='/record.json']");
        let one = page.download(&format!("{id}.json"));
        played(page, "monty-hall", &["random-player"]);
        page.open("/matches");
        page.click("a[href='/records.jsonl']");
        let all = page.download("records.jsonl");
        for (file, matches) in [(one, 1), (all, 2)] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
            let output = command.arg("verify").arg(&file).output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {said}{errors}", file.display());
            assert_eq!(said.matches("all as recorded").count(), matches, "{said}");
        }
    });
}
