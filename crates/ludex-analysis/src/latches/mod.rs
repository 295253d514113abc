//! Latches, inhibitors and dead states (book chapter 12).
//!
//! A *latch* is a proposition that keeps a value once it has it: a positive latch stays true, a negative
//! one stays false. What never changes at all is none. An *inhibitor* keeps another proposition, or a
//! goal value, false. A state is *dead* for a role and a goal value if the value cannot be reached any
//! more, which latches that inhibit it show without any search.
//!
//! 1. `sample` plays random games; what they refute is not asked.
//! 2. `generator` is one step from any state as a formula (book 16.1's state generator), strengthened
//!    by what holds in all reachable states. `search` asks it for latches, inhibitors and goal
//!    inhibitors, `succession` for the ways through groups of which one member is true.
//! 3. `outlook` says of a state what can still be reached: [`Latches::out_of_reach`] by the list of goal
//!    inhibitors, [`Latches::forecast`] by spreading all that lasts through the net.
//! 4. `disjunction` has groups of which, once one holds, one always does (book 12.2).
//! 5. `states` visits all states of a small game: `dead` counts those that are dead, and those that latches
//!    show to be (book 12.4); `vacuous` leaves out what says nothing of any of them.

mod dead;
mod disjunction;
pub(crate) mod generator;
mod outlook;
#[cfg(test)]
mod random_tests;
mod sample;
mod search;
mod states;
mod succession;
#[cfg(test)]
mod tests;
mod vacuous;

use std::sync::Arc;

use ludex_game::{Goal, RoleId, Rules};
use ludex_logic::TermId;
use ludex_propnet::Lasting;
use rustc_hash::FxHashMap;

pub use dead::Removal;
pub use outlook::Forecast;
pub use states::AllStates;
pub use succession::{Stage, Succession};

use crate::finding::{Finding, Reason};
use crate::{Faithful, Subject};
use sample::{Moment, Samples};

/// How hard to look for latches. All limits are counts, so the same game and effort give the same result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatchEffort {
    /// Seed of the random games that refute wrong guesses.
    pub seed: u64,
    /// Random games at most.
    pub playouts: u32,
    /// Steps of all random games together.
    pub sample_steps: u32,
    /// Conflicts that one question to the solver may cost.
    pub conflicts: u64,
    /// With more bases than this, inhibitors are looked for among latches only.
    pub most_bases: usize,
}

impl Default for LatchEffort {
    fn default() -> Self {
        Self { seed: 1, playouts: 100, sample_steps: 4_000, conflicts: 2_000, most_bases: 600 }
    }
}

/// A proposition with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Setting {
    /// The proposition.
    pub proposition: TermId,
    /// Its value.
    pub value: bool,
}

/// Propositions of which one holds in every state after the first in which one does, though none of them is
/// a latch by itself (book 12.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disjunction {
    /// The propositions.
    pub members: Vec<TermId>,
    /// Whether one of them holds in the initial state, and so in every state.
    pub always: bool,
}

/// What a setting keeps false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inhibitor {
    /// The setting. Where it is a latch, what it inhibits is so for the rest of the game.
    pub by: Setting,
    /// Whether the setting is a latch.
    pub latched: bool,
    /// False in every state that follows one with the setting (book 12.3), and not in all others, too.
    pub excludes: Vec<TermId>,
    /// Never becomes true in a step from a state with the setting, but may stay true. Looked for where
    /// the setting is a latch; what holds wherever the setting does is left out.
    pub blocks: Vec<TermId>,
}

/// How a setting inhibits a goal value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hold {
    /// No state with the setting has the value.
    Bars,
    /// The value cannot come up where it does not hold already, as long as the setting stays.
    Blocks,
}

/// A setting that inhibits a goal value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoalInhibitor {
    /// The setting.
    pub by: Setting,
    /// Whether it is a latch, so that the value is lost for good.
    pub latched: bool,
    /// Whose value.
    pub role: RoleId,
    /// The value.
    pub value: Goal,
    /// How.
    pub hold: Hold,
}

