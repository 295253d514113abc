//! Which spots of a board a move names, so that moves can be chosen on the board.

use std::fmt;

use ludex_logic::{TermId, TermView};

use crate::structure::{Board, Structure};

/// A spot of a board of a game. It is written as `0-12`: the board and the spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpotName {
    /// The board, as in [`Structure::boards`].
    pub board: usize,
    /// The spot on it.
    pub spot: usize,
}

impl fmt::Display for SpotName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.board, self.spot)
    }
}

/// What a move names on the boards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedSpots {
    /// The spots, in the order in which the move names them.
    pub spots: Vec<SpotName>,
    /// Whether the move names a whole row or column, such as the one where a piece drops: any of the
    /// spots stands for it then.
    pub any: bool,
}

impl Structure {
    /// The spots that a move names: where arguments that stand side by side are the coordinates of a spot,
    /// as in `(mark 2 2)` or `(move wp a 2 a 3)`. A move with one argument that is the name of a column,
    /// or of a row, names all spots there. Nothing is named where the move is of another kind.
    pub fn spots_of(&self, action: TermId) -> NamedSpots {
        let TermView::Compound(_, arguments) = self.terms.view(action) else { return NamedSpots::default() };
        let boards = || self.boards.iter().enumerate();
        let exact = boards().map(|(number, board)| (number, board.named(arguments)));
        let Some((board, spots, any)) = exact
            .map(|(number, spots)| (number, spots, false))
            .chain(boards().map(|(number, board)| (number, self.row_named(board, arguments), true)))
            .find(|(_, spots, _)| !spots.is_empty())
        else {
            return NamedSpots::default();
        };
        let spots = spots.into_iter().map(|spot| SpotName { board, spot });
        NamedSpots { spots: spots.collect(), any }
    }

    fn row_named(&self, board: &Board, arguments: &[TermId]) -> Vec<usize> {
        let [argument] = arguments else { return Vec::new() };
        let name = self.text(*argument);
        let all = || board.spots.iter().enumerate().filter(|(_, spot)| spot.possible);
        let columns = |panel: usize, x: i32| board.panels[panel].columns.contains(&(x, name.clone()));
        let rows = |panel: usize, y: i32| board.panels[panel].rows.contains(&(y, name.clone()));
        let column: Vec<usize> = all().filter(|(_, s)| columns(s.panel, s.x)).map(|(at, _)| at).collect();
        if !column.is_empty() {
            return column;
        }
        all().filter(|(_, s)| rows(s.panel, s.y)).map(|(at, _)| at).collect()
    }
}

impl Board {
    /// The spots whose coordinates stand among the arguments, from left to right.
    fn named(&self, arguments: &[TermId]) -> Vec<usize> {
        let Some(width) = self.places.keys().next().map(|key| key.len()).filter(|&width| width > 0) else {
            return Vec::new();
        };
        // One coordinate alone is too little to tell: an amount may look like a place.
        if width == 1 && arguments.len() > 1 {
            return Vec::new();
        }
        let mut spots = Vec::new();
        let mut rest = arguments;
        while rest.len() >= width {
            match self.places.get(&rest[..width]).filter(|&&spot| self.spots[spot].possible) {
                Some(&spot) => {
                    spots.push(spot);
                    rest = &rest[width..];
                }
                None => rest = &rest[1..],
            }
        }
        spots
    }
}
