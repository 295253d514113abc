//! Games in real time as text: what holds and for how long, and what happened.

use std::sync::Arc;

use ludex::analysis::{Structure, TextStyle};
use ludex::game::{Goal, RoleId, TimedEvent, TimedMachine, TimedRules, TimedState, Timeline};
use ludex::gdl::{GameTime, Lifetime};
use ludex::logic::TermId;

use crate::Context;
use crate::console::Console;
use crate::picture::style;

/// Characters of the bar that shows what is left of a lifetime.
const BAR: u128 = 10;

/// The name of a role.
pub fn role_text(machine: &dyn TimedMachine, role: RoleId) -> String {
    machine.text(machine.roles()[role.index()])
}

/// What is needed to show the states of one game.
pub struct TimedPicture {
    /// Its boards, if it has any.
    structure: Option<Structure>,
    style: TextStyle,
}

impl TimedPicture {
    /// Finds the boards of a game.
    pub fn new(rules: &TimedRules, context: &Context) -> Self {
        let machine = &**rules.machine();
        let find = |program: &Arc<_>| Structure::find_in_time(program, machine, rules.question_budget());
        let structure = rules.program().map(find).filter(|structure| !structure.boards().is_empty());
        Self { structure, style: style(&context.console) }
    }

    /// The present state.
    pub fn now(&self, timeline: &Timeline<'_>, console: &Console) -> String {
        self.state(timeline.machine(), timeline.state(), |lifetime| timeline.left(lifetime), console)
    }

    /// A state as the update left it, for who watches a match from outside.
    #[cfg(feature = "server")]
    pub fn updated(&self, machine: &dyn TimedMachine, state: &TimedState, console: &Console) -> String {
        self.state(machine, state, Some, console)
    }

    /// A state, with what is left of each lifetime by `left`: its boards, and those facts with a bar that hold for a while.
    fn state(
        &self,
        machine: &dyn TimedMachine,
        state: &TimedState,
        left: impl Fn(Lifetime) -> Option<Lifetime>,
        console: &Console,
    ) -> String {
        let (bars, lasting) = facts_text(machine, state.facts(), left);
        let Some(structure) = &self.structure else { return bars + &console.columns(2, &lasting) };
        let facts: Vec<TermId> = state.facts().iter().map(|&(_, fact)| fact).collect();
        format!("{}\n{bars}", structure.draw_text(&facts, &self.style).trim_end())
    }
}

/// Those facts with a bar each that hold for a while, and the others.
fn facts_text(
    machine: &dyn TimedMachine,
    facts: &[(Lifetime, TermId)],
    left: impl Fn(Lifetime) -> Option<Lifetime>,
) -> (String, Vec<String>) {
    let mut bars = String::new();
    let mut lasting = Vec::new();
    for &(lifetime, fact) in facts {
        let text = machine.text(fact);
        match lifetime.time() {
            None => lasting.push(text),
            Some(whole) => {
                let left = left(lifetime).and_then(Lifetime::time).unwrap_or_default();
                bars.push_str(&format!("  {} {left} of {whole}  {text}\n", bar(left, whole)));
            }
        }
    }
    (bars, lasting)
}

/// What happened, in a line.
pub fn event_text(machine: &dyn TimedMachine, event: &TimedEvent) -> String {
    let text = |term: TermId| machine.text(term);
    let what = match event {
        TimedEvent::Wasted { action, .. } => format!("random's {} is no longer legal", text(*action)),
        TimedEvent::Update(update) => {
            let moves = update
                .moves
                .iter()
                .map(|&(role, action)| format!("{}: {}", role_text(machine, role), text(action)));
            let over = update.expired.iter().map(|&fact| format!("{} expires", text(fact)));
            let told = machine.seats().filter_map(|role| {
                let seen = update.told.get(role.index())?.as_ref()?;
                let seen: Vec<String> = seen.iter().map(|&percept| text(percept)).collect();
                let seen = if seen.is_empty() { "nothing".to_owned() } else { seen.join(", ") };
                Some(format!("{} sees {seen}", role_text(machine, role)))
            });
            moves.chain(over).chain(told).collect::<Vec<_>>().join("; ")
        }
    };
    format!("at {}: {what}", event.time())
}

/// What a state is worth to each role that somebody plays, by the goals of all roles.
pub fn goals_text(machine: &dyn TimedMachine, goals: &[Option<Goal>]) -> String {
    let text = |role: RoleId| {
        let name = role_text(machine, role);
        match goals.get(role.index()).copied().flatten() {
            Some(goal) => format!("{name} {goal}"),
            None => format!("{name} has no single goal value"),
        }
    };
    machine.seats().map(text).collect::<Vec<_>>().join(", ")
}

/// How much is left: full at first, empty when it is over.
fn bar(left: GameTime, whole: GameTime) -> String {
    let [left, whole] = [left, whole].map(|time| u128::from(time.units()));
    let filled = (left * BAR).div_ceil(whole.max(1)).min(BAR) as usize;
    format!("{}{}", "#".repeat(filled), ".".repeat(BAR as usize - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_shrink_with_time() {
        let time = |text| GameTime::parse(text).unwrap();
        for (left, whole, expected) in [
            ("1", "1", "##########"),
            ("0.999999999", "1", "##########"),
            ("0.5", "1", "#####....."),
            ("0.000000001", "1", "#........."),
            ("0", "1", ".........."),
            ("18446744073", "18446744073.709551614", "##########"),
        ] {
            assert_eq!(bar(time(left), time(whole)), expected);
        }
    }
}
