//! The state graph of a small game (book figures 1.1 and 1.2).

use std::collections::BTreeMap;
use std::io::Write;

use ludex::Game;
use ludex::game::{Goal, JointMoves, State};
use ludex::logic::escape;
use serde_json::{Value, json};

use crate::Context;
use crate::command::show::quoted;
use crate::failure::{Failure, say};

/// Longer labels are left to the tooltip.
const LONGEST_LABEL: usize = 40;

/// How the graph is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateFormat {
    /// For people.
    Text,
    /// The DOT language.
    Dot,
    /// For programs.
    Json,
}

/// The states that can be reached, the initial one first.
pub struct StateGraph {
    game: String,
    roles: Vec<String>,
    states: Vec<Reached>,
    limit: usize,
    /// How many arcs lead to states beyond the limit.
    left_out: usize,
}

/// One state.
struct Reached {
    facts: Vec<String>,
    terminal: bool,
    /// What it is worth to each role, where the rules give a value.
    goals: Vec<Option<Goal>>,
    /// For each state that can come next, by its place, the joint moves that lead there.
    arcs: BTreeMap<usize, Vec<Vec<String>>>,
}

impl StateGraph {
    /// At most `limit` states with their goal values, and joint moves on the arcs.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn new(game: &Game, limit: usize, context: &Context) -> Result<Self, Failure> {
        let mut numbers: BTreeMap<State, usize> = BTreeMap::new();
        let mut queue: Vec<State> = vec![game.initial().clone()];
        numbers.insert(game.initial().clone(), 0);
        let budget = context.limits.budget();
        let mut meter = budget.meter();
        let mut runner = game.runner();
        let mut states = Vec::new();
        let mut left_out = 0;
        while let Some(state) = queue.get(states.len()).cloned() {
            meter.spend(1)?;
            budget.report("states", states.len() as u64 + 1, Some(queue.len() as u64));
            runner.set(&state)?;
            let terminal = runner.terminal()?;
            let goals = game.roles().map(|role| runner.goal(role)).collect::<Result<_, _>>()?;
            let mut reached =
                Reached { facts: game.fact_texts(&state), terminal, goals, arcs: BTreeMap::new() };
            if terminal {
                states.push(reached);
                continue;
            }
            let mut joints = JointMoves::new(&mut *runner, game.signature())?;
            while let Some(joint) = joints.next() {
                meter.spend(1)?;
                runner.set(&state)?;
                runner.step_legal(joint)?;
                let mut after = State::default();
                runner.save(&mut after);
                let next = numbers.len();
                let number = match numbers.get(&after) {
                    Some(&number) => number,
                    None if next >= limit => {
                        left_out += 1;
                        continue;
                    }
                    None => {
                        numbers.insert(after.clone(), next);
                        queue.push(after);
                        next
                    }
                };
                let moves = joint.iter().map(|&a| game.text(game.signature().action(a))).collect();
                reached.arcs.entry(number).or_default().push(moves);
            }
            states.push(reached);
        }
        let (name, roles) = (game.short_name().to_owned(), game.role_names());
        Ok(Self { game: name, roles, states, limit, left_out })
    }

    /// Prints it.
    ///
    /// # Errors
    /// Nothing more can be written.
    pub fn show(&self, format: StateFormat, context: &mut Context) -> Result<(), Failure> {
        let text = match format {
            StateFormat::Text => self.text(),
            StateFormat::Dot => self.dot(),
            StateFormat::Json => format!("{}\n", serde_json::to_string_pretty(&self.json())?),
        };
        context.console.write_all(text.as_bytes())?;
        context.console.flush()?;
        if self.left_out > 0 && format != StateFormat::Json {
            say(&format!(
                "The graph stops at {} states; {} arcs to others are left out (`--states` allows more).",
                self.limit, self.left_out
            ));
        }
        Ok(())
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for (number, state) in (1..).zip(&self.states) {
            let end = if state.terminal { "  terminal" } else { "" };
            let line = format!("s{number}{end}  {}", state.facts.join(" "));
            out.push_str(&format!("{}\n", line.trim_end()));
            if let Some(goals) = state.goals_text() {
                out.push_str(&format!("    goals {goals}\n"));
            }
            for (to, joints) in &state.arcs {
                let joints: Vec<String> = joints.iter().map(|joint| joint.join(" ")).collect();
                out.push_str(&format!("    s{} by {}\n", to + 1, joints.join(", ")));
            }
        }
        out
    }

    /// The initial state has an arrow from nowhere, terminal states a double border. Several joint moves
    /// between two states share an arc.
    fn dot(&self) -> String {
        let mut out = String::from(
            "digraph states {\n  rankdir=LR;\n  node [shape=circle, fontname=\"sans-serif\"];\n  \
             start [shape=none, label=\"\", width=0, height=0];\n  start -> s1;\n",
        );
        for (number, state) in (1..).zip(&self.states) {
            let mut label = format!("s{number}");
            if let Some(goals) = state.goals_text() {
                label = format!("{label}\\n{goals}");
            }
            let all = state.facts.join(" ");
            if !all.is_empty() && all.chars().count() <= LONGEST_LABEL {
                label = format!("{label}\\n{}", escape::dot(&all));
            }
            let more = if state.terminal { ", shape=doublecircle" } else { "" };
            out.push_str(&format!("  s{number} [label=\"{label}\", tooltip={}{more}];\n", quoted(&all)));
            for (to, joints) in &state.arcs {
                let labels: Vec<String> = joints.iter().map(|joint| escape::dot(&joint.join(" "))).collect();
                out.push_str(&format!("  s{number} -> s{} [label=\"{}\"];\n", to + 1, labels.join("\\n")));
            }
        }
        out.push_str("}\n");
        out
    }

    fn json(&self) -> Value {
        let state = |(number, state): (usize, &Reached)| {
            let goals: serde_json::Map<String, Value> =
                self.roles.iter().cloned().zip(state.goals.iter().map(|&goal| goal.into())).collect();
            let arc = |(to, joints): (&usize, &Vec<Vec<String>>)| {
                joints.iter().map(|joint| json!({"moves": joint, "to": to + 1})).collect::<Vec<_>>()
            };
            let arcs: Vec<Value> = state.arcs.iter().flat_map(arc).collect();
            json!({
                "number": number, "facts": state.facts, "terminal": state.terminal, "goals": goals,
                "arcs": arcs,
            })
        };
        json!({
            "game": self.game,
            "states": (1..).zip(&self.states).map(state).collect::<Vec<_>>(),
            "left_out": self.left_out,
        })
    }
}

impl Reached {
    /// The goal values in the order of the roles, `?` where there is none; nothing where no role has one
    /// and none is due.
    fn goals_text(&self) -> Option<String> {
        let text = |goal: &Option<Goal>| goal.map_or_else(|| "?".to_owned(), |goal| goal.to_string());
        let is_due = self.terminal || self.goals.iter().any(Option::is_some);
        is_due.then(|| self.goals.iter().map(text).collect::<Vec<_>>().join("/"))
    }
}
