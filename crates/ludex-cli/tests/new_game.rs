//! `ludex new` and `ludex rules --into`: the files that they write.

use std::fs;

use assert_cmd::Command;

use crate::command::ludex;

#[test]
fn a_new_game_is_checked_tested_and_played_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for (name, file, options) in [
        ("usual", "usual.kif", vec!["--yes"]),
        ("hexes", "hexes.gdl", vec!["--shape", "hex", "--win", "reach", "--notation", "infix"]),
        ("alone", "alone.kif", vec!["--pieces", "move", "--turns", "single", "--hidden", "dice"]),
    ] {
        let (code, said, errors) = ludex(folder.path(), &[&["new", name], options.as_slice()].concat());
        assert_eq!((code, errors.as_str()), (0, ""), "{said}");
        assert!(said.contains(&format!("ludex test {file}")), "{said}");
        let (code, said, _) = ludex(folder.path(), &["check", file]);
        assert!(code == 0 && said.contains("no findings"), "{said}");
        let (code, said, _) = ludex(folder.path(), &["test", file]);
        assert!(code == 0 && !said.contains("FAILED"), "{said}");
        let (code, said, _) = ludex(folder.path(), &["play", file, "--seed", "1"]);
        assert!(code == 0 && said.contains("Result after"), "{said}");
    }
}

#[test]
fn files_that_are_there_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.cases"), "case of mine\n").unwrap();
    let (code, _, errors) = ludex(folder.path(), &["new", "mine", "--yes"]);
    assert!(code == 1 && errors.contains("`mine.cases` is there already"), "{errors}");
    assert!(!folder.path().join("mine.kif").exists());
    let (code, _, _) = ludex(folder.path(), &["new", "mine", "--yes", "--force"]);
    assert_eq!(code, 0);
    assert!(fs::read_to_string(folder.path().join("mine.cases")).unwrap().contains("case the start"));
}

#[test]
fn questions_are_asked_until_they_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::cargo_bin("ludex")
        .unwrap()
        .current_dir(folder.path())
        .arg("new")
        .write_stdin(
            "my game\nmy-game\nhex\n4x4\nplace\nsimultaneous\nline:5\nline:4\nnone\nred,blue\ninfix\n",
        )
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("a game cannot be called `my game`"), "{said}");
    assert!(said.contains("after `line:` stands a number from 3 to 4 here"), "{said}");
    let rules = fs::read_to_string(folder.path().join("my-game.gdl")).unwrap();
    assert!(rules.contains("role(red)\n") && rules.contains("column(4)\n"), "{rules}");
}

#[test]
fn libraries_are_put_into_rulesheets_and_exchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("begun.gdl");
    fs::write(&file, "% mine\nrole(you)\n").unwrap();
    let into = |set: &str| ludex(folder.path(), &["rules", "numbers", "--set", set, "--into", "begun.gdl"]);
    assert_eq!(into("max=3").2, "begun.gdl: added numbers\n");
    assert_eq!(into("max=3").2, "begun.gdl: nothing to change\n");
    assert_eq!(into("max=2").2, "begun.gdl: replaced numbers\n");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("% mine\nrole(you)\n\n% ---- rules: numbers") && !text.contains("succ(2,3)"));
    fs::write(&file, "role(you)\nsucc(1,2)\n").unwrap();
    let (code, _, errors) = into("max=3");
    assert!(code == 1 && errors.contains("begun.gdl: line 2: `succ/2` is defined here"), "{errors}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "role(you)\nsucc(1,2)\n");
    let json = ludex(folder.path(), &["rules", "dice", "--into", "begun.gdl", "--json"]).1;
    assert_eq!(json, "{\"file\":\"begun.gdl\",\"added\":[\"turns\",\"dice\"],\"replaced\":[]}\n");
}
