//! Random programs through the evaluator, with all kinds of plans, against the oracle.

use std::fmt::Write;
use std::sync::Arc;

use ludex_game::{GameError, Rng, RoleId};
use ludex_gdl::{Dialect, GameProgram, Notation, Source, lower, parse};
use ludex_logic::evaluator::{Evaluator, EvaluatorError, Preparation, Session};
use ludex_logic::{Budget, GroundAtom, LimitError, RelationId, TermId};
use ludex_testkit::oracle::{Model, model};
use ludex_testkit::{bundled, machine_of, rounds, seeds};

/// Matches the oracle may try, and steps the evaluator may take, for one program.
const WORK: u64 = 300_000;

/// Relations with more possible rows than this are asked.
const THRESHOLDS: [f64; 4] = [f64::INFINITY, 1000.0, 30.0, 0.0];

/// Writes random stratified, safe programs: functors, recursion, negation, nested formulas.
struct Writer {
    rng: Rng,
    out: String,
    /// Names and arities of what a body may use; the first `below` may be negated.
    relations: Vec<(String, usize)>,
    below: usize,
}

impl Writer {
    fn chance(&mut self, percent: u64) -> bool {
        self.rng.below(100) < percent
    }

    fn choose<'a>(&mut self, items: &[&'a str]) -> &'a str {
        self.rng.pick(items).copied().unwrap_or_default()
    }

    fn ground(&mut self, depth: usize) -> String {
        match self.rng.below(8) {
            0 if depth > 0 => format!("(f {})", self.ground(depth - 1)),
            1 if depth > 0 => format!("(g {} {})", self.ground(depth - 1), self.ground(depth - 1)),
            _ => self.choose(&["1", "2", "3", "a"]).to_owned(),
        }
    }

    fn pattern(&mut self, variables: &[&str], depth: usize) -> String {
        match self.rng.below(10) {
            0 if depth > 0 => format!("(f {})", self.pattern(variables, depth - 1)),
            1 if depth > 0 => {
                format!("(g {} {})", self.pattern(variables, depth - 1), self.pattern(variables, depth - 1))
            }
            2 => self.ground(1),
            _ if variables.is_empty() => self.ground(1),
            _ => self.choose(variables).to_owned(),
        }
    }

    fn atom(&mut self, among: usize, variables: &[&str]) -> String {
        let at = self.rng.below(among as u64) as usize;
        let (name, arity) = self.relations[at].clone();
        let args: Vec<String> = (0..arity).map(|_| self.pattern(variables, 1)).collect();
        if name == "does" {
            return format!("(does r {})", args[0]);
        }
        if args.is_empty() { name } else { format!("({name} {})", args.join(" ")) }
    }

    /// A formula that binds nothing, over bound variables.
    fn test(&mut self, bound: &[&str], depth: usize) -> String {
        match self.rng.below(9) {
            0 | 1 => format!("(not {})", self.atom(self.below, bound)),
            2 => format!("(distinct {} {})", self.pattern(bound, 1), self.pattern(bound, 1)),
            3 => format!("(not (distinct {} {}))", self.pattern(bound, 1), self.pattern(bound, 1)),
            4 | 5 if depth > 0 => {
                format!("(or {} {})", self.test(bound, depth - 1), self.test(bound, depth - 1))
            }
            6 if depth > 0 => {
                format!("(and {} {})", self.test(bound, depth - 1), self.test(bound, depth - 1))
            }
            7 if depth > 0 => format!("(not {})", self.static_test(bound, depth - 1)),
            _ => self.atom(self.relations.len(), bound),
        }
    }

    /// A formula below the head's stratum, so that it may be negated.
    fn static_test(&mut self, bound: &[&str], depth: usize) -> String {
        match self.rng.below(4) {
            0 if depth > 0 => {
                format!("(or {} {})", self.static_test(bound, depth - 1), self.static_test(bound, depth - 1))
            }
            1 if depth > 0 => {
                format!("(and {} {})", self.static_test(bound, depth - 1), self.static_test(bound, depth - 1))
            }
            2 => format!("(not {})", self.atom(self.below, bound)),
            _ => self.atom(self.below, bound),
        }
    }

    fn rule(&mut self, head: &str, arity: usize, tag: Option<&str>) {
        let mut body = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            body.push(self.atom(self.relations.len(), &["?x", "?y", "?z"]));
        }
        let text = body.join(" ");
        let mut bound: Vec<&str> = ["?x", "?y", "?z"].into_iter().filter(|v| text.contains(v)).collect();
        if self.chance(20) {
            let (a, b) = (self.atom(self.relations.len(), &["?w"]), self.atom(self.relations.len(), &["?w"]));
            if a.contains("?w") && b.contains("?w") {
                body.push(format!("(or {a} {b})"));
                bound.push("?w");
            }
        }
        for _ in 0..self.rng.below(3) {
            body.push(self.test(&bound, 2));
        }
        let args: Vec<String> = (0..arity).map(|_| self.pattern(&bound, 1)).collect();
        let head = match tag {
            Some(_) => format!("({head} {})", args.join(" ")),
            None if args.is_empty() => head.to_owned(),
            None => format!("({head} {})", args.join(" ")),
        };
        let at = self.rng.below(body.len() as u64) as usize;
        body.rotate_left(at);
        writeln!(self.out, "(<= {head} {})", body.join(" ")).unwrap();
    }

    fn fact(&mut self, name: &str, arity: usize) {
        let args: Vec<String> = (0..arity).map(|_| self.ground(1)).collect();
        writeln!(self.out, "({name} {})", args.join(" ")).unwrap();
    }

    fn program(seed: u64) -> String {
        let mut w = Self { rng: Rng::from_seed(seed), out: String::new(), relations: Vec::new(), below: 0 };
        w.out.push_str("(role r)\n");
        for fact in BASE {
            writeln!(w.out, "(base {fact})\n(input r {fact})\n(pool {fact})").unwrap();
        }
        w.out.push_str("(succ 1 2) (succ 2 3) (succ 3 a)\n");
        w.relations.push(("pool".into(), 1));
        w.relations.push(("succ".into(), 2));
        w.relations.push(("true".into(), 1));
        w.relations.push(("does".into(), 1));
        for (name, arity) in [("e", 1), ("d", 2)] {
            for _ in 0..w.rng.below(6) {
                w.fact(name, arity);
            }
            w.relations.push((name.into(), arity));
        }
        for stratum in 0..4 {
            w.below = w.relations.len();
            let members: Vec<(String, usize)> = (0..1 + w.rng.below(2))
                .map(|n| (format!("p{stratum}{n}"), w.rng.below(4).min(3) as usize))
                .collect();
            w.relations.extend(members.iter().cloned());
            for (name, arity) in &members {
                for _ in 0..1 + w.rng.below(3) {
                    w.rule(name, *arity, None);
                }
                if *arity > 0 && w.chance(30) {
                    w.fact(name, *arity);
                }
            }
            for (name, arity) in members {
                w.uses(&name, arity);
            }
        }
        w.below = w.relations.len();
        for head in ["next", "goal r", "legal r", "next"] {
            w.rule(head, 1, Some(""));
        }
        w.out
    }

    /// Makes a relation visible: whole, or only for arguments that are bound before.
    fn uses(&mut self, name: &str, arity: usize) {
        let variables = &["?x", "?y", "?z"][..arity];
        let args = variables.join(" ");
        let atom = if arity == 0 { name.to_owned() } else { format!("({name} {args})") };
        let result = if arity == 0 { format!("out_{name}") } else { format!("(out_{name} {args})") };
        let guarded = self.chance(70);
        let mut guards = String::new();
        for variable in variables {
            if guarded || self.chance(50) {
                write!(guards, "(pool {variable}) ").unwrap();
            }
        }
        let negated = arity > 0 && guarded && self.chance(30);
        let literal = if negated { format!("(not {atom})") } else { atom };
        writeln!(self.out, "(<= (goal r {result}) {guards} {literal})").unwrap();
    }
}

