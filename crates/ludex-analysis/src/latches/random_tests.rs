//! Small random games, all states of which are known: every line that is left says something that is so, and
//! would otherwise not be.

use std::collections::{BTreeSet, HashMap};

use ludex_game::{Goal, JointMoves, Rng, RoleId, Rules, State};
use ludex_logic::{Budget, TermId};
use ludex_testkit::{playable, seeds};

use super::{Hold, LatchEffort, Latches, Setting};
use crate::Subject;

/// A random game of one or two roles with some propositions, where anything may be in the way of anything.
fn random_rules(seed: u64) -> String {
    let mut rng = Rng::from_seed(seed);
    let count = 2 + rng.below(5);
    let roles = &["a", "b"][..1 + rng.below(2) as usize];
    let mut text: String = roles.iter().map(|role| format!("(role {role}) (legal {role} x)\n")).collect();
    let literal = |rng: &mut Rng| {
        let positive = format!("(true p{})", rng.below(count));
        if rng.below(3) == 0 { format!("(not {positive})") } else { positive }
    };
    let made = |rng: &mut Rng| {
        format!(
            "(does {} {})",
            roles[rng.below(roles.len() as u64) as usize],
            ["x", "y"][rng.below(2) as usize]
        )
    };
    for role in roles {
        text += &format!("(<= (legal {role} y) {})\n", literal(&mut rng));
        let (one, other) = (literal(&mut rng), literal(&mut rng));
        let values = [[100, 50, 0], [30, 0, 100], [0, 100, 50]][rng.below(3) as usize];
        text += &format!("(<= (goal {role} {}) {one})\n", values[0]);
        text += &format!("(<= (goal {role} {}) (not {one}) {other})\n", values[1]);
        text += &format!("(<= (goal {role} {}) (not {one}) (not {other}))\n", values[2]);
    }
    for number in 0..count {
        if rng.below(2) == 0 {
            text += &format!("(init p{number})\n");
        }
        match rng.below(4) {
            0 => text += &format!("(<= (next p{number}) (true p{number}))\n"),
            1 => text += &format!("(<= (next p{number}) (true p{number}) {})\n", made(&mut rng)),
            _ => {}
        }
        for _ in 0..rng.below(3) {
            text += &format!("(<= (next p{number}) {} {})\n", literal(&mut rng), made(&mut rng));
        }
    }
    let last = 2 + rng.below(3);
    text += "(init (s 1))\n";
    (1..last).for_each(|n| text += &format!("(<= (next (s {})) (true (s {n})))\n", n + 1));
    text += &format!(
        "(<= terminal (true (s {last})))\n(<= terminal {} {})\n",
        literal(&mut rng),
        literal(&mut rng)
    );
    text
}

/// All states of a game as sets of facts, with what follows and what they are worth.
struct World {
    facts: Vec<BTreeSet<TermId>>,
    steps: Vec<(usize, usize)>,
    goals: Vec<Vec<Option<Goal>>>,
}

impl World {
    fn new(rules: &Rules) -> Self {
        let mut numbers: HashMap<State, usize> = HashMap::from([(rules.initial().clone(), 0)]);
        let mut states = vec![rules.initial().clone()];
        let mut world = Self { facts: Vec::new(), steps: Vec::new(), goals: Vec::new() };
        let mut runner = rules.runner();
        while let Some(state) = states.get(world.facts.len()).cloned() {
            let number = world.facts.len();
            world.facts.push(rules.facts(&state).into_iter().collect());
            world.goals.push(rules.goals(&state).unwrap());
            runner.set(&state).unwrap();
            if runner.terminal().unwrap() {
                continue;
            }
            let mut joints = JointMoves::new(&mut *runner, rules.signature()).unwrap();
            while let Some(joint) = joints.next() {
                runner.set(&state).unwrap();
                runner.step(joint).unwrap();
                let mut next = State::default();
                runner.save(&mut next);
                let known = *numbers.entry(next.clone()).or_insert(states.len());
                if known == states.len() {
                    states.push(next);
                }
                world.steps.push((number, known));
            }
        }
        world
    }

