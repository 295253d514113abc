//! What the tournament player plays for, where its random games end, and turns too short for lanes.

use std::sync::Arc;

use crate::matches::{Game, Ticks};
use ludex_game::{
    Answer, Batch, BatchOptions, Expansion, GameError, Jobs, Machine, Outcomes, Policy, Runner, Signature,
    Start, State,
};
use ludex_logic::{Budget, LimitError, TermId};
use ludex_players::{News, Resources, Seat, create};

/// A game of one choice, by `own` at the start: what each of its moves brings to the roles after so many steps.
fn offers(steps: u32, offers: &[(u32, u32)]) -> Game {
    let mut rules = String::from(
        "(role own) (role other) (init (step 0)) (<= (input ?r wait) (role ?r)) (legal other wait)
         (<= (base (step ?n)) (then ?n ?m)) (<= (legal own wait) (not (true (step 0))))
         (<= (next (step ?m)) (true (step ?n)) (then ?n ?m)) (<= (next (took ?n)) (true (took ?n)))
         (<= (base (took ?n)) (offer ?n ?a ?b)) (<= (input own (take ?n)) (offer ?n ?a ?b))
         (<= (legal own (take ?n)) (true (step 0)) (offer ?n ?a ?b)) (<= (next (took ?n)) (does own (take ?n)))
         (<= (goal own ?a) (true (took ?n)) (offer ?n ?a ?b)) (<= (goal own 0) (true (step 0)))
         (<= (goal other ?b) (true (took ?n)) (offer ?n ?a ?b)) (<= (goal other 0) (true (step 0)))\n",
    );
    for step in 0..steps {
        rules.push_str(&format!("(then {step} {})\n", step + 1));
    }
    rules.push_str(&format!("(base (step {steps})) (<= terminal (true (step {steps})))\n"));
    for (number, (own, other)) in offers.iter().enumerate() {
        rules.push_str(&format!("(offer {number} {own} {other})\n"));
    }
    Game::from_rules(&rules)
}

#[test]
fn rivals_are_beaten_and_partners_are_not() {
    // Who gets more leaves less, but not always the same sum.
    let rivals = offers(24, &[(60, 60), (50, 0), (0, 90), (10, 80), (20, 70)]);
    // What is good for one is good for the other.
    let partners = offers(24, &[(60, 60), (50, 0), (0, 0), (10, 10), (20, 10)]);
    let chosen =
        |game: &Game, option: &str| game.choice(&format!("ludex:playouts=4000:probes=1{option}"), 1, 0, &[]);
    assert_eq!(chosen(&rivals, "").0, "(take 1)");
    assert_eq!(chosen(&rivals, ":objective=own").0, "(take 0)");
    let bargain = offers(1, &[(60, 60), (50, 0), (0, 90), (10, 80), (20, 70)]);
    assert_eq!(chosen(&bargain, "").0, "(take 0)", "a few moves are no contest");
    assert_eq!(chosen(&partners, "").0, "(take 0)");
    assert_eq!(chosen(&partners, ":objective=ahead").0, "(take 1)");
    let report = chosen(&rivals, "").1.report;
    assert_eq!(report.entry("proven ahead"), Some("50"));
    assert_eq!(report.entry("proven"), None);
    assert!(report.moves.iter().all(|rated| rated.proven.is_none()), "no goal is proven");
}

/// A long climb, with a step up or down for one role at a time: the goal is the height at the end, so that
/// the height at any time says nearly as much.
fn climb(steps: u32) -> Game {
    let mut rules = String::from(
        "(role up) (role down) (init (height 20)) (init (step 0)) (dir more) (dir less)
         (<= (base (height ?h)) (before ?h ?i)) (base (height 40)) (<= (base (step ?n)) (then ?n ?m))
         (<= (input ?r (go ?d)) (role ?r) (dir ?d)) (<= (input ?r wait) (role ?r))
         (<= (legal up (go ?d)) (dir ?d) (true (step ?n)) (even ?n))
         (<= (legal down (go ?d)) (dir ?d) (true (step ?n)) (not (even ?n)))
         (<= (legal up wait) (true (step ?n)) (not (even ?n))) (<= (legal down wait) (true (step ?n)) (even ?n))
         (<= (next (step ?m)) (true (step ?n)) (then ?n ?m))
         (<= (next (height ?i)) (does ?r (go more)) (true (height ?h)) (before ?h ?i))
         (<= (next (height ?h)) (does ?r (go less)) (true (height ?i)) (before ?h ?i))
         (<= (next (height 40)) (does ?r (go more)) (true (height 40)))
         (<= (next (height 0)) (does ?r (go less)) (true (height 0)))\n",
    );
    for height in 0..40 {
        rules.push_str(&format!("(before {height} {})\n", height + 1));
    }
    for height in 0..=40 {
        let goal = height * 5 / 2;
        rules.push_str(&format!(
            "(<= (goal up {goal}) (true (height {height}))) (<= (goal down {}) (true (height {height})))\n",
            100 - goal
        ));
    }
    for step in 0..steps {
        rules.push_str(&format!("(then {step} {})\n", step + 1));
        if step % 2 == 0 {
            rules.push_str(&format!("(even {step})\n"));
        }
    }
    rules.push_str(&format!("(base (step {steps})) (<= terminal (true (step {steps})))\n"));
    Game::from_rules(&rules)
}

