//! Counting the game tree of a game in real time: what can happen where moves are made on a grid of times.

use ludex_gdl::GameTime;
use ludex_logic::{Budget, TermId};
use rustc_hash::FxHashMap;
use serde::{Serialize, Serializer};

use super::error::{TimedAnswer, TimedError, UpdateLimit};
use super::machine::{TimedMachine, TimedRunner};
use super::state::TimedState;
use crate::signature::RoleId;

/// So many facts may expire one after the other between two moments of the grid.
const MOST_UPDATES: u32 = 100_000;

/// What there is after some moments of the grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimedPerftRow {
    /// The number of moments that have passed at which moves could be made.
    pub depth: u32,
    /// The time since the start, as a decimal number.
    #[serde(serialize_with = "decimal")]
    pub time: GameTime,
    /// The sequences of choices at these moments; `u128::MAX` stands for that many or more.
    pub paths: u128,
    /// The distinct states they lead to.
    pub distinct: u64,
    /// The sequences among them after which the game is over; capped as `paths`.
    pub terminals: u128,
}

fn decimal<S: Serializer>(time: &GameTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

/// A state with the time that has passed since the update that made it: 0 where that makes no difference.
type Node = (TimedState, GameTime);

/// Counts what can happen where roles move only at the moments 0, `grid`, 2 `grid` and so on, from none of these moments
/// to `depth` of them.
///
/// At each moment every role that can move makes one of its legal moves or none; `random`, too, and whatever its moves say
/// about delays. What is chosen at one moment is made in one update, together with what expires just then. Facts that expire
/// before the next moment do so in updates of their own, which multiply nothing. Two states are the same if they have the
/// same facts with the same lifetimes, the same facts have just expired, and as much time has passed since.
///
/// ```
/// use ludex_game::{TimedRuleMachine, timed_perft};
/// use ludex_gdl::GameTime;
///
/// let text = "role(you). init(2.5, bomb). legal(you, defuse) ⇐ true(T, bomb). next(infinity, safe) ⇐ does(you, defuse).
///     next(T, bomb) ⇐ true(T, bomb) ∧ ¬does(you, defuse).
///     terminal ⇐ expired(bomb). terminal ⇐ true(T, safe). goal(you, 100) ⇐ true(T, safe). goal(you, 0) ⇐ expired(bomb).";
/// let source = std::sync::Arc::new(ludex_gdl::Source::new("bomb.gdl", text));
/// let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = TimedRuleMachine::new(&game, &Default::default())?;
/// let rows = timed_perft(&machine, 5, GameTime::ONE, &Default::default())?;
/// // It can be defused at 0, 1 and 2, and goes off at 2.5.
/// let counts: Vec<_> = rows.iter().map(|row| (row.paths, row.terminals)).collect();
/// assert_eq!(counts, [(1, 0), (2, 1), (2, 1), (2, 2)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The list is shorter where every sequence has ended before. The budget's memory limits what is kept of one depth, its
/// work the updates made (and each question to the machine).
///
/// # Errors
/// Those of [`TimedRunner::update`]; [`TimedError::TooManyUpdates`]; [`TimedError::TooLate`]; a limit.
pub fn timed_perft(
    machine: &dyn TimedMachine,
    depth: u32,
    grid: GameTime,
    budget: &Budget,
) -> TimedAnswer<Vec<TimedPerftRow>> {
    let mut counting = Counting { machine, runner: machine.runner(budget), grid, meter: budget.meter() };
    let mut layer: FxHashMap<Node, u128> = FxHashMap::default();
    layer.insert((machine.initial().clone(), GameTime::ZERO), 1);
    let (mut rows, mut time) = (Vec::new(), GameTime::ZERO);
    for at in 0..=depth {
        let paths = layer.values().fold(0, |sum: u128, ways| sum.saturating_add(*ways));
        let mut row = TimedPerftRow { depth: at, time, paths, distinct: layer.len() as u64, terminals: 0 };
        budget.report("perft", u64::from(at), Some(u64::from(depth)));
        let (mut next, mut bytes) = (FxHashMap::default(), 0);
        for (node, ways) in layer {
            counting.meter.spend(1)?;
            counting.runner.set(&node.0)?;
            if counting.runner.terminal()? {
                row.terminals = row.terminals.saturating_add(ways);
            } else if at < depth {
                counting.expand(&node, ways, time, &mut next, &mut bytes)?;
            }
        }
        rows.push(row);
        if next.is_empty() {
            break;
        }
        layer = next;
        time = time.checked_add(grid).ok_or(TimedError::TooLate)?;
    }
    Ok(rows)
}

struct Counting<'m> {
    machine: &'m dyn TimedMachine,
    runner: Box<dyn TimedRunner + 'm>,
    grid: GameTime,
    meter: ludex_logic::Meter,
}

