//! From rules with variables to rules without: an instance for all values with which the positive atoms of
//! the body may be true.
//!
//! What may be true is found first, from the facts on and without regard to negation (semi-naive evaluation,
//! as in Datalog). Then each rule is written out for it. A negated atom that cannot be true is left out, and
//! so is a fact in a body. An element of a choice whose condition is no fact counts as far as the condition
//! holds, which takes atoms of its own.

mod join;
mod values;

use ludex_logic::{Budget, Meter};
use rustc_hash::FxHashMap;

use super::program::{Atom, Choice, Head, Program, Rule};
use super::text::ProgramTextError;
use super::text::syntax::{
    AtomText, Comparison, Element, HeadText, Literal, Place, ProgramText, RuleText, Term,
};
use join::{Bindings, Joiner, Relation, Row, Step, check_memory, order};
use values::{Value, Values};

/// Bodies with variables have so many literals at most: the search for their instances goes as deep.
const MOST_LITERALS: usize = 200;

/// The program without variables.
pub(super) fn ground(text: &ProgramText, budget: &Budget) -> Result<Program, ProgramTextError> {
    let mut grounder = Grounder {
        relations: Vec::new(),
        numbers: FxHashMap::default(),
        new_from: Vec::new(),
        values: Values::default(),
        constants: FxHashMap::default(),
        meter: budget.meter(),
        program: Program::new(),
        atoms: FxHashMap::default(),
        helpers: Vec::new(),
    };
    for (name, term, place) in &text.constants {
        let value = grounder.joiner(*place).value(term, &Vec::new())?;
        grounder.constants.insert(name.clone(), value);
    }
    let is_ground = text.is_ground();
    let rules: Vec<RuleText> = text.rules.iter().map(without_ranges).collect();
    rules.iter().try_for_each(check_bound)?;
    if is_ground {
        // Nothing is to be found out, and the rules stay as they are.
        grounder.everything(&rules)?;
    } else {
        grounder.find_atoms(&rules)?;
    }
    for rule in &rules {
        grounder.write(rule, is_ground)?;
    }
    grounder.show(text.shown.as_deref());
    Ok(grounder.program)
}

/// The atoms that a body asks for, and those that it asks not to be.
type GroundBody = (Vec<Atom>, Vec<Atom>);

struct Grounder {
    relations: Vec<Relation>,
    numbers: FxHashMap<(Box<str>, usize), u32>,
    /// Per relation the first row that was not there in the round before.
    new_from: Vec<u32>,
    values: Values,
    constants: FxHashMap<Box<str>, Value>,
    meter: Meter,
    program: Program,
    /// The atoms of rows.
    atoms: FxHashMap<Row, Atom>,
    /// Atoms that are not of the text.
    helpers: Vec<Atom>,
}

/// A body and a head that holds where it does, so far as it is known what may hold.
struct Possible<'r> {
    head: &'r AtomText,
    /// Whether nothing is asked for.
    is_fact: bool,
    place: Place,
    variables: usize,
    body: Vec<Literal>,
}

