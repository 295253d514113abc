//! What is learned of a game beforehand: kept, read again, and used where the game comes again.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ludex_game::{Machine, RuleMachine, Rules};
use ludex_gdl::{Notation, print, scramble};
use ludex_logic::Budget;
use ludex_players::{
    Choice, Registry, Resources, Seat, Trained, TrainedEvaluation, TrainingError, TrainingOptions, train,
};
use ludex_testkit::{playable, playable_bundled};

fn learn(rules: &Rules, options: &TrainingOptions) -> Result<Trained, TrainingError> {
    train(rules.machine(), rules.program(), options, &Budget::unlimited(), &mut |_| {})
}

fn some_games(seed: u64) -> TrainingOptions {
    TrainingOptions { games: 2000, seed, ..TrainingOptions::default() }
}

fn tic_tac_toe() -> (Rules, TrainedEvaluation) {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let trained = learn(&rules, &some_games(1)).unwrap();
    (rules, trained.evaluation)
}

/// The first choice of the tournament player in a seat, with what was learned beforehand, after so many leaves.
fn choice_in(seat: Seat, trained: &Arc<TrainedEvaluation>, leaves: u32) -> Choice {
    let known = Arc::clone(trained);
    let registry = Registry::default().with_trained(move |name| match name {
        "known" => Ok(vec![Arc::clone(&known)]),
        _ => Err(format!("nothing is called {name}")),
    });
    let text = format!("ludex:leaves={leaves}:trained=known");
    let mut player = registry.create(&text, &Resources::default()).unwrap();
    player.prepare(seat, &Budget::unlimited()).unwrap();
    player.choose(&Budget::unlimited()).unwrap()
}

fn seat_of(rules: &Rules, role: usize) -> Seat {
    Seat {
        program: Arc::clone(rules.program()),
        machine: Arc::clone(rules.machine()),
        upgrade: None,
        analysis: None,
        role: rules.seats()[role],
    }
}

/// The same in a role of a game.
fn first_choice(rules: &Rules, trained: &Arc<TrainedEvaluation>, role: usize) -> Choice {
    choice_in(seat_of(rules, role), trained, 400)
}

/// What a player says of what it learned.
fn told(choice: &Choice) -> Option<String> {
    let notes = &choice.report.entries;
    notes.iter().find(|(name, _)| *name == "learned evaluation of").map(|(_, text)| text.clone())
}

#[test]
fn equal_seeds_learn_equally_and_others_otherwise() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let written =
        |seed: u64| serde_json::to_string(&learn(&rules, &some_games(seed)).unwrap().evaluation).unwrap();
    assert_eq!(written(1), written(1));
    assert_ne!(written(1), written(2));
}

#[test]
fn what_is_written_is_read_again() {
    let (_, trained) = tic_tac_toe();
    let text = serde_json::to_string(&trained).unwrap();
    let read: TrainedEvaluation = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
    assert_eq!((read.name(), read.games(), read.share()), (trained.name(), trained.games(), trained.share()));
}

#[test]
fn a_player_uses_what_was_learned_of_the_same_game_under_any_names() {
    let (rules, trained) = tic_tac_toe();
    let trained = Arc::new(trained);
    let expected = format!("{} games with itself", trained.games());
    let known = first_choice(&rules, &trained, 0);
    assert_eq!(told(&known).as_deref(), Some(&expected[..]));
    for seed in 1..6 {
        let (rulesheet, _) = scramble(rules.rulesheet(), seed);
        let other = playable("other.kif", &print(&rulesheet, Notation::Prefix)).unwrap();
        assert_eq!(told(&first_choice(&other, &trained, 0)).as_deref(), Some(&expected[..]), "{seed}");
    }
    let other = playable_bundled("connect-four").unwrap();
    assert_eq!(told(&first_choice(&other, &trained, 0)), None, "nothing is known of another game");
}

#[test]
fn a_machine_that_plays_one_state_at_a_time_is_not_judged_by_bits() {
    let (rules, trained) = tic_tac_toe();
    let trained = Arc::new(trained);
    let program = rules.program();
    let machine: Arc<dyn Machine> = Arc::new(RuleMachine::new(program, &Default::default()).unwrap());
    let slow = train(&machine, program, &some_games(1), &Budget::unlimited(), &mut |_| {});
    assert!(matches!(slow, Err(TrainingError::Slow)));
    let seat = |machine: &Arc<dyn Machine>| Seat {
        program: Arc::clone(program),
        machine: Arc::clone(machine),
        upgrade: None,
        analysis: None,
        role: rules.seats()[0],
    };
    for (machine, is_used) in [(&machine, false), (rules.machine(), true)] {
        assert_eq!(told(&choice_in(seat(machine), &trained, 20)).is_some(), is_used);
    }
}

