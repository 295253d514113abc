//! Walking about in a game in real time that somebody is writing: time passes, moves are made at a moment, and the state
//! is what has become of both.

use ludex::analysis::PictureStyle;
use ludex::game::{RoleId, TimedError, Timeline, TimelineOptions};
use ludex::gdl::GameTime;
use ludex::logic::TermId;

use super::answer::picture;
use super::explore::{MOVES, STEPS, limited};
use super::in_time::ReadyTimedGame;
use super::late::Trouble;
use super::question::{ExploreStep, ExploreWish, ExploredState, RoleMoves};

/// The state that something leads to, and why it is not the one that was asked for, if so. Moves of `random` come
/// the same way each time.
///
/// # Errors
/// What the machine says of the state.
pub(super) fn explore(
    game: &ReadyTimedGame,
    wish: &ExploreWish,
) -> Result<(ExploredState, Option<String>), Trouble> {
    let rules = game.rules();
    let budget = limited(rules.question_budget());
    let mut timeline =
        Timeline::new(&**rules.machine(), &TimelineOptions { budget, ..TimelineOptions::default() })?;
    let mut problem = None;
    let mut made = Vec::new();
    for step in &wish.steps {
        if made.len() >= STEPS {
            problem = Some(format!("no more than {STEPS} steps are made here"));
            break;
        }
        match happen(&mut timeline, step)? {
            Ok(texts) => made.push(texts),
            Err(why) => {
                problem = Some(format!("at {}: {why}", timeline.now()));
                break;
            }
        }
    }
    if wish.why.is_some() && problem.is_none() {
        problem = Some("in real time `ludex why` says why a move is legal".to_owned());
    }
    let facts: Vec<TermId> = timeline.state().facts().iter().map(|&(_, fact)| fact).collect();
    let drawn = |structure| picture(structure, &facts, &PictureStyle::default());
    let state = ExploredState {
        picture: game.structure().map(drawn).unwrap_or_default(),
        made,
        time: Some(timeline.now().to_string()),
        terminal: timeline.is_over(),
        roles: roles(&mut timeline)?,
        reasons: None,
    };
    Ok((state, problem))
}

/// Lets something happen, and says what; the inner error says why it cannot.
fn happen(timeline: &mut Timeline<'_>, step: &ExploreStep) -> Result<Result<Vec<String>, String>, Trouble> {
    let over = || Ok(Err("the game is over".to_owned()));
    match step {
        _ if timeline.is_over() => over(),
        ExploreStep::Advance(by) => {
            let Ok(by) = GameTime::parse(by.trim()) else {
                return Ok(Err(format!("`{}` is no time, as 2.5 is one", by.trim())));
            };
            let Some(time) = timeline.now().checked_add(by) else {
                return Ok(Err(TimedError::TooLate.to_string()));
            };
            outcome_of(timeline.advance_to(time), || vec![format!("{by} passed")])
        }
        ExploreStep::Next => match timeline.next_event() {
            Some(next) => outcome_of(timeline.advance_to(next), || vec![format!("time passed until {next}")]),
            None => Ok(Err("nothing happens unless somebody moves".to_owned())),
        },
        ExploreStep::Moves(moves) => {
            let machine = timeline.machine();
            let mut found = Vec::new();
            for (role, action) in (0..).map(RoleId).zip(moves).filter(|(_, action)| !action.is_empty()) {
                if role.index() >= machine.roles().len() {
                    return Ok(Err("there are not so many roles".to_owned()));
                }
                match timeline.find_move(role, action) {
                    Ok(action) => found.push((role, action)),
                    Err(error) => return outcome_of(Err(error), Vec::new),
                }
            }
            let text = |&(role, action): &(RoleId, TermId)| {
                format!("{} does {}", machine.text(machine.roles()[role.index()]), machine.text(action))
            };
            outcome_of(timeline.submit(&found), || found.iter().map(text).collect())
        }
    }
}

/// What came of an attempt: what happened, or why it did not. Only the clock ends all.
fn outcome_of(
    outcome: Result<(), TimedError>,
    made: impl FnOnce() -> Vec<String>,
) -> Result<Result<Vec<String>, String>, Trouble> {
    match outcome.map_err(Trouble::from) {
        Ok(()) => Ok(Ok(made())),
        Err(Trouble::TooMuch(why)) => Ok(Err(why)),
        Err(late) => Err(late),
    }
}

fn roles(timeline: &mut Timeline<'_>) -> Result<Vec<RoleMoves>, Trouble> {
    let machine = timeline.machine();
    let (is_over, goals) = (timeline.is_over(), timeline.goals()?);
    let mut roles = Vec::new();
    for ((number, &role), goal) in (0..).map(RoleId).zip(machine.roles()).zip(goals) {
        // What `random` does is drawn, and comes when it is due.
        let is_chance = Some(number) == machine.random();
        let legal = if is_over || is_chance { &[][..] } else { timeline.legal(number)? };
        let shown =
            legal.iter().take(MOVES).map(|&action| (machine.terms().prefix(action), machine.text(action)));
        roles.push(RoleMoves {
            name: machine.text(role),
            goal: goal.map(|goal| goal.to_string()),
            percepts: Vec::new(),
            moves: shown.collect(),
            more: legal.len().saturating_sub(MOVES),
        });
    }
    Ok(roles)
}
