//! What the names of one game are called in another.

use ludex_logic::{TermId, TermView, Terms};

use super::{RuleGraph, RuleVertex};

/// The names of one game with what they are called in another one that has the same rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Each symbol (of a role, relation, function or constant) with its other name, ordered.
    pub symbols: Vec<(String, String)>,
    /// Symbols whose arguments stand in another order there, with the number of arguments: for each
    /// argument its place there, from 0.
    pub arguments: Vec<(String, Vec<usize>)>,
}

impl Names {
    pub(super) fn of(graph: &RuleGraph, other: &RuleGraph, images: &[u32]) -> Self {
        let mut names = Self::default();
        let mut arguments = Vec::new();
        for (vertex, &image) in images.iter().enumerate() {
            if let RuleVertex::Argument { symbol, arity, index } = graph.vertices[vertex]
                && let RuleVertex::Argument { index: there, .. } = other.vertices[image as usize]
            {
                arguments.push(((graph.terms.name(symbol).to_owned(), arity), index, there));
            } else if let RuleVertex::Symbol(_) = graph.vertices[vertex] {
                names.symbols.push((graph.name(vertex as u32), other.name(image)));
            }
        }
        names.symbols.sort();
        arguments.sort();
        for of_one in arguments.chunk_by(|a, b| a.0 == b.0) {
            let places: Vec<usize> = of_one.iter().map(|&(_, _, there)| there).collect();
            if !places.is_sorted() {
                names.arguments.push((of_one[0].0.0.clone(), places));
            }
        }
        names
    }

    /// The way back: from the other game to this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut symbols: Vec<(String, String)> =
            self.symbols.iter().map(|(old, new)| (new.clone(), old.clone())).collect();
        symbols.sort();
        let turned = |(name, places): &(String, Vec<usize>)| {
            let mut back = vec![0; places.len()];
            places.iter().enumerate().for_each(|(here, &there)| back[there] = here);
            (self.other(name).unwrap_or(name).to_owned(), back)
        };
        let mut arguments: Vec<(String, Vec<usize>)> = self.arguments.iter().map(turned).collect();
        arguments.sort();
        Self { symbols, arguments }
    }

    /// Whether nothing has another name, and no arguments stand elsewhere.
    pub fn is_identity(&self) -> bool {
        self.arguments.is_empty() && self.symbols.iter().all(|(old, new)| old == new)
    }

    /// The symbols whose names differ.
    pub fn renamed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.symbols.iter().filter(|(old, new)| old != new).map(|(old, new)| (old.as_str(), new.as_str()))
    }

    /// The other name of a symbol.
    pub fn other(&self, symbol: &str) -> Option<&str> {
        let found = self.symbols.binary_search_by(|(old, _)| old.as_str().cmp(symbol));
        found.ok().map(|at| self.symbols[at].1.as_str())
    }

    /// A term of the one game in the other one. A name that is not known stays.
    pub fn term(&self, terms: &Terms, term: TermId, others: &Terms) -> TermId {
        enum Job {
            Visit(TermId),
            Build(TermId),
        }
        let mut jobs = vec![Job::Visit(term)];
        let mut built: Vec<TermId> = Vec::new();
        while let Some(job) = jobs.pop() {
            match job {
                Job::Visit(term) => match terms.view(term) {
                    TermView::Constant(symbol) => {
                        let name = terms.name(symbol);
                        built.push(others.constant(self.other(name).unwrap_or(name)));
                    }
                    TermView::Compound(_, args) => {
                        jobs.push(Job::Build(term));
                        jobs.extend(args.iter().rev().map(|&arg| Job::Visit(arg)));
                    }
                },
                Job::Build(term) => {
                    if let TermView::Compound(functor, args) = terms.view(term) {
                        // Each argument left one term.
                        let parts = built.split_off(built.len() - args.len());
                        let name = terms.name(functor);
                        let mut moved = parts.clone();
                        for (&part, place) in parts.iter().zip(self.places(name, args.len())) {
                            moved[place] = part;
                        }
                        built.push(others.compound(others.symbol(self.other(name).unwrap_or(name)), &moved));
                    }
                }
            }
        }
        built.pop().unwrap_or(term)
    }

    /// Where the arguments of a symbol stand in the other game.
    fn places(&self, symbol: &str, arity: usize) -> Vec<usize> {
        let found = self.arguments.iter().find(|(name, places)| name == symbol && places.len() == arity);
        found.map_or_else(|| (0..arity).collect(), |(_, places)| places.clone())
    }
}
