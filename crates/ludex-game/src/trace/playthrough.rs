//! Seeded playthroughs that look at everything, as a trace and as one number.

use ludex_logic::Budget;

use crate::error::{Answer, GameError};
use crate::machine::Machine;
use crate::rng::Rng;
use crate::signature::{ActionId, Goal};
use crate::state::State;
use crate::trace::format::{ByRole, Trace, TraceHeader, TraceStep};

/// What a seeded playthrough saw, in one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playthrough {
    /// A hash over every fact, terminality, legal move, goal value and percept on the way, as texts in
    /// canonical order. Engines that agree on a game agree on it; so do releases on all platforms.
    pub hash: u64,
    /// The number of joint moves made.
    pub steps: u32,
    /// Whether the last state is terminal; otherwise the limit was reached.
    pub terminal: bool,
    /// The goal values of the last state.
    pub goals: Vec<Option<Goal>>,
}

/// Plays one game at random from the initial state, at most `limit` joint moves, and hashes all that can
/// be asked on the way. The moves are those that [`Runner::playout`](crate::Runner::playout) makes with
/// `Rng::from_seed(seed)`.
///
/// # Errors
/// What the machine answers; [`GameError::NoLegalMove`] when a role is stuck.
pub fn playthrough(machine: &dyn Machine, seed: u64, limit: u32, budget: &Budget) -> Answer<Playthrough> {
    let mut hash = TextHash::new();
    let last = walk(machine, seed, limit, budget, |look| hash.look(&look))?;
    Ok(Playthrough { hash: hash.0, steps: last.step, terminal: last.terminal, goals: last.goals })
}

/// Records playouts with the seeds `seed`, `seed + 1`... in the format of traces.
///
/// # Errors
/// As [`playthrough`].
pub fn record_playouts(
    machine: &dyn Machine,
    game: &str,
    playouts: u32,
    seed: u64,
    limit: u32,
    budget: &Budget,
) -> Answer<Trace> {
    let terms = machine.signature().terms();
    let roles: Vec<String> = machine.signature().roles().iter().map(|&r| terms.prefix(r)).collect();
    let mut steps = Vec::new();
    for playout in 0..playouts {
        walk(machine, seed.wrapping_add(u64::from(playout)), limit, budget, |look| {
            let by_role = |lists: Vec<Vec<String>>| ByRole(roles.iter().cloned().zip(lists).collect());
            let sorted = |mut texts: Vec<String>| {
                texts.sort();
                texts
            };
            steps.push(TraceStep {
                playout,
                step: look.step,
                state: sorted(look.facts),
                terminal: look.terminal,
                legals: by_role(look.legals.into_iter().map(sorted).collect()),
                goals: ByRole(roles.iter().cloned().zip(look.goals).collect()),
                joint: look.joint,
            });
        })?;
    }
    let header = TraceHeader { game: game.to_owned(), file: None, sha256: None, roles };
    Ok(Trace { header, steps })
}

/// One state of a playthrough, in prefix texts and canonical order.
struct Look {
    step: u32,
    facts: Vec<String>,
    terminal: bool,
    legals: Vec<Vec<String>>,
    goals: Vec<Option<Goal>>,
    percepts: Vec<Vec<String>>,
    joint: Option<Vec<String>>,
}

struct Last {
    step: u32,
    terminal: bool,
    goals: Vec<Option<Goal>>,
}

fn walk(
    machine: &dyn Machine,
    seed: u64,
    limit: u32,
    budget: &Budget,
    mut visit: impl FnMut(Look),
) -> Answer<Last> {
    let signature = machine.signature();
    let terms = signature.terms();
    let mut rng = Rng::from_seed(seed);
    let mut runner = machine.runner(budget);
    let (mut state, mut facts) = (State::default(), Vec::new());
    let mut joint: Vec<ActionId> = Vec::new();
    for step in 0..=limit {
        runner.save(&mut state);
        facts.clear();
        machine.facts(&state, &mut facts);
        let terminal = runner.terminal()?;
        let stop = terminal || step == limit;
        joint.clear();
        let (mut legals, mut goals, mut percepts) = (Vec::new(), Vec::new(), Vec::new());
        for role in signature.role_ids() {
            percepts.push(runner.percepts(role).iter().map(|&p| terms.prefix(p)).collect());
            goals.push(runner.goal(role)?);
            let legal = runner.legal(role)?;
            legals.push(legal.iter().map(|&a| terms.prefix(signature.action(a))).collect());
            if !stop {
                let stuck =
                    || GameError::NoLegalMove { role: signature.text(signature.roles()[role.index()]) };
                joint.push(*rng.pick(legal).ok_or_else(stuck)?);
            }
        }
        let made = (!stop).then(|| joint.iter().map(|&a| terms.prefix(signature.action(a))).collect());
        let look = Look {
            step,
            facts: facts.iter().map(|&f| terms.prefix(f)).collect(),
            terminal,
            legals,
            goals: goals.clone(),
            percepts,
            joint: made,
        };
        visit(look);
        if stop {
            return Ok(Last { step, terminal, goals });
        }
        runner.step_legal(&joint)?;
    }
    // The last turn of the loop returns.
    Ok(Last { step: limit, terminal: false, goals: Vec::new() })
}

/// FNV-1a over texts, each closed by a byte that no text holds.
struct TextHash(u64);

impl TextHash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn texts(&mut self, texts: &[String]) {
        for text in texts {
            self.bytes(text.as_bytes());
            self.bytes(&[0xff]);
        }
        self.bytes(&[0xfe]);
    }

    fn look(&mut self, look: &Look) {
        self.texts(&look.facts);
        self.bytes(&[u8::from(look.terminal)]);
        for list in look.legals.iter().chain(&look.percepts) {
            self.texts(list);
        }
        for goal in &look.goals {
            self.bytes(&goal.map_or(-1, i64::from).to_le_bytes());
        }
    }
}
