//! A game in real time as rules without lifetimes.
//!
//! The rules stay as they are, but `true` and `expired` are no longer given: they are derived from propositions without
//! lifetimes. In the place of a lifetime there stands a constant with which lifetimes are compared, or else `left(F)`,
//! *what is left of F*, whose value clocks know. The facts of the new game are:
//!
//! ```text
//! for_ever(F)     F holds with the lifetime infinity             true(infinity,F) :- for_ever(F)
//! exactly(C,F)    F holds with the lifetime C of those compared  true(C,F)        :- exactly(C,F)
//! running(F)      F holds with any other lifetime                true(left(F),F)  :- running(F)
//! over(F)         F has just expired                             expired(F)       :- over(F)
//! set(T,F)        only in the next state: F gets the lifetime T, a constant or what is left of a fact
//! same(S,T)       two values of the kind `left(F)` have a lifetime in common
//! ```
//!
//! `same` is there for rules that ask for the same lifetime twice. Such a rule, `true(T,a) & true(T,b)`, becomes
//! `true(T1,a) & true(T2,b) & meet(T1,T2,T)`, where T is then `common(left(a),left(b))`.

use std::sync::Arc;

use ludex_gdl::{Dialect, GameProgram, INFINITY, Vocabulary};
use ludex_logic::{
    Atom, Clause, ClauseId, Feed, Formula, Id, IdVec, Pattern, ProgramBuilder, RelationId, SymbolId, Terms,
    VariableId,
};

use super::flow::{Flow, Use};

/// What the names of the new game are. Users cannot write them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    pub for_ever: SymbolId,
    pub exactly: SymbolId,
    pub running: SymbolId,
    pub over: SymbolId,
    pub set: SymbolId,
    pub same: SymbolId,
    pub left: SymbolId,
    pub common: SymbolId,
}

impl Names {
    pub(super) fn new(terms: &Terms) -> Self {
        let name = |text: &str| terms.symbol(&format!("\u{1}{text}"));
        Self {
            for_ever: name("for_ever"),
            exactly: name("exactly"),
            running: name("running"),
            over: name("over"),
            set: name("set"),
            same: name("same"),
            left: name("left"),
            common: name("common"),
        }
    }
}

/// The relations of the new game that are not in the old one.
struct Relations {
    truth: RelationId,
    next: RelationId,
    init: RelationId,
    /// What the facts of the new game can be.
    possible: RelationId,
    /// The facts that get a lifetime that ends.
    started: RelationId,
    /// The pairs of values that have to be compared.
    pair: RelationId,
    meet: RelationId,
    /// The values there are.
    value: RelationId,
}

struct Lowering<'a> {
    game: &'a GameProgram,
    flow: &'a Flow,
    builder: ProgramBuilder,
    names: Names,
    relations: Relations,
    /// Of a new clause.
    variables: IdVec<VariableId, SymbolId>,
    /// Whether two lifetimes have to be the same in any rule.
    has_meetings: bool,
}

/// The game without lifetimes.
pub(super) fn lower(game: &GameProgram, flow: &Flow) -> GameProgram {
    let mut builder = ProgramBuilder::over(&game.program);
    let terms = Arc::clone(builder.terms());
    let mut relation = |name: &str, arity| builder.relation(terms.symbol(&format!("\u{1}{name}")), arity);
    let relations = Relations {
        truth: relation("true", 1),
        next: relation("next", 1),
        init: relation("init", 1),
        possible: relation("possible", 1),
        started: relation("started", 1),
        pair: relation("pair", 2),
        meet: relation("meet", 3),
        value: relation("value", 1),
    };
    let variables = ["A", "B", "C"].into_iter().map(|name| terms.symbol(name)).collect();
    let names = Names::new(&terms);
    let mut lowering = Lowering { game, flow, builder, names, relations, variables, has_meetings: false };
    for (id, clause) in game.program.clauses.entries() {
        lowering.add(id, clause);
    }
    lowering.derive_given();
    lowering.derive_next();
    lowering.derive_possible();
    if lowering.has_meetings {
        lowering.derive_meetings();
    }
    lowering.finish()
}

