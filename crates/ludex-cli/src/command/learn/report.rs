//! What is told of what was learned.

use std::io::Write;

use ludex::learn::Score;
use serde_json::{Value, json};

use super::Task;
use crate::Context;
use crate::console::table;
use crate::failure::Failure;
use crate::limits::grouped;

/// Tasks, and what the whole came to.
pub struct Report<'r> {
    /// The tasks in order.
    pub tasks: &'r [Task],
    /// How long it took.
    pub seconds: f64,
    /// Where the rules were written.
    pub file: Option<&'r str>,
    /// What is to be known of the records.
    pub notes: &'r [String],
    /// How the records were replayed, where they were.
    pub replayed: Option<Replayed>,
}

/// A record that is not replayed.
pub struct NotReplayed {
    /// What it is called.
    pub name: String,
    /// How it differs.
    pub differences: Vec<String>,
}

/// How records were replayed by what was learned.
#[derive(Default)]
pub struct Replayed {
    /// How many states there are.
    pub states: u64,
    /// Why nothing was replayed: the rules are no game.
    pub no_game: Option<String>,
    /// The records that are not replayed.
    pub records: Vec<NotReplayed>,
    /// How many records there are of what cannot be played.
    pub negatives: usize,
    /// Those of them that are replayed.
    pub accepted: Vec<String>,
}

impl Replayed {
    /// Whether all is as recorded.
    pub fn is_all(&self) -> bool {
        self.records.is_empty() && self.refuses_negatives()
    }

    /// Whether the rules can be played, and none of what cannot be played is replayed.
    pub fn refuses_negatives(&self) -> bool {
        self.no_game.is_none() && self.accepted.is_empty()
    }

    /// All differences.
    fn differences(&self) -> Vec<&str> {
        let all = self.records.iter().flat_map(|record| &record.differences).chain(&self.no_game);
        all.map(String::as_str).collect()
    }

    fn json(&self) -> Value {
        let record = |it: &NotReplayed| json!({ "record": it.name, "differences": it.differences.len() });
        json!({
            "states": self.states,
            "differences": self.differences(),
            "records": self.records.iter().map(record).collect::<Vec<_>>(),
            "negatives": self.negatives,
            "accepted": self.accepted,
        })
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let states = grouped(self.states.into());
        match (&self.no_game, self.records.is_empty()) {
            (Some(why), _) => out.push_str(&format!("1 difference in {states} states: {}\n", short(why))),
            (None, true) => out.push_str(&format!("all {states} states are replayed by what was learned\n")),
            (None, false) => {
                let count = self.differences().len();
                let word = if count == 1 { "difference" } else { "differences" };
                out.push_str(&format!("{} {word} in {states} states\n", grouped(count as u128)));
                for record in self.records.iter().take(MOST_RECORDS) {
                    let first = record.differences.first().map_or("", String::as_str);
                    let more = record.differences.len() - 1;
                    let more =
                        if more > 0 { format!(" ({} more)", grouped(more as u128)) } else { String::new() };
                    out.push_str(&format!("{} is not replayed: {}{more}\n", record.name, short(first)));
                }
                if self.records.len() > MOST_RECORDS {
                    let rest = grouped((self.records.len() - MOST_RECORDS) as u128);
                    out.push_str(&format!("nor are {rest} other records\n"));
                }
            }
        }
        if self.negatives > 0 {
            let accepted = grouped(self.accepted.len() as u128);
            let all = grouped(self.negatives as u128);
            let word = if self.negatives == 1 { "record" } else { "records" };
            out.push_str(&format!(
                "of {all} {word} of what cannot be played, {accepted} can be by the rules\n"
            ));
            for name in self.accepted.iter().take(MOST_RECORDS) {
                out.push_str(&format!("{name} is replayed by the rules\n"));
            }
        }
        out
    }
}

/// A text that is not too long to be shown.
fn short(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    shown
}

