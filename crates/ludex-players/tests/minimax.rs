//! Minimax and its kin (book chapter 6 and section 7.2) on trees made for the purpose, against the
//! plainest search there is, and where nothing ends.
//!
//! The figures of the book are missing from its text. The trees here hold what the text says about
//! them, and are our own otherwise.

use crate::matches;
use std::fmt::Write;
use std::sync::Arc;

use crate::matches::{Game, Ticks};
use ludex_game::{Answer, GameError, Machine, Rng, RoleId, State};
use ludex_gdl::Notation;
use ludex_logic::Budget;
use ludex_players::{
    Arena, Conservative, Explorer, Horizon, HorizonNode, Joints, MinimaxOptions, MinimaxSearch, Opponents,
    Pruning, Resources, SearchResult, create,
};
use ludex_testkit::generate::{Knobs, generate};
use ludex_testkit::{net_machine, program, seeds};

/// A game tree: max nodes. `Inner` has the goal value of its state, a row for each move of the player
/// (a min node), and in it a state for each reply.
enum Tree {
    Leaf(u32),
    Inner(u32, Vec<Vec<Tree>>),
}

use Tree::{Inner, Leaf};

/// A max node over leaves: a row for each min node.
fn leaves(rows: &[&[u32]]) -> Tree {
    Inner(0, rows.iter().map(|row| row.iter().copied().map(Leaf).collect()).collect())
}

/// The rules of a tree: both roles move at once, as in the book's programs. All rows of a node are
/// equally long.
fn rules_of(tree: &Tree) -> String {
    let mut text = "(role max) (role min) (init (at 0)) (<= (base (at ?n)) (node ?n)) \
        (<= (input ?p (go ?i)) (role ?p) (place ?i)) (<= (goal min 50) (node 0))\n"
        .to_owned();
    let mut places = 0;
    let mut waiting = vec![(0, tree)];
    let mut nodes = 1;
    while let Some((node, tree)) = waiting.pop() {
        let _ = writeln!(text, "(node {node})");
        let (Leaf(goal) | Inner(goal, _)) = tree;
        let _ = writeln!(text, "(<= (goal max {goal}) (true (at {node})))");
        let Inner(_, rows) = tree else {
            let _ = writeln!(text, "(<= terminal (true (at {node})))");
            continue;
        };
        for (row, replies) in rows.iter().enumerate() {
            let _ = writeln!(text, "(<= (legal max (go {row})) (true (at {node})))");
            for (reply, child) in replies.iter().enumerate() {
                if row == 0 {
                    let _ = writeln!(text, "(<= (legal min (go {reply})) (true (at {node})))");
                }
                let _ = writeln!(
                    text,
                    "(<= (next (at {nodes})) (true (at {node})) (does max (go {row})) (does min (go {reply})))"
                );
                waiting.push((nodes, child));
                nodes += 1;
            }
            places = places.max(rows.len()).max(replies.len());
        }
    }
    (0..places).for_each(|place| text.push_str(&format!("(place {place}) ")));
    text
}

fn game_of(tree: &Tree) -> Game {
    Game::from_rules(&rules_of(tree))
}

/// Searches from the initial state: the result and the nodes.
fn searched(
    machine: &Arc<dyn Machine>,
    role: u32,
    options: MinimaxOptions,
    horizon: &mut dyn Horizon,
    limit: Option<u32>,
) -> (SearchResult, u64) {
    let arena = Arena::new(Arc::clone(machine), RoleId(role), Resources::default());
    let mut explorer = Explorer::within(&arena, &Budget::unlimited());
    let mut search = MinimaxSearch::new(options);
    let result = search.run(&mut explorer, horizon, machine.initial(), limit, &mut |_| {}).unwrap();
    (result, search.nodes())
}

/// The value and the nodes of a tree.
fn value_of(tree: &Tree, pruning: Pruning) -> (f64, u64) {
    let options = MinimaxOptions { pruning, ..MinimaxOptions::default() };
    let (result, nodes) = searched(&game_of(tree).machine, 0, options, &mut Conservative, None);
    assert!(result.is_complete);
    (result.value, nodes)
}

const BOUNDED: Pruning = Pruning::Bounded { low: 0.0, high: 100.0 };
const WINNING: Pruning = Pruning::Bounded { low: 0.0, high: 51.0 };
const ALPHA_BETA: Pruning = Pruning::AlphaBeta { low: 0.0, high: 100.0 };