const BASE: [&str; 7] = ["1", "2", "a", "(f 1)", "(f a)", "(g 1 2)", "(f (f 1))"];

fn game(text: &str) -> GameProgram {
    let (rulesheet, errors) = parse(Arc::new(Source::new("test", text)), Some(Notation::Prefix));
    assert_eq!(errors, [], "{text}");
    let (game, diagnostics) = lower(&rulesheet, Dialect::Gdl);
    game.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"))
}

/// A random part of what can be given.
fn given(game: &GameProgram, rng: &mut Rng) -> Vec<GroundAtom> {
    let terms = &game.program.terms;
    let (truth, does) = (game.vocabulary.truth, game.vocabulary.does);
    let text: String = BASE.iter().map(|t| format!("(t {t})")).collect();
    let pool = self::game(&text);
    let role = terms.constant("r");
    let mut found = Vec::new();
    for clause in pool.program.clauses.iter() {
        let ludex_logic::Pattern::Ground(term) = clause.head.args[0] else { continue };
        let term = copy(&pool.program.terms, term, terms);
        if rng.below(2) == 0 {
            found.push(GroundAtom { relation: truth, args: [term].into() });
        }
        if rng.below(3) == 0 {
            found.push(GroundAtom { relation: does, args: [role, term].into() });
        }
    }
    found
}

