//! What moves do: the rules for what holds next.
//!
//! An effect that itself is a move of some operation stands for the effects of that operation. So the moves that are *made* are
//! those of the roles, and the effects of moves that are made; which they are is the least fixpoint of the rules for `made`.
//! A fact is deleted where an effect says so, and holds next where an effect adds it, or where it holds and is not deleted.

use rustc_hash::{FxHashMap, FxHashSet};

use super::conversion::{Conversion, VersionRules, shape};
use super::reading::Goal;
use crate::check::registry::{MOVE_WITHOUT_OPERATION, OPERATION, UNBOUND_EFFECT, UNDEFINED, UNREACHABLE};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;
use crate::tree::{NameId, NodeId, NodeKind, Tree};

/// The facts that a state can have, by name and number of arguments.
#[derive(Default)]
pub(super) struct Shapes {
    /// In the order in which they are met.
    known: Vec<(NameId, usize)>,
    /// Where each of them is met first.
    places: Vec<Span>,
    first_place: Option<Span>,
    /// A fact may be anything: a variable stands for it.
    anything: bool,
    /// Those that some effect deletes.
    deleted: Vec<(NameId, usize)>,
    deletes_anything: bool,
    /// The moves of legal rules, and what effects add.
    moves: Vec<NodeId>,
    /// `None` stands for a variable.
    move_shapes: FxHashSet<Option<(NameId, usize)>>,
    added_shapes: FxHashSet<Option<(NameId, usize)>>,
    /// The heads of operations, each pattern once.
    heads: FxHashMap<(NameId, usize), Vec<NodeId>>,
    /// How often a move or an effect was compared with a head.
    compared: usize,
}

/// So often moves and effects may be compared with heads.
const MOST_COMPARED: usize = 20_000_000;

impl Shapes {
    /// Whether a move is one of an operation whatever its variables are.
    fn always_matches(&mut self, tree: &Tree, action: NodeId) -> bool {
        let heads = shape(tree, action).and_then(|own| self.heads.get(&own)).map_or(&[][..], Vec::as_slice);
        self.compared += heads.len();
        self.compared > MOST_COMPARED
            || heads.iter().any(|&head| differences(tree, action, head).is_some_and(|pairs| pairs.is_empty()))
    }

    /// Whether a state can have such facts.
    pub fn may_hold(&self, tree: &Tree, name: &str, arity: usize) -> bool {
        let name = tree.find_name(name);
        self.anything || name.is_some_and(|name| self.known.contains(&(name, arity)))
    }

    /// Adds a fact of a statement at some place.
    fn add(&mut self, tree: &Tree, fact: NodeId, place: Span) {
        self.first_place.get_or_insert(place);
        match shape(tree, fact) {
            Some(shape) if !self.known.contains(&shape) => {
                self.known.push(shape);
                self.places.push(place);
            }
            Some(_) => {}
            None => self.anything = true,
        }
    }
}

/// Whether a move is one of an operation.
enum Match {
    Never,
    Always,
    /// Unless all of these hold.
    Unless(Vec<NodeId>),
}

