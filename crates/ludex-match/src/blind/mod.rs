//! Matches whose players are told no rules: really general game playing (book 20.4).
//!
//! Before the match a player is told the [`Structure`] of the game: the roles, what each can do, and what it may
//! perceive. After each step it is told which move of its own was made, and what it [perceives](percepts): a move that was
//! not legal was replaced, and that is how a player learns of it. What a state is worth to it is a percept, too.

mod structure;

use ludex_game::RoleId;
use ludex_logic::TermId;

use crate::course::{Fault, Match};
use crate::message::term_text;

pub use structure::{Structure, StructureError};

/// What a role perceives of the current state of a match, and of the step that led there; terms as messages
/// [spell them](term_text):
///
/// - `(utility V)`, where the state is worth something to the role;
/// - `(refused A)`, where the role chose the action A in the last step and that was not legal;
/// - in games without secrets `(true F)` for each fact of the state, and `(does R A)` for each role's move of the last step;
/// - in GDL-II `(sees P)` for each percept of the last step.
///
/// ```
/// use ludex_game::RoleId;
/// use ludex_match::{Match, MatchSetup, blind::percepts};
///
/// // The rules are those of buttons and lights.
/// # let rules = ludex_testkit::playable_bundled("buttons-and-lights")?;
/// let mut course = Match::new(rules.clone(), MatchSetup::default())?;
/// let seen = percepts(&course, RoleId(0));
/// assert!(seen.contains(&"(utility 0)".to_owned()) && seen.contains(&"(true (step 1))".to_owned()));
/// assert!(!seen.iter().any(|percept| percept.starts_with("(does ")));
/// course.submit(&[Ok(rules.read_term("a")?)], None)?;
/// assert!(percepts(&course, RoleId(0)).contains(&"(does white a)".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn percepts(course: &Match, role: RoleId) -> Vec<String> {
    let rules = course.rules();
    let terms = rules.signature().terms();
    let text = |keyword: &str, term: TermId| format!("({keyword} {})", term_text(terms, term));
    let utility = course.goals().get(role.index()).copied().flatten();
    let mut seen: Vec<String> = utility.map(|goal| format!("(utility {goal})")).into_iter().collect();
    let last = course.steps().last();
    let fault = last.and_then(|step| step.faults.get(role.index())).and_then(Option::as_ref);
    if let Some(Fault::Illegal(sent)) = fault
        && let Ok(Some(action)) = rules.find_term(sent)
    {
        // What is no term of the game was none of the actions that the player was told.
        seen.push(text("refused", action));
    }
    if rules.dialect().has_percepts() {
        let percepts = last.and_then(|step| step.percepts.get(role.index()));
        seen.extend(percepts.into_iter().flatten().map(|&percept| text("sees", percept)));
        return seen;
    }
    seen.extend(rules.facts(course.history().state()).into_iter().map(|fact| text("true", fact)));
    let joint = last.into_iter().flat_map(|step| &step.joint);
    let moves = rules.signature().roles().iter().zip(joint);
    seen.extend(
        moves.map(|(&role, &action)| {
            format!("(does {} {})", term_text(terms, role), term_text(terms, action))
        }),
    );
    seen
}

/// What is perceived in other words, as `words` has them for a term. What it is worth has no words of the game.
pub(crate) fn renamed_percept(percept: &str, words: &dyn Fn(&str) -> String) -> String {
    match percept.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => match inner.split_once(char::is_whitespace) {
            Some(("utility", _)) => percept.to_owned(),
            Some((keyword, terms)) => format!("({keyword} {})", words(terms)),
            None => percept.to_owned(),
        },
        None => percept.to_owned(),
    }
}

/// The move of a role that was made in the last step, in prefix notation; `None` before the first.
pub fn made(course: &Match, role: RoleId) -> Option<String> {
    let action = *course.steps().last()?.joint.get(role.index())?;
    Some(term_text(course.rules().signature().terms(), action))
}
