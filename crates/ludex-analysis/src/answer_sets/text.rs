//! Reads ground answer set programs.

use super::program::{Atom, Choice, Head, Program, Rule};

/// Why a text is no ground answer set program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramTextError {
    /// Something stands where something else must.
    #[error("line {line}: expected {expected}, found `{found}`")]
    Unexpected {
        /// The line, from 1.
        line: usize,
        /// What could stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// The text ends too early.
    #[error("expected {expected} at the end")]
    End {
        /// What is missing.
        expected: &'static str,
    },
    /// A variable; only programs without variables are read.
    #[error("line {line}: `{name}` is a variable, and only programs without variables are read")]
    Variable {
        /// The line, from 1.
        line: usize,
        /// The variable.
        name: String,
    },
}

impl Program {
    /// Reads a program without variables, as the book prints them (`p2 :- b1 & ~p1`) or as answer set
    /// solvers do (`p2 :- b1, not p1.`). Choices are `1 {a; b} 1 :- c.`; `%` begins a comment. The period
    /// at the end of a rule may be left out.
    ///
    /// # Errors
    /// [`ProgramTextError`].
    pub fn read(text: &str) -> Result<Self, ProgramTextError> {
        let mut reader = Reader { tokens: tokens(text), at: 0, program: Program::new() };
        while reader.at < reader.tokens.len() {
            reader.rule()?;
        }
        Ok(reader.program)
    }
}

struct Token<'t> {
    text: &'t str,
    line: usize,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line_text = line.split('%').next().unwrap_or_default();
        let mut rest = line_text.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()) {
                0 if rest.starts_with(":-") => 2,
                0 => first.len_utf8(),
                word => word,
            };
            found.push(Token { text: &rest[..length], line: number + 1 });
            rest = rest[length..].trim_start();
        }
    }
    found
}

struct Reader<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    program: Program,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).map(|token| token.text)
    }

    fn accept(&mut self, texts: &[&str]) -> bool {
        let found = self.peek().is_some_and(|text| texts.contains(&text));
        self.at += usize::from(found);
        found
    }

    fn wrong(&self, expected: &'static str) -> ProgramTextError {
        match self.tokens.get(self.at) {
            Some(token) => {
                ProgramTextError::Unexpected { line: token.line, expected, found: token.text.to_owned() }
            }
            None => ProgramTextError::End { expected },
        }
    }

    fn rule(&mut self) -> Result<(), ProgramTextError> {
        let head = match self.peek() {
            Some(":-") => Head::Constraint,
            Some(text) if text == "{" || number(text).is_some() => Head::Choice(self.choice()?),
            _ => Head::Atom(self.atom()?),
        };
        let mut rule = Rule { head, positive: Vec::new(), negative: Vec::new() };
        if self.accept(&[":-"]) {
            // A constraint without a body has no models.
            let is_empty = rule.head == Head::Constraint && self.peek() == Some(".");
            if !is_empty {
                self.body(&mut rule)?;
            }
        }
        self.accept(&["."]);
        self.program.rule(rule);
        Ok(())
    }

    fn body(&mut self, rule: &mut Rule) -> Result<(), ProgramTextError> {
        loop {
            let negated = self.accept(&["not", "~"]);
            let atom = self.atom()?;
            if negated {
                rule.negative.push(atom)
            } else {
                rule.positive.push(atom)
            }
            if !self.accept(&[",", "&"]) {
                return Ok(());
            }
        }
    }

    fn choice(&mut self) -> Result<Choice, ProgramTextError> {
        let at_least = self.number().unwrap_or(0);
        if !self.accept(&["{"]) {
            return Err(self.wrong("`{`"));
        }
        let mut atoms = Vec::new();
        while !self.accept(&["}"]) {
            atoms.push(self.atom()?);
            if !self.accept(&[";", ","]) && self.peek() != Some("}") {
                return Err(self.wrong("`;` or `}`"));
            }
        }
        Ok(Choice { atoms, at_least, at_most: self.number() })
    }

    fn number(&mut self) -> Option<usize> {
        let found = self.peek().and_then(number);
        self.at += usize::from(found.is_some());
        found
    }

    /// An atom; its name is its text without blanks.
    fn atom(&mut self) -> Result<Atom, ProgramTextError> {
        let mut name = self.word()?.to_owned();
        let mut depth = 0_usize;
        if self.peek() == Some("(") {
            loop {
                let Some(text) = self.peek() else { return Err(self.wrong("`)`")) };
                match text {
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    "," | "-" => {}
                    _ if number(text).is_some() => {}
                    _ => {
                        self.word()?;
                        self.at -= 1;
                    }
                }
                name.push_str(text);
                self.at += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        Ok(self.program.atom(&name))
    }

    /// A name that begins with a small letter.
    fn word(&mut self) -> Result<&'t str, ProgramTextError> {
        let Some(token) = self.tokens.get(self.at) else { return Err(self.wrong("an atom")) };
        let (text, line) = (token.text, token.line);
        let Some(first) = text.chars().find(|&c| c != '_') else {
            return Err(self.wrong("an atom"));
        };
        if first.is_uppercase() {
            return Err(ProgramTextError::Variable { line, name: text.to_owned() });
        }
        if !first.is_alphabetic() || text == "not" {
            return Err(self.wrong("an atom"));
        }
        self.at += 1;
        Ok(text)
    }
}

fn number(text: &str) -> Option<usize> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}
