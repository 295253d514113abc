//! Beliefs against all courses of random games, with their probabilities.

use std::collections::BTreeMap;

use ludex_game::{ActionId, Belief, BeliefOptions, Machine, News, Rng, RoleId, Runner, State};
use ludex_gdl::Notation;
use ludex_logic::{Budget, TermId};
use ludex_testkit::generate::{Knobs, generate};
use ludex_testkit::{net_machine, program, rule_machine, seeds};

/// A state with the probability of the course that led there.
pub(crate) type Weighted = (State, f64);

/// All states that courses lead to which show a role what it saw, plainly.
pub(crate) fn all_states(
    runner: &mut dyn Runner,
    from: &State,
    role: RoleId,
    news: &[News],
) -> Option<Vec<Weighted>> {
    let mut states = vec![(from.clone(), 1.0)];
    for news in news {
        let News::Percepts { action, percepts } = news else { unreachable!("the game is GDL-II") };
        let mut after = Vec::new();
        for (state, odds) in &states {
            runner.set(state).unwrap();
            if runner.terminal().unwrap() {
                continue;
            }
            let own = runner.signature().find_action(*action).unwrap();
            let mut joints = vec![(Vec::new(), *odds)];
            for other in 0..runner.signature().roles().len() as u32 {
                let mut legal = runner.legal(RoleId(other)).unwrap().to_vec();
                if RoleId(other) == role {
                    legal.retain(|&action| action == own);
                }
                let longer = |(joint, odds): &(Vec<ActionId>, f64)| {
                    let odds = odds / legal.len() as f64;
                    let joints = legal.iter().map(|&action| ([&joint[..], &[action]].concat(), odds));
                    joints.collect::<Vec<_>>()
                };
                joints = joints.iter().flat_map(longer).collect();
            }
            for (joint, odds) in joints {
                runner.set(state).unwrap();
                runner.step(&joint).unwrap();
                if runner.percepts(role) == percepts {
                    let mut next = State::default();
                    runner.save(&mut next);
                    after.push((next, odds));
                }
            }
        }
        if after.len() > 20_000 {
            return None;
        }
        states = after;
    }
    Some(states)
}

/// The distribution over states in words, without the terminal ones if there are others.
fn distribution(machine: &dyn Machine, states: Vec<Weighted>) -> BTreeMap<String, f64> {
    let mut runner = machine.runner(&Budget::unlimited());
    let mut is_terminal = |state: &State| {
        runner.set(state).unwrap();
        runner.terminal().unwrap()
    };
    let all_over = states.iter().all(|(state, _)| is_terminal(state));
    let mut found: BTreeMap<String, f64> = BTreeMap::new();
    for (state, odds) in states {
        if all_over || !is_terminal(&state) {
            *found.entry(text(machine, &state)).or_default() += odds;
        }
    }
    let total: f64 = found.values().sum();
    found.values_mut().for_each(|odds| *odds /= total);
    found
}

/// Facts in words.
pub(crate) fn text(machine: &dyn Machine, state: &State) -> String {
    let mut facts = Vec::new();
    machine.facts(state, &mut facts);
    facts.iter().map(|&fact| machine.signature().text(fact)).collect::<Vec<_>>().join(" ")
}

fn believed(belief: &Belief) -> BTreeMap<String, f64> {
    let machine = belief.machine();
    let states = belief.states().iter().zip(belief.weights());
    states.map(|(state, &weight)| (text(&**machine, state), weight)).collect()
}

/// A step of a match at random: the joint move in terms, and what each role saw.
pub(crate) type Told = (Vec<TermId>, Vec<Vec<TermId>>);

pub(crate) fn random_step(runner: &mut dyn Runner, rng: &mut Rng) -> Option<Told> {
    if runner.terminal().unwrap() {
        return None;
    }
    let roles: Vec<RoleId> = runner.signature().role_ids().collect();
    let draw = |&role: &RoleId| *rng.pick(runner.legal(role).unwrap()).unwrap();
    let joint: Vec<ActionId> = roles.iter().map(draw).collect();
    runner.step(&joint).unwrap();
    let moves = joint.iter().map(|&action| runner.signature().action(action)).collect();
    Some((moves, roles.iter().map(|&role| runner.percepts(role).to_vec()).collect()))
}

pub(crate) fn hidden(seed: u64) -> Knobs {
    Knobs { sees: true, ..Knobs::from_seed(seed) }
}

#[test]
fn exact_beliefs_are_those_of_all_courses() {
    let (mut compared, mut several) = (0, 0);
    for seed in seeds(500) {
        let rules = generate(seed, &hidden(seed)).to_string();
        let game = program("random", &rules, Some(Notation::Prefix)).unwrap();
        let mut machines = vec![rule_machine(&game).unwrap()];
        if seed % 4 == 0 {
            machines.push(Box::new(net_machine(&game).unwrap()));
        }
        for machine in machines {
            let machine: std::sync::Arc<dyn Machine> = machine.into();
            let mut rng = Rng::from_seed(seed);
            let mut runner = machine.runner(&Budget::unlimited());
            let mut other = machine.runner(&Budget::unlimited());
            let role = RoleId(rng.below(machine.signature().roles().len() as u64) as u32);
            let options = BeliefOptions { limit: 100_000, expansions: 100_000, ..BeliefOptions::default() };
            let mut belief = Belief::new(machine.clone(), role, options);
            for _ in 0..4 {
                let Some((joint, percepts)) = random_step(&mut *runner, &mut rng) else { break };
                let (action, percepts) = (joint[role.index()], percepts[role.index()].clone());
                belief.observe(&News::Percepts { action, percepts });
                let Some(all) = all_states(&mut *other, machine.initial(), role, belief.news()) else {
                    break;
                };
                let updated = belief.update(&Budget::unlimited());
                assert!(updated.is_ok() && belief.is_exact(), "seed {seed}: {updated:?}\n{rules}");
                let (expected, found) = (distribution(&*machine, all), believed(&belief));
                assert!(expected.keys().eq(found.keys()), "seed {seed}:\n{rules}");
                for (state, odds) in &expected {
                    assert!(
                        (odds - found[state]).abs() < 1e-9,
                        "seed {seed}: {state}: {odds} {}\n{rules}",
                        found[state]
                    );
                }
                compared += 1;
                several += usize::from(expected.values().any(|&odds| odds < 0.4));
            }
        }
    }
    assert!(compared > 500 && several > 100, "{compared} {several}");
}

