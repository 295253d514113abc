//! Every set of passes keeps what can be seen of a circuit.

pub(crate) mod playing;
pub(crate) mod random;

use ludex_game::Rng;
use ludex_logic::Budget;

use self::playing::assert_same;
use self::random::{Scale, random};
use super::{Pass, PassSet, optimise_with};
use crate::{Circuit, Invariants};

const SMALL: Scale = Scale { bases: 6, moves: 5, gates: 40 };

fn check(circuit: &Circuit, invariants: &Invariants, passes: PassSet, seed: u64) {
    let mut shrunk = circuit.clone();
    let report = optimise_with(&mut shrunk, invariants, &passes, &Budget::unlimited()).unwrap();
    assert_eq!(report.after, super::Size::of(&shrunk));
    assert!(
        circuit.check().is_err() || shrunk.check().is_ok(),
        "{:?}, circuit {seed}, {passes}",
        shrunk.check()
    );
    let mut rng = Rng::from_seed(seed);
    assert_same(circuit, &shrunk, &mut rng, 40, &|| format!("circuit {seed}, passes {passes}\n{report}"));
}

#[test]
fn random_circuits_keep_their_meaning() {
    for seed in 0..400 {
        let mut rng = Rng::from_seed(seed);
        let (circuit, invariants) = random(&mut rng, SMALL);
        check(&circuit, &invariants, PassSet::none(), seed);
        check(&circuit, &invariants, PassSet::all(), seed);
        for pass in Pass::ALL {
            check(&circuit, &invariants, PassSet::none().with(pass), seed);
            check(&circuit, &invariants, PassSet::all().without(pass), seed);
        }
        for _ in 0..4 {
            let some = Pass::ALL.into_iter().filter(|_| rng.below(2) == 0);
            check(&circuit, &invariants, some.fold(PassSet::none(), PassSet::with), seed);
        }
    }
}