impl Grounder {
    fn joiner(&mut self, place: Place) -> Joiner<'_> {
        Joiner {
            relations: &self.relations,
            new_from: &self.new_from,
            constants: &self.constants,
            values: &mut self.values,
            meter: &mut self.meter,
            place,
        }
    }

    /// The number of an atom's relation.
    fn relation(&mut self, atom: &AtomText) -> u32 {
        let (relations, new_from) = (&mut self.relations, &mut self.new_from);
        *self.numbers.entry((atom.name.clone(), atom.arguments.len())).or_insert_with(|| {
            relations.push(Relation::default());
            new_from.push(0);
            relations.len() as u32 - 1
        })
    }

    /// The steps to the instances of a body, or of one part of it after the rest.
    fn order(
        &mut self,
        rule: &RuleText,
        body: &[Literal],
        first: Option<usize>,
        bound: Vec<bool>,
    ) -> Result<Vec<Step>, ProgramTextError> {
        if body.len() > MOST_LITERALS {
            return Err(ProgramTextError::Long { place: rule.place, most: MOST_LITERALS });
        }
        let ordered = order(body, first, bound, &mut |atom| self.relation(atom));
        ordered.map_err(|bound| {
            let missing = bound.iter().position(|&is_bound| !is_bound).unwrap_or_default();
            unbound(rule.place, &rule.variables, missing)
        })
    }

    /// All atoms of a program without variables.
    fn everything(&mut self, rules: &[RuleText]) -> Result<(), ProgramTextError> {
        for rule in rules {
            let of_body = rule.body.iter().filter_map(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
                Literal::Compare(..) => None,
            });
            let of_head: Vec<&AtomText> = match &rule.head {
                HeadText::Constraint => Vec::new(),
                HeadText::Atom(atom) => vec![atom],
                HeadText::Choice { elements, .. } => elements.iter().map(|element| &element.atom).collect(),
            };
            for atom in of_head.into_iter().chain(of_body) {
                let relation = self.relation(atom);
                let row = self.joiner(rule.place).row(atom, &Vec::new())?;
                self.meter.spend(1 + row.len() as u64)?;
                self.relations[relation as usize].insert(row, false);
            }
            check_memory(&self.relations, &self.values, &self.meter)?;
        }
        Ok(())
    }

    /// All atoms that may be true.
    fn find_atoms(&mut self, rules: &[RuleText]) -> Result<(), ProgramTextError> {
        let possible: Vec<Possible<'_>> = rules.iter().flat_map(possible).collect();
        // Per rule its steps at first, and then once for each atom that may be new.
        let mut first_steps = Vec::new();
        let mut later_steps = Vec::new();
        for (rule, of) in rules.iter().flat_map(|rule| possible_of(rule).map(move |of| (rule, of))) {
            let possible = &possible[first_steps.len()];
            debug_assert_eq!(possible.head, of);
            self.relation(possible.head);
            let none = vec![false; possible.variables];
            first_steps.push(self.order(rule, &possible.body, None, none.clone())?);
            let mut later = Vec::new();
            for (at, literal) in possible.body.iter().enumerate() {
                if matches!(literal, Literal::Positive(_)) {
                    later.push(self.order(rule, &possible.body, Some(at), none.clone())?);
                }
            }
            later_steps.push(later);
        }
        let mut is_first = true;
        loop {
            let mut found: Vec<(Row, bool)> = Vec::new();
            for (number, rule) in possible.iter().enumerate() {
                let relation = self.numbers[&(rule.head.name.clone(), rule.head.arguments.len())];
                let first = std::slice::from_ref(&first_steps[number]);
                for steps in if is_first { first } else { &later_steps[number] } {
                    let mut joiner = self.joiner(rule.place);
                    let mut bindings: Bindings = vec![None; rule.variables];
                    joiner.run(steps, &mut bindings, &mut |joiner, bindings| {
                        let row = joiner.row(rule.head, bindings)?;
                        let known = joiner.relations[relation as usize].find(&row);
                        let is_fact =
                            |known: u32| joiner.relations[relation as usize].is_fact[known as usize];
                        if known.is_none_or(|known| rule.is_fact && !is_fact(known)) {
                            found.push(((relation, row), rule.is_fact));
                            let held = found.len() * 64;
                            joiner.meter.check_memory(held, || "atoms of the program".to_owned())?;
                        }
                        Ok(())
                    })?;
                }
            }
            let sizes: Vec<u32> = self.relations.iter().map(|relation| relation.rows.len() as u32).collect();
            for ((relation, row), is_fact) in found {
                self.relations[relation as usize].insert(row, is_fact);
            }
            check_memory(&self.relations, &self.values, &self.meter)?;
            let grown = |(relation, &size): (&Relation, &u32)| relation.rows.len() as u32 > size;
            if !self.relations.iter().zip(&sizes).any(grown) {
                return Ok(());
            }
            self.new_from = sizes;
            is_first = false;
        }
    }

    /// The atom of a row.
    fn atom(&mut self, relation: u32, row: Box<[Value]>, name: &str) -> Atom {
        if let Some(&atom) = self.atoms.get(&(relation, row.clone())) {
            return atom;
        }
        let mut text = name.to_owned();
        for (at, &value) in row.iter().enumerate() {
            text.push(if at == 0 { '(' } else { ',' });
            self.values.write(value, &mut text);
        }
        if !row.is_empty() {
            text.push(')');
        }
        let atom = self.program.atom(&text);
        self.atoms.insert((relation, row), atom);
        atom
    }

    fn helper(&mut self) -> Atom {
        // No name of a text begins so.
        let atom = self.program.atom(&format!("#{}", self.helpers.len()));
        self.helpers.push(atom);
        atom
    }

    /// The rules that a rule stands for.
    fn write(&mut self, rule: &RuleText, is_ground: bool) -> Result<(), ProgramTextError> {
        let mut instances: Vec<Bindings> = Vec::new();
        if is_ground {
            // Whether or not its body can hold.
            instances.push(Vec::new());
        } else {
            let none = vec![false; rule.variables.len()];
            let steps = self.order(rule, &rule.body, None, none)?;
            let mut bindings = vec![None; rule.variables.len()];
            self.joiner(rule.place).run(&steps, &mut bindings, &mut |joiner, bindings| {
                instances.push(bindings.clone());
                let bytes = instances.len() * bindings.len() * size_of::<Option<Value>>();
                Ok(joiner.meter.check_memory(bytes, || "instances of a rule".to_owned())?)
            })?;
        }
        for bindings in instances {
            self.meter.spend(1 + rule.body.len() as u64)?;
            let Some((positive, negative)) = self.body(&rule.body, &bindings, rule.place, is_ground)? else {
                continue;
            };
            let head = match &rule.head {
                HeadText::Constraint => Head::Constraint,
                HeadText::Atom(atom) => {
                    let row = self.joiner(rule.place).row(atom, &bindings)?;
                    let relation = self.relation(atom);
                    Head::Atom(self.atom(relation, row, &atom.name))
                }
                HeadText::Choice { at_least, elements, at_most } => {
                    let bounds = [at_least, at_most];
                    self.choice(rule, bounds, elements, &bindings, (&positive, &negative), is_ground)?
                }
            };
            self.program.rule(Rule { head, positive, negative });
        }
        Ok(())
    }

    /// The atoms of a body; nothing where it cannot hold.
    fn body(
        &mut self,
        body: &[Literal],
        bindings: &Bindings,
        place: Place,
        is_ground: bool,
    ) -> Result<Option<GroundBody>, ProgramTextError> {
        let (mut positive, mut negative) = (Vec::new(), Vec::new());
        for literal in body {
            let (atom, is_positive) = match literal {
                Literal::Positive(atom) => (atom, true),
                Literal::Negative(atom) => (atom, false),
                Literal::Compare(..) => continue,
            };
            let relation = self.relation(atom);
            let row = self.joiner(place).row(atom, bindings)?;
            let found = self.relations[relation as usize].find(&row);
            let is_fact =
                found.is_some_and(|found| self.relations[relation as usize].is_fact[found as usize]);
            match (is_positive, found) {
                _ if is_ground => {}
                (true, _) if is_fact => continue,
                (false, _) if is_fact => return Ok(None),
                (false, None) => continue,
                _ => {}
            }
            let atom = self.atom(relation, row, &atom.name);
            if is_positive {
                positive.push(atom);
            } else {
                negative.push(atom);
            }
        }
        Ok(Some((positive, negative)))
    }

    /// The atoms of a choice. Where what an element asks for is no fact, what counts is a helper that holds
    /// where both do.
    fn choice(
        &mut self,
        rule: &RuleText,
        bounds: [&Option<Term>; 2],
        elements: &[Element],
        bindings: &Bindings,
        (positive, negative): (&[Atom], &[Atom]),
        is_ground: bool,
    ) -> Result<Head, ProgramTextError> {
        let mut limits = [None, None];
        for (limit, bound) in limits.iter_mut().zip(bounds) {
            let Some(term) = bound else { continue };
            let value = self.joiner(rule.place).value(term, bindings)?;
            let number = self.values.number(value).and_then(|number| usize::try_from(number).ok());
            *limit = Some(number.ok_or(ProgramTextError::Bound { place: rule.place })?);
        }
        // Per atom the ways in which what it asks for may hold; none where it asks for nothing.
        let mut chosen: Vec<(Atom, Vec<GroundBody>)> = Vec::new();
        for element in elements {
            for bindings in self.element_instances(rule, element, bindings)? {
                let condition = self.body(&element.condition, &bindings, rule.place, is_ground)?;
                let Some(condition) = condition else { continue };
                let row = self.joiner(rule.place).row(&element.atom, &bindings)?;
                let relation = self.relation(&element.atom);
                let atom = self.atom(relation, row, &element.atom.name);
                let is_free = condition.0.is_empty() && condition.1.is_empty();
                match chosen.iter_mut().find(|(known, _)| *known == atom) {
                    Some((_, ways)) if is_free || ways.is_empty() => ways.clear(),
                    Some((_, ways)) => ways.push(condition),
                    None => chosen.push((atom, if is_free { Vec::new() } else { vec![condition] })),
                }
                self.meter.spend(chosen.len() as u64)?;
            }
        }
        let mut counted = Vec::with_capacity(chosen.len());
        for (atom, ways) in chosen {
            if ways.is_empty() {
                counted.push(atom);
                continue;
            }
            let (may, counts) = (self.helper(), self.helper());
            for (when, unless) in ways {
                self.program.normal(may, when, unless);
            }
            let free = Choice { atoms: vec![atom], at_least: 0, at_most: None };
            let allowed = positive.iter().copied().chain([may]).collect();
            self.program.rule(Rule {
                head: Head::Choice(free),
                positive: allowed,
                negative: negative.to_vec(),
            });
            self.program.normal(counts, vec![atom, may], Vec::new());
            self.program.constraint(vec![counts], vec![atom]);
            self.program.constraint(vec![counts], vec![may]);
            counted.push(counts);
        }
        Ok(Head::Choice(Choice { atoms: counted, at_least: limits[0].unwrap_or(0), at_most: limits[1] }))
    }

    fn element_instances(
        &mut self,
        rule: &RuleText,
        element: &Element,
        bindings: &Bindings,
    ) -> Result<Vec<Bindings>, ProgramTextError> {
        if element.condition.is_empty() {
            return Ok(vec![bindings.clone()]);
        }
        let bound = bindings.iter().map(Option::is_some).collect();
        let steps = self.order(rule, &element.condition, None, bound)?;
        let mut instances = Vec::new();
        let mut bindings = bindings.clone();
        self.joiner(rule.place).run(&steps, &mut bindings, &mut |_, bindings| {
            instances.push(bindings.clone());
            Ok(())
        })?;
        Ok(instances)
    }

    /// Says which atoms tell models apart.
    fn show(&mut self, shown: Option<&[(Box<str>, usize)]>) {
        let shown_relation = |numbers: &FxHashMap<(Box<str>, usize), u32>, relation: u32| {
            shown.is_none_or(|shown| shown.iter().any(|key| numbers.get(key) == Some(&relation)))
        };
        if shown.is_none() && self.helpers.is_empty() {
            return;
        }
        let mut atoms: Vec<Atom> = self
            .atoms
            .iter()
            .filter(|((relation, _), _)| shown_relation(&self.numbers, *relation))
            .map(|(_, &atom)| atom)
            .collect();
        atoms.sort_unstable();
        self.program.show(atoms);
    }
}

