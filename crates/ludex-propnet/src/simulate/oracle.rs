//! A machine over the plain simulator.

use std::sync::Arc;

use ludex_game::{
    ActionId, Answer, GameError, Goal, Joint, Machine, MachineTag, Playout, Rng, RoleId, Runner, Signature,
    State,
};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::{Budget, Meter, TermId};
use rustc_hash::FxHashMap;

use super::{Propagation, Simulator};
use crate::net::{NodeId, Propnet};

/// A game run by the book's subroutines on its net: slow, and plain enough to be believed.
///
/// A state has one bit for each game base, in order.
#[derive(Clone, Debug)]
pub struct NetOracle {
    net: Arc<Propnet>,
    propagation: Propagation,
    signature: Arc<Signature>,
    initial: State,
    /// Per role and move the input.
    inputs: Vec<FxHashMap<ActionId, NodeId>>,
    /// The move of each input.
    actions: FxHashMap<NodeId, ActionId>,
}

impl NetOracle {
    /// The machine of a game's net.
    pub fn new(game: &GameProgram, net: Arc<Propnet>, propagation: Propagation, notation: Notation) -> Self {
        let terms = |nodes: &[NodeId]| nodes.iter().filter_map(|&n| net.term(n)).collect::<Vec<_>>();
        let moves = net.inputs().iter().flat_map(|list| terms(list)).collect();
        let signature = Arc::new(Signature::new(game, notation, moves, terms(net.game_bases())));
        let action = |node: NodeId| Some((node, signature.find_action(net.term(node)?)?));
        let actions: FxHashMap<NodeId, ActionId> =
            net.inputs().iter().flatten().filter_map(|&node| action(node)).collect();
        let of_role =
            |list: &Vec<NodeId>| list.iter().filter_map(|&n| Some((*actions.get(&n)?, n))).collect();
        let inputs = net.inputs().iter().map(of_role).collect();
        let initial = encode(signature.tag(), &net.initial()[..net.game_bases().len()]);
        Self { net, propagation, signature, initial, inputs, actions }
    }

    /// The net.
    pub fn net(&self) -> &Arc<Propnet> {
        &self.net
    }

    fn words(&self) -> usize {
        self.net.game_bases().len().div_ceil(64)
    }
}

fn encode(tag: MachineTag, bits: &[bool]) -> State {
    let mut state = State::default();
    let words = state.begin(tag, bits.len().div_ceil(64));
    for (at, _) in bits.iter().enumerate().filter(|(_, bit)| **bit) {
        words[at / 64] |= 1 << (at % 64);
    }
    state
}

fn bit(state: &State, at: usize) -> bool {
    state.words().get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
}

impl Machine for NetOracle {
    fn signature(&self) -> &Arc<Signature> {
        &self.signature
    }

    fn initial(&self) -> &State {
        &self.initial
    }

    fn runner(&self, budget: &Budget) -> Box<dyn Runner + '_> {
        let roles = self.signature.roles().len();
        Box::new(OracleRunner {
            machine: self,
            simulator: Simulator::new(&self.net, self.propagation),
            state: self.net.initial()[..self.net.game_bases().len()].to_vec(),
            legal: vec![Vec::new(); roles],
            percepts: vec![Vec::new(); roles],
            meter: budget.meter(),
        })
    }

    fn facts(&self, state: &State, out: &mut Vec<TermId>) {
        out.clear();
        let bases = self.net.game_bases().iter().enumerate();
        out.extend(bases.filter(|(at, _)| bit(state, *at)).filter_map(|(_, &base)| self.net.term(base)));
    }

    fn state_of(&self, facts: &[TermId]) -> Answer<State> {
        let mut bits = vec![false; self.net.game_bases().len()];
        for &fact in facts {
            let terms = self.signature.terms();
            let id = self.signature.find_proposition(fact);
            let place = id.and_then(|id| bits.get_mut(id.index()));
            *place.ok_or_else(|| GameError::UnknownFact { fact: terms.shown(fact) })? = true;
        }
        Ok(encode(self.signature.tag(), &bits))
    }
}

