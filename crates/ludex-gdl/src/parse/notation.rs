//! Which notation a text is written in, and whether it is one.
//!
//! Only what stands outside of all brackets is sure to belong to one notation: a list of several parts
//! starts a clause of prefix, a name with brackets at once behind it or an arrow `:-` one of infix.

use crate::check::registry::MIXED_NOTATIONS;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::Notation;

use super::prefix::is_blank;

/// Finds the notation of a text from the first thing that only one of the two has; what the text is
/// called does not matter. A text that both could read alike, such as a single name, counts as infix.
pub fn detect_notation(text: &str) -> Notation {
    Survey::of(text, None).notation().unwrap_or(Notation::Infix)
}

/// What tells the notation of a text.
#[derive(Default)]
pub(super) struct Survey {
    /// The first thing outside of brackets that is surely prefix, and the first that is surely infix.
    prefix: Option<Span>,
    infix: Option<Span>,
    /// Where there is neither: what the first hint says.
    hint: Option<Notation>,
}

impl Survey {
    /// Looks at every character once. What is a comment, a quoted name or an operator goes by the notation
    /// that was forced, or was seen so far.
    pub(super) fn of(text: &str, forced: Option<Notation>) -> Self {
        let mut scanner = Scanner {
            text,
            bytes: text.as_bytes(),
            forced,
            at: if text.starts_with('\u{feff}') { 3 } else { 0 },
            depth: 0,
            word: None,
            before: Before::Nothing,
            line_led: true,
            found: Self::default(),
        };
        while scanner.at < scanner.bytes.len() && scanner.wants_more() {
            scanner.step();
        }
        scanner.found
    }

    /// The notation in which the text begins, if anything tells it.
    pub(super) fn notation(&self) -> Option<Notation> {
        match (self.prefix, self.infix) {
            (Some(prefix), Some(infix)) if prefix < infix => Some(Notation::Prefix),
            (Some(_), None) => Some(Notation::Prefix),
            (_, Some(_)) => Some(Notation::Infix),
            (None, None) => self.hint,
        }
    }

    /// What to say of a rulesheet that is read in one notation and has clauses of the other.
    pub(super) fn mixture(&self, notation: Notation) -> Option<Diagnostic> {
        let (own, foreign, names) = match notation {
            Notation::Prefix => (self.prefix, self.infix, ["prefix", "infix"]),
            Notation::Infix => (self.infix, self.prefix, ["infix", "prefix"]),
        };
        let [name, other] = names;
        let at = foreign?;
        let Some(own) = own else {
            let message = format!("this is {other} notation, but the rules are read as {name} notation");
            let hint = "the notation was forced; where it is not, it is found from the text";
            return Some(MIXED_NOTATIONS.at(at, message).hint(hint));
        };
        let message = format!("two notations are mixed: this is {other}, and other clauses are {name}");
        let hint = format!(
            "write all of it in one notation; `--warn mixed-notations` reads it as {name}, whatever comes of it"
        );
        Some(MIXED_NOTATIONS.at(at, message).label(own, format!("this is {name} notation")).hint(hint))
    }
}

/// What stands before a place outside of all brackets.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Nothing,
    /// A name, a variable or a closing bracket.
    Operand,
    /// An arrow, connective or comma: what follows belongs to the same clause.
    Operator,
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    forced: Option<Notation>,
    at: usize,
    depth: usize,
    /// Where the name starts that is being read.
    word: Option<usize>,
    before: Before,
    /// Nothing but blanks on the line so far, or a closing bracket.
    line_led: bool,
    found: Survey,
}

