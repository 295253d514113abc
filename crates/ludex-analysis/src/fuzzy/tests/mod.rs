//! The figures of book chapter 16, and what holds of every game.

mod book;
mod properties;
mod special;

use std::sync::Arc;

use ludex_game::{RoleId, Rules};
use ludex_logic::{Budget, GroundAtom, TermId};
use ludex_testkit::{playable, playable_bundled};

use super::{FuzzyGoals, FuzzyOptions, FuzzyScratch};
use crate::{Faithful, Subject};

/// A game with what its fuzzy values are made from.
struct Case {
    rules: Rules,
    faithful: Arc<Faithful>,
}

impl Case {
    fn new(rules: Rules) -> Self {
        let faithful = Subject::new(&rules).faithful(&Budget::unlimited()).unwrap();
        Self { rules, faithful }
    }

    fn bundled(name: &str) -> Self {
        Self::new(playable_bundled(name).unwrap())
    }

    fn of(text: &str) -> Self {
        Self::new(playable("test.kif", text).unwrap())
    }

    fn goals(&self, role: u32, options: &FuzzyOptions) -> FuzzyGoals {
        FuzzyGoals::new(&self.faithful, RoleId(role), options, &Budget::unlimited()).unwrap()
    }

    fn term(&self, text: &str) -> TermId {
        self.rules.find_term(text).unwrap().unwrap_or_else(|| panic!("no term {text}"))
    }

    fn terms(&self, texts: &[&str]) -> Vec<TermId> {
        texts.iter().map(|text| self.term(text)).collect()
    }

    fn atom(&self, relation: &str, args: &[&str]) -> GroundAtom {
        let relation = self.rules.program().program.find_relation(relation, args.len()).unwrap();
        GroundAtom { relation, args: self.terms(args).into() }
    }

    /// The truth of an atom in the state evaluated last.
    fn truth(&self, goals: &FuzzyGoals, scratch: &FuzzyScratch, relation: &str, args: &[&str]) -> f64 {
        goals.truth(&self.atom(relation, args), scratch).unwrap()
    }
}

/// Whether a value is what is printed, to its digits.
#[track_caller]
fn assert_digits(value: f64, printed: &str) {
    let digits = printed.split_once('.').map_or(0, |(_, digits)| digits.len());
    assert_eq!(format!("{value:.digits$}"), printed);
}
