//! What a role that does not see everything holds possible in real time (rtGDL-II): a sample.

use std::sync::Arc;

use ludex_game::{Moment, PendingMove, Rng, RoleId, TimedError, TimedMachine, TimedRunner};
use ludex_gdl::GameTime;
use ludex_logic::{Budget, TermId};

use super::knowledge::{pass, timed_error};
use super::player::{TimedNews, TimedSeat};
use crate::player::PlayerError;

/// So often, for each moment that is kept, a history is drawn that may fit.
const TRIES: usize = 40;
/// So long others wait before they move, on the average, where nothing is known of them: the time to the next thing that
/// expires, divided by this.
const MOVES_BEFORE_EXPIRY: u64 = 3;

/// Moments that the present may be, each as likely as the others.
///
/// From one piece of news to the next, the moments are played on: `random` draws, and the others move at random times. What
/// is told the role on the way must be nothing, since it was told nothing. At the time of the news, something has happened
/// that nobody would draw by chance for just that time: so each thing that may have (a pending move that was due, a move of
/// another role, what expires) is tried, in random order, and one of those that are told like the news is taken.
pub(super) struct PossibleMoments {
    machine: Arc<dyn TimedMachine>,
    role: RoleId,
    /// Those of the last news, and when that was.
    told: (GameTime, Vec<Moment>),
    /// Those of the present: until news come, as if there were none.
    present: (GameTime, Vec<Moment>),
    rng: Rng,
    size: usize,
}

impl PossibleMoments {
    /// The start of a game, as it may be.
    pub fn new(seat: &TimedSeat, seed: u64, size: usize, budget: &Budget) -> Result<Self, PlayerError> {
        let machine = Arc::clone(&seat.machine);
        let mut rng = Rng::from_seed(seed);
        let mut runner = machine.runner(budget);
        let mut moments = Vec::with_capacity(size);
        for _ in 0..size {
            let moment = Moment::start(&*machine, &mut *runner, &mut rng, |_| {}).map_err(timed_error)?;
            moments.push(moment);
        }
        drop(runner);
        let start = (GameTime::ZERO, moments);
        Ok(Self { machine, role: seat.role, told: start.clone(), present: start, rng, size })
    }

    pub fn moments(&self) -> &[Moment] {
        &self.present.1
    }

    /// The moments that it may be after some more time, if nobody moves: what chance does is drawn.
    pub fn moments_after(&self, time: GameTime, budget: &Budget) -> Result<Vec<Moment>, PlayerError> {
        let mut runner = self.machine.runner(budget);
        let mut rng = self.rng.clone();
        let mut later = self.present.1.clone();
        for moment in &mut later {
            pass(&*self.machine, &mut *runner, &mut rng, moment, time)?;
        }
        Ok(later)
    }

    /// Takes in what was told. Where nothing fits, the moments stay as they were, at the new time: something goes on that
    /// the sample does not hold.
    pub fn observe(&mut self, news: &TimedNews, budget: &Budget) -> Result<(), PlayerError> {
        let told = match news {
            TimedNews::Seen { own, percepts, .. } => Some(Told { own: *own, percepts: percepts.as_deref() }),
            TimedNews::Moved { .. } => None,
            // That says nothing of the game but what would have been told anyway.
            TimedNews::Refused { .. } => return Ok(()),
        };
        let from = self.told.clone();
        self.told = self.go_on(from, news.time(), told, budget)?;
        self.present = self.told.clone();
        Ok(())
    }

    /// Lets time pass in which nothing was told.
    pub fn advance(&mut self, now: GameTime, budget: &Budget) -> Result<(), PlayerError> {
        if now > self.present.0 {
            let from = self.present.clone();
            self.present = self.go_on(from, now, None, budget)?;
        }
        Ok(())
    }

    /// The moments at a time, from those before on. Where none of them fits, they stay as they were.
    fn go_on(
        &mut self,
        (from, moments): (GameTime, Vec<Moment>),
        to: GameTime,
        told: Option<Told<'_>>,
        budget: &Budget,
    ) -> Result<(GameTime, Vec<Moment>), PlayerError> {
        let machine = Arc::clone(&self.machine);
        let mut runner = machine.runner(budget);
        let time = to.checked_sub(from).unwrap_or_default();
        let mut kept = Vec::with_capacity(self.size);
        for number in 0..self.size * TRIES {
            // All in turn at first, then by chance.
            let Some(from) = moments.get(number).or_else(|| self.rng.pick(&moments)) else { break };
            let mut moment = from.clone();
            let course =
                Course { machine: &*machine, runner: &mut *runner, rng: &mut self.rng, role: self.role };
            match course.follow(&mut moment, time, told) {
                Ok(true) => kept.push(moment),
                Ok(false) | Err(TimedError::TooManyUpdates { .. } | TimedError::TooLate) => {}
                Err(error) => return Err(timed_error(error)),
            }
            if kept.len() == self.size {
                break;
            }
        }
        Ok((to, if kept.is_empty() { moments } else { kept }))
    }
}

/// What the role was told at one time.
#[derive(Clone, Copy)]
struct Told<'t> {
    own: Option<TermId>,
    percepts: Option<&'t [TermId]>,
}

/// One history that may be the true one.
struct Course<'c> {
    machine: &'c dyn TimedMachine,
    runner: &'c mut dyn TimedRunner,
    rng: &'c mut Rng,
    role: RoleId,
}

