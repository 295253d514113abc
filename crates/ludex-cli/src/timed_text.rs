//! Games in real time as text: what holds and for how long, and what happened.

use ludex::game::{Goal, RoleId, TimedEvent, TimedMachine, Timeline};
use ludex::gdl::{GameTime, Lifetime};
use ludex::logic::TermId;

use crate::console::Console;

/// Characters of the bar that shows what is left of a lifetime.
const BAR: u128 = 10;

/// The name of a role.
pub fn role_text(machine: &dyn TimedMachine, role: RoleId) -> String {
    machine.text(machine.roles()[role.index()])
}

/// The facts: those with a finite lifetime with a bar each, the others side by side.
pub fn state_text(timeline: &Timeline<'_>, console: &Console) -> String {
    facts_text(timeline.machine(), timeline.state().facts(), |lifetime| timeline.left(lifetime), console)
}

/// As [`state_text`], with what is left of each lifetime by `left`.
pub fn facts_text(
    machine: &dyn TimedMachine,
    facts: &[(Lifetime, TermId)],
    left: impl Fn(Lifetime) -> Option<Lifetime>,
    console: &Console,
) -> String {
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
    bars + &console.columns(2, &lasting)
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
