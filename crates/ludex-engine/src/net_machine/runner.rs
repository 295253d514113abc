//! One thread's current state of a game run as a net.

use ludex_game::{ActionId, Answer, GameError, Goal, Joint, Playout, Rng, RoleId, Runner, Signature, State};
use ludex_logic::{Budget, Meter, TermId};

use super::NetMachine;
use super::marking::Marking;
use super::wiring::NONE;

/// A [`Runner`] over a marking.
pub(super) struct NetRunner<'m, const LOOPS: bool> {
    machine: &'m NetMachine,
    marking: Marking,
    meter: Meter,
    /// Per role the legal moves as bits; up to date if `legal_ready`.
    legal: Vec<Vec<u64>>,
    legal_ready: bool,
    /// Per role the bits that `lists` was made of, and the list.
    listed: Vec<Vec<u64>>,
    lists: Vec<Vec<ActionId>>,
    goals_ready: bool,
    percepts: Vec<Vec<TermId>>,
    /// The bases that change in the next step.
    difference: Vec<u64>,
    /// The nodes of the moves being made.
    inputs: Vec<u32>,
    /// The state last set, and its marking if it was set twice.
    anchor_words: Vec<u64>,
    anchor: Option<Box<Marking>>,
    anchor_ready: bool,
}

/// What flipping one base costs, in bytes that could be copied instead.
const FLIP_BYTES: usize = 512;

impl<'m, const LOOPS: bool> NetRunner<'m, LOOPS> {
    pub(super) fn new(machine: &'m NetMachine, budget: &Budget) -> Self {
        let roles = machine.circuit.moves.len();
        let words = |moves: &Vec<TermId>| vec![0; moves.len().div_ceil(64)];
        let legal: Vec<Vec<u64>> = machine.circuit.moves.iter().map(words).collect();
        Self {
            machine,
            marking: machine.start.clone(),
            meter: budget.meter(),
            listed: legal.clone(),
            legal,
            legal_ready: false,
            lists: vec![Vec::new(); roles],
            goals_ready: false,
            percepts: vec![Vec::new(); roles],
            difference: vec![0; machine.wiring.difference.len()],
            inputs: Vec::with_capacity(roles),
            anchor_words: Vec::new(),
            anchor: None,
            anchor_ready: false,
        }
    }

    fn start_question(&mut self) -> Answer<()> {
        self.meter.restart();
        self.meter.check()?;
        Ok(())
    }

    /// Brings the bits of legal moves up to date.
    #[inline(always)]
    fn find_legal(&mut self) {
        if self.legal_ready {
            return;
        }
        for (legal, groups) in self.legal.iter_mut().zip(&self.machine.wiring.legal) {
            self.marking.find_legal(groups, legal);
        }
        self.legal_ready = true;
    }

    fn find_goals(&mut self) {
        if self.goals_ready {
            return;
        }
        self.marking.find_goals(&self.machine.wiring);
        self.goals_ready = true;
    }

    /// Makes the moves of the nodes in `inputs`.
    #[inline(always)]
    fn advance(&mut self, with_percepts: bool) {
        let wiring = &self.machine.wiring;
        self.marking.make::<LOOPS>(wiring, &self.inputs);
        if with_percepts {
            for (list, (terms, words)) in self.percepts.iter_mut().zip(&wiring.percepts) {
                list.clear();
                let bits = &self.marking.bits[words.clone()];
                list.extend(positions(bits).map(|at| terms[at]));
            }
        }
        self.difference.copy_from_slice(&self.marking.bits[wiring.difference.clone()]);
        self.marking.flip_bases::<LOOPS>(wiring, &self.difference);
        self.marking.settle::<LOOPS>(wiring);
        self.legal_ready = false;
        self.goals_ready = false;
    }

    fn go_to(&mut self, words: &[u64]) {
        let start = &self.machine.start;
        let flips = distance(&self.marking.state, words);
        let copy = start.bytes() / FLIP_BYTES;
        if flips > copy {
            let from_start = copy + distance(&start.state, words);
            let anchor = self.anchor.as_deref().filter(|_| self.anchor_ready);
            let from_anchor = anchor.map_or(usize::MAX, |a| copy + distance(&a.state, words));
            if let Some(anchor) = anchor.filter(|_| from_anchor < from_start.min(flips)) {
                self.marking.copy_from(anchor);
            } else if from_start < flips {
                self.marking.copy_from(start);
            }
        }
        self.marking.go_to(&self.machine.wiring, words);
    }

    /// Remembers the marking of a state that is set again and again.
    fn drop_anchor(&mut self, words: &[u64]) {
        if self.anchor_words != words {
            self.anchor_words.clear();
            self.anchor_words.extend_from_slice(words);
            self.anchor_ready = false;
        } else if !self.anchor_ready {
            match &mut self.anchor {
                Some(anchor) => anchor.copy_from(&self.marking),
                None => self.anchor = Some(Box::new(self.marking.clone())),
            }
            self.anchor_ready = true;
        }
    }

