//! A first look at a puzzle by random games: what they reach, and which facts tell the time.

use ludex_game::{ActionId, Answer, Rng};

use super::method::Incumbent;
use super::space::Space;

/// So many random games are played at most.
const GAMES: usize = 100;
/// A random game is broken off after so many moves.
const LENGTH: usize = 1_000;
/// Games are only played until so many moves and choices were noted.
const NOTES: usize = 1 << 18;
/// A fact is only taken to tell the time from so many games that came so far.
const WITNESSES: u32 = 5;

/// A random game.
pub(super) struct Game {
    /// The moves that were made.
    pub(super) moves: Vec<ActionId>,
    /// The legal moves of all its states but the last, one after the other.
    legal: Vec<ActionId>,
    /// Where those of each state end.
    ends: Vec<usize>,
}

impl Game {
    /// The legal moves before each move.
    pub(super) fn legal(&self, at: usize) -> &[ActionId] {
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.legal[begin..self.ends[at]]
    }
}

/// What random games told.
#[derive(Default)]
pub(super) struct Sample {
    /// The games.
    pub(super) games: Vec<Game>,
    /// Per number of moves made: the bits that every state had, and those that some state had, and how
    /// many there were.
    times: Vec<(Vec<u64>, Vec<u64>, u32)>,
}

impl Sample {
    /// Plays random games from a state that is not terminal, and offers what they reach.
    ///
    /// # Errors
    /// The end of the budget, or what the machine answers.
    pub(super) fn take(
        root: &[u64],
        seed: u64,
        space: &mut Space<'_>,
        found: &mut Incumbent,
    ) -> Answer<Self> {
        let mut rng = Rng::from_seed(seed);
        let mut sample = Self::default();
        let mut notes = 0;
        while sample.games.len() < GAMES && notes < NOTES && !found.proven {
            let game = sample.play(root, &mut rng, space, found)?;
            notes += game.moves.len() + game.legal.len();
            sample.games.push(game);
        }
        Ok(sample)
    }

    fn play(
        &mut self,
        root: &[u64],
        rng: &mut Rng,
        space: &mut Space<'_>,
        found: &mut Incumbent,
    ) -> Answer<Game> {
        let mut game = Game { moves: Vec::new(), legal: Vec::new(), ends: Vec::new() };
        space.go_to(root)?;
        while game.moves.len() < LENGTH {
            self.note(game.moves.len(), space.save());
            let Some(&action) = rng.pick(space.legal()) else { break };
            game.legal.extend_from_slice(space.legal());
            game.ends.push(game.legal.len());
            let look = space.make(action)?;
            game.moves.push(action);
            if look.terminal {
                found.offer(look.goal, "random", || game.moves.clone());
                break;
            }
        }
        Ok(game)
    }

    fn note(&mut self, time: usize, words: &[u64]) {
        let Some((all, any, count)) = self.times.get_mut(time) else {
            self.times.push((words.to_vec(), words.to_vec(), 1));
            return;
        };
        // States of some machines grow longer: the facts that are new do not tell the time.
        any.resize(any.len().max(words.len()), 0);
        all.resize(any.len(), 0);
        for (at, (all, any)) in all.iter_mut().zip(any).enumerate() {
            let word = words.get(at).copied().unwrap_or(0);
            *all &= word;
            *any |= word;
        }
        *count += 1;
    }

    /// The bits that seem to say only how many moves were made: in all games alike, true for one stretch
    /// of time or from some time on. Facts that come and go in turn do not count.
    pub(super) fn clock(&self) -> Vec<u64> {
        let width = self.times.iter().map(|(_, any, _)| any.len()).max().unwrap_or(0);
        let word = |words: &[u64], at: usize| words.get(at).copied().unwrap_or(0);
        (0..width)
            .map(|at| {
                let (mut seen, mut over, mut wrong) = (0, 0, 0);
                let (mut last, mut changes) = (None, 0);
                for (all, any, count) in &self.times {
                    let (all, any) = (word(all, at), word(any, at));
                    wrong |= (all ^ any) | (any & over);
                    seen |= any;
                    over |= seen & !all;
                    if *count >= WITNESSES {
                        changes |= last.map_or(0, |last: u64| last ^ all);
                        last = Some(all);
                    }
                }
                changes & !wrong
            })
            .collect()
    }
}
