//! Which spots of a board a move names, so that moves can be chosen on the board.

use std::fmt;

use ludex_logic::{SymbolId, TermId, TermView};

use crate::structure::{Board, BoardShape, DEEP, Row, Structure, flat_term, things, way};

/// A thing on more spots than this is a kind of things, and not one.
const MANY: usize = 6;

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
    /// The spots that a move names in any state: its arguments that the rules use as coordinates of a board, or
    /// that stand side by side as those do, as in `(mark 2 2)` or `(move wp a 2 a 3)`; the names of squares, as
    /// in `(move 11 15)`; the heaps and towers. A move that has the name of a column only, or of a row, names
    /// all spots there. Nothing is named where the move is of another kind.
    pub fn spots_of(&self, action: TermId) -> NamedSpots {
        let button = |(number, board): (usize, &Board)| Some((number, *board.aliases.get(&action)?));
        if let Some((number, spot)) = self.boards.iter().enumerate().find_map(button) {
            return named_on(number, vec![spot], false);
        }
        let TermView::Compound(functor, _) = self.terms.view(action) else { return NamedSpots::default() };
        let mut arguments = Vec::new();
        flat_term(&self.terms, action, DEEP, &mut arguments);
        let mut best = NamedSpots::default();
        for (number, board) in self.boards.iter().enumerate() {
            let referred = self.referred(board, functor, &arguments);
            let named = board.named(&arguments);
            let spots = if referred.len() >= named.len() { referred } else { named };
            let spots = if spots.is_empty() { board.called(&arguments) } else { spots };
            if spots.len() > best.spots.len() {
                best = named_on(number, spots, false);
            }
        }
        if !best.spots.is_empty() {
            return best;
        }
        let rows = self.boards.iter().enumerate().map(|(number, board)| {
            let spots = self.row_referred(board, functor, &arguments);
            let spots = if spots.is_empty() { self.row_named(board, &arguments) } else { spots };
            named_on(number, spots, true)
        });
        rows.into_iter().find(|named| !named.spots.is_empty()).unwrap_or_default()
    }

    /// The spots that a move of a role names in a state: those of [`Structure::spots_of`]; else where the one
    /// thing is that it names, or, for a move such as `left`, where a thing that follows such moves would go.
    pub fn spots_in(&self, facts: &[TermId], role: Option<TermId>, action: TermId) -> NamedSpots {
        let named = self.spots_of(action);
        if !named.spots.is_empty() {
            return named;
        }
        let boards = || self.boards.iter().enumerate();
        let ahead =
            boards().find_map(|(number, board)| Some((number, self.ahead(board, facts, role, action)?)));
        if let Some((number, spot)) = ahead {
            return named_on(number, vec![spot], false);
        }
        let mut arguments = Vec::new();
        flat_term(&self.terms, action, DEEP, &mut arguments);
        let (rows, _) = self.rows(facts);
        let things = boards().map(|(number, board)| named_on(number, board.holding(&rows, &arguments), true));
        let mut named = things.into_iter().find(|named| !named.spots.is_empty()).unwrap_or_default();
        named.any = named.spots.len() > 1;
        named
    }

    /// The coordinates that the arguments of a move are, by the rules: for each argument the place in a key.
    fn coordinates(&self, board: &Board, functor: SymbolId, arguments: &[TermId]) -> Vec<Option<usize>> {
        let kinds = self.kinds.list();
        let columns: Vec<(usize, Vec<usize>)> = match &board.pile {
            Some(pile) if board.shape == BoardShape::Heaps => vec![(pile.kind, vec![pile.upper])],
            Some(pile) => vec![(pile.kind, vec![pile.upper]), (pile.kind, vec![pile.lower])],
            None => board.layers.iter().map(|layer| (layer.kind, layer.columns.clone())).collect(),
        };
        let coordinate = |at: usize| {
            let mut votes = [0usize; 8];
            for (kind, columns) in &columns {
                let kind = (kinds[*kind].functor, kinds[*kind].arity);
                for (column, count) in self.references.columns((functor, arguments.len(), at), kind) {
                    let place = columns.iter().position(|&c| c == column);
                    if let Some(votes) = place.and_then(|place| votes.get_mut(place)) {
                        *votes += count;
                    }
                }
            }
            let (place, count) = votes.iter().enumerate().rev().max_by_key(|(_, count)| **count)?;
            (*count > 0).then_some(place)
        };
        (0..arguments.len()).map(coordinate).collect()
    }

    /// The spots whose coordinates the rules say that arguments are, in the order of the arguments.
    fn referred(&self, board: &Board, functor: SymbolId, arguments: &[TermId]) -> Vec<usize> {
        let Some(width) = board.width() else { return Vec::new() };
        let coordinates = self.coordinates(board, functor, arguments);
        let mut spots = Vec::new();
        let mut key: Vec<Option<TermId>> = vec![None; width];
        for (&argument, place) in arguments.iter().zip(&coordinates) {
            let Some(place) = place.filter(|&place| place < width) else { continue };
            // A coordinate that is there already begins another spot.
            if key[place].is_some() {
                key.fill(None);
            }
            key[place] = Some(argument);
            if let Some(whole) = key.iter().copied().collect::<Option<Row>>() {
                spots.extend(board.places.get(&whole).copied().filter(|&spot| board.is_place(spot)));
                key.fill(None);
            }
        }
        spots
    }

    /// The spots in the row or column that the rules say an argument is; where several arguments leave a
    /// coordinate open, such as which board, those that fit all of them.
    fn row_referred(&self, board: &Board, functor: SymbolId, arguments: &[TermId]) -> Vec<usize> {
        if board.pile.is_some() || board.width().is_none_or(|width| width < 2) {
            return Vec::new();
        }
        let coordinates = self.coordinates(board, functor, arguments);
        let known: Vec<(usize, TermId)> = coordinates
            .iter()
            .zip(arguments)
            .filter_map(|(place, &value)| Some(((*place)?, value)))
            .collect();
        if known.is_empty() {
            return Vec::new();
        }
        let fits = |key: &Row| known.iter().all(|&(place, value)| key.get(place) == Some(&value));
        let of = |(key, &spot): (&Row, &usize)| (fits(key) && board.is_place(spot)).then_some(spot);
        let mut spots: Vec<usize> = board.places.iter().filter_map(of).collect();
        spots.sort_unstable();
        // All of a board is no row.
        if spots.len() * 2 > board.spots() { Vec::new() } else { spots }
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

    /// Where a thing would go that follows a move such as `left`: the next spot in that direction, around the
    /// board where it is a torus.
    fn ahead(&self, board: &Board, facts: &[TermId], role: Option<TermId>, action: TermId) -> Option<usize> {
        let step = way(&self.terms, action)?.step();
        let [first, second] = &board.axes[..] else { return None };
        let things = things(&self.terms, &self.kinds, [first, second], facts);
        let movers = board.movers.iter().filter(|mover| role.is_none_or(|role| role == mover.role));
        let mut ahead = movers.filter_map(|mover| {
            let &(i, j) = things.get(&mover.thing)?.as_ref()?;
            let spot = *board.places.get(&[*first.get(i)?, *second.get(j)?][..])?;
            let sign = if mover.follows { 1 } else { -1 };
            board.beyond(spot, (sign * step.0, sign * step.1))
        });
        let spot = ahead.next()?;
        // Two things in two places leave it open which one is meant.
        ahead.all(|other| other == spot).then_some(spot)
    }
}

