//! Small random games in real time.

use ludex_game::Rng;

use super::definition::{Atom, Literal, ROLES, Rule, Rules, Term, symbol};

/// Times on a grid and off it.
const TIMES: [Option<u64>; 8] = [
    None,
    Some(1_000_000_000),
    Some(500_000_000),
    Some(1_500_000_000),
    Some(2_000_000_000),
    Some(333_333_333),
    Some(1),
    Some(700_000_001),
];

/// What a random game in real time may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedKnobs {
    /// Percepts: the game is rtGDL-II.
    pub sees: bool,
    /// What is left of a lifetime may become part of a fact or of what is seen.
    pub lifetimes_in_terms: bool,
}

/// A game with rules of every kind.
pub fn random_rules(seed: u64, knobs: TimedKnobs) -> Rules {
    let mut make = Make { rng: Rng::from_seed(seed), knobs, rules: Vec::new(), bound: Vec::new() };
    for role in ROLES {
        make.fact("role", vec![symbol(role)]);
    }
    for (name, time) in [("a", make.time()), ("b", make.time()), ("a", make.time())] {
        make.fact("d", vec![symbol(name), time]);
    }
    make.fact("link", vec![symbol("a"), symbol("b")]);
    for _ in 0..2 + make.rng.below(3) {
        let (time, fact) = (make.time(), make.ground_fact());
        make.fact("init", vec![time, fact]);
    }
    make.helper("h", false);
    make.helper("k", true);
    make.fact("noted", vec![Term::Compound("c".into(), vec![symbol("a")])]);
    for _ in 0..4 + make.rng.below(4) {
        make.body(true);
        let (time, fact) = (make.bound_time(), make.fact_term());
        make.finish("next", vec![time, fact]);
    }
    if make.rng.below(3) > 0 {
        make.frame();
    }
    for _ in 0..2 {
        make.body(false);
        let role = make.role();
        let action = make.action();
        make.finish("legal", vec![role, action]);
    }
    make.body(false);
    make.finish("terminal", Vec::new());
    for _ in 0..2 {
        make.body(false);
        let (role, value) = (make.role(), make.rng.below(3) * 50);
        make.finish("goal", vec![role, Term::Constant(value.to_string())]);
    }
    if knobs.sees {
        for _ in 0..2 {
            make.body(true);
            let (role, seen) = (make.role(), make.fact_term());
            make.finish("sees", vec![role, seen]);
        }
    }
    Rules(make.rules)
}

struct Make {
    rng: Rng,
    knobs: TimedKnobs,
    rules: Vec<Rule>,
    /// The body of the rule that is being made: the last ones of its literals may still be added.
    bound: Vec<Literal>,
}

fn variable(name: &str) -> Term {
    Term::Variable(name.to_owned())
}

fn occurs(term: &Term, name: &str) -> bool {
    match term {
        Term::Variable(other) => other == name,
        Term::Compound(_, args) => args.iter().any(|arg| occurs(arg, name)),
        Term::Constant(_) | Term::Time(_) => false,
    }
}

impl Make {
    fn fact(&mut self, relation: &str, args: Vec<Term>) {
        self.rules.push(Rule { head: (relation.to_owned(), args), body: Vec::new() });
    }

    fn time(&mut self) -> Term {
        Term::Time(TIMES[self.rng.below(TIMES.len() as u64) as usize])
    }

    fn symbol(&mut self) -> Term {
        symbol(["a", "b"][self.rng.below(2) as usize])
    }

    fn ground_fact(&mut self) -> Term {
        let time = self.time();
        match self.rng.below(4) {
            0 => symbol("p"),
            1 => symbol("q"),
            2 => Term::Compound("c".into(), vec![self.symbol()]),
            _ => Term::Compound("t".into(), vec![time]),
        }
    }

    /// A fact with variables of a body.
    fn pattern(&mut self) -> Term {
        match self.rng.below(5) {
            0 => symbol("p"),
            1 => symbol("q"),
            2 | 3 => {
                let argument = if self.rng.below(3) > 0 { variable("X") } else { self.symbol() };
                Term::Compound("c".into(), vec![argument])
            }
            _ => Term::Compound("t".into(), vec![variable("T2")]),
        }
    }

    /// A few subgoals that hold and perhaps one that does not.
    fn body(&mut self, with_moves: bool) {
        self.bound.clear();
        for _ in 0..1 + self.rng.below(2) {
            let atom = self.subgoal(with_moves);
            self.bound.push(Literal::Holds(atom));
        }
        match self.rng.below(6) {
            0 => {
                let fact = self.ground_fact();
                self.bound.push(Literal::Fails(("expired".into(), vec![fact])));
            }
            1 => {
                let fact = self.ground_fact();
                self.bound.push(Literal::Fails(("true".into(), vec![Term::Time(None), fact])));
            }
            2 => {
                let argument = self.symbol();
                self.bound.push(Literal::Fails(("h".into(), vec![argument])));
            }
            3 if self.binds("X") => {
                let other = self.symbol();
                self.bound.push(Literal::Differ(variable("X"), other));
            }
            _ => {}
        }
    }

