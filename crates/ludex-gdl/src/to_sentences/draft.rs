//! Sentences as they are put together, and their text.

use std::fmt::Write;

use ludex_logic::relational::Sentence;
use ludex_logic::{Atom, Formula, Id, Pattern, TEXT_LIMIT, TermId, TermView, Terms, VariableId};
use rustc_hash::FxHashSet;

use super::ToIgdlError;
use crate::lower::MAX_NESTING;
use crate::print::{spell_constant, spell_variable};
use crate::tree::Notation;

/// What always holds.
pub(super) const TRUE: Sentence = Sentence::And(Vec::new());
/// What never holds.
pub(super) const FALSE: Sentence = Sentence::Or(Vec::new());

/// The variables of a sentence. Those of different scopes may have the same name.
#[derive(Debug, Default)]
pub(super) struct Variables {
    names: Vec<String>,
}

/// The names that are taken where a variable is to be added, in capitals: prefix does not tell these from others.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope(FxHashSet<String>);

impl Variables {
    /// A new variable, called as wanted or nearly so; its name is none of the scope, to which it is added.
    pub fn add(&mut self, wanted: &str, scope: &mut Scope) -> VariableId {
        let wanted = spell_variable(wanted, Notation::Infix);
        let numbered = (2u64..).map(|number| format!("{wanted}{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(numbered);
        // There are more numbers than names.
        let name = names.find(|name| scope.0.insert(name.to_uppercase())).unwrap_or_default();
        let variable = VariableId::from_index(self.names.len());
        self.names.push(name);
        variable
    }

    /// The scope of the first variables.
    pub fn scope(&self, count: usize) -> Scope {
        Scope(self.names.iter().take(count).map(|name| name.to_uppercase()).collect())
    }
}

/// A sentence with its variables.
#[derive(Debug)]
pub(super) struct Draft {
    pub sentence: Sentence,
    pub variables: Variables,
}

/// The pattern with values in place of its variables; a variable without one is left as it is.
pub(super) fn substituted(terms: &Terms, pattern: &Pattern, values: &[Option<Pattern>]) -> Pattern {
    match pattern {
        Pattern::Ground(_) => pattern.clone(),
        Pattern::Variable(variable) => match &values[variable.index()] {
            Some(value) => value.clone(),
            None => pattern.clone(),
        },
        Pattern::Compound(functor, args) => {
            let args: Vec<Pattern> = args.iter().map(|arg| substituted(terms, arg, values)).collect();
            match args.iter().map(Pattern::ground).collect::<Option<Vec<TermId>>>() {
                Some(args) => Pattern::Ground(terms.compound(*functor, &args)),
                None => Pattern::Compound(*functor, args.into()),
            }
        }
    }
}

/// The body of a clause as a sentence. Lowering has limited its depth.
pub(super) fn body(terms: &Terms, formula: &Formula, values: &[Option<Pattern>]) -> Sentence {
    let parts = |parts: &[Formula]| parts.iter().map(|part| body(terms, part, values)).collect::<Vec<_>>();
    match formula {
        Formula::Atom(atom) => {
            let args = atom.args.iter().map(|arg| substituted(terms, arg, values)).collect();
            Sentence::Atom(Atom { relation: atom.relation, args })
        }
        Formula::Distinct(one, other) => {
            not(equal(substituted(terms, one, values), substituted(terms, other, values)))
        }
        Formula::Not(part) => not(body(terms, part, values)),
        Formula::And(all) => and(parts(all)),
        Formula::Or(all) => or(parts(all)),
    }
}

/// An equation; what it says where that is decided.
pub(super) fn equal(one: Pattern, other: Pattern) -> Sentence {
    if one == other {
        return TRUE;
    }
    if one.is_ground() && other.is_ground() {
        return FALSE;
    }
    Sentence::Equal(one, other)
}

/// A negation.
pub(super) fn not(part: Sentence) -> Sentence {
    if part == TRUE {
        FALSE
    } else if part == FALSE {
        TRUE
    } else {
        Sentence::Not(Box::new(part))
    }
}

/// A conjunction, without conjunctions in it.
pub(super) fn and(parts: Vec<Sentence>) -> Sentence {
    let mut all = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Sentence::And(inner) => all.extend(inner),
            part if part == FALSE => return FALSE,
            part => all.push(part),
        }
    }
    only(all, Sentence::And)
}

/// A disjunction, without disjunctions in it.
pub(super) fn or(parts: Vec<Sentence>) -> Sentence {
    let mut all = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Sentence::Or(inner) => all.extend(inner),
            part if part == TRUE => return TRUE,
            part => all.push(part),
        }
    }
    only(all, Sentence::Or)
}

fn only(mut parts: Vec<Sentence>, join: impl Fn(Vec<Sentence>) -> Sentence) -> Sentence {
    match parts.pop() {
        Some(part) if parts.is_empty() => part,
        last => {
            parts.extend(last);
            join(parts)
        }
    }
}

/// An implication.
pub(super) fn implies(antecedent: Sentence, consequent: Sentence) -> Sentence {
    if antecedent == TRUE {
        return consequent;
    }
    Sentence::Implies(Box::new(antecedent), Box::new(consequent))
}

/// An equivalence of an atom.
pub(super) fn iff(atom: Sentence, other: Sentence) -> Sentence {
    if other == TRUE {
        atom
    } else if other == FALSE {
        not(atom)
    } else {
        Sentence::Iff(Box::new(atom), Box::new(other))
    }
}

