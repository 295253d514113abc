use std::collections::HashMap;

use ludex_game::{ActionId, JointMoves, Machine, RoleId, Rules, State};
use ludex_logic::Budget;
use ludex_testkit::{playable, playable_bundled};

use super::claim::{Claim, loop_start};
use super::driver::{Driver, Methods};
use super::{Method, PlayerReport, WellFormed, WellFormedOptions};
use crate::{Finding, Reason, Subject};

const SEARCH: Methods = Methods { sampling: false, search: true, proofs: false };
const PROOFS: Methods = Methods { sampling: true, search: false, proofs: true };

fn options() -> WellFormedOptions {
    WellFormedOptions { most_states: 200_000, most_steps: 6, ..WellFormedOptions::default() }
}

fn with(rules: &Rules, methods: Methods) -> WellFormed {
    Driver::new(&Subject::new(rules), &options(), &Budget::unlimited()).with(methods).run()
}

fn all(rules: &Rules) -> WellFormed {
    WellFormed::find(&Subject::new(rules), &options(), &Budget::unlimited())
}

/// One letter for each answer: proved, refuted, undecided.
fn letters(report: &WellFormed) -> String {
    let mut out = String::from(&report.termination.finding.word()[..1]);
    out.extend(report.playable.iter().map(|(_, judged)| &judged.finding.word()[..1]));
    for player in &report.players {
        out.push(' ');
        let words = [
            player.weak.finding.word(),
            player.sequence.finding.word(),
            player.strategy.finding.word(),
            player.some_goal.finding.word(),
            player.not_several.finding.word(),
            player.in_range.finding.word(),
            player.monotonic.finding.word(),
        ];
        out.extend(words.map(|word| &word[..1]));
    }
    out.push(' ');
    out.push_str(&report.constant_sum.finding.word()[..1]);
    out
}

/// Whether two reports say nothing that cannot both be so.
fn agree(one: &WellFormed, other: &WellFormed) -> bool {
    let (one, other) = (letters(one), letters(other));
    one.len() == other.len() && one.chars().zip(other.chars()).all(|(a, b)| a == b || a == 'u' || b == 'u')
}

/// Each course that is given out shows what it is said to show.
fn witnesses_replay(report: &WellFormed, rules: &Rules) {
    let check = |claim: Claim, finding: &Finding| {
        if let Some(witness) = finding.witness() {
            assert!(claim.is_shown_by(witness, rules).unwrap(), "{claim:?}");
        }
    };
    check(Claim::Loops, &report.termination.finding.clone().map(drop));
    for (role, judged) in &report.playable {
        check(Claim::Stuck(*role), &judged.finding);
    }
    for player in &report.players {
        check(Claim::NoGoal(player.role), &player.some_goal.finding);
        check(Claim::SeveralGoals(player.role), &player.not_several.finding);
        check(Claim::OutOfRange(player.role), &player.in_range.finding);
        check(Claim::Falls(player.role), &player.monotonic.finding);
        if let Some(course) = player.weak.finding.how() {
            assert!(Claim::Wins(player.role).is_shown_by(course, rules).unwrap());
        }
    }
}

fn text(moves: &[ludex_logic::TermId], rules: &Rules) -> String {
    rules.texts(moves).join(" ")
}

#[test]
fn problem_2_2_of_the_book() {
    let rules = playable_bundled("problem-2-1").unwrap();
    let report = all(&rules);
    let is_proved = |player: &PlayerReport| {
        let strong = player.strategy.finding.is_possible();
        assert_eq!(player.sequence.finding.is_possible(), strong, "white decides alone");
        (strong, player.weak.finding.is_possible())
    };
    let [white, black] = &report.players[..] else { panic!("two roles") };
    // No, yes, yes, yes, no, yes.
    assert!(report.termination.finding.is_refuted());
    assert!(report.playable.iter().all(|(_, judged)| judged.finding.is_proved()));
    assert_eq!(is_proved(white), (true, true));
    assert_eq!(is_proved(black), (false, true));
    assert!(black.strategy.finding.is_impossible());
    assert_eq!(report.is_well_formed(), Some(false));
    // Problem 2.1 (g): the shortest course has four steps.
    assert_eq!(with(&rules, SEARCH).players[0].weak.finding.how().unwrap().steps.len(), 4);
    let end = report.termination.finding.witness().unwrap().replay(&rules).unwrap();
    assert!(loop_start(&end).is_some());
    witnesses_replay(&report, &rules);
}

