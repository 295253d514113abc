//! The log of commands that answer others: lines on standard error.

use tracing_subscriber::filter::LevelFilter;

use crate::console::Console;

/// Begins to log what is at least of this level, as text or as lines of JSON.
pub fn begin(level: LevelFilter, json: bool, console: &Console) {
    let log = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).with_target(false);
    // Somebody else may have begun a log, who then gets the lines.
    let _ = if json {
        log.json().flatten_event(true).with_span_list(false).try_init()
    } else {
        log.with_ansi(console.error_color).try_init()
    };
}