impl Counting<'_> {
    /// Adds what each choice leads to at the next moment.
    fn expand(
        &mut self,
        node: &Node,
        ways: u128,
        time: GameTime,
        next: &mut FxHashMap<Node, u128>,
        bytes: &mut usize,
    ) -> TimedAnswer<()> {
        let mut options = Vec::new();
        for role in (0..self.machine.roles().len() as u32).map(RoleId) {
            let moves = self.runner.legal(role)?.iter().map(|&action| Some((role, action)));
            options.push([None].into_iter().chain(moves).collect::<Vec<_>>());
        }
        let mut places = vec![0; options.len()];
        loop {
            let chosen = places.iter().zip(&options).filter_map(|(&place, options)| options[place]);
            let moves: Vec<(RoleId, TermId)> = chosen.collect();
            let after = self.after(node, &moves, time)?;
            self.count(after, ways, next, bytes)?;
            // The next choice, as an odometer counts.
            let Some(wheel) = (0..places.len()).find(|&wheel| places[wheel] + 1 < options[wheel].len())
            else {
                return Ok(());
            };
            places[wheel] += 1;
            places[..wheel].fill(0);
        }
    }

    /// The state at the next moment.
    fn after(&mut self, node: &Node, moves: &[(RoleId, TermId)], time: GameTime) -> TimedAnswer<Node> {
        let (state, mut since) = (&node.0, node.1);
        self.runner.set(state)?;
        if !moves.is_empty() || self.runner.time_to_expiry() == Some(since) {
            self.update(since, moves)?;
            since = GameTime::ZERO;
        }
        let mut rest = self.grid;
        let mut updates = 0;
        while !self.runner.terminal()? {
            let Some(expiry) = self.runner.time_to_expiry() else { break };
            let span = expiry.checked_sub(since).unwrap_or_default();
            let Some(later) = rest.checked_sub(span).filter(|&later| later > GameTime::ZERO) else { break };
            if updates == MOST_UPDATES {
                return Err(self.too_many(time));
            }
            self.update(expiry, &[])?;
            (rest, since) = (later, GameTime::ZERO);
            updates += 1;
        }
        let is_over = self.runner.terminal()? || self.runner.time_to_expiry().is_none();
        let since = if is_over { Some(GameTime::ZERO) } else { since.checked_add(rest) };
        Ok((self.runner.state().clone(), since.ok_or(TimedError::TooLate)?))
    }

    fn update(&mut self, elapsed: GameTime, moves: &[(RoleId, TermId)]) -> TimedAnswer<()> {
        self.meter.spend(1)?;
        self.runner.update(elapsed, moves)
    }

    fn too_many(&self, time: GameTime) -> TimedError {
        let fact = self.runner.expired().first().map_or_else(String::new, |&fact| self.machine.text(fact));
        TimedError::TooManyUpdates {
            time,
            limit: MOST_UPDATES,
            within: UpdateLimit::Unit,
            cause: format!("`{fact}` expires again"),
            rule: self.runner.rule_of_next_expiry(),
        }
    }

    fn count(
        &mut self,
        node: Node,
        ways: u128,
        next: &mut FxHashMap<Node, u128>,
        bytes: &mut usize,
    ) -> TimedAnswer<()> {
        let size = size_of::<(Node, u128)>() + size_of_val(node.0.facts()) + size_of_val(node.0.expired());
        let ways_before = next.entry(node).or_insert_with(|| {
            *bytes += size;
            0
        });
        *ways_before = ways_before.saturating_add(ways);
        self.meter.check_memory(*bytes, || "perft".into())?;
        Ok(())
    }
}
