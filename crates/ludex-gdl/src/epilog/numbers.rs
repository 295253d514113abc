//! Arithmetic as tables: `plus(1,1,2)` and so on, for all numbers that can turn up.
//!
//! Which numbers that are is the least fixpoint of the rules over sets of numbers, a set for each argument of a relation, a
//! fact or a move. It goes on from state to state: a counter that no condition bounds has one number more after each move. A
//! number that ends the game (`terminal :- step(20)`) leads nowhere, and `leq` bounds what it compares, so that most sheets come
//! to an end by themselves. Where one does not, the tables go as far as games of so many moves can come.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::built_in::{BuiltIn, Number};
use super::sheet::name_of;
use super::writer::Writer;
use crate::check::registry::NUMBER_RANGE;
use crate::diagnostic::{Diagnostic, Severity};
use crate::tree::{Item, NameId, NodeId, NodeKind, Tree};

/// So many moves are looked ahead where numbers grow without end.
const MOST_MOVES: usize = 1_000;
/// So often rules may give each other numbers within one state.
const MOST_ROUNDS: usize = 10_000;
/// So many numbers may be looked at.
const MOST_WORK: u64 = 300_000_000;
/// The largest tables, in rows.
const MOST_ROWS: usize = 200_000;

type Numbers = BTreeSet<Number>;
type Values = FxHashMap<NameId, Numbers>;

/// What the arguments belong to that a set of numbers is kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Relation,
    Fact,
    Move,
    Made,
    Deleted,
    LegalMove,
}

/// An argument: of what, its name, the number of arguments, and which of them.
type Column = (Kind, NameId, usize, usize);

/// Writes the tables that the rules need.
pub(super) fn write(writer: &mut Writer<'_>, diagnostics: &mut Vec<Diagnostic>) {
    if writer.built_ins.is_empty() {
        return;
    }
    let first = writer.built_ins.keys().map(|&node| writer.tree.span(node)).min().unwrap_or_default();
    let mut flow = Flow::new(writer);
    let end = flow.run();
    let moves = flow.moves;
    let mut rows = Rows::default();
    if end != End::TooMany {
        flow.rows(&mut rows);
    }
    let is_too_large = flow.is_too_large;
    if end == End::TooMany || is_too_large {
        let message = format!(
            "the numbers that can turn up here are too many: their tables have more than {MOST_ROWS} rows"
        );
        let hint = "bound them by `leq`, or list the sums that are needed as facts";
        diagnostics.push(Diagnostic::new(NUMBER_RANGE.code, Severity::Error, first, message).hint(hint));
        return;
    }
    if end == End::Grows {
        let message = format!(
            "these numbers grow from move to move: they are worked out for games of {moves} moves, and behind that nothing is"
        );
        let hint = "bound them by `leq`, or by a `terminal` that names the last one";
        diagnostics.push(NUMBER_RANGE.at(first, message).hint(hint));
    }
    for ((name, _), row) in rows {
        let args: Vec<NodeId> = row
            .iter()
            .map(|number| {
                let name = writer.tree.intern(&number.to_string());
                writer.tree.constant(name, first)
            })
            .collect();
        let name = writer.tree.name(name).to_owned();
        let head = writer.sentence(&name, &args, first);
        writer.rule(head, Vec::new(), first);
    }
}

type Rows = BTreeSet<((NameId, usize), Vec<Number>)>;

/// How the numbers came to an end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// There are no more.
    Complete,
    /// Each move brings new ones.
    Grows,
    TooMany,
}

/// The numbers on their way.
struct Flow<'a> {
    tree: &'a Tree,
    items: &'a [Item],
    built_ins: &'a FxHashMap<NodeId, BuiltIn>,
    wrappers: [(Option<NameId>, Kind); 3],
    columns: FxHashMap<Column, Numbers>,
    /// Numbers within terms.
    nested: Numbers,
    /// Kinds of which any argument may be any number within terms.
    loose: FxHashSet<Kind>,
    /// A state in which a fact has this number is terminal.
    last: Vec<(Column, Number)>,
    changed: bool,
    is_too_large: bool,
    /// How many numbers were looked at.
    work: u64,
    /// So many moves were looked ahead.
    moves: usize,
}

impl<'a> Flow<'a> {
    fn new(writer: &'a Writer<'_>) -> Self {
        let tree = &writer.tree;
        let names = writer.names;
        let named = |name: &str| tree.find_name(name);
        let mut flow = Self {
            tree,
            items: &writer.items,
            built_ins: &writer.built_ins,
            wrappers: [
                (named(&names.made), Kind::Made),
                (named(&names.deleted), Kind::Deleted),
                (named(&names.legal), Kind::LegalMove),
            ],
            columns: FxHashMap::default(),
            nested: Numbers::new(),
            loose: FxHashSet::default(),
            last: Vec::new(),
            changed: false,
            is_too_large: false,
            work: 0,
            moves: 0,
        };
        flow.last = flow.items.iter().filter_map(|item| flow.last_number(item)).collect();
        flow
    }

