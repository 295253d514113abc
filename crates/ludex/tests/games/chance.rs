//! Games of one player, or of partners, against chance: what is likely and what is best.

use std::collections::BTreeMap;

use ludex_game::{Machine, State};

use super::model::{Model, Texts, compare, texts, words};
use super::news::{News, possible, weighed};
use super::table::Table;

/// The mean of what a role gets by a last joint move from weighed states.
fn value(table: &Table, states: &BTreeMap<State, f64>, joint: &[&str], role: &str) -> f64 {
    let joint = table.joints(&[joint]).remove(0);
    let mut runner = table.runner();
    let one = |(state, weight): (&State, &f64)| {
        runner.set(state).unwrap();
        runner.step(&joint).unwrap();
        assert!(runner.terminal().unwrap());
        weight * f64::from(table.goal(&mut *runner, role).unwrap())
    };
    states.iter().map(one).sum()
}

/// The same states, all of them equally likely.
fn levelled(states: &BTreeMap<State, f64>) -> BTreeMap<State, f64> {
    states.keys().map(|state| (state.clone(), 1.0 / states.len() as f64)).collect()
}

#[track_caller]
fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(near, "{found:?}, expected {expected:?}");
}

#[test]
fn a_loaded_die_is_bet_on_the_wrong_way_where_states_are_only_counted() {
    let table = Table::of("loaded-die");
    let states = weighed(&table, "gambler", &[("noop", &[])]);
    let mut weights: Vec<f64> = states.values().copied().collect();
    weights.sort_by(f64::total_cmp);
    close(&weights, &[1.0 / 6.0, 5.0 / 6.0]);
    let bets = |states| {
        ["star", "blank"].map(|face| value(&table, states, &[&format!("(bet {face})"), "noop"], "gambler"))
    };
    close(&bets(&states), &[50.0, 100.0 / 6.0]);
    close(&bets(&levelled(&states)), &[30.0, 50.0]);
}

#[test]
fn three_throws_tell_the_loaded_die_from_the_fair_one() {
    let table = Table::of("loaded-or-fair-die");
    let mut whole = 0.0;
    for throws in 0..8u32 {
        let faces = [0, 1, 2].map(|bit| if throws >> bit & 1 == 1 { "(up star)" } else { "(up blank)" });
        let seen = faces.each_ref().map(std::slice::from_ref);
        let news: [News; 4] = [("noop", &[]), ("noop", seen[0]), ("noop", seen[1]), ("noop", seen[2])];
        let states = weighed(&table, "gambler", &news);
        // Bayes' rule: of 216 triples of sides, so many show these faces.
        let stars = throws.count_ones();
        let (fair, loaded) = (27.0, 5f64.powi(stars as i32));
        let bets = |states| {
            ["fair", "loaded"].map(|die| value(&table, states, &[&format!("(bet {die})"), "noop"], "gambler"))
        };
        let [on_fair, on_loaded] = bets(&states);
        close(&[on_fair, on_loaded], &[60.0 * fair / (fair + loaded), 100.0 * loaded / (fair + loaded)]);
        assert_eq!(on_loaded > on_fair, stars >= 2);
        close(&bets(&levelled(&states)), &[30.0, 50.0]);
        whole += (fair + loaded) / 432.0 * on_fair.max(on_loaded);
    }
    close(&[whole], &[(200.0 / 216.0 * 100.0 + 60.0 / 2.0) / 2.0]);
}

