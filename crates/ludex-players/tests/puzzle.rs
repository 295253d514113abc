//! The strategy `puzzle`: what it solves, what it proves, and that nothing stops it from answering.

use std::path::Path;
use std::sync::Arc;

use ludex_analysis::Subject;
use ludex_game::{ActionId, Goal, Machine, RoleId, State};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::Budget;
use ludex_players::{BackgroundAnalysis, Choice, News, Resources, Seat, create};
use ludex_testkit::corpus::Corpus;
use ludex_testkit::{bundled, net_machine, playable_bundled, program, program_of, rule_machine};

/// Steps of inference that one state costs.
const STATE: u64 = 64;

/// A ring of twelve places without a clock: the seventh is the goal.
const RING: &str = "role(walker)
    base(at(X)) :- after(X,Y)
    input(walker,left) input(walker,right)
    init(at(1))
    legal(walker,left) legal(walker,right)
    next(at(Y)) :- does(walker,right) & true(at(X)) & after(X,Y)
    next(at(X)) :- does(walker,left) & true(at(Y)) & after(X,Y)
    terminal :- true(at(7))
    goal(walker,100) :- true(at(7))
    goal(walker,0) :- ~true(at(7))
    after(1,2) after(2,3) after(3,4) after(4,5) after(5,6) after(6,7) after(7,8) after(8,9)
    after(9,10) after(10,11) after(11,12) after(12,1)";

/// A fork in which 70 is the most: left and then left again; the right side looks better at once.
const FORK: &str = "role(walker)
    base(at(X)) :- place(X)
    input(walker,left) input(walker,right)
    init(at(fork))
    legal(walker,left) legal(walker,right)
    next(at(Z)) :- true(at(X)) & does(walker,D) & way(X,D,Z)
    terminal :- true(at(X)) & worth(X,V)
    goal(walker,V) :- true(at(X)) & worth(X,V)
    goal(walker,60) :- true(at(east))
    goal(walker,0) :- true(at(west))
    goal(walker,0) :- true(at(fork))
    place(fork) place(west) place(east) place(a) place(b) place(c) place(d)
    way(fork,left,west) way(fork,right,east) way(west,left,a) way(west,right,b) way(east,left,c)
    way(east,right,d)
    worth(a,70) worth(b,10) worth(c,65) worth(d,0)";

struct Game {
    program: Arc<GameProgram>,
    machine: Arc<dyn Machine>,
    analysis: Option<Arc<BackgroundAnalysis>>,
}

/// How a match of one player went.
struct Played {
    choices: Vec<Choice>,
    moves: Vec<ActionId>,
    /// What the last state is worth, if it is terminal.
    goal: Option<Goal>,
}

impl Game {
    fn of(program: GameProgram) -> Self {
        let machine = net_machine(&program).unwrap();
        Self { program: Arc::new(program), machine: Arc::new(machine), analysis: None }
    }

    fn inline(text: &str) -> Self {
        Self::of(program("test", text, Some(Notation::Infix)).unwrap())
    }

    fn bundled(name: &str) -> Self {
        let path = bundled().into_iter().find(|path| path.ends_with(Path::new("gdl").join(name)));
        Self::of(program_of(&path.unwrap()).unwrap())
    }

    /// Plays as the first role with so many states a move; the others make their first moves. `other`
    /// may give another move to be made in place of the one that was chosen.
    fn play(
        &self,
        resources: &Resources,
        states: u64,
        limit: usize,
        other: impl FnMut(usize, &[ActionId], ActionId) -> ActionId,
    ) -> Played {
        self.play_with("puzzle", resources, states, limit, other)
    }

    /// The same with another strategy.
    fn play_with(
        &self,
        strategy: &str,
        resources: &Resources,
        states: u64,
        limit: usize,
        mut other: impl FnMut(usize, &[ActionId], ActionId) -> ActionId,
    ) -> Played {
        let budget = Budget::unlimited().with_work(STATE * states);
        let (program, machine) = (Arc::clone(&self.program), Arc::clone(&self.machine));
        let mut player = create(strategy, resources).unwrap();
        let analysis = self.analysis.clone();
        player.prepare(Seat { program, machine, upgrade: None, analysis, role: RoleId(0) }, &budget).unwrap();
        let signature = self.machine.signature();
        let mut runner = self.machine.runner(&Budget::unlimited());
        let mut played = Played { choices: Vec::new(), moves: Vec::new(), goal: None };
        while !runner.terminal().unwrap() && played.moves.len() < limit {
            let choice = player.choose(&budget).unwrap();
            let legal = runner.legal(RoleId(0)).unwrap().to_vec();
            let chosen = signature.find_action(choice.action).unwrap();
            assert!(legal.contains(&chosen));
            let made = other(played.moves.len(), &legal, chosen);
            let joint: Vec<ActionId> = signature
                .role_ids()
                .map(|role| if role == RoleId(0) { made } else { runner.legal(role).unwrap()[0] })
                .collect();
            runner.step(&joint).unwrap();
            player.observe(&News::Joint(joint.iter().map(|&action| signature.action(action)).collect()));
            played.choices.push(choice);
            played.moves.push(made);
        }
        if runner.terminal().unwrap() {
            played.goal = runner.goal(RoleId(0)).unwrap();
        }
        played
    }