    /// The number of `terminal :- step(20)`.
    fn last_number(&self, item: &Item) -> Option<(Column, Number)> {
        let [node] = item.body.as_deref()? else { return None };
        if self.tree.head(item.head) != Some(("terminal", 0)) || self.tree.head(*node) != Some(("true", 1)) {
            return None;
        }
        let (kind, name, arguments) = self.flat(*node)?;
        let (mut found, mut variables) = (None, FxHashSet::default());
        for (place, &argument) in arguments.iter().enumerate() {
            match self.tree.node(argument).kind {
                NodeKind::Variable(variable) if variables.insert(variable) => {}
                NodeKind::Constant(constant) if found.is_none() => {
                    let number = Number::parse(self.tree.name(constant))?;
                    found = Some(((kind, name, arguments.len(), place), number));
                }
                _ => return None,
            }
        }
        found
    }

    /// What an atom is about, with its arguments: a fact, a move, or else its relation.
    fn flat(&self, node: NodeId) -> Option<(Kind, NameId, &'a [NodeId])> {
        let tree = self.tree;
        let (kind, inner) = match (self.kind(node), tree.children(node)) {
            (Kind::Relation, _) => (Kind::Relation, node),
            (kind, &[inner]) | (kind, &[_, inner]) => (kind, inner),
            (_, _) => return None,
        };
        Some((kind, name_of(tree, inner)?, tree.children(inner)))
    }

    fn kind(&self, node: NodeId) -> Kind {
        match self.tree.head(node) {
            Some(("true" | "next" | "init", 1)) => Kind::Fact,
            Some(("does" | "legal", 2)) => Kind::Move,
            Some((_, 1)) => {
                let name = name_of(self.tree, node);
                let wrapper = self.wrappers.iter().find(|(wrapper, _)| wrapper.is_some() && *wrapper == name);
                wrapper.map_or(Kind::Relation, |(_, kind)| *kind)
            }
            _ => Kind::Relation,
        }
    }

    /// Lets numbers flow until there are no new ones.
    fn run(&mut self) -> End {
        let items = self.items;
        let (rules, facts): (Vec<&Item>, Vec<&Item>) = items.iter().partition(|item| item.body.is_some());
        facts.into_iter().for_each(|fact| self.feed(fact.head, &Values::default()));
        let is_update = |item: &&&Item| self.tree.head(item.head) == Some(("next", 1));
        let (updates, rules): (Vec<&Item>, Vec<&Item>) = rules.iter().partition(is_update);
        while self.moves < MOST_MOVES {
            if self.work > MOST_WORK && self.moves > 0 {
                return End::Grows;
            }
            self.moves += 1;
            let mut rounds = 0;
            loop {
                self.changed = false;
                rules.iter().for_each(|rule| self.rule(rule));
                rounds += 1;
                if self.is_too_large || rounds == MOST_ROUNDS || self.work > 2 * MOST_WORK {
                    return End::TooMany;
                }
                if !self.changed {
                    break;
                }
            }
            // What the rules give now is what a state can have after a move more.
            let after: Vec<(NodeId, Values)> =
                updates.iter().filter_map(|rule| Some((rule.head, self.values(rule, None)?))).collect();
            after.iter().for_each(|(head, values)| self.feed(*head, values));
            if self.is_too_large {
                return End::TooMany;
            }
            if !self.changed {
                return End::Complete;
            }
        }
        End::Grows
    }

    /// The rows of all tables.
    fn rows(&mut self, rows: &mut Rows) {
        let items = self.items;
        for item in items.iter().filter(|item| item.body.is_some()) {
            self.values(item, Some(rows));
        }
    }

    fn rule(&mut self, rule: &Item) {
        if let Some(values) = self.values(rule, None) {
            self.feed(rule.head, &values);
            self.pass_on(rule);
        }
    }

    /// The numbers that the variables of a rule can be; `None` where it cannot apply to any, which is not looked into.
    fn values(&mut self, rule: &Item, mut rows: Option<&mut Rows>) -> Option<Values> {
        let after_move = matches!(self.tree.head(rule.head), Some(("next", 1)))
            || matches!(self.kind(rule.head), Kind::Made | Kind::Deleted);
        let mut values = Values::default();
        self.all(rule.body.as_deref()?, &mut values, after_move, &mut rows);
        Some(values)
    }