#[test]
fn tic_tac_toe_by_search_and_by_induction() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let search = with(&rules, SEARCH);
    assert_eq!(search.states, Some((5478, true)));
    assert_eq!(search.termination.finding.proved().unwrap().longest, Some(9));
    assert_eq!(search.is_well_formed(), Some(true));
    for player in &search.players {
        assert!(player.strategy.finding.is_impossible() && player.sequence.finding.is_impossible());
        assert_eq!(player.best, Some(100));
    }
    assert_eq!(search.constant_sum.finding.proved().unwrap().sum, Some(100));
    let proofs = with(&rules, PROOFS);
    assert!(proofs.termination.finding.is_proved(), "the board fills");
    assert!(matches!(proofs.termination.by, Some(Method::OneWay { .. })));
    assert!(proofs.playable.iter().all(|(_, judged)| judged.finding.is_proved()));
    assert!(agree(&search, &proofs), "{} {}", letters(&search), letters(&proofs));
    witnesses_replay(&proofs, &rules);
}

#[test]
fn nim_is_won_by_a_strategy_and_not_by_a_sequence() {
    let rules = playable_bundled("nim").unwrap();
    let report = with(&rules, SEARCH);
    let forced: Vec<bool> = report.players.iter().map(|p| p.strategy.finding.is_possible()).collect();
    assert_eq!(forced.iter().filter(|&&wins| wins).count(), 1, "one side wins nim");
    assert!(report.players.iter().all(|player| player.sequence.finding.is_impossible()));
    let proofs = with(&rules, PROOFS);
    assert!(proofs.termination.finding.is_proved(), "heaps shrink");
    assert!(agree(&report, &proofs), "{} {}", letters(&report), letters(&proofs));
}

#[test]
fn a_puzzle_is_strongly_winnable_in_both_readings() {
    let rules = playable_bundled("buttons-and-lights").unwrap();
    for report in [all(&rules), with(&rules, PROOFS)] {
        let [robot] = &report.players[..] else { panic!("one role") };
        assert_eq!(report.is_well_formed(), Some(true));
        assert!(robot.strategy.finding.is_possible());
        assert_eq!(robot.sequence.finding.how().unwrap().len(), 6);
    }
}

