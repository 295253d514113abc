//! Which games of the corpus are well formed: a table of what is proved, refuted and undecided within a
//! time limit for each game.
//!
//!     cargo run --release -p ludex-analysis --example well_formed_survey -- [--seconds N] [NAME..]
//!
//! Time is that of the processor where the system tells it (Linux), else real time; one thread.

use std::sync::Arc;
use std::time::Duration;

use ludex_analysis::Subject;
use ludex_analysis::well_formed::{Judged, Possibility, WellFormed, WellFormedOptions};
use ludex_logic::{Budget, Clock};
use ludex_testkit::WallClock;
use ludex_testkit::corpus::{Corpus, stem};
use ludex_testkit::playable_file;

/// Processor time of this thread, where the system tells it.
struct ProcessorClock(WallClock);

impl Clock for ProcessorClock {
    fn now(&self) -> Duration {
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
        nanoseconds.map_or_else(|| self.0.now(), Duration::from_nanos)
    }
}

/// The properties in the order of the columns.
const PROPERTIES: [&str; 9] =
    ["ends", "playable", "weakly", "sequence", "strategy", "one goal", "up to 100", "monotonic", "sum"];

fn main() {
    let mut seconds = 10.0;
    let mut names: Vec<String> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seconds" => seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(seconds),
            _ => names.push(argument),
        }
    }
    let Some(corpus) = Corpus::find("well_formed_survey") else { return };
    let mut counts = [[0u32; 3]; PROPERTIES.len()];
    let mut well_formed = [0u32; 3];
    println!("{:32} well formed | {} | SECONDS | STATES", "GAME", PROPERTIES.join(" | "));
    for path in corpus.rulesheets() {
        let name = stem(&path);
        if !names.is_empty() && !names.contains(&name) {
            continue;
        }
        let rules = match playable_file(&path) {
            Ok(rules) => rules,
            Err(error) => {
                println!("{name:32} cannot be run: {error}");
                continue;
            }
        };
        let clock = Arc::new(ProcessorClock(WallClock::start()));
        let begun = clock.now();
        let budget = Budget::unlimited()
            .with_memory(3 << 30)
            .with_time(clock.clone(), Duration::from_secs_f64(seconds));
        let report = WellFormed::find(&Subject::new(&rules), &WellFormedOptions::default(), &budget);
        let row = row(&report);
        for (count, letter) in counts.iter_mut().zip(&row) {
            letter.chars().for_each(|letter| count[kind(letter)] += 1);
        }
        let whole = report.is_well_formed().map_or('?', |yes| if yes { '+' } else { '-' });
        well_formed[kind(whole)] += 1;
        let took = (clock.now().saturating_sub(begun)).as_secs_f64();
        let states = report.states.map_or_else(String::new, |(states, all)| {
            if all { format!("{states} states") } else { format!("over {states} states") }
        });
        println!("{name:32} {whole} | {} | {took:.1} | {states}", row.join(" | "));
    }
    println!("\nEach line counts roles where it is about roles.\n\n{:12} proved refuted undecided", "");
    for (property, [proved, refuted, undecided]) in PROPERTIES.iter().zip(counts) {
        println!("{property:12} {proved:6} {refuted:7} {undecided:9}");
    }
    let [yes, no, open] = well_formed;
    println!("\nwell formed: {yes}, not well formed: {no}, undecided: {open}");
}

fn kind(letter: char) -> usize {
    match letter {
        '+' => 0,
        '-' => 1,
        _ => 2,
    }
}

/// One sign for each answer, role by role: `+` for proved, `-` for refuted, `?` for undecided.
fn row(report: &WellFormed) -> [String; PROPERTIES.len()] {
    fn sign(word: &str) -> char {
        match word {
            "proved" => '+',
            "refuted" => '-',
            _ => '?',
        }
    }
    fn can<T>(judged: &Judged<Possibility<T>>) -> char {
        sign(judged.finding.word())
    }
    let players = || report.players.iter();
    [
        sign(report.termination.finding.word()).to_string(),
        report.playable.iter().map(|(_, judged)| sign(judged.finding.word())).collect(),
        players().map(|player| can(&player.weak)).collect(),
        players().map(|player| can(&player.sequence)).collect(),
        players().map(|player| can(&player.strategy)).collect(),
        players().map(|player| sign(player.one_goal().finding.word())).collect(),
        players().map(|player| sign(player.in_range.finding.word())).collect(),
        players().map(|player| sign(player.monotonic.finding.word())).collect(),
        sign(report.constant_sum.finding.word()).to_string(),
    ]
}
