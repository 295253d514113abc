//! Depth first, again and again, with different ideas of which moves to try first.

use ludex_game::{ActionId, Answer, Goal, Rng, StateNumber, StateTable};

use super::method::{Incumbent, Method, Progress, plan};
use super::space::Space;

/// Looking two moves ahead is left out where there are more moves: it takes the square of their number.
const MOST_MOVES_AHEAD: usize = 256;
/// The first dive looks at so many states at most.
const FIRST_LIMIT: u64 = 4_000;
/// No dive looks at more states.
const LAST_LIMIT: u64 = 1 << 32;

/// Which of the states after a move are tried first; equals in random order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preference {
    /// Those with few moves: what is hard to reach later is done first, as Warnsdorff's rule has it for
    /// knight's tours.
    FewMoves,
    /// Those with many moves.
    ManyMoves,
    /// Those that are worth more, though the game is not over there.
    Worth,
    /// None.
    Chance,
    /// Those with many moves that do not end the game at once.
    ManySafeMoves,
    /// Those with few moves that do not end the game at once, but some.
    FewSafeMoves,
}

impl Preference {
    const ALL: [Self; 6] =
        [Self::FewMoves, Self::Worth, Self::ManyMoves, Self::ManySafeMoves, Self::Chance, Self::FewSafeMoves];
}

/// Depth-first search that visits no state twice in a dive. A dive that takes too long is broken off,
/// and the next one prefers other moves.
pub(super) struct Dive {
    root: Vec<u64>,
    ignored: Vec<u64>,
    memory: usize,
    rng: Rng,
    dives: usize,
    limit: u64,
    current: Option<Current>,
}

/// A dive.
struct Current {
    preference: Preference,
    table: StateTable,
    /// Whether nothing but equal states are one.
    is_exact: bool,
    /// States still to be opened, the next one last.
    open: Vec<StateNumber>,
    left: u64,
}

/// A state that was met, before it is known when to open it.
struct Child {
    node: StateNumber,
    key: u64,
}

impl Dive {
    /// Dives from a state that is not terminal, within so many bytes. Every second time states that
    /// differ only in the ignored bits are one.
    pub(super) fn new(root: &[u64], ignored: &[u64], seed: u64, memory: usize) -> Self {
        Self {
            root: root.to_vec(),
            ignored: ignored.to_vec(),
            memory,
            rng: Rng::from_seed(seed),
            dives: 0,
            limit: FIRST_LIMIT,
            current: None,
        }
    }

    fn begin(&mut self) -> Current {
        let preference = Preference::ALL[self.dives % Preference::ALL.len()];
        let is_odd = (self.dives / Preference::ALL.len()) % 2 == 1;
        self.dives += 1;
        if self.dives.is_multiple_of(Preference::ALL.len()) {
            self.limit = (self.limit + self.limit / 2).min(LAST_LIMIT);
        }
        let is_exact = is_odd || self.ignored.iter().all(|&word| word == 0);
        let mut table = StateTable::ignoring(if is_exact { &[] } else { &self.ignored });
        let open = table.add(&self.root, (0, 0)).into_iter().collect();
        Current { preference, table, is_exact, open, left: self.limit }
    }
}

impl Current {
    /// Opens the next state.
    fn open_next(&mut self, space: &mut Space<'_>, found: &mut Incumbent, rng: &mut Rng) -> Answer<()> {
        let Some(parent) = self.open.pop() else { return Ok(()) };
        let words = self.table.words(parent).to_vec();
        space.go_to(&words)?;
        let legal = space.legal().to_vec();
        let looks_ahead = self.looks_ahead() && legal.len() <= MOST_MOVES_AHEAD;
        let mut children = Vec::with_capacity(legal.len());
        let mut moves: Vec<Vec<ActionId>> = Vec::new();
        for &action in &legal {
            let look = space.make_from(&words, action)?;
            if look.terminal {
                found.offer(look.goal, "dive", || plan(&self.table, parent, action));
            } else if !space.legal().is_empty() {
                let count = space.legal().len();
                if let Some(node) = self.table.add(space.save(), (parent, action.0)) {
                    children.push(Child { node, key: self.key(count, look.goal) });
                    if looks_ahead {
                        moves.push(space.legal().to_vec());
                    }
                }
            }
        }
        if looks_ahead {
            self.count_safe_moves(&mut children, &moves, space, found)?;
        }
        // A shuffle and a stable sort: equals come in random order.
        for place in (1..children.len()).rev() {
            children.swap(place, rng.below(place as u64 + 1) as usize);
        }
        children.sort_by_key(|child| child.key);
        self.open.extend(children.iter().map(|child| child.node));
        Ok(())
    }

    fn looks_ahead(&self) -> bool {
        matches!(self.preference, Preference::ManySafeMoves | Preference::FewSafeMoves)
    }

    /// The greater, the sooner.
    fn key(&self, moves: usize, goal: Goal) -> u64 {
        match self.preference {
            Preference::FewMoves => u64::MAX - moves as u64,
            Preference::ManyMoves => moves as u64,
            Preference::Worth => u64::from(goal),
            Preference::Chance | Preference::ManySafeMoves | Preference::FewSafeMoves => 0,
        }
    }

    /// Looks one step further: how many moves of each child do not end the game.
    fn count_safe_moves(
        &mut self,
        children: &mut [Child],
        moves: &[Vec<ActionId>],
        space: &mut Space<'_>,
        found: &mut Incumbent,
    ) -> Answer<()> {
        let mut safe = vec![0u64; children.len()];
        let mut tried = Vec::new();
        space.clear();
        for (at, (child, legal)) in children.iter().zip(moves).enumerate() {
            if space.add(self.table.words(child.node), legal)? {
                tried.extend(legal.iter().map(|&action| (at, action)));
            }
        }
        let grandchildren = space.expand()?;
        for (number, &(at, action)) in tried.iter().enumerate() {
            let look = grandchildren.look(number);
            if look.terminal {
                found.offer(look.goal, "dive", || plan(&self.table, children[at].node, action));
            } else {
                safe[at] += 1;
            }
        }
        for (child, safe) in children.iter_mut().zip(safe) {
            child.key = if self.preference == Preference::ManySafeMoves { safe } else { u64::MAX - safe };
        }
        Ok(())
    }
}

impl Method for Dive {
    fn work(&mut self, space: &mut Space<'_>, found: &mut Incumbent, states: u64) -> Answer<Progress> {
        let end = space.states() + states;
        while space.states() < end && !found.proven {
            let mut current = match self.current.take() {
                Some(current) if current.left == 0 => self.begin(),
                Some(current) if !current.open.is_empty() => current,
                // It came to its end by itself, and saw everything.
                Some(current) if current.is_exact => {
                    let complete = !space.others_choose();
                    return Ok(if complete { Progress::Complete } else { Progress::GaveUp });
                }
                _ => self.begin(),
            };
            let before = space.states();
            current.open_next(space, found, &mut self.rng)?;
            current.left = current.left.saturating_sub(space.states() - before);
            if current.table.bytes() > self.memory / 2 {
                current.left = 0;
            }
            self.current = Some(current);
        }
        Ok(Progress::Open)
    }
}
