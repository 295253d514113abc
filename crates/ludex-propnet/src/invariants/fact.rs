//! A single fact that may always hold.

use crate::{Circuit, Edge};

/// Something said of the bases of one state. Groups have at least two members and are sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    Constant { base: u32, value: bool },
    Equal { base: u32, other: u32, complemented: bool },
    AtMostOne(Vec<u32>),
    AtLeastOne(Vec<u32>),
}

/// An assignment that would break a fact in the next state: all literals of `all` hold, and one of
/// `any` if that is not empty.
pub(super) struct Question {
    pub(super) all: Vec<Edge>,
    pub(super) any: Vec<Edge>,
}

impl Fact {
    /// The states of a word in which the fact does not hold.
    pub(super) fn violations(&self, value: impl Fn(u32) -> u64) -> u64 {
        match self {
            Self::Constant { base, value: expected } => value(*base) ^ if *expected { u64::MAX } else { 0 },
            Self::Equal { base, other, complemented } => {
                value(*base) ^ value(*other) ^ if *complemented { u64::MAX } else { 0 }
            }
            Self::AtMostOne(members) => {
                members
                    .iter()
                    .fold((0, 0), |(one, two), &base| {
                        let word = value(base);
                        (one | word, two | (one & word))
                    })
                    .1
            }
            Self::AtLeastOne(members) => !members.iter().fold(0, |one, &base| one | value(base)),
        }
    }

    /// How many questions must be answered with no, if the fact is to hold after a step.
    pub(super) fn questions(&self) -> usize {
        match self {
            Self::Constant { .. } | Self::AtLeastOne(_) => 1,
            Self::Equal { .. } => 2,
            Self::AtMostOne(members) => members.len().saturating_sub(1),
        }
    }

    /// One of the questions.
    pub(super) fn question(&self, number: usize, circuit: &Circuit) -> Question {
        let next = |base: u32| circuit.bases[base as usize].next;
        let (all, any) = match self {
            Self::Constant { base, value } => (vec![next(*base).complement_if(*value)], Vec::new()),
            Self::Equal { base, other, complemented } => {
                let side = number == 1;
                let first = next(*base).complement_if(side);
                let second = !next(*other).complement_if(side ^ complemented);
                (vec![first, second], Vec::new())
            }
            // A member and one that comes after it.
            Self::AtMostOne(members) => {
                (vec![next(members[number])], members[number + 1..].iter().map(|&b| next(b)).collect())
            }
            Self::AtLeastOne(members) => (members.iter().map(|&b| !next(b)).collect(), Vec::new()),
        };
        Question { all, any }
    }
}
