//! Boards as stacked planes of facts, as networks take them.

use std::collections::{BTreeMap, BTreeSet};

use ludex_logic::TermId;

use super::board::{Board, Layer, Use};
use super::search::project;
use super::{Row, Structure};

/// A board as stacked planes: one for each thing that can be on a spot, or marks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardPlanes {
    /// Rows of spots, from the top.
    pub rows: usize,
    /// Columns of spots, from the left.
    pub columns: usize,
    /// What each plane is of, as a fact without its place: `cell x`.
    pub names: Vec<String>,
    /// By plane, row and column the fact that says that this is there, if there can be one.
    pub facts: Vec<Option<TermId>>,
}

/// What a fact is of, beside its place: the panel, the layer, and the content.
type PlaneKey = (usize, usize, Vec<TermId>);

impl Structure {
    /// The most important board that has spots in the plane, as planes of some facts in their order: usually all those that can
    /// hold.
    ///
    /// ```
    /// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
    /// # let structure = ludex_analysis::Structure::find(rules.program(), &**rules.machine(), &Default::default());
    /// let planes = structure.board_planes(&rules.signature().propositions()).expect("a board");
    /// assert_eq!((planes.rows, planes.columns, planes.names.len()), (3, 3, 3));
    /// assert_eq!(planes.names, ["cell b", "cell o", "cell x"]);
    /// assert_eq!(rules.text(planes.facts[9 + 2].expect("a fact")), "cell(1,3,o)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn board_planes(&self, facts: &[TermId]) -> Option<BoardPlanes> {
        let board = self.boards.iter().find(|board| !board.spots.is_empty())?;
        let mut found: BTreeMap<PlaneKey, Vec<(usize, TermId)>> = BTreeMap::new();
        let mut row = Row::new();
        for &fact in facts {
            let Some(kind) = self.kinds.row(&self.terms, fact, &mut row) else { continue };
            let layers = board.layers.iter().enumerate().filter(|(_, layer)| layer.kind == kind);
            for (number, layer) in layers {
                let Some(spot) = spot(board, layer, &row) else { continue };
                let content = layer.content.iter().filter_map(|&column| row.get(column).copied()).collect();
                found.entry((board.spots[spot].panel, number, content)).or_default().push((spot, fact));
            }
        }
        if found.is_empty() {
            return None;
        }
        let places = |of: &dyn Fn(usize) -> i32| -> Vec<i32> {
            let distinct: BTreeSet<i32> = (0..board.spots.len()).map(of).collect();
            distinct.into_iter().collect()
        };
        let (xs, ys) = (places(&|spot| board.spots[spot].x), places(&|spot| board.spots[spot].y));
        let mut planes =
            BoardPlanes { rows: ys.len(), columns: xs.len(), names: Vec::new(), facts: Vec::new() };
        // By what they say, and not by when the terms were met.
        let mut named: Vec<(String, Vec<(usize, TermId)>)> =
            found.into_iter().map(|(key, facts)| (self.plane_name(board, &key), facts)).collect();
        named.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, facts) in named {
            let first = planes.facts.len();
            planes.names.push(name);
            planes.facts.resize(first + xs.len() * ys.len(), None);
            for (spot, fact) in facts {
                let spot = &board.spots[spot];
                if let (Ok(x), Ok(y)) = (xs.binary_search(&spot.x), ys.binary_search(&spot.y)) {
                    planes.facts[first + y * xs.len() + x] = Some(fact);
                }
            }
        }
        Some(planes)
    }

    fn plane_name(&self, board: &Board, (panel, layer, content): &PlaneKey) -> String {
        let kind = &self.kinds.list()[board.layers[*layer].kind];
        let mut words = vec![self.terms.name(kind.functor).to_owned()];
        words.extend(content.iter().map(|&term| self.text(term)));
        match board.panels.get(*panel) {
            Some(panel) if board.panels.len() > 1 => format!("{}: {}", panel.title, words.join(" ")),
            _ => words.join(" "),
        }
    }
}

/// The spot that a fact of a layer is about.
fn spot(board: &Board, layer: &Layer, row: &Row) -> Option<usize> {
    let key = project(row, &layer.columns);
    match &layer.used_as {
        Use::Content(_) | Use::Mark(_) => board.places.get(&key).copied(),
        Use::Named(name, _) => {
            let whole: Row = std::iter::once(*name).chain(key.iter().copied()).collect();
            board.places.get(&whole).copied()
        }
        Use::Wall(_) | Use::Side(..) | Use::Sides(..) | Use::Line => None,
    }
}
