//! Ground terms from prefix text, as records and messages carry them.

use ludex_logic::{SymbolId, TermId, Terms};

use crate::term_maker::TermMaker;

/// Why a text is not a ground term. Offsets are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TermTextError {
    /// There is no term at all.
    #[error("there is no term")]
    Empty,
    /// A bracket is never closed.
    #[error("the bracket at {at} is not closed")]
    Unclosed {
        /// Where it was opened.
        at: usize,
    },
    /// A closing bracket without an opening one.
    #[error("nothing to close at {at}")]
    Unopened {
        /// Where it stands.
        at: usize,
    },
    /// A bracket that is not followed by a name.
    #[error("a name must follow the bracket at {at}")]
    NoFunctor {
        /// Where the bracket was opened.
        at: usize,
    },
    /// Something follows the term.
    #[error("the term ends before {at}")]
    Trailing {
        /// Where the rest begins.
        at: usize,
    },
    /// A variable: the term is not ground.
    #[error("there is a variable at {at}")]
    Variable {
        /// Where it stands.
        at: usize,
    },
}

/// Reads a ground term and adds it to `terms`: no more than the text has. Names are taken as they are
/// written; white space is free, so `( mark 1 1 )` is `(mark 1 1)`.
///
/// # Errors
/// [`TermTextError`] where the text is not exactly one ground term.
pub fn read_term(terms: &Terms, text: &str) -> Result<TermId, TermTextError> {
    // With so much room every term is made.
    one(&TermMaker { terms, room: Some(usize::MAX) }, text)?.ok_or(TermTextError::Empty)
}

/// Reads a ground term without adding anything to `terms`: `None` where the term was never met, so
/// that a text from outside cannot make the table grow.
///
/// # Errors
/// [`TermTextError`] where the text is not exactly one ground term.
pub fn find_term(terms: &Terms, text: &str) -> Result<Option<TermId>, TermTextError> {
    one(&TermMaker { terms, room: None }, text)
}

/// Reads a list of ground terms, `((cell 1 1 b) (control x))`, and adds them to `terms`.
///
/// # Errors
/// As [`read_term`].
pub fn read_terms(terms: &Terms, text: &str) -> Result<Vec<TermId>, TermTextError> {
    let start = text.len() - text.trim_start().len();
    if start == text.len() {
        return Err(TermTextError::Empty);
    }
    if !text[start..].starts_with('(') {
        return Err(TermTextError::NoFunctor { at: start });
    }
    let end = text.trim_end().len();
    if !text[..end].ends_with(')') || end == start + 1 {
        return Err(TermTextError::Unclosed { at: start });
    }
    let mut out = Vec::new();
    let mut reader = Reader { text: &text[..end - 1], at: start + 1 };
    let maker = TermMaker { terms, room: Some(usize::MAX) };
    while let Some(term) = reader.term(&maker)? {
        out.extend(term);
    }
    Ok(out)
}

