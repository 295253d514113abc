use std::collections::HashMap;

use ludex_game::{ActionId, Goal, Rng, RoleId, Rules, Runner, State};
use ludex_logic::{Budget, TermId};
use ludex_testkit::generate::{Knobs, generate};
use ludex_testkit::{playable, playable_bundled, seeds};

use super::{Knows, Question, RoleKnowledge, RoleKnowledgeOptions};
use crate::Subject;

/// What is found by pairs of states, and by the solver alone.
fn both_ways(rules: &Rules, role: RoleId) -> [RoleKnowledge; 2] {
    let by_pairs = RoleKnowledgeOptions { few_pairs: 200_000, ..RoleKnowledgeOptions::default() };
    let by_solver = RoleKnowledgeOptions { few_pairs: 0, most_steps: 20, ..RoleKnowledgeOptions::default() };
    [by_pairs, by_solver].map(|options| {
        let found = RoleKnowledge::find(&Subject::new(rules), role, &options, &Budget::unlimited());
        for question in Question::ALL {
            if let Knows::NotAlways(courses) = found.about(question) {
                assert_eq!(courses.differ_in(rules, role, question), Ok(true), "{question:?}: {courses:?}");
            }
        }
        found
    })
}

/// Whether a role always knows the answers, where that is decided.
fn answers(known: &RoleKnowledge) -> [Option<bool>; 3] {
    Question::ALL.map(|question| match known.about(question) {
        Knows::Always => Some(true),
        Knows::NotAlways(_) => Some(false),
        Knows::Undecided(_) => None,
    })
}

fn of_text(text: &str, role: &str) -> [[Option<bool>; 3]; 2] {
    let rules = playable("test.kif", text).unwrap();
    let role = rules.find_role(role).unwrap();
    both_ways(&rules, role).map(|known| answers(&known))
}

/// Chance opens a door or not; what follows from that is put in for `RULES`.
const DOOR: &str = "(role me) (role random) (init first) (legal me wait)
    (<= (legal random open) (true first)) (<= (legal random leave) (true first))
    (<= (legal random noop) (not (true first)))
    (<= (next opened) (does random open)) (<= (next opened) (true opened))
    (<= (next second) (true first)) (<= (next third) (true second))";

#[test]
fn a_move_that_depends_on_what_is_hidden() {
    let hidden = format!(
        "{DOOR} (<= (legal me go) (true opened)) (<= terminal (true third)) (goal me 100)
         (<= (sees me nothing) (true third))"
    );
    assert_eq!(of_text(&hidden, "me"), [[Some(false), Some(true), Some(true)]; 2]);
    let seen = format!("{hidden} (<= (sees me opened) (does random open))");
    assert_eq!(of_text(&seen, "me"), [[Some(true); 3]; 2]);
    // Too late for the second step, in which it may go.
    let late = format!("{hidden} (<= (sees me opened) (true second) (true opened))");
    assert_eq!(of_text(&late, "me"), [[Some(false), Some(true), Some(true)]; 2]);
}

#[test]
fn an_end_and_a_result_that_depend_on_what_is_hidden() {
    let end = format!(
        "{DOOR} (<= terminal (true second) (true opened)) (<= terminal (true third)) (goal me 100)
         (<= (sees me nothing) (true third))"
    );
    assert_eq!(of_text(&end, "me"), [[Some(true), Some(false), Some(true)]; 2]);
    let result = format!(
        "{DOOR} (<= terminal (true third)) (<= (goal me 100) (true opened)) (<= (goal me 0) (not (true opened)))
         (<= (sees me nothing) (true third))"
    );
    assert_eq!(of_text(&result, "me"), [[Some(true), Some(true), Some(false)]; 2]);
}

#[test]
fn the_courses_are_shortest_and_look_the_same() {
    let text = format!(
        "{DOOR} (<= (legal me go) (true opened)) (<= terminal (true third)) (goal me 100)
         (<= (sees me nothing) (true third))"
    );
    let rules = playable("test.kif", &text).unwrap();
    for known in both_ways(&rules, RoleId(0)) {
        let Knows::NotAlways(courses) = &known.moves else { panic!("{known:?}") };
        let mut texts = [&courses.one, &courses.other].map(|course| course.texts(&rules));
        texts.sort();
        let expected = [["wait", "leave"], ["wait", "open"]];
        assert_eq!(texts, expected.map(|joint| vec![joint.map(str::to_owned).to_vec()]));
    }
}