/// Section 6.2: the min nodes at the lower left of figure 6.2 have the values 1 and 3, the max node
/// above them 3, and so forth.
#[test]
fn values_are_backed_up_as_in_figure_6_2() {
    let left = || leaves(&[&[1, 2], &[3, 4]]);
    assert_eq!(value_of(&left(), Pruning::None), (3.0, 5));
    let tree = Inner(
        0,
        vec![
            vec![left(), leaves(&[&[5, 6], &[7, 8]])],
            vec![leaves(&[&[8, 1], &[2, 3]]), leaves(&[&[4, 5], &[6, 7]])],
        ],
    );
    // The min nodes below the top: the least of 3 and 7, and of 2 and 6.
    assert_eq!(value_of(&tree, Pruning::None), (3.0, 21));
    assert_eq!(value_of(&tree, BOUNDED), (3.0, 21));
}

/// Section 6.3: nothing is looked for after 100 at a max node or after 0 at a min node.
#[test]
fn bounds_end_the_search_of_a_node() {
    let after_zero = leaves(&[&[0, 80], &[40, 30]]);
    assert_eq!(value_of(&after_zero, Pruning::None), (30.0, 5));
    assert_eq!(value_of(&after_zero, BOUNDED), (30.0, 4));
    let after_hundred = leaves(&[&[100, 100], &[0, 100], &[7, 8]]);
    assert_eq!(value_of(&after_hundred, Pruning::None), (100.0, 7));
    assert_eq!(value_of(&after_hundred, BOUNDED), (100.0, 3));
    // Who only wants to win looks for no more than 51.
    let enough = leaves(&[&[50, 40], &[60, 55], &[100, 100]]);
    assert_eq!(value_of(&enough, Pruning::None), (100.0, 7));
    assert_eq!(value_of(&enough, WINNING), (55.0, 5));
}

/// Section 6.4: many values that are neither 0 nor 100.
#[test]
fn alpha_and_beta_leave_out_what_the_bounds_do_not() {
    // The second min node is at most 1, and the player has 5 already.
    let alpha = leaves(&[&[5, 6], &[1, 9]]);
    assert_eq!(value_of(&alpha, BOUNDED), (5.0, 5));
    assert_eq!(value_of(&alpha, ALPHA_BETA), (5.0, 4));
    // Below the first min node, the opponents hold the player to 3; the second max node has 7 by its
    // first move, and its other is not looked at.
    let beta = Inner(0, vec![vec![leaves(&[&[1, 2], &[3, 4]]), leaves(&[&[7, 8], &[5, 6]])]]);
    assert_eq!(value_of(&beta, BOUNDED), (3.0, 11));
    assert_eq!(value_of(&beta, ALPHA_BETA), (3.0, 9));
}

/// Problem 6.2: 1 to 16 at the leaves, each once, so that the top has the value 8.
#[test]
fn problem_6_2_has_this_solution() {
    let tree = Inner(
        0,
        vec![
            vec![leaves(&[&[8, 9], &[1, 10]]), leaves(&[&[11, 12], &[2, 13]])],
            vec![leaves(&[&[3, 14], &[4, 15]]), leaves(&[&[5, 16], &[6, 7]])],
        ],
    );
    assert_eq!(value_of(&tree, Pruning::None), (8.0, 21));
    let (value, nodes) = value_of(&tree, ALPHA_BETA);
    assert!(value == 8.0 && nodes < 21, "{nodes}");
}

/// Problem 7.1 for a tree of our own: one player, two moves each, four levels; 50 at the end of all.
#[test]
fn problem_7_1_for_a_binary_tree() {
    fn binary(levels: u32) -> Tree {
        match levels {
            0 => Leaf(50),
            _ => Inner(0, vec![vec![binary(levels - 1)], vec![binary(levels - 1)]]),
        }
    }
    let game = game_of(&binary(4));
    let options = MinimaxOptions { pruning: BOUNDED, ..MinimaxOptions::default() };
    let (whole, nodes) = searched(&game.machine, 0, options, &mut Conservative, None);
    assert_eq!((whole.value, nodes), (50.0, 31));
    let (limited, nodes) = searched(&game.machine, 0, options, &mut Conservative, Some(3));
    // All states of depth 3 count 0, which a max node does not stop at: 1 + 2 + 4 + 8 calls of maxscore.
    assert_eq!((limited.value, limited.is_complete, nodes), (0.0, false, 15));
    let (deep, nodes) = searched(&game.machine, 0, options, &mut Conservative, Some(4));
    assert_eq!((deep.value, deep.is_complete, nodes), (50.0, true, 31));
    // By iterative deepening: 3, then 7, then 15, then 31.
    let mut player = game.player("iterative-deepening:table=off:ordering=off", &Resources::default(), 0);
    let report = player.choose(&Budget::unlimited()).unwrap().report;
    assert_eq!(report.entry("nodes by depth"), Some("3 7 15 31"));
    assert_eq!((report.entry("nodes"), report.entry("value")), (Some("56"), Some("50")));
}

