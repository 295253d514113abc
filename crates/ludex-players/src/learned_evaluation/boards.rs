//! Which cells of a board are looked at together: those in lines and in small rectangles. And what tells whose turn it is.

use std::sync::Arc;

use ludex_analysis::Structure;
use ludex_game::{ActionId, Answer, GameError, Machine, Rng, State};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, TermId};
use rustc_hash::FxHashMap;

use super::network::places;
use super::self_play::TrainingGame;
use super::trained::facts_of_bits;
use super::tuples::{MOST_ENTRIES, MOST_TUPLES, MOST_WEIGHTS, Tuples};

/// Random games that show which facts hold together.
const GAMES: u64 = 16;
/// They are no longer than this.
const MOST_STEPS: usize = 200;
/// Fewer cells are no board.
const FEWEST_CELLS: usize = 4;
/// More cells are never looked at together.
const LONGEST: u32 = 6;
/// On larger boards there are too many groups of cells.
const MOST_CELLS: usize = 400;

/// A weight, and how much it was changed already.
const BYTES: usize = 2 * size_of::<f32>();
/// Tables take this part of the memory of a player at most.
const MEMORY_SHARE: usize = 16;

impl TrainingGame<'_> {
    /// Looks for a board: what stands on its cells together counts then, as far as tables for that have room in the memory
    /// of the player, of which they get a part. And for what tells whose turn it is. Nothing is found where states are not
    /// known to have bits for facts.
    ///
    /// # Errors
    /// What the machine answers, other than limits.
    pub fn look_at_states(
        &mut self,
        program: &GameProgram,
        machine: &dyn Machine,
        memory: usize,
        budget: &Budget,
    ) -> Answer<()> {
        let columns = if self.is_shared { 1 } else { self.legal.len() };
        let most = MOST_WEIGHTS.min(memory / MEMORY_SHARE / BYTES) / columns;
        let Some(facts_of_bits) = facts_of_bits(machine) else { return Ok(()) };
        let games = match random_games(machine, self.seed, budget) {
            Err(GameError::Limit(_)) => return Ok(()),
            games => games?,
        };
        self.turn = turn_bits(&games, &facts_of_bits);
        let turn = places(&self.turn).next();
        self.tuples =
            find_tuples(program, machine, (&facts_of_bits, &games, turn), most, budget).map(Arc::new);
        Ok(())
    }
}

/// The tuples of a game, as large as so many weights for each role allow; `None` where it has no board. With what bits of
/// states stand for, some random games, and a bit that tells whose turn it is.
fn find_tuples(
    program: &GameProgram,
    machine: &dyn Machine,
    (facts_of_bits, games, turn): (&[Option<TermId>], &[Vec<State>], Option<usize>),
    most_weights: usize,
    budget: &Budget,
) -> Option<Tuples> {
    let bits: FxHashMap<TermId, usize> =
        (0..).zip(facts_of_bits).filter_map(|(bit, fact)| fact.map(|fact| (fact, bit))).collect();
    let structure = Structure::find(program, machine, budget);
    let facts: Vec<TermId> = bits.keys().copied().collect();
    let planes = structure.board_planes(&facts)?;
    let holds = |state: &State, bit: usize| state.words()[bit / 64] >> (bit % 64) & 1 == 1;
    let mut cells: Vec<Vec<usize>> = vec![Vec::new(); planes.rows * planes.columns];
    for plane in planes.facts.chunks(cells.len()) {
        let of_plane: Vec<Option<usize>> =
            plane.iter().map(|fact| fact.and_then(|fact| bits.get(&fact).copied())).collect();
        // Of what can be on a cell beside what is there already, nothing is known to be there instead.
        let is_beside = |state: &State| {
            cells.iter().zip(&of_plane).any(|(cell, new)| {
                new.is_some_and(|new| holds(state, new)) && cell.iter().any(|&bit| holds(state, bit))
            })
        };
        if !games.iter().flatten().any(is_beside) {
            cells.iter_mut().zip(of_plane).for_each(|(cell, new)| cell.extend(new));
        }
    }
    let known = cells.iter().filter(|cell| !cell.is_empty()).count();
    if !(FEWEST_CELLS..=MOST_CELLS).contains(&known) {
        return None;
    }
    let words = machine.initial().words().len();
    let values = 1 + cells.iter().map(Vec::len).max().unwrap_or(0);
    let as_long_as = |longest: u32| {
        let tuples = groups(planes.rows, planes.columns, &cells, longest);
        (1..=MOST_TUPLES).contains(&tuples.len()).then(|| Tuples::new(words, cells.clone(), tuples, turn))
    };
    let lengths = (2..=LONGEST).rev().filter(|&length| values.pow(length) <= MOST_ENTRIES);
    lengths.filter_map(as_long_as).find(|tuples| tuples.size() <= most_weights)
}

