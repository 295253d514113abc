//! What is known of a game, and how players come by it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ludex_analysis::Subject;
use ludex_analysis::knowledge::{Knowledge, Topic, Topics};
use ludex_game::{Answer, Machine, Rng, RoleId, Rules, State};
use ludex_logic::Budget;
use ludex_players::{
    Arena, BackgroundAnalysis, MachineKnowledge, News, Outcome, Player, Registry, Resources, Seat, Strategy,
    StrategyPlayer, Turn, create,
};
use ludex_testkit::{net_machine, playable, playable_bundled, within};

/// Everything that can be known of a game, for a machine of it.
fn insight_at(rules: &Rules, machine: &Arc<dyn Machine>) -> Arc<MachineKnowledge> {
    let nothing = Arc::new(Knowledge::default());
    let known = nothing.gather(&Subject::new(rules), Topics::all(), &Budget::unlimited(), |_| {});
    Arc::new(MachineKnowledge::new(machine, &known, Topics::all()))
}

fn seat(rules: &Rules, role: u32, analysis: &Arc<BackgroundAnalysis>) -> Seat {
    Seat {
        program: Arc::clone(rules.program()),
        machine: Arc::clone(rules.machine()),
        upgrade: None,
        analysis: Some(Arc::clone(analysis)),
        role: RoleId(role),
    }
}

/// Makes its first move, and notes what it was told of the game.
#[derive(Default)]
struct Spy {
    wants: Topics,
    seen: Arc<Mutex<Vec<Topics>>>,
    informed: Arc<Mutex<usize>>,
}

impl Spy {
    fn look(&self, arena: &Arena) {
        let knowledge_of_states = arena.knowledge_of_states.as_ref().expect("somebody studies");
        let parts = [
            (Topic::Fuzzy, knowledge_of_states.knows_worth()),
            (Topic::Latches, knowledge_of_states.knows_latches()),
        ];
        let known = parts.into_iter().fold(Topics::NONE, |all, (part, known)| all.with(part, known));
        self.seen.lock().unwrap().push(known);
    }
}

impl Strategy for Spy {
    fn wants(&self, _: &Arena) -> Topics {
        self.wants
    }

    fn inform(&mut self, _: &Arena) {
        *self.informed.lock().unwrap() += 1;
    }

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        self.look(turn.arena);
        turn.advise(turn.legal[0]);
        Ok(())
    }
}

fn but_factors() -> Topics {
    [Topic::Fuzzy, Topic::Latches].into_iter().collect()
}

/// With a clock nothing is waited for, and what comes late is seen at the next turn.
#[test]
fn what_comes_late_is_seen_at_the_next_turn() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let analysis = Arc::new(BackgroundAnalysis::new(&Subject::new(&rules)));
    let spy = Spy { wants: Topics::all(), ..Spy::default() };
    let (seen, informed) = (Arc::clone(&spy.seen), Arc::clone(&spy.informed));
    let mut player = StrategyPlayer::new(spy, &Resources::default());
    let minute = within(Duration::from_secs(60));
    player.prepare(seat(&rules, 0, &analysis), &minute).unwrap();
    player.choose(&minute).unwrap();
    while analysis.is_working() {
        std::thread::sleep(Duration::from_millis(1));
    }
    player.choose(&minute).unwrap();
    player.choose(&minute).unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen[1..], [but_factors(); 2]);
    // What was there in time was no news, and what came between two turns was one.
    let informed = *informed.lock().unwrap();
    assert!(informed <= 2 && (informed > 0 || seen[0] == but_factors()), "{informed}");
}

/// Without a clock what is known does not depend on time.
#[test]
fn where_work_is_counted_everything_is_known_at_once() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    for wants in [Topics::all(), [Topic::Latches].into_iter().collect()] {
        let analysis = Arc::new(BackgroundAnalysis::new(&Subject::new(&rules)));
        let spy = Spy { wants, ..Spy::default() };
        let seen = Arc::clone(&spy.seen);
        let mut player = StrategyPlayer::new(spy, &Resources::default());
        player.prepare(seat(&rules, 0, &analysis), &Budget::unlimited()).unwrap();
        player.choose(&Budget::unlimited()).unwrap();
        assert!(!analysis.is_working());
        assert_eq!(seen.lock().unwrap()[..], [if wants == Topics::all() { but_factors() } else { wants }]);
        assert_eq!(analysis.newest().tried(), wants);
    }
}

