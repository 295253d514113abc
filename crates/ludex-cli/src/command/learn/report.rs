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
    /// The states that were replayed, and how they differ, where they were.
    pub replayed: Option<(u64, Vec<String>)>,
}

/// So many characters of a difference are shown.
const SHOWN: usize = 300;

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
            })
        };
        let replayed = self.replayed.as_ref();
        json!({
            "seconds": self.seconds,
            "tasks": self.tasks.iter().map(task).collect::<Vec<_>>(),
            "mean_balanced": self.mean(),
            "perfect": self.perfect(),
            "file": self.file,
            "replayed": replayed.map(|(states, differences)| json!({ "states": states, "differences": differences })),
        })
    }

    fn text(&self, context: &Context) -> String {
        let has_test = self.tasks.iter().any(|task| task.test.is_some());
        let mut rows =
            vec![["TASK", "RULES", "HELD", "HELD NOT", "BALANCED", "HELD OUT"].map(str::to_owned).to_vec()];
        if has_test {
            rows[0].push("TEST".to_owned());
        }
        for task in self.tasks {
            let mut row = vec![task.name.clone(), task.rules.to_string()];
            row.extend(task.examples.map(|count| grouped(count.into())));
            row.extend([share(&task.learned), share(&task.held_out)]);
            if has_test {
                row.push(task.test.as_ref().map_or_else(|| "-".to_owned(), share));
            }
            rows.push(row);
        }
        let mut out = table(&context.console, &rows, &[false, true, true, true, true, true, true]);
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
        }
        if let Some(file) = self.file {
            out.push_str(&format!("written to {file}\n"));
        }
        if let Some((states, differences)) = &self.replayed {
            match differences.as_slice() {
                [] => out.push_str(&format!(
                    "all {} states are replayed by what was learned\n",
                    grouped((*states).into())
                )),
                [first, ..] => {
                    let count = grouped(differences.len() as u128);
                    let word = if differences.len() == 1 { "difference" } else { "differences" };
                    let mut shown: String = first.chars().take(SHOWN).collect();
                    if shown.len() < first.len() {
                        shown.push_str("...");
                    }
                    out.push_str(&format!(
                        "{count} {word} in {} states: {shown}\n",
                        grouped((*states).into())
                    ));
                }
            }
        }
        out
    }
}
