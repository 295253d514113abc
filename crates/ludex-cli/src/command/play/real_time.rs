//! A match in real time between players of this program.

use std::io::Write;

use ludex::game::{RoleId, TimedMachine, TimedRules, Timeline};
use ludex::gdl::GameTime;
use ludex::players::real_time::TimedPlayer;
use ludex::{
    MatchSetup, TableError, TimedRecordTerms, TimedResult, TimedScene, TimedTable, TimedTableOptions,
    create_timed_player,
};

use super::{PlayArguments, write_file};
use crate::Context;
use crate::clock::unix_milliseconds;
use crate::failure::Failure;
use crate::player_text::{DEFAULT_PLAY_CLOCK, DEFAULT_START_CLOCK, HUMAN, registry};
use crate::timed_text::{TimedPicture, event_text, goals_text, role_text};

/// Plays a game in real time.
///
/// # Errors
/// There is no such player or role; the game cannot begin or go on; the output cannot be written.
pub fn run(arguments: &PlayArguments, rules: &TimedRules, context: &mut Context) -> Result<(), Failure> {
    let machine = rules.machine();
    let budget = rules.question_budget().clone();
    let seats = rules.seats();
    let names = seating(&**machine, &seats, arguments)?;
    if names.iter().any(|name| name == HUMAN) {
        let why = "people cannot play games in real time here";
        return Err(Failure::input(why).hint("`ludex step` lets you try the game out"));
    }
    let seed = arguments.seed.unwrap_or_else(unix_milliseconds);
    arguments.time.refuse_in_time()?;
    let setup = MatchSetup { seed, ..MatchSetup::default() };
    let mut seated: Vec<Box<dyn TimedPlayer>> = Vec::new();
    for (&role, name) in seats.iter().zip(&names) {
        let resources = arguments.resources(setup.player_seed(role), names.len(), &context.limits);
        let player = create_timed_player(rules, name, registry(), &resources);
        seated.push(player.map_err(Failure::Usage)?);
    }
    let unit = arguments.play_clock.unwrap_or(DEFAULT_PLAY_CLOCK);
    let start_clock = arguments.start_clock.unwrap_or(DEFAULT_START_CLOCK);
    let options = TimedTableOptions {
        seed,
        delay: arguments.delay,
        longest: arguments.game_time,
        unit,
        clock: context.limits.clock.clone(),
        start_clock,
        slice: TimedTableOptions::usual_slice(unit),
        budget,
    };
    let shown = !arguments.quiet && !arguments.json;
    if shown {
        let name = rules.short_name();
        let who =
            seats.iter().zip(&names).map(|(&role, name)| format!("{} {name}", role_text(&**machine, role)));
        let who = who.collect::<Vec<_>>().join(", ");
        writeln!(context.console, "{}: {who} (seed {seed})", context.console.bold(name))?;
    }
    let table = TimedTable::new(rules, seated, options).map_err(|error| match error {
        TableError::Timed(error) => error.into(),
        other => Failure::input(other.to_string()),
    })?;
    let picture = TimedPicture::new(rules, context);
    let mut failed = Ok(());
    let result = table.play(&mut |timeline, scene| {
        if failed.is_ok() && shown {
            failed = show(&picture, timeline, &scene, arguments.verbose, context);
        }
    })?;
    failed?;
    let now = unix_milliseconds();
    let terms = TimedRecordTerms {
        id: format!("{}.{seed}.{now}", rules.short_name()),
        seed,
        players: names,
        start_clock,
        play_clock: unit,
        start_time: Some(now),
    };
    let record = result.record(rules, terms).write();
    if let Some(file) = &arguments.record {
        write_file(file, &format!("{record}\n"))?;
    }
    if arguments.json {
        return Ok(writeln!(context.console, "{record}")?);
    }
    show_result(&**machine, &result, context)
}

fn show(
    picture: &TimedPicture,
    timeline: &Timeline<'_>,
    scene: &TimedScene<'_>,
    thoughts: bool,
    context: &mut Context,
) -> Result<(), Failure> {
    let console = &mut context.console;
    match scene {
        TimedScene::Event(event) => {
            writeln!(console, "\n{}", console.bold(&event_text(timeline.machine(), event)))?;
            let state = picture.now(timeline, console);
            console.write_all(state.as_bytes())?;
        }
        TimedScene::Thought(thought) if thoughts => {
            let role = role_text(timeline.machine(), thought.role);
            let action = timeline.machine().text(thought.action);
            let line = format!("at {}: {role} decides on {action}: {}", thought.time, thought.report);
            writeln!(console, "{}", console.dim(&line))?;
        }
        TimedScene::Thought(_) => {}
    }
    Ok(())
}

fn show_result(
    machine: &dyn TimedMachine,
    result: &TimedResult,
    context: &mut Context,
) -> Result<(), Failure> {
    let console = &mut context.console;
    for refusal in &result.refused {
        let (role, action) = (role_text(machine, refusal.role), machine.text(refusal.action));
        writeln!(console, "at {}: {role}'s {action} came when it was not legal", refusal.time)?;
    }
    for (role, why) in &result.failures {
        writeln!(console, "{}: {why}", role_text(machine, *role))?;
    }
    let goals = goals_text(machine, &result.goals);
    let how = if result.completed { "The game is over" } else { "The game was ended" };
    writeln!(console, "\n{how} at {}: {goals}", result.time)?;
    Ok(())
}

/// Who plays each seat.
fn seating(
    machine: &dyn TimedMachine,
    seats: &[RoleId],
    arguments: &PlayArguments,
) -> Result<Vec<String>, Failure> {
    let mut names = vec![arguments.all.clone(); seats.len()];
    for (role, player) in &arguments.player {
        let place = machine.find_role(role).and_then(|found| seats.iter().position(|&seat| seat == found));
        let Some(place) = place else {
            let known = seats.iter().map(|&role| role_text(machine, role)).collect::<Vec<_>>().join(", ");
            return Err(Failure::Usage(format!("nobody plays `{role}`; the players' roles are {known}")));
        };
        names[place].clone_from(player);
    }
    Ok(names)
}

/// Reads a time in units of game time.
pub fn game_time(text: &str) -> Result<GameTime, String> {
    GameTime::parse(text).map_err(|error| format!("this {error}"))
}
