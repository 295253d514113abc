//! All pairs of states to which courses lead that look the same to a role, the shortest courses first.

use ludex_game::{ActionId, Answer, Goal, RoleId, Rules, Runner, State, StateTable};
use ludex_logic::{Budget, Meter, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Knows, Question, RoleKnowledge, TwoCourses};
use crate::finding::{Reason, Witness};
use crate::well_formed::reason_of;

/// So many joint moves are made for each pair that may be kept.
const STEPS_PER_PAIR: u64 = 50;
/// Bytes that a pair takes, with its joint moves and its place in a table.
const BYTES_PER_PAIR: usize = 192;

/// A way from a state to another one.
struct Way {
    joint: Vec<ActionId>,
    to: u32,
}

/// Ways that look the same to the role.
struct Look {
    action: ActionId,
    percepts: Vec<TermId>,
    ways: Vec<Way>,
}

/// What is known of a state that some course leads to.
struct Reached {
    is_over: bool,
    legal: Vec<ActionId>,
    goal: Option<Goal>,
    /// The ways from here, once they were asked for.
    looks: Option<Vec<Look>>,
}

/// Two states that courses lead to which look the same.
struct Pair {
    one: u32,
    other: u32,
    /// The pair before, with the joint moves.
    from: Option<(usize, [Vec<ActionId>; 2])>,
}

struct Pairs<'r> {
    role: RoleId,
    runner: Box<dyn Runner + 'r>,
    meter: Meter,
    initial: &'r State,
    states: StateTable<Reached>,
    pairs: Vec<Pair>,
    known: FxHashSet<(u32, u32)>,
    /// Joint moves that may still be made.
    left: u64,
}

impl RoleKnowledge {
    /// Searches up to so many pairs; where these are all, every question has its answer.
    pub(super) fn search_pairs(&mut self, rules: &Rules, most: usize, budget: &Budget) -> Result<(), Reason> {
        let mut pairs = Pairs {
            role: self.role,
            runner: rules.machine().runner(budget),
            meter: budget.meter(),
            initial: rules.initial(),
            states: StateTable::default(),
            pairs: Vec::new(),
            known: FxHashSet::default(),
            left: (most as u64).saturating_mul(STEPS_PER_PAIR),
        };
        let initial = pairs.number(rules.initial()).map_err(reason_of)?;
        // There is a number for the first.
        let initial = initial.unwrap_or_default();
        pairs.add(initial, initial, None);
        let mut at = 0;
        while at < pairs.pairs.len() {
            for question in self.undecided() {
                if pairs.differ(at, question) {
                    *self.about_mut(question) = Knows::NotAlways(pairs.courses(rules, at));
                }
            }
            if self.undecided().is_empty() {
                return Ok(());
            }
            let bytes = pairs.pairs.len().saturating_mul(BYTES_PER_PAIR);
            pairs.meter.check_memory(bytes, || "pairs of states".to_owned())?;
            let went_on = pairs.go_on(at).map_err(reason_of)?;
            if !went_on || pairs.pairs.len() > most {
                self.explain(&Reason::States { states: most as u64 });
                return Ok(());
            }
            at += 1;
        }
        self.always();
        Ok(())
    }
}

