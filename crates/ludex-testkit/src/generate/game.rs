//! The game around the relations.

use ludex_game::Rng;

use super::Knobs;
use super::body::{Body, Symbol};
use super::sorts::{Sort, SortId, Sorts, apply};
use crate::rules::{Expression, Rules};

const ROLE: SortId = 0;

/// A named thing with typed arguments: an action or a fluent.
#[derive(Clone, Debug)]
struct Shape {
    name: String,
    sorts: Vec<SortId>,
}

/// Builds one game.
pub(super) struct Builder {
    rng: Rng,
    knobs: Knobs,
    sorts: Sorts,
    roles: Vec<String>,
    /// What bodies of the stage being built may ask; `true(...)` comes in with the second stage.
    askable: Vec<Symbol>,
    fluents: Vec<Shape>,
    actions: Vec<Shape>,
    clauses: Vec<String>,
    level: usize,
}

impl Builder {
    pub(super) fn new(seed: u64, knobs: Knobs) -> Self {
        Self {
            rng: Rng::from_seed(seed),
            knobs,
            sorts: Sorts::default(),
            roles: Vec::new(),
            askable: Vec::new(),
            fluents: Vec::new(),
            actions: Vec::new(),
            clauses: Vec::new(),
            level: 0,
        }
    }

    pub(super) fn build(mut self) -> Rules {
        self.make_roles();
        self.make_sorts();
        self.make_counter();
        self.make_facts();
        self.derive("r", None);
        self.make_shapes();
        let fluents = self.fluents.iter();
        let truths: Vec<Symbol> = fluents
            .map(|f| Symbol { name: f.name.clone(), sorts: f.sorts.clone(), wrapper: Some("true"), level: 0 })
            .collect();
        self.askable.extend(truths);
        self.derive("v", None);
        self.make_legal();
        self.make_ends();
        let state_level = self.askable.len();
        let does = self.does_symbols();
        self.askable.extend(does.iter().cloned());
        self.derive("w", Some(&does));
        self.make_next(&does);
        self.make_sees(&does);
        self.askable.truncate(state_level);
        if self.knobs.bases {
            self.make_bases();
        }
        Rules(self.clauses.iter().map(|c| Expression::of(c)).collect())
    }

    fn up_to(&mut self, most: u32) -> u32 {
        1 + self.rng.below(u64::from(most.max(1))) as u32
    }

    fn fact(&mut self, atom: String) {
        self.clauses.push(atom);
    }

    fn rule(&mut self, head: &str, literals: &[String]) {
        self.clauses.push(format!("(<= {head} {})", literals.join(" ")));
    }

    fn make_roles(&mut self) {
        let players = self.up_to(2);
        self.roles = (0..players).map(|i| format!("player{i}")).collect();
        if self.knobs.sees && self.knobs.random {
            self.roles.push("random".into());
        }
        for role in self.roles.clone() {
            self.fact(format!("(role {role})"));
        }
        let values = self.roles.clone();
        self.sorts.0.push(Sort::Constants { predicate: "role".into(), values });
    }

    fn make_sorts(&mut self) {
        for number in 0..self.up_to(2) {
            let predicate = format!("sort{number}");
            let values: Vec<String> = (0..1 + self.up_to(3)).map(|i| format!("c{number}_{i}")).collect();
            for value in &values {
                self.clauses.push(format!("({predicate} {value})"));
            }
            self.sorts.0.push(Sort::Constants { predicate, values });
        }
        if self.knobs.functions {
            for number in 0..self.up_to(2) {
                let fields = (0..self.up_to(2)).map(|_| self.value_sort()).collect();
                self.sorts.0.push(Sort::Compound { functor: format!("pair{number}"), fields });
            }
        }
        let guards: Vec<Symbol> = self
            .sorts
            .0
            .iter()
            .enumerate()
            .filter_map(|(id, sort)| match sort {
                Sort::Constants { predicate, .. } => {
                    Some(Symbol { name: predicate.clone(), sorts: vec![id], wrapper: None, level: 0 })
                }
                Sort::Compound { .. } => None,
            })
            .collect();
        self.askable.extend(guards);
    }

