//! From which side players look at a board.

use ludex_logic::TermId;

use super::Structure;
use super::board::Board;

impl Structure {
    /// Whether somebody who plays this role, of two, looks at the boards from the other side, as the second player of chess
    /// does: what is theirs stands in the upper part of the first board at the beginning, and what is the other's below.
    /// `first` are the facts of the initial state, `role` and `other` the places of both among the roles.
    pub fn is_turned_for(&self, first: &[TermId], role: usize, other: usize) -> bool {
        let (rows, _) = self.rows(first);
        let Some(board) = self.boards.iter().find(|board| board.pile.is_none()) else { return false };
        let filled = board.fill(&rows, &mut Vec::new());
        let height = |owner: usize| {
            let is_own = |at: &usize| {
                let mut owners = filled.signs[*at].iter().filter_map(|sign| sign.owner.as_ref());
                owners.any(|of| of.index == owner)
            };
            let own: Vec<f64> =
                (0..board.spots.len()).filter(is_own).map(|at| f64::from(board.spots[at].y)).collect();
            (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
        };
        // Less than a row apart, neither side is anybody's.
        height(role).zip(height(other)).is_some_and(|(own, theirs)| own + 1.0 < theirs)
    }
}

impl Board {
    /// The board from its other side: each panel half a turn around.
    pub(crate) fn turned(&self) -> Self {
        let mut turned = self.clone();
        for (number, panel) in turned.panels.iter_mut().enumerate() {
            let here = || self.spots.iter().filter(|spot| spot.panel == number);
            let right = here().map(|spot| spot.x).max().unwrap_or(0);
            let low = here().map(|spot| spot.y).max().unwrap_or(0);
            panel.columns.iter_mut().for_each(|(x, _)| *x = right - *x);
            panel.rows.iter_mut().for_each(|(y, _)| *y = low - *y);
            for spot in turned.spots.iter_mut().filter(|spot| spot.panel == number) {
                (spot.x, spot.y) = (right - spot.x, low - spot.y);
            }
        }
        turned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PictureStyle, Structure};

    /// For which of two players the board is turned.
    fn turned(game: &str) -> [bool; 2] {
        let rules = ludex_testkit::playable_bundled(game).unwrap();
        let structure = Structure::find(rules.program(), &**rules.machine(), &Default::default());
        let first = rules.facts(rules.initial());
        let roles: Vec<usize> = rules.seats().into_iter().map(|role| role.index()).collect();
        [(0, 1), (1, 0)].map(|(own, other)| structure.is_turned_for(&first, roles[own], roles[other]))
    }

    #[test]
    fn boards_have_sides_where_pieces_stand_against_each_other() {
        for game in ["chess", "breakthrough", "checkers"] {
            assert_eq!(turned(game), [false, true], "{game}");
        }
        for game in ["tic-tac-toe", "connect-four", "reversi", "nim", "chomp"] {
            assert_eq!(turned(game), [false, false], "{game}");
        }
    }

    /// What is drawn is the same, but where: twice turned is as before, and spots keep their names.
    #[test]
    fn a_board_is_turned_half_around() {
        let rules = ludex_testkit::playable_bundled("chess").unwrap();
        let structure = Structure::find(rules.program(), &**rules.machine(), &Default::default());
        let board = &structure.boards[0];
        let twice = board.turned().turned();
        let places = |board: &Board| board.spots.iter().map(|spot| (spot.x, spot.y)).collect::<Vec<_>>();
        assert_eq!(places(&twice), places(board));
        assert_ne!(places(&board.turned()), places(board));
        let first = rules.facts(rules.initial());
        let drawn = |turned| {
            structure.picture(&first, &PictureStyle { spots: true, turned, ..PictureStyle::default() }).boards
        };
        let (plain, around) = (drawn(false), drawn(true));
        assert_ne!(plain, around);
        for part in ["data-spot=", "aria-label=\"a1", "<text"] {
            assert_eq!(plain.matches(part).count(), around.matches(part).count(), "{part}");
        }
    }
}