/// Two players who may each take or leave one thing at a time, with parts to be replaced.
fn game(terminal: &str, goals: &str, more: &str) -> Rules {
    let text = format!(
        "(role left) (role right)
         (init (step 0))
         (succ 0 1) (succ 1 2) (succ 2 3)
         (<= (legal ?r wait) (role ?r))
         (<= (legal left take) (true (step ?n)))
         (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
         (<= (next taken) (does left take))
         (<= (next taken) (true taken))
         {terminal} {goals} {more}"
    );
    playable("test.kif", &text).unwrap()
}

const ENDS: &str = "(<= terminal (true (step 3)))";
const GOALS: &str = "(<= (goal left 100) (true taken)) (<= (goal left 0) (not (true taken)))
    (<= (goal right 0) (true taken)) (<= (goal right 100) (not (true taken)))";

#[test]
fn what_is_well_formed_is_said_to_be() {
    let rules = game(ENDS, GOALS, "");
    for report in [all(&rules), with(&rules, SEARCH), with(&rules, PROOFS)] {
        assert_eq!(report.is_well_formed(), Some(true), "{}", letters(&report));
        assert_eq!(report.constant_sum.finding.word(), "proved");
        let [left, right] = &report.players[..] else { panic!("two roles") };
        assert!(left.monotonic.finding.is_proved());
        let fall = right.monotonic.finding.witness().unwrap();
        assert_eq!(text(fall.steps.last().unwrap(), &rules), "take wait");
        witnesses_replay(&report, &rules);
    }
    let report = with(&rules, SEARCH);
    let [left, right] = &report.players[..] else { panic!("two roles") };
    let moves = left.sequence.finding.how().unwrap();
    assert!(text(moves, &rules).contains("take"), "{}", text(moves, &rules));
    assert!(right.strategy.finding.is_impossible() && right.weak.finding.is_possible());
}

#[test]
fn each_property_is_refuted_by_every_method_that_can() {
    let stuck = "(<= (legal left never) (true (step 7)))";
    type Breaks = fn(&WellFormed) -> bool;
    let cases: [(&str, Rules, Breaks); 6] = [
        ("termination", game("(<= terminal (true taken))", GOALS, "(succ 3 3)"), |report| {
            report.termination.finding.is_refuted()
        }),
        (
            "playability",
            playable(
                "test.kif",
                &format!(
                    "(role left) (init (step 0)) (succ 0 1) (succ 1 2)
                     (<= (legal left go) (true (step ?n)) (succ ?n ?m) (not (true (step 1))))
                     (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
                     (<= terminal (true (step 2))) (goal left 100) {stuck}"
                ),
            )
            .unwrap(),
            |report| report.playable[0].1.finding.is_refuted(),
        ),
        (
            "one goal",
            game(ENDS, "(<= (goal left 100) (true taken)) (goal left 0) (goal right 100)", ""),
            |report| {
                report.players[0].one_goal().finding.is_refuted()
                    && report.players[1].one_goal().finding.is_proved()
            },
        ),
        ("some goal", game(ENDS, "(<= (goal left 100) (true taken)) (goal right 100)", ""), |report| {
            report.players[0].one_goal().finding.is_refuted()
        }),
        (
            "constant sum",
            game(ENDS, &format!("{} (goal right 50)", &GOALS[..GOALS.find("(<= (goal right").unwrap()]), ""),
            |report| report.constant_sum.finding.is_refuted(),
        ),
        ("winnable", game(ENDS, "(goal left 100) (goal right 90)", ""), |report| {
            report.players[1].weak.finding.is_impossible()
                && report.players[1].strategy.finding.is_impossible()
                && report.is_well_formed() == Some(false)
        }),
    ];
    for (name, rules, is_so) in cases {
        let reports = [all(&rules), with(&rules, SEARCH)];
        for report in &reports {
            assert!(is_so(report), "{name}: {}", letters(report));
            witnesses_replay(report, &rules);
        }
        let proofs = with(&rules, PROOFS);
        assert!(agree(&reports[1], &proofs), "{name}: {} {}", letters(&reports[1]), letters(&proofs));
        witnesses_replay(&proofs, &rules);
    }
}

#[test]
fn a_role_that_moves_at_random_is_no_player_but_must_be_able_to_move() {
    let rules = playable_bundled("monty-hall").unwrap();
    let report = all(&rules);
    assert_eq!(report.playable.len(), 2);
    assert_eq!(report.players.len(), 1);
    assert!(report.is_imperfect);
    let [candidate] = &report.players[..] else { panic!("one player") };
    assert!(candidate.weak.finding.is_possible());
    assert!(!candidate.strategy.finding.is_possible(), "the car may be elsewhere");
    assert_eq!(report.is_well_formed(), Some(true));
}

#[test]
fn threads_change_nothing() {
    for name in ["tic-tac-toe", "problem-2-1", "nim"] {
        let rules = playable_bundled(name).unwrap();
        let threads = |threads| {
            let options = WellFormedOptions { threads, ..options() };
            Driver::new(&Subject::new(&rules), &options, &Budget::unlimited()).with(SEARCH).run()
        };
        assert_eq!(threads(1), threads(3), "{name}");
    }
}

#[test]
fn a_spent_budget_leaves_things_undecided() {
    let rules = playable_bundled("connect-four").unwrap();
    let budget = Budget::unlimited().with_work(50_000);
    let options = WellFormedOptions { most_states: 1000, ..options() };
    let report = WellFormed::find(&Subject::new(&rules), &options, &budget);
    assert!(report.is_undecided());
    assert!(matches!(
        report.players[0].strategy.finding,
        super::Possibility::Undecided(Reason::Limit(_) | Reason::States { .. } | Reason::NoNet(_))
    ));
    witnesses_replay(&report, &rules);
}

#[test]
fn random_games_are_never_refuted_and_methods_agree() {
    for seed in ludex_testkit::seeds(12) {
        let knobs = ludex_testkit::generate::Knobs::from_seed(seed);
        let text = ludex_testkit::generate::generate(seed, &knobs).to_string();
        let rules = playable("generated.kif", &text).unwrap();
        let report = all(&rules);
        assert!(!report.termination.finding.is_refuted(), "seed {seed}");
        assert!(report.playable.iter().all(|(_, judged)| !judged.finding.is_refuted()), "seed {seed}");
        witnesses_replay(&report, &rules);
        let (search, proofs) = (with(&rules, SEARCH), with(&rules, PROOFS));
        assert!(agree(&search, &proofs), "seed {seed}: {} {}", letters(&search), letters(&proofs));
        assert!(agree(&search, &report), "seed {seed}: {} {}", letters(&search), letters(&report));
    }
}

#[test]
fn roles_are_those_of_the_rulesheet() {
    let report = all(&game(ENDS, GOALS, ""));
    let roles: Vec<RoleId> = report.players.iter().map(|player| player.role).collect();
    assert_eq!(roles, [RoleId(0), RoleId(1)]);
}

/// The game as the definitions see it: a tree that is walked, nothing kept but what was decided.
struct Plainly<'r> {
    machine: &'r dyn Machine,
    role: RoleId,
    decided: HashMap<State, bool>,
}

impl Plainly<'_> {
    /// Whether the role has won, where the game is over.
    fn end(&self, state: &State) -> Option<bool> {
        let mut runner = self.machine.runner(&Budget::unlimited());
        runner.set(state).unwrap();
        runner.terminal().unwrap().then(|| runner.goal(self.role).unwrap() == Some(100))
    }

    /// All joint moves with where they lead.
    fn next(&self, state: &State) -> Vec<(Vec<ActionId>, State)> {
        let mut runner = self.machine.runner(&Budget::unlimited());
        runner.set(state).unwrap();
        let mut joints = JointMoves::new(&mut *runner, self.machine.signature()).unwrap();
        let mut all = Vec::new();
        while let Some(joint) = joints.next() {
            runner.set(state).unwrap();
            runner.step(joint).unwrap();
            let mut after = State::default();
            runner.save(&mut after);
            all.push((joint.to_vec(), after));
        }
        all
    }

    /// Whether some move wins whatever the others do, state by state.
    fn forces(&mut self, state: &State) -> bool {
        if let Some(won) = self.end(state) {
            return won;
        }
        if let Some(&known) = self.decided.get(state) {
            return known;
        }
        let mut all: HashMap<ActionId, bool> = HashMap::new();
        for (joint, after) in self.next(state) {
            let wins = self.forces(&after);
            *all.entry(joint[self.role.index()]).or_insert(true) &= wins;
        }
        let forces = all.values().any(|&wins| wins);
        self.decided.insert(state.clone(), forces);
        forces
    }

    /// Whether these own moves win whatever the others do.
    fn wins_with(&self, state: &State, moves: &[ActionId]) -> bool {
        if let Some(won) = self.end(state) {
            return won;
        }
        let Some((first, rest)) = moves.split_first() else { return false };
        let next = self.next(state);
        let mut own = next.iter().filter(|(joint, _)| joint[self.role.index()] == *first).peekable();
        own.peek().is_some() && own.all(|(_, after)| self.wins_with(after, rest))
    }
}