fn named_on(board: usize, spots: Vec<usize>, any: bool) -> NamedSpots {
    let any = any && !spots.is_empty();
    NamedSpots { spots: spots.into_iter().map(|spot| SpotName { board, spot }).collect(), any }
}

impl Board {
    /// How many terms make the key of a spot.
    fn width(&self) -> Option<usize> {
        self.places.keys().next().map(|key| key.len()).filter(|&width| width > 0)
    }

    /// The spots whose coordinates stand among the arguments, from left to right.
    fn named(&self, arguments: &[TermId]) -> Vec<usize> {
        let Some(width) = self.width() else { return Vec::new() };
        // One coordinate alone is too little to tell: an amount may look like a place.
        if width == 1 && arguments.len() > 1 {
            return Vec::new();
        }
        let mut spots = Vec::new();
        let mut rest = arguments;
        while rest.len() >= width {
            match self.places.get(&rest[..width]).filter(|&&spot| self.is_place(spot)) {
                Some(&spot) => {
                    spots.push(spot);
                    rest = &rest[width..];
                }
                None => rest = &rest[1..],
            }
        }
        spots
    }

    /// The spots that arguments call by the names that the rules give them.
    fn called(&self, arguments: &[TermId]) -> Vec<usize> {
        arguments.iter().filter_map(|argument| self.aliases.get(argument).copied()).collect()
    }

    /// The spots on which the one thing stands that is named by an argument.
    fn holding(&self, rows: &[(usize, Row)], arguments: &[TermId]) -> Vec<usize> {
        for &argument in arguments {
            let mut spots = Vec::new();
            for layer in &self.layers {
                for (_, row) in rows.iter().filter(|(kind, _)| *kind == layer.kind) {
                    let is_named = layer.content.iter().any(|&column| row.get(column) == Some(&argument));
                    let key: Row = layer.columns.iter().filter_map(|&c| row.get(c).copied()).collect();
                    spots.extend(self.places.get(&key).copied().filter(|_| is_named));
                }
            }
            spots.retain(|&spot| self.is_place(spot));
            spots.sort_unstable();
            spots.dedup();
            if (1..=MANY).contains(&spots.len()) {
                return spots;
            }
        }
        Vec::new()
    }

    /// The spot that is so many steps across and down from another one, around the board where it ends.
    fn beyond(&self, spot: usize, (across, down): (i32, i32)) -> Option<usize> {
        let from = self.spots.get(spot)?;
        let here = || self.spots.iter().enumerate().filter(|(_, s)| s.panel == from.panel);
        let (x, y) = (from.x + 2 * across, from.y + down);
        let at = |x: i32, y: i32| here().find(|(_, s)| (s.x, s.y) == (x, y)).map(|(at, _)| at);
        at(x, y).filter(|&at| self.is_place(at)).or_else(|| {
            let (columns, rows) =
                (here().map(|(_, s)| s.x).max()? / 2 + 1, here().map(|(_, s)| s.y).max()? + 1);
            let around = at(2 * (x / 2).rem_euclid(columns), y.rem_euclid(rows))?;
            self.is_place(around).then_some(around)
        })
    }
}
