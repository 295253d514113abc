//! `ludex solve --asp` and `--asp-out`: plans by answer sets (book chapter 15).

use std::io::Write;

use ludex::analysis::Witness;
use ludex::analysis::answer_sets::{End, Request, Task, check_plan, translate, unroll};
use ludex::analysis::planning::Target;
use ludex::logic::{Budget, TermId};
use serde_json::{Value, json};

use super::clingo::{self, Answer};
use super::{DEFAULT_TIME, Question};
use crate::Context;
use crate::console::wrapped;
use crate::failure::{Failure, UNDECIDED};
use crate::limits::duration_text;

/// The most steps of a plan in a program that is written, where no other number is given.
const STEPS: usize = 25;

/// What answer sets have to say.
enum Outcome {
    Found(Witness, u32),
    /// There is no plan with so many steps or fewer.
    None(usize),
    /// Undecided for so many steps.
    Undecided(usize, String),
}

fn request(question: &Question<'_>, steps: usize) -> Result<Request, Failure> {
    // A state more than there are steps; solvers count in signed numbers.
    let horizon = u32::try_from(steps + 1).ok().filter(|&horizon| horizon < i32::MAX as u32);
    let horizon = horizon.ok_or_else(|| Failure::Usage(format!("{steps} steps are too many")))?;
    let least_goal = least_goal(question)?;
    Ok(Request { task: Task::Plan, horizon, role: question.role, least_goal })
}

/// The goal value that will do.
fn least_goal(question: &Question<'_>) -> Result<u32, Failure> {
    match question.arguments.goal {
        Target::AtLeast(goal) => Ok(goal),
        Target::Best => {
            Err(Failure::Usage("answer sets are asked for a goal value, not for `best`".to_owned()))
        }
    }
}

/// Writes the translation to a file.
pub fn write(question: &Question<'_>, path: &str, context: &mut Context) -> Result<(), Failure> {
    let steps = question.arguments.horizon.unwrap_or(STEPS);
    let request = request(question, steps)?;
    let translation =
        translate(question.game.rules(), &request).map_err(|e| Failure::input(e.to_string()))?;
    if path == "-" {
        context.console.write_all(translation.text.as_bytes())?;
        return Ok(());
    }
    std::fs::write(path, &translation.text)
        .map_err(|error| Failure::input(format!("cannot write {path}: {error}")))?;
    writeln!(context.console, "{path}: plans of at most {steps} steps")?;
    Ok(())
}

/// Looks for a shortest plan, with ever more steps.
pub fn run(question: &Question<'_>, context: &mut Context) -> Result<(), Failure> {
    let began = context.limits.now();
    let budget = context.limits.analysis_budget(DEFAULT_TIME);
    let has_clingo = clingo::version().is_some();
    let most = question.arguments.horizon();
    let mut outcome = Outcome::None(most);
    for steps in 0..=most {
        let request = request(question, steps)?;
        budget.report("looking for a plan", steps as u64, None);
        let found = if has_clingo {
            by_clingo(question, &request, &budget)?
        } else {
            by_ludex(question, &request, &budget)?
        };
        match found {
            Ok(None) => {}
            Ok(Some(plan)) => {
                let witness = check_plan(question.game.rules(), &request, &plan)
                    .map_err(|e| Failure::input(format!("the solver's answer is no plan: {e}")))?;
                let goal = goal(question, &witness);
                outcome = Outcome::Found(witness, goal);
                break;
            }
            Err(why) => {
                outcome = Outcome::Undecided(steps, why);
                break;
            }
        }
    }
    let seconds = context.limits.now().saturating_sub(began);
    let solver = if has_clingo { "clingo" } else { "ludex" };
    if question.arguments.json {
        let object = object(question, &outcome, solver, seconds.as_secs_f64());
        writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
    } else {
        let by = format!("{solver} in {}", duration_text(seconds));
        show(question, &outcome, &by, context)?;
    }
    if matches!(outcome, Outcome::Found(..)) { Ok(()) } else { Err(Failure::Code(UNDECIDED)) }
}

/// A plan with exactly this horizon, none, or why that is not known.
type Found = Result<Option<Vec<Vec<TermId>>>, String>;

