//! The puzzles of the corpus, and its games of simultaneous moves: a sample of those that are solved soon or small, and
//! with `LUDEX_SOAK` all of them.

use std::sync::Arc;
use std::time::Duration;

use crate::matches::Ticks;
use ludex_game::{ActionId, Answer, Machine, Rng, RoleId, Runner};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, Clock};
use ludex_players::{News, Player, Resources, Seat, create};
use ludex_testkit::corpus::{Corpus, KnownPlan, PuzzlePosition, bare_move, stem};
use ludex_testkit::{WallClock, net_machine, program_of, rule_machine, within};

/// Games whose positions are proven within two seconds.
const QUICK_POSITIONS: &[&str] = &["breakthroughWalls", "2pttc", "chineseCheckers3", "2pffa"];
/// Games of one player that are solved within a second.
const QUICK_PLANS: &[&str] = &[
    "blocks",
    "blocksWorldParallel",
    "buttons",
    "coins",
    "duplicateStateMedium",
    "eightPuzzle",
    "haystack",
    "maze",
    "simultaneousWin2",
    "survival",
    "troublemaker01",
];
/// The play clock of a sample: far more than is needed on a machine that is not busy, because a proven win is played at
/// once...
const AMPLE: Duration = Duration::from_secs(60);
/// ... and other searches end after so many playouts.
const SAMPLED: &str = "ludex:playouts=150000";
/// The play clock for a position, and the start clock for a plan, where all of them are tried.
const POSITION_CLOCK: Duration = Duration::from_secs(10);
const PLAN_CLOCK: Duration = Duration::from_secs(60);
/// How many of all plans have to be found.
const PLANS_WANTED: usize = 30;

fn is_soak() -> bool {
    std::env::var_os("LUDEX_SOAK").is_some()
}

/// A game of the corpus and a player who sits at it.
struct Sitting {
    machine: Arc<dyn Machine>,
    role: RoleId,
    player: Box<dyn Player>,
}

impl Sitting {
    fn new(corpus: &Corpus, game: &str, role: RoleId, start: Duration) -> Self {
        let program: GameProgram = program_of(&corpus.path(&format!("gdl/{game}.kif"))).unwrap();
        let machine: Arc<dyn Machine> = Arc::new(net_machine(&program).unwrap());
        let seat = Seat {
            program: Arc::new(program),
            machine: Arc::clone(&machine),
            upgrade: None,
            analysis: None,
            role,
        };
        let mut player = create(if is_soak() { "ludex" } else { SAMPLED }, &Resources::default()).unwrap();
        player.prepare(seat, &within(start)).unwrap();
        Self { machine, role, player }
    }

    /// Makes a joint move.
    fn step(&mut self, runner: &mut dyn Runner, joint: &[ActionId]) {
        runner.step(joint).unwrap();
        let signature = self.machine.signature();
        self.player.observe(&News::Joint(joint.iter().map(|&action| signature.action(action)).collect()));
    }

    /// The legal move that is written so.
    fn find(&self, runner: &mut dyn Runner, role: RoleId, text: &str) -> ActionId {
        let signature = self.machine.signature();
        let written = |action: ActionId| bare_move(&signature.text(signature.action(action)));
        let legal = runner.legal(role).unwrap().iter().copied();
        let mut found = legal.filter(|&action| written(action) == bare_move(text));
        found.next().unwrap_or_else(|| panic!("`{text}` is legal"))
    }
}

/// The move that is chosen in a position, with what is said about it.
fn answer(corpus: &Corpus, position: &PuzzlePosition, clock: Duration) -> (String, String) {
    let role = RoleId(position.check.player.parse().unwrap());
    let mut sitting = Sitting::new(corpus, &position.game, role, Duration::ZERO);
    let machine = Arc::clone(&sitting.machine);
    let budget = Budget::unlimited();
    let mut runner = machine.runner(&budget);
    for step in &position.steps {
        let joint: Vec<ActionId> =
            (0..).map(RoleId).zip(step).map(|(role, text)| sitting.find(&mut *runner, role, text)).collect();
        sitting.step(&mut *runner, &joint);
    }
    let choice = sitting.player.choose(&within(clock)).unwrap();
    (machine.signature().text(choice.action), choice.report.to_string())
}

