//! Building derivation trees by depth-first search.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::compile::{MAX_NESTING, nesting};
use super::error::DeriveError;
use super::facts::Reason;
use super::instance::{Maker, build, ground, is_variant};
use super::tree::{DerivationTree, NodeKind, Root, RootKind, Step, TreeOptions, VariableName};
use super::unify::{Bindings, Term};
use super::writer::{Names, Writer};
use super::{Derivations, Query};
use crate::budget::Meter;
use crate::ids::{Id, IdVec, RelationId, TermId, VariableId};
use crate::program::{Formula, GroundAtom, Pattern, Program};
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
    /// The node whose selected negation asks for it.
    asked_by: Option<usize>,
}

impl Derivations<'_> {
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
        let mut builder = TreeBuilder {
            derivations: self,
            options,
            meter,
            tree: DerivationTree::default(),
            pending: VecDeque::new(),
            negations: FxHashMap::default(),
            repeated: Vec::new(),
        };
        match builder.grow(query) {
            Err(DeriveError::Limit(limit)) => builder.tree.stop(limit),
            other => other?,
        }
        let TreeBuilder { mut tree, negations, repeated, .. } = builder;
        for (node, formula) in repeated {
            if let Some(&first) = negations.get(&formula) {
                tree.nodes[node].negation = tree.nodes[first].negation;
            }
        }
        Ok(tree)
    }

    /// Every clause and given fact of a relation, in order.
    fn reasons_of(&self, relation: RelationId) -> Vec<Reason> {
        let clauses = self.solver.code.clauses(relation).iter().map(|&id| Reason::Clause(id));
        let given = self.given.iter().enumerate().filter(|(_, a)| a.relation == relation);
        clauses.chain(given.map(|(i, _)| Reason::Given(i))).collect()
    }
}

/// A tree in the making.
struct TreeBuilder<'b, 'p> {
    derivations: &'b mut Derivations<'p>,
    options: &'b TreeOptions,
    meter: &'b mut Meter,
    tree: DerivationTree,
    pending: VecDeque<Task>,
    /// The first node that asks for each formula under a negation: it is derived once for the whole tree.
    negations: FxHashMap<Formula, usize>,
    /// The other nodes that ask for such a formula.
    repeated: Vec<(usize, Formula)>,
}

impl TreeBuilder<'_, '_> {
    fn grow(&mut self, query: &Query) -> Result<(), DeriveError> {
        let answers = self.derivations.answers(query, self.meter)?;
        let names: Vec<VariableName> =
            query.variables.iter().map(|&name| VariableName { name, copy: 0 }).collect();
        let task = |answer, kind| Task {
            formula: query.formula.clone(),
            names: names.clone(),
            answer,
            kind,
            level: 0,
            asked_by: None,
        };
        self.build(&task(None, RootKind::Query))?;
        let occurring: Vec<usize> = answers.variables.iter().map(|v| v.index()).collect();
        let row = |values: &Vec<Pattern>| occurring.iter().map(|&i| values.get(i)?.ground()).collect();
        let found: FxHashSet<Vec<TermId>> = self.tree.answers.values().filter_map(row).collect();
        for row in answers.rows.iter().filter(|row| !found.contains(&row[..])) {
            // Variables that do not occur get any value: nothing reads it.
            let any = row.first().copied().unwrap_or(TermId::from_index(0));
            let mut full = vec![any; names.len()];
            occurring.iter().zip(row).for_each(|(&i, &term)| full[i] = term);
            self.build(&task(Some(full), RootKind::Answer))?;
        }
        while let Some(task) = self.pending.pop_front() {
            self.build(&task)?;
        }
        Ok(())
    }