fn by_clingo(question: &Question<'_>, request: &Request, budget: &Budget) -> Result<Found, Failure> {
    let translation = translate(question.game.rules(), request).map_err(|e| Failure::input(e.to_string()))?;
    Ok(match clingo::ask(&translation.text, budget) {
        Answer::None => Ok(None),
        Answer::Undecided(why) => Err(why),
        Answer::Model(atoms) => match translation.plan(question.game.rules(), &atoms) {
            Ok(plan) => Ok(Some(plan)),
            Err(error) => return Err(Failure::input(format!("clingo answers what cannot be read: {error}"))),
        },
    })
}

fn by_ludex(question: &Question<'_>, request: &Request, budget: &Budget) -> Result<Found, Failure> {
    let unrolled = match unroll(question.game.subject(), request, budget) {
        Ok(unrolled) => unrolled,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let answer = unrolled.program.models(1, budget);
    Ok(match (answer.models.first(), answer.end) {
        (Some(model), _) => Ok(Some(unrolled.plan(model))),
        (None, End::Stopped(limit)) => Err(limit.to_string()),
        (None, _) => Ok(None),
    })
}

/// What a plan that was checked brings.
fn goal(question: &Question<'_>, witness: &Witness) -> u32 {
    let position = witness.replay(question.game.rules()).ok();
    let goals = position.and_then(|position| position.goals().ok()).unwrap_or_default();
    goals.get(question.role.index()).copied().flatten().unwrap_or_default()
}

fn moves_text(question: &Question<'_>, witness: &Witness) -> String {
    let alone = question.game.roles().len() == 1;
    let steps: Vec<String> =
        witness.texts(question.game.rules()).iter().map(|joint| joint.join(" ")).collect();
    steps.join(if alone { ", " } else { "; " })
}

fn show(question: &Question<'_>, outcome: &Outcome, by: &str, context: &mut Context) -> Result<(), Failure> {
    let role = question.game.role_name(question.role);
    let least = least_goal(question)?;
    let (title, lines) = match outcome {
        Outcome::Found(witness, goal) => {
            let steps = witness.steps.len();
            let plural = if steps == 1 { "" } else { "s" };
            let title = format!("A plan of {role} with {steps} step{plural} that brings {goal}");
            (title, vec![("moves", moves_text(question, witness))])
        }
        Outcome::None(most) => {
            (format!("No plan of {role} with at most {most} steps brings {least}"), Vec::new())
        }
        Outcome::Undecided(steps, why) => {
            let known = format!("undecided for {steps} steps: {why}");
            (format!("Not decided whether a plan of {role} brings {least}"), vec![("because", known)])
        }
    };
    let console = &mut context.console;
    writeln!(console, "{}", console.bold(&title))?;
    let width = console.width();
    for (name, text) in lines.into_iter().chain([("by", by.to_owned())]) {
        let text = wrapped(&text, width, 11);
        write!(console, "{name:11}{text}")?;
    }
    Ok(())
}

fn object(question: &Question<'_>, outcome: &Outcome, solver: &str, seconds: f64) -> Value {
    let game = question.game;
    let terms = game.signature().terms();
    let prefix = |joint: &Vec<TermId>| joint.iter().map(|&term| terms.prefix(term)).collect::<Vec<_>>();
    let (result, moves, reward, reason, refuted) = match outcome {
        Outcome::Found(witness, goal) => {
            let moves: Vec<Vec<String>> = witness.steps.iter().map(prefix).collect();
            let shorter = witness.steps.len().checked_sub(1);
            ("solved", Some(moves), Some(*goal), None, shorter)
        }
        Outcome::None(most) => ("undecided", None, None, None, Some(*most)),
        Outcome::Undecided(steps, why) => ("undecided", None, None, Some(why), steps.checked_sub(1)),
    };
    json!({
        "game": game.short_name(),
        "role": game.role_name(question.role),
        "goal": least_goal(question).ok(),
        "result": result,
        "moves": moves,
        "reward": reward,
        "reason": reason,
        "refuted_up_to": refuted,
        "solver": solver,
        "seconds": seconds,
    })
}