/// Two roles that move in turn; whoever may say `yes` twice first has won. The second role is at a loss.
const RACE: &str = "
    (role left) (role right) (init (control left)) (init (at left 0)) (init (at right 0))
    (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal ?r yes) (true (control ?r)))
    (<= (legal ?r no) (true (control ?r)))
    (<= (legal left wait) (true (control right)))
    (<= (legal right wait) (true (control left)))
    (<= (next (at ?r ?n)) (does ?r yes) (true (at ?r ?m)) (succ ?m ?n))
    (<= (next (at ?r ?n)) (does ?r no) (true (at ?r ?n)))
    (<= (next (at ?r ?n)) (does ?r wait) (true (at ?r ?n)))
    (<= (next (control right)) (true (control left)))
    (<= (next (control left)) (true (control right)))
    (<= terminal (true (at ?r 3)))
    (<= (goal ?r 100) (true (at ?r 3)))
    (<= (goal left 0) (true (at right 3)))
    (<= (goal right 0) (true (at left 3)))
    (<= (goal ?r 50) (role ?r) (not terminal))";

#[test]
fn roles_in_another_order_get_what_is_theirs() {
    let rules = playable("race.kif", RACE).unwrap();
    let trained = Arc::new(learn(&rules, &some_games(3)).unwrap().evaluation);
    let turned = RACE.replace("(role left) (role right)", "(role right) (role left)");
    let turned = playable("turned.kif", &turned).unwrap();
    // Left moves first and wins by yes, and is the second role where they are turned.
    for (rules, left) in [(&rules, 0), (&turned, 1)] {
        let choice = first_choice(rules, &trained, left);
        assert!(told(&choice).is_some(), "{}", rules.name());
        assert_eq!(rules.text(choice.action), "yes", "{}", rules.name());
    }
}

#[test]
fn learning_goes_on_from_what_was_known() {
    let (rules, trained) = tic_tac_toe();
    let before = trained.games();
    // What fits is found among others.
    let other = learn(&playable_bundled("nim").unwrap(), &some_games(1)).unwrap().evaluation;
    let options = TrainingOptions { from: vec![Arc::new(other), Arc::new(trained)], ..some_games(9) };
    let more = learn(&rules, &options).unwrap();
    assert!(more.progress.games >= 2000);
    assert_eq!(more.evaluation.games(), before + more.progress.games);
    assert!(more.progress.told > 0.4, "{}", more.progress.told);
}

#[test]
fn learning_does_not_go_on_from_another_game() {
    let from = vec![Arc::new(tic_tac_toe().1)];
    let rules = playable_bundled("connect-four").unwrap();
    let error = learn(&rules, &TrainingOptions { from, ..some_games(1) }).unwrap_err();
    assert!(matches!(error, TrainingError::OtherGame(_)), "{error}");
}

#[test]
fn several_threads_put_together_what_they_learned() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let options = TrainingOptions { games: 100_000, threads: 3, ..some_games(1) };
    let mut reports = Vec::new();
    let trained = train(rules.machine(), rules.program(), &options, &Budget::unlimited(), &mut |progress| {
        reports.push(*progress);
    });
    let trained = trained.unwrap();
    assert!(!reports.is_empty() && reports.windows(2).all(|two| two[0].games < two[1].games), "{reports:?}");
    assert!((100_000..101_000).contains(&trained.progress.games), "{}", trained.progress.games);
    assert!(trained.progress.told > 0.4, "{}", trained.progress.told);
    assert!(trained.told_by_playouts.is_some_and(|told| told > 0.2), "{:?}", trained.told_by_playouts);
}

#[test]
fn a_budget_that_ends_ends_learning() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let budget = Budget::unlimited();
    let cancel = budget.cancel_flag();
    let options = TrainingOptions::default();
    let trained = train(rules.machine(), rules.program(), &options, &budget, &mut |_| {
        cancel.store(true, Ordering::Relaxed);
    });
    assert!(trained.unwrap().evaluation.games() > 0);
}

#[test]
fn games_in_which_roles_choose_at_the_same_time_are_learned_from_too() {
    // Who is ahead on the way is seen in states.
    let trained = learn(&playable_bundled("goofspiel").unwrap(), &some_games(1)).unwrap();
    assert!(trained.progress.told > 0.3, "{}", trained.progress.told);
    assert!(!trained.evaluation.goes_by_moves());
}

