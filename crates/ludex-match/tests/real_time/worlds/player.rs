//! A player who knows the rules and what it is told, in whatever order that comes.

use ludex_game::{Rng, RoleId, TimedEvent, TimedRules};
use ludex_match::message::{Last, Request};
use ludex_match::referee::MessageNumber;
use ludex_match::service::{TimedDoubt, TimedFollower};

/// A player of a game in which everybody sees everything.
pub struct Player {
    role: RoleId,
    pub follower: TimedFollower,
    /// The last message, which it answers.
    pub message: Option<MessageNumber>,
    pub is_stopped: bool,
    pub is_aborted: bool,
}

impl Player {
    pub fn new(rules: &TimedRules, role: RoleId) -> Self {
        let follower = TimedFollower::new(rules.clone()).expect("the game has an initial state");
        Self { role, follower, message: None, is_stopped: false, is_aborted: false }
    }

    /// Takes in a message: what goes wrong with it, in words.
    pub fn hear(&mut self, message: MessageNumber, request: &Request) -> Result<(), String> {
        let (Request::Play { last, .. } | Request::Stop { last, .. }) = request else {
            self.is_aborted |= matches!(request, Request::Abort { .. });
            return Ok(());
        };
        let Last::InTime { time, news } = last else { return Err(format!("no time: {last:?}")) };
        self.message = Some(message);
        self.is_stopped |= matches!(request, Request::Stop { .. });
        self.follower.hear(*time, news).map_err(|error| format!("at {time}: {error}"))?;
        match self.follower.doubt() {
            Some(doubt @ TimedDoubt::Contradiction { .. }) => Err(doubt.to_string()),
            _ => Ok(()),
        }
    }

    /// All that happened, as far as it knows.
    pub fn history(&mut self) -> Vec<TimedEvent> {
        self.follower.with(|timeline| timeline.history().to_vec()).expect("the rules have answers")
    }

    /// What it says: mostly a move that is legal as far as it knows.
    pub fn word(&mut self, rng: &mut Rng) -> String {
        match rng.below(20) {
            0 => "nonsense".to_owned(),
            1 => "((".to_owned(),
            2 => "nil".to_owned(),
            3 => String::new(),
            _ => {
                let role = self.role;
                let legal = self.follower.with(|timeline| {
                    let terms = timeline.machine().terms();
                    let legal = timeline.legal(role).map(<[_]>::to_vec).unwrap_or_default();
                    legal.into_iter().map(|action| terms.prefix(action)).collect::<Vec<_>>()
                });
                let legal = legal.unwrap_or_default();
                rng.pick(&legal).cloned().unwrap_or_else(|| "nothing".to_owned())
            }
        }
    }
}
