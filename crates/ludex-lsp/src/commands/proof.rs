//! Whether the game ends, and what else makes it well formed.

use ludex::Game;
use ludex::analysis::well_formed::{Judged, Possibility, WellFormed, WellFormedOptions, loop_begin};
use ludex::analysis::{Finding, Subject, Witness};
use ludex::game::Rules;
use ludex::logic::Budget;

use super::{CommandOptions, Outcome};

/// So many steps of a course are written out.
const STEPS: usize = 20;

/// Finds out what can be found out within the budget.
pub(super) fn prove(game: &Game, options: &CommandOptions, budget: &Budget) -> Outcome {
    let rules = game.rules().within(budget.clone());
    let subject = Subject::new(&rules);
    let form_options = WellFormedOptions { seed: options.seed.unwrap_or(1), ..WellFormedOptions::default() };
    let form = WellFormed::find(&subject, &form_options, budget);
    let mut lines = vec![ending(&form, &rules)];
    for (role, judged) in &form.playable {
        let name = rules.role_name(*role);
        lines.push(match &judged.finding {
            Finding::Proved(()) => format!("{name} always has a legal move until then{}.", by(judged)),
            Finding::Refuted(witness) => {
                format!("{name} may have no legal move: {}.", course(witness, &rules))
            }
            Finding::Undecided(reason) => {
                format!("Whether {name} always has a legal move is open: {reason}.")
            }
        });
    }
    for player in &form.players {
        let name = rules.role_name(player.role);
        lines.push(match &player.weak.finding {
            Possibility::Possible(witness) => format!("{name} can win: {}.", course(witness, &rules)),
            Possibility::Impossible => format!("{name} cannot win: no course brings goal 100."),
            Possibility::Undecided(reason) => format!("Whether {name} can win is open: {reason}."),
        });
        let judged = player.one_goal();
        lines.push(match &judged.finding {
            Finding::Proved(()) => format!("{name} always has one goal value at the end{}.", by(judged)),
            Finding::Refuted(witness) => {
                format!("{name} may have no goal value at the end, or several: {}.", course(witness, &rules))
            }
            Finding::Undecided(reason) => {
                format!("Whether {name} always has one goal value at the end is open: {reason}.")
            }
        });
    }
    if let Some((states, true)) = form.states {
        lines.push(format!("The game has {states} states."));
    }
    lines.push(match form.is_well_formed() {
        Some(true) => "The game is well formed.".to_owned(),
        Some(false) => "The game is not well formed.".to_owned(),
        None => "Whether the game is well formed is open: more time may tell.".to_owned(),
    });
    let mut outcome = Outcome::new(format!("{}: does it end?", rules.short_name()), lines.join("\n"));
    outcome.ends = match &form.termination.finding {
        Finding::Proved(_) => Some(true),
        Finding::Refuted(witness) => {
            outcome.moves = witness.texts(&rules);
            Some(false)
        }
        Finding::Undecided(_) => None,
    };
    outcome
}

fn ending(form: &WellFormed, rules: &Rules) -> String {
    match &form.termination.finding {
        Finding::Proved(found) => {
            let longest =
                found.longest.map(|steps| format!(" after {steps} steps at most")).unwrap_or_default();
            format!("The game ends{longest}{}.", by(&form.termination))
        }
        Finding::Refuted(witness) => {
            let begin = loop_begin(witness, rules).unwrap_or(0);
            let (before, around) = witness.steps.split_at(begin.min(witness.steps.len()));
            let part = |steps: &[Vec<_>]| course(&Witness { steps: steps.to_vec() }, rules);
            let start = if before.is_empty() { "from the start".to_owned() } else { part(before) };
            format!(
                "The game need not end: {start}, then these moves lead back to the same state, {}.",
                part(around)
            )
        }
        Finding::Undecided(reason) => format!("Whether the game always ends is open: {reason}."),
    }
}

fn by<F>(judged: &Judged<F>) -> String {
    judged.by.map(|method| format!(" (by {method})")).unwrap_or_default()
}

/// The moves of a course.
fn course(witness: &Witness, rules: &Rules) -> String {
    let joints = witness.texts(rules);
    if joints.is_empty() {
        return "at the start".to_owned();
    }
    let shown: Vec<String> = joints.iter().take(STEPS).map(|joint| joint.join(" ")).collect();
    let more = joints.len().saturating_sub(STEPS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("after {}{more}", shown.join("; "))
}
