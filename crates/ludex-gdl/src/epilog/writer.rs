//! Rules of GDL, written into a tree whose places are those of the sheet.

use rustc_hash::{FxHashMap, FxHashSet};

use super::built_in::BuiltIn;
use super::names::Names;
use super::reading::Goal;
use crate::convert::variable_beside;
use crate::source::Span;
use crate::tree::{Item, NameId, NodeId, Notation, Tree};

/// What is written so far.
pub(super) struct Writer<'a> {
    pub tree: Tree,
    pub notation: Notation,
    pub names: &'a Names,
    pub items: Vec<Item>,
    /// Helper relations by what they say.
    helpers: FxHashMap<String, String>,
    /// The subgoals whose relations are built in.
    pub built_ins: FxHashMap<NodeId, BuiltIn>,
    /// By word: the number that the next name like it may have.
    numbers: FxHashMap<String, u64>,
    /// Where relations are asked that have to know for which values.
    calls: Vec<Call>,
    /// The subgoals that do so.
    guarded: FxHashSet<NodeId>,
    /// Goals that count answers, for which rules are to be written once it is known what can be an answer.
    pub counts: Vec<Count>,
}

/// `countofall(X,goal,N)`.
pub(super) struct Count {
    /// The relation that holds of the known values and the number.
    pub relation: String,
    /// What is counted.
    pub template: NodeId,
    /// What has to hold of it; `None` where it never does.
    pub goal: Option<Vec<NodeId>>,
    /// The variables that have values.
    pub known: Vec<NodeId>,
    /// What gives them their values.
    pub context: Vec<NodeId>,
    pub span: Span,
}

/// A place where a relation is asked for certain values.
struct Call {
    /// The values, as an atom of its guard.
    asked: NodeId,
    /// So many subgoals of the body stand before it.
    position: usize,
    /// What has to hold within the formulas in which it stands.
    within: Vec<NodeId>,
}

impl<'a> Writer<'a> {
    pub fn new(tree: Tree, notation: Notation, names: &'a Names) -> Self {
        Self {
            tree,
            notation,
            names,
            items: Vec::new(),
            helpers: FxHashMap::default(),
            built_ins: FxHashMap::default(),
            numbers: FxHashMap::default(),
            calls: Vec::new(),
            guarded: FxHashSet::default(),
            counts: Vec::new(),
        }
    }

    /// A name applied to terms.
    pub fn sentence(&mut self, name: &str, args: &[NodeId], span: Span) -> NodeId {
        self.tree.sentence(name, args, span)
    }

    /// `true(FACT)`.
    pub fn holds(&mut self, fact: NodeId, span: Span) -> NodeId {
        self.sentence("true", &[fact], span)
    }

    /// `~FORMULA`.
    pub fn not(&mut self, formula: NodeId, span: Span) -> NodeId {
        self.sentence("not", &[formula], span)
    }

    /// A variable that none of these nodes has.
    pub fn variable_beside(&mut self, wanted: &str, nodes: &[NodeId], span: Span) -> NodeId {
        variable_beside(&mut self.tree, wanted, nodes, self.notation, span)
    }

    /// Adds a rule, or where there is no body a fact.
    pub fn rule(&mut self, head: NodeId, body: Vec<NodeId>, span: Span) {
        let body = (!body.is_empty()).then_some(body);
        self.items.push(Item { head, body, span });
    }

    /// A node with another name: the same arguments in the same place.
    pub fn named(&mut self, node: NodeId, name: &str) -> NodeId {
        if self.tree.head(node).is_some_and(|(known, _)| known == name) {
            return node;
        }
        let args = self.tree.children(node).to_vec();
        let span = self.tree.span(node);
        self.sentence(name, &args, span)
    }

    /// The subgoals that say what goals say, behind those that a body has already; `None` where they never hold.
    pub fn goals(&mut self, goals: &[Goal], mut body: Vec<NodeId>) -> Option<Vec<NodeId>> {
        let before = self.calls.len();
        for goal in goals {
            if self.goal(goal, &mut body).is_none() {
                self.calls.truncate(before);
                return None;
            }
        }
        let calls = self.calls.split_off(before);
        let index = if calls.is_empty() { FxHashMap::default() } else { self.givers(&body) };
        for call in calls {
            let mut context = self.context_of(&body, &index, call.position, &call);
            context.extend(call.within);
            let span = self.tree.span(call.asked);
            self.rule(call.asked, context, span);
        }
        Some(body)
    }

