//! `ludex solve` for plans.

use std::io::Write;
use std::time::Duration;

use ludex::analysis::planning::{Form, Outcome, Plan, PlanReport, Plans, Target, plan, plans};
use ludex::analysis::{Reason, Witness};
use serde_json::{Value, json};

use super::{DEFAULT_TIME, Question};
use crate::Context;
use crate::console::wrapped;
use crate::failure::{Failure, NONE, UNDECIDED};
use crate::limits::{duration_text, grouped};

/// Looks for a plan, and for all others like it where that is asked for.
pub fn run(question: &Question<'_>, context: &mut Context) -> Result<(), Failure> {
    let Question { game, role, arguments } = *question;
    let budget = context.limits.analysis_budget(DEFAULT_TIME);
    let began = context.limits.now();
    let options = arguments.options();
    let report = plan(game.subject(), role, &options, &budget);
    let all = match &report.outcome {
        Outcome::Found(found) if arguments.all => {
            let (least, length) = (found.goal, found.witness.steps.len());
            Some(plans(game.subject(), role, least, length, options.others, arguments.most, &budget))
        }
        _ => None,
    };
    let time = context.limits.now().saturating_sub(began);
    let all = all.as_ref();
    if arguments.json {
        let text = serde_json::to_string_pretty(&object(question, &report, all, time))?;
        writeln!(context.console, "{text}")?;
    } else {
        show(question, &report, all, time, context)?;
    }
    match (&report.outcome, all) {
        (Outcome::Undecided(_), _) | (_, Some(Err(_))) => Err(Failure::Code(UNDECIDED)),
        (Outcome::Found(plan), _) if arguments.goal == Target::Best && !plan.is_best => {
            Err(Failure::Code(UNDECIDED))
        }
        (Outcome::None(_), _) => Err(Failure::Code(NONE)),
        (Outcome::Found(_), _) => Ok(()),
    }
}

fn show(
    question: &Question<'_>,
    report: &PlanReport,
    all: Option<&Result<Plans, Reason>>,
    time: Duration,
    context: &mut Context,
) -> Result<(), Failure> {
    let console = &mut context.console;
    writeln!(console, "{}", console.bold(&title(question, report)))?;
    let width = console.width();
    let mut lines = answers(question, report);
    lines.extend(all.map(|all| ("plans", count_text(all))));
    lines.push(("looked at", work_text(report, time)));
    for (name, answer) in lines {
        let answer = wrapped(&answer, width, 11);
        write!(console, "{name:11}{answer}")?;
    }
    if let Some(Ok(all)) = all {
        writeln!(console)?;
        for witness in &all.plans {
            write!(console, "  {}", wrapped(&moves_text(question, witness), width, 4))?;
        }
    }
    Ok(())
}

fn title(question: &Question<'_>, report: &PlanReport) -> String {
    let Question { game, role, arguments } = *question;
    let role = game.role_name(role);
    let wanted = match arguments.goal {
        Target::AtLeast(goal) => format!("a plan of {role} that brings {goal}"),
        Target::Best => format!("a plan of {role}"),
    };
    match &report.outcome {
        Outcome::Found(plan) => {
            let steps = plan.witness.steps.len();
            let plural = if steps == 1 { "" } else { "s" };
            format!("A plan of {role} with {steps} step{plural} that brings {}", plan.goal)
        }
        Outcome::None(_) => format!("There is no {}", &wanted[2..]),
        Outcome::Undecided(_) => format!("Not decided whether there is {wanted}"),
    }
}

/// Moves as `ludex plan` takes them.
fn moves_text(question: &Question<'_>, witness: &Witness) -> String {
    let game = question.game;
    let steps: Vec<String> = if game.roles().len() == 1 {
        witness.texts(game.rules()).concat()
    } else {
        witness.texts(game.rules()).iter().map(|joint| joint.join(" ")).collect()
    };
    steps.join(if game.roles().len() == 1 { ", " } else { "; " })
}

