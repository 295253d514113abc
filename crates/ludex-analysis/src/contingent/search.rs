//! The search over beliefs.

use std::rc::Rc;

use ludex_game::incomplete::{Aspect, Development, IncompleteError, WorldId, Worlds};
use ludex_logic::{Meter, TermId};
use rustc_hash::FxHashMap;

use super::{Aim, Belief, Plan, PlanningOptions};

/// How good something is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Value {
    pub least: u64,
    pub mean: f64,
}

impl Value {
    fn is_better(self, than: Value, aim: Aim) -> bool {
        match aim {
            Aim::Guarantee => self.least > than.least,
            // Means are sums in one order or the other.
            Aim::Mean if (self.mean - than.mean).abs() < 1e-9 => self.least > than.least,
            Aim::Mean => self.mean > than.mean,
        }
    }
}

/// The best result: nothing can be better.
const BEST: Value = Value { least: 100, mean: 100.0 };

/// A turn that was looked at: the worlds, their shares where those matter, and the moves left.
type Turn = (Vec<(WorldId, u64)>, usize);

/// Plans by what is seen first.
type Plans = Vec<(Box<[u32]>, Plan)>;

pub(super) struct Search<'o> {
    worlds: Worlds,
    role: usize,
    options: &'o PlanningOptions,
    meter: Meter,
    turns: FxHashMap<Turn, (Value, Rc<Plan>)>,
    aspects: FxHashMap<WorldId, Rc<[Aspect]>>,
    results: FxHashMap<WorldId, Value>,
    developments: FxHashMap<(WorldId, usize), Rc<[Development]>>,
    legal: FxHashMap<(WorldId, usize), bool>,
}

impl<'o> Search<'o> {
    pub(super) fn new(worlds: Worlds, role: usize, options: &'o PlanningOptions) -> Self {
        Self {
            worlds,
            role,
            options,
            meter: options.budget.meter(),
            turns: FxHashMap::default(),
            aspects: FxHashMap::default(),
            results: FxHashMap::default(),
            developments: FxHashMap::default(),
            legal: FxHashMap::default(),
        }
    }

    /// Some worlds are come to. Those where the game is over have their results, the others are divided by what the
    /// role sees.
    pub(super) fn arrive(&mut self, belief: Belief, moves: usize) -> Result<(Value, Plans), IncompleteError> {
        let mut over = Vec::new();
        let mut by_sight: Vec<(Box<[u32]>, Belief)> = Vec::new();
        for (world, weight) in belief {
            let aspects = self.aspects(world)?;
            let share = weight / aspects.len().max(1) as f64;
            for aspect in aspects.iter() {
                if aspect.is_terminal {
                    over.push((self.result(world)?, share));
                    continue;
                }
                match by_sight.iter_mut().find(|(sees, _)| *sees == aspect.sees) {
                    Some((_, same)) => same.push((world, share)),
                    None => by_sight.push((aspect.sees.clone(), vec![(world, share)])),
                }
            }
        }
        by_sight.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut total = Total::default();
        over.into_iter().for_each(|(value, share)| total.add(value, share));
        let mut plans = Vec::new();
        for (sees, belief) in by_sight {
            let share = belief.iter().map(|(_, weight)| weight).sum();
            let (value, plan) = self.turn(belief, moves)?;
            total.add(value, share);
            plans.push((sees, Plan::clone(&plan)));
        }
        Ok((total.value(), plans))
    }

    /// The role is to move in one of some worlds.
    fn turn(&mut self, belief: Belief, moves: usize) -> Result<(Value, Rc<Plan>), IncompleteError> {
        self.meter.spend(1)?;
        let belief = merged(belief);
        let key = (self.key(&belief), moves);
        if let Some(known) = self.turns.get(&key) {
            return Ok(known.clone());
        }
        let mut best = (Value { least: 0, mean: 0.0 }, Plan::End);
        for number in 0..self.worlds.game().moves(self.role).len() {
            if moves == 0 || !self.is_surely_legal(&belief, number)? {
                continue;
            }
            let (value, then) = self.after(&belief, number, moves)?;
            if best.1 == Plan::End || value.is_better(best.0, self.options.aim) {
                best = (value, Plan::Move { number, then });
            }
            if !BEST.is_better(best.0, self.options.aim) {
                break;
            }
        }
        let best = (best.0, Rc::new(best.1));
        self.turns.insert(key, best.clone());
        Ok(best)
    }

    fn key(&self, belief: &Belief) -> Vec<(WorldId, u64)> {
        let matter = self.options.aim == Aim::Mean;
        let total: f64 = belief.iter().map(|(_, weight)| weight).sum();
        let share = |weight: f64| if matter { (weight / total * 1e12).round() as u64 } else { 0 };
        belief.iter().map(|&(world, weight)| (world, share(weight))).collect()
    }