/// So many characters of a difference are shown.
const SHOWN: usize = 300;
/// So many records are told that are not as they should be.
const MOST_RECORDS: usize = 10;

fn share(score: &Score) -> String {
    // What is almost perfect is not to look so.
    let percent = 100.0 * score.balanced_accuracy();
    if score.is_perfect() { "perfect".to_owned() } else { format!("{:.2} %", percent.min(99.99)) }
}

impl Report<'_> {
    fn mean(&self) -> f64 {
        let all = self.tasks.iter().map(|task| task.judged().balanced_accuracy());
        all.sum::<f64>() / self.tasks.len().max(1) as f64
    }

    fn perfect(&self) -> usize {
        self.tasks.iter().filter(|task| task.judged().is_perfect()).count()
    }

    /// Prints it.
    pub fn show(&self, as_json: bool, context: &mut Context) -> Result<(), Failure> {
        let text = match as_json {
            true => serde_json::to_string_pretty(&self.json())? + "\n",
            false => self.text(context),
        };
        context.console.write_all(text.as_bytes())?;
        Ok(())
    }

    fn json(&self) -> Value {
        let task = |task: &Task| {
            json!({
                "task": task.name,
                "rules": task.rules,
                "cost": task.cost,
                "examples": task.examples,
                "balanced": task.learned.balanced_accuracy(),
                "held_out": task.held_out.balanced_accuracy(),
                "test": task.test.map(|score| score.balanced_accuracy()),
                "perfect": task.judged().is_perfect(),
                "stopped": task.stopped,
                "support": task.support,
                "silent": task.silent,
            })
        };
        json!({
            "seconds": self.seconds,
            "tasks": self.tasks.iter().map(task).collect::<Vec<_>>(),
            "mean_balanced": self.mean(),
            "perfect": self.perfect(),
            "file": self.file,
            "notes": self.notes,
            "replayed": self.replayed.as_ref().map(Replayed::json),
        })
    }

    fn text(&self, context: &Context) -> String {
        let has_test = self.tasks.iter().any(|task| task.test.is_some());
        let mut rows = vec![
            ["TASK", "RULES", "LEAST", "HELD", "HELD NOT", "BALANCED", "HELD OUT"]
                .map(str::to_owned)
                .to_vec(),
        ];
        if has_test {
            rows[0].push("TEST".to_owned());
        }
        for task in self.tasks {
            let least = task.support.iter().min();
            let least = least.map_or_else(|| "-".to_owned(), |&least| grouped(least as u128));
            let mut row = vec![task.name.clone(), task.rules.to_string(), least];
            row.extend(task.examples.map(|count| grouped(count.into())));
            row.extend([share(&task.learned), share(&task.held_out)]);
            if has_test {
                row.push(task.test.as_ref().map_or_else(|| "-".to_owned(), share));
            }
            rows.push(row);
        }
        let mut out = table(&context.console, &rows, &[false, true, true, true, true, true, true, true]);
        out.push('\n');
        let of = if has_test { "on other matches" } else { "on what was learned from" };
        let perfect = format!("{} of {} tasks perfect", self.perfect(), self.tasks.len());
        out.push_str(&format!(
            "{perfect}, balanced {:.2} % in the mean, {of}, in {:.1} s\n",
            100.0 * self.mean(),
            self.seconds
        ));
        for task in self.tasks {
            if let Some(why) = &task.stopped {
                out.push_str(&format!("{}: {why}, so that better rules may have been missed\n", task.name));
            }
            if task.examples[0] == 0 {
                out.push_str(&format!("{}: the records are silent, it never holds\n", task.name));
            }
            for silent in task.silent.iter().filter(|_| task.examples[0] > 0) {
                out.push_str(&format!("{}: the records are silent of {silent}\n", task.name));
            }
        }
        if let Some(file) = self.file {
            out.push_str(&format!("written to {file}\n"));
        }
        out.extend(self.notes.iter().map(|note| format!("{note}\n")));
        out.extend(self.replayed.as_ref().map(Replayed::text));
        out
    }
}