    /// The places of the atoms that give each variable its values.
    fn givers(&self, body: &[NodeId]) -> FxHashMap<NameId, Vec<usize>> {
        let mut index: FxHashMap<NameId, Vec<usize>> = FxHashMap::default();
        for (place, &node) in body.iter().enumerate() {
            if !matches!(self.tree.head(node), Some(("not" | "distinct" | "or" | "and", 1..))) {
                self.tree.variables(&[node]).for_each(|name| index.entry(name).or_default().push(place));
            }
        }
        index
    }

    /// Of a body, atoms that give values to the variables of what is asked behind so many of them. Atoms that are asked for
    /// values themselves do so only for what stands behind them.
    fn context_of(
        &self,
        body: &[NodeId],
        givers: &FxHashMap<NameId, Vec<usize>>,
        position: usize,
        call: &Call,
    ) -> Vec<NodeId> {
        let mut places: Vec<usize> = Vec::new();
        for name in self.tree.variables(&[call.asked]) {
            let candidates = givers.get(&name).map_or(&[][..], Vec::as_slice);
            let gives = |&&place: &&usize| place < position || !self.guarded.contains(&body[place]);
            places.extend(candidates.iter().find(gives));
        }
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(|place| body[place]).collect()
    }

    /// A name that nothing has, as near to this one as can be.
    pub fn fresh(&mut self, word: &str) -> String {
        if self.tree.find_name(word).is_none() {
            self.tree.intern(word);
            return word.to_owned();
        }
        let mut number = self.numbers.get(word).copied().unwrap_or(2);
        let name = loop {
            let name = format!("{word}_{number}");
            number += 1;
            if self.tree.find_name(&name).is_none() {
                break name;
            }
        };
        self.numbers.insert(word.to_owned(), number);
        self.tree.intern(&name);
        name
    }

    /// The subgoal that says for which values a version is asked, where its rules need to know.
    pub fn asked(&mut self, version: usize, node: NodeId) -> Option<NodeId> {
        let names = self.names;
        let guard = names.guards.get(names.first.get(version)?)?;
        let arguments = self.tree.children(node).to_vec();
        let values: Vec<NodeId> =
            guard.bound.iter().filter_map(|&place| arguments.get(place).copied()).collect();
        let span = self.tree.span(node);
        Some(self.sentence(&guard.name, &values, span))
    }

    /// Adds the subgoals for one goal; `None` where it never holds.
    fn goal(&mut self, goal: &Goal, body: &mut Vec<NodeId>) -> Option<()> {
        match goal {
            Goal::Always => {}
            Goal::Never => return None,
            Goal::State(node) => {
                let span = self.tree.span(*node);
                body.push(self.holds(*node, span));
            }
            Goal::Relation(node, version) => {
                let name = self.names.version(*version);
                let atom = self.named(*node, name);
                if let Some(asked) = self.asked(*version, *node) {
                    self.guarded.insert(atom);
                    self.calls.push(Call { asked, position: body.len(), within: Vec::new() });
                }
                body.push(atom);
            }
            Goal::Distinct(node) => body.push(*node),
            Goal::BuiltIn(built_in, node) => {
                self.built_ins.insert(*node, *built_in);
                body.push(*node);
            }
            Goal::And(goals) => {
                for goal in goals {
                    self.goal(goal, body)?;
                }
            }
            Goal::Or(goals) => self.alternatives(goals, body)?,
            Goal::Not(inner, span) => {
                if let Some(own) = self.inner(inner, body) {
                    if own.is_empty() {
                        return None;
                    }
                    let formula = self.joined("and", own, *span);
                    body.push(self.not(formula, *span));
                }
            }
            Goal::None { goal, bound, span } => {
                if let Some(own) = self.inner(goal, body) {
                    if own.is_empty() {
                        return None;
                    }
                    let helper = self.helper(own, bound, body, *span);
                    body.push(self.not(helper, *span));
                }
            }
            Goal::Count { node, goal, bound } => self.count(*node, goal, bound, body),
        }
        Some(())
    }

    /// The subgoals of a goal within another one, which come after those of the body: there helper relations find what they need
    /// to know of variables. `None` where it never holds.
    fn inner(&mut self, goal: &Goal, body: &mut Vec<NodeId>) -> Option<Vec<NodeId>> {
        let (calls, before) = (self.calls.len(), body.len());
        let holds = self.goal(goal, body);
        let own = body.split_off(before);
        if holds.is_none() {
            self.calls.truncate(calls);
            return None;
        }
        let mut found = None;
        for number in calls..self.calls.len() {
            let position = self.calls[number].position.saturating_sub(before);
            let index = found.get_or_insert_with(|| self.givers(&own));
            let within = self.context_of(&own, index, position, &self.calls[number]);
            let call = &mut self.calls[number];
            call.within.extend(within);
            call.position = call.position.min(before);
        }
        Some(own)
    }