    fn build(&mut self, task: &Task) -> Result<(), DeriveError> {
        let root = self.tree.nodes.len();
        let mut search = TreeSearch {
            // Variables of earlier roots keep their numbers.
            bindings: Bindings::starting_at(self.tree.variables.len()),
            finals: FxHashMap::default(),
            ancestors: Vec::new(),
            used: FxHashSet::default(),
            used_order: Vec::new(),
            level: task.level,
            guided: task.answer.is_some(),
            bytes: 0,
            builder: self,
        };
        let base = search.allocate(&task.names);
        search.finals.extend((base..).zip(task.answer.iter().flatten().copied()));
        let variables = (base..base + task.names.len()).map(VariableId::from_index).collect();
        search.builder.tree.roots.push(Root { node: root, kind: task.kind, variables });
        search.run(&task.formula, base)?;
        if let Some(node) = task.asked_by {
            self.tree.nodes[node].negation = Some(root);
        }
        Ok(())
    }
}

/// The search for the derivations under one root.
struct TreeSearch<'a, 's, 'b, 'p> {
    builder: &'s mut TreeBuilder<'b, 'p>,
    bindings: Bindings<'a>,
    /// The value each variable gets in the derivation of the answer that is looked for.
    finals: FxHashMap<usize, TermId>,
    ancestors: Vec<Ancestor<'a>>,
    used: FxHashSet<VariableName>,
    used_order: Vec<VariableName>,
    level: usize,
    guided: bool,
    bytes: usize,
}

