//! Ratings of players whose strength is known, and what does not change them.

use std::collections::BTreeMap;

use ludex_game::Rng;
use ludex_match::ratings::{PERIOD_MILLISECONDS, Rated, Seat, Skill, periods_between, rate};
use proptest::prelude::*;

/// Players with what they are known to be, and when that was.
#[derive(Default)]
struct Known(BTreeMap<String, (Skill, u64)>);

impl Known {
    /// A match that ends at some moment; what it changes.
    fn play(&mut self, seats: &[Seat<'_>], at: u64) -> Vec<(String, Skill)> {
        let known = |name: &str| self.0.get(name).map(|&(skill, last)| (skill, periods_between(last, at)));
        let rated = rate(seats, false, known);
        let rated: Vec<(String, Skill)> = rated.iter().map(|r| (r.player.to_owned(), r.after)).collect();
        for (name, skill) in &rated {
            self.0.insert(name.clone(), (*skill, at));
        }
        rated
    }

    fn skill(&self, name: &str) -> Skill {
        self.0[name].0
    }
}

fn unit(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// Whether somebody of one strength wins against somebody of another one.
fn wins(rng: &mut Rng, own: f64, other: f64) -> bool {
    unit(rng) < 1.0 / (1.0 + 10f64.powf((other - own) / 400.0))
}

/// Everybody is found where they are, up to what all ratings share.
#[test]
fn known_strengths_are_found_again() {
    for seed in 0..4 {
        let strengths: Vec<f64> = (0..12).map(|n| 1500.0 + 80.0 * (f64::from(n) - 5.5)).collect();
        let names: Vec<String> = (0..12).map(|n| format!("p{n}")).collect();
        let (mut known, mut rng, mut within) = (Known::default(), Rng::from_seed(seed), 0);
        for number in 0..6_000u64 {
            let one = rng.below(12) as usize;
            let other = (one + 1 + rng.below(11) as usize) % 12;
            let won = wins(&mut rng, strengths[one], strengths[other]);
            let worth = if won { [100.0, 0.0] } else { [0.0, 100.0] };
            known.play(
                &[
                    Seat { player: &names[one], worth: worth[0] },
                    Seat { player: &names[other], worth: worth[1] },
                ],
                number * 60_000,
            );
        }
        let mean: f64 = names.iter().map(|name| known.skill(name).rating).sum::<f64>() / 12.0;
        for (name, strength) in names.iter().zip(&strengths) {
            let skill = known.skill(name);
            let error = (skill.rating - mean) - (strength - 1500.0);
            assert!(error.abs() < 130.0, "seed {seed}: {name} of {strength} is {skill:?}, off by {error}");
            assert!(!skill.is_provisional());
            within += usize::from(error.abs() <= 2.0 * skill.deviation);
        }
        assert!(within >= 10, "seed {seed}: only {within} of 12 are in their intervals");
    }
}

/// Four at a table: the same as with two, more slowly in information than three matches.
#[test]
fn several_players_are_told_apart() {
    let strengths = [1700.0, 1600.0, 1500.0, 1400.0, 1300.0];
    let names = ["a", "b", "c", "d", "e"];
    let (mut known, mut rng) = (Known::default(), Rng::from_seed(3));
    for number in 0..3_000u64 {
        let left_out = rng.below(5) as usize;
        let mut seats = Vec::new();
        for player in (0..5).filter(|&player| player != left_out) {
            // Of each pair somebody wins; goals are how many.
            let beaten = (0..5).filter(|&o| o != player && wins(&mut rng, strengths[player], strengths[o]));
            seats.push(Seat { player: names[player], worth: 25.0 * beaten.count() as f64 });
        }
        known.play(&seats, number * 60_000);
    }
    let ratings = names.map(|name| known.skill(name).rating);
    assert!(ratings.windows(2).all(|pair| pair[0] > pair[1]), "{ratings:?}");
}

#[test]
fn a_match_of_four_says_of_a_player_no_more_than_a_match_of_two() {
    let seat = |player, worth| Seat { player, worth };
    let two = rate(&[seat("a", 50.0), seat("b", 50.0)], false, |_| None);
    let four = rate(&[seat("a", 50.0), seat("b", 50.0), seat("c", 50.0), seat("d", 50.0)], false, |_| None);
    assert!((two[0].after.deviation - four[0].after.deviation).abs() < 1e-9);
    assert!(two[0].after.deviation < 350.0);
}

#[test]
fn who_plays_alone_or_against_itself_is_not_rated() {
    let seat = |player| Seat { player, worth: 100.0 };
    assert!(rate(&[], false, |_| None).is_empty());
    assert!(rate(&[seat("a")], false, |_| None).is_empty());
    assert!(rate(&[seat("a"), seat("a")], false, |_| None).is_empty());
    // With several seats a player is one player, with their mean.
    let shared = [
        Seat { player: "a", worth: 100.0 },
        Seat { player: "b", worth: 50.0 },
        Seat { player: "a", worth: 0.0 },
    ];
    let rated = rate(&shared, false, |_| None);
    assert_eq!(rated.len(), 2);
    assert_eq!(rated[0].after.rating, 1500.0);
}

#[test]
fn time_makes_ratings_less_sure_and_moves_them_more() {
    let seats = [Seat { player: "a", worth: 100.0 }, Seat { player: "b", worth: 0.0 }];
    let skill = Skill { rating: 1500.0, deviation: 60.0, ..Skill::default() };
    let at_once = rate(&seats, false, |_| Some((skill, 0.0)));
    let later = rate(&seats, false, |_| Some((skill, periods_between(0, 365 * 86_400_000))));
    assert!(later[0].after.rating > at_once[0].after.rating);
    assert!(later[0].after.deviation > at_once[0].after.deviation);
    assert_eq!(periods_between(9, 3), 0.0, "clocks may go back");
    assert_eq!(periods_between(0, PERIOD_MILLISECONDS as u64 + 1) as u32, 1);
}

fn skills() -> impl Strategy<Value = Skill> {
    (100.0f64..4000.0, 30.0f64..350.0, 0.01f64..0.1).prop_map(|(rating, deviation, volatility)| Skill {
        rating,
        deviation,
        volatility,
    })
}

fn bits(rated: &[Rated<'_>]) -> BTreeMap<String, [u64; 3]> {
    let bits = |s: &Skill| [s.rating.to_bits(), s.deviation.to_bits(), s.volatility.to_bits()];
    rated.iter().map(|rated| (rated.player.to_owned(), bits(&rated.after))).collect()
}

proptest! {
    /// Not even the last bit depends on who sits where.
    #[test]
    fn the_order_of_the_seats_changes_nothing(
        skills in prop::collection::vec((skills(), 0.0f64..50.0), 6),
        seated in prop::collection::vec((0usize..6, 0u32..101), 2..7),
        turn in 0usize..6,
    ) {
        let names = ["a", "b", "c", "d", "e", "f"];
        let known = |name: &str| names.iter().position(|n| *n == name).map(|n| skills[n]);
        let mut seats: Vec<Seat<'_>> =
            seated.iter().map(|&(n, goal)| Seat { player: names[n], worth: f64::from(goal) }).collect();
        let rated = bits(&rate(&seats, false, known));
        seats.rotate_left(turn % seated.len());
        prop_assert_eq!(&rated, &bits(&rate(&seats, false, known)));
        seats.reverse();
        prop_assert_eq!(&rated, &bits(&rate(&seats, false, known)));
    }

    /// A win never takes points, a loss never gives any, and what one is expected to take the other is not.
    #[test]
    fn a_win_never_takes_points(one in skills(), other in skills(), pause in 0.0f64..100.0) {
        let known = |name: &str| Some((if name == "a" { one } else { other }, pause));
        let seats = [Seat { player: "a", worth: 100.0 }, Seat { player: "b", worth: 0.0 }];
        let rated = rate(&seats, false, known);
        prop_assert!(rated[0].after.rating >= one.rating && rated[1].after.rating <= other.rating);
        prop_assert!((one.expected(&other) + other.expected(&one) - 1.0).abs() < 1e-9);
        let better = Skill { rating: one.rating + 10.0, ..one };
        prop_assert!(better.expected(&other) >= one.expected(&other));
    }
}