struct OracleRunner<'m> {
    machine: &'m NetOracle,
    simulator: Simulator<'m>,
    state: Vec<bool>,
    legal: Vec<Vec<ActionId>>,
    percepts: Vec<Vec<TermId>>,
    meter: Meter,
}

impl OracleRunner<'_> {
    /// Spends what a question cost.
    fn asked<T>(&mut self, ask: impl FnOnce(&mut Simulator<'_>, &[bool]) -> T) -> Answer<T> {
        self.meter.restart();
        let before = self.simulator.spent();
        let answer = ask(&mut self.simulator, &self.state);
        self.meter.spend(self.simulator.spent() - before)?;
        Ok(answer)
    }

    fn find_legal(&mut self, role: RoleId) -> Answer<()> {
        let legal = self.asked(|simulator, state| simulator.legals(role.index(), state))?;
        let actions = &self.machine.actions;
        self.legal[role.index()] = legal.iter().filter_map(|node| actions.get(node).copied()).collect();
        Ok(())
    }

    fn draw(&mut self, rng: &mut Rng) -> Answer<Vec<ActionId>> {
        let signature = &self.machine.signature;
        let mut joint = Vec::new();
        for role in signature.role_ids() {
            self.find_legal(role)?;
            let stuck = || GameError::NoLegalMove { role: signature.text(signature.roles()[role.index()]) };
            joint.push(*rng.pick(&self.legal[role.index()]).ok_or_else(stuck)?);
        }
        Ok(joint)
    }
}

impl Runner for OracleRunner<'_> {
    fn signature(&self) -> &Signature {
        &self.machine.signature
    }

    fn set(&mut self, state: &State) -> Answer<()> {
        self.machine.signature.check_state(state)?;
        let count = self.state.len();
        let used = (0..state.words().len() * 64).rev().find(|&at| bit(state, at)).map_or(0, |at| at + 1);
        if state.words().len() != self.machine.words() || used > count {
            return Err(GameError::UnknownFact { fact: format!("proposition {count}") });
        }
        self.state = (0..count).map(|at| bit(state, at)).collect();
        self.percepts.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    fn save(&self, out: &mut State) {
        *out = encode(self.machine.signature.tag(), &self.state);
    }

    fn terminal(&mut self) -> Answer<bool> {
        self.asked(|simulator, state| simulator.terminal(state))
    }

    fn legal(&mut self, role: RoleId) -> Answer<&[ActionId]> {
        self.find_legal(role)?;
        Ok(&self.legal[role.index()])
    }

    fn goal(&mut self, role: RoleId) -> Answer<Option<Goal>> {
        self.asked(|simulator, state| simulator.reward(role.index(), state))
    }

    fn step_legal(&mut self, joint: Joint<'_>) -> Answer<()> {
        let machine = self.machine;
        let mut moves = Vec::with_capacity(joint.len());
        for (inputs, action) in machine.inputs.iter().zip(joint) {
            let unknown = || machine.signature.not_legal(RoleId(moves.len() as u32), *action);
            let node = *inputs.get(action).ok_or_else(unknown)?;
            moves.push(node);
        }
        for role in 0..self.percepts.len() {
            self.percepts[role] = self.asked(|simulator, state| simulator.percepts(role, &moves, state))?;
        }
        let mut next = self.asked(|simulator, state| simulator.next(&moves, state))?;
        next.truncate(self.state.len());
        self.state = next;
        Ok(())
    }

    fn percepts(&self, role: RoleId) -> &[TermId] {
        &self.percepts[role.index()]
    }

    fn playout(&mut self, rng: &mut Rng, limit: u32) -> Answer<Playout> {
        let mut steps = 0;
        let mut terminal = self.terminal()?;
        while !terminal && steps < limit {
            let joint = self.draw(rng)?;
            self.step_legal(&joint)?;
            steps += 1;
            terminal = self.terminal()?;
        }
        let roles = self.machine.signature.role_ids();
        let goals = roles.map(|role| self.goal(role)).collect::<Answer<_>>()?;
        Ok(Playout { steps, terminal, goals })
    }
}