/// A game that need not end is proved by induction, for which its length is nothing.
#[test]
fn games_without_a_longest_course_are_proved_by_induction() {
    let text = "(role me) (role random) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 0)
        (legal random a) (legal random b) (<= (next coin) (does random a))
        (<= (legal me (go ?n)) (true (at ?m)) (succ ?m ?n)) (legal me stop)
        (<= (next (at ?n)) (does me (go ?n))) (<= (next (at ?n)) (true (at ?n)) (does me stop))
        (<= (next stopped) (does me stop)) (<= terminal (true stopped))
        (<= (goal me 100) (true coin)) (<= (goal me 0) (not (true coin))) (<= (sees me x) (does me x))";
    assert_eq!(of_text(text, "me"), [[Some(true), Some(true), Some(false)]; 2]);
}

#[test]
fn bundled_games() {
    let known = |name: &str, role: &str| {
        let rules = playable_bundled(name).unwrap();
        let role = rules.find_role(role).unwrap();
        let options = RoleKnowledgeOptions { most_steps: 6, ..RoleKnowledgeOptions::default() };
        answers(&RoleKnowledge::find(&Subject::new(&rules), role, &options, &Budget::unlimited()))
    };
    assert_eq!(known("monty-hall", "candidate"), [Some(true); 3]);
    assert_eq!(known("exploding-bomb", "agent")[..2], [Some(true); 2]);
    // Who is refused a cell may try others, and what black has set is not seen.
    assert_eq!(known("blind-tic-tac-toe", "white")[..2], [Some(true), Some(false)]);
}

/// What a role was told so far.
type History = Vec<(ActionId, Vec<TermId>)>;

/// The states that can be reached, by what the role was told; `None` where there are too many courses.
fn information_sets(rules: &Rules, role: RoleId) -> Option<Vec<HashMap<History, Vec<State>>>> {
    let mut runner = rules.machine().runner(&Budget::unlimited());
    let mut levels: Vec<HashMap<History, Vec<State>>> =
        vec![HashMap::from([(History::new(), vec![rules.initial().clone()])])];
    let mut made = 0;
    while let Some(last) = levels.last().filter(|last| !last.is_empty()) {
        let mut next: HashMap<History, Vec<State>> = HashMap::new();
        for (history, states) in last {
            for state in states {
                for joint in joints(&mut *runner, state) {
                    made += 1;
                    runner.set(state).unwrap();
                    runner.step(&joint).unwrap();
                    let seen = (joint[role.index()], runner.percepts(role).to_vec());
                    let mut after = State::default();
                    runner.save(&mut after);
                    let set = next.entry([&history[..], &[seen]].concat()).or_default();
                    if !set.contains(&after) {
                        set.push(after);
                    }
                }
            }
            if made > 30_000 {
                return None;
            }
        }
        levels.push(next);
    }
    Some(levels)
}

fn joints(runner: &mut dyn Runner, state: &State) -> Vec<Vec<ActionId>> {
    runner.set(state).unwrap();
    if runner.terminal().unwrap() {
        return Vec::new();
    }
    let mut joints = vec![Vec::new()];
    for role in 0..runner.signature().roles().len() as u32 {
        let legal = runner.legal(RoleId(role)).unwrap().to_vec();
        let longer = |joint: &Vec<ActionId>| {
            legal.iter().map(|&action| [&joint[..], &[action]].concat()).collect::<Vec<_>>()
        };
        joints = joints.iter().flat_map(longer).collect();
    }
    joints
}

/// Whether a state is terminal, the legal moves and the goal value of a role.
type Looked = (bool, Vec<ActionId>, Option<Goal>);

