//! What to do about how others move: a search of courses of the game in which they move as the model says.
//!
//! Each course draws one way that the others may be, and what is unknown of it, and keeps to that (Guez, Silver and
//! Dayan, Efficient Bayes-adaptive reinforcement learning using sample-based search, 2012): so a move counts for what it
//! brings, for what the others do about it, and for what it finds out. Moves near the root are chosen by UCB1, those
//! beyond by what was good behind the same last moves.

use ludex_game::{ActionId, Answer, GameError, Machine, Rng, RoleId, Runner, State};
use ludex_logic::{Budget, Meter};
use rustc_hash::FxHashMap;

use super::mixture::{Mixture, MoveNumber, Past};

/// How a search for a plan works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlannerOptions {
    /// The most courses.
    pub courses: u32,
    /// How many steps ahead is looked, where goals of states on the way say what was won by then.
    pub horizon: u32,
    /// Courses end after so many steps in any case.
    pub step_limit: u32,
}

impl Default for PlannerOptions {
    fn default() -> Self {
        Self { courses: 3000, horizon: 8, step_limit: 500 }
    }
}

/// Exploration in UCB1, for values 0 to 1.
const EXPLORATION: f64 = 0.7;
/// Beyond the tree so many moves are made by chance.
const BY_CHANCE: f64 = 0.15;
/// A course adds so many nodes at most.
const NEW_NODES: usize = 2;
/// What is known of a move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tried {
    visits: f64,
    sum: f64,
}

impl Tried {
    fn note(&mut self, value: f64) {
        self.visits += 1.0;
        self.sum += value;
    }

    fn mean(self) -> Option<f64> {
        (self.visits > 0.0).then(|| self.sum / self.visits)
    }
}

#[derive(Debug, Default)]
struct Node {
    /// For each legal move of the player.
    tried: Vec<Tried>,
    /// By the place of the player's move, and what others did.
    next: FxHashMap<(usize, u64), usize>,
}

/// What a search works with.
pub(crate) struct Planner<'p> {
    pub machine: &'p dyn Machine,
    pub role: RoleId,
    /// How each role moves; `None` for the player, and for roles of which nothing is known.
    pub models: &'p [Option<Mixture>],
    /// What each role saw.
    pub pasts: Vec<Past>,
    /// The number of each move, by its id in the machine.
    pub numbers: &'p dyn Fn(ActionId) -> MoveNumber,
    pub options: PlannerOptions,
}

/// What came of a search: what each legal move of the player brings on average in goal points, and how often it was
/// tried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub moves: Vec<(f64, u64)>,
    pub courses: u32,
}

impl Planner<'_> {
    /// Searches from a state until there were enough courses, or a limit is reached.
    ///
    /// # Errors
    /// What the machine answers; a limit only where there was not one whole course before.
    pub fn plan(&mut self, state: &State, budget: &Budget, rng: &mut Rng) -> Answer<Plan> {
        let mut runner = self.machine.runner(budget);
        runner.set(state)?;
        let legal = runner.legal(self.role)?.len();
        let begun = runner.goal(self.role)?.map(f64::from);
        let mut search = Search {
            nodes: vec![Node::default()],
            rollout: FxHashMap::default(),
            range: (f64::MAX, f64::MIN),
        };
        search.nodes[0].tried = vec![Tried::default(); legal];
        let mut meter = budget.meter();
        let mut courses = 0;
        while courses < self.options.courses {
            let before: Vec<usize> = self.pasts.iter().map(Past::len).collect();
            runner.set(state)?;
            let played = self.course(&mut *runner, begun, &mut search, &mut meter, rng);
            for (past, &steps) in self.pasts.iter_mut().zip(&before) {
                past.truncate(steps);
            }
            match played {
                Ok(()) => courses += 1,
                Err(GameError::Limit(_)) if courses > 0 => break,
                Err(error) => return Err(error),
            }
        }
        let moves =
            search.nodes[0].tried.iter().map(|tried| (tried.mean().unwrap_or(0.0), tried.visits as u64));
        Ok(Plan { moves: moves.collect(), courses })
    }

    /// One course of the game.
    fn course(
        &mut self,
        runner: &mut dyn Runner,
        begun: Option<f64>,
        search: &mut Search,
        meter: &mut Meter,
        rng: &mut Rng,
    ) -> Answer<()> {
        let ways: Vec<usize> =
            self.models.iter().map(|model| model.as_ref().map_or(0, |model| model.draw(rng))).collect();
        let mut drawn: Vec<FxHashMap<u64, u64>> = vec![FxHashMap::default(); ways.len()];
        let (mut node, mut added) = (Some(0), 0);
        let mut path: Vec<PathStep> = Vec::new();
        // Where states on the way have no goals, only the end of the game says anything.
        let steps = if begun.is_some() { self.options.horizon } else { self.options.step_limit };
        let mut won = begun.unwrap_or(0.0);
        let mut last = 0u64;
        let (mut joint, mut numbers): (Vec<ActionId>, Vec<MoveNumber>) = (Vec::new(), Vec::new());
        for _ in 0..steps {
            meter.check()?;
            if runner.terminal()? {
                break;
            }
            joint.clear();
            numbers.clear();
            let mut chosen = 0;
            let roles = self.pasts.len() as u32;
            for role in (0..roles).map(RoleId) {
                let legal: Vec<ActionId> = runner.legal(role)?.to_vec();
                let of_moves: Vec<MoveNumber> = legal.iter().map(|&action| (self.numbers)(action)).collect();
                let place = if role == self.role {
                    chosen = search.choose(node, last, &of_moves, rng);
                    chosen
                } else if let (Some(model), true) = (&self.models[role.index()], legal.len() > 1) {
                    let past = &self.pasts[role.index()];
                    let way = ways[role.index()];
                    let made = model.draw_move(way, past, &of_moves, &mut drawn[role.index()], rng);
                    of_moves.iter().position(|&number| number == made).unwrap_or(0)
                } else {
                    rng.below(legal.len().max(1) as u64) as usize
                };
                let Some(&action) = legal.get(place) else { return Ok(()) };
                joint.push(action);
                numbers.push(of_moves[place]);
            }
            runner.step_legal(&joint)?;
            path.push((node, (last, numbers[self.role.index()]), chosen, won));
            let mut others = 1u64;
            for (role, &number) in numbers.iter().enumerate() {
                let rest =
                    numbers.iter().enumerate().filter(|&(other, _)| other != role).map(|(_, &number)| number);
                self.pasts[role].push(number, rest);
                if role != self.role.index() {
                    others = others.wrapping_mul(0x0100_0000_01b3).wrapping_add(u64::from(number) + 1);
                }
            }
            last = others.rotate_left(16) ^ u64::from(numbers[self.role.index()]);
            if let Some(goal) = runner.goal(self.role)? {
                won = f64::from(goal);
            }
            node = match node {
                Some(node) => search.follow(node, (chosen, others), &mut added, runner, self.role)?,
                None => None,
            };
        }
        search.learn(&path, won, begun.unwrap_or(0.0));
        Ok(())
    }
}

