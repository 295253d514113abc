//! What conditions mean in their order.
//!
//! Epilog works off a body from left to right, and what a negation, a `distinct` or arithmetic means depends on which of its
//! variables have a value by then:
//!
//! - `~p(X)` where X has none yet means that there is no X at all with `p(X)`;
//! - `distinct(X,Y)` fails where the two could still become the same;
//! - arithmetic fails where it lacks an argument.
//!
//! So a relation may mean one thing where it is asked with values and another where it is not, and `init` is asked while there
//! is no state yet. A [`Version`] of a relation is one way in which it is asked. Most relations mean the same in all ways, and
//! have one version.

use rustc_hash::{FxHashMap, FxHashSet};

use super::built_in::BuiltIn;
use super::sheet::{Condition, Rule, Sheet, name_of};
use crate::check::registry::{BOUND_TOO_LATE, OPERATION, UNDEFINED};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::{NameId, NodeId};

/// So many ways in which relations are asked are told apart.
const MOST_VERSIONS: usize = 10_000;
/// So many rules may be read, each once for every way in which its relation is asked.
const MOST_READ: usize = 2_000_000;

/// A way in which a relation is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Version {
    pub name: NameId,
    /// Which arguments have values.
    pub bound: Vec<bool>,
    /// When it is asked.
    pub moment: Moment,
}

/// When something is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Moment {
    /// Nothing is true yet.
    Start,
    /// In a state.
    State,
    /// In a state in which moves are made: what is asked then may depend on them.
    Move,
}

/// A condition with its meaning.
pub(super) enum Goal {
    /// A relation of the sheet, in a version by number.
    Relation(NodeId, usize),
    /// A fact of the state.
    State(NodeId),
    Not(Box<Goal>, Span),
    /// There are no values of its other variables for which the goal holds: only of these variables the values are known.
    None {
        goal: Box<Goal>,
        bound: Vec<NameId>,
        span: Span,
    },
    And(Vec<Goal>),
    Or(Vec<Goal>),
    Distinct(NodeId),
    BuiltIn(BuiltIn, NodeId),
    /// As many answers as the last argument says; of these variables the values are known.
    Count {
        node: NodeId,
        goal: Box<Goal>,
        bound: Vec<NameId>,
    },
    Always,
    Never,
}

/// A rule in one version of its relation.
pub(super) struct ReadRule {
    /// Its number in the sheet.
    pub number: usize,
    pub body: Vec<Goal>,
}

/// Everything that is asked, from the keywords on.
pub(super) struct Reading<'a> {
    pub sheet: &'a Sheet,
    pub versions: Vec<(Version, Vec<ReadRule>)>,
    /// The rules of so many are read.
    read: usize,
    numbers: FxHashMap<Version, usize>,
    /// Relations that mean different things in different ways of asking.
    depends_on_order: FxHashSet<(NameId, usize)>,
    /// Relations that depend on the state.
    depends_on_state: FxHashSet<(NameId, usize)>,
    /// Only what depends on what is found out.
    is_survey: bool,
    rules_read: usize,
    is_refused: bool,
    noticed: Noticed,
    pub diagnostics: Vec<Diagnostic>,
}

/// What was met in a rule.
#[derive(Default)]
struct Noticed {
    /// Something whose meaning depends on the order.
    order: bool,
    state: bool,
    asked: Vec<(NameId, usize)>,
    /// Variables of negations that had no value there.
    without_value: Vec<(NameId, Span)>,
}

impl Goal {
    /// Adds the variables that have values where the goal holds.
    pub fn given(&self, sheet: &Sheet, found: &mut FxHashSet<NameId>) {
        match self {
            Self::Relation(node, _) | Self::State(node) | Self::BuiltIn(_, node) => {
                found.extend(sheet.tree.variables(&[*node]));
            }
            Self::Count { node, .. } => {
                let result = sheet.tree.children(*node).last().copied();
                found.extend(sheet.tree.variables(&Vec::from_iter(result)));
            }
            Self::And(goals) => goals.iter().for_each(|goal| goal.given(sheet, found)),
            Self::Or(goals) => {
                let mut all: Option<FxHashSet<NameId>> = None;
                for goal in goals {
                    let mut own = FxHashSet::default();
                    goal.given(sheet, &mut own);
                    all = Some(all.map_or(own.clone(), |all| all.intersection(&own).copied().collect()));
                }
                found.extend(all.into_iter().flatten());
            }
            Self::Not(..) | Self::None { .. } | Self::Distinct(_) | Self::Always | Self::Never => {}
        }
    }
}

