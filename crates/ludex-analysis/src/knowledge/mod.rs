//! What is known of a game by those who play it: parts that are found one after the other, and that each
//! can do without.
//!
//! A [`Knowledge`] is a snapshot that never changes. [`Knowledge::gather`] finds its parts in the order of
//! [`Topic::ALL`], cheap and generally useful ones first, and hands out a new snapshot after each. Every
//! part has limits of its own in steps of inference ([`Topic::work`]), so that none starves those after
//! it, and the same game gives the same knowledge on every machine; the caller's budget (time, a cancel
//! flag) ends it all.
//!
//! What is said is proved, so that it may prune ([`Knowledge::latches`]), or replays on the rules
//! ([`Knowledge::plan`]), with one exception: [`Knowledge::fuzzy`] says what looks good, and may only order.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use ludex_logic::{Budget, LimitError};

use crate::Subject;
use crate::factoring::{FactorPlan, Factors, Standing};
use crate::finding::Reason;
use crate::fuzzy::{FuzzyError, FuzzyGoals, FuzzyOptions};
use crate::latches::{LatchEffort, Latches};

/// Factored plans are at most so long.
const MOST_PLAN_STEPS: usize = 500;
/// Steps of inference for the net that all parts are about.
const NET_WORK: u64 = 60_000_000;
/// Bytes that one part may take at most.
const MEMORY: usize = 1 << 30;

/// Something that can be known of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topic {
    /// Fuzzy goals of all roles.
    Fuzzy,
    /// The games that the game is made of, and a plan made of theirs for one player.
    Factors,
    /// What stays for ever, and what that puts out of reach. Fuzzy goals that are known use it, too.
    Latches,
}

impl Topic {
    /// All parts in the order in which they are found.
    pub const ALL: [Topic; 3] = [Topic::Fuzzy, Topic::Factors, Topic::Latches];

