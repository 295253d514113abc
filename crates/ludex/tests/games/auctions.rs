//! Bids and claims: goofspiel and liar's dice.

use std::collections::BTreeMap;

use ludex_game::perft;
use ludex_logic::Budget;

use super::model::{Model, Texts, compare, numbers, texts, words};
use super::news::possible;
use super::table::Table;

/// Goofspiel, open with prizes in falling order or blind with a shuffled deck.
struct Goofspiel {
    blind: bool,
    hands: [Vec<usize>; 2],
    deck: Vec<usize>,
    prize: Option<usize>,
    points: [usize; 2],
}

impl Goofspiel {
    fn open() -> Self {
        let cards: Vec<usize> = (1..=5).collect();
        Self {
            blind: false,
            hands: [cards.clone(), cards],
            deck: (1..=4).collect(),
            prize: Some(5),
            points: [0; 2],
        }
    }

    fn blind() -> Self {
        let cards: Vec<usize> = (1..=4).collect();
        Self { blind: true, hands: [cards.clone(), cards.clone()], deck: cards, prize: None, points: [0; 2] }
    }
}

impl Model for Goofspiel {
    fn legal(&self, role: usize) -> Texts {
        match (self.prize, role) {
            (Some(_), 2) | (None, 0 | 1) => texts(["noop"]),
            (Some(_), _) => self.hands[role].iter().map(|card| format!("(bid {card})")).collect(),
            (None, _) => self.deck.iter().map(|card| format!("(turn_up {card})")).collect(),
        }
    }

    fn step(&mut self, joint: &[String]) -> Vec<Texts> {
        let mut said = Texts::new();
        if let Some(prize) = self.prize.take() {
            let bids = [numbers(&joint[0])[0], numbers(&joint[1])[0]];
            for role in 0..2 {
                self.hands[role].retain(|&card| card != bids[role]);
                if bids[role] > bids[1 - role] {
                    self.points[role] += prize;
                    said.insert(format!("(taken_by {})", ["left", "right"][role]));
                }
            }
            if bids[0] == bids[1] {
                said.insert("tied".to_owned());
            }
            if !self.blind {
                self.prize = self.deck.pop();
            }
        } else {
            let card = numbers(&joint[2])[0];
            self.deck.retain(|&other| other != card);
            self.prize = Some(card);
            said.insert(format!("(prize {card})"));
        }
        let nothing = Texts::new();
        if self.blind { vec![said.clone(), said, nothing] } else { vec![nothing; 2] }
    }

    fn goals(&self) -> Option<Vec<u32>> {
        let over = self.prize.is_none() && self.deck.is_empty();
        over.then(|| {
            let value = |mine: usize, other: usize| match mine.cmp(&other) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Equal => 50,
                std::cmp::Ordering::Greater => 100,
            };
            vec![value(self.points[0], self.points[1]), value(self.points[1], self.points[0])]
        })
    }
}

#[test]
fn goofspiel_is_as_written_in_rust() {
    compare("goofspiel", 300, Goofspiel::open);
    compare("blind-goofspiel", 300, Goofspiel::blind);
}

/// All orders of the numbers up to this one.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    let insert = |order: &Vec<usize>, at: usize| {
        let mut order = order.clone();
        order.insert(at, count);
        order
    };
    shorter.iter().flat_map(|order| (0..count).map(move |at| insert(order, at))).collect()
}

#[test]
fn every_pair_of_orders_of_bids_is_a_course_of_goofspiel() {
    let table = Table::of("goofspiel");
    let rows = perft(&table.machine, 6, &Budget::unlimited()).unwrap();
    let paths: Vec<_> = rows.iter().map(|row| row.paths).collect();
    assert_eq!(paths, [1, 25, 400, 3600, 14400, 14400]);
    assert_eq!(rows[5].terminals, 14400);

    let mut expected = BTreeMap::new();
    let orders = permutations(5);
    for (one, other) in orders.iter().flat_map(|one| orders.iter().map(move |other| (one, other))) {
        let won = |mine: &[usize], others: &[usize]| -> usize {
            (0..5).filter(|&round| mine[round] > others[round]).map(|round| 5 - round).sum()
        };
        let ahead = won(one, other).cmp(&won(other, one)) as i32;
        *expected.entry((50 + 50 * ahead) as u32).or_insert(0u32) += 1;
    }
    let mut found = BTreeMap::new();
    table.endings(&mut |_, goals| *found.entry(goals[0].unwrap()).or_insert(0) += 1);
    assert_eq!(found, expected);
}

