//! What holds of every game: bundled ones and random ones.

use ludex_game::{Rng, RoleId, Rules};
use ludex_logic::{AtomId, Budget, TermId};
use ludex_testkit::generate::{Knobs, generate};
use ludex_testkit::{bundled, playable, playable_file, rounds, seeds};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Case;
use crate::fuzzy::norm::{Connectives, Product, Yager};
use crate::fuzzy::{FuzzyGoals, FuzzyOptions, FuzzyScratch, NormChoice, Prospect};
use crate::{Faithful, Subject};

/// Bundled games small enough for every run; a longer run has them all.
const SMALL: [&str; 9] = [
    "best-buttons-and-lights",
    "chomp",
    "coins",
    "connect-four",
    "hodgepodge",
    "nim",
    "problem-2-1",
    "three-player-tic-tac-toe",
    "untwisty-corridor",
];

/// Some games of each kind that can be grounded.
fn games() -> Vec<Case> {
    let wanted = |path: &std::path::PathBuf| {
        rounds(1) > 1 || path.file_stem().is_some_and(|stem| SMALL.iter().any(|small| stem == *small))
    };
    // Some bundled games have errors that a user may waive.
    let files = bundled().into_iter().filter(wanted).filter_map(|path| playable_file(&path).ok());
    let random = seeds(12).map(|seed| {
        let text = generate(seed, &Knobs::from_seed(seed)).to_string();
        playable(&format!("random game {seed}"), &text).unwrap()
    });
    let budget = Budget::unlimited().with_work(50_000_000);
    let case =
        |rules: Rules| Subject::new(&rules).faithful(&budget).ok().map(|faithful| Case { rules, faithful });
    let cases: Vec<Case> = files.chain(random).filter_map(case).collect();
    assert!(cases.len() > 15, "only {} games can be grounded", cases.len());
    cases
}

/// The options under which everything has to hold.
fn settings() -> Vec<FuzzyOptions> {
    let mut all = Vec::new();
    for norm in [NormChoice::Product, NormChoice::Yager { q: None }, NormChoice::Yager { q: Some(2.0) }] {
        for (tau, threshold) in
            [(None, None), (Some(0.9), Some(0.6)), (Some(1.0), None), (Some(1.0), Some(1.0))]
        {
            all.push(FuzzyOptions { norm, tau, threshold });
        }
    }
    all
}

/// The states of a random game, with what each is worth to each role, if that is one value.
fn walk(rules: &Rules, rng: &mut Rng) -> Vec<(Vec<TermId>, Vec<Option<u32>>)> {
    let mut runner = rules.runner();
    let mut state = ludex_game::State::default();
    let mut seen = Vec::new();
    for _ in 0..40 {
        runner.save(&mut state);
        let goals = rules.roles().map(|role| runner.goal(role).unwrap()).collect();
        seen.push((rules.facts(&state), goals));
        if runner.terminal().unwrap() {
            break;
        }
        let pick = |role| rng.pick(runner.legal(role).unwrap()).copied();
        let Some(joint) = rules.roles().map(pick).collect::<Option<Vec<_>>>() else { break };
        runner.step(&joint).unwrap();
    }
    seen
}

#[test]
fn values_are_in_range_and_crisp_ones_are_the_goals() {
    let mut rng = Rng::from_seed(16);
    let mut scratch = FuzzyScratch::default();
    let (mut compared, mut above) = (0, 0);
    for case in games() {
        let states = walk(&case.rules, &mut rng);
        for (role, options) in case.rules.roles().flat_map(|r| settings().into_iter().map(move |o| (r, o))) {
            let goals = case.goals(role.0, &options);
            for (facts, worth) in &states {
                let value = goals.evaluate(facts, &mut scratch);
                assert!((0.0..=100.0).contains(&value), "{}: {value}", case.rules.name());
                assert!(scratch.values.iter().all(|value| (0.0..=1.0).contains(value)));
                let (Some(1.0), Some(worth)) = (options.tau, worth[role.index()]) else { continue };
                let game = case.rules.name();
                assert!(
                    (value - f64::from(worth)).abs() < 1e-9,
                    "{game}: {value} for {worth} by {options:?}"
                );
                compared += 1;
                above += u32::from(worth > 0);
            }
        }
    }
    assert!(compared > 1000 && above > 100, "{compared} states compared, {above} of them with a goal over 0");
}

/// Whether each slot counts for, and against, the goals.
fn polarities(goals: &FuzzyGoals) -> Vec<[bool; 2]> {
    let formulas = &goals.formulas;
    let mut found = vec![[false; 2]; formulas.slot_count()];
    for (_, literal) in &formulas.goals {
        found[literal.place() / 2][usize::from(literal.0 & 1 == 1)] = true;
    }
    loop {
        let before = found.clone();
        for node in (0..formulas.node_count()).rev() {
            let of_node = found[formulas.node_slot(node)];
            for literal in formulas.bodies(node).flatten() {
                let negated = usize::from(literal.0 & 1 == 1);
                found[literal.place() / 2][0] |= of_node[negated];
                found[literal.place() / 2][1] |= of_node[1 - negated];
            }
        }
        if found == before {
            return found;
        }
    }
}

