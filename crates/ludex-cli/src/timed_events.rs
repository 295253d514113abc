//! What happens in a game in real time, as people type it: `advance 2.5; white does mark(1,1)`.

use ludex::game::{RoleId, TimedError, Timeline, split_outside};
use ludex::gdl::{GameTime, TimeError};
use ludex::logic::TermId;

use crate::failure::Failure;
use crate::query_text::shortened;
use crate::timed_text::role_text;

/// Something that somebody lets happen.
enum Happening<'t> {
    /// So much time passes.
    Advance(GameTime),
    /// Time passes until something happens.
    Next,
    /// Some roles move at the same moment.
    Moves(Vec<MoveText<'t>>),
}

/// `white does mark(1,1)`.
#[derive(Clone, Copy)]
struct MoveText<'t> {
    role: &'t str,
    action: &'t str,
}

/// Lets all that a text says happen, line after line. Parts of a line are apart by semicolons; moves that follow each
/// other in one line are made at the same moment.
///
/// # Errors
/// What cannot be read, and the first that cannot happen; what is before that has happened.
pub fn let_happen(timeline: &mut Timeline<'_>, text: &str) -> Result<(), Failure> {
    let read: Vec<Vec<Happening<'_>>> = text.lines().map(read_line).collect::<Result<_, _>>()?;
    let read: Vec<Happening<'_>> = read.into_iter().flatten().collect();
    for happening in &read {
        happen(timeline, happening).map_err(|failure| match failure {
            // A single one speaks for itself.
            Failure::Input { message, hint } if read.len() > 1 => {
                let what = shortened(&happening.text());
                Failure::Input { message: format!("`{what}` at {}: {message}", timeline.now()), hint }
            }
            other => other,
        })?;
    }
    Ok(())
}

/// The moves of a text that is about one moment, legal now, without making them.
///
/// # Errors
/// It is about something else, or the moves cannot be made.
pub fn moves_now(timeline: &mut Timeline<'_>, text: &str) -> Result<Vec<(RoleId, TermId)>, Failure> {
    let joined = text.lines().collect::<Vec<_>>().join(";");
    match &read_line(&joined)?[..] {
        [] => Err(TimedError::NoEvent.into()),
        [Happening::Moves(moves)] => find_moves(timeline, moves),
        _ => {
            let why = format!("`--does` takes moves of one moment, and not `{}`", shortened(text));
            Err(Failure::input(why).hint("`--moves` lets time pass before them"))
        }
    }
}

/// Whether a line begins as one that lets something happen.
pub fn is_event(line: &str) -> bool {
    let first = line.split([' ', ';']).next().unwrap_or_default();
    matches!(first, "advance" | "a" | "next" | "n") || line.contains(" does ")
}

fn read_line(line: &str) -> Result<Vec<Happening<'_>>, Failure> {
    let mut read = Vec::new();
    for part in split_outside(line, |c| c == ';').map(str::trim).filter(|part| !part.is_empty()) {
        let (command, rest) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
        match (command, rest.trim()) {
            ("advance" | "a", time) => read.push(Happening::Advance(read_time(time)?)),
            ("next" | "n", "") => read.push(Happening::Next),
            _ => {
                let made = read_move(part)?;
                match read.last_mut() {
                    Some(Happening::Moves(moves)) => moves.push(made),
                    _ => read.push(Happening::Moves(vec![made])),
                }
            }
        }
    }
    Ok(read)
}

fn read_time(text: &str) -> Result<GameTime, Failure> {
    let wrong = |why: &str| Failure::input(format!("`advance` takes a time, as in `advance 2.5`{why}"));
    if text.is_empty() {
        return Err(wrong(""));
    }
    let is_negative = text.strip_prefix('-').is_some_and(|text| GameTime::parse(text).is_ok());
    GameTime::parse(text).map_err(|error: TimeError| {
        let why = if is_negative { "is less than 0".to_owned() } else { error.to_string() };
        wrong(&format!(": `{}` {why}", shortened(text)))
    })
}

fn read_move(part: &str) -> Result<MoveText<'_>, Failure> {
    let (role, action) = part.split_once(" does ").ok_or_else(|| {
        Failure::input(format!("`{}` is nothing that can happen", shortened(part)))
            .hint("`advance 2.5`, `next`, or a move as in `white does mark(1,1)`")
    })?;
    Ok(MoveText { role: role.trim(), action: action.trim() })
}

fn happen(timeline: &mut Timeline<'_>, happening: &Happening<'_>) -> Result<(), Failure> {
    match happening {
        Happening::Advance(by) => {
            let time = timeline.now().checked_add(*by).ok_or(TimedError::TooLate)?;
            timeline.advance_to(time)?;
        }
        Happening::Next => {
            // What `random` is going to do comes as it would to a player: unforeseen.
            let due = timeline.pending().map(|pending| pending.due);
            let next = [timeline.next_expiry(), due].into_iter().flatten().min();
            let next = next.filter(|_| !timeline.is_over());
            let next = next.ok_or_else(|| Failure::input("nothing happens unless somebody moves"))?;
            timeline.advance_to(next)?;
        }
        Happening::Moves(moves) => {
            let found = find_moves(timeline, moves)?;
            timeline.submit(&found)?;
        }
    }
    Ok(())
}

fn find_moves(timeline: &mut Timeline<'_>, moves: &[MoveText<'_>]) -> Result<Vec<(RoleId, TermId)>, Failure> {
    let machine = timeline.machine();
    let mut found = Vec::new();
    for &MoveText { role, action } in moves {
        let role = machine.find_role(role).ok_or_else(|| {
            let known = machine.seats().map(|role| role_text(machine, role)).collect::<Vec<_>>();
            Failure::input(format!("there is no role `{role}`"))
                .hint(format!("the roles are {}", known.join(", ")))
        })?;
        if found.iter().any(|&(other, _)| other == role) {
            return Err(TimedError::TwoMoves { role: role_text(machine, role) }.into());
        }
        if timeline.is_over() {
            return Err(Failure::input("the game is over"));
        }
        if Some(role) == machine.random() {
            return Err(TimedError::OfChance { action: action.to_owned() }.into());
        }
        let action = timeline.find_move(role, action);
        found.push((role, action.map_err(|error| illegal(timeline, role, error))?));
    }
    Ok(found)
}

/// Why there is no such move, with those that would be legal.
fn illegal(timeline: &mut Timeline<'_>, role: RoleId, error: TimedError) -> Failure {
    let machine = timeline.machine();
    let is_illegal = matches!(&error, TimedError::Game(ludex::game::GameError::IllegalMove { .. }));
    let failure = Failure::from(error);
    let legal = timeline.legal(role).map(<[TermId]>::to_vec).unwrap_or_default();
    if !is_illegal {
        return failure;
    }
    let name = role_text(machine, role);
    if legal.is_empty() {
        return failure.hint(format!("{name} has no legal move now"));
    }
    let shown: Vec<String> = legal.iter().take(8).map(|&action| machine.text(action)).collect();
    let more = if legal.len() > 8 { format!(", and {} more", legal.len() - 8) } else { String::new() };
    failure.hint(format!("legal moves of {name}: {}{more}", shown.join(", ")))
}

impl Happening<'_> {
    /// As it is typed.
    fn text(&self) -> String {
        match self {
            Self::Advance(by) => format!("advance {by}"),
            Self::Next => "next".to_owned(),
            Self::Moves(moves) => {
                let moves = moves.iter().map(|MoveText { role, action }| format!("{role} does {action}"));
                moves.collect::<Vec<_>>().join("; ")
            }
        }
    }
}
