//! To what degree the goals of each role are satisfied at first, and after each first move.

use ludex::analysis::fuzzy::{FirstMove, FuzzyError, FuzzyGoals, FuzzyOptions, Opening};
use ludex::analysis::{Faithful, SubjectError};
use ludex::game::{GameError, RoleId};
use serde_json::{Value, json};

use super::section::{Report, Request, Section};
use crate::console::table;

/// The section.
pub const SECTION: Section = Section {
    name: "goals",
    title: "Goals by fuzzy logic",
    about: "how close the initial state, and what follows each first move, is to the goals",
    run,
};

/// How many moves are shown to people.
const SHOWN: usize = 12;

/// Why there are no values.
#[derive(Debug, thiserror::Error)]
enum Missing {
    #[error(transparent)]
    Subject(#[from] SubjectError),
    #[error(transparent)]
    Fuzzy(#[from] FuzzyError),
    #[error(transparent)]
    Game(#[from] GameError),
}

fn run(request: &Request<'_>) -> Report {
    let mut report = Report::default();
    let mut objects = Vec::new();
    if let Err(missing) = roles(request, &mut report, &mut objects) {
        report.text(format!("Not known: {missing}."));
        report.undecided = true;
    }
    report.field("roles", objects);
    report
}

fn roles(request: &Request<'_>, report: &mut Report, objects: &mut Vec<Value>) -> Result<(), Missing> {
    let faithful = request.game.subject().faithful(&request.budget)?;
    for role in request.game.seats() {
        let (goals, opening) = opening(request, &faithful, role)?;
        show(request, role, &goals, &opening, report);
        objects.push(object(request, role, &goals, &opening));
    }
    Ok(())
}

fn opening(
    request: &Request<'_>,
    faithful: &Faithful,
    role: RoleId,
) -> Result<(FuzzyGoals, Opening), Missing> {
    let goals = FuzzyGoals::new(faithful, role, &FuzzyOptions::default(), &request.budget)?;
    let opening = goals.opening(request.game.rules(), role, &request.budget)?;
    Ok((goals, opening))
}

fn show(request: &Request<'_>, role: RoleId, goals: &FuzzyGoals, opening: &Opening, report: &mut Report) {
    let game = request.game;
    let (name, tau) = (game.role_name(role), goals.tau());
    report.text(format!("{name}: {} of 100 in the initial state (tau {tau})", worth(opening.initial)));
    let mut moves: Vec<&FirstMove> = opening.moves.iter().collect();
    // The sort is stable: moves that are worth the same stay in canonical order.
    moves.sort_by(|a, b| middle(b).total_cmp(&middle(a)));
    let is_open = moves.iter().any(|made| made.least != made.most);
    let mut rows = vec![vec!["MOVE".to_owned(), if is_open { "LEAST" } else { "WORTH" }.to_owned()]];
    rows[0].extend(is_open.then(|| "MOST".to_owned()));
    for made in moves.iter().take(SHOWN) {
        let mut row = vec![game.text(made.action), worth(made.least)];
        row.extend(is_open.then(|| worth(made.most)));
        rows.push(row);
    }
    if rows.len() > 1 {
        report.text(table(request.console, &rows, &[false, true, true]));
    }
    if moves.len() > SHOWN {
        report.text(format!("and {} more moves", moves.len() - SHOWN));
    }
}

fn middle(made: &FirstMove) -> f64 {
    f64::midpoint(made.least, made.most)
}

/// A value to the digits that tell states apart.
fn worth(value: f64) -> String {
    if value == 0.0 || value >= 0.01 { format!("{value:.3}") } else { format!("{value:.2e}") }
}

fn object(request: &Request<'_>, role: RoleId, goals: &FuzzyGoals, opening: &Opening) -> Value {
    let game = request.game;
    let made =
        |made: &FirstMove| json!({ "move": game.text(made.action), "least": made.least, "most": made.most });
    json!({
        "role": game.role_name(role),
        "tau": goals.tau(),
        "initial": opening.initial,
        "moves": opening.moves.iter().map(made).collect::<Vec<_>>(),
    })
}
