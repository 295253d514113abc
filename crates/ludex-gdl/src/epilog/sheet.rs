//! A rulesheet in Epilog, statement by statement.

use rustc_hash::{FxHashMap, FxHashSet};

use super::built_in::BuiltIn;
use crate::check::registry::{KEYWORD_POSITION, NESTING, NOT_A_SENTENCE, OPERATION, UNKNOWN_BUILT_IN};
use crate::convert::free_name;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lower::MAX_NESTING;
use crate::source::Span;
use crate::tree::{Item, NameId, NodeId, NodeKind, Notation, Rulesheet, Tree};

/// So many conditions the effects of all operations may have.
const MOST_LITERALS: usize = 1_000_000;

/// The statements of a rulesheet. Lone `_` have become variables of their own.
pub(super) struct Sheet {
    pub tree: Tree,
    pub notation: Notation,
    pub rules: Vec<Rule>,
    pub operations: Vec<Operation>,
    /// The names of relations with a fact, a rule or an operation: all others are about the state.
    pub defined: FxHashSet<NameId>,
    /// The rules of each relation, by name and number of arguments.
    pub by_head: FxHashMap<(NameId, usize), Vec<usize>>,
}

/// A fact or a rule.
pub(super) struct Rule {
    pub head: NodeId,
    pub body: Vec<Condition>,
    pub span: Span,
}

/// A move, and what it does.
pub(super) struct Operation {
    pub head: NodeId,
    pub effects: Vec<Effect>,
    pub span: Span,
}

/// What becomes of a fact.
pub(super) struct Effect {
    pub conditions: Vec<Condition>,
    pub deletes: bool,
    pub fact: NodeId,
}

/// A formula of a body.
#[derive(Clone)]
pub(super) enum Condition {
    Atom(NodeId),
    Not(Box<Condition>, Span),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    /// `distinct(X,Y)`.
    Distinct(NodeId),
    /// `true` or `false`.
    Constant(bool),
    /// `plus(X,Y,Z)` and the like.
    BuiltIn(BuiltIn, NodeId),
    /// `countofall(X,goal,N)`.
    Count {
        node: NodeId,
        goal: Box<Condition>,
    },
}

impl Condition {
    /// Calls `visit` for each atom and each built-in relation.
    pub fn atoms(&self, visit: &mut impl FnMut(NodeId)) {
        match self {
            Self::Atom(node) | Self::BuiltIn(_, node) => visit(*node),
            Self::Not(inner, _) => inner.atoms(visit),
            Self::Count { goal, .. } => goal.atoms(visit),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.atoms(visit)),
            Self::Distinct(_) | Self::Constant(_) => {}
        }
    }
}

impl Sheet {
    /// Reads all statements; what is wrong with them.
    pub fn read(rulesheet: &Rulesheet) -> (Self, Vec<Diagnostic>) {
        let mut tree = rulesheet.tree.clone();
        let mut items = rulesheet.items.clone();
        name_lone_variables(&mut tree, &mut items);
        let mut defined = FxHashSet::default();
        for item in &items {
            let head = operation_of(&tree, item).map_or(item.head, |(head, _)| head);
            defined.extend(name_of(&tree, head).filter(|_| !is_conjunction(&tree, head)));
        }
        let mut reader = Reader {
            tree: &tree,
            defined: &defined,
            diagnostics: Vec::new(),
            rules: Vec::new(),
            operations: Vec::new(),
            literals: 0,
            is_too_long: false,
        };
        items.iter().for_each(|item| reader.item(item));
        let Reader { diagnostics, rules, operations, .. } = reader;
        let mut by_head: FxHashMap<(NameId, usize), Vec<usize>> = FxHashMap::default();
        for (number, rule) in rules.iter().enumerate() {
            if let Some(name) = name_of(&tree, rule.head) {
                by_head.entry((name, tree.children(rule.head).len())).or_default().push(number);
            }
        }
        let sheet = Self { notation: rulesheet.notation, rules, operations, defined, by_head, tree };
        (sheet, diagnostics)
    }

    /// The rules for a relation.
    pub fn rules_of(&self, name: NameId, arity: usize) -> &[usize] {
        self.by_head.get(&(name, arity)).map_or(&[], Vec::as_slice)
    }

    /// Whether a relation has facts, rules or an operation in the sheet, with however many arguments; else it is about the
    /// state.
    pub fn is_defined(&self, name: &str) -> bool {
        self.tree.find_name(name).is_some_and(|name| self.defined.contains(&name))
    }
}