#[test]
fn sequences_and_strategies_are_those_of_the_definitions() {
    let mut games: Vec<(String, Rules)> = ludex_testkit::seeds(12)
        .map(|seed| {
            let knobs = ludex_testkit::generate::Knobs::from_seed(seed);
            let text = ludex_testkit::generate::generate(seed, &knobs).to_string();
            (format!("seed {seed}"), playable("generated.kif", &text).unwrap())
        })
        .collect();
    for name in ["tic-tac-toe", "nim", "race", "untwisty-corridor", "buttons-and-lights"] {
        games.push((name.to_owned(), playable_bundled(name).unwrap()));
    }
    games.push(("left takes".to_owned(), game(ENDS, GOALS, "")));
    let (mut by_sequence, mut by_strategy, mut by_neither) = (0, 0, 0);
    for (name, rules) in &games {
        let report = with(rules, SEARCH);
        // Only small games can be walked through plainly.
        if !matches!(report.states, Some((states, true)) if states < 10_000) {
            continue;
        }
        for player in &report.players {
            let machine = &**rules.machine();
            let mut plainly = Plainly { machine, role: player.role, decided: HashMap::new() };
            let forces = plainly.forces(rules.initial());
            let strategy = &player.strategy.finding;
            assert!(if forces { strategy.is_possible() } else { strategy.is_impossible() }, "{name}");
            let sequence = player.sequence.finding.how();
            if let Some(moves) = sequence {
                let action = |term| machine.signature().find_action(term).unwrap();
                let moves: Vec<ActionId> = moves.iter().map(|&term| action(term)).collect();
                assert!(plainly.wins_with(rules.initial(), &moves), "{name}");
            }
            let count = match (sequence, forces) {
                (Some(_), _) => &mut by_sequence,
                (None, true) => &mut by_strategy,
                (None, false) => &mut by_neither,
            };
            *count += 1;
        }
    }
    assert!(by_sequence > 3 && by_strategy > 0 && by_neither > 3, "{by_sequence} {by_strategy} {by_neither}");
}