    fn alternatives(&mut self, goals: &[Goal], body: &mut Vec<NodeId>) -> Option<()> {
        let mut parts = Vec::new();
        for goal in goals {
            let Some(own) = self.inner(goal, body) else { continue };
            if own.is_empty() {
                // One that always holds makes the others needless, but for what values they give.
                return Some(());
            }
            let span = own.first().map_or(Span::default(), |&node| self.tree.span(node));
            parts.push(self.joined("and", own, span));
        }
        if parts.is_empty() {
            return None;
        }
        let span = parts.first().map_or(Span::default(), |&node| self.tree.span(node));
        body.push(self.joined("or", parts, span));
        Some(())
    }

    fn joined(&mut self, connective: &str, parts: Vec<NodeId>, span: Span) -> NodeId {
        match parts[..] {
            [part] => part,
            _ => self.sentence(connective, &parts, span),
        }
    }

    /// A relation that holds of the known variables where the subgoals hold of some values of the others.
    fn helper(&mut self, own: Vec<NodeId>, bound: &[NameId], body: &[NodeId], span: Span) -> NodeId {
        let known = self.variables(bound, span);
        let context = self.context(&own, bound, body);
        let mut nodes = known.clone();
        nodes.extend(context.iter().chain(&own));
        let key = format!("{}:{}", known.len(), self.tree.pattern(&nodes));
        let name = match self.helpers.get(&key) {
            Some(name) => name.clone(),
            None => {
                let word = match own[..] {
                    [node] => self.written(node).map_or("some".to_owned(), |name| format!("some_{name}")),
                    _ => "some".to_owned(),
                };
                let name = self.fresh(&word);
                let head = self.sentence(&name, &known, span);
                self.rule(head, context.into_iter().chain(own).collect(), span);
                self.helpers.insert(key, name.clone());
                name
            }
        };
        self.sentence(&name, &known, span)
    }

    /// The name of the relation or fact that a subgoal is about.
    fn written(&self, node: NodeId) -> Option<String> {
        let (name, _) = self.tree.head(node)?;
        let is_word = |name: &str| name.starts_with(char::is_alphabetic);
        match (name, self.tree.children(node)) {
            ("true", &[fact]) => {
                self.tree.head(fact).map(|(name, _)| name.to_owned()).filter(|name| is_word(name))
            }
            ("and" | "or" | "not" | "distinct", _) => None,
            _ => Some(name.to_owned()).filter(|name| is_word(name)),
        }
    }

    fn variables(&mut self, names: &[NameId], span: Span) -> Vec<NodeId> {
        names.iter().map(|&name| self.tree.variable(name, span)).collect()
    }

    /// What of a body a helper relation needs, so that its own subgoals give all its variables their values.
    fn context(&self, own: &[NodeId], bound: &[NameId], body: &[NodeId]) -> Vec<NodeId> {
        let mut given = FxHashSet::default();
        own.iter().for_each(|&node| self.given(node, &mut given));
        if bound.iter().all(|name| given.contains(name)) { Vec::new() } else { body.to_vec() }
    }

    /// The variables to which a subgoal gives values.
    pub fn given(&self, node: NodeId, found: &mut FxHashSet<NameId>) {
        match (self.tree.head(node), self.tree.children(node)) {
            (Some(("not" | "distinct", _)), _) => {}
            (Some(("and", 1..)), parts) => parts.iter().for_each(|&part| self.given(part, found)),
            (Some(("or", 1..)), parts) => {
                let mut all: Option<FxHashSet<NameId>> = None;
                for &part in parts {
                    let mut own = FxHashSet::default();
                    self.given(part, &mut own);
                    all = Some(match all {
                        None => own,
                        Some(all) => all.intersection(&own).copied().collect(),
                    });
                }
                found.extend(all.into_iter().flatten());
            }
            _ => found.extend(self.tree.variables(&[node])),
        }
    }

    fn count(&mut self, node: NodeId, goal: &Goal, bound: &[NameId], body: &mut Vec<NodeId>) {
        let span = self.tree.span(node);
        let &[template, _, result] = self.tree.children(node) else { return };
        let goal = self.inner(goal, body);
        let known = self.variables(bound, span);
        let relation = self.fresh("count");
        let context = if bound.is_empty() { Vec::new() } else { body.clone() };
        self.counts.push(Count {
            relation: relation.clone(),
            template,
            goal,
            known: known.clone(),
            context,
            span,
        });
        let mut args = known;
        args.push(result);
        body.push(self.sentence(&relation, &args, span));
    }
}
