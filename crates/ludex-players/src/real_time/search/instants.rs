//! The moments at which roles decide in the tree and in playouts.

use ludex_game::{
    DecisionMoments, Moment, Pace, Rng, TimedAnswer, TimedMachine, TimedPlayoutOptions, TimedRunner,
    timed_playout,
};
use ludex_gdl::GameTime;

use super::simulation::LONGEST;

/// So many playouts say how often something happens.
const SAMPLES: usize = 12;
/// The time between two events is divided into so many.
const PARTS: u64 = 4;

/// How far moments of decision are apart, by what happens in some playouts: a quarter of the usual time from one expiry to
/// the next.
pub(super) fn measure(
    machine: &dyn TimedMachine,
    runner: &mut dyn TimedRunner,
    moments: &[Moment],
    rng: &mut Rng,
    delay: GameTime,
    slice: GameTime,
) -> TimedAnswer<DecisionMoments> {
    let margin = slice.checked_add(delay).unwrap_or(slice);
    let pace = Pace::Decisions(DecisionMoments { tick: GameTime::ONE, margin });
    let options = TimedPlayoutOptions { pace, events: LONGEST, time: GameTime::MAX };
    let mut times: Vec<u64> = Vec::new();
    for number in 0..SAMPLES {
        let Some(moment) = moments.get(number % moments.len().max(1)) else { break };
        runner.set(moment.state())?;
        let told = |elapsed: GameTime, is_silent: bool| times.extend(is_silent.then(|| elapsed.units()));
        timed_playout(machine, runner, moment.into(), &options, rng, told)?;
    }
    times.sort_unstable();
    let usual = times.get(times.len() / 2).map_or(GameTime::ONE.units(), |&time| time / PARTS);
    let tick = GameTime::from_units(usual.max(slice.units()).max(1)).unwrap_or(GameTime::ONE);
    Ok(DecisionMoments { tick, margin })
}

/// How long from a moment to the next one at which is decided, if nobody moves; the moment is so long after the root.
pub(super) fn next_decision(moments: &DecisionMoments, moment: &Moment, since_root: GameTime) -> GameTime {
    let expiry = moment.state().time_to_expiry().and_then(|time| time.checked_sub(moment.elapsed()));
    moments.after(expiry, moment.next_event(), since_root)
}