/// The goal value of the state, as a guide.
struct GoalValue;

impl Horizon for GoalValue {
    fn evaluate(&mut self, explorer: &mut Explorer<'_>, node: &HorizonNode<'_>, role: RoleId) -> Answer<f64> {
        Ok(f64::from(explorer.goal(&node.position.state, role)?))
    }
}

/// Problem 7.2 for a tree of our own: at depth 1 goal values look best where the end is worst.
#[test]
fn problem_7_2_goal_values_may_mislead() {
    let tree = Inner(
        10,
        vec![
            vec![Inner(80, vec![vec![Leaf(20), Leaf(10)]]), Inner(70, vec![vec![Leaf(30), Leaf(15)]])],
            vec![Inner(40, vec![vec![Leaf(60), Leaf(90)]]), Inner(30, vec![vec![Leaf(50), Leaf(55)]])],
        ],
    );
    assert_eq!(value_of(&tree, Pruning::None), (50.0, 13));
    let game = game_of(&tree);
    let options = MinimaxOptions { pruning: BOUNDED, ..MinimaxOptions::default() };
    let (result, nodes) = searched(&game.machine, 0, options, &mut GoalValue, Some(1));
    assert_eq!((result.value, nodes), (70.0, 5));
    let first = game.machine.signature().text(game.machine.signature().action(result.joint[0]));
    assert_eq!(first, "(go 0)");
}

/// The book's subroutines as they stand, for any number of roles; chance is averaged. `None` where it
/// takes too many calls, or where a role is stuck.
struct Plain<'a> {
    explorer: Explorer<'a>,
    role: RoleId,
    calls: u64,
}

impl Plain<'_> {
    fn max_score(&mut self, state: &State, levels: Option<u32>) -> Option<f64> {
        self.calls += 1;
        let position = self.explorer.open(state).unwrap();
        if position.terminal {
            return Some(f64::from(self.explorer.goal(state, self.role).unwrap()));
        }
        if levels == Some(0) {
            return Some(0.0);
        }
        if self.calls > 3_000 || position.legal.iter().any(Vec::is_empty) {
            return None;
        }
        let chance = self.explorer.random().filter(|&random| random != self.role);
        let mut best = f64::NEG_INFINITY;
        for &action in &position.legal[self.role.index()] {
            let mut worst = f64::INFINITY;
            let mut others = position.clone();
            if let Some(random) = chance {
                others.legal[random.index()].truncate(1);
            }
            let mut replies = Joints::replies(&others, self.role, action);
            while let Some(joint) = replies.next() {
                let mut joint = joint.to_vec();
                let rolls = chance.map_or(vec![action], |random| position.legal[random.index()].clone());
                let mut sum = 0.0;
                for &roll in &rolls {
                    if let Some(random) = chance {
                        joint[random.index()] = roll;
                    }
                    let next = self.explorer.successor(state, &joint).unwrap();
                    sum += self.max_score(&next, levels.map(|levels| levels - 1))?;
                }
                worst = worst.min(sum / rolls.len() as f64);
            }
            best = best.max(worst);
        }
        Some(best)
    }
}

/// On random games, also with several roles, simultaneous moves and chance.
#[test]
fn all_searches_agree_with_the_plain_one() {
    let mut compared = 0;
    for seed in seeds(60) {
        let knobs = Knobs { steps: 3 + (seed % 3) as u32, size: 1, ..Knobs::from_seed(seed) };
        let rules = generate(seed, &knobs).to_string();
        let program = program("random", &rules, Some(Notation::Prefix)).unwrap();
        let Ok(machine) = net_machine(&program) else { continue };
        let machine: Arc<dyn Machine> = Arc::new(machine);
        for role in 0..machine.signature().roles().len() as u32 {
            for limit in [None, Some(2)] {
                compared += u32::from(agrees_with_plain(&machine, role, limit, seed));
            }
        }
    }
    assert!(compared >= 60, "only {compared} searches were compared");
}

