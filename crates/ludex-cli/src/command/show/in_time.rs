//! What a rulesheet in real time consists of.

use std::io::Write;

use ludex::analysis::Structure;
use ludex::game::{RoleId, TimedRules, Timeline, TimelineOptions};
use ludex::gdl::Checked;
use ludex::logic::TermId;
use ludex::logic::dependency::Dependencies;
use ludex::propnet::passes::PassSet;
use ludex::{Engine, TimedLoadError};
use serde_json::{Map, Value};

use super::{
    ShowArguments, clauses_text, description, notation_name, relation_lines, strata_count, write_rows,
};
use crate::Context;
use crate::failure::Failure;
use crate::moves_text::text_or_file;
use crate::rulesheet::timed_rules;
use crate::timed_events::let_happen;
use crate::timed_text::role_text;

/// Refuses what there is not in real time.
///
/// # Errors
/// Options that ask for it.
pub fn refuse(arguments: &ShowArguments) -> Result<(), Failure> {
    if arguments.states.is_some() {
        let why = "`--states` lists all states, and in real time one may come after another at any time";
        return Err(
            Failure::input(why).hint("`ludex perft --grid 0.5` counts what can happen at times on a grid")
        );
    }
    if arguments.ground {
        let why = "`--ground` lists finitely many rules, and in real time any time may be left of a lifetime";
        return Err(Failure::input(why).hint("`--domains` says what the rules write in each place"));
    }
    if arguments.passes != PassSet::all() {
        return Err(Failure::input("`--passes` is for games that go step by step"));
    }
    Ok(())
}

/// Shows the game, or a picture of a moment.
///
/// # Errors
/// The rules have errors; a limit; events that cannot happen.
pub fn run(checked: Checked, arguments: &ShowArguments, context: &mut Context) -> Result<(), Failure> {
    if arguments.svg {
        let rules = timed_rules(checked, &Engine::Rules.into(), context)?;
        return draw(&rules, arguments.moves.as_deref(), context);
    }
    let (rules, reason) = fastest(checked, context)?;
    let Some(program) = rules.program() else { return Err(Failure::Reported) };
    let machine = &**rules.machine();
    let text = |term: TermId| machine.text(term);
    let lines = relation_lines(program, &Dependencies::new(&program.program));
    let notation = notation_name(machine.notation());
    let roles: Vec<RoleId> = (0..machine.roles().len() as u32).map(RoleId).collect();
    let names: Vec<String> = roles.iter().map(|&role| role_text(machine, role)).collect();
    let initial = machine.initial();
    let mut runner = machine.runner(rules.question_budget());
    let mut legal = Vec::new();
    for &role in &roles {
        legal.push(runner.legal(role)?.iter().map(|&action| text(action)).collect::<Vec<_>>());
    }
    if arguments.json {
        let texts = |each: &mut dyn Iterator<Item = String>| Value::from(each.collect::<Vec<_>>());
        let facts = initial.facts();
        let mut object = description(program, notation, &names, &lines);
        object["initial_facts"] = texts(&mut facts.iter().map(|&(_, fact)| text(fact)));
        object["initial_lifetimes"] = texts(&mut facts.iter().map(|(lifetime, _)| lifetime.to_string()));
        let moves = names.into_iter().zip(legal.into_iter().map(Value::from));
        object["initial_moves"] = moves.collect::<Map<String, Value>>().into();
        object["engine"] = rules.engine_name().into();
        object["engine_reason"] = reason.into();
        writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    let random = if machine.random().is_some() { " (random moves by chance)" } else { "" };
    let expiry = initial.time_to_expiry();
    let expiry = expiry.map_or_else(String::new, |time| format!(", the first expires at {time}"));
    let moves: Vec<String> =
        names.iter().zip(&legal).map(|(name, moves)| format!("{name} {}", moves.len())).collect();
    let start = format!("{} facts{expiry}; legal moves: {}", initial.facts().len(), moves.join(", "));
    let rows = vec![
        ("language", format!("{}, {notation} notation", rules.dialect())),
        ("roles", format!("{}{random}", names.join(", "))),
        ("clauses", clauses_text(&program.program)),
        ("at the start", start),
        ("strata", strata_count(&lines).to_string()),
        ("engine", format!("{}: {reason}", rules.engine_name())),
    ];
    write_rows(rules.short_name(), &rows, &lines, &mut context.console)
}

/// The rules with the engine that is chosen by itself, and why it is.
fn fastest(checked: Checked, context: &Context) -> Result<(TimedRules, String), Failure> {
    let budget = context.limits.budget();
    let net_budget = context.limits.auto_budget(budget);
    let reason = match ludex::timed_rules(checked.clone(), Engine::Net, &net_budget, &net_budget) {
        Ok(rules) => {
            return Ok((rules.within(budget.clone()), "the rules could be made a net with clocks".into()));
        }
        Err(TimedLoadError::Engine { cause, .. }) => cause,
        // What is wrong with the rules themselves is told below.
        Err(other) => other.to_string(),
    };
    budget.meter().check()?;
    Ok((timed_rules(checked, &Engine::Rules.into(), context)?, reason))
}

/// Draws the state after some events.
fn draw(rules: &TimedRules, events: Option<&str>, context: &mut Context) -> Result<(), Failure> {
    let Some(program) = rules.program() else { return Err(Failure::Reported) };
    let machine = &**rules.machine();
    let budget = rules.question_budget().clone();
    let mut timeline = Timeline::new(machine, &TimelineOptions { budget, ..TimelineOptions::default() })?;
    if let Some(events) = events {
        let_happen(&mut timeline, &text_or_file(events, &context.limits)?)?;
    }
    let facts: Vec<TermId> = timeline.state().facts().iter().map(|&(_, fact)| fact).collect();
    let structure = Structure::find_in_time(program, machine, context.limits.budget());
    Ok(context.console.write_all(structure.draw_svg(&facts).as_bytes())?)
}
