//! Rulesheet to logic program.
//!
//! Clause `i` of the program is item `i` of the rulesheet, and bodies stay nested as they were
//! written: whatever needs another shape is a transform of the program. What a node means depends
//! on where it stands, so the same compound is an atom in a body and a term inside one.
//!
//! One thing is added: in the languages with percepts, a rule for `sees` whose role nothing binds gets the
//! subgoal `role(R)`, last in its body, with a warning (`check/perceiver.rs`).
//!
//! One thing is made alike: in the languages of real time, a constant that is a decimal number is that number,
//! however it is written. `1.0` is the term `1`, so that a time that was worked out meets one that was written.

mod sentences;

use std::sync::Arc;

use ludex_logic::{
    Atom, ClauseId, Feed, Formula, Id, IdVec, Pattern, Program, ProgramBuilder, RelationId, SymbolId, TermId,
    Terms, VariableId,
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::check::{perceiver, registry};
use crate::diagnostic::{Diagnostic, Fix};
use crate::epilog;
use crate::game_program::{Dialect, GameProgram, Vocabulary};
use crate::incomplete;
use crate::print::spell_constant;
use crate::sdl;
use crate::source::Span;
use crate::time::{GameTime, TimeError};
use crate::tree::{Item, NameId, NodeId, NodeKind, Notation, Rulesheet, Tree};

pub(crate) use sentences::{lower_atom, lower_sentences_over};
pub use sentences::{lower_question, lower_sentences};

/// How deep formulas, and terms with variables in them, may be nested. Both are boxed trees, which
/// are walked recursively; ground terms are hash-consed and may have any depth.
pub const MAX_NESTING: usize = 500;

/// What lowering makes of a rulesheet.
///
/// The program always has one clause per item. A clause that could not be read in full is marked
/// as broken and stands for whatever part of it was understood, so that the checks can still look
/// at all the others.
pub(crate) struct Lowered {
    pub(crate) game: GameProgram,
    pub(crate) broken: IdVec<ClauseId, bool>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Lowers a rulesheet to a game program.
///
/// The program is there whenever every clause has a meaning of its own, even if the checks
/// ([`crate::check`]) find that all of them together have none; sentences have one where they leave nothing open that comes up in the game. The diagnostics are those of
/// lowering alone, ordered by place.
pub fn lower(rulesheet: &Rulesheet, dialect: Dialect) -> (Option<GameProgram>, Vec<Diagnostic>) {
    if dialect.is_incomplete() {
        let read = incomplete::read(rulesheet, dialect);
        return (read.game, read.diagnostics);
    }
    if dialect.has_steps() {
        let lowered = sdl::lower(rulesheet, dialect);
        return (lowered.game, lowered.diagnostics);
    }
    if dialect == Dialect::Epilog {
        let lowered = epilog::lower(rulesheet);
        return (lowered.game, lowered.diagnostics);
    }
    let lowered = lower_leniently(rulesheet, dialect);
    let whole = lowered.broken.iter().all(|&broken| !broken);
    (whole.then_some(lowered.game), lowered.diagnostics)
}

pub(crate) fn lower_leniently(rulesheet: &Rulesheet, dialect: Dialect) -> Lowered {
    let (mut lowering, vocabulary) = Lowering::new(rulesheet, dialect);
    let mut broken = IdVec::new();
    let mut spans = IdVec::new();
    for item in &rulesheet.items {
        broken.push(lowering.item(item));
        spans.push(item.span);
    }
    let program = lowering.builder.finish();
    let roles = roles(&program, vocabulary.role);
    let game = GameProgram {
        program,
        vocabulary,
        dialect,
        roles,
        has_opening: false,
        waiting: None,
        source: Arc::clone(&rulesheet.source),
        spans,
    };
    let mut diagnostics = lowering.diagnostics;
    diagnostics.sort_by_key(|d| d.span);
    Lowered { game, broken, diagnostics }
}

pub(crate) fn declare_vocabulary(builder: &mut ProgramBuilder, dialect: Dialect) -> Vocabulary {
    let is_timed = dialect.is_timed();
    // With its lifetime in front, or its step at the end.
    let step = usize::from(dialect.has_steps());
    let fact = if is_timed { 2 } else { 1 };
    let mut declare = |name: &str, arity| {
        let symbol = builder.terms().symbol(name);
        builder.relation(symbol, arity)
    };
    let vocabulary = Vocabulary {
        role: declare("role", 1),
        base: declare("base", 1),
        input: declare("input", 2),
        init: declare("init", fact),
        truth: declare("true", fact + step),
        does: declare("does", 2 + step),
        next: declare("next", fact),
        legal: declare("legal", 2 + step),
        goal: declare("goal", 2 + step),
        terminal: declare("terminal", step),
        sees: declare("sees", 2 + step),
        percept: declare("percept", 2),
        expired: is_timed.then(|| declare("expired", 1)),
    };
    let v = &vocabulary;
    let interface = builder.interface();
    interface.given = [v.truth].into_iter().chain(v.expired).chain([v.does]).collect();
    interface.asked =
        vec![v.role, v.base, v.input, v.init, v.next, v.legal, v.goal, v.terminal, v.sees, v.percept];
    let feed = |from, to, is_bound| Feed { from, to, is_bound };
    interface.feeds = vec![
        feed(v.next, v.truth, false),
        feed(v.init, v.truth, false),
        feed(v.legal, v.does, false),
        feed(v.input, v.does, true),
    ];
    if dialect.has_steps() {
        return with_steps(builder, vocabulary);
    }
    if !is_timed {
        // With lifetimes, `base` has an argument less.
        interface.feeds.insert(2, feed(v.base, v.truth, true));
    }
    vocabulary
}

/// The interface of rules with steps: what holds on a step has rules of its own, and nothing feeds anything.
fn with_steps(builder: &mut ProgramBuilder, vocabulary: Vocabulary) -> Vocabulary {
    let [step, successor] = [("step", 1), ("successor", 2)].map(|(name, arity)| {
        let symbol = builder.terms().symbol(name);
        builder.relation(symbol, arity)
    });
    let v = &vocabulary;
    let interface = builder.interface();
    interface.given = vec![v.does];
    interface.asked = vec![
        v.role, v.base, v.input, v.truth, v.legal, v.goal, v.terminal, v.sees, v.percept, step, successor,
    ];
    interface.feeds.clear();
    vocabulary
}

/// The roles in the order of their facts. Roles that only a rule could derive are an error that the
/// checks report.
fn roles(program: &Program, role: RelationId) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let mut roles = Vec::new();
    for clause in program.clauses.iter() {
        if clause.head.relation == role
            && clause.is_fact()
            && let [Pattern::Ground(term)] = &*clause.head.args
            && seen.insert(*term)
        {
            roles.push(*term);
        }
    }
    roles
}

/// The names of the connectives, where they occur in the tree at all.
struct Connectives {
    and: Option<NameId>,
    or: Option<NameId>,
    not: Option<NameId>,
    distinct: Option<NameId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Connective {
    And,
    Or,
    Not,
    Distinct,
}

impl Connectives {
    fn find(tree: &Tree) -> Self {
        Self {
            and: tree.find_name("and"),
            or: tree.find_name("or"),
            not: tree.find_name("not"),
            distinct: tree.find_name("distinct"),
        }
    }

    fn get(&self, name: NameId) -> Option<Connective> {
        let name = Some(name);
        if name == self.and {
            Some(Connective::And)
        } else if name == self.or {
            Some(Connective::Or)
        } else if name == self.not {
            Some(Connective::Not)
        } else if name == self.distinct {
            Some(Connective::Distinct)
        } else {
            None
        }
    }
}

struct Lowering<'a> {
    tree: &'a Tree,
    notation: Notation,
    connectives: Connectives,
    role: RelationId,
    /// In languages with percepts.
    sees: Option<RelationId>,
    /// In languages of real time.
    has_times: bool,
    builder: ProgramBuilder,
    terms: Arc<Terms>,
    /// By name: interning takes a lock, and most names occur many times.
    symbols: Vec<Option<SymbolId>>,
    constants: Vec<Option<TermId>>,
    /// By name: the clause (counted from 1) that used the variable last, and its id there.
    variable_slots: Vec<(u32, VariableId)>,
    clause: u32,
    variables: Vec<SymbolId>,
    broken_clause: bool,
    diagnostics: Vec<Diagnostic>,
    visits: Vec<Visit>,
    /// The finished subterms of a term with the depth to which they have boxes.
    done: Vec<(Pattern, usize)>,
}

/// A step of the walk over a term, children before parents.
enum Visit {
    Enter(NodeId),
    Leave(NodeId),
}

impl<'a> Lowering<'a> {
    fn new(rulesheet: &'a Rulesheet, dialect: Dialect) -> (Self, Vocabulary) {
        Self::with_terms(rulesheet, dialect, Arc::new(Terms::new()))
    }

    fn with_terms(rulesheet: &'a Rulesheet, dialect: Dialect, terms: Arc<Terms>) -> (Self, Vocabulary) {
        let mut builder = ProgramBuilder::new(Arc::clone(&terms));
        let vocabulary = declare_vocabulary(&mut builder, dialect);
        let names = rulesheet.tree.name_count();
        let lowering = Lowering {
            tree: &rulesheet.tree,
            notation: rulesheet.notation,
            connectives: Connectives::find(&rulesheet.tree),
            role: vocabulary.role,
            sees: dialect.has_percepts().then_some(vocabulary.sees),
            has_times: dialect.is_timed(),
            symbols: vec![None; names],
            constants: vec![None; names],
            variable_slots: vec![(0, VariableId::from_index(0)); names],
            clause: 0,
            variables: Vec::new(),
            broken_clause: false,
            diagnostics: Vec::new(),
            visits: Vec::new(),
            done: Vec::new(),
            builder,
            terms,
        };
        (lowering, vocabulary)
    }
}

impl Lowering<'_> {
    /// Adds the clause of an item; whether it is broken.
    fn item(&mut self, item: &Item) -> bool {
        self.clause += 1;
        self.broken_clause = false;
        let head = self.atom(item.head, true);
        let body = match &item.body {
            None => Formula::TRUE,
            Some(parts) => Formula::And(parts.iter().map(|&p| self.formula(p, 1)).collect()),
        };
        let body = self.with_perceiver(item, &head, body);
        let variables = IdVec::from(std::mem::take(&mut self.variables));
        self.builder.clause(head, body, variables, None);
        self.broken_clause
    }

    /// The body of a rule for `sees` with the subgoal that its role is one, where nothing binds it.
    fn with_perceiver(&mut self, item: &Item, head: &Atom, body: Formula) -> Formula {
        if self.sees != Some(head.relation) || self.broken_clause {
            return body;
        }
        let Some(variable) = perceiver::unbound(head, &body) else { return body };
        let Formula::And(mut parts) = body else { return body };
        let node = self.tree.children(item.head).first().copied().unwrap_or(item.head);
        if let NodeKind::Variable(name) = self.tree.node(node).kind {
            let name = self.notation.variable(self.tree.name(name));
            let subgoal = self.notation.sentence("role", &[name.as_str()]);
            self.diagnostics.push(perceiver::warning(self.tree.span(node), &name, &subgoal));
        }
        parts
            .push(Formula::Atom(Atom { relation: self.role, args: Box::new([Pattern::Variable(variable)]) }));
        Formula::And(parts)
    }

    fn error(&mut self, check: &registry::Check, span: Span, message: String, hint: &str) {
        self.broken_clause = true;
        self.diagnostics.push(check.at(span, message).hint(hint));
    }

    fn formula(&mut self, node: NodeId, depth: usize) -> Formula {
        let span = self.tree.span(node);
        let NodeKind::Compound { name, name_span, .. } = self.tree.node(node).kind else {
            return Formula::Atom(self.atom(node, false));
        };
        let Some(connective) = self.connectives.get(name) else {
            return Formula::Atom(self.atom(node, false));
        };
        if depth > MAX_NESTING {
            let message = format!("this formula is nested more than {MAX_NESTING} deep");
            self.error(&registry::NESTING, span, message, "split it with a helper relation");
            return Formula::TRUE;
        }
        let children = self.tree.children(node);
        match (connective, children) {
            (Connective::And, parts) => {
                Formula::And(parts.iter().map(|&p| self.formula(p, depth + 1)).collect())
            }
            (Connective::Or, parts) => {
                Formula::Or(parts.iter().map(|&p| self.formula(p, depth + 1)).collect())
            }
            (Connective::Not, &[inner]) => Formula::Not(Box::new(self.formula(inner, depth + 1))),
            (Connective::Distinct, &[left, right]) => Formula::Distinct(self.term(left), self.term(right)),
            (Connective::Not, _) => {
                let message = format!("`not` takes one formula, not {}", children.len());
                self.error(
                    &registry::KEYWORD_POSITION,
                    name_span,
                    message,
                    "negate each formula on its own, or join them with `or` or `and` first",
                );
                Formula::TRUE
            }
            (Connective::Distinct, _) => {
                let message = format!("`distinct` takes two terms, not {}", children.len());
                self.error(
                    &registry::KEYWORD_POSITION,
                    name_span,
                    message,
                    "write one `distinct` for each pair of terms",
                );
                Formula::TRUE
            }
        }
    }

    /// The atom that a node stands for in a head or as a literal.
    fn atom(&mut self, node: NodeId, is_head: bool) -> Atom {
        let span = self.tree.span(node);
        let name = match self.tree.node(node).kind {
            NodeKind::Constant(name) => name,
            NodeKind::Compound { name, .. } => name,
            NodeKind::Variable(name) => {
                let name = self.notation.variable(self.tree.name(name));
                let example = self.notation.sentence("true", &[name.as_str()]);
                let message = format!("the variable `{name}` stands where a relation is needed");
                let hint = format!("variables stand for terms; name the relation, as in `{example}`");
                self.error(&registry::NOT_A_SENTENCE, span, message, &hint);
                return self.no_atom();
            }
            // The parser has reported this one.
            NodeKind::Error => {
                self.broken_clause = true;
                return self.no_atom();
            }
        };
        if self.connectives.get(name).is_some() {
            let name = self.tree.name(name);
            let (message, hint) = if is_head {
                (format!("`{name}` cannot be the head of a clause"), "connectives belong in bodies")
            } else {
                (format!("`{name}` needs arguments"), "give it the formulas it joins")
            };
            self.error(&registry::KEYWORD_POSITION, span, message, hint);
            return self.no_atom();
        }
        let children = self.tree.children(node);
        if children.is_empty() && matches!(self.tree.node(node).kind, NodeKind::Compound { .. }) {
            self.empty_brackets(node, name);
        }
        let symbol = self.symbol(name);
        let relation = self.builder.relation(symbol, children.len());
        let args = children.iter().map(|&c| self.term(c)).collect();
        Atom { relation, args }
    }

    fn empty_brackets(&mut self, node: NodeId, name: NameId) {
        let name = self.tree.name(name);
        let message = match self.notation {
            Notation::Prefix => format!("brackets around `{name}` alone"),
            Notation::Infix => format!("empty brackets after `{name}`"),
        };
        let hint = format!("this is read as `{name}`: leave the brackets out");
        let span = self.tree.span(node);
        let fix = Fix::new("leave the brackets out", span, spell_constant(name, self.notation));
        self.diagnostics.push(registry::EMPTY_BRACKETS.at(span, message).hint(hint).fix(fix));
    }

    /// Stands for an atom that could not be read; users cannot write its name.
    fn no_atom(&mut self) -> Atom {
        let symbol = self.terms.symbol("\u{1}unreadable");
        Atom { relation: self.builder.relation(symbol, 0), args: Box::default() }
    }

    fn term(&mut self, node: NodeId) -> Pattern {
        match self.tree.node(node).kind {
            NodeKind::Constant(name) => Pattern::Ground(self.constant(name, node)),
            NodeKind::Variable(name) => Pattern::Variable(self.variable(name)),
            NodeKind::Error => {
                self.broken_clause = true;
                self.unreadable()
            }
            NodeKind::Compound { .. } => self.compound(node),
        }
    }

    /// A functional term, without recursion: ground ones may be a million deep.
    fn compound(&mut self, root: NodeId) -> Pattern {
        // Both are empty between calls, and kept so that not every term allocates.
        let mut visits = std::mem::take(&mut self.visits);
        let mut done = std::mem::take(&mut self.done);
        visits.push(Visit::Enter(root));
        while let Some(visit) = visits.pop() {
            match visit {
                Visit::Enter(node) => match self.tree.node(node).kind {
                    NodeKind::Compound { .. } => {
                        visits.push(Visit::Leave(node));
                        visits.extend(self.tree.children(node).iter().rev().map(|&c| Visit::Enter(c)));
                    }
                    _ => done.push((self.term(node), 0)),
                },
                Visit::Leave(node) => {
                    let first = done.len() - self.tree.children(node).len();
                    let depth = 1 + done[first..].iter().map(|&(_, depth)| depth).max().unwrap_or(0);
                    if depth > MAX_NESTING {
                        let span = self.tree.span(node);
                        let message =
                            format!("this term with variables is nested more than {MAX_NESTING} deep");
                        self.error(
                            &registry::NESTING,
                            span,
                            message,
                            "only terms without variables may be deeper",
                        );
                        visits.clear();
                        done.clear();
                        done.push((self.unreadable(), 0));
                        break;
                    }
                    let term = self.apply(node, &mut done, first, depth);
                    done.push(term);
                }
            }
        }
        // The walk leaves exactly the root.
        let term = done.pop().map_or_else(|| self.unreadable(), |(term, _)| term);
        self.visits = visits;
        self.done = done;
        term
    }

    /// The functor of a node applied to the terms from `first` on, with the depth of its boxes.
    fn apply(
        &mut self,
        node: NodeId,
        done: &mut Vec<(Pattern, usize)>,
        first: usize,
        depth: usize,
    ) -> (Pattern, usize) {
        let NodeKind::Compound { name, .. } = self.tree.node(node).kind else {
            return (self.unreadable(), 0);
        };
        let functor = self.symbol(name);
        if self.tree.children(node).is_empty() {
            self.empty_brackets(node, name);
        }
        let mut ground: SmallVec<[TermId; 8]> = SmallVec::new();
        ground.extend(done[first..].iter().map_while(|(arg, _)| arg.ground()));
        if ground.len() == done.len() - first {
            done.truncate(first);
            return (Pattern::Ground(self.terms.compound(functor, &ground)), 0);
        }
        let args = done.drain(first..).map(|(arg, _)| arg).collect();
        (Pattern::Compound(functor, args), depth)
    }

    fn unreadable(&self) -> Pattern {
        Pattern::Ground(self.terms.constant("\u{1}unreadable"))
    }

    fn symbol(&mut self, name: NameId) -> SymbolId {
        *self.symbols[name.0 as usize].get_or_insert_with(|| self.terms.symbol(self.tree.name(name)))
    }

    fn constant(&mut self, name: NameId, node: NodeId) -> TermId {
        if let Some(known) = self.constants[name.0 as usize] {
            return known;
        }
        let term = match self.number(name, node) {
            Some(number) => self.terms.constant(&number),
            None => {
                let symbol = self.symbol(name);
                self.terms.constant_of(symbol)
            }
        };
        self.constants[name.0 as usize] = Some(term);
        term
    }

    /// In real time, the shortest text of a constant that is a decimal number.
    fn number(&mut self, name: NameId, node: NodeId) -> Option<String> {
        let text = self.tree.name(name);
        if !self.has_times {
            return None;
        }
        match GameTime::parse(text) {
            Ok(time) => Some(time.to_string()),
            // A whole number too large for a time may well be something else.
            Err(error) if text.contains('.') && error != TimeError::NoDecimal => {
                let message = format!("the number `{text}` {error}");
                self.error(
                    &registry::TIME_RANGE,
                    self.tree.span(node),
                    message,
                    "times are exact: they are counted in units of 0.000000001",
                );
                None
            }
            Err(_) => None,
        }
    }

    fn variable(&mut self, name: NameId) -> VariableId {
        let symbol = self.symbol(name);
        let (clause, variable) = &mut self.variable_slots[name.0 as usize];
        if *clause != self.clause {
            (*clause, *variable) = (self.clause, VariableId::from_index(self.variables.len()));
            self.variables.push(symbol);
        }
        *variable
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn rulesheet(build: impl FnOnce(&mut Tree) -> Vec<Item>) -> Rulesheet {
        let mut tree = Tree::new();
        let items = build(&mut tree);
        let source = Arc::new(Source::new("test", ""));
        Rulesheet { source, notation: Notation::Prefix, tree, items, comments: Vec::new() }
    }

    fn compound(tree: &mut Tree, name: &str, args: &[NodeId]) -> NodeId {
        let name = tree.intern(name);
        tree.compound(name, Span::default(), args, Span::default())
    }

    fn constant(tree: &mut Tree, name: &str) -> NodeId {
        let name = tree.intern(name);
        tree.constant(name, Span::default())
    }

    fn fact(head: NodeId) -> Item {
        Item { head, body: None, span: Span::default() }
    }

    #[test]
    fn a_ground_term_a_million_deep_is_lowered() {
        let sheet = rulesheet(|tree| {
            let zero = constant(tree, "0");
            let deep = (0..1_000_000).fold(zero, |t, _| compound(tree, "s", &[t]));
            vec![fact(compound(tree, "init", &[deep]))]
        });
        let (game, diagnostics) = lower(&sheet, Dialect::Gdl);
        assert_eq!(diagnostics, []);
        assert_eq!(game.unwrap().program.clauses.len(), 1);
    }

    #[test]
    fn a_deep_term_with_a_variable_is_an_error() {
        for (depth, errors) in [(MAX_NESTING, 0), (MAX_NESTING + 1, 1), (1_000_000, 1)] {
            let sheet = rulesheet(|tree| {
                let name = tree.intern("x");
                let x = tree.variable(name, Span::default());
                let deep = (0..depth).fold(x, |t, _| compound(tree, "s", &[t]));
                vec![fact(compound(tree, "p", &[deep]))]
            });
            let (game, diagnostics) = lower(&sheet, Dialect::Gdl);
            assert_eq!(diagnostics.len(), errors);
            assert_eq!(game.is_none(), errors > 0);
        }
    }

    #[test]
    fn a_deep_formula_is_an_error() {
        for (depth, errors) in [(MAX_NESTING, 0), (MAX_NESTING + 1, 1), (1_000_000, 1)] {
            let sheet = rulesheet(|tree| {
                let head = constant(tree, "p");
                let q = constant(tree, "q");
                let deep = (0..depth).fold(q, |t, _| compound(tree, "not", &[t]));
                vec![Item { head, body: Some(vec![deep]), span: Span::default() }]
            });
            assert_eq!(lower(&sheet, Dialect::Gdl).1.len(), errors);
        }
    }

    #[test]
    fn bodies_keep_their_shape_and_variables_are_numbered_per_clause() {
        let sheet = rulesheet(|tree| {
            let (x, y) = (tree.intern("x"), tree.intern("y"));
            let [x, y] = [x, y].map(|n| tree.variable(n, Span::default()));
            let a = constant(tree, "a");
            let head = compound(tree, "p", &[x]);
            let q = compound(tree, "q", &[y, x]);
            let r = compound(tree, "r", &[x]);
            let not = compound(tree, "not", &[r]);
            let distinct = compound(tree, "distinct", &[x, a]);
            let or = compound(tree, "or", &[not, distinct]);
            let rule = Item { head, body: Some(vec![q, or]), span: Span::default() };
            let role = fact(compound(tree, "role", &[a]));
            vec![rule, role]
        });
        let game = lower(&sheet, Dialect::Gdl).0.unwrap();
        let clause = &game.program.clauses.as_slice()[0];
        assert_eq!(clause.variables.len(), 2);
        let Formula::And(parts) = &clause.body else { panic!("{:?}", clause.body) };
        assert!(matches!(&parts[0], Formula::Atom(atom) if atom.args.len() == 2));
        assert!(matches!(&parts[1], Formula::Or(or)
            if matches!(&or[..], [Formula::Not(_), Formula::Distinct(..)])));
        assert_eq!(game.roles.len(), 1);
        assert_eq!(game.program.relation_name(game.vocabulary.truth), "true");
    }
}
