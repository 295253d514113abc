//! What holds at which step of a course of moves (the table of book 15.2).

use std::fmt::Write;

use ludex_game::{ActionId, Answer, Goal, Machine, RuleMachine, RuleMachineOptions, Rules};
use ludex_logic::TermId;

/// What holds at one time. Facts and moves are in canonical order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The facts of the state.
    pub facts: Vec<TermId>,
    /// Per role its legal moves.
    pub legal: Vec<Vec<TermId>>,
    /// Per role the move it makes; none after the last joint move.
    pub made: Vec<TermId>,
    /// Per role what the state is worth; `None` where the rules give no value or several.
    pub goals: Vec<Option<Goal>>,
    /// Whether the state is terminal.
    pub terminal: bool,
}

/// A course of a game, time by time: the initial state is at time 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evolution {
    /// One more than there are joint moves.
    pub moments: Vec<Moment>,
}

/// What joint moves lead to. They need not be legal where they are made, and the rules are followed past
/// the end of the game: that is what the clauses of 15.2 say.
///
/// # Errors
/// What a rule machine answers.
pub fn evolution(rules: &Rules, moves: &[Vec<TermId>]) -> Answer<Evolution> {
    let budget = rules.question_budget();
    let notation = rules.notation();
    let options = RuleMachineOptions { budget: budget.clone(), tune: false, notation, ..Default::default() };
    let machine = RuleMachine::new(rules.program(), &options)?;
    let (signature, mut runner) = (machine.signature(), machine.runner(budget));
    let mut state = machine.initial().clone();
    let mut moments = Vec::with_capacity(moves.len() + 1);
    for time in 0..=moves.len() {
        let made = moves.get(time).cloned().unwrap_or_default();
        let (mut facts, mut legal, mut goals) = (Vec::new(), Vec::new(), Vec::new());
        machine.facts(&state, &mut facts);
        for role in rules.roles() {
            legal.push(runner.legal(role)?.iter().map(|&action| signature.action(action)).collect());
            goals.push(runner.goal(role)?);
        }
        let terminal = runner.terminal()?;
        if time < moves.len() {
            let joint: Vec<ActionId> = made.iter().map(|&action| signature.action_id(action)).collect();
            runner.step_legal(&joint)?;
            runner.save(&mut state);
        }
        moments.push(Moment { facts, legal, made, goals, terminal });
    }
    Ok(Evolution { moments })
}

impl Evolution {
    /// The rows of the table: each proposition that holds at some time, as the rulesheet writes it,
    /// with whether it holds at each time. Moves that can be made come first, then moves that are made,
    /// facts, goals and the end.
    pub fn rows(&self, rules: &Rules) -> Vec<(String, Vec<bool>)> {
        let names = rules.role_names();
        let mut rows = Rows { moments: self.moments.len(), rows: Vec::new() };
        for (role, name) in names.iter().enumerate() {
            rows.of_terms(
                &self.moments,
                |m| m.legal.get(role).cloned().unwrap_or_default(),
                |term| rules.notation().sentence("legal", &[name, rules.text(term).as_str()]),
            );
        }
        for (role, name) in names.iter().enumerate() {
            rows.of_terms(
                &self.moments,
                |m| m.made.get(role).copied().into_iter().collect(),
                |term| rules.notation().sentence("does", &[name, rules.text(term).as_str()]),
            );
        }
        rows.of_terms(
            &self.moments,
            |m| m.facts.clone(),
            |term| rules.notation().sentence("true", &[rules.text(term)]),
        );
        for (role, name) in names.iter().enumerate() {
            let value = |m: &Moment| m.goals.get(role).copied().flatten().into_iter().collect();
            rows.of_terms(&self.moments, value, |goal: Goal| {
                rules.notation().sentence("goal", &[name, goal.to_string().as_str()])
            });
        }
        rows.of_terms(
            &self.moments,
            |m| if m.terminal { vec![()] } else { Vec::new() },
            |()| "terminal".to_owned(),
        );
        rows.rows
    }

    /// The table for people: a row for each proposition, a column for each time.
    pub fn text(&self, rules: &Rules) -> String {
        let rows = self.rows(rules);
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max("time".len());
        let digits = self.moments.len().to_string().len();
        let mut out = format!("{:width$}", "time");
        for time in 1..=self.moments.len() {
            // Writing to a string cannot fail.
            let _ = write!(out, "  {time:>digits$}");
        }
        out.push('\n');
        for (name, holds) in rows {
            let mut line = format!("{name:width$}");
            for holds in holds {
                let mark = if holds { "x" } else { "" };
                let _ = write!(line, "  {mark:>digits$}");
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

struct Rows {
    moments: usize,
    rows: Vec<(String, Vec<bool>)>,
}

impl Rows {
    /// Adds a row for each value, in the order in which the values first hold.
    fn of_terms<T: Copy + Eq + std::hash::Hash>(
        &mut self,
        moments: &[Moment],
        values: impl Fn(&Moment) -> Vec<T>,
        text: impl Fn(T) -> String,
    ) {
        let mut places: rustc_hash::FxHashMap<T, usize> = rustc_hash::FxHashMap::default();
        for (time, moment) in moments.iter().enumerate() {
            for value in values(moment) {
                let place = *places.entry(value).or_insert_with(|| {
                    self.rows.push((text(value), vec![false; self.moments]));
                    self.rows.len() - 1
                });
                self.rows[place].1[time] = true;
            }
        }
    }
}