    fn no_legal_move(&self, role: usize) -> GameError {
        let signature = &self.machine.signature;
        GameError::NoLegalMove { role: signature.text(signature.roles()[role]) }
    }
}

fn distance(a: &[u64], b: &[u64]) -> usize {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones() as usize).sum()
}

/// The positions of the bits that are set.
pub(super) fn positions(bits: &[u64]) -> impl Iterator<Item = usize> {
    bits.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            (rest != 0).then(|| {
                rest &= rest - 1;
                at * 64 + bit
            })
        })
    })
}

/// The position of the set bit with this number, from 0.
#[inline(always)]
pub(super) fn select(bits: &[u64], mut number: u32) -> Option<usize> {
    for (at, &word) in bits.iter().enumerate() {
        let ones = word.count_ones();
        if number < ones {
            let mut rest = word;
            for _ in 0..number {
                rest &= rest - 1;
            }
            return Some(at * 64 + rest.trailing_zeros() as usize);
        }
        number -= ones;
    }
    None
}

impl<const LOOPS: bool> Runner for NetRunner<'_, LOOPS> {
    fn signature(&self) -> &Signature {
        &self.machine.signature
    }

    fn set(&mut self, state: &State) -> Answer<()> {
        let words = self.machine.words(state)?;
        self.go_to(words);
        self.drop_anchor(words);
        self.legal_ready = false;
        self.goals_ready = false;
        self.percepts.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    fn save(&self, out: &mut State) {
        let state = &self.marking.state;
        out.begin(self.machine.signature.tag(), state.len()).copy_from_slice(state);
    }

    fn terminal(&mut self) -> Answer<bool> {
        Ok(self.marking.bit(self.machine.wiring.terminal))
    }

    fn legal(&mut self, role: RoleId) -> Answer<&[ActionId]> {
        self.find_legal();
        let role = role.index();
        let list = &mut self.lists[role];
        if self.listed[role] != self.legal[role] {
            self.listed[role].copy_from_slice(&self.legal[role]);
            list.clear();
            let actions = &self.machine.actions[role];
            list.extend(positions(&self.legal[role]).map(|at| actions[at]));
        }
        Ok(list)
    }

    fn goal(&mut self, role: RoleId) -> Answer<Option<Goal>> {
        self.find_goals();
        let goals = &self.machine.wiring.goals[role.index()];
        let mut held = goals.iter().filter(|&&(_, literal)| self.marking.holds(literal));
        let first = held.next();
        Ok(first.filter(|_| held.next().is_none()).map(|&(goal, _)| goal))
    }

    fn step_legal(&mut self, joint: Joint<'_>) -> Answer<()> {
        self.start_question()?;
        self.inputs.clear();
        for (role, &action) in joint.iter().enumerate().take(self.legal.len()) {
            let Some(&position) = self.machine.positions[role].get(action.index()).filter(|&&at| at != NONE)
            else {
                return Err(self.machine.signature.not_legal(RoleId(role as u32), action));
            };
            let node = self.machine.wiring.inputs[role][position as usize];
            if node != NONE {
                self.inputs.push(node);
            }
        }
        self.advance(true);
        Ok(())
    }

    fn percepts(&self, role: RoleId) -> &[TermId] {
        &self.percepts[role.index()]
    }

    fn playout(&mut self, rng: &mut Rng, limit: u32) -> Answer<Playout> {
        self.start_question()?;
        let mut steps = 0;
        let mut terminal = self.terminal()?;
        while !terminal && steps < limit {
            self.meter.spend(1)?;
            self.find_legal();
            self.inputs.clear();
            for role in 0..self.legal.len() {
                let bits = &self.legal[role];
                let count: u32 = bits.iter().map(|word| word.count_ones()).sum();
                // Nothing is drawn for a role that is stuck, as in `Rng::pick`.
                if count == 0 {
                    return Err(self.no_legal_move(role));
                }
                let number = rng.below(u64::from(count)) as u32;
                let Some(position) = select(bits, number) else { continue };
                let node = self.machine.wiring.inputs[role][position];
                if node != NONE {
                    self.inputs.push(node);
                }
            }
            self.advance(false);
            steps += 1;
            terminal = self.terminal()?;
        }
        self.percepts.iter_mut().for_each(Vec::clear);
        let roles = self.legal.len() as u32;
        let goals = (0..roles).map(|role| self.goal(RoleId(role))).collect::<Answer<_>>()?;
        Ok(Playout { steps, terminal, goals })
    }
}
