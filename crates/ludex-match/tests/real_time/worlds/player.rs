//! A player who knows the rules and what it is told, in whatever order that comes.

use std::collections::BTreeMap;

use ludex_game::{Rng, RoleId, TimedEvent, TimedMachine, Timeline, TimelineOptions};
use ludex_gdl::GameTime;
use ludex_match::message::{Last, News, Request};
use ludex_match::referee::MessageNumber;

/// The moves of all roles at a time.
pub type Moves = Vec<Option<String>>;

/// A player of a game in which everybody sees everything.
pub struct Player<'m> {
    machine: &'m dyn TimedMachine,
    role: RoleId,
    /// The game as far as it is known.
    timeline: Timeline<'m>,
    /// All moves that it was told of.
    pub moves: BTreeMap<GameTime, Moves>,
    /// The latest time that it was told.
    pub time: GameTime,
    /// The last message, which it answers.
    pub message: Option<MessageNumber>,
    /// Why a move that it was told of cannot be made as far as it knows, for want of one that comes late.
    pub gap: Option<String>,
    pub is_stopped: bool,
    pub is_aborted: bool,
}

impl<'m> Player<'m> {
    pub fn new(machine: &'m dyn TimedMachine, role: RoleId) -> Self {
        Self {
            machine,
            role,
            timeline: start(machine),
            moves: BTreeMap::new(),
            time: GameTime::ZERO,
            message: None,
            gap: None,
            is_stopped: false,
            is_aborted: false,
        }
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
        let known = self.time;
        self.time = self.time.max(*time);
        match news {
            News::Nothing => {}
            News::Percepts { .. } => return Err("percepts where everybody sees everything".to_owned()),
            News::Moves(moves) => {
                if let Some(before) = self.moves.insert(*time, moves.to_vec()) {
                    return if before == **moves { Ok(()) } else { Err(format!("two moves at {time}")) };
                }
                if *time < known {
                    // It comes late: the game is played again with it.
                    self.timeline = start(self.machine);
                }
            }
        }
        self.gap = self.follow().err();
        Ok(())
    }

    /// Plays the game as far as it is known.
    fn follow(&mut self) -> Result<(), String> {
        let done = self.timeline.history().iter().rev().find_map(|event| match event {
            TimedEvent::Update(update) if !update.moves.is_empty() => Some(update.time),
            _ => None,
        });
        for (&time, moves) in &self.moves {
            if done.is_some_and(|done| time <= done) {
                continue;
            }
            self.timeline.advance_to(time).map_err(|error| error.to_string())?;
            let mut made = Vec::new();
            for (role, text) in (0..).map(RoleId).zip(moves) {
                if let Some(text) = text {
                    made.push((
                        role,
                        self.timeline.find_move(role, text).map_err(|error| error.to_string())?,
                    ));
                }
            }
            self.timeline.submit(&made).map_err(|error| error.to_string())?;
        }
        self.timeline.advance_to(self.time.max(self.timeline.now())).map_err(|error| error.to_string())
    }

    /// All that happened, as far as it knows.
    pub fn history(&self) -> &[TimedEvent] {
        self.timeline.history()
    }

    /// What it says: mostly a move that is legal as far as it knows.
    pub fn word(&mut self, rng: &mut Rng) -> String {
        match rng.below(20) {
            0 => "nonsense".to_owned(),
            1 => "((".to_owned(),
            2 => "nil".to_owned(),
            3 => String::new(),
            _ => {
                let legal = self.timeline.legal(self.role).map(<[_]>::to_vec).unwrap_or_default();
                let terms = self.machine.terms();
                rng.pick(&legal).map_or("nothing".to_owned(), |&action| terms.prefix(action))
            }
        }
    }
}

fn start(machine: &dyn TimedMachine) -> Timeline<'_> {
    Timeline::new(machine, &TimelineOptions::default()).expect("the game has an initial state")
}
