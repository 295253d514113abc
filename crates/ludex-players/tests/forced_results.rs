//! The positions with forced wins and only moves that players are tried on.

use std::collections::BTreeMap;
use std::sync::Arc;

use ludex_game::{Position, RoleId, Rules};
use ludex_logic::Budget;
use ludex_players::{News, ProofOptions, Resources, Seat, create, prove};
use ludex_testkit::{ForcedResult, forced_results, solved_positions};

/// A position with its rules and the role that moves.
struct Place {
    kept: ForcedResult,
    rules: Rules,
    position: Position,
    role: RoleId,
}

fn places() -> impl Iterator<Item = Place> {
    places_of(forced_results().unwrap())
}

fn places_of(kept: Vec<ForcedResult>) -> impl Iterator<Item = Place> {
    let mut games: BTreeMap<String, Rules> = BTreeMap::new();
    kept.into_iter().map(move |kept| {
        let rules = games.entry(kept.game.clone()).or_insert_with(|| kept.rules().unwrap()).clone();
        let position = kept.position(&rules).unwrap();
        let role = rules.roles().find(|&role| rules.role_name(role) == kept.role).unwrap();
        Place { kept, rules, position, role }
    })
}

#[test]
fn each_position_can_be_reached_and_offers_the_moves_that_are_said_to_keep_its_value() {
    let mut by_game: BTreeMap<String, usize> = BTreeMap::new();
    let mut states = Vec::new();
    for Place { kept, position, role, rules } in places() {
        let legal = position.legal_texts(role).unwrap();
        assert!(!position.terminal().unwrap());
        assert!(rules.roles().all(|other| other == role || position.legal(other).unwrap().len() == 1));
        assert_eq!(legal.len(), kept.legal, "{kept:?}");
        assert!(legal.len() >= 6 && kept.plies >= Some(5), "{kept:?}");
        assert!(!kept.keeps.is_empty() && 3 * kept.keeps.len() <= legal.len(), "{kept:?}");
        assert!(kept.keeps.iter().all(|kept| legal.contains(kept)), "{kept:?}");
        *by_game.entry(kept.game.clone()).or_default() += 1;
        states.push((kept.game, position.state().clone()));
    }
    assert!(by_game.len() >= 10 && by_game.values().all(|&count| count <= 5), "{by_game:?}");
    let distinct = states.iter().enumerate().all(|(i, state)| !states[..i].contains(state));
    assert!(distinct && states.len() == 40, "{} positions", states.len());
}

#[test]
fn what_other_programs_solved_is_proven_here_too_as_far_as_it_can_be() {
    let places: Vec<Place> = places_of(solved_positions().unwrap()).collect();
    assert_eq!(places.len(), 32);
    let mut proven = BTreeMap::new();
    for place in &places {
        let legal = place.position.legal_texts(place.role).unwrap();
        assert_eq!(legal.len(), place.kept.legal, "{:?}", place.kept);
        assert!(place.kept.keeps.iter().all(|kept| legal.contains(kept)), "{:?}", place.kept);
        *proven.entry(&*place.kept.game).or_insert(0) += usize::from(prove_again(place, 400_000));
    }
    // So many are enough where few moves are left.
    assert_eq!(proven["reversi-6x6"], 8, "{proven:?}");
}

/// The last position of each of a few games: of a game, those come last that take least to prove.
fn sample() -> impl Iterator<Item = Place> {
    let mut left = vec!["chomp", "reversi", "hex"];
    let is_wanted = move |place: &Place| {
        left.iter().position(|game| *game == place.kept.game).map(|at| left.remove(at)).is_some()
    };
    places().collect::<Vec<_>>().into_iter().rev().filter(is_wanted)
}

#[test]
fn what_is_said_of_positions_is_proven_again() {
    for place in sample() {
        assert!(prove_again(&place, 2_000_000), "{:?}", place.kept);
    }
}

/// Proves with so many states what the role that moves can force, and of each of its moves whether it keeps that: nothing
/// else is ever proven. Whether all of it is.
fn prove_again(Place { kept, rules, position, role }: &Place, states: u64) -> bool {
    let options = ProofOptions { goals: vec![0, 50, 100], states, memory: 256 << 20 };
    let proof = prove(rules.machine(), position.state(), *role, &options, &Budget::unlimited()).unwrap();
    let (least, most) = (proof.state.least, proof.state.most);
    assert!(least <= Some(kept.value) && most.is_none_or(|most| most >= kept.value), "{kept:?}");
    let mut is_complete = (least, most) == (Some(kept.value), Some(kept.value));
    for (action, forced) in proof.moves {
        let text = rules.text(rules.signature().action(action));
        if kept.keeps.contains(&text) {
            assert!(forced.most.is_none_or(|most| most >= kept.value), "{text} {kept:?}");
            is_complete &= forced.least >= Some(kept.value);
        } else {
            assert!(forced.least < Some(kept.value), "{text} {kept:?}");
            is_complete &= forced.most.is_some_and(|most| most < kept.value);
        }
    }
    is_complete
}

#[test]
fn the_player_finds_the_move_and_stops_after_so_many_leaves() {
    for Place { kept, rules, position, role } in sample() {
        let mut player = create("ludex:leaves=3000", &Resources::default()).unwrap();
        let (program, machine) = (Arc::clone(rules.program()), Arc::clone(rules.machine()));
        let seat = Seat { program, machine, upgrade: None, analysis: None, role };
        player.prepare(seat, &Budget::unlimited()).unwrap();
        position.joints().into_iter().for_each(|joint| player.observe(&News::Joint(joint)));
        let choice = player.choose(&Budget::unlimited()).unwrap();
        assert!(kept.keeps.contains(&rules.text(choice.action)), "{kept:?} {choice:?}");
        let leaves: u64 = choice.report.entry("leaves").unwrap().parse().unwrap();
        // The last batch is played to its end.
        assert!(leaves < 3000 + 200, "{leaves}");
    }
}

#[test]
fn a_proof_ends_also_where_there_is_no_memory_or_nothing_to_prove() {
    let place = sample().next().unwrap();
    let prove = |goals: &[u32], states, memory| {
        let options = ProofOptions { goals: goals.to_vec(), states, memory };
        let (rules, state) = (&place.rules, place.position.state());
        prove(rules.machine(), state, place.role, &options, &Budget::unlimited())
    };
    for memory in [0, 1, 10_000] {
        // Nothing wrong is proven.
        let proof = prove(&[0, 50, 100], 20_000, memory).unwrap();
        assert!(proof.state.least.is_none_or(|least| least <= place.kept.value), "{memory}");
        assert!(proof.state.most.is_none_or(|most| most >= place.kept.value), "{memory}");
    }
    for goals in [&[][..], &[100], &[0, 10, 20, 30, 100]] {
        let proof = prove(goals, 20_000, 1 << 20).unwrap();
        assert_eq!((proof.state.least, proof.state.most, proof.states), (None, None, 0), "{goals:?}");
    }
}
