//! The course of a match: makes steps of what the players answer.

use std::fmt;
use std::time::Duration;

use ludex_game::{
    ActionId, Answer, GameError, Goal, History, MoveError, Rng, RoleId, Rules, Runner, TimeBank,
};
use ludex_logic::{LimitError, TermId};
use serde::{Deserialize, Serialize};

use crate::record::MoveReport;
use crate::settlement::Settlement;

/// The most bytes of text that the states, moves, legal moves and percepts of a match may take together
/// (256 MiB). A match that would take more is aborted: its record could not be held.
pub const MATCH_TEXT_LIMIT: u64 = 256 << 20;

/// What is agreed before a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchSetup {
    /// The name of the match.
    pub id: String,
    /// Decides the moves of the role `random` and those that replace what players should have sent.
    pub seed: u64,
    /// The time to get ready, if it is limited.
    pub start_clock: Option<Duration>,
    /// The time for each move, if it is limited.
    pub play_clock: Option<Duration>,
    /// The time for all moves together, if that is limited, too.
    pub bank: Option<TimeBank>,
    /// Points of the goal that a second of thinking costs, if it costs something.
    pub time_cost: Option<f64>,
    /// The match is aborted after this many steps.
    pub step_limit: Option<u32>,
    /// When the match begins, in milliseconds since 1970, if it matters.
    pub start_time: Option<u64>,
    /// Who plays, for each role but `random`, in order.
    pub player_names: Vec<String>,
}

impl MatchSetup {
    /// A seed for the player of a role, so that one number decides a whole match.
    pub fn player_seed(&self, role: RoleId) -> u64 {
        derive_seed(self.seed, 2 + u64::from(role.0))
    }
}

/// One of many seeds made of one (the finaliser of SplitMix64).
fn derive_seed(seed: u64, number: u64) -> u64 {
    let mut mixed = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// What a player did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// It did not answer in time.
    Timeout,
    /// It sent something that is not a legal move: what it sent.
    Illegal(String),
    /// It sent something that is not a move, nor what else was asked for: what it sent.
    Malformed(String),
    /// It could not answer: why.
    Failed(String),
    /// It was not asked, since it had failed too often.
    Replaced,
}

impl Fault {
    /// As match records write it: `TO`, `IL` with the move, `MF` with what was sent, `CE` with the cause, `RP`.
    pub fn code(&self) -> String {
        match self {
            Fault::Timeout => "TO".to_owned(),
            Fault::Illegal(sent) => format!("IL {sent}"),
            Fault::Malformed(sent) => format!("MF {sent}"),
            Fault::Failed(cause) => format!("CE {cause}"),
            Fault::Replaced => "RP".to_owned(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Timeout => f.write_str("no move in time"),
            Fault::Illegal(sent) => write!(f, "`{sent}` is not a legal move"),
            Fault::Malformed(sent) => write!(f, "`{sent}` cannot be read"),
            Fault::Failed(cause) => write!(f, "no move: {cause}"),
            Fault::Replaced => f.write_str("not asked any more"),
        }
    }
}

/// What came from a player: a move, legal or not, or nothing.
pub type Reply = Result<TermId, Fault>;

/// How far a match is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchStatus {
    /// The players are to move.
    Running,
    /// A terminal state was reached.
    Completed,
    /// The match ended early, and has no result: why.
    Aborted(String),
    /// The players ended the match early by themselves, and it has a result.
    Settled(Settlement),
}

impl MatchStatus {
    /// What a record says.
    pub(crate) fn recorded(
        is_completed: bool,
        is_aborted: bool,
        abort_cause: Option<&str>,
        settled: Option<Settlement>,
    ) -> Self {
        match (settled, is_aborted, is_completed) {
            (Some(settlement), true, _) => Self::Settled(settlement),
            (None, true, _) => Self::Aborted(abort_cause.unwrap_or_default().to_owned()),
            (_, false, true) => Self::Completed,
            (_, false, false) => Self::Running,
        }
    }

    /// Why the match ended early without a result, if it did.
    pub fn abort_cause(&self) -> Option<&str> {
        match self {
            Self::Aborted(cause) => Some(cause),
            Self::Running | Self::Completed | Self::Settled(_) => None,
        }
    }

    /// How the players ended the match early, if they did.
    pub fn settlement(&self) -> Option<Settlement> {
        match self {
            Self::Settled(settlement) => Some(*settlement),
            Self::Running | Self::Completed | Self::Aborted(_) => None,
        }
    }
}

