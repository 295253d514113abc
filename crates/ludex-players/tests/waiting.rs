//! What the tournament player does with its time, and with that of others: it thinks whenever it is let, keeps what it
//! knows when it is called off, changes machines or runs out of memory, and answers also where something breaks down.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use crate::matches::{Game, Ticks};
use ludex_game::{
    ActionId, Answer, Batch, BatchOptions, DecisiveMoves, Expansion, Jobs, Machine, Outcomes, Policy, Runner,
    Signature, Start, State,
};
use ludex_logic::{Budget, TermId};
use ludex_players::{
    Choice, News, Player, Report, Resources, Seat, Strategy, StrategyPlayer, Turn, Upgrade, create,
};
use ludex_testkit::rule_machine;

/// A match that a test leads: the players whose moves it does not ask for make their first ones.
struct Course<'g> {
    game: &'g Game,
    runner: Box<dyn Runner + 'g>,
}

impl<'g> Course<'g> {
    fn of(game: &'g Game) -> Self {
        Self { game, runner: game.machine.runner(&Budget::unlimited()) }
    }

    /// Makes a step in which one role makes this move, and tells a player.
    fn step(&mut self, role: usize, own: TermId, player: &mut dyn Player) {
        let signature = self.game.machine.signature();
        let mut joint: Vec<ActionId> =
            signature.role_ids().map(|role| self.runner.legal(role).unwrap()[0]).collect();
        joint[role] = signature.find_action(own).unwrap();
        self.runner.step(&joint).unwrap();
        player.observe(&News::Joint(joint.iter().map(|&action| signature.action(action)).collect()));
    }

    /// Makes the joint moves that a player expects after one of its own, and tells it.
    fn follow(&mut self, choice: &Choice, steps: usize, player: &mut dyn Player) {
        let signature = self.game.machine.signature();
        for joint in &choice.report.variation[..steps] {
            let actions: Vec<ActionId> =
                joint.iter().map(|&term| signature.find_action(term).unwrap()).collect();
            self.runner.step(&actions).unwrap();
            player.observe(&News::Joint(joint.clone()));
        }
    }

    fn is_legal(&mut self, role: usize, action: TermId) -> bool {
        let signature = self.game.machine.signature();
        let role = signature.role_ids().nth(role).unwrap();
        let action = signature.find_action(action).unwrap();
        self.runner.legal(role).unwrap().contains(&action)
    }
}

fn number(choice: &Choice, entry: &str) -> u64 {
    let text = choice.report.entry(entry).unwrap_or_else(|| panic!("no {entry} in {}", choice.report));
    text.parse().unwrap()
}

fn visits(choice: &Choice) -> u64 {
    choice.report.moves.iter().map(|rated| rated.visits).sum()
}

/// Limits under which nothing is done at all.
fn called_off() -> Budget {
    let budget = Budget::unlimited().with_own_cancel_flag();
    budget.cancel_flag().store(true, Ordering::Relaxed);
    budget
}

const PONDERED: &str = "playouts while others thought";

/// Where moves are made in turn a manager asks everybody at every step: who has one move answers at once, and has all
/// the time that the other takes.
#[test]
fn it_thinks_where_only_another_has_a_choice() {
    let game = Game::bundled("gdl/connect-four.kif");
    for strategy in ["ludex:playouts=20000", "ludex:playouts=20000:solver=off"] {
        let mut player = game.player(strategy, &Resources::default(), 0);
        let mut course = Course::of(&game);
        let first = player.choose(&Budget::unlimited()).unwrap();
        course.step(0, first.action, &mut *player);
        let only = player.choose(&Budget::unlimited()).unwrap();
        assert_eq!(only.report.entry("the only move"), Some("yes"));
        player.ponder(&Budget::unlimited());
        course.step(0, only.action, &mut *player);
        let third = player.choose(&Budget::unlimited()).unwrap();
        assert!(number(&third, PONDERED) >= 20_000, "{strategy}: {}", third.report);
        let own = number(&third, "leaves");
        assert!(visits(&third) > own, "{strategy}: what was found is kept: {} of {own}", visits(&third));
    }
}

