//! The page of the book that explains every finding says what the command says. With `LUDEX_BLESS=1` it is written anew.

use std::fmt::Write;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

const INTRODUCTION: &str = "# Findings

Everything that `ludex check` finds, by its code: what it means, an example as it is drawn, and the example mended.
`ludex check --explain L030` says the same in the terminal, and `--allow`, `--warn` and `--deny` take codes and names
([Writing and checking rules](writing.md)). Codes never change their meaning.
";

fn page() -> String {
    let output =
        Command::cargo_bin("ludex").unwrap().args(["check", "--explain", "all", "--json"]).output().unwrap();
    let checks: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let mut page = INTRODUCTION.to_owned();
    for check in &checks {
        let text = |key: &str| check[key].as_str().unwrap().to_owned();
        let notation =
            if text("mended").contains(":-") || text("example").contains("role(") { "text" } else { "lisp" };
        write!(
            page,
            "\n## {}: {}\n\n*{}*, usually {} {}. {}\n\n```text\n{}\n```\n\nMended:\n\n```{notation}\n{}\n```\n",
            text("code"),
            text("title"),
            text("name"),
            if text("severity") == "error" { "an" } else { "a" },
            text("severity"),
            text("text"),
            text("drawn").trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n"),
            text("mended").trim_end(),
        )
        .unwrap();
    }
    page
}

#[test]
fn the_page_of_findings_says_what_the_command_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/findings.md");
    let now = page();
    if std::env::var_os("LUDEX_BLESS").is_some() {
        std::fs::write(&path, &now).unwrap();
        return;
    }
    let written = std::fs::read_to_string(&path).unwrap();
    let different = written.lines().zip(now.lines()).find(|(old, new)| old != new);
    assert!(written == now, "the page is not what `ludex check --explain all` says: {different:?}");
}
