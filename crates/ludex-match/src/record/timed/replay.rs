//! Recorded matches in real time, played again.

use ludex_game::{Goal, RoleId, TimedAnswer, TimedError, TimedRules, TimedRunner, TimedState};
use ludex_gdl::GameTime;
use ludex_logic::TermId;

use super::{TimedRecord, TimedRecordEvent};

/// A recorded match, played again event by event.
///
/// ```
/// use ludex_match::TimedReplay;
/// # use ludex_match::referee::real_time::{TimedReferee, TimedSetup};
/// # use ludex_game::{TimedRuleMachine, TimedRules};
/// # let text = "role(you). init(1, tick). next(2, bell) ⇐ expired(tick). legal(you, wait) ⇐ true(T, tick).
/// #     next(infinity, done) ⇐ does(you, wait). terminal ⇐ expired(bell). goal(you, 50).";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("tick.gdl", text));
/// # let checked = ludex_gdl::load(source, &Default::default());
/// # let machine = TimedRuleMachine::new(checked.game.as_ref().unwrap(), &Default::default())?;
/// # let rules = TimedRules::new(checked, std::sync::Arc::new(machine), "rules", ludex_logic::Budget::unlimited());
/// # let setup: TimedSetup = serde_json::from_str(r#"{"id":"m1","seed":1,"start":{"secs":1,"nanos":0},
/// #     "unit":{"secs":1,"nanos":0},"told":null,"start_time":null,
/// #     "seats":[{"player":"a","notation":"prefix","rulesheet":null,"scramble":null}]}"#)?;
/// # let record = TimedReferee::new(rules.clone(), setup)?.record();
/// // The record is that of a match by these rules.
/// let mut replay = TimedReplay::new(&rules, &record)?;
/// while replay.advance()? {
///     println!("at {}: {} facts", replay.updated(), replay.state().facts().len());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TimedReplay<'r> {
    rules: &'r TimedRules,
    events: &'r [TimedRecordEvent],
    runner: Box<dyn TimedRunner + 'r>,
    /// So many events were made.
    made: usize,
    updated: GameTime,
    /// The time of the last event, which may have been no update.
    now: GameTime,
}

/// Why an event of a record cannot have been.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimedReplayError {
    /// The rules do not allow it, or have no answer.
    #[error(transparent)]
    Timed(#[from] TimedError),
    /// A move that is not legal then.
    #[error("`{action}` is not a legal move of `{role}`")]
    Move {
        /// Whose.
        role: String,
        /// The move.
        action: String,
    },
    /// It is before what came before it.
    #[error("the time {time} is before {now}")]
    Past {
        /// The time of the event before.
        now: GameTime,
        /// Its own.
        time: GameTime,
    },
    /// It does not have a move, or none, for each role.
    #[error("there are {found} moves for {roles} roles")]
    Roles {
        /// How many moves there are.
        found: usize,
        /// How many roles.
        roles: usize,
    },
}

impl<'r> TimedReplay<'r> {
    /// A recorded match at its start.
    ///
    /// # Errors
    /// A limit.
    pub fn new(rules: &'r TimedRules, record: &'r TimedRecord) -> TimedAnswer<Self> {
        let runner = rules.machine().runner(rules.question_budget());
        let (updated, now) = (GameTime::ZERO, GameTime::ZERO);
        Ok(Self { rules, events: &record.events, runner, made: 0, updated, now })
    }

    /// Lets the next event happen; whether there was one.
    ///
    /// # Errors
    /// [`TimedReplayError`] where it cannot have been like this. The replay is then as before.
    pub fn advance(&mut self) -> Result<bool, TimedReplayError> {
        let Some(event) = self.events.get(self.made) else { return Ok(false) };
        if event.time < self.now {
            return Err(TimedReplayError::Past { now: self.now, time: event.time });
        }
        if event.wasted.is_none() {
            let roles = self.rules.role_terms().len();
            if event.moves.len() != roles {
                return Err(TimedReplayError::Roles { found: event.moves.len(), roles });
            }
            let mut moves = Vec::new();
            for (role, text) in (0..).map(RoleId).zip(&event.moves) {
                if let Some(text) = text {
                    moves.push((role, self.find_move(role, text)?));
                }
            }
            // Neither is before the last update.
            let elapsed = event.time.checked_sub(self.updated).unwrap_or_default();
            self.runner.update(elapsed, &moves)?;
            self.updated = event.time;
        }
        self.now = event.time;
        self.made += 1;
        Ok(true)
    }

    /// How many events were made.
    pub fn events(&self) -> usize {
        self.made
    }

    /// When the last update was: the lifetimes of the state are those of then.
    pub fn updated(&self) -> GameTime {
        self.updated
    }

    /// The state since the last update.
    pub fn state(&self) -> &TimedState {
        self.runner.state()
    }

    /// What a role was told of the last update; `None` where it was told nothing.
    pub fn percepts(&self, role: RoleId) -> Option<&[TermId]> {
        self.runner.percepts(role)
    }

    /// Whether the state is terminal.
    ///
    /// # Errors
    /// A limit.
    pub fn terminal(&mut self) -> TimedAnswer<bool> {
        self.runner.terminal()
    }

    /// The legal moves of a role, in canonical order.
    ///
    /// # Errors
    /// A limit.
    pub fn legal(&mut self, role: RoleId) -> TimedAnswer<&[TermId]> {
        self.runner.legal(role)
    }

    /// What the state is worth to all roles; `None` where the rules give no value or several.
    ///
    /// # Errors
    /// A limit.
    pub fn goals(&mut self) -> TimedAnswer<Vec<Option<Goal>>> {
        (0..self.rules.role_terms().len() as u32).map(|role| self.runner.goal(RoleId(role))).collect()
    }

    fn find_move(&mut self, role: RoleId, text: &str) -> Result<TermId, TimedReplayError> {
        let terms = self.rules.machine().terms();
        let found = self.runner.legal(role)?.iter().copied().find(|&action| terms.prefix(action) == text);
        found.ok_or_else(|| TimedReplayError::Move {
            role: terms.prefix(self.rules.role_terms()[role.index()]),
            action: text.to_owned(),
        })
    }
}