    /// Any sort but the roles.
    fn value_sort(&mut self) -> SortId {
        1 + self.rng.below(self.sorts.0.len() as u64 - 1) as usize
    }

    fn any_sorts(&mut self, most: u32) -> Vec<SortId> {
        let count = self.rng.below(u64::from(most) + 1);
        (0..count).map(|_| if self.rng.below(6) == 0 { ROLE } else { self.value_sort() }).collect()
    }

    fn make_counter(&mut self) {
        for step in 0..self.knobs.steps {
            self.fact(format!("(succ {step} {})", step + 1));
        }
        self.fact("(init (step 0))".into());
        self.rule("(next (step ?n))", &["(true (step ?m))".into(), "(succ ?m ?n)".into()]);
        let end = format!("(true (step {}))", self.knobs.steps);
        self.rule("terminal", &[end]);
    }

    /// Static relations given by facts.
    fn make_facts(&mut self) {
        for number in 0..self.up_to(self.knobs.size) {
            let name = format!("e{number}");
            let mut sorts = self.any_sorts(2);
            sorts.push(self.value_sort());
            for _ in 0..1 + self.rng.below(6) {
                let args: Vec<_> = sorts.iter().map(|&s| self.sorts.value(s, &mut self.rng)).collect();
                let fact = apply(&name, &args);
                if !self.clauses.contains(&fact) {
                    self.fact(fact);
                }
            }
            self.askable.push(Symbol { name, sorts, wrapper: None, level: 0 });
        }
    }

    fn make_shapes(&mut self) {
        for number in 0..1 + self.up_to(self.knobs.size) {
            let sorts = self.any_sorts(2);
            let name = format!("f{number}");
            for _ in 0..self.up_to(6) {
                let args: Vec<_> = sorts.iter().map(|&s| self.sorts.value(s, &mut self.rng)).collect();
                let init = format!("(init {})", apply(&name, &args));
                if !self.clauses.contains(&init) {
                    self.fact(init);
                }
            }
            self.fluents.push(Shape { name, sorts });
        }
        for number in 0..self.up_to(self.knobs.size) {
            let sorts = self.any_sorts(2);
            self.actions.push(Shape { name: format!("m{number}"), sorts });
        }
    }

    /// `(does R (move ...))` of each move as something to ask: the role is the first argument.
    fn does_symbols(&self) -> Vec<Symbol> {
        let symbol = |shape: &Shape| Symbol {
            name: shape.name.clone(),
            sorts: shape.sorts.clone(),
            wrapper: Some("does ?doer"),
            level: 0,
        };
        self.actions.iter().map(symbol).collect()
    }

    /// Derived relations, each on a level of its own or sharing one with the relation before.
    fn derive(&mut self, prefix: &str, must_ask: Option<&[Symbol]>) {
        self.level += 1;
        let mut component: Vec<Symbol> = Vec::new();
        for number in 0..self.up_to(self.knobs.size) {
            if !self.knobs.recursion || self.rng.below(3) > 0 {
                self.askable.append(&mut component);
                self.level += 1;
            }
            let mut sorts = self.any_sorts(2);
            if self.knobs.recursion {
                // What recursion passes on are plain values, so that no term grows.
                sorts.retain(|&s| matches!(self.sorts.0[s], Sort::Constants { .. }));
            }
            component.push(Symbol {
                name: format!("{prefix}{number}"),
                sorts,
                wrapper: None,
                level: self.level,
            });
            let symbol = component[component.len() - 1].clone();
            for _ in 0..self.up_to(2) {
                self.derive_rule(&symbol, &component, must_ask);
            }
        }
        self.askable.append(&mut component);
    }

