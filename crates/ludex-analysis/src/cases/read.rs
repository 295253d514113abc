//! Text to cases. What cannot be read is said with its place, and the lines after it are read all the same.

use std::sync::Arc;

use ludex_game::{split_outside, split_words};
use ludex_gdl::{Diagnostic, SYNTAX, Severity, Source, Span};

use super::{Case, CaseFile, Joints, Line, OPEN, Quantity, Statement, Subject, Word};

/// A longer file is not read: places are 32 bits.
const LONGEST: usize = 16 << 20;

impl CaseFile {
    /// Reads a file of cases.
    ///
    /// # Errors
    /// What is wrong with it, in the order of the text.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use ludex_analysis::cases::CaseFile;
    /// use ludex_gdl::Source;
    ///
    /// let text = "case the start\n  not terminal\n  perft 1 9\n";
    /// let file = CaseFile::read(Arc::new(Source::new("my-game.cases", text))).unwrap();
    /// assert_eq!((file.cases[0].name.as_str(), file.cases[0].statements.len()), ("the start", 2));
    ///
    /// let wrong = CaseFile::read(Arc::new(Source::new("my-game.cases", "case a\n  leagl white noop\n")));
    /// assert!(wrong.unwrap_err()[0].message.contains("`leagl`"));
    /// ```
    pub fn read(source: Arc<Source>) -> Result<Self, Vec<Diagnostic>> {
        if source.text().len() > LONGEST {
            return Err(vec![error(Span::default(), format!("the file has more than {LONGEST} bytes"))]);
        }
        let mut reader = Reader { text: source.text(), cases: Vec::new(), errors: Vec::new() };
        for (start, line) in logical_lines(source.text()) {
            reader.line(start, line);
        }
        let Reader { cases, errors, .. } = reader;
        if errors.is_empty() { Ok(Self { source, cases }) } else { Err(errors) }
    }
}

/// The lines that say something, each with its place: a line goes on while a bracket is open, and after some signs.
fn logical_lines(text: &str) -> Vec<(usize, &str)> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    let mut begun: Option<(usize, usize)> = None;
    let (mut at, mut end) = (0, 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with('#') || trimmed.is_empty() {
            // A line does not go on over an empty one or a comment: what is missing was forgotten.
            if let Some((from, _)) = begun.take() {
                found.push((from, &text[from..end]));
            }
            continue;
        }
        let first = start + (line.len() - line.trim_start().len());
        let (from, depth) = begun.unwrap_or((first, 0));
        // A line that begins a case was not meant to go on the line before.
        let (from, depth) = if depth > 0 && trimmed.split_whitespace().next() == Some("case") {
            found.push((from, &text[from..end]));
            (first, 0)
        } else {
            (from, depth)
        };
        let depth = depth_after(depth, trimmed);
        end = start + line.trim_end().len();
        let is_name = trimmed.split_whitespace().next() == Some("case");
        if !is_name && (depth > 0 || trimmed.ends_with([',', ';', ':'])) {
            begun = Some((from, depth));
        } else {
            begun = None;
            found.push((from, &text[from..end]));
        }
    }
    if let Some((from, _)) = begun {
        found.push((from, &text[from..end]));
    }
    found
}

/// How many brackets are open after a line.
fn depth_after(before: usize, line: &str) -> usize {
    let (mut depth, mut quoted) = (before, false);
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

struct Reader<'t> {
    text: &'t str,
    cases: Vec<Case>,
    errors: Vec<Diagnostic>,
}

