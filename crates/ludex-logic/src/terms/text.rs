//! Ground terms as text, which is charged: a term whose parts are shared can be small in memory and
//! endless on paper.

use std::borrow::Borrow;
use std::fmt::Write;
use std::sync::atomic::Ordering;

use super::{TermData, Terms};
use crate::budget::LimitError;
use crate::ids::{SymbolId, TermId};
use crate::terms::TermView;

/// The most bytes of text that a state, a move or a percept may take in prefix notation (1 MiB).
///
/// Machines refuse what is larger, so that whatever a match is made of can be written in full. Anything
/// else that is larger is cut where it is written.
pub const TEXT_LIMIT: u64 = 1 << 20;

/// The most bytes of text that the legal moves of a role in one state may take together (16 MiB).
pub const LEGAL_TEXT_LIMIT: u64 = 16 << 20;

/// The most bytes of a term in a drawing, a proof, a table or a message: what is longer is cut.
pub const SHOWN_TEXT: u64 = 4096;

/// So many bytes are left of a term that is cut.
const LEFT: usize = 200;

/// How rules and terms are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notation {
    /// KIF, as the specification writes: `(<= (p ?x) (q ?x))`; names are case-independent.
    Prefix,
    /// The book's: `p(X) :- q(X)`; names are case-sensitive.
    Infix,
}

impl Notation {
    /// A variable of this name.
    pub fn variable(self, name: &str) -> String {
        match self {
            Notation::Prefix => format!("?{name}"),
            Notation::Infix => name.to_owned(),
        }
    }

    /// A sentence from its name and its arguments, which are written already.
    pub fn sentence(self, name: &str, args: &[impl Borrow<str>]) -> String {
        match (self, args) {
            (_, []) => name.to_owned(),
            (Notation::Prefix, _) => format!("({name} {})", args.join(" ")),
            (Notation::Infix, _) => format!("{name}({})", args.join(",")),
        }
    }
}

impl Terms {
    /// The bytes of a term in prefix notation; no other notation takes more. It is known without writing
    /// it; `u64::MAX` stands for that many or more.
    pub fn text_bytes(&self, term: TermId) -> u64 {
        self.entry(term).text
    }

    /// No term here takes more than this many bytes as text.
    pub fn largest_text(&self) -> u64 {
        self.largest_text.load(Ordering::Relaxed)
    }

    /// Refuses terms that together take more than `limit` bytes as text, each with a blank behind it.
    ///
    /// # Errors
    /// [`LimitError::Text`], which says that it is `what`.
    pub fn charge_text(
        &self,
        what: &'static str,
        terms: impl ExactSizeIterator<Item = TermId>,
        limit: u64,
    ) -> Result<(), LimitError> {
        // Mostly there is nothing to add up.
        let most = (terms.len() as u64).saturating_mul(self.largest_text().saturating_add(1));
        if most <= limit {
            return Ok(());
        }
        let each = terms.map(|term| self.text_bytes(term).saturating_add(1));
        let bytes = each.fold(0, u64::saturating_add);
        if bytes > limit { Err(LimitError::Text { what, bytes, limit }) } else { Ok(()) }
    }

    /// Refuses the legal moves of a role in one state where one of them takes more than [`TEXT_LIMIT`]
    /// bytes as text, or all more than [`LEGAL_TEXT_LIMIT`].
    ///
    /// # Errors
    /// [`LimitError::Text`].
    pub fn charge_moves(
        &self,
        moves: impl ExactSizeIterator<Item = TermId> + Clone,
    ) -> Result<(), LimitError> {
        if self.largest_text() >= TEXT_LIMIT {
            for action in moves.clone() {
                self.charge_text("a move", std::iter::once(action), TEXT_LIMIT)?;
            }
        }
        self.charge_text("the legal moves of a role", moves, LEGAL_TEXT_LIMIT)
    }

    pub(super) fn text_of(&self, data: &TermData) -> u64 {
        let length = |symbol: SymbolId| self.name(symbol).len() as u64;
        match data {
            TermData::Constant(symbol) => length(*symbol),
            TermData::Compound(functor, args) => {
                let arg = |&arg| self.text_bytes(arg).saturating_add(1);
                args.iter().map(arg).fold(length(*functor) + 2, u64::saturating_add)
            }
        }
    }

    /// The term in prefix notation, `(cell 1 1 b)`; names are written as they are. More than
    /// [`TEXT_LIMIT`] bytes are cut: `(f (f a … (4194301 bytes)`.
    pub fn prefix(&self, term: TermId) -> String {
        self.written(term, Notation::Prefix)
    }

    /// Appends the term as [`Terms::prefix`] writes it.
    pub fn write_prefix(&self, term: TermId, out: &mut String) {
        self.write(term, Notation::Prefix, TEXT_LIMIT, out);
    }

