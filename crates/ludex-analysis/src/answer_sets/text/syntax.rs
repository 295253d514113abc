//! The parts of a program as they are written.

/// A place in a text, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// What numbers are reckoned with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::answer_sets) enum Operation {
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::answer_sets) enum Term {
    Number(i64),
    /// A name, which `#const` may stand for something else.
    Name(Box<str>),
    /// By its number in the rule.
    Variable(u32),
    Function(Box<str>, Vec<Term>),
    Operation(Operation, Box<[Term; 2]>),
    /// `1..3`: each number from the first to the second.
    Range(Box<[Term; 2]>),
}

impl Term {
    /// Calls `each` for every term in this one, itself included.
    pub(in crate::answer_sets) fn visit(&self, each: &mut dyn FnMut(&Term)) {
        each(self);
        match self {
            Term::Function(_, parts) => parts.iter().for_each(|part| part.visit(each)),
            Term::Operation(_, parts) | Term::Range(parts) => parts.iter().for_each(|part| part.visit(each)),
            Term::Number(_) | Term::Name(_) | Term::Variable(_) => {}
        }
    }

    /// Its variables.
    pub(in crate::answer_sets) fn variables(&self) -> Vec<u32> {
        let mut found = Vec::new();
        self.visit(&mut |term| {
            if let Term::Variable(number) = term {
                found.push(*number);
            }
        });
        found
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::answer_sets) struct AtomText {
    pub name: Box<str>,
    pub arguments: Vec<Term>,
    pub place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::answer_sets) enum Comparison {
    Equal,
    Different,
    Less,
    AtMost,
    More,
    AtLeast,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::answer_sets) enum Literal {
    Positive(AtomText),
    Negative(AtomText),
    Compare(Comparison, Box<[Term; 2]>, Place),
}

/// `does(M) : legal(M)` in a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::answer_sets) struct Element {
    pub atom: AtomText,
    pub condition: Vec<Literal>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::answer_sets) enum HeadText {
    Constraint,
    Atom(AtomText),
    Choice { at_least: Option<Term>, elements: Vec<Element>, at_most: Option<Term> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::answer_sets) struct RuleText {
    pub head: HeadText,
    pub body: Vec<Literal>,
    /// The names of the variables.
    pub variables: Vec<Box<str>>,
    pub place: Place,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub(in crate::answer_sets) struct ProgramText {
    pub rules: Vec<RuleText>,
    /// What names stand for.
    pub constants: Vec<(Box<str>, Term, Place)>,
    /// The relations that are shown, by name and number of arguments; all where nothing is said.
    pub shown: Option<Vec<(Box<str>, usize)>>,
}

impl ProgramText {
    /// Whether there is nothing to be made of it: no variables, nothing to reckon, no conditions.
    pub(in crate::answer_sets) fn is_ground(&self) -> bool {
        let mut is_plain = self.constants.is_empty() && self.shown.is_none();
        let mut look = |atom: &AtomText| {
            for term in &atom.arguments {
                term.visit(&mut |part| {
                    is_plain &= matches!(part, Term::Number(_) | Term::Name(_) | Term::Function(..))
                });
            }
        };
        let mut is_simple = true;
        for rule in &self.rules {
            for literal in &rule.body {
                match literal {
                    Literal::Positive(atom) | Literal::Negative(atom) => look(atom),
                    Literal::Compare(..) => is_simple = false,
                }
            }
            match &rule.head {
                HeadText::Constraint => {}
                HeadText::Atom(atom) => look(atom),
                HeadText::Choice { elements, .. } => {
                    is_simple &= elements.iter().all(|element| element.condition.is_empty());
                    elements.iter().for_each(|element| look(&element.atom));
                }
            }
        }
        is_plain && is_simple
    }
}