impl Conversion<'_> {
    /// Finds which facts there can be.
    pub fn find_shapes(&mut self, versions: &[VersionRules]) {
        let sheet = self.sheet;
        let tree = &sheet.tree;
        let mut shapes = Shapes::default();
        let mut known = FxHashSet::default();
        for operation in &sheet.operations {
            if let Some(own) = shape(tree, operation.head)
                && known.insert(tree.pattern(&[operation.head]))
            {
                shapes.heads.entry(own).or_default().push(operation.head);
            }
        }
        for rule in versions.iter().flat_map(|version| &version.rules) {
            let head = sheet.rules[rule.number].head;
            match (tree.head(head), tree.children(head)) {
                (Some(("init", 1)), &[fact]) => shapes.add(tree, fact, sheet.rules[rule.number].span),
                (Some(("legal", 1)), &[action]) => {
                    shapes.moves.push(action);
                    shapes.move_shapes.insert(shape(tree, action));
                }
                _ => {}
            }
        }
        let effects = sheet
            .operations
            .iter()
            .flat_map(|operation| operation.effects.iter().map(|effect| (effect, operation.span)));
        for (effect, place) in effects {
            if !effect.deletes {
                shapes.added_shapes.insert(shape(tree, effect.fact));
                if !shapes.always_matches(tree, effect.fact) {
                    shapes.add(tree, effect.fact, place);
                }
                continue;
            }
            match shape(tree, effect.fact) {
                Some(shape) if !shapes.deleted.contains(&shape) => shapes.deleted.push(shape),
                Some(_) => {}
                None => shapes.deletes_anything = true,
            }
        }
        let mut known = FxHashSet::default();
        shapes.moves.retain(|&action| known.insert(tree.pattern(&[action])));
        for &action in &shapes.moves.clone() {
            if !shapes.always_matches(tree, action) {
                shapes.add(tree, action, tree.span(action));
            }
        }
        self.shapes = shapes;
        self.never_true(versions);
    }

    /// Says which facts are asked for that never hold.
    fn never_true(&mut self, versions: &[VersionRules]) {
        let mut asked = Vec::new();
        let goals = versions.iter().flat_map(|version| &version.rules).flat_map(|rule| &rule.body);
        goals.chain(self.effects.iter().flatten().flatten()).for_each(|goal| facts(goal, &mut asked));
        let tree = &self.sheet.tree;
        let mut known = FxHashSet::default();
        let mut found = Vec::new();
        for node in asked {
            let Some((name, arity)) = shape(tree, node) else { continue };
            let text = tree.name(name);
            if !self.shapes.may_hold(tree, text, arity) && known.insert((name, arity)) {
                let message = format!(
                    "`{text}` has no rule, and neither `init` nor an operation makes it true, so it never holds"
                );
                found.push(UNDEFINED.at(tree.span(node), message));
            }
        }
        self.diagnostics.extend(found);
    }

    /// Writes the rules of an operation.
    pub fn operation(&mut self, number: usize) {
        let operation = &self.sheet.operations[number];
        let tree = &self.sheet.tree;
        let head = operation.head;
        let own = shape(tree, head);
        let is_move = self.shapes.move_shapes.contains(&own)
            || self.shapes.move_shapes.contains(&None)
            || !self.sheet.is_defined("legal");
        let is_made = self.shapes.added_shapes.contains(&own) || self.shapes.added_shapes.contains(&None);
        if !is_move && !is_made {
            let message = "no legal move and no effect is this one, so it does nothing";
            self.diagnostics.push(UNREACHABLE.at(tree.span(head), message));
            return;
        }
        let conditions = std::mem::take(&mut self.effects[number]);
        for (effect, goals) in operation.effects.iter().zip(&conditions) {
            if is_move {
                let does = self.does(head, goals, &[effect.fact], operation.span);
                self.effect(does, goals, effect.fact, effect.deletes, operation.span);
            }
            if is_made {
                let made = self.made(head);
                self.effect(made, goals, effect.fact, effect.deletes, operation.span);
            }
        }
        self.effects[number] = conditions;
    }

    /// `does(R,MOVE)`, of the role that has to be in control.
    fn does(&mut self, action: NodeId, goals: &[Goal], beside: &[NodeId], span: Span) -> NodeId {
        let role = match self.role_in_control(goals) {
            Some(role) => role,
            None => {
                let mut nodes = vec![action];
                nodes.extend(beside);
                goals.iter().for_each(|goal| terms(goal, &mut nodes));
                self.writer.variable_beside("R", &nodes, span)
            }
        };
        let place = self.sheet.tree.span(action);
        self.writer.sentence("does", &[role, action], place)
    }

    fn made(&mut self, action: NodeId) -> NodeId {
        let name = self.names.made.clone();
        let place = self.writer.tree.span(action);
        self.writer.sentence(&name, &[action], place)
    }

    /// Writes the rules for an effect of a move.
    fn effect(&mut self, cause: NodeId, goals: &[Goal], fact: NodeId, deletes: bool, span: Span) {
        let Some(body) = self.writer.goals(goals, vec![cause]) else { return };
        let place = self.writer.tree.span(fact);
        let mut given = FxHashSet::default();
        body.iter().for_each(|&node| self.writer.given(node, &mut given));
        let unbound = self.writer.tree.variables(&[fact]).find(|name| !given.contains(name));
        if let Some(unbound) = unbound {
            self.unbound(unbound, deletes, place);
            return;
        }
        if deletes {
            let name = self.names.deleted.clone();
            let head = self.writer.sentence(&name, &[fact], place);
            self.writer.rule(head, body, span);
            return;
        }
        let matches = self.matches(fact);
        if !matches!(matches, Match::Never) {
            let head = self.made(fact);
            self.writer.rule(head, body.clone(), span);
        }
        let unless = match matches {
            Match::Never => Vec::new(),
            Match::Always => return,
            Match::Unless(unless) => unless,
        };
        let head = self.writer.sentence("next", &[fact], place);
        self.writer.rule(head, body.into_iter().chain(unless).collect(), span);
    }

    fn unbound(&mut self, variable: NameId, deletes: bool, place: Span) {
        let name = self.sheet.notation.variable(self.sheet.tree.name(variable));
        let message = format!("neither the move nor a condition gives `{name}` a value");
        self.diagnostics.push(if deletes {
            let hint = "no fact of a state has variables, so that nothing is deleted; add a condition that finds the fact";
            Diagnostic::new(UNBOUND_EFFECT.code, Severity::Warning, place, message).hint(hint)
        } else {
            UNBOUND_EFFECT.at(place, message).hint("add a condition that gives the variable its values")
        });
    }

    /// Whether a move or an effect is one of some operation, and if that depends on its arguments, when it is not.
    fn matches(&mut self, action: NodeId) -> Match {
        let sheet = self.sheet;
        let tree = &sheet.tree;
        let Some(own) = shape(tree, action) else {
            return if sheet.operations.is_empty() { Match::Never } else { Match::Always };
        };
        let heads = self.shapes.heads.get(&own).cloned().unwrap_or_default();
        self.shapes.compared += heads.len();
        if self.shapes.compared > MOST_COMPARED {
            let message = "there are too many operations to find out which effects are moves";
            let hint = "write operations with variables in place of many constants";
            let found = OPERATION.at(tree.span(action), message).hint(hint);
            if self.shapes.compared < 2 * MOST_COMPARED {
                self.diagnostics.push(found);
                self.shapes.compared = 2 * MOST_COMPARED;
            }
            return Match::Never;
        }
        let mut unless = Vec::new();
        let mut is_some = false;
        for head in heads {
            match differences(tree, action, head) {
                // They differ whatever the variables are.
                None => {}
                Some(pairs) if pairs.is_empty() => return Match::Always,
                Some(pairs) => {
                    is_some = true;
                    let span = tree.span(action);
                    let parts: Vec<NodeId> = pairs
                        .iter()
                        .map(|&(one, other)| self.writer.sentence("distinct", &[one, other], span))
                        .collect();
                    unless.push(match parts[..] {
                        [part] => part,
                        _ => self.writer.sentence("or", &parts, span),
                    });
                }
            }
        }
        if is_some { Match::Unless(unless) } else { Match::Never }
    }

    /// A move of which no operation says what it does becomes a fact.
    pub fn unmatched_moves(&mut self) {
        for action in self.shapes.moves.clone() {
            let tree = &self.sheet.tree;
            if shape(tree, action).is_none() {
                continue;
            }
            let span = tree.span(action);
            let mut body = vec![self.does(action, &[], &[], span)];
            match self.matches(action) {
                Match::Always => continue,
                Match::Never => {}
                Match::Unless(unless) => body.extend(unless),
            }
            let message =
                "no operation says what this move does: it becomes a fact of the state, as any effect does";
            let hint = "write an operation for it";
            self.diagnostics.push(MOVE_WITHOUT_OPERATION.at(span, message).hint(hint));
            let head = self.writer.sentence("next", &[action], span);
            self.writer.rule(head, body, span);
        }
    }

    /// What holds and is not deleted goes on.
    pub fn frames(&mut self) {
        let shapes = std::mem::take(&mut self.shapes);
        let frame = |conversion: &mut Self, fact: NodeId, is_deleted: bool, span: Span| {
            let mut body = vec![conversion.writer.holds(fact, span)];
            if is_deleted {
                let name = conversion.names.deleted.clone();
                let deleted = conversion.writer.sentence(&name, &[fact], span);
                body.push(conversion.writer.not(deleted, span));
            }
            let head = conversion.writer.sentence("next", &[fact], span);
            conversion.writer.rule(head, body, span);
        };
        if shapes.anything {
            let span = shapes.first_place.unwrap_or_default();
            let fact = self.writer.variable_beside("F", &[], span);
            frame(self, fact, shapes.deletes_anything || !shapes.deleted.is_empty(), span);
            return;
        }
        for (&(name, arity), &span) in shapes.known.iter().zip(&shapes.places) {
            let args: Vec<NodeId> = (1..=arity)
                .map(|number| self.writer.variable_beside(&format!("X{number}"), &[], span))
                .collect();
            let name = self.writer.tree.name(name).to_owned();
            let fact = self.writer.sentence(&name, &args, span);
            let shape = shape(&self.writer.tree, fact);
            let is_deleted =
                shapes.deletes_anything || shape.is_some_and(|shape| shapes.deleted.contains(&shape));
            frame(self, fact, is_deleted, span);
        }
    }
}

