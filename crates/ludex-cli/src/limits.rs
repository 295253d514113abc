//! Limits on memory and time as options, and as a budget.

use std::sync::Arc;
use std::time::Duration;

use clap::builder::RangedI64ValueParser;
use ludex::logic::{Budget, Clock};
use ludex::{GameOptions, SystemClock};

use crate::progress::ProgressLine;

/// What the whole command may use.
#[derive(Clone, Debug, clap::Args)]
pub struct LimitArguments {
    /// Stop when this much memory is in use by rules and states (512M, 4G); 4G where it is not given, and less
    /// where the system gives the process little (`ulimit -v`)
    #[arg(long, global = true, value_name = "SIZE", value_parser = size, help_heading = "Global options")]
    pub max_memory: Option<usize>,

    /// Stop after this much time (500ms, 30s, 10m)
    #[arg(long, global = true, value_name = "TIME", value_parser = duration,
          help_heading = "Global options")]
    pub max_time: Option<Duration>,
}

/// A clock and a budget for one run of the command.
#[derive(Clone)]
pub struct Limits {
    /// Runs since the command began.
    pub clock: Arc<SystemClock>,
    budget: Budget,
    max_time: Option<Duration>,
    /// Bytes of memory that each kind of work gets at most where nothing was asked for.
    share: usize,
    /// Whether the memory of the budget was asked for.
    #[cfg(feature = "server")]
    is_asked: bool,
}

/// What may be spent on making a net before the rule machine is taken instead.
const NET_TIME: Duration = Duration::from_secs(10);
const NET_WORK: u64 = 200_000_000;
const NET_MEMORY: usize = 1 << 30;

/// What rules and states get where nothing else is said.
const MOST_MEMORY: usize = 4 << 30;

/// Where the system limits the memory of the process, the rules, nets, what is known of the game, and the players get
/// such a part of it each. The rest is for what is not counted: programs, stacks, and tables while they grow.
const SHARES: usize = 6;

/// What a player gets for trees and tables where few play and nothing else is said.
const MOST_PLAYER_MEMORY: usize = 1 << 30;

/// The part of the time that is kept for showing what an analysis found.
const FOR_ANSWERING: f64 = 0.03;

impl Limits {
    /// Limits from options; time counts from now.
    pub fn new(arguments: &LimitArguments) -> Self {
        Self::within(arguments, memory_of_process())
    }

    /// Limits from options in a process that gets so much memory.
    fn within(arguments: &LimitArguments, process: Option<usize>) -> Self {
        let clock = Arc::new(SystemClock::start());
        let share = process.map_or(usize::MAX, |bytes| bytes / SHARES);
        let memory = arguments.max_memory.unwrap_or(MOST_MEMORY.min(share));
        let mut budget = Budget::unlimited().with_memory(memory);
        if let Some(limit) = arguments.max_time {
            budget = budget.with_time(clock.clone(), limit);
        }
        // Clocks of matches are parts of the time of the command.
        let budget = budget.as_whole();
        let progress = ProgressLine::new(clock.clone());
        let budget = budget.with_progress(Arc::new(progress));
        Self {
            clock,
            budget,
            max_time: arguments.max_time,
            share,
            #[cfg(feature = "server")]
            is_asked: arguments.max_memory.is_some(),
        }
    }

    /// The budget of the command.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What the automatic choice of an engine may spend on making a net: at most ten seconds, and of the
    /// time of the command a share, so that what it is for gets the rest.
    pub fn auto_budget(&self, budget: &Budget) -> Budget {
        let share =
            |limit: Duration| limit.saturating_sub(self.now()).mul_f64(GameOptions::default().net_share);
        let left = self.max_time.map_or(NET_TIME, share);
        let (work, memory) = (budget.work().min(NET_WORK), budget.memory().min(NET_MEMORY));
        let budget = budget.clone().with_work(work).with_memory(memory);
        budget.with_time(self.clock.clone(), left.min(NET_TIME))
    }

    /// The budget of an analysis, which always ends: after `default` where no time limit was given, else
    /// a little before that limit, so that there is time to say what was found.
    pub fn analysis_budget(&self, default: Duration) -> Budget {
        let budget = self.budget.clone();
        match budget.time_left() {
            Some(left) => budget.earlier_by(left.mul_f64(FOR_ANSWERING)),
            None => budget.with_time(self.clock.clone(), default),
        }
    }

