//! Solving games with logic (book 15.3): plans, all plans of one length, and what a role can force, by
//! a solver for propositional formulas over the game's circuit ([`crate::sat::Unrolling`]).
//!
//! [`plan`] looks for moves that lead a role to a terminal state worth enough. `courses` is the formula:
//! what courses of the game there are, step by step, none of which ends before its last state. One
//! incremental solver keeps all frames, so what it learned about short courses serves for longer ones
//! (planning as satisfiability: Kautz and Selman, 1992; incremental unrolling: Eén and Sörensson, 2003).
//! `shortest` lets the courses grow one step at a time, `any` in larger steps; `bound` says where to
//! begin.
//!
//! **What is proved from which rules.** Plans are searched on the *optimised* circuit, the one that
//! engines run, since the faithful one is too large for big puzzles; each plan is replayed on the rules
//! before it is given out, so that it does not matter how it was found. That there is *no* plan is
//! proved once more on the *faithful* circuit, and the report says from which [`Form`] the proof
//! is; it says `Optimised` only where the faithful circuit is too large for the budget. That no shorter
//! plan exists is claimed from the form that was searched.
//!
//! **States that come again.** A course that comes back to a state it was in is no reason to look at longer
//! ones. Where plans get long or questions hard, all states are searched instead (`states`), if they are few
//! enough; that is a search on the game's machine, and the report's form is [`Form::States`]. Where they are
//! not, `recurrence` asks from time to time whether every course of some length is in one state twice.
//!
//! [`force`] asks whether a role can force what it wants against all others.

mod any;
mod bound;
mod courses;
mod enumerate;
mod force;
mod model;
#[cfg(test)]
mod random_tests;
mod recurrence;
mod replay;
mod report;
mod search;
mod shortest;
mod states;
#[cfg(test)]
mod tests;

pub use enumerate::{Plans, plans};
pub use force::{ForceOutcome, ForceReport, ForceWork, Strategy, StrategyNode, force};
pub use model::{Form, Model};
pub use report::{NoPlan, Outcome, Plan, PlanReport, Work};
pub use search::{Others, PlanOptions, Search, Target, plan, plan_on};