impl Lowering<'_> {
    fn term(&self, name: &str) -> Pattern {
        Pattern::Ground(self.builder.terms().constant(name))
    }

    fn rule(&mut self, head: Atom, body: Vec<Formula>) {
        let variables = self.variables.clone();
        self.builder.clause(head, Formula::And(body), variables, None);
    }

    /// A clause of the game, rewritten where two lifetimes have to be the same.
    fn add(&mut self, id: ClauseId, clause: &Clause) {
        let uses = self.flow.uses(clause);
        let clause = if uses.iter().any(Use::joins) { self.apart(clause, &uses) } else { clause.clone() };
        self.builder.clause(clause.head, clause.body, clause.variables, Some(id));
    }

    /// The clause with a variable of its own for each occurrence of a lifetime that has to be the same as others, and
    /// with subgoals that say so.
    fn apart(&mut self, clause: &Clause, uses: &[Use]) -> Clause {
        let Clause { head, body, mut variables, origin } = clause.clone();
        let mut parts = Vec::new();
        flatten(body, &mut parts);
        // By variable its new names, with the parts where they stand.
        let mut occurrences: Vec<Vec<(Pattern, usize)>> = vec![Vec::new(); uses.len()];
        for (number, part) in parts.iter_mut().enumerate() {
            let Formula::Atom(atom) = part else { continue };
            for (argument, pattern) in atom.args.iter_mut().enumerate() {
                if let Pattern::Variable(old) = *pattern
                    && uses[old.index()].joins()
                    && self.flow.is_timed(atom.relation, argument)
                {
                    let name = variables[old];
                    *pattern = Pattern::Variable(variables.push(name));
                    occurrences[old.index()].push((pattern.clone(), number));
                }
            }
        }
        let subgoals = parts.clone();
        for (variable, _) in clause.variables.entries() {
            let mut timed = occurrences[variable.index()].iter();
            let Some((mut met, first)) = timed.next().cloned() else { continue };
            let mut known = vec![subgoals[first].clone()];
            let count = timed.len();
            for (number, (other, part)) in timed.enumerate() {
                let name = variables[variable];
                let both =
                    Pattern::Variable(if number + 1 == count { variable } else { variables.push(name) });
                known.push(subgoals[*part].clone());
                let different = Formula::Distinct(met.clone(), other.clone());
                let open = self.open(&met).chain(self.open(other)).chain([different]);
                let condition = known.iter().cloned().chain(open).collect();
                let pair = atom(self.relations.pair, [&met, other]);
                self.builder.clause(pair, Formula::And(condition), variables.clone(), None);
                let meeting = holds(self.relations.meet, [&met, other, &both]);
                known.push(meeting.clone());
                parts.push(meeting);
                met = both;
            }
        }
        self.has_meetings = true;
        Clause { head, body: Formula::And(parts), variables, origin }
    }

    /// That a value is none of the constants.
    fn open(&self, value: &Pattern) -> impl Iterator<Item = Formula> {
        let constants = self.flow.compared.iter().map(ToString::to_string).chain([INFINITY.to_owned()]);
        constants.map(|constant| Formula::Distinct(value.clone(), self.term(&constant)))
    }

    /// `true` and `expired` from the facts of the new game.
    fn derive_given(&mut self) {
        let [fact] = variables();
        let names = self.names;
        let truth = self.game.vocabulary.truth;
        let mut kinds = vec![
            (self.term(INFINITY), compound(names.for_ever, &[&fact])),
            (compound(names.left, &[&fact]), compound(names.running, &[&fact])),
        ];
        for lifetime in &self.flow.compared {
            let constant = self.term(&lifetime.to_string());
            let exactly = compound(names.exactly, &[&constant, &fact]);
            kinds.push((constant, exactly));
        }
        for (lifetime, given) in kinds {
            let body = vec![holds(self.relations.truth, [&given])];
            self.rule(atom(truth, [&lifetime, &fact]), body);
        }
        if let Some(expired) = self.game.vocabulary.expired {
            let body = vec![holds(self.relations.truth, [&compound(names.over, &[&fact])])];
            self.rule(atom(expired, [&fact]), body);
        }
    }

    /// The next facts of the new game from `next`.
    fn derive_next(&mut self) {
        let [lifetime, fact] = variables();
        let (next, infinity) = (self.game.vocabulary.next, self.term(INFINITY));
        let for_ever = compound(self.names.for_ever, &[&fact]);
        self.rule(atom(self.relations.next, [&for_ever]), vec![holds(next, [&infinity, &fact])]);
        let set = compound(self.names.set, &[&lifetime, &fact]);
        let ends = Formula::Distinct(lifetime.clone(), infinity);
        let body = vec![holds(next, [&lifetime, &fact]), ends];
        self.rule(atom(self.relations.next, [&set]), body);
    }

    /// What can hold at some time.
    fn derive_possible(&mut self) {
        let [lifetime, fact] = variables();
        let names = self.names;
        let infinity = self.term(INFINITY);
        let Relations { possible, started, .. } = self.relations;
        let for_ever = compound(names.for_ever, &[&fact]);
        for source in [self.game.vocabulary.next, self.game.vocabulary.init] {
            self.rule(atom(possible, [&for_ever]), vec![holds(source, [&infinity, &fact])]);
            let ends = Formula::Distinct(lifetime.clone(), infinity.clone());
            self.rule(atom(started, [&fact]), vec![holds(source, [&lifetime, &fact]), ends]);
        }
        let mut later = vec![compound(names.running, &[&fact]), compound(names.over, &[&fact])];
        for lifetime in &self.flow.compared {
            later.push(compound(names.exactly, &[&self.term(&lifetime.to_string()), &fact]));
        }
        for later in later {
            self.rule(atom(possible, [&later]), vec![holds(started, [&fact])]);
        }
    }

    /// When two values have a lifetime in common: where they are the same value, or clocks say so.
    fn derive_meetings(&mut self) {
        let [one, other] = variables();
        let names = self.names;
        let Relations { truth, possible, pair, meet, value, .. } = self.relations;
        let same = compound(names.same, &[&one, &other]);
        let common = compound(names.common, &[&one, &other]);
        self.rule(atom(value, [&one]), vec![holds(self.game.vocabulary.truth, [&one, &other])]);
        self.rule(atom(value, [&common]), vec![holds(truth, [&same])]);
        self.rule(atom(meet, [&one, &one, &one]), vec![holds(value, [&one])]);
        self.rule(atom(meet, [&one, &other, &common]), vec![holds(truth, [&same])]);
        self.rule(atom(possible, [&same]), vec![holds(pair, [&one, &other])]);
    }

    fn finish(mut self) -> GameProgram {
        let old = self.game.vocabulary;
        let Relations { truth, next, init, possible, .. } = self.relations;
        let feed = |from, to, is_bound| Feed { from, to, is_bound };
        let interface = self.builder.interface();
        interface.given = vec![truth, old.does];
        interface.asked = vec![old.role, old.input, next, old.legal, old.goal, old.terminal, old.sees];
        interface.feeds = vec![
            feed(possible, truth, false),
            feed(old.legal, old.does, false),
            feed(old.input, old.does, true),
        ];
        let vocabulary = Vocabulary { truth, next, init, expired: None, ..old };
        let dialect = if self.game.dialect.has_percepts() { Dialect::GdlII } else { Dialect::Gdl };
        GameProgram { program: self.builder.finish(), vocabulary, dialect, ..self.game.clone() }
    }
}

fn variables<const N: usize>() -> [Pattern; N] {
    std::array::from_fn(|number| Pattern::Variable(VariableId::from_index(number)))
}

fn compound(functor: SymbolId, args: &[&Pattern]) -> Pattern {
    Pattern::Compound(functor, args.iter().map(|&arg| arg.clone()).collect())
}

fn atom<const N: usize>(relation: RelationId, args: [&Pattern; N]) -> Atom {
    Atom { relation, args: args.into_iter().cloned().collect() }
}

fn holds<const N: usize>(relation: RelationId, args: [&Pattern; N]) -> Formula {
    Formula::Atom(atom(relation, args))
}

/// The parts of a conjunction, and of those that are parts of it.
fn flatten(formula: Formula, parts: &mut Vec<Formula>) {
    match formula {
        Formula::And(inner) => inner.into_iter().for_each(|part| flatten(part, parts)),
        other => parts.push(other),
    }
}
