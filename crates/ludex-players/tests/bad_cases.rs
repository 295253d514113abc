//! What could go wrong in a match: every strategy keeps playing legal moves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ludex_game::{
    ActionId, Answer, GameError, Machine, RoleId, RuleMachine, RuleMachineOptions, Runner, Signature, State,
};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::{Budget, Clock, TermId};
use ludex_players::{
    BeliefError, Choice, News, Player, PlayerError, Registry, Resources, Seat, Upgrade, create,
};
use ludex_testkit::{ThreadClock, bundled, net_machine, program, program_of, within};

/// One that moves, and one that has nothing to do.
const STUCK: &str = "role(walker) role(sleeper)
    base(at(1)) base(at(2)) base(at(3)) base(at(4))
    input(walker,left) input(walker,right) input(sleeper,wait)
    init(at(1))
    legal(walker,left) legal(walker,right)
    legal(sleeper,wait) :- true(at(4))
    next(at(2)) :- true(at(1)) & does(walker,left)
    next(at(3)) :- true(at(1)) & does(walker,right)
    next(at(4)) :- ~true(at(1))
    terminal :- true(at(4))
    goal(walker,100) :- true(at(4)) goal(walker,0) :- ~true(at(4))
    goal(sleeper,0)";

/// A ring without an end, for two who move at once.
const RING: &str = "role(left) role(right)
    base(at(X)) :- after(X,Y)
    input(R,go) :- role(R) input(R,stay) :- role(R)
    init(at(1))
    legal(R,go) :- role(R) legal(R,stay) :- role(R)
    next(at(Y)) :- does(left,go) & true(at(X)) & after(X,Y)
    next(at(X)) :- does(left,stay) & true(at(X))
    terminal :- true(at(9))
    goal(left,50) goal(right,50)
    after(1,2) after(2,3) after(3,4) after(4,5) after(5,6) after(6,1)";

/// The right one is never told what anything is worth, and the left one only at the end.
const AIMLESS: &str = "role(left) role(right)
    base(at(5))
    base(at(X)) :- after(X,Y)
    input(R,go) :- role(R) input(R,jump) :- role(R)
    init(at(1))
    legal(R,go) :- role(R) legal(R,jump) :- role(R)
    next(at(Y)) :- does(left,go) & true(at(X)) & after(X,Y)
    next(at(5)) :- does(left,jump)
    terminal :- true(at(5))
    goal(left,100) :- true(at(5))
    after(1,2) after(2,3) after(3,4) after(4,5)";

/// Three steps; in the first the walker may also rest.
const STEPS: &str = "role(walker) role(other)
    base(at(1)) base(at(2)) base(at(3)) base(at(4)) base(rested)
    input(walker,left) input(walker,right) input(walker,rest) input(other,wait) input(other,push)
    init(at(1))
    legal(walker,left) legal(walker,right)
    legal(walker,rest) :- true(at(1))
    legal(other,wait) legal(other,push) :- true(at(1))
    next(at(2)) :- true(at(1)) next(at(3)) :- true(at(2)) next(at(4)) :- true(at(3))
    next(rested) :- does(walker,rest) next(rested) :- true(rested)
    terminal :- true(at(4))
    goal(walker,100) :- true(rested) goal(walker,0) :- ~true(rested)
    goal(other,0) :- true(rested) goal(other,100) :- ~true(rested)";

/// Every strategy with its default options, and some with others.
fn names() -> Vec<String> {
    let mut names: Vec<String> = Registry::default().strategies().map(|info| info.name.to_owned()).collect();
    assert!(names.len() > 10);
    names.extend(
        [
            "ludex:solver=off",
            "ludex:probes=1:evaluation=0.5:objective=ahead",
            "heuristic-search:heuristic=fuzzy+mobility",
        ]
        .map(str::to_owned),
    );
    names
}

fn seconds(limit: f64) -> Budget {
    within(Duration::from_secs_f64(limit))
}

/// Some work: enough to think, little enough for a test that does so a thousand times.
fn some() -> Budget {
    Budget::unlimited().with_work(SOME)
}

const SOME: u64 = 10_000;

