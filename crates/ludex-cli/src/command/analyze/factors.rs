//! Games within the game.

use ludex::analysis::factoring::{
    ActionClass, Evidence, Factor, FactorPlan, FactorSolution, Factors, Joining, Standing, Termination,
};
use serde_json::{Value, json};

use super::section::{Report, Request, Section};
use crate::console::{unbroken, wrapped};

/// The section.
pub const SECTION: Section = Section {
    name: "factors",
    title: "Factors",
    about: "independent games that the game is made of, and a plan by them for one player",
    of_states: true,
    run,
};

/// Steps of plans at most.
const MOST_STEPS: usize = 200;
/// Factors shown to people at most.
const MOST_FACTORS: usize = 8;
/// Propositions or moves shown to people in one line at most.
const MOST_ITEMS: usize = 12;

fn run(request: &Request<'_>) -> Report {
    let mut report = Report::default();
    let factors = match request.factors() {
        Ok(factors) => factors,
        Err(reason) => {
            report.undecided = true;
            report.text(format!("undecided: {reason}"));
            report.field("reason", reason.to_string());
            return report;
        }
    };
    describe(&factors, request, &mut report);
    let objects: Vec<Value> = factors.factors().iter().map(|factor| object(factor, request)).collect();
    report.field("factors", objects);
    report.field("clock", request.game.texts(&factors.clock()));
    report.field("termination", factors.termination().word());
    report.field("moves", if factors.joining() == Joining::Single { "single" } else { "joint" });
    if factors.is_compound() && request.game.roles().len() == 1 {
        plan(&factors, request, &mut report);
    }
    report
}

fn describe(factors: &Factors, request: &Request<'_>, report: &mut Report) {
    let width = request.console.width().saturating_sub(2);
    if !factors.is_compound() {
        report.text("The game does not fall apart.");
        return;
    }
    let clock = factors.clock();
    if !clock.is_empty() {
        let text = format!("Runs on by itself: {}", some(&request.game.texts(&clock)));
        report.text(wrapped(&text, width, 4));
    }
    for (number, factor) in (1..).zip(factors.factors()).take(MOST_FACTORS) {
        let matters = if factor.is_relevant() { "" } else { " (does not matter)" };
        let text = format!("{number}. {}{matters}", some(&request.game.texts(&factor.propositions)));
        report.text(wrapped(&text, width, 4));
        for (role, classes) in request.game.roles().zip(&factor.actions) {
            let own: Vec<&ActionClass> = classes.iter().filter(|class| !class.idle).collect();
            if own.is_empty() {
                continue;
            }
            let class = |class: &&ActionClass| match &class.moves[..] {
                [only] => request.game.text(*only),
                [first, rest @ ..] => format!("{} and {} like it", request.game.text(*first), rest.len()),
                [] => String::new(),
            };
            let own: Vec<String> = own.iter().map(class).collect();
            let text = format!("  {}: {}", request.game.role_name(role), some(&own));
            report.text(format!("  {}", wrapped(&text, width.saturating_sub(2), 6).trim_end()));
        }
    }
    let hidden = factors.factors().len().saturating_sub(MOST_FACTORS);
    if hidden > 0 {
        report.text(format!("and {hidden} more (--json lists all)"));
    }
    let moves = match factors.joining() {
        Joining::Single if factors.has_common_moves() => {
            "Each move is made in one of them, where there is a choice."
        }
        Joining::Single => "Each move is made in one of them.",
        Joining::Joint => "A move is made in several of them at once, in all combinations.",
    };
    let end = match factors.termination() {
        Termination::Clock => "The end does not depend on them.",
        Termination::Single => "The end depends on one of them.",
        Termination::Disjunctive => "The game ends as soon as one of them does.",
        Termination::Conjunctive => "The game ends when all of them have.",
        Termination::Mixed => "The end depends on several of them.",
    };
    report.text(format!("{moves} {end}"));
}

/// The first of some items.
fn some(items: &[String]) -> String {
    let shown: Vec<String> = items.iter().take(MOST_ITEMS).map(|item| unbroken(item)).collect();
    let hidden = items.len().saturating_sub(MOST_ITEMS);
    let more = if hidden > 0 { format!(" and {hidden} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn object(factor: &Factor, request: &Request<'_>) -> Value {
    let game = request.game;
    let class = |class: &ActionClass| json!({ "moves": game.texts(&class.moves), "idle": class.idle });
    let actions = factor.actions.iter().map(|list| list.iter().map(class).collect::<Vec<_>>());
    let goals =
        factor.goals.iter().map(|(role, value)| json!({ "role": game.role_name(*role), "value": value }));
    json!({
        "relevant": factor.is_relevant(),
        "propositions": game.texts(&factor.propositions),
        "actions": actions.collect::<Vec<_>>(),
        "ends": factor.ends,
        "goals": goals.collect::<Vec<_>>(),
    })
}

fn plan(factors: &Factors, request: &Request<'_>, report: &mut Report) {
    let solution = match factors.solve(request.game.subject(), MOST_STEPS, &request.budget) {
        Ok(solution) => solution,
        Err(reason) => {
            report.undecided = true;
            report.text(format!("No plan: {reason}."));
            report.field("reason", reason.to_string());
            return;
        }
    };
    let width = request.console.width().saturating_sub(2);
    report.text(wrapped(&plan_text(&solution, request), width, 4));
    if let Standing::Found(reason) = &solution.standing {
        report.undecided = true;
        let what = if solution.plan.is_some() { "there is a better one" } else { "there is one" };
        report.text(wrapped(&format!("Whether {what} is undecided: {reason}."), width, 4));
        report.field("reason", reason.to_string());
    }
    let by = match &solution.standing {
        Standing::Best(evidence) => Value::from(evidence.word()),
        Standing::Found(_) => Value::Null,
    };
    let object = |plan: &FactorPlan| {
        let moves = request.game.texts(&plan.moves);
        json!({
            "moves": moves, "value": plan.value, "states": solution.nodes, "best": !by.is_null(), "proved_by": by,
        })
    };
    report.field("plan", solution.plan.as_ref().map_or(Value::Null, object));
}

/// What was found, and how.
fn plan_text(solution: &FactorSolution, request: &Request<'_>) -> String {
    let nodes = solution.nodes;
    let one_by_one = format!("one by one, with {nodes} states looked at");
    let begin = match &solution.standing {
        Standing::Best(Evidence::Goals | Evidence::Factors) => format!("Solved {one_by_one}"),
        Standing::Best(Evidence::States { states }) => {
            format!("Solved as a whole, with all {states} states looked at")
        }
        Standing::Best(Evidence::Formula) => "Solved as a whole, with logic".to_owned(),
        Standing::Found(_) => format!("Looked for a plan {one_by_one}"),
    };
    let Some(plan) = &solution.plan else {
        let none = if matches!(solution.standing, Standing::Best(_)) {
            "no plan is worth more than 0"
        } else {
            "none was found"
        };
        return format!("{begin}: {none}.");
    };
    let list: Vec<String> = request.game.texts(&plan.moves).iter().map(|action| unbroken(action)).collect();
    format!("{begin}: {} by {}", plan.value, list.join(", "))
}