/// States of some random games, from the first on.
fn random_games(machine: &dyn Machine, seed: u64, budget: &Budget) -> Answer<Vec<Vec<State>>> {
    let mut rng = Rng::from_seed(seed);
    let mut runner = machine.runner(budget);
    let mut games = Vec::new();
    let mut meter = budget.meter();
    for _ in 0..GAMES {
        runner.set(machine.initial())?;
        let mut states = vec![machine.initial().clone()];
        while states.len() < MOST_STEPS && meter.check().is_ok() && !runner.terminal()? {
            let mut joint: Vec<ActionId> = Vec::new();
            for role in machine.signature().role_ids() {
                joint.extend(rng.pick(runner.legal(role)?).copied());
            }
            if joint.len() < machine.signature().roles().len() {
                break;
            }
            runner.step(&joint)?;
            let mut state = State::default();
            runner.save(&mut state);
            states.push(state);
        }
        games.push(states);
    }
    Ok(games)
}

/// The bits that stand for facts and change with every step: whose turn it is. No words where there are none.
fn turn_bits(games: &[Vec<State>], facts_of_bits: &[Option<TermId>]) -> Vec<u64> {
    let long = games.iter().filter(|states| states.len() > 2);
    let bits = |facts: &[Option<TermId>]| {
        facts.iter().zip(0..).fold(0, |bits, (fact, at)| bits | u64::from(fact.is_some()) << at)
    };
    let mut changed: Vec<u64> = facts_of_bits.chunks(64).map(bits).collect();
    let mut is_known = false;
    for two in long.flat_map(|states| states.windows(2)) {
        is_known = true;
        let words = two[0].words().iter().zip(two[1].words());
        changed.iter_mut().zip(words).for_each(|(changed, (before, after))| *changed &= before ^ after);
    }
    if is_known && changed.iter().any(|&word| word != 0) { changed } else { Vec::new() }
}

