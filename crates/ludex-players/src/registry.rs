//! Strategies by name, with their options: those that are built in, and those of one's own.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::learned_evaluation::TrainedEvaluation;
use crate::player::Player;
use crate::strategies::ALL;
use crate::strategy::Resources;

/// A player that was made, or why there is none.
type Made = Result<Box<dyn Player>, StrategyError>;

/// Makes players of a strategy.
type Factory = dyn Fn(&StrategyOptions<'_>, &Resources) -> Made + Send + Sync;

/// What there is to say of a strategy.
#[derive(Clone, Copy, Debug)]
pub struct StrategyInfo {
    /// The name that commands take.
    pub name: &'static str,
    /// What it does, in a line.
    pub description: &'static str,
    /// What can be set: `name:option=value:option=value`.
    pub options: &'static [OptionInfo],
}

/// A strategy that is built in.
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) options: &'static [OptionInfo],
    pub(crate) make: fn(&StrategyOptions<'_>, &Resources) -> Made,
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
    info: StrategyInfo,
    given: Vec<(&'s str, &'s str)>,
    trained: Option<TrainedSource>,
}

/// What finds trained evaluations by a path.
#[derive(Clone)]
struct TrainedSource(Arc<FindTrained>);

/// Gives trained evaluations, or says why there are none.
type FindTrained = dyn Fn(&str) -> Result<Vec<Arc<TrainedEvaluation>>, String> + Send + Sync;

impl fmt::Debug for TrainedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrainedSource").finish_non_exhaustive()
    }
}

impl<'s> StrategyOptions<'s> {
    /// One of these strategies, written as for [`Registry::create`].
    ///
    /// # Errors
    /// [`StrategyError`] where there is no such strategy or option.
    pub(crate) fn parse(text: &'s str, strategies: &[StrategyInfo]) -> Result<Self, StrategyError> {
        let name = strategy_name(text);
        let info = strategies.iter().find(|info| info.name == name);
        Self::read(info.ok_or_else(|| unknown(name, strategies.iter()))?, text)
    }

