//! What can be chosen of a library.

use std::collections::BTreeMap;
use std::fmt;

use super::{Library, RuleLibraryError};

/// A parameter of a library.
#[derive(Debug)]
pub struct Parameter {
    /// Its name, such as `width`.
    pub name: &'static str,
    /// What it says.
    pub meaning: &'static str,
    /// What it can be.
    pub kind: ParameterKind,
}

/// What a parameter can be.
#[derive(Debug)]
pub enum ParameterKind {
    /// A whole number.
    Number {
        /// What it usually is.
        usual: u32,
        /// The least.
        least: u32,
        /// The greatest.
        most: u32,
    },
    /// One of some words; the first is the usual one.
    Choice(&'static [&'static str]),
    /// Several different names.
    Names {
        /// What they usually are.
        usual: &'static [&'static str],
        /// The fewest.
        least: usize,
        /// The most.
        most: usize,
    },
}

impl Parameter {
    /// What it usually is.
    pub fn usual(&self) -> Value {
        match self.kind {
            ParameterKind::Number { usual, .. } => Value::Number(usual),
            ParameterKind::Choice(words) => Value::Choice(words.first().copied().unwrap_or_default()),
            ParameterKind::Names { usual, .. } => {
                Value::Names(usual.iter().map(|&name| name.to_owned()).collect())
            }
        }
    }

    /// What it can be, in words.
    pub fn expected(&self) -> String {
        match self.kind {
            ParameterKind::Number { least, most, .. } => format!("a number from {least} to {most}"),
            ParameterKind::Choice(words) => format!("one of {}", words.join(", ")),
            ParameterKind::Names { least, most, .. } => {
                format!(
                    "{least} to {most} different names, such as `red,green`: letters, digits and `_`, a small letter first, none that GDL has a meaning for"
                )
            }
        }
    }

    /// Reads a value.
    fn read(&self, text: &str) -> Option<Value> {
        match self.kind {
            ParameterKind::Number { least, most, .. } => {
                let number: u32 = text.parse().ok()?;
                let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
                (is_plain && (least..=most).contains(&number)).then_some(Value::Number(number))
            }
            ParameterKind::Choice(words) => {
                words.iter().find(|word| **word == text).map(|word| Value::Choice(word))
            }
            ParameterKind::Names { least, most, .. } => {
                let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
                let are_good = names.iter().all(|name| is_name(name));
                let differ = names.iter().enumerate().all(|(at, name)| !names[..at].contains(name));
                (are_good && differ && (least..=most).contains(&names.len())).then_some(Value::Names(names))
            }
        }
    }
}

/// Words that mean something in a language of the family and cannot be a role.
const KEYWORDS: [&str; 19] = [
    "role", "base", "input", "init", "true", "does", "next", "legal", "goal", "terminal", "distinct", "or",
    "and", "not", "sees", "percept", "random", "empty", "lifetime",
];

/// Whether this is a name in both notations, with the same meaning in both.
pub(crate) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && text.len() <= 40
        && !KEYWORDS.contains(&text)
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A whole number.
    Number(u32),
    /// A word among those that can be chosen.
    Choice(&'static str),
    /// Names.
    Names(Vec<String>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Choice(word) => f.write_str(word),
            Self::Names(names) => f.write_str(&names.join(",")),
        }
    }
}

/// The values of all parameters of a library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    values: BTreeMap<&'static str, Value>,
}

impl Values {
    /// What is usual.
    pub(super) fn usual(parameters: &[Parameter]) -> Self {
        let values = parameters.iter().map(|parameter| (parameter.name, parameter.usual()));
        Self { values: values.collect() }
    }

    /// Reads one value.
    ///
    /// # Errors
    /// The library has no such parameter, or it cannot be this.
    pub(super) fn set(
        &mut self,
        library: &'static Library,
        name: &str,
        text: &str,
    ) -> Result<(), RuleLibraryError> {
        let Some(parameter) = library.parameters.iter().find(|parameter| parameter.name == name) else {
            let known: Vec<&str> = library.parameters.iter().map(|parameter| parameter.name).collect();
            return Err(RuleLibraryError::UnknownParameter {
                library: library.name.to_owned(),
                parameter: name.to_owned(),
                known: if known.is_empty() { "nothing to set".to_owned() } else { known.join(", ") },
            });
        };
        self.put(library, parameter, parameter.read(text), text)
    }

    /// Puts a value in the place of the one that is there.
    ///
    /// # Errors
    /// The parameter cannot be this.
    pub(super) fn replace(
        &mut self,
        library: &'static Library,
        name: &str,
        value: &Value,
    ) -> Result<(), RuleLibraryError> {
        self.set(library, name, &value.to_string())
    }

    fn put(
        &mut self,
        library: &'static Library,
        parameter: &'static Parameter,
        value: Option<Value>,
        text: &str,
    ) -> Result<(), RuleLibraryError> {
        let Some(value) = value else {
            return Err(RuleLibraryError::Value {
                library: library.name,
                parameter: parameter.name,
                value: text.chars().take(40).collect(),
                expected: parameter.expected(),
            });
        };
        self.values.insert(parameter.name, value);
        Ok(())
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// All, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.values.iter().map(|(name, value)| (*name, value))
    }

    /// A number; 0 where there is none.
    pub(super) fn number(&self, name: &str) -> u32 {
        match self.values.get(name) {
            Some(Value::Number(number)) => *number,
            _ => 0,
        }
    }

    /// A word that was chosen.
    pub(super) fn choice(&self, name: &str) -> &'static str {
        match self.values.get(name) {
            Some(Value::Choice(word)) => word,
            _ => "",
        }
    }

    /// Names.
    pub(super) fn names(&self, name: &str) -> &[String] {
        match self.values.get(name) {
            Some(Value::Names(names)) => names,
            _ => &[],
        }
    }
}
