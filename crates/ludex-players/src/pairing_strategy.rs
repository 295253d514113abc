//! Answering each move of the other with the same one: a strategy by pairs (Berlekamp, Conway and Guy, *Winning Ways*,
//! call such ones Tweedledum and Tweedledee). Where a line of four loses, the second player of connect four wins by
//! dropping into the same column always.
//!
//! Such a strategy leaves one reply to each move, so that all that can come of it is little enough to be looked at
//! where the whole game is not. It is used only if every end of the game that is come to is a win.

use ludex_game::{
    ActionId, Answer, Batch, BatchOptions, Expansion, GameError, Goal, Jobs, RoleId, StateTable, Wanted,
};
use ludex_logic::Budget;

use crate::explorer::Explorer;
use crate::strategy::{Rating, Turn};

/// What the player gets where it wins, and what the other gets then.
const WON: [Goal; 2] = [100, 0];
/// More states than this are not looked at.
const MOST_STATES: usize = 1 << 18;
/// The part of the time of a turn that it may take to find out.
const SHARE: f64 = 0.15;
/// States with more moves are not looked at.
const MOST_MOVES: usize = 64;
/// So many states are gone on from at once.
const BATCH: usize = 128;

/// What is known of answering with the same moves.
#[derive(Debug, Default)]
pub(crate) struct PairingStrategy {
    /// The states in which it is the other's turn, who loses.
    won: States,
    /// Whether it was looked for at a move of the player's.
    is_tried: bool,
}

/// States in which the player has no choice, and after how many steps they came.
type States = StateTable<u32>;

impl PairingStrategy {
    /// Looks for a strategy before the game, for who does not move first.
    ///
    /// # Errors
    /// What the machine answers, other than limits.
    pub fn prepare(&mut self, turn: &Turn<'_>) -> Answer<()> {
        let Some((mut search, root)) = Search::begin(turn)? else { return Ok(()) };
        if search.wins(root)? {
            self.won = search.met;
        }
        Ok(())
    }

    /// Whether a strategy is known that wins.
    pub fn is_known(&self) -> bool {
        !self.won.is_empty()
    }

