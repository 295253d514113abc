//! `ludex memory`: what players remember from match to match.

use std::io::Write;

use ludex_memory::{Memory, Overview, Subject};
use serde_json::json;

use crate::Context;
use crate::console::{Console, table};
use crate::failure::Failure;
use crate::limits::grouped;
use crate::remembering::memory_failure;

/// Arguments of `memory`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex tournament -p ludex,uct -g connect-four --memory-file memory.db
  ludex memory show memory.db
  ludex memory show memory.db --json
  ludex memory forget memory.db --opponent uct
  ludex memory forget memory.db --game connect-four
  ludex memory forget memory.db --all

With --memory-file FILE, players of `play`, `match`, `player` and `tournament` remember
what they learn: per game what states are worth, as learned from games with itself, and
what searches of the first moves found; per opponent all matches with it, move by move.
They use it in the next match of the game, also where its names are others. Several
commands may use one file at once, and one that is killed leaves it whole.
--json: of show, an object with version, games (number, name, matches, evaluations,
searched) and opponents (name, game, matches, own_goal, goal, moves); of forget, one
with games and matches, numbers of what was forgotten, and overwritten, which is false
where others use the file: the bytes are gone with what is forgotten next.")]
pub struct MemoryArguments {
    #[command(subcommand)]
    action: Action,
}

/// What to do.
#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Show what is remembered
    Show {
        /// The memory
        #[arg(value_name = "FILE")]
        file: String,

        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Forget a game, an opponent or everything, for good
    Forget(ForgetArguments),
}

/// Arguments of `memory forget`.
#[derive(Debug, clap::Args)]
struct ForgetArguments {
    /// The memory
    #[arg(value_name = "FILE")]
    file: String,

    #[command(flatten)]
    subject: SubjectArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is to be forgotten.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct SubjectArguments {
    /// All of this game, by its number, or by its name if no other game has that
    #[arg(long, value_name = "GAME")]
    game: Option<String>,

    /// All matches with this opponent
    #[arg(long, value_name = "NAME")]
    opponent: Option<String>,

    /// Everything
    #[arg(long)]
    all: bool,
}

impl SubjectArguments {
    fn subject(&self) -> Subject {
        match (&self.game, &self.opponent) {
            (Some(game), _) => Subject::Game(game.clone()),
            (None, Some(opponent)) => Subject::Opponent(opponent.clone()),
            (None, None) => Subject::All,
        }
    }
}

/// What is said where others use the file.
const NOT_OVERWRITTEN: &str = "not overwritten in the file yet, which others use: what is forgotten next, when nobody \
                               else uses it, takes this along";

/// Shows or forgets.
pub fn run(arguments: &MemoryArguments, context: &mut Context) -> Result<(), Failure> {
    match &arguments.action {
        Action::Show { file, json } => {
            let overview = Memory::open_existing(file).and_then(|memory| memory.overview());
            let overview = overview.map_err(memory_failure)?;
            if *json {
                writeln!(context.console, "{}", serde_json::to_string_pretty(&overview)?)?;
            } else {
                let text = text(&overview, &context.console);
                context.console.write_all(text.as_bytes())?;
            }
        }
        Action::Forget(ForgetArguments { file, subject, json }) => {
            let forgotten = Memory::open_existing(file).and_then(|memory| memory.forget(&subject.subject()));
            let forgotten = forgotten.map_err(memory_failure)?;
            let (games, matches) = (forgotten.games, forgotten.matches);
            if *json {
                let overwritten = forgotten.overwritten;
                let object = json!({ "games": games, "matches": matches, "overwritten": overwritten });
                writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
            } else {
                writeln!(context.console, "forgotten: games {games}, matches {matches}")?;
                if !forgotten.overwritten {
                    writeln!(context.console, "{NOT_OVERWRITTEN}")?;
                }
            }
        }
    }
    Ok(())
}

/// A goal on average, if it is known.
fn goal(goal: Option<f64>) -> String {
    goal.map_or_else(|| "-".to_owned(), |goal| format!("{goal:.1}"))
}

/// A name or move as others wrote it, without characters that do something to a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// For people.
fn text(overview: &Overview, console: &Console) -> String {
    if overview.games.is_empty() {
        return "nothing is remembered\n".to_owned();
    }
    let heading = ["", "GAME", "MATCHES", "LEARNED FROM", "SEARCHED"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for game in &overview.games {
        let learned = game.evaluations.iter().map(|(objective, games)| {
            let games = grouped(u128::from(*games));
            if objective == "own" { format!("{games} games") } else { format!("{games} games ({objective})") }
        });
        let learned: Vec<String> = learned.collect();
        rows.push(vec![
            game.number.to_string(),
            plain(&game.name),
            grouped(u128::from(game.matches)),
            if learned.is_empty() { "-".to_owned() } else { learned.join(", ") },
            format!("{} places", grouped(u128::from(game.searched))),
        ]);
    }
    let mut out = table(console, &rows, &[true, false, true, true, true]);
    if overview.opponents.is_empty() {
        return out;
    }
    let heading = ["OPPONENT", "GAME", "MATCHES", "OWN GOAL", "ITS GOAL", "ITS MOVES"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for known in &overview.opponents {
        let moves = known.moves.iter().map(|made| format!("{} x{}", plain(&made.action), made.times));
        rows.push(vec![
            plain(&known.name),
            plain(&known.game),
            grouped(u128::from(known.matches)),
            goal(known.own_goal),
            goal(known.goal),
            moves.take(3).collect::<Vec<_>>().join(", "),
        ]);
    }
    out.push('\n');
    out.push_str(&table(console, &rows, &[false, false, true, true, true, false]));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_do_nothing_to_a_terminal() {
        assert_eq!(plain("Ann\u{1b}[2J\r\n\tB\u{9b}"), "Ann [2J   B ");
    }
}