/// Players at one table hear what happened before they are asked: it is that state that they think of.
#[test]
fn it_thinks_of_what_it_has_heard() {
    let game = Game::bundled("gdl/connect-four.kif");
    let mut player = game.player("ludex:playouts=20000", &Resources::default(), 1);
    let mut course = Course::of(&game);
    player.ponder(&Budget::unlimited());
    let only = player.choose(&Budget::unlimited()).unwrap();
    course.step(1, only.action, &mut *player);
    let quiet = player.tree_dot(1).unwrap();
    player.ponder(&Budget::unlimited());
    assert_ne!(player.tree_dot(1).unwrap(), quiet, "another state is at the root");
    let second = player.choose(&Budget::unlimited()).unwrap();
    assert!(number(&second, PONDERED) >= 40_000, "before the match and in it: {}", second.report);
    let own = number(&second, "leaves");
    assert!(visits(&second) >= 2 * own - own / 4, "{} of {own}", visits(&second));
}

#[test]
fn behind_a_move_that_is_made_only_that_one_is_searched() {
    let game = Game::bundled("gdl/breakthrough.kif");
    let mut player = game.player("ludex:playouts=20000", &Resources::default(), 0);
    let choice = player.choose(&Budget::unlimited()).unwrap();
    player.ponder(&Budget::unlimited());
    let again = player.choose(&Budget::unlimited()).unwrap();
    let of = |choice: &Choice, action| {
        choice.report.moves.iter().find(|rated| rated.action == action).unwrap().visits
    };
    let others = |choice: &Choice| visits(choice) - of(choice, choice.action);
    assert!(of(&again, choice.action) > of(&choice, choice.action) + others(&choice) / 4);
}

/// An opponent that answers at once calls off all thinking as soon as it begins: that is no lack of time.
#[test]
fn who_is_called_off_at_once_keeps_its_lanes() {
    let game = Game::bundled("gdl/connect-four.kif");
    let mut player = create("ludex", &Resources::default()).unwrap();
    player.prepare(game.seat(0), &Budget::unlimited().with_work(0)).unwrap();
    let mut course = Course::of(&game);
    for turn in 0..4 {
        player.ponder(&called_off());
        let choice = player.choose(&Budget::unlimited().with_work(2_000_000)).unwrap();
        if turn > 1 && choice.report.entry("proven").is_some() {
            break;
        }
        assert!(number(&choice, "lanes") > 1, "turn {turn}: {}", choice.report);
        assert_eq!(choice.report.entry("the roles' goals"), Some("constant sum"), "turn {turn}");
        course.step(0, choice.action, &mut *player);
        player.ponder(&called_off());
        let only = player.choose(&Budget::unlimited()).unwrap();
        course.step(0, only.action, &mut *player);
    }
}

/// Whatever is called off, and when: the next turn is as good as if nothing had been begun.
#[test]
fn nothing_is_given_up_by_who_is_called_off() {
    let game = Game::bundled("gdl/connect-four.kif");
    let with = |interruptions: &[u64]| {
        let mut player = create("ludex:playouts=2000", &Resources::default()).unwrap();
        player.prepare(game.seat(0), &called_off()).unwrap();
        for &steps in interruptions {
            player.ponder(&Budget::unlimited().with_work(steps).with_own_cancel_flag());
            player.ponder(&called_off());
        }
        let choice = player.choose(&Budget::unlimited()).unwrap();
        (number(&choice, "lanes"), choice.report.entry("the roles' goals").unwrap().to_owned())
    };
    assert_eq!(with(&[]), with(&[1, 10, 100, 10_000]));
}

/// A tree that fills its memory is neither thrown away nor cleaned at the cost of a turn, however short that is.
#[test]
fn a_full_tree_survives_a_turn_without_time() {
    let game = Game::bundled("gdl/connect-four.kif");
    let resources = Resources { memory: 30 << 20, ..Resources::default() };
    let mut player = game.player("ludex:playouts=100000:probes=1", &resources, 0);
    let mut course = Course::of(&game);
    let first = player.choose(&Budget::unlimited()).unwrap();
    let full = number(&first, "nodes");
    assert!((20_000..60_000).contains(&full), "it is full: {full}");
    course.follow(&first, 2, &mut *player);
    for ticks in [0, 1, 3] {
        let hasty = player.choose(&Ticks::budget(ticks)).unwrap();
        assert!(number(&hasty, "nodes") > full / 2, "{ticks}: {}", hasty.report);
        assert!(visits(&hasty) > 100, "{ticks}: {}", hasty.report);
        let most = hasty.report.moves.iter().map(|rated| rated.visits).max();
        assert_eq!(Some(hasty.report.moves[0].visits), most, "the move is that of the tree");
        assert_eq!(hasty.report.moves[0].action, hasty.action);
    }
}