/// What a line begins with, with what follows and an example.
const LINES: [(&str, &str); 18] = [
    ("moves", "moves mark(1,1) noop; noop mark(2,2)"),
    ("facts", "facts cell(1,1,x), control(white)"),
    ("does", "does mark(1,1) noop"),
    ("legal", "legal white mark(1,1), mark(1,2)"),
    ("true", "true cell(1,1,x)"),
    ("next", "next cell(1,1,x)"),
    ("sees", "sees white refused"),
    ("not", "not legal white mark(1,1)"),
    ("all", "all legal white noop"),
    ("terminal", "terminal"),
    ("goal", "goal white 100"),
    ("perft", "perft 3 504"),
    ("wins", "wins white mark(1,1); mark(2,1)"),
    ("always", "always true(control(R))"),
    ("never", "never line(x) & line(o)"),
    ("after", "after does(R,mark(M,N)) : ~true(cell(M,N,b))"),
    ("ends", "ends"),
    ("playable", "playable"),
];

impl<'t> Reader<'t> {
    fn line(&mut self, start: usize, line: &'t str) {
        let span = Span::new(start, start + line.len());
        let (first, rest) = first_word(line);
        if first == "case" {
            if rest.is_empty() {
                self.errors.push(error(span, "the case has no name").hint("as in `case the first move`"));
            }
            self.cases.push(Case { name: rest.to_owned(), span, statements: Vec::new() });
            return;
        }
        if self.cases.is_empty() {
            let message = format!("`{first}` stands before the first case");
            self.errors.push(error(self.word(first).span, message).hint("a line `case NAME` begins one"));
            return;
        }
        match self.statement(first, rest) {
            Ok(line) => {
                // There is a case: that was looked at first.
                if let Some(case) = self.cases.last_mut() {
                    case.statements.push(Statement { line, span });
                }
            }
            Err(diagnostic) => self.errors.push(diagnostic),
        }
    }

    /// A part of the text with its place.
    fn word(&self, part: &str) -> Word {
        // All parts are slices of the text.
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        Word { text: part.to_owned(), span: Span::new(start, start + part.len()) }
    }

    fn words(&self, text: &str) -> Vec<Word> {
        split_words(text).map(|word| self.word(word)).collect()
    }

    fn joints(&self, text: &str) -> Joints {
        let joints = split_outside(text, |c| matches!(c, ';' | '\n')).map(|joint| self.words(joint));
        joints.filter(|joint| !joint.is_empty()).collect()
    }

    fn statement(&self, first: &str, rest: &str) -> Result<Line, Diagnostic> {
        let (quantity, keyword, rest) = match first {
            "not" | "all" => {
                let quantity = if first == "not" { Quantity::None } else { Quantity::All };
                let (keyword, rest) = first_word(rest);
                (quantity, keyword, rest)
            }
            _ => (Quantity::Some, first, rest),
        };
        let at = self.word(first);
        match (keyword, quantity) {
            ("legal", _) => {
                let (role, terms) = self.role_and(rest, &at)?;
                self.terms(Subject::Legal(role), quantity, terms, &at)
            }
            ("sees", _) => {
                let (role, terms) = self.role_and(rest, &at)?;
                self.terms(Subject::Percepts(role), quantity, terms, &at)
            }
            ("true", _) => self.terms(Subject::Facts, quantity, rest, &at),
            ("next", _) => self.terms(Subject::Next, quantity, rest, &at),
            ("terminal", Quantity::Some | Quantity::None) => {
                self.nothing_after(rest, Line::Terminal(quantity == Quantity::Some))
            }
            (_, Quantity::Some) => self.plain(keyword, rest, &at),
            _ => {
                let message = format!("`{first}` does not stand before `{keyword}`");
                Err(error(at.span, message)
                    .hint("it stands before legal, true, next and sees; `not` before terminal"))
            }
        }
    }