/// Who asked for nothing is told nothing, also where others asked.
#[test]
fn a_strategy_sees_only_what_it_wants() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let analysis = Arc::new(BackgroundAnalysis::new(&Subject::new(&rules)));
    let all = analysis.attend(Topics::all(), &Budget::unlimited());
    let machine = Arc::clone(rules.machine());
    let arena = Arena::new(machine, RoleId(0), Resources::default());
    let seen = |wants: Topic| {
        arena
            .clone()
            .with_analysis(all.analysis(), [wants].into_iter().collect())
            .knowledge_of_states
            .unwrap()
    };
    let latches = seen(Topic::Latches);
    assert!(latches.knows_latches() && !latches.knows_worth() && latches.plan().is_none());
    assert_eq!(latches.reader().worth(rules.initial(), RoleId(0)), None);
    let fuzzy = seen(Topic::Fuzzy);
    assert!(fuzzy.knows_worth() && !fuzzy.knows_latches());
    assert_eq!(fuzzy.reader().most(rules.initial(), true), None);
}

/// An analysis ends when the last one leaves, and goes on when somebody comes back.
#[test]
fn a_study_ends_with_its_last_attendant() {
    let rules = playable_bundled("reversi").unwrap();
    let analysis = Arc::new(BackgroundAnalysis::new(&Subject::new(&rules)));
    let mut player =
        StrategyPlayer::new(Spy { wants: Topics::all(), ..Spy::default() }, &Resources::default());
    player.prepare(seat(&rules, 0, &analysis), &within(Duration::from_secs(600))).unwrap();
    let other = analysis.attend(Topics::all(), &within(Duration::from_secs(600)));
    player.finish(&Outcome { completed: false, goal: None });
    let is_done = analysis.newest().tried() == Topics::all();
    assert!(analysis.is_working() || is_done, "somebody is still there");
    drop(other);
    // It stops within the interval in which limits are looked at.
    let patience = within(Duration::from_secs(30));
    while analysis.is_working() && patience.time_left().is_some_and(|left| !left.is_zero()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(!analysis.is_working());
}

#[test]
fn games_without_a_net_are_played_without_knowledge() {
    let growing = "role(a) role(b) init(n(z)) goal(a,100) goal(b,0)
        legal(R,m) :- role(R)
        legal(R,k) :- role(R)
        next(n(s(X))) :- true(n(X))
        terminal :- true(n(s(s(s(z)))))";
    let rules = playable("growing.gdl", growing).unwrap();
    let analysis = Arc::new(BackgroundAnalysis::new(&Subject::new(&rules)));
    let some = Budget::unlimited().with_work(20_000);
    for info in Registry::default().strategies() {
        let mut player = create(info.name, &Resources::default()).unwrap();
        player.prepare(seat(&rules, 0, &analysis), &some).unwrap();
        player.choose(&some).unwrap();
    }
    // Those with less work than it takes have no say in what can be known.
    assert_eq!((analysis.newest().tried(), analysis.newest().refusals()), (Topics::NONE, &[][..]));
    let mut reader =
        Arc::new(MachineKnowledge::new(rules.machine(), &analysis.newest(), Topics::all())).reader();
    assert!(reader.most(rules.initial(), true).is_none());
    assert!(reader.worth(rules.initial(), RoleId(0)).is_none());
}

/// A random game: its states, and what the roles got. `None` where it did not end.
fn random_game(machine: &dyn Machine, rng: &mut Rng) -> Option<(Vec<State>, Vec<u32>)> {
    let mut runner = machine.runner(&Budget::unlimited());
    let mut states = vec![machine.initial().clone()];
    while !runner.terminal().unwrap() {
        let mut joint = Vec::new();
        for role in machine.signature().role_ids() {
            joint.push(*rng.pick(runner.legal(role).unwrap())?);
        }
        runner.step(&joint).unwrap();
        let mut state = State::default();
        runner.save(&mut state);
        states.push(state);
        if states.len() > 300 {
            return None;
        }
    }
    let goals = machine.signature().role_ids().map(|role| runner.goal(role).unwrap().unwrap_or(0));
    Some((states, goals.collect()))
}

/// In many games, also those of GDL-II, and on both engines: what is said to be out of reach does
/// not come about.
#[test]
fn what_is_out_of_reach_does_not_come_about() {
    let mut narrowed = 0;
    // Proofs for the largest games take minutes without optimisation.
    let names = [
        "tic-tac-toe",
        "untwisty-corridor",
        "buttons-and-lights",
        "best-buttons-and-lights",
        "joint-buttons-and-lights",
        "blocks-world",
        "nim",
        "coins",
        "hanoi",
        "race",
        "prisoners-dilemma",
        "rock-paper-scissors",
        "blind-tic-tac-toe",
        "exploding-bomb",
        "high-card",
        "monty-hall",
        "trading",
    ];
    for name in names {
        let rules = playable_bundled(name).unwrap();
        let net: Option<Arc<dyn Machine>> =
            net_machine(rules.program()).ok().map(|machine| Arc::new(machine) as Arc<dyn Machine>);
        for machine in [Some(Arc::clone(rules.machine())), net].into_iter().flatten() {
            let knowledge_of_states = insight_at(&rules, &machine);
            let mut reader = knowledge_of_states.reader();
            let mut rng = Rng::from_seed(5);
            for _ in 0..10 {
                let Some((states, goals)) = random_game(&*machine, &mut rng) else { continue };
                for state in &states {
                    for deep in [false, true] {
                        let Some(most) = reader.most(state, deep) else { continue };
                        for (role, (most, goal)) in most.iter().zip(&goals).enumerate() {
                            assert!(goal <= most, "{name} {role} {most} {goal}");
                            narrowed += usize::from(*most < 100);
                        }
                    }
                }
            }
        }
    }
    assert!(narrowed > 100, "{narrowed}");
}

/// Two equal players with counted work play equally, whatever they know.
#[test]
fn what_is_known_is_the_same_every_time() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    for text in [
        "heuristic-search:heuristic=fuzzy+mobility",
        "heuristic-search:fuzzy=on",
        "monte-carlo:fuzzy=0.5",
        "uct:fuzzy=0.3",
    ] {
        let played = || {
            let analysis = Arc::new(BackgroundAnalysis::new(&Subject::new(&rules)));
            let some = Budget::unlimited().with_work(200_000_000);
            let few = Budget::unlimited().with_work(100_000);
            let mut player = create(text, &Resources::default()).unwrap();
            player.prepare(seat(&rules, 0, &analysis), &some).unwrap();
            let mut position = rules.start();
            let mut moves = Vec::new();
            while !position.terminal().unwrap() {
                let mut joint: Vec<_> = rules.roles().map(|role| position.legal(role).unwrap()[0]).collect();
                joint[0] = player.choose(&few).unwrap().action;
                moves.push(joint[0]);
                position.advance(&joint).unwrap();
                player.observe(&News::Joint(joint));
            }
            moves
        };
        assert_eq!(played(), played(), "{text}");
    }
}