    fn has(&self, state: usize, term: TermId) -> bool {
        self.facts[state].contains(&term)
    }

    fn is(&self, state: usize, by: Setting) -> bool {
        self.has(state, by.proposition) == by.value
    }

    fn gives(&self, state: usize, role: RoleId, value: Goal) -> bool {
        self.goals[state][role.index()] == Some(value)
    }

    fn any_step(&self, mut holds: impl FnMut(usize, usize) -> bool) -> bool {
        self.steps.iter().any(|&(before, after)| holds(before, after))
    }

    /// What is said, and whether each line of it is both so and not empty. Answers the number of lines.
    fn check(&self, found: &Latches) -> usize {
        let mut lines = self.check_inhibitors(found) + self.check_groups(found);
        for (terms, value) in [(found.positive(), true), (found.negative(), false)] {
            for proposition in terms {
                let latch = Setting { proposition, value };
                assert!(!self.any_step(|before, after| self.is(before, latch) && !self.is(after, latch)));
                assert!((0..self.facts.len()).any(|state| self.is(state, latch)));
                assert!((0..self.facts.len()).any(|state| !self.is(state, latch)));
                lines += 1;
            }
        }
        for constant in found.constants() {
            assert!((0..self.facts.len()).all(|state| self.is(state, constant)));
        }
        lines
    }

    fn check_inhibitors(&self, found: &Latches) -> usize {
        let mut lines = 0;
        for inhibitor in found.inhibitors() {
            let by = |state: usize| self.is(state, inhibitor.by);
            for &other in &inhibitor.excludes {
                assert!(!self.any_step(|before, after| by(before) && self.has(after, other)));
                assert!(
                    self.any_step(|before, _| by(before)) && self.any_step(|_, after| self.has(after, other))
                );
                lines += 1;
            }
            for &other in &inhibitor.blocks {
                let rises = |before: usize, after: usize| !self.has(before, other) && self.has(after, other);
                assert!(!self.any_step(|before, after| by(before) && rises(before, after)));
                assert!(
                    self.any_step(rises) && self.any_step(|before, _| by(before) && !self.has(before, other))
                );
                lines += 1;
            }
        }
        for goal in found.goal_inhibitors() {
            let by = |state: usize| self.is(state, goal.by);
            let gives = |state: usize| self.gives(state, goal.role, goal.value);
            match goal.hold {
                Hold::Bars => {
                    assert!(!(0..self.facts.len()).any(|state| by(state) && gives(state)));
                    assert!((0..self.facts.len()).any(by) && self.any_step(|_, after| gives(after)));
                }
                Hold::Blocks => {
                    let rises = |before: usize, after: usize| !gives(before) && gives(after);
                    assert!(!self.any_step(|before, after| by(before) && rises(before, after)));
                    assert!(self.any_step(rises) && self.any_step(|before, _| by(before) && !gives(before)));
                }
            }
            lines += 1;
        }
        lines
    }

    fn check_groups(&self, found: &Latches) -> usize {
        let mut lines = 0;
        for group in found.disjunctions() {
            let one = |state: usize| group.members.iter().any(|&term| self.has(state, term));
            assert!(!self.any_step(|before, after| one(before) && !one(after)));
            assert_eq!(group.always, (0..self.facts.len()).all(one));
            for &term in &group.members {
                assert!(self.any_step(|before, after| self.has(before, term) && !self.has(after, term)));
            }
            lines += 1;
        }
        for succession in found.successions() {
            let stages = &succession.stages;
            assert!(stages.len() > 1);
            let held: Vec<TermId> = stages.iter().flat_map(|stage| stage.members.clone()).collect();
            let stage_of = |state: usize| {
                let mut members = held.iter().filter(|&&term| self.has(state, term));
                let member = members.next();
                assert_eq!(members.next(), None);
                stages.iter().position(|stage| match member {
                    Some(term) => stage.members.contains(term),
                    None => stage.members.is_empty(),
                })
            };
            assert!(held.iter().all(|&term| (0..self.facts.len()).any(|state| self.has(state, term))));
            let taken: BTreeSet<(usize, usize)> = self
                .steps
                .iter()
                .map(|&(before, after)| (stage_of(before).unwrap(), stage_of(after).unwrap()))
                .filter(|(before, after)| before != after)
                .collect();
            let said = stages
                .iter()
                .enumerate()
                .flat_map(|(at, stage)| stage.next.iter().map(move |&next| (at, next)));
            assert_eq!(said.collect::<BTreeSet<_>>(), taken);
            assert!(taken.iter().all(|(before, after)| before < after));
            lines += 1;
        }
        lines
    }
}

