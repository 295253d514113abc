//! What three other projects' tests assert about small rulesheets (their static checks), and that
//! real games pass.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ludex_gdl::{Checked, Dialect, Level, LoadOptions, Severity, Source, load};
use ludex_testkit::corpus::Corpus;

/// A folder of the corpus, where it is there.
fn corpus(folder: &str) -> Option<PathBuf> {
    Corpus::find(folder).map(|corpus| corpus.path(folder))
}

fn check(text: &str, name: &str, options: &LoadOptions) -> Checked {
    load(Arc::new(Source::new(name, text)), options)
}

fn check_file(folder: &Path, name: &str) -> Checked {
    let text = fs::read_to_string(folder.join(format!("{name}.kif"))).unwrap();
    check(&text, &format!("{name}.kif"), &LoadOptions::default())
}

fn count(checked: &Checked, severity: Severity) -> usize {
    checked.diagnostics.iter().filter(|d| d.severity == severity).count()
}

fn drawn(checked: &Checked) -> String {
    ludex_gdl::report::plain(&checked.rulesheet.source, &checked.diagnostics)
}

/// Codes and byte ranges of the findings at or above a severity.
fn found(checked: &Checked, at_least: Severity) -> Vec<(String, u32, u32)> {
    let wanted = checked.diagnostics.iter().filter(|d| d.severity >= at_least);
    wanted.map(|d| (d.code.to_string(), d.span.start, d.span.end)).collect()
}

#[test]
fn ggp_base_valid() {
    let Some(folder) = corpus("gdl-tests/ggp-base-tests") else { return };
    for name in [
        "connectFour",
        "simpleMutex",
        "test_case_1b",
        "test_case_2a",
        "test_case_2b",
        "test_case_2c",
        "test_case_3c",
        "test_case_3d",
        "test_case_4a",
        "test_case_5a",
        "test_case_5b",
        "test_case_5c",
        "ticTacToe",
        // These are run by the dynamic tests, so they are valid as well.
        "test_case_5d",
        "test_case_5e",
        "test_distinct_beginning_rule",
    ] {
        let checked = check_file(&folder, name);
        assert_eq!(count(&checked, Severity::Error), 0, "{}", drawn(&checked));
        assert!(checked.game.is_some());
    }
}

#[test]
fn ggp_base_valid_but_warns() {
    let Some(folder) = corpus("gdl-tests/ggp-base-tests") else { return };
    for (name, code) in [
        ("test_case_1a", "L035"),
        ("test_case_3a", "L027"),
        ("test_invalid_function_arities_differ", "L037"),
        ("test_invalid_sentence_arities_differ", "L036"),
    ] {
        let checked = check_file(&folder, name);
        assert_eq!(count(&checked, Severity::Error), 0, "{}", drawn(&checked));
        let warnings = found(&checked, Severity::Warning);
        assert!(warnings.iter().any(|(c, ..)| c == code), "{name}: {warnings:?}");
    }
}

#[test]
fn ggp_base_rejected() {
    let Some(folder) = corpus("gdl-tests/ggp-base-tests") else { return };
    for (name, code) in [
        ("test_case_3b", "L030"),
        ("test_case_3e", "L030"),
        ("test_case_3f", "L030"),
        ("test_clean_not_distinct", "L029"),
    ] {
        let checked = check_file(&folder, name);
        let errors = found(&checked, Severity::Error);
        assert!(!errors.is_empty(), "{name}");
        assert!(errors.iter().all(|(c, ..)| c == code), "{name}: {errors:?}");
    }
}

#[test]
fn a_negated_distinct_can_be_waived() {
    let Some(folder) = corpus("gdl-tests/ggp-base-tests") else { return };
    let text = fs::read_to_string(folder.join("test_clean_not_distinct.kif")).unwrap();
    let mut options = LoadOptions::default();
    options.set_level("negated-distinct", Level::Allow).unwrap();
    let checked = check(&text, "x.kif", &options);
    assert!(!checked.has_errors(), "{}", drawn(&checked));
    assert_eq!(checked.game.unwrap().roles.len(), 1);
}

#[test]
fn gdl_validation_parentheses() {
    let Some(folder) = corpus("gdl-tests/gdl-validation-testgames") else { return };
    for (name, start) in
        [("badparens1", 4), ("badparens2", 8), ("badparens3", 16), ("badparens4", 3), ("badparens5", 2)]
    {
        let checked = check_file(&folder, name);
        let expected = [("L001".to_owned(), start, start + 1)];
        assert_eq!(found(&checked, Severity::Error), expected, "{name}\n{}", drawn(&checked));
    }
    let text = fs::read_to_string(folder.join("badparens3.kif")).unwrap().replace('\n', "\r\n");
    let checked = check(&text, "badparens3.kif", &LoadOptions::default());
    assert_eq!(found(&checked, Severity::Error), [("L001".to_owned(), 17, 18)]);
    for name in ["ticTacToe", "commentEof"] {
        let checked = check_file(&folder, name);
        assert!(!checked.diagnostics.iter().any(|d| d.code == ludex_gdl::SYNTAX), "{name}");
    }
    assert_eq!(check_file(&folder, "commentEof").rulesheet.items, []);
}

