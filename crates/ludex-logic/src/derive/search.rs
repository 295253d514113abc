//! Building derivation trees by depth-first search.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::compile::{MAX_NESTING, nesting};
use super::error::DeriveError;
use super::facts::Reason;
use super::instance::{Maker, build, is_variant};
use super::tree::{DerivationTree, NodeKind, Root, RootKind, Step, TreeNode, TreeOptions, VariableName};
use super::unify::{Bindings, Term};
use super::writer::Writer;
use super::{Derivations, Query};
use crate::budget::Meter;
use crate::ids::{Id, IdVec, RelationId, SymbolId, TermId, VariableId};
use crate::program::{Formula, GroundAtom, Pattern};
use crate::terms::Notation;

#[derive(Clone, Copy)]
struct OpenSubgoal<'a> {
    formula: &'a Formula,
    base: usize,
    /// The resolved atom whose clause this subgoal comes from.
    origin: Option<usize>,
}

/// A resolved atom, for the loop check.
struct Ancestor<'a> {
    subgoal: OpenSubgoal<'a>,
    row: Option<Box<[TermId]>>,
    arguments: Vec<Pattern>,
}

/// The steps that may be made at the selected literal.
enum Steps {
    Reasons(Vec<Reason>),
    Alternatives(usize),
    Done,
}

/// A query being expanded.
struct Open<'a> {
    node: usize,
    depth: usize,
    subgoals: Vec<OpenSubgoal<'a>>,
    steps: Steps,
    next: usize,
    mark: usize,
    names_mark: usize,
    ancestors_mark: usize,
}

/// One group of derivations to build: the formula and the answer to be shown, if only one is.
struct Task {
    formula: Formula,
    names: Vec<VariableName>,
    answer: Option<Vec<TermId>>,
    kind: RootKind,
    level: usize,
    asked_by: Vec<usize>,
}

impl<'p> Derivations<'p> {
    /// All derivations of a query with their failures; loops and limits are marked.
    ///
    /// Every answer has a successful derivation in the tree: where the loop check cuts all of them
    /// off, one is added under a root of its own.
    ///
    /// # Errors
    /// As [`Derivations::answers_within`]. Where a limit of the options or of the budget is reached, the tree has
    /// what was built by then.
    pub fn tree(
        &mut self,
        query: &Query,
        options: &TreeOptions,
        meter: &mut Meter,
    ) -> Result<DerivationTree, DeriveError> {
        let mut tree = DerivationTree {
            nodes: Vec::new(),
            roots: Vec::new(),
            variables: IdVec::new(),
            answers: FxHashMap::default(),
            truncated: false,
            stopped: None,
        };
        let mut negations = Negations::default();
        match self.grow_tree(&mut tree, query, options, &mut negations, meter) {
            Err(DeriveError::Limit(limit)) => tree.stop(limit),
            other => other?,
        }
        negations.link(&mut tree);
        Ok(tree)
    }

    fn grow_tree(
        &mut self,
        tree: &mut DerivationTree,
        query: &Query,
        options: &TreeOptions,
        negations: &mut Negations,
        meter: &mut Meter,
    ) -> Result<(), DeriveError> {
        let answers = self.answers(query, meter)?;
        let names: Vec<VariableName> =
            query.variables.iter().map(|&name| VariableName { name, copy: 0 }).collect();
        let task = |answer, kind| Task {
            formula: query.formula.clone(),
            names: names.clone(),
            answer,
            kind,
            level: 0,
            asked_by: Vec::new(),
        };
        self.build(tree, task(None, RootKind::Query), options, negations, meter)?;
        let occurring: Vec<usize> = answers.variables.iter().map(|v| v.index()).collect();
        let found: FxHashSet<Vec<TermId>> = tree
            .answers
            .values()
            .filter_map(|values| {
                let term = |&i: &usize| match values.get(i) {
                    Some(Pattern::Ground(t)) => Some(*t),
                    _ => None,
                };
                occurring.iter().map(term).collect()
            })
            .collect();
        for row in answers.rows.iter().filter(|row| !found.contains(&row[..])) {
            // Variables that do not occur get any value: nothing reads it.
            let any = row.first().copied().unwrap_or(TermId::from_index(0));
            let mut full = vec![any; names.len()];
            occurring.iter().zip(row).for_each(|(&i, &term)| full[i] = term);
            self.build(tree, task(Some(full), RootKind::Answer), options, negations, meter)?;
        }
        while let Some(task) = negations.pending.pop_front() {
            let asked_by = task.asked_by.clone();
            let root = self.build(tree, task, options, negations, meter)?;
            asked_by.into_iter().for_each(|node| tree.nodes[node].negation = Some(root));
        }
        Ok(())
    }

