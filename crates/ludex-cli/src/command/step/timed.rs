//! The stepper for games in real time: here it is time that is stepped through.

use std::io::Write;

use ludex::game::{
    RoleId, TimedEvent, TimedMachine, TimedRuleMachine, TimedRuleMachineOptions, Timeline, TimelineOptions,
};
use ludex::gdl::{Checked, GameTime, Lifetime};
use ludex::logic::TermId;

use super::{Flow, StepArguments, Stepper, converse};
use crate::Context;
use crate::console::Console;
use crate::failure::Failure;
use crate::rulesheet::show_errors;

const HELP: &str = "  advance T           let T units of time pass: advance 2.5
  next                let time pass until something happens
  R does M            R makes the move M now: xplayer does mark(1,1)
  R does M; S does N  several make moves at the same moment
  3                   make the third legal move of the list
  state               show the state again
  facts               every fact of the state with its lifetime
  history             what has happened so far
  goals               what the state is worth to each role
  help                this list
  quit                leave
";

/// Characters of the bar that shows what is left of a lifetime.
const BAR: u128 = 10;
/// So many of the last events are shown.
const EVENTS: usize = 10;

/// Steps through a game in real time.
///
/// # Errors
/// The game has errors or cannot be run, or the output cannot be written.
pub fn run(arguments: &StepArguments, checked: &Checked, context: &mut Context) -> Result<(), Failure> {
    if arguments.moves.is_some() || arguments.facts.is_some() {
        return Err(Failure::input("`--moves` and `--facts` are for games that go step by step"));
    }
    let Some(game) = checked.game.as_ref().filter(|_| !checked.has_errors()) else {
        show_errors(checked, context);
        return Err(Failure::Reported);
    };
    let budget = context.limits.budget().clone();
    let options = TimedRuleMachineOptions { budget: budget.clone(), notation: checked.rulesheet.notation };
    let machine = TimedRuleMachine::new(game, &options)?;
    let options = TimelineOptions { budget, seed: arguments.seed, ..TimelineOptions::default() };
    let timeline = Timeline::new(&machine, &options)?;
    converse(&mut Session { timeline, machine: &machine, shown: 0 }, context)
}

struct Session<'m> {
    machine: &'m TimedRuleMachine,
    timeline: Timeline<'m>,
    /// How many events were shown.
    shown: usize,
}

