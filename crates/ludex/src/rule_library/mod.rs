//! Libraries of rules: what many games say alike, to be put into a rulesheet.
//!
//! GDL has no way to include a file, and a rulesheet is to stay one text that every system reads. So to include a
//! library is to write its rules into the rulesheet, in the notation and with the sizes that are wanted, between two
//! comments by which they are found again ([`insert`]). A library consists of [`Part`]s, which define relations or
//! say how facts change; a part brings along the parts that it builds on.
//!
//! ```
//! use ludex::gdl::Notation;
//! use ludex::rule_library::{find, find_defining};
//!
//! let numbers = find("numbers").expect("there are numbers");
//! let values = numbers.values([("max", "3")])?;
//! let text = numbers.text(&values, Notation::Infix)?;
//! assert!(text.contains("succ(2,3)") && !text.contains("succ(3,4)"));
//! assert_eq!(find_defining("succ", 2).map(|library| library.name), Some("numbers"));
//! # Ok::<(), ludex::rule_library::RuleLibraryError>(())
//! ```

mod board;
mod cards;
mod cells;
mod chains;
mod dice;
mod goals;
mod insertion;
mod lines;
mod numbers;
mod parameter;
mod scores;
mod section;
mod selection;
mod steps;
mod turns;

use ludex_gdl::Notation;

pub use insertion::{Inserted, insert};
pub(crate) use parameter::is_name;
pub use parameter::{Parameter, ParameterKind, Value, Values};
pub(crate) use section::{comment, in_notation};
pub use selection::Selection;

/// A library of rules.
#[derive(Debug)]
pub struct Library {
    /// The name to ask for, such as `numbers`.
    pub name: &'static str,
    /// What it is about, in a few words.
    pub title: &'static str,
    /// What it is for and how it is used, in some sentences.
    pub explanation: &'static str,
    /// What can be chosen.
    pub parameters: &'static [Parameter],
    /// What it consists of, in an order in which it can be read.
    pub parts: &'static [Part],
    /// What its parts need of other libraries.
    needs: fn(&Values, &[&Part]) -> Vec<Need>,
    /// What the kinds and bounds of the parameters do not say: why some values do not go together.
    refusal: fn(&Values) -> Option<String>,
}

/// Some rules of a library that are of use without the others.
#[derive(Debug)]
pub struct Part {
    /// Its name: that of the relation it defines, or of what it is about.
    pub name: &'static str,
    /// The idea behind the rules, as a comment above them; may be empty.
    pub idea: &'static str,
    /// The relations that it defines.
    pub relations: &'static [Relation],
    /// Relations of the rulesheet's own that it asks.
    pub asks: &'static [Relation],
    /// The parts of the same library that it builds on.
    pub builds_on: &'static [&'static str],
    /// The rules in prefix notation.
    rules: fn(&Values) -> String,
}

/// A relation with its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Its name.
    pub name: &'static str,
    /// What its arguments are called where it is explained.
    pub arguments: &'static [&'static str],
    /// What it says of them.
    pub meaning: &'static str,
}

