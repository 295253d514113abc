//! What players say about their moves, for people.

use std::io::Write;

use ludex::game::RoleId;
use ludex::logic::TermId;
use ludex::players::{MoveRating, Report};
use ludex::{Match, MoveNote, Position, Rules, Table};

use crate::Context;
use crate::console::{table, unbroken, wrapped};
use crate::failure::Failure;
use crate::limits::{duration_text, grouped};

/// So many moves are listed; the record has all of them.
const LISTED_MOVES: usize = 10;
/// So many steps of a variation are shown.
const SHOWN_STEPS: usize = 12;
/// What belongs to a step stands behind so many blanks.
const INDENT: usize = 2;

/// Shows what each player said about its move in the last step.
pub fn show_thoughts(table: &Table, context: &mut Context) -> Result<(), Failure> {
    let referee = table.referee();
    let game = referee.rules();
    let Some(notes) = referee.notes().last() else { return Ok(()) };
    for (role, note) in game.roles().zip(notes) {
        let Some(report) = table.report(role).filter(|report| is_shown(report)) else {
            continue;
        };
        let text = entries(game, role, note, report, context.console.width());
        context.console.write_all(text.as_bytes())?;
        context.console.write_all(moves(game, report, context).as_bytes())?;
        context.console.write_all(variation(referee, report, context.console.width()).as_bytes())?;
    }
    Ok(())
}

/// Whether a report says something beside the probabilities that the move was drawn by.
fn is_shown(report: &Report) -> bool {
    !report.entries.is_empty() || !report.moves.is_empty() || !report.variation.is_empty()
}

/// What the player wanted to say, and how long it took.
fn entries(game: &Rules, role: RoleId, note: &MoveNote, report: &Report, width: usize) -> String {
    let mut said: Vec<String> =
        note.time.iter().map(|&time| format!("took {}", duration_text(time))).collect();
    said.extend(report.entries.iter().map(|(name, value)| {
        // Long numbers are easier to read in groups.
        let number = value.parse::<u64>().ok().filter(|&number| number >= 10_000);
        let value = number.map_or_else(|| value.clone(), |number| grouped(number.into()));
        // A long text may be broken, a name and a number may not.
        if value.len() > 20 { format!("{name} {value}") } else { unbroken(&format!("{name} {value}")) }
    }));
    let line = format!("{}: {}", game.role_name(role), said.join(", "));
    format!("{}{}", " ".repeat(INDENT), wrapped(&line, width, 2 * INDENT))
}

/// The moves that the player thought of, as a table.
fn moves(game: &Rules, report: &Report, context: &Context) -> String {
    if report.moves.is_empty() {
        return String::new();
    }
    let listed = &report.moves[..report.moves.len().min(LISTED_MOVES)];
    let tried = listed.iter().any(|rating| rating.visits > 0);
    let proven = listed.iter().any(|rating| rating.proven.is_some());
    let row = |action: String, visits: String, value: String, proof: String| {
        let mut row = vec![action];
        row.extend(tried.then_some(visits));
        row.push(value);
        row.extend(proven.then_some(proof));
        row
    };
    let cells = |rating: &MoveRating| {
        row(
            game.text(rating.action),
            grouped(rating.visits.into()),
            rating.value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}")),
            rating.proven.map_or_else(String::new, |goal| goal.to_string()),
        )
    };
    let mut rows = vec![row("MOVE".into(), "VISITS".into(), "VALUE".into(), "PROVEN".into())];
    rows.extend(listed.iter().map(cells));
    let mut out = String::new();
    for line in table(&context.console, &rows, &[false, true, true, true]).lines() {
        out.push_str(&format!("{}{line}\n", " ".repeat(2 * INDENT)));
    }
    let more = report.moves.len() - listed.len();
    if more > 0 {
        out.push_str(&format!("{}... and {more} more\n", " ".repeat(2 * INDENT)));
    }
    out
}

/// The moves that the player expected; of each step only those of roles that had a choice.
fn variation(referee: &Match, report: &Report, width: usize) -> String {
    if report.variation.is_empty() {
        return String::new();
    }
    let game = referee.rules();
    let history = referee.history();
    let before = referee.steps().len().checked_sub(1).and_then(|step| history.state_at(step));
    let mut position = before.map(|state| Position::starting_in(game.clone(), state.clone()));
    let mut steps = Vec::new();
    for joint in report.variation.iter().take(SHOWN_STEPS) {
        steps.push(unbroken(&step_text(game, position.as_ref(), joint)));
        // Where the rules do not bear the player out, its moves are shown as they are.
        position = position.and_then(|mut position| position.advance(joint).ok().map(|()| position));
    }
    if report.variation.len() > SHOWN_STEPS {
        steps.push("...".to_owned());
    }
    let line = format!("expects {}", steps.join("; "));
    format!("{}{}", " ".repeat(2 * INDENT), wrapped(&line, width, 3 * INDENT))
}

fn step_text(game: &Rules, position: Option<&Position>, joint: &[TermId]) -> String {
    let has_choice = |role: RoleId| {
        position.is_none_or(|position| position.legal(role).is_ok_and(|legal| legal.len() > 1))
    };
    let made: Vec<(RoleId, TermId)> = game.roles().zip(joint.iter().copied()).collect();
    let chosen: Vec<String> =
        made.iter().filter(|(role, _)| has_choice(*role)).map(|&(_, action)| game.text(action)).collect();
    if chosen.is_empty() {
        return made.iter().map(|&(_, action)| game.text(action)).collect::<Vec<_>>().join(" ");
    }
    chosen.join(" ")
}