    /// The term in infix notation, `cell(1,1,b)`; names are written as they are. It is cut as
    /// [`Terms::prefix`] is.
    pub fn infix(&self, term: TermId) -> String {
        self.written(term, Notation::Infix)
    }

    /// The term in a notation, cut as [`Terms::prefix`] is.
    pub fn written(&self, term: TermId, notation: Notation) -> String {
        self.written_within(term, notation, TEXT_LIMIT)
    }

    /// The term in a notation, cut where prefix notation takes more than `limit` bytes.
    pub fn written_within(&self, term: TermId, notation: Notation, limit: u64) -> String {
        let mut out = String::new();
        self.write(term, notation, limit, &mut out);
        out
    }

    /// The term in prefix notation for people: more than [`SHOWN_TEXT`] bytes are cut.
    pub fn shown(&self, term: TermId) -> String {
        self.shown_in(term, Notation::Prefix)
    }

    /// As [`Terms::shown`], in any notation.
    pub fn shown_in(&self, term: TermId, notation: Notation) -> String {
        self.written_within(term, notation, SHOWN_TEXT)
    }

    fn write(&self, term: TermId, notation: Notation, limit: u64, out: &mut String) {
        enum Job {
            Term(TermId),
            Text(&'static str),
        }
        let bytes = self.text_bytes(term);
        let most = if bytes <= limit { usize::MAX } else { out.len() + LEFT };
        let mut jobs = vec![Job::Term(term)];
        while let Some(job) = jobs.pop() {
            if out.len() >= most {
                cut(out, most, bytes);
                return;
            }
            match job {
                Job::Text(text) => out.push_str(text),
                Job::Term(term) => match self.view(term) {
                    TermView::Constant(s) => out.push_str(self.name(s)),
                    TermView::Compound(f, args) => {
                        out.push_str(if notation == Notation::Prefix { "(" } else { "" });
                        out.push_str(self.name(f));
                        out.push_str(if notation == Notation::Infix { "(" } else { "" });
                        jobs.push(Job::Text(")"));
                        for (i, &arg) in args.iter().enumerate().rev() {
                            jobs.push(Job::Term(arg));
                            match notation {
                                Notation::Prefix => jobs.push(Job::Text(" ")),
                                Notation::Infix if i > 0 => jobs.push(Job::Text(",")),
                                Notation::Infix => {}
                            }
                        }
                    }
                },
            }
        }
        if out.len() >= most {
            cut(out, most, bytes);
        }
    }
}

/// Leaves `most` bytes and says how many there would have been.
fn cut(out: &mut String, most: usize, bytes: u64) {
    out.truncate(out.floor_char_boundary(most));
    let more = if bytes == u64::MAX { "more than " } else { "" };
    // Writing to a string cannot fail.
    let _ = write!(out, "… ({more}{bytes} bytes)");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(f x x)` of itself, so many times.
    fn doubled(terms: &Terms, times: usize) -> TermId {
        let f = terms.symbol("f");
        (0..times).fold(terms.constant("a"), |x, _| terms.compound(f, &[x, x]))
    }

    #[test]
    fn a_term_knows_how_long_it_is_in_either_notation() {
        let terms = Terms::new();
        let (f, g) = (terms.symbol("fun"), terms.symbol("ü"));
        let (a, bc) = (terms.constant("a"), terms.constant("bc"));
        let inner = terms.compound(f, &[a, bc]);
        for term in [a, bc, inner, terms.compound(g, &[]), terms.compound(g, &[inner, a, inner])] {
            assert_eq!(terms.text_bytes(term), terms.prefix(term).len() as u64);
            assert!(terms.infix(term).len() <= terms.prefix(term).len());
        }
        assert_eq!(terms.largest_text(), "(ü (fun a bc) a (fun a bc))".len() as u64);
    }

    #[test]
    fn what_doubles_is_counted_and_cut_and_never_written() {
        let terms = Terms::new();
        let small = doubled(&terms, 10);
        assert_eq!(terms.prefix(small).len() as u64, terms.text_bytes(small));
        let large = doubled(&terms, 30);
        assert_eq!(terms.text_bytes(large), 6 * (1 << 30) - 5);
        let endless = doubled(&terms, 1_000);
        assert_eq!(terms.text_bytes(endless), u64::MAX);
        for text in [terms.prefix(large), terms.infix(large)] {
            assert!(text.len() < 300 && text.ends_with("… (6442450939 bytes)"), "{text}");
        }
        let text = terms.prefix(endless);
        assert!(text.ends_with("… (more than 18446744073709551615 bytes)"), "{text}");
        assert!(text.starts_with("(f (f "));
        // One long name is cut too.
        let name = terms.constant(&"ü".repeat(5_000));
        assert!(terms.shown(name).len() < 300);
        assert_eq!(terms.written_within(name, Notation::Prefix, 10_000).len(), 10_000);
    }
}