/// One step of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchStep {
    /// The moves that were made, for all roles in order.
    pub joint: Vec<TermId>,
    /// What the player of each role did wrong.
    pub faults: Vec<Option<Fault>>,
    /// What each role saw (GDL-II), in canonical order.
    pub percepts: Vec<Vec<TermId>>,
}

/// How a move came about. The rules do not care; the record keeps it for whoever wants to know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MoveNote {
    /// How long the player took, from when it was asked; `None` where nobody looked at a clock.
    pub time: Option<Duration>,
    /// What the player said about the move.
    pub report: Option<MoveReport>,
}

/// What a player is told about a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// What all roles did, in order.
    Joint(Vec<TermId>),
    /// What the player did and saw (GDL-II).
    Percepts {
        /// Its move, as it was made.
        action: TermId,
        /// What it saw, in canonical order.
        percepts: Vec<TermId>,
    },
}

/// What there is to say about a state of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) terminal: bool,
    pub(crate) legal: Vec<Vec<TermId>>,
    pub(crate) goals: Vec<Option<Goal>>,
    pub(crate) time: Option<u64>,
    /// The bytes of text that the match takes up to this state.
    text: u64,
}

impl Look {
    /// Looks at the state of a runner, which came about at this time.
    fn at(rules: &Rules, runner: &mut dyn Runner, time: Option<u64>) -> Answer<Self> {
        let terminal = runner.terminal()?;
        let goals = rules.roles().map(|role| runner.goal(role)).collect::<Answer<_>>()?;
        let legal = rules.roles().map(|role| rules.legal_in(runner, role)).collect::<Answer<_>>()?;
        Ok(Self { terminal, legal, goals, time, text: 0 })
    }
}

/// A step that was worked out and not made yet.
#[derive(Clone, Debug)]
struct Coming {
    step: MatchStep,
    look: Look,
}

/// A match as the referee sees it. It knows no clocks and no players: it is given what they
/// answered, and says what happened.
///
/// ```
/// use ludex_match::{Fault, Match, MatchSetup, MatchStatus};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let mut course = Match::new(rules.clone(), MatchSetup { seed: 7, ..MatchSetup::default() })?;
/// let (mark, noop) = (rules.read_term("(mark 2 2)")?, rules.read_term("noop")?);
/// let step = course.submit(&[Ok(mark), Ok(noop)], None)?.expect("it goes on");
/// assert_eq!(step.faults, [None, None]);
/// // Who does not answer makes a move that the seed decides.
/// let step = course.submit(&[Ok(noop), Err(Fault::Timeout)], None)?.expect("it goes on");
/// assert_eq!(step.faults, [None, Some(Fault::Timeout)]);
/// course.abort("rain");
/// assert_eq!(*course.status(), MatchStatus::Aborted("rain".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Match {
    rules: Rules,
    setup: MatchSetup,
    history: History,
    steps: Vec<MatchStep>,
    looks: Vec<Look>,
    start_faults: Vec<Option<Fault>>,
    /// How long each role took to get ready.
    ready_notes: Vec<Option<Duration>>,
    /// For each step, a note for each role.
    notes: Vec<Vec<MoveNote>>,
    /// The notes of the step that is to come.
    coming_notes: Vec<MoveNote>,
    coming: Option<Coming>,
    taken_back: u32,
    status: MatchStatus,
    /// The moves of `random`; apart from the others, so that a fault does not change the chances.
    chance: Rng,
    replacements: Rng,
}

impl Match {
    /// A match in the initial state.
    ///
    /// # Errors
    /// What the machine answers about the initial state.
    pub fn new(rules: Rules, setup: MatchSetup) -> Answer<Self> {
        let first = Look::at(&rules, &mut *rules.runner(), setup.start_time)?;
        let mut begun = Self {
            history: History::new(rules.initial().clone()),
            steps: Vec::new(),
            looks: Vec::new(),
            start_faults: vec![None; rules.roles().len()],
            ready_notes: vec![None; rules.roles().len()],
            notes: Vec::new(),
            coming_notes: vec![MoveNote::default(); rules.roles().len()],
            coming: None,
            taken_back: 0,
            status: MatchStatus::Running,
            chance: Rng::from_seed(derive_seed(setup.seed, 0)),
            replacements: Rng::from_seed(derive_seed(setup.seed, 1)),
            rules,
            setup,
        };
        begun.arrive(first);
        begun.open()?;
        Ok(begun)
    }

