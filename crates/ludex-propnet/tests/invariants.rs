//! What is proved of the bundled games, and that it holds along their playouts.

use crate::games;
use ludex_game::Rng;
use ludex_logic::Budget;
use ludex_logic::ground::GroundOptions;
use ludex_propnet::{Circuit, CircuitEvaluator, Effort, Invariants};

fn circuit(name: &str) -> Circuit {
    let path = games::bundled().into_iter().find(|path| path.ends_with(name)).unwrap();
    let game = games::game(&std::fs::read_to_string(path).unwrap());
    Circuit::from_net(&games::net(&game, &GroundOptions::optimised()))
}

fn find(circuit: &Circuit) -> Invariants {
    Invariants::find(circuit, &Effort::default(), &Budget::unlimited()).unwrap()
}

/// The groups as text.
fn shown(circuit: &Circuit, groups: &[Vec<u32>]) -> Vec<String> {
    let name = |base: &u32| {
        let stored = &circuit.bases[*base as usize];
        circuit.terms.prefix(circuit.propositions[stored.proposition as usize])
    };
    groups.iter().map(|group| group.iter().map(name).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn each_cell_of_tic_tac_toe_has_one_content_and_one_player_is_in_control() {
    let circuit = circuit("gdl/tic-tac-toe.kif");
    let found = find(&circuit);
    let mut expected: Vec<String> = (1..=3)
        .flat_map(|x| (1..=3).map(move |y| format!("(cell {x} {y} b) (cell {x} {y} o) (cell {x} {y} x)")))
        .collect();
    expected.push("(control black) (control white)".to_owned());
    assert_eq!(shown(&circuit, &found.exactly_one), expected);
    assert_eq!(shown(&circuit, &found.exclusive), [""; 0]);
}

#[test]
fn each_square_of_breakthrough_holds_one_piece_at_most() {
    let circuit = circuit("gdl/breakthrough.kif");
    let found = find(&circuit);
    assert_eq!(shown(&circuit, &found.exactly_one), ["(control black) (control white)"]);
    let groups = shown(&circuit, &found.exclusive);
    for (x, y) in (1..=8).flat_map(|x| (1..=8).map(move |y| (x, y))) {
        let square = format!("{x} {y} ");
        assert!(groups.iter().any(|group| group.matches(&square).count() == 2), "{square} in {groups:?}");
    }
}

#[test]
fn invariants_hold_along_random_playouts() {
    for name in
        ["connect-four.kif", "knights-tour.kif", "hanoi.gdl", "8-puzzle.gdl", "nim.kif", "lowest-unique.kif"]
    {
        let circuit = circuit(&format!("gdl/{name}"));
        let found = find(&circuit);
        let evaluator = CircuitEvaluator::new(&circuit);
        for seed in 0..10 {
            let mut rng = Rng::from_seed(seed);
            let mut state: Vec<bool> = circuit.bases.iter().map(|base| base.initial).collect();
            for _ in 0..100 {
                assert_holds(&found, &state, name);
                let values = evaluator.in_state(&state, &[]);
                if values.get(circuit.terminal) {
                    break;
                }
                let legal = |moves: &[ludex_propnet::Edge]| -> Vec<u32> {
                    (0..moves.len() as u32).filter(|&at| values.get(moves[at as usize])).collect()
                };
                let joint: Vec<u32> = circuit
                    .legal
                    .iter()
                    .map(|moves| *rng.pick(&legal(moves)).expect("a legal move"))
                    .collect();
                state = evaluator.next(&state, &joint);
            }
        }
    }
}

fn assert_holds(found: &Invariants, state: &[bool], name: &str) {
    let count = |group: &Vec<u32>| group.iter().filter(|&&base| state[base as usize]).count();
    assert!(found.constants.iter().all(|&(base, value)| state[base as usize] == value), "{name}");
    let equal = |e: &ludex_propnet::Equivalence| {
        state[e.base as usize] == (state[e.same_as as usize] != e.complemented)
    };
    assert!(found.equivalences.iter().all(equal), "{name}");
    assert!(found.exclusive.iter().all(|group| count(group) <= 1), "{name}");
    assert!(found.exactly_one.iter().all(|group| count(group) == 1), "{name}");
}
