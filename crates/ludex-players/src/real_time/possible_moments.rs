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
///
/// What `random` does at once is told at the same time as what it follows, in news of its own. So all news of one time are
/// taken in together, and once more from before that time on when another one comes.
pub(super) struct PossibleMoments {
    machine: Arc<dyn TimedMachine>,
    role: RoleId,
    /// Those before the time of the last news, and when that was; `None` where that is the start of the game.
    before: Option<(GameTime, Vec<Moment>)>,
    /// When the last news were, and all that was told then; the start of the game where there are none yet.
    news: (GameTime, Vec<Told>),
    /// Whether these are taken in.
    is_settled: bool,
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
        Ok(Self {
            machine,
            role: seat.role,
            before: None,
            news: (GameTime::ZERO, Vec::new()),
            is_settled: false,
            told: start.clone(),
            present: start,
            rng,
            size,
        })
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

    /// Hears what was told. It is taken in when time passes, since more may be told of the same time.
    pub fn observe(&mut self, news: &TimedNews, budget: &Budget) -> Result<(), PlayerError> {
        let told = match news {
            TimedNews::Seen { own, percepts, .. } => Told { own: *own, percepts: percepts.clone() },
            // A refused move says nothing of the game but what would have been told anyway.
            TimedNews::Moved { .. } | TimedNews::Refused { .. } => return Ok(()),
        };
        if news.time() != self.news.0 {
            self.settle(budget)?;
            self.before = Some(self.told.clone());
            self.news = (news.time(), Vec::new());
        }
        self.news.1.push(told);
        self.is_settled = false;
        Ok(())
    }

    /// Lets time pass in which nothing was told.
    pub fn advance(&mut self, now: GameTime, budget: &Budget) -> Result<(), PlayerError> {
        self.settle(budget)?;
        if now > self.present.0 {
            let (from, moments) = self.present.clone();
            let time = now.checked_sub(from).unwrap_or_default();
            let later = self.go_on(Some(&moments), time, None, budget)?;
            self.present = (now, later.unwrap_or(moments));
        }
        Ok(())
    }

    /// Takes in the last news. Where nothing fits, the moments stay as they were, at the new time: something goes on that
    /// the sample does not hold.
    fn settle(&mut self, budget: &Budget) -> Result<(), PlayerError> {
        if self.is_settled {
            return Ok(());
        }
        // However long it takes: what is not taken in is not there to decide by.
        let budget = &budget.clone().without_deadline();
        let (before, (time, news)) = (self.before.clone(), self.news.clone());
        let (from, moments) =
            before.as_ref().map_or((GameTime::ZERO, None), |(at, moments)| (*at, Some(moments)));
        let passed = time.checked_sub(from).unwrap_or_default();
        let later = self.go_on(moments.map(|moments| &moments[..]), passed, Some(&news), budget)?;
        self.told = (time, later.unwrap_or_else(|| std::mem::take(&mut self.told.1)));
        self.present = self.told.clone();
        self.is_settled = true;
        Ok(())
    }

    /// The moments after some time, from those before on, or from the start of the game on; `None` where none of them fits
    /// what was told. Where each of them would have been told more, that is still to come.
    fn go_on(
        &mut self,
        moments: Option<&[Moment]>,
        time: GameTime,
        news: Option<&[Told]>,
        budget: &Budget,
    ) -> Result<Option<Vec<Moment>>, PlayerError> {
        let machine = Arc::clone(&self.machine);
        let mut runner = machine.runner(budget);
        let (mut kept, mut begun) = (Vec::with_capacity(self.size), Vec::new());
        for number in 0..self.size * TRIES {
            // All in turn at first, then by chance.
            let from = moments.map(|moments| moments.get(number).or_else(|| self.rng.pick(moments)));
            let course =
                Course { machine: &*machine, runner: &mut *runner, rng: &mut self.rng, role: self.role };
            let followed = match from {
                Some(Some(from)) => {
                    let mut moment = from.clone();
                    course.follow(&mut moment, time, news).map(|fit| (moment, fit))
                }
                Some(None) => break,
                None => course.begin(news.unwrap_or_default()),
            };
            match followed {
                Ok((moment, Fit::Whole)) => kept.push(moment),
                Ok((moment, Fit::Begun)) if begun.len() < self.size => begun.push(moment),
                Ok(_) | Err(TimedError::TooManyUpdates { .. } | TimedError::TooLate) => {}
                Err(error) => return Err(timed_error(error)),
            }
            if kept.len() == self.size {
                break;
            }
        }
        let fitting = if kept.is_empty() { begun } else { kept };
        Ok((!fitting.is_empty()).then_some(fitting))
    }
}

/// What the role was told in one update.
#[derive(Clone)]
struct Told {
    own: Option<TermId>,
    percepts: Option<Vec<TermId>>,
}