    fn play_as_chosen(&self, states: u64) -> Played {
        self.play(&Resources::default(), states, 300, |_, _, chosen| chosen)
    }
}

fn entry<'c>(choice: &'c Choice, name: &str) -> &'c str {
    choice.report.entry(name).unwrap_or_else(|| panic!("no {name} in {}", choice.report))
}

#[test]
fn bundled_puzzles_are_solved() {
    for name in [
        "8-puzzle.gdl",
        "best-buttons-and-lights.gdl",
        "blocks-world.gdl",
        "buttons-and-lights-copy.gdl",
        "buttons-and-lights.gdl",
        "buttons-and-lights.kif",
        "coins.gdl",
        "hanoi.gdl",
        "joint-buttons-and-lights.gdl",
        "knights-tour.kif",
        "multiple-buttons-and-lights.gdl",
        "sudoku.kif",
        "untwisty-corridor.gdl",
    ] {
        let played = Game::bundled(name).play_as_chosen(200_000);
        assert_eq!(played.goal, Some(100), "{name}");
        let said = played.choices.iter().find(|choice| choice.report.entry("proven").is_some());
        let said = said.unwrap_or_else(|| panic!("{name} was not planned"));
        assert_eq!((entry(said, "expected goal"), entry(said, "proven")), ("100", "yes"), "{name}");
    }
}

/// What is known of the goals guides a search, which alone solves this puzzle: without it ten million states
/// bring nothing.
#[test]
fn fuzzy_goals_solve_the_15_puzzle() {
    let rules = playable_bundled("15-puzzle").unwrap();
    for strategy in ["puzzle", "ludex"] {
        let (program, machine) = (Arc::clone(rules.program()), Arc::clone(rules.machine()));
        let analysis = Some(Arc::new(BackgroundAnalysis::new(&Subject::new(&rules))));
        let game = Game { program, machine, analysis };
        let played = game.play_with(strategy, &Resources::default(), STUDIED, 80, |_, _, chosen| chosen);
        assert_eq!(played.goal, Some(100), "{strategy}");
        let first = &played.choices[0];
        let said = (entry(first, "method"), entry(first, "proven"));
        assert_eq!(said, ("nearest first", "yes"), "{strategy}");
    }
}

/// As many states as the search may look at, with room for finding out what the goals are.
const STUDIED: u64 = 2_000_000;

/// The rule machine has states of its own, and batches of one.
#[test]
fn the_rules_themselves_will_do() {
    for name in ["hanoi.gdl", "sudoku.kif", "untwisty-corridor.gdl"] {
        let path = bundled().into_iter().find(|path| path.ends_with(Path::new("gdl").join(name))).unwrap();
        let program = program_of(&path).unwrap();
        let machine = Arc::from(rule_machine(&program).unwrap());
        let game = Game { program: Arc::new(program), machine, analysis: None };
        assert_eq!(game.play_as_chosen(100_000).goal, Some(100), "{name}");
    }
}

#[test]
fn a_ring_without_a_clock_is_walked() {
    let played = Game::inline(RING).play_as_chosen(10_000);
    assert_eq!(played.goal, Some(100));
}

#[test]
fn the_most_there_is_is_proven() {
    let played = Game::inline(FORK).play_as_chosen(10_000);
    assert_eq!((played.goal, played.moves.len()), (Some(70), 2));
    let first = &played.choices[0];
    assert_eq!((entry(first, "expected goal"), entry(first, "proven")), ("70", "yes"));
    assert_eq!(entry(first, "plan length"), "2");
    assert_eq!(first.report.moves[0].proven, Some(70));
    assert_eq!(first.report.variation.len(), 2);
}

/// After the wrong turn at the fork 65 is the most.
#[test]
fn other_moves_lead_to_other_plans() {
    let game = Game::inline(FORK);
    let other = |legal: &[ActionId], chosen| *legal.iter().find(|&&action| action != chosen).unwrap();
    let turned = |step, legal: &[ActionId], chosen| if step == 0 { other(legal, chosen) } else { chosen };
    let played = game.play(&Resources::default(), 10_000, 10, turned);
    assert_eq!(played.goal, Some(65));

    // The ring forgives everything: two moves of three go the other way at first.
    let stubborn = |step, legal: &[ActionId], chosen| {
        if step < 9 && step % 3 > 0 { other(legal, chosen) } else { chosen }
    };
    let played = Game::inline(RING).play(&Resources::default(), 10_000, 100, stubborn);
    assert_eq!(played.goal, Some(100));
}

/// A plan goes on to be played without a new search.
#[test]
fn a_proven_plan_is_played_as_it_is() {
    let played = Game::bundled("hanoi.gdl").play_as_chosen(200_000);
    let lengths: Vec<usize> =
        played.choices.iter().filter_map(|c| c.report.entry("plan length")?.parse().ok()).collect();
    assert!(lengths.len() > 5);
    assert!(lengths.windows(2).all(|pair| pair[1] < pair[0]), "{lengths:?}");
    let last = played.choices.iter().rev().find(|c| c.report.entry("states").is_some()).unwrap();
    let states: u64 = entry(last, "states").parse().unwrap();
    assert!(states < 100, "only the way along the plan is looked at: {states}");
}

