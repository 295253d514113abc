//! Random games to learn from.

use ludex_game::{ActionId, Answer, GameError, Goal, Rng};
use ludex_logic::Budget;

use crate::explorer::{Explorer, OpenedState};
use crate::strategy::Arena;

/// Random games at most, and where nothing limits them.
const GAMES: [u64; 2] = [4_000, 150];
/// Joint moves of a random game at most.
const STEPS: usize = 500;

/// A random game from the initial state: its positions, and what the last one was worth.
pub(super) struct RandomGame {
    /// All but the last.
    pub positions: Vec<OpenedState>,
    pub end: OpenedState,
    /// Per role; 0 where the rules give no single value.
    pub goals: Vec<Goal>,
}

/// Plays random games as long as the budget lasts, some thousands at most, and shows each to `learn`;
/// how many they were.
///
/// # Errors
/// What the machine answers, other than limits.
pub(super) fn play_random_games(
    arena: &Arena,
    budget: &Budget,
    rng: &mut Rng,
    learn: &mut dyn FnMut(&mut Explorer<'_>, &RandomGame, &mut Rng) -> Answer<()>,
) -> Answer<u64> {
    let is_unlimited = budget.time_left().is_none() && budget.work() == u64::MAX;
    let mut explorer = Explorer::within(arena, budget);
    let mut played = 0;
    while played < GAMES[usize::from(is_unlimited)] {
        let learnt = random_game(arena, &mut explorer, rng).and_then(|game| learn(&mut explorer, &game, rng));
        match learnt {
            Ok(()) => played += 1,
            Err(GameError::Limit(_)) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(played)
}

/// Plays until the game is over, somebody is stuck, or it takes long.
fn random_game(arena: &Arena, explorer: &mut Explorer<'_>, rng: &mut Rng) -> Answer<RandomGame> {
    let mut positions = Vec::new();
    let mut end = explorer.open(arena.machine.initial())?;
    let mut joint: Vec<ActionId> = Vec::new();
    while !end.terminal && positions.len() < STEPS {
        joint.clear();
        joint.extend(end.legal.iter().map_while(|list| rng.pick(list)));
        if joint.len() < end.legal.len() {
            break;
        }
        let state = explorer.successor(&end.state, &joint)?;
        let next = explorer.open(&state)?;
        positions.push(std::mem::replace(&mut end, next));
    }
    let goals = explorer.roles().map(|role| explorer.goal(&end.state, role)).collect::<Answer<_>>()?;
    Ok(RandomGame { positions, end, goals })
}
