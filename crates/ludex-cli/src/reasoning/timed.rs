//! Games in real time: the state since an update, and the update itself.
//!
//! The rules of `legal`, `goal` and `terminal` are asked with the lifetimes that facts had at the last update, those of
//! `next` and `sees` with what was left of them when the update came. So there are two lists of what is given, and a query
//! decides which it is about.

use std::sync::Arc;

use ludex::Engine;
use ludex::game::{Elapsed, RoleId, TimedRules, TimedState, Timeline, TimelineOptions, timed_given};
use ludex::gdl::{Checked, GameProgram, GameTime, Lifetime, Notation};
use ludex::logic::derive::Query;
use ludex::logic::{Formula, GroundAtom, Pattern, TermId};
use serde_json::{Value, json};

use super::{Given, Reasoning, StateArguments, refuse_errors};
use crate::Context;
use crate::failure::{Failure, say};
use crate::moves_text::text_or_file;
use crate::query_text::read_timed_facts;
use crate::rulesheet::timed_rules;
use crate::timed_events::{let_happen, moves_now};

/// What is said of every given fact, perhaps with more after it.
const GIVEN: &str = "given";

/// When something is asked.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The time since the start.
    pub time: GameTime,
    /// Whether it is an update, and not the state that it made.
    pub is_update: bool,
    /// For people.
    pub text: String,
}

impl Moment {
    /// For programs.
    pub fn add_to(&self, object: &mut Value) {
        object["time"] = self.time.to_string().into();
        object["update"] = json!(self.is_update);
    }
}

impl Reasoning {
    /// Finds the moment in a game in real time.
    pub(super) fn in_time(
        checked: Checked,
        arguments: &StateArguments,
        seed: u64,
        context: &Context,
    ) -> Result<Self, Failure> {
        let Some(program) = checked.game.clone() else { return Err(Failure::Reported) };
        let notation = checked.rulesheet.notation;
        let mut reasoning = Self::of(Arc::new(program), notation, Vec::new());
        if let Some(facts) = &arguments.facts {
            if arguments.does.is_some() {
                return Err(Failure::Usage(
                    "in real time moves stand among the facts, as does(ROLE,MOVE)".into(),
                ));
            }
            let text = text_or_file(facts, &context.limits)?;
            reasoning.given.atoms = read_timed_facts(&reasoning.program, &text, notation)?;
            return Ok(reasoning);
        }
        if arguments.moves.is_some() || arguments.does.is_some() {
            refuse_errors(&checked, context)?;
        } else if checked.has_errors() {
            let facts = reasoning.initial(&mut context.limits.budget().meter())?;
            reasoning.give_state(facts);
            return Ok(reasoning);
        }
        let rules = timed_rules(checked, &Engine::Rules.into(), context)?;
        let budget = rules.question_budget().clone();
        let options = TimelineOptions { budget, seed, ..TimelineOptions::default() };
        let mut timeline = Timeline::new(&**rules.machine(), &options)?;
        if let Some(moves) = &arguments.moves {
            let_happen(&mut timeline, &text_or_file(moves, &context.limits)?)?;
        }
        let does = arguments.does.as_ref();
        let does =
            does.map(|does| moves_now(&mut timeline, &text_or_file(does, &context.limits)?)).transpose()?;
        // The machine was made of a clone of the rules with their table of terms: its ids mean the same in both.
        reasoning.look(&timeline);
        if let Some(does) = does {
            let now = timeline.now();
            let before = (timeline.state(), since_update(&timeline));
            let text = format!("an update at {now}");
            reasoning.update = Some(Given::of_update(&reasoning.program, before, &does, (now, text)));
        }
        Ok(reasoning)
    }

    /// The present of a game in real time; `None` for rules that have errors.
    pub fn now(rules: &TimedRules, timeline: &Timeline<'_>) -> Option<Self> {
        let notation: Notation = rules.machine().notation();
        let mut reasoning = Self::of(Arc::clone(rules.program()?), notation, Vec::new());
        reasoning.look(timeline);
        Some(reasoning)
    }

    fn look(&mut self, timeline: &Timeline<'_>) {
        self.given = Given::of_state(&self.program, timeline);
        self.update = timeline.last_update().map(|last| {
            let time = last.update.time;
            let moment = (time, format!("the update at {time}"));
            Given::of_update(&self.program, (last.before, last.elapsed), &last.update.moves, moment)
        });
    }

