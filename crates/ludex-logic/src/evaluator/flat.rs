//! Rules over flat relations: every argument is a column.

use rustc_hash::FxHashMap;

use super::body::{FlatAtom, FlatId, FlatLiteral, FlatRule, Literal, NormalLiteral, NormalRule};
use super::layout::{Functor, Layout};

use crate::binding::{Binding, Variables};
use crate::budget::{LimitError, Meter};
use crate::ids::{Id, IdVec, RelationId, TermId, VariableId};
use crate::program::{Atom, Pattern, Program};
use crate::terms::{TermView, Terms};

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

/// The flat form of a program.
pub(crate) struct Flat {
    pub keys: IdVec<FlatId, FlatKey>,
    pub ids: FxHashMap<FlatKey, FlatId>,
    /// Facts as rows of ground terms.
    pub facts: Vec<(FlatId, Vec<TermId>)>,
    pub rules: Vec<FlatRule>,
}

/// Copies of a rule that splitting may make; a position that would make more is not split.
const COPY_LIMIT: usize = 160;
/// The same where a position is split by value: without the split the program is not stratified.
const VALUE_COPY_LIMIT: usize = 2000;

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
            flat: Flat {
                keys: IdVec::new(),
                ids: FxHashMap::default(),
                facts: Vec::new(),
                rules: Vec::new(),
            },
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

/// What a variable in a split position is taken to be in one copy of a rule.
#[derive(Clone)]
struct Choice {
    variable: VariableId,
    /// What takes the variable's place, if anything.
    pattern: Option<Pattern>,
    /// Whether the variable holds a constant.
    constant: bool,
    /// What the variable is not.
    except: Vec<TermId>,
}

/// A form that a variable can have.
#[derive(Clone, Copy)]
enum Form {
    Constant,
    Functor(Functor),
    /// Anything: no position that is split by functor is concerned.
    Any,
}

/// A split position of a variable.
#[derive(Clone, Copy)]
struct Need {
    node: usize,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Head,
    /// A positive literal that is not in a block.
    Positive,
    /// A negative literal, or one in a block: it need not hold.
    Other,
}

