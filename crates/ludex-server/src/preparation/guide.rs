//! How a game is played, in words, with what tells it from others and a picture of how it may end.

use std::sync::Arc;

use ludex::Game;
use ludex::analysis::PictureStyle;
#[cfg(test)]
use ludex::analysis::how_to_play::SampleOptions;
use ludex::analysis::how_to_play::{self, HowToPlay, HowToPlayOptions, Part, RandomGames, Sentence, Words};
use ludex::game::TimedRules;
use ludex::logic::Budget;
use serde::{Deserialize, Serialize};

use super::answer::{ReadyGame, picture};
use super::question::{StatePicture, WorkLimits};
use crate::clock::RealClock;
use crate::model::GameFeatures;

/// How a game is played.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Guide {
    pub(crate) features: GameFeatures,
    pub(crate) parts: Vec<GuidePart>,
    /// How a random game ended, where one did.
    pub(crate) end: Option<StatePicture>,
}

/// What there is to say about one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GuidePart {
    pub(crate) heading: String,
    pub(crate) sentences: Vec<Vec<GuideWords>>,
    pub(crate) list: Vec<Vec<GuideWords>>,
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GuideWords {
    /// Whether they are words of the rulesheet.
    pub(crate) code: bool,
    pub(crate) text: String,
}

/// Steps of inference for all that is found out. Where they are not enough, less is said.
const WORK: u64 = 30_000_000;
/// States of a game up to which all of them are looked at: what takes longer is asked of the solver, or not proved.
const STATES: usize = 5_000;

/// How a game is played.
pub(super) fn guide(game: &ReadyGame, limits: WorkLimits) -> Guide {
    match game {
        ReadyGame::InSteps(game) => of_game(game, limits),
        ReadyGame::InTime(game) => of_timed_game(game.rules(), game.has_board()),
    }
}

/// Within what all of it is found out.
fn budget(limits: WorkLimits) -> Budget {
    let work = Budget::unlimited().with_work(limits.work.min(WORK)).with_total_work(WORK);
    work.with_memory(limits.memory).with_time(Arc::new(RealClock::start()), limits.time)
}

fn of_game(game: &Game, limits: WorkLimits) -> Guide {
    let budget = budget(limits);
    let mut options = HowToPlayOptions::default();
    options.profile.most_states = STATES;
    let found = HowToPlay::find(game.subject(), game.structure(), &options, &budget);
    let end = found.end.map(|facts| picture(game.structure(), &facts, &PictureStyle::default()));
    let features = game_features(game, &found.games);
    Guide { features, parts: found.parts.into_iter().map(GuidePart::from).collect(), end }
}

/// What tells a game from others, without the rest.
#[cfg(test)]
pub(super) fn features(game: &ReadyGame, limits: WorkLimits) -> GameFeatures {
    match game {
        ReadyGame::InSteps(game) => {
            let games = RandomGames::play(game.rules(), &SampleOptions::default(), &budget(limits));
            game_features(game, &games)
        }
        ReadyGame::InTime(game) => timed_features(game.rules(), game.has_board()),
    }
}

fn game_features(game: &Game, games: &RandomGames) -> GameFeatures {
    GameFeatures {
        seats: u32::try_from(game.seats().len()).unwrap_or(u32::MAX),
        hidden: game.dialect().has_percepts() && !game.rules().has_perfect_information(),
        chance: game.rules().random_role().is_some(),
        simultaneous: games.together,
        real_time: false,
        steps: games.usual_length(),
        board: !game.structure().boards().is_empty(),
    }
}

fn of_timed_game(rules: &TimedRules, board: bool) -> Guide {
    let parts = rules.program().map(|program| how_to_play::in_real_time(program, rules.machine().notation()));
    let parts = parts.unwrap_or_default().into_iter().map(GuidePart::from).collect();
    Guide { features: timed_features(rules, board), parts, end: None }
}

fn timed_features(rules: &TimedRules, board: bool) -> GameFeatures {
    let seats = rules.seats().len();
    GameFeatures {
        seats: u32::try_from(seats).unwrap_or(u32::MAX),
        hidden: rules.dialect().has_percepts() && seats > 1,
        chance: rules.role_terms().len() > seats,
        simultaneous: false,
        real_time: true,
        steps: None,
        board,
    }
}

impl From<Part> for GuidePart {
    fn from(part: Part) -> Self {
        let words = |words| match words {
            Words::Text(text) => GuideWords { code: false, text },
            Words::Code(text) => GuideWords { code: true, text },
        };
        let sentence = |sentence: Sentence| sentence.into_iter().map(words).collect();
        Self {
            heading: part.topic.heading().to_owned(),
            sentences: part.sentences.into_iter().map(sentence).collect(),
            list: part.list.into_iter().map(sentence).collect(),
        }
    }
}