/// What is said to be certain holds in the state that the match is really in, and that is among those held possible.
#[test]
fn what_is_certain_is_so() {
    let mut states = 0;
    for seed in seeds(400) {
        let rules = generate(seed, &hidden(seed)).to_string();
        let game = program("random", &rules, Some(Notation::Prefix)).unwrap();
        let machine: std::sync::Arc<dyn Machine> = rule_machine(&game).unwrap().into();
        let mut rng = Rng::from_seed(seed);
        let roles: Vec<RoleId> = machine.signature().role_ids().collect();
        let mut beliefs: Vec<Belief> =
            roles.iter().map(|&role| Belief::new(machine.clone(), role, BeliefOptions::default())).collect();
        let mut runner = machine.runner(&Budget::unlimited());
        while let Some((joint, percepts)) = random_step(&mut *runner, &mut rng) {
            if runner.terminal().unwrap() {
                break;
            }
            let mut state = State::default();
            runner.save(&mut state);
            let mut facts = Vec::new();
            machine.facts(&state, &mut facts);
            for (belief, &role) in beliefs.iter_mut().zip(&roles) {
                let (action, percepts) = (joint[role.index()], percepts[role.index()].clone());
                belief.observe(&News::Percepts { action, percepts });
                let budget = Budget::unlimited();
                let known = belief.known_facts(&budget).unwrap();
                if !belief.is_exact() {
                    continue;
                }
                states += 1;
                assert!(belief.states().contains(&state), "seed {seed}");
                assert!(known.iter().all(|fact| facts.contains(fact)), "seed {seed}");
                let legal = runner.legal(role).unwrap().to_vec();
                let surely = belief.legal_in_all(&budget).unwrap();
                let is_legal =
                    |&term: &TermId| legal.iter().any(|&id| machine.signature().action(id) == term);
                assert!(surely.iter().all(is_legal), "seed {seed}");
                assert!(!belief.is_over(&budget).unwrap().in_all, "seed {seed}");
            }
        }
    }
    assert!(states > 1_000, "{states}");
}

/// A sample has the probabilities of the whole, about.
#[test]
fn samples_are_distributed_as_the_whole() {
    let path =
        ludex_testkit::bundled().into_iter().find(|p| p.ends_with("gdl-ii/blind-tic-tac-toe.kif")).unwrap();
    let game = ludex_testkit::program_of(&path).unwrap();
    for (machine, drawn_by_machine) in
        [(rule_machine(&game).unwrap(), false), (Box::new(net_machine(&game).unwrap()), true)]
    {
        let machine: std::sync::Arc<dyn Machine> = machine.into();
        let tell = |news: &[News], options| {
            let mut belief = Belief::new(machine.clone(), RoleId(0), options);
            news.iter().for_each(|news| belief.observe(news));
            belief.update(&Budget::unlimited()).unwrap();
            belief
        };
        let some = BeliefOptions { drawn_by_machine, ..BeliefOptions::default() };
        let much = BeliefOptions { limit: 100_000, expansions: 1_000_000, ..some.clone() };
        let course = |seed| {
            let (mut runner, mut rng) = (machine.runner(&Budget::unlimited()), Rng::from_seed(seed));
            let step = |_| {
                let (joint, percepts) = random_step(&mut *runner, &mut rng)?;
                Some(News::Percepts { action: joint[0], percepts: percepts[0].clone() })
            };
            (0..4).map(step).collect::<Option<Vec<News>>>()
        };
        let news =
            (0..200).filter_map(course).find(|news| tell(news, much.clone()).states().len() > 45).unwrap();
        let whole = tell(&news, much);
        assert!(whole.is_exact());
        // How far a sample is off, as the sum of all differences, for samples of growing size.
        let mut last = f64::INFINITY;
        for expansions in [80, 320, 1280] {
            let mut off = 0.0;
            for seed in 0..5 {
                let sample = tell(&news, BeliefOptions { limit: 100_000, expansions, seed, ..some.clone() });
                let (all, some) = (believed(&whole), believed(&sample));
                assert!(some.keys().all(|state| all.contains_key(state)));
                off +=
                    all.iter().map(|(s, odds)| (odds - some.get(s).unwrap_or(&0.0)).abs()).sum::<f64>() / 5.0;
            }
            assert!(off < 0.8 * last, "{expansions}: {off} after {last}");
            last = off;
        }
        assert!(last < 0.3, "{last}");
    }
}