    /// Narrows the values by subgoals: first by facts and relations, then by what is built in, in its order.
    fn all(&mut self, nodes: &[NodeId], values: &mut Values, after_move: bool, rows: &mut Option<&mut Rows>) {
        let built_ins = self.built_ins;
        let is_built_in =
            |node: &NodeId| built_ins.contains_key(node) || self.tree.head(*node) == Some(("not", 1));
        let (late, early): (Vec<NodeId>, Vec<NodeId>) = nodes.iter().copied().partition(is_built_in);
        for node in early.into_iter().chain(late) {
            self.subgoal(node, values, after_move, rows);
        }
    }

    fn subgoal(&mut self, node: NodeId, values: &mut Values, after_move: bool, rows: &mut Option<&mut Rows>) {
        if let Some(&built_in) = self.built_ins.get(&node) {
            self.built_in(built_in, node, values, rows);
            return;
        }
        let tree = self.tree;
        match (tree.head(node), tree.children(node)) {
            (Some(("and", 1..)), parts) => self.all(parts, values, after_move, rows),
            (Some(("or", 1..)), parts) => {
                let mut after: Option<Values> = None;
                for &part in parts {
                    let mut own = values.clone();
                    self.subgoal(part, &mut own, after_move, rows);
                    after = Some(match after {
                        None => own,
                        Some(all) => either(all, own),
                    });
                }
                *values = after.unwrap_or_default();
            }
            (Some(("not", 1)), &[inner]) => {
                self.subgoal(inner, &mut values.clone(), after_move, rows);
                if self.built_ins.get(&inner) == Some(&BuiltIn::AtMost) {
                    self.compare(inner, values, |one, other| one > other);
                }
            }
            (Some(("distinct", 2)), &[one, other]) => {
                for (variable, constant) in [(one, other), (other, one)] {
                    if let (NodeKind::Variable(name), Some(number)) =
                        (&tree.node(variable).kind, self.number(constant))
                    {
                        values.entry(*name).and_modify(|numbers| {
                            numbers.remove(&number);
                        });
                    }
                }
            }
            _ => self.atom(node, values, after_move),
        }
    }

    fn number(&self, node: NodeId) -> Option<Number> {
        match self.tree.node(node).kind {
            NodeKind::Constant(name) => Number::parse(self.tree.name(name)),
            _ => None,
        }
    }

    fn atom(&mut self, node: NodeId, values: &mut Values, after_move: bool) {
        let Some((kind, name, arguments)) = self.flat(node) else { return };
        for (place, &argument) in arguments.iter().enumerate() {
            let column = (kind, name, arguments.len(), place);
            if let NodeKind::Variable(variable) = self.tree.node(argument).kind {
                let mut numbers = self.columns.get(&column).cloned().unwrap_or_default();
                self.work += 1 + numbers.len() as u64;
                if self.loose.contains(&kind) {
                    numbers.extend(&self.nested);
                }
                if after_move {
                    let last = self.last.iter().filter(|(known, _)| *known == column);
                    last.for_each(|(_, number)| {
                        numbers.remove(number);
                    });
                }
                narrow(values, variable, numbers);
            } else {
                for variable in self.tree.variables(&[argument]) {
                    narrow(values, variable, self.nested.clone());
                }
            }
        }
    }

    /// The numbers that an argument can be.
    fn domain(&self, node: NodeId, values: &Values) -> Numbers {
        match self.tree.node(node).kind {
            NodeKind::Variable(name) => values.get(&name).cloned().unwrap_or_default(),
            _ => self.number(node).into_iter().collect(),
        }
    }

    fn built_in(
        &mut self,
        built_in: BuiltIn,
        node: NodeId,
        values: &mut Values,
        rows: &mut Option<&mut Rows>,
    ) {
        let tree = self.tree;
        let Some(name) = name_of(tree, node) else { return };
        let arguments = tree.children(node);
        let inputs = if built_in.has_result() { &arguments[..arguments.len() - 1] } else { arguments };
        let domains: Vec<Numbers> = inputs.iter().map(|&input| self.domain(input, values)).collect();
        let product = domains.iter().try_fold(1usize, |product, domain| product.checked_mul(domain.len()));
        if product.is_none_or(|product| product > MOST_ROWS) {
            self.is_too_large = true;
            return;
        }
        self.work += product.unwrap_or_default() as u64;
        let mut results = Numbers::new();
        let mut row = Vec::with_capacity(arguments.len());
        each(&domains, &mut row, &mut |row| {
            let result = if built_in.has_result() {
                match built_in.value(row) {
                    Some(value) => Some(value),
                    None => return,
                }
            } else if row.first() <= row.get(1) {
                None
            } else {
                return;
            };
            results.extend(result);
            if let Some(rows) = rows {
                let row = row.iter().copied().chain(result).collect();
                rows.insert(((name, arguments.len()), row));
            }
        });
        self.is_too_large |= rows.as_ref().is_some_and(|rows| rows.len() > MOST_ROWS);
        if !built_in.has_result() {
            self.compare(node, values, |one, other| one <= other);
        } else if let Some(&result) = arguments.last()
            && let NodeKind::Variable(variable) = tree.node(result).kind
        {
            narrow(values, variable, results);
        }
    }

