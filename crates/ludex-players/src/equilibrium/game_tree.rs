//! Unrolling a game from its initial state to all its ends.

use ludex_game::{ActionId, Answer, GameError, Goal, JointMoves, Machine, RoleId, Runner, State, StateTable};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, Id, Meter, TermId};

use super::error::{Ending, EquilibriumError};
use super::information_sets::{InformationSets, SequenceId, ToldId};
use super::sequence_form::Leaf;

/// How far games are unrolled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnrollOptions {
    /// The most nodes.
    pub max_nodes: usize,
}

impl Default for UnrollOptions {
    /// Two million nodes.
    fn default() -> Self {
        Self { max_nodes: 2_000_000 }
    }
}

/// A game tree, unrolled.
pub(super) struct Unrolled {
    pub roles: Vec<InformationSets>,
    pub leaves: Vec<Leaf>,
    /// What the goals of two roles add up to; 0 for one.
    pub sum: Goal,
    /// The lowest and the highest goal of the first role.
    pub goals: (Goal, Goal),
    pub nodes: usize,
}

/// What a question to a machine counts as, in steps of inference.
const QUESTION_COST: u64 = 64;

/// Nodes between two words of progress.
const REPORT_INTERVAL: u32 = 256;

/// Unrolls a game, one depth after the other.
pub(super) fn unroll(
    program: &GameProgram,
    machine: &dyn Machine,
    options: &UnrollOptions,
    budget: &Budget,
) -> Result<Unrolled, EquilibriumError> {
    if program.dialect.is_timed() {
        return Err(EquilibriumError::Dialect { dialect: program.dialect });
    }
    let is_told_joint = !program.dialect.has_percepts();
    let random = machine.signature().random();
    let roles = machine.signature().role_ids().filter(|&role| Some(role) != random);
    let roles: Vec<InformationSets> = roles.map(|role| InformationSets::new(role, is_told_joint)).collect();
    if !(1..=2).contains(&roles.len()) {
        return Err(EquilibriumError::Roles { roles: roles.len() });
    }
    let tree = Unrolling {
        machine,
        runner: machine.runner(budget),
        meter: budget.meter(),
        max_nodes: options.max_nodes,
        random,
        is_told_joint,
        roles,
        nodes: StateTable::default(),
        chances: Vec::new(),
        leaves: Vec::new(),
        first: None,
        goals: (Goal::MAX, Goal::MIN),
        key: Vec::new(),
        news: Vec::new(),
    };
    tree.unroll(budget)
}

/// A game tree while it grows. A node is a state with what each role was told on the way, so that courses of chance
/// are one node where nobody will ever see a difference. All nodes of a depth have their numbers before those of the
/// next, since more is told there.
struct Unrolling<'m> {
    machine: &'m dyn Machine,
    runner: Box<dyn Runner + 'm>,
    meter: Meter,
    max_nodes: usize,
    random: Option<RoleId>,
    is_told_joint: bool,
    roles: Vec<InformationSets>,
    /// The nodes: one word for what the roles were told, then those of the state.
    nodes: StateTable,
    /// For each node, how likely chance is to play along.
    chances: Vec<f64>,
    leaves: Vec<Leaf>,
    /// The first leaf, and the sum of its goals.
    first: Option<(u32, Goal)>,
    goals: (Goal, Goal),
    key: Vec<u64>,
    news: Vec<TermId>,
}

