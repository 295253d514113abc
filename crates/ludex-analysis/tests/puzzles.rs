//! The puzzles of others, solved with logic.
//!
//! By default those that take moments. With `LUDEX_SOAK`, every puzzle gets a minute for each way of
//! searching, and a table is printed; `LUDEX_PUZZLE` is the beginning of the names to try.

use std::sync::Arc;
use std::time::Duration;

use ludex_analysis::Subject;
use ludex_analysis::planning::{Outcome, PlanOptions, PlanReport, Search, plan};
use ludex_logic::{Budget, Clock};
use ludex_testkit::corpus::Corpus;
use ludex_testkit::{playable_file, rounds};

/// Processor time of the thread, so that a busy machine gives the same table.
struct OwnTime;

impl Clock for OwnTime {
    fn now(&self) -> Duration {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok());
        Duration::from_nanos(nanoseconds.unwrap_or(0))
    }
}

/// Puzzles that take moments.
const QUICK: &[&str] =
    &["blocks", "buttons", "coins", "haystack", "lightsOnSimultaneous", "maze", "survival"];

fn told(report: &PlanReport, time: Duration) -> String {
    let outcome = match &report.outcome {
        Outcome::Found(plan) => format!("{} steps", plan.witness.steps.len()),
        Outcome::None(why) => format!("none: {why}"),
        Outcome::Undecided(why) => format!("{why}, none up to {:?}", report.refuted),
    };
    format!(
        "{outcome}, {:.2} s, {} conflicts, {} variables",
        time.as_secs_f64(),
        report.work.conflicts,
        report.work.variables
    )
}

#[test]
fn puzzles_of_others_are_solved() {
    let Some(corpus) = Corpus::find("puzzles_of_others_are_solved") else { return };
    let is_long = rounds(1) > 1;
    let prefix = std::env::var("LUDEX_PUZZLE").unwrap_or_default();
    let clock = Arc::new(OwnTime);
    for known in corpus.plans().unwrap() {
        if !known.game.starts_with(&prefix) || !is_long && !QUICK.contains(&known.game.as_str()) {
            continue;
        }
        let rules = playable_file(&corpus.path(&format!("gdl/{}.kif", known.game))).unwrap();
        let subject = Subject::new(&rules);
        let role = rules.roles().next().unwrap();
        for search in [Search::Shortest, Search::Any] {
            let budget = Budget::unlimited().with_time(clock.clone(), Duration::from_secs(60));
            let began = clock.now();
            let report = plan(&subject, role, &PlanOptions { search, ..PlanOptions::default() }, &budget);
            let time = clock.now().saturating_sub(began);
            println!("{} {search:?} ({}): {}", known.game, known.plan.len(), told(&report, time));
            match &report.outcome {
                Outcome::Found(plan) => {
                    assert_eq!(plan.goal, known.goal, "{}", known.game);
                    let shortest = search == Search::Shortest;
                    assert!(!shortest || plan.witness.steps.len() <= known.plan.len(), "{}", known.game);
                }
                Outcome::None(_) => panic!("{} has a plan", known.game),
                Outcome::Undecided(_) => assert!(is_long, "{}", known.game),
            }
        }
    }
}