impl<'a> Reading<'a> {
    pub fn new(sheet: &'a Sheet) -> Self {
        let mut reading = Self {
            sheet,
            versions: Vec::new(),
            read: 0,
            numbers: FxHashMap::default(),
            depends_on_order: FxHashSet::default(),
            depends_on_state: FxHashSet::default(),
            is_survey: true,
            rules_read: 0,
            is_refused: false,
            noticed: Noticed::default(),
            diagnostics: Vec::new(),
        };
        reading.survey();
        reading.is_survey = false;
        reading.diagnostics.clear();
        reading
    }

    /// Finds the relations whose meaning depends on how they are asked, and those that depend on the state.
    fn survey(&mut self) {
        let mut asked_by: FxHashMap<(NameId, usize), Vec<(NameId, usize)>> = FxHashMap::default();
        let (mut order, mut state) = (Vec::new(), Vec::new());
        for rule in &self.sheet.rules {
            let Some(relation) = self.relation(rule.head) else { continue };
            self.noticed = Noticed::default();
            let values = self.body(rule, FxHashSet::default(), Moment::State).1;
            // What the head leaves open has to have a value before.
            self.noticed.order |= self.variables(&[rule.head]).iter().any(|name| !values.contains(name));
            if self.noticed.order {
                order.push(relation);
            }
            if self.noticed.state {
                state.push(relation);
            }
            for asked in std::mem::take(&mut self.noticed.asked) {
                asked_by.entry(asked).or_default().push(relation);
            }
        }
        self.depends_on_order = closure(order, &asked_by);
        self.depends_on_state = closure(state, &asked_by);
    }

    fn relation(&self, node: NodeId) -> Option<(NameId, usize)> {
        Some((name_of(&self.sheet.tree, node)?, self.sheet.tree.children(node).len()))
    }

    /// The number of a version, whose rules are read if it is new.
    pub fn version(&mut self, name: NameId, mut bound: Vec<bool>, moment: Moment) -> usize {
        let relation = (name, bound.len());
        if !self.depends_on_order.contains(&relation) {
            bound.fill(false);
        }
        let is_plain = match moment {
            Moment::Start => !self.depends_on_state.contains(&relation),
            Moment::Move => !self.depends_on_order.contains(&relation),
            Moment::State => true,
        };
        let version = Version { name, bound, moment: if is_plain { Moment::State } else { moment } };
        if let Some(&number) = self.numbers.get(&version) {
            return number;
        }
        let number = self.versions.len();
        if number == MOST_VERSIONS || self.rules_read > MOST_READ {
            if !std::mem::replace(&mut self.is_refused, true) {
                let message =
                    "relations are asked in too many ways, with a value or without for each argument";
                let hint = "ask for them with values for the same arguments everywhere";
                self.diagnostics.push(OPERATION.at(Span::default(), message).hint(hint));
            }
            // What is read so far is not used.
            return 0;
        }
        self.numbers.insert(version.clone(), number);
        self.versions.push((version, Vec::new()));
        number
    }

    /// Reads the rules of all versions that are asked, of those too that turn up on the way.
    pub fn read_versions(&mut self) {
        let sheet = self.sheet;
        while self.read < self.versions.len() {
            let next = self.read;
            let version = self.versions[next].0.clone();
            if self.is_refused {
                break;
            }
            let mut rules = Vec::new();
            for &number in sheet.rules_of(version.name, version.bound.len()) {
                let rule = &sheet.rules[number];
                self.rules_read += 1 + rule.body.len();
                let mut bound = FxHashSet::default();
                for (&argument, _) in
                    sheet.tree.children(rule.head).iter().zip(&version.bound).filter(|(_, has)| **has)
                {
                    bound.extend(sheet.tree.variables(&[argument]));
                }
                rules.push(ReadRule { number, body: self.body(rule, bound, version.moment).0 });
            }
            self.versions[next].1 = rules;
            self.read += 1;
        }
        self.diagnostics.sort_by(|one, other| {
            (one.span, one.code, &one.message).cmp(&(other.span, other.code, &other.message))
        });
        self.diagnostics.dedup_by(|one, other| (one.span, one.code) == (other.span, other.code));
    }

    /// The goals of a rule, and the variables that have values behind them.
    fn body(
        &mut self,
        rule: &Rule,
        bound: FxHashSet<NameId>,
        moment: Moment,
    ) -> (Vec<Goal>, FxHashSet<NameId>) {
        self.in_order(&rule.body, bound, moment)
    }

    /// Conditions in their order, where some variables have values.
    pub fn conditions(
        &mut self,
        conditions: &[Condition],
        bound: FxHashSet<NameId>,
        moment: Moment,
    ) -> Vec<Goal> {
        self.in_order(conditions, bound, moment).0
    }

