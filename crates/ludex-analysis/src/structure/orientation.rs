//! Which way round a grid is drawn.
//!
//! Shape cannot tell: a game does not change when its board is turned or mirrored. So this follows
//! what the author wrote. Where the rules call a coordinate `x`, `c` or `column` it runs across, where
//! they call it `y`, `r` or `row` it runs down the side; with neither, letters before numbers are
//! read as on a chess board, and else the first coordinate is the row, as in the book's tic-tac-toe
//! (2.5). Where the first coordinate runs across, the second grows upwards, else it begins at the
//! top left. Axes carry labels, so no picture is ambiguous.

use ludex_gdl::GameProgram;
use ludex_logic::{Pattern, SymbolId, TermId, TermView, Terms};

/// How the two coordinates of a grid are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Orientation {
    /// The first coordinate runs across, else down.
    pub first_across: bool,
    /// The other one grows upwards.
    pub upwards: bool,
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
    let mut votes = 0i32;
    let words = [game.vocabulary.truth, game.vocabulary.next, game.vocabulary.init, game.vocabulary.base];
    let mut look = |pattern: &Pattern, variables: &dyn Fn(&Pattern) -> Option<String>| {
        let Pattern::Compound(f, args) = pattern else { return };
        if *f != functor {
            return;
        }
        for (column, sign) in [(pair[0], 1), (pair[1], -1)] {
            if let Some(name) = args.get(column).and_then(variables) {
                votes += sign * direction(&name);
            }
        }
    };
    for clause in game.program.clauses.iter() {
        let name = |p: &Pattern| match p {
            Pattern::Variable(v) => Some(terms.name(clause.variables[*v]).to_lowercase()),
            _ => None,
        };
        if words.contains(&clause.head.relation)
            && let Some(argument) = clause.head.args.first()
        {
            look(argument, &name);
        }
        clause.body.atoms(&mut |atom, _| {
            if words.contains(&atom.relation)
                && let Some(argument) = atom.args.first()
            {
                look(argument, &name);
            }
        });
    }
    let letters = |domain: &[TermId]| {
        domain.iter().all(|&t| match terms.view(t) {
            TermView::Constant(s) => terms.name(s).chars().all(char::is_alphabetic),
            TermView::Compound(..) => false,
        })
    };
    let chess = letters(first) && !letters(second);
    // The values' own names, as `r1` and `c1`, say it too.
    let own = |domain: &[TermId]| domain.first().map_or(0, |&t| direction_of_value(terms, t));
    votes += 8 * (own(first) - own(second));
    if chess {
        return Orientation { first_across: true, upwards: true };
    }
    Orientation { first_across: votes > 0, upwards: votes > 0 }
}

/// 1 for the name of a coordinate that runs across, -1 for one that runs down.
fn direction(name: &str) -> i32 {
    match name {
        _ if name.starts_with("col") || name.starts_with('x') || name.starts_with("file") => 1,
        _ if name.starts_with("row") || name.starts_with('y') || name.starts_with("rank") => -1,
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
