//! What is said about a game.

use std::fmt;

use ludex_game::{Goal, RoleId};
use ludex_logic::TermId;

use crate::finding::{Finding, Reason, Witness};

/// Whether something can come about: as [`Finding`], for what a course shows and only all courses
/// exclude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Possibility<T> {
    /// It can; this is how.
    Possible(T),
    /// It cannot.
    Impossible,
    /// Not known.
    Undecided(Reason),
}

impl<T> Possibility<T> {
    /// Whether it is known to be possible.
    pub fn is_possible(&self) -> bool {
        matches!(self, Possibility::Possible(_))
    }

    /// Whether it is known to be impossible.
    pub fn is_impossible(&self) -> bool {
        matches!(self, Possibility::Impossible)
    }

    /// How it comes about, if that is known.
    pub fn how(&self) -> Option<&T> {
        if let Possibility::Possible(how) = self { Some(how) } else { None }
    }

    /// One word for people and programs: `proved`, `refuted` or `undecided`.
    pub fn word(&self) -> &'static str {
        match self {
            Possibility::Possible(_) => "proved",
            Possibility::Impossible => "refuted",
            Possibility::Undecided(_) => "undecided",
        }
    }
}

/// How something was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By a random game, or a walk led by random games.
    Sampling,
    /// By search of states: of so many.
    Search {
        /// How many states were found.
        states: usize,
    },
    /// By the solver: no state with the known invariants allows it, or no path of so many steps through
    /// such states; or it found a course of so many steps.
    Induction {
        /// How many steps.
        steps: usize,
    },
    /// By propositions that only ever change one way, each in steps that do not change those before it:
    /// so many of them.
    OneWay {
        /// How many propositions.
        propositions: usize,
    },
    /// It follows from another answer.
    Consequence,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Sampling => write!(f, "random games"),
            Method::Search { states: 1 } => write!(f, "search of 1 state"),
            Method::Search { states } => write!(f, "search of {states} states"),
            Method::Induction { steps: 0 } => write!(f, "a formula over one state"),
            Method::Induction { steps: 1 } => write!(f, "a formula over 1 step"),
            Method::Induction { steps } => write!(f, "a formula over {steps} steps"),
            Method::OneWay { propositions: 1 } => write!(f, "1 proposition that changes one way only"),
            Method::OneWay { propositions } => {
                write!(f, "{propositions} propositions that change one way only")
            }
            Method::Consequence => write!(f, "what else is known"),
        }
    }
}

/// An answer, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged<F> {
    /// The answer.
    pub finding: F,
    /// How it was found; nothing while it is undecided.
    pub by: Option<Method>,
}

/// Answers that may be open. (Public only as the crate's module is not: [`Judged`] is.)
pub trait MayBeOpen {
    /// Not known yet.
    fn open(reason: Reason) -> Self;
    /// Whether it is not known.
    fn is_open(&self) -> bool;
}

impl<T> MayBeOpen for Finding<T> {
    fn open(reason: Reason) -> Self {
        Finding::Undecided(reason)
    }

    fn is_open(&self) -> bool {
        self.is_undecided()
    }
}

impl<T> MayBeOpen for Possibility<T> {
    fn open(reason: Reason) -> Self {
        Possibility::Undecided(reason)
    }

    fn is_open(&self) -> bool {
        matches!(self, Possibility::Undecided(_))
    }
}

impl<F> Judged<F> {
    /// Whether it is not known.
    pub fn is_undecided(&self) -> bool {
        self.by.is_none()
    }
}

impl<F: MayBeOpen> Judged<F> {
    pub(super) fn open(reason: Reason) -> Self {
        Self { finding: F::open(reason), by: None }
    }

    /// Decides it, unless it was decided before.
    pub(super) fn settle(&mut self, finding: F, by: Method) {
        if self.is_undecided() && !finding.is_open() {
            *self = Self { finding, by: Some(by) };
        }
    }

    /// Says why it is still open, if it is.
    pub(super) fn explain(&mut self, reason: &Reason) {
        if self.is_undecided() {
            self.finding = F::open(reason.clone());
        }
    }
}

/// What is known of how long games are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Termination {
    /// The steps of the longest course, where all courses were gone through.
    pub longest: Option<u32>,
}

/// How a role wins whatever the others do, if it sees every state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// Its first move; none where it has won before anybody moves.
    pub first: Option<TermId>,
}

/// What the goals of the players add up to at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantSum {
    /// The sum; none where no course ends with a goal for each player.
    pub sum: Option<u64>,
}

