//! What a player in real time knows of the present.

use std::sync::Arc;

use ludex_game::{Moment, Rng, RoleId, TimedMachine, TimedRunner};
use ludex_gdl::GameTime;
use ludex_logic::{Budget, TermId};

use super::player::{TimedNews, TimedSeat};
use super::possible_moments::PossibleMoments;
use crate::player::PlayerError;

/// So many moments are kept where not everything is seen.
const PARTICLES: usize = 200;

/// The present, as a player knows it from what it was told.
pub(super) enum PresentKnowledge {
    /// Everything is seen (rtGDL): there is no chance, so the moves are enough.
    Known(KnownMoment),
    /// Not everything is seen (rtGDL-II).
    Possible(PossibleMoments),
}

impl PresentKnowledge {
    pub fn new(seat: &TimedSeat, seed: u64, budget: &Budget) -> Result<Self, PlayerError> {
        if seat.hidden || seat.machine.random().is_some() {
            return Ok(Self::Possible(PossibleMoments::new(seat, seed, PARTICLES, budget)?));
        }
        Ok(Self::Known(KnownMoment::new(&seat.machine, budget)?))
    }

    /// Takes in what happened.
    pub fn observe(&mut self, news: &TimedNews, budget: &Budget) -> Result<(), PlayerError> {
        match self {
            Self::Known(known) => known.observe(news, budget),
            Self::Possible(possible) => possible.observe(news, budget),
        }
    }

    /// Lets time pass up to the present.
    pub fn advance(&mut self, now: GameTime, budget: &Budget) -> Result<(), PlayerError> {
        match self {
            Self::Known(known) => known.advance(now, budget),
            Self::Possible(possible) => possible.advance(now, budget),
        }
    }

    /// The moments that the present may be, each as likely as the others.
    pub fn moments(&self) -> &[Moment] {
        match self {
            Self::Known(known) => std::slice::from_ref(&known.moment),
            Self::Possible(possible) => possible.moments(),
        }
    }

    /// Whether there is exactly one moment that the present may be, and no chance in what follows.
    pub fn is_known(&self) -> bool {
        matches!(self, Self::Known(_))
    }

    /// The moments that it may be after some more time, if nobody moves.
    pub fn moments_after(&self, time: GameTime, budget: &Budget) -> Result<Vec<Moment>, PlayerError> {
        match self {
            Self::Known(known) => {
                let mut later = known.clone();
                let to = known.now.checked_add(time).unwrap_or(known.now);
                later.advance(to, budget)?;
                Ok(vec![later.moment])
            }
            Self::Possible(possible) => possible.moments_after(time, budget),
        }
    }
}

/// The moves that are legal in all moments, in canonical order; where there are none, those that are legal in most.
pub(super) fn legal_in_most(
    moments: &[Moment],
    role: RoleId,
    runner: &mut dyn TimedRunner,
) -> Result<Vec<TermId>, PlayerError> {
    let mut counts: Vec<(TermId, usize)> = Vec::new();
    let mut without = 0;
    for moment in moments {
        runner.set(moment.state()).map_err(timed_error)?;
        let legal = if moment.is_over() { &[] } else { runner.legal(role).map_err(timed_error)? };
        without += usize::from(legal.is_empty());
        for &action in legal {
            match counts.iter_mut().find(|(known, _)| *known == action) {
                Some((_, count)) => *count += 1,
                None => counts.push((action, 1)),
            }
        }
    }
    let most = counts.iter().map(|&(_, count)| count).max().unwrap_or(0);
    if without > most {
        return Ok(Vec::new());
    }
    Ok(counts.into_iter().filter(|&(_, count)| count == most).map(|(action, _)| action).collect())
}

/// How long until something is sure to expire, in the moment in which that comes first. A pending move of `random` is not
/// foreseen by anybody.
pub(super) fn next_expiry(moments: &[Moment]) -> Option<GameTime> {
    let foreseen = |moment: &Moment| moment.state().time_to_expiry()?.checked_sub(moment.elapsed());
    moments.iter().filter(|moment| !moment.is_over()).filter_map(foreseen).min()
}

/// The one moment that the present is.
#[derive(Clone)]
pub(super) struct KnownMoment {
    machine: Arc<dyn TimedMachine>,
    moment: Moment,
    now: GameTime,
}

impl KnownMoment {
    fn new(machine: &Arc<dyn TimedMachine>, budget: &Budget) -> Result<Self, PlayerError> {
        let mut runner = machine.runner(budget);
        // Nothing is left to chance where everything is seen.
        let moment = Moment::start(&**machine, &mut *runner, &mut Rng::from_seed(0), |_| {});
        let moment = moment.map_err(timed_error)?;
        drop(runner);
        Ok(Self { machine: Arc::clone(machine), moment, now: GameTime::ZERO })
    }

    fn observe(&mut self, news: &TimedNews, budget: &Budget) -> Result<(), PlayerError> {
        let TimedNews::Moved { time, moves } = news else { return Ok(()) };
        self.advance(*time, budget)?;
        let machine = Arc::clone(&self.machine);
        let mut runner = machine.runner(budget);
        runner.set(self.moment.state()).map_err(timed_error)?;
        let mut moment = self.moment.clone();
        let made = moment.act(&*machine, &mut *runner, &mut Rng::from_seed(0), moves, |_| {});
        made.map_err(timed_error)?;
        self.moment = moment;
        Ok(())
    }

    fn advance(&mut self, to: GameTime, budget: &Budget) -> Result<(), PlayerError> {
        let machine = Arc::clone(&self.machine);
        let mut runner = machine.runner(budget);
        let mut rng = Rng::from_seed(0);
        let mut set = false;
        while let Some(left) = to.checked_sub(self.now).filter(|left| *left > GameTime::ZERO) {
            let next = self.moment.next_event().filter(|&next| next <= left);
            if next.is_some() && !set {
                runner.set(self.moment.state()).map_err(timed_error)?;
                set = true;
            }
            let time = next.unwrap_or(left);
            let mut moment = self.moment.clone();
            moment.wait(&*machine, &mut *runner, &mut rng, time, |_| {}).map_err(timed_error)?;
            self.moment = moment;
            self.now = self.now.checked_add(time).unwrap_or(to);
        }
        Ok(())
    }
}

/// What a game in real time has to say, as what a player has.
pub(super) fn timed_error(error: ludex_game::TimedError) -> PlayerError {
    match error {
        ludex_game::TimedError::Game(error) => error.into(),
        other => PlayerError::Gone(other.to_string()),
    }
}