    /// The default options of another built-in strategy, with the same source of trained evaluations.
    pub(crate) fn of_another(&self, other: &BuiltIn) -> StrategyOptions<'static> {
        let info = StrategyInfo { name: other.name, description: other.description, options: other.options };
        StrategyOptions { info, given: Vec::new(), trained: self.trained.clone() }
    }

    fn read(info: &StrategyInfo, text: &'s str) -> Result<Self, StrategyError> {
        let mut given = Vec::new();
        for part in text.split(':').skip(1) {
            let (option, value) = part.split_once('=').unwrap_or((part, "on"));
            if !info.options.iter().any(|known| known.name == option) {
                return Err(no_option(info, option));
            }
            given.push((option, value));
        }
        Ok(Self { info: *info, given, trained: None })
    }

    /// The name of the strategy.
    pub fn name(&self) -> &'static str {
        self.info.name
    }

    /// The value of an option, given or by default.
    ///
    /// # Errors
    /// [`StrategyError::Value`] where it cannot be read.
    pub fn get<T: FromStr>(&self, name: &'static str) -> Result<T, StrategyError> {
        let text = self.text(name);
        text.parse().map_err(|_| self.bad_value(name))
    }

    /// That the value of an option means nothing.
    pub fn bad_value(&self, name: &str) -> StrategyError {
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

    /// The trained evaluations that an option names, or `none`.
    ///
    /// # Errors
    /// [`StrategyError::Unable`] where there are none under this name, or the registry reads none
    /// ([`Registry::with_trained`]).
    pub fn trained(&self, name: &str) -> Result<Vec<Arc<TrainedEvaluation>>, StrategyError> {
        let unable = |cause| StrategyError::Unable { strategy: self.info.name.to_owned(), cause };
        match (self.text(name), &self.trained) {
            ("none", _) => Ok(Vec::new()),
            (path, Some(source)) => source.0(path).map_err(unable),
            (_, None) => Err(unable(format!("files are not read here, which `{name}` asks for"))),
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
#[non_exhaustive]
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
    /// A strategy of one's own cannot play: a file that it needs is missing, for example.
    #[error("`{strategy}` cannot play: {cause}")]
    Unable {
        /// The strategy.
        strategy: String,
        /// Why not.
        cause: String,
    },
}

/// The strategies that players can be made of. At first these are the built-in ones, in the order of the book's
/// chapters; whoever has one of their own adds it and passes the registry on.
///
/// ```
/// use ludex_players::{Registry, Resources, StrategyInfo};
///
/// let info = StrategyInfo { name: "first", description: "the first legal move", options: &[] };
/// let registry = Registry::default()
///     .with(info, |_, resources| Ok(Box::new(ludex_players::LegalPlayer::new(resources.seed))));
/// assert!(registry.create("first", &Resources::default()).is_ok());
/// assert!(registry.create("ludex:playouts=100", &Resources::default()).is_ok());
/// let unknown = registry.create("last", &Resources::default()).err().unwrap();
/// assert!(unknown.to_string().starts_with("there is no strategy `last`"));
/// ```
#[derive(Clone)]
pub struct Registry {
    entries: Vec<(StrategyInfo, Arc<Factory>)>,
    trained: Option<TrainedSource>,
    wrapper: Option<Wrapper>,
}

/// What each player that is made is put into, with the text that it was made by.
#[derive(Clone)]
struct Wrapper(Arc<Wrap>);

/// Puts a player into another one.
type Wrap = dyn Fn(Box<dyn Player>, &str) -> Box<dyn Player> + Send + Sync;

impl Default for Registry {
    /// The built-in strategies.
    fn default() -> Self {
        let entry = |&BuiltIn { name, description, options, make }: &BuiltIn| {
            (StrategyInfo { name, description, options }, Arc::new(make) as Arc<Factory>)
        };
        Self { entries: ALL.iter().map(entry).collect(), trained: None, wrapper: None }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.strategies().map(|info| info.name)).finish()
    }
}

impl Registry {
    /// The same with one more strategy, in place of one of the same name. `make` is given the options that were
    /// set and what the player may use.
    #[must_use]
    pub fn with<F>(mut self, info: StrategyInfo, make: F) -> Self
    where
        F: Fn(&StrategyOptions<'_>, &Resources) -> Result<Box<dyn Player>, StrategyError>,
        F: Send + Sync + 'static,
    {
        self.entries.retain(|(known, _)| known.name != info.name);
        self.entries.push((info, Arc::new(make)));
        self
    }

    /// The same where players can be told of trained evaluations by a name, such as the path of a file: what finds them
    /// says in a sentence why there are none.
    #[must_use]
    pub fn with_trained<F>(self, find: F) -> Self
    where
        F: Fn(&str) -> Result<Vec<Arc<TrainedEvaluation>>, String> + Send + Sync + 'static,
    {
        Self { trained: Some(TrainedSource(Arc::new(find))), ..self }
    }

    /// The same where players cannot be told of trained evaluations: where strangers name players, who are not to name
    /// files as well.
    #[must_use]
    pub fn without_trained(self) -> Self {
        Self { trained: None, ..self }
    }

    /// The same where each player that is made is put into another one, which is given the text that it was made by: for
    /// what all players have beside their strategy, such as a memory.
    #[must_use]
    pub fn wrapped<F>(self, wrap: F) -> Self
    where
        F: Fn(Box<dyn Player>, &str) -> Box<dyn Player> + Send + Sync + 'static,
    {
        Self { wrapper: Some(Wrapper(Arc::new(wrap))), ..self }
    }

    /// The same without what [`wrapped`](Self::wrapped) put players into.
    #[must_use]
    pub fn unwrapped(self) -> Self {
        Self { wrapper: None, ..self }
    }

    /// All strategies.
    pub fn strategies(&self) -> impl Iterator<Item = &StrategyInfo> {
        self.entries.iter().map(|(info, _)| info)
    }

    /// The strategy of this name.
    pub fn find(&self, name: &str) -> Option<&StrategyInfo> {
        self.strategies().find(|info| info.name == name)
    }

    /// A player of a strategy, written `name` or `name:option=value:option=value`; `sampling:` before it makes it play
    /// possible states by the simple method of book 17.7 ([`Resources::plain_sampling`]).
    ///
    /// # Errors
    /// [`StrategyError`] where there is no such strategy or option, or the strategy cannot play.
    pub fn create(&self, text: &str, resources: &Resources) -> Result<Box<dyn Player>, StrategyError> {
        if let Some(lifted) = text.strip_prefix(SAMPLING) {
            return self.create(lifted, &Resources { plain_sampling: true, ..resources.clone() });
        }
        let name = strategy_name(text);
        let Some((info, make)) = self.entries.iter().find(|(info, _)| info.name == name) else {
            return Err(unknown(name, self.strategies()));
        };
        let options = StrategyOptions { trained: self.trained.clone(), ..StrategyOptions::read(info, text)? };
        let made = make(&options, resources)?;
        Ok(match &self.wrapper {
            Some(wrapper) => (wrapper.0)(made, text),
            None => made,
        })
    }
}

/// What stands before a strategy that plays a sample of the possible states.
const SAMPLING: &str = "sampling:";

fn strategy_name(text: &str) -> &str {
    text.split(':').next().unwrap_or_default()
}

fn unknown<'i>(name: &str, known: impl Iterator<Item = &'i StrategyInfo>) -> StrategyError {
    let known = known.map(|info| info.name).collect::<Vec<_>>().join(", ");
    StrategyError::Unknown { name: name.to_owned(), known }
}

fn no_option(info: &StrategyInfo, option: &str) -> StrategyError {
    let known: Vec<&str> = info.options.iter().map(|option| option.name).collect();
    let known =
        if known.is_empty() { "; it has none".to_owned() } else { format!("; it has {}", known.join(", ")) };
    StrategyError::Option { strategy: info.name.to_owned(), option: option.to_owned(), known }
}

/// A player of a built-in strategy: [`Registry::create`] of the default registry.
///
/// # Errors
/// As there.
pub fn create(text: &str, resources: &Resources) -> Result<Box<dyn Player>, StrategyError> {
    Registry::default().create(text, resources)
}
