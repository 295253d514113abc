//! To what degree the goals of each role are satisfied in a state, and after each move in it.

use ludex::analysis::fuzzy::{FuzzyError, FuzzyGoals, FuzzyScratch, NextMove, Norm, Outlook};
use ludex::analysis::{Faithful, SubjectError};
use ludex::game::{GameError, Goal, RoleId};
use ludex::logic::{GroundAtom, LimitError};
use serde_json::{Value, json};

use super::section::{Report, Request, Section};
use crate::console::table;

/// The section.
pub const SECTION: Section = Section {
    name: "goals",
    title: "Goals by fuzzy logic",
    about: "how close a state, and what follows each move in it, is to the goals",
    of_states: true,
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

/// What is said of the goals of a role.
struct Said {
    role: RoleId,
    goals: FuzzyGoals,
    outlook: Outlook,
    /// The truth of the formula of each positive goal value.
    values: Vec<(Goal, f64)>,
    /// The truth of the atoms that were asked for; none for those on which no goal depends.
    atoms: Vec<Option<f64>>,
}

fn run(request: &Request<'_>) -> Report {
    let mut report = Report::default();
    let mut objects = Vec::new();
    if let Err(missing) = roles(request, &mut report, &mut objects) {
        report.undecided(&missing);
    }
    report.field("roles", objects);
    report
}

fn roles(request: &Request<'_>, report: &mut Report, objects: &mut Vec<Value>) -> Result<(), Missing> {
    let faithful = request.game.subject().faithful(&request.budget)?;
    let roles = request.game.seats();
    for (done, &role) in roles.iter().enumerate() {
        let budget = request.budget.clone().with_share_of_time(1.0 / (roles.len() - done) as f64);
        let said = look(request, &faithful, role, &budget)?;
        show(request, &said, report);
        objects.push(object(request, &said));
        if let Some(limit) = &said.outlook.stopped {
            stopped(limit, report);
        }
    }
    Ok(())
}

fn stopped(limit: &LimitError, report: &mut Report) {
    report.undecided = true;
    report.text(format!("not all moves: {limit}"));
    report.field("reason", limit.to_string());
}

fn look(
    request: &Request<'_>,
    faithful: &Faithful,
    role: RoleId,
    budget: &ludex::logic::Budget,
) -> Result<Said, Missing> {
    let goals = FuzzyGoals::new(faithful, role, &request.fuzzy.options, budget)?;
    let mut scratch = FuzzyScratch::default();
    goals.evaluate(&request.game.facts(request.state), &mut scratch);
    let values = goals.goal_truths(&scratch).collect();
    let atoms = request.fuzzy.atoms.iter().map(|atom| goals.truth(atom, &scratch)).collect();
    let outlook = goals.outlook(request.game.rules(), request.state, role, budget)?;
    Ok(Said { role, goals, outlook, values, atoms })
}

fn show(request: &Request<'_>, said: &Said, report: &mut Report) {
    let game = request.game;
    let name = game.role_name(said.role);
    let place = if request.is_initial() { "in the initial state" } else { "here" };
    // Of a state that was asked for, as many digits as the textbook prints.
    let value = if request.is_initial() { worth(said.outlook.worth) } else { truth_text(said.outlook.worth) };
    report.text(format!("{name}: {value} of 100 {place} ({})", settings(&said.goals)));
    for (atom, truth) in request.fuzzy.atoms.iter().zip(&said.atoms) {
        let atom = atom_text(request, atom);
        report.text(match truth {
            Some(truth) => format!("  {atom} is {} true", truth_text(*truth)),
            None => format!("  {atom} does not count for its goals"),
        });
    }
    if !request.is_initial() || !request.fuzzy.atoms.is_empty() {
        for (value, truth) in &said.values {
            report.text(format!("  goal {value} is {} true", truth_text(*truth)));
        }
    }
    let mut moves: Vec<&NextMove> = said.outlook.moves.iter().collect();
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

/// The norm and its parameters in words.
fn settings(goals: &FuzzyGoals) -> String {
    let mut parts = vec![format!("tau {}", goals.tau())];
    if let Norm::Yager { q } = goals.norm() {
        parts.push(format!("Yager's norms with q {}", (q * 1000.0).round() / 1000.0));
    }
    parts.extend(goals.threshold().map(|theta| format!("theta {theta}")));
    parts.join(", ")
}

fn atom_text(request: &Request<'_>, atom: &GroundAtom) -> String {
    let program = &request.game.program().program;
    let name = program.terms.name(program.relations[atom.relation].name);
    request.game.text(match &*atom.args {
        [] => program.terms.constant(name),
        args => program.terms.compound(program.terms.symbol(name), args),
    })
}

fn middle(made: &NextMove) -> f64 {
    f64::midpoint(made.least, made.most)
}

/// A value to the digits that tell states apart.
fn worth(value: f64) -> String {
    if value == 0.0 || value >= 0.01 { format!("{value:.3}") } else { format!("{value:.2e}") }
}

/// A truth value to the digits that the textbook prints.
fn truth_text(value: f64) -> String {
    if value == 0.0 || value >= 0.0001 { format!("{value:.6}") } else { format!("{value:.2e}") }
}

fn object(request: &Request<'_>, said: &Said) -> Value {
    let game = request.game;
    let made =
        |made: &NextMove| json!({ "move": game.text(made.action), "least": made.least, "most": made.most });
    let (norm, q) = match said.goals.norm() {
        Norm::Product => ("product", None),
        Norm::Yager { q } => ("yager", Some(q)),
    };
    let value = |(value, truth): &(Goal, f64)| json!({ "value": value, "truth": truth });
    let atom = |(atom, truth): (&GroundAtom, &Option<f64>)| json!({ "atom": atom_text(request, atom), "truth": truth });
    let mut object = json!({
        "role": game.role_name(said.role),
        "norm": norm,
        "q": q,
        "tau": said.goals.tau(),
        "theta": said.goals.threshold(),
        "worth": said.outlook.worth,
        "goals": said.values.iter().map(value).collect::<Vec<_>>(),
        "atoms": request.fuzzy.atoms.iter().zip(&said.atoms).map(atom).collect::<Vec<_>>(),
        "moves": said.outlook.moves.iter().map(made).collect::<Vec<_>>(),
    });
    if request.is_initial() {
        object["initial"] = json!(said.outlook.worth);
    }
    object
}
