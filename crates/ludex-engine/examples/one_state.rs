//! How fast the net machine runs one state at a time: what `benches/compare` runs at two commits.
//!
//! `one_state SECONDS RULESHEET...` prints a line for each: the name, steps a second, seconds to prepare, and a
//! hash of the final states, lengths and goals of the first hundred random games. It uses no more of the
//! libraries than earlier commits have, too.

use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ludex_engine::{NetMachine, NetOptions};
use ludex_game::{Machine, Rng, Runner};
use ludex_logic::Budget;

/// Games are cut off after this many steps.
const STEPS: u32 = 2_000;
/// Games between two looks at the clock.
const GAMES: u32 = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().ok_or("one_state SECONDS RULESHEET...")?.parse()?;
    for path in arguments {
        let source = Arc::new(ludex_gdl::Source::new(&path, &std::fs::read_to_string(&path)?));
        let Some(game) = ludex_gdl::load(source, &ludex_gdl::LoadOptions::default()).game else {
            return Err(format!("{path} is not a game").into());
        };
        let (net, preparing) = timed(|| NetMachine::new(&game, &NetOptions::default()));
        let net = net?;
        let budget = Budget::unlimited();
        let mut runner = net.runner(&budget);
        let mut rng = Rng::from_seed(1);
        let hash = hash_of_games(&net, &mut *runner, &mut rng);
        let mut steps = 0;
        let mut spent = 0.0;
        while spent < seconds {
            spent +=
                timed(|| (0..GAMES).for_each(|_| steps += u64::from(play(&net, &mut *runner, &mut rng).0))).1;
        }
        let name = Path::new(&path).file_stem().unwrap_or_default().display();
        println!("{name} {:.0} {preparing:.2} {hash:016x}", steps as f64 / spent);
    }
    Ok(())
}

/// What something gives, and the seconds that it takes.
#[expect(clippy::disallowed_methods, reason = "nothing is limited here; time is what is asked for")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// A random game: its steps and what the goals are. A role without a move ends it.
fn play(net: &NetMachine, runner: &mut dyn Runner, rng: &mut Rng) -> (u32, u64) {
    let played = runner.set(net.initial()).and_then(|()| runner.playout(rng, STEPS));
    played.map_or((0, 0), |played| {
        let mut hasher = DefaultHasher::new();
        played.goals.hash(&mut hasher);
        (played.steps, hasher.finish())
    })
}

fn hash_of_games(net: &NetMachine, runner: &mut dyn Runner, rng: &mut Rng) -> u64 {
    let mut state = net.initial().clone();
    let mut hasher = DefaultHasher::new();
    for _ in 0..100 {
        play(net, runner, rng).hash(&mut hasher);
        runner.save(&mut state);
        state.words().hash(&mut hasher);
    }
    hasher.finish()
}
