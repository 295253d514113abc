//! Joint moves to try, and what they lead to: flat, so that thousands of them cost no allocations.

use ludex_logic::TermId;

use crate::signature::{ActionId, Goal, RoleId, Signature};
use crate::state::{MachineTag, State};

/// Of which states an expansion tells goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Wanted {
    /// Of all states.
    #[default]
    All,
    /// Of terminal states only: the goals of other states are `None`. In many games goals cost more
    /// than moves, and few states that a search comes to are terminal.
    Terminal,
}

/// Joint moves to try in states of one machine.
///
/// ```
/// use ludex_game::{Expansion, Jobs, Machine, RoleId, RuleMachine};
///
/// # let text = "(role you) (init (at 1)) (legal you go) (<= (next (at 2)) (true (at 1)))
/// #     (<= (next (at 3)) (true (at 2))) (<= terminal (true (at 3))) (goal you 50)";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// # let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = RuleMachine::new(&game, &Default::default())?;
/// let go = machine.runner(&Default::default()).legal(RoleId(0))?[0];
/// let mut jobs = Jobs::default();
/// let state = jobs.add_state(machine.initial().words());
/// jobs.add(state, &[go]);
/// let mut found = Expansion::default();
/// machine.batch(&Default::default()).expand(&jobs, &mut found)?;
/// assert_eq!((found.len(), found.terminal(0), found.legal(0, RoleId(0))), (1, false, &[go][..]));
/// # Ok::<(), ludex_game::GameError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Jobs {
    words: Vec<u64>,
    /// Where the words of each state end.
    state_ends: Vec<u32>,
    /// The state of each job.
    states: Vec<u32>,
    joints: Vec<ActionId>,
    /// Where the moves of each job end.
    joint_ends: Vec<u32>,
    goals: Wanted,
    skips_moves: bool,
    turn: Vec<u64>,
    percepts: bool,
}

impl Jobs {
    /// Forgets all jobs; what is wanted stays.
    pub fn clear(&mut self) {
        self.words.clear();
        self.state_ends.clear();
        self.states.clear();
        self.joints.clear();
        self.joint_ends.clear();
    }

    /// Adds a state of the batch's machine to try joint moves in ([`State::words`]), and gives its number. Words are
    /// taken as they are: nothing tells whose they are.
    pub fn add_state(&mut self, words: &[u64]) -> u32 {
        let number = self.state_ends.len() as u32;
        self.words.extend_from_slice(words);
        self.state_ends.push(self.words.len() as u32);
        number
    }

    /// Adds a joint move, one legal move for each role, to try in the state of this number.
    ///
    /// # Panics
    /// If there is no state of this number.
    pub fn add(&mut self, state: u32, joint: &[ActionId]) {
        assert!((state as usize) < self.state_ends.len(), "a job belongs to a state that was added");
        self.states.push(state);
        self.joints.extend_from_slice(joint);
        self.joint_ends.push(self.joints.len() as u32);
    }

    /// How many joint moves there are to try.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there is nothing to try.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Asks for the moves of each role to be counted as if it was its turn: in each state, and in the one in which these
    /// bits of its words are turned, where there are more. At first there are no such bits, and nothing is counted. Bits
    /// that stand for nothing are left out, or make the turned words those of no state.
    pub fn count_moves(&mut self, turn: &[u64]) {
        self.turn.clear();
        self.turn.extend_from_slice(turn);
    }

    /// The bits that tell whose turn it is, where moves are to be counted.
    pub fn turn(&self) -> &[u64] {
        &self.turn
    }

    /// Asks for the goals of these states only. At first those of all states are wanted.
    pub fn want_goals(&mut self, of: Wanted) {
        self.goals = of;
    }

    /// Of which states goals are wanted.
    pub fn goals(&self) -> Wanted {
        self.goals
    }

    /// Says whether it is wanted which moves are legal in the states that come out, as it is at first. Who only looks
    /// for ends of the game has no use for them.
    pub fn want_moves(&mut self, wanted: bool) {
        self.skips_moves = !wanted;
    }

    /// Whether legal moves are wanted.
    pub fn moves(&self) -> bool {
        !self.skips_moves
    }

    /// Says whether it is wanted what each role sees of each joint move (GDL-II), as it is not at first.
    pub fn want_percepts(&mut self, wanted: bool) {
        self.percepts = wanted;
    }

    /// Whether percepts are wanted.
    pub fn percepts(&self) -> bool {
        self.percepts
    }

    /// The number of the state of a job.
    pub fn state_number(&self, job: usize) -> u32 {
        self.states[job]
    }

    /// The words of the state of a job.
    pub fn state(&self, job: usize) -> &[u64] {
        part(&self.words, &self.state_ends, self.states[job] as usize)
    }

    /// The joint move of a job.
    pub fn joint(&self, job: usize) -> &[ActionId] {
        part(&self.joints, &self.joint_ends, job)
    }
}