/// The head and the effects of an operation.
pub(super) fn operation_of(tree: &Tree, item: &Item) -> Option<(NodeId, NodeId)> {
    match tree.children(item.head) {
        &[head, effects] if item.body.is_none() && tree.head(item.head) == Some(("::", 2)) => {
            Some((head, effects))
        }
        _ => None,
    }
}

/// The name of a constant or compound.
pub(super) fn name_of(tree: &Tree, node: NodeId) -> Option<NameId> {
    match tree.node(node).kind {
        NodeKind::Constant(name) | NodeKind::Compound { name, .. } => Some(name),
        NodeKind::Variable(_) | NodeKind::Error => None,
    }
}

fn is_conjunction(tree: &Tree, node: NodeId) -> bool {
    matches!(tree.head(node), Some(("and" | "or" | "not", 1..)))
}

/// Gives each lone `_` a name of its own, which no other variable of the sheet has.
fn name_lone_variables(tree: &mut Tree, items: &mut [Item]) {
    let Some(lone) = tree.find_name("_") else { return };
    let mut names: Vec<NameId> = Vec::new();
    for item in items {
        let mut used = 0;
        for node in std::iter::once(&mut item.head).chain(item.body.iter_mut().flatten()) {
            *node = tree.mapped(*node, &mut |tree, name, span| {
                if name != lone {
                    return None;
                }
                if used == names.len() {
                    let name = free_name(tree, &format!("Any{}", used + 1));
                    names.push(tree.intern(&name));
                }
                used += 1;
                Some(tree.variable(names[used - 1], span))
            });
        }
    }
}

/// Reads statements.
struct Reader<'a> {
    tree: &'a Tree,
    defined: &'a FxHashSet<NameId>,
    diagnostics: Vec<Diagnostic>,
    rules: Vec<Rule>,
    operations: Vec<Operation>,
    /// So many conditions do all effects have.
    literals: usize,
    is_too_long: bool,
}

