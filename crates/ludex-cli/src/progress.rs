//! One line on standard error for whatever takes longer than a second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use ludex::SystemClock;
use ludex::logic::{Clock, Progress};

/// Shown from the second second on, and only on a terminal.
pub struct ProgressLine {
    clock: Arc<SystemClock>,
    state: Mutex<State>,
}

struct State {
    bar: Option<ProgressBar>,
    since: Option<Duration>,
    what: String,
}

const PATIENCE: Duration = Duration::from_secs(1);

impl ProgressLine {
    /// A line that is not shown yet.
    pub fn new(clock: Arc<SystemClock>) -> Self {
        Self { clock, state: Mutex::new(State { bar: None, since: None, what: String::new() }) }
    }
}

impl Progress for ProgressLine {
    fn report(&self, what: &str, done: u64, total: Option<u64>) {
        let now = self.clock.now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.what != what {
            state.what = what.to_owned();
            state.since = Some(now);
            if let Some(bar) = state.bar.take() {
                bar.finish_and_clear();
            }
        }
        if now.saturating_sub(state.since.unwrap_or(now)) < PATIENCE {
            return;
        }
        let bar = state.bar.get_or_insert_with(|| match total {
            // The template is a constant; were it wrong, the default style would do.
            Some(total) => ProgressBar::new(total).with_style(
                ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}")
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            ),
            None => ProgressBar::new_spinner(),
        });
        bar.set_message(what.to_owned());
        bar.set_position(done);
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
    }
}
