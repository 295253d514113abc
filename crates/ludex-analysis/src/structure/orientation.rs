//! Which way round a grid is drawn.
//!
//! Shape cannot tell: a game does not change when its board is turned or mirrored. So this follows
//! what the author wrote. Where moves are called `up` and `left`, pictures go by what these do; see
//! `directions`. Else letters before numbers are read as on a chess board. Where the rules speak of rows
//! and columns, in names of variables or of relations, these lie as they say; then a coordinate that is
//! called `x` or `c` runs across, and one that is called `y` or `r` down the side; and where nothing says
//! so, the first coordinate is the row, as in the book's tic-tac-toe (2.5). Where the first coordinate
//! runs across, the second grows upwards, else it begins at the top left. Axes carry labels, so no
//! picture is ambiguous.

use ludex_gdl::GameProgram;
use ludex_logic::{Atom, Clause, Pattern, RelationId, SymbolId, TermId, TermView, Terms, VariableId};
use rustc_hash::FxHashMap;

/// How the two coordinates of a grid are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Orientation {
    /// The first coordinate runs across, else down.
    pub first_across: bool,
    /// The other one grows upwards.
    pub upwards: bool,
}

/// What names say: positive where the first coordinate runs across.
#[derive(Clone, Copy, Debug, Default)]
struct Votes {
    /// Rows and columns are called so.
    rows: i32,
    /// Coordinates are called `x` and `y`, or by the first letters of rows and columns.
    letters: i32,
    /// How often a coordinate is called anything.
    names: i32,
}

/// The orientation of the coordinates in columns `pair` of facts `functor(...)`.
pub(crate) fn orientation(
    game: &GameProgram,
    terms: &Terms,
    functor: SymbolId,
    pair: [usize; 2],
    first: &[TermId],
    second: &[TermId],
) -> Orientation {
    let mut votes = Votes::default();
    let named = NamedArguments::of(game);
    for clause in game.program.clauses.iter() {
        votes.look(game, &named, clause, functor, pair);
    }
    let letters = |domain: &[TermId]| {
        domain.iter().all(|&t| match terms.view(t) {
            TermView::Constant(s) => terms.name(s).chars().all(char::is_alphabetic),
            TermView::Compound(..) => false,
        })
    };
    if letters(first) && !letters(second) {
        return Orientation { first_across: true, upwards: true };
    }
    // The values' own names, as `r1` and `c1`, say it too.
    let own = |domain: &[TermId]| domain.first().map_or(0, |&t| direction_of_value(terms, t));
    votes.rows += 8 * (own(first) - own(second));
    // A letter now and then, among others, says nothing.
    let letters = if 3 * votes.letters.abs() >= votes.names { votes.letters } else { 0 };
    let sum = if votes.rows == 0 { letters } else { votes.rows };
    Orientation { first_across: sum > 0, upwards: sum > 0 }
}

/// The arguments of relations that are rows or columns: 1 for a column, -1 for a row.
struct NamedArguments(FxHashMap<(RelationId, usize), i32>);

/// So many rules may lie between a relation called `row` and one that has a row from it.
const NAMED_THROUGH: usize = 3;

impl NamedArguments {
    /// A relation called `row` has one as its first variable, and who takes a variable from there has a row, too.
    fn of(game: &GameProgram) -> Self {
        let mut named = Self(FxHashMap::default());
        for _ in 0..NAMED_THROUGH {
            let mut found: FxHashMap<(RelationId, usize), i32> = FxHashMap::default();
            for clause in game.program.clauses.iter().filter(|clause| !clause.is_fact()) {
                let words = named.in_clause(game, clause);
                for (at, arg) in clause.head.args.iter().enumerate() {
                    let Some(variable) = variable(arg) else { continue };
                    let sum: i32 = words.iter().filter(|(v, _)| *v == variable).map(|(_, word)| word).sum();
                    *found.entry((clause.head.relation, at)).or_default() += sum.signum();
                }
            }
            found.retain(|_, sum| {
                *sum = sum.signum();
                *sum != 0
            });
            if found == named.0 {
                break;
            }
            named.0 = found;
        }
        named
    }

