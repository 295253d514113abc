//! The tournament player in open games in which roles choose at the same time.

use ludex_logic::{Budget, TermId};
use ludex_players::equilibrium::{
    AskOptions, BehaviourStrategy, EquilibriumOptions, SequenceForm, UnrollOptions, ask_player,
    best_response, find_equilibrium,
};
use ludex_players::{Choice, Registry, Resources};

use crate::matches::{Game, play};

/// Rock, paper, scissors with one round, in which a win with rock is worth all and the others a half of it: rock is
/// shown one time in four, and paper one time in two.
const UNEVEN: &str = "
    (role left) (role right) (init start)
    (<= (legal ?r rock) (role ?r)) (<= (legal ?r paper) (role ?r)) (<= (legal ?r scissors) (role ?r))
    (<= (next (shown ?r ?h)) (does ?r ?h))
    (<= terminal (not (true start)))
    (beats rock scissors) (beats paper rock) (beats scissors paper) (other left right) (other right left)
    (<= (wins ?r ?h) (true (shown ?r ?h)) (other ?r ?s) (true (shown ?s ?g)) (beats ?h ?g))
    (<= decided (wins ?r ?h))
    (<= (goal ?r 50) (role ?r) (not decided))
    (<= (goal ?r 100) (wins ?r rock))
    (<= (goal ?r 75) (wins ?r ?h) (distinct ?h rock))
    (<= (goal ?r 0) (other ?r ?s) (wins ?s rock))
    (<= (goal ?r 25) (other ?r ?s) (wins ?s ?h) (distinct ?h rock))";

/// The hider chooses what it is to get if it is not found. Then both choose a side at the same time.
const TWO_STAGES: &str = "
    (role hider) (role finder) (init (stage 1))
    (stakes 20) (stakes 30) (side heads) (side tails)
    (<= (legal hider (stake ?s)) (stakes ?s) (true (stage 1)))
    (<= (legal finder noop) (true (stage 1)))
    (<= (legal ?r (show ?c)) (role ?r) (side ?c) (true (stage 2)))
    (<= (next (stage 2)) (true (stage 1)))
    (<= (next (staked ?s)) (does hider (stake ?s)))
    (<= (next (staked ?s)) (true (staked ?s)))
    (<= (next (shown ?r ?c)) (does ?r (show ?c)))
    (<= terminal (true (shown hider ?c)))
    (<= both (true (shown hider heads)) (true (shown finder heads)))
    (<= neither (true (shown hider tails)) (true (shown finder tails)))
    (<= found both) (<= found neither)
    (<= (goal hider 0) both) (<= (goal finder 100) both)
    (<= (goal hider 50) neither) (<= (goal finder 50) neither)
    (<= (goal hider 80) (not found) (true (staked 20))) (<= (goal finder 20) (not found) (true (staked 20)))
    (<= (goal hider 70) (not found) (true (staked 30))) (<= (goal finder 30) (not found) (true (staked 30)))";

fn form(game: &Game) -> SequenceForm {
    SequenceForm::new(&game.program, &*game.machine, &UnrollOptions::default(), &Budget::unlimited()).unwrap()
}

/// What a player plays in each role.
fn strategies(game: &Game, form: &SequenceForm, text: &str) -> Vec<BehaviourStrategy> {
    let asked = form.roles().iter().map(|sets| {
        let mut make = |seed| Registry::default().create(text, &Resources::from_seed(seed));
        let seat = game.seat(sets.role().index());
        let options = AskOptions { samples: 3, ..AskOptions::default() };
        let policy = ask_player(sets, &seat, &mut make, &options, &Budget::unlimited()).unwrap();
        assert_eq!(policy.faults, 0);
        policy.strategy
    });
    asked.collect()
}