/// A step of a course: the node, what was done before it with the move, the place of that, and what was won by then.
type PathStep = (Option<usize>, (u64, MoveNumber), usize, f64);

/// What a search knows by now.
struct Search {
    nodes: Vec<Node>,
    /// What moves brought beyond the tree, by what was done last and the move.
    rollout: FxHashMap<(u64, MoveNumber), Tried>,
    /// The least and the most that a course brought.
    range: (f64, f64),
}

impl Search {
    /// The place of the player's move among the legal ones.
    fn choose(&self, node: Option<usize>, last: u64, legal: &[MoveNumber], rng: &mut Rng) -> usize {
        let by_chance = |rng: &mut Rng| rng.below(legal.len().max(1) as u64) as usize;
        let (low, high) = self.range;
        let width = (high - low).max(1.0);
        if let Some(node) = node.map(|node| &self.nodes[node]).filter(|node| node.tried.len() == legal.len())
        {
            let all: f64 = node.tried.iter().map(|tried| tried.visits).sum();
            if let Some(new) = node.tried.iter().position(|tried| tried.visits == 0.0) {
                let untried: Vec<usize> =
                    (new..legal.len()).filter(|&at| node.tried[at].visits == 0.0).collect();
                return *rng.pick(&untried).unwrap_or(&new);
            }
            let bound = |tried: &Tried| {
                let mean = (tried.mean().unwrap_or(0.0) - low) / width;
                mean + EXPLORATION * (all.ln() / tried.visits).sqrt()
            };
            let best = node.tried.iter().enumerate().max_by(|a, b| bound(a.1).total_cmp(&bound(b.1)));
            return best.map_or(0, |(place, _)| place);
        }
        if rng.fraction() < BY_CHANCE {
            return by_chance(rng);
        }
        let value = |number: &MoveNumber| self.rollout.get(&(last, *number)).and_then(|tried| tried.mean());
        let known: Option<Vec<f64>> = legal.iter().map(value).collect();
        match known {
            Some(values) => {
                let best = values.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
                best.map_or(0, |(place, _)| place)
            }
            None => by_chance(rng),
        }
    }

    /// The node behind a joint move; a new one where this course may add one.
    fn follow(
        &mut self,
        node: usize,
        made: (usize, u64),
        added: &mut usize,
        runner: &mut dyn Runner,
        role: RoleId,
    ) -> Answer<Option<usize>> {
        if let Some(&next) = self.nodes[node].next.get(&made) {
            return Ok(Some(next));
        }
        if *added >= NEW_NODES || runner.terminal()? {
            return Ok(None);
        }
        *added += 1;
        let tried = vec![Tried::default(); runner.legal(role)?.len()];
        let next = self.nodes.len();
        self.nodes.push(Node { tried, next: FxHashMap::default() });
        self.nodes[node].next.insert(made, next);
        Ok(Some(next))
    }

    /// Takes note of a course that brought so much.
    fn learn(&mut self, path: &[PathStep], won: f64, begun: f64) {
        let value = won - begun;
        self.range = (self.range.0.min(value), self.range.1.max(value));
        for &(node, key, chosen, before) in path {
            if let Some(tried) = node.and_then(|node| self.nodes[node].tried.get_mut(chosen)) {
                tried.note(value);
            }
            // What follows counts, not what was won before.
            self.rollout.entry(key).or_default().note(won - before);
        }
    }
}