/// Two who step to a free cell beside theirs, which nobody can come to again; who cannot loses.
const STUCK: &str = "
    (role left) (role right)
    (init (at left 1 3)) (init (at right 7 5)) (init (control left))
    (next-to 1 2) (next-to 2 3) (next-to 3 4) (next-to 4 5) (next-to 5 6) (next-to 6 7)
    (<= (index ?x) (next-to ?x ?y)) (<= (index ?y) (next-to ?x ?y))
    (<= (step ?x ?x) (index ?x)) (<= (step ?x ?y) (next-to ?x ?y)) (<= (step ?y ?x) (next-to ?x ?y))
    (<= (taken ?x ?y) (true (gone ?x ?y))) (<= (taken ?x ?y) (true (at ?r ?x ?y)))
    (<= (free ?r ?x ?y) (true (at ?r ?u ?v)) (step ?u ?x) (step ?v ?y) (not (taken ?x ?y)))
    (<= (legal ?r (go ?x ?y)) (true (control ?r)) (free ?r ?x ?y))
    (<= (legal left wait) (true (control right))) (<= (legal right wait) (true (control left)))
    (<= (next (at ?r ?x ?y)) (does ?r (go ?x ?y)))
    (<= (next (at ?r ?x ?y)) (true (at ?r ?x ?y)) (does ?r wait))
    (<= (next (gone ?x ?y)) (true (gone ?x ?y)))
    (<= (next (gone ?x ?y)) (true (at ?r ?x ?y)) (true (control ?r)))
    (<= (next (control right)) (true (control left))) (<= (next (control left)) (true (control right)))
    (<= (mobile ?r) (free ?r ?x ?y))
    (<= terminal (true (control ?r)) (not (mobile ?r)))
    (<= (goal left 100) (true (control right))) (<= (goal left 0) (true (control left)))
    (<= (goal right 100) (true (control left))) (<= (goal right 0) (true (control right)))";

#[test]
fn where_facts_tell_little_moves_are_counted() {
    let rules = playable("stuck.kif", STUCK).unwrap();
    let options = TrainingOptions { games: 300, ..some_games(1) };
    let trained = learn(&rules, &options).unwrap();
    assert!(trained.evaluation.goes_by_moves());
    assert!(trained.progress.told > 0.3, "{}", trained.progress.told);
    let more = TrainingOptions { from: vec![Arc::new(trained.evaluation.clone())], ..options };
    assert!(learn(&rules, &more).unwrap().evaluation.goes_by_moves(), "it goes on as it began");

    let mut file = serde_json::to_value(&trained.evaluation).unwrap();
    // As if it told more, so that it is used.
    file["told"]["share"] = 0.8.into();
    let read = |file: serde_json::Value| serde_json::from_value::<TrainedEvaluation>(file);
    let known = Arc::new(read(file.clone()).unwrap());
    let note = told(&first_choice(&rules, &known, 0)).unwrap();
    assert!(note.ends_with("by how many moves roles have"), "{note}");
    // The same game with other names, where the second role comes first.
    let swapped =
        STUCK.replacen("(role left) (role right)", "(role right) (role left)", 1).replace("at ", "stands ");
    let other = playable("other.kif", &swapped).unwrap();
    assert_eq!(told(&first_choice(&other, &known, 1)), Some(note));

    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut file = file.clone();
        change(&mut file);
        read(file).unwrap_err().to_string()
    };
    let moves = "what it knows of moves does not fit";
    assert!(changed(&|file| file["moves"]["turn"] = serde_json::json!([])).contains(moves));
    assert!(changed(&|file| file["moves"]["rows"] = serde_json::json!([])).contains(moves));
    assert!(changed(&|file| file["moves"]["rows"][5]["weights"][0] = 1e300.into()).contains("out of range"));
    let other_fact = |file: &mut serde_json::Value| file["moves"]["turn"][0] = "never".into();
    let mut unknown = file.clone();
    other_fact(&mut unknown);
    assert_eq!(
        told(&first_choice(&rules, &Arc::new(read(unknown).unwrap()), 0)),
        None,
        "it is of no use here"
    );
}

