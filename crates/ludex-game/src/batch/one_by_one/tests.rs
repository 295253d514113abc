//! Batches of the rule machine on a game that gets stuck, goes on or ends as one chooses.

use std::sync::Arc;

use ludex_gdl::{LoadOptions, Source, load};
use ludex_logic::{Budget, LimitError};

use super::*;
use crate::error::GameError;
use crate::{DecisiveMoves, Machine, RuleMachine, RuleMachineOptions, Stakes, Tally};

/// `end` ends the game with 100, `stay` leads on, and after `trap` no move is legal.
const GAME: &str = "
    (role you)
    (init on)
    (<= (legal you stay) (true on))
    (<= (legal you end) (true on))
    (<= (legal you trap) (true on))
    (<= (next on) (does you stay))
    (<= (next over) (does you end))
    (<= (next caught) (does you trap))
    (<= terminal (true over))
    (<= (goal you 100) (true over))
    (<= (goal you 0) (true on))";

fn machine() -> RuleMachine {
    machine_of(GAME)
}

fn machine_of(text: &str) -> RuleMachine {
    let checked = load(Arc::new(Source::new("game.kif", text)), &LoadOptions::default());
    RuleMachine::new(&checked.game.unwrap(), &RuleMachineOptions::default()).unwrap()
}

/// The same game where one of the moves is legal.
fn with_only(name: &str) -> RuleMachine {
    let none = GAME.replace("(legal you ", "(unused you ");
    machine_of(&none.replace(&format!("(unused you {name})"), &format!("(legal you {name})")))
}

fn action(machine: &RuleMachine, name: &str) -> ActionId {
    let terms = machine.signature().terms();
    machine.signature().find_action(terms.constant(name)).unwrap()
}

fn play(machine: &RuleMachine, step_limit: u32, playouts: u32) -> Outcomes {
    let starts = [Start { state: machine.initial().clone(), playouts }];
    let mut out = Outcomes::default();
    let options = BatchOptions { records: true, ..BatchOptions::default() };
    machine.batch(&options).playouts(&starts, &Policy::uniform(step_limit), 5, &mut out).unwrap();
    out
}

#[test]
fn every_fault_is_in_the_outcome() {
    let ended =
        Tally { finished: 7, steps: 7, squared_steps: 7, goals: vec![vec![(100, 7)]], ..Tally::default() };
    assert_eq!(play(&with_only("end"), 9, 7).tallies, [ended]);
    let stuck = Tally { stuck: 7, steps: 7, squared_steps: 7, ..Tally::default() };
    assert_eq!(play(&with_only("trap"), 9, 7).tallies, [stuck]);
    let late = Tally { over_limit: 2, steps: 18, squared_steps: 162, ..Tally::default() };
    let out = play(&with_only("stay"), 9, 2);
    assert_eq!(out.tallies, [late]);
    let record =
        PlayoutRecord { start: 0, steps: 9, goals: Vec::new(), fault: Some(PlayoutFault::OverLimit) };
    assert_eq!(out.records, [record.clone(), record]);
}

#[test]
fn moves_are_equally_likely() {
    let tally = &play(&machine(), 1000, 6000).tallies[0];
    assert_eq!(tally.playouts(), 6000);
    assert!((2800..3200).contains(&tally.finished), "{tally:?}");
    assert!((8_550..9_450).contains(&tally.steps), "{tally:?}");
}

#[test]
fn one_seed_gives_one_result() {
    let machine = machine();
    let first = play(&machine, 50, 100);
    assert_eq!(first, play(&machine, 50, 100));
}

#[test]
fn joint_moves_are_expanded() {
    let machine = machine();
    let options = BatchOptions::default();
    let mut batch = machine.batch(&options);
    let mut jobs = Jobs::default();
    let initial = jobs.add_state(machine.initial().words());
    ["stay", "end", "trap"].iter().for_each(|name| jobs.add(initial, &[action(&machine, name)]));
    let mut out = Expansion::default();
    batch.expand(&jobs, &mut out).unwrap();
    let you = RoleId(0);
    let summary = |at| (out.terminal(at), out.goals(at)[0], out.legal(at, you).len());
    let summaries: Vec<_> = (0..out.len()).map(summary).collect();
    assert_eq!(summaries, [(false, Some(0), 3), (true, Some(100), 0), (false, None, 0)]);
    assert_eq!(out.state(0), machine.initial().words());
    let caught = jobs.add_state(out.state(2));
    jobs.add(caught, &[action(&machine, "stay")]);
    let error = batch.expand(&jobs, &mut out).unwrap_err();
    assert_eq!(error, GameError::IllegalMove { role: "you".into(), action: "stay".into() });
    assert!(out.is_empty());
    jobs.clear();
    let initial = jobs.add_state(machine.initial().words());
    jobs.add(initial, &[ActionId(99)]);
    assert!(matches!(batch.expand(&jobs, &mut out), Err(GameError::UnknownAction { .. })));
}