/// What is known of a base keeping a value.
#[derive(Clone, Copy, Debug)]
enum Standing {
    /// It has the value from the beginning to the end, or never.
    Constant,
    /// Proved.
    Latch,
    /// Here it lost the value.
    Lost(Moment),
    /// From some state that the invariants allow, a step takes the value away.
    NotInductive,
    /// The solver gave up, or was not asked.
    Open,
}

/// An inhibitor in numbers of bases.
#[derive(Clone, Debug)]
struct Inhibition {
    base: u32,
    value: bool,
    latched: bool,
    excludes: Vec<u32>,
    blocks: Vec<u32>,
    /// The game is over wherever the setting holds: nothing follows that anything could be kept from.
    ends: bool,
}

/// A goal inhibitor in numbers.
#[derive(Clone, Copy, Debug)]
struct GoalInhibition {
    base: u32,
    value: bool,
    latched: bool,
    role: u32,
    /// Position in the circuit's list of goals.
    goal: u32,
    hold: Hold,
    /// The game is over wherever the setting holds, and the value is lost by that alone.
    ends: bool,
}

/// The latches and inhibitors of a game, all of them proved.
///
/// ```
/// use ludex_analysis::Subject;
/// use ludex_analysis::latches::{LatchEffort, Latches};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let subject = Subject::new(&rules);
/// let latches = Latches::find(&subject, &LatchEffort::default(), &Default::default())?;
/// let (marked, blank) = (rules.read_term("(cell 1 1 x)")?, rules.read_term("(cell 1 1 b)")?);
/// assert!(latches.positive().contains(&marked) && latches.negative().contains(&blank));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Latches {
    rules: Rules,
    faithful: Arc<Faithful>,
    numbers: FxHashMap<TermId, u32>,
    lasting: Lasting,
    /// Per base what is known of it staying false, and staying true.
    standings: Vec<[Standing; 2]>,
    successions: Vec<succession::Ways>,
    disjunctions: Vec<disjunction::Group>,
    inhibitions: Vec<Inhibition>,
    goal_inhibitions: Vec<GoalInhibition>,
    /// Bases that no step ever turns on, ascending: nothing can be said to keep them off.
    at_first: Vec<u32>,
    /// Goals that no step ever leads to.
    never: Vec<(u32, u32)>,
    samples: Samples,
    questions: u64,
    stopped: Option<Reason>,
}

impl Latches {
    /// Finds and proves the latches and inhibitors of a game. Where a limit ends the search, what was
    /// proved by then is kept; see [`Latches::stopped`].
    ///
    /// # Errors
    /// Where the game has no net within the budget, or it is spent before a question can be asked.
    pub fn find(
        subject: &Subject,
        effort: &LatchEffort,
        budget: &ludex_logic::Budget,
    ) -> Result<Self, Reason> {
        search::find(subject, effort, budget)
    }

    /// The game.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The net that the proofs are about; states in bits are per base of its circuit.
    pub fn faithful(&self) -> &Arc<Faithful> {
        &self.faithful
    }

    /// Why the search ended early, where it did. All that is listed is proved all the same.
    pub fn stopped(&self) -> Option<&Reason> {
        self.stopped.as_ref()
    }

    /// Questions that the solver was asked.
    pub fn questions(&self) -> u64 {
        self.questions
    }

    /// Steps of random games that guesses were compared with.
    pub fn sampled_steps(&self) -> usize {
        self.samples.steps()
    }

    /// Propositions that stay true once they are true, and are not always so.
    pub fn positive(&self) -> Vec<TermId> {
        self.with_standing(true)
    }

    /// Propositions that stay false once they are false, and are not always so.
    pub fn negative(&self) -> Vec<TermId> {
        self.with_standing(false)
    }

    fn with_standing(&self, value: bool) -> Vec<TermId> {
        let bases = 0..self.standings.len() as u32;
        bases.filter(|&base| self.is_latch(base, value)).map(|base| self.faithful.base_term(base)).collect()
    }

    fn is_latch(&self, base: u32, value: bool) -> bool {
        matches!(self.standings[base as usize][usize::from(value)], Standing::Latch)
    }