fn answers(question: &Question<'_>, report: &PlanReport) -> Vec<(&'static str, String)> {
    let from = match report.form {
        Form::Faithful => "proved from the rules as they are written",
        Form::Optimised => "proved from the rules as engines run them",
        Form::States => "all states were looked at",
    };
    let mut answers = Vec::new();
    match &report.outcome {
        Outcome::Found(plan) => {
            answers.push(("moves", moves_text(question, &plan.witness)));
            answers.push(("shortest", shortest_text(plan, report, from)));
            answers.push(("best", best_text(plan, from)));
        }
        Outcome::None(why) => {
            answers.push(("because", format!("{why} ({from})")));
            if question.game.roles().len() > 1 && !question.arguments.together {
                let others = "must have one legal move each all along a course; `--together` lets them help";
                answers.push(("others", others.to_owned()));
            }
        }
        Outcome::Undecided(why) => {
            answers.push(("because", why.to_string()));
            answers.extend(report.refuted.map(|steps| ("known", format!("{} ({from})", none_up_to(steps)))));
        }
    }
    answers
}

fn none_up_to(steps: usize) -> String {
    match steps {
        0 => "the game does not begin at its end".to_owned(),
        1 => "no plan with one step will do".to_owned(),
        _ => format!("no plan with up to {steps} steps will do"),
    }
}

fn shortest_text(plan: &Plan, report: &PlanReport, from: &str) -> String {
    match (plan.is_shortest, report.refuted) {
        (true, _) => format!("yes ({from})"),
        (false, Some(steps)) => format!("not looked for; {} ({from})", none_up_to(steps)),
        (false, None) => "not looked for".to_owned(),
    }
}

fn best_text(plan: &Plan, from: &str) -> String {
    match (plan.is_best, &plan.stopped) {
        (true, _) => format!("yes ({from})"),
        (false, Some(why)) => format!("not decided: {why}"),
        (false, None) => "not looked for; `--goal best` does".to_owned(),
    }
}

fn count_text(all: &Result<Plans, Reason>) -> String {
    match all {
        Ok(all) if all.are_all => format!("{} as short as this, and no others", all.plans.len()),
        Ok(all) => format!("the first {} that were found; `--most` allows more", all.plans.len()),
        Err(why) => format!("not listed: {why}"),
    }
}

fn work_text(report: &PlanReport, time: Duration) -> String {
    let work = &report.work;
    if work.states > 0 && work.frames == 0 {
        return format!("{} states, {}", grouped(work.states.into()), duration_text(time));
    }
    let states =
        if work.states > 0 { format!(", {} states", grouped(work.states.into())) } else { String::new() };
    format!(
        "{} steps, {} variables, {} literals, {} conflicts{states}, {}",
        work.frames.saturating_sub(1),
        grouped(work.variables.into()),
        grouped(work.literals as u128),
        grouped(work.conflicts.into()),
        duration_text(time)
    )
}

fn object(
    question: &Question<'_>,
    report: &PlanReport,
    all: Option<&Result<Plans, Reason>>,
    time: Duration,
) -> Value {
    let Question { game, role, .. } = *question;
    let terms = game.signature().terms();
    let moves = |witness: &Witness| -> Vec<Vec<String>> {
        witness.steps.iter().map(|joint| joint.iter().map(|&term| terms.prefix(term)).collect()).collect()
    };
    let found = match &report.outcome {
        Outcome::Found(plan) => Some(plan),
        _ => None,
    };
    let (result, reason) = match &report.outcome {
        Outcome::Found(plan) => ("found", plan.stopped.as_ref().map(ToString::to_string)),
        Outcome::None(why) => ("none", Some(why.to_string())),
        Outcome::Undecided(why) => ("undecided", Some(why.to_string())),
    };
    let listed = all.and_then(|all| all.as_ref().ok());
    json!({
        "game": game.short_name(),
        "rulesheet_sha256": game.sha256(),
        "role": game.role_name(role),
        "goal": question.goal(),
        "result": result,
        "moves": found.map(|plan| moves(&plan.witness)),
        "reward": found.map(|plan| plan.goal),
        "shortest": found.map(|plan| plan.is_shortest),
        "best": found.map(|plan| plan.is_best),
        "plans": listed.map(|all| all.plans.iter().map(moves).collect::<Vec<_>>()),
        "plans_are_all": listed.map(|all| all.are_all),
        "reason": reason,
        "form": report.form.word(),
        "refuted_up_to": report.refuted,
        "work": {
            "frames": report.work.frames,
            "variables": report.work.variables,
            "literals": report.work.literals,
            "questions": report.work.questions,
            "conflicts": report.work.conflicts,
            "states": report.work.states,
        },
        "seconds": (time.as_secs_f64() * 1000.0).round() / 1000.0,
    })
}
