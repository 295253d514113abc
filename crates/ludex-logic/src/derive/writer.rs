//! Terms and formulas with variables as text, in the book's infix notation and in prefix.

use super::tree::DerivationTree;
use crate::ids::{ClauseId, Id, SymbolId, TermId, VariableId};
use crate::program::{Formula, GroundAtom, Pattern, Program};
use crate::terms::Notation;

/// What variables are called.
#[derive(Clone, Copy)]
pub(crate) enum Names<'a> {
    /// As in a clause; `V1`, `V2`... in a query.
    Clause(Option<ClauseId>),
    /// As in a derivation tree, with a prime for each copy of a clause.
    Tree(&'a DerivationTree),
}

enum Job<'a> {
    Text(&'static str),
    Pattern(&'a Pattern),
    Ground(TermId),
    /// With whether a conjunction or disjunction needs parentheses here.
    Formula(&'a Formula, bool),
}

/// Writes formulas of one program with an explicit stack, so that depth does not matter.
pub(crate) struct Writer<'a> {
    pub program: &'a Program,
    pub notation: Notation,
    pub names: Names<'a>,
}

impl<'a> Writer<'a> {
    pub fn pattern(&self, pattern: &Pattern) -> String {
        self.run(vec![Job::Pattern(pattern)])
    }

    pub fn ground_atom(&self, atom: &GroundAtom) -> String {
        let mut jobs = Vec::new();
        let args = atom.args.iter().map(|&t| Job::Ground(t));
        self.push_application(self.program.relations[atom.relation].name, args, &mut jobs);
        self.run(jobs)
    }

    /// A formula as a part of a query: disjunctions and conjunctions are put in parentheses.
    pub fn literal(&self, formula: &Formula) -> String {
        self.run(vec![Job::Formula(formula, true)])
    }

    fn run<'b>(&self, mut jobs: Vec<Job<'b>>) -> String {
        let mut out = String::new();
        let terms = &self.program.terms;
        while let Some(job) = jobs.pop() {
            match job {
                Job::Text(text) => out.push_str(text),
                Job::Ground(term) => out.push_str(&terms.shown_in(term, self.notation)),
                Job::Pattern(Pattern::Ground(term)) => jobs.push(Job::Ground(*term)),
                Job::Pattern(Pattern::Variable(variable)) => {
                    if self.notation == Notation::Prefix {
                        out.push('?');
                    }
                    self.write_name(*variable, &mut out);
                }
                Job::Pattern(Pattern::Compound(functor, args)) => {
                    self.push_application(*functor, args.iter().map(Job::Pattern), &mut jobs);
                }
                Job::Formula(formula, inner) => self.push_formula(formula, inner, &mut jobs),
            }
        }
        out
    }

    fn write_name(&self, variable: VariableId, out: &mut String) {
        let terms = &self.program.terms;
        match self.names {
            Names::Clause(clause) => {
                match clause.and_then(|clause| self.program.clauses[clause].variables.get(variable)) {
                    Some(&symbol) => out.push_str(terms.name(symbol)),
                    None => out.push_str(&format!("V{}", variable.index() + 1)),
                }
            }
            Names::Tree(tree) => {
                if let Some(name) = tree.variables.get(variable) {
                    out.push_str(terms.name(name.name));
                    (0..name.copy).for_each(|_| out.push('\''));
                }
            }
        }
    }

    fn push_application<'b>(
        &self,
        name: SymbolId,
        args: impl DoubleEndedIterator<Item = Job<'b>> + ExactSizeIterator,
        jobs: &mut Vec<Job<'b>>,
    ) {
        // The name is the text of a constant of the same symbol, so it can be queued as one.
        let name = Job::Ground(self.program.terms.constant_of(name));
        if args.len() == 0 {
            jobs.push(name);
            return;
        }
        let (open, separator) = match self.notation {
            Notation::Infix => ("(", ","),
            Notation::Prefix => (" ", " "),
        };
        jobs.push(Job::Text(")"));
        for (i, arg) in args.enumerate().rev() {
            jobs.push(arg);
            jobs.push(Job::Text(if i > 0 { separator } else { open }));
        }
        jobs.push(name);
        if self.notation == Notation::Prefix {
            jobs.push(Job::Text("("));
        }
    }

    fn push_formula<'b>(&self, formula: &'b Formula, inner: bool, jobs: &mut Vec<Job<'b>>) {
        let infix = self.notation == Notation::Infix;
        match formula {
            Formula::Atom(atom) => {
                let name = self.program.relations[atom.relation].name;
                self.push_application(name, atom.args.iter().map(Job::Pattern), jobs);
            }
            Formula::Distinct(a, b) => {
                let (open, separator) = if infix { ("distinct(", ",") } else { ("(distinct ", " ") };
                jobs.extend([
                    Job::Text(")"),
                    Job::Pattern(b),
                    Job::Text(separator),
                    Job::Pattern(a),
                    Job::Text(open),
                ]);
            }
            Formula::Not(part) if infix => {
                jobs.push(Job::Formula(part, true));
                jobs.push(Job::Text("~"));
            }
            Formula::Not(part) => {
                jobs.extend([Job::Text(")"), Job::Formula(part, true), Job::Text("(not ")]);
            }
            Formula::And(parts) | Formula::Or(parts) => {
                let is_and = matches!(formula, Formula::And(_));
                if infix {
                    if parts.is_empty() {
                        jobs.push(Job::Text(if is_and { "□" } else { "failure" }));
                        return;
                    }
                    if inner {
                        jobs.push(Job::Text(")"));
                    }
                    for (i, part) in parts.iter().enumerate().rev() {
                        jobs.push(Job::Formula(part, true));
                        if i > 0 {
                            jobs.push(Job::Text(if is_and { " & " } else { " | " }));
                        }
                    }
                    if inner {
                        jobs.push(Job::Text("("));
                    }
                } else {
                    jobs.push(Job::Text(")"));
                    for part in parts.iter().rev() {
                        jobs.push(Job::Formula(part, true));
                        jobs.push(Job::Text(" "));
                    }
                    jobs.push(Job::Text(if is_and { "(and" } else { "(or" }));
                }
            }
        }
    }
}