/// The report's entry, as text.
fn entry(choice: &ludex_players::Choice, name: &str) -> String {
    choice.report.entry(name).map(ToString::to_string).unwrap_or_default()
}

/// What is known of a game changes no value that a search to the end finds.
#[test]
fn search_finds_the_same_values_whatever_is_known() {
    let mut left_out = 0;
    for name in ["tic-tac-toe", "nim", "race", "exploding-bomb", "three-player-tic-tac-toe"] {
        let rules = playable_bundled(name).unwrap();
        let analysis = Arc::new(BackgroundAnalysis::new(&Subject::new(&rules)));
        let mut rng = Rng::from_seed(3);
        // So far from the end everything can be searched.
        let begin = if name == "three-player-tic-tac-toe" { 5 } else { 0 };
        for role in 0..rules.roles().len().min(2) as u32 {
            let mut position = rules.start();
            let mut players = ["alpha-beta", "alpha-beta:latches=on"]
                .map(|text| create(text, &Resources::default()).unwrap());
            for player in &mut players {
                player.prepare(seat(&rules, role, &analysis), &Budget::unlimited()).unwrap();
            }
            while !position.terminal().unwrap() {
                let mut joint = Vec::new();
                for role in rules.roles() {
                    joint.push(*rng.pick(&position.legal(role).unwrap()).unwrap());
                }
                if position.step() >= begin {
                    let choices: Vec<_> = players
                        .iter_mut()
                        .map(|player| player.choose(&Budget::unlimited()).unwrap())
                        .collect();
                    let [plain, knowing] = &choices[..] else { unreachable!("two players choose") };
                    assert_eq!(entry(knowing, "value"), entry(plain, "value"), "{name} {position:?}");
                    let nodes = |choice| entry(choice, "nodes").parse::<u64>().unwrap_or(0);
                    left_out += usize::from(nodes(knowing) < nodes(plain));
                }
                position.advance(&joint).unwrap();
                players.iter_mut().for_each(|player| player.observe(&News::Joint(joint.clone())));
            }
        }
    }
    assert!(left_out > 0);
}