    /// Whether there was an update, or one is asked about.
    pub fn has_update(&self) -> bool {
        self.update.is_some()
    }

    /// Takes what an update was asked with where a query is about one.
    pub(super) fn turn_to_moment(&mut self, query: &Query) {
        let v = self.program.vocabulary;
        if !self.depends_on(query, &[v.does, v.next, v.sees]) {
            if let Some(other) = self.other_lifetime(query) {
                say(&format!("note: {other}"));
            }
        } else if let Some(update) = self.update.take() {
            self.given = update;
        } else if self.given.moment.is_some() {
            say(
                "note: this is about an update, and there was none yet: `--moves` lets time pass, `--does` makes moves",
            );
        }
    }

    /// Which lifetime a fact has, where somebody asks with another one, such as what is left of it.
    pub fn other_lifetime(&self, query: &Query) -> Option<String> {
        let (truth, terms) = (self.program.vocabulary.truth, &self.program.program.terms);
        let Formula::Atom(atom) = &query.formula else { return None };
        let asked: Vec<TermId> = atom.args.iter().map(Pattern::ground).collect::<Option<_>>()?;
        let &[lifetime, fact] = asked.as_slice() else { return None };
        let of_fact = |given: &GroundAtom| given.relation == truth && given.args[1] == fact;
        let mut given =
            self.given.atoms.iter().zip(&self.given.said).filter(|(given, _)| of_fact(given)).peekable();
        let &(first, said) = given.peek().filter(|_| atom.relation == truth)?;
        if given.any(|(given, _)| given.args[0] == lifetime) {
            return None;
        }
        let left = said.strip_prefix(GIVEN).filter(|left| !left.is_empty());
        let left = left.map_or_else(String::new, |left| format!(":{}", left.trim_start_matches(',')));
        let whole = terms.prefix(first.args[0]);
        Some(format!("rules are asked with the lifetime {whole} of `{}`{left}", self.text(fact)))
    }
}

impl Given {
    /// The present state.
    fn of_state(game: &GameProgram, timeline: &Timeline<'_>) -> Self {
        let (state, elapsed) = (timeline.state(), since_update(timeline));
        let (now, updated) = (timeline.now(), timeline.updated());
        let text = match timeline.last_update() {
            None => format!("at {now}, in the initial state"),
            Some(_) => format!("at {now}, in the state since the update at {updated}"),
        };
        let holds = state.facts().iter().map(|&(whole, _)| left_text(whole, elapsed));
        let over = state.expired().iter().map(|_| format!("{GIVEN}, expired at {updated}"));
        Self {
            atoms: timed_given(game, state.facts(), state.expired(), &[]),
            said: holds.chain(over).collect(),
            moment: Some(Moment { time: now, is_update: false, text }),
        }
    }

    /// An update by some moves: of a state, so long after the update that made that state.
    fn of_update(
        game: &GameProgram,
        (before, elapsed): (&TimedState, GameTime),
        moves: &[(RoleId, TermId)],
        (time, text): (GameTime, String),
    ) -> Self {
        let Elapsed { facts, expired } = before.after(elapsed);
        let (lasting, over): (Vec<_>, Vec<_>) =
            before.facts().iter().partition(|(whole, _)| whole.after(elapsed).is_some());
        let mut said: Vec<String> = lasting.iter().map(|&&(whole, _)| left_text(whole, elapsed)).collect();
        // One fact expires once.
        said.extend(
            over.chunk_by(|a, b| a.1 == b.1)
                .map(|same| format!("{GIVEN}, its lifetime of {} is over", same[0].0)),
        );
        let atoms = timed_given(game, &facts, &expired, moves);
        Self { atoms, said, moment: Some(Moment { time, is_update: true, text }) }
    }
}

fn since_update(timeline: &Timeline<'_>) -> GameTime {
    // The last update is not in the future.
    timeline.now().checked_sub(timeline.updated()).unwrap_or_default()
}

/// What is said of a fact of this lifetime when so much time has passed.
fn left_text(whole: Lifetime, elapsed: GameTime) -> String {
    let left = whole.after(elapsed).filter(|&left| left != whole);
    left.map_or_else(|| GIVEN.to_owned(), |left| format!("{GIVEN}, {left} left of {whole}"))
}
