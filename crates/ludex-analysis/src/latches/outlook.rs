//! What a state still allows.

use ludex_game::{Goal, RoleId};
use ludex_logic::{LimitError, Meter, TermId};
use ludex_propnet::{Circuit, Edge};

use super::{Hold, Latches, Setting};

/// What lasts from a state on: in it and in all states that can follow.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// Per gate of the circuit.
    known: Vec<Option<bool>>,
    /// Per role the goal values that are not ruled out, ascending.
    possible: Vec<Vec<Goal>>,
}

impl Forecast {
    fn new(circuit: &Circuit, known: Vec<Option<bool>>) -> Self {
        let mut forecast = Self { known, possible: Vec::new() };
        let of_role = |list: &Vec<(Goal, Edge)>| {
            let possible = list.iter().filter(|(_, edge)| forecast.value(*edge) != Some(false));
            possible.map(|(value, _)| *value).collect()
        };
        forecast.possible = circuit.goals.iter().map(of_role).collect();
        forecast
    }

    /// Per gate of the circuit the value that it keeps.
    pub(crate) fn gates(&self) -> &[Option<bool>] {
        &self.known
    }

    /// The value that an edge of the circuit keeps, where it is known to.
    pub fn value(&self, edge: Edge) -> Option<bool> {
        self.known[edge.gate().index()].map(|value| value != edge.is_complemented())
    }

    /// The goal values of a role that are not ruled out, ascending. All others are out of reach.
    pub fn possible(&self, role: RoleId) -> &[Goal] {
        self.possible.get(role.index()).map_or(&[], Vec::as_slice)
    }

    /// The most that a role can still reach, as far as is known; none where all values are ruled out.
    pub fn best(&self, role: RoleId) -> Option<Goal> {
        self.possible(role).last().copied()
    }

    /// The least that a role can still get, as far as is known.
    pub fn worst(&self, role: RoleId) -> Option<Goal> {
        self.possible(role).first().copied()
    }

    /// Whether a role cannot reach this value or more any more: the state is dead for it (book 12.4).
    pub fn is_dead(&self, role: RoleId, value: Goal) -> bool {
        self.best(role).is_none_or(|best| best < value)
    }
}

impl Latches {
    /// A state as bits, one per base of the circuit of [`Latches::faithful`]. Facts that the net does not
    /// have are left out.
    pub fn bits(&self, facts: &[TermId]) -> Vec<bool> {
        let mut bits = vec![false; self.standings.len()];
        for base in facts.iter().filter_map(|fact| self.numbers.get(fact)) {
            bits[*base as usize] = true;
        }
        bits
    }

    /// The goal values, per role, that active latches put out of reach, by the list of goal inhibitors:
    /// no more work than reading it. `goals` is what the state is worth; a role without a value there
    /// loses nothing that is only blocked.
    pub fn out_of_reach(&self, state: &[bool], goals: &[Option<Goal>]) -> Vec<Vec<Goal>> {
        let lists = &self.faithful.circuit.goals;
        let mut lost = vec![Vec::new(); lists.len()];
        for found in self.goal_inhibitions.iter().filter(|found| found.latched) {
            let role = found.role as usize;
            let value = lists[role][found.goal as usize].0;
            let held = goals.get(role).copied().flatten();
            let counts = match found.hold {
                Hold::Bars => true,
                Hold::Blocks => held.is_some_and(|held| held != value),
            };
            if counts && state[found.base as usize] == found.value {
                lost[role].push(value);
            }
        }
        for list in &mut lost {
            list.sort_unstable();
            list.dedup();
        }
        lost
    }