    /// Its name, as options of strategies have it.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Fuzzy => "fuzzy",
            Topic::Factors => "factors",
            Topic::Latches => "latches",
        }
    }

    /// Steps of inference that each of its methods may take, beside the net that they all need.
    pub fn work(self) -> u64 {
        match self {
            Topic::Fuzzy => 20_000_000,
            Topic::Factors => 80_000_000,
            Topic::Latches => 120_000_000,
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Some of the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Topics(u8);

impl Topics {
    /// None.
    pub const NONE: Topics = Topics(0);

    /// All of them.
    pub fn all() -> Self {
        Topic::ALL.into_iter().collect()
    }

    /// Whether it has a part.
    pub fn has(self, part: Topic) -> bool {
        self.0 & part.bit() != 0
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those of both.
    #[must_use]
    pub fn and(self, other: Topics) -> Self {
        Self(self.0 | other.0)
    }

    /// With one more part where `wanted`.
    #[must_use]
    pub fn with(self, part: Topic, wanted: bool) -> Self {
        if wanted { Self(self.0 | part.bit()) } else { self }
    }
}

impl FromIterator<Topic> for Topics {
    fn from_iter<I: IntoIterator<Item = Topic>>(parts: I) -> Self {
        parts.into_iter().fold(Self::NONE, |all, part| all.with(part, true))
    }
}

/// What is known of a game: a snapshot.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    latches: Option<Arc<Latches>>,
    factors: Option<Arc<Factors>>,
    plan: Option<Arc<FactorPlan>>,
    fuzzy: Option<Arc<[FuzzyGoals]>>,
    tried: Topics,
    refusals: Vec<(Topic, Reason)>,
}

impl Knowledge {
    /// Finds the parts that are asked for and were not tried before, and hands out a snapshot after
    /// each. What cannot be known within its limits is passed over ([`Knowledge::refusals`]). What the
    /// caller's limits end, where they are tighter, is given up, and somebody with more can take it up.
    /// The answer is the last snapshot.
    pub fn gather(
        self: Arc<Self>,
        subject: &Subject,
        wanted: Topics,
        budget: &Budget,
        mut hand_out: impl FnMut(&Arc<Knowledge>),
    ) -> Arc<Self> {
        let mut known = self;
        for part in Topic::ALL.into_iter().filter(|&part| wanted.has(part)) {
            if known.tried.has(part) {
                continue;
            }
            budget.report(part.name(), 0, None);
            match known.with(part, subject, budget) {
                Ok(more) => known = Arc::new(more),
                Err(LimitError::Work { .. } | LimitError::Memory { .. } | LimitError::Text { .. }) => {
                    continue;
                }
                Err(LimitError::Deadline | LimitError::Slow { .. } | LimitError::Cancelled) => break,
            }
            hand_out(&known);
        }
        known
    }

    /// The first of some parts that was not tried.
    pub fn next(&self, wanted: Topics) -> Option<Topic> {
        Topic::ALL.into_iter().find(|&part| wanted.has(part) && !self.tried.has(part))
    }

    /// The same with one part more, or with the reason why it is not known.
    ///
    /// # Errors
    /// The caller's limits, where they are tighter than the part's own: nothing was found out then.
    pub fn with(&self, part: Topic, subject: &Subject, budget: &Budget) -> Result<Self, LimitError> {
        let limited = |work: u64| {
            budget.clone().with_work(work.min(budget.work())).with_memory(MEMORY.min(budget.memory()))
        };
        let mut more = self.clone();
        if let Err(error) = subject.faithful(&limited(NET_WORK)) {
            budget.meter().check()?;
            if budget.work() < NET_WORK || budget.memory() < MEMORY {
                return Err(LimitError::Work { limit: budget.work() });
            }
            // All parts need the net, and it would take as long to see that for each of them.
            let reason = Reason::from(error);
            let open = Topic::ALL.into_iter().filter(|&part| !self.tried.has(part));
            more.refusals.extend(open.map(|part| (part, reason.clone())));
            more.tried = Topics::all();
            return Ok(more);
        }
        let own = limited(part.work());
        if let Err(reason) = more.find(part, subject, &own) {
            if let Reason::Limit(limit) = &reason
                && is_callers(limit, part)
            {
                return Err(limit.clone());
            }
            more.refusals.push((part, reason));
        }
        // Some methods keep what they have where a limit ends them; another try may find more.
        budget.meter().check()?;
        more.tried = more.tried.with(part, true);
        Ok(more)
    }

    fn find(&mut self, part: Topic, subject: &Subject, budget: &Budget) -> Result<(), Reason> {
        match part {
            Topic::Fuzzy => self.find_fuzzy(subject, budget),
            Topic::Factors => self.find_factors(subject, budget),
            Topic::Latches => self.find_latches(subject, budget),
        }
    }

    fn find_fuzzy(&mut self, subject: &Subject, budget: &Budget) -> Result<(), Reason> {
        let faithful = subject.faithful(budget)?;
        let goals = subject.rules().roles().map(|role| {
            let goals = FuzzyGoals::new(&faithful, role, &FuzzyOptions::default(), budget);
            goals.map_err(fuzzy_reason)
        });
        self.fuzzy = Some(goals.collect::<Result<_, _>>()?);
        self.inhibit(budget)
    }

    /// Fuzzy goals that know the latches, where there are both.
    fn inhibit(&mut self, budget: &Budget) -> Result<(), Reason> {
        let (Some(fuzzy), Some(latches)) = (&self.fuzzy, &self.latches) else { return Ok(()) };
        let with = fuzzy.iter().map(|goals| goals.clone().with_latches(latches, budget));
        self.fuzzy = Some(with.collect::<Result<_, _>>()?);
        Ok(())
    }

    fn find_factors(&mut self, subject: &Subject, budget: &Budget) -> Result<(), Reason> {
        let factors = Factors::find(subject, budget)?;
        if factors.is_compound() && subject.rules().roles().len() == 1 {
            // The factors are known whether or not they give a plan.
            match factors.plan(MOST_PLAN_STEPS, budget) {
                Ok(found) => {
                    self.plan = found.plan.map(Arc::new);
                    match found.standing {
                        Standing::Found(Reason::Limit(limit)) if is_callers(&limit, Topic::Factors) => {
                            return Err(limit.into());
                        }
                        Standing::Found(reason @ Reason::Limit(_)) => {
                            self.refusals.push((Topic::Factors, reason));
                        }
                        Standing::Found(_) | Standing::Best(_) => {}
                    }
                }
                Err(reason) => self.refusals.push((Topic::Factors, reason)),
            }
        }
        self.factors = Some(Arc::new(factors));
        Ok(())
    }

    fn find_latches(&mut self, subject: &Subject, budget: &Budget) -> Result<(), Reason> {
        self.latches = Some(Arc::new(Latches::find(subject, &LatchEffort::default(), budget)?));
        self.inhibit(budget)
    }

    /// What stays for ever.
    pub fn latches(&self) -> Option<&Arc<Latches>> {
        self.latches.as_ref()
    }

    /// The games that it is made of.
    pub fn factors(&self) -> Option<&Arc<Factors>> {
        self.factors.as_ref()
    }

    /// For games of one player that are made of several: a plan from the initial state, put together from
    /// the plans of these games. It was replayed on the rules.
    pub fn plan(&self) -> Option<&Arc<FactorPlan>> {
        self.plan.as_ref()
    }

    /// Per role to what degree a state satisfies its goals. A heuristic: it may order and not prune.
    pub fn fuzzy(&self) -> Option<&Arc<[FuzzyGoals]>> {
        self.fuzzy.as_ref()
    }

    /// The parts that were tried, whether or not anything came of it.
    pub fn tried(&self) -> Topics {
        self.tried
    }

    /// Why parts that were tried are not known, or not all of them.
    pub fn refusals(&self) -> &[(Topic, Reason)] {
        &self.refusals
    }
}

/// Whether a limit is not the part's own.
fn is_callers(limit: &LimitError, part: Topic) -> bool {
    match limit {
        LimitError::Work { limit } => *limit < part.work(),
        LimitError::Memory { limit, .. } => *limit < MEMORY,
        LimitError::Deadline | LimitError::Slow { .. } | LimitError::Cancelled => true,
        LimitError::Text { .. } => false,
    }
}

fn fuzzy_reason(error: FuzzyError) -> Reason {
    match error {
        FuzzyError::Limit(limit) => Reason::Limit(limit),
        other => Reason::Method(other.to_string()),
    }
}
