//! Which passes to make.

use std::fmt;
use std::str::FromStr;

/// One way to shrink a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pass {
    /// Replaces what has one value in all reachable states.
    Constants,
    /// Makes equal gates one. Without it, all other passes leave equal gates alone, too.
    HashConsing,
    /// Merges and-gates into their only reader.
    Flatten,
    /// Simplifies a conjunction by what its operands say about each other.
    Absorption,
    /// Uses that each role makes exactly one move.
    OneMove,
    /// Uses that a move that is made was legal.
    LegalMoves,
    /// Uses that one of two roles waits.
    WaitingMoves,
    /// Uses groups of bases of which at most or exactly one is true.
    Exclusive,
    /// Drops bases that another base tells.
    EqualBases,
    /// Takes out common factors of alternatives.
    Factors,
    /// Drops one base of each small group of which exactly one is true, where that saves operations.
    SpareBases,
    /// Makes pairs of operands that many gates have a gate of their own.
    CommonPairs,
    /// Drops gates that no output needs.
    DeadCones,
}

impl Pass {
    /// All passes, in the order of their names' first use in a round.
    pub const ALL: [Pass; 13] = [
        Pass::Constants,
        Pass::HashConsing,
        Pass::Flatten,
        Pass::Absorption,
        Pass::OneMove,
        Pass::LegalMoves,
        Pass::WaitingMoves,
        Pass::Exclusive,
        Pass::EqualBases,
        Pass::Factors,
        Pass::SpareBases,
        Pass::CommonPairs,
        Pass::DeadCones,
    ];

    /// The name in lists of passes.
    pub fn name(self) -> &'static str {
        match self {
            Pass::Constants => "constants",
            Pass::HashConsing => "hash_consing",
            Pass::Flatten => "flatten",
            Pass::Absorption => "absorption",
            Pass::OneMove => "one_move",
            Pass::LegalMoves => "legal_moves",
            Pass::WaitingMoves => "waiting_moves",
            Pass::Exclusive => "exclusive",
            Pass::EqualBases => "equal_bases",
            Pass::Factors => "factors",
            Pass::SpareBases => "spare_bases",
            Pass::CommonPairs => "common_pairs",
            Pass::DeadCones => "dead_cones",
        }
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which passes to make.
///
/// As text a list with commas: `all`, `none`, names, and names with `-` before them to leave them out,
/// read from left to right. A list that starts with `-` starts from all.
///
/// ```
/// use ludex_propnet::passes::{Pass, PassSet};
///
/// let set: PassSet = "-one_move,-legal_moves".parse()?;
/// assert!(set.has(Pass::Flatten) && !set.has(Pass::OneMove));
/// assert_eq!("flatten,constants".parse::<PassSet>()?.to_string(), "constants,flatten");
/// # Ok::<(), ludex_propnet::passes::UnknownPass>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PassSet(u32);

impl PassSet {
    /// Every pass.
    pub fn all() -> Self {
        Self((1 << Pass::ALL.len()) - 1)
    }

    /// No pass.
    pub fn none() -> Self {
        Self(0)
    }

    /// This set with `pass`.
    #[must_use]
    pub fn with(self, pass: Pass) -> Self {
        Self(self.0 | 1 << pass as u32)
    }

    /// This set without `pass`.
    #[must_use]
    pub fn without(self, pass: Pass) -> Self {
        Self(self.0 & !(1 << pass as u32))
    }

    /// Whether `pass` is to be made.
    pub fn has(self, pass: Pass) -> bool {
        self.0 >> pass as u32 & 1 == 1
    }
}

impl Default for PassSet {
    fn default() -> Self {
        Self::all()
    }
}

impl fmt::Display for PassSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::all() {
            return f.write_str("all");
        }
        if *self == Self::none() {
            return f.write_str("none");
        }
        let names: Vec<&str> = Pass::ALL.into_iter().filter(|p| self.has(*p)).map(Pass::name).collect();
        f.write_str(&names.join(","))
    }
}

/// A name that is no pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no pass is called {name:?}; there are {}", Pass::ALL.map(Pass::name).join(", "))]
pub struct UnknownPass {
    /// What was given.
    pub name: String,
}

impl FromStr for PassSet {
    type Err = UnknownPass;

    fn from_str(text: &str) -> Result<Self, UnknownPass> {
        let starts_with_all = text.trim_start().starts_with('-');
        let mut set = if starts_with_all { Self::all() } else { Self::none() };
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let name = item.strip_prefix('-').unwrap_or(item);
            set = match (item, Pass::ALL.into_iter().find(|p| p.name() == name)) {
                ("all", _) => Self::all(),
                ("none", _) => Self::none(),
                (_, Some(pass)) if name == item => set.with(pass),
                (_, Some(pass)) => set.without(pass),
                (_, None) => return Err(UnknownPass { name: item.to_owned() }),
            };
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_from_left_to_right() {
        let read = |text: &str| text.parse::<PassSet>().unwrap();
        assert_eq!(read(""), PassSet::none());
        assert_eq!(read("all"), PassSet::all());
        assert_eq!(read(" flatten , constants"), PassSet::none().with(Pass::Flatten).with(Pass::Constants));
        assert_eq!(read("-flatten"), PassSet::all().without(Pass::Flatten));
        assert_eq!(read("all,-flatten,flatten"), PassSet::all());
        assert_eq!(read("flatten,none"), PassSet::none());
        assert_eq!("-".parse::<PassSet>(), Err(UnknownPass { name: "-".into() }));
        assert!("flat".parse::<PassSet>().unwrap_err().to_string().contains("hash_consing"));
    }

    #[test]
    fn text_is_read_back() {
        for bits in 0..1 << Pass::ALL.len() {
            let set = PassSet(bits);
            assert_eq!(set.to_string().parse(), Ok(set));
        }
    }
}
