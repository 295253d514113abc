//! Terms from texts, made or only looked for.

use ludex_logic::{SymbolId, TermId, Terms};

/// Finds terms in the table of a game, and may add those that are new.
pub(crate) struct TermMaker<'a> {
    pub terms: &'a Terms,
    /// How large the table may get by new terms; `None` where nothing is added, so that a text from outside cannot
    /// make it grow.
    pub room: Option<usize>,
}

impl TermMaker<'_> {
    /// The symbol of a name; `None` where there is none and nothing is added.
    pub fn symbol(&self, name: &str) -> Option<SymbolId> {
        match self.room {
            Some(_) => Some(self.terms.symbol(name)),
            None => self.terms.find_symbol(name),
        }
    }

    /// A functional term; `None` where it does not exist and there is no room for it.
    pub fn compound(&self, functor: SymbolId, args: &[TermId]) -> Option<TermId> {
        match self.room {
            Some(limit) => self.terms.try_compound(functor, args, limit).ok(),
            None => self.terms.find_compound(functor, args),
        }
    }
}