    fn in_order(
        &mut self,
        conditions: &[Condition],
        mut bound: FxHashSet<NameId>,
        moment: Moment,
    ) -> (Vec<Goal>, FxHashSet<NameId>) {
        self.noticed.without_value.clear();
        let goals = conditions.iter().map(|condition| self.goal(condition, &mut bound, moment)).collect();
        for (name, span) in std::mem::take(&mut self.noticed.without_value) {
            if bound.contains(&name) {
                let name = self.sheet.notation.variable(self.sheet.tree.name(name));
                let message = format!(
                    "`{name}` has no value yet here: this says that nothing at all is so, whatever `{name}` is"
                );
                let hint = "conditions are worked off in their order: write it behind what gives the variable its values";
                self.diagnostics.push(BOUND_TOO_LATE.at(span, message).hint(hint));
            }
        }
        (goals, bound)
    }

    fn variables(&self, nodes: &[NodeId]) -> Vec<NameId> {
        self.sheet.tree.variables(nodes).collect()
    }

    fn goal(&mut self, condition: &Condition, bound: &mut FxHashSet<NameId>, moment: Moment) -> Goal {
        match condition {
            Condition::Constant(holds) => {
                if *holds {
                    Goal::Always
                } else {
                    Goal::Never
                }
            }
            Condition::Atom(node) => self.atom(*node, bound, moment),
            Condition::And(parts) => {
                Goal::And(parts.iter().map(|part| self.goal(part, bound, moment)).collect())
            }
            Condition::Or(parts) => self.alternatives(parts, bound, moment),
            Condition::Not(inner, span) => self.negation(inner, *span, bound, moment),
            Condition::Distinct(node) => self.distinct(*node, bound),
            Condition::BuiltIn(built_in, node) => self.built_in(*built_in, *node, bound),
            Condition::Count { node, goal } => self.count(*node, goal, bound, moment),
        }
    }

    fn atom(&mut self, node: NodeId, bound: &mut FxHashSet<NameId>, moment: Moment) -> Goal {
        let sheet = self.sheet;
        let Some((name, arity)) = self.relation(node) else { return Goal::Never };
        let has_value =
            |&argument: &NodeId| sheet.tree.variables(&[argument]).all(|name| bound.contains(&name));
        let given: Vec<bool> = sheet.tree.children(node).iter().map(has_value).collect();
        bound.extend(self.variables(&[node]));
        if !sheet.defined.contains(&name) {
            self.noticed.state = true;
            return if moment == Moment::Start { Goal::Never } else { Goal::State(node) };
        }
        if sheet.rules_of(name, arity).is_empty() {
            let text = sheet.tree.name(name);
            let message =
                format!("`{text}` with {} has no fact and no rule, so it never holds", arguments(arity));
            let hint =
                format!("since the sheet defines another `{text}`, this one is not looked up in the state");
            self.diagnostics.push(UNDEFINED.at(sheet.tree.span(node), message).hint(hint));
            return Goal::Never;
        }
        if self.is_survey {
            self.noticed.asked.push((name, arity));
            return Goal::Always;
        }
        Goal::Relation(node, self.version(name, given, moment))
    }

    /// What has a value behind alternatives has one behind each of them.
    fn alternatives(&mut self, parts: &[Condition], bound: &mut FxHashSet<NameId>, moment: Moment) -> Goal {
        let mut after: Option<FxHashSet<NameId>> = None;
        let mut goals = Vec::with_capacity(parts.len());
        for part in parts {
            let mut own = bound.clone();
            goals.push(self.goal(part, &mut own, moment));
            after = Some(match after {
                None => own,
                Some(mut all) => {
                    all.retain(|name| own.contains(name));
                    all
                }
            });
        }
        *bound = after.unwrap_or_default();
        Goal::Or(goals)
    }

    fn negation(&mut self, inner: &Condition, span: Span, bound: &FxHashSet<NameId>, moment: Moment) -> Goal {
        let goal = self.goal(inner, &mut bound.clone(), moment);
        match goal {
            Goal::Never => return Goal::Always,
            Goal::Always if !self.is_survey => return Goal::Never,
            _ => {}
        }
        let (known, unknown) = self.known(inner, bound);
        if unknown.is_empty() {
            return Goal::Not(Box::new(goal), span);
        }
        self.noticed.order = true;
        self.noticed.without_value.extend(unknown.into_iter().map(|name| (name, span)));
        Goal::None { goal: Box::new(goal), bound: known, span }
    }