/// The pairs of terms that have to be the same for a move to be one of an operation; `None` where it cannot be.
fn differences(tree: &Tree, action: NodeId, head: NodeId) -> Option<Vec<(NodeId, NodeId)>> {
    let mut values: Vec<(NameId, NodeId)> = Vec::new();
    let mut pairs = Vec::new();
    let mut open = vec![(action, head)];
    while let Some((one, other)) = open.pop() {
        if let NodeKind::Variable(name) = tree.node(other).kind {
            match values.iter().find(|(known, _)| *known == name) {
                None => values.push((name, one)),
                Some(&(_, value)) => compare(tree, one, value, &mut pairs)?,
            }
            continue;
        }
        let Some(own) = tree.head(one) else {
            // Of terms with variables no more is known than that they may be the same.
            if tree.variables(&[other]).next().is_none() {
                pairs.push((one, other));
            }
            continue;
        };
        if Some(own) != tree.head(other) {
            return None;
        }
        open.extend(tree.children(one).iter().copied().zip(tree.children(other).iter().copied()));
    }
    Some(pairs)
}

/// Adds what has to be the same for two terms of a move to be.
fn compare(tree: &Tree, one: NodeId, other: NodeId, pairs: &mut Vec<(NodeId, NodeId)>) -> Option<()> {
    let mut open = vec![(one, other)];
    while let Some((one, other)) = open.pop() {
        let is_variable = |node| matches!(tree.node(node).kind, NodeKind::Variable(_));
        if is_variable(one) || is_variable(other) {
            if tree.node(one).kind != tree.node(other).kind {
                pairs.push((one, other));
            }
            continue;
        }
        if tree.head(one) != tree.head(other) {
            return None;
        }
        open.extend(tree.children(one).iter().copied().zip(tree.children(other).iter().copied()));
    }
    Some(())
}

/// The facts of the state that a goal asks for.
fn facts(goal: &Goal, found: &mut Vec<NodeId>) {
    match goal {
        Goal::State(node) => found.push(*node),
        Goal::Not(inner, _) | Goal::None { goal: inner, .. } | Goal::Count { goal: inner, .. } => {
            facts(inner, found)
        }
        Goal::And(goals) | Goal::Or(goals) => goals.iter().for_each(|goal| facts(goal, found)),
        Goal::Relation(..) | Goal::Distinct(_) | Goal::BuiltIn(..) | Goal::Always | Goal::Never => {}
    }
}

/// The nodes of a goal that may have variables.
fn terms(goal: &Goal, found: &mut Vec<NodeId>) {
    match goal {
        Goal::State(node) | Goal::Relation(node, _) | Goal::Distinct(node) | Goal::BuiltIn(_, node) => {
            found.push(*node)
        }
        Goal::Count { node, .. } => found.push(*node),
        Goal::Not(inner, _) | Goal::None { goal: inner, .. } => terms(inner, found),
        Goal::And(goals) | Goal::Or(goals) => goals.iter().for_each(|goal| terms(goal, found)),
        Goal::Always | Goal::Never => {}
    }
}
