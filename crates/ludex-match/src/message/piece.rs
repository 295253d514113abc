//! Parts of messages and what they say.

use ludex_gdl::{NodeKind, Notation, Tree, detect_notation, parse_term, print_term, spell_constant, split};

use super::error::{Flaw, MessageProblem, excerpt};

/// Parsers count bytes in 32 bits.
const LONGEST_TEXT: usize = u32::MAX as usize - 1;

/// A part of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    whole: &'a str,
    start: usize,
    end: usize,
    pub(super) notation: Notation,
}

impl<'a> Piece<'a> {
    /// A whole text without the blanks around it.
    pub(super) fn new(whole: &'a str, notation: Notation) -> Result<Self, Flaw> {
        if whole.len() > LONGEST_TEXT {
            let problem = MessageProblem::TooLong { length: whole.len(), limit: LONGEST_TEXT };
            return Err(Flaw::new(0, problem, "send less"));
        }
        Ok(Self { whole, start: 0, end: whole.len(), notation }.trimmed())
    }

    pub(super) fn text(self) -> &'a str {
        &self.whole[self.start..self.end]
    }

    /// In another notation.
    pub(super) fn in_notation(self, notation: Notation) -> Self {
        Self { notation, ..self }
    }

    /// Without blanks and what else does not matter at its ends.
    pub(super) fn trimmed(self) -> Self {
        let dull = |c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\0');
        let text = self.text();
        let start = self.start + (text.len() - text.trim_start_matches(dull).len());
        Self { start, end: start + text.trim_matches(dull).len(), ..self }
    }

    /// The part between two marks, without the blanks around it.
    pub(super) fn between(self, open: char, close: char) -> Option<Self> {
        let inner = self.text().strip_prefix(open)?.strip_suffix(close)?;
        let start = self.start + open.len_utf8();
        Some(Self { start, end: start + inner.len(), ..self }.trimmed())
    }

    /// The part before a byte, and the part from there on.
    pub(super) fn cut(self, at: usize) -> (Self, Self) {
        let middle = self.start + at;
        (Self { end: middle, ..self }.trimmed(), Self { start: middle, ..self })
    }

    /// From the start of this part to the end of another.
    fn to(self, last: Self) -> Self {
        Self { end: last.end, ..self }
    }

    pub(super) fn error(self, problem: impl FnOnce(String) -> MessageProblem, hint: &str) -> Flaw {
        Flaw::new(self.start, problem(excerpt(self.text())), hint)
    }

    /// What blanks separate in prefix and commas in infix. Full stops separate nothing here: they may
    /// stand in names of matches.
    pub(super) fn parts(self) -> Result<Vec<Self>, Flaw> {
        let parts = split(self.text(), self.notation).map_err(|error| Flaw::syntax(self.start, &[error]))?;
        let mut joined: Vec<Self> = Vec::with_capacity(parts.len());
        let mut goes_on = false;
        for part in parts {
            let (start, end) = (part.span.start as usize, part.span.end as usize);
            let piece = Self { start: self.start + start, end: self.start + end, ..self };
            match joined.last_mut() {
                Some(last) if goes_on => *last = last.to(piece),
                _ => joined.push(piece),
            }
            goes_on = part.separator.is_some_and(|s| &self.text()[s.range()] == ".");
        }
        Ok(joined)
    }

    /// Whether this is the word that stands for no move and no list.
    pub(super) fn is_nil(self) -> bool {
        self.text().eq_ignore_ascii_case("nil")
    }

    /// What stands between the brackets of a list.
    pub(super) fn list_content(self) -> Option<Self> {
        match self.notation {
            Notation::Prefix => self.between('(', ')'),
            Notation::Infix => self.between('[', ']'),
        }
    }

    /// The items of a list; `nil` has none.
    pub(super) fn list(self, what: &str) -> Result<Vec<Self>, Flaw> {
        if self.is_nil() {
            return Ok(Vec::new());
        }
        let example = match self.notation {
            Notation::Prefix => "brackets stand around it, `(... ...)`",
            Notation::Infix => "square brackets stand around it, `[...,...]`",
        };
        let content = self.list_content();
        content
            .ok_or_else(|| {
                self.error(MessageProblem::List, &format!("a list of {what} must stand here: {example}"))
            })?
            .parts()
    }

    /// A term, in prefix as `ludex_gdl` prints it. Moves have no variables: a capital letter that would
    /// make one in infix is only a capital letter.
    pub(super) fn term(self) -> Result<String, Flaw> {
        self.term_as_written(self.text()).or_else(|error| {
            let lower = self.text().to_lowercase();
            if self.notation == Notation::Infix && lower != self.text() {
                self.term_as_written(&lower).map_err(|_| error)
            } else {
                Err(error)
            }
        })
    }

    fn term_as_written(self, text: &str) -> Result<String, Flaw> {
        let (tree, node) =
            parse_term(text, Some(self.notation)).map_err(|errors| Flaw::syntax(self.start, &errors))?;
        if has_variables(&tree) {
            return Err(self.error(MessageProblem::Variable, "say exactly what is meant, without variables"));
        }
        Ok(print_term(&tree, node, self.notation, Notation::Prefix))
    }

    /// The terms of a list.
    pub(super) fn terms(self, what: &str) -> Result<Vec<String>, Flaw> {
        self.list(what)?.into_iter().map(Self::term).collect()
    }

    /// Pairs of name and value. A value that is no term becomes one name, since others send any words
    /// here: `(name egg head)`.
    pub(super) fn pairs(self) -> Result<Vec<(String, String)>, Flaw> {
        let items = self.list("pairs of name and value")?;
        items.into_iter().map(Self::pair).collect()
    }

    fn pair(self) -> Result<(String, String), Flaw> {
        let no_pair = || self.error(MessageProblem::Pair, "two things must stand in brackets here");
        let parts = self.list_content().ok_or_else(no_pair)?.parts()?;
        let [name, value, ..] = parts[..] else { return Err(no_pair()) };
        let value = value.to(parts[parts.len() - 1]);
        let value = match value.term() {
            Ok(term) => term,
            Err(_) => {
                let text = value.between('"', '"').unwrap_or(value).text();
                spell_constant(&text.split_whitespace().collect::<Vec<_>>().join(" "), Notation::Prefix)
            }
        };
        Ok((name.term()?, value))
    }

    /// The name of a match, as it was sent.
    pub(super) fn id(self) -> Result<String, Flaw> {
        let text = self.text();
        let quoted = match self.notation {
            Notation::Prefix => text.starts_with('|'),
            Notation::Infix => text.starts_with('\''),
        };
        if !quoted && !text.contains(['(', '[']) {
            return Ok(text.to_owned());
        }
        let wrong = || self.error(MessageProblem::Id, "a match is named by one word");
        let (tree, node) = parse_term(text, Some(self.notation)).map_err(|_| wrong())?;
        match &tree.node(node).kind {
            NodeKind::Constant(name) => Ok(tree.name(*name).to_owned()),
            _ => Err(wrong()),
        }
    }

    /// A number of seconds; a part of a second is left out, so that nobody takes longer than it may.
    pub(super) fn seconds(self) -> Result<u32, Flaw> {
        let text = self.text();
        let numeric = text.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '+');
        // A number that is too large for a clock becomes the largest, one that is no number is none.
        let number = text.parse::<f64>().ok().filter(|number| numeric && number.is_finite());
        number.map(|seconds| seconds as u32).ok_or_else(|| {
            self.error(MessageProblem::Clock, "write a number that is not negative, such as 10")
        })
    }

    /// A number of steps.
    pub(super) fn turn(self) -> Result<u32, Flaw> {
        self.text().parse().map_err(|_| self.error(MessageProblem::Turn, "count turns from 0"))
    }
}

fn has_variables(tree: &Tree) -> bool {
    tree.nodes().any(|node| matches!(node.kind, NodeKind::Variable(_)))
}

/// The notation of a term that somebody sent; `fallback` for one that could be either.
pub(super) fn notation_of_term(text: &str, fallback: Notation) -> Notation {
    if text.starts_with('[') {
        Notation::Infix
    } else if text.starts_with('|') {
        Notation::Prefix
    } else if text.contains('(') {
        detect_notation(text)
    } else {
        fallback
    }
}
