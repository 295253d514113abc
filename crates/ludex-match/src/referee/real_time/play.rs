//! The game itself: moves and time make updates.

use ludex_game::{
    Goal, PausedTimeline, RoleId, TimedAnswer, TimedError, TimedEvent, TimedRules, TimedState, Timeline,
    TimelineOptions,
};
use ludex_gdl::GameTime;
use ludex_logic::{LimitError, TermId};

use super::super::seat::excerpt;
use super::desk::{Desk, Telling};
use super::entry::Verdict;
use crate::course::Fault;
use crate::message::{News, term_text};

/// So many answers of a seat that are no legal moves are noted and told. Any more in the same match are passed over:
/// otherwise a player that answers each refusal with something illegal at once would fill the record.
pub const REFUSALS: u32 = 1_000;

/// The game up to what was worked out last, which may not be written yet.
pub(super) struct Play {
    rules: TimedRules,
    /// `None` where it cannot go on.
    timeline: Option<PausedTimeline>,
    desk: Desk,
    /// When the last move came.
    last_arrival: Option<GameTime>,
    /// How many answers of each seat were refused.
    refusals: Vec<u32>,
    /// How much of the history was given out.
    given: usize,
}

/// What was worked out.
pub(super) struct Outcome {
    /// What happened.
    pub(super) events: Vec<TimedEvent>,
    pub(super) look: Look,
    pub(super) tellings: Vec<Telling>,
    pub(super) parting: Vec<News>,
}

/// The game at a point in time.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) now: GameTime,
    /// When the last update was.
    pub(super) updated: GameTime,
    pub(super) state: TimedState,
    pub(super) over: bool,
    pub(super) goals: Vec<Option<Goal>>,
    /// The legal moves of each role.
    pub(super) legal: Vec<Vec<TermId>>,
    /// When something happens next, if nobody moves before.
    pub(super) next: Option<GameTime>,
}

impl Play {
    /// The game at its start, with what happens at once.
    pub(super) fn begin(rules: TimedRules, seed: u64) -> TimedAnswer<(Self, Outcome)> {
        let options =
            TimelineOptions { budget: rules.question_budget().clone(), seed, ..TimelineOptions::default() };
        let timeline = Timeline::new(&**rules.machine(), &options)?.put_aside();
        let desk = Desk::new(rules.seats(), rules.dialect().has_percepts());
        let refusals = vec![0; rules.seats().len()];
        let mut play = Self { rules, timeline: Some(timeline), desk, last_arrival: None, refusals, given: 0 };
        let ((), outcome) = play.run(|_| Ok::<_, TimedError>(()))?;
        Ok((play, outcome))
    }

    /// Lets the game go on, and says what came of it. After an error it cannot go on.
    pub(super) fn run<T, E: From<TimedError>>(
        &mut self,
        work: impl FnOnce(&mut Board<'_, '_>) -> Result<T, E>,
    ) -> Result<(T, Outcome), E> {
        let rules = self.rules.clone();
        // Nobody goes on after an error.
        let paused = self.timeline.take().ok_or(TimedError::from(LimitError::Cancelled))?;
        let timeline = paused.take_up(&**rules.machine())?;
        let Self { desk, last_arrival, refusals, .. } = self;
        let mut board = Board { timeline, desk, last_arrival, refusals };
        board.desk.note(&board.timeline);
        let made = work(&mut board)?;
        let mut timeline = board.timeline;
        let outcome = Outcome {
            events: timeline.history()[self.given..].to_vec(),
            look: look(&mut timeline)?,
            tellings: self.desk.take_tellings(),
            parting: self.desk.parting().to_vec(),
        };
        self.given = timeline.history().len();
        self.timeline = Some(timeline.put_aside());
        Ok((made, outcome))
    }
}

