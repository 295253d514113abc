//! Kuhn and Leduc poker: their values are known to many digits.

use ludex_players::equilibrium::{BehaviourStrategy, best_response};

use super::{assert_near, bundled, probability, set_of, solved};

/// Goal points for a chip.
const KUHN_CHIP: f64 = 25.0;
const LEDUC_CHIP: f64 = 3.0;

#[test]
fn kuhn_poker_is_worth_a_chip_in_eighteen_to_the_second() {
    let (game, form) = bundled("gdl-ii/kuhn-poker.gdl");
    // The beginning, six deals with four nodes before and five at the end of the betting each.
    assert_eq!((form.nodes(), form.leaves()), (1 + 6 * 9, 30));
    assert_eq!((form.sum(), form.goal_range()), (Some(100), (0, 100)));
    let [alice, bob] = form.roles() else { panic!("two roles play") };
    assert_eq!((alice.len(), bob.len(), alice.sequence_count()), (6, 6, 13));
    let found = solved(&form, 1e-4);
    assert_near((found.values[0] - 50.0) / KUHN_CHIP, -1.0 / 18.0, 1e-5);
    assert_near(found.values[1], 50.0 + KUHN_CHIP / 18.0, 2e-4);
    assert!(found.guaranteed[0] <= found.values[0] && found.guaranteed[1] <= found.values[1]);
    // In all equilibria alice bets the king three times as often as the jack, and bob bluffs with one jack of three.
    let of_alice = |news| probability(&game, alice, &found.strategies[0], news);
    let bluff = of_alice(("noop (dealt jack)", "bet"));
    assert!(bluff <= 1.0 / 3.0 + 0.01, "{bluff}");
    assert_near(of_alice(("noop (dealt king)", "bet")), 3.0 * bluff, 0.02);
    assert_near(of_alice(("noop (dealt queen)", "bet")), 0.0, 0.01);
    let of_bob = |news| probability(&game, bob, &found.strategies[1], news);
    assert_near(of_bob(("noop (dealt jack) noop (move alice check)", "bet")), 1.0 / 3.0, 0.01);
    assert_near(of_bob(("noop (dealt queen) noop (move alice bet)", "call")), 1.0 / 3.0, 0.01);
    assert_near(of_bob(("noop (dealt king) noop (move alice bet)", "call")), 1.0, 1e-3);
}

#[test]
fn equal_games_have_equal_equilibria() {
    let [first, second] = [(); 2].map(|()| solved(&bundled("gdl-ii/kuhn-poker.gdl").1, 0.01));
    assert_eq!(first, second);
}

#[test]
fn leduc_poker_is_worth_as_much_as_in_the_literature() {
    let (_, form) = bundled("gdl-ii/leduc-poker.gdl");
    let [alice, bob] = form.roles() else { panic!("two roles play") };
    assert_eq!((alice.len(), bob.len()), (144, 144), "288 where suits mean nothing");
    let found = solved(&form, 0.001);
    assert_near((found.values[0] - 50.0) / LEDUC_CHIP, -0.0856, 5e-5);
}

/// Who always bets and calls is called with kings, and not called with jacks: by hand.
#[test]
fn known_strategies_are_met_as_well_as_possible() {
    let (game, form) = bundled("gdl-ii/kuhn-poker.gdl");
    let sets = form.roles();
    let always = |role: usize, wanted: [&str; 2]| {
        let mut strategy = BehaviourStrategy::uniform(&sets[role]);
        for set in sets[role].ids() {
            let terms = game.machine.signature().terms();
            let is_wanted = |&term: &_| wanted.contains(&terms.prefix(term).as_str());
            let place = sets[role].moves(set).iter().position(is_wanted).unwrap();
            strategy.choose(&sets[role], set, place);
        }
        strategy
    };
    let against = |role, strategy| best_response(&form, role, Some(&strategy)).value;
    // Alice bets: bob loses one chip with a jack by folding, calls with a king for two, and is even with a queen.
    assert_near(against(1, always(0, ["bet", "call"])), 50.0 + KUHN_CHIP * (2.0 - 1.0) / 3.0, 1e-9);
    // Alice never bets and always folds: bob bets with any card and takes a chip.
    assert_near(against(1, always(0, ["check", "fold"])), 50.0 + KUHN_CHIP, 1e-9);
    // Bob always bets and calls: alice checks and folds the jack, and is in for two chips with king and queen.
    assert_near(against(0, always(1, ["bet", "call"])), 50.0 + KUHN_CHIP * (2.0 - 1.0) / 3.0, 1e-9);
    // Bob never bets and always folds: alice bets.
    assert_near(against(0, always(1, ["check", "fold"])), 50.0 + KUHN_CHIP, 1e-9);
    // Bob checks and calls: with a king alice bets, with a jack she checks; a queen makes no difference.
    assert_near(against(0, always(1, ["check", "call"])), 50.0 + KUHN_CHIP * (2.0 - 1.0) / 3.0, 1e-9);
    let response = best_response(&form, 0, Some(&always(1, ["check", "call"]))).strategy;
    assert_near(probability(&game, &sets[0], &response, ("noop (dealt king)", "bet")), 1.0, 0.0);
    assert_near(probability(&game, &sets[0], &response, ("noop (dealt jack)", "check")), 1.0, 0.0);
    // What strategies come to when they meet is the mean over the deals.
    let both = [always(0, ["bet", "call"]), always(1, ["check", "call"])];
    assert_near(form.values(&both)[0], 50.0, 1e-9);
    let folds = [always(0, ["bet", "call"]), always(1, ["check", "fold"])];
    assert_near(form.values(&folds)[0], 75.0, 1e-9);
    assert_near(form.values(&folds)[1], 25.0, 1e-9);
}

#[test]
fn what_a_role_was_told_leads_to_its_information_set() {
    let (game, form) = bundled("gdl-ii/kuhn-poker.gdl");
    for sets in form.roles() {
        for set in sets.ids() {
            assert_eq!(sets.find(&sets.news(set)), Some(set));
        }
        assert_eq!(sets.find(&[]), None, "nobody has a choice before the deal");
    }
    let alice = &form.roles()[0];
    let set = set_of(&game, alice, "noop (dealt jack)");
    assert_eq!(alice.had_choice(set), [false]);
    // So a player knows by which probabilities to draw.
    let found = solved(&form, 0.01);
    let policy = found.policy(&form, 0, &alice.news(set)).unwrap();
    let actions: Vec<_> = policy.iter().map(|&(action, _)| action).collect();
    assert_eq!(actions, alice.moves(set));
    assert_near(policy.iter().map(|&(_, probability)| probability).sum(), 1.0, 1e-9);
    assert_eq!(found.policy(&form, 0, &[]), None);
}

/// Sequences that a role never plays cost nothing: an iteration takes far less than two products with all payoffs.
#[test]
fn what_is_never_played_is_passed_over() {
    let (_, form) = bundled("gdl-ii/leduc-poker.gdl");
    let found = solved(&form, 0.001);
    let sequences: usize = form.roles().iter().map(|sets| sets.sequence_count()).sum();
    let full = found.iterations * (2 * form.pairs() + sequences) as u64;
    assert!(4 * found.work < 3 * full, "{} of {full}", found.work);
}
