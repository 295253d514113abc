//! What a player of a game in real time knows of the match by its messages.

use std::collections::BTreeMap;

use ludex_game::{
    GameError, PausedTimeline, RoleId, TimedAnswer, TimedError, TimedRules, Timeline, TimelineOptions,
};
use ludex_gdl::GameTime;
use ludex_logic::LimitError;

use crate::message::News;

/// What the own role did, and what it saw where that was something else than it would have seen anyway.
pub type OwnNews = (Option<String>, Option<Vec<String>>);

/// What a player knows of a match in real time by what it was told, in whatever order that came and however often.
///
/// Messages say when things happened, and no two moves have the same time. So a message that comes twice is known by its
/// time, and one that was overtaken finds its place by it. In rtGDL, where moves are told, the follower is always in the
/// state of the manager at the last time that it was told, provided that no message is still on its way. In rtGDL-II it
/// keeps what the player was told, by the number of each message, and knows which is missing.
///
/// ```
/// use ludex_match::message::News;
/// use ludex_match::service::TimedFollower;
/// use ludex_gdl::GameTime;
/// # use ludex_game::{TimedRuleMachine, TimedRules};
/// # let text = "role(you). init(1, tick). next(1, tick) ⇐ expired(tick). next(T, tick) ⇐ true(T, tick).
/// #     legal(you, wait) ⇐ true(T, tick). next(infinity, done) ⇐ does(you, wait).
/// #     terminal ⇐ true(T, done). goal(you, 50).";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("tick.gdl", text));
/// # let checked = ludex_gdl::load(source, &Default::default());
/// # let machine = TimedRuleMachine::new(checked.game.as_ref().unwrap(), &Default::default())?;
/// # let rules = TimedRules::new(checked, std::sync::Arc::new(machine), "rules", ludex_logic::Budget::unlimited());
/// // The rules are those of something that ticks once in a unit of time.
/// let mut follower = TimedFollower::new(rules)?;
/// follower.hear(GameTime::parse("2.5")?, &News::Nothing)?;
/// assert_eq!(follower.with(|timeline| timeline.history().len())?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TimedFollower {
    rules: TimedRules,
    /// The game as far as it is known; `None` while it is asked something, and after an error.
    paused: Option<PausedTimeline>,
    /// All moves that were told, by their time.
    moves: BTreeMap<GameTime, Vec<Option<String>>>,
    /// What was told in rtGDL-II, by the number of the message.
    own: BTreeMap<u32, (GameTime, OwnNews)>,
    /// The latest time that was told.
    time: GameTime,
    /// When the last move was that was made.
    made: Option<GameTime>,
    doubt: Option<TimedDoubt>,
}

/// What is not right about what was told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimedDoubt {
    /// A move cannot have been made as far as is known. Mostly a message is still on its way.
    #[error("the moves of {time} cannot have been made: {cause}")]
    Impossible {
        /// When it was made.
        time: GameTime,
        /// Why not.
        cause: String,
    },
    /// Two different things were said to have happened at one time.
    #[error("what happened at {time} was told in two ways")]
    Contradiction {
        /// The time.
        time: GameTime,
    },
    /// In rtGDL-II a message has not come.
    #[error("message {number} has not come")]
    Missing {
        /// The first that is missing.
        number: u32,
    },
}

impl TimedFollower {
    /// A player that was told nothing but the rules.
    ///
    /// # Errors
    /// The rules have no answer about the initial state.
    pub fn new(rules: TimedRules) -> TimedAnswer<Self> {
        let paused = Some(start(&rules)?);
        let (moves, own, time) = (BTreeMap::new(), BTreeMap::new(), GameTime::ZERO);
        Ok(Self { rules, paused, moves, own, time, made: None, doubt: None })
    }

