//! Rules over flat relations: every argument is a column.

use rustc_hash::{FxHashMap, FxHashSet};

use super::layout::{Functor, Layout};
use super::normal::{Literal, NormalRule};
use crate::budget::{LimitError, Meter};
use crate::ids::{ClauseId, Id, RelationId, TermId, VariableId};
use crate::program::{Atom, Pattern, Program};
use crate::terms::TermView;

/// A flat relation.
pub(crate) type FlatId = u32;

/// How one argument of the original relation is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// In one column.
    Column,
    /// The functor is known; its arguments are columns.
    Functor(Functor),
    /// The term is known and takes no column.
    Value(TermId),
}

impl Slot {
    /// The number of columns.
    pub(crate) fn width(&self) -> usize {
        match self {
            Slot::Column => 1,
            Slot::Functor((_, arity)) => *arity,
            Slot::Value(_) => 0,
        }
    }
}

/// A variant of a relation: one choice of functor per split position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FlatKey {
    pub relation: RelationId,
    pub slots: Box<[Slot]>,
}

impl FlatKey {
    pub(crate) fn arity(&self) -> usize {
        self.slots.iter().map(Slot::width).sum()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FlatAtom {
    pub relation: FlatId,
    pub args: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FlatLiteral {
    Positive(FlatAtom),
    Negative(FlatAtom),
    Distinct(Pattern, Pattern),
    Equal(Pattern, Pattern),
    Constant(VariableId),
    Block { negated: bool, alternatives: Vec<Vec<FlatLiteral>> },
}

impl FlatLiteral {
    pub(crate) fn variables(&self, visit: &mut dyn FnMut(VariableId)) {
        match self {
            FlatLiteral::Positive(atom) | FlatLiteral::Negative(atom) => {
                atom.args.iter().for_each(|a| a.variables(&mut |v| visit(v)));
            }
            FlatLiteral::Distinct(a, b) | FlatLiteral::Equal(a, b) => {
                a.variables(&mut |v| visit(v));
                b.variables(&mut |v| visit(v));
            }
            FlatLiteral::Constant(v) => visit(*v),
            FlatLiteral::Block { alternatives, .. } => {
                alternatives.iter().flatten().for_each(|l| l.variables(visit));
            }
        }
    }

    /// Calls `visit` for each flat atom, with whether it stands under an odd number of negations.
    pub(crate) fn atoms(&self, negated: bool, visit: &mut dyn FnMut(&FlatAtom, bool)) {
        match self {
            FlatLiteral::Positive(atom) => visit(atom, negated),
            FlatLiteral::Negative(atom) => visit(atom, !negated),
            FlatLiteral::Block { negated: n, alternatives } => {
                alternatives.iter().flatten().for_each(|l| l.atoms(negated != *n, visit));
            }
            _ => {}
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FlatRule {
    pub head: FlatAtom,
    pub body: Vec<FlatLiteral>,
    pub variables: u32,
    pub origin: ClauseId,
}

/// The flat form of a program.
pub(crate) struct Flat {
    pub keys: Vec<FlatKey>,
    pub ids: FxHashMap<FlatKey, FlatId>,
    /// Facts as rows of ground terms.
    pub facts: Vec<(FlatId, Vec<TermId>)>,
    pub rules: Vec<FlatRule>,
}

/// Copies of a rule that splitting may make; a position that would make more is not split.
const COPY_LIMIT: usize = 160;

/// Flattens a program; `layout` loses splits that would copy a rule too often.
pub(crate) fn flatten(
    program: &Program,
    rules: &[NormalRule],
    layout: &mut Layout,
    meter: &mut Meter,
) -> Result<Flat, LimitError> {
    loop {
        let mut work = Flattener {
            program,
            layout,
            flat: Flat { keys: Vec::new(), ids: FxHashMap::default(), facts: Vec::new(), rules: Vec::new() },
            too_many: None,
        };
        work.run(rules, meter)?;
        match work.too_many {
            None => return Ok(work.flat),
            Some(nodes) => nodes.into_iter().for_each(|n| layout.unsplit(n)),
        }
    }
}

struct Flattener<'a> {
    program: &'a Program,
    layout: &'a Layout,
    flat: Flat,
    too_many: Option<Vec<usize>>,
}

/// A choice for a variable in a split position.
#[derive(Clone, Copy)]
enum Choice {
    Constant,
    Functor(Functor),
    Value(TermId),
}

impl Flattener<'_> {
    fn run(&mut self, rules: &[NormalRule], meter: &mut Meter) -> Result<(), LimitError> {
        for clause in self.program.clauses.iter().filter(|c| c.is_fact()) {
            meter.spend(1)?;
            let Some(atom) = self.atom(&clause.head) else { continue };
            // A variable in a fact has no meaning; the checks report it.
            let row: Option<Vec<TermId>> =
                atom.args.iter().map(|a| if let Pattern::Ground(t) = a { Some(*t) } else { None }).collect();
            if let Some(row) = row {
                self.flat.facts.push((atom.relation, row));
            }
        }
        for rule in rules {
            let mut variables = rule.variables;
            let scope = top_variables(&rule.head, &rule.body);
            let copies = self.choices(&rule.body, Some(&rule.head), &scope, &mut variables);
            for substitution in copies {
                meter.spend(1)?;
                let head = substitute_atom(&rule.head, &substitution);
                let mut body: Vec<Literal> = rule.body.iter().map(|l| substitute(l, &substitution)).collect();
                body.extend(constant_guards(&substitution));
                let Some(head) = self.atom(&head) else { continue };
                let scope = with_substitution(&scope, &substitution);
                if let Some(body) = self.conjunction(&body, &scope, &mut variables) {
                    self.flat.rules.push(FlatRule { head, body, variables, origin: rule.origin });
                }
                if self.too_many.is_some() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The flat literals, or `None` when the conjunction can never hold.
    fn conjunction(
        &mut self,
        body: &[Literal],
        scope: &FxHashSet<VariableId>,
        variables: &mut u32,
    ) -> Option<Vec<FlatLiteral>> {
        let mut out = Vec::new();
        for literal in body {
            match literal {
                Literal::Positive(atom) => out.push(FlatLiteral::Positive(self.atom(atom)?)),
                Literal::Negative(atom) => {
                    if let Some(atom) = self.atom(atom) {
                        out.push(FlatLiteral::Negative(atom));
                    }
                }
                Literal::Distinct(a, b) => out.push(FlatLiteral::Distinct(a.clone(), b.clone())),
                Literal::Equal(a, b) => out.push(FlatLiteral::Equal(a.clone(), b.clone())),
                Literal::Constant(v) => out.push(FlatLiteral::Constant(*v)),
                Literal::Block { negated, alternatives } => {
                    let mut flat = Vec::new();
                    for alternative in alternatives {
                        flat.extend(self.alternative(alternative, scope, variables));
                    }
                    out.push(FlatLiteral::Block { negated: *negated, alternatives: flat });
                }
            }
        }
        Some(out)
    }

    /// An alternative of a block, copied for the choices of the variables that are its own.
    fn alternative(
        &mut self,
        literals: &[Literal],
        scope: &FxHashSet<VariableId>,
        variables: &mut u32,
    ) -> Vec<Vec<FlatLiteral>> {
        let mut own = FxHashSet::default();
        for literal in literals {
            if !matches!(literal, Literal::Block { .. }) {
                literal.variables(&mut |v| {
                    if !scope.contains(&v) {
                        own.insert(v);
                    }
                });
            }
        }
        let mut out = Vec::new();
        for substitution in self.choices(literals, None, &own, variables) {
            let mut body: Vec<Literal> = literals.iter().map(|l| substitute(l, &substitution)).collect();
            body.extend(constant_guards(&substitution));
            let mut inner = scope.clone();
            inner.extend(with_substitution(&own, &substitution));
            out.extend(self.conjunction(&body, &inner, variables));
        }
        out
    }

    /// All ways to choose functors for the variables of `own` that stand in split positions.
    fn choices(
        &mut self,
        body: &[Literal],
        head: Option<&Atom>,
        own: &FxHashSet<VariableId>,
        variables: &mut u32,
    ) -> Vec<Vec<(VariableId, Option<Pattern>)>> {
        let mut needed: FxHashMap<VariableId, Vec<usize>> = FxHashMap::default();
        let mut order = Vec::new();
        let note =
            |layout: &Layout, atom: &Atom, needed: &mut FxHashMap<_, Vec<usize>>, order: &mut Vec<_>| {
                for (i, arg) in atom.args.iter().enumerate() {
                    let node = layout.position(atom.relation, i);
                    if let Pattern::Variable(v) = arg
                        && own.contains(v)
                        && layout.is_split(node)
                    {
                        needed.entry(*v).or_insert_with(|| {
                            order.push(*v);
                            Vec::new()
                        });
                        needed.entry(*v).or_default().push(node);
                    }
                }
            };
        if let Some(head) = head {
            note(self.layout, head, &mut needed, &mut order);
        }
        visit_atoms(body, &mut |atom| note(self.layout, atom, &mut needed, &mut order));
        let mut result: Vec<Vec<(VariableId, Option<Pattern>)>> = vec![Vec::new()];
        for variable in order {
            let options = self.options(variable, body, &needed[&variable]);
            if result.len() * options.len() > COPY_LIMIT {
                self.too_many = Some(needed[&variable].clone());
                return Vec::new();
            }
            let mut longer = Vec::with_capacity(result.len() * options.len());
            for prefix in &result {
                for option in &options {
                    let mut copy = prefix.clone();
                    copy.push((
                        variable,
                        match *option {
                            Choice::Constant => None,
                            Choice::Value(term) => Some(Pattern::Ground(term)),
                            Choice::Functor((name, arity)) => {
                                let args = (0..arity)
                                    .map(|_| {
                                        *variables += 1;
                                        Pattern::Variable(VariableId::from_index(*variables as usize - 1))
                                    })
                                    .collect::<Box<[_]>>();
                                Some(if arity == 0 {
                                    Pattern::Ground(self.program.terms.compound(name, &[]))
                                } else {
                                    Pattern::Compound(name, args)
                                })
                            }
                        },
                    ));
                    longer.push(copy);
                }
            }
            result = longer;
        }
        result
    }

    /// What a variable can be, given all its positive positions.
    fn options(&self, variable: VariableId, body: &[Literal], needed: &[usize]) -> Vec<Choice> {
        if let Some(values) = needed.iter().find_map(|&n| self.layout.split_values(n)) {
            return values.iter().map(|&v| Choice::Value(v)).collect();
        }
        let mut nodes = Vec::new();
        for literal in body {
            if let Literal::Positive(atom) = literal {
                for (i, arg) in atom.args.iter().enumerate() {
                    self.nodes_of(variable, self.layout.position(atom.relation, i), arg, &mut nodes);
                }
            }
        }
        if nodes.is_empty() {
            nodes.extend_from_slice(needed);
        }
        let forms = |n: &usize| self.layout.forms(*n);
        let mut options = Vec::new();
        if nodes.iter().all(|n| forms(n).constants || forms(n).anything) {
            options.push(Choice::Constant);
        }
        // Where everything positive is open, the split positions say which functors matter.
        let listed = nodes.iter().find(|n| !forms(n).anything).or(needed.first());
        for &functor in listed.map_or(&[][..], |n| &forms(n).functors) {
            if nodes.iter().all(|n| forms(n).anything || forms(n).functors.contains(&functor)) {
                options.push(Choice::Functor(functor));
            }
        }
        options
    }

    fn nodes_of(&self, variable: VariableId, node: usize, pattern: &Pattern, nodes: &mut Vec<usize>) {
        match pattern {
            Pattern::Variable(v) if *v == variable => nodes.push(node),
            Pattern::Compound(name, args) => {
                for (i, arg) in args.iter().enumerate() {
                    if let Some(node) = self.layout.functor_node((*name, args.len()), i) {
                        self.nodes_of(variable, node, arg, nodes);
                    }
                }
            }
            _ => {}
        }
    }

    /// The flat atom, or `None` when no fact can match it because its functor occurs nowhere.
    fn atom(&mut self, atom: &Atom) -> Option<FlatAtom> {
        let mut slots = Vec::with_capacity(atom.args.len());
        let mut args = Vec::with_capacity(atom.args.len());
        for (i, arg) in atom.args.iter().enumerate() {
            let node = self.layout.position(atom.relation, i);
            if let Some(values) = self.layout.split_values(node) {
                let Pattern::Ground(term) = arg else { return None };
                if !values.contains(term) {
                    return None;
                }
                slots.push(Slot::Value(*term));
                continue;
            }
            if !self.layout.is_split(node) {
                slots.push(Slot::Column);
                args.push(arg.clone());
                continue;
            }
            let functor = match arg {
                Pattern::Variable(_) => None,
                Pattern::Compound(name, inner) => {
                    args.extend(inner.iter().cloned());
                    Some((*name, inner.len()))
                }
                Pattern::Ground(term) => match self.program.terms.view(*term) {
                    TermView::Constant(_) => None,
                    TermView::Compound(name, inner) => {
                        args.extend(inner.iter().map(|&t| Pattern::Ground(t)));
                        Some((name, inner.len()))
                    }
                },
            };
            match functor {
                None => {
                    slots.push(Slot::Column);
                    args.push(arg.clone());
                }
                Some(functor) if self.layout.forms(node).functors.contains(&functor) => {
                    slots.push(Slot::Functor(functor));
                }
                Some(_) => return None,
            }
        }
        let key = FlatKey { relation: atom.relation, slots: slots.into() };
        Some(FlatAtom { relation: self.flat.relation(key), args })
    }
}

impl Flat {
    /// The flat relation of a key, made if need be.
    pub(crate) fn relation(&mut self, key: FlatKey) -> FlatId {
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let id = self.keys.len() as FlatId;
        self.keys.push(key.clone());
        self.ids.insert(key, id);
        id
    }
}

/// The variables of the head and of the literals that are not blocks.
fn top_variables(head: &Atom, body: &[Literal]) -> FxHashSet<VariableId> {
    let mut scope = FxHashSet::default();
    head.variables(&mut |v| {
        scope.insert(v);
    });
    for literal in body {
        if !matches!(literal, Literal::Block { .. }) {
            literal.variables(&mut |v| {
                scope.insert(v);
            });
        }
    }
    scope
}

fn with_substitution(
    scope: &FxHashSet<VariableId>,
    substitution: &[(VariableId, Option<Pattern>)],
) -> FxHashSet<VariableId> {
    let mut scope = scope.clone();
    for (_, pattern) in substitution {
        if let Some(pattern) = pattern {
            pattern.variables(&mut |v| {
                scope.insert(v);
            });
        }
    }
    scope
}

fn constant_guards(substitution: &[(VariableId, Option<Pattern>)]) -> impl Iterator<Item = Literal> {
    substitution.iter().filter(|(_, p)| p.is_none()).map(|(v, _)| Literal::Constant(*v))
}

fn visit_atoms(body: &[Literal], visit: &mut dyn FnMut(&Atom)) {
    for literal in body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => visit(atom),
            Literal::Block { alternatives, .. } => alternatives.iter().for_each(|a| visit_atoms(a, visit)),
            _ => {}
        }
    }
}

fn substitute_pattern(pattern: &Pattern, substitution: &[(VariableId, Option<Pattern>)]) -> Pattern {
    match pattern {
        Pattern::Variable(v) => match substitution.iter().find(|(w, _)| w == v) {
            Some((_, Some(replacement))) => replacement.clone(),
            _ => pattern.clone(),
        },
        Pattern::Ground(_) => pattern.clone(),
        Pattern::Compound(name, args) => {
            Pattern::Compound(*name, args.iter().map(|a| substitute_pattern(a, substitution)).collect())
        }
    }
}

fn substitute_atom(atom: &Atom, substitution: &[(VariableId, Option<Pattern>)]) -> Atom {
    let args = atom.args.iter().map(|a| substitute_pattern(a, substitution)).collect();
    Atom { relation: atom.relation, args }
}

fn substitute(literal: &Literal, substitution: &[(VariableId, Option<Pattern>)]) -> Literal {
    match literal {
        Literal::Positive(atom) => Literal::Positive(substitute_atom(atom, substitution)),
        Literal::Negative(atom) => Literal::Negative(substitute_atom(atom, substitution)),
        Literal::Distinct(a, b) => {
            Literal::Distinct(substitute_pattern(a, substitution), substitute_pattern(b, substitution))
        }
        Literal::Equal(a, b) => {
            Literal::Equal(substitute_pattern(a, substitution), substitute_pattern(b, substitution))
        }
        Literal::Constant(v) => Literal::Constant(*v),
        Literal::Block { negated, alternatives } => Literal::Block {
            negated: *negated,
            alternatives: alternatives
                .iter()
                .map(|a| a.iter().map(|l| substitute(l, substitution)).collect())
                .collect(),
        },
    }
}