/// Each picks one of 400 moves; the left role wins if its first number is no less than the right one's.
const PICK: &str = "
    (role left) (role right) (init (step 1))
    (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
    (succ 10 11) (succ 11 12) (succ 12 13) (succ 13 14) (succ 14 15) (succ 15 16) (succ 16 17) (succ 17 18)
    (succ 18 19) (succ 19 20)
    (<= (number ?x) (succ ?x ?y)) (<= (number ?y) (succ ?x ?y))
    (<= (least ?x ?x) (number ?x)) (<= (least ?x ?z) (succ ?x ?y) (least ?y ?z))
    (<= (legal left (pick ?x ?y)) (true (step 1)) (number ?x) (number ?y)) (<= (legal right wait) (true (step 1)))
    (<= (legal right (pick ?x ?y)) (true (step 2)) (number ?x) (number ?y)) (<= (legal left wait) (true (step 2)))
    (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
    (<= (next (picked ?r ?x)) (does ?r (pick ?x ?y))) (<= (next (picked ?r ?x)) (true (picked ?r ?x)))
    (<= terminal (true (step 3)))
    (<= ahead (true (picked left ?x)) (true (picked right ?y)) (least ?y ?x))
    (<= (goal left 100) ahead) (<= (goal left 0) (not ahead))
    (<= (goal right 0) ahead) (<= (goal right 100) (not ahead))";

#[test]
fn of_very_many_moves_those_are_tried_that_look_best() {
    let rules = playable("pick.kif", PICK).unwrap();
    let trained = learn(&rules, &some_games(1)).unwrap();
    let known = Arc::new(trained.evaluation);
    // No more leaves than a tenth of the moves: all of them behind moves whose number is among the highest.
    let choice = choice_in(seat_of(&rules, 0), &known, 40);
    let signature = rules.machine().signature();
    let tried: Vec<String> = choice
        .report
        .moves
        .iter()
        .filter(|rating| rating.visits > 0)
        .map(|rating| signature.text(rating.action))
        .collect();
    let high = ["(pick 20 ", "(pick 19 ", "(pick 18 ", "(pick 17 "];
    let is_high = |name: &String| high.iter().any(|high| name.starts_with(high));
    assert!(!tried.is_empty() && tried.iter().all(is_high), "{tried:?}");
}

#[test]
fn what_cannot_be_learned_says_why() {
    let error = |name: &str| learn(&playable_bundled(name).unwrap(), &some_games(1)).unwrap_err();
    assert!(matches!(error("hanoi"), TrainingError::Alone));
    assert!(matches!(error("kuhn-poker"), TrainingError::Hidden));
}

/// A file with something changed in it.
fn changed(change: impl Fn(&mut serde_json::Value)) -> String {
    let mut value = serde_json::to_value(tic_tac_toe().1).unwrap();
    change(&mut value);
    let read: Result<TrainedEvaluation, _> = serde_json::from_value(value);
    read.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn damaged_files_are_refused() {
    assert!(changed(|file| file["format"] = "another".into()).contains("`another`"));
    assert!(changed(|file| file["language"] = "chess".into()).contains("its language is not known"));
    assert!(changed(|file| file["rulesheet"] = "(role".into()).contains("no game"));
    assert!(changed(|file| file["hidden"] = 31.into()).contains("hidden units"));
    assert!(changed(|file| file["told"]["share"] = 1.5.into()).contains("out of range"));
    assert!(
        changed(|file| file["is_shared"] = false.into()).contains("a fact has too few or too many weights")
    );
    assert!(changed(|file| file["facts"][3]["weights"] = serde_json::json!([1.0])).contains("a fact"));
    assert!(changed(|file| file["facts"][3]["squares"][0] = 0.0.into()).contains("out of range"));
    assert!(changed(|file| file["outputs"] = serde_json::json!([])).contains("weights of hidden units"));
    assert!(changed(|file| file["output_squares"][0] = (-1.0).into()).contains("out of range"));
    let boards = "the tables of its boards do not fit";
    assert!(changed(|file| file["tuples"]["tuples"][0][0] = 9.into()).contains(boards));
    assert!(changed(|file| file["tuples"]["tuples"] = serde_json::json!([])).contains(boards));
    assert!(
        changed(|file| file["tuples"]["tuples"][0] = serde_json::json!([0, 1, 2, 3, 4, 5, 6]))
            .contains(boards)
    );
    assert!(changed(|file| file["tuples"]["places"][0] = 4_000_000_000u32.into()).contains(boards));
    assert!(changed(|file| file["tuples"]["places"] = serde_json::json!([])).contains(boards));
    assert!(changed(|file| file["tuples"]["weights"][0] = 1e300.into()).contains(boards));
    // Too large for a weight: infinite.
    assert!(changed(|file| file["always"]["weights"][0] = 1e300.into()).contains("out of range"));
}

#[test]
fn a_registry_that_reads_no_files_says_so() {
    let refused = Registry::default().create("ludex:trained=some.json", &Resources::default()).err().unwrap();
    assert!(refused.to_string().contains("files are not read here"), "{refused}");
    let registry = Registry::default().with_trained(|name| Err(format!("there is no {name}")));
    let refused = registry.create("ludex:trained=some.json", &Resources::default()).err().unwrap();
    assert_eq!(refused.to_string(), "`ludex` cannot play: there is no some.json");
    assert!(registry.create("ludex", &Resources::default()).is_ok());
    assert!(registry.without_trained().create("ludex:trained=some.json", &Resources::default()).is_err());
}