/// A puzzle's best plan is worth the same whatever is known, and proofs come no later.
#[test]
fn plans_are_worth_the_same_whatever_is_known() {
    let names = [
        "buttons-and-lights",
        "best-buttons-and-lights",
        "joint-buttons-and-lights",
        "multiple-buttons-and-lights",
        "untwisty-corridor",
        "coins",
        "blocks-world",
        "hanoi",
    ];
    for name in names {
        let rules = playable_bundled(name).unwrap();
        let analysis = Arc::new(BackgroundAnalysis::new(&Subject::new(&rules)));
        let mut seen = Vec::new();
        for text in ["puzzle:factors=off", "puzzle:fuzzy=off", "puzzle", "ludex"] {
            let mut player = create(text, &Resources::default()).unwrap();
            player.prepare(seat(&rules, 0, &analysis), &Budget::unlimited().with_work(200_000_000)).unwrap();
            let choice = player.choose(&Budget::unlimited().with_work(1_000_000)).unwrap();
            seen.push((
                entry(&choice, "expected goal"),
                entry(&choice, "proven"),
                entry(&choice, "only move"),
            ));
        }
        for other in &seen[1..] {
            assert_eq!(*other, seen[0], "{name}: {seen:?}");
        }
    }
}

/// `copies` groups of lights with three buttons each; all have to be lit in `steps` steps.
fn lights(copies: usize, steps: usize) -> Rules {
    let mut text = "
        role(white) init(step(0)) base(step(0)) base(step(N)) :- successor(M,N)
        base(p(X)) :- index(X) base(q(X)) :- index(X) base(r(X)) :- index(X)
        input(white,a(X)) :- index(X) input(white,b(X)) :- index(X) input(white,c(X)) :- index(X)
        legal(white,a(X)) :- index(X) legal(white,b(X)) :- index(X) legal(white,c(X)) :- index(X)
        next(p(X)) :- does(white,a(X)) & ~true(p(X))
        next(p(X)) :- does(white,b(X)) & true(q(X))
        next(p(X)) :- true(p(X)) & ~does(white,a(X)) & ~does(white,b(X))
        next(q(X)) :- does(white,b(X)) & true(p(X))
        next(q(X)) :- does(white,c(X)) & true(r(X))
        next(q(X)) :- true(q(X)) & ~does(white,b(X)) & ~does(white,c(X))
        next(r(X)) :- does(white,c(X)) & true(q(X))
        next(r(X)) :- true(r(X)) & ~does(white,c(X))
        next(step(N)) :- true(step(M)) & successor(M,N)
        off :- index(X) & ~true(p(X))
        off :- index(X) & ~true(q(X))
        off :- index(X) & ~true(r(X))
        goal(white,100) :- ~off
        goal(white,0) :- off
        "
    .to_owned();
    text += &format!("terminal :- true(step({steps}))\n");
    (1..=copies).for_each(|n| text += &format!("index({n}) "));
    (0..steps).for_each(|n| text += &format!("successor({n},{}) ", n + 1));
    playable("lights.gdl", &text).unwrap()
}