fn one(maker: &TermMaker<'_>, text: &str) -> Result<Option<TermId>, TermTextError> {
    let mut reader = Reader { text, at: 0 };
    let term = reader.term(maker)?.ok_or(TermTextError::Empty)?;
    match reader.token() {
        None => Ok(term),
        Some((at, ")")) => Err(TermTextError::Unopened { at }),
        Some((at, _)) => Err(TermTextError::Trailing { at }),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// An open bracket: its functor (outer `None`: not read yet; inner `None`: unknown) and arguments so far.
struct Open {
    at: usize,
    functor: Option<Option<SymbolId>>,
    args: Vec<TermId>,
    known: bool,
}

impl<'a> Reader<'a> {
    fn token(&mut self) -> Option<(usize, &'a str)> {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let rest = &self.text[start..];
        let first = rest.chars().next()?;
        let length = if matches!(first, '(' | ')') {
            1
        } else {
            rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len())
        };
        self.at = start + length;
        Some((start, &rest[..length]))
    }

    /// The next term, or `None` at the end of the text; the inner `None` is a term that does not exist.
    /// Open brackets are kept on a stack of our own, so that depth cannot overflow the machine's.
    fn term(&mut self, maker: &TermMaker<'_>) -> Result<Option<Option<TermId>>, TermTextError> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let Some((at, token)) = self.token() else {
                return match open.last() {
                    None => Ok(None),
                    Some(bracket) => Err(TermTextError::Unclosed { at: bracket.at }),
                };
            };
            let term = match token {
                "(" => {
                    if let Some(bracket) = open.last()
                        && bracket.functor.is_none()
                    {
                        return Err(TermTextError::NoFunctor { at: bracket.at });
                    }
                    open.push(Open { at, functor: None, args: Vec::new(), known: true });
                    continue;
                }
                ")" => {
                    let bracket = open.pop().ok_or(TermTextError::Unopened { at })?;
                    match bracket.functor {
                        None => return Err(TermTextError::NoFunctor { at: bracket.at }),
                        Some(Some(functor)) if bracket.known => maker.compound(functor, &bracket.args),
                        Some(_) => None,
                    }
                }
                name => {
                    if name.starts_with('?') {
                        return Err(TermTextError::Variable { at });
                    }
                    let symbol = maker.symbol(name);
                    if let Some(bracket) = open.last_mut()
                        && bracket.functor.is_none()
                    {
                        bracket.functor = Some(symbol);
                        continue;
                    }
                    symbol.map(|symbol| maker.terms.constant_of(symbol))
                }
            };
            match open.last_mut() {
                None => return Ok(Some(term)),
                Some(bracket) => match term {
                    Some(term) => bracket.args.push(term),
                    None => bracket.known = false,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_free_and_names_are_kept() {
        let terms = Terms::new();
        for (text, printed) in [
            ("noop", "noop"),
            (" ( mark 1 1 ) ", "(mark 1 1)"),
            ("(f (g a)(h b))", "(f (g a) (h b))"),
            ("(Ünï\t(x\n y))", "(Ünï (x y))"),
            ("(f (h))", "(f h)"),
        ] {
            assert_eq!(terms.prefix(read_term(&terms, text).unwrap()), printed);
        }
        let list = read_terms(&terms, " ( ( cell 1 b )noop ) ").unwrap();
        assert_eq!(list.iter().map(|&t| terms.prefix(t)).collect::<Vec<_>>(), ["(cell 1 b)", "noop"]);
        assert_eq!(read_terms(&terms, "()"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_not_a_ground_term_is_refused() {
        let terms = Terms::new();
        let error = |text| read_term(&terms, text).unwrap_err();
        assert_eq!(error(" "), TermTextError::Empty);
        assert_eq!(error("(f (g a)"), TermTextError::Unclosed { at: 0 });
        assert_eq!(error("a)"), TermTextError::Unopened { at: 1 });
        assert_eq!(error(")"), TermTextError::Unopened { at: 0 });
        assert_eq!(error("((f) a)"), TermTextError::NoFunctor { at: 0 });
        assert_eq!(error("(f ())"), TermTextError::NoFunctor { at: 3 });
        assert_eq!(error("a b"), TermTextError::Trailing { at: 2 });
        assert_eq!(error("(f ?x)"), TermTextError::Variable { at: 3 });
        assert_eq!(read_terms(&terms, "("), Err(TermTextError::Unclosed { at: 0 }));
        assert_eq!(read_terms(&terms, "a"), Err(TermTextError::NoFunctor { at: 0 }));
    }

    #[test]
    fn finding_adds_no_terms() {
        let terms = Terms::new();
        let known = read_term(&terms, "(f a (g b))").unwrap();
        let (count, bytes) = (terms.len(), terms.bytes());
        assert_eq!(find_term(&terms, "(f a (g b))"), Ok(Some(known)));
        assert_eq!(find_term(&terms, "(f a (g c) (g b))"), Ok(None));
        assert_eq!(find_term(&terms, "(f (g (g b)))"), Ok(None));
        assert_eq!((terms.len(), terms.bytes()), (count, bytes));
    }

    #[test]
    fn a_million_brackets_are_no_problem() {
        let terms = Terms::new();
        let deep = format!("{}0{}", "(s ".repeat(1_000_000), ")".repeat(1_000_000));
        assert_eq!(terms.text_bytes(read_term(&terms, &deep).unwrap()), deep.len() as u64);
        assert_eq!(
            read_term(&terms, &"(s ".repeat(1_000_000)),
            Err(TermTextError::Unclosed { at: 2_999_997 })
        );
    }
}