#[test]
fn no_budget_is_too_small() {
    for name in ["15-puzzle.gdl", "sudoku.kif", "hanoi.gdl", "tic-tac-toe.kif"] {
        let game = Game::bundled(name);
        for states in [0, 1, 2, 7, 50, 400] {
            let played = game.play(&Resources::default(), states, 100, |_, _, chosen| chosen);
            assert!(!played.moves.is_empty(), "{name} {states}");
        }
    }
}

#[test]
fn little_memory_is_enough_to_go_on() {
    let resources = Resources { memory: 1 << 16, ..Resources::default() };
    let played = Game::bundled("15-puzzle.gdl").play(&resources, 100_000, 3, |_, _, chosen| chosen);
    assert_eq!(played.moves.len(), 3);
    let played = Game::bundled("sudoku.kif").play(&resources, 100_000, 100, |_, _, chosen| chosen);
    assert_eq!(played.goal, Some(100));
}

/// A second role that only looks on; it keeps nothing from being proven.
#[test]
fn others_who_have_no_choice_are_no_matter() {
    let game =
        Game::inline(&format!("{FORK} role(guest) input(guest,look) legal(guest,look) goal(guest,50)"));
    let played = game.play_as_chosen(10_000);
    assert_eq!(played.goal, Some(70));
    assert_eq!(entry(&played.choices[0], "proven"), "yes");
}

/// A second role that may bring the walker down: what was searched proves nothing.
#[test]
fn others_who_have_a_choice_keep_things_from_being_proven() {
    let fork =
        FORK.replace("legal(walker,left) legal(walker,right)", "legal(W,left) legal(W,right) :- role(W)");
    let fork = fork.replace(
        "legal(W,left) legal(W,right) :- role(W)",
        "legal(W,left) :- role(W) legal(W,right) :- role(W)",
    );
    let game =
        Game::inline(&format!("{fork} role(guest) input(guest,left) input(guest,right) goal(guest,50)"));
    let played = game.play_as_chosen(10_000);
    assert_eq!(played.goal, Some(70));
    assert_eq!(entry(&played.choices[0], "proven"), "no");
    // Not even the most that rules can give.
    let game = Game::bundled("tic-tac-toe.kif");
    let played = game.play_as_chosen(10_000);
    assert_eq!(played.goal, Some(100));
    assert_eq!(entry(&played.choices[0], "expected goal"), "100");
    assert_eq!(entry(&played.choices[0], "proven"), "no");
    assert_eq!(played.choices[0].report.moves[0].proven, None);
}

#[test]
fn equal_seeds_play_equally() {
    let game = Game::bundled("15-puzzle.gdl");
    let play = |seed| game.play(&Resources::from_seed(seed), 30_000, 12, |_, _, chosen| chosen);
    for seed in 0..2 {
        let (first, again) = (play(seed), play(seed));
        assert_eq!(first.moves, again.moves);
        assert_eq!(first.choices, again.choices);
    }
}

/// Pondering goes on where the plan leads, and what it finds is used.
#[test]
fn pondering_helps() {
    let game = Game::inline(FORK);
    let (program, machine) = (Arc::clone(&game.program), Arc::clone(&game.machine));
    let small = Budget::unlimited().with_work(STATE * 10);
    let mut player = create("puzzle", &Resources::default()).unwrap();
    player
        .prepare(Seat { program, machine, upgrade: None, analysis: None, role: RoleId(0) }, &small)
        .unwrap();
    let first = player.choose(&small).unwrap();
    player.ponder(&Budget::unlimited());
    player.observe(&News::Joint(vec![first.action]));
    let second = player.choose(&small).unwrap();
    assert_eq!(entry(&second, "proven"), "yes");
    let state: &State = game.machine.initial();
    let mut runner = game.machine.runner(&Budget::unlimited());
    runner.set(state).unwrap();
    for action in [first.action, second.action] {
        runner.step(&[game.machine.signature().find_action(action).unwrap()]).unwrap();
    }
    let best = if first.action == game.machine.signature().action(left(&game)) { 70 } else { 65 };
    assert_eq!(runner.goal(RoleId(0)).unwrap(), Some(best));
}

fn left(game: &Game) -> ActionId {
    let signature = game.machine.signature();
    let found = signature.actions().into_iter().find(|&action| signature.text(action) == "left");
    signature.find_action(found.unwrap()).unwrap()
}

#[test]
fn games_of_others_are_solved() {
    let Some(corpus) = Corpus::find("puzzles of the corpus") else { return };
    for name in
        ["asteroidsSerial", "firefighter", "incredible", "knightsTourLarge", "max_knights", "sudokuGrade6H"]
    {
        let path = corpus.path(&format!("gdl/{name}.kif"));
        let played = Game::of(program_of(&path).unwrap()).play_as_chosen(3_000_000);
        assert_eq!(played.goal, Some(100), "{name}");
    }
}