/// What a player reports of its first move, with so many readings of the clock for getting ready and moving.
fn timed_entry(game: &Game, player: &str, entry: &str) -> Option<String> {
    let mut player = create(player, &Resources::from_seed(2)).unwrap();
    player.prepare(game.seat(0), &Ticks::budget(30_000)).unwrap();
    player.choose(&Ticks::budget(30_000)).unwrap().report.entry(entry).map(str::to_owned)
}

#[test]
fn random_games_end_early_where_goals_tell_who_is_ahead() {
    let entry = "playouts end after";
    let long = climb(120);
    let found = timed_entry(&long, "ludex:playouts=2000", entry).expect("a horizon");
    let steps: u32 = found.strip_suffix(" steps").unwrap().parse().unwrap();
    assert!((8..=60).contains(&steps), "{steps}");
    assert_eq!(timed_entry(&long, "ludex:playouts=2000:steps=2000", entry), None);
    // Short games, and games whose goals say nothing before the end.
    assert_eq!(timed_entry(&climb(10), "ludex:playouts=2000", entry), None);
    for name in ["gdl/connect-four.kif", "gdl/breakthrough.kif", "gdl/nim.kif"] {
        assert_eq!(timed_entry(&Game::bundled(name), "ludex:playouts=2000", entry), None, "{name}");
    }
}

/// Two roles take turns at taking one of so many things, eight times in all; only thing 7 is worth anything. Who does not
/// get it gets `consolation`.
fn market(things: u32, consolation: u32) -> Game {
    let mut rules = String::from(
        "(role left) (role right) (init (step 0)) (<= (init (free ?n)) (thing ?n))
         (<= (base (free ?n)) (thing ?n)) (<= (base (has ?r ?n)) (role ?r) (thing ?n))
         (<= (input ?r (take ?n)) (role ?r) (thing ?n)) (<= (input ?r wait) (role ?r))
         (<= (legal ?r (take ?n)) (true (step ?s)) (turn ?r ?s) (true (free ?n)))
         (<= (legal ?r wait) (role ?r) (true (step ?s)) (not (turn ?r ?s)))
         (<= (next (has ?r ?n)) (does ?r (take ?n))) (<= (next (has ?r ?n)) (true (has ?r ?n)))
         (<= (taken ?n) (does ?r (take ?n))) (<= (next (free ?n)) (true (free ?n)) (not (taken ?n)))
         (<= (next (step ?t)) (true (step ?s)) (then ?s ?t))
         (<= (base (step ?t)) (then ?s ?t)) (base (step 0)) (<= terminal (true (step 8)))
         (<= sold (true (has ?r 7))) (<= (goal ?r 50) (role ?r) (not sold))
         (<= (goal ?r 100) (true (has ?r 7)))\n",
    );
    rules.push_str(&format!("(<= (goal ?r {consolation}) (role ?r) sold (not (true (has ?r 7))))\n"));
    for step in 0..8 {
        let role = if step % 2 == 0 { "left" } else { "right" };
        rules.push_str(&format!("(then {step} {}) (turn {role} {step})\n", step + 1));
    }
    for thing in 0..things {
        rules.push_str(&format!("(thing {thing})\n"));
    }
    Game::from_rules(&rules)
}

#[test]
fn what_was_learned_is_used_where_it_tells_enough() {
    let entry = "learned evaluation of";
    let (wide, narrow, consoled) = (market(40, 0), market(12, 0), market(12, 10));
    assert!(timed_entry(&wide, "ludex:playouts=500", entry).is_some());
    assert_eq!(timed_entry(&wide, "ludex:playouts=500:evaluation=off", entry), None);
    assert!(timed_entry(&narrow, "ludex:playouts=500", entry).is_some());
    // Also where what one gains is not what the other loses.
    assert!(timed_entry(&consoled, "ludex:playouts=500", entry).is_some());
    // A game that is solved as a whole before it begins needs nothing more.
    let at_once = Game::bundled("gdl/rock-paper-scissors.kif");
    assert_eq!(timed_entry(&at_once, "ludex:playouts=500:evaluation=0.5", entry), None);
}