#[test]
fn what_only_counts_for_a_goal_never_makes_it_smaller() {
    let mut rng = Rng::from_seed(5);
    let mut scratch = FuzzyScratch::default();
    let (mut tried, mut rose) = (0, 0);
    for case in games() {
        for (role, options) in case.rules.roles().flat_map(|r| settings().into_iter().map(move |o| (r, o))) {
            let goals = case.goals(role.0, &options);
            let polarity = polarities(&goals);
            let leaves = goals.formulas.leaves.len();
            let only_for: Vec<usize> =
                (0..leaves).filter(|&leaf| polarity[1 + leaf] == [true, false]).collect();
            for _ in 0..10 {
                let Some(&leaf) = rng.pick(&only_for) else { break };
                let own = goals.bases()[leaf];
                let state: FxHashMap<u32, bool> =
                    goals.bases().iter().map(|&base| (base, rng.below(2) == 0)).collect();
                let mut value = |own_prospect| {
                    let prospect = |base| match base {
                        base if base == own => own_prospect,
                        base if state[&base] => Prospect::Holds,
                        _ => Prospect::Fails,
                    };
                    goals.evaluate_bases(prospect, &mut scratch)
                };
                let [lost, fails, holds] = [Prospect::Lost, Prospect::Fails, Prospect::Holds].map(&mut value);
                let game = case.rules.name();
                assert!(lost <= fails + 1e-9 && fails <= holds + 1e-9, "{game}: {lost} {fails} {holds}");
                tried += 1;
                rose += u32::from(fails < holds);
            }
        }
    }
    assert!(tried > 500 && rose > 100, "{tried} tried, {rose} rose");
}

/// How two parts become one.
type Join<'a> = &'a dyn Fn(f64, f64) -> f64;

/// The recursive definition of book 16.3, two parts at a time, over the ground rules as they are. Games
/// with recursion, or with propositions that never change, have no value here.
struct Book<'a> {
    faithful: &'a Faithful,
    facts: FxHashSet<TermId>,
    tau: f64,
    both: Join<'a>,
    either: Join<'a>,
}

impl Book<'_> {
    fn truth(&self, atom: AtomId) -> f64 {
        let grounding = &self.faithful.grounding;
        if grounding.is_given(atom) {
            let holds = self.facts.contains(&grounding.atom(atom).unwrap().args[0]);
            return if holds { self.tau } else { 1.0 - self.tau };
        }
        let body = |rule: ludex_logic::ground::GroundRule<'_>| {
            let truths = rule.body.iter().map(|literal| {
                let truth = self.truth(literal.atom());
                if literal.is_negated() { 1.0 - truth } else { truth }
            });
            truths.reduce(self.both).unwrap_or(1.0)
        };
        grounding.rules_of(atom).map(body).reduce(self.either).unwrap_or(0.0)
    }

    fn worth(&self, role: RoleId) -> f64 {
        let (net, grounding) = (&self.faithful.net, &self.faithful.grounding);
        let goals = grounding.atoms_of(net.vocabulary().goal).into_iter().filter_map(|id| {
            let args = &grounding.atom(id)?.args;
            let value = net.terms().integer(args[1])?;
            (args[0] == net.roles()[role.index()] && value > 0).then(|| value as f64 / 100.0 * self.truth(id))
        });
        100.0 * goals.reduce(self.either).unwrap_or(0.0)
    }
}

#[test]
fn values_are_those_of_the_recursive_definition() {
    let mut rng = Rng::from_seed(3);
    let mut scratch = FuzzyScratch::default();
    for name in ["tic-tac-toe", "connect-four", "nim", "chomp", "breakthrough"] {
        let case = Case::bundled(name);
        let states = walk(&case.rules, &mut rng);
        for (norm, tau) in [(NormChoice::Product, 0.9), (NormChoice::Yager { q: Some(3.0) }, 0.8)] {
            let yager = |x: f64, y: f64| (x.powi(3) + y.powi(3)).cbrt().min(1.0);
            let (both, either): (Join<'_>, Join<'_>) = match norm {
                NormChoice::Product => (&|x, y| x * y, &|x, y| 1.0 - (1.0 - x) * (1.0 - y)),
                NormChoice::Yager { .. } => (&|x, y| 1.0 - yager(1.0 - x, 1.0 - y), &yager),
            };
            for role in case.rules.roles() {
                let goals = case.goals(role.0, &FuzzyOptions { norm, tau: Some(tau), threshold: None });
                for (facts, _) in states.iter().step_by(3) {
                    let book = Book {
                        faithful: &case.faithful,
                        facts: facts.iter().copied().collect(),
                        tau,
                        both,
                        either,
                    };
                    let (found, meant) = (goals.evaluate(facts, &mut scratch), book.worth(role));
                    assert!((found - meant).abs() < 1e-9, "{name}: {found} is not {meant}");
                }
            }
        }
    }
    // The two ways of writing the norms are the same.
    assert!((Product.any([0.3, 0.4].into_iter()) - 0.58).abs() < 1e-12);
    assert!((Yager { q: 3.0 }.any([0.3, 0.4].into_iter()) - 0.091f64.cbrt()).abs() < 1e-12);
}