    fn derive_rule(&mut self, head: &Symbol, component: &[Symbol], must_ask: Option<&[Symbol]>) {
        let askable = self.askable.clone();
        let mut body = Body::new(&self.sorts, self.knobs, &mut self.rng);
        if let Some(symbol) = must_ask.and_then(|m| body.rng.pick(m)) {
            positive(&mut body, symbol);
        }
        for _ in 0..1 + body.rng.below(2) {
            if let Some(symbol) = body.rng.pick(&askable) {
                positive(&mut body, symbol);
            }
        }
        if self.knobs.recursion
            && body.rng.below(2) == 0
            && let Some(symbol) = body.rng.pick(component)
        {
            body.recursive(symbol);
        }
        let lower: Vec<Symbol> =
            askable.iter().filter(|s| s.level < head.level && !is_does(s)).cloned().collect();
        if body.rng.below(2) == 0 {
            body.test(&lower);
        }
        let args: Vec<_> = head.sorts.iter().map(|&s| body.guarded_variable(s)).collect();
        let literals = body.finish();
        self.rule(&head.text(&args), &literals);
    }

    fn make_legal(&mut self) {
        if self.rng.below(2) == 0 {
            self.rule("(legal ?r noop)", &["(role ?r)".into()]);
        } else {
            for role in self.roles.clone() {
                self.fact(format!("(legal {role} noop)"));
            }
        }
        for action in self.actions.clone() {
            for _ in 0..self.up_to(2) {
                let askable = self.askable.clone();
                let mut body = Body::new(&self.sorts, self.knobs, &mut self.rng);
                if let Some(symbol) = body.rng.pick(&askable) {
                    positive(&mut body, symbol);
                }
                let args: Vec<_> = action.sorts.iter().map(|&s| body.guarded_variable(s)).collect();
                let role =
                    if body.rng.below(2) == 0 { body.guarded_variable(ROLE) } else { body.bound_term(ROLE) };
                body.test(&askable);
                let literals = body.finish();
                self.rule(&format!("(legal {role} {})", apply(&action.name, &args)), &literals);
            }
        }
    }

    fn make_ends(&mut self) {
        let askable = self.askable.clone();
        if self.rng.below(3) == 0 {
            let mut body = Body::new(&self.sorts, self.knobs, &mut self.rng);
            body.add("(true (step 3))".into());
            body.test(&askable);
            let literals = body.finish();
            self.rule("terminal", &literals);
        }
        for role in self.roles.clone() {
            if role == "random" {
                continue;
            }
            if !self.knobs.negation {
                self.fact(format!("(goal {role} 50)"));
                continue;
            }
            let win = format!("win_{role}");
            let mut body = Body::new(&self.sorts, self.knobs, &mut self.rng);
            if let Some(symbol) = body.rng.pick(&askable) {
                positive(&mut body, symbol);
            }
            body.test(&askable);
            let literals = body.finish();
            self.rule(&win, &literals);
            self.rule(&format!("(goal {role} 100)"), std::slice::from_ref(&win));
            self.rule(&format!("(goal {role} 0)"), &[format!("(not {win})")]);
        }
    }

    fn make_next(&mut self, does: &[Symbol]) {
        let askable = self.askable.clone();
        let (tests, fluents) = (without_does(&askable), self.fluents.clone());
        for fluent in &fluents {
            let mut body = Body::new(&self.sorts, self.knobs, &mut self.rng);
            if let Some(symbol) = body.rng.pick(does) {
                positive(&mut body, symbol);
            }
            if body.rng.below(2) == 0 {
                body.test(&tests);
            }
            let args: Vec<_> = fluent.sorts.iter().map(|&s| body.guarded_variable(s)).collect();
            let literals = body.finish();
            self.rule(&format!("(next {})", apply(&fluent.name, &args)), &literals);
            let mut body = Body::new(&self.sorts, self.knobs, &mut self.rng);
            let args: Vec<_> = fluent.sorts.iter().map(|&s| body.binding_term(s)).collect();
            let atom = apply(&fluent.name, &args);
            body.add(format!("(true {atom})"));
            if body.rng.below(3) > 0 {
                body.test(&tests);
            }
            let literals = body.finish();
            self.rule(&format!("(next {atom})"), &literals);
        }
        if self.rng.below(4) == 0
            && let Some(fluent) = self.rng.pick(&fluents).cloned()
        {
            // What holds after every move.
            let args: Vec<_> = fluent.sorts.iter().map(|&s| self.sorts.value(s, &mut self.rng)).collect();
            self.fact(format!("(next {})", apply(&fluent.name, &args)));
        }
        if self.rng.below(3) == 0 {
            // A fluent as a whole in one variable.
            for _ in 0..3 {
                if let Some(fluent) = self.rng.pick(&fluents).cloned() {
                    let args: Vec<_> =
                        fluent.sorts.iter().map(|&s| self.sorts.value(s, &mut self.rng)).collect();
                    self.fact(format!("(kept {})", apply(&fluent.name, &args)));
                }
            }
            self.rule("(next ?f)", &["(true ?f)".into(), "(kept ?f)".into()]);
        }
    }