/// Eight times six moves are found as eight plans of six moves; without factors there are more than
/// 8^8 states to look at.
#[test]
fn many_copies_of_a_puzzle_are_solved_one_by_one() {
    let rules = lights(8, 48);
    let analysis = Arc::new(BackgroundAnalysis::new(&Subject::new(&rules)));
    for text in ["ludex", "puzzle"] {
        let mut player = create(text, &Resources::default()).unwrap();
        player.prepare(seat(&rules, 0, &analysis), &Budget::unlimited().with_work(200_000_000)).unwrap();
        let choice = player.choose(&Budget::unlimited().with_work(1_000_000)).unwrap();
        assert_eq!(
            (entry(&choice, "expected goal"), entry(&choice, "method")),
            ("100".into(), "factors".into())
        );
        assert_eq!(entry(&choice, "proven"), "yes");
        assert!(entry(&choice, "states").parse::<u64>().unwrap() < 1_000, "{}", choice.report);
    }
}

/// In GDL-II the states that are possible are searched one by one, as states of a game that is seen; what
/// is known of them is no more than that, and moves stay legal.
#[test]
fn hidden_states_stay_hidden() {
    for name in ["blind-tic-tac-toe", "monty-hall", "exploding-bomb", "high-card"] {
        let rules = playable_bundled(name).unwrap();
        let analysis = Arc::new(BackgroundAnalysis::new(&Subject::new(&rules)));
        let text = "uct:fuzzy=0.3:playouts=200";
        let few = Budget::unlimited().with_work(400_000);
        for seed in 0..2 {
            let mut rng = Rng::from_seed(seed);
            let mut position = rules.start();
            let role = rules.seats()[0];
            let mut player = create(text, &Resources::from_seed(seed)).unwrap();
            player
                .prepare(seat(&rules, role.0, &analysis), &Budget::unlimited().with_work(200_000_000))
                .unwrap();
            while !position.terminal().unwrap() {
                let choice = player.choose(&few).unwrap();
                assert!(position.legal(role).unwrap().contains(&choice.action), "{name}");
                let mut joint = Vec::new();
                for other in rules.roles() {
                    joint.push(*rng.pick(&position.legal(other).unwrap()).unwrap());
                }
                joint[role.index()] = choice.action;
                position.advance(&joint).unwrap();
                let percepts = position.percepts(role).to_vec();
                player.observe(&News::Percepts { action: choice.action, percepts });
            }
        }
    }
}

#[test]
fn mixtures_and_options_are_read() {
    let good =
        ["fuzzy+mobility", "2*fuzzy+0.5*opponents-mobility+goal", "fuzzy-difference", "opponents-fuzzy"];
    for name in good {
        assert!(
            create(&format!("heuristic-search:heuristic={name}"), &Resources::default()).is_ok(),
            "{name}"
        );
        assert!(
            create(&format!("plan-best-first:heuristic={name}"), &Resources::default()).is_ok(),
            "{name}"
        );
    }
    let bad = [
        "heuristic-search:heuristic=fuzzy+",
        "heuristic-search:heuristic=0*fuzzy",
        "heuristic-search:heuristic=x*fuzzy",
    ];
    let bad =
        bad.into_iter().chain(["uct:fuzzy=2", "monte-carlo:fuzzy=-1", "uct:fuzzy=nan", "puzzle:fuzzy=maybe"]);
    for text in bad.chain(["puzzle:factors=puzzles", "alpha-beta:latches=puzzles"]) {
        assert!(create(text, &Resources::default()).is_err(), "{text}");
    }
}
