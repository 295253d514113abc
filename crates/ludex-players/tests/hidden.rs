//! How the tournament player plays what it cannot see, and what the simple method of book 17.7 gets wrong.

use ludex_game::{News, State};
use ludex_logic::{Budget, TermId};
use ludex_players::equilibrium::{BehaviourStrategy, SequenceForm, UnrollOptions, best_response};
use ludex_players::{Choice, Player, Report, Resources};

use crate::matches::Game;

/// What a player of a role chooses after a course, in which the others make these moves. Of what the role does itself
/// the course says that, too.
fn choice(game: &Game, player: &str, role: usize, course: &[&[&str]]) -> (String, Choice) {
    let mut player = game.player(player, &Resources::from_seed(7), role);
    observe(game, &mut *player, role, course);
    let choice = player.choose(&Budget::unlimited()).unwrap();
    (game.machine.signature().text(choice.action), choice)
}

/// Tells a player what its role learns of a course.
fn observe(game: &Game, player: &mut dyn Player, role: usize, course: &[&[&str]]) -> State {
    let mut runner = game.machine.runner(&Budget::unlimited());
    let signature = game.machine.signature();
    let role = signature.role_ids().nth(role).unwrap();
    for joint in game.joints(course).0 {
        let ids: Vec<_> = joint.iter().map(|&term| signature.find_action(term).unwrap()).collect();
        runner.step(&ids).unwrap();
        let percepts = runner.percepts(role).to_vec();
        player.observe(&News::Percepts { action: joint[role.index()], percepts });
    }
    let mut state = State::default();
    runner.save(&mut state);
    state
}

fn part(game: &Game, report: &Report, text: &str) -> f64 {
    let text_of = |term: TermId| game.machine.signature().text(term);
    report.policy.iter().find(|&&(term, _)| text_of(term) == text).map_or(0.0, |&(_, part)| part)
}

#[test]
fn the_candidate_switches() {
    let game = Game::bundled("gdl-ii/monty-hall.gdl");
    for (car, opened) in [("1", "2"), ("1", "3"), ("2", "3")] {
        let (hide, open) = (format!("(hide_car {car})"), format!("(open_door {opened})"));
        let course: [&[&str]; 3] = [&["_", &hide], &["(choose 1)", "_"], &["_", &open]];
        assert_eq!(choice(&game, "ludex", 0, &course).0, "switch");
    }
}

#[test]
fn it_asks_about_the_bomb_and_the_sampler_does_not() {
    let game = Game::bundled("gdl-ii/exploding-bomb.gdl");
    let course: [&[&str]; 1] = [&["(arm red)", "_"]];
    assert_eq!(choice(&game, "ludex", 1, &course).0, "ask");
    assert_eq!(choice(&game, "sampling:ludex:playouts=2000", 1, &course).0, "noop");
}

#[test]
fn it_tells_nobody_where_the_bomb_is() {
    let game = Game::bundled("gdl-ii/exploding-bomb-tell.gdl");
    let mut told = 0;
    for colour in ["(arm red)", "(arm blue)"] {
        let course: [&[&str]; 1] = [&[colour, "_"]];
        let (chosen, _) = choice(&game, "ludex", 0, &course);
        told += usize::from(chosen == "tell");
    }
    assert_eq!(told, 0);
}

/// Five sides of six show a star: that it pays 60 and the blank side 100 does not make up for it.
#[test]
fn bets_go_by_what_is_likely() {
    let game = Game::bundled("gdl-ii/loaded-die.kif");
    for throw in ["(throw 1)", "(throw 6)"] {
        let course: [&[&str]; 1] = [&["_", throw]];
        assert_eq!(choice(&game, "ludex", 0, &course).0, "(bet star)");
        assert_eq!(choice(&game, "sampling:ludex:playouts=2000", 0, &course).0, "(bet blank)");
    }
    let game = Game::bundled("gdl-ii/loaded-or-fair-die.kif");
    // Sides that show a star, and a blank, on both dice.
    for (throws, bet) in [(["1", "2", "6"], "(bet loaded)"), (["1", "6", "6"], "(bet fair)")] {
        let throws = throws.map(|side| format!("(throw {side})"));
        let course: Vec<Vec<&str>> = std::iter::once("(draw loaded)")
            .chain(throws.iter().map(String::as_str))
            .map(|draw| vec!["_", draw])
            .collect();
        let course: Vec<&[&str]> = course.iter().map(Vec::as_slice).collect();
        assert_eq!(choice(&game, "ludex", 0, &course).0, bet);
    }
}

/// A solved game is played by the solution wherever there is a choice, and it says by which probabilities.
#[test]
fn poker_is_played_by_an_equilibrium() {
    let game = Game::bundled("gdl-ii/kuhn-poker.gdl");
    let (options, budget) = (UnrollOptions::default(), Budget::unlimited());
    let form = SequenceForm::new(&game.program, &*game.machine, &options, &budget).unwrap();
    let mut strategies = Vec::new();
    for sets in form.roles() {
        let mut strategy = BehaviourStrategy::uniform(sets);
        for set in sets.ids() {
            let mut player = game.player("ludex", &Resources::from_seed(1), sets.role().index());
            sets.news(set).iter().for_each(|news| player.observe(news));
            let report = player.choose(&budget).unwrap().report;
            assert!(report.entry("solved as a whole").is_some());
            let part =
                |term| report.policy.iter().find(|&&(known, _)| known == term).map_or(0.0, |&(_, p)| p);
            let parts: Vec<f64> = sets.moves(set).iter().map(|&term| part(term)).collect();
            assert!((parts.iter().sum::<f64>() - 1.0).abs() < 0.01);
            strategy.set(sets, set, &parts);
        }
        strategies.push(strategy);
    }
    // The first player's value is 50 - 25/18 goal points; a best response gains next to nothing over it.
    let best = best_response(&form, 1, Some(&strategies[0])).value;
    assert!((best - (50.0 + 25.0 / 18.0)).abs() < 0.2, "{best}");
    let best = best_response(&form, 0, Some(&strategies[1])).value;
    assert!((best - (50.0 - 25.0 / 18.0)).abs() < 0.2, "{best}");
}

/// A large game is searched by what each role knows: what is chosen is legal, is drawn from a strategy whose parts sum to
/// 1, and depends on the seed alone.
#[test]
fn large_games_are_searched() {
    let game = Game::bundled("gdl-ii/blind-breakthrough.kif");
    let chosen = |seed| {
        let mut player = game.player("ludex:playouts=600", &Resources::from_seed(seed), 0);
        player.choose(&Budget::unlimited()).unwrap()
    };
    let (first, again) = (chosen(3), chosen(3));
    assert_eq!(first, again);
    assert!(first.report.entry("descents").is_some() && first.report.entry("information sets").is_some());
    let sum: f64 = first.report.policy.iter().map(|&(_, part)| part).sum();
    assert!((sum - 1.0).abs() < 1e-9);
    let text = game.machine.signature().text(first.action);
    assert!(part(&game, &first.report, &text) > 0.0);
}
