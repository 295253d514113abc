//! What the solver says of courses that fit what a role was told, beside all courses of random games.

use std::collections::BTreeSet;
use std::sync::Arc;

use ludex_game::{
    Belief, BeliefError, BeliefOptions, CourseAnswer, KnownStep, Machine, News, Rng, RoleId, State, read_term,
};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::{Budget, TermId};
use ludex_testkit::generate::generate;
use ludex_testkit::{net_machine, program, rule_machine, seeds};

use crate::beliefs::{all_states, hidden, random_step, text};

fn random_game(seed: u64) -> (Arc<dyn Machine>, String) {
    let rules = generate(seed, &hidden(seed)).to_string();
    let game = program("random", &rules, Some(Notation::Prefix)).unwrap();
    (Arc::from(net_machine(&game).unwrap()), rules)
}

/// What a role is told of a random match, of so many steps at most.
fn random_news(machine: &dyn Machine, role: RoleId, steps: usize, rng: &mut Rng) -> Vec<News> {
    let mut runner = machine.runner(&Budget::unlimited());
    let step = |_| {
        let (joint, percepts) = random_step(&mut *runner, rng)?;
        Some(News::Percepts { action: joint[role.index()], percepts: percepts[role.index()].clone() })
    };
    (0..steps).map_while(step).collect()
}

/// The states to which the solver finds courses, all of them.
fn solved(machine: &dyn Machine, role: RoleId, news: &[News], seed: u64) -> BTreeSet<String> {
    let mut solver = machine.course_solver(Some(seed), &Budget::unlimited()).unwrap();
    for news in news {
        solver.add_step(&KnownStep { role, news, is_passed_over: false }).unwrap();
    }
    let mut found = BTreeSet::new();
    let mut runner = machine.runner(&Budget::unlimited());
    loop {
        match solver.find_other(&[], u64::MAX).unwrap() {
            CourseAnswer::Unknown => panic!("there is no limit"),
            CourseAnswer::None => return found,
            CourseAnswer::Found(course) => {
                runner.set(machine.initial()).unwrap();
                assert_eq!(course.len(), news.len());
                for (joint, news) in course.iter().zip(news) {
                    runner.step(joint).unwrap();
                    let News::Percepts { action, percepts } = news else { unreachable!() };
                    assert_eq!(machine.signature().action(joint[role.index()]), *action);
                    assert_eq!(runner.percepts(role), percepts);
                }
                let mut state = State::default();
                runner.save(&mut state);
                assert!(found.insert(text(machine, &state)), "every state once");
            }
        }
    }
}

#[test]
fn the_solver_finds_all_states_that_fit_and_no_others() {
    let (mut compared, mut several, mut none) = (0, 0, 0);
    for seed in seeds(120) {
        let (machine, rules) = random_game(seed);
        let mut rng = Rng::from_seed(seed);
        let role = RoleId(rng.below(machine.signature().roles().len() as u64) as u32);
        let mut news = random_news(&*machine, role, 3, &mut rng);
        if seed % 2 == 0 {
            // What was seen in another match, which often contradicts the moves.
            let other = random_news(&*machine, role, 3, &mut rng);
            for (news, other) in news.iter_mut().zip(other) {
                if let (News::Percepts { percepts, .. }, News::Percepts { percepts: other, .. }) =
                    (news, other)
                {
                    *percepts = other;
                }
            }
        }
        let mut runner = machine.runner(&Budget::unlimited());
        let Some(all) = all_states(&mut *runner, machine.initial(), role, &news) else { continue };
        let expected: BTreeSet<String> = all.iter().map(|(state, _)| text(&*machine, state)).collect();
        if expected.len() > 500 {
            continue;
        }
        assert_eq!(solved(&*machine, role, &news, seed), expected, "seed {seed}\n{rules}");
        compared += 1;
        several += usize::from(expected.len() > 1);
        none += usize::from(expected.is_empty());
    }
    assert!(compared > 80 && several > 10 && none > 5, "{compared} {several} {none}");
}