#[test]
fn limits_end_a_call() {
    let machine = machine();
    let options = BatchOptions { budget: Budget::unlimited().with_work(100), records: false };
    let starts = [Start { state: machine.initial().clone(), playouts: 1000 }];
    let policy = Policy::uniform(1000);
    let mut out = Outcomes::default();
    let error = machine.batch(&options).playouts(&starts, &policy, 1, &mut out).unwrap_err();
    assert_eq!(error, GameError::Limit(LimitError::Work { limit: 100 }));
    assert_eq!(out, Outcomes::default());
}

#[test]
fn goals_at_the_step_limit_count_where_they_are_asked_for() {
    let machine = with_only("stay");
    let starts = [Start { state: machine.initial().clone(), playouts: 3 }];
    let options = BatchOptions { records: true, ..BatchOptions::default() };
    let policy = Policy { at_limit: AtLimit::Goals, ..Policy::uniform(4) };
    let mut out = Outcomes::default();
    machine.batch(&options).playouts(&starts, &policy, 5, &mut out).unwrap();
    let goals = vec![vec![(0, 3)]];
    assert_eq!(
        out.tallies,
        [Tally { over_limit: 3, steps: 12, squared_steps: 48, goals, ..Tally::default() }]
    );
    let fault = Some(PlayoutFault::OverLimit);
    assert_eq!(out.records[0], PlayoutRecord { start: 0, steps: 4, goals: vec![Some(0)], fault });
}

#[test]
fn goals_of_terminal_states_only() {
    let machine = machine();
    let mut jobs = Jobs::default();
    jobs.want_goals(Wanted::Terminal);
    let initial = jobs.add_state(machine.initial().words());
    ["stay", "end"].iter().for_each(|name| jobs.add(initial, &[action(&machine, name)]));
    let mut out = Expansion::default();
    machine.batch(&BatchOptions::default()).expand(&jobs, &mut out).unwrap();
    assert_eq!((out.goals(0), out.goals(1)), (&[None][..], &[Some(100)][..]));
    assert_eq!(out.legal(0, RoleId(0)).len(), 3);
    jobs.want_moves(false);
    machine.batch(&BatchOptions::default()).expand(&jobs, &mut out).unwrap();
    assert_eq!((out.len(), out.legal(0, RoleId(0)).len(), out.legal(1, RoleId(0)).len()), (2, 0, 0));
    jobs.clear();
    assert_eq!((jobs.goals(), jobs.moves(), jobs.is_empty()), (Wanted::Terminal, false, true));
}

#[test]
fn moves_of_playouts_with_goals_are_noted_once_each() {
    let machine = machine();
    let decisive_moves = DecisiveMoves { stakes: vec![Some(Stakes { win: 100, loss: 0 })], retries: 5 };
    let starts = [Start { state: machine.initial().clone(), playouts: 600 }];
    let play = |policy: &Policy| {
        let mut out = Outcomes::default();
        machine.batch(&BatchOptions::default()).playouts(&starts, policy, 5, &mut out).unwrap();
        out
    };
    let noted = Policy { notes_moves: true, ..Policy::uniform(1000) };
    let out = play(&noted);
    let (finished, role) = (out.tallies[0].finished, RoleId(0));
    assert!((150..450).contains(&finished));
    assert_eq!(out.moves.playouts(0), finished, "those that got stuck do not count");
    let of = |out: &Outcomes, name: &str| {
        let place = action(&machine, name).index();
        let get = |numbers: &[u32]| numbers.get(place).copied().unwrap_or(0);
        (get(out.moves.counts(0, role)), get(out.moves.sums(0, role)))
    };
    assert_eq!(of(&out, "end"), (finished, 100 * finished));
    let (stayed, brought) = of(&out, "stay");
    assert!(stayed > 0 && stayed < finished && brought == 100 * stayed, "{stayed} {brought}");
    assert_eq!(of(&out, "trap").0, 0);
    // Who sees that it wins does so at once.
    let decisive = play(&Policy { decisive_moves: Some(decisive_moves), ..noted });
    assert_eq!((of(&decisive, "end"), of(&decisive, "stay").0), ((600, 60_000), 0));
    assert!(play(&Policy::uniform(1000)).moves.is_empty(), "nobody asked");
}
