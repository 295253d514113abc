//! The layers of the server: each module uses those below it and no others.

use std::collections::BTreeSet;
use std::path::Path;

/// Which modules a module may use, from the lowest to the highest.
const ALLOWED: &[(&str, &[&str])] = &[
    ("clock", &[]),
    ("interruption", &[]),
    ("lock", &[]),
    ("private", &[]),
    ("signature", &[]),
    ("system_error", &[]),
    ("cache", &["lock"]),
    ("gate", &["lock"]),
    ("connections", &["lock"]),
    ("http", &[]),
    ("model", &["system_error"]),
    ("membership", &["lock", "model"]),
    ("journal", &["lock", "model", "private", "system_error"]),
    ("driver", &["clock", "http", "journal", "lock", "signature", "system_error"]),
    ("player", &["cache", "clock", "connections", "http", "interruption", "lock", "signature"]),
    ("preparation", &["cache", "clock", "gate", "lock", "model"]),
    ("store", &["journal", "lock", "membership", "model", "private"]),
    (
        "manager",
        &[
            "cache",
            "clock",
            "driver",
            "gate",
            "journal",
            "lock",
            "membership",
            "model",
            "preparation",
            "private",
            "signature",
            "store",
        ],
    ),
    (
        "web",
        &[
            "cache",
            "clock",
            "connections",
            "interruption",
            "lock",
            "manager",
            "model",
            "preparation",
            "signature",
        ],
    ),
];

/// The modules that a file names as `crate::module`; comments may speak of any.
fn used(text: &str) -> BTreeSet<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let names: BTreeSet<String> = code.split("crate::").skip(1).map(name).collect();
    assert!(!names.contains(""), "one module is named at a time");
    names
}

fn used_below(path: &Path) -> BTreeSet<String> {
    if path.is_file() {
        return used(&std::fs::read_to_string(path).unwrap());
    }
    std::fs::read_dir(path).unwrap().flat_map(|entry| used_below(&entry.unwrap().path())).collect()
}

#[test]
fn modules_use_those_below_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let library = std::fs::read_to_string(source.join("lib.rs")).unwrap();
    let declared = library.lines().filter_map(|line| line.rsplit_once("mod ")?.1.strip_suffix(';'));
    let listed: BTreeSet<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
    assert_eq!(declared.collect::<BTreeSet<_>>(), listed, "the table lists exactly the modules there are");
    for (place, (name, allowed)) in ALLOWED.iter().enumerate() {
        let below: Vec<&str> = ALLOWED[..place].iter().map(|(name, _)| *name).collect();
        assert!(allowed.iter().all(|used| below.contains(used)), "{name} may use what is below it only");
        let file = source.join(format!("{name}.rs"));
        let mut used = used_below(&if file.exists() { file } else { source.join(name) });
        used.remove(*name);
        assert_eq!(used, allowed.iter().map(|name| (*name).to_owned()).collect(), "what {name} uses");
    }
}