/// As [`some`], of players that look at the clock, too; it never runs out.
fn some_in_time() -> Budget {
    seconds(600.0).with_work(SOME)
}

struct Game {
    program: Arc<GameProgram>,
    machine: Arc<dyn Machine>,
}

impl Game {
    fn of(program: GameProgram, on_net: bool) -> Self {
        let machine: Arc<dyn Machine> = if on_net {
            Arc::new(net_machine(&program).unwrap())
        } else {
            Arc::new(RuleMachine::new(&program, &RuleMachineOptions::default()).unwrap())
        };
        Self { program: Arc::new(program), machine }
    }

    fn inline(text: &str, on_net: bool) -> Self {
        Self::of(program("test", text, Some(Notation::Infix)).unwrap(), on_net)
    }

    fn bundled(name: &str, on_net: bool) -> Self {
        let path = bundled().into_iter().find(|path| path.ends_with(name));
        Self::of(program_of(&path.unwrap()).unwrap(), on_net)
    }

    fn seat(&self, role: u32) -> Seat {
        Seat {
            program: Arc::clone(&self.program),
            machine: Arc::clone(&self.machine),
            upgrade: None,
            analysis: None,
            role: RoleId(role),
        }
    }

    fn term(&self, text: &str) -> TermId {
        let signature = self.machine.signature();
        let roles = signature.role_ids();
        let mut actions = roles.flat_map(|role| self.legal_in(self.machine.initial(), role));
        actions.find(|&action| signature.text(action) == text).unwrap()
    }

    fn legal_in(&self, state: &State, role: RoleId) -> Vec<TermId> {
        let budget = Budget::unlimited();
        let mut runner = self.machine.runner(&budget);
        runner.set(state).unwrap();
        let signature = self.machine.signature();
        runner.legal(role).unwrap().iter().map(|&action| signature.action(action)).collect()
    }

    /// Plays at most so many steps as this role; the others make their first moves. Every move is
    /// checked. Gives what was chosen.
    fn play(
        &self,
        player: &mut dyn Player,
        role: u32,
        steps: usize,
        budget: &dyn Fn() -> Budget,
    ) -> Vec<Choice> {
        let mut state = self.machine.initial().clone();
        self.play_from(&mut state, player, role, steps, budget)
    }

    /// As [`Game::play`], from a state on, which then is the last one.
    fn play_from(
        &self,
        state: &mut State,
        player: &mut dyn Player,
        role: u32,
        steps: usize,
        budget: &dyn Fn() -> Budget,
    ) -> Vec<Choice> {
        let unlimited = Budget::unlimited();
        let mut runner = self.machine.runner(&unlimited);
        runner.set(state).unwrap();
        let signature = self.machine.signature();
        let mut choices = Vec::new();
        while choices.len() < steps && !runner.terminal().unwrap() {
            let choice = player.choose(&budget()).unwrap();
            let mut joint: Vec<ActionId> = Vec::new();
            for other in signature.role_ids() {
                let legal = runner.legal(other).unwrap();
                let mut action = legal[0];
                if other.0 == role {
                    action = signature.find_action(choice.action).unwrap();
                    assert!(legal.contains(&action), "{} is not legal", signature.text(choice.action));
                }
                joint.push(action);
            }
            runner.step(&joint).unwrap();
            player.observe(&News::Joint(joint.iter().map(|&action| signature.action(action)).collect()));
            choices.push(choice);
        }
        runner.save(state);
        choices
    }

    /// Has every strategy play so many steps as this role.
    fn play_all(&self, role: u32, steps: usize, resources: &Resources, budget: &dyn Fn() -> Budget) {
        for name in names() {
            let mut player = create(&name, resources).unwrap();
            player.prepare(self.seat(role), &budget()).unwrap();
            let choices = self.play(&mut *player, role, steps, budget);
            assert!(!choices.is_empty(), "{name} moved");
        }
    }
}