    /// A line that has neither `not` nor `all`.
    fn plain(&self, keyword: &str, rest: &str, at: &Word) -> Result<Line, Diagnostic> {
        match keyword {
            "moves" => self.some(self.joints(rest), at).map(Line::Moves),
            "facts" => Ok(Line::Facts(self.words(rest))),
            "does" => match &self.joints(rest)[..] {
                [joint] => Ok(Line::Does(joint.clone())),
                _ => Err(wants(at, "does")),
            },
            "goal" => match <[Word; 2]>::try_from(self.words(rest)) {
                Ok([role, value]) if is_goal(&value.text) => Ok(Line::Goal { role, value }),
                _ => Err(wants(at, "goal")),
            },
            "perft" => self.perft(rest, at),
            "wins" => {
                let (role, moves) = self.role_and(rest, at)?;
                Ok(Line::Wins(role, self.some(self.joints(moves), at)?))
            }
            "always" => self.formula(rest, at).map(Line::Always),
            "never" => self.formula(rest, at).map(Line::Never),
            "after" => self.after(rest, at),
            "ends" => self.nothing_after(rest, Line::Ends),
            "playable" => self.nothing_after(rest, Line::Playable),
            _ => {
                let names: Vec<&str> = LINES.iter().map(|(name, _)| *name).collect();
                let message = format!("a line does not begin with `{keyword}`");
                Err(error(at.span, message)
                    .hint(format!("a case has lines that begin with {}", names.join(", "))))
            }
        }
    }

    fn role_and<'a>(&self, rest: &'a str, at: &Word) -> Result<(Word, &'a str), Diagnostic> {
        // A role may be any term.
        match split_words(rest).next() {
            Some(role) => {
                let after = (role.as_ptr() as usize) - (rest.as_ptr() as usize) + role.len();
                Ok((self.word(role), rest.get(after..).unwrap_or_default()))
            }
            None => Err(wants(at, &at.text)),
        }
    }

    fn terms(&self, subject: Subject, quantity: Quantity, rest: &str, at: &Word) -> Result<Line, Diagnostic> {
        let terms = self.words(rest);
        // There may be none in all.
        if terms.is_empty() && quantity != Quantity::All {
            return Err(wants(at, &at.text));
        }
        if let Some(open) = terms.iter().find(|term| term.text == OPEN)
            && (quantity != Quantity::All || terms.len() > 1)
        {
            return Err(error(open.span, "`?` stands for all terms of a line that begins with `all`"));
        }
        Ok(Line::Terms(subject, quantity, terms))
    }

    fn perft(&self, rest: &str, at: &Word) -> Result<Line, Diagnostic> {
        let Ok([depth, count]) = <[Word; 2]>::try_from(self.words(rest)) else {
            return Err(wants(at, "perft"));
        };
        if count.text != OPEN && count.text.parse::<u128>().is_err() {
            return Err(error(count.span, format!("`{}` is no number", count.text)).hint(example("perft")));
        }
        match depth.text.parse() {
            Ok(number) => Ok(Line::Perft { depth: number, count }),
            Err(_) => Err(error(depth.span, format!("`{}` is no depth", depth.text)).hint(example("perft"))),
        }
    }

    fn formula(&self, rest: &str, at: &Word) -> Result<Word, Diagnostic> {
        if rest.is_empty() { Err(wants(at, &at.text)) } else { Ok(self.word(rest)) }
    }

    fn after(&self, rest: &str, at: &Word) -> Result<Line, Diagnostic> {
        let parts: Vec<&str> = split_outside(rest, |c| c == ':').map(str::trim).collect();
        match parts[..] {
            [when, then] if !when.is_empty() && !then.is_empty() => {
                Ok(Line::After { when: self.word(when), then: self.word(then) })
            }
            _ => Err(wants(at, "after")),
        }
    }

    fn some(&self, joints: Joints, at: &Word) -> Result<Joints, Diagnostic> {
        if joints.is_empty() { Err(wants(at, &at.text)) } else { Ok(joints) }
    }

    fn nothing_after(&self, rest: &str, line: Line) -> Result<Line, Diagnostic> {
        if rest.is_empty() {
            return Ok(line);
        }
        Err(error(self.word(rest).span, "nothing follows here")
            .hint("a comment is a line of its own, after `#`"))
    }
}

fn is_goal(text: &str) -> bool {
    text == OPEN || text == "none" || text.parse::<u32>().is_ok()
}