fn agrees_with_plain(machine: &Arc<dyn Machine>, role: u32, limit: Option<u32>, seed: u64) -> bool {
    let arena = Arena::new(Arc::clone(machine), RoleId(role), Resources::default());
    let explorer = Explorer::within(&arena, &Budget::unlimited());
    if explorer.random() == Some(RoleId(role)) {
        return false;
    }
    let mut plain = Plain { explorer, role: RoleId(role), calls: 0 };
    let Some(expected) = plain.max_score(machine.initial(), limit) else { return false };
    let tables = [0, 1 << 20];
    for (pruning, ordering) in
        [(Pruning::None, false), (BOUNDED, false), (ALPHA_BETA, false), (ALPHA_BETA, true)]
    {
        for table_bytes in tables {
            let options = MinimaxOptions { pruning, ordering, table_bytes, ..MinimaxOptions::default() };
            let (result, nodes) = searched(machine, role, options, &mut Conservative, limit);
            let what = format!("seed {seed}, role {role}, limit {limit:?}, {options:?}");
            assert!((result.value - expected).abs() < 1e-9, "{what}: {} for {expected}", result.value);
            assert!(nodes <= plain.calls, "{what}: {nodes} nodes for {}", plain.calls);
            if pruning == Pruning::None && table_bytes == 0 {
                assert_eq!(nodes, plain.calls, "{what}");
            }
        }
    }
    true
}

/// Both roles go for themselves where the book expects the worst; and of what they like equally they
/// do what is worse for the player.
#[test]
fn opponents_may_want_something_of_their_own() {
    let rules = "(role you) (role other) (init start) (legal you a) (legal you b)
        (legal other x) (legal other y) (<= (next (end ?a ?b)) (does you ?a) (does other ?b))
        (<= terminal (true (end ?a ?b))) (pays a x 0 10) (pays a y 80 90) (pays b x 30 20) (pays b y 40 20)
        (<= (goal you ?n) (true (end ?a ?b)) (pays ?a ?b ?n ?m))
        (<= (goal other ?m) (true (end ?a ?b)) (pays ?a ?b ?n ?m))
        (<= (goal ?p 0) (role ?p) (true start))";
    let game = Game::from_rules(rules);
    for (opponents, value, values) in [
        (Opponents::Paranoid, 30.0, vec![]),
        (Opponents::Coalition, 80.0, vec![80.0, 90.0]),
        (Opponents::MaxN, 80.0, vec![80.0, 90.0]),
    ] {
        for pruning in [Pruning::None, ALPHA_BETA] {
            let options = MinimaxOptions { opponents, pruning, ..MinimaxOptions::default() };
            let (result, _) = searched(&game.machine, 0, options, &mut Conservative, None);
            assert_eq!((result.value, &result.values), (value, &values), "{opponents:?}");
        }
    }
}

/// Going round is possible for ever; leaving brings 60.
const ROUND: &str = "(role you) (role other) (init (at a)) (legal other noop)
    (<= (legal you go) (true (at a))) (<= (legal you stay) (true (at a)))
    (<= (legal you back) (true (at b))) (<= (legal you leave) (true (at b)))
    (<= (next (at b)) (true (at a)) (does you go)) (<= (next (at a)) (true (at a)) (does you stay))
    (<= (next (at a)) (true (at b)) (does you back)) (<= (next (at c)) (true (at b)) (does you leave))
    (<= terminal (true (at c))) (<= (goal you 60) (true (at c))) (<= (goal other 40) (true (at c)))
    (<= (goal ?p 50) (role ?p) (not (true (at c))))";