fn unbound(place: Place, variables: &[Box<str>], number: usize) -> ProgramTextError {
    let name = variables.get(number).map_or_else(String::new, ToString::to_string);
    ProgramTextError::Unbound { place, name }
}

/// What a rule may make true.
fn possible(rule: &RuleText) -> Vec<Possible<'_>> {
    let is_fact = rule.body.iter().all(|literal| matches!(literal, Literal::Compare(..)));
    let of = |head, condition: &[Literal], is_fact| Possible {
        head,
        is_fact,
        place: rule.place,
        variables: rule.variables.len(),
        body: rule.body.iter().chain(condition).cloned().collect(),
    };
    match &rule.head {
        HeadText::Constraint => Vec::new(),
        HeadText::Atom(atom) => vec![of(atom, &[], is_fact)],
        HeadText::Choice { elements, .. } => {
            elements.iter().map(|element| of(&element.atom, &element.condition, false)).collect()
        }
    }
}

fn possible_of(rule: &RuleText) -> impl Iterator<Item = &AtomText> {
    let (one, several) = match &rule.head {
        HeadText::Constraint => (None, &[][..]),
        HeadText::Atom(atom) => (Some(atom), &[][..]),
        HeadText::Choice { elements, .. } => (None, &elements[..]),
    };
    one.into_iter().chain(several.iter().map(|element| &element.atom))
}

