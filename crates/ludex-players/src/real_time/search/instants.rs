//! The moments at which roles decide in the tree and in playouts.

use ludex_game::{Moment, Rng, TimedAnswer, TimedMachine, TimedRunner};
use ludex_gdl::GameTime;

use super::simulation::Course;

/// So many playouts say how often something happens.
const SAMPLES: usize = 12;
/// The time between two events is divided into so many.
const PARTS: u64 = 4;
/// Moments lie this fraction of the time from now apart, at least.
const SPREAD: u64 = 3;

/// How far moments of decision are apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instants {
    /// In the near future.
    pub tick: GameTime,
    /// So long before something expires there is the last chance to move.
    pub margin: GameTime,
}

impl Instants {
    /// By what happens in some playouts: a quarter of the usual time from one expiry to the next.
    pub fn measure(
        machine: &dyn TimedMachine,
        runner: &mut dyn TimedRunner,
        moments: &[Moment],
        rng: &mut Rng,
        delay: GameTime,
        slice: GameTime,
    ) -> TimedAnswer<Self> {
        let margin = slice.checked_add(delay).unwrap_or(slice);
        let guess = Self { tick: GameTime::ONE, margin };
        let mut times: Vec<u64> = Vec::new();
        for number in 0..SAMPLES {
            let Some(moment) = moments.get(number % moments.len().max(1)) else { break };
            let mut course = Course::new(machine, runner, rng, &guess);
            course.playout(moment.clone(), Some(&mut times))?;
        }
        times.sort_unstable();
        let usual = times.get(times.len() / 2).map_or(GameTime::ONE.units(), |&time| time / PARTS);
        let tick = GameTime::from_units(usual.max(slice.units()).max(1)).unwrap_or(GameTime::ONE);
        Ok(Self { tick, margin })
    }

    /// How long from a moment to the next one at which is decided, if nobody moves; the moment is so long after the root.
    pub fn after(&self, moment: &Moment, since_root: GameTime) -> GameTime {
        let spread = since_root.units() / SPREAD;
        let step = GameTime::from_units(spread).unwrap_or(self.tick).max(self.tick);
        // What `random` is going to do is nothing to plan by.
        let expiry = moment.state().time_to_expiry().and_then(|time| time.checked_sub(moment.elapsed()));
        let Some(expiry) = expiry else { return moment.next_event().map_or(step, |next| next.min(step)) };
        let last = expiry.checked_sub(self.margin).filter(|&last| last > GameTime::ZERO);
        let step = match last {
            Some(last) => step.min(last),
            None => expiry,
        };
        moment.next_event().map_or(step, |next| next.min(step))
    }
}
