//! What roles hold: cards in a hand, a row for each role.

use rustc_hash::FxHashMap;

use super::assemble::Finder;
use super::board::{Board, BoardShape, Layer, Spot, Use};
use super::figures::Figure;
use super::kinds::Row;
use super::labels::Sign;

/// The most cards of a hand.
const CARDS: usize = 20;

impl Finder<'_> {
    /// Facts that give roles several things each, which moves name: `hand(white, 7)`.
    pub(super) fn hands(&self, kind: usize) -> Option<Board> {
        let list = self.kind(kind);
        if list.arity != 2 || self.seen.most(kind) < 3 {
            return None;
        }
        let is_role = |column: usize| list.domains[column].iter().all(|t| self.game.roles.contains(t));
        let roles = (0..2).find(|&column| is_role(column))?;
        let cards = 1 - roles;
        let several = !self.seen.spread(kind, &[roles]).functional;
        let known = (3..=CARDS).contains(&list.domains[cards].len());
        if is_role(cards) || !several || !known || !self.named_by_moves(kind, cards) {
            return None;
        }
        let domain = &list.domains[cards];
        let order = self.steps.order(self.terms, domain).map_or_else(|| domain.clone(), |found| found.0);
        let mut board = self.empty_board(kind, BoardShape::Grid);
        for (y, &role) in list.domains[roles].iter().enumerate() {
            board.panels[0].rows.push((y as i32, self.terms.shown(role)));
            for (x, &card) in order.iter().enumerate() {
                let key = if roles == 0 { [role, card] } else { [card, role] };
                board.places.insert(Row::from_slice(&key), board.spots.len());
                let name = format!("{} {}", self.terms.shown(role), self.terms.shown(card));
                board.spots.push(Spot { panel: 0, x: 2 * x as i32, y: y as i32, possible: true, name });
            }
        }
        let names = order.iter().enumerate();
        board.panels[0].columns = names.map(|(x, &card)| (2 * x as i32, self.terms.shown(card))).collect();
        board.axes = vec![list.domains[0].clone(), list.domains[1].clone()];
        let signs: FxHashMap<_, _> = order
            .iter()
            .map(|&card| {
                let name = self.terms.shown(card);
                let glyph = name.chars().take(3).collect();
                let figure = Figure::Card;
                (vec![card], Sign { name, glyph, owner: None, disc: false, mark: false, figure })
            })
            .collect();
        let used_as = Use::Content(signs);
        board.layers.push(Layer { kind, columns: vec![0, 1], content: vec![cards], used_as, height: None });
        Some(board)
    }
}
