//! `ludex solve` for games whose rules leave things open: plans as trees.

use std::io::Write;
use std::sync::Arc;

use ludex::analysis::contingent::{Aim, BestPlan, MOST_MOVES, Plan, PlanningOptions, best_plan};
use ludex::game::incomplete::IncompleteGame;
use ludex::gdl::GameSentences;
use serde_json::{Value, json};

use super::arguments::role_number;
use super::{game_of, texts};
use crate::Context;
use crate::failure::Failure;

/// How to look for a plan.
#[derive(Clone, Debug)]
pub struct PlanArguments<'a> {
    /// Whose plan it is.
    pub role: Option<&'a str>,
    /// The best mean in place of the best guarantee.
    pub mean: bool,
    /// The most moves.
    pub horizon: usize,
    /// The most worlds that may be possible at once.
    pub worlds: usize,
    /// Print JSON.
    pub json: bool,
}

/// Looks for the best plan.
///
/// # Errors
/// No such role; nothing is possible; a limit.
pub fn plan(
    sentences: &Arc<GameSentences>,
    arguments: &PlanArguments<'_>,
    context: &mut Context,
) -> Result<(), Failure> {
    if arguments.horizon > MOST_MOVES {
        let message = format!("plans that wait for what is seen have {MOST_MOVES} moves at most");
        return Err(Failure::Usage(message));
    }
    let game = Arc::new(game_of(sentences, &[], false, context)?);
    let role = role_number(&game, arguments.role)?;
    let options = PlanningOptions {
        aim: if arguments.mean { Aim::Mean } else { Aim::Guarantee },
        moves: arguments.horizon,
        worlds: arguments.worlds,
        budget: context.limits.budget().clone(),
    };
    let best = best_plan(&game, role, &options)?;
    let drawing = Drawing { game: &game, role };
    let console = &mut context.console;
    if arguments.json {
        let object = json!({
            "role": texts::term(sentences, sentences.roles[role]),
            "worlds": best.worlds,
            "guarantee": best.guarantee,
            "mean": best.mean,
            "plans": drawing.branches_json(&best.plans),
        });
        writeln!(console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    let states = if best.worlds == 1 { "1 state is" } else { &format!("{} states are", best.worlds) };
    writeln!(
        console,
        "{}: {states} possible at first; {} is guaranteed, {} the mean",
        texts::term(sentences, sentences.roles[role]),
        console.bold(&best.guarantee.to_string()),
        mean_text(&best)
    )?;
    if best.guarantee == 0 && !arguments.mean {
        writeln!(console, "{}", console.dim("`--mean` looks for the plan that brings most on average"))?;
    }
    let mut text = String::new();
    drawing.branches(&best.plans, "", &mut text);
    console.write_all(text.as_bytes())?;
    Ok(())
}

fn mean_text(best: &BestPlan) -> String {
    let text = format!("{:.1}", best.mean);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

struct Drawing<'a> {
    game: &'a IncompleteGame,
    role: usize,
}

/// A plan by what is seen first.
type Branch = (Box<[u32]>, Plan);

impl Drawing<'_> {
    fn sight(&self, seen: &[u32]) -> String {
        let percepts = self.game.percepts(self.role);
        let seen: Vec<_> = seen.iter().map(|&number| percepts[number as usize]).collect();
        texts::terms(self.game.sentences(), &seen)
    }

    fn name(&self, number: usize) -> String {
        texts::term(self.game.sentences(), self.game.moves(self.role)[number])
    }

    /// Draws plans below each other: moves after which nothing is told apart stand on one line.
    fn branches(&self, branches: &[Branch], indent: &str, out: &mut String) {
        for (at, (seen, plan)) in branches.iter().enumerate() {
            let is_last = at + 1 == branches.len();
            let (corner, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let mut line = format!("{indent}{corner}sees {}:", self.sight(seen));
            let mut plan = plan;
            let rest = loop {
                let Plan::Move { number, then } = plan else { break None };
                line.push(' ');
                line.push_str(&self.name(*number));
                match &then[..] {
                    [] => break None,
                    [(_, next)] => plan = next,
                    several => break Some(several),
                }
            };
            out.push_str(&line);
            out.push('\n');
            if let Some(several) = rest {
                self.branches(several, &format!("{indent}{below}"), out);
            }
        }
    }

    fn branches_json(&self, branches: &[Branch]) -> Value {
        let branch = |(seen, plan): &Branch| {
            let percepts = self.game.percepts(self.role);
            let text = |&number: &u32| texts::term(self.game.sentences(), percepts[number as usize]);
            let sees: Vec<String> = seen.iter().map(text).collect();
            match plan {
                Plan::End => json!({ "sees": sees }),
                Plan::Move { number, then } => {
                    json!({ "sees": sees, "move": self.name(*number), "then": self.branches_json(then) })
                }
            }
        };
        branches.iter().map(branch).collect::<Vec<_>>().into()
    }
}
