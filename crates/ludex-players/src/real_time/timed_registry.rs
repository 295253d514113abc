//! Strategies for games in real time, by name.

use ludex_gdl::GameTime;

use super::chance_player::TimedRandomPlayer;
use super::player::TimedPlayer;
use super::scripted::ScriptedPlayer;
use super::search::{TimedSearchOptions, TimedSearchPlayer};
use crate::registry::{OptionInfo, StrategyError, StrategyInfo, StrategyOptions};

/// The strategies that play games in real time.
pub const TIMED_STRATEGIES: &[StrategyInfo] = &[
    StrategyInfo {
        name: "random",
        description: "a random legal move after a random time",
        options: &[OptionInfo {
            name: "mean",
            default: "0.5",
            description: "how long it waits on the average, in units of game time",
        }],
    },
    StrategyInfo {
        name: "script",
        description: "given moves at given times",
        options: &[OptionInfo {
            name: "moves",
            default: "",
            description: "TIME@MOVE, joined by +: 1.5@mark(1,1)+4@mark(2,2)",
        }],
    },
    StrategyInfo {
        name: "ludex",
        description: "looks ahead in time, with waiting as a move",
        options: &[
            OptionInfo {
                name: "playouts",
                default: "0",
                description: "playouts for each slice of time; 0 for as many as there is time for",
            },
            OptionInfo {
                name: "slice",
                default: "0.1",
                description: "how much game time that takes, in units",
            },
            OptionInfo {
                name: "exploration",
                default: "0.7",
                description: "how strongly moves are tried that were tried seldom",
            },
            OptionInfo {
                name: "patience",
                default: "4",
                description: "slices to think after something happened, if nothing is urgent",
            },
        ],
    },
    level("level-1", "for people: a beginner"),
    level("level-2", "for people: easy"),
    level("level-3", "for people: looks ahead a little"),
    level("level-4", "for people: strong"),
    level("level-5", "for people: as strong as ludex"),
];

const fn level(name: &'static str, description: &'static str) -> StrategyInfo {
    StrategyInfo { name, description, options: &[] }
}

/// How many playouts a level makes for each slice of time; 0 for as many as there is time for.
const LEVEL_PLAYOUTS: [(&str, u32); 5] =
    [("level-1", 2), ("level-2", 8), ("level-3", 40), ("level-4", 200), ("level-5", 0)];

/// A player of a game in real time: the name of a strategy, with options as `name:option=value`.
///
/// ```
/// use ludex_players::real_time::create_timed;
///
/// assert!(create_timed("ludex:playouts=200:slice=0.05", 1).is_ok());
/// assert!(create_timed("level-1", 1).is_ok());
/// assert!(create_timed("alphabeta", 1).is_err());
/// ```
///
/// # Errors
/// [`StrategyError`].
pub fn create_timed(text: &str, seed: u64) -> Result<Box<dyn TimedPlayer>, StrategyError> {
    let options = StrategyOptions::parse(text, TIMED_STRATEGIES)?;
    if let Some((_, playouts)) = LEVEL_PLAYOUTS.iter().find(|(level, _)| *level == options.name()) {
        return create_timed(&format!("ludex:playouts={playouts}"), seed);
    }
    match options.name() {
        "random" => Ok(Box::new(TimedRandomPlayer::new(seed, time(&options, "mean")?))),
        "script" => Ok(Box::new(ScriptedPlayer::new(script(&options)?))),
        _ => {
            let playouts: u32 = options.get("playouts")?;
            Ok(Box::new(TimedSearchPlayer::new(TimedSearchOptions {
                seed,
                playouts: (playouts > 0).then_some(playouts),
                slice: time(&options, "slice")?,
                exploration: options.get("exploration")?,
                patience: options.get("patience")?,
                ..TimedSearchOptions::default()
            })))
        }
    }
}

fn time(options: &StrategyOptions<'_>, name: &'static str) -> Result<GameTime, StrategyError> {
    let time = GameTime::parse(options.text(name)).ok().filter(|&time| time > GameTime::ZERO);
    time.ok_or_else(|| options.bad_value(name))
}

fn script(options: &StrategyOptions<'_>) -> Result<Vec<(GameTime, String)>, StrategyError> {
    let text = options.text("moves");
    let parts = text.split('+').filter(|part| !part.trim().is_empty());
    let read = |part: &str| {
        let (time, action) = part.split_once('@')?;
        Some((GameTime::parse(time.trim()).ok()?, action.trim().to_owned()))
    };
    parts.map(|part| read(part).ok_or_else(|| options.bad_value("moves"))).collect()
}
