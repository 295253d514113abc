//! Games of one player that are made of several: a few propositions each, with moves of their own, or moves
//! that are made in two at once. Some propositions change by themselves, whatever is done. The end and the
//! goals ask for some of each, and for the step counter or not.

use ludex_game::Rng;

use super::Knobs;
use crate::rules::{Expression, Rules};

/// Propositions of a factor, and moves in it, at most.
const MOST_PROPOSITIONS: u64 = 3;
const MOST_MOVES: u64 = 2;

/// A factor: how many propositions and moves it has.
struct Factor {
    propositions: u64,
    moves: u64,
}

struct Builder {
    rng: Rng,
    clauses: Vec<String>,
    factors: Vec<Factor>,
    /// Moves are made in all factors at once, one for each combination.
    is_joint: bool,
}

/// The game of a seed.
pub(super) fn build(seed: u64, knobs: &Knobs) -> Rules {
    let mut rng = Rng::from_seed(seed ^ 0x6661_6374_6f72);
    let is_joint = rng.below(4) == 0;
    let factors = (0..knobs.factors)
        .map(|_| Factor { propositions: 1 + rng.below(MOST_PROPOSITIONS), moves: 1 + rng.below(MOST_MOVES) })
        .collect();
    let mut builder = Builder { rng, clauses: vec!["(role player)".to_owned()], factors, is_joint };
    let is_counted = builder.rng.below(5) > 0;
    builder.make_moves();
    for factor in 0..builder.factors.len() {
        builder.make_factor(factor);
    }
    builder.make_end(is_counted.then_some(knobs.steps));
    builder.make_goals();
    Rules(builder.clauses.iter().map(|clause| Expression::of(clause)).collect())
}

impl Builder {
    fn rule(&mut self, head: &str, literals: &[String]) {
        let body = literals.join(" ");
        self.clauses.push(if literals.is_empty() { head.to_owned() } else { format!("(<= {head} {body})") });
    }

    /// What is done in a factor, as it is written in a move.
    fn does(&self, factor: usize, number: u64) -> String {
        if !self.is_joint {
            return format!("(does player m{factor}_{number})");
        }
        let others = (0..self.factors.len()).map(|other| match other == factor {
            true => format!("m{factor}_{number}"),
            false => format!("?x{other}"),
        });
        format!("(does player (all {}))", others.collect::<Vec<_>>().join(" "))
    }

    fn make_moves(&mut self) {
        if self.is_joint {
            let places: Vec<String> = (0..self.factors.len()).map(|factor| format!("?x{factor}")).collect();
            let kinds: Vec<String> =
                places.iter().enumerate().map(|(factor, place)| format!("(made{factor} {place})")).collect();
            self.rule(&format!("(legal player (all {}))", places.join(" ")), &kinds);
            for factor in 0..self.factors.len() {
                for number in 0..self.factors[factor].moves {
                    self.rule(&format!("(made{factor} m{factor}_{number})"), &[]);
                }
            }
            return;
        }
        for factor in 0..self.factors.len() {
            for number in 0..self.factors[factor].moves {
                let mut literals = Vec::new();
                // One move at least can always be made.
                if (factor, number) != (0, 0) && self.rng.below(3) == 0 {
                    literals.push(self.literal(factor));
                }
                self.rule(&format!("(legal player m{factor}_{number})"), &literals);
            }
        }
        if self.rng.below(3) == 0 {
            self.rule("(legal player noop)", &[]);
        }
    }

    /// A proposition of a factor, or that it does not hold.
    fn literal(&mut self, factor: usize) -> String {
        let number = self.rng.below(self.factors[factor].propositions);
        let truth = format!("(true p{factor}_{number})");
        if self.rng.below(2) == 0 { truth } else { format!("(not {truth})") }
    }

    fn literals(&mut self, factor: usize, most: u64) -> Vec<String> {
        let mut literals: Vec<String> = (0..self.rng.below(most + 1)).map(|_| self.literal(factor)).collect();
        literals.sort();
        literals.dedup();
        literals
    }

    fn make_factor(&mut self, factor: usize) {
        let moves = self.factors[factor].moves;
        let moves_itself = self.rng.below(2) == 0;
        for number in 0..self.factors[factor].propositions {
            let name = format!("p{factor}_{number}");
            if self.rng.below(2) == 0 {
                self.rule(&format!("(init {name})"), &[]);
            }
            let next = format!("(next {name})");
            // A move sets it.
            let made = self.rng.below(moves);
            let mut literals = vec![self.does(factor, made)];
            literals.extend(self.literals(factor, 2));
            self.rule(&next, &literals);
            if moves_itself && self.rng.below(2) == 0 {
                // It changes whatever is done, or what holds is forgotten.
                let literals = vec![self.literal(factor), self.literal(factor)];
                self.rule(&next, &literals);
                if self.rng.below(2) == 0 {
                    continue;
                }
            }
            // It stays unless a move clears it.
            let mut stays = vec![format!("(true {name})")];
            if self.rng.below(3) > 0 {
                let made = self.rng.below(moves);
                let cleared = format!("clears_{name}");
                let does = self.does(factor, made);
                self.rule(&cleared, &[does]);
                stays.push(format!("(not {cleared})"));
            }
            if moves_itself && self.rng.below(3) == 0 {
                stays.push(self.literal(factor));
            }
            self.rule(&next, &stays);
        }
    }

    fn make_end(&mut self, steps: Option<u32>) {
        if let Some(steps) = steps {
            for step in 0..steps {
                self.rule(&format!("(succ {step} {})", step + 1), &[]);
            }
            self.rule("(init (step 0))", &[]);
            self.rule("(next (step ?n))", &["(true (step ?m))".to_owned(), "(succ ?m ?n)".to_owned()]);
            self.rule("terminal", &[format!("(true (step {steps}))")]);
        }
        match self.rng.below(4) {
            0 => {}
            // As soon as one of them is over.
            1 => {
                for factor in 0..self.factors.len() {
                    let over = vec![self.literal(factor), self.literal(factor)];
                    self.rule("terminal", &over);
                }
            }
            // When all of them are.
            2 => {
                let all = (0..self.factors.len()).map(|factor| self.literal(factor)).collect::<Vec<_>>();
                self.rule("terminal", &all);
            }
            _ => {
                let factor = self.rng.below(self.factors.len() as u64) as usize;
                let over = vec![self.literal(factor), self.literal(factor)];
                self.rule("terminal", &over);
            }
        }
        if !self.clauses.iter().any(|clause| clause.starts_with("(<= terminal")) {
            self.rule("terminal", &["(true p0_0)".to_owned()]);
        }
    }

    /// Three values, of which the first that is earned counts.
    fn make_goals(&mut self) {
        for name in ["first", "second"] {
            for _ in 0..1 + self.rng.below(2) {
                let mut literals = Vec::new();
                for factor in 0..self.factors.len() {
                    if self.rng.below(3) > 0 {
                        literals.extend(self.literals(factor, 2));
                    }
                }
                if literals.is_empty() {
                    literals.push(self.literal(0));
                }
                self.rule(name, &literals);
            }
        }
        self.rule("(goal player 100)", &["first".to_owned()]);
        self.rule("(goal player 60)", &["second".to_owned(), "(not first)".to_owned()]);
        self.rule("(goal player 10)", &["(not first)".to_owned(), "(not second)".to_owned()]);
    }
}