impl Stepper for Session<'_> {
    /// Shows what happened since the last time, the state, and what may be done.
    fn show(&mut self, context: &mut Context) -> Result<(), Failure> {
        let console = &mut context.console;
        writeln!(console, "\n{}", console.bold(&format!("time {}", self.timeline.now())))?;
        let events = &self.timeline.history()[self.shown..];
        if events.len() > EVENTS {
            writeln!(console, "{}", console.dim(&format!("… {} events more", events.len() - EVENTS)))?;
        }
        for event in events.iter().rev().take(EVENTS).rev() {
            writeln!(console, "{}", console.dim(&self.event_text(event)))?;
        }
        self.shown = self.timeline.history().len();
        let state = self.state_text(console);
        console.write_all(state.as_bytes())?;
        if self.timeline.is_over() {
            writeln!(context.console, "The game is over: {}", self.goals()?)?;
            return Ok(());
        }
        let mut number = 0;
        for role in self.roles() {
            let legal = self.timeline.legal(role)?.to_vec();
            let name = context.console.bold(&self.role(role));
            if legal.is_empty() {
                writeln!(context.console, "{name} has no legal move now")?;
                continue;
            }
            writeln!(context.console, "{name}")?;
            let listed = legal.iter().map(|&action| {
                number += 1;
                format!("{number} {}", self.machine.text(action))
            });
            let text = context.console.columns(2, &listed.collect::<Vec<_>>());
            context.console.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    fn obey(&mut self, line: &str, context: &mut Context) -> Result<Flow, Failure> {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (command, rest.trim()) {
            ("", _) => return Ok(Flow::Stay),
            ("quit" | "q" | "exit", "") => return Ok(Flow::Quit),
            ("help" | "h" | "?", "") => context.console.write_all(HELP.as_bytes())?,
            ("state" | "s", "") => return Ok(Flow::Show),
            ("goals", "") => writeln!(context.console, "{}", self.goals()?)?,
            ("facts", "") => self.facts(context)?,
            ("history", "") => {
                for event in self.timeline.history() {
                    writeln!(context.console, "  {}", self.event_text(event))?;
                }
            }
            ("next" | "n", "") => return self.next(),
            ("advance" | "a", time) => return self.advance(time),
            (number, "") if number.bytes().all(|byte| byte.is_ascii_digit()) => return self.make(number),
            _ => return self.submit(line),
        }
        Ok(Flow::Stay)
    }
}

impl Session<'_> {
    fn roles(&self) -> impl Iterator<Item = RoleId> + use<> {
        let random = self.machine.random();
        (0..self.machine.roles().len() as u32).map(RoleId).filter(move |role| Some(*role) != random)
    }

    fn role(&self, role: RoleId) -> String {
        self.machine.text(self.machine.roles()[role.index()])
    }

    /// The facts: those with a finite lifetime with a bar each, the others side by side.
    fn state_text(&self, console: &Console) -> String {
        let mut bars = String::new();
        let mut lasting = Vec::new();
        for &(lifetime, fact) in self.timeline.state().facts() {
            let text = self.machine.text(fact);
            match lifetime.time() {
                None => lasting.push(text),
                Some(whole) => {
                    let left = self.timeline.left(lifetime).and_then(Lifetime::time).unwrap_or_default();
                    bars.push_str(&format!("  {} {left} of {whole}  {text}\n", bar(left, whole)));
                }
            }
        }
        bars + &console.columns(2, &lasting)
    }

    fn event_text(&self, event: &TimedEvent) -> String {
        let text = |term: TermId| self.machine.text(term);
        let what = match event {
            TimedEvent::Wasted { action, .. } => format!("random's {} is no longer legal", text(*action)),
            TimedEvent::Update(update) => {
                let moves = update
                    .moves
                    .iter()
                    .map(|&(role, action)| format!("{}: {}", self.role(role), text(action)));
                let over = update.expired.iter().map(|&fact| format!("{} expires", text(fact)));
                let told = self.roles().filter_map(|role| {
                    let seen = update.told.get(role.index())?.as_ref()?;
                    let seen: Vec<String> = seen.iter().map(|&percept| text(percept)).collect();
                    let seen = if seen.is_empty() { "nothing".to_owned() } else { seen.join(", ") };
                    Some(format!("{} sees {seen}", self.role(role)))
                });
                moves.chain(over).chain(told).collect::<Vec<_>>().join("; ")
            }
        };
        format!("at {}: {what}", event.time())
    }

    fn goals(&mut self) -> Result<String, Failure> {
        let mut texts = Vec::new();
        for role in self.roles() {
            let name = self.role(role);
            texts.push(match self.timeline.goal(role)? {
                Some(goal) => format!("{name} {goal}"),
                None => format!("{name} has no single goal value"),
            });
        }
        Ok(texts.join(", "))
    }

    fn facts(&self, context: &mut Context) -> Result<(), Failure> {
        for &(lifetime, fact) in self.timeline.state().facts() {
            let left = self.timeline.left(lifetime).map_or_else(|| "0".to_owned(), |left| left.to_string());
            writeln!(context.console, "  {left} {}", self.machine.text(fact))?;
        }
        Ok(())
    }

    fn advance(&mut self, by: &str) -> Result<Flow, Failure> {
        let wrong = |why: String| {
            Failure::input(format!("`advance` takes a time, as in `advance 2.5`: `{by}` {why}"))
        };
        let by = GameTime::parse(by).map_err(|error| wrong(error.to_string()))?;
        let time = self.timeline.now().checked_add(by).ok_or(ludex::game::TimedError::TooLate)?;
        self.timeline.advance_to(time)?;
        Ok(Flow::Show)
    }

    fn next(&mut self) -> Result<Flow, Failure> {
        // What `random` is going to do comes as it would to a player: unforeseen.
        let due = self.timeline.pending().map(|pending| pending.due);
        let next = [self.timeline.next_expiry(), due].into_iter().flatten().min();
        let next = next.filter(|_| !self.timeline.is_over());
        self.timeline
            .advance_to(next.ok_or_else(|| Failure::input("nothing happens unless somebody moves"))?)?;
        Ok(Flow::Show)
    }

    fn make(&mut self, number: &str) -> Result<Flow, Failure> {
        let mut all = Vec::new();
        for role in self.roles() {
            all.extend(self.timeline.legal(role)?.iter().map(|&action| (role, action)));
        }
        let chosen = number.parse::<usize>().ok().and_then(|number| all.get(number.checked_sub(1)?));
        let chosen =
            chosen.ok_or_else(|| Failure::input(format!("there is no move {number} in the list")))?;
        self.timeline.submit(&[*chosen])?;
        Ok(Flow::Show)
    }

    fn submit(&mut self, line: &str) -> Result<Flow, Failure> {
        let mut moves = Vec::new();
        for part in line.split(';') {
            let Some((role, action)) = part.split_once(" does ") else {
                let failure = Failure::input(format!("`{}` is no command", part.trim()));
                return Err(
                    failure.hint("`help` lists the commands; a move is made as in `white does mark(1,1)`")
                );
            };
            let unknown = || Failure::input(format!("there is no role `{}`", role.trim()));
            let role = self.machine.find_role(role.trim()).ok_or_else(unknown)?;
            let found =
                self.machine.find_term(action.trim()).map_err(|error| Failure::input(error.to_string()))?;
            let illegal = || {
                let role = self.role(role);
                Failure::input(format!("`{}` is not legal for `{role}` now", action.trim()))
            };
            moves.push((role, found.ok_or_else(illegal)?));
        }
        self.timeline.submit(&moves)?;
        Ok(Flow::Show)
    }
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