    /// The variables of a clause that are rows or columns, as often as it says so.
    fn in_clause(&self, game: &GameProgram, clause: &Clause) -> Vec<(VariableId, i32)> {
        let mut words = Vec::new();
        let mut look = |relation: RelationId, args: &[Pattern]| {
            let name = game.program.relation_name(relation).to_lowercase();
            if let (word @ (1 | -1), Some(first)) = (row_or_column(&name), args.iter().find_map(variable)) {
                words.push((first, word));
            }
            for (at, arg) in args.iter().enumerate() {
                if let (Some(&word), Some(variable)) = (self.0.get(&(relation, at)), variable(arg)) {
                    words.push((variable, word));
                }
            }
        };
        look(clause.head.relation, &clause.head.args);
        clause.body.atoms(&mut |atom: &Atom, _| look(atom.relation, &atom.args));
        words
    }
}

fn variable(pattern: &Pattern) -> Option<VariableId> {
    if let Pattern::Variable(variable) = pattern { Some(*variable) } else { None }
}

impl Votes {
    /// What the names in a clause say: those of variables that stand for coordinates, and those of relations
    /// that have such a variable as a row or column.
    fn look(
        &mut self,
        game: &GameProgram,
        named: &NamedArguments,
        clause: &Clause,
        functor: SymbolId,
        pair: [usize; 2],
    ) {
        let words = [game.vocabulary.truth, game.vocabulary.next, game.vocabulary.init, game.vocabulary.base];
        let mut coordinates: Vec<(VariableId, i32)> = Vec::new();
        let mut look = |relation: RelationId, args: &[Pattern]| {
            // The fact is the last argument, also in real time, where its lifetime comes before.
            let Some(Pattern::Compound(f, fact)) = args.last().filter(|_| words.contains(&relation)) else {
                return;
            };
            if *f != functor {
                return;
            }
            for (column, sign) in [(pair[0], 1), (pair[1], -1)] {
                if let Some(v) = fact.get(column).and_then(variable) {
                    coordinates.push((v, sign));
                }
            }
        };
        look(clause.head.relation, &clause.head.args);
        clause.body.atoms(&mut |atom, _| look(atom.relation, &atom.args));
        let said = if coordinates.is_empty() { Vec::new() } else { named.in_clause(game, clause) };
        let terms = &game.program.terms;
        for (variable, sign) in coordinates {
            let name = terms.name(clause.variables[variable]).to_lowercase();
            self.rows += sign * row_or_column(&name);
            self.letters += sign * letter(&name);
            self.names += 1;
            let relations = said.iter().filter(|(other, _)| *other == variable);
            self.rows += sign * relations.map(|(_, word)| word).sum::<i32>();
        }
    }
}

/// 1 for the word for a column, -1 for that for a row.
fn row_or_column(name: &str) -> i32 {
    match name {
        // A colour is no column.
        _ if name.starts_with("color") || name.starts_with("colour") => 0,
        _ if name.starts_with("col") || name.starts_with("file") => 1,
        _ if name.starts_with("row") || name.starts_with("rank") => -1,
        _ => 0,
    }
}

/// 1 for the letter of a coordinate that runs across, -1 for that of one that runs down.
fn letter(name: &str) -> i32 {
    match name {
        _ if name.starts_with('x') => 1,
        _ if name.starts_with('y') => -1,
        "c" | "c1" | "c2" => 1,
        "r" | "r1" | "r2" => -1,
        _ => 0,
    }
}

fn direction_of_value(terms: &Terms, value: TermId) -> i32 {
    let TermView::Constant(symbol) = terms.view(value) else { return 0 };
    let name = terms.name(symbol);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() == name.len() {
        return 0;
    }
    match stem {
        "c" | "x" | "col" => 1,
        "r" | "y" | "row" => -1,
        _ => 0,
    }
}