#[test]
fn goals_over_100_are_found() {
    let goals = "(<= (goal left 120) (true taken)) (<= (goal left 0) (not (true taken))) (goal right 50)";
    let rules = game(ENDS, goals, "");
    for report in [all(&rules), with(&rules, SEARCH), with(&rules, PROOFS)] {
        let [left, right] = &report.players[..] else { panic!("two roles") };
        assert!(left.in_range.finding.is_refuted(), "{}", letters(&report));
        assert!(right.in_range.finding.is_proved(), "{}", letters(&report));
        witnesses_replay(&report, &rules);
    }
}

/// Connect four on boards of four columns: the numbers of positions are those of John Tromp's table of
/// legal positions (161 029 for 4 rows, 15 835 683 for 6). The larger one is for long tests.
#[test]
fn small_boards_of_connect_four_have_the_known_numbers_of_positions() {
    let path = ludex_testkit::bundled().into_iter().find(|path| path.ends_with("connect-four.kif")).unwrap();
    let whole = std::fs::read_to_string(path).unwrap().replace("(column 5) (column 6) (column 7)", "");
    let boards = [(4, 161_029), (6, 15_835_683)];
    let count = if ludex_testkit::rounds(1) > 1 { 2 } else { 1 };
    for (rows, positions) in boards.into_iter().take(count) {
        let mut text = whole.replace("(filled ?x 6)", &format!("(filled ?x {rows})"));
        for row in rows + 1..=6 {
            text = text.replace(&format!("(row {row})"), "");
        }
        let rules = playable("connect-four.kif", &text).unwrap();
        let options = WellFormedOptions { most_states: 20_000_000, ..options() };
        let (subject, budget) = (Subject::new(&rules), Budget::unlimited());
        let report = Driver::new(&subject, &options, &budget).with(SEARCH).run();
        assert_eq!(report.states, Some((positions, true)), "{rows} rows");
        assert_eq!(report.is_well_formed(), Some(true), "both can win");
        assert!(report.players.iter().all(|player| player.strategy.finding.is_impossible()), "a draw");
    }
}