impl Relation {
    /// A relation.
    const fn new(name: &'static str, arguments: &'static [&'static str], meaning: &'static str) -> Self {
        Self { name, arguments, meaning }
    }

    /// The number of its arguments.
    pub fn arity(&self) -> usize {
        self.arguments.len()
    }

    /// The relation applied to its arguments: `(succ ?m ?n)`, `succ(M,N)`.
    pub fn text(&self, notation: Notation) -> String {
        match notation {
            _ if self.arguments.is_empty() => self.name.to_owned(),
            Notation::Prefix => {
                let arguments: Vec<String> =
                    self.arguments.iter().map(|argument| format!("?{}", argument.to_lowercase())).collect();
                format!("({} {})", self.name, arguments.join(" "))
            }
            Notation::Infix => format!("{}({})", self.name, self.arguments.join(",")),
        }
    }
}

/// What one library needs of another.
#[derive(Debug)]
struct Need {
    /// The other library.
    library: &'static str,
    /// The parts of it.
    parts: Vec<&'static str>,
    /// The values that its parameters get; of numbers called `max` the greatest of all that ask for it.
    values: Vec<(&'static str, Value)>,
}

/// Why rules of a library cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleLibraryError {
    /// There is no such library.
    #[error("there is no library `{0}`")]
    UnknownLibrary(String),
    /// A library has no such part.
    #[error("the library `{library}` has no part `{part}`; it has {known}")]
    UnknownPart {
        /// The library.
        library: &'static str,
        /// What was asked for.
        part: String,
        /// What there is.
        known: String,
    },
    /// None of the libraries that are wanted has such a parameter.
    #[error("`{library}` has no `{parameter}`; it has {known}")]
    UnknownParameter {
        /// The library.
        library: String,
        /// What was set.
        parameter: String,
        /// What there is.
        known: String,
    },
    /// A value is none of those that a parameter can have.
    #[error("`{parameter}` of `{library}` cannot be `{value}`: {expected}")]
    Value {
        /// The library.
        library: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What was set.
        value: String,
        /// What it can be.
        expected: String,
    },
    /// Values do not go together.
    #[error("these values for `{library}` do not go together: {reason}")]
    Refused {
        /// The library.
        library: &'static str,
        /// Why.
        reason: String,
    },
    /// The rulesheet defines a relation of the library itself.
    #[error("line {line}: `{relation}` is defined here, and the library `{library}` defines it, too")]
    Defined {
        /// The library.
        library: &'static str,
        /// The relation with its number of arguments, such as `succ/2`.
        relation: String,
        /// Where, counted from 1.
        line: usize,
    },
    /// The rulesheet has syntax errors.
    #[error("line {line}: {message}")]
    Syntax {
        /// Where, counted from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A section of a library has a beginning without an end, or something that is no value.
    #[error("line {line}: {message}")]
    Section {
        /// Where, counted from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

/// All libraries, those that others build on first.
pub fn all() -> &'static [Library] {
    LIBRARIES
}

/// The library of this name.
pub fn find(name: &str) -> Option<&'static Library> {
    LIBRARIES.iter().find(|library| library.name == name)
}

/// The library that defines a relation.
pub fn find_defining(name: &str, arity: usize) -> Option<&'static Library> {
    LIBRARIES.iter().find(|library| library.part_defining(name, arity).is_some())
}

const LIBRARIES: &[Library] = &[
    numbers::LIBRARY,
    board::LIBRARY,
    lines::LIBRARY,
    chains::LIBRARY,
    cells::LIBRARY,
    turns::LIBRARY,
    steps::LIBRARY,
    scores::LIBRARY,
    goals::LIBRARY,
    dice::LIBRARY,
    cards::LIBRARY,
];

impl Library {
    /// The part of this name.
    pub fn part(&self, name: &str) -> Option<&'static Part> {
        // A library is found among all by its name, so that its parts outlive it.
        find(self.name)?.parts.iter().find(|part| part.name == name)
    }

    /// The part that defines a relation.
    pub fn part_defining(&self, name: &str, arity: usize) -> Option<&Part> {
        let defines = |part: &&Part| part.relations.iter().any(|r| r.name == name && r.arity() == arity);
        self.parts.iter().find(defines)
    }

    /// The parameters with values: those given, and else what is usual.
    ///
    /// # Errors
    /// A parameter is unknown, or a value none of its values, or some do not go together.
    pub fn values<'a>(
        &'static self,
        given: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Values, RuleLibraryError> {
        let mut values = Values::usual(self.parameters);
        for (name, text) in given {
            values.set(self, name, text)?;
        }
        self.accept(&values)?;
        Ok(values)
    }

    /// Whether values go together.
    fn accept(&self, values: &Values) -> Result<(), RuleLibraryError> {
        match (self.refusal)(values) {
            Some(reason) => Err(RuleLibraryError::Refused { library: self.name, reason }),
            None => Ok(()),
        }
    }

    /// Everything that the library itself has, without what it needs of others.
    ///
    /// # Errors
    /// The values are none of this library's.
    pub fn text(&self, values: &Values, notation: Notation) -> Result<String, RuleLibraryError> {
        self.accept(values)?;
        let parts: Vec<&Part> = self.parts.iter().collect();
        Ok(section::written(self, values, &parts, notation))
    }

    /// The names of the libraries that it builds on directly, with these values.
    pub fn needs(&self, values: &Values) -> Vec<&'static str> {
        let parts: Vec<&Part> = self.parts.iter().collect();
        (self.needs)(values, &parts).into_iter().map(|need| need.library).collect()
    }
}

/// No need of other libraries.
fn no_needs(_: &Values, _: &[&Part]) -> Vec<Need> {
    Vec::new()
}

/// All values go together.
fn never_refused(_: &Values) -> Option<String> {
    None
}

/// Whether a part is among these.
fn has_part(parts: &[&Part], names: &[&str]) -> bool {
    parts.iter().any(|part| names.contains(&part.name))
}