impl Course<'_> {
    /// Plays a moment on for a time, and says whether the role would have been told what it was told.
    fn follow(
        mut self,
        moment: &mut Moment,
        time: GameTime,
        told: Option<Told<'_>>,
    ) -> Result<bool, TimedError> {
        self.runner.set(moment.state())?;
        let mut left = time;
        loop {
            let foreseen = moment.next_event();
            let step = self.others_move_after(moment)?;
            // What is to happen at the time of the news is left to the news.
            let over = |at: GameTime| if told.is_some() { at < left } else { at <= left };
            let event = foreseen.filter(|&at| over(at));
            let moves = step.filter(|&(at, ..)| over(at) && event.is_none_or(|event| at < event));
            let quiet = match (event, moves) {
                (_, Some((at, role, action))) => {
                    left = left.checked_sub(at).unwrap_or_default();
                    self.pass(moment, at)? && self.act(moment, &[(role, action)])?
                }
                (Some(at), None) => {
                    left = left.checked_sub(at).unwrap_or_default();
                    self.pass(moment, at)?
                }
                (None, None) => break,
            };
            if !quiet {
                return Ok(false);
            }
        }
        match told {
            None => self.pass(moment, left),
            Some(told) => self.explain(moment, left, told),
        }
    }

    /// When another role moves if nothing happens before, and how.
    fn others_move_after(
        &mut self,
        moment: &Moment,
    ) -> Result<Option<(GameTime, RoleId, TermId)>, TimedError> {
        let mut first: Option<(GameTime, RoleId, TermId)> = None;
        if moment.is_over() {
            return Ok(None);
        }
        let until = moment.next_event().unwrap_or(GameTime::ONE).units().max(1);
        for role in self.machine.seats().filter(|&role| role != self.role) {
            let Some(&action) = self.rng.pick(self.runner.legal(role)?) else { continue };
            let wait = 1 + self.rng.below(until.saturating_mul(2) / MOVES_BEFORE_EXPIRY + 1);
            let Some(wait) = GameTime::from_units(wait) else { continue };
            if first.is_none_or(|(other, ..)| wait < other) {
                first = Some((wait, role, action));
            }
        }
        Ok(first)
    }

    /// Lets time pass; whether the role is told nothing.
    fn pass(&mut self, moment: &mut Moment, time: GameTime) -> Result<bool, TimedError> {
        let (role, mut quiet) = (self.role, true);
        moment.wait(self.machine, self.runner, self.rng, time, |runner| {
            quiet &= runner.percepts(role).is_none();
        })?;
        Ok(quiet)
    }

    /// Lets roles move; whether the player is told nothing.
    fn act(&mut self, moment: &mut Moment, moves: &[(RoleId, TermId)]) -> Result<bool, TimedError> {
        let (role, mut quiet) = (self.role, true);
        moment.act(self.machine, self.runner, self.rng, moves, |runner| {
            quiet &= runner.percepts(role).is_none();
        })?;
        Ok(quiet)
    }

    /// Lets happen, after the time that is left, what the role was told of.
    fn explain(&mut self, moment: &mut Moment, left: GameTime, told: Told<'_>) -> Result<bool, TimedError> {
        let mut causes = self.causes(moment, left, told)?;
        while !causes.is_empty() {
            let cause = causes.swap_remove(self.rng.below(causes.len() as u64) as usize);
            let mut after = moment.clone();
            self.runner.set(after.state())?;
            if self.happens(&mut after, left, cause, told)? {
                *moment = after;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What may happen just then.
    fn causes(&mut self, moment: &Moment, left: GameTime, told: Told<'_>) -> Result<Vec<Cause>, TimedError> {
        let mut causes = Vec::new();
        if let Some(own) = told.own {
            // What expires just then may make it legal.
            if self.runner.legal(self.role)?.contains(&own) || moment.next_event() == Some(left) {
                causes.push(Cause::Moves(vec![(self.role, own)]));
            }
            return Ok(causes);
        }
        if moment.next_event() == Some(left) {
            causes.push(Cause::Expected);
        }
        if let Some(PendingMove { due, .. }) = moment.pending()
            && due >= left
        {
            causes.push(Cause::Pending);
        }
        for role in self.machine.seats().filter(|&role| role != self.role) {
            causes.extend(self.runner.legal(role)?.iter().map(|&action| Cause::Moves(vec![(role, action)])));
        }
        Ok(causes)
    }

    /// Lets something happen after the time that is left; whether the role is told what it was told.
    fn happens(
        &mut self,
        moment: &mut Moment,
        left: GameTime,
        cause: Cause,
        told: Told<'_>,
    ) -> Result<bool, TimedError> {
        if matches!(cause, Cause::Pending) {
            moment.set_pending_due(left);
        }
        let role = self.role;
        let mut heard: Vec<Vec<TermId>> = Vec::new();
        let mut hear = |runner: &dyn TimedRunner| heard.extend(runner.percepts(role).map(<[TermId]>::to_vec));
        // What expires at that very moment does so before anybody moves.
        let expires = moment.next_event() == Some(left);
        moment.wait(self.machine, self.runner, self.rng, left, &mut hear)?;
        if let Cause::Moves(moves) = &cause {
            for &(role, action) in moves {
                if moment.is_over() || !self.runner.legal(role)?.contains(&action) {
                    return Ok(false);
                }
            }
            moment.act(self.machine, self.runner, self.rng, moves, &mut hear)?;
        } else if !expires && !matches!(cause, Cause::Pending) {
            return Ok(false);
        }
        // Updates at one moment are told one after the other.
        Ok(match told.percepts {
            None => heard.is_empty(),
            Some(percepts) => heard.iter().any(|heard| heard == percepts),
        })
    }
}

/// What may have happened.
enum Cause {
    /// What expires at that time.
    Expected,
    /// The pending move of `random` was due.
    Pending,
    /// Somebody moved.
    Moves(Vec<(RoleId, TermId)>),
}