    fn is_surely_legal(&mut self, belief: &Belief, number: usize) -> Result<bool, IncompleteError> {
        for &(world, _) in belief {
            let known = self.legal.get(&(world, number)).copied();
            let legal = match known {
                Some(legal) => legal,
                None => {
                    let legal = self.worlds.is_surely_legal(world, self.role, number)?;
                    self.legal.insert((world, number), legal);
                    legal
                }
            };
            if !legal {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What comes of a move: divided by what is seen of it, where that is told after moves.
    fn after(
        &mut self,
        belief: &Belief,
        number: usize,
        moves: usize,
    ) -> Result<(Value, Plans), IncompleteError> {
        let mut by_sight: Vec<(Box<[u32]>, Belief)> = Vec::new();
        let mut total = Total::default();
        for &(world, weight) in belief {
            let developments = self.developments(world, number)?;
            let share = weight / developments.len().max(1) as f64;
            for development in developments.iter() {
                match by_sight.iter_mut().find(|(sees, _)| *sees == development.sees) {
                    Some((_, same)) => same.push((development.world, share)),
                    None => by_sight.push((development.sees.clone(), vec![(development.world, share)])),
                }
            }
        }
        by_sight.sort_by(|(one, _), (other, _)| one.cmp(other));
        let follow_moves = self.worlds.game().percepts_follow_moves();
        let mut then = Vec::new();
        for (sees, belief) in by_sight {
            let share = belief.iter().map(|(_, weight)| weight).sum();
            let (value, plans) = self.arrive(merged(belief), moves - 1)?;
            total.add(value, share);
            if follow_moves {
                then.extend(plans.into_iter().map(|(_, plan)| (sees.clone(), plan)));
            } else {
                then.extend(plans);
            }
            if self.options.aim == Aim::Guarantee && total.least == Some(0) {
                break;
            }
        }
        Ok((total.value(), then))
    }

    fn aspects(&mut self, world: WorldId) -> Result<Rc<[Aspect]>, IncompleteError> {
        if let Some(known) = self.aspects.get(&world) {
            return Ok(Rc::clone(known));
        }
        let aspects: Rc<[Aspect]> = self.worlds.aspects(world, self.role)?.into();
        self.aspects.insert(world, Rc::clone(&aspects));
        Ok(aspects)
    }

    fn developments(&mut self, world: WorldId, number: usize) -> Result<Rc<[Development]>, IncompleteError> {
        if let Some(known) = self.developments.get(&(world, number)) {
            return Ok(Rc::clone(known));
        }
        let developments: Rc<[Development]> = self.worlds.developments(world, self.role, number)?.into();
        self.developments.insert((world, number), Rc::clone(&developments));
        Ok(developments)
    }

    /// The result of a world where the game is over: what is not known counts as 0 at least, and as the mean of what is
    /// possible in the mean.
    fn result(&mut self, world: WorldId) -> Result<Value, IncompleteError> {
        if let Some(&known) = self.results.get(&world) {
            return Ok(known);
        }
        let possible = self.worlds.goals(world, self.role)?;
        let goals: Vec<TermId> = self.worlds.game().goals(self.role).to_vec();
        let terms = &self.worlds.game().sentences().theory.terms;
        let number = |goal: &u32| terms.integer(goals[*goal as usize]).unwrap_or(0).min(100);
        // Several values at once promise no more than the least.
        let results: Vec<u64> =
            possible.iter().map(|values| values.iter().map(number).min().unwrap_or(0)).collect();
        let value = Value {
            least: results.iter().copied().min().unwrap_or(0),
            mean: results.iter().sum::<u64>() as f64 / results.len().max(1) as f64,
        };
        self.results.insert(world, value);
        Ok(value)
    }
}

/// The same worlds, each once.
fn merged(mut belief: Belief) -> Belief {
    belief.sort_by_key(|&(world, _)| world);
    belief.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    belief
}

/// Values with their shares.
#[derive(Default)]
struct Total {
    least: Option<u64>,
    sum: f64,
    weight: f64,
}

impl Total {
    fn add(&mut self, value: Value, share: f64) {
        self.least = Some(self.least.map_or(value.least, |least| least.min(value.least)));
        self.sum += value.mean * share;
        self.weight += share;
    }

    fn value(&self) -> Value {
        let mean = if self.weight > 0.0 { self.sum / self.weight } else { 0.0 };
        Value { least: self.least.unwrap_or(0), mean }
    }
}
