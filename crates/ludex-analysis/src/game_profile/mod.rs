//! What kind of game it is: who moves when, what counts, what stands on the boards and whose it is, and
//! whether the roles work together or against each other.
//!
//! 1. `sample` plays random games; what they show needs no proof, and what they refute is not asked.
//! 2. `order` asks whether two roles ever have a choice in one state, by search of all states where there
//!    are few, else by induction; and which propositions say who has one.
//! 3. `counters` follows what runs on by itself (the clock of [`factoring`](crate::factoring)), and asks of
//!    other ordered groups whether they only ever rise or fall.
//! 4. `pieces` says whose moves bring what stands on the boards of [`Structure`].
//! 5. `groups` sorts the groups of [`Invariants`](ludex_propnet::Invariants).
//! 6. `results` compares the goals of the roles over all ends of the game.
//!
//! Each answer says whether it is proved or only seen in random games ([`Certainty`]).

mod counters;
mod groups;
mod order;
mod pieces;
mod results;
mod sample;
#[cfg(test)]
mod tests;

use ludex_logic::{Budget, TermId};

pub use counters::{Counter, Course, Direction};
pub use groups::GroupFamily;
pub use order::{Control, MoveOrder};
pub use pieces::{Owned, Piece};
pub use results::{Interests, Results};

use crate::factoring::Factors;
use crate::finding::Reason;
use crate::latches::generator::Generator;
use crate::structure::Structure;
use crate::subject::{Faithful, Subject};
use crate::well_formed::Explored;
use sample::Samples;

/// How sure an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// It holds in every course of the game.
    Proved,
    /// It was so in all random games, and no more is known.
    Seen,
}

impl Certainty {
    /// One word for people and programs.
    pub fn word(self) -> &'static str {
        match self {
            Certainty::Proved => "proved",
            Certainty::Seen => "seen in random games",
        }
    }
}

/// How hard to look. All limits are counts, so the same game and options give the same game_profile, unless
/// the budget ends first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileOptions {
    /// Seed of the random games.
    pub seed: u64,
    /// Random games at most.
    pub games: u32,
    /// Steps of all random games together.
    pub steps: usize,
    /// States of a game up to which all of them are searched.
    pub most_states: usize,
    /// How many threads search.
    pub threads: usize,
    /// Steps of induction at most.
    pub depth: usize,
    /// Conflicts that one question to the solver may cost.
    pub conflicts: u64,
}

impl Default for ProfileOptions {
    fn default() -> Self {
        Self { seed: 1, games: 60, steps: 3_000, most_states: 50_000, threads: 1, depth: 3, conflicts: 2_000 }
    }
}

/// What kind of game it is.
///
/// ```
/// use ludex_analysis::game_profile::{Certainty, GameProfile, Interests, ProfileOptions};
/// use ludex_analysis::{Structure, Subject};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let structure = Structure::find(rules.program(), &**rules.machine(), &Default::default());
/// let options = ProfileOptions::default();
/// let profile = GameProfile::find(&Subject::new(&rules), &structure, &options, &Default::default());
/// assert_eq!(profile.results.interests, Interests::ConstantSum(100));
/// assert_eq!(profile.results.certainty, Certainty::Proved);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameProfile {
    /// Who moves when.
    pub order: MoveOrder,
    /// What counts: first what runs on by itself.
    pub counters: Vec<Counter>,
    /// The game is over after so many steps, whatever is done.
    pub most_steps: Option<usize>,
    /// What stands on the boards.
    pub pieces: Vec<Piece>,
    /// Propositions that exclude each other, family by family.
    pub groups: Vec<GroupFamily>,
    /// Whether the roles work together or against each other.
    pub results: Results,
    /// How many random games were played.
    pub games: usize,
    /// How many states these went through.
    pub states: usize,
    /// Why there are no proofs, or fewer; in the order in which it came up.
    pub reasons: Vec<Reason>,
}

impl GameProfile {
    /// Looks at a game. Always answers: where the budget ends early or there is no net, less is proved.
    pub fn find(subject: &Subject, structure: &Structure, options: &ProfileOptions, budget: &Budget) -> Self {
        let rules = subject.rules();
        let mut reasons = Vec::new();
        let share = |part: f64| budget.clone().with_share_of_time(part);
        budget.report("playing random games", 0, None);
        let samples = Samples::draw(rules, options, &share(0.1));
        budget.report("searching states", 0, None);
        let explored = Explored::find(rules, options.most_states, options.threads, &share(0.2));
        let explored = kept(explored, &mut reasons);
        budget.report("making the net for proofs", 0, None);
        let faithful = kept(subject.faithful(&share(0.4)).map_err(Reason::from), &mut reasons);
        let faithful = faithful.as_deref();
        let mut proofs = faithful.and_then(|faithful| {
            let made = Proofs::new(faithful, options, &share(0.5));
            kept(made, &mut reasons)
        });
        let order = order::find(
            subject,
            &samples,
            explored.as_ref(),
            proofs.as_mut(),
            options,
            &share(0.3),
            &mut reasons,
        );
        let clock = faithful.and_then(|_| {
            let factors = Factors::find(subject, &share(0.4));
            kept(factors.map(|factors| factors.clock()), &mut reasons)
        });
        let mut most_steps = None;
        let mut counters = Vec::new();
        if let Some(proofs) = proofs.as_mut() {
            let found = counters::find(subject, structure, proofs, clock.as_deref().unwrap_or(&[]), budget);
            if let Some((found, bound)) = kept(found, &mut reasons) {
                (counters, most_steps) = (found, bound);
            }
        }
        let pieces = pieces::find(subject, structure, &samples, proofs.as_mut(), &order, &mut reasons);
        let groups =
            match faithful.map(|faithful| faithful.invariants(&share(0.5)).map(|known| (faithful, known))) {
                Some(Ok((faithful, known))) => groups::families(subject, faithful, known),
                Some(Err(limit)) => {
                    note(&mut reasons, limit.into());
                    Vec::new()
                }
                None => Vec::new(),
            };
        let results =
            results::find(subject, &samples, explored.as_ref(), faithful, options, budget, &mut reasons);
        Self {
            order,
            counters,
            most_steps,
            pieces,
            groups,
            results,
            games: samples.courses.len(),
            states: samples.moments.len(),
            reasons,
        }
    }
}

/// What was found; else its reason is noted.
fn kept<T>(found: Result<T, Reason>, reasons: &mut Vec<Reason>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(reason) => {
            note(reasons, reason);
            None
        }
    }
}

fn note(reasons: &mut Vec<Reason>, reason: Reason) {
    if !reasons.contains(&reason) {
        reasons.push(reason);
    }
}

/// One step from any state with the invariants, to be asked about.
struct Proofs<'f> {
    faithful: &'f Faithful,
    generator: Generator<'f>,
    numbers: rustc_hash::FxHashMap<TermId, u32>,
}

impl<'f> Proofs<'f> {
    fn new(faithful: &'f Faithful, options: &ProfileOptions, budget: &Budget) -> Result<Self, Reason> {
        let invariants = faithful.invariants(budget)?;
        let generator = Generator::new(faithful, invariants, options.conflicts, budget.meter())?;
        let bases = 0..faithful.circuit.bases.len() as u32;
        Ok(Self {
            faithful,
            generator,
            numbers: bases.map(|base| (faithful.base_term(base), base)).collect(),
        })
    }
}
