//! Random steps that fit what a role was told: how a sample of the states it holds possible goes on (GDL-II).

use ludex_logic::TermId;

use super::{Batch, Expansion, Jobs, Start, Wanted};
use crate::error::Answer;
use crate::rng::Rng;
use crate::signature::{ActionId, RoleId};
use crate::state::{MachineTag, State};

/// So many steps are made at once where a batch has no way of its own.
const AT_ONCE: usize = 4096;

/// What a role learned of one step.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'o> {
    /// The role.
    pub role: RoleId,
    /// The move that it made.
    pub action: ActionId,
    /// All that it saw, in any order.
    pub percepts: &'o [TermId],
}

impl Observation<'_> {
    /// Whether a role that sees this has seen the same.
    pub fn fits(&self, percepts: &[TermId]) -> bool {
        percepts.len() == self.percepts.len() && percepts.iter().all(|term| self.percepts.contains(term))
    }
}

/// States that random steps led to, of those steps that fit an observation.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Survivors {
    tag: MachineTag,
    words: Vec<u64>,
    word_ends: Vec<usize>,
    /// Per state, the number of the start that it came from.
    pub starts: Vec<u32>,
}

impl Survivors {
    /// Forgets all states and makes ready for those of a machine with this tag.
    pub fn clear(&mut self, tag: MachineTag) {
        self.tag = tag;
        self.words.clear();
        self.word_ends.clear();
        self.starts.clear();
    }

    /// Adds a state that came from the start of this number.
    pub fn add(&mut self, words: &[u64], start: u32) {
        self.words.extend_from_slice(words);
        self.word_ends.push(self.words.len());
        self.starts.push(start);
    }

    /// Whose states they are.
    pub fn tag(&self) -> MachineTag {
        self.tag
    }

    /// How many steps fitted.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether none did.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The words of a state.
    pub fn words(&self, number: usize) -> &[u64] {
        let begin = if number == 0 { 0 } else { self.word_ends[number - 1] };
        &self.words[begin..self.word_ends[number]]
    }

    /// A state on its own.
    pub fn to_state(&self, number: usize) -> State {
        State::new(self.tag, self.words(number))
    }
}

/// Makes the steps by looking at states and expanding joint moves.
pub(super) fn follow<B: Batch + ?Sized>(
    batch: &mut B,
    from: &[Start],
    observed: &Observation<'_>,
    seed: u64,
    out: &mut Survivors,
) -> Answer<()> {
    out.clear(MachineTag::default());
    let states: Vec<&State> = from.iter().map(|start| &start.state).collect();
    let (mut starts, mut found) = <(Expansion, Expansion)>::default();
    batch.look(&states, &mut starts)?;
    out.clear(starts.tag());
    let mut rng = Rng::from_seed(seed);
    let mut jobs = Jobs::default();
    jobs.want_goals(Wanted::Terminal);
    jobs.want_moves(false);
    jobs.want_percepts(true);
    let mut origins = Vec::new();
    let mut joint = Vec::new();
    for (at, start) in from.iter().enumerate() {
        let moves = |role| {
            if role == observed.role {
                std::slice::from_ref(&observed.action)
            } else {
                starts.legal(at, role)
            }
        };
        let roles = (0..starts.roles() as u32).map(RoleId);
        let fits = !starts.terminal(at)
            && starts.legal(at, observed.role).contains(&observed.action)
            && roles.clone().all(|role| !moves(role).is_empty());
        if !fits || start.playouts == 0 {
            continue;
        }
        let state = jobs.add_state(start.state.words());
        for _ in 0..start.playouts {
            joint.clear();
            joint.extend(roles.clone().filter_map(|role| rng.pick(moves(role))));
            jobs.add(state, &joint);
            origins.push(at as u32);
        }
        if jobs.len() >= AT_ONCE {
            keep_fitting(batch, (&mut jobs, &mut found), observed, &mut origins, out)?;
        }
    }
    keep_fitting(batch, (&mut jobs, &mut found), observed, &mut origins, out)
}

/// Makes the steps that were collected, and keeps those that fit.
fn keep_fitting<B: Batch + ?Sized>(
    batch: &mut B,
    (jobs, found): (&mut Jobs, &mut Expansion),
    observed: &Observation<'_>,
    origins: &mut Vec<u32>,
    out: &mut Survivors,
) -> Answer<()> {
    batch.expand(jobs, found)?;
    for (number, &origin) in origins.iter().enumerate() {
        if observed.fits(found.percepts(number, observed.role)) {
            out.add(found.state(number), origin);
        }
    }
    jobs.clear();
    origins.clear();
    Ok(())
}
