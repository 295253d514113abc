//! What is asked of a state, and how much work it is to answer.

use ludex_game::Goal;
use smallvec::SmallVec;

/// A number beyond all others: what cannot be done.
pub(super) const NEVER: u32 = u32::MAX;
/// With so many prizes, and fewer, it is worked out which one can be forced.
pub(super) const MOST_PRIZES: usize = 3;
pub(super) const QUESTIONS: usize = MOST_PRIZES - 1;

/// The goals that a game can bring to a role, in ascending order: two or three.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prizes(pub(super) SmallVec<[u8; MOST_PRIZES]>);

impl Prizes {
    /// The different goals among these; `None` if they are too many, or all the same.
    pub fn of(goals: impl IntoIterator<Item = Goal>) -> Option<Self> {
        let mut found = SmallVec::new();
        for goal in goals {
            let goal = u8::try_from(goal).ok()?;
            if let Err(at) = found.binary_search(&goal) {
                if found.len() == MOST_PRIZES {
                    return None;
                }
                found.insert(at, goal);
            }
        }
        (found.len() > 1).then_some(Self(found))
    }

    /// Question `n` is whether the role gets at least prize `n + 1`.
    pub(super) fn questions(&self) -> usize {
        self.0.len() - 1
    }
}

/// What is known of the goal that a role can force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// It is sure of so much.
    pub least: Option<u8>,
    /// The other can keep it from more.
    pub most: Option<u8>,
}

/// How many states must be worked out at least for a yes and for a no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub proof: u32,
    pub disproof: u32,
}

impl Numbers {
    pub(super) const YES: Self = Self { proof: 0, disproof: NEVER };
    pub(super) const NO: Self = Self { proof: NEVER, disproof: 0 };
    pub(super) const UNKNOWABLE: Self = Self { proof: NEVER, disproof: NEVER };

    pub(super) fn is_answered(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// As seen by the role that moves: how hard it is to do what it wants, and how hard to prevent it.
    pub(super) fn seen(self, is_own: bool) -> (u32, u32) {
        if is_own { (self.proof, self.disproof) } else { (self.disproof, self.proof) }
    }

    pub(super) fn of_seen((attained, prevented): (u32, u32), is_own: bool) -> Self {
        let (proof, disproof) = if is_own { (attained, prevented) } else { (prevented, attained) };
        Self { proof, disproof }
    }

    /// A state that is being worked on counts as twice as hard, so that others are worked on meanwhile.
    pub(super) fn harder(self) -> Self {
        let twice =
            |number: u32| if number == NEVER { NEVER } else { number.saturating_mul(2).min(NEVER - 1) };
        Self { proof: twice(self.proof), disproof: twice(self.disproof) }
    }
}
