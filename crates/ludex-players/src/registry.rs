//! All built-in strategies by name, with their options.

use std::fmt;
use std::str::FromStr;

use crate::player::Player;
use crate::strategies::ALL;
use crate::strategy::Resources;

/// Makes a player with options.
type MakePlayer = fn(&StrategyOptions<'_>, &Resources) -> Result<Box<dyn Player>, StrategyError>;

/// A built-in strategy.
#[derive(Clone, Copy)]
pub struct StrategyInfo {
    /// The name that commands take.
    pub name: &'static str,
    /// What it does, in a line.
    pub description: &'static str,
    /// What can be set: `name:option=value:option=value`.
    pub options: &'static [OptionInfo],
    /// Makes a player.
    pub make: MakePlayer,
}

impl fmt::Debug for StrategyInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StrategyInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Something about a strategy that can be set.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// The name.
    pub name: &'static str,
    /// The value where none is given.
    pub default: &'static str,
    /// What it means, in a line.
    pub description: &'static str,
}

/// The options of a strategy as they were given.
#[derive(Clone, Debug)]
pub struct StrategyOptions<'s> {
    info: &'s StrategyInfo,
    given: Vec<(&'s str, &'s str)>,
}

impl StrategyOptions<'_> {
    /// The value of an option, given or by default.
    ///
    /// # Errors
    /// [`StrategyError::Value`] where it cannot be read.
    pub fn get<T: FromStr>(&self, name: &'static str) -> Result<T, StrategyError> {
        let text = self.text(name);
        text.parse().map_err(|_| self.bad_value(name))
    }

    /// That the value of an option means nothing.
    pub(crate) fn bad_value(&self, name: &str) -> StrategyError {
        StrategyError::Value {
            strategy: self.info.name.to_owned(),
            option: name.to_owned(),
            value: self.text(name).to_owned(),
        }
    }

    /// Whether an option is `on`; otherwise it has to be `off`.
    ///
    /// # Errors
    /// [`StrategyError::Value`] where it is neither.
    pub fn is_on(&self, name: &'static str) -> Result<bool, StrategyError> {
        match self.text(name) {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(self.bad_value(name)),
        }
    }

    /// The text of an option, given or by default.
    pub fn text(&self, name: &str) -> &str {
        let given = self.given.iter().rev().find(|(known, _)| *known == name).map(|&(_, value)| value);
        let known = self.info.options.iter().find(|option| option.name == name);
        given.or(known.map(|option| option.default)).unwrap_or_default()
    }
}

/// Why there is no such player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrategyError {
    /// There is no strategy of this name.
    #[error("there is no strategy `{name}`; the strategies are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The strategy has no such option.
    #[error("`{strategy}` has no option `{option}`{known}")]
    Option {
        /// The strategy.
        strategy: String,
        /// What was given.
        option: String,
        /// The options there are, as the end of the sentence.
        known: String,
    },
    /// The value of an option cannot be read.
    #[error("`{value}` is not a value for the option `{option}` of `{strategy}`")]
    Value {
        /// The strategy.
        strategy: String,
        /// The option.
        option: String,
        /// What was given.
        value: String,
    },
}

/// All built-in strategies, in the order of the book's chapters.
pub fn strategies() -> &'static [StrategyInfo] {
    ALL
}

/// The strategy of this name.
pub fn find(name: &str) -> Option<&'static StrategyInfo> {
    strategies().iter().find(|strategy| strategy.name == name)
}

/// A player of a strategy, written `name` or `name:option=value:option=value`.
///
/// # Errors
/// [`StrategyError`] where there is no such strategy or option.
pub fn create(text: &str, resources: &Resources) -> Result<Box<dyn Player>, StrategyError> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let info = find(name).ok_or_else(|| StrategyError::Unknown {
        name: name.to_owned(),
        known: strategies().iter().map(|s| s.name).collect::<Vec<_>>().join(", "),
    })?;
    let mut given = Vec::new();
    for part in parts {
        let (option, value) = part.split_once('=').unwrap_or((part, "on"));
        if !info.options.iter().any(|known| known.name == option) {
            let known: Vec<&str> = info.options.iter().map(|option| option.name).collect();
            let known = if known.is_empty() {
                "; it has none".to_owned()
            } else {
                format!("; it has {}", known.join(", "))
            };
            return Err(StrategyError::Option {
                strategy: name.to_owned(),
                option: option.to_owned(),
                known,
            });
        }
        given.push((option, value));
    }
    (info.make)(&StrategyOptions { info, given }, resources)
}