#[test]
fn others_may_be_stuck() {
    for on_net in [false, true] {
        let game = Game::inline(STUCK, on_net);
        for name in names() {
            let mut player = create(&name, &Resources::default()).unwrap();
            player.prepare(game.seat(0), &some()).unwrap();
            let choice = player.choose(&some()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(game.legal_in(game.machine.initial(), RoleId(0)).contains(&choice.action), "{name}");
        }
    }
}

#[test]
fn one_who_is_stuck_says_so() {
    for on_net in [false, true] {
        let game = Game::inline(STUCK, on_net);
        for name in names() {
            let mut player = create(&name, &Resources::default()).unwrap();
            player.prepare(game.seat(1), &some()).unwrap();
            let answer = player.choose(&some()).map(|choice| choice.action);
            assert_eq!(answer, Err(PlayerError::Belief(BeliefError::NoMove)), "{name}");
        }
    }
}

#[test]
fn roles_without_goals_still_move() {
    for on_net in [false, true] {
        for role in 0..2 {
            Game::inline(AIMLESS, on_net).play_all(role, 3, &Resources::default(), &some);
        }
    }
}

#[test]
fn a_game_without_end_is_played() {
    for on_net in [false, true] {
        let game = Game::inline(RING, on_net);
        game.play_all(0, 4, &Resources::default(), &some);
        game.play_all(1, 2, &Resources::default(), &some_in_time);
    }
}

/// The first of two steps has 5 000 moves, of which one wins.
fn wide() -> String {
    let mut text = String::from(
        "role(chooser) role(other) base(begun) base(done)
         base(chosen(X)) :- digit(X)
         input(chooser,pick(A,B,C,D)) :- low(A) & digit(B) & digit(C) & digit(D)
         input(R,pass) :- role(R)
         init(begun)
         legal(other,pass)
         legal(chooser,pick(A,B,C,D)) :- true(begun) & low(A) & digit(B) & digit(C) & digit(D)
         legal(chooser,pass) :- ~true(begun)
         next(chosen(D)) :- does(chooser,pick(A,B,C,D))
         next(done) :- ~true(begun)
         terminal :- true(done)
         terminal :- true(chosen(7))
         goal(chooser,100) :- true(chosen(7)) goal(chooser,0) :- ~true(chosen(7))
         goal(other,0) :- true(chosen(7)) goal(other,100) :- ~true(chosen(7))\n",
    );
    (0..10).for_each(|digit| text.push_str(&format!("digit({digit})\n")));
    (0..5).for_each(|digit| text.push_str(&format!("low({digit})\n")));
    text
}

#[test]
fn five_thousand_moves_are_no_trouble() {
    for on_net in [false, true] {
        let game = Game::inline(&wide(), on_net);
        assert_eq!(game.legal_in(game.machine.initial(), RoleId(0)).len(), 5_000);
        // To look at all moves once takes more than usual.
        game.play_all(0, 2, &Resources::default(), &|| seconds(600.0).with_work(3 * SOME));
        game.play_all(1, 2, &Resources::default(), &|| Budget::unlimited().with_work(3 * SOME));
    }
}

#[test]
fn a_clock_of_zero_gets_a_legal_move() {
    for name in ["tic-tac-toe.kif", "joint-tic-tac-toe.kif"] {
        for on_net in [false, true] {
            Game::bundled(name, on_net).play_all(0, 3, &Resources::default(), &|| seconds(0.0));
        }
    }
}

#[test]
fn little_memory_is_enough() {
    for memory in [0, 1, 5_000] {
        let resources = Resources { memory, ..Resources::default() };
        Game::bundled("tic-tac-toe.kif", true).play_all(0, 3, &resources, &some);
        Game::bundled("8-puzzle.gdl", true).play_all(0, 3, &resources, &some);
        Game::inline(RING, false).play_all(0, 3, &resources, &some);
    }
}

#[test]
fn a_history_against_the_rules_is_passed_over() {
    for on_net in [false, true] {
        let game = Game::inline(STEPS, on_net);
        let rest = game.term("rest");
        let wait = game.term("wait");
        let push = game.term("push");
        let left = game.term("left");
        // A term of another kind: a role is no move.
        let no_move = game.machine.signature().roles()[0];
        // What was said in the first and second step. Rest and push are legal only in the first.
        let histories: [[&[TermId]; 2]; 5] = [
            [&[left, wait], &[rest, wait]],
            [&[rest, push], &[left, push]],
            [&[no_move, wait], &[left, wait]],
            [&[left, no_move], &[no_move, no_move]],
            [&[left], &[]],
        ];
        for name in names() {
            for history in &histories {
                let mut player = create(&name, &Resources::default()).unwrap();
                player.prepare(game.seat(0), &some()).unwrap();
                for joint in history {
                    player.choose(&some()).unwrap();
                    player.observe(&News::Joint(joint.to_vec()));
                }
                let choice = player.choose(&some()).unwrap_or_else(|error| panic!("{name}: {error}"));
                // In the third step there is just left and right, whatever happened.
                let text = game.machine.signature().text(choice.action);
                assert!(["left", "right"].contains(&&*text), "{name}: {text}");
                let steps = choice.report.entry("steps that contradict the rules");
                assert!(steps.is_some(), "{name} says so: {}", choice.report);
            }
        }
    }
}

#[test]
fn percepts_against_the_rules_are_passed_over() {
    let game = Game::bundled("blind-tic-tac-toe.kif", true);
    let mark = game.term("(mark 2 2)");
    let no_move = game.machine.signature().roles()[0];
    // Each of several states is searched for so much.
    let little = Budget::unlimited().with_work(SOME / 5);
    let histories: [&[(TermId, &[TermId])]; 4] = [
        // The same cell twice is not legal.
        &[(mark, &[]), (mark, &[])],
        &[(no_move, &[])],
        // Nobody ever sees a role.
        &[(mark, &[no_move])],
        &[(mark, &[no_move]), (no_move, &[no_move]), (mark, &[])],
    ];
    for name in names() {
        for history in histories {
            let mut player = create(&name, &Resources::default()).unwrap();
            player.prepare(game.seat(0), &little).unwrap();
            for (action, percepts) in history {
                player.observe(&News::Percepts { action: *action, percepts: percepts.to_vec() });
            }
            let choice = player.choose(&little).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(game.machine.signature().find_action(choice.action).is_some(), "{name}");
            assert!(choice.report.entry("steps that contradict the rules").is_some(), "{name} says so");
        }
    }
}

#[test]
fn a_match_that_goes_on_after_its_end_is_played_on() {
    let game = Game::inline(STEPS, true);
    let (left, wait) = (game.term("left"), game.term("wait"));
    for name in names() {
        let mut player = create(&name, &Resources::default()).unwrap();
        player.prepare(game.seat(0), &some()).unwrap();
        for _ in 0..5 {
            player.observe(&News::Joint(vec![left, wait]));
        }
        let choice = player.choose(&some()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let text = game.machine.signature().text(choice.action);
        assert!(["left", "right"].contains(&&*text), "{name}: {text}");
    }
}

/// A start clock, in seconds, of which most is waited for a machine that does not come.
const SHORT: f64 = 0.02;

/// What comes of making a faster machine.
type Made = Result<Arc<dyn Machine>, String>;

/// Makes a machine when it is told to.
struct Slow {
    go: Mutex<Receiver<Made>>,
    cancelled: AtomicBool,
}

impl Slow {
    fn new() -> (Arc<Self>, Sender<Made>) {
        let (sender, go) = channel();
        (Arc::new(Self { go: Mutex::new(go), cancelled: AtomicBool::new(false) }), sender)
    }
}

impl Upgrade for Slow {
    fn make(&self, budget: &Budget) -> Made {
        let go = self.go.lock().unwrap();
        loop {
            if let Ok(made) = go.recv_timeout(Duration::from_millis(2)) {
                return made;
            }
            if budget.cancel_flag().load(Ordering::Relaxed) {
                self.cancelled.store(true, Ordering::Relaxed);
                return Err("given up".into());
            }
        }
    }
}

/// A machine that says whether anybody ran it, and that may refuse states.
struct Watched {
    inner: Arc<dyn Machine>,
    refuses: bool,
    was_used: AtomicBool,
}

impl Watched {
    fn new(inner: Arc<dyn Machine>, refuses: bool) -> Arc<Self> {
        Arc::new(Self { inner, refuses, was_used: AtomicBool::new(false) })
    }
}

impl Machine for Watched {
    fn signature(&self) -> &Arc<Signature> {
        self.inner.signature()
    }
    fn initial(&self) -> &State {
        self.inner.initial()
    }
    fn runner(&self, budget: &Budget) -> Box<dyn Runner + '_> {
        self.was_used.store(true, Ordering::Relaxed);
        self.inner.runner(budget)
    }
    fn facts(&self, state: &State, out: &mut Vec<TermId>) {
        self.inner.facts(state, out);
    }
    fn state_of(&self, facts: &[TermId]) -> Answer<State> {
        if self.refuses {
            return Err(GameError::UnknownFact { fact: "any".into() });
        }
        self.inner.state_of(facts)
    }
}

/// A game on the rule machine, and the same on the net machine.
fn both(name: &str) -> (Game, Arc<dyn Machine>) {
    let game = Game::bundled(name, false);
    let net: Arc<dyn Machine> = Arc::new(net_machine(&game.program).unwrap());
    (game, net)
}

/// Strategies that think with the fastest machine there is, and always.
fn thinking() -> impl Iterator<Item = String> {
    const NOT_ALWAYS: [&str; 7] =
        ["legal", "random", "habit", "regret-matching", "level-1", "level-2", "level-3"];
    names().into_iter().filter(|name| !NOT_ALWAYS.contains(&name.as_str()))
}

#[test]
fn a_faster_machine_takes_over_in_the_middle_of_a_match() {
    let (game, net) = both("tic-tac-toe.kif");
    for name in thinking() {
        let (slow, sender) = Slow::new();
        let seat = Seat { upgrade: Some(slow), ..game.seat(0) };
        let mut player = create(&name, &Resources::default()).unwrap();
        player.prepare(seat, &seconds(SHORT)).unwrap();
        let mut state = game.machine.initial().clone();
        let first = game.play_from(&mut state, &mut *player, 0, 2, &some_in_time);
        assert_eq!(first.len(), 2, "{name} did not wait");
        let fast = Watched::new(Arc::clone(&net), false);
        sender.send(Ok(Arc::clone(&fast) as Arc<dyn Machine>)).unwrap();
        // The making hands the machine over on a thread of its own.
        for _ in 0..1_000 {
            std::thread::sleep(Duration::from_millis(2));
            player.choose(&some_in_time()).unwrap();
            if fast.was_used.load(Ordering::Relaxed) {
                break;
            }
        }
        assert!(fast.was_used.load(Ordering::Relaxed), "{name} changed the machine");
        let rest = game.play_from(&mut state, &mut *player, 0, 4, &some_in_time);
        assert!(rest.len() > 1, "{name} plays on with legal moves");
    }
}

#[test]
fn a_machine_that_never_comes_costs_no_move() {
    let (game, _) = both("tic-tac-toe.kif");
    for name in names() {
        let (slow, sender) = Slow::new();
        let seat = Seat { upgrade: Some(Arc::clone(&slow) as Arc<dyn Upgrade>), ..game.seat(0) };
        let mut player = create(&name, &Resources::default()).unwrap();
        player.prepare(seat, &seconds(SHORT)).unwrap();
        assert!(game.play(&mut *player, 0, 3, &some_in_time).len() >= 2, "{name}");
        drop(player);
        drop(sender);
    }
}

#[test]
fn a_machine_that_nobody_waits_for_is_given_up() {
    let (game, _) = both("tic-tac-toe.kif");
    let (slow, sender) = Slow::new();
    let seat = Seat { upgrade: Some(Arc::clone(&slow) as Arc<dyn Upgrade>), ..game.seat(0) };
    let mut player = create("uct", &Resources::default()).unwrap();
    player.prepare(seat, &seconds(SHORT)).unwrap();
    drop(player);
    for _ in 0..2_000 {
        if slow.cancelled.load(Ordering::Relaxed) {
            drop(sender);
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("the making of the machine goes on for ever");
}

#[test]
fn where_there_is_no_faster_machine_the_rules_are_run() {
    let (game, _) = both("tic-tac-toe.kif");
    for name in thinking() {
        let (slow, sender) = Slow::new();
        sender.send(Err("too large".into())).unwrap();
        let seat = Seat { upgrade: Some(slow), ..game.seat(0) };
        let mut player = create(&name, &Resources::default()).unwrap();
        player.prepare(seat, &some_in_time()).unwrap();
        let choices = game.play(&mut *player, 0, 2, &some_in_time);
        assert_eq!(choices[0].report.entry("runs on the rules"), Some("too large"), "{name}");
    }
}

/// Breaks down.
struct Broken;

impl Upgrade for Broken {
    fn make(&self, _budget: &Budget) -> Made {
        std::panic::resume_unwind(Box::new("broken"))
    }
}

#[test]
fn where_making_a_faster_machine_breaks_down_the_rules_are_run() {
    let (game, _) = both("tic-tac-toe.kif");
    let seat = Seat { upgrade: Some(Arc::new(Broken)), ..game.seat(0) };
    let mut player = create("uct", &Resources::default()).unwrap();
    player.prepare(seat, &some_in_time()).unwrap();
    let choices = game.play(&mut *player, 0, 2, &some_in_time);
    assert!(choices[0].report.entry("runs on the rules").is_some());
}

#[test]
fn states_that_the_net_refuses_are_searched_by_the_rules() {
    let (game, net) = both("tic-tac-toe.kif");
    for name in thinking() {
        let (slow, sender) = Slow::new();
        let refusing = Watched::new(Arc::clone(&net), true);
        sender.send(Ok(refusing as Arc<dyn Machine>)).unwrap();
        let seat = Seat { upgrade: Some(slow), ..game.seat(0) };
        let mut player = create(&name, &Resources::default()).unwrap();
        player.prepare(seat, &some_in_time()).unwrap();
        // More, so that every strategy finds something.
        let choices = game.play(&mut *player, 0, 3, &|| Budget::unlimited().with_work(20 * SOME));
        for choice in &choices {
            assert!(choice.report.entry("runs on the rules").is_some(), "{name}: {}", choice.report);
            let entry = choice.report.entry("nothing found in time");
            assert!(entry.is_none() || name.contains("planning"), "{name} searched: {}", choice.report);
        }
    }
}

/// How late an answer may be, in processor time: the clock of a player is the real one, which on a busy
/// machine runs out sooner.
const GRACE: Duration = Duration::from_millis(50);
/// The play clock.
const CLOCK: f64 = 0.1;
/// Even processor time is shared with others, caches above all: so often an answer is asked for again.
const TRIES: usize = 6;

/// That every strategy answers in time in the first state of a game.
fn answers_in_time(name: &str, game: &Game) {
    let mut late = Vec::new();
    for strategy in names() {
        let mut player = create(&strategy, &Resources::default()).unwrap();
        let mut times = Vec::new();
        let in_time = (0..TRIES).any(|_| {
            let begun = ThreadClock::start();
            player.prepare(game.seat(0), &seconds(CLOCK)).unwrap();
            let prepared = begun.now();
            let begun = ThreadClock::start();
            player.choose(&seconds(CLOCK)).unwrap();
            times.push((prepared, begun.now()));
            prepared.max(begun.now()) <= Duration::from_secs_f64(CLOCK) + GRACE
        });
        if !in_time {
            late.push((strategy, times));
        }
    }
    assert!(late.is_empty(), "too late in {name}: {late:?}");
}

#[test]
fn answers_come_in_time_from_the_net() {
    for name in ["connect-four.kif", "breakthrough.kif"] {
        answers_in_time(name, &Game::bundled(name, true));
    }
    answers_in_time("5 000 moves", &Game::inline(&wide(), true));
}

#[test]
fn answers_come_in_time_from_the_rules() {
    for name in ["connect-four.kif", "breakthrough.kif"] {
        answers_in_time(name, &Game::bundled(name, false));
    }
    answers_in_time("5 000 moves", &Game::inline(&wide(), false));
}