    /// Tells a turn the move that wins, where a strategy is known; it is looked for at the first move. Whether there
    /// is one.
    ///
    /// # Errors
    /// What the machine answers, other than limits.
    pub fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<bool> {
        let is_known = self.is_known();
        if !is_known && std::mem::replace(&mut self.is_tried, true) {
            return Ok(false);
        }
        let Some((mut search, root)) = Search::begin(turn)? else { return Ok(false) };
        let Some(successors) = search.behind_moves(&root)? else { return Ok(false) };
        for (action, next) in successors {
            let wins = match next {
                // A move that wins at once is no strategy: the search finds it.
                Next::Won => is_known,
                Next::Lost => false,
                Next::On(place) if is_known => self.won.find(&place.words).is_some(),
                Next::On(place) => search.wins(place)?,
            };
            if wins {
                if !is_known {
                    self.won = search.met;
                }
                self.tell(turn, action);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn tell(&self, turn: &mut Turn<'_>, action: ActionId) {
        turn.forget_ratings();
        turn.rate(Rating { action, value: f64::from(WON[0]), visits: 0, proven: Some(WON[0]) });
        turn.advise(action);
        turn.note("proven", WON[0]);
        let states = self.won.len();
        turn.note("wins by", format_args!("answering moves with the same, in {states} states that can come"));
    }
}

/// A state that the game goes on from.
#[derive(Clone, Debug)]
struct Place {
    words: Box<[u64]>,
    /// The player's moves, and the other's.
    legal: [Box<[ActionId]>; 2],
    /// The move that the other made last, unless it only waited for the player's.
    last: Option<ActionId>,
    steps: u32,
}

impl Place {
    /// Whether the player has a choice.
    fn is_own(&self) -> bool {
        self.legal[0].len() > 1
    }
}

/// What a joint move leads to.
#[derive(Debug)]
enum Next {
    Won,
    Lost,
    On(Place),
}

/// Looks at all that can come of a strategy.
struct Search<'s> {
    role: RoleId,
    other: RoleId,
    batch: Box<dyn Batch + 's>,
    budget: Budget,
    met: States,
    /// So many more states may be looked at.
    left: usize,
    jobs: Jobs,
    expansion: Expansion,
}

impl<'s> Search<'s> {
    /// A search that knows nothing, and the state of the turn; `None` where there are not two roles, or no lanes.
    fn begin(turn: &Turn<'s>) -> Answer<Option<(Self, Place)>> {
        let (arena, budget) = (turn.arena, turn.budget.clone().with_share_of_time(SHARE));
        let signature = arena.signature();
        let mut others = signature.role_ids().filter(|&role| role != arena.role);
        let (Some(other), None, None) = (others.next(), others.next(), signature.random()) else {
            return Ok(None);
        };
        let batch = arena.machine.batch(&BatchOptions { budget: budget.clone(), records: false });
        // One state after the other, it would take too long.
        if batch.width() == 1 {
            return Ok(None);
        }
        let mut jobs = Jobs::default();
        jobs.want_goals(Wanted::Terminal);
        let patient = turn.budget.clone().without_deadline();
        let position = Explorer::within(arena, &patient).open(turn.state)?;
        let legal = [arena.role, other].map(|role| position.legal[role.index()].as_slice().into());
        let root = Place { words: turn.state.words().into(), legal, last: None, steps: 0 };
        let (met, expansion) = (States::default(), Expansion::default());
        let left = MOST_STATES;
        Ok(Some((Self { role: arena.role, other, batch, budget, met, left, jobs, expansion }, root)))
    }

    /// What the player's moves in a state lead to; `None` where the other has a choice, too, or no move, or where there
    /// are too many.
    fn behind_moves(&mut self, place: &Place) -> Answer<Option<Vec<(ActionId, Next)>>> {
        let [own, other] = &place.legal;
        let &[waiting] = &**other else { return Ok(None) };
        if own.len() > MOST_MOVES {
            return Ok(None);
        }
        self.jobs.clear();
        let state = self.jobs.add_state(&place.words);
        own.iter().for_each(|&action| self.add_job(state, [action, waiting]));
        match self.batch.expand(&self.jobs, &mut self.expansion) {
            Err(GameError::Limit(_)) => return Ok(None),
            expanded => expanded?,
        }
        let next = |(number, &action)| (action, self.next(number, place));
        Ok(Some(own.iter().enumerate().map(next).collect()))
    }

    /// Whether every end that is come to from a state, where the player answers each move with the same, is a win; not
    /// where there are too many states, or too little time.
    fn wins(&mut self, from: Place) -> Answer<bool> {
        self.met.clear();
        let mut open = vec![from];
        let mut meter = self.budget.meter();
        while !open.is_empty() {
            self.jobs.clear();
            // The last ones first: an end that is no win is soon come to.
            let next = open.split_off(open.len().saturating_sub(BATCH));
            let mut parents = Vec::new();
            for place in &next {
                if !self.add_jobs(place) {
                    return Ok(false);
                }
                parents.resize(self.jobs.len(), place);
            }
            if meter.spend(self.jobs.len() as u64).is_err() || meter.check().is_err() {
                return Ok(false);
            }
            match self.batch.expand(&self.jobs, &mut self.expansion) {
                Err(GameError::Limit(_)) => return Ok(false),
                expanded => expanded?,
            }
            for (number, parent) in parents.into_iter().enumerate() {
                match self.next(number, parent) {
                    Next::Won => {}
                    Next::Lost => return Ok(false),
                    Next::On(place) => match self.is_new(&place) {
                        Some(true) => open.push(place),
                        Some(false) => {}
                        None => return Ok(false),
                    },
                }
            }
        }
        Ok(true)
    }

    /// Lines up what can be done in a state: whatever the other likes, and the same as it did before where the player
    /// has a choice. Whether that is possible.
    fn add_jobs(&mut self, place: &Place) -> bool {
        let state = self.jobs.add_state(&place.words);
        let [own, other] = &place.legal;
        match (&**own, &**other) {
            (&[], _) | (_, &[]) => return false,
            (_, replies) if replies.len() > MOST_MOVES => return false,
            (&[forced], replies) => replies.iter().for_each(|&reply| self.add_job(state, [forced, reply])),
            (choice, &[waiting]) => match place.last {
                Some(last) if choice.contains(&last) => self.add_job(state, [last, waiting]),
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    fn add_job(&mut self, state: u32, [own, other]: [ActionId; 2]) {
        let joint = if self.role < self.other { [own, other] } else { [other, own] };
        self.jobs.add(state, &joint);
    }

    /// What the job of this number led to from a state.
    fn next(&self, number: usize, parent: &Place) -> Next {
        let roles = [self.role, self.other];
        if self.expansion.terminal(number) {
            let goals = self.expansion.goals(number);
            let is_won = roles.iter().zip(WON).all(|(role, won)| goals[role.index()] == Some(won));
            return if is_won { Next::Won } else { Next::Lost };
        }
        Next::On(Place {
            words: self.expansion.state(number).into(),
            legal: roles.map(|role| self.expansion.legal(number, role).into()),
            last: (!parent.is_own()).then(|| self.jobs.joint(number)[self.other.index()]),
            steps: parent.steps + 1,
        })
    }

    /// Whether a state was not met before; `None` where it was after another number of steps, so that the game may
    /// go in circles, or where there are too many.
    fn is_new(&mut self, place: &Place) -> Option<bool> {
        // A state to answer in is come to by one move only, and not from another such state.
        if place.is_own() {
            return Some(true);
        }
        let (number, is_new) = self.met.insert(&place.words, place.steps)?;
        if !is_new {
            return (*self.met.value(number) == place.steps).then_some(false);
        }
        self.left = self.left.checked_sub(1)?;
        Some(true)
    }
}