fn copy(from: &ludex_logic::Terms, term: TermId, to: &ludex_logic::Terms) -> TermId {
    match from.view(term) {
        ludex_logic::TermView::Constant(s) => to.constant(from.name(s)),
        ludex_logic::TermView::Compound(f, args) => {
            let args: Vec<TermId> = args.iter().map(|&a| copy(from, a, to)).collect();
            to.compound(to.symbol(from.name(f)), &args)
        }
    }
}

fn expected(game: &GameProgram, model: &Model, relation: RelationId) -> Vec<String> {
    let terms = &game.program.terms;
    let row = |r: &[TermId]| r.iter().map(|&t| terms.prefix(t)).collect::<Vec<_>>().join(" ");
    let mut rows: Vec<String> = model.rows(relation).iter().map(|r| row(r)).collect();
    rows.sort();
    rows
}

fn found(
    game: &GameProgram,
    evaluator: &Evaluator,
    session: &mut Session,
    relation: RelationId,
) -> Result<Vec<String>, LimitError> {
    let terms = &game.program.terms;
    let row = |r: &[TermId]| r.iter().map(|&t| terms.prefix(t)).collect::<Vec<_>>().join(" ");
    let mut rows: Vec<String> = evaluator.answers(session, relation)?.iter().map(|r| row(r)).collect();
    rows.sort();
    Ok(rows)
}

struct States {
    given: Vec<GroundAtom>,
    model: Model,
}