/// Groups of so many cells at most that lie in lines and rectangles.
fn groups(rows: usize, columns: usize, cells: &[Vec<usize>], longest: u32) -> Vec<Vec<usize>> {
    let line = |length: usize, (down, right): (isize, isize)| -> Vec<(isize, isize)> {
        (0..length as isize).map(|at| (at * down, at * right)).collect()
    };
    let rectangle = |down: isize, right: isize| -> Vec<(isize, isize)> {
        (0..down).flat_map(|row| (0..right).map(move |column| (row, column))).collect()
    };
    let mut shapes: Vec<Vec<(isize, isize)>> = Vec::new();
    let length = match longest {
        0 | 1 => return Vec::new(),
        2 | 3 => longest as usize,
        4 | 5 => 4,
        _ => 5,
    };
    shapes.extend([(0, 1), (1, 0), (1, 1), (1, -1)].map(|way| line(length, way)));
    match longest {
        2 | 3 => {}
        4 | 5 => shapes.push(rectangle(2, 2)),
        _ => shapes.extend([rectangle(2, 3), rectangle(3, 2)]),
    }
    let mut found = Vec::new();
    for shape in &shapes {
        for start in 0..cells.len() {
            let (row, column) = ((start / columns) as isize, (start % columns) as isize);
            let cell = |&(down, right): &(isize, isize)| {
                let (row, column) = (row + down, column + right);
                let is_inside = (0..rows as isize).contains(&row) && (0..columns as isize).contains(&column);
                let cell = is_inside.then(|| row as usize * columns + column as usize)?;
                (!cells[cell].is_empty()).then_some(cell)
            };
            found.extend(shape.iter().map(cell).collect::<Option<Vec<usize>>>());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use ludex_testkit::playable_bundled;

    use super::*;

    fn tuples(name: &str) -> Option<Tuples> {
        let rules = playable_bundled(name).unwrap();
        let (machine, budget) = (&**rules.machine(), Budget::unlimited());
        let games = random_games(machine, 1, &budget).unwrap();
        let facts_of_bits = facts_of_bits(machine)?;
        let turn = places(&turn_bits(&games, &facts_of_bits)).next();
        find_tuples(rules.program(), machine, (&facts_of_bits, &games, turn), MOST_WEIGHTS, &budget)
    }

    #[test]
    fn lines_and_rectangles_of_a_board_are_found() {
        // Cells hold blank, x or o, or no fact: 4 values, so that six cells have 4096 ways to be filled.
        let found = tuples("tic-tac-toe").unwrap();
        assert_eq!(found.cells().iter().map(Vec::len).collect::<Vec<_>>(), [3; 9]);
        // No line of five fits; rectangles of 2 by 3 do twice, and so do those of 3 by 2.
        assert_eq!(found.tuples().iter().map(Vec::len).collect::<Vec<_>>(), [6; 4]);
        assert!(found.turn().is_some());
        // Of eight by eight: lines across and down 4 times in each of 8, diagonals 16 times in each direction.
        let found = tuples("breakthrough").unwrap();
        let lines = found.tuples().iter().filter(|tuple| tuple.len() == 5).count();
        assert_eq!((found.cells().len(), lines), (64, 2 * 32 + 2 * 16));
        assert_eq!(found.len() - lines, 2 * 6 * 7);
    }

    #[test]
    fn with_little_memory_fewer_cells_are_looked_at_together() {
        let rules = playable_bundled("breakthrough").unwrap();
        let machine = &**rules.machine();
        let legal = [vec![ActionId(0)], vec![ActionId(0)]];
        let longest = |memory: usize| {
            let mut game = TrainingGame {
                start: machine.initial().words(),
                legal: &legal,
                random: None,
                is_shared: false,
                length: 60.0,
                seed: 1,
                tuples: None,
                turn: Vec::new(),
                values: &|_, _| {},
            };
            game.look_at_states(rules.program(), machine, memory, &Budget::unlimited()).unwrap();
            let found = game.tuples?;
            // Two roles, and two numbers of four bytes for each weight.
            assert!(16 * 2 * 8 * found.size() <= memory);
            found.tuples().iter().map(Vec::len).max()
        };
        assert_eq!(longest(1 << 30), Some(6));
        assert!(longest(1 << 24).is_some_and(|longest| longest < 6));
        assert_eq!(longest(1 << 10), None);
    }

    #[test]
    fn without_a_board_there_is_nothing() {
        assert_eq!(tuples("nim"), None);
    }

    #[test]
    fn what_changes_with_every_step_tells_whose_turn_it_is() {
        let game = |words: &[u64]| -> Vec<State> {
            words.iter().map(|&word| State::new(ludex_game::MachineTag::default(), &[word])).collect()
        };
        // Bit 1 changes with every step of the first game, bit 3 with every step of both.
        let fact = playable_bundled("nim").unwrap().program().roles[0];
        let all = [Some(fact); 64];
        let first = game(&[0b0000, 0b1010, 0b0001, 0b1010]);
        assert_eq!(turn_bits(std::slice::from_ref(&first), &all), [0b1010]);
        assert_eq!(turn_bits(&[first.clone(), game(&[0b0010, 0b1010, 0b0000])], &all), [0b1000]);
        assert!(turn_bits(&[first, game(&[0, 0, 0b1000])], &all).is_empty(), "a turn may be kept");
        let mut but_bit_1 = all;
        but_bit_1[1] = None;
        let third = game(&[0b0000, 0b1010, 0b0000]);
        assert_eq!(turn_bits(&[third], &but_bit_1), [0b1000], "a bit that stands for no fact cannot be kept");
        assert!(turn_bits(&[game(&[0, 1])], &all).is_empty(), "one step says nothing");
    }
}
