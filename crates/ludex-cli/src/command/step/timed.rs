//! The stepper for games in real time: here it is time that is stepped through.

use std::io::Write;

use ludex::game::{TimedMachine, TimedRules, Timeline, TimelineOptions};
use ludex::logic::derive::Query;
use ludex::logic::{Formula, Pattern, Terms};

use super::{Flow, StepArguments, Stepper, answer_to, ask_for_cause, atom, converse, explain_to};
use crate::Context;
use crate::failure::Failure;
use crate::moves_text::text_or_file;
use crate::query_text::read_query;
use crate::reasoning::Reasoning;
use crate::timed_events::{is_event, let_happen};
use crate::timed_text::{TimedPicture, event_text, goals_text, role_text};

const HELP: &str = "  advance T           let T units of time pass: advance 2.5
  next                let time pass until something happens
  R does M            R makes the move M now: xplayer does mark(1,1)
  R does M; S does N  several make moves at the same moment
  next; R does M      one thing after the other
  3                   make the third legal move of the list
  why ATOM            explain an atom: why legal(xplayer,M), why true(T,control(xplayer))
  query ATOM          all answers: query true(T,F)
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
    if arguments.facts.is_some() {
        return Err(Failure::input("`--facts` is for games that go step by step"));
    }
    let machine = rules.machine();
    let budget = rules.question_budget().clone();
    let options = TimelineOptions { budget, seed: arguments.seed, ..TimelineOptions::default() };
    let mut timeline = Timeline::new(&**machine, &options)?;
    if let Some(moves) = &arguments.moves {
        let_happen(&mut timeline, &text_or_file(moves, &context.limits)?)?;
    }
    let picture = TimedPicture::new(rules, context);
    converse(&mut Session { rules, timeline, machine: &**machine, picture, shown: 0 }, context)
}

struct Session<'m> {
    rules: &'m TimedRules,
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
            ("why", rest) => self.why(atom(command, rest, "legal(white,M)")?, context)?,
            ("query", rest) => self.query(atom(command, rest, "true(T,F)")?, context)?,
            (number, "") if number.bytes().all(|byte| byte.is_ascii_digit()) => return self.make(number),
            _ if is_event(line) => {
                let_happen(&mut self.timeline, line)?;
                return Ok(Flow::Show);
            }
            _ => {
                return Err(Failure::input(format!("`{line}` is no command"))
                    .hint("`help` lists the commands; a move is made as in `white does mark(1,1)`"));
            }
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

    fn reasoning(&self) -> Result<Reasoning, Failure> {
        // Rules with errors are not stepped through.
        Reasoning::now(self.rules, &self.timeline).ok_or(Failure::Reported)
    }

    fn why(&self, text: &str, context: &mut Context) -> Result<(), Failure> {
        let mut reasoning = self.reasoning()?;
        let mut query = read_query(reasoning.game(), text, reasoning.notation)?;
        if let Some(other) = reasoning.other_lifetime(&query) {
            writeln!(context.console, "{other}")?;
            query = any_lifetime(query, &reasoning.program().terms);
        }
        ask_for_cause(&mut query, reasoning.game(), !reasoning.has_update());
        reasoning.turn_to(&query);
        explain_to(context, &reasoning, query)
    }

    fn query(&self, text: &str, context: &mut Context) -> Result<(), Failure> {
        let mut reasoning = self.reasoning()?;
        let query = read_query(reasoning.game(), text, reasoning.notation)?;
        reasoning.turn_to(&query);
        answer_to(context, &reasoning, &query)
    }
}

/// The same question for every lifetime.
fn any_lifetime(mut query: Query, terms: &Terms) -> Query {
    if let Formula::Atom(atom) = &mut query.formula
        && let Some(lifetime) = atom.args.first_mut()
    {
        *lifetime = Pattern::Variable(query.variables.push(terms.symbol("T")));
    }
    query
}