fn look(timeline: &mut Timeline<'_>) -> TimedAnswer<Look> {
    let count = timeline.machine().roles().len() as u32;
    let roles = || (0..count).map(RoleId);
    let goals = roles().map(|role| timeline.goal(role)).collect::<TimedAnswer<_>>()?;
    let legal = roles().map(|role| Ok(timeline.legal(role)?.to_vec())).collect::<TimedAnswer<_>>()?;
    Ok(Look {
        now: timeline.now(),
        updated: timeline.updated(),
        state: timeline.state().clone(),
        over: timeline.is_over(),
        goals,
        legal,
        next: timeline.next_event(),
    })
}

/// A game that goes on.
pub(super) struct Board<'a, 'm> {
    timeline: Timeline<'m>,
    desk: &'a mut Desk,
    last_arrival: &'a mut Option<GameTime>,
    refusals: &'a mut [u32],
}

impl Board<'_, '_> {
    pub(super) fn is_over(&self) -> bool {
        self.timeline.is_over()
    }

    pub(super) fn now(&self) -> GameTime {
        self.timeline.now()
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, time: GameTime) -> TimedAnswer<()> {
        self.timeline.advance_to(time)?;
        self.desk.note(&self.timeline);
        Ok(())
    }

    /// The first time at which a move can come now.
    pub(super) fn first_arrival(&self) -> TimedAnswer<GameTime> {
        let least = GameTime::from_units(1).unwrap_or_default();
        match *self.last_arrival {
            None => Ok(self.now()),
            Some(last) => Ok(self.now().max(last.checked_add(least).ok_or(TimedError::TooLate)?)),
        }
    }

    /// Considers what a seat said now, a term in prefix notation; `None` where that is nothing, or is passed over.
    pub(super) fn consider(
        &mut self,
        seat: usize,
        said: Result<&str, &Fault>,
    ) -> TimedAnswer<Option<Verdict>> {
        let Some(role) = self.desk.role(seat) else { return Ok(None) };
        let fault = match said {
            Err(fault) => fault.clone(),
            Ok(text) => match self.find_move(role, text)? {
                Some(action) => {
                    let made = self.timeline.machine().terms().prefix(action);
                    self.make(role, action)?;
                    return Ok(Some(Verdict::Made(made)));
                }
                None if text == "nil" => return Ok(None),
                None => Fault::Illegal(excerpt(text)),
            },
        };
        if self.refusals.get(seat).is_none_or(|&refused| refused >= REFUSALS) {
            return Ok(None);
        }
        self.refuse(seat);
        Ok(Some(Verdict::Refused(fault)))
    }

    /// A move that was made before, as journals name it. Whether it can be made.
    pub(super) fn make_again(&mut self, seat: usize, text: &str) -> TimedAnswer<bool> {
        let Some(role) = self.desk.role(seat) else { return Ok(false) };
        let terms = self.timeline.machine().terms();
        let found = self.timeline.legal(role)?.iter().copied().find(|&action| terms.prefix(action) == text);
        found.map_or(Ok(false), |action| self.make(role, action).map(|()| true))
    }

    /// Something was sent that is not a legal move.
    pub(super) fn refuse(&mut self, seat: usize) {
        if let Some(refused) = self.refusals.get_mut(seat) {
            *refused = refused.saturating_add(1);
        }
        *self.last_arrival = Some(self.now());
        self.desk.refuse(seat, self.timeline.now());
    }

    fn make(&mut self, role: RoleId, action: TermId) -> TimedAnswer<()> {
        *self.last_arrival = Some(self.now());
        self.timeline.submit(&[(role, action)])?;
        self.desk.note(&self.timeline);
        Ok(())
    }

    /// The legal move that a term in prefix notation names. Where a term in bars stands for one it is that one.
    fn find_move(&mut self, role: RoleId, text: &str) -> TimedAnswer<Option<TermId>> {
        let machine = self.timeline.machine();
        let legal = self.timeline.legal(role)?;
        let exactly = legal.iter().copied().find(|&action| term_text(machine.terms(), action) == text);
        let named = || machine.find_term(text).ok().flatten().filter(|action| legal.contains(action));
        Ok(exactly.or_else(named))
    }
}
