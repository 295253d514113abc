//! One of two roles waits: what stays where one moves is not asked of the one that waits.
//!
//! In games in turns a role that waits makes a move, too. A cell stays as it is where neither role touches it, and rules
//! say that role by role: white waits or moves elsewhere, and black waits or moves elsewhere. Read so, every cell changes
//! two gates with each turn. Where exactly one role waits it is the same that no move touches the cell.
//!
//! This holds when a step is made, so it serves the next state and the percepts only.

use ludex_logic::{LimitError, Meter};
use rustc_hash::FxHashMap;

use super::cones::read_of_state;
use super::facts::Knowledge;
use super::rebuild::Site;
use super::simplify::simplify;
use crate::circuit::GateBuilder;
use crate::{Circuit, Edge, Gate};

/// Takes the waiting moves of two roles that take turns out of what stays.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<(), LimitError> {
    let Some(turns) = Turns::find(circuit, meter)? else { return Ok(()) };
    let untouched = read_of_state(circuit, meter)?;
    simplify(circuit, WaitingMoves { turns, says: Vec::new() }, untouched, share, meter)
}

/// Two roles of which exactly one waits in each state: it has no other move, and the other one does not have that.
struct Turns {
    roles: [u32; 2],
    /// The waiting move of each.
    waiting: [u32; 2],
    /// The legality of the first role's waiting move, in the old circuit; that of the second is its complement.
    first_waits: Edge,
}

/// That an edge is true only where the first role waits, or the second.
const ONLY: [u8; 2] = [1, 2];

/// What a gate says, and what its complement does.
type Says = [u8; 2];

fn said(says: &[Says], edge: Edge) -> u8 {
    says.get(edge.gate().index()).map_or(0, |both| both[usize::from(edge.is_complemented())])
}

/// What the next gate says by its operands, given what those before it say, and by `first_waits`, which is true where the
/// first role waits.
fn says_of(gate: &Gate, says: &[Says], first_waits: Edge) -> Says {
    let mut of_gate = match gate {
        // What is never true is true only where anything is.
        Gate::False => [ONLY[0] | ONLY[1], 0],
        Gate::And(operands) => [
            operands.iter().fold(0, |any, &edge| any | said(says, edge)),
            operands.iter().fold(ONLY[0] | ONLY[1], |all, &edge| all & said(says, !edge)),
        ],
        _ => [0, 0],
    };
    if first_waits.gate().index() == says.len() {
        let complemented = usize::from(first_waits.is_complemented());
        of_gate[complemented] |= ONLY[0];
        of_gate[1 - complemented] |= ONLY[1];
    }
    of_gate
}

impl Turns {
    /// The first two roles that take turns.
    fn find(circuit: &Circuit, meter: &mut Meter) -> Result<Option<Self>, LimitError> {
        let mut legal: FxHashMap<Edge, (u32, u32)> = FxHashMap::default();
        for (role, moves) in (0..).zip(&circuit.legal) {
            meter.spend(moves.len() as u64)?;
            for (action, &edge) in (0..).zip(moves) {
                if let Some(&(other, waiting)) = legal.get(&!edge).filter(|(other, _)| *other != role) {
                    let turns = Self { roles: [other, role], waiting: [waiting, action], first_waits: !edge };
                    if turns.hold(circuit, meter)? {
                        return Ok(Some(turns));
                    }
                }
                if edge.constant().is_none() {
                    legal.entry(edge).or_insert((role, action));
                }
            }
        }
        Ok(None)
    }

    /// Whether each of the roles has no move but the waiting one where it waits.
    fn hold(&self, circuit: &Circuit, meter: &mut Meter) -> Result<bool, LimitError> {
        meter.spend((circuit.gates.len() + circuit.operand_count()) as u64)?;
        let mut says: Vec<Says> = Vec::with_capacity(circuit.gates.len());
        for gate in &circuit.gates {
            says.push(says_of(gate, &says, self.first_waits));
        }
        Ok((0..2).all(|side| {
            let moves = circuit.legal.get(self.roles[side] as usize).into_iter().flatten();
            let mut others = (0..).zip(moves).filter(|(action, _)| *action != self.waiting[side]);
            others.all(|(_, &edge)| said(&says, edge) & ONLY[1 - side] != 0)
        }))
    }
}