/// The first word of a text, and the rest without blanks around it.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.find(char::is_whitespace) {
        Some(end) => (&text[..end], text[end..].trim_start()),
        None => (text, &text[text.len()..]),
    }
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(SYNTAX, Severity::Error, span, message)
}

fn example(keyword: &str) -> String {
    let found = LINES.iter().find(|(name, _)| *name == keyword);
    found.map_or_else(String::new, |(_, example)| format!("as in `{example}`"))
}

fn wants(at: &Word, keyword: &str) -> Diagnostic {
    error(at.span, format!("`{}` cannot stand like this", at.text)).hint(example(keyword))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CaseFile, Vec<String>> {
        let source = Arc::new(Source::new("x.cases", text));
        let show = |d: Diagnostic| format!("{} {}", source.position(d.span.start as usize), d.message);
        CaseFile::read(Arc::clone(&source)).map_err(|errors| errors.into_iter().map(show).collect())
    }

    #[test]
    fn lines_go_on_where_a_bracket_is_open_or_more_must_follow() {
        let text = "# one\ncase a b  c \r\n  moves mark(1,\n    1) noop;\n   noop mark(2,2)\n\n  legal 'x y' (f a) g\n";
        let file = read(text).unwrap();
        let [case] = &file.cases[..] else { panic!("{file:?}") };
        assert_eq!(case.name, "a b  c");
        let Line::Moves(joints) = &case.statements[0].line else { panic!("{case:?}") };
        assert_eq!(joints.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
        assert_eq!(file.source.slice(joints[1][1].span), "mark(2,2)");
        let Line::Terms(Subject::Legal(role), Quantity::Some, terms) = &case.statements[1].line else {
            panic!("{case:?}")
        };
        assert_eq!((role.text.as_str(), terms.len()), ("'x y'", 2));
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_place() {
        for (text, message) in [
            ("terminal\n", "1:1 `terminal` stands before the first case"),
            ("case\n", "1:1 the case has no name"),
            ("case a\n lgal x y", "2:2 a line does not begin with `lgal`"),
            ("case a\n legal x", "2:2 `legal` cannot stand like this"),
            ("case a\n legal", "2:2 `legal` cannot stand like this"),
            ("case a\n not goal x 1", "2:2 `not` does not stand before `goal`"),
            ("case a\n all terminal", "2:2 `all` does not stand before `terminal`"),
            ("case a\n not", "2:2 `not` does not stand before ``"),
            ("case a\n perft x 1", "2:8 `x` is no depth"),
            ("case a\n perft 1 x", "2:10 `x` is no number"),
            ("case a\n goal x much", "2:2 `goal` cannot stand like this"),
            ("case a\n after p", "2:2 `after` cannot stand like this"),
            ("case a\n never", "2:2 `never` cannot stand like this"),
            ("case a\n moves ;", "2:2 `moves` cannot stand like this"),
            ("case a\n does a; b", "2:2 `does` cannot stand like this"),
            ("case a\n terminal # so", "2:11 nothing follows here"),
            ("case a\n legal x ?", "2:10 `?` stands for all terms of a line that begins with `all`"),
        ] {
            assert_eq!(read(text).unwrap_err(), [message], "{text}");
        }
    }

    #[test]
    fn an_open_bracket_does_not_swallow_the_next_case() {
        let file = read("case a\n true p(\ncase b\n terminal\n").unwrap();
        assert_eq!(file.cases.iter().map(|case| case.statements.len()).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn any_text_is_read_or_refused() {
        let parts = [
            "case", "moves", "all", "legal", "not", " ", "(", ")", "'", ";", ":", "\n", "#", "é", "?", "\r",
            "perft 1",
        ];
        let mut state = 1u64;
        for _ in 0..3000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(parts[(state >> 33) as usize % parts.len()]);
            }
            if let Ok(file) = read(&text) {
                for statement in file.cases.iter().flat_map(|case| &case.statements) {
                    assert!(!file.source.slice(statement.span).is_empty(), "{text}");
                }
            }
        }
    }
}
