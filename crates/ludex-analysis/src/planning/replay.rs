//! Plans on the rules.

use ludex_game::{Goal, RoleId};

use super::search::Stopped;
use crate::{Reason, Subject, Witness};

/// What a course brings a role on the rules; `None` where its last state does not have exactly one value.
///
/// # Errors
/// When the rules do not have this course, or do not end with it: then the circuit is wrong.
pub(super) fn replayed(subject: &Subject, role: RoleId, course: &Witness) -> Result<Option<Goal>, Stopped> {
    let wrong = |what: &dyn ToString| {
        Stopped(Reason::Method(format!("a plan of the net fails on the rules: {}", what.to_string())))
    };
    let end = course.replay(subject.rules()).map_err(|error| wrong(&error))?;
    if !end.terminal().map_err(|error| wrong(&error))? {
        return Err(wrong(&"its end is not terminal"));
    }
    Ok(end.goals().map_err(|error| wrong(&error))?[role.index()])
}