    fn subgoal(&mut self, with_moves: bool) -> Atom {
        let pattern = self.pattern();
        match self.rng.below(if with_moves { 8 } else { 6 }) {
            0..3 => {
                let time = if self.rng.below(5) > 0 { variable("T") } else { self.time() };
                ("true".into(), vec![time, pattern])
            }
            3 => ("expired".into(), vec![pattern]),
            4 => ("d".into(), vec![variable("X"), variable("T")]),
            5 => ("h".into(), vec![variable("X")]),
            6 => ("k".into(), vec![variable("X")]),
            _ => {
                let role = if self.rng.below(2) > 0 { variable("R") } else { symbol(ROLES[0]) };
                let action = if self.rng.below(2) > 0 {
                    symbol("go")
                } else {
                    Term::Compound("m".into(), vec![variable("X")])
                };
                ("does".into(), vec![role, action])
            }
        }
    }

    fn binds(&self, name: &str) -> bool {
        self.bound.iter().any(|literal| match literal {
            Literal::Holds(atom) => atom.1.iter().any(|arg| occurs(arg, name)),
            _ => false,
        })
    }

    fn bound_time(&mut self) -> Term {
        let names: Vec<&str> = ["T", "T2"].into_iter().filter(|name| self.binds(name)).collect();
        match self.rng.pick(&names) {
            Some(name) if self.rng.below(4) > 0 => variable(name),
            _ => self.time(),
        }
    }

    /// A time as part of a term.
    fn term_time(&mut self) -> Term {
        if self.knobs.lifetimes_in_terms {
            return self.bound_time();
        }
        // What `d` or a fact binds is one of the times in the rules.
        let is_constant = |name: &str| {
            self.bound.iter().any(|literal| match literal {
                Literal::Holds((relation, args)) => {
                    let plain = if relation == "true" { &args[1..] } else { &args[..] };
                    plain.iter().any(|arg| occurs(arg, name))
                }
                _ => false,
            })
        };
        let names: Vec<&str> = ["T", "T2"].into_iter().filter(|name| is_constant(name)).collect();
        match self.rng.pick(&names) {
            Some(name) if self.rng.below(4) > 0 => variable(name),
            _ => self.time(),
        }
    }

    fn bound_symbol(&mut self) -> Term {
        if self.binds("X") && self.rng.below(4) > 0 { variable("X") } else { self.symbol() }
    }

    fn fact_term(&mut self) -> Term {
        match self.rng.below(5) {
            0 => symbol("p"),
            1 => symbol("q"),
            2 => Term::Compound("t".into(), vec![self.term_time()]),
            _ => Term::Compound("c".into(), vec![self.bound_symbol()]),
        }
    }

    fn role(&mut self) -> Term {
        if self.binds("R") { variable("R") } else { symbol(ROLES[self.rng.below(2) as usize]) }
    }

    fn action(&mut self) -> Term {
        if self.rng.below(3) == 0 {
            symbol("go")
        } else {
            Term::Compound("m".into(), vec![self.bound_symbol()])
        }
    }

    fn finish(&mut self, relation: &str, args: Vec<Term>) {
        let body = std::mem::take(&mut self.bound);
        self.rules.push(Rule { head: (relation.to_owned(), args), body });
    }

    /// `next(T,F) :- true(T,F)`, perhaps on a condition.
    fn frame(&mut self) {
        let (time, fact) = (variable("T"), variable("F"));
        let mut body = vec![Literal::Holds(("true".into(), vec![time.clone(), fact.clone()]))];
        if self.rng.below(2) > 0 {
            body.push(Literal::Fails(("noted".into(), vec![fact.clone()])));
        }
        self.rules.push(Rule { head: ("next".into(), vec![time, fact]), body });
    }

    /// A relation between what is given and what is asked, which goes round.
    fn helper(&mut self, name: &str, with_moves: bool) {
        self.bound.clear();
        // Nothing of its own stratum is denied, and `k` is not there yet.
        let first = loop {
            let atom = self.subgoal(with_moves);
            if !["h", "k"].contains(&atom.0.as_str()) {
                break atom;
            }
        };
        self.bound.push(Literal::Holds(first));
        let argument = self.bound_symbol();
        self.finish(name, vec![argument]);
        let step = [(name, "X"), ("link", "X")].map(|(relation, first)| {
            let mut args = vec![variable(first)];
            args.extend((relation == "link").then(|| variable("X2")));
            Literal::Holds((relation.to_owned(), args))
        });
        self.rules.push(Rule { head: (name.to_owned(), vec![variable("X2")]), body: step.to_vec() });
    }
}