/// A machine that has a fault.
struct Fragile {
    machine: Arc<dyn Machine>,
    /// So many playouts more, in batches, until it panics once.
    left: Arc<AtomicI64>,
}

struct FragileBatch<'m> {
    batch: Box<dyn Batch + 'm>,
    left: &'m AtomicI64,
}

impl Machine for Fragile {
    fn signature(&self) -> &Arc<Signature> {
        self.machine.signature()
    }
    fn initial(&self) -> &State {
        self.machine.initial()
    }
    fn runner(&self, budget: &Budget) -> Box<dyn Runner + '_> {
        self.machine.runner(budget)
    }
    fn batch(&self, options: &BatchOptions) -> Box<dyn Batch + '_> {
        Box::new(FragileBatch { batch: self.machine.batch(options), left: &self.left })
    }
    fn facts(&self, state: &State, out: &mut Vec<TermId>) {
        self.machine.facts(state, out);
    }
    fn state_of(&self, facts: &[TermId]) -> Answer<State> {
        self.machine.state_of(facts)
    }
}

impl Batch for FragileBatch<'_> {
    fn width(&self) -> usize {
        self.batch.width()
    }
    fn playouts(&mut self, from: &[Start], policy: &Policy, seed: u64, out: &mut Outcomes) -> Answer<()> {
        assert_ne!(self.left.fetch_sub(1, Ordering::Relaxed), 1, "a fault");
        self.batch.playouts(from, policy, seed, out)
    }
    fn decisive_cost(&mut self, decisive_moves: &DecisiveMoves) -> Option<f64> {
        self.batch.decisive_cost(decisive_moves)
    }
    fn expand(&mut self, jobs: &Jobs, out: &mut Expansion) -> Answer<()> {
        self.batch.expand(jobs, out)
    }
    fn look(&mut self, states: &[&State], out: &mut Expansion) -> Answer<()> {
        self.batch.look(states, out)
    }
}

/// A player of role 0 on a machine with a fault, and what sets the fault off.
fn fragile(game: &Game, strategy: &str, threads: usize) -> (Box<dyn Player>, Arc<AtomicI64>) {
    let left = Arc::new(AtomicI64::new(i64::MAX));
    let machine = Fragile { machine: Arc::clone(&game.machine), left: Arc::clone(&left) };
    let seat = Seat { machine: Arc::new(machine), ..game.seat(0) };
    let mut player = create(strategy, &Resources { threads, ..Resources::default() }).unwrap();
    player.prepare(seat, &Budget::unlimited()).unwrap();
    (player, left)
}

#[test]
fn a_panic_in_a_search_thread_is_told_and_its_tree_is_dropped() {
    let game = Game::bundled("gdl/connect-four.kif");
    for threads in [1, 3] {
        let (mut player, left) = fragile(&game, "ludex:playouts=200000", threads);
        let mut course = Course::of(&game);
        let sound = player.choose(&Budget::unlimited()).unwrap();
        assert_eq!(sound.report.entry(Report::STOPPED), None);
        left.store(20, Ordering::Relaxed);
        let broken = player.choose(&Budget::unlimited()).unwrap();
        let cause =
            broken.report.entry(Report::STOPPED).unwrap_or_else(|| panic!("{threads}: {}", broken.report));
        assert!(cause.contains("broke down") && cause.contains("a fault"), "{cause}");
        assert!(course.is_legal(0, broken.action), "a legal move is answered");
        assert!(broken.report.moves.is_empty(), "nothing is told of a tree that may be half updated");
        assert_eq!(player.tree_dot(5), None, "{threads}: it is dropped");
        let next = player.choose(&Budget::unlimited()).unwrap();
        assert_eq!(next.report.entry(Report::STOPPED), None, "the match goes on");
        assert!(2 * visits(&next) < 3 * visits(&sound), "from the beginning, with as many playouts");
    }
}

