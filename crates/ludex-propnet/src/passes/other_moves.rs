//! Where gates together say that none of nearly all moves is made, one of the few others is.
//!
//! What stays unless a move begins at its place is written as "some move that begins elsewhere is made" in some
//! rulesheets. Grounded, moves that begin at one place are gathered by one gate, and "elsewhere" reads the gates of all
//! other places: it changes with every move, and nobody sees that it holds for certain where no move begins.

use ludex_logic::LimitError;

use super::rebuild::Site;
use crate::{Circuit, Edge, Gate};

/// The others are told instead where there are so many times fewer of them.
const FEWER: usize = 8;

/// The most moves that are noted for gates, in total: 64 MB.
const MOST_NOTED: usize = 1 << 24;

/// Gates that are true exactly where none of some moves is made.
pub(super) struct OtherMoves {
    /// By role, the number of its first move among those of all roles.
    first: Vec<u32>,
    /// Per move of all roles its role, where it can be legal.
    role_of: Vec<Option<u32>>,
    /// Per role its moves that can be legal.
    possible: Vec<usize>,
    /// Per gate the moves, in ascending order; nothing for other gates.
    none_of: Vec<Box<[u32]>>,
    noted: usize,
    /// Operands that may still be added.
    room: usize,
    covered: Vec<bool>,
}

impl OtherMoves {
    pub(super) fn new(circuit: &Circuit) -> Self {
        let mut first = Vec::with_capacity(circuit.legal.len());
        let mut role_of = Vec::new();
        let mut possible = vec![0; circuit.legal.len()];
        for ((role, legal), possible) in (0..).zip(&circuit.legal).zip(&mut possible) {
            first.push(role_of.len() as u32);
            role_of.extend(legal.iter().map(|&edge| (edge != Edge::FALSE).then_some(role)));
            *possible = legal.iter().filter(|&&edge| edge != Edge::FALSE).count();
        }
        let covered = vec![false; role_of.len()];
        let room = circuit.operand_count();
        Self { first, role_of, possible, none_of: Vec::new(), noted: 0, room, covered }
    }