/// Nothing more is to be said of what never happens.
pub type Never = Judged<Finding>;

/// What is said about one role that somebody plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerReport {
    /// The role.
    pub role: RoleId,
    /// Whether some course leads to a terminal state with goal 100 (Definition 23, weakly winnable).
    pub weak: Judged<Possibility<Witness>>,
    /// Whether a sequence of own moves leads there whatever the others do (strongly winnable as in
    /// Definition 23 and book 2.7). With a role that moves at random, that is one of the others.
    pub sequence: Judged<Possibility<Vec<TermId>>>,
    /// Whether a strategy does, which may answer what the others do (strongly winnable as in book 3.4).
    pub strategy: Judged<Possibility<Strategy>>,
    /// The highest goal value of a terminal state that was found; of all where all states were.
    pub best: Option<Goal>,
    /// There is a goal value in every terminal state.
    pub some_goal: Never,
    /// No terminal state has several goal values.
    pub not_several: Never,
    /// No terminal state has a goal value above 100.
    pub in_range: Never,
    /// No step lowers the goal value, where the states before and after have exactly one.
    pub monotonic: Never,
}

/// What is so in some of the states that were found, per role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The goal values, ascending, where there is exactly one.
    pub goals: Vec<Vec<Goal>>,
    /// The legal moves, in canonical order.
    pub legal: Vec<Vec<TermId>>,
}

/// What is known of a game's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WellFormed {
    /// All courses end (Definition 21). A refutation's last state was there before.
    pub termination: Judged<Finding<Termination>>,
    /// Per role, also one that moves at random: it has a legal move in every state that is not terminal
    /// (Definition 22).
    pub playable: Vec<(RoleId, Judged<Finding>)>,
    /// What there is to say of each role that somebody plays.
    pub players: Vec<PlayerReport>,
    /// The goals of all players add up to the same in every terminal state. The end of a refutation has
    /// another sum than the end of `ending`.
    pub constant_sum: Judged<Finding<ConstantSum>>,
    /// A course to a terminal state with a goal for each player, and what they add up to.
    pub ending: Option<(u64, Witness)>,
    /// How many states were found, and whether these are all.
    pub states: Option<(usize, bool)>,
    /// What is so in some of these states.
    pub seen: Seen,
    /// Whether the game is GDL-II, where roles do not see the state: `strategy` then asks for a role that
    /// does, unless a sequence wins, and is not given as possible.
    pub is_imperfect: bool,
}

impl WellFormed {
    /// Whether the game ends, is playable and weakly winnable (Definition 24): false if one of them is
    /// refuted, unknown if one is undecided.
    pub fn is_well_formed(&self) -> Option<bool> {
        let playable = self.playable.iter().map(|(_, judged)| known(&judged.finding));
        let winnable = self.players.iter().map(|player| match player.weak.finding {
            Possibility::Possible(_) => Some(true),
            Possibility::Impossible => Some(false),
            Possibility::Undecided(_) => None,
        });
        let mut all = true;
        for known in playable.chain(winnable).chain([known(&self.termination.finding)]) {
            match known {
                Some(true) => {}
                Some(false) => return Some(false),
                None => all = false,
            }
        }
        all.then_some(true)
    }

    /// Whether anything is undecided.
    pub fn is_undecided(&self) -> bool {
        self.termination.is_undecided()
            || self.constant_sum.is_undecided()
            || self.playable.iter().any(|(_, judged)| judged.is_undecided())
            || self.players.iter().any(PlayerReport::is_undecided)
    }
}

impl PlayerReport {
    /// Whether there is exactly one goal value in every terminal state: some, and not several. Of two faults it
    /// is the first.
    pub fn one_goal(&self) -> &Never {
        let both = [&self.some_goal, &self.not_several];
        let refuted = both.into_iter().find(|judged| judged.finding.is_refuted());
        let open = both.into_iter().find(|judged| judged.is_undecided());
        refuted.or(open).unwrap_or(&self.not_several)
    }

    /// Whether anything is undecided. Where one fault of the goals is shown, another one may be left open.
    pub fn is_undecided(&self) -> bool {
        self.weak.is_undecided()
            || self.sequence.is_undecided()
            || self.strategy.is_undecided()
            || [self.one_goal(), &self.in_range, &self.monotonic].iter().any(|judged| judged.is_undecided())
    }
}

fn known<T>(finding: &Finding<T>) -> Option<bool> {
    match finding {
        Finding::Proved(_) => Some(true),
        Finding::Refuted(_) => Some(false),
        Finding::Undecided(_) => None,
    }
}