    /// Whether a base with this value has it for the rest of the game.
    fn stays(&self, base: u32, value: bool) -> bool {
        let standing = self.standings[base as usize][usize::from(value)];
        matches!(standing, Standing::Latch | Standing::Constant)
    }

    /// Propositions that always have the value they have at first.
    pub fn constants(&self) -> Vec<Setting> {
        let constant = |(base, standings): (usize, &[Standing; 2])| {
            let stored = &self.faithful.circuit.bases[base];
            let setting =
                Setting { proposition: self.faithful.base_term(base as u32), value: stored.initial };
            matches!(standings[1], Standing::Constant).then_some(setting)
        };
        self.standings.iter().enumerate().filter_map(constant).collect()
    }

    /// Whether a proposition keeps this value once it has it. None for what is no proposition of the
    /// net, so that it never holds. For constants the answer is yes.
    pub fn keeps(&self, setting: Setting) -> Option<Finding> {
        let &base = self.numbers.get(&setting.proposition)?;
        let standing = self.standings[base as usize][usize::from(setting.value)];
        Some(match (standing, &self.stopped) {
            (Standing::Constant | Standing::Latch, _) => Finding::Proved(()),
            (Standing::Lost(moment), _) => Finding::Refuted(self.samples.witness(&self.rules, moment)),
            (Standing::Open, Some(reason)) => Finding::Undecided(reason.clone()),
            (Standing::Open, None) => Finding::Undecided(Reason::Method("the solver gave up".to_owned())),
            (Standing::NotInductive, _) => Finding::Undecided(Reason::Method(
                "a step from some state that the known invariants allow changes it, but no random game did"
                    .to_owned(),
            )),
        })
    }

    /// Groups of propositions of which at most one is true, and how one follows another: what was left
    /// behind never comes back. So each set of members that only lead to each other latches as a group.
    pub fn successions(&self) -> Vec<Succession> {
        self.successions.iter().map(|ways| ways.named(&self.faithful)).collect()
    }

    /// Groups of propositions that latch together though none of them does alone, the smallest first: pairs,
    /// and larger groups that exclude each other and only lead to each other.
    pub fn disjunctions(&self) -> Vec<Disjunction> {
        let bases = &self.faithful.circuit.bases;
        let named = |group: &disjunction::Group| Disjunction {
            members: group.members.iter().map(|&base| self.faithful.base_term(base)).collect(),
            always: group.members.iter().any(|&base| bases[base as usize].initial),
        };
        self.disjunctions.iter().map(named).collect()
    }

    /// All inhibitors that were proved and keep something from coming about, latches first.
    pub fn inhibitors(&self) -> Vec<Inhibitor> {
        let terms =
            |bases: &[u32]| bases.iter().map(|&base| self.faithful.base_term(base)).collect::<Vec<_>>();
        let named = |found: &Inhibition| Inhibitor {
            by: self.setting(found.base, found.value),
            latched: found.latched,
            excludes: terms(&found.excludes),
            blocks: terms(&found.blocks),
        };
        self.inhibitions.iter().filter(|found| !found.ends).map(named).collect()
    }

    /// All goal inhibitors that were proved, latches first. A value that holds wherever the setting does is
    /// not blocked by it, and what ends the game blocks nothing.
    pub fn goal_inhibitors(&self) -> Vec<GoalInhibitor> {
        let named = |found: &GoalInhibition| GoalInhibitor {
            by: self.setting(found.base, found.value),
            latched: found.latched,
            role: RoleId(found.role),
            value: self.faithful.circuit.goals[found.role as usize][found.goal as usize].0,
            hold: found.hold,
        };
        self.goal_inhibitions.iter().filter(|found| !found.ends).map(named).collect()
    }

    /// Goal values that no step leads to from any state, per role; the initial state may have them.
    pub fn never_reached(&self) -> Vec<(RoleId, Goal)> {
        let goals = &self.faithful.circuit.goals;
        let named = |&(role, goal): &(u32, u32)| (RoleId(role), goals[role as usize][goal as usize].0);
        self.never.iter().map(named).collect()
    }

    fn setting(&self, base: u32, value: bool) -> Setting {
        Setting { proposition: self.faithful.base_term(base), value }
    }
}