    /// The memory of each of so many players: what was asked for, else as much as there is for all of
    /// them, and no more than a search makes good use of.
    pub fn memory_of_players(&self, asked: Option<usize>, players: usize) -> usize {
        let most = MOST_PLAYER_MEMORY.min(self.budget.memory() / players.max(1));
        asked.unwrap_or_else(|| self.memory_of_each(most, players))
    }

    /// The memory for the rules of each of so many matches: what was asked for, or their part of what there is.
    #[cfg(feature = "server")]
    pub fn rules_memory(&self, matches: usize) -> usize {
        if self.is_asked { self.budget.memory() } else { self.memory_of_each(self.budget.memory(), matches) }
    }

    /// So much memory for each of some, and less where the system gives the process too little for that.
    pub fn memory_of_each(&self, most: usize, among: usize) -> usize {
        most.min(self.share / among.max(1))
    }

    /// Time since the command began.
    pub fn now(&self) -> Duration {
        self.clock.now()
    }
}

/// How many bytes of memory the system gives the process at most (`ulimit -v` and `-d`), if it says.
fn memory_of_process() -> Option<usize> {
    #[cfg(unix)]
    {
        let limits = [rlimit::Resource::AS, rlimit::Resource::DATA].map(|resource| resource.get_soft().ok());
        let least = limits.into_iter().flatten().filter(|&bytes| bytes != rlimit::INFINITY).min()?;
        Some(usize::try_from(least).unwrap_or(usize::MAX))
    }
    #[cfg(not(unix))]
    None
}

/// The most threads that a command starts: far more than cores, and no more than systems allow.
const MOST_THREADS: i64 = 1024;

/// Reads how many threads compute.
pub fn thread_count() -> RangedI64ValueParser<u16> {
    RangedI64ValueParser::new().range(1..=MOST_THREADS)
}

/// Reads `512M`, `4G`, `100000`: bytes with an optional factor of 1024, 1024^2 or 1024^3.
pub fn size(text: &str) -> Result<usize, String> {
    let wrong = || format!("`{text}` is not a size such as 512M or 4G");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: usize = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return Err(wrong()),
    };
    let number: usize = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(factor).ok_or_else(wrong)
}

/// Reads `500ms`, `2.5s`, `10m`, `1h`; a bare number counts seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a time such as 500ms, 30s or 10m");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * factor).map_err(|_| wrong())
}

/// A time as people read it.
pub fn duration_text(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", s * 1000.0),
        s if s < 100.0 => format!("{s:.1} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A number with its digits in groups of three.
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_read() {
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("4g"), Ok(4 << 30));
        assert_eq!(size("100"), Ok(100));
        assert!(size("4T").is_err() && size("").is_err() && size("-1M").is_err());
        assert!(size("99999999999999999G").is_err());
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2.5s"), Ok(Duration::from_millis(2500)));
        assert_eq!(duration("3"), Ok(Duration::from_secs(3)));
        assert!(duration("soon").is_err() && duration("-1s").is_err() && duration("1e99h").is_err());
    }

    #[test]
    fn many_players_share_the_memory() {
        let limits = Limits::within(&LimitArguments { max_memory: None, max_time: None }, None);
        assert_eq!(limits.memory_of_players(None, 2), 1 << 30);
        assert_eq!(limits.memory_of_players(None, 256), 16 << 20);
        assert_eq!(limits.memory_of_players(Some(2 << 30), 256), 2 << 30);
    }

    #[test]
    fn where_the_process_gets_little_memory_each_gets_less_unless_it_is_said() {
        let arguments = |max_memory| LimitArguments { max_memory, max_time: None };
        let limits = Limits::within(&arguments(None), Some(600 << 20));
        assert_eq!(limits.budget().memory(), 100 << 20);
        assert_eq!(limits.memory_of_players(None, 2), 50 << 20);
        assert_eq!(limits.memory_of_players(Some(1 << 30), 2), 1 << 30);
        assert_eq!(limits.memory_of_each(1 << 30, 4), 25 << 20);
        let said = Limits::within(&arguments(Some(1 << 30)), Some(600 << 20));
        assert_eq!(said.budget().memory(), 1 << 30);
        assert_eq!(said.memory_of_players(None, 2), 50 << 20);
        assert_eq!(Limits::within(&arguments(None), Some(1 << 40)).budget().memory(), 4 << 30);
    }

    #[test]
    fn digits_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1 234 567");
    }
}