#[test]
fn good_moves_are_found_in_positions() {
    let Some(corpus) = Corpus::find("good_moves_are_found_in_positions") else { return };
    let positions = corpus.positions().unwrap();
    let sample = positions.iter().filter(|position| is_soak() || QUICK_POSITIONS.contains(&&*position.game));
    let (mut count, mut wrong) = (0, Vec::new());
    for position in sample {
        count += 1;
        let begun = WallClock::start();
        let (action, report) = answer(&corpus, position, if is_soak() { POSITION_CLOCK } else { AMPLE });
        let is_good = position.check.accepts(&action);
        let seconds = begun.now().as_secs_f64();
        println!("{} {is_good} {seconds:.1} s: {action} ({report})", position.game);
        if !is_good {
            wrong.push((&position.case, action, report));
        }
    }
    assert_eq!(count, if is_soak() { 10 } else { 5 });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What a game of one player comes to, played within these clocks.
fn played(corpus: &Corpus, plan: &KnownPlan, clock: Duration) -> u32 {
    let mut sitting = Sitting::new(corpus, &plan.game, RoleId(0), clock);
    let machine = Arc::clone(&sitting.machine);
    let budget = Budget::unlimited();
    let mut runner = machine.runner(&budget);
    for _ in 0..1_000 {
        if runner.terminal().unwrap() {
            break;
        }
        let choice = sitting.player.choose(&within(clock / 60)).unwrap();
        let action = machine.signature().find_action(choice.action).unwrap();
        sitting.step(&mut *runner, &[action]);
    }
    assert!(runner.terminal().unwrap(), "{} ends", plan.game);
    runner.goal(sitting.role).unwrap().map_or(0, Into::into)
}

#[test]
fn games_of_one_player_are_solved() {
    let Some(corpus) = Corpus::find("games_of_one_player_are_solved") else { return };
    let plans = corpus.plans().unwrap();
    let sample: Vec<&KnownPlan> =
        plans.iter().filter(|plan| is_soak() || QUICK_PLANS.contains(&&*plan.game)).collect();
    let mut unsolved = Vec::new();
    for plan in &sample {
        let begun = WallClock::start();
        let goal = played(&corpus, plan, if is_soak() { PLAN_CLOCK } else { AMPLE });
        println!("{} {goal} {:.1} s", plan.game, begun.now().as_secs_f64());
        if goal < plan.goal {
            unsolved.push((&plan.game, goal));
        }
    }
    let allowed = if is_soak() { plans.len() - PLANS_WANTED } else { 0 };
    assert!(sample.len() >= QUICK_PLANS.len());
    assert!(unsolved.len() <= allowed, "{unsolved:?}");
}

/// Games of the corpus in which several roles choose at once.
const SIMULTANEOUS: &[&str] = &[
    "roshambo2",
    "blocker",
    "point_grab",
    "chickentoetictac",
    "ticTicToe",
    "biddingTicTacToe",
    "snakeParallel",
];

/// Whether several roles have a choice in some state of a few random games.
fn is_simultaneous(machine: &dyn Machine) -> bool {
    let budget = Budget::unlimited().with_work(400_000);
    let mut runner = machine.runner(&budget);
    let mut rng = Rng::from_seed(1);
    let mut look = || -> Answer<bool> {
        for _ in 0..4 {
            runner.set(machine.initial())?;
            for _ in 0..60 {
                if runner.terminal()? {
                    break;
                }
                let (mut joint, mut choosers) = (Vec::new(), 0);
                for role in machine.signature().role_ids() {
                    let legal = runner.legal(role)?;
                    choosers += u32::from(legal.len() > 1);
                    joint.extend(rng.pick(legal).copied());
                }
                if choosers > 1 || joint.len() < machine.signature().roles().len() {
                    return Ok(choosers > 1);
                }
                runner.step(&joint)?;
            }
        }
        Ok(false)
    };
    look().unwrap_or(false)
}

/// Only a proof, a solution or the clock, here one of counted work, ends a search: also where several roles choose at
/// once, and all states below are known.
#[test]
fn searches_of_simultaneous_games_end_with_the_clock() {
    let Some(corpus) = Corpus::find("searches_of_simultaneous_games_end_with_the_clock") else { return };
    let (mut count, mut early) = (0, Vec::new());
    for path in corpus.rulesheets() {
        let name = stem(&path);
        if !is_soak() && !SIMULTANEOUS.contains(&&*name) {
            continue;
        }
        let Ok(program) = program_of(&path) else { continue };
        let Ok(rules) = rule_machine(&program) else { continue };
        if !is_simultaneous(&*rules) {
            continue;
        }
        count += 1;
        let seat = Seat {
            program: Arc::new(program),
            machine: rules.into(),
            upgrade: None,
            analysis: None,
            role: RoleId(0),
        };
        let mut player = create("ludex", &Resources::default()).unwrap();
        player.prepare(seat, &Budget::unlimited()).unwrap();
        let budget = Ticks::budget(1500);
        let choice = player.choose(&budget).unwrap();
        let left = budget.time_left().unwrap_or_default();
        println!("{name}: {left:?} left, {}", choice.report);
        let is_proven = ["proven", "the only move", "solved as a whole"]
            .iter()
            .any(|entry| choice.report.entry(entry).is_some());
        let open = choice.report.moves.iter().filter(|rated| rated.proven.is_none()).count();
        // A search also ends where another wave like the last one would not.
        if left > Duration::from_millis(300) && !is_proven && open > 1 {
            early.push((name, left, choice.report.to_string()));
        }
    }
    assert!(count >= 3, "{count} games");
    assert!(early.is_empty(), "{early:#?}");
}