    /// The moves of which an edge says that none is made.
    fn said_not_made<'a>(&'a self, site: &Site<'_>, edge: Edge, single: &'a mut [u32; 1]) -> &'a [u32] {
        match *site.builder.gate(edge.gate()) {
            Gate::Input(role, action) if edge.is_complemented() => {
                single[0] = self.first[role as usize] + action;
                single
            }
            Gate::And(_) if !edge.is_complemented() => {
                self.none_of.get(edge.gate().index()).map_or(&[], |moves| moves)
            }
            _ => &[],
        }
    }

    /// Notes what new gates say.
    fn learn(&mut self, site: &mut Site<'_>) -> Result<(), LimitError> {
        while let Some(gate) = site.builder.gates().get(self.none_of.len()) {
            let mut moves = Vec::new();
            for &edge in gate.operands() {
                let mut single = [0];
                let said = self.said_not_made(site, edge, &mut single);
                site.meter.spend(1 + said.len() as u64)?;
                if said.is_empty() {
                    moves.clear();
                    break;
                }
                moves.extend_from_slice(said);
            }
            moves.sort_unstable();
            moves.dedup();
            if self.noted + moves.len() > MOST_NOTED {
                moves.clear();
            }
            self.noted += moves.len();
            self.none_of.push(moves.into());
        }
        Ok(())
    }

    /// Says "one of the others" where operands together say "none of nearly all".
    pub(super) fn regroup(&mut self, site: &mut Site<'_>, edges: &mut Vec<Edge>) -> Result<(), LimitError> {
        self.learn(site)?;
        let says = |edge: &&Edge| !self.said_not_made(site, **edge, &mut [0]).is_empty();
        let mut saying: Vec<Edge> = edges.iter().filter(says).copied().collect();
        if !saying.iter().any(|edge| !edge.is_complemented()) {
            return Ok(());
        }
        let mut covered = std::mem::take(&mut self.covered);
        let mut said: Vec<u32> = Vec::new();
        for &edge in &saying {
            let mut single = [0];
            let not_made = self.said_not_made(site, edge, &mut single);
            site.meter.spend(1 + not_made.len() as u64)?;
            for &number in not_made {
                if !std::mem::replace(&mut covered[number as usize], true) {
                    said.push(number);
                }
            }
        }
        if let Some(rest) = self.others(&said, &covered) {
            saying.sort_unstable();
            edges.retain(|edge| saying.binary_search(edge).is_err());
            for rest in rest {
                let mut none = self.inputs(site, &rest);
                edges.push(!site.builder.and(&mut none));
            }
        }
        said.iter().for_each(|&number| covered[number as usize] = false);
        self.covered = covered;
        Ok(())
    }

    /// For each role of which moves are covered its moves that are not; nothing where they are not few.
    fn others(&mut self, said: &[u32], covered: &[bool]) -> Option<Vec<Vec<u32>>> {
        let mut counts = vec![0; self.possible.len()];
        for &number in said {
            counts[self.role_of[number as usize]? as usize] += 1;
        }
        let few = |(&count, &possible): (&usize, &usize)| count == 0 || (possible - count) * FEWER <= count;
        let all: usize =
            counts.iter().zip(&self.possible).filter(|(count, _)| **count > 0).map(|(_, all)| all).sum();
        let left = all - said.len();
        if !counts.iter().zip(&self.possible).all(few) || left > self.room {
            return None;
        }
        self.room -= left;
        let roles = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let rest = roles.map(|(role, _)| {
            let first = self.first[role];
            let end = self.first.get(role + 1).copied().unwrap_or(self.role_of.len() as u32);
            (first..end).filter(|&n| self.role_of[n as usize].is_some() && !covered[n as usize]).collect()
        });
        Some(rest.collect())
    }

    /// The complements of the inputs of moves.
    fn inputs(&self, site: &mut Site<'_>, moves: &[u32]) -> Vec<Edge> {
        let input = |&number: &u32| {
            let role = self.first.partition_point(|&first| first <= number) - 1;
            !site.builder.source(Gate::Input(role as u32, number - self.first[role]))
        };
        moves.iter().map(input).collect()
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::Rng;
    use ludex_logic::Budget;

    use crate::passes::one_move;
    use crate::passes::tests::playing::assert_same;
    use crate::passes::tests::random::CircuitSketch;
    use crate::{Circuit, Edge, Gate};

    const PLACES: usize = 20;

    /// Two moves of each role begin at each place where it may move, and waiting begins nowhere. A place stays as it is
    /// where a move begins at one of some other places.
    fn of_places(roles: usize, others_of: &mut dyn FnMut(usize) -> Vec<usize>) -> Circuit {
        let mut sketch = CircuitSketch::new(true);
        let cells: Vec<Edge> = (0..PLACES).map(|place| sketch.base(place % 3 != 0)).collect();
        let mut moves = Vec::new();
        for role in 0..roles {
            let mut legal = vec![Edge::TRUE];
            legal.extend(cells.iter().flat_map(|&cell| [cell.complement_if(role == 1); 2]));
            moves.push(sketch.role(legal));
        }
        let begins: Vec<Edge> = (0..PLACES)
            .map(|place| {
                let of_roles: Vec<Edge> =
                    moves.iter().flat_map(|moves| [moves[1 + 2 * place], moves[2 + 2 * place]]).collect();
                sketch.or(&of_roles)
            })
            .collect();
        for (place, &cell) in cells.iter().enumerate() {
            let elsewhere: Vec<Edge> = others_of(place).into_iter().map(|other| begins[other]).collect();
            let elsewhere = sketch.or(&elsewhere);
            let stays = sketch.and(&[cell, elsewhere]);
            let waits = sketch.and(&[!cell, moves[0][0]]);
            let next = sketch.or(&[stays, waits]);
            sketch.next(place, next);
        }
        sketch.finish()
    }

    fn after(circuit: &Circuit) -> Circuit {
        let mut after = circuit.clone();
        one_move::run(&mut after, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(after.check(), Ok(()));
        after
    }

    /// How many inputs the next value of a base depends on.
    fn inputs(circuit: &Circuit, base: usize) -> usize {
        let cone = circuit.cone([circuit.bases[base].next]);
        circuit.gates.iter().zip(cone).filter(|(gate, is)| *is && matches!(gate, Gate::Input(..))).count()
    }

    #[test]
    fn what_stays_unless_a_move_begins_there_reads_the_moves_that_do() {
        for roles in [1, 2] {
            let circuit =
                of_places(roles, &mut |place| (0..PLACES).filter(|&other| other != place).collect());
            let after = after(&circuit);
            for place in 0..PLACES {
                assert_eq!(inputs(&circuit, place), 2 * roles * (PLACES - 1) + 1);
                assert_eq!(inputs(&after, place), 3 * roles);
            }
        }
    }

    #[test]
    fn games_keep_their_meaning_whichever_places_are_named() {
        let mut fewer = 0;
        for seed in 0..200 {
            let mut rng = Rng::from_seed(seed);
            let mut drawn = Rng::from_seed(seed);
            let circuit = of_places(1 + (seed % 2) as usize, &mut |place| {
                (0..PLACES).filter(|&other| other != place && drawn.below(30) != 0).collect()
            });
            let after = after(&circuit);
            assert_same(&circuit, &after, &mut rng, 60, &|| format!("circuit {seed}"));
            fewer += (0..PLACES).filter(|&place| inputs(&after, place) < inputs(&circuit, place)).count();
        }
        assert!(fewer > 500, "{fewer}");
    }
}
