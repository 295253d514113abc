//! Reads programs.

use super::ProgramTextError;
use super::lexer::Token;
use super::syntax::{
    AtomText, Comparison, Element, HeadText, Literal, Operation, Place, ProgramText, RuleText, Term,
};

/// Terms nest no deeper than this.
const DEEPEST: usize = 200;

pub(super) struct Reader<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    /// The variables of the rule that is read.
    variables: Vec<Box<str>>,
    depth: usize,
    program: ProgramText,
}

impl<'t> Reader<'t> {
    pub(super) fn new(tokens: Vec<Token<'t>>) -> Self {
        Self { tokens, at: 0, variables: Vec::new(), depth: 0, program: ProgramText::default() }
    }

    pub(super) fn program(mut self) -> Result<ProgramText, ProgramTextError> {
        while let Some(text) = self.peek() {
            match text.strip_prefix('#') {
                Some(directive) => self.directive(directive)?,
                None => self.rule()?,
            }
        }
        Ok(self.program)
    }

    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).map(|token| token.text)
    }

    fn place(&self) -> Place {
        let last = self.tokens.get(self.at).or(self.tokens.last());
        last.map_or(Place { line: 1, column: 1 }, |token| token.place)
    }

    fn accept(&mut self, texts: &[&str]) -> bool {
        let found = self.peek().is_some_and(|text| texts.contains(&text));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str, expected: &'static str) -> Result<(), ProgramTextError> {
        if self.accept(&[text]) { Ok(()) } else { Err(self.wrong(expected)) }
    }

    fn wrong(&self, expected: &'static str) -> ProgramTextError {
        match self.tokens.get(self.at) {
            Some(token) => {
                ProgramTextError::Unexpected { place: token.place, expected, found: token.text.to_owned() }
            }
            None => ProgramTextError::End { expected },
        }
    }

    fn directive(&mut self, name: &str) -> Result<(), ProgramTextError> {
        let place = self.place();
        self.at += 1;
        match name {
            "const" => {
                let constant: Box<str> = self.word()?.into();
                self.expect("=", "`=`")?;
                let term = self.term()?;
                self.program.constants.push((constant, term, place));
            }
            "show" if self.peek() == Some(".") => drop(self.program.shown.get_or_insert_default()),
            "show" | "defined" => {
                let relation = self.word()?.into();
                self.expect("/", "`/`")?;
                let arity = self.number().ok_or_else(|| self.wrong("a number of arguments"))?;
                if name == "show" {
                    self.program.shown.get_or_insert_default().push((relation, arity as usize));
                }
            }
            _ => return Err(ProgramTextError::Directive { place, name: name.to_owned() }),
        }
        self.expect(".", "`.`")
    }

    fn rule(&mut self) -> Result<(), ProgramTextError> {
        self.variables.clear();
        let place = self.place();
        let head = match self.peek() {
            Some(":-") => HeadText::Constraint,
            Some(text) if text == "{" || (self.is_bound(text) && !self.is_atom_next()) => self.choice()?,
            _ => HeadText::Atom(self.atom()?),
        };
        let mut body = Vec::new();
        if self.accept(&[":-"]) {
            // A constraint without a body has no models.
            let is_empty = head == HeadText::Constraint && self.peek() == Some(".");
            if !is_empty {
                body = self.literals(&[",", "&"])?;
            }
        }
        self.accept(&["."]);
        let variables = std::mem::take(&mut self.variables);
        self.program.rules.push(RuleText { head, body, variables, place });
        Ok(())
    }

    /// Whether a text is the lower bound of a choice: a number, or what stands for one.
    fn is_bound(&self, text: &str) -> bool {
        number(text).is_some() || self.program.constants.iter().any(|(name, ..)| &**name == text)
    }

    /// Whether a name with arguments follows, or the name of a rule's head.
    fn is_atom_next(&self) -> bool {
        let next = self.tokens.get(self.at + 1).map(|token| token.text);
        self.peek().is_some_and(|text| number(text).is_none()) && next != Some("{")
    }

    fn choice(&mut self) -> Result<HeadText, ProgramTextError> {
        let at_least = match self.peek() {
            Some("{") => None,
            _ => Some(self.simple()?),
        };
        self.expect("{", "`{`")?;
        let mut elements = Vec::new();
        while !self.accept(&["}"]) {
            let atom = self.atom()?;
            let condition = if self.accept(&[":"]) { self.literals(&[","])? } else { Vec::new() };
            elements.push(Element { atom, condition });
            if !self.accept(&[";", ","]) && self.peek() != Some("}") {
                return Err(self.wrong("`;` or `}`"));
            }
        }
        let at_most = self.number().map(Term::Number);
        Ok(HeadText::Choice { at_least, elements, at_most })
    }

    fn literals(&mut self, separators: &[&str]) -> Result<Vec<Literal>, ProgramTextError> {
        let mut literals = vec![self.literal()?];
        while self.accept(separators) {
            literals.push(self.literal()?);
        }
        Ok(literals)
    }

    fn literal(&mut self) -> Result<Literal, ProgramTextError> {
        if self.accept(&["not", "~"]) {
            return Ok(Literal::Negative(self.atom()?));
        }
        let (place, begin) = (self.place(), self.at);
        let starts_atom =
            self.peek().is_some_and(|text| text.chars().any(char::is_alphanumeric) || text == "-");
        if !starts_atom || self.peek() == Some("not") {
            return Err(self.wrong("an atom"));
        }
        let one = self.term()?;
        if let Some(comparison) = self.peek().and_then(comparison) {
            self.at += 1;
            let other = self.range()?;
            return Ok(Literal::Compare(comparison, Box::new([one, other]), place));
        }
        let atom = match one {
            Term::Name(name) => AtomText { name, arguments: Vec::new(), place },
            Term::Function(name, arguments) => AtomText { name, arguments, place },
            _ => {
                self.at = begin;
                return Err(self.wrong("an atom"));
            }
        };
        Ok(Literal::Positive(atom))
    }

    fn atom(&mut self) -> Result<AtomText, ProgramTextError> {
        let place = self.place();
        let name = self.word()?.into();
        let arguments = self.arguments()?;
        Ok(AtomText { name, arguments, place })
    }

    fn arguments(&mut self) -> Result<Vec<Term>, ProgramTextError> {
        let mut arguments = Vec::new();
        if self.accept(&["("]) {
            loop {
                arguments.push(self.range()?);
                if !self.accept(&[","]) {
                    break;
                }
            }
            self.expect(")", "`)`")?;
        }
        Ok(arguments)
    }

    /// A term or an interval.
    fn range(&mut self) -> Result<Term, ProgramTextError> {
        let first = self.term()?;
        if self.accept(&[".."]) { Ok(Term::Range(Box::new([first, self.term()?]))) } else { Ok(first) }
    }

    fn term(&mut self) -> Result<Term, ProgramTextError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ProgramTextError::Deep { place: self.place() });
        }
        let mut term = self.product()?;
        while let Some(operation) = self.operation(&[("+", Operation::Plus), ("-", Operation::Minus)]) {
            term = Term::Operation(operation, Box::new([term, self.product()?]));
        }
        self.depth -= 1;
        Ok(term)
    }

    fn product(&mut self) -> Result<Term, ProgramTextError> {
        let signs = [("*", Operation::Times), ("/", Operation::Divide), ("\\", Operation::Modulo)];
        let mut term = self.simple()?;
        while let Some(operation) = self.operation(&signs) {
            term = Term::Operation(operation, Box::new([term, self.simple()?]));
        }
        Ok(term)
    }

    fn operation(&mut self, signs: &[(&str, Operation)]) -> Option<Operation> {
        let found = signs.iter().find(|(sign, _)| self.peek() == Some(*sign))?;
        self.at += 1;
        Some(found.1)
    }

    fn simple(&mut self) -> Result<Term, ProgramTextError> {
        let Some(text) = self.peek() else { return Err(self.wrong("a term")) };
        if text == "-" {
            self.at += 1;
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(ProgramTextError::Deep { place: self.place() });
            }
            let term = self.simple()?;
            self.depth -= 1;
            return Ok(match term {
                Term::Number(number) => Term::Number(-number),
                other => Term::Operation(Operation::Minus, Box::new([Term::Number(0), other])),
            });
        }
        if self.accept(&["("]) {
            let term = self.term()?;
            self.expect(")", "`)`")?;
            return Ok(term);
        }
        if let Some(number) = self.number() {
            return Ok(Term::Number(number));
        }
        if text.starts_with('"') && text.len() > 1 && text.ends_with('"') {
            self.at += 1;
            return Ok(Term::Name(text.into()));
        }
        let first = text.chars().find(|&c| c != '_');
        if text == "_" || first.is_some_and(char::is_uppercase) {
            self.at += 1;
            return Ok(Term::Variable(self.variable(text)));
        }
        let name = self.word_as("a term")?.into();
        let arguments = self.arguments()?;
        Ok(if arguments.is_empty() { Term::Name(name) } else { Term::Function(name, arguments) })
    }

    /// The number of a variable; `_` is another one each time.
    fn variable(&mut self, name: &str) -> u32 {
        let known = self.variables.iter().position(|known| &**known == name && name != "_");
        known.unwrap_or_else(|| {
            self.variables.push(name.into());
            self.variables.len() - 1
        }) as u32
    }

    fn number(&mut self) -> Option<i64> {
        let found = self.peek().and_then(number);
        self.at += usize::from(found.is_some());
        found
    }

    /// A name that begins with a small letter.
    fn word(&mut self) -> Result<&'t str, ProgramTextError> {
        self.word_as("an atom")
    }

    fn word_as(&mut self, expected: &'static str) -> Result<&'t str, ProgramTextError> {
        let Some(text) = self.peek() else { return Err(self.wrong(expected)) };
        let first = text.chars().find(|&c| c != '_');
        if text == "not" || !first.is_some_and(|first| first.is_alphabetic() && !first.is_uppercase()) {
            return Err(self.wrong(expected));
        }
        self.at += 1;
        Ok(text)
    }
}

fn number(text: &str) -> Option<i64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn comparison(text: &str) -> Option<Comparison> {
    Some(match text {
        "=" | "==" => Comparison::Equal,
        "!=" | "<>" => Comparison::Different,
        "<" => Comparison::Less,
        "<=" => Comparison::AtMost,
        ">" => Comparison::More,
        ">=" => Comparison::AtLeast,
        _ => return None,
    })
}
