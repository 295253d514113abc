//! The rules of the house, as tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Which crates of the workspace a crate may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("ludex-logic", &[]),
    ("ludex-gdl", &["ludex-logic"]),
    ("ludex-game", &["ludex-logic", "ludex-gdl"]),
    ("ludex-propnet", &["ludex-logic", "ludex-gdl", "ludex-game"]),
    ("ludex-engine", &["ludex-logic", "ludex-gdl", "ludex-game", "ludex-propnet"]),
    ("ludex-analysis", &["ludex-logic", "ludex-gdl", "ludex-game", "ludex-propnet"]),
    ("ludex-learn", &["ludex-logic", "ludex-game"]),
    ("ludex-players", &["ludex-logic", "ludex-gdl", "ludex-game", "ludex-analysis"]),
    ("ludex-match", &["ludex-logic", "ludex-gdl", "ludex-game"]),
    ("ludex-explore", &["ludex-logic", "ludex-gdl", "ludex-game", "ludex-learn", "ludex-match"]),
    (
        "ludex",
        &[
            "ludex-logic",
            "ludex-gdl",
            "ludex-game",
            "ludex-propnet",
            "ludex-engine",
            "ludex-analysis",
            "ludex-learn",
            "ludex-players",
            "ludex-match",
            "ludex-explore",
        ],
    ),
    ("ludex-server", &["ludex"]),
    ("ludex-lsp", &["ludex"]),
    ("ludex-memory", &["ludex"]),
    ("ludex-cli", &["ludex", "ludex-lsp", "ludex-memory", "ludex-server"]),
    ("ludex-python", &["ludex"]),
    ("ludex-testkit", &["ludex-logic", "ludex-gdl", "ludex-game", "ludex-propnet", "ludex-engine"]),
    (
        "ludex-benches",
        &[
            "ludex-logic",
            "ludex-gdl",
            "ludex-game",
            "ludex-propnet",
            "ludex-engine",
            "ludex-players",
            "ludex",
            "ludex-lsp",
            "ludex-server",
            "ludex-testkit",
        ],
    ),
];

/// Crates that may read clocks and files and print.
const LEAVES: &[&str] = &[
    "ludex-cli",
    "ludex-lsp",
    "ludex-memory",
    "ludex-python",
    "ludex-server",
    "ludex-testkit",
    "ludex-benches",
];

