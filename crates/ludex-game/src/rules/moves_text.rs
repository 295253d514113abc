//! Sequences of joint moves as people write them.

use super::{MoveError, Position, Rules};
use crate::RoleId;

/// Splits `mark(1,1) noop; noop mark(2,2)` into joint moves and these into moves. Brackets and quotes
/// hold a move together; moves are apart by blanks or commas, joint moves by semicolons or line ends.
///
/// ```
/// let joints = ludex_game::split_moves("(mark 1 1) noop; x=mark(2, 2)");
/// assert_eq!(joints, [vec!["(mark 1 1)", "noop"], vec!["x=mark(2, 2)"]]);
/// ```
pub fn split_moves(text: &str) -> Vec<Vec<&str>> {
    let words = |joint| split_words(joint).collect();
    split_outside(text, |c| matches!(c, ';' | '\n'))
        .map(words)
        .filter(|joint: &Vec<_>| !joint.is_empty())
        .collect()
}

/// The terms in a text, apart by blanks or commas outside of brackets and quotes.
pub fn split_words(text: &str) -> impl Iterator<Item = &str> {
    split_outside(text, |c| c.is_whitespace() || c == ',')
}

/// The parts of a text between separators outside of brackets and quotes, but for empty ones.
pub fn split_outside(text: &str, separates: impl Fn(char) -> bool) -> impl Iterator<Item = &str> {
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

impl Position {
    /// Makes one joint move as people write it: a move for each role in order, `role=move` for some, or the move
    /// of the only role that has a choice.
    ///
    /// # Errors
    /// [`MoveError`]; the position is then as before.
    pub fn play_joint<T: AsRef<str>>(&mut self, joint: &[T]) -> Result<(), MoveError> {
        if let Some(named) = named_moves(self.rules(), joint)? {
            return self.play_some(&named);
        }
        let roles: Vec<RoleId> = self.rules().roles().collect();
        if joint.len() == roles.len() {
            return self.play(joint);
        }
        let [only] = joint else { return Err(MoveError::Count { roles: roles.len(), moves: joint.len() }) };
        if self.terminal()? {
            return Err(MoveError::Over);
        }
        let mut choosing = Vec::new();
        for &role in &roles {
            if self.legal(role)?.len() > 1 {
                choosing.push(role);
            }
        }
        match choosing[..] {
            [role] => self.play_some(&[(role, only.as_ref())]),
            // Nobody can choose: the move is that of whoever has it.
            [] => {
                for &role in &roles {
                    if self.rules().find_legal(self.state(), role, only.as_ref())?.is_ok() {
                        return self.play_some(&[(role, only.as_ref())]);
                    }
                }
                self.play_some(&[(roles[0], only.as_ref())])
            }
            _ => Err(MoveError::Count { roles: roles.len(), moves: 1 }),
        }
    }

    /// What to do about a joint move of so many moves that was not made here.
    pub fn advice(&self, error: &MoveError, moves: usize) -> Option<String> {
        let rules = self.rules();
        let roles = || rules.role_names().join(", ");
        match error {
            MoveError::Illegal { role, .. } => {
                let legal = self.legal_texts(rules.find_role(role)?).unwrap_or_default();
                let shown = legal.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
                let more = legal.len().saturating_sub(SHOWN);
                let more = if more > 0 { format!(", and {more} more") } else { String::new() };
                Some(format!("legal moves of {role}: {shown}{more}"))
            }
            MoveError::Count { .. } if moves == 1 => {
                Some(format!("several roles have a choice; give the moves of {}", roles()))
            }
            MoveError::Count { .. } => {
                Some(format!("a joint move lists the moves of {}; joint moves are separated by `;`", roles()))
            }
            MoveError::UnknownRole { .. } => Some(format!("the roles are {}", roles())),
            _ => None,
        }
    }
}

/// So many legal moves are named where one was not legal.
const SHOWN: usize = 8;

/// Moves written as `role=move`; `None` where not all of them are written so.
fn named_moves<'t, T: AsRef<str>>(
    rules: &Rules,
    joint: &'t [T],
) -> Result<Option<Vec<(RoleId, &'t str)>>, MoveError> {
    let split = |text: &'t T| {
        let (role, action) = text.as_ref().split_once('=')?;
        (!role.contains(['(', '\''])).then_some((role, action))
    };
    let Some(pairs) = joint.iter().map(split).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let find = |(role, action)| match rules.find_role(role) {
        Some(id) => Ok((id, action)),
        None => Err(MoveError::UnknownRole { role: role.to_owned() }),
    };
    pairs.into_iter().map(find).collect::<Result<_, _>>().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joint_moves_are_split_outside_of_brackets() {
        let words = |text| split_moves(text).iter().map(|j| j.join("|")).collect::<Vec<_>>();
        assert_eq!(words("mark(1, 1) noop; noop mark(2,2)"), ["mark(1, 1)|noop", "noop|mark(2,2)"]);
        assert_eq!(words("(mark 1 1) noop\nnoop, (mark 2 2);"), ["(mark 1 1)|noop", "noop|(mark 2 2)"]);
        assert_eq!(words("'a b' x=f('; ')"), ["'a b'|x=f('; ')"]);
        assert_eq!(words("  ;\n; "), Vec::<String>::new());
        assert_eq!(words("f(a"), ["f(a"]);
    }
}