/// Chance chooses sixteen letters in secret. Then `me` sees at once between which of them there is a difference, and
/// whether the first is the last: two of 65 536 courses fit.
const LETTERS: &str = "
    (role me) (role random) (init (step 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
    (succ 9 10) (succ 10 11) (succ 11 12) (succ 12 13) (succ 13 14) (succ 14 15) (succ 15 16) (succ 16 17) (succ 17 18)
    (letter a) (letter b) (legal me wait)
    (<= late (true (step 16))) (<= late (true (step 17)))
    (<= (legal random (choose ?v)) (letter ?v) (not late)) (<= (legal random noop) late)
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= (next (chosen ?n ?v)) (true (step ?n)) (does random (choose ?v)))
    (<= (next (chosen ?n ?v)) (true (chosen ?n ?v)))
    (<= (sees me (differ ?n)) (true (step 16)) (succ ?n ?m) (true (chosen ?n ?v)) (true (chosen ?m ?w))
        (distinct ?v ?w))
    (<= (sees me same) (true (step 16)) (true (chosen 0 ?v)) (true (chosen 15 ?v)))
    (<= terminal (true (step 18))) (goal me 100)";

/// What `me` was told when the letters differ at these places.
fn letters_seen(machine: &dyn Machine, different: &[u32], same: bool) -> Vec<News> {
    let terms = machine.signature().terms();
    let wait = terms.constant("wait");
    let differ = |n: &u32| read_term(terms, &format!("(differ {n})")).unwrap();
    let mut percepts: Vec<TermId> = different.iter().map(differ).collect();
    percepts.extend(same.then(|| terms.constant("same")));
    percepts.sort_by(|&a, &b| terms.compare(a, b));
    let step = |percepts| News::Percepts { action: wait, percepts };
    (0..16).map(|_| step(Vec::new())).chain([step(percepts)]).collect()
}

fn letters_game() -> GameProgram {
    program("letters", LETTERS, Some(Notation::Prefix)).unwrap()
}

fn told(machine: &Arc<dyn Machine>, news: &[News], options: BeliefOptions) -> Belief {
    let mut belief = Belief::new(Arc::clone(machine), RoleId(0), options);
    news.iter().for_each(|news| belief.observe(news));
    belief
}

fn few(seed: u64) -> BeliefOptions {
    BeliefOptions { limit: 10, expansions: 20, replays: 40, seed, ..BeliefOptions::default() }
}

#[test]
fn the_solver_finds_what_searching_through_the_past_does_not() {
    let game = letters_game();
    let net: Arc<dyn Machine> = Arc::from(net_machine(&game).unwrap());
    let rules: Arc<dyn Machine> = Arc::from(rule_machine(&game).unwrap());
    let news = letters_seen(&*net, &[0, 3, 4, 9], true);
    for seed in 0..5 {
        let budget = Budget::unlimited();
        let without = BeliefOptions { conflicts: 0, ..few(seed) };
        assert_eq!(told(&net, &news, without.clone()).update(&budget), Err(BeliefError::Lost));
        let on_rules = letters_seen(&*rules, &[0, 3, 4, 9], true);
        assert_eq!(told(&rules, &on_rules, few(seed)).update(&budget), Err(BeliefError::Lost));
        let mut belief = told(&net, &news, few(seed));
        belief.update(&budget).unwrap();
        assert_eq!(belief.states().len(), 2, "a b b b a b b b b b and six a, and the other way round");
        assert!(!belief.is_exact(), "what was found is not said to be all");
        // Who goes on whatever it is told need not pass anything over.
        let mut player = told(&net, &news, BeliefOptions { forgiving: true, ..few(seed) });
        player.update(&budget).unwrap();
        assert_eq!((player.contradictions(), player.states().len()), (0, 2));
        let mut player = told(&net, &news, BeliefOptions { forgiving: true, ..without });
        player.update(&budget).unwrap();
        assert_eq!(player.contradictions(), 1);
    }
}

#[test]
fn the_solver_tells_that_nothing_fits() {
    let machine: Arc<dyn Machine> = Arc::from(net_machine(&letters_game()).unwrap());
    // With an odd number of differences the first is not the last.
    let news = letters_seen(&*machine, &[0, 3, 4], true);
    let budget = Budget::unlimited();
    assert_eq!(told(&machine, &news, few(1)).update(&budget), Err(BeliefError::Impossible));
    let mut player = told(&machine, &news, BeliefOptions { forgiving: true, ..few(1) });
    player.update(&budget).unwrap();
    assert_eq!(player.contradictions(), 1, "only then is the step passed over");
}

#[test]
fn a_seed_finds_the_same_states_again() {
    let machine: Arc<dyn Machine> = Arc::from(net_machine(&letters_game()).unwrap());
    let news = &letters_seen(&*machine, &[0, 3, 4, 9], true)[..16];
    let found = |seed| {
        let mut solver = machine.course_solver(Some(seed), &Budget::unlimited()).unwrap();
        for news in news {
            solver.add_step(&KnownStep { role: RoleId(0), news, is_passed_over: false }).unwrap();
        }
        (0..20).map(|_| solver.find_other(&[], u64::MAX).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(found(1), found(1));
    assert_ne!(found(1), found(2));
    // Each letter is now this and now that.
    let courses = found(3);
    for step in 0..16 {
        let moves: BTreeSet<u32> = courses
            .iter()
            .map(|answer| match answer {
                CourseAnswer::Found(course) => course[step][1].0,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(moves.len(), 2, "letter {step}");
    }
}

/// What is certain by a sample and the solver is what is certain by all states.
#[test]
fn what_is_proved_of_a_sample_is_certain() {
    let (mut states, mut proved, mut sampled) = (0, 0, 0);
    for seed in seeds(100) {
        let (machine, rules) = random_game(seed);
        let mut rng = Rng::from_seed(seed);
        let role = RoleId(rng.below(machine.signature().roles().len() as u64) as u32);
        let news = random_news(&*machine, role, 4, &mut rng);
        let budget = Budget::unlimited();
        let many = BeliefOptions { limit: 20_000, expansions: 50_000, ..BeliefOptions::default() };
        let some = BeliefOptions { limit: 2, expansions: 6, seed, ..BeliefOptions::default() };
        let [mut whole, mut sample] = [many, some].map(|options| Belief::new(machine.clone(), role, options));
        for news in &news {
            whole.observe(news);
            sample.observe(news);
            whole.update(&budget).unwrap();
            if !whole.is_exact() {
                break;
            }
            states += whole.states().len();
            let certain = sample.certain(&budget).unwrap();
            let expected = whole.certain(&budget).unwrap();
            if !sample.is_exact() {
                sampled += 1;
                assert!(certain.is_all, "seed {seed}: there is no limit\n{rules}");
                assert!(sample.states().iter().all(|state| whole.states().contains(state)));
            }
            assert_eq!(certain.facts, expected.facts, "seed {seed}\n{rules}");
            assert_eq!(certain.moves, expected.moves, "seed {seed}\n{rules}");
            assert_eq!(certain.is_over, expected.is_over, "seed {seed}\n{rules}");
            proved += certain.facts.len() + certain.moves.len();
        }
    }
    println!("{proved} claims proved of {states} states");
    assert!(states > 500 && sampled > 50 && proved > 500, "{states} {sampled} {proved}");
}