impl<'a, 'p: 'a> TreeSearch<'a, '_, '_, 'p> {
    fn program(&self) -> &'p Program {
        self.builder.derivations.program()
    }

    fn allocate(&mut self, names: &[VariableName]) -> usize {
        for &name in names {
            self.builder.tree.variables.push(name);
            if self.used.insert(name) {
                self.used_order.push(name);
            }
        }
        self.bindings.allocate(names.len())
    }

    fn run(&mut self, formula: &'a Formula, base: usize) -> Result<(), DeriveError> {
        let mut subgoals = Vec::new();
        push_flat(formula, base, None, &mut subgoals)?;
        let root = self.builder.tree.add(None, None);
        let mut stack = vec![self.open(root, 0, subgoals)?];
        while let Some(top) = stack.last_mut() {
            self.builder.meter.spend(1)?;
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
                    self.resolve(node, reasons[number], &top.subgoals)?
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
                Steps::Done if number == 0 && self.builder.tree.nodes[node].kind == NodeKind::Inner => {
                    let distinct = matches!(top.subgoals[0].formula, Formula::Distinct(..));
                    let step = if distinct { Step::Distinct } else { Step::Negation };
                    Some((step, top.subgoals[1..].to_vec()))
                }
                _ => {
                    let node = &mut self.builder.tree.nodes[node];
                    if node.children.is_empty() && node.kind == NodeKind::Inner {
                        node.kind = NodeKind::Failure;
                    }
                    stack.pop();
                    continue;
                }
            };
            if let Some((step, subgoals)) = next {
                let child = self.builder.tree.add(Some(node), Some(step));
                let open = self.open(child, depth + 1, subgoals)?;
                if self.guided && self.builder.tree.nodes[child].kind == NodeKind::Success {
                    // Only the way to this answer was asked for.
                    self.builder.tree.prune(child);
                    return Ok(());
                }
                stack.push(open);
            }
        }
        Ok(())
    }

    /// Selects a literal, writes the query down and lists the steps that may be made.
    fn open(
        &mut self,
        node: usize,
        depth: usize,
        mut subgoals: Vec<OpenSubgoal<'a>>,
    ) -> Result<Open<'a>, DeriveError> {
        let mut steps = Steps::Done;
        if subgoals.is_empty() {
            self.succeed(node)?;
        } else {
            let selected = self.select(&subgoals)?;
            subgoals[..=selected].rotate_right(1);
            for &subgoal in &subgoals {
                let formula = self.resolved(subgoal, subgoal.formula)?;
                self.bytes += 160;
                self.builder.tree.nodes[node].subgoals.push(formula);
            }
            let TreeBuilder { tree, options, meter, .. } = &mut *self.builder;
            meter.check_memory(self.bytes, || "a derivation tree".into())?;
            if depth >= options.depth || tree.nodes.len() >= options.nodes {
                tree.nodes[node].kind = NodeKind::Cut;
                tree.truncated = true;
            } else {
                steps = self.steps(node, subgoals[0])?;
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

    /// Notes the values of the root's variables at a successful derivation.
    fn succeed(&mut self, node: usize) -> Result<(), DeriveError> {
        let terms = &self.program().terms;
        let TreeBuilder { tree, meter, .. } = &mut *self.builder;
        tree.nodes[node].kind = NodeKind::Success;
        let variables = tree.roots.last().map_or(&[][..], |root| &root.variables);
        let value = |v: &VariableId| self.bindings.resolve(terms, Term::Variable(v.index()), meter);
        let values = variables.iter().map(value).collect::<Result<_, _>>()?;
        tree.answers.insert(node, values);
        Ok(())
    }

    /// The first literal that can be resolved: tests wait until their variables have values.
    fn select(&mut self, subgoals: &[OpenSubgoal<'a>]) -> Result<usize, DeriveError> {
        for (i, subgoal) in subgoals.iter().enumerate() {
            if self.is_ready(subgoal)? {
                return Ok(i);
            }
        }
        let formula = self.resolved(subgoals[0], subgoals[0].formula)?;
        let names = Names::Tree(&self.builder.tree);
        let writer = Writer { program: self.program(), notation: Notation::Infix, names };
        Err(DeriveError::Floundering { clause: None, literal: writer.literal(&formula) })
    }

    fn is_ready(&mut self, subgoal: &OpenSubgoal<'a>) -> Result<bool, DeriveError> {
        if matches!(subgoal.formula, Formula::Atom(_) | Formula::Or(_) | Formula::And(_)) {
            return Ok(true);
        }
        let mut variables = Vec::new();
        subgoal.formula.variables(&mut |v| variables.push(subgoal.base + v.index()));
        for variable in variables {
            if !self.bindings.is_ground(Term::Variable(variable), self.builder.meter)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A part of a subgoal with all values put in.
    fn resolved(&mut self, subgoal: OpenSubgoal<'a>, part: &Formula) -> Result<Formula, DeriveError> {
        let terms = &self.program().terms;
        Ok(self.bindings.resolve_formula(terms, part, subgoal.base, self.builder.meter)?)
    }

    fn steps(&mut self, node: usize, subgoal: OpenSubgoal<'a>) -> Result<Steps, DeriveError> {
        match subgoal.formula {
            Formula::Atom(atom) => {
                let row = self.final_row(subgoal)?;
                if self.repeats(node, subgoal, row.as_deref())? {
                    self.builder.tree.nodes[node].kind = NodeKind::Loop;
                    return Ok(Steps::Done);
                }
                let TreeBuilder { derivations, meter, .. } = &mut *self.builder;
                Ok(Steps::Reasons(match row {
                    Some(args) => {
                        let atom = GroundAtom { relation: atom.relation, args };
                        derivations.reason(&atom, meter)?.into_iter().collect()
                    }
                    None => derivations.reasons_of(atom.relation),
                }))
            }
            Formula::Or(parts) => Ok(Steps::Alternatives(parts.len())),
            Formula::Distinct(..) => {
                let node = &mut self.builder.tree.nodes[node];
                if let Some(Formula::Distinct(a, b)) = node.subgoals.first()
                    && a == b
                {
                    node.kind = NodeKind::Failure;
                }
                Ok(Steps::Done)
            }
            Formula::Not(inner) => {
                let formula = self.resolved(subgoal, inner)?;
                self.negate(node, formula)?;
                Ok(Steps::Done)
            }
            // Conjunctions are taken apart when they are put among the subgoals.
            Formula::And(_) => Ok(Steps::Done),
        }
    }

    /// Finds out whether the formula under the selected negation holds, and has it derived later.
    fn negate(&mut self, node: usize, formula: Formula) -> Result<(), DeriveError> {
        let builder = &mut *self.builder;
        let query = Query { formula, variables: IdVec::new() };
        let holds = builder.derivations.answers(&query, builder.meter)?.is_yes();
        if holds {
            builder.tree.nodes[node].kind = NodeKind::Failure;
        }
        if self.level >= builder.options.negations {
            builder.tree.truncated = true;
        } else if builder.negations.contains_key(&query.formula) {
            builder.repeated.push((node, query.formula));
        } else {
            builder.negations.insert(query.formula.clone(), node);
            builder.pending.push_back(Task {
                formula: query.formula,
                names: Vec::new(),
                answer: holds.then(Vec::new),
                kind: RootKind::Negation,
                level: self.level + 1,
                asked_by: Some(node),
            });
        }
        Ok(())
    }

    /// The instance of the subgoal in the derivation that is looked for, where it is known.
    fn final_row(&self, subgoal: OpenSubgoal<'a>) -> Result<Option<Box<[TermId]>>, DeriveError> {
        let Formula::Atom(atom) = subgoal.formula else { return Ok(None) };
        if !self.guided {
            return Ok(None);
        }
        let value = |v: VariableId| self.finals.get(&(subgoal.base + v.index())).copied();
        let maker = Maker::new(&self.program().terms, self.builder.meter);
        let row: Result<Vec<_>, _> = atom.args.iter().map(|pattern| build(maker, pattern, value)).collect();
        Ok(ground(&row?))
    }

    /// Whether the selected atom is, but for the names of variables, one that it comes from.
    fn repeats(
        &mut self,
        node: usize,
        subgoal: OpenSubgoal<'a>,
        row: Option<&[TermId]>,
    ) -> Result<bool, DeriveError> {
        let TreeBuilder { tree, meter, .. } = &mut *self.builder;
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
    fn resolve(
        &mut self,
        node: usize,
        reason: Reason,
        subgoals: &[OpenSubgoal<'a>],
    ) -> Result<Option<(Step, Vec<OpenSubgoal<'a>>)>, DeriveError> {
        let program = self.program();
        let selected = subgoals[0];
        let Formula::Atom(atom) = selected.formula else { return Ok(None) };
        let row = self.final_row(selected)?;
        let mark = self.bindings.mark();
        let mut rest = Vec::new();
        let mut copy = 0;
        let heads: Vec<Term<'a>> = match reason {
            Reason::Given(number) => {
                self.builder.derivations.given[number].args.iter().map(|&t| Term::Ground(t)).collect()
            }
            Reason::Clause(id) => {
                let clause = &program.clauses[id];
                let mut base = 0;
                // Most clauses are facts that do not match: those need no copy.
                if !clause.variables.is_empty() || !clause.is_fact() {
                    let is_used = |&name, copy| self.used.contains(&VariableName { name, copy });
                    while clause.variables.iter().any(|name| is_used(name, copy)) {
                        copy += 1;
                    }
                    let names: Vec<VariableName> =
                        clause.variables.iter().map(|&name| VariableName { name, copy }).collect();
                    self.bytes += 40 * names.len();
                    base = self.allocate(&names);
                    let TreeBuilder { derivations, meter, .. } = &mut *self.builder;
                    if let Some(values) = derivations.clause_values(id, row.as_deref(), meter)? {
                        self.finals.extend(values.into_iter().map(|(v, term)| (base + v.index(), term)));
                    }
                    push_flat(&clause.body, base, Some(self.ancestors.len()), &mut rest)?;
                }
                clause.head.args.iter().map(|p| Term::new(p, base)).collect()
            }
        };
        let meter = &mut *self.builder.meter;
        for (arg, &head) in atom.args.iter().zip(&heads) {
            // What was bound until it fails is undone before the next step.
            if !self.bindings.unify(&program.terms, Term::new(arg, selected.base), head, meter)? {
                return Ok(None);
            }
        }
        let Some(Formula::Atom(written)) = self.builder.tree.nodes[node].subgoals.first() else {
            return Ok(None);
        };
        self.ancestors.push(Ancestor { subgoal: selected, row, arguments: written.args.to_vec() });
        let bound = self.bindings.since(mark).to_vec();
        let mut unifier = Vec::with_capacity(bound.len());
        for variable in bound {
            let value =
                self.bindings.resolve(&program.terms, Term::Variable(variable), self.builder.meter)?;
            self.bytes += 64;
            unifier.push((VariableId::from_index(variable), value));
        }
        rest.extend_from_slice(&subgoals[1..]);
        Ok(Some((Step::Resolution { reason, copy, unifier }, rest)))
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
