//! The state graph of a small game (book figures 1.1 and 1.2).

use std::collections::BTreeMap;

use ludex::Game;
use ludex::game::{JointMoves, State};
use ludex::logic::escape;

use crate::Context;
use crate::command::show::quoted;
use crate::failure::{Failure, say};

/// Longer labels are left to the tooltip.
const LONGEST_LABEL: usize = 40;

/// The states that can be reached, at most `limit` of them, with joint moves on the arcs. The
/// initial state has an arrow from nowhere, terminal states a double border and the goal values.
///
/// # Errors
/// What the machine answers.
pub fn dot(game: &Game, limit: usize, context: &Context) -> Result<String, Failure> {
    let mut out = String::from(
        "digraph states {\n  rankdir=LR;\n  node [shape=circle, fontname=\"sans-serif\"];\n  \
         start [shape=none, label=\"\", width=0, height=0];\n  start -> s1;\n",
    );
    let mut numbers: BTreeMap<State, usize> = BTreeMap::new();
    let mut queue: Vec<State> = vec![game.initial().clone()];
    numbers.insert(game.initial().clone(), 1);
    let budget = context.limits.budget();
    let mut meter = budget.meter();
    let mut runner = game.runner();
    let mut left_out = 0usize;
    let mut at = 0;
    while let Some(state) = queue.get(at).cloned() {
        at += 1;
        meter.spend(1)?;
        budget.report("states", at as u64, Some(queue.len() as u64));
        runner.set(&state)?;
        let terminal = runner.terminal()?;
        let facts = game.fact_texts(&state);
        let mut label = format!("s{at}");
        let mut more = String::new();
        if terminal {
            let mut goals = Vec::new();
            for role in game.roles() {
                goals.push(runner.goal(role)?.map_or_else(|| "?".to_owned(), |g| g.to_string()));
            }
            label = format!("{label}\\n{}", goals.join("/"));
            more.push_str(", shape=doublecircle");
        }
        let all = facts.join(" ");
        if !all.is_empty() && all.chars().count() <= LONGEST_LABEL {
            label = format!("{label}\\n{}", escape::dot(&all));
        }
        out.push_str(&format!("  s{at} [label=\"{label}\", tooltip={}{more}];\n", quoted(&all)));
        if terminal {
            continue;
        }
        // Several joint moves between two states share an arc.
        let mut arcs: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let mut joints = JointMoves::new(&mut *runner, game.signature())?;
        while let Some(joint) = joints.next() {
            meter.spend(1)?;
            runner.set(&state)?;
            runner.step(joint)?;
            let mut after = State::default();
            runner.save(&mut after);
            let next = numbers.len() + 1;
            let number = match numbers.get(&after) {
                Some(&number) => number,
                None if next > limit => {
                    left_out += 1;
                    continue;
                }
                None => {
                    numbers.insert(after.clone(), next);
                    queue.push(after);
                    next
                }
            };
            let moves: Vec<String> = joint.iter().map(|&a| game.text(game.signature().action(a))).collect();
            arcs.entry(number).or_default().push(moves.join(" "));
        }
        for (to, labels) in arcs {
            let labels: Vec<String> = labels.iter().map(|label| escape::dot(label)).collect();
            out.push_str(&format!("  s{at} -> s{to} [label=\"{}\"];\n", labels.join("\\n")));
        }
    }
    out.push_str("}\n");
    if left_out > 0 {
        say(&format!(
            "The graph stops at {limit} states; {left_out} arcs to others are left out (`--states` allows more)."
        ));
    }
    Ok(out)
}