/// What jobs led to, in the order of the jobs.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Expansion {
    roles: usize,
    tag: MachineTag,
    words: Vec<u64>,
    word_ends: Vec<u32>,
    terminal: Vec<bool>,
    goals: Vec<Option<Goal>>,
    legal: Vec<ActionId>,
    /// Where the moves of each role of each state end.
    legal_ends: Vec<u32>,
    /// How many moves each role has in each state, where they were counted.
    move_counts: Vec<u32>,
    percepts: Vec<TermId>,
    /// Where the percepts of each role of each job end; empty where they were not wanted.
    percept_ends: Vec<u32>,
}

impl Expansion {
    /// Forgets all states and makes ready for others, of a machine with this signature.
    pub fn clear(&mut self, signature: &Signature) {
        self.roles = signature.roles().len();
        self.tag = signature.tag();
        self.words.clear();
        self.word_ends.clear();
        self.terminal.clear();
        self.goals.clear();
        self.legal.clear();
        self.legal_ends.clear();
        self.move_counts.clear();
        self.percepts.clear();
        self.percept_ends.clear();
    }

    /// Adds a state. Its goals and the legal moves of its roles are to be added after it, a role at a
    /// time, with [`Expansion::add_goal`] and [`Expansion::end_legal`].
    pub fn add_state(&mut self, words: &[u64], terminal: bool) {
        self.words.extend_from_slice(words);
        self.word_ends.push(self.words.len() as u32);
        self.terminal.push(terminal);
    }

    /// Adds states of so many words each, one after the other, and whether each is terminal: as
    /// [`Expansion::add_state`] for each of them. Their goals and moves are then added state by state.
    pub fn add_states(&mut self, words: &[u64], length: usize, terminal: impl IntoIterator<Item = bool>) {
        let mut end = self.words.len();
        self.words.extend_from_slice(words);
        self.terminal.extend(terminal);
        let added = self.terminal.len() - self.word_ends.len();
        self.word_ends.extend((0..added).map(|_| {
            end += length;
            end as u32
        }));
    }

    /// Adds what the last state is worth to the next role.
    pub fn add_goal(&mut self, goal: Option<Goal>) {
        self.goals.push(goal);
    }

    /// Adds goals of the next roles, and of the next states where there are more of them.
    pub fn extend_goals(&mut self, goals: &[Option<Goal>]) {
        self.goals.extend_from_slice(goals);
    }

    /// Adds a legal move of the next role in the last state.
    pub fn add_legal(&mut self, action: ActionId) {
        self.legal.push(action);
    }

    /// Adds legal moves of the next role in the last state.
    pub fn extend_legal(&mut self, actions: impl IntoIterator<Item = ActionId>) {
        self.legal.extend(actions);
    }

    /// Ends the legal moves of the next role in the last state.
    pub fn end_legal(&mut self) {
        self.legal_ends.push(self.legal.len() as u32);
    }

    /// Adds how many moves the next role has in the last state, or would have if it was its turn.
    pub fn add_move_count(&mut self, count: usize) {
        self.move_counts.push(count as u32);
    }

    /// Adds what the next role sees of the next job.
    pub fn add_percepts(&mut self, percepts: impl IntoIterator<Item = TermId>) {
        self.percepts.extend(percepts);
        self.percept_ends.push(self.percepts.len() as u32);
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.terminal.len()
    }

    /// How many roles the game has.
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// The tag of the states' machine.
    pub fn tag(&self) -> MachineTag {
        self.tag
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terminal.is_empty()
    }

    /// The words of a state.
    pub fn state(&self, number: usize) -> &[u64] {
        part(&self.words, &self.word_ends, number)
    }

    /// A state on its own.
    pub fn to_state(&self, number: usize) -> State {
        State::new(self.tag, self.state(number))
    }

    /// Whether a state is terminal.
    pub fn terminal(&self, number: usize) -> bool {
        self.terminal[number]
    }

    /// Per role, what a state is worth where the rules give exactly one value and the goals were wanted
    /// ([`Jobs::want_goals`]).
    pub fn goals(&self, number: usize) -> &[Option<Goal>] {
        &self.goals[number * self.roles..][..self.roles]
    }

    /// How many moves a role has in a state, or would have if it was its turn; none in terminal states, and none where they
    /// were not counted ([`Jobs::count_moves`]).
    pub fn move_count(&self, number: usize, role: RoleId) -> usize {
        self.move_counts.get(number * self.roles + role.index()).map_or(0, |&count| count as usize)
    }

    /// The legal moves of a role in a state, in canonical order; none in terminal states, and none where they were not
    /// wanted ([`Jobs::want_moves`]).
    pub fn legal(&self, number: usize, role: RoleId) -> &[ActionId] {
        part(&self.legal, &self.legal_ends, number * self.roles + role.index())
    }

    /// What a role saw of the joint move that led to a state, in canonical order; nothing where percepts were not
    /// wanted ([`Jobs::want_percepts`]).
    pub fn percepts(&self, number: usize, role: RoleId) -> &[TermId] {
        if self.percept_ends.is_empty() {
            return &[];
        }
        part(&self.percepts, &self.percept_ends, number * self.roles + role.index())
    }
}

/// The piece of this number of a list of pieces.
fn part<'l, T>(list: &'l [T], ends: &[u32], number: usize) -> &'l [T] {
    let begin = if number == 0 { 0 } else { ends[number - 1] as usize };
    &list[begin..ends[number] as usize]
}
