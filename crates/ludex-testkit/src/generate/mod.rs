//! Random games: valid, playable and ending by construction.
//!
//! First sorts, then relations over them, each stratified and safe by how it is built, then roles with
//! a move that is always legal and a step counter that ends the game.

mod body;
mod factored;
mod game;
mod growing;
mod sorts;

use ludex_game::Rng;

use crate::rules::Rules;

pub use growing::growing;

/// What a random game may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knobs {
    /// Function terms as arguments, nested.
    pub functions: bool,
    /// Relations that depend on themselves.
    pub recursion: bool,
    /// Negation.
    pub negation: bool,
    /// Disjunction, and conjunction nested in it.
    pub disjunction: bool,
    /// Percepts: the game is GDL-II.
    pub sees: bool,
    /// A role that moves at random; only together with `sees`.
    pub random: bool,
    /// `base` and `input`.
    pub bases: bool,
    /// How many relations of each kind there may be, from 1.
    pub size: u32,
    /// The step at which the game ends.
    pub steps: u32,
    /// Of how many independent games of one player it is made, some of which change by themselves, too; 0 for
    /// a game that is whole. Such games have propositions and moves without arguments, and of the other knobs
    /// they have `steps` alone.
    pub factors: u32,
}

impl Knobs {
    /// Knobs at random.
    pub fn from_seed(seed: u64) -> Self {
        let mut rng = Rng::from_seed(seed ^ 0x006b_6e6f_6273);
        let mut flip = |of: u64| rng.below(of) != 0;
        Self {
            functions: flip(2),
            recursion: flip(2),
            negation: flip(5),
            disjunction: flip(2),
            sees: !flip(3),
            random: flip(2),
            bases: !flip(3),
            size: 1 + u32::from(flip(2)) + u32::from(flip(3)),
            steps: 4 + u32::from(flip(2)) * 3,
            factors: 0,
        }
    }
}

/// The game of a seed.
pub fn generate(seed: u64, knobs: &Knobs) -> Rules {
    if knobs.factors > 0 { factored::build(seed, knobs) } else { game::Builder::new(seed, *knobs).build() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_game_and_seeds_differ() {
        let game = |seed| generate(seed, &Knobs::from_seed(seed)).to_string();
        assert_eq!(game(1), game(1));
        assert_ne!(game(1), game(2));
    }

    #[test]
    fn knobs_are_obeyed() {
        let off = Knobs {
            functions: false,
            recursion: false,
            negation: false,
            disjunction: false,
            sees: false,
            random: false,
            bases: false,
            size: 3,
            steps: 5,
            factors: 0,
        };
        for seed in 0..30 {
            let text = generate(seed, &off).to_string();
            assert!(!text.contains("(not ") && !text.contains("(or ") && !text.contains("sees"), "{text}");
        }
        let all = Knobs {
            functions: true,
            recursion: true,
            negation: true,
            disjunction: true,
            sees: true,
            random: true,
            bases: true,
            ..off
        };
        let texts: String = (0..30).map(|seed| generate(seed, &all).to_string()).collect();
        for part in
            ["(not ", "(or ", "(sees ", "(role random)", "(base ", "(pair", "(distinct ", "(not (and "]
        {
            assert!(texts.contains(part), "no {part}");
        }
    }

    #[test]
    fn games_of_factors_have_as_many_as_are_asked_for() {
        let texts: Vec<String> = (0..30)
            .map(|seed| generate(seed, &Knobs { factors: 3, ..Knobs::from_seed(seed) }).to_string())
            .collect();
        assert!(texts.iter().all(|text| text.contains("(next (p2_0))") || text.contains("(next p2_0)")));
        assert!(texts.iter().all(|text| !text.contains("p3_0")));
        assert!(texts.iter().any(|text| text.contains("(true (step")));
        assert_ne!(texts[0], texts[1]);
    }
}