struct WaitingMoves {
    turns: Turns,
    /// Of the new gates.
    says: Vec<Says>,
}

impl WaitingMoves {
    /// Which of the two waits exactly where an edge is true.
    fn waits(&self, site: &Site<'_>, edge: Edge) -> Option<usize> {
        let side = match *site.builder.gate(edge.gate()) {
            Gate::Input(role, action) => {
                let side = self.turns.roles.iter().position(|&of| of == role)?;
                (self.turns.waiting[side] == action).then_some(side)?
            }
            _ => {
                let first = site.mapped(self.turns.first_waits);
                (edge.gate() == first.gate()).then(|| usize::from(first.is_complemented()))?
            }
        };
        Some(if edge.is_complemented() { 1 - side } else { side })
    }

    /// Learns what new gates say.
    fn learn(&mut self, site: &mut Site<'_>) -> Result<(), LimitError> {
        let first = site.mapped(self.turns.first_waits);
        let builder: &GateBuilder = site.builder;
        while let Some(gate) = builder.gates().get(self.says.len()) {
            site.meter.spend(1 + gate.operands().len() as u64)?;
            let mut of_gate = says_of(gate, &self.says, first);
            if let Gate::Input(role, action) = *gate
                && let Some(side) = self.turns.roles.iter().position(|&of| of == role)
            {
                let waits = self.turns.waiting[side] == action;
                of_gate[0] |= ONLY[if waits { side } else { 1 - side }];
                // Who waits has no other move, so that whoever does not make it has the turn.
                of_gate[1] |= if waits { ONLY[1 - side] } else { 0 };
            }
            self.says.push(of_gate);
        }
        Ok(())
    }

    /// Where an edge says that a role waits or the role makes one of some moves: that role, and what is true where it
    /// makes none of these moves.
    fn waits_or_moves(
        &self,
        site: &mut Site<'_>,
        edge: Edge,
    ) -> Result<Option<(usize, Vec<Edge>)>, LimitError> {
        let Some(operands) = site.builder.operands(edge).filter(|_| edge.is_complemented()) else {
            return Ok(None);
        };
        site.meter.spend(operands.len() as u64)?;
        let Some((place, other)) = operands
            .iter()
            .enumerate()
            .find_map(|(place, &operand)| Some((place, self.waits(site, operand)?)))
        else {
            return Ok(None);
        };
        let rest: Vec<Edge> =
            operands.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, &operand)| operand).collect();
        let are_moves = rest.iter().all(|&operand| said(&self.says, !operand) & ONLY[other] != 0);
        Ok(are_moves.then_some((1 - other, rest)))
    }
}