/// A code of mastermind.
type Code = [&'static str; 3];

/// All of them.
fn codes() -> Vec<Code> {
    const COLOURS: [&str; 4] = ["red", "yellow", "green", "blue"];
    (0..64).map(|n| [n / 16, n / 4 % 4, n % 4].map(|colour: usize| COLOURS[colour])).collect()
}

/// How many pegs of a guess are right, and how many more fit where pegs may be moved: pairs are made one by one.
fn answer(code: &[&str; 3], guess: &[&str; 3]) -> (usize, usize) {
    let blacks = (0..3).filter(|&k| code[k] == guess[k]).count();
    let mut left = code.to_vec();
    for colour in guess {
        if let Some(at) = left.iter().position(|other| other == colour) {
            left.swap_remove(at);
        }
    }
    (blacks, 3 - left.len() - blacks)
}

#[test]
fn mastermind_answers_every_guess_to_every_code() {
    let table = Table::of("mastermind");
    let mut runner = table.runner();
    for code in codes() {
        let set = table.joints(&[&["noop", &format!("(set {})", code.join(" "))]]);
        runner.set(table.machine.initial()).unwrap();
        runner.step(&set[0]).unwrap();
        let mut ready = State::default();
        runner.save(&mut ready);
        for guess in codes() {
            let joint = table.joints(&[&[&format!("(guess {})", guess.join(" ")), "noop"]]);
            runner.set(&ready).unwrap();
            runner.step(&joint[0]).unwrap();
            let (blacks, whites) = answer(&code, &guess);
            assert_eq!(table.percepts(&*runner, "breaker"), [format!("(pegs {blacks} {whites})")]);
            assert_eq!(runner.terminal().unwrap(), code == guess);
        }
    }
}

struct Mastermind {
    code: Option<Vec<String>>,
    guesses: usize,
    broken: bool,
}

fn colours(text: &str) -> [&str; 3] {
    let words = words(text);
    [words[1], words[2], words[3]]
}

impl Model for Mastermind {
    fn legal(&self, role: usize) -> Texts {
        if (role == 0) == self.code.is_none() {
            return texts(["noop"]);
        }
        let verb = ["guess", "set"][role];
        codes().iter().map(|code| format!("({verb} {})", code.join(" "))).collect()
    }

    fn step(&mut self, joint: &[String]) -> Vec<Texts> {
        let Some(code) = &self.code else {
            self.code = Some(colours(&joint[1]).map(str::to_owned).to_vec());
            return vec![Texts::new(); 2];
        };
        let code = [&code[0], &code[1], &code[2]].map(String::as_str);
        let (blacks, whites) = answer(&code, &colours(&joint[0]));
        self.guesses += 1;
        self.broken = blacks == 3;
        vec![texts([format!("(pegs {blacks} {whites})")]), Texts::new()]
    }

    fn goals(&self) -> Option<Vec<u32>> {
        let worth = if self.broken { WORTH[self.guesses - 1] } else { 0 };
        (self.broken || self.guesses == 5).then_some(vec![worth])
    }
}

#[test]
fn mastermind_is_as_written_in_rust() {
    compare("mastermind", 150, || Mastermind { code: None, guesses: 0, broken: false });
    // Few random matches break the code: the values of the guesses, one by one.
    let table = Table::of("mastermind");
    for (misses, worth) in WORTH.into_iter().enumerate() {
        let wrong: &[&str] = &["(guess blue red red)", "noop"];
        let mut course: Vec<&[&str]> = vec![&["noop", "(set red red blue)"]];
        course.extend(std::iter::repeat_n(wrong, misses));
        course.push(&["(guess red red blue)", "noop"]);
        let mut runner = table.after(&table.joints(&course));
        assert!(runner.terminal().unwrap());
        assert_eq!(table.goal(&mut *runner, "breaker"), Some(worth));
    }
}

#[test]
fn an_answer_leaves_the_codes_that_would_have_given_it() {
    let table = Table::of("mastermind");
    let guess = ["red", "red", "yellow"];
    for code in [["red", "red", "yellow"], ["blue", "green", "blue"], ["yellow", "blue", "red"]] {
        let given = answer(&code, &guess);
        let left = codes().iter().filter(|other| answer(other, &guess) == given).count();
        let percept = format!("(pegs {} {})", given.0, given.1);
        let news: [News; 2] = [("noop", &[]), ("(guess red red yellow)", &[&percept])];
        assert_eq!(possible(&table, "breaker", &news).len(), left);
    }
}

/// What guesses are worth, from the first one.
const WORTH: [u32; 5] = [100, 100, 100, 75, 50];

/// The codes by their answers to a guess.
fn classes(left: &[Code], guess: &Code) -> BTreeMap<(usize, usize), Vec<Code>> {
    let mut classes: BTreeMap<_, Vec<Code>> = BTreeMap::new();
    for code in left {
        classes.entry(answer(code, guess)).or_default().push(*code);
    }
    classes
}

/// What these classes bring in sum, each worth so much; the code that was guessed is worth what the guess is.
fn sum(classes: &BTreeMap<(usize, usize), Vec<Code>>, number: usize, worth: impl Fn(&[Code]) -> u32) -> u32 {
    let one = |(answer, codes): (&(usize, usize), &Vec<Code>)| match answer {
        (3, 0) => WORTH[number],
        _ => worth(codes),
    };
    classes.iter().map(one).sum()
}

/// The most that guesses from this one on can bring in sum over these codes, one of which is the right one.
fn best(left: &[Code], number: usize) -> u32 {
    if number == WORTH.len() {
        return 0;
    }
    // Of the codes that are left then, at most one is the next guess, and the others come later.
    let worth = |number: usize| WORTH.get(number).copied().unwrap_or(0);
    let most = |codes: &[Code]| worth(number + 1) + (codes.len() as u32 - 1) * worth(number + 2);
    let guesses = codes().into_iter().map(|guess| classes(left, &guess));
    let telling = guesses.filter(|classes| classes.len() > 1 || classes.contains_key(&(3, 0)));
    let mut guesses: Vec<_> = telling.map(|classes| (sum(&classes, number, most), classes)).collect();
    guesses.sort_by_key(|&(most, _)| std::cmp::Reverse(most));
    let mut found = 0;
    for (most, classes) in guesses {
        if most <= found {
            break;
        }
        found = found.max(sum(&classes, number, |codes| best(codes, number + 1)));
    }
    found
}

#[test]
fn the_best_guesses_in_mastermind() {
    // All other first guesses are one of these in other colours and places.
    let first = [["red", "red", "red"], ["red", "red", "yellow"], ["red", "yellow", "green"]];
    let sums = first.map(|guess| sum(&classes(&codes(), &guess), 0, |codes| best(codes, 1)));
    assert_eq!(sums, [5275, 5875, 5825], "of 6400: 91.8 of 100 on average");
}

const CARDS: [&str; 3] = ["red", "green", "blue"];

/// What both partners get, by the rules, for two cards and what each says.
fn payoff(table: &Table, held: [usize; 2], said: [usize; 2]) -> f64 {
    // One of the cards of each colour, ben's another one than ann's.
    let first = [1, 4, 6][held[0]];
    let second = [2, 5, 6][held[1]];
    let [ann, ben] = said.map(|colour| format!("(say {})", CARDS[colour]));
    let deal = format!("(deal {first} {second})");
    let course: [&[&str]; 3] = [&["noop", "noop", &deal], &[&ann, "noop", "noop"], &["noop", &ben, "noop"]];
    let mut runner = table.after(&table.joints(&course));
    assert_eq!(table.goal(&mut *runner, "ann"), table.goal(&mut *runner, "ben"));
    f64::from(table.goal(&mut *runner, "ann").unwrap())
}

/// Of 30 deals, so many give ann and ben these colours.
fn deals(held: [usize; 2]) -> f64 {
    let cards = [3.0, 2.0, 1.0];
    cards[held[0]] * (cards[held[1]] - f64::from(u32::from(held[0] == held[1])))
}

#[test]
fn one_convention_of_signals_is_better_than_all_others() {
    let table = Table::of("signals");
    let mut payoffs = BTreeMap::new();
    let pairs = || (0..3).flat_map(|a| (0..3).map(move |b| [a, b]));
    for held in pairs().filter(|&held| deals(held) > 0.0) {
        for said in pairs() {
            payoffs.insert((held, said), deals(held) / 30.0 * payoff(&table, held, said));
        }
    }
    // Ann says a colour for each that she sees; ben, who knows the convention, answers as well as can be.
    let worth = |convention: [usize; 3]| -> f64 {
        let best = |own: usize, heard: usize| {
            let answer = |say: usize| -> f64 {
                let seen = (0..3).filter(|&card| convention[card] == heard);
                seen.filter_map(|card| payoffs.get(&([own, card], [heard, say]))).sum()
            };
            (0..3).map(answer).fold(0.0, f64::max)
        };
        pairs().map(|[own, heard]| best(own, heard)).sum()
    };
    let mut ranked: Vec<_> =
        pairs().flat_map(|[a, b]| (0..3).map(move |c| [a, b, c])).map(|c| (worth(c), c)).collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    // "red" for green, "green" for red: ben is always right, ann in 12 deals of 30.
    assert_eq!(ranked[0].1, [1, 0, 2]);
    close(&[ranked[0].0], &[70.0]);
    assert!(ranked[1].0 < 69.0, "{ranked:?}");
    // To say what one sees helps ben alone, and to say always the same nobody.
    close(&[worth([0, 1, 2]), worth([0, 0, 0])], &[100.0 * 38.0 / 60.0, 50.0]);
}