    fn build(
        &mut self,
        tree: &mut DerivationTree,
        task: Task,
        options: &TreeOptions,
        negations: &mut Negations,
        meter: &mut Meter,
    ) -> Result<usize, DeriveError> {
        let mut builder = TreeBuilder {
            // Variables of earlier roots keep their numbers.
            bindings: Bindings::starting_at(tree.variables.len()),
            finals: FxHashMap::default(),
            ancestors: Vec::new(),
            used: FxHashSet::default(),
            used_order: Vec::new(),
            options,
            level: task.level,
            guided: task.answer.is_some(),
            bytes: 0,
        };
        let base = builder.allocate(tree, &task.names);
        builder.finals.extend((base..).zip(task.answer.iter().flatten().copied()));
        let root = tree.nodes.len();
        let variables = (base..base + task.names.len()).map(VariableId::from_index).collect();
        tree.roots.push(Root { node: root, kind: task.kind, variables });
        builder.run(self, tree, &task.formula, base, negations, meter)?;
        Ok(root)
    }
}

/// The formulas under negations, each derived once for the whole tree.
#[derive(Default)]
struct Negations {
    pending: VecDeque<Task>,
    roots: FxHashMap<Formula, usize>,
    later: Vec<(usize, Formula)>,
}

impl Negations {
    fn link(self, tree: &mut DerivationTree) {
        for (node, formula) in self.later {
            if let Some(&first) = self.roots.get(&formula) {
                tree.nodes[node].negation = tree.nodes[first].negation;
            }
        }
    }
}

struct TreeBuilder<'a, 'o> {
    bindings: Bindings<'a>,
    /// The value each variable gets in the derivation of the answer that is looked for.
    finals: FxHashMap<usize, TermId>,
    ancestors: Vec<Ancestor<'a>>,
    used: FxHashSet<VariableNameKey>,
    used_order: Vec<VariableNameKey>,
    options: &'o TreeOptions,
    level: usize,
    guided: bool,
    bytes: usize,
}

type VariableNameKey = (SymbolId, u32);