impl Scanner<'_> {
    /// The hint matters only until the first sure sign, and a sure sign only until there are both.
    fn wants_more(&self) -> bool {
        self.found.prefix.is_none() || self.found.infix.is_none()
    }

    /// The notation that the text has so far.
    fn notation(&self) -> Option<Notation> {
        let sure = self.found.prefix.is_some() || self.found.infix.is_some();
        self.forced.or_else(|| self.found.notation().filter(|_| sure))
    }

    fn step(&mut self) {
        let byte = self.bytes[self.at];
        let notation = self.notation();
        let may_be = |wanted| notation.is_none_or(|notation| notation == wanted);
        let starts = self.word.is_none();
        match byte {
            b';' => self.comment(),
            // A per cent sign inside a prefix name is not a comment.
            b'%' if notation == Some(Notation::Infix) || (starts && notation.is_none()) => self.comment(),
            b'\'' if starts && may_be(Notation::Infix) && self.quoted_end(self.at).is_some() => {
                self.quoted(self.at);
            }
            b'|' if starts && may_be(Notation::Prefix) && self.quoted_end(self.at).is_some() => {
                self.quoted(self.at);
            }
            b'?' if starts && self.bytes.get(self.at + 1) == Some(&b'|') && may_be(Notation::Prefix) => {
                self.hint(Notation::Prefix);
                match self.quoted_end(self.at + 1) {
                    Some(_) => self.quoted(self.at + 1),
                    None => self.at += 2,
                }
            }
            b'(' => self.open(),
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                self.end_word(Before::Operand);
                self.line_led = true;
                self.at += 1;
            }
            b':' if self.bytes.get(self.at + 1) == Some(&b'-')
                && (starts || notation != Some(Notation::Prefix)) =>
            {
                self.sure(Notation::Infix, Span::new(self.at, self.at + 2));
                self.operator(2);
            }
            b':' if self.bytes.get(self.at + 1) == Some(&b':') && notation != Some(Notation::Prefix) => {
                self.operator(2);
            }
            b'=' if self.bytes[self.at..].starts_with(b"==>") && notation != Some(Notation::Prefix) => {
                self.operator(3);
            }
            b'&' | b'~' | b',' | b'|' | b'=' if notation != Some(Notation::Prefix) => {
                if starts && matches!(byte, b'&' | b'~') {
                    self.hint(Notation::Infix);
                }
                self.operator(1);
            }
            0x80.. => self.character(),
            b if b.is_ascii_whitespace() || b == 0x0b => {
                self.word = None;
                self.line_led |= matches!(b, b'\n' | b'\r');
                self.at += 1;
            }
            _ => self.name_part(1),
        }
    }

    fn comment(&mut self) {
        self.word = None;
        self.at = line_end(self.bytes, self.at);
    }

    fn name_part(&mut self, length: usize) {
        if self.word.is_none() {
            if self.bytes[self.at] == b'?' {
                self.hint(Notation::Prefix);
            }
            self.word = Some(self.at);
        }
        self.before = Before::Operand;
        self.line_led = false;
        self.at += length;
    }

    /// A character that is not ASCII.
    fn character(&mut self) {
        let Some(c) = self.text.get(self.at..).and_then(|rest| rest.chars().next()) else {
            self.at += 1;
            return;
        };
        let length = c.len_utf8();
        let in_prefix = self.notation() == Some(Notation::Prefix);
        match c {
            _ if in_prefix && !is_blank(c) => self.name_part(length),
            '⇐' => {
                self.hint(Notation::Infix);
                self.operator(length);
            }
            '←' | '⇒' | '→' | '⇔' | '↔' | '∧' | '∨' | '¬' | '≠' if self.word.is_none() => {
                self.operator(length)
            }
            c if is_blank(c) => {
                self.word = None;
                self.at += length;
            }
            _ => self.name_part(length),
        }
    }

    fn end_word(&mut self, before: Before) {
        self.word = None;
        self.before = before;
    }

    fn operator(&mut self, length: usize) {
        self.end_word(Before::Operator);
        self.line_led = false;
        self.at += length;
    }

    fn open(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        match self.word {
            // `p(` opens arguments, unless `<=` and the like stand before the bracket.
            Some(start) if is_name(&self.text[start..self.at]) => {
                self.sure(Notation::Infix, Span::new(start, self.at));
            }
            Some(_) => {}
            None => {
                let starts =
                    self.before == Before::Nothing || self.before == Before::Operand && self.line_led;
                if starts && is_clause(rest) {
                    self.sure(Notation::Prefix, Span::new(self.at, self.at + 1));
                }
                match list_notation(rest) {
                    Some(found) if self.depth == 0 => self.hint(found),
                    Some(Notation::Prefix) if rest.starts_with(b"<=") => self.hint(Notation::Prefix),
                    _ => {}
                }
            }
        }
        self.depth += 1;
        self.end_word(Before::Operator);
        self.line_led = false;
        self.at += 1;
    }

    /// Where the quoted name ends whose mark stands at `at`, if it ends on its line.
    fn quoted_end(&self, at: usize) -> Option<usize> {
        let mark = self.bytes[at];
        let mut escaped = false;
        for (i, &byte) in self.bytes.iter().enumerate().skip(at + 1) {
            match byte {
                b'\n' | b'\r' => return None,
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                byte if byte == mark => return Some(i + 1),
                _ => {}
            }
        }
        None
    }

    fn quoted(&mut self, at: usize) {
        let Some(end) = self.quoted_end(at) else { return };
        if self.bytes[at] == b'\'' {
            self.hint(Notation::Infix);
        }
        // Brackets right behind it open its arguments, as behind any other name.
        self.word = (self.bytes[at] == b'\'').then_some(at);
        self.before = Before::Operand;
        self.line_led = false;
        self.at = end;
    }

    fn hint(&mut self, notation: Notation) {
        self.found.hint.get_or_insert(notation);
    }

    fn sure(&mut self, notation: Notation, span: Span) {
        self.hint(notation);
        if self.depth > 0 {
            return;
        }
        match notation {
            Notation::Prefix => self.found.prefix.get_or_insert(span),
            Notation::Infix => self.found.infix.get_or_insert(span),
        };
    }
}