/// Where there may be `unsafe`: small files, each with a reason at its top.
const UNSAFE_FILES: &[(&str, &[&str])] = &[
    ("ludex-engine", &["kernel/code.rs", "kernel/dispatch.rs", "lanes/vector.rs", "native/call.rs"]),
    ("ludex-cli", &["freed_memory.rs"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Where the sources of a crate lie.
fn folder(name: &str) -> PathBuf {
    root().join(if name == "ludex-benches" { "benches".into() } else { Path::new("crates").join(name) })
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

fn all_sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (name, _) in ALLOWED {
        sources(&folder(name), &mut found);
    }
    assert!(found.len() > 40, "the sources were found");
    found.sort();
    found
}

#[test]
fn dependencies_point_down() {
    let metadata = MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .unwrap();
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let mut members = Vec::new();
    for package in &metadata.packages {
        let name = package.name.as_str();
        let may = allowed.get(name).unwrap_or_else(|| panic!("{name} is not in the table of layers"));
        for dependency in &package.dependencies {
            let used = dependency.name.as_str();
            // Tests may use the test kit, which is above everything.
            let development = dependency.kind == DependencyKind::Development;
            if used.starts_with("ludex") && !(development && used == "ludex-testkit") {
                assert!(may.contains(&used), "{name} must not use {used}");
            }
        }
        members.push(name.to_owned());
    }
    members.sort();
    let mut listed: Vec<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
    listed.sort_unstable();
    assert_eq!(members, listed, "the table lists exactly the crates there are");
}

#[test]
fn library_crates_forbid_unsafe_code() {
    // What PyO3 makes of the bindings for Python says `unsafe`; they themselves do not.
    let may_be_unsafe = |name: &str| {
        name == "ludex-python" || UNSAFE_FILES.iter().any(|(unsafe_crate, _)| *unsafe_crate == name)
    };
    for (name, _) in ALLOWED.iter().filter(|(name, _)| !may_be_unsafe(name)) {
        let path = folder(name).join("src/lib.rs");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{}", path.display());
    }
}

#[test]
fn unsafe_code_keeps_to_its_files() {
    for (name, may_be_unsafe) in UNSAFE_FILES {
        let own = folder(name).join("src");
        let text = std::fs::read_to_string(own.join("lib.rs")).unwrap();
        assert!(text.contains("#![deny(unsafe_code)]"), "{name}");
        let mut files = Vec::new();
        sources(&own, &mut files);
        let mut found = Vec::new();
        for path in files {
            let text: String = std::fs::read_to_string(&path).unwrap().split_whitespace().collect();
            if text.contains("allow(unsafe_code") {
                found.push(path.strip_prefix(&own).unwrap().to_string_lossy().into_owned());
            }
        }
        found.sort();
        assert_eq!(found, *may_be_unsafe, "{name}");
    }
}

#[test]
fn a_file_has_one_subject_and_a_name_that_says_it() {
    for path in all_sources() {
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines < 800, "{} has {lines} lines", path.display());
        for part in path.strip_prefix(root()).unwrap().iter().map(|p| p.to_string_lossy().into_owned()) {
            let stem = part.trim_end_matches(".rs");
            let vague = ["util", "utils", "common", "helper", "helpers", "misc", "stuff"];
            assert!(!vague.contains(&stem), "{}", path.display());
        }
    }
}

/// What is a program of its own is linked on its own: a crate has one such program of tests, and every file belongs to it.
#[test]
fn tests_from_outside_are_one_program_for_each_crate() {
    for (name, _) in ALLOWED {
        let folder = folder(name).join("tests");
        let paths = std::fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        let is_module =
            |path: &PathBuf| path.join("mod.rs").exists() || path.extension().is_some_and(|e| e == "rs");
        let stem = |path: PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
        let modules: Vec<String> = paths.filter(is_module).map(stem).filter(|stem| stem != "main").collect();
        if modules.len() < 2 {
            continue;
        }
        let program = std::fs::read_to_string(folder.join("main.rs")).unwrap();
        for module in modules {
            assert!(program.contains(&format!("\nmod {module};")), "{name}: tests/main.rs lacks {module}");
        }
    }
}

/// The text of a file up to its tests, without comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let before_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = before_tests.lines().map(|l| l.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn nothing_is_left_to_do() {
    for path in all_sources().iter().filter(|p| !p.ends_with("architecture.rs")) {
        let code = code(path);
        for name in ["todo", "unimplemented", "dbg"] {
            assert!(!code.contains(&format!("{name}!(")), "{name} in {}", path.display());
        }
    }
}

#[test]
fn libraries_do_no_input_or_output() {
    let words = [
        "std::fs",
        "std::net",
        "std::process",
        "std::env",
        "println!(",
        "eprintln!(",
        "print!(",
        "eprint!(",
        "Instant::now",
        "SystemTime",
        "thread_rng",
        "std::collections::HashMap",
        "std::collections::HashSet",
    ];
    let libraries = ALLOWED.iter().map(|(name, _)| *name).filter(|name| !LEAVES.contains(name));
    for library in libraries {
        let mut files = Vec::new();
        sources(&folder(library).join("src"), &mut files);
        let is_test = |p: &PathBuf| p.ends_with("tests.rs") || p.iter().any(|part| part == "tests");
        for path in files.iter().filter(|p| !is_test(p)) {
            let code = code(path);
            let is_clock = library == "ludex" && path.ends_with("clock.rs");
            let warns = library == "ludex-engine" && path.ends_with("lanes/unoptimised.rs");
            let may = |word: &str| is_clock && word == "Instant::now" || warns && word.ends_with("println!(");
            for word in words.into_iter().filter(|word| !may(word)) {
                assert!(!code.contains(word), "{word} in {}", path.display());
            }
        }
    }
}