/// Whether all variables of a rule get values.
fn check_bound(rule: &RuleText) -> Result<(), ProgramTextError> {
    let mut bound = vec![false; rule.variables.len()];
    give(&rule.body, &mut bound);
    let check = |atom: &AtomText, bound: &[bool]| {
        let variables = atom.arguments.iter().flat_map(Term::variables);
        match variables.into_iter().find(|&variable| !bound[variable as usize]) {
            Some(missing) => Err(unbound(rule.place, &rule.variables, missing as usize)),
            None => Ok(()),
        }
    };
    let negative = |literal: &Literal, bound: &[bool]| match literal {
        Literal::Negative(atom) => check(atom, bound),
        _ => Ok(()),
    };
    rule.body.iter().try_for_each(|literal| negative(literal, &bound))?;
    match &rule.head {
        HeadText::Constraint => Ok(()),
        HeadText::Atom(atom) => check(atom, &bound),
        HeadText::Choice { elements, .. } => elements.iter().try_for_each(|element| {
            let mut bound = bound.clone();
            give(&element.condition, &mut bound);
            element.condition.iter().try_for_each(|literal| negative(literal, &bound))?;
            check(&element.atom, &bound)
        }),
    }
}

/// Marks the variables that get values by positive atoms and comparisons.
fn give(body: &[Literal], bound: &mut [bool]) {
    for literal in body {
        match literal {
            Literal::Positive(atom) => {
                for variable in atom.arguments.iter().flat_map(Term::variables) {
                    bound[variable as usize] = true;
                }
            }
            Literal::Compare(Comparison::Equal, terms, _) => {
                for variable in terms.iter().flat_map(Term::variables) {
                    bound[variable as usize] = true;
                }
            }
            Literal::Negative(_) | Literal::Compare(..) => {}
        }
    }
}