impl Flattener<'_> {
    fn run(&mut self, rules: &[NormalRule], meter: &mut Meter) -> Result<(), LimitError> {
        for clause in self.program.clauses.iter().filter(|c| c.is_fact()) {
            meter.spend(1)?;
            let Some(atom) = self.atom(&clause.head) else { continue };
            // A variable in a fact has no meaning; the checks report it.
            if let Some(row) = atom.args.iter().map(Pattern::ground).collect() {
                self.flat.facts.push((atom.relation, row));
            }
        }
        for rule in rules {
            let mut variables = rule.variables;
            let mut scope = outside_of_blocks(&rule.body);
            scope.bind(&rule.head);
            let copies = self.choices(&rule.body, Some(&rule.head), &scope, &mut variables);
            for substitution in copies {
                meter.spend(1)?;
                let put = Substitution { terms: &self.program.terms, choices: &substitution };
                let head = put.atom(&rule.head);
                let mut body = put.body(&rule.body);
                body.extend(guards(&substitution));
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
        body: &[NormalLiteral],
        scope: &Variables,
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
        literals: &[NormalLiteral],
        scope: &Variables,
        variables: &mut u32,
    ) -> Vec<Vec<FlatLiteral>> {
        let mut own = outside_of_blocks(literals);
        own.retain(|v| !scope.contains(v));
        let mut out = Vec::new();
        for substitution in self.choices(literals, None, &own, variables) {
            let mut body = Substitution { terms: &self.program.terms, choices: &substitution }.body(literals);
            body.extend(guards(&substitution));
            let mut inner = scope.clone();
            inner.extend(with_substitution(&own, &substitution));
            out.extend(self.conjunction(&body, &inner, variables));
        }
        out
    }

    /// All ways to choose functors for the variables of `own` that stand in split positions.
    fn choices(
        &mut self,
        body: &[NormalLiteral],
        head: Option<&Atom>,
        own: &Variables,
        variables: &mut u32,
    ) -> Vec<Vec<Choice>> {
        let mut needs: FxHashMap<VariableId, Vec<Need>> = FxHashMap::default();
        let mut order = Vec::new();
        let layout = self.layout;
        let mut note = |atom: &Atom, place: Place| {
            for (i, arg) in atom.args.iter().enumerate() {
                let node = layout.position(atom.relation, i);
                if let Pattern::Variable(v) = arg
                    && own.contains(v)
                    && (layout.is_split(node) || layout.split_values(node).is_some())
                {
                    let list = needs.entry(*v).or_default();
                    if list.is_empty() {
                        order.push(*v);
                    }
                    list.push(Need { node, place });
                }
            }
        };
        if let Some(head) = head {
            note(head, Place::Head);
        }
        for literal in body {
            match literal {
                Literal::Positive(atom) => note(atom, Place::Positive),
                _ => literal.atoms(false, &mut |atom, _| note(atom, Place::Other)),
            }
        }
        let mut result: Vec<Vec<Choice>> = vec![Vec::new()];
        for variable in order {
            let needs = &needs[&variable];
            let options = self.options(variable, body, needs, variables);
            let by_value = needs.iter().any(|n| layout.split_values(n.node).is_some());
            let limit = if by_value { VALUE_COPY_LIMIT } else { COPY_LIMIT };
            let options = options.filter(|o| result.len() * o.len() <= limit);
            let Some(options) = options else {
                self.too_many = Some(needs.iter().map(|n| n.node).collect());
                return Vec::new();
            };
            let longer = result.iter().flat_map(|prefix| {
                options.iter().map(|option| [prefix.as_slice(), std::slice::from_ref(option)].concat())
            });
            result = longer.collect();
        }
        result
    }

    /// What a variable can be, given all its positions; `None` when that is not known, so that the
    /// positions must not be split.
    fn options(
        &self,
        variable: VariableId,
        body: &[NormalLiteral],
        needs: &[Need],
        variables: &mut u32,
    ) -> Option<Vec<Choice>> {
        let plain = Choice { variable, pattern: None, constant: false, except: Vec::new() };
        let value = |&term: &TermId| Choice { pattern: Some(Pattern::Ground(term)), ..plain.clone() };
        let by_value = |n: &&Need| self.layout.split_values(n.node).is_some();
        let values = |n: &Need| self.layout.split_values(n.node).unwrap_or_default();
        if let Some(need) = needs.iter().filter(by_value).find(|n| n.place != Place::Other) {
            return Some(values(need).iter().map(value).collect());
        }
        let mut options = Vec::new();
        let mut except: Vec<TermId> = needs.iter().filter(by_value).flat_map(values).copied().collect();
        except.sort_unstable();
        except.dedup();
        options.extend(except.iter().map(value));
        for form in self.forms_of(variable, body, needs)? {
            let pattern = match form {
                Form::Constant | Form::Any => None,
                Form::Functor((name, 0)) => Some(Pattern::Ground(self.program.terms.compound(name, &[]))),
                Form::Functor((name, arity)) => {
                    let first = *variables as usize;
                    *variables += arity as u32;
                    let args = (first..first + arity).map(|v| Pattern::Variable(VariableId::from_index(v)));
                    Some(Pattern::Compound(name, args.collect()))
                }
            };
            let constant = matches!(form, Form::Constant);
            options.push(Choice { variable, pattern, constant, except: except.clone() });
        }
        Some(options)
    }

    /// The forms that a variable can have in its positions that are split by functor.
    fn forms_of(&self, variable: VariableId, body: &[NormalLiteral], needs: &[Need]) -> Option<Vec<Form>> {
        if !needs.iter().any(|n| self.layout.split_values(n.node).is_none()) {
            return Some(vec![Form::Any]);
        }
        let mut nodes = Vec::new();
        for literal in body {
            if let Literal::Positive(atom) = literal {
                for (i, arg) in atom.args.iter().enumerate() {
                    self.nodes_of(variable, self.layout.position(atom.relation, i), arg, &mut nodes);
                }
            }
        }
        let forms = |n: &usize| self.layout.forms(*n);
        nodes.retain(|n| !forms(n).anything);
        if nodes.is_empty() {
            // What a head can hold is known, too. A test that says no tells nothing about forms.
            nodes.extend(needs.iter().filter(|n| n.place == Place::Head).map(|n| n.node));
        }
        let (first, others) = nodes.split_first()?;
        let mut found = Vec::new();
        if nodes.iter().all(|n| forms(n).constants) {
            found.push(Form::Constant);
        }
        for &functor in &forms(first).functors {
            if others.iter().all(|n| forms(n).functors.contains(&functor)) {
                found.push(Form::Functor(functor));
            }
        }
        Some(found)
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
        Some(Atom { relation: self.flat.relation(key), args: args.into() })
    }
}

impl Flat {
    /// The flat relation of a key, made if need be.
    pub(crate) fn relation(&mut self, key: FlatKey) -> FlatId {
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let id = self.keys.push(key.clone());
        self.ids.insert(key, id);
        id
    }
}

/// The variables of the literals that are not blocks.
fn outside_of_blocks(body: &[NormalLiteral]) -> Variables {
    let mut found = Variables::default();
    body.iter().filter(|literal| !literal.is_block()).for_each(|literal| found.bind(literal));
    found
}

fn with_substitution(scope: &Variables, substitution: &[Choice]) -> Variables {
    let mut scope = scope.clone();
    substitution.iter().flat_map(|choice| &choice.pattern).for_each(|pattern| scope.bind(pattern));
    scope
}

/// What must be tested of the variables, given what they are taken to be.
fn guards(substitution: &[Choice]) -> impl Iterator<Item = NormalLiteral> {
    substitution.iter().flat_map(|choice| {
        let variable = Pattern::Variable(choice.variable);
        let subject = choice.pattern.clone().unwrap_or(variable);
        let different = move |&t: &TermId| Literal::Distinct(subject.clone(), Pattern::Ground(t));
        let constant = choice.constant.then_some(Literal::Constant(choice.variable));
        constant.into_iter().chain(choice.except.iter().map(different))
    })
}

/// Puts the chosen patterns in. A term that loses its last variable becomes a ground term: plans rely
/// on that.
struct Substitution<'a> {
    terms: &'a Terms,
    choices: &'a [Choice],
}

impl Substitution<'_> {
    fn pattern(&self, pattern: &Pattern) -> Pattern {
        match pattern {
            Pattern::Variable(v) => {
                let choice = self.choices.iter().find(|c| c.variable == *v);
                choice.and_then(|c| c.pattern.clone()).unwrap_or_else(|| pattern.clone())
            }
            Pattern::Ground(_) => pattern.clone(),
            Pattern::Compound(name, args) => {
                let args: Box<[Pattern]> = args.iter().map(|a| self.pattern(a)).collect();
                match args.iter().map(Pattern::ground).collect::<Option<Vec<_>>>() {
                    Some(ground) => Pattern::Ground(self.terms.compound(*name, &ground)),
                    None => Pattern::Compound(*name, args),
                }
            }
        }
    }

    fn atom(&self, atom: &Atom) -> Atom {
        Atom { relation: atom.relation, args: atom.args.iter().map(|a| self.pattern(a)).collect() }
    }

    fn body(&self, body: &[NormalLiteral]) -> Vec<NormalLiteral> {
        body.iter().map(|l| l.map(&|atom| self.atom(atom), &|term| self.pattern(term))).collect()
    }
}