    /// Leaves of two arguments the numbers for which the other one has a number that compares.
    fn compare(&self, node: NodeId, values: &mut Values, holds: impl Fn(Number, Number) -> bool) {
        let &[one, other] = self.tree.children(node) else { return };
        let [ones, others] = [one, other].map(|node| self.domain(node, values));
        let ends = |numbers: &Numbers| [numbers.first().copied(), numbers.last().copied()];
        for (node, is_first, against) in [(one, true, ends(&others)), (other, false, ends(&ones))] {
            if let NodeKind::Variable(name) = self.tree.node(node).kind
                && let Some(numbers) = values.get_mut(&name)
            {
                let fits = |number: &Number, end: Number| {
                    if is_first { holds(*number, end) } else { holds(end, *number) }
                };
                numbers.retain(|number| against.iter().flatten().any(|&end| fits(number, end)));
            }
        }
    }

    /// Adds what a head says.
    fn feed(&mut self, head: NodeId, values: &Values) {
        let tree = self.tree;
        let Some((kind, name, arguments)) = self.flat(head) else { return };
        for (place, &argument) in arguments.iter().enumerate() {
            if let NodeKind::Compound { .. } = tree.node(argument).kind {
                self.feed_nested(argument, values);
                continue;
            }
            let numbers = self.domain(argument, values);
            let column = self.columns.entry((kind, name, arguments.len(), place)).or_default();
            let before = column.len();
            column.extend(numbers);
            self.changed |= column.len() > before;
            self.is_too_large |= column.len() > MOST_ROWS;
        }
    }

    fn feed_nested(&mut self, term: NodeId, values: &Values) {
        let mut open = vec![term];
        let before = self.nested.len();
        while let Some(node) = open.pop() {
            open.extend(self.tree.children(node));
            self.nested.extend(self.domain(node, values));
        }
        self.changed |= self.nested.len() > before;
        self.is_too_large |= self.nested.len() > MOST_ROWS;
    }

    /// Where a fact or a move is a variable, it has whatever numbers it has where that gets its value.
    fn pass_on(&mut self, rule: &Item) {
        let kind = self.kind(rule.head);
        let Some(&inner) = self.tree.children(rule.head).last().filter(|_| kind != Kind::Relation) else {
            return;
        };
        let NodeKind::Variable(variable) = self.tree.node(inner).kind else { return };
        let from = rule.body.iter().flatten().find_map(|&node| {
            let own = self.kind(node);
            let last = *self.tree.children(node).last()?;
            (own != Kind::Relation && self.tree.node(last).kind == NodeKind::Variable(variable))
                .then_some(own)
        });
        match from {
            Some(from) if from == kind => {}
            Some(from) => {
                let found: Vec<(Column, Numbers)> = self
                    .columns
                    .iter()
                    .filter(|(column, _)| column.0 == from)
                    .map(|(column, numbers)| (*column, numbers.clone()))
                    .collect();
                for ((_, name, arity, place), numbers) in found {
                    let column = self.columns.entry((kind, name, arity, place)).or_default();
                    let before = column.len();
                    column.extend(numbers);
                    self.changed |= column.len() > before;
                }
            }
            None => self.changed |= self.loose.insert(kind),
        }
    }
}

/// Leaves the numbers that a variable can be here, too.
fn narrow(values: &mut Values, variable: NameId, numbers: Numbers) {
    match values.get_mut(&variable) {
        Some(known) => known.retain(|number| numbers.contains(number)),
        None => {
            values.insert(variable, numbers);
        }
    }
}

/// The values where one of two alternatives holds; of what one of them says nothing, nothing is known.
fn either(one: Values, mut other: Values) -> Values {
    one.into_iter()
        .filter_map(|(name, mut numbers)| {
            numbers.append(&mut other.remove(&name)?);
            Some((name, numbers))
        })
        .collect()
}

/// Calls `visit` for all rows of one number of each set.
fn each(domains: &[Numbers], row: &mut Vec<Number>, visit: &mut impl FnMut(&[Number])) {
    let Some((first, rest)) = domains.split_first() else {
        visit(row);
        return;
    };
    for &number in first {
        row.push(number);
        each(rest, row, visit);
        row.pop();
    }
}
