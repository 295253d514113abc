//! A strategy that wins whatever others do, and its check on the rules.

use ludex_game::{ActionId, Goal, RoleId, Rules, State};
use ludex_logic::TermId;
use rustc_hash::FxHashMap;

use super::cubes::{Bits, bits};
use super::search::Search;
use crate::Reason;
use crate::planning::model::Model;
use crate::planning::search::Stopped;

/// What to do in each state that can come up when one does so: the first node is the initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strategy {
    /// The states; none if the game begins at its end.
    pub nodes: Vec<StrategyNode>,
}

/// What to do in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyNode {
    /// The role's move.
    pub action: TermId,
    /// The game ends within so many steps.
    pub within: u32,
    /// The joint moves that can come of it, with the node they lead to; none where the game is over then.
    pub replies: Vec<(Vec<TermId>, Option<usize>)>,
}

/// A joint move as the machine numbers moves, with the node it leads to.
type Reply = (Vec<ActionId>, Option<usize>);

/// Why a strategy is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a strategy fails on the rules: {0}")]
pub(in crate::planning) struct Wrong(String);

impl Strategy {
    /// What the search knows, from the initial state on.
    pub(super) fn collect(search: &mut Search<'_>, model: &Model, role: usize) -> Result<Self, Stopped> {
        let circuit = model.circuit();
        let initial: Vec<bool> = circuit.bases.iter().map(|base| base.initial).collect();
        let mut strategy = Self::default();
        if search.evaluate(&initial, &[])?.get(circuit.terminal) {
            return Ok(strategy);
        }
        let mut number: FxHashMap<Bits, usize> = FxHashMap::default();
        number.insert(bits(&initial), 0);
        let mut states = vec![initial];
        while let Some(state) = states.get(strategy.nodes.len()).cloned() {
            let unknown = || Stopped(Reason::Method("a state of the strategy was not solved".to_owned()));
            let (within, action) = search.winning(&state).ok_or_else(unknown)?;
            let mut replies = Vec::new();
            for joint in search.joint_moves(&state, action)? {
                let next = search.after(&state, &joint)?;
                let over = search.evaluate(&next, &[])?.get(circuit.terminal);
                let node = (!over).then(|| {
                    *number.entry(bits(&next)).or_insert_with(|| {
                        states.push(next);
                        states.len() - 1
                    })
                });
                let terms = joint.iter().zip(&circuit.moves).map(|(&n, moves)| moves[n as usize]).collect();
                replies.push((terms, node));
            }
            let action = circuit.moves[role][action as usize];
            strategy.nodes.push(StrategyNode { action, within, replies });
        }
        Ok(strategy)
    }

    /// Whether it is a strategy on the rules: in each state its move is legal, it has an answer to every
    /// legal reply, and it ends with at least so much after as many steps as it says.
    pub(in crate::planning) fn check(&self, rules: &Rules, role: RoleId, least: Goal) -> Result<(), Wrong> {
        let machine = rules.machine();
        let mut runner = machine.runner(rules.question_budget());
        let mut seen = vec![false; self.nodes.len()];
        let mut open: Vec<(Option<usize>, State)> =
            vec![((!self.nodes.is_empty()).then_some(0), machine.initial().clone())];
        while let Some((node, state)) = open.pop() {
            let told = |error: ludex_game::GameError| Wrong(error.to_string());
            runner.set(&state).map_err(told)?;
            let Some(number) = node else {
                let has_won = runner.terminal().map_err(told)?
                    && runner.goal(role).map_err(told)?.is_some_and(|goal| goal >= least);
                if !has_won {
                    return Err(Wrong("it ends where the role has not won".to_owned()));
                }
                continue;
            };
            if std::mem::replace(&mut seen[number], true) {
                continue;
            }
            if runner.terminal().map_err(told)? {
                return Err(Wrong("it goes on where the game is over".to_owned()));
            }
            let mut legal: Vec<Vec<ActionId>> = Vec::new();
            for other in rules.roles() {
                legal.push(runner.legal(other).map_err(told)?.to_vec());
            }
            for (joint, next) in self.nodes[number].matched(rules, role, &legal)? {
                if next.is_some_and(|next| self.nodes[next].within >= self.nodes[number].within) {
                    return Err(Wrong("it takes longer than it says".to_owned()));
                }
                runner.set(&state).map_err(told)?;
                runner.step_legal(&joint).map_err(told)?;
                let mut after = State::default();
                runner.save(&mut after);
                open.push((next, after));
            }
        }
        Ok(())
    }
}

impl StrategyNode {
    /// Its replies as the machine numbers moves; they must be all that are legal.
    fn matched(&self, rules: &Rules, role: RoleId, legal: &[Vec<ActionId>]) -> Result<Vec<Reply>, Wrong> {
        let mut matched = Vec::with_capacity(self.replies.len());
        for (terms, next) in &self.replies {
            let ids: Option<Vec<ActionId>> =
                terms.iter().map(|&term| rules.signature().find_action(term)).collect();
            let ids = ids.filter(|ids| ids.iter().zip(legal).all(|(id, legal)| legal.contains(id)));
            let ids = ids.ok_or_else(|| Wrong("it has a move that is not legal".to_owned()))?;
            if rules.signature().action(ids[role.index()]) != self.action {
                return Err(Wrong("it has two moves in one state".to_owned()));
            }
            matched.push((ids, *next));
        }
        matched.sort();
        matched.dedup_by(|one, other| one.0 == other.0);
        let others = legal.iter().enumerate().filter(|&(number, _)| number != role.index());
        let replies: usize = others.map(|(_, moves)| moves.len()).product();
        if replies != matched.len() || replies == 0 {
            return Err(Wrong("it has no answer to a legal reply".to_owned()));
        }
        Ok(matched)
    }
}
