//! Which arguments of moves are columns of facts: by variables that a rule has in both places.
//!
//! `legal(P,take(H,K)) :- true(heap(H,N)) & minus(N,K,M)` says that the first argument of `take` is a heap. The
//! variable may go through relations that depend on the state or the moves, not through those that never
//! change: successor relations and arithmetic are shared by places and amounts.

use ludex_gdl::GameProgram;
use ludex_logic::{Clause, IdVec, Pattern, RelationId, SymbolId, TermId, TermView, Terms, VariableId};
use rustc_hash::FxHashMap;

/// A column of the facts of a kind: functor, number of columns, column. Columns are counted as
/// [`super::Kinds`] does: functional arguments are laid flat one level deep.
type Column = (SymbolId, usize, usize);
/// An argument of a move, counted in the same way with all levels laid flat.
type Argument = (SymbolId, usize, usize);

/// So many relations may lie between a fact and a move.
const THROUGH: usize = 4;
/// Levels of a move that are looked at, and arguments.
pub(crate) const DEEP: usize = 32;
const LEAVES: usize = 64;
/// More columns than this for one argument say nothing.
const COLUMNS: usize = 6;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct References {
    arguments: FxHashMap<Argument, Vec<(Column, usize)>>,
}

/// What is known of the arguments of relations on the way.
type Known = FxHashMap<(RelationId, usize), Vec<Column>>;

impl References {
    /// Looks at the rules of a game; `changing` are the relations that depend on the state or the moves.
    pub fn of(game: &GameProgram, changing: &IdVec<RelationId, bool>) -> Self {
        let mut known = Known::default();
        for _ in 0..THROUGH {
            let before = known.len();
            for clause in game.program.clauses.iter().filter(|clause| !clause.is_fact()) {
                spread(game, changing, clause, &mut known);
            }
            if known.len() == before {
                break;
            }
        }
        let mut found = Self::default();
        for clause in game.program.clauses.iter().filter(|clause| !clause.is_fact()) {
            found.read(game, clause, &known);
        }
        found
    }

    fn read(&mut self, game: &GameProgram, clause: &Clause, known: &Known) {
        let columns = columns_in(game, clause, known);
        let words = [game.vocabulary.legal, game.vocabulary.does];
        let mut look = |relation: RelationId, args: &[Pattern]| {
            let Some(Pattern::Compound(functor, action)) = args.last().filter(|_| words.contains(&relation))
            else {
                return;
            };
            let mut leaves = Vec::new();
            action.iter().for_each(|argument| flat(argument, DEEP, &game.program.terms, &mut leaves));
            for (at, leaf) in leaves.iter().enumerate() {
                let Some(variable) = leaf else { continue };
                for &(_, column) in columns.iter().filter(|(other, _)| other == variable) {
                    let seen = self.arguments.entry((*functor, leaves.len(), at)).or_default();
                    match seen.iter_mut().find(|(other, _)| *other == column) {
                        Some((_, votes)) => *votes += 1,
                        None => seen.push((column, 1)),
                    }
                }
            }
        };
        look(clause.head.relation, &clause.head.args);
        clause.body.atoms(&mut |atom, _| look(atom.relation, &atom.args));
    }

    /// The columns of facts with this functor and so many columns that an argument of a move may be, and how
    /// many rules say so.
    pub fn columns(
        &self,
        (action, arguments, at): Argument,
        (functor, arity): (SymbolId, usize),
    ) -> impl Iterator<Item = (usize, usize)> + '_ {
        let seen = self.arguments.get(&(action, arguments, at)).map_or(&[][..], Vec::as_slice);
        let fitting = move |((f, a, column), votes): &(Column, usize)| {
            ((*f, *a) == (functor, arity)).then_some((*column, *votes))
        };
        seen.iter().filter_map(fitting)
    }

    /// Whether some move names a value of this column.
    pub fn names(&self, column: Column) -> bool {
        self.arguments.values().flatten().any(|(other, _)| *other == column)
    }
}