impl<'a> TreeBuilder<'a, '_> {
    fn allocate(&mut self, tree: &mut DerivationTree, names: &[VariableName]) -> usize {
        let base = self.bindings.allocate(names.len());
        for name in names {
            tree.variables.push(*name);
            if self.used.insert((name.name, name.copy)) {
                self.used_order.push((name.name, name.copy));
            }
        }
        base
    }

    fn run<'p: 'a>(
        &mut self,
        derivations: &mut Derivations<'p>,
        tree: &mut DerivationTree,
        formula: &'a Formula,
        base: usize,
        negations: &mut Negations,
        meter: &mut Meter,
    ) -> Result<(), DeriveError> {
        let mut subgoals = Vec::new();
        push_flat(formula, base, None, &mut subgoals)?;
        let root = new_node(tree, None, None);
        let mut stack = vec![self.open(derivations, tree, root, 0, subgoals, negations, meter)?];
        while let Some(top) = stack.last_mut() {
            meter.spend(1)?;
            self.bindings.undo(top.mark);
            self.ancestors.truncate(top.ancestors_mark);
            for name in self.used_order.drain(top.names_mark..) {
                self.used.remove(&name);
            }
            let number = top.next;
            top.next += 1;
            let (node, depth) = (top.node, top.depth);
            let next = match &top.steps {
                Steps::Reasons(reasons) if number < reasons.len() => {
                    let reason = reasons[number];
                    let subgoals = top.subgoals.clone();
                    self.resolve(derivations, tree, node, reason, &subgoals, meter)?
                }
                Steps::Alternatives(count) if number < *count => {
                    let mut rest = Vec::new();
                    let selected = top.subgoals[0];
                    if let Formula::Or(parts) = selected.formula {
                        push_flat(&parts[number], selected.base, selected.origin, &mut rest)?;
                    }
                    rest.extend_from_slice(&top.subgoals[1..]);
                    Some((Step::Alternative(number), rest))
                }
                Steps::Done if number == 0 && tree.nodes[node].kind == NodeKind::Inner => {
                    let distinct = matches!(top.subgoals[0].formula, Formula::Distinct(..));
                    let step = if distinct { Step::Distinct } else { Step::Negation };
                    Some((step, top.subgoals[1..].to_vec()))
                }
                _ => {
                    if tree.nodes[node].children.is_empty() && tree.nodes[node].kind == NodeKind::Inner {
                        tree.nodes[node].kind = NodeKind::Failure;
                    }
                    stack.pop();
                    continue;
                }
            };
            if let Some((step, subgoals)) = next {
                let child = new_node(tree, Some(node), Some(step));
                let open = self.open(derivations, tree, child, depth + 1, subgoals, negations, meter)?;
                if self.guided && tree.nodes[child].kind == NodeKind::Success {
                    // Only the way to this answer was asked for.
                    prune(tree, child);
                    return Ok(());
                }
                stack.push(open);
            }
        }
        Ok(())
    }

    /// Selects a literal, writes the query down and lists the steps that may be made.
    #[expect(clippy::too_many_arguments, reason = "one step of a walk hands on all it knows")]
    fn open<'p: 'a>(
        &mut self,
        derivations: &mut Derivations<'p>,
        tree: &mut DerivationTree,
        node: usize,
        depth: usize,
        mut subgoals: Vec<OpenSubgoal<'a>>,
        negations: &mut Negations,
        meter: &mut Meter,
    ) -> Result<Open<'a>, DeriveError> {
        let terms = &derivations.program().terms;
        let mut steps = Steps::Done;
        if subgoals.is_empty() {
            tree.nodes[node].kind = NodeKind::Success;
            let variables = tree.roots.last().map_or(&[][..], |root| &root.variables);
            let value = |v: &VariableId| self.bindings.resolve(terms, Term::Variable(v.index()), meter);
            let values = variables.iter().map(value).collect::<Result<_, _>>()?;
            tree.answers.insert(node, values);
        } else {
            let mut selected = None;
            for (i, subgoal) in subgoals.iter().enumerate() {
                if self.is_ready(subgoal, meter)? {
                    selected = Some(i);
                    break;
                }
            }
            let Some(selected) = selected else {
                let first = subgoals[0];
                let formula = self.bindings.resolve_formula(terms, first.formula, first.base, meter)?;
                let name = |v: VariableId, out: &mut String| tree.write_name(v, terms, out);
                let program = derivations.program();
                let writer = Writer { program, notation: Notation::Infix, names: &name };
                return Err(DeriveError::Floundering { clause: None, literal: writer.literal(&formula) });
            };
            let subgoal = subgoals.remove(selected);
            subgoals.insert(0, subgoal);
            for subgoal in &subgoals {
                let formula = self.bindings.resolve_formula(terms, subgoal.formula, subgoal.base, meter)?;
                self.bytes += 160;
                tree.nodes[node].subgoals.push(formula);
            }
            meter.check_memory(self.bytes, || "a derivation tree".into())?;
            if depth >= self.options.depth || tree.nodes.len() >= self.options.nodes {
                tree.nodes[node].kind = NodeKind::Cut;
                tree.truncated = true;
            } else {
                steps = self.steps(derivations, tree, node, subgoals[0], negations, meter)?;
            }
        }
        Ok(Open {
            node,
            depth,
            subgoals,
            steps,
            next: 0,
            mark: self.bindings.mark(),
            names_mark: self.used_order.len(),
            ancestors_mark: self.ancestors.len(),
        })
    }

    fn is_ready(&self, subgoal: &OpenSubgoal<'a>, meter: &mut Meter) -> Result<bool, DeriveError> {
        if matches!(subgoal.formula, Formula::Atom(_) | Formula::Or(_) | Formula::And(_)) {
            return Ok(true);
        }
        let mut variables = Vec::new();
        subgoal.formula.variables(&mut |v| variables.push(subgoal.base + v.index()));
        for variable in variables {
            if !self.bindings.is_ground(Term::Variable(variable), meter)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn steps<'p: 'a>(
        &mut self,
        derivations: &mut Derivations<'p>,
        tree: &mut DerivationTree,
        node: usize,
        subgoal: OpenSubgoal<'a>,
        negations: &mut Negations,
        meter: &mut Meter,
    ) -> Result<Steps, DeriveError> {
        let program = derivations.program();
        match subgoal.formula {
            Formula::Atom(atom) => {
                let row = self.final_row(derivations, subgoal, meter)?;
                if self.repeats(tree, node, subgoal, row.as_deref(), meter)? {
                    tree.nodes[node].kind = NodeKind::Loop;
                    return Ok(Steps::Done);
                }
                if let Some(args) = row {
                    let atom = GroundAtom { relation: atom.relation, args };
                    let reason = derivations.reason(&atom, meter)?;
                    return Ok(Steps::Reasons(reason.into_iter().collect()));
                }
                Ok(Steps::Reasons(derivations.reasons_of(atom.relation)))
            }
            Formula::Or(parts) => Ok(Steps::Alternatives(parts.len())),
            Formula::Distinct(..) => {
                if let Some(Formula::Distinct(a, b)) = tree.nodes[node].subgoals.first()
                    && a == b
                {
                    tree.nodes[node].kind = NodeKind::Failure;
                }
                Ok(Steps::Done)
            }
            Formula::Not(inner) => {
                let inner = self.bindings.resolve_formula(&program.terms, inner, subgoal.base, meter)?;
                let query = Query { formula: inner, variables: IdVec::new() };
                let holds = derivations.answers(&query, meter)?.is_yes();
                if holds {
                    tree.nodes[node].kind = NodeKind::Failure;
                }
                if self.level >= self.options.negations {
                    tree.truncated = true;
                } else if negations.roots.contains_key(&query.formula) {
                    negations.later.push((node, query.formula));
                } else {
                    negations.roots.insert(query.formula.clone(), node);
                    negations.pending.push_back(Task {
                        formula: query.formula,
                        names: Vec::new(),
                        answer: holds.then(Vec::new),
                        kind: RootKind::Negation,
                        level: self.level + 1,
                        asked_by: vec![node],
                    });
                }
                Ok(Steps::Done)
            }
            // Conjunctions are taken apart when they are put among the subgoals.
            Formula::And(_) => Ok(Steps::Done),
        }
    }

    /// The instance of the subgoal in the derivation that is looked for, where it is known.
    fn final_row(
        &self,
        derivations: &Derivations<'_>,
        subgoal: OpenSubgoal<'a>,
        meter: &Meter,
    ) -> Result<Option<Box<[TermId]>>, DeriveError> {
        let Formula::Atom(atom) = subgoal.formula else { return Ok(None) };
        if !self.guided {
            return Ok(None);
        }
        let value = |v: VariableId| self.finals.get(&(subgoal.base + v.index())).copied();
        let maker = Maker::new(&derivations.program().terms, meter);
        let mut row = Vec::with_capacity(atom.args.len());
        for pattern in &atom.args {
            match build(maker, pattern, value)? {
                Some(term) => row.push(term),
                None => return Ok(None),
            }
        }
        Ok(Some(row.into()))
    }

    /// Whether the selected atom is, but for the names of variables, one that it comes from.
    fn repeats(
        &self,
        tree: &DerivationTree,
        node: usize,
        subgoal: OpenSubgoal<'a>,
        row: Option<&[TermId]>,
        meter: &mut Meter,
    ) -> Result<bool, DeriveError> {
        let Some(Formula::Atom(atom)) = tree.nodes[node].subgoals.first() else { return Ok(false) };
        let mut origin = subgoal.origin;
        while let Some(number) = origin {
            meter.spend(1)?;
            let ancestor = &self.ancestors[number];
            if let Formula::Atom(other) = ancestor.subgoal.formula
                && other.relation == atom.relation
            {
                let same = match (row, &ancestor.row) {
                    (Some(row), Some(other)) => *row == **other,
                    _ => is_variant(&atom.args, &ancestor.arguments, meter)?,
                };
                if same {
                    return Ok(true);
                }
            }
            origin = ancestor.subgoal.origin;
        }
        Ok(false)
    }

    /// One derivation step with a clause or fact, if its head unifies.
    fn resolve<'p: 'a>(
        &mut self,
        derivations: &mut Derivations<'p>,
        tree: &mut DerivationTree,
        node: usize,
        reason: Reason,
        subgoals: &[OpenSubgoal<'a>],
        meter: &mut Meter,
    ) -> Result<Option<(Step, Vec<OpenSubgoal<'a>>)>, DeriveError> {
        let program = derivations.program();
        let selected = subgoals[0];
        let Formula::Atom(atom) = selected.formula else { return Ok(None) };
        let row = self.final_row(derivations, selected, meter)?;
        let mark = self.bindings.mark();
        let args = |g: &OpenSubgoal<'a>| -> Vec<Term<'a>> {
            atom.args.iter().map(|p| Term::new(p, g.base)).collect()
        };
        let mut rest = Vec::new();
        let mut copy = 0;
        let heads: Vec<Term<'a>> = match reason {
            Reason::Given(number) => {
                derivations.given[number].args.iter().map(|&t| Term::Ground(t)).collect()
            }
            Reason::Clause(id) => {
                let clause = &program.clauses[id];
                // Most clauses are facts that do not match: find out before making a copy.
                if clause.variables.is_empty() && clause.is_fact() {
                    clause.head.args.iter().map(|p| Term::new(p, 0)).collect()
                } else {
                    while clause.variables.iter().any(|&v| self.used.contains(&(v, copy))) {
                        copy += 1;
                    }
                    let names: Vec<VariableName> =
                        clause.variables.iter().map(|&name| VariableName { name, copy }).collect();
                    let names_mark = self.used_order.len();
                    self.bytes += 40 * names.len();
                    let base = self.allocate(tree, &names);
                    if row.is_some()
                        && let Some(values) = derivations.clause_values(id, row.as_deref(), meter)?
                    {
                        self.finals.extend(values.into_iter().map(|(v, term)| (base + v.index(), term)));
                    }
                    let origin = Some(self.ancestors.len());
                    push_flat(&clause.body, base, origin, &mut rest)?;
                    let heads: Vec<Term<'a>> = clause.head.args.iter().map(|p| Term::new(p, base)).collect();
                    if !self.unify_all(derivations, &args(&selected), &heads, meter)? {
                        for name in self.used_order.drain(names_mark..) {
                            self.used.remove(&name);
                        }
                        self.bindings.undo(mark);
                        return Ok(None);
                    }
                    heads
                }
            }
        };
        if self.bindings.mark() == mark && !self.unify_all(derivations, &args(&selected), &heads, meter)? {
            self.bindings.undo(mark);
            return Ok(None);
        }
        let Some(Formula::Atom(written)) = tree.nodes[node].subgoals.first() else { return Ok(None) };
        self.ancestors.push(Ancestor { subgoal: selected, row, arguments: written.args.to_vec() });
        let bound = self.bindings.since(mark).to_vec();
        let mut unifier = Vec::with_capacity(bound.len());
        for variable in bound {
            let value = self.bindings.resolve(&program.terms, Term::Variable(variable), meter)?;
            self.bytes += 64;
            unifier.push((VariableId::from_index(variable), value));
        }
        rest.extend_from_slice(&subgoals[1..]);
        Ok(Some((Step::Resolution { reason, copy, unifier }, rest)))
    }

    fn unify_all(
        &mut self,
        derivations: &Derivations<'_>,
        left: &[Term<'a>],
        right: &[Term<'a>],
        meter: &mut Meter,
    ) -> Result<bool, DeriveError> {
        let terms = &derivations.program().terms;
        for (&x, &y) in left.iter().zip(right) {
            if !self.bindings.unify(terms, x, y, meter)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn new_node(tree: &mut DerivationTree, parent: Option<usize>, step: Option<Step>) -> usize {
    let node = tree.nodes.len();
    if let Some(parent) = parent {
        tree.nodes[parent].children.push(node);
    }
    tree.nodes.push(TreeNode {
        parent,
        step,
        subgoals: Vec::new(),
        kind: NodeKind::Inner,
        negation: None,
        children: Vec::new(),
    });
    node
}

/// Leaves only the way from the root to this leaf.
fn prune(tree: &mut DerivationTree, leaf: usize) {
    let mut at = leaf;
    while let Some(parent) = tree.nodes[at].parent {
        tree.nodes[parent].children = vec![at];
        at = parent;
    }
}

/// Adds a formula to the subgoals, conjunctions taken apart.
fn push_flat<'a>(
    formula: &'a Formula,
    base: usize,
    origin: Option<usize>,
    subgoals: &mut Vec<OpenSubgoal<'a>>,
) -> Result<(), DeriveError> {
    if nesting(formula) > MAX_NESTING {
        return Err(DeriveError::TooDeep { clause: None });
    }
    let mut stack = vec![formula];
    while let Some(formula) = stack.pop() {
        match formula {
            Formula::And(parts) => stack.extend(parts.iter().rev()),
            _ => subgoals.push(OpenSubgoal { formula, base, origin }),
        }
    }
    Ok(())
}

impl Derivations<'_> {
    /// Every clause and given fact of a relation, in order.
    fn reasons_of(&self, relation: RelationId) -> Vec<Reason> {
        let clauses = self.solver.code.clauses(relation).iter().map(|&id| Reason::Clause(id));
        let given = self.given.iter().enumerate().filter(|(_, a)| a.relation == relation);
        clauses.chain(given.map(|(i, _)| Reason::Given(i))).collect()
    }
}
