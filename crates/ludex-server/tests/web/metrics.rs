//! The figures for Prometheus, read as it reads them.

use std::collections::BTreeMap;

use axum::http::{StatusCode, header};
use ludex_server::model::PlayerKind;

use super::support::*;
use crate::manager_support::{remote, service, tic_tac_toe, wait_for_end};

/// Samples by name and labels, and the kind of each family.
#[derive(Default)]
struct Exposition {
    kinds: BTreeMap<String, String>,
    samples: BTreeMap<String, f64>,
}

/// Reads OpenMetrics text, strictly as far as it is used: a family is described before its samples, each
/// sample belongs to the family before it, names are not repeated, and the text ends with `# EOF`.
fn read(text: &str) -> Exposition {
    let mut read = Exposition::default();
    let body = text.strip_suffix("# EOF\n").expect("the end");
    let mut family = String::new();
    for line in body.lines() {
        if let Some(words) = line.strip_prefix("# ") {
            let words: Vec<&str> = words.splitn(3, ' ').collect();
            assert_eq!(words.len(), 3, "{line}");
            match words[0] {
                "TYPE" => {
                    family = words[1].to_owned();
                    assert!(["gauge", "counter", "histogram"].contains(&words[2]), "{line}");
                    let twice = read.kinds.insert(family.clone(), words[2].to_owned());
                    assert_eq!(twice, None, "{line}");
                }
                "HELP" | "UNIT" => assert!(!words[2].is_empty(), "{line}"),
                _ => panic!("{line}"),
            }
            continue;
        }
        let (name, value) = line.rsplit_once(' ').unwrap();
        let plain = name.split('{').next().unwrap();
        let suffix = plain.strip_prefix(family.as_str()).unwrap_or_else(|| panic!("{line} of {family}"));
        let allowed: &[&str] = match read.kinds[&family].as_str() {
            "gauge" => &[""],
            "counter" => &["_total"],
            _ => &["_bucket", "_sum", "_count"],
        };
        assert!(allowed.contains(&suffix), "{line}");
        assert!(plain.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{line}");
        assert_eq!(read.samples.insert(name.to_owned(), value.parse().unwrap()), None, "{line}");
    }
    read
}

#[tokio::test]
async fn figures_are_in_the_text_format_of_prometheus() {
    let (router, manager) = on_loopback();
    let programs = ["Program", "Other"].map(|name| (name, service("legal")));
    for (name, program) in &programs {
        manager.register_player(name, &remote(program)).unwrap();
    }
    // A port where nobody listens.
    let gone = PlayerKind::Remote { address: "127.0.0.1:9".into(), notation: Default::default() };
    manager.register_player("Gone", &gone).unwrap();
    let first = manager.schedule(&tic_tac_toe(&["Program", "Other"], 20_000)).unwrap();
    let steps = wait_for_end(&manager, &first).snapshot.steps.len();
    let second = manager.schedule(&tic_tac_toe(&["Program", "Gone"], 20_000)).unwrap();
    let broken = wait_for_end(&manager, &second).snapshot;
    let faults = broken.steps.iter().flat_map(|step| &step.errors).chain(&broken.start_errors);
    let faults = faults.filter(|error| error.as_ref().is_some_and(|error| !error.is_empty())).count();
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    manager.schedule(&tic_tac_toe(&["Anna", "Program"], 60_000)).unwrap();

    let said = get(&router, "/metrics").await;
    assert_eq!(said.status, StatusCode::OK);
    let kind = said.headers[header::CONTENT_TYPE].to_str().unwrap();
    assert!(kind.starts_with("application/openmetrics-text; version=1.0.0"), "{kind}");
    let Exposition { kinds, samples } = read(&said.text);
    let is = |name: &str, value: usize| {
        assert_eq!(samples.get(name), Some(&(value as f64)), "{name}: {}", said.text)
    };
    is("ludex_matches_completed", 2);
    is("ludex_players", 4);
    is("ludex_troubles", 0);
    is("ludex_steps_total", steps + broken.steps.len());
    is("ludex_faults_total{cause=\"connection\"}", faults);
    assert!(faults > 0 && kinds["ludex_faults"] == "counter");
    assert!(samples.contains_key("ludex_matches_running") && kinds["ludex_matches_running"] == "gauge");

    for (family, labels, least) in [
        ("ludex_send_delay_seconds", "", 2 * steps),
        ("ludex_journal_commit_seconds", "", 2 + steps),
        ("ludex_answer_time_seconds", "kind=\"remote\"", 2 * steps),
    ] {
        assert_eq!(kinds[family], "histogram");
        let of = |end: &str| {
            if labels.is_empty() { format!("{family}_{end}") } else { format!("{family}_{end}{{{labels}}}") }
        };
        let count = samples[&of("count")];
        assert!(count >= least as f64, "{family}: {count} of {least}");
        assert!(samples[&of("sum")] > 0.0, "{family}");
        // Buckets grow, and the last has all.
        let buckets: Vec<(f64, f64)> = samples
            .iter()
            .filter(|(name, _)| name.starts_with(&format!("{family}_bucket")) && name.contains(labels))
            .map(|(name, count)| {
                let bound = name.split("le=\"").nth(1).unwrap().split('"').next().unwrap();
                (bound.replace("+Inf", "inf").parse().unwrap(), *count)
            })
            .collect();
        let mut buckets = buckets;
        buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert!(buckets.len() > 5 && buckets.windows(2).all(|two| two[0].1 <= two[1].1), "{buckets:?}");
        assert_eq!(buckets.last(), Some(&(f64::INFINITY, count)));
    }
}
