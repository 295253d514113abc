//! Sequences of joint moves as people type them.

use ludex::game::{RoleId, split_moves};
use ludex::logic::TermId;
use ludex::{MoveError, Position};

use crate::failure::Failure;
use crate::input::read_text;
use crate::limits::Limits;
use crate::query_text::shortened;

/// As [`split_moves`], with moves that live by themselves.
pub fn split(text: &str) -> Vec<Vec<String>> {
    let owned = |joint: Vec<&str>| joint.into_iter().map(str::to_owned).collect();
    split_moves(text).into_iter().map(owned).collect()
}

/// The text itself, or with a leading `@` that of a file.
///
/// # Errors
/// The file cannot be read.
pub fn text_or_file(text: &str, limits: &Limits) -> Result<String, Failure> {
    match text.strip_prefix('@') {
        Some(file) => read_text(file, limits),
        None => Ok(text.to_owned()),
    }
}

/// Makes joint moves one after the other.
///
/// # Errors
/// A move that cannot be read or is not legal, with what would be.
pub fn play_all(position: &mut Position, text: &str) -> Result<(), Failure> {
    for (number, joint) in split(text).iter().enumerate() {
        position.play_joint(joint).map_err(|error| {
            let failure = explain(position, joint, error);
            let Failure::Input { message, hint } = failure else { return failure };
            let made = shortened(&joint.join(" "));
            let message = format!("joint move {} (`{made}`): {message}", number + 1);
            Failure::Input { message, hint }
        })?;
    }
    Ok(())
}

/// Reads the one joint move that is made in a position, without making it. Where the game is over, rules
/// may still speak of moves: then it is one for each role.
///
/// # Errors
/// It is not one joint move, cannot be read or is not legal, with what would be.
pub fn read_joint(position: &Position, text: &str, limits: &Limits) -> Result<Vec<TermId>, Failure> {
    let text = text_or_file(text, limits)?;
    let joints = split(&text);
    let [joint] = &joints[..] else {
        let message = format!("`{}` is not one joint move", shortened(&text));
        return Err(Failure::input(message).hint("`--moves` makes moves before it"));
    };
    let rules = position.rules();
    if position.terminal()? && joint.len() == rules.roles().len() {
        let find = |(role, text): (RoleId, &String)| -> Result<TermId, MoveError> {
            rules.find_legal(position.state(), role, text)?
        };
        let found: Result<Vec<TermId>, MoveError> = rules.roles().zip(joint).map(find).collect();
        return found.map_err(|error| explain(position, joint, error));
    }
    let mut after = position.clone();
    let step = after.step();
    play_all(&mut after, &text)?;
    // A joint move that was made is there.
    Ok(after.joint(step).unwrap_or_default())
}

/// An error with the moves that would have been legal.
pub fn explain(position: &Position, joint: &[String], error: MoveError) -> Failure {
    let advice = position.advice(&error, joint.len());
    let failure = match error {
        MoveError::Game(error) => return error.into(),
        MoveError::Count { roles, moves } => {
            let plural = if moves == 1 { "" } else { "s" };
            Failure::input(format!("{moves} move{plural} for {roles} roles"))
        }
        error => Failure::input(error.to_string()),
    };
    match advice {
        Some(advice) => failure.hint(advice),
        None => failure,
    }
}
