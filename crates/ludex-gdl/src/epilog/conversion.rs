//! Statement by statement: what a sheet in Epilog says, as rules of GDL.

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::Names;
use super::operations::Shapes;
use super::reading::{Goal, Moment, ReadRule, Reading};
use super::sheet::{Sheet, name_of};
use super::writer::Writer;
use crate::check::registry::{IDLE_ROLE, UNUSED};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::{NameId, NodeId, NodeKind, Tree};

/// A sheet on its way.
pub(super) struct Conversion<'a> {
    pub sheet: &'a Sheet,
    pub writer: Writer<'a>,
    pub names: &'a Names,
    pub versions: Vec<VersionRules>,
    /// By operation and effect: the conditions.
    pub effects: Vec<Vec<Vec<Goal>>>,
    /// The facts that a state can have.
    pub shapes: Shapes,
    pub diagnostics: Vec<Diagnostic>,
}

/// The rules of a version of a relation.
pub(super) struct VersionRules {
    pub name: NameId,
    pub arity: usize,
    pub rules: Vec<ReadRule>,
}

/// Asks for everything that a game consists of, and reads its rules; the conditions of all effects.
pub(super) fn read_all<'a>(sheet: &'a Sheet) -> (Reading<'a>, Vec<Vec<Vec<Goal>>>) {
    let mut reading = Reading::new(sheet);
    let roots: [(&str, &[bool], Moment); 6] = [
        ("role", &[false], Moment::State),
        ("init", &[false], Moment::Start),
        ("control", &[false], Moment::State),
        ("legal", &[false], Moment::State),
        ("goal", &[true, false], Moment::State),
        ("terminal", &[], Moment::State),
    ];
    for (name, bound, moment) in roots {
        if let Some(name) = sheet.tree.find_name(name)
            && !sheet.rules_of(name, bound.len()).is_empty()
        {
            reading.version(name, bound.to_vec(), moment);
        }
    }
    reading.read_versions();
    let mut effects = Vec::with_capacity(sheet.operations.len());
    for operation in &sheet.operations {
        let of_move: FxHashSet<NameId> = sheet.tree.variables(&[operation.head]).collect();
        let conditions = operation
            .effects
            .iter()
            .map(|effect| reading.conditions(&effect.conditions, of_move.clone(), Moment::Move));
        effects.push(conditions.collect());
    }
    reading.read_versions();
    (reading, effects)
}