    fn make_sees(&mut self, does: &[Symbol]) {
        if !self.knobs.sees {
            return;
        }
        let tests = without_does(&self.askable.clone());
        for role in self.roles.clone() {
            if role == "random" {
                continue;
            }
            for number in 0..self.up_to(2) {
                let sorts = self.any_sorts(2);
                let mut body = Body::new(&self.sorts, self.knobs, &mut self.rng);
                if let Some(symbol) = body.rng.pick(does) {
                    positive(&mut body, symbol);
                }
                body.test(&tests);
                let args: Vec<_> = sorts.iter().map(|&s| body.guarded_variable(s)).collect();
                let literals = body.finish();
                self.rule(&format!("(sees {role} {})", apply(&format!("p{number}"), &args)), &literals);
            }
        }
    }

    fn make_bases(&mut self) {
        for step in 0..=self.knobs.steps {
            self.fact(format!("(base (step {step}))"));
        }
        for fluent in self.fluents.clone() {
            self.typed_rule("base", None, &fluent);
        }
        self.rule("(input ?r noop)", &["(role ?r)".into()]);
        for action in self.actions.clone() {
            self.typed_rule("input", Some("?r"), &action);
        }
    }

    fn typed_rule(&mut self, keyword: &str, role: Option<&str>, shape: &Shape) {
        let mut literals: Vec<String> = role.map(|r| format!("(role {r})")).into_iter().collect();
        let mut count = 0;
        let args: Vec<_> =
            shape.sorts.iter().map(|&s| typed_term(&self.sorts, s, &mut count, &mut literals)).collect();
        let role = role.map_or(String::new(), |r| format!("{r} "));
        let head = format!("({keyword} {role}{})", apply(&shape.name, &args));
        if literals.is_empty() { self.fact(head) } else { self.rule(&head, &literals) }
    }
}

/// A term that stands for every value of the sort, with the literals that say so.
fn typed_term(sorts: &Sorts, sort: SortId, count: &mut usize, literals: &mut Vec<String>) -> String {
    match &sorts.0[sort] {
        Sort::Compound { functor, fields } => {
            let fields: Vec<_> = fields.iter().map(|&f| typed_term(sorts, f, count, literals)).collect();
            apply(functor, &fields)
        }
        Sort::Constants { predicate, .. } => {
            let variable = format!("?t{count}");
            *count += 1;
            literals.push(format!("({predicate} {variable})"));
            variable
        }
    }
}

fn is_does(symbol: &Symbol) -> bool {
    symbol.wrapper.is_some_and(|w| w.starts_with("does"))
}

fn without_does(symbols: &[Symbol]) -> Vec<Symbol> {
    symbols.iter().filter(|s| !is_does(s)).cloned().collect()
}

/// A positive literal; of `does` for a role of its own.
fn positive(body: &mut Body<'_>, symbol: &Symbol) {
    if !is_does(symbol) {
        body.positive(symbol);
        return;
    }
    let doer = body.binding_term(ROLE);
    let args: Vec<_> = symbol.sorts.iter().map(|&s| body.binding_term(s)).collect();
    body.add(format!("(does {doer} {})", apply(&symbol.name, &args)));
}