    /// Makes the step before the first one, where there is one: nobody has a choice in it but chance.
    fn open(&mut self) -> Answer<()> {
        if !self.rules.program().has_opening || self.is_over() {
            return Ok(());
        }
        // Everybody but `random` has one legal move, which is made as if it were answered.
        let legal = self.looks.last().map_or(&[][..], |look| &look.legal);
        let replies: Vec<Reply> =
            legal.iter().map(|legal| legal.first().copied().ok_or(Fault::Timeout)).collect();
        self.work_out(&replies, self.setup.start_time)?;
        self.resolve();
        Ok(())
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What was agreed.
    pub fn setup(&self) -> &MatchSetup {
        &self.setup
    }

    /// Who plays each role in order, `random` included.
    pub(crate) fn player_names(&self) -> Vec<String> {
        let mut names = self.setup.player_names.iter().cloned();
        let random = self.rules.random_role();
        let name = |role| {
            if Some(role) == random { "random".to_owned() } else { names.next().unwrap_or_default() }
        };
        self.rules.roles().map(name).collect()
    }

    /// How far the match is.
    pub fn status(&self) -> &MatchStatus {
        &self.status
    }

    /// Whether no move is to be made any more.
    pub fn is_over(&self) -> bool {
        self.status != MatchStatus::Running
    }

    /// The states and joint moves so far, up to the place it is at.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The steps so far.
    pub fn steps(&self) -> &[MatchStep] {
        &self.steps
    }

    /// The legal moves of a role in the current state, in canonical order. This is the true state:
    /// in GDL-II it is not for the player to see.
    pub fn legal(&self, role: RoleId) -> &[TermId] {
        self.looks.last().and_then(|look| look.legal.get(role.index())).map_or(&[], Vec::as_slice)
    }

    /// What the current state is worth to each role.
    pub fn goals(&self) -> &[Option<Goal>] {
        self.looks.last().map_or(&[], |look| &look.goals)
    }

    /// What the match is worth on each seat: by the current state, or by what the players agreed on.
    pub fn seat_goals(&self) -> Vec<Option<Goal>> {
        let seats = self.rules.seats();
        match self.status.settlement() {
            Some(settlement) => settlement.goals(seats.len()),
            None => seats.iter().map(|role| self.goals().get(role.index()).copied().flatten()).collect(),
        }
    }

    pub(crate) fn looks(&self) -> &[Look] {
        &self.looks
    }

    /// What went wrong before the first move, for each role.
    pub fn start_faults(&self) -> &[Option<Fault>] {
        &self.start_faults
    }

    /// Notes that a player did not get ready.
    pub fn note_start_fault(&mut self, role: RoleId, fault: Fault) {
        if let Some(slot) = self.start_faults.get_mut(role.index()) {
            *slot = Some(fault);
        }
    }

    /// Says how long the player of a role took to get ready.
    pub fn note_ready(&mut self, role: RoleId, time: Duration) {
        if let Some(slot) = self.ready_notes.get_mut(role.index()) {
            *slot = Some(time);
        }
    }

    /// How long each role took to get ready; `None` where nobody looked at a clock.
    pub fn ready_notes(&self) -> &[Option<Duration>] {
        &self.ready_notes
    }

    /// Says how the move came about that a role makes in the next step.
    pub fn note_move(&mut self, role: RoleId, note: MoveNote) {
        if let Some(slot) = self.coming_notes.get_mut(role.index()) {
            *slot = note;
        }
    }

    /// How the moves came about, for each step and role.
    pub fn notes(&self) -> &[Vec<MoveNote>] {
        &self.notes
    }

    /// The players end the match early by themselves.
    pub fn settle(&mut self, settlement: Settlement) {
        if self.status == MatchStatus::Running {
            self.status = MatchStatus::Settled(settlement);
        }
    }

    /// Goes back to the state after so many steps: what was done since is taken back. Chance draws on, so that the
    /// same moves may lead elsewhere. Does nothing where there were no more steps, or the match is over.
    pub fn take_back(&mut self, steps: usize) {
        if self.is_over() || steps >= self.steps.len() || !self.history.jump(steps) {
            return;
        }
        self.history.truncate();
        self.coming = None;
        self.coming_notes.fill(MoveNote::default());
        self.steps.truncate(steps);
        self.notes.truncate(steps);
        self.looks.truncate(steps + 1);
        self.taken_back += 1;
    }

    /// How often moves were taken back.
    pub fn taken_back(&self) -> u32 {
        self.taken_back
    }

    /// Ends the match early.
    pub fn abort(&mut self, cause: impl Into<String>) {
        if self.status == MatchStatus::Running {
            self.status = MatchStatus::Aborted(cause.into());
        }
    }

    /// Makes a step: `replies` has an entry for each role in order, of which that of `random` is passed
    /// over. What is missing or not legal is replaced by a random legal move. `time` is noted as the
    /// moment the new state came about, in milliseconds since 1970.
    ///
    /// `None` when the match is over.
    ///
    /// # Errors
    /// What the machine answers; the match is then aborted.
    pub fn submit(&mut self, replies: &[Reply], time: Option<u64>) -> Answer<Option<&MatchStep>> {
        if self.is_over() {
            return Ok(None);
        }
        match self.work_out(replies, time) {
            Ok(_) => Ok(self.resolve()),
            Err(error) => {
                self.abort(error.to_string());
                Err(error)
            }
        }
    }

    /// Works out a step as [`Match::submit`] does, but does not make it: that is for [`Match::resolve`].
    /// Until then nothing here tells of it, so that a referee can write it down before anybody knows.
    /// The answer also tells whether the match will be over with the step.
    pub(crate) fn work_out(&mut self, replies: &[Reply], time: Option<u64>) -> Answer<(&MatchStep, bool)> {
        let rules = self.rules.clone();
        let random = rules.random_role();
        let mut joint = Vec::new();
        let mut faults = Vec::new();
        for role in rules.roles() {
            let legal = self.looks.last().map_or(&[][..], |look| &look.legal[role.index()]);
            if Some(role) == random {
                joint.push(*self.chance.pick(legal).ok_or_else(|| stuck(&rules, role))?);
                faults.push(None);
                continue;
            }
            let fault = match replies.get(role.index()) {
                Some(Ok(action)) if legal.contains(action) => {
                    joint.push(*action);
                    faults.push(None);
                    continue;
                }
                Some(Ok(action)) => Fault::Illegal(rules.signature().terms().prefix(*action)),
                Some(Err(fault)) => fault.clone(),
                None => Fault::Timeout,
            };
            joint.push(*self.replacements.pick(legal).ok_or_else(|| stuck(&rules, role))?);
            faults.push(Some(fault));
        }
        self.lead_to(joint, faults, time)
    }

    /// Works out a step that was made before, of the moves and faults that were kept of it. What was drawn
    /// at random then is taken as it was kept, and drawn once more so that the draws to come are as they
    /// would have been.
    ///
    /// # Errors
    /// [`MoveError`] where the moves are not as many as there are roles, or one is not legal.
    pub(crate) fn work_out_again(
        &mut self,
        joint: Vec<TermId>,
        faults: Vec<Option<Fault>>,
        time: Option<u64>,
    ) -> Result<(&MatchStep, bool), MoveError> {
        let rules = self.rules.clone();
        if self.is_over() {
            return Err(MoveError::Over);
        }
        if joint.len() != rules.roles().len() || faults.len() != joint.len() {
            return Err(MoveError::Count { roles: rules.roles().len(), moves: joint.len() });
        }
        let random = rules.random_role();
        for ((role, action), fault) in rules.roles().zip(&joint).zip(&faults) {
            let legal = self.looks.last().map_or(&[][..], |look| &look.legal[role.index()]);
            if !legal.contains(action) {
                let (role, action) = (rules.role_name(role), rules.text(*action));
                return Err(MoveError::Illegal { role, action });
            }
            if Some(role) == random {
                self.chance.pick(legal);
            } else if fault.is_some() {
                self.replacements.pick(legal);
            }
        }
        Ok(self.lead_to(joint, faults, time)?)
    }

    /// The joint move that these texts name exactly, as journals and records do.
    pub(crate) fn read_joint(&self, joint: &[String]) -> Result<Vec<TermId>, MoveError> {
        let roles = self.rules.roles();
        if joint.len() != roles.len() {
            return Err(MoveError::Count { roles: roles.len(), moves: joint.len() });
        }
        let terms = self.rules.signature().terms();
        let named = |(role, text): (RoleId, &String)| {
            let mut legal = self.legal(role).iter().copied();
            let illegal = || MoveError::Illegal { role: self.rules.role_name(role), action: text.clone() };
            legal.find(|&action| terms.prefix(action) == *text).ok_or_else(illegal)
        };
        roles.zip(joint).map(named).collect()
    }

    /// Makes a step of moves that are given, those of chance among them.
    ///
    /// # Errors
    /// As [`Match::work_out_again`].
    pub(crate) fn submit_given(&mut self, joint: &[String], time: Option<u64>) -> Result<(), MoveError> {
        let joint = self.read_joint(joint)?;
        let faults = vec![None; joint.len()];
        self.work_out_again(joint, faults, time)?;
        self.resolve();
        Ok(())
    }

    fn lead_to(
        &mut self,
        joint: Vec<TermId>,
        faults: Vec<Option<Fault>>,
        time: Option<u64>,
    ) -> Answer<(&MatchStep, bool)> {
        let rules = self.rules.clone();
        let ids: Vec<ActionId> = rules.action_ids(&joint)?;
        let mut runner = rules.runner();
        self.history.advance(&mut *runner, &ids)?;
        let percepts: Vec<Vec<TermId>> =
            rules.roles().map(|role| self.history.percepts(role).to_vec()).collect();
        let facts = rules.facts(self.history.state());
        // The new state waits after the present one.
        self.history.back();
        let looked = Look::at(&rules, &mut *runner, time).and_then(|look| {
            let written = facts.iter().chain(&joint).chain(percepts.iter().flatten());
            Ok(Look { text: self.charged(written.chain(look.legal.iter().flatten()))?, ..look })
        });
        match looked {
            Ok(look) => {
                let is_last = self.status_at(&look, self.steps.len() + 1) != MatchStatus::Running;
                let coming = Coming { step: MatchStep { joint, faults, percepts }, look };
                Ok((&self.coming.insert(coming).step, is_last))
            }
            Err(error) => {
                self.history.truncate();
                Err(error)
            }
        }
    }

    /// The bytes of text that the match takes when these terms are added to it.
    fn charged<'t>(&self, more: impl Iterator<Item = &'t TermId>) -> Answer<u64> {
        let terms = self.rules.signature().terms();
        let add = |sum: u64, term: &TermId| sum.saturating_add(terms.text_bytes(*term)).saturating_add(1);
        let before = self.looks.last().map_or(0, |look| look.text);
        let (bytes, limit) = (more.fold(before, add), MATCH_TEXT_LIMIT);
        if bytes > limit {
            return Err(LimitError::Text { what: "the record of the match", bytes, limit }.into());
        }
        Ok(bytes)
    }