impl Conversion<'_> {
    /// Writes all rules. Those after the number that is returned are no author's.
    pub fn convert(&mut self) -> usize {
        self.unused();
        let asked = self.asked();
        let mut by_rule: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let versions = std::mem::take(&mut self.versions);
        for (number, version) in
            versions.iter().enumerate().filter(|(number, _)| self.names.first[*number] == *number)
        {
            for rule in &version.rules {
                by_rule.entry(rule.number).or_default().push(number);
            }
        }
        self.find_shapes(&versions);
        let sheet = self.sheet;
        let mut operations = 0;
        for (number, rule) in sheet.rules.iter().enumerate() {
            while sheet.operations.get(operations).is_some_and(|operation| operation.span < rule.span) {
                self.operation(operations);
                operations += 1;
            }
            for &version in by_rule.get(&number).into_iter().flatten() {
                let rules = &versions[version].rules;
                if let Some(read) = rules.iter().find(|read| read.number == number) {
                    self.rule(version, read, asked.contains(&version));
                }
            }
        }
        (operations..sheet.operations.len()).for_each(|operation| self.operation(operation));
        let written = self.writer.items.len();
        self.control(&asked, &versions);
        self.keywords_of_state();
        self.unmatched_moves();
        self.frames();
        written
    }

    /// The versions, by the first that mean the same, for which some rule asks.
    fn asked(&self) -> FxHashSet<usize> {
        let mut found = FxHashSet::default();
        let goals = self.versions.iter().flat_map(|version| &version.rules).flat_map(|rule| &rule.body);
        for goal in goals.chain(self.effects.iter().flatten().flatten()) {
            relations(goal, &mut |version| {
                found.insert(self.names.first[version]);
            });
        }
        found
    }

    /// Says which relations nothing asks for.
    fn unused(&mut self) {
        let mut used: FxHashSet<(NameId, usize)> =
            self.versions.iter().map(|version| (version.name, version.arity)).collect();
        let tree = &self.sheet.tree;
        // What may be true and what may be done is declared for readers, and so is what is named there.
        for (&(name, arity), rules) in &self.sheet.by_head {
            if matches!((tree.name(name), arity), ("base" | "action", 1)) {
                let bodies = rules.iter().flat_map(|&rule| &self.sheet.rules[rule].body);
                bodies.for_each(|condition| condition.atoms(&mut |node| used.extend(shape(tree, node))));
                used.insert((name, arity));
            }
        }
        let mut found = Vec::new();
        for (&(name, arity), rules) in &self.sheet.by_head {
            if let (false, Some(&first)) = (used.contains(&(name, arity)), rules.first()) {
                let message = format!("nothing asks for `{}`, so it is left out", tree.name(name));
                found.push(UNUSED.at(tree.span(self.sheet.rules[first].head), message));
            }
        }
        found.sort_by_key(|finding: &Diagnostic| finding.span);
        self.diagnostics.extend(found);
    }

    /// Writes a rule in a version of its relation.
    fn rule(&mut self, version: usize, read: &ReadRule, is_asked: bool) {
        let rule = &self.sheet.rules[read.number];
        let name = self.names.version(version).to_owned();
        let (word, arity) = self.sheet.tree.head(rule.head).unwrap_or_default();
        match (word, arity) {
            ("legal", 1) if !is_asked => self.legal(rule.head, &read.body, rule.span),
            ("goal", 2) if name == "goal" => {
                let Some(mut body) = self.writer.goals(&read.body, Vec::new()) else { return };
                self.add_role(rule.head, &mut body, rule.span);
                self.writer.rule(rule.head, body, rule.span);
            }
            _ => {
                let asked = self.writer.asked(version, rule.head);
                let Some(body) = self.writer.goals(&read.body, asked.into_iter().collect()) else { return };
                let head = self.writer.named(rule.head, &name);
                self.writer.rule(head, body, rule.span);
            }
        }
    }

    /// A rule for `goal` is asked for each role.
    fn add_role(&mut self, head: NodeId, body: &mut Vec<NodeId>, span: Span) {
        let Some(&role) = self.writer.tree.children(head).first() else { return };
        let NodeKind::Variable(name) = self.writer.tree.node(role).kind else { return };
        let mut given = FxHashSet::default();
        body.iter().for_each(|&node| self.writer.given(node, &mut given));
        if !given.contains(&name) {
            let role = self.writer.sentence("role", &[role], span);
            body.insert(0, role);
        }
    }

    /// A rule for `legal`, which is about the role in control.
    fn legal(&mut self, head: NodeId, goals: &[Goal], span: Span) {
        let Some(body) = self.writer.goals(goals, Vec::new()) else { return };
        let Some(&action) = self.writer.tree.children(head).first() else { return };
        let (role, body) = match self.role_in_control(goals) {
            Some(role) => (role, body),
            None => {
                let mut nodes = body.clone();
                nodes.push(head);
                let role = self.writer.variable_beside("R", &nodes, span);
                let mut all = vec![self.has_control(role, span)];
                all.extend(body);
                (role, all)
            }
        };
        let head = self.writer.sentence("legal", &[role, action], span);
        self.writer.rule(head, body, span);
    }

    /// The role that has to be in control for some goals to hold, where they say so.
    pub fn role_in_control(&self, goals: &[Goal]) -> Option<NodeId> {
        goals.iter().find_map(|goal| match goal {
            Goal::State(node) | Goal::Relation(node, _) => {
                let is_control = self.sheet.tree.head(*node) == Some(("control", 1));
                self.sheet.tree.children(*node).first().copied().filter(|_| is_control)
            }
            _ => None,
        })
    }

    /// The subgoal that says that a role is in control.
    fn has_control(&mut self, role: NodeId, span: Span) -> NodeId {
        let control = self.writer.sentence("control", &[role], span);
        if self.sheet.is_defined("control") { control } else { self.writer.holds(control, span) }
    }

    /// Who is in control has the legal moves, all others wait.
    fn control(&mut self, asked: &FxHashSet<usize>, versions: &[VersionRules]) {
        let span = self.span_of("legal", 1).unwrap_or_default();
        let role = self.writer.variable_beside("R", &[], span);
        let action = self.writer.variable_beside("M", &[], span);
        let is_asked = asked.iter().any(|&number| {
            let version = &versions[number];
            self.sheet.tree.name(version.name) == "legal" && version.arity == 1
        });
        if is_asked {
            let legal = self.names.legal.clone();
            let body = vec![self.has_control(role, span), self.writer.sentence(&legal, &[action], span)];
            let head = self.writer.sentence("legal", &[role, action], span);
            self.writer.rule(head, body, span);
        }
        let control = self.has_control(role, span);
        let body = vec![self.writer.sentence("role", &[role], span), self.writer.not(control, span)];
        let wait = self.names.wait.clone();
        let wait = self.writer.sentence(&wait, &[], span);
        let head = self.writer.sentence("legal", &[role, wait], span);
        self.writer.rule(head, body, span);
        if !self.sheet.is_defined("control") && !self.shapes.may_hold(&self.writer.tree, "control", 1) {
            let message = "nothing gives any role `control`, so nobody ever has a legal move";
            let hint = "write `init(control(R))` for the role that moves first";
            self.diagnostics.push(IDLE_ROLE.at(span, message).hint(hint));
        }
    }

    /// The place of the first rule for a relation.
    fn span_of(&self, name: &str, arity: usize) -> Option<Span> {
        let name = self.sheet.tree.find_name(name)?;
        let first = *self.sheet.rules_of(name, arity).first()?;
        Some(self.sheet.rules[first].span)
    }

    /// What the sheet does not define is looked up in the state, keywords too.
    fn keywords_of_state(&mut self) {
        let span = Span::default();
        for (name, arity) in [("legal", 1), ("goal", 2), ("terminal", 0)] {
            if self.sheet.is_defined(name) || !self.shapes.may_hold(&self.writer.tree, name, arity) {
                continue;
            }
            let role = self.writer.variable_beside("R", &[], span);
            let value = self.writer.variable_beside("X", &[], span);
            let (all, args): (&[NodeId], &[NodeId]) = match arity {
                0 => (&[], &[]),
                1 => (&[role, value], &[value]),
                _ => (&[role, value], &[role, value]),
            };
            let fact = self.writer.sentence(name, args, span);
            let mut body = vec![self.writer.holds(fact, span)];
            if name == "legal" {
                body.insert(0, self.has_control(role, span));
            }
            let head = self.writer.sentence(name, all, span);
            self.writer.rule(head, body, span);
        }
    }
}

/// Calls `visit` for the versions of relations for which a goal asks.
fn relations(goal: &Goal, visit: &mut impl FnMut(usize)) {
    match goal {
        Goal::Relation(_, version) => visit(*version),
        Goal::Not(inner, _) | Goal::None { goal: inner, .. } | Goal::Count { goal: inner, .. } => {
            relations(inner, visit)
        }
        Goal::And(goals) | Goal::Or(goals) => goals.iter().for_each(|goal| relations(goal, visit)),
        Goal::State(_) | Goal::Distinct(_) | Goal::BuiltIn(..) | Goal::Always | Goal::Never => {}
    }
}

/// The name and the number of arguments of a fact or move; `None` for a variable.
pub(super) fn shape(tree: &Tree, node: NodeId) -> Option<(NameId, usize)> {
    Some((name_of(tree, node)?, tree.children(node).len()))
}