#[test]
fn who_took_the_prize_tells_something_of_the_bid() {
    let table = Table::of("blind-goofspiel");
    let after = |percept: &str| {
        let news: [(&str, &[&str]); 2] = [("noop", &["(prize 4)"]), ("(bid 2)", &[percept])];
        possible(&table, "left", &news).len()
    };
    // The other bid the 1, the 2, or one of 3 and 4.
    assert_eq!([after("(taken_by left)"), after("tied"), after("(taken_by right)")], [1, 1, 2]);
    let rows = perft(&table.machine, 8, &Budget::unlimited()).unwrap();
    assert_eq!(rows[8].terminals, 24 * 24 * 24);
}

/// Claims from the lowest to the highest.
const CLAIMS: [(usize, usize); 12] =
    [(1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 1), (2, 2), (2, 3), (2, 4), (2, 5), (2, 6), (2, 1)];

/// Whether a claim holds for these dice.
fn holds(claim: (usize, usize), dice: [usize; 2]) -> bool {
    dice.iter().filter(|&&die| die == claim.1 || die == 1).count() >= claim.0
}

#[derive(Default)]
struct LiarsDice {
    dice: Option<[usize; 2]>,
    /// The number of the next claim that is higher than all so far.
    next: usize,
    turn: usize,
    winner: Option<usize>,
}

impl Model for LiarsDice {
    fn legal(&self, role: usize) -> Texts {
        match (self.dice, role) {
            (None, 2) => {
                let faces = (1..=6).flat_map(|f| (1..=6).map(move |g| (f, g)));
                faces.map(|(f, g)| format!("(roll {f} {g})")).collect()
            }
            (Some(_), role) if role == self.turn => {
                let claims = CLAIMS[self.next..].iter().map(|(n, f)| format!("(claim {n} {f})"));
                claims.chain((self.next > 0).then(|| "call".to_owned())).collect()
            }
            _ => texts(["noop"]),
        }
    }

    fn step(&mut self, joint: &[String]) -> Vec<Texts> {
        let mut sight = vec![Texts::new(); 3];
        let names = ["alice", "bob"];
        let Some(dice) = self.dice else {
            let dice = [numbers(&joint[2])[0], numbers(&joint[2])[1]];
            for role in 0..2 {
                sight[role].insert(format!("(die {} {})", names[role], dice[role]));
            }
            self.dice = Some(dice);
            return sight;
        };
        let (mover, other) = (self.turn, 1 - self.turn);
        if words(&joint[mover])[0] == "call" {
            let claim = CLAIMS[self.next - 1];
            self.winner = Some(if holds(claim, dice) { other } else { mover });
            for role in 0..2 {
                sight[role].insert(format!("(die {} {})", names[1 - role], dice[1 - role]));
            }
        } else {
            let claim = (numbers(&joint[mover])[0], numbers(&joint[mover])[1]);
            self.next = 1 + CLAIMS.iter().position(|&c| c == claim).unwrap();
            self.turn = other;
            sight[other].insert(joint[mover].clone());
        }
        sight
    }

    fn goals(&self) -> Option<Vec<u32>> {
        self.winner.map(|winner| vec![100 * (1 - winner as u32), 100 * winner as u32])
    }
}

#[test]
fn liars_dice_is_as_written_in_rust() {
    compare("liars-dice", 500, LiarsDice::default);
}

#[test]
fn every_rising_row_of_claims_is_a_course_of_liars_dice() {
    let table = Table::of("liars-dice");
    let rows = perft(&table.machine, 3, &Budget::unlimited()).unwrap();
    // 36 throws, then 12 first claims, then 11 + 10 + ... higher ones or a call to each.
    assert_eq!(rows.iter().map(|row| row.paths).collect::<Vec<_>>(), [1, 36, 36 * 12, 36 * (66 + 12)]);

    // With one throw, each set of claims but the empty one is called once; who claimed last is right or not.
    let mut expected = BTreeMap::new();
    for claims in 1u32..1 << 12 {
        let highest = CLAIMS[claims.ilog2() as usize];
        let claimant = (claims.count_ones() as usize - 1) % 2;
        let alice_wins = (claimant == 0) == holds(highest, [3, 5]);
        *expected.entry(100 * u32::from(alice_wins)).or_insert(0u32) += 1;
    }
    let mut found = BTreeMap::new();
    let roll = table.joints(&[&["noop", "noop", "(roll 3 5)"]]);
    table.endings_after(&roll, &mut |_, goals| *found.entry(goals[0].unwrap()).or_insert(0) += 1);
    assert_eq!(found, expected);
    assert_eq!(found.values().sum::<u32>(), 4095);
}