impl Pairs<'_> {
    /// The number of a state; none where none is left.
    fn number(&mut self, state: &State) -> Answer<Option<u32>> {
        if let Some(number) = self.states.find(state.words()) {
            return Ok(Some(number));
        }
        self.runner.set(state)?;
        let is_over = self.runner.terminal()?;
        let reached = Reached {
            is_over,
            legal: if is_over { Vec::new() } else { self.runner.legal(self.role)?.to_vec() },
            goal: if is_over { self.runner.goal(self.role)? } else { None },
            looks: None,
        };
        Ok(self.states.add(state.words(), reached))
    }

    /// Adds a pair, unless it is there.
    fn add(&mut self, one: u32, other: u32, from: Option<(usize, [Vec<ActionId>; 2])>) {
        if self.known.insert((one.min(other), one.max(other))) {
            self.pairs.push(Pair { one, other, from });
        }
    }

    fn differ(&self, at: usize, question: Question) -> bool {
        let Pair { one, other, .. } = &self.pairs[at];
        let (one, other) = (self.states.value(*one), self.states.value(*other));
        match question {
            Question::Moves => !one.is_over && !other.is_over && one.legal != other.legal,
            Question::End => one.is_over != other.is_over,
            Question::Result => one.is_over && other.is_over && one.goal != other.goal,
        }
    }

    /// The courses that lead to a pair.
    fn courses(&self, rules: &Rules, mut at: usize) -> TwoCourses {
        let mut courses = TwoCourses::default();
        let terms =
            |joint: &[ActionId]| joint.iter().map(|&action| rules.signature().action(action)).collect();
        while let Some((before, [one, other])) = &self.pairs[at].from {
            courses.one.steps.push(terms(one));
            courses.other.steps.push(terms(other));
            at = *before;
        }
        let Witness { steps } = &mut courses.one;
        steps.reverse();
        courses.other.steps.reverse();
        courses
    }

    /// Adds the pairs after one. Whether there was room for that.
    fn go_on(&mut self, at: usize) -> Answer<bool> {
        let Pair { one, other, .. } = self.pairs[at];
        let is_over = |number: u32| self.states.value(number).is_over;
        if is_over(one) || is_over(other) {
            return Ok(true);
        }
        for number in [one, other] {
            if !self.look(number)? {
                return Ok(false);
            }
        }
        let mut found = Vec::new();
        let looks = |number: u32| self.states.value(number).looks.as_deref().unwrap_or_default();
        for look in looks(one) {
            let same = |other: &&Look| other.action == look.action && other.percepts == look.percepts;
            for other in looks(other).iter().filter(same) {
                for way in &look.ways {
                    for other_way in &other.ways {
                        self.meter.spend(1)?;
                        let joints = [way.joint.clone(), other_way.joint.clone()];
                        found.push((way.to, other_way.to, joints));
                    }
                }
            }
        }
        for (one, other, joints) in found {
            self.add(one, other, Some((at, joints)));
        }
        Ok(true)
    }

    /// Makes all joint moves in a state. Whether there was room for that.
    fn look(&mut self, number: u32) -> Answer<bool> {
        if self.states.value(number).looks.is_some() {
            return Ok(true);
        }
        let from = self.initial.with_words(self.states.words(number));
        self.runner.set(&from)?;
        let roles = 0..self.runner.signature().roles().len() as u32;
        let mut legal = Vec::new();
        for role in roles {
            legal.push(self.runner.legal(RoleId(role))?.to_vec());
        }
        let count = legal.iter().fold(1u64, |count, moves| count.saturating_mul(moves.len() as u64));
        let Some(left) = self.left.checked_sub(count) else { return Ok(false) };
        self.left = left;
        let mut looks: Vec<Look> = Vec::new();
        let mut places: FxHashMap<(ActionId, Vec<TermId>), usize> = FxHashMap::default();
        let mut known: FxHashSet<(usize, u32)> = FxHashSet::default();
        for joint_number in 0..count {
            self.meter.spend(1)?;
            let joint = joint_of(&legal, joint_number);
            self.runner.set(&from)?;
            self.runner.step_legal(&joint)?;
            let (action, percepts) = (joint[self.role.index()], self.runner.percepts(self.role).to_vec());
            let mut state = State::default();
            self.runner.save(&mut state);
            let Some(to) = self.number(&state)? else { return Ok(false) };
            let place = *places.entry((action, percepts.clone())).or_insert_with(|| {
                looks.push(Look { action, percepts, ways: Vec::new() });
                looks.len() - 1
            });
            if known.insert((place, to)) {
                looks[place].ways.push(Way { joint, to });
            }
        }
        self.states.value_mut(number).looks = Some(looks);
        Ok(true)
    }
}

/// The joint move of a number, below the product of the numbers of moves.
fn joint_of(legal: &[Vec<ActionId>], mut number: u64) -> Vec<ActionId> {
    let pick = |moves: &Vec<ActionId>| {
        let length = moves.len() as u64;
        let at = number % length;
        number /= length;
        moves[at as usize]
    };
    legal.iter().map(pick).collect()
}
