//! Players, asked in every information set.

use ludex_game::Rng;
use ludex_logic::{Budget, TermId};
use ludex_players::equilibrium::{
    AskOptions, EquilibriumError, PlayerPolicy, SequenceForm, ask_player, best_response,
};
use ludex_players::{Choice, News, Player, PlayerError, Registry, Report, Resources, Seat, StrategyError};

use super::{assert_near, bundled, probability};
use crate::matches::{Game, Ticks};

type Make<'m> = &'m mut dyn FnMut(u64) -> Result<Box<dyn Player>, StrategyError>;

fn asked(
    game: &Game,
    form: &SequenceForm,
    role: usize,
    make: Make<'_>,
    options: &AskOptions,
) -> Result<PlayerPolicy, EquilibriumError> {
    let sets = &form.roles()[role];
    ask_player(sets, &game.seat(sets.role().index()), make, options, &Budget::unlimited())
}

fn named(game: &Game, form: &SequenceForm, role: usize, text: &str) -> PlayerPolicy {
    let mut make =
        |seed| Registry::default().create(text, &Resources { memory: 1 << 24, ..Resources::from_seed(seed) });
    asked(game, form, role, &mut make, &AskOptions { samples: 4, ..AskOptions::default() }).unwrap()
}

/// What can be won against a player on average over both roles, beyond the value of the game.
fn exploitability(game: &Game, form: &SequenceForm, text: &str) -> f64 {
    let gains = [0, 1].map(|role| {
        let policy = named(game, form, role, text);
        best_response(form, 1 - role, Some(&policy.strategy)).value
    });
    (gains[0] + gains[1] - 100.0) / 2.0
}

/// The exploitability of uniformly random play is known: 0.4583 chips in Kuhn poker, 2.3736 in Leduc poker.
#[test]
fn random_players_lose_what_is_known() {
    let (game, form) = bundled("gdl-ii/kuhn-poker.gdl");
    assert_near(exploitability(&game, &form, "random") / 25.0, 0.458_333_333, 1e-6);
    let policy = named(&game, &form, 0, "random");
    assert_eq!((policy.sets, policy.told, policy.questions, policy.faults), (6, 6, 6, 0));
    let (game, form) = bundled("gdl-ii/leduc-poker.gdl");
    assert_near(exploitability(&game, &form, "random") / 3.0, 2.373_611_111, 1e-6);
}

#[test]
fn the_first_legal_move_is_made_for_sure() {
    let (game, form) = bundled("gdl-ii/kuhn-poker.gdl");
    // Alice bets and calls, as `bet` and `call` come first; she never comes to where she has checked.
    let policy = named(&game, &form, 0, "legal");
    assert_eq!((policy.sets, policy.told, policy.questions), (3, 3, 3));
    for card in ["jack", "queen", "king"] {
        let news = format!("noop (dealt {card})");
        assert_near(probability(&game, &form.roles()[0], &policy.strategy, (&news, "bet")), 1.0, 0.0);
    }
    let value = best_response(&form, 1, Some(&policy.strategy)).value;
    assert_near(value, 50.0 + 25.0 / 3.0, 1e-9);
}

#[test]
fn players_that_search_are_asked_alike_for_one_seed() {
    let (game, form) = bundled("gdl-ii/kuhn-poker.gdl");
    for text in ["ludex:playouts=100", "uct:playouts=100", "monte-carlo:playouts=100"] {
        let [first, second] = [(); 2].map(|()| named(&game, &form, 1, text));
        assert_eq!(first, second, "{text}");
        assert_eq!(first.faults, 0, "{text}");
        assert!((0.0..=50.0).contains(&exploitability(&game, &form, text)), "{text}");
    }
}

/// Draws its moves, bets and calls one time in four, and does not say so.
struct Secretive {
    rng: Rng,
    heard: usize,
    signature: Option<std::sync::Arc<ludex_game::Signature>>,
    fails: bool,
}

impl Player for Secretive {
    fn prepare(&mut self, seat: Seat, _: &Budget) -> Result<(), PlayerError> {
        self.signature = Some(std::sync::Arc::clone(seat.signature()));
        Ok(())
    }

    fn choose(&mut self, _: &Budget) -> Result<Choice, PlayerError> {
        if self.fails && self.rng.below(2) == 0 {
            return Err(PlayerError::Gone("left".into()));
        }
        let signature = self.signature.as_ref().unwrap();
        // Alice heard of the deal, or of her own check and a bet, too.
        let names = if self.heard == 1 { ["bet", "check"] } else { ["call", "fold"] };
        let wanted = names[usize::from(self.rng.below(4) > 0)];
        let wanted = if self.fails { "noop" } else { wanted };
        let is_wanted = |&action: &TermId| signature.text(action) == wanted;
        let action = signature.actions().into_iter().find(is_wanted).unwrap();
        Ok(Choice { action, report: Report::default() })
    }

    fn observe(&mut self, _: &News) {
        self.heard += 1;
    }
}

#[test]
fn what_a_player_does_not_tell_is_counted() {
    let (game, form) = bundled("gdl-ii/kuhn-poker.gdl");
    let make = |fails| {
        move |seed| -> Result<Box<dyn Player>, StrategyError> {
            Ok(Box::new(Secretive { rng: Rng::from_seed(seed), heard: 0, signature: None, fails }))
        }
    };
    let options = AskOptions { samples: 2_000, ..AskOptions::default() };
    let policy = asked(&game, &form, 0, &mut make(false), &options).unwrap();
    assert_eq!((policy.sets, policy.told, policy.questions, policy.faults), (6, 0, 12_000, 0));
    let sets = &form.roles()[0];
    let bet = probability(&game, sets, &policy.strategy, ("noop (dealt king)", "bet"));
    assert_near(bet, 0.25, 0.04);
    let call = ("noop (dealt king) check noop (move bob bet)", "call");
    assert_near(probability(&game, sets, &policy.strategy, call), 0.25, 0.04);
    // Who fails, or wants what is not legal, has its move drawn.
    let policy = asked(&game, &form, 0, &mut make(true), &options).unwrap();
    assert_eq!(policy.faults, 12_000);
    assert_near(probability(&game, sets, &policy.strategy, ("noop (dealt king)", "bet")), 0.5, 1e-9);
}

#[test]
fn clocks_and_limits_hold_for_players() {
    let (game, form) = bundled("gdl-ii/kuhn-poker.gdl");
    let sets = &form.roles()[0];
    let mut make = |seed| Registry::default().create("nobody", &Resources::from_seed(seed));
    let error = asked(&game, &form, 0, &mut make, &AskOptions::default()).unwrap_err();
    assert!(matches!(error, EquilibriumError::Strategy(StrategyError::Unknown { .. })), "{error}");
    // A clock that goes on whenever somebody looks at it ends each search, and in the end all of it.
    let budget = Ticks::budget(1_000_000);
    let clocks = AskOptions {
        samples: 1,
        clock: budget.clock().cloned(),
        start_clock: Some(std::time::Duration::from_millis(200)),
        play_clock: Some(std::time::Duration::from_millis(200)),
        ..AskOptions::default()
    };
    let mut make = |seed| {
        Registry::default().create("uct", &Resources { memory: 1 << 24, ..Resources::from_seed(seed) })
    };
    let policy = ask_player(sets, &game.seat(0), &mut make, &clocks, &budget.as_whole()).unwrap();
    assert_eq!((policy.questions, policy.faults), (policy.sets as u64, 0));
    let little = Ticks::budget(30).as_whole();
    assert!(ask_player(sets, &game.seat(0), &mut make, &clocks, &little).is_err());
}
