//! Symmetries: what can be exchanged without changing the game, and what that saves.

use std::fmt::Display;

use ludex::Game;
use ludex::analysis::Reason;
use ludex::analysis::rule_graph::RuleGraph;
use ludex::analysis::symmetry::{MergedRow, Representatives, Scope, Symmetries, Symmetry, merged_states};
use serde_json::{Value, json};

use super::section::{Report, Request, Section};
use crate::console::{table, unbroken, wrapped};
use crate::limits::grouped;

/// The section.
pub const SECTION: Section = Section {
    name: "symmetries",
    title: "Symmetries",
    about: "what can be exchanged without changing the game, and the states this saves",
    of_states: false,
    run,
};

/// A larger group is not listed element by element.
const MOST_ELEMENTS: usize = 2000;
/// Depths with more states are not counted.
const MOST_STATES: usize = 20_000;
/// Work for counting them.
const COUNTING_WORK: u64 = 20_000_000;
/// The share of the section's time that counting states may take.
const COUNTING_TIME: f64 = 0.3;
/// Cycles shown of one symmetry.
const MOST_CYCLES: usize = 8;
/// Symmetries shown.
const MOST_SHOWN: usize = 12;

fn run(request: &Request<'_>) -> Report {
    let mut report = Report::default();
    by_rule_graph(request, &mut report);
    match Symmetries::find(request.game.subject(), Scope::Game, &request.budget) {
        Ok(found) => by_ground_rules(request, &found, &mut report),
        Err(reason) => undecided("Symmetries of the ground rules", &reason, &mut report),
    }
    report
}

fn undecided(what: &str, why: &dyn Display, report: &mut Report) {
    report.undecided = true;
    report.text(format!("{what}: undecided: {why}"));
}

/// The symmetries that the clauses show.
fn by_rule_graph(request: &Request<'_>, report: &mut Report) {
    let mut meter = request.budget.meter();
    let graph = RuleGraph::new(request.game.program(), &mut meter);
    let found = graph.and_then(|graph| Ok((graph.symmetries(&mut meter)?, graph)));
    let (found, graph) = match found {
        Ok(found) => found,
        Err(limit) => return undecided("Symmetries of the clauses", &limit, report),
    };
    let order = found.order();
    let generators: Vec<Vec<Vec<String>>> = found.generators().map(|g| graph.cycles(g)).collect();
    report.text(if order.is_one() {
        "The clauses show no symmetry.".to_owned()
    } else {
        format!("The clauses show {order} symmetries, made of")
    });
    list(request, &generators, report);
    let order = order.to_string();
    report.field("rule_graph", json!({ "order": order, "generators": generators }));
}

fn by_ground_rules(request: &Request<'_>, found: &Symmetries, report: &mut Report) {
    let (order, fixing) = (found.order(), found.fixing_order());
    let roles = if order == fixing { String::new() } else { format!(" ({fixing} of them fix the roles)") };
    report.text(if order.is_one() {
        "The ground rules have no symmetry.".to_owned()
    } else {
        format!("The ground rules have {order} symmetries{roles}, made of")
    });
    let shown: Vec<Vec<Vec<String>>> =
        found.generators().iter().map(|symmetry| cycles(request.game, symmetry)).collect();
    list(request, &shown, report);
    report.field("order", order.to_string());
    report.field("fixing_roles", fixing.to_string());
    report.field("generators", objects(request.game, found));
    if !fixing.is_one() {
        match saved(request, found) {
            Ok((rows, is_complete)) => savings(request, &rows, is_complete, report),
            Err(reason) => {
                report.text(format!("States that it saves: not counted: {reason}"));
                report.field("merged", Value::Null);
                report.field("reason", reason.to_string());
            }
        }
    }
}

/// The cycles of what people know best: roles and moves; propositions where no move is exchanged.
fn cycles(game: &Game, symmetry: &Symmetry) -> Vec<Vec<String>> {
    let mut cycles = symmetry.role_cycles(game.rules());
    cycles.extend(symmetry.move_cycles(game.rules()));
    if cycles.is_empty() { symmetry.fact_cycles(game.rules()) } else { cycles }
}

fn objects(game: &Game, found: &Symmetries) -> Vec<Value> {
    let object = |symmetry: &Symmetry| {
        json!({
            "roles": symmetry.role_cycles(game.rules()),
            "moves": symmetry.move_cycles(game.rules()),
            "propositions": symmetry.fact_cycles(game.rules()),
        })
    };
    found.generators().iter().map(object).collect()
}

/// Shows each symmetry in one paragraph.
fn list(request: &Request<'_>, symmetries: &[Vec<Vec<String>>], report: &mut Report) {
    let width = request.console.width().saturating_sub(4);
    for symmetry in symmetries.iter().take(MOST_SHOWN) {
        let mut parts: Vec<String> =
            symmetry.iter().take(MOST_CYCLES).map(|c| unbroken(&arrows(c))).collect();
        if symmetry.len() > MOST_CYCLES {
            parts.push(format!("and {} more", symmetry.len() - MOST_CYCLES));
        }
        report.text(format!("  {}", wrapped(&parts.join(", "), width, 4)));
    }
    if symmetries.len() > MOST_SHOWN {
        report.text(format!("  and {} more", symmetries.len() - MOST_SHOWN));
    }
}

fn arrows(cycle: &[String]) -> String {
    match cycle {
        [one, other] => format!("{one} <-> {other}"),
        _ => format!("{} -> {}", cycle.join(" -> "), cycle[0]),
    }
}

fn saved(request: &Request<'_>, found: &Symmetries) -> Result<(Vec<MergedRow>, bool), Reason> {
    let rules = request.game.rules();
    let budget = request.budget.clone().with_share_of_time(COUNTING_TIME);
    let budget = budget.with_work(request.budget.work().min(COUNTING_WORK));
    let representatives = Representatives::new(rules, found, MOST_ELEMENTS, &mut budget.meter())?;
    let rows = merged_states(rules, &representatives, u32::MAX - 1, MOST_STATES, &budget)?;
    Ok((rows, representatives.is_complete()))
}

fn savings(request: &Request<'_>, rows: &[MergedRow], is_complete: bool, report: &mut Report) {
    let sum = |of: fn(&MergedRow) -> u64| rows.iter().map(of).sum::<u64>();
    let (distinct, merged) = (sum(|row| row.distinct), sum(|row| row.merged));
    let depth = rows.last().map_or(0, |row| row.depth);
    let most = if is_complete { "" } else { " (not all: the group is large)" };
    report.text(format!(
        "Merging symmetric states{most}: {} of {} states are left to depth {depth}:",
        grouped(merged.into()),
        grouped(distinct.into())
    ));
    let mut cells = vec![["DEPTH", "STATES", "MERGED"].map(str::to_owned).to_vec()];
    let cell = |number: u64| grouped(number.into());
    cells.extend(rows.iter().map(|row| vec![row.depth.to_string(), cell(row.distinct), cell(row.merged)]));
    report.text(table(request.console, &cells, &[true, true, true]));
    let objects: Vec<Value> = rows
        .iter()
        .map(|row| json!({ "depth": row.depth, "distinct": row.distinct, "merged": row.merged }))
        .collect();
    report.field("merged", objects);
}