#[test]
fn what_was_learned_of_facts_counts_in_what_moves_are_worth() {
    let game = market(40, 0);
    let signature = game.machine.signature();
    // After a few single random games, what any of the other moves but the good one is worth at most.
    let other_moves = |option: &str| {
        let text = format!("ludex:playouts=60:probes=1{option}");
        let mut player = create(&text, &Resources::from_seed(5)).unwrap();
        player.prepare(game.seat(0), &Ticks::budget(20_000)).unwrap();
        let report = player.choose(&Ticks::budget(20_000)).unwrap().report;
        let most = report.moves.iter().max_by_key(|rated| rated.visits).unwrap();
        assert_eq!(signature.text(most.action), "(take 7)");
        let others = report.moves.iter().filter(|rated| rated.visits > 0 && rated.action != most.action);
        others.filter_map(|rated| rated.value).fold(0.0, f64::max)
    };
    // The other role takes thing 7 next, which random games do not know.
    assert!(other_moves("") < 40.0);
    assert!(other_moves(":evaluation=off") > 60.0);
}

/// A machine whose lanes never come to their end in time.
struct Slow(Arc<dyn Machine>);

/// Its lanes.
struct Late;

impl Batch for Late {
    fn width(&self) -> usize {
        512
    }

    fn playouts(&mut self, _: &[Start], _: &Policy, _: u64, _: &mut Outcomes) -> Answer<()> {
        Err(GameError::Limit(LimitError::Deadline))
    }

    fn expand(&mut self, _: &Jobs, _: &mut Expansion) -> Answer<()> {
        Err(GameError::Limit(LimitError::Deadline))
    }

    fn look(&mut self, _: &[&State], _: &mut Expansion) -> Answer<()> {
        Err(GameError::Limit(LimitError::Deadline))
    }
}

impl Machine for Slow {
    fn signature(&self) -> &Arc<Signature> {
        self.0.signature()
    }

    fn initial(&self) -> &State {
        self.0.initial()
    }

    fn runner(&self, budget: &Budget) -> Box<dyn Runner + '_> {
        self.0.runner(budget)
    }

    fn batch(&self, _: &BatchOptions) -> Box<dyn Batch + '_> {
        Box::new(Late)
    }

    fn facts(&self, state: &State, out: &mut Vec<TermId>) {
        self.0.facts(state, out);
    }

    fn state_of(&self, facts: &[TermId]) -> Answer<State> {
        self.0.state_of(facts)
    }
}

#[test]
fn turns_too_short_for_lanes_are_searched_without_them() {
    let game = Game::bundled("gdl/connect-four.kif");
    let machine: Arc<dyn Machine> = Arc::new(Slow(Arc::clone(&game.machine)));
    let mut player = create("ludex", &Resources::from_seed(4)).unwrap();
    let seat = Seat { machine: Arc::clone(&machine), ..game.seat(0) };
    player.prepare(seat, &Budget::unlimited()).unwrap();
    let signature = machine.signature();
    let mut runner = machine.runner(&Budget::unlimited());
    let mut leaves: Vec<u64> = Vec::new();
    for _ in 0..6 {
        let choice = player.choose(&Ticks::budget(3000)).unwrap();
        leaves.push(choice.report.entry("leaves").unwrap().parse().unwrap());
        let own = signature.find_action(choice.action).unwrap();
        let joint = vec![own, runner.legal(ludex_game::RoleId(1)).unwrap()[0]];
        player.observe(&News::Joint(joint.iter().map(|&action| signature.action(action)).collect()));
        runner.step(&joint).unwrap();
        let other = runner.legal(ludex_game::RoleId(1)).unwrap()[0];
        let wait = runner.legal(ludex_game::RoleId(0)).unwrap()[0];
        player.observe(&News::Joint([wait, other].iter().map(|&action| signature.action(action)).collect()));
        runner.step(&[wait, other]).unwrap();
    }
    let searched: Vec<bool> = leaves.iter().map(|&leaves| leaves > 0).collect();
    assert_eq!(searched, [false, true, false, true, true, false], "lanes are tried ever less often");
}