    /// Takes in what a message says.
    ///
    /// # Errors
    /// The rules have no answer, and the follower is of no use any more. What is said that cannot be is a
    /// [doubt](Self::doubt) and no error.
    pub fn hear(&mut self, time: GameTime, news: &News) -> TimedAnswer<()> {
        let known = self.time;
        self.time = self.time.max(time);
        self.doubt = None;
        match news {
            News::Nothing => {}
            News::Moves(moves) => match self.moves.get(&time) {
                Some(before) if *before == **moves => {}
                Some(_) => {
                    self.doubt = Some(TimedDoubt::Contradiction { time });
                    return Ok(());
                }
                None => {
                    self.moves.insert(time, moves.to_vec());
                    if time < known {
                        // It was overtaken: the game is played again with it.
                        self.paused = Some(start(&self.rules)?);
                        self.made = None;
                    }
                }
            },
            News::Percepts { turn, action, percepts } => {
                self.own.insert(*turn, (time, (action.clone(), percepts.clone())));
                self.find_missing();
                return Ok(());
            }
        }
        if self.rules.dialect().has_percepts() {
            self.find_missing();
            return Ok(());
        }
        self.follow()
    }

    /// What is not right about what was told so far, if anything.
    pub fn doubt(&self) -> Option<&TimedDoubt> {
        self.doubt.as_ref()
    }

    /// The latest time that was told.
    pub fn time(&self) -> GameTime {
        self.time
    }

    /// All moves that were told, by their time.
    pub fn moves(&self) -> &BTreeMap<GameTime, Vec<Option<String>>> {
        &self.moves
    }

    /// What the player was told in rtGDL-II, by the number of the message.
    pub fn own_news(&self) -> &BTreeMap<u32, (GameTime, OwnNews)> {
        &self.own
    }

    /// Asks the game as far as it is known. In rtGDL-II that is the start.
    ///
    /// # Errors
    /// The rules had no answer before.
    pub fn with<T>(&mut self, ask: impl FnOnce(&mut Timeline<'_>) -> T) -> TimedAnswer<T> {
        let rules = self.rules.clone();
        // Nobody asks on after an error.
        let paused = self.paused.take().ok_or(TimedError::from(LimitError::Cancelled))?;
        let mut timeline = paused.take_up(&**rules.machine())?;
        let answer = ask(&mut timeline);
        self.paused = Some(timeline.put_aside());
        Ok(answer)
    }

    fn find_missing(&mut self) {
        let number =
            (1..).zip(self.own.keys()).find(|(wanted, number)| wanted != *number).map(|(wanted, _)| wanted);
        self.doubt = number.map(|number| TimedDoubt::Missing { number });
    }

    /// Plays the game as far as it is known.
    fn follow(&mut self) -> TimedAnswer<()> {
        let (time, done) = (self.time, self.made);
        let ahead: Vec<(GameTime, Vec<Option<String>>)> = self
            .moves
            .iter()
            .filter(|(time, _)| done.is_none_or(|done| **time > done))
            .map(|(&time, moves)| (time, moves.clone()))
            .collect();
        let (made, doubt) = self.with(|timeline| {
            let mut made = done;
            for (time, moves) in ahead {
                match make(timeline, time, &moves) {
                    Ok(()) => made = Some(time),
                    Err(error @ TimedError::Game(GameError::Limit(_))) => return Err(error),
                    Err(cause) => {
                        let cause = cause.to_string();
                        return Ok::<_, TimedError>((made, Some(TimedDoubt::Impossible { time, cause })));
                    }
                }
            }
            timeline.advance_to(time.max(timeline.now()))?;
            Ok((made, None))
        })??;
        (self.made, self.doubt) = (made, doubt);
        Ok(())
    }
}

/// The game at its start.
fn start(rules: &TimedRules) -> TimedAnswer<PausedTimeline> {
    let options = TimelineOptions { budget: rules.question_budget().clone(), ..TimelineOptions::default() };
    Ok(Timeline::new(&**rules.machine(), &options)?.put_aside())
}

/// Lets roles move at a time.
fn make(timeline: &mut Timeline<'_>, time: GameTime, moves: &[Option<String>]) -> TimedAnswer<()> {
    timeline.advance_to(time)?;
    let mut made = Vec::new();
    for (role, text) in (0..).map(RoleId).zip(moves) {
        if let Some(text) = text {
            made.push((role, timeline.find_move(role, text)?));
        }
    }
    timeline.submit(&made)
}