#[test]
fn gdl_validation_keywords() {
    let Some(folder) = corpus("gdl-tests/gdl-validation-testgames") else { return };
    for (name, code, start, end) in [
        ("misplacedDatalogKeyword1", "L023", 0, 18),
        ("misplacedDatalogKeyword2", "L024", 5, 8),
        ("misplacedDatalogKeyword3", "L024", 6, 9),
    ] {
        // These are no complete games; that roles and goals are missing is not what they are about.
        let checked = check_file(&folder, name);
        let errors = found(&checked, Severity::Error);
        let errors: Vec<_> = errors.into_iter().filter(|(c, ..)| c != "L046").collect();
        assert_eq!(errors, [(code.to_owned(), start, end)], "{name}\n{}", drawn(&checked));
    }
}

#[test]
fn gdl_validation_standard_validator() {
    let Some(folder) = corpus("gdl-tests/gdl-validation-testgames") else { return };
    for (name, code, start, end) in [
        ("varInTopLevelSentence", "L030", 10, 15),
        ("emptyDisjunction", "L028", 31, 36),
        ("baseDependsOnTrue", "L044", 15, 25),
    ] {
        let checked = check_file(&folder, name);
        let problems = found(&checked, Severity::Warning);
        assert_eq!(problems, [(code.to_owned(), start, end)], "{name}\n{}", drawn(&checked));
    }
}

#[test]
fn libgdl_rejected() {
    let Some(folder) = corpus("gdl-tests/libgdl-parser-tests") else { return };
    for (name, code) in [
        ("notunstrat", "L031"),
        ("unstratrec", "L031"),
        ("recurseunstrat", "L032"),
        ("headsafe", "L030"),
        ("notsafe", "L030"),
        ("orsafe", "L030"),
        ("base_depen", "L044"),
        ("input_depen", "L044"),
        ("init_depen", "L043"),
        ("legal_depen", "L045"),
        ("ndef_role", "L046"),
        ("ndef_legal", "L046"),
        ("ndef_terminal", "L046"),
        ("ndef_goal", "L046"),
    ] {
        let checked = check_file(&folder, name);
        let errors = found(&checked, Severity::Error);
        assert_eq!(errors.len(), 1, "{name}\n{}", drawn(&checked));
        assert_eq!(errors[0].0, code, "{name}\n{}", drawn(&checked));
    }
}

#[test]
fn libgdl_parsed() {
    let Some(folder) = corpus("gdl-tests/libgdl-parser-tests") else { return };
    for name in ["variable_parsing", "opt1", "ds_test", "mgu_check"] {
        let checked = check_file(&folder, name);
        assert!(checked.game.is_some(), "{}", drawn(&checked));
    }
    let checked = check_file(&folder, "mularity");
    assert!(!checked.has_errors(), "{}", drawn(&checked));
    assert!(found(&checked, Severity::Warning).iter().any(|(c, ..)| c == "L036"));
}

fn games(folder: &str, extension: &str) -> Vec<PathBuf> {
    let Some(folder) = corpus(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

#[test]
fn no_real_game_is_rejected() {
    for (folder, extension, least) in [
        ("gdl", "kif", 190),
        ("gdl-ii", "gdl", 17),
        ("matches/dresden", "kif", 4),
        ("matches/ggp-json", "kif", 12),
    ] {
        let files = games(folder, extension);
        assert!(files.is_empty() || files.len() >= least, "{folder}");
        for file in files {
            let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
            let mut options = LoadOptions::default();
            // These two have Prolog clauses among the others.
            if file.ends_with("ggp-json/dont_touch.kif") || file.ends_with("ggp-json/tictactoe.kif") {
                let checked = check(&text, &file.display().to_string(), &options);
                let errors = found(&checked, Severity::Error);
                assert!(matches!(&errors[..], [(code, ..)] if code == "L003"), "{}", drawn(&checked));
                assert!(checked.game.is_none());
                options.set_level("mixed-notations", Level::Warn).unwrap();
            }
            let checked = check(&text, &file.display().to_string(), &options);
            assert_eq!(count(&checked, Severity::Error), 0, "{}", drawn(&checked));
            let game = checked.game.unwrap();
            assert!(!game.roles.is_empty());
            assert_eq!(game.program.clauses.len(), checked.rulesheet.items.len());
        }
    }
}

#[test]
fn imperfect_information_is_told_by_sees() {
    let with_percepts = games("gdl-ii", "gdl")
        .iter()
        .map(|f| check(&fs::read_to_string(f).unwrap(), "x.gdl", &LoadOptions::default()))
        .filter(|c| c.dialect == Dialect::GdlII)
        .count();
    assert!(with_percepts == 11 || corpus("gdl-ii").is_none());
}
