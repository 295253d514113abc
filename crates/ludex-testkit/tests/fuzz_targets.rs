//! The fuzz targets over their kept inputs, mutations of the bundled games, and random texts.

use std::path::Path;

use ludex_testkit::fuzz::{TARGETS, corpus, mutate};
use ludex_testkit::{bundled, rounds, seeds};
use proptest::prelude::*;

#[test]
fn kept_inputs() {
    for (name, target) in TARGETS {
        let inputs = corpus(name);
        assert!(!inputs.is_empty(), "no inputs for {name}");
        for path in inputs {
            target(&std::fs::read(path).unwrap());
        }
    }
}

#[test]
fn every_target_has_a_program_for_the_fuzzer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
    for (name, _) in TARGETS {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
        let program = std::fs::read_to_string(folder.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(program.contains(&format!("fuzz::{name}(data)")), "{name}");
    }
}

#[test]
fn mutations_of_the_bundled_games() {
    let texts: Vec<Vec<u8>> = bundled().iter().map(|p| std::fs::read(p).unwrap()).collect();
    let small: Vec<_> = texts.iter().filter(|t| t.len() < 4_000).collect();
    assert!(!small.is_empty());
    for seed in seeds(150) {
        let text = mutate(small[seed as usize % small.len()], seed);
        for (_, target) in TARGETS {
            target(&text);
        }
    }
}

/// Texts of what rulesheets are made of.
fn tokens() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "(", ")", "(", ")", " ", "\n", "<=", ":-", "&", ",", "|", "~", ".", "?x", "X", "role", "init",
        "next", "true", "does", "legal", "goal", "terminal", "distinct", "or", "and", "not", "p", "q", "a",
        "1", "100", "'", "\"", ";c\n", "%c\n", "é", "=", "!=", "::", "==>", "p(", "(p a)", "p()",
    ]);
    prop::collection::vec(token, 0..60).prop_map(|tokens| tokens.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: rounds(200) as u32,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(seeds(1).start),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_tokens(text in tokens()) {
        for (_, target) in TARGETS {
            target(text.as_bytes());
        }
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for (_, target) in TARGETS {
            target(&bytes);
        }
    }
}

#[test]
fn depth_is_no_problem() {
    for text in ["(".repeat(300_000), "(f ".repeat(100_000), ")".repeat(300_000), "not ".repeat(100_000)] {
        for (_, target) in TARGETS {
            target(text.as_bytes());
        }
    }
    let nested = |open: &str, close: &str, n| format!("{}a{}", open.repeat(n), close.repeat(n));
    for text in [
        nested("(f ", ")", 100_000),
        format!("(<= p {})", nested("(not ", ")", 100_000)),
        format!("p :- {}", nested("~(", ")", 100_000)),
        nested("f(", ")", 100_000),
    ] {
        for (_, target) in TARGETS {
            target(text.as_bytes());
        }
    }
}