/// Plainly: whether the role can answer each question in all information sets.
fn plainly(rules: &Rules, role: RoleId) -> Option<[Option<bool>; 3]> {
    let mut runner = rules.machine().runner(&Budget::unlimited());
    let mut knows = [true; 3];
    for set in information_sets(rules, role)?.iter().flat_map(HashMap::values) {
        let mut look = |state: &State| {
            runner.set(state).unwrap();
            let over = runner.terminal().unwrap();
            (over, runner.legal(role).unwrap().to_vec(), runner.goal(role).unwrap())
        };
        let looked: Vec<Looked> = set.iter().map(&mut look).collect();
        let same = |values: Vec<String>| values.windows(2).all(|pair| pair[0] == pair[1]);
        let of = |over, say: fn(&Looked) -> String| {
            looked.iter().filter(|found| found.0 == over).map(say).collect::<Vec<_>>()
        };
        knows[0] &= same(of(false, |found| format!("{:?}", found.1)));
        knows[1] &= same(looked.iter().map(|found| found.0.to_string()).collect());
        knows[2] &= same(of(true, |found| format!("{:?}", found.2)));
    }
    Some(knows.map(Some))
}

/// A random game of two roles that each see a few propositions, and in which moves, the end and the goals may depend on any.
fn random_rules(seed: u64) -> String {
    let mut rng = Rng::from_seed(seed);
    let count = 2 + rng.below(3);
    let mut text = "(init (s 1)) (<= (next (s 2)) (true (s 1))) (<= (next (s 3)) (true (s 2))) (<= terminal (true (s 3)))
        (role a) (role b) (legal a x) (legal b x)\n"
        .to_owned();
    let literal = |rng: &mut Rng| {
        let positive = format!("(true p{})", rng.below(count));
        if rng.below(3) == 0 { format!("(not {positive})") } else { positive }
    };
    for role in ["a", "b"] {
        let (legal, won) = (literal(&mut rng), literal(&mut rng));
        let always = if rng.below(2) == 0 { "(role b)" } else { &legal };
        text += &format!("(<= (legal {role} y) {always})\n(<= (goal {role} 100) {won})\n");
        text += &format!("(<= (goal {role} 0) (not {won}))\n");
        for number in 0..rng.below(count + 1) {
            let seen = literal(&mut rng);
            text += &format!(
                "(<= (sees {role} {number}) {seen} (does a x))\n(<= (sees {role} {number}) {seen} (does a y))\n"
            );
        }
    }
    text += "(<= (sees a never) (true never)) (<= (next never) (true never))\n";
    for number in 0..count {
        if rng.below(2) == 0 {
            text += &format!("(init p{number})\n");
        }
        let (role, action) = (["a", "b"][rng.below(2) as usize], ["x", "y"][rng.below(2) as usize]);
        text += &format!("(<= (next p{number}) {} (does {role} {action}))\n", literal(&mut rng));
        text += &format!("(<= (next p{number}) (true p{number}) {})\n", literal(&mut rng));
    }
    if rng.below(3) == 0 {
        text += &format!("(<= terminal (true (s 2)) {})\n", literal(&mut rng));
    }
    text
}

#[test]
fn random_games_beside_all_information_sets() {
    let (mut compared, mut unknown, mut known, mut undecided) = (0, [0; 3], [0; 3], 0);
    let games = seeds(60).flat_map(|seed| {
        let knobs = Knobs { sees: true, steps: 3, ..Knobs::from_seed(seed) };
        [(seed, generate(seed, &knobs).to_string()), (seed, random_rules(seed))]
    });
    for (seed, text) in games {
        let rules = playable("random.kif", &text).unwrap();
        for role in rules.seats() {
            let Some(expected) = plainly(&rules, role) else { continue };
            let [by_pairs, by_solver] = both_ways(&rules, role).map(|known| answers(&known));
            assert_eq!(by_pairs, expected, "seed {seed} {role:?}\n{text}");
            for question in 0..3 {
                match by_solver[question] {
                    None => undecided += 1,
                    found => assert_eq!(found, expected[question], "seed {seed} {role:?} {question}\n{text}"),
                }
                unknown[question] += usize::from(expected[question] == Some(false));
                known[question] += usize::from(expected[question] == Some(true));
            }
            compared += 1;
        }
    }
    println!("{compared} roles, unknown {unknown:?}, known {known:?}, undecided by the solver {undecided}");
    assert!(compared > 30 && undecided * 20 < compared, "{compared} {undecided}");
    assert!(unknown.iter().chain(&known).all(|&count| count > 3), "{unknown:?} {known:?}");
}
