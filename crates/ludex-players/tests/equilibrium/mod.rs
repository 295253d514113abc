//! Equilibria of games with hidden information and simultaneous moves, best responses, and players that are asked.

mod brute_force;
mod known_games;
mod players;
mod poker;
mod refused;

use crate::matches::Game;
use ludex_logic::Budget;
use ludex_players::equilibrium::{
    BehaviourStrategy, Equilibrium, EquilibriumError, EquilibriumOptions, InformationSets, SequenceForm,
    SetId, UnrollOptions, find_equilibrium,
};

fn unrolled(game: &Game) -> Result<SequenceForm, EquilibriumError> {
    SequenceForm::new(&game.program, &*game.machine, &UnrollOptions::default(), &Budget::unlimited())
}

/// The sequence form of a bundled game.
fn bundled(file: &str) -> (Game, SequenceForm) {
    let game = Game::bundled(file);
    let form = unrolled(&game).unwrap();
    (game, form)
}

/// The sequence form of a game.
fn of_rules(text: &str) -> (Game, SequenceForm) {
    let game = Game::from_rules(text);
    let form = unrolled(&game).unwrap();
    (game, form)
}

fn solved(form: &SequenceForm, exploitability: f64) -> Equilibrium {
    let options = EquilibriumOptions { exploitability, ..EquilibriumOptions::default() };
    let found = find_equilibrium(form, &options, &Budget::unlimited());
    assert!(found.exploitability <= exploitability && found.stopped.is_none(), "{found:?}");
    found
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

/// The information set whose news have these texts, those of all steps in one line.
fn set_of(game: &Game, sets: &InformationSets, news: &str) -> SetId {
    let text = |set: SetId| -> Vec<String> {
        let signature = game.machine.signature();
        let terms = sets.news(set).into_iter().flat_map(|news| match news {
            ludex_players::News::Joint(joint) => joint,
            ludex_players::News::Percepts { action, percepts } => [vec![action], percepts].concat(),
        });
        terms.map(|term| signature.terms().prefix(term)).collect()
    };
    let found = sets.ids().find(|&set| text(set).join(" ") == news);
    found
        .unwrap_or_else(|| panic!("there is no `{news}`, but {:?}", sets.ids().map(text).collect::<Vec<_>>()))
}

/// The probability of a move, by its text.
fn probability(
    game: &Game,
    sets: &InformationSets,
    strategy: &BehaviourStrategy,
    (news, action): (&str, &str),
) -> f64 {
    let set = set_of(game, sets, news);
    let terms = game.machine.signature().terms();
    let place = sets.moves(set).iter().position(|&term| terms.prefix(term) == action).unwrap();
    strategy.of(sets, set)[place]
}