    /// The variables of a condition that have values, and the others, in the order in which they occur.
    fn known(&self, condition: &Condition, bound: &FxHashSet<NameId>) -> (Vec<NameId>, Vec<NameId>) {
        let mut nodes = Vec::new();
        terms(condition, &mut nodes);
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for name in nodes.iter().flat_map(|&node| self.variables(&[node])) {
            let list = if bound.contains(&name) { &mut known } else { &mut unknown };
            if !list.contains(&name) {
                list.push(name);
            }
        }
        (known, unknown)
    }

    fn distinct(&mut self, node: NodeId, bound: &FxHashSet<NameId>) -> Goal {
        let tree = &self.sheet.tree;
        if tree.variables(&[node]).all(|name| bound.contains(&name)) {
            return Goal::Distinct(node);
        }
        self.noticed.order = true;
        let &[left, right] = tree.children(node) else { return Goal::Never };
        if self.differ(left, right) {
            return Goal::Always;
        }
        let message =
            "a variable has no value yet here, so that the two terms could still become the same: this fails";
        let hint =
            "conditions are worked off in their order: write it behind what gives the variables their values";
        self.diagnostics.push(BOUND_TOO_LATE.at(tree.span(node), message).hint(hint));
        Goal::Never
    }

    /// Whether two terms differ whatever their variables are.
    fn differ(&self, left: NodeId, right: NodeId) -> bool {
        let tree = &self.sheet.tree;
        let mut open = vec![(left, right)];
        while let Some((left, right)) = open.pop() {
            let (Some(one), Some(other)) = (tree.head(left), tree.head(right)) else { continue };
            if one != other {
                return true;
            }
            open.extend(tree.children(left).iter().copied().zip(tree.children(right).iter().copied()));
        }
        false
    }

    fn built_in(&mut self, built_in: BuiltIn, node: NodeId, bound: &mut FxHashSet<NameId>) -> Goal {
        let tree = &self.sheet.tree;
        let arguments = tree.children(node);
        let inputs = if built_in.has_result() { arguments.len().saturating_sub(1) } else { arguments.len() };
        let mut is_given = true;
        for &argument in &arguments[..inputs] {
            is_given &= tree.variables(&[argument]).all(|name| bound.contains(&name));
        }
        bound.extend(self.variables(&[node]));
        if is_given {
            return Goal::BuiltIn(built_in, node);
        }
        self.noticed.order = true;
        let name = self.sheet.tree.head(node).map_or("", |(name, _)| name);
        let message =
            format!("a variable has no value yet here, and `{name}` works nothing out backwards: this fails");
        let hint =
            "conditions are worked off in their order: write it behind what gives the variables their values";
        self.diagnostics.push(BOUND_TOO_LATE.at(self.sheet.tree.span(node), message).hint(hint));
        Goal::Never
    }

    fn count(
        &mut self,
        node: NodeId,
        goal: &Condition,
        bound: &mut FxHashSet<NameId>,
        moment: Moment,
    ) -> Goal {
        let (mut known, unknown) = self.known(goal, bound);
        let mut inner = bound.clone();
        let read = self.goal(goal, &mut inner, moment);
        // What has no value yet counts, and has none behind it.
        self.noticed.order |= !unknown.is_empty();
        let (template, result) = match self.sheet.tree.children(node) {
            &[template, _, result] => (template, result),
            _ => return Goal::Never,
        };
        for name in self.variables(&[template]) {
            if bound.contains(&name) && !known.contains(&name) {
                known.push(name);
            }
        }
        bound.extend(self.variables(&[result]));
        Goal::Count { node, goal: Box::new(read), bound: known }
    }
}

/// What relations that depend on these depend on, too.
fn closure(
    mut open: Vec<(NameId, usize)>,
    asked_by: &FxHashMap<(NameId, usize), Vec<(NameId, usize)>>,
) -> FxHashSet<(NameId, usize)> {
    let mut found = FxHashSet::default();
    while let Some(relation) = open.pop() {
        if found.insert(relation) {
            open.extend(asked_by.get(&relation).into_iter().flatten());
        }
    }
    found
}

/// The atoms and comparisons of a condition.
fn terms(condition: &Condition, nodes: &mut Vec<NodeId>) {
    match condition {
        Condition::Distinct(node) | Condition::Atom(node) | Condition::BuiltIn(_, node) => nodes.push(*node),
        Condition::Count { node, .. } => nodes.push(*node),
        Condition::Not(inner, _) => terms(inner, nodes),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| terms(part, nodes)),
        Condition::Constant(_) => {}
    }
}

fn arguments(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        count => format!("{count} arguments"),
    }
}