/// The variables of a clause that are columns of facts.
fn columns_in(game: &GameProgram, clause: &Clause, known: &Known) -> Vec<(VariableId, Column)> {
    let vocabulary = &game.vocabulary;
    let facts = [vocabulary.truth, vocabulary.next, vocabulary.init, vocabulary.base];
    let mut found: Vec<(VariableId, Column)> = Vec::new();
    let mut add = |variable: VariableId, column: Column| {
        if !found.contains(&(variable, column)) {
            found.push((variable, column));
        }
    };
    let mut look = |relation: RelationId, args: &[Pattern]| {
        if facts.contains(&relation) {
            // The fact is the last argument, also in real time, where its lifetime comes before.
            let Some(Pattern::Compound(functor, fact)) = args.last() else { return };
            let mut leaves = Vec::new();
            fact.iter().for_each(|argument| flat(argument, 1, &game.program.terms, &mut leaves));
            for (column, leaf) in leaves.iter().enumerate() {
                if let Some(variable) = leaf {
                    add(*variable, (*functor, leaves.len(), column));
                }
            }
            return;
        }
        for (at, argument) in args.iter().enumerate() {
            if let (Pattern::Variable(variable), Some(columns)) = (argument, known.get(&(relation, at))) {
                columns.iter().for_each(|&column| add(*variable, column));
            }
        }
    };
    look(clause.head.relation, &clause.head.args);
    clause.body.atoms(&mut |atom, _| look(atom.relation, &atom.args));
    found
}

/// What a clause says of the arguments of relations that change, in its head and in its body.
fn spread(game: &GameProgram, changing: &IdVec<RelationId, bool>, clause: &Clause, known: &mut Known) {
    let columns = columns_in(game, clause, known);
    let vocabulary = &game.vocabulary;
    let words = [
        vocabulary.truth,
        vocabulary.next,
        vocabulary.init,
        vocabulary.base,
        vocabulary.legal,
        vocabulary.does,
    ];
    let mut look = |relation: RelationId, args: &[Pattern]| {
        if words.contains(&relation) || !changing[relation] {
            return;
        }
        for (at, argument) in args.iter().enumerate() {
            let Pattern::Variable(variable) = argument else { continue };
            for &(_, column) in columns.iter().filter(|(other, _)| other == variable) {
                let place = known.entry((relation, at)).or_default();
                if !place.contains(&column) && place.len() < COLUMNS {
                    place.push(column);
                }
            }
        }
    };
    look(clause.head.relation, &clause.head.args);
    clause.body.atoms(&mut |atom, _| look(atom.relation, &atom.args));
}

/// The leaves of a pattern from left to right, as many levels deep: variables, and `None` for all else.
fn flat(pattern: &Pattern, levels: usize, terms: &Terms, leaves: &mut Vec<Option<VariableId>>) {
    match pattern {
        Pattern::Variable(variable) => leaves.push(Some(*variable)),
        Pattern::Compound(_, arguments) if levels > 0 => {
            arguments.iter().for_each(|argument| flat(argument, levels - 1, terms, leaves));
        }
        Pattern::Ground(term) => {
            let mut ground = Vec::new();
            flat_term(terms, *term, levels, &mut ground);
            leaves.extend(ground.iter().map(|_| None));
        }
        Pattern::Compound(..) => leaves.push(None),
    }
}

/// The leaves of a term from left to right, as many levels deep; the first ones of very large terms.
pub(crate) fn flat_term(terms: &Terms, term: TermId, levels: usize, leaves: &mut Vec<TermId>) {
    match terms.view(term) {
        _ if leaves.len() >= LEAVES => {}
        TermView::Compound(_, arguments) if levels > 0 => {
            arguments.iter().for_each(|&argument| flat_term(terms, argument, levels - 1, leaves));
        }
        _ => leaves.push(term),
    }
}