#[test]
fn a_panic_while_others_think_is_told_at_the_next_move() {
    let game = Game::bundled("gdl/connect-four.kif");
    let (mut player, left) = fragile(&game, "ludex:playouts=20000", 2);
    let mut course = Course::of(&game);
    let first = player.choose(&Budget::unlimited()).unwrap();
    left.store(5, Ordering::Relaxed);
    player.ponder(&Budget::unlimited());
    assert_eq!(player.tree_dot(5), None);
    course.step(0, first.action, &mut *player);
    let only = player.choose(&Budget::unlimited()).unwrap();
    assert!(only.report.entry(Report::STOPPED).is_some_and(|cause| cause.contains("a fault")));
    course.step(0, only.action, &mut *player);
    let later = player.choose(&Budget::unlimited()).unwrap();
    assert_eq!(later.report.entry(Report::STOPPED), None);
    assert_eq!(later.report.moves.len(), 7);
}

/// Says what is best, and then panics.
#[derive(Default)]
struct Stumbling {
    sat: usize,
}

impl Strategy for Stumbling {
    fn sit(&mut self, _: &ludex_players::Arena) {
        self.sat += 1;
    }
    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        turn.value(turn.legal[1], 99.0);
        assert_eq!(self.sat, 2, "it stumbles");
        Ok(())
    }
}

#[test]
fn a_strategy_that_panics_begins_anew() {
    let game = Game::bundled("gdl/connect-four.kif");
    let mut player = StrategyPlayer::new(Stumbling::default(), &Resources::default());
    player.prepare(game.seat(0), &Budget::unlimited()).unwrap();
    let first = player.choose(&Budget::unlimited()).unwrap();
    assert!(first.report.entry(Report::STOPPED).is_some_and(|cause| cause.contains("it stumbles")));
    assert!(first.report.moves.is_empty());
    let second = player.choose(&Budget::unlimited()).unwrap();
    assert_eq!((second.report.entry(Report::STOPPED), second.report.moves.len()), (None, 1));
}

/// Gives a machine as soon as a test lets it.
struct Late {
    machine: Arc<dyn Machine>,
    wait: Mutex<Receiver<()>>,
}

impl Upgrade for Late {
    fn make(&self, _: &Budget) -> Result<Arc<dyn Machine>, String> {
        self.wait.lock().unwrap().recv().map_err(|error| error.to_string())?;
        Ok(Arc::clone(&self.machine))
    }
}

/// A player of role 0 who begins on the rule machine, and what lets it have its net.
fn beginner(game: &Game, strategy: &str) -> (Box<dyn Player>, Sender<()>) {
    let (sender, wait) = channel();
    let late = Late { machine: Arc::clone(&game.machine), wait: Mutex::new(wait) };
    let rules: Arc<dyn Machine> = rule_machine(&game.program).unwrap().into();
    let seat = Seat { machine: rules, upgrade: Some(Arc::new(late)), ..game.seat(0) };
    let mut player = create(strategy, &Resources::default()).unwrap();
    player.prepare(seat, &Ticks::budget(20)).unwrap();
    (player, sender)
}

/// Another machine takes the place of the first one between two moves: what was found out so far is kept.
#[test]
fn the_tree_survives_a_change_of_the_machine() {
    for (file, strategy) in [
        ("gdl/connect-four.kif", "ludex:playouts=4000:steps=2000"),
        ("gdl/rock-paper-scissors.kif", "ludex:playouts=500"),
        ("gdl/three-player-tic-tac-toe.kif", "ludex:playouts=4000:steps=2000"),
    ] {
        let game = Game::bundled(file);
        let (mut player, release) = beginner(&game, strategy);
        let slow = player.choose(&Budget::unlimited()).unwrap();
        assert_eq!(number(&slow, "lanes"), 1, "{file}: it begins on the rules");
        let before = visits(&slow);
        assert!(before > 100, "{file}: {before}");
        release.send(()).unwrap();
        // The machine comes when its thread has handed it over.
        let fast = loop {
            let choice = player.choose(&Ticks::budget(1)).unwrap();
            if number(&choice, "nodes") < 10 {
                break choice;
            }
            std::thread::yield_now();
        };
        assert!(visits(&fast) >= before, "{file}: {} after {before}, {}", visits(&fast), fast.report);
        assert_eq!(fast.report.moves[0].visits, fast.report.moves.iter().map(|m| m.visits).max().unwrap());
        let grown = player.choose(&Budget::unlimited()).unwrap();
        assert!(number(&grown, "lanes") > 1, "{file}: on the net");
        assert!(visits(&grown) > visits(&fast), "{file}");
    }
}