/// A rule in which intervals stand in comparisons alone: `p(1..3)` is `p(N)` with `N = 1..3`.
fn without_ranges(rule: &RuleText) -> RuleText {
    let mut rule = rule.clone();
    let RuleText { head, body, variables, place } = &mut rule;
    let mut added = Vec::new();
    for literal in body.iter_mut() {
        if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
            take_ranges(atom, variables, *place, &mut added);
        }
    }
    match head {
        HeadText::Constraint => {}
        HeadText::Atom(atom) => take_ranges(atom, variables, *place, &mut added),
        HeadText::Choice { elements, .. } => {
            for element in elements {
                let mut of_element = Vec::new();
                for literal in &mut element.condition {
                    if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                        take_ranges(atom, variables, *place, &mut of_element);
                    }
                }
                take_ranges(&mut element.atom, variables, *place, &mut of_element);
                element.condition.append(&mut of_element);
            }
        }
    }
    body.append(&mut added);
    rule
}

fn take_ranges(atom: &mut AtomText, variables: &mut Vec<Box<str>>, place: Place, added: &mut Vec<Literal>) {
    let mut open: Vec<&mut Term> = atom.arguments.iter_mut().collect();
    while let Some(term) = open.pop() {
        match term {
            Term::Range(_) => {
                let variable = Term::Variable(variables.len() as u32);
                variables.push("an interval".into());
                let range = std::mem::replace(term, variable.clone());
                added.push(Literal::Compare(Comparison::Equal, Box::new([variable, range]), place));
            }
            Term::Function(_, parts) => open.extend(parts),
            _ => {}
        }
    }
}
