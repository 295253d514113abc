//! Sequences of joint moves as people type them.

use ludex::game::RoleId;
use ludex::logic::TermId;
use ludex::{MoveError, Position, Rules};

use crate::failure::Failure;
use crate::input::read_text;
use crate::limits::Limits;
use crate::query_text::shortened;

/// Splits `mark(1,1) noop; noop mark(2,2)` into joint moves and these into moves. Brackets and quotes
/// hold a move together; moves are apart by blanks or commas, joint moves by semicolons or line ends.
pub fn split(text: &str) -> Vec<Vec<String>> {
    let words = |joint| pieces(joint, |c| c.is_whitespace() || c == ',').map(str::to_owned).collect();
    pieces(text, |c| matches!(c, ';' | '\n')).map(words).filter(|joint: &Vec<_>| !joint.is_empty()).collect()
}

/// The parts of a text between separators outside of brackets and quotes, but for empty ones.
pub fn pieces(text: &str, separates: impl Fn(char) -> bool) -> impl Iterator<Item = &str> {
    let (mut depth, mut quoted) = (0usize, false);
    let parts = text.split(move |c| {
        let outside = depth == 0 && !quoted;
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        outside && separates(c)
    });
    parts.filter(|part| !part.is_empty())
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
        play_joint(position, joint).map_err(|error| {
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

/// Makes one joint move: a move for each role in order, `role=move` for some, or the move of the only
/// role that has a choice.
///
/// # Errors
/// What the position says.
pub fn play_joint(position: &mut Position, joint: &[String]) -> Result<(), MoveError> {
    let named = named_moves(position.rules(), joint)?;
    if let Some(named) = named {
        let moves: Vec<(RoleId, &str)> = named.iter().map(|(r, m)| (*r, m.as_str())).collect();
        return position.play_some(&moves);
    }
    let roles: Vec<RoleId> = position.rules().roles().collect();
    if joint.len() == roles.len() {
        return position.play(joint);
    }
    if let [only] = joint {
        if position.terminal()? {
            return Err(MoveError::Over);
        }
        let mut choosing = Vec::new();
        for &role in &roles {
            if position.legal(role)?.len() > 1 {
                choosing.push(role);
            }
        }
        return match choosing[..] {
            [role] => position.play_some(&[(role, only)]),
            // Nobody can choose: the move is that of whoever has it.
            [] => {
                for &role in &roles {
                    if position.rules().find_legal(position.state(), role, only)?.is_ok() {
                        return position.play_some(&[(role, only)]);
                    }
                }
                position.play_some(&[(roles[0], only)])
            }
            _ => Err(MoveError::Count { roles: roles.len(), moves: 1 }),
        };
    }
    Err(MoveError::Count { roles: roles.len(), moves: joint.len() })
}

/// The moves of `role=move` texts; `None` where no move is written so.
fn named_moves(game: &Rules, joint: &[String]) -> Result<Option<Vec<(RoleId, String)>>, MoveError> {
    let split = |text: &String| {
        let (role, action) = text.split_once('=')?;
        (!role.contains(['(', '\''])).then(|| (role.to_owned(), action.to_owned()))
    };
    let Some(pairs) = joint.iter().map(split).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let find = |(role, action): (String, String)| match game.find_role(&role) {
        Some(id) => Ok((id, action)),
        None => Err(MoveError::UnknownRole { role }),
    };
    pairs.into_iter().map(find).collect::<Result<_, _>>().map(Some)
}

/// An error with the moves that would have been legal.
pub fn explain(position: &Position, joint: &[String], error: MoveError) -> Failure {
    let game = position.rules();
    if let MoveError::Game(error) = error {
        return error.into();
    }
    let failure = match &error {
        MoveError::Count { roles, moves } => {
            let plural = if *moves == 1 { "" } else { "s" };
            Failure::input(format!("{moves} move{plural} for {roles} roles"))
        }
        error => Failure::input(error.to_string()),
    };
    match &error {
        MoveError::Illegal { role, .. } => {
            let Some(id) = game.find_role(role) else { return failure };
            let legal = position.legal_texts(id).unwrap_or_default();
            let shown = legal.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
            let more =
                if legal.len() > 8 { format!(", and {} more", legal.len() - 8) } else { String::new() };
            failure.hint(format!("legal moves of {role}: {shown}{more}"))
        }
        MoveError::Count { .. } if joint.len() == 1 => failure
            .hint(format!("several roles have a choice; give the moves of {}", game.role_names().join(", "))),
        MoveError::Count { .. } => failure.hint(format!(
            "a joint move lists the moves of {}; joint moves are separated by `;`",
            game.role_names().join(", ")
        )),
        MoveError::UnknownRole { .. } => {
            failure.hint(format!("the roles are {}", game.role_names().join(", ")))
        }
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joint_moves_are_split_outside_of_brackets() {
        let words = |text| split(text).iter().map(|j| j.join("|")).collect::<Vec<_>>();
        assert_eq!(words("mark(1, 1) noop; noop mark(2,2)"), ["mark(1, 1)|noop", "noop|mark(2,2)"]);
        assert_eq!(words("(mark 1 1) noop\nnoop, (mark 2 2);"), ["(mark 1 1)|noop", "noop|(mark 2 2)"]);
        assert_eq!(words("'a b' x=f('; ')"), ["'a b'|x=f('; ')"]);
        assert_eq!(words("  ;\n; "), Vec::<String>::new());
        assert_eq!(words("f(a"), ["f(a"]);
    }
}