fn compare(game: &GameProgram, states: &[States], rng: &mut Rng) -> Result<(), String> {
    let budget = Budget::unlimited().with_work(WORK * 20);
    let preparation = Preparation::new(&game.program, &budget).map_err(|e| e.to_string())?;
    let mut relations: Vec<RelationId> = game.program.interface.asked.clone();
    relations.extend(&game.program.interface.given);
    for threshold in THRESHOLDS {
        let plain = preparation.evaluator(threshold, &budget).map_err(|e| format!("{threshold}: {e}"))?;
        let mut statistics = plain.statistics();
        let mut session = plain.session(&budget);
        for state in states {
            set(&plain, &mut session, game, state)?;
            for &relation in &relations {
                found(game, &plain, &mut session, relation).map_err(|e| format!("{threshold}: {e}"))?;
            }
            plain.sample(&session, &mut statistics);
        }
        let replanned =
            plain.with_statistics(&statistics, &budget).map_err(|e| format!("{threshold}: {e}"))?;
        if threshold.is_infinite() {
            relations = game.program.relations.ids().collect();
        }
        let tidied = replanned.clone().with_scratch(0);
        for (name, evaluator) in [("plain", &plain), ("replanned", &replanned), ("tidied", &tidied)] {
            let mut session = evaluator.session(&budget);
            for (number, state) in states.iter().enumerate() {
                set(evaluator, &mut session, game, state)?;
                // A question that is given up must not spoil the next ones.
                for _ in 0..rng.below(4) {
                    session.set_budget(&Budget::unlimited().with_work(rng.below(300)));
                    if let Some(&relation) = rng.pick(&relations) {
                        drop(found(game, evaluator, &mut session, relation));
                    }
                }
                session.set_budget(&budget);
                let start = rng.below(relations.len() as u64) as usize;
                for &relation in relations[start..].iter().chain(&relations[..start]) {
                    let ours = found(game, evaluator, &mut session, relation)
                        .map_err(|e| format!("{threshold} {name}: {e}"))?;
                    let theirs = expected(game, &state.model, relation);
                    if ours != theirs {
                        let relation = game.program.relation_name(relation);
                        return Err(format!(
                            "{threshold} {name} state {number}: {relation} is {ours:?}, not {theirs:?}\ngiven {:?}",
                            state
                                .given
                                .iter()
                                .map(|a| game.program.terms.prefix(*a.args.last().unwrap()))
                                .collect::<Vec<_>>()
                        ));
                    }
                }
                session.set_budget(&budget);
                let feed = evaluator.feed(game.vocabulary.next, game.vocabulary.truth);
                session.follow(&feed).map_err(|e| e.to_string())?;
                let ours = found(game, evaluator, &mut session, game.vocabulary.truth);
                if ours != Ok(expected(game, &state.model, game.vocabulary.next)) {
                    return Err(format!("{threshold} {name} state {number}: following leads elsewhere"));
                }
            }
        }
        relations = game.program.interface.asked.clone();
    }
    Ok(())
}

fn set(
    evaluator: &Evaluator,
    session: &mut Session,
    game: &GameProgram,
    state: &States,
) -> Result<(), String> {
    let v = &game.vocabulary;
    session.clear(&evaluator.feed(v.legal, v.does));
    session.clear(&evaluator.feed(v.next, v.truth));
    state.given.iter().try_for_each(|a| evaluator.give(session, a)).map_err(|e: EvaluatorError| e.to_string())
}

#[test]
fn random_programs_have_the_oracles_models_under_all_plans() {
    let base = 150;
    let mut decided = 0;
    for seed in seeds(base) {
        let text = Writer::program(seed);
        let mut rng = Rng::from_seed(!seed);
        let mut states = Vec::new();
        let game = game(&text);
        for _ in 0..3 {
            let given = given(&game, &mut rng);
            if let Ok(model) = model(&game.program, &given, WORK) {
                states.push(States { given, model });
            }
        }
        if states.len() < 3 {
            continue;
        }
        match compare(&game, &states, &mut rng) {
            Ok(()) => decided += 1,
            // Preparing a program with terms that grow can take longer than its small model.
            Err(e) if e.contains("steps of inference") => {}
            Err(e) => panic!("seed {seed}: {e}\n{text}"),
        }
    }
    assert!(decided * 2 > rounds(base), "only {decided} decided");
}

#[test]
fn a_runner_without_room_for_its_state_does_not_answer() {
    let path = bundled().into_iter().find(|p| p.ends_with("connect-four.kif")).unwrap();
    let machine = machine_of(&path).unwrap();
    let mut runner = machine.runner(&Budget::unlimited().with_memory(1));
    let is_limit = |e: GameError| matches!(e, GameError::Limit(LimitError::Memory { .. }));
    assert!(is_limit(runner.terminal().unwrap_err()));
    assert!(is_limit(runner.legal(RoleId(0)).unwrap_err()));
    assert!(is_limit(runner.goal(RoleId(0)).unwrap_err()));
    assert!(is_limit(runner.set(machine.initial()).unwrap_err()));
    assert!(machine.runner(&Budget::unlimited()).legal(RoleId(0)).is_ok());
}