/// Whether a word before a bracket can be a name with arguments, and not a number behind which somebody
/// forgot a blank.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '\''))
}

/// Whether what follows a bracket outside of all others is a rule of prefix or an atom with arguments,
/// and cannot be a formula in brackets.
fn is_clause(rest: &[u8]) -> bool {
    if rest.starts_with(b"<=") {
        return list_notation(rest) == Some(Notation::Prefix);
    }
    let blank = |b: &u8| b.is_ascii_whitespace();
    let start = rest.iter().position(|b| !blank(b)).unwrap_or(rest.len());
    let word = &rest[start..];
    let length = word.iter().position(|b| blank(b) || b"();,&~|='".contains(b)).unwrap_or(word.len());
    let (name, after) = word.split_at(length);
    let is_name = name.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80);
    if !is_name || name == b"not" || name.ends_with(b":") {
        return false;
    }
    let gap = after.iter().position(|b| !blank(b)).unwrap_or(after.len());
    match after.get(gap) {
        Some(b'(') => gap > 0,
        Some(b'?') => gap > 0,
        // Of a second name it matters that it is not the next atom, whose `&` was forgotten.
        Some(b) if gap > 0 && (b.is_ascii_alphanumeric() || *b >= 0x80) => {
            let next = &after[gap..];
            let end = next.iter().position(|b| blank(b) || b"();,&~|='".contains(b)).unwrap_or(next.len());
            matches!(next.get(end), Some(b')') | Some(b';')) || next.get(end).is_some_and(blank)
        }
        _ => false,
    }
}

/// What the text after a leading `(` tells: a list `(name argument ...)`, or a formula in brackets.
fn list_notation(rest: &[u8]) -> Option<Notation> {
    let blank = |b: &u8| b.is_ascii_whitespace();
    let start = rest.iter().position(|b| !blank(b))?;
    let word = &rest[start..];
    let length = word.iter().position(|b| blank(b) || b"();,&~".contains(b)).unwrap_or(word.len());
    if length == 0 {
        return (word.first() == Some(&b'~')).then_some(Notation::Infix);
    }
    if word.starts_with(b"'") || is_quantifier(&word[..length]) {
        return Some(Notation::Infix);
    }
    if word.starts_with(b"<=") {
        return Some(Notation::Prefix);
    }
    let after = &word[length..];
    let gap = after.iter().position(|b| !blank(b)).unwrap_or(after.len());
    if after[gap..].starts_with(b"=>") || after[gap..].starts_with(b"<=>") {
        return Some(Notation::Infix);
    }
    match after.get(gap) {
        Some(b'(') if gap == 0 => Some(Notation::Infix),
        Some(b'&' | b',' | b'~') => Some(Notation::Infix),
        Some(b'|' | b'=' | b'!') if after.get(gap + 1).is_some_and(|b| blank(b) || *b == b'=') => {
            Some(Notation::Infix)
        }
        Some(_) => Some(Notation::Prefix),
        None => None,
    }
}

