//! Nets some of whose states are too long to be written.
//!
//! Everything that can hold in a net is known beforehand, and in nearly every game all of it together is
//! short: then nothing is charged while the game runs. Where it is long, what a step leads to is added up.

use ludex_game::{ActionId, Answer, Goal, Joint, Machine, Playout, Rng, RoleId, Runner, Signature, State};
use ludex_logic::{LEGAL_TEXT_LIMIT, LimitError, TEXT_LIMIT, TermId};
use ludex_propnet::{Circuit, Gate};

use super::NetMachine;

/// Whether a state, or the legal moves or percepts of a role, can take more text than is allowed.
///
/// # Errors
/// Where one proposition, move or percept alone does.
pub(super) fn can_be_too_long(circuit: &Circuit) -> Result<bool, LimitError> {
    let terms = &circuit.terms;
    let percepts: Vec<Vec<TermId>> =
        circuit.percepts.iter().map(|list| list.iter().map(|&(term, _)| term).collect()).collect();
    let propositions = std::slice::from_ref(&circuit.propositions);
    let kinds = [
        ("a proposition", TEXT_LIMIT, propositions),
        ("a move", LEGAL_TEXT_LIMIT, &circuit.moves),
        ("a percept", TEXT_LIMIT, &percepts),
    ];
    let mut can_be = false;
    for (what, limit, lists) in kinds {
        for list in lists {
            for &term in list {
                terms.charge_text(what, std::iter::once(term), TEXT_LIMIT)?;
            }
            can_be |= terms.charge_text(what, list.iter().copied(), limit).is_err();
        }
    }
    Ok(can_be)
}

/// How many facts can hold in a state.
pub(super) struct MostFacts {
    /// Those that are more than a stored base.
    worked_out: u64,
    /// For each base that holds.
    of_base: u64,
}

impl MostFacts {
    pub(super) fn new(circuit: &Circuit) -> Self {
        let mut most = Self { worked_out: 0, of_base: 0 };
        let mut of_bases = vec![0; circuit.bases.len()];
        for edge in &circuit.values {
            match circuit.gates[edge.gate().index()] {
                Gate::Base(base) if !edge.is_complemented() => of_bases[base as usize] += 1,
                _ => most.worked_out += 1,
            }
        }
        most.of_base = of_bases.into_iter().max().unwrap_or(0);
        most
    }

    fn in_state(&self, state: &State) -> u64 {
        let bases: u64 = state.words().iter().map(|word| u64::from(word.count_ones())).sum();
        self.worked_out + self.of_base * bases
    }
}

impl NetMachine {
    /// Refuses a state that is too long to be written.
    pub(super) fn charge_state(&self, state: &State) -> Result<(), LimitError> {
        // Where few facts can hold there is nothing to add up.
        let most = self
            .most_facts
            .in_state(state)
            .saturating_mul(self.signature.terms().largest_text().saturating_add(1));
        if self.is_charged && most > TEXT_LIMIT {
            let mut facts = Vec::new();
            self.facts(state, &mut facts);
            self.signature.terms().charge_text("the state", facts.into_iter(), TEXT_LIMIT)?;
        }
        Ok(())
    }

    /// The runner of a machine with this machine's states, so that it refuses what is too long to be
    /// written; the runner itself where nothing is.
    pub(crate) fn charged<'m>(&'m self, runner: Box<dyn Runner + 'm>) -> Box<dyn Runner + 'm> {
        if self.is_charged {
            Box::new(ChargedRunner { net: self, runner, state: State::default() })
        } else {
            runner
        }
    }
}

struct ChargedRunner<'m> {
    net: &'m NetMachine,
    runner: Box<dyn Runner + 'm>,
    state: State,
}

impl Runner for ChargedRunner<'_> {
    fn signature(&self) -> &Signature {
        &self.net.signature
    }

    fn set(&mut self, state: &State) -> Answer<()> {
        self.net.charge_state(state)?;
        self.runner.set(state)
    }

    fn save(&self, out: &mut State) {
        self.runner.save(out);
    }

    fn terminal(&mut self) -> Answer<bool> {
        self.runner.terminal()
    }

    fn legal(&mut self, role: RoleId) -> Answer<&[ActionId]> {
        let legal = self.runner.legal(role)?;
        let signature = &self.net.signature;
        signature.terms().charge_moves(legal.iter().map(|&action| signature.action(action)))?;
        Ok(legal)
    }

    fn goal(&mut self, role: RoleId) -> Answer<Option<Goal>> {
        self.runner.goal(role)
    }

    fn step_legal(&mut self, joint: Joint<'_>) -> Answer<()> {
        self.runner.step_legal(joint)?;
        self.runner.save(&mut self.state);
        self.net.charge_state(&self.state)?;
        for role in self.net.signature.role_ids() {
            let percepts = self.runner.percepts(role).iter().copied();
            self.net.signature.terms().charge_text("what a role sees", percepts, TEXT_LIMIT)?;
        }
        Ok(())
    }

    fn percepts(&self, role: RoleId) -> &[TermId] {
        self.runner.percepts(role)
    }

    fn playout(&mut self, rng: &mut Rng, limit: u32) -> Answer<Playout> {
        self.runner.playout(rng, limit)
    }
}