/// Two roles turn a lock of 24 bits, of which one is set in each step: no state comes again for
/// millions of steps.
fn long_game() -> String {
    let mut text = "(role you) (role other) (legal other noop) (legal you count) (legal you wait)
        (init (bit 0 off)) (<= terminal (true (bit 23 on))) (<= (goal ?p 50) (role ?p))
        (<= (carry 0) (does you ?a)) (<= (carry ?j) (succ ?i ?j) (carry ?i) (true (bit ?i on)))
        (<= (next (bit ?i on)) (carry ?i) (true (bit ?i off)))
        (<= (next (bit ?i off)) (carry ?i) (true (bit ?i on)))
        (<= (next (bit ?i ?v)) (true (bit ?i ?v)) (not (carry ?i)))
        (<= (next (waited)) (does you wait)) (init (waited))"
        .to_owned();
    (1..24).for_each(|bit| text.push_str(&format!("(init (bit {bit} off)) (succ {} {bit}) ", bit - 1)));
    text
}

const STRATEGIES: [&str; 6] = [
    "minimax",
    "bounded-minimax:high=51",
    "alpha-beta:opponents=max-n",
    "alpha-beta:table=off",
    "depth-limited:depth=4",
    "iterative-deepening",
];

#[test]
fn games_that_go_round_or_on_for_ever_are_played() {
    let round = Game::from_rules(ROUND);
    for strategy in STRATEGIES {
        let (action, choice) = round.choice(strategy, 1, 0, &[]);
        assert_eq!(action, "go", "{strategy}");
        assert_eq!(choice.report.entry("value").unwrap_or("60"), "60", "{strategy}");
        // To a fixed depth it is as good to go round first, as long as there is depth for it.
        let second = if strategy.starts_with("depth-limited") { "back" } else { "leave" };
        let (action, _) = round.choice(strategy, 1, 0, &[&["go", "_"]]);
        assert_eq!(action, second, "{strategy}");
    }
    let long = Game::from_rules(&long_game());
    for strategy in STRATEGIES {
        let mut player = long.player(strategy, &Resources { memory: 1 << 20, ..Resources::default() }, 0);
        player.choose(&Budget::unlimited().with_work(2_000_000)).unwrap();
    }
}

#[test]
fn without_time_there_is_a_legal_move_and_no_failure() {
    let game = Game::bundled("gdl/connect-four.kif");
    for strategy in STRATEGIES {
        for ticks in [0, 1, 3, 20] {
            let mut player = game.player(strategy, &Resources::default(), 0);
            let choice = player.choose(&Ticks::budget(ticks)).unwrap();
            assert_ne!(game.machine.signature().find_action(choice.action), None, "{strategy}");
        }
    }
}

/// What was found before a limit is told: with a win as the first move, nothing else is needed.
#[test]
fn the_best_move_so_far_is_known_when_a_limit_stops_the_search() {
    let tree = Inner(
        0,
        vec![vec![Leaf(20)], vec![Leaf(70)], vec![Inner(0, (0..2).map(|_| vec![Leaf(0)]).collect())]],
    );
    let game = game_of(&tree);
    let mut player = create("minimax", &Resources::default()).unwrap();
    player.prepare(game.seat(0), &Budget::unlimited()).unwrap();
    // Enough for the top and two of its moves.
    let choice = player.choose(&Budget::unlimited().with_work(3 * 64)).unwrap();
    assert_eq!(game.machine.signature().text(choice.action), "(go 1)");
    assert_eq!(choice.report.entry("nodes"), Some("4"));
}

#[test]
fn a_limit_is_passed_on() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let arena = Arena::new(Arc::clone(&game.machine), RoleId(0), Resources::default());
    let mut explorer = Explorer::within(&arena, &Budget::unlimited().with_work(640));
    let mut search = MinimaxSearch::new(MinimaxOptions::alpha_beta(1 << 16));
    let state = game.machine.initial();
    let stopped = search.run(&mut explorer, &mut Conservative, state, None, &mut |_| {});
    assert!(matches!(stopped, Err(GameError::Limit(_))));
    assert_eq!(search.nodes(), 11);
    // What was remembered does no harm to a later run.
    let mut explorer = Explorer::within(&arena, &Budget::unlimited());
    let result = search.run(&mut explorer, &mut Conservative, state, None, &mut |_| {}).unwrap();
    assert_eq!(result.value, 50.0);
}