    /// Makes the step that was worked out, if one was.
    pub(crate) fn resolve(&mut self) -> Option<&MatchStep> {
        let Coming { step, look } = self.coming.take()?;
        self.history.forward();
        self.steps.push(step);
        let none = vec![MoveNote::default(); self.coming_notes.len()];
        self.notes.push(std::mem::replace(&mut self.coming_notes, none));
        self.arrive(look);
        self.steps.last()
    }

    /// Takes note of the new current state.
    fn arrive(&mut self, look: Look) {
        let status = self.status_at(&look, self.steps.len());
        if status != MatchStatus::Running {
            self.status = status;
        }
        self.looks.push(look);
    }

    /// What comes of the match where its current state looks so after that many steps.
    fn status_at(&self, look: &Look, steps: usize) -> MatchStatus {
        let stuck = look.legal.iter().position(Vec::is_empty);
        if look.terminal {
            MatchStatus::Completed
        } else if let Some(role) = stuck {
            let role = self.rules.role_name(RoleId(role as u32));
            MatchStatus::Aborted(GameError::NoLegalMove { role }.to_string())
        } else if self.setup.step_limit.is_some_and(|limit| steps >= limit as usize) {
            MatchStatus::Aborted(format!("stopped after {steps} steps"))
        } else {
            MatchStatus::Running
        }
    }

    /// What the player of a role is told about the last step: everybody's moves, or in GDL-II only
    /// its own and what it saw. `None` before the first step.
    pub fn told(&self, role: RoleId) -> Option<Told> {
        let step = self.steps.last()?;
        Some(if self.rules.dialect().has_percepts() {
            Told::Percepts {
                action: *step.joint.get(role.index())?,
                percepts: step.percepts.get(role.index())?.clone(),
            }
        } else {
            Told::Joint(step.joint.clone())
        })
    }
}

fn stuck(rules: &Rules, role: RoleId) -> GameError {
    GameError::NoLegalMove { role: rules.role_name(role) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_seeds_differ() {
        let mut seeds: Vec<u64> = (0..10).flat_map(|s| (0..10).map(move |n| derive_seed(s, n))).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 100);
    }
}