impl Knowledge for WaitingMoves {
    fn regroup(
        &mut self,
        site: &mut Site<'_>,
        _uses: &dyn Fn(Edge) -> u32,
        edges: &mut Vec<Edge>,
    ) -> Result<(), LimitError> {
        self.learn(site)?;
        let mut found: [Vec<(Edge, Vec<Edge>)>; 2] = [Vec::new(), Vec::new()];
        for &edge in &*edges {
            if let Some((side, moves)) = self.waits_or_moves(site, edge)? {
                found[side].push((edge, moves));
            }
        }
        let [first, second] = found;
        for ((one, mut moves), (other, more)) in first.into_iter().zip(second) {
            // Whoever waits, it is one of the moves of the one that does not.
            moves.extend(more);
            let either = !site.builder.and(&mut moves);
            edges.retain(|&edge| edge != one && edge != other);
            edges.push(either);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::Rng;
    use ludex_logic::Budget;

    use super::*;
    use crate::passes::dead_cones;
    use crate::passes::tests::playing::assert_same;
    use crate::passes::tests::random::CircuitSketch;

    /// Makes the pass, and drops what nobody reads any more.
    fn make_pass(circuit: &mut Circuit) {
        let mut meter = Budget::unlimited().meter();
        run(circuit, true, &mut meter).unwrap();
        dead_cones::run(circuit, true, &mut meter).unwrap();
    }

    /// A game in turns: while the first base is true the first role waits, and else the second. Cells stay where each
    /// role waits or makes none of some moves, or makes one of them, whatever the cell was.
    fn in_turns(rng: &mut Rng, waits_strictly: bool) -> Circuit {
        let mut sketch = CircuitSketch::new(true);
        let first_waits = sketch.base(rng.below(2) == 0);
        let cells: Vec<Edge> = (0..4).map(|_| sketch.base(rng.below(2) == 0)).collect();
        let mut roles = Vec::new();
        for waits in [first_waits, !first_waits] {
            let mut legal = vec![waits, if waits_strictly { !waits } else { Edge::TRUE }];
            legal.extend((0..4).map(|_| {
                let cell = *rng.pick(&cells).unwrap();
                sketch.and(&[!waits, cell.complement_if(rng.below(2) == 0)])
            }));
            roles.push(sketch.role(legal));
        }
        for (number, &cell) in cells.iter().enumerate() {
            let touching: Vec<Vec<Edge>> = roles
                .iter()
                .map(|moves| moves[1..].iter().copied().filter(|_| rng.below(3) == 0).collect())
                .collect();
            let sides: Vec<Edge> = (0..2)
                .map(|side| {
                    let waits = if rng.below(2) == 0 { roles[side][0] } else { !roles[1 - side][0] };
                    sketch.or(&[&[waits], &touching[side][..]].concat())
                })
                .collect();
            let touched = sketch.and(&sides);
            let stays = sketch.and(&[cell, !touched]);
            let arrives = *rng.pick(&roles[number % 2][1..]).unwrap();
            let next = sketch.or(&[stays, arrives]);
            sketch.next(1 + number, next);
        }
        sketch.next(0, !first_waits);
        sketch.finish()
    }

    #[test]
    fn games_in_turns_keep_their_meaning() {
        let mut shorter = 0;
        for seed in 0..200 {
            let mut rng = Rng::from_seed(seed);
            let circuit = in_turns(&mut rng, seed % 4 != 0);
            let mut after = circuit.clone();
            make_pass(&mut after);
            assert_eq!(after.check(), Ok(()));
            assert_same(&circuit, &after, &mut rng, 60, &|| format!("circuit {seed}"));
            shorter += u32::from(after.operation_count() < circuit.operation_count());
        }
        assert!(shorter > 100, "{shorter}");
    }

    /// How many gates read the waiting move of a role.
    fn readers_of_waiting(circuit: &Circuit) -> usize {
        let is_waiting = |edge: &Edge| matches!(circuit.gates[edge.gate().index()], Gate::Input(_, 0));
        circuit.gates.iter().flat_map(Gate::operands).filter(|edge| is_waiting(edge)).count()
    }

    #[test]
    fn waiting_is_asked_no_more_where_one_waits_and_only_there() {
        let make = |strictly: bool| {
            let mut sketch = CircuitSketch::new(true);
            let first_waits = sketch.base(true);
            let cell = sketch.base(true);
            let mut roles = Vec::new();
            for waits in [first_waits, !first_waits] {
                let second = if strictly { !waits } else { Edge::TRUE };
                roles.push(sketch.role(vec![waits, second, !waits]));
            }
            let sides: Vec<Edge> = roles.iter().map(|moves| sketch.or(&[moves[0], moves[1]])).collect();
            let touched = sketch.and(&sides);
            let stays = sketch.and(&[cell, !touched]);
            sketch.next(0, !first_waits);
            sketch.next(1, stays);
            let mut circuit = sketch.finish();
            make_pass(&mut circuit);
            circuit
        };
        assert_eq!(readers_of_waiting(&make(true)), 0);
        // Who waits could as well do something else.
        assert_eq!(readers_of_waiting(&make(false)), 2);
    }
}