impl Unrolling<'_> {
    fn unroll(mut self, budget: &Budget) -> Result<Unrolled, EquilibriumError> {
        let mut state = self.machine.initial().clone();
        self.add([ToldId::NOTHING; 2], &state, 1.0, (0, 0))?;
        let mut node: u32 = 0;
        while (node as usize) < self.nodes.len() {
            if node.is_multiple_of(REPORT_INTERVAL) {
                budget.report("nodes", u64::from(node), None);
            }
            let told = told_of(self.nodes.words(node)[0]);
            state.set_words(&self.nodes.words(node)[1..]);
            self.meter.spend(QUESTION_COST)?;
            self.runner.set(&state)?;
            if self.runner.terminal()? {
                self.end(node, told)?;
            } else {
                self.expand(node, told, &state)?;
            }
            node += 1;
        }
        let sum = self.first.filter(|_| self.roles.len() == 2).map_or(0, |(_, sum)| sum);
        let Self { roles, leaves, goals, .. } = self;
        Ok(Unrolled { roles, leaves, sum, goals, nodes: node as usize })
    }

    /// Adds a node, or another way to one that is there.
    fn add(
        &mut self,
        told: [ToldId; 2],
        state: &State,
        chance: f64,
        (parent, number): (u32, u32),
    ) -> Result<(), EquilibriumError> {
        self.key.clear();
        self.key.push(told[0].index() as u64 | (told[1].index() as u64) << 32);
        self.key.extend_from_slice(state.words());
        let too_large = EquilibriumError::TooLarge { nodes: self.max_nodes };
        let Some((node, is_new)) = self.nodes.insert(&self.key, (parent, number)) else {
            return Err(too_large);
        };
        if !is_new {
            self.chances[node as usize] += chance;
            return Ok(());
        }
        self.chances.push(chance);
        if self.nodes.len() > self.max_nodes {
            return Err(too_large);
        }
        let bytes = self.nodes.bytes()
            + 16 * self.chances.len()
            + 2 * size_of::<Leaf>() * self.leaves.len()
            + self.roles.iter().map(InformationSets::bytes).sum::<usize>();
        Ok(self.meter.check_memory(bytes, || "the game tree".to_owned())?)
    }

    /// Notes what an ending brings.
    fn end(&mut self, node: u32, told: [ToldId; 2]) -> Result<(), EquilibriumError> {
        let mut goals = Vec::with_capacity(self.roles.len());
        for at in 0..self.roles.len() {
            let role = self.roles[at].role();
            match self.runner.goal(role)? {
                Some(goal) => goals.push(goal),
                None => {
                    let role = self.text(self.machine.signature().roles()[role.index()]);
                    return Err(EquilibriumError::NoGoal { role, moves: self.course(node)? });
                }
            }
        }
        let sum = goals.iter().fold(0, |sum: Goal, &goal| sum.saturating_add(goal));
        let (first, expected) = *self.first.get_or_insert((node, sum));
        if goals.len() == 2 && sum != expected {
            let [first, second] = [self.ending(first)?, self.ending(node)?].map(Box::new);
            return Err(EquilibriumError::NotConstantSum { first, second });
        }
        self.goals = (self.goals.0.min(goals[0]), self.goals.1.max(goals[0]));
        let mut sequences = [SequenceId::EMPTY; 2];
        for (sequence, (sets, told)) in sequences.iter_mut().zip(self.roles.iter().zip(told)) {
            *sequence = sets.sequence(told);
        }
        let chance = self.chances[node as usize];
        self.leaves.push(Leaf { sequences, chance, gain: chance * f64::from(goals[0]) });
        Ok(())
    }

    /// Adds what each joint move leads to.
    fn expand(&mut self, node: u32, told: [ToldId; 2], state: &State) -> Result<(), EquilibriumError> {
        let signature = self.machine.signature();
        for (sets, &told) in self.roles.iter_mut().zip(&told) {
            let role = sets.role();
            let legal = self.runner.legal(role)?;
            if let Err(other) = sets.decide(told, legal, signature) {
                let legal = legal.iter().map(|&action| signature.action(action)).collect();
                return Err(self.unknown_moves(node, role, legal, other));
            }
        }
        let lists: Vec<Vec<ActionId>> = signature
            .role_ids()
            .map(|role| self.runner.legal(role).map(<[ActionId]>::to_vec))
            .collect::<Answer<_>>()?;
        let draws = self.random.map_or(1, |random| lists[random.index()].len());
        let chance = self.chances[node as usize] / draws as f64;
        let mut joints = JointMoves::new(&mut *self.runner, signature)?;
        let (mut next, mut number) = (State::default(), 0);
        while let Some(joint) = joints.next() {
            self.meter.spend(QUESTION_COST)?;
            self.runner.set(state)?;
            self.runner.step_legal(joint)?;
            self.runner.save(&mut next);
            let mut told = told;
            for (at, told) in told.iter_mut().enumerate().take(self.roles.len()) {
                *told = self.hear(at, *told, joint, &lists);
            }
            self.add(told, &next, chance, (node, number))?;
            number =
                u32::checked_add(number, 1).ok_or(EquilibriumError::TooLarge { nodes: self.max_nodes })?;
        }
        Ok(())
    }

    /// What a role was told after the runner's last step.
    fn hear(&mut self, at: usize, before: ToldId, joint: &[ActionId], lists: &[Vec<ActionId>]) -> ToldId {
        let signature = self.machine.signature();
        let role = self.roles[at].role();
        let own = joint[role.index()];
        self.news.clear();
        if self.is_told_joint {
            self.news.extend(joint.iter().map(|&action| signature.action(action)));
        } else {
            self.news.push(signature.action(own));
            self.news.extend_from_slice(self.runner.percepts(role));
        }
        // The joint moves are made of these lists.
        let place = lists[role.index()].iter().position(|&action| action == own).unwrap_or_default();
        self.roles[at].hear(before, place, &self.news)
    }

    fn unknown_moves(
        &mut self,
        node: u32,
        role: RoleId,
        legal: Vec<TermId>,
        other: Vec<TermId>,
    ) -> EquilibriumError {
        let moves = match self.course(node) {
            Ok(moves) => moves,
            Err(error) => return error.into(),
        };
        let texts = |terms: Vec<TermId>| terms.into_iter().map(|term| self.text(term)).collect();
        let role = self.text(self.machine.signature().roles()[role.index()]);
        EquilibriumError::UnknownMoves { role, moves, legal: texts(legal), other: texts(other) }
    }

    fn ending(&mut self, node: u32) -> Result<Ending, GameError> {
        let moves = self.course(node)?;
        let roles: Vec<RoleId> = self.roles.iter().map(InformationSets::role).collect();
        let goal = |role| self.runner.goal(role).map(Option::unwrap_or_default);
        Ok(Ending { moves, goals: roles.into_iter().map(goal).collect::<Answer<_>>()? })
    }

    /// The joint moves that lead to a node, as texts. The runner is then in its state.
    fn course(&mut self, node: u32) -> Answer<Vec<Vec<String>>> {
        let mut moves = Vec::new();
        self.runner.set(self.machine.initial())?;
        for (_, number) in self.nodes.path(node) {
            let mut joints = JointMoves::new(&mut *self.runner, self.machine.signature())?;
            for _ in 0..number {
                joints.next();
            }
            // It was made before.
            let Some(joint) = joints.next() else { break };
            self.runner.step_legal(joint)?;
            let signature = self.machine.signature();
            moves.push(joint.iter().map(|&action| self.text(signature.action(action))).collect());
        }
        Ok(moves)
    }

    fn text(&self, term: TermId) -> String {
        let signature = self.machine.signature();
        signature.terms().shown_in(term, signature.notation())
    }
}

/// What the roles were told, as it stands in the first word of a node.
fn told_of(word: u64) -> [ToldId; 2] {
    [word as u32, (word >> 32) as u32].map(|id| ToldId::from_index(id as usize))
}
