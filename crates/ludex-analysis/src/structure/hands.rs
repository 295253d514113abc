//! Cards: what roles hold, a row for each role; cards on the table, and the deck.

use ludex_logic::TermId;

use super::assemble::Finder;
use super::board::{Board, BoardShape, Layer, Spot, Use};
use super::cards;
use super::kinds::Row;

/// The most cards of a hand side by side; longer hands are laid out a suit to a line.
const CARDS: usize = 20;
/// The most cards of a game.
const PACK: usize = 60;

impl Finder<'_> {
    /// Facts that give roles several things each, which moves name: `hand(white, 7)`; and cards of any kind.
    pub(super) fn hands(&self, kind: usize) -> Option<Board> {
        let list = self.kind(kind);
        let role = (0..list.arity).find(|&column| self.is_roles(kind, column));
        let cards: Vec<usize> = (0..list.arity).filter(|column| Some(*column) != role).collect();
        if !(1..=2).contains(&cards.len()) || self.seen.most(kind) == 0 {
            return None;
        }
        if cards.iter().any(|&column| list.domains[column].len() > PACK) {
            return None;
        }
        let contents = self.contents(kind, &cards);
        let names: Vec<String> = contents.iter().map(|content| cards::name(self.terms, content)).collect();
        if names.len() > PACK || !(cards::are_cards(&names) || self.is_hand(kind, role, &cards)) {
            return None;
        }
        let at_most_one = match role {
            Some(role) => self.seen.spread(kind, &[role]).functional,
            None => self.seen.most(kind) == 1,
        };
        Some(if at_most_one {
            self.single_cards(kind, role, cards)
        } else {
            self.all_cards(kind, role, cards, &contents)
        })
    }

    /// Whether all values of a column are roles, of which there are not all others as well.
    pub(super) fn is_roles(&self, kind: usize, column: usize) -> bool {
        let domain = &self.kind(kind).domains[column];
        !domain.is_empty() && domain.iter().all(|value| self.game.roles.contains(value))
    }

    /// Things that are held without being cards by name, or that the rules call cards.
    fn is_hand(&self, kind: usize, role: Option<usize>, cards: &[usize]) -> bool {
        let &[card] = cards else { return false };
        let list = self.kind(kind);
        if list.domains[card].iter().all(|value| self.cards.contains(value)) {
            return true;
        }
        let Some(role) = role else { return false };
        if self.is_roles(kind, card) || !(2..=CARDS).contains(&list.domains[card].len()) {
            return false;
        }
        let several = !self.seen.spread(kind, &[role]).functional && self.seen.most(kind) >= 3;
        several && self.named_by_moves(kind, card) && list.domains[card].len() >= 3
            || cards::is_holding(self.terms.name(list.functor))
    }

    /// What stands in some columns, in order.
    fn contents(&self, kind: usize, columns: &[usize]) -> Vec<Vec<TermId>> {
        let mut contents: Vec<Vec<TermId>> = self.possible[kind]
            .iter()
            .map(|row| columns.iter().filter_map(|&column| row.get(column).copied()).collect())
            .collect();
        contents.sort_unstable_by(|a, b| self.terms.compare_lists(a, b));
        contents.dedup();
        if let ([column], true) = (columns, !contents.is_empty())
            && let Some((order, _)) = self.steps.order(self.terms, &self.kind(kind).domains[*column])
        {
            return order.into_iter().map(|value| vec![value]).collect();
        }
        cards::sort(self.terms, &mut contents);
        contents
    }

    /// A place for one card, of each role or on the table.
    fn single_cards(&self, kind: usize, role: Option<usize>, cards: Vec<usize>) -> Board {
        let mut board = self.empty_board(kind, BoardShape::Grid);
        let owners = role.map(|role| self.kind(kind).domains[role].clone());
        match &owners {
            Some(owners) => {
                for (y, &owner) in owners.iter().enumerate() {
                    let name = self.terms.shown(owner);
                    board.panels[0].rows.push((y as i32, name));
                    board.add_spot(&[owner], (0, y as i32), String::new());
                }
            }
            None => board.add_spot(&[], (0, 0), board.name.clone()),
        }
        board.axes = owners.into_iter().collect();
        board.back = Some(cards::sign("hidden"));
        let signs = cards::signs(self.terms, &self.sides, &self.contents(kind, &cards));
        let columns = role.into_iter().collect();
        board.layers.push(Layer {
            kind,
            columns,
            content: cards,
            used_as: Use::Content(signs),
            height: None,
        });
        board
    }

    /// A place for each card, of each role or on the table.
    fn all_cards(
        &self,
        kind: usize,
        role: Option<usize>,
        cards: Vec<usize>,
        contents: &[Vec<TermId>],
    ) -> Board {
        let list = self.kind(kind);
        let signs = cards::signs(self.terms, &self.sides, contents);
        let mut board = self.empty_board(kind, BoardShape::Grid);
        let owners: Vec<Option<TermId>> = match role {
            Some(role) => list.domains[role].iter().copied().map(Some).collect(),
            None => vec![None],
        };
        // As many cards to a line as there are of a suit, or all of them.
        let suits = signs.values().filter_map(|sign| cards::suit_of(&sign.glyph)).collect::<Vec<_>>();
        let lines = if contents.len() > CARDS && suits.len() == contents.len() { 4 } else { 1 };
        let across = contents.len().div_ceil(lines).max(1);
        for (line, &owner) in owners.iter().enumerate() {
            for (at, content) in contents.iter().enumerate() {
                let (x, y) = (2 * (at % across) as i32, (line * lines + at / across) as i32);
                let mut values = content.iter().copied();
                let key: Row = (0..list.arity)
                    .filter_map(|column| if Some(column) == role { owner } else { values.next() })
                    .collect();
                let card = cards::name(self.terms, content);
                let whose = owner.map(|owner| format!("{} ", self.terms.shown(owner))).unwrap_or_default();
                board.add_spot(&key, (x, y), format!("{whose}{card}"));
                if at % across == 0 && !whose.is_empty() {
                    board.panels[0].rows.push((y, whose.trim_end().to_owned()));
                }
                if line == 0 && lines == 1 {
                    board.panels[0].columns.push((x, signs[content].glyph.clone()));
                }
            }
        }
        board.axes = list.domains.clone();
        let columns = (0..list.arity).collect();
        board.layers.push(Layer {
            kind,
            columns,
            content: cards,
            used_as: Use::Content(signs),
            height: None,
        });
        board
    }
}

impl Board {
    /// Adds a spot of the first panel to a board that is laid out by hand.
    pub(super) fn add_spot(&mut self, key: &[TermId], (x, y): (i32, i32), name: String) {
        self.places.insert(Row::from_slice(key), self.spots.len());
        self.spots.push(Spot { panel: 0, x, y, possible: true, name });
    }
}
