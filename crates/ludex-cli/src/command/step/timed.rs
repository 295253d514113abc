//! The stepper for games in real time: here it is time that is stepped through.

use std::io::Write;

use ludex::game::{TimedMachine, TimedRules, Timeline, TimelineOptions};
use ludex::gdl::GameTime;

use super::{Flow, StepArguments, Stepper, converse};
use crate::Context;
use crate::failure::Failure;
use crate::timed_text::{TimedPicture, event_text, goals_text, role_text};

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

/// So many of the last events are shown.
const EVENTS: usize = 10;

/// Steps through a game in real time.
///
/// # Errors
/// The game cannot begin, or the output cannot be written.
pub fn run(arguments: &StepArguments, rules: &TimedRules, context: &mut Context) -> Result<(), Failure> {
    if arguments.moves.is_some() || arguments.facts.is_some() {
        return Err(Failure::input("`--moves` and `--facts` are for games that go step by step"));
    }
    let machine = rules.machine();
    let budget = rules.question_budget().clone();
    let options = TimelineOptions { budget, seed: arguments.seed, ..TimelineOptions::default() };
    let timeline = Timeline::new(&**machine, &options)?;
    let picture = TimedPicture::new(rules, context);
    converse(&mut Session { timeline, machine: &**machine, picture, shown: 0 }, context)
}

struct Session<'m> {
    machine: &'m dyn TimedMachine,
    timeline: Timeline<'m>,
    picture: TimedPicture,
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
            writeln!(console, "{}", console.dim(&event_text(self.machine, event)))?;
        }
        self.shown = self.timeline.history().len();
        let state = self.picture.now(&self.timeline, console);
        console.write_all(state.as_bytes())?;
        if self.timeline.is_over() {
            writeln!(
                context.console,
                "The game is over: {}",
                goals_text(self.machine, &self.timeline.goals()?)
            )?;
            return Ok(());
        }
        let mut number = 0;
        for role in self.machine.seats() {
            let legal = self.timeline.legal(role)?.to_vec();
            let name = context.console.bold(&role_text(self.machine, role));
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
            ("goals", "") => {
                writeln!(context.console, "{}", goals_text(self.machine, &self.timeline.goals()?))?
            }
            ("facts", "") => self.facts(context)?,
            ("history", "") => {
                for event in self.timeline.history() {
                    writeln!(context.console, "  {}", event_text(self.machine, event))?;
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
        for role in self.machine.seats() {
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
                let role = role_text(self.machine, role);
                Failure::input(format!("`{}` is not legal for `{role}` now", action.trim()))
            };
            moves.push((role, found.ok_or_else(illegal)?));
        }
        self.timeline.submit(&moves)?;
        Ok(Flow::Show)
    }
}