/// How much is said: lines of all kinds.
fn lines(found: &Latches) -> usize {
    let inhibited: usize = found.inhibitors().iter().map(|i| i.excludes.len() + i.blocks.len()).sum();
    let groups = found.disjunctions().len() + found.successions().len();
    inhibited + groups + found.goal_inhibitors().len() + found.positive().len() + found.negative().len()
}

fn found_in(text: &str) -> Option<(Rules, Latches)> {
    let rules = playable("random.kif", text).ok()?;
    let found = Latches::find(&Subject::new(&rules), &LatchEffort::default(), &Budget::unlimited()).ok()?;
    Some((rules, found))
}

#[test]
fn every_line_excludes_something_that_would_otherwise_be_possible() {
    let (mut games, mut left, mut dropped) = (0, 0, 0);
    for seed in seeds(150) {
        let Some((rules, mut found)) = found_in(&random_rules(seed)) else { continue };
        let before = lines(&found);
        let all = found.all_states(5_000, &Budget::unlimited()).unwrap();
        found.leave_out_vacuous(&all, &Budget::unlimited()).unwrap();
        let lines = World::new(&rules).check(&found);
        games += 1;
        left += lines;
        dropped += before.saturating_sub(lines);
    }
    assert!(games > 100 && left > 300 && dropped > 5, "{games} games, {left} lines, {dropped} left out");
}

/// What the solver proves of any state with the invariants, and no state of the game has.
#[test]
fn what_never_holds_is_no_latch_and_rules_out_nothing() {
    let text = "(role a) (role b) (init p0) (init p2) (init (s 1))
        (legal a ax) (<= (legal a ay) (not (true p3))) (legal b bx) (legal b by) (<= (legal b bz) (true p1))
        (<= (next p0) (not (true p1)) (does b bx)) (<= (next p2) (not (true p4)) (does b bx))
        (<= (next p3) (true p3)) (<= (next p3) (not (true p2)) (true p0) (does a ay))
        (<= (next p4) (true p0) (does a ax)) (<= (next (s 2)) (true (s 1))) (<= (next (s 3)) (true (s 2)))
        (<= terminal (true (s 3))) (<= terminal (true p0) (true p1)) (<= terminal (true p4) (true p2))
        (<= (goal a 100) (true p1) (true p0)) (<= (goal a 50) (true p0))
        (<= (goal b 50) (not (true p4)) (true p0) (not (true p3))) (<= (goal b 30) (true p4))";
    let (rules, mut found) = found_in(text).unwrap();
    let named = |terms: Vec<TermId>| rules.texts(&terms);
    assert_eq!(named(found.positive()), ["p3", "(s 3)"]);
    assert_eq!(found.goal_inhibitors().iter().filter(|goal| goal.latched).count(), 1);
    let all = found.all_states(100, &Budget::unlimited()).unwrap();
    found.leave_out_vacuous(&all, &Budget::unlimited()).unwrap();
    assert_eq!(named(found.positive()), ["(s 3)"]);
    assert!(
        named(found.constants().iter().map(|constant| constant.proposition).collect())
            .contains(&"p3".to_owned())
    );
    assert_eq!(found.goal_inhibitors().iter().filter(|goal| goal.latched).count(), 0);
}