/// What can be won against a player beyond the value of the game, on average over both roles.
fn exploitability(game: &Game, text: &str) -> f64 {
    let form = form(game);
    let strategies = strategies(game, &form, text);
    let wins = [0, 1].map(|role| best_response(&form, role, Some(&strategies[1 - role])).value);
    (wins[0] + wins[1] - 100.0) / 2.0
}

fn part(game: &Game, choice: &Choice, text: &str) -> f64 {
    let text_of = |term: TermId| game.machine.signature().text(term);
    choice.report.policy.iter().find(|&&(term, _)| text_of(term) == text).map_or(0.0, |&(_, part)| part)
}

#[test]
fn nothing_is_won_against_it_in_rock_paper_scissors() {
    let game = Game::bundled("gdl/rock-paper-scissors.kif");
    let lost = exploitability(&game, "ludex");
    assert!((-1e-6..0.01).contains(&lost), "{lost}");
    let game = Game::from_rules(UNEVEN);
    let lost = exploitability(&game, "ludex");
    assert!((-1e-6..0.01).contains(&lost), "{lost}");
    let choice = game.choice("ludex", 4, 1, &[]).1;
    for (text, wanted) in [("rock", 0.25), ("paper", 0.5), ("scissors", 0.25)] {
        assert!((part(&game, &choice, text) - wanted).abs() < 0.001, "{text}: {:?}", choice.report.policy);
    }
    assert_eq!(choice.report.entry("solved as a whole"), Some("10 states"));
}

/// States are solved one by one, courses as a whole: both come to the same.
#[test]
fn the_value_is_that_of_the_sequence_form() {
    for game in [Game::from_rules(UNEVEN), Game::from_rules(TWO_STAGES)] {
        let form = form(&game);
        let options = EquilibriumOptions { exploitability: 0.005, iterations: 100_000 };
        let found = find_equilibrium(&form, &options, &Budget::unlimited());
        let strategies = strategies(&game, &form, "ludex");
        for role in [0, 1] {
            let least = 100.0 - best_response(&form, 1 - role, Some(&strategies[role])).value;
            assert!(least > found.values[role] - 0.05, "{least} {:?}", found.values);
        }
    }
}

/// A race has few states and more courses than anybody can count.
#[test]
fn games_of_many_courses_are_solved() {
    let game = Game::bundled("gdl/race.kif");
    let unrolled = UnrollOptions { max_nodes: 200_000 };
    assert!(SequenceForm::new(&game.program, &*game.machine, &unrolled, &Budget::unlimited()).is_err());
    let report = game.choice("ludex", 1, 0, &[]).1.report;
    assert!(report.entry("solved as a whole").is_some());
    assert_eq!(
        (report.entry("value of the game"), report.entry("exploitability")),
        (Some("50.000"), Some("0.0000"))
    );
}

#[test]
fn moves_are_drawn_by_the_seed() {
    let game = Game::bundled("gdl/rock-paper-scissors.kif");
    let mut shown = [0u32; 3];
    for seed in 0..300 {
        let (text, choice) = game.choice("ludex", seed, 0, &[]);
        assert_eq!(choice, game.choice("ludex", seed, 0, &[]).1);
        let hands = ["rock", "paper", "scissors"];
        shown[hands.iter().position(|&hand| hand == text).unwrap()] += 1;
    }
    assert!(shown.iter().all(|&times| (60..140).contains(&times)), "{shown:?}");
}

/// A solution holds for states, however they came about and whatever the other one did.
#[test]
fn it_wins_at_goofspiel_and_plays_each_match_alike() {
    let game = Game::bundled("gdl/goofspiel.kif");
    let mut won = 0;
    for seed in 0..20 {
        let players = if seed % 2 == 0 { ["ludex", "random"] } else { ["random", "ludex"] };
        let played = play(&game, &players, &Resources::from_seed(seed), 10);
        assert_eq!(played.joints, play(&game, &players, &Resources::from_seed(seed), 10).joints);
        won += played.goals[(seed % 2) as usize];
    }
    assert!(won > 1_300, "{won}");
}