#[test]
fn whole_games_are_played_by_every_strategy() {
    for name in ["gdl/tic-tac-toe.kif", "gdl/three-player-tic-tac-toe.kif", "gdl-ii/monty-hall.gdl"] {
        let game = Game::bundled(name);
        // Minimax of three roles would search to the limit of nodes in most states.
        let deep = if game.roles() > 2 { "alpha-beta" } else { "minimax" };
        for strategy in [deep, "iterative-deepening:opponents=coalition", "depth-limited:depth=2"] {
            let players = vec![strategy; game.roles()];
            let resources = Resources { memory: 1 << 24, ..Resources::from_seed(5) };
            let played = matches::play(&game, &players, &resources, 40);
            assert!(!played.goals.is_empty(), "{name} {strategy}");
            if name.ends_with("/tic-tac-toe.kif") && strategy == deep {
                assert_eq!(played.goals, [50, 50]);
            }
        }
    }
}

/// A game on a graph that may go round: the goal of each state that ends it, and of the others where
/// each of two moves and two replies leads.
type Graph = Vec<Result<u32, [[usize; 2]; 2]>>;

fn random_graph(seed: u64) -> Graph {
    let mut rng = Rng::from_seed(seed);
    let mut place = |below: u64| rng.below(below) as usize;
    let states = 4 + place(4);
    (0..states)
        .map(|state| match place(3) {
            0 if state > 0 => Ok([0, 30, 50, 70, 100][place(5)]),
            _ => Err([(); 2].map(|()| [(); 2].map(|()| place(states as u64)))),
        })
        .collect()
}

fn rules_of_graph(graph: &Graph) -> String {
    let mut text = "(role max) (role min) (init (at 0)) (goal min 50) (<= (base (at ?n)) (node ?n))
        (<= (input ?p (go ?i)) (role ?p) (place ?i)) (place 0) (place 1)
        (<= (legal ?p (go ?i)) (role ?p) (place ?i))
        (<= (next (at ?m)) (true (at ?n)) (does max (go ?i)) (does min (go ?j)) (edge ?n ?i ?j ?m))
        (<= terminal (true (at ?n)) (end ?n ?v)) (<= (goal max ?v) (true (at ?n)) (end ?n ?v))
        (end none 0) (edge none 0 0 none)\n"
        .to_owned();
    for (state, node) in graph.iter().enumerate() {
        let _ = writeln!(text, "(node {state})");
        match node {
            Ok(goal) => text.push_str(&format!("(end {state} {goal}) ")),
            Err(edges) => {
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let _ = write!(text, "(edge {state} {i} {j} {}) ", edges[i][j]);
                }
            }
        }
    }
    text
}

/// What the player can reach for sure in a game that ends: the least solution of the equations.
fn least_value(graph: &Graph) -> u32 {
    let mut values = vec![0; graph.len()];
    for _ in 0..graph.len() * 5 {
        let worst = |replies: &[usize; 2]| values[replies[0]].min(values[replies[1]]);
        values = graph
            .iter()
            .map(|node| match node {
                Ok(goal) => *goal,
                Err([first, second]) => worst(first).max(worst(second)),
            })
            .collect();
    }
    values[0]
}

#[test]
fn what_goes_round_counts_nothing_whatever_is_pruned_or_remembered() {
    let mut reached = [false; 2];
    for seed in seeds(60) {
        let graph = random_graph(seed);
        let expected = least_value(&graph);
        reached[usize::from(expected > 0)] = true;
        let game = Game::from_rules(&rules_of_graph(&graph));
        for (pruning, ordering) in [(Pruning::None, false), (BOUNDED, false), (ALPHA_BETA, true)] {
            for table_bytes in [0, 1 << 16] {
                let options = MinimaxOptions { pruning, ordering, table_bytes, ..MinimaxOptions::default() };
                let (result, _) = searched(&game.machine, 0, options, &mut Conservative, None);
                assert_eq!(result.value, f64::from(expected), "seed {seed}, {options:?}\n{graph:?}");
                assert!(result.is_complete);
            }
        }
    }
    assert_eq!(reached, [true; 2]);
}

#[test]
fn options_that_cannot_be_read_are_refused() {
    let resources = Resources::default();
    for (text, said) in [
        ("minimax:opponents=kind", "`kind` is not a value for the option `opponents` of `minimax`"),
        ("bounded-minimax:high=much", "`much` is not a value for the option `high` of `bounded-minimax`"),
        ("depth-limited:depth=-1", "`-1` is not a value for the option `depth` of `depth-limited`"),
        ("alpha-beta:table=1", "`1` is not a value for the option `table` of `alpha-beta`"),
    ] {
        assert_eq!(create(text, &resources).err().map(|error| error.to_string()).as_deref(), Some(said));
    }
}
