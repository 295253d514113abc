//! A single fact that may always hold.

/// Something said of the bases of one state. Groups have at least two members and are sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    Constant { base: u32, value: bool },
    Equal { base: u32, other: u32, complemented: bool },
    AtMostOne(Vec<u32>),
    AtLeastOne(Vec<u32>),
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
}
