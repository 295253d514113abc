//! `ludex solve --force`.

use std::io::Write;
use std::time::Duration;

use ludex::analysis::planning::{ForceOutcome, ForceReport, Strategy, Target, force};
use serde_json::{Value, json};

use super::{DEFAULT_TIME, Question};
use crate::Context;
use crate::console::wrapped;
use crate::failure::{Failure, NONE, UNDECIDED};
use crate::limits::{duration_text, grouped};

/// Says whether the role can force what it wants.
pub fn run(question: &Question<'_>, context: &mut Context) -> Result<(), Failure> {
    let Question { game, role, arguments } = *question;
    let budget = context.limits.analysis_budget(DEFAULT_TIME);
    let began = context.limits.now();
    let report = force(game.subject(), role, arguments.goal, arguments.horizon(), &budget);
    let time = context.limits.now().saturating_sub(began);
    if arguments.json {
        writeln!(context.console, "{}", serde_json::to_string_pretty(&object(question, &report, time))?)?;
    } else {
        show(question, &report, time, context)?;
    }
    match report.outcome {
        ForceOutcome::Forced { .. } => Ok(()),
        ForceOutcome::NotWithin { .. } | ForceOutcome::Never => Err(Failure::Code(NONE)),
        ForceOutcome::Undecided(_) => Err(Failure::Code(UNDECIDED)),
    }
}

fn show(
    question: &Question<'_>,
    report: &ForceReport,
    time: Duration,
    context: &mut Context,
) -> Result<(), Failure> {
    let game = question.game;
    let role = game.role_name(question.role);
    let wanted = match question.arguments.goal {
        Target::AtLeast(goal) => goal.to_string(),
        Target::Best => "anything".to_owned(),
    };
    let mut lines = Vec::new();
    let title = match &report.outcome {
        ForceOutcome::Forced { goal, strategy } => {
            let within = strategy.nodes.first().map_or(0, |node| node.within);
            let count = grouped(strategy.nodes.len() as u128);
            lines.push((
                "strategy",
                format!("for {count} positions, played through on the rules against every reply"),
            ));
            format!("{role} can force {goal} within {within} steps")
        }
        ForceOutcome::NotWithin { steps } => format!("{role} cannot force {wanted} within {steps} steps"),
        ForceOutcome::Never => format!("{role} cannot force {wanted}"),
        ForceOutcome::Undecided(why) => {
            lines.push(("because", why.to_string()));
            format!("Not decided whether {role} can force {wanted}")
        }
    };
    if !matches!(report.outcome, ForceOutcome::Never | ForceOutcome::NotWithin { .. }) {
        let known = report.refuted.filter(|&steps| steps > 0);
        lines.extend(known.map(|steps| {
            let more = if question.arguments.goal == Target::Best { "more" } else { "it" };
            ("known", format!("{more} cannot be forced within {steps} steps (proved)"))
        }));
    }
    let work = &report.work;
    if work.all {
        let states = grouped(work.states.into());
        lines.push(("looked at", format!("all {states} states, {}", duration_text(time))));
    }
    let counts = [work.states, work.won as u64, work.lost as u64, work.questions].map(|n| grouped(n.into()));
    let by_solver = || {
        format!(
            "{} states, {} sets of them won, {} lost, {} questions to the solver, {}",
            counts[0],
            counts[1],
            counts[2],
            counts[3],
            duration_text(time)
        )
    };
    if !work.all {
        lines.push(("looked at", by_solver()));
    }
    let console = &mut context.console;
    writeln!(console, "{}", console.bold(&title))?;
    let width = console.width();
    for (name, answer) in lines {
        let answer = wrapped(&answer, width, 11);
        write!(console, "{name:11}{answer}")?;
    }
    if let ForceOutcome::Forced { strategy, .. } = &report.outcome {
        show_line(question, strategy, context)?;
    }
    Ok(())
}

/// A line of play against those who hold out as long as they can.
fn show_line(question: &Question<'_>, strategy: &Strategy, context: &mut Context) -> Result<(), Failure> {
    let game = question.game;
    let console = &mut context.console;
    let mut node = strategy.nodes.first();
    if node.is_some() {
        writeln!(console, "\nA line in which it takes as long as it can:")?;
    }
    let digits = node.map_or(1, |node| node.within.to_string().len());
    let mut step = 0;
    while let Some(here) = node {
        step += 1;
        let within = |next: Option<usize>| next.map_or(0, |next| strategy.nodes[next].within);
        let Some((joint, next)) = here.replies.iter().max_by_key(|reply| within(reply.1)) else { break };
        let moves: Vec<String> = game
            .roles()
            .zip(joint)
            .map(|(role, &action)| format!("{} {}", game.role_name(role), game.text(action)))
            .collect();
        writeln!(console, "  {step:digits$}  {}", moves.join(", "))?;
        node = next.map(|next| &strategy.nodes[next]);
    }
    Ok(())
}

fn object(question: &Question<'_>, report: &ForceReport, time: Duration) -> Value {
    let Question { game, role, .. } = *question;
    let terms = game.signature().terms();
    let (result, reason) = match &report.outcome {
        ForceOutcome::Forced { .. } => ("forced", None),
        ForceOutcome::NotWithin { .. } => ("not-within", None),
        ForceOutcome::Never => ("never", None),
        ForceOutcome::Undecided(why) => ("undecided", Some(why.to_string())),
    };
    let forced = match &report.outcome {
        ForceOutcome::Forced { goal, strategy } => Some((goal, strategy)),
        _ => None,
    };
    let nodes = |strategy: &Strategy| -> Vec<Value> {
        let node = |node: &ludex::analysis::planning::StrategyNode| {
            let replies: Vec<Value> = node
                .replies
                .iter()
                .map(|(joint, next)| {
                    let moves: Vec<String> = joint.iter().map(|&term| terms.prefix(term)).collect();
                    json!({ "moves": moves, "node": next })
                })
                .collect();
            json!({ "move": terms.prefix(node.action), "within": node.within, "replies": replies })
        };
        strategy.nodes.iter().map(node).collect()
    };
    json!({
        "game": game.short_name(),
        "rulesheet_sha256": game.sha256(),
        "role": game.role_name(role),
        "goal": question.goal(),
        "result": result,
        "reward": forced.map(|(goal, _)| goal),
        "within": forced.map(|(_, strategy)| strategy.nodes.first().map_or(0, |node| node.within)),
        "strategy": forced.map(|(_, strategy)| nodes(strategy)),
        "reason": reason,
        "refuted_up_to": report.refuted,
        "work": {
            "states": report.work.states,
            "all_states": report.work.all,
            "questions": report.work.questions,
            "won": report.work.won,
            "lost": report.work.lost,
        },
        "seconds": (time.as_secs_f64() * 1000.0).round() / 1000.0,
    })
}