    /// All that lasts from a state on. Latches that are active, what they inhibit, and stages that were
    /// left are held fast; from there it spreads through the net, so that several latches together
    /// are understood, too. The time is linear in the net.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn forecast(&self, state: &[bool], meter: &mut Meter) -> Result<Forecast, LimitError> {
        let state: Vec<Option<bool>> = state.iter().copied().map(Some).collect();
        self.forecast_known(&state, meter)
    }

    /// All that lasts after a move of one role, whatever the others do; none for what is no move of the
    /// role. The move should be legal in the state, and the state not terminal.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn forecast_after(
        &self,
        state: &[bool],
        role: RoleId,
        action: TermId,
        meter: &mut Meter,
    ) -> Result<Option<Forecast>, LimitError> {
        let circuit = &self.faithful.circuit;
        let Some(moves) = circuit.moves.get(role.index()) else { return Ok(None) };
        let Some(made) = moves.iter().position(|&term| term == action) else { return Ok(None) };
        let next = next_state(circuit, state, role.index(), made, meter)?;
        self.forecast_known(&next, meter).map(Some)
    }

    /// The legal moves of a role in a state that certainly lead to a state in which `value` or more is
    /// out of the role's reach.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn dead_moves(
        &self,
        state: &[bool],
        role: RoleId,
        value: Goal,
        legal: &[TermId],
        meter: &mut Meter,
    ) -> Result<Vec<TermId>, LimitError> {
        let mut dead = Vec::new();
        for &action in legal {
            let forecast = self.forecast_after(state, role, action, meter)?;
            if forecast.is_some_and(|forecast| forecast.is_dead(role, value)) {
                dead.push(action);
            }
        }
        Ok(dead)
    }

    /// The propositions that keep the value they have, in a state with this forecast.
    pub fn settled(&self, forecast: &Forecast) -> Vec<Setting> {
        let circuit = &self.faithful.circuit;
        let settled = circuit.bases.iter().filter_map(|base| {
            let value = forecast.value(circuit.values[base.proposition as usize])?;
            Some(Setting { proposition: circuit.propositions[base.proposition as usize], value })
        });
        settled.collect()
    }

    fn forecast_known(&self, state: &[Option<bool>], meter: &mut Meter) -> Result<Forecast, LimitError> {
        let circuit = &self.faithful.circuit;
        let pinned = self.pinned(state, meter)?;
        let at = |base: u32| state[base as usize];
        let known = self.lasting.from(circuit, at, |base| pinned[base as usize], meter)?;
        Ok(Forecast::new(circuit, known))
    }

    /// The bases that are proved to keep the value they have.
    fn pinned(&self, state: &[Option<bool>], meter: &mut Meter) -> Result<Vec<bool>, LimitError> {
        let keeps = |(base, value): (usize, &Option<bool>)| value.is_some_and(|v| self.stays(base as u32, v));
        let mut pinned: Vec<bool> = state.iter().enumerate().map(keeps).collect();
        let mut pin = |bases: &[u32]| {
            for &base in bases.iter().filter(|base| state[**base as usize] == Some(false)) {
                pinned[base as usize] = true;
            }
            meter.spend(bases.len() as u64)
        };
        for found in self.inhibitions.iter().take_while(|found| found.latched) {
            if state[found.base as usize] == Some(found.value) {
                pin(&found.excludes)?;
                pin(&found.blocks)?;
            }
        }
        for ways in &self.successions {
            for ((members, _), gone) in ways.stages.iter().zip(&ways.gone) {
                if members.iter().any(|&base| state[base as usize] == Some(true)) {
                    pin(gone)?;
                }
            }
        }
        Ok(pinned)
    }
}

/// The state after a move of one role, as far as it follows from that move alone.
fn next_state(
    circuit: &Circuit,
    state: &[bool],
    role: usize,
    made: usize,
    meter: &mut Meter,
) -> Result<Vec<Option<bool>>, LimitError> {
    // What the others do is not known.
    let input = |whose: u32, number: u32| (whose as usize == role).then_some(number as usize == made);
    meter.spend(circuit.operand_count() as u64)?;
    let values = circuit.ternary_values(|base| Some(state[base as usize]), input);
    Ok(circuit.bases.iter().map(|base| values.get(base.next)).collect())
}