/// What holds for some, or for all (`every`), values of variables.
pub(super) fn quantified(variables: &[VariableId], scope: Sentence, every: bool) -> Sentence {
    if scope == TRUE || scope == FALSE {
        return scope;
    }
    variables.iter().rev().fold(scope, |scope, &variable| {
        let scope = Box::new(scope);
        if every { Sentence::ForAll(variable, scope) } else { Sentence::Exists(variable, scope) }
    })
}

/// Writes sentences in infix, with all brackets.
pub(super) struct Writer<'a> {
    pub terms: &'a Terms,
    /// What relations are called, as infix spells it.
    pub relations: &'a [String],
    pub out: String,
    /// The most bytes.
    pub limit: usize,
}

impl Writer<'_> {
    /// A sentence on a line of its own.
    pub fn draft(&mut self, draft: &Draft) -> Result<(), ToIgdlError> {
        self.sentence(&draft.sentence, &draft.variables, 1)?;
        self.out.push_str(".\n");
        if self.out.len() > self.limit { Err(ToIgdlError::TooLarge) } else { Ok(()) }
    }

    fn sentence(
        &mut self,
        sentence: &Sentence,
        variables: &Variables,
        depth: usize,
    ) -> Result<(), ToIgdlError> {
        if depth > MAX_NESTING {
            return Err(ToIgdlError::TooLarge);
        }
        match sentence {
            Sentence::Atom(atom) => {
                self.out.push_str(&self.relations[atom.relation.index()]);
                self.args(&atom.args, variables)?;
            }
            Sentence::Equal(one, other) => self.equation([one, other], "=", variables)?,
            Sentence::Not(part) => match &**part {
                Sentence::Equal(one, other) => self.equation([one, other], "!=", variables)?,
                part => {
                    self.out.push('~');
                    self.sentence(part, variables, depth + 1)?;
                }
            },
            Sentence::And(parts) => self.joined(parts.iter(), " & ", variables, depth)?,
            Sentence::Or(parts) => self.joined(parts.iter(), " | ", variables, depth)?,
            Sentence::Implies(one, other) => {
                self.joined([&**one, other].into_iter(), " => ", variables, depth)?;
            }
            Sentence::Iff(one, other) => {
                self.joined([&**one, other].into_iter(), " <=> ", variables, depth)?;
            }
            Sentence::ForAll(variable, scope) | Sentence::Exists(variable, scope) => {
                let quantifier = if matches!(sentence, Sentence::ForAll(..)) { 'A' } else { 'E' };
                // Writing to a string cannot fail.
                let _ = write!(self.out, "{quantifier}{}:(", variables.names[variable.index()]);
                self.sentence(scope, variables, depth + 1)?;
                self.out.push(')');
            }
        }
        Ok(())
    }

    fn joined<'s>(
        &mut self,
        parts: impl Iterator<Item = &'s Sentence>,
        sign: &str,
        variables: &Variables,
        depth: usize,
    ) -> Result<(), ToIgdlError> {
        self.out.push('(');
        for (number, part) in parts.enumerate() {
            if number > 0 {
                self.out.push_str(sign);
            }
            self.sentence(part, variables, depth + 1)?;
        }
        self.out.push(')');
        Ok(())
    }

    fn equation(
        &mut self,
        [one, other]: [&Pattern; 2],
        sign: &str,
        variables: &Variables,
    ) -> Result<(), ToIgdlError> {
        self.pattern(one, variables)?;
        self.out.push_str(sign);
        self.pattern(other, variables)
    }

    fn args(&mut self, args: &[Pattern], variables: &Variables) -> Result<(), ToIgdlError> {
        if args.is_empty() {
            return Ok(());
        }
        for (number, arg) in args.iter().enumerate() {
            self.out.push(if number == 0 { '(' } else { ',' });
            self.pattern(arg, variables)?;
        }
        self.out.push(')');
        Ok(())
    }

    /// A term. Lowering has limited the depth of those with variables.
    pub fn pattern(&mut self, pattern: &Pattern, variables: &Variables) -> Result<(), ToIgdlError> {
        match pattern {
            Pattern::Ground(term) => return self.term(*term),
            Pattern::Variable(variable) => self.out.push_str(&variables.names[variable.index()]),
            Pattern::Compound(functor, args) => {
                self.out.push_str(&spell_constant(self.terms.name(*functor), Notation::Infix));
                self.args(args, variables)?;
            }
        }
        Ok(())
    }

    /// A term without variables, which may be of any depth.
    fn term(&mut self, term: TermId) -> Result<(), ToIgdlError> {
        enum Part {
            Term(TermId),
            Sign(char),
        }
        if self.terms.text_bytes(term) > TEXT_LIMIT {
            return Err(ToIgdlError::TooLarge);
        }
        let mut open = vec![Part::Term(term)];
        while let Some(part) = open.pop() {
            let (name, args) = match part {
                Part::Sign(sign) => {
                    self.out.push(sign);
                    continue;
                }
                Part::Term(term) => match self.terms.view(term) {
                    TermView::Constant(name) => (name, &[][..]),
                    TermView::Compound(functor, args) => (functor, args),
                },
            };
            self.out.push_str(&spell_constant(self.terms.name(name), Notation::Infix));
            if !args.is_empty() {
                open.push(Part::Sign(')'));
            }
            for (number, &arg) in args.iter().enumerate().rev() {
                open.extend([Part::Term(arg), Part::Sign(if number == 0 { '(' } else { ',' })]);
            }
        }
        Ok(())
    }
}