/// Whether this is `AX:` or the like, whose variable starts with a capital.
fn is_quantifier(word: &[u8]) -> bool {
    let signs: [&[u8]; 4] = [b"A", b"E", "∀".as_bytes(), "∃".as_bytes()];
    let variable = signs.iter().find_map(|sign| word.strip_prefix(*sign)?.strip_suffix(b":"));
    variable.and_then(<[u8]>::first).is_some_and(|b| b.is_ascii_uppercase() || *b == b'_' || *b >= 0x80)
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|b| matches!(b, b'\n' | b'\r')).map_or(bytes.len(), |n| from + n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_telling_sign_decides() {
        for (text, expected) in [
            ("(role white)", Notation::Prefix),
            ("\u{feff}; p :- q\n(<= p q)", Notation::Prefix),
            ("% (role a)\nrole(white)", Notation::Infix),
            ("role(white)", Notation::Infix),
            ("open\nterminal :- ~open", Notation::Infix),
            ("terminal ⇐ open", Notation::Infix),
            ("thing1\n(thing 2)", Notation::Prefix),
            ("(p | q) & r", Notation::Infix),
            ("(p(a) | q)", Notation::Infix),
            ("(X=Y) => p(X)", Notation::Infix),
            ("(AX: p(X)) | q(a)", Notation::Infix),
            ("('a b' | c) & d", Notation::Infix),
            ("(p => q) | r", Notation::Infix),
            ("(p <=> q) | r", Notation::Infix),
            ("(AX: (p(X) => q(X,X)))", Notation::Infix),
            ("(∃X: p(X))", Notation::Infix),
            ("(=> p q)", Notation::Prefix),
            ("(<=> p q)", Notation::Prefix),
            ("(forall (?x) (p ?x))", Notation::Prefix),
            ("(exists ?x p)", Notation::Prefix),
            ("(not (p a))", Notation::Prefix),
            ("'a b'(c)", Notation::Infix),
            ("(|a :- b| c)", Notation::Prefix),
            ("(terminal)", Notation::Prefix),
            ("?x", Notation::Prefix),
            ("p", Notation::Infix),
            ("", Notation::Infix),
            ("'", Notation::Infix),
        ] {
            assert_eq!(detect_notation(text), expected, "{text}");
        }
    }

    fn mixture(text: &str, forced: Option<Notation>) -> Option<(usize, bool)> {
        let survey = Survey::of(text, forced);
        let found = survey.mixture(forced.or(survey.notation())?)?;
        Some((found.span.start as usize, found.labels.is_empty()))
    }

    #[test]
    fn clauses_of_the_other_notation_are_found() {
        assert_eq!(mixture("(role a)\n(init p)\nterminal :- touch(x).", None), Some((27, false)));
        assert_eq!(mixture("(role a)\nrole(b)", None), Some((9, false)));
        assert_eq!(mixture("role(b)\n(role a)", None), Some((8, false)));
        assert_eq!(mixture("role(b)\n(<= (p ?x) (q ?x))", None), Some((8, false)));
        assert_eq!(mixture("(role a)", Some(Notation::Infix)), Some((0, true)));
        assert_eq!(mixture("p :- q", Some(Notation::Prefix)), Some((2, true)));
        // What stands in brackets, names and comments tells nothing.
        for text in [
            "(<= terminal(true p))",
            "(<= (p ?x)(q ?x) (:- a(b)))",
            "(p a) ; q(a)\n(p |q :- r|) |s(a)|",
            "(p %a b)\n(q c)",
            "(p 'a)\n(q b')",
        ] {
            assert_eq!(mixture(text, None), None, "{text}");
        }
        for text in
            ["p(a) % (q b)\n", "p(X) :-\n  (q | r) &\n  (X = 1)\n", "'p (q r)'(a)\n", "p(a)\n(q | r) & s"]
        {
            assert_eq!(mixture(text, None), None, "{text}");
        }
    }

    #[test]
    fn a_million_marks_are_no_problem() {
        for part in ["'", "|", "(", ")", "'|", "\\'", "?|", "%", "p(", "(a b"] {
            detect_notation(&part.repeat(1_000_000));
        }
    }
}
