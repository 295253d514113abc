//! What the seats are told of what happens.

use ludex_game::{RoleId, TimedEvent, TimedUpdate, Timeline};
use ludex_gdl::GameTime;
use ludex_logic::{TermId, Terms};

use crate::message::{Last, News, term_text};

/// What a seat is to be told.
#[derive(Clone, Debug)]
pub(super) struct Telling {
    /// The place of the seat.
    pub(super) seat: usize,
    pub(super) last: Last,
}

/// Makes messages of what happens, in the words of the match.
#[derive(Debug)]
pub(super) struct Desk {
    /// The roles of the seats.
    roles: Vec<RoleId>,
    has_percepts: bool,
    /// So much of the history was looked at.
    seen: usize,
    /// How often each seat was told what it did and saw.
    turns: Vec<u32>,
    tellings: Vec<Telling>,
    /// What each seat is told with the end.
    parting: Vec<News>,
}

impl Desk {
    pub(super) fn new(roles: Vec<RoleId>, has_percepts: bool) -> Self {
        Self {
            has_percepts,
            seen: 0,
            turns: vec![0; roles.len()],
            tellings: Vec::new(),
            parting: vec![News::Nothing; roles.len()],
            roles,
        }
    }

    /// The role of a seat.
    pub(super) fn role(&self, seat: usize) -> Option<RoleId> {
        self.roles.get(seat).copied()
    }

    /// What the seats are told with the end.
    pub(super) fn parting(&self) -> &[News] {
        &self.parting
    }

    /// What is to be told of what was noted since this was asked last.
    pub(super) fn take_tellings(&mut self) -> Vec<Telling> {
        std::mem::take(&mut self.tellings)
    }

    /// A seat is told that what it sent changed nothing.
    pub(super) fn refuse(&mut self, seat: usize, time: GameTime) {
        self.tellings.push(Telling { seat, last: Last::InTime { time, news: News::Nothing } });
    }

    /// Takes note of what happened. What ends the game is told with its end.
    pub(super) fn note(&mut self, timeline: &Timeline<'_>) {
        let (terms, roles) = (timeline.machine().terms(), timeline.machine().roles().len());
        let history = timeline.history();
        for (number, event) in history.iter().enumerate().skip(self.seen) {
            let TimedEvent::Update(update) = event else { continue };
            let is_last = timeline.is_over() && number + 1 == history.len();
            for seat in 0..self.roles.len() {
                let Some(news) = self.news(seat, update, terms, roles) else { continue };
                if is_last {
                    self.parting[seat] = news;
                } else {
                    let last = Last::InTime { time: update.time, news };
                    self.tellings.push(Telling { seat, last });
                }
            }
        }
        self.seen = history.len();
    }

    /// What a seat is told of an update, if anything.
    fn news(&mut self, seat: usize, update: &TimedUpdate, terms: &Terms, roles: usize) -> Option<News> {
        let made_by = |role: RoleId| update.moves.iter().find(|made| made.0 == role).map(|made| made.1);
        let text = |term: TermId| term_text(terms, term);
        if !self.has_percepts {
            let moves = (0..roles as u32).map(|role| made_by(RoleId(role)).map(text));
            return (!update.moves.is_empty()).then(|| News::Moves(moves.collect()));
        }
        let role = self.roles[seat];
        let told = update.told.get(role.index())?.as_ref();
        let action = made_by(role).map(text);
        if told.is_none() && action.is_none() {
            return None;
        }
        let turn = self.turns[seat].saturating_add(1);
        self.turns[seat] = turn;
        let percepts = told.map(|percepts| percepts.iter().map(|&percept| text(percept)).collect());
        Some(News::Percepts { turn, action, percepts })
    }
}