/// How what a role would have been told fits what it was told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Not,
    /// It would have been told more.
    Begun,
    Whole,
}

impl Fit {
    /// By what is heard at one time, update by update.
    fn of(heard: &[Vec<TermId>], news: &[Told]) -> Self {
        let told = || news.iter().filter_map(|told| told.percepts.as_ref());
        if !told().zip(heard).all(|(told, heard)| told == heard) || heard.len() < told().count() {
            return Self::Not;
        }
        if heard.len() == told().count() { Self::Whole } else { Self::Begun }
    }

    fn whole(fits: bool) -> Self {
        if fits { Self::Whole } else { Self::Not }
    }
}

/// One history that may be the true one.
struct Course<'c> {
    machine: &'c dyn TimedMachine,
    runner: &'c mut dyn TimedRunner,
    rng: &'c mut Rng,
    role: RoleId,
}

impl Course<'_> {
    /// A start of the game, and whether the role would have been told what it was told.
    fn begin(mut self, news: &[Told]) -> Result<(Moment, Fit), TimedError> {
        let mut heard: Vec<Vec<TermId>> = Vec::new();
        let role = self.role;
        let hear = |runner: &dyn TimedRunner| heard.extend(runner.percepts(role).map(<[TermId]>::to_vec));
        let mut moment = Moment::start(self.machine, self.runner, self.rng, hear)?;
        let Some(own) = news.iter().find_map(|told| told.own) else {
            let fit = Fit::of(&heard, news);
            return Ok((moment, fit));
        };
        self.runner.set(moment.state())?;
        let fit = self.happens(&mut moment, GameTime::ZERO, &Cause::Moves(vec![(role, own)]), news, heard)?;
        Ok((moment, fit))
    }

    /// Plays a moment on for a time, and says whether the role would have been told what it was told at its end; `None` where
    /// that is nothing.
    fn follow(
        mut self,
        moment: &mut Moment,
        time: GameTime,
        news: Option<&[Told]>,
    ) -> Result<Fit, TimedError> {
        self.runner.set(moment.state())?;
        let mut left = time;
        loop {
            let foreseen = moment.next_event();
            let step = self.others_move_after(moment)?;
            // What is to happen at the time of the news is left to the news.
            let over = |at: GameTime| if news.is_some() { at < left } else { at <= left };
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
                return Ok(Fit::Not);
            }
        }
        match news {
            None => Ok(Fit::whole(self.pass(moment, left)?)),
            Some(news) => self.explain(moment, left, news),
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
    fn explain(&mut self, moment: &mut Moment, left: GameTime, news: &[Told]) -> Result<Fit, TimedError> {
        let mut causes = self.causes(moment, left, news)?;
        let mut begun = None;
        while !causes.is_empty() {
            let cause = causes.swap_remove(self.rng.below(causes.len() as u64) as usize);
            let mut after = moment.clone();
            self.runner.set(after.state())?;
            match self.happens(&mut after, left, &cause, news, Vec::new())? {
                Fit::Whole => {
                    *moment = after;
                    return Ok(Fit::Whole);
                }
                Fit::Begun => begun = begun.or(Some(after)),
                Fit::Not => {}
            }
        }
        let Some(after) = begun else { return Ok(Fit::Not) };
        *moment = after;
        Ok(Fit::Begun)
    }

    /// What may happen just then.
    fn causes(&mut self, moment: &Moment, left: GameTime, news: &[Told]) -> Result<Vec<Cause>, TimedError> {
        let mut causes = Vec::new();
        if let Some(own) = news.iter().find_map(|told| told.own) {
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

    /// Lets something happen after the time that is left; whether the role is told what it was told, with what it heard
    /// before at the same time.
    fn happens(
        &mut self,
        moment: &mut Moment,
        left: GameTime,
        cause: &Cause,
        news: &[Told],
        mut heard: Vec<Vec<TermId>>,
    ) -> Result<Fit, TimedError> {
        if matches!(cause, Cause::Pending) {
            moment.set_pending_due(left);
        }
        let role = self.role;
        let mut hear = |runner: &dyn TimedRunner| heard.extend(runner.percepts(role).map(<[TermId]>::to_vec));
        // What expires at that very moment does so before anybody moves.
        let expires = moment.next_event() == Some(left);
        moment.wait(self.machine, self.runner, self.rng, left, &mut hear)?;
        if let Cause::Moves(moves) = cause {
            for &(role, action) in moves {
                if moment.is_over() || !self.runner.legal(role)?.contains(&action) {
                    return Ok(Fit::Not);
                }
            }
            moment.act(self.machine, self.runner, self.rng, moves, &mut hear)?;
        } else if !expires && !matches!(cause, Cause::Pending) {
            return Ok(Fit::Not);
        }
        Ok(Fit::of(&heard, news))
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