impl Reader<'_> {
    fn item(&mut self, item: &Item) {
        if let Some((head, effects)) = operation_of(self.tree, item) {
            self.operation(item, head, effects);
            return;
        }
        if item.body.is_none() && is_conjunction(self.tree, item.head) {
            let message = "this formula is no fact, rule or operation: it says nothing";
            let hint = "an `&` too many, or one too few before it, cuts a rule in two";
            self.diagnostics
                .push(Diagnostic::new(OPERATION.code, Severity::Warning, item.span, message).hint(hint));
            return;
        }
        if !self.is_atom(item.head) {
            return;
        }
        let mut body = Vec::new();
        for &node in item.body.iter().flatten() {
            body.push(self.condition(node, 1));
        }
        self.rules.push(Rule { head: item.head, body, span: item.span });
    }

    fn operation(&mut self, item: &Item, head: NodeId, effects: NodeId) {
        if !self.is_atom(head) {
            return;
        }
        let mut found = Vec::new();
        self.effects(effects, &[], &mut found, 1);
        self.operations.push(Operation { head, effects: found, span: item.span });
    }

    /// Whether a node can be the head of a statement; if not, says so.
    fn is_atom(&mut self, node: NodeId) -> bool {
        let span = self.tree.span(node);
        let message = match self.tree.node(node).kind {
            // The parser has reported this one.
            NodeKind::Error => return false,
            NodeKind::Variable(_) => "a variable stands where a relation or a move is needed".to_owned(),
            _ => match self.tree.head(node) {
                Some((name @ ("and" | "or" | "not" | "distinct" | "==>" | "::" | "true" | "false"), _)) => {
                    format!("`{name}` cannot be the head of a statement")
                }
                _ => return true,
            },
        };
        self.diagnostics.push(NOT_A_SENTENCE.at(span, message).hint("name the relation, or the move"));
        false
    }

    /// The effects of an operation, each with its conditions.
    fn effects(&mut self, node: NodeId, conditions: &[Condition], found: &mut Vec<Effect>, depth: usize) {
        if self.is_too_deep(node, depth) {
            return;
        }
        let conditions_of = |conditions: &[Condition]| conditions.to_vec();
        match (self.tree.head(node), self.tree.children(node)) {
            (Some(("and", 1..)), parts) => {
                parts.iter().for_each(|&part| self.effects(part, conditions, found, depth + 1));
            }
            (Some(("==>", 2)), &[condition, effects]) => {
                let mut all = conditions_of(conditions);
                match self.condition(condition, depth + 1) {
                    Condition::And(parts) => all.extend(parts),
                    one => all.push(one),
                }
                self.effects(effects, &all, found, depth + 1);
            }
            (Some(("not", 1)), &[fact]) => self.effect(fact, true, conditions, found),
            _ => self.effect(node, false, conditions, found),
        }
    }

    fn effect(&mut self, fact: NodeId, deletes: bool, conditions: &[Condition], found: &mut Vec<Effect>) {
        let is_joined = matches!(self.tree.head(fact), Some(("or" | "and" | "not" | "==>" | "::", 1..)));
        match self.tree.node(fact).kind {
            NodeKind::Error => {}
            _ if is_joined => {
                let message =
                    "an effect is a fact that becomes true or, behind `~`, false, and this is neither";
                let hint = "write one effect for each fact, with `&` between them";
                self.diagnostics.push(OPERATION.at(self.tree.span(fact), message).hint(hint));
            }
            _ => {
                self.literals += 1 + conditions.len();
                if self.literals <= MOST_LITERALS {
                    found.push(Effect { conditions: conditions.to_vec(), deletes, fact });
                } else if !std::mem::replace(&mut self.is_too_long, true) {
                    let message = "the effects of all operations with their conditions are too many";
                    let hint = "a relation of its own can stand for conditions that many effects share";
                    self.diagnostics.push(OPERATION.at(self.tree.span(fact), message).hint(hint));
                }
            }
        }
    }

    fn is_too_deep(&mut self, node: NodeId, depth: usize) -> bool {
        if depth > MAX_NESTING {
            let message = format!("this formula is nested more than {MAX_NESTING} deep");
            let hint = "split it with a relation of its own";
            self.diagnostics.push(NESTING.at(self.tree.span(node), message).hint(hint));
        }
        depth > MAX_NESTING
    }

    fn condition(&mut self, node: NodeId, depth: usize) -> Condition {
        if self.is_too_deep(node, depth) {
            return Condition::Constant(false);
        }
        let span = self.tree.span(node);
        let Some((name, arity)) = self.tree.head(node) else {
            if matches!(self.tree.node(node).kind, NodeKind::Variable(_)) {
                let message = "a variable stands where a condition is needed";
                self.diagnostics.push(NOT_A_SENTENCE.at(span, message).hint("name the relation"));
            }
            return Condition::Constant(false);
        };
        match (name, self.tree.children(node)) {
            ("and", parts) => {
                Condition::And(parts.iter().map(|&part| self.condition(part, depth + 1)).collect())
            }
            ("or", parts) => {
                Condition::Or(parts.iter().map(|&part| self.condition(part, depth + 1)).collect())
            }
            ("not", &[inner]) => Condition::Not(Box::new(self.condition(inner, depth + 1)), span),
            ("distinct", [_, _]) => Condition::Distinct(node),
            ("true", []) => Condition::Constant(true),
            ("false", []) => Condition::Constant(false),
            ("not" | "distinct", _) => {
                let takes = if name == "not" { "one formula" } else { "two terms" };
                let message = format!("`{name}` takes {takes}, not {arity}");
                self.diagnostics.push(KEYWORD_POSITION.at(span, message));
                Condition::Constant(false)
            }
            ("==>" | "::" | "=>" | "<=>" | "=", [_, _]) => {
                let message = format!("`{name}` has no meaning in a condition");
                self.diagnostics
                    .push(OPERATION.at(span, message).hint("conditions are joined by `&`, `|` and `~`"));
                Condition::Constant(false)
            }
            _ => self.atom(node, depth),
        }
    }

    /// An atom, whose relation may be built in.
    fn atom(&mut self, node: NodeId, depth: usize) -> Condition {
        let Some((name, arity)) = self.tree.head(node) else { return Condition::Constant(false) };
        let is_defined = name_of(self.tree, node).is_some_and(|name| self.defined.contains(&name));
        if is_defined {
            return Condition::Atom(node);
        }
        if let Some(built_in) = BuiltIn::find(name, arity) {
            return Condition::BuiltIn(built_in, node);
        }
        if let ("countofall", &[_, goal, _]) = (name, self.tree.children(node)) {
            return Condition::Count { node, goal: Box::new(self.condition(goal, depth + 1)) };
        }
        if BuiltIn::is_unsupported(name) {
            let message = format!("`{name}` is built into Epilog, and cannot be run here");
            let hint = "say the same with facts and rules";
            self.diagnostics.push(UNKNOWN_BUILT_IN.at(self.tree.span(node), message).hint(hint));
            return Condition::Constant(false);
        }
        Condition::Atom(node)
    }
}
