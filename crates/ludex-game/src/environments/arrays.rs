//! The arrays that a step fills, and how large they are.

use super::{EnvironmentError, EnvironmentOptions};
use crate::signature::Signature;

/// How large the arrays of a step are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentLayout {
    /// Environments.
    pub count: usize,
    /// Players: all roles but chance, in order.
    pub seats: usize,
    /// Whether one player moves at a time.
    pub in_turns: bool,
    /// Actions: those that are known beforehand.
    pub actions: usize,
    /// Bits of an observation.
    pub observed: usize,
}

impl EnvironmentLayout {
    /// The layout of environments of a game.
    ///
    /// # Errors
    /// [`EnvironmentError::NoPlayers`].
    pub fn new(signature: &Signature, options: &EnvironmentOptions) -> Result<Self, EnvironmentError> {
        let seats = signature.role_ids().filter(|&role| Some(role) != signature.random()).count();
        if seats == 0 {
            return Err(EnvironmentError::NoPlayers);
        }
        Ok(Self {
            count: options.count,
            seats,
            in_turns: options.turns.is_some(),
            actions: signature.known_actions(),
            observed: options.observed.len(),
        })
    }

    /// Whether there are as many actions as a step takes.
    ///
    /// # Errors
    /// [`EnvironmentError::Shape`].
    pub fn check_actions(&self, actions: &[i32]) -> Result<(), EnvironmentError> {
        match (self.count * self.rows(), actions.len()) {
            (expected, found) if expected != found => {
                Err(EnvironmentError::Shape { array: "actions", expected, found })
            }
            _ => Ok(()),
        }
    }

    /// Rows of actions and of legal actions for each environment: one where one player moves at a time, else one for each
    /// player.
    pub fn rows(&self) -> usize {
        if self.in_turns { 1 } else { self.seats }
    }
}

/// Rows of bits, to be written.
#[derive(Debug, Default)]
pub enum BitRows<'a> {
    /// Not wanted.
    #[default]
    Unwanted,
    /// A byte of 0 or 1 for each bit.
    Bytes(&'a mut [u8]),
    /// Sixty-four bits to a word, the first one lowest; each row begins with a new word.
    Words(&'a mut [u64]),
}

impl<'a> BitRows<'a> {
    /// Whether anything is to be written.
    pub fn is_wanted(&self) -> bool {
        !matches!(self, Self::Unwanted)
    }

    /// Entries of a row of so many bits.
    fn row_length(&self, bits: usize) -> usize {
        match self {
            Self::Unwanted => 0,
            Self::Bytes(_) => bits,
            Self::Words(_) => bits.div_ceil(64),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Unwanted => 0,
            Self::Bytes(bytes) => bytes.len(),
            Self::Words(words) => words.len(),
        }
    }

    /// Cuts the first rows of so many bits off.
    fn take_rows(&mut self, rows: usize, bits: usize) -> BitRows<'a> {
        let length = rows * self.row_length(bits);
        match self {
            Self::Unwanted => BitRows::Unwanted,
            Self::Bytes(bytes) => BitRows::Bytes(cut(bytes, length)),
            Self::Words(words) => BitRows::Words(cut(words, length)),
        }
    }

    /// Writes a row of so many bits, which come in words, lowest first.
    pub fn write(&mut self, row: usize, bits: usize, words: &[u64]) {
        let length = self.row_length(bits);
        match self {
            Self::Unwanted => {}
            Self::Bytes(bytes) => {
                let bytes = &mut bytes[row * length..][..length];
                for (&word, eights) in words.iter().zip(bytes.chunks_mut(64)) {
                    for (at, byte) in eights.iter_mut().enumerate() {
                        *byte = (word >> at & 1) as u8;
                    }
                }
            }
            Self::Words(rows) => rows[row * length..][..length].copy_from_slice(words),
        }
    }
}

/// Cuts the first part of a slice off.
fn cut<'a, T>(rest: &mut &'a mut [T], length: usize) -> &'a mut [T] {
    let (first, others) = std::mem::take(rest).split_at_mut(length);
    *rest = others;
    first
}

/// What a step tells, environment by environment.
#[derive(Debug, Default)]
pub struct EnvironmentArrays<'a> {
    /// What is observed: a row for each environment.
    pub observations: BitRows<'a>,
    /// What was observed at the end of a game, before another one began: a row for each environment, written where a game
    /// is over.
    pub last_observations: BitRows<'a>,
    /// What is legal: rows as in [`EnvironmentLayout::rows`], a bit for each action.
    pub legal: BitRows<'a>,
    /// What was won, by environment and player: 0 where no game ended, and not a number where the rules give no value.
    pub rewards: &'a mut [f32],
    /// 1 where a game came to its end.
    pub terminated: &'a mut [u8],
    /// 1 where a game was broken off: at the step limit, or as somebody had no legal move.
    pub truncated: &'a mut [u8],
    /// Where one player moves at a time, who: a number of a player. The first one where nobody does anything but wait. Else empty.
    pub players: &'a mut [u8],
}

impl<'a> EnvironmentArrays<'a> {
    /// Whether the arrays are as large as the layout says.
    ///
    /// # Errors
    /// [`EnvironmentError::Shape`].
    pub fn check(&self, layout: &EnvironmentLayout) -> Result<(), EnvironmentError> {
        let EnvironmentLayout { count, seats, in_turns, actions, observed } = *layout;
        let rows = |of: &BitRows<'_>, rows: usize, bits| rows * of.row_length(bits);
        let sizes = [
            ("observations", self.observations.len(), rows(&self.observations, count, observed)),
            (
                "last observations",
                self.last_observations.len(),
                rows(&self.last_observations, count, observed),
            ),
            ("legal actions", self.legal.len(), rows(&self.legal, count * layout.rows(), actions)),
            ("rewards", self.rewards.len(), count * seats),
            ("terminated", self.terminated.len(), count),
            ("truncated", self.truncated.len(), count),
            ("players", self.players.len(), if in_turns { count } else { 0 }),
        ];
        match sizes.into_iter().find(|(_, found, expected)| found != expected) {
            Some((array, found, expected)) => Err(EnvironmentError::Shape { array, expected, found }),
            None => Ok(()),
        }
    }

    /// Cuts the arrays of the first environments off.
    pub fn take_first(&mut self, count: usize, layout: &EnvironmentLayout) -> EnvironmentArrays<'a> {
        EnvironmentArrays {
            observations: self.observations.take_rows(count, layout.observed),
            last_observations: self.last_observations.take_rows(count, layout.observed),
            legal: self.legal.take_rows(count * layout.rows(), layout.actions),
            rewards: cut(&mut self.rewards, count * layout.seats),
            terminated: cut(&mut self.terminated, count),
            truncated: cut(&mut self.truncated, count),
            players: cut(&mut self.players, if layout.in_turns { count } else { 0 }),
        }
    }
}
