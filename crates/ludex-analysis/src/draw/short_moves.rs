//! Moves in short, as people who see the board say them: `d2-d4`, `x d4`, `drop 3`.

use ludex_logic::{TermId, TermView};

use crate::structure::{Board, Structure};

/// What says no more than that something is done: it is left out where a move names a spot.
const PLAIN: [&str; 8] = ["mark", "move", "place", "play", "put", "go", "select", "step"];

/// A part of a move in short.
enum Part {
    Spot(String),
    Word(String),
}

impl Structure {
    /// A move in short: the spots that it names, joined by dashes, with the words beside them. What moves from spot to spot
    /// stands on the board, so what comes before the first of several spots is left out, and so is a functor such as `move`.
    /// Several moves may be the same in short: whoever offers them looks at [`Structure::spots_of`], or writes them whole.
    pub fn short(&self, action: TermId) -> String {
        let TermView::Compound(functor, arguments) = self.terms.view(action) else {
            return self.text(action);
        };
        let parts = self.boards.iter().map(|board| self.parts(board, arguments));
        let spots = |parts: &Vec<Part>| parts.iter().filter(|part| matches!(part, Part::Spot(_))).count();
        // Of boards that fit as well the first one counts.
        let best = parts.rev().max_by_key(spots);
        let parts = match best.filter(|parts| spots(parts) > 0) {
            Some(parts) => parts,
            None => arguments.iter().map(|&argument| Part::Word(self.text(argument))).collect(),
        };
        let functor = self.terms.name(functor).to_owned();
        let spots = spots(&parts);
        let mut text = if spots > 0 && PLAIN.contains(&functor.as_str()) { String::new() } else { functor };
        let mut seen = 0;
        let mut follows_spot = false;
        for part in parts {
            let (is_spot, part) = match part {
                Part::Spot(spot) => (true, spot),
                Part::Word(_) if spots > 1 && seen == 0 => continue,
                Part::Word(word) => (false, word),
            };
            if !text.is_empty() {
                text.push(if is_spot && follows_spot { '-' } else { ' ' });
            }
            text.push_str(&part);
            seen += usize::from(is_spot);
            follows_spot = is_spot;
        }
        text
    }

    /// The arguments of a move as spots of a board and other words.
    fn parts(&self, board: &Board, arguments: &[TermId]) -> Vec<Part> {
        let width = board.places.keys().next().map_or(0, |key| key.len());
        let is_spot = |key: &[TermId]| board.places.get(key).is_some_and(|&spot| board.is_place(spot));
        // A single coordinate may look like an amount, unless there is nothing but such coordinates.
        let is_told = width > 1 || arguments.iter().all(|&argument| is_spot(&[argument]));
        let mut parts = Vec::new();
        let mut rest = arguments;
        while let Some(&first) = rest.first() {
            match rest.get(..width).filter(|key| width > 0 && is_told && is_spot(key)) {
                Some(key) => {
                    parts.push(Part::Spot(self.spot_in_short(key)));
                    rest = &rest[width..];
                }
                None => {
                    let word = self.text(first);
                    let is_name = board.aliases.contains_key(&first);
                    parts.push(if is_name { Part::Spot(word) } else { Part::Word(word) });
                    rest = &rest[1..];
                }
            }
        }
        parts
    }

    /// A spot by its coordinates: `d4` where a letter and a number say so, else `2,3`.
    fn spot_in_short(&self, key: &[TermId]) -> String {
        let names: Vec<String> = key.iter().map(|&coordinate| self.text(coordinate)).collect();
        match &names[..] {
            [column, row]
                if column.chars().count() == 1
                    && column.chars().all(char::is_alphabetic)
                    && row.chars().all(|digit| digit.is_ascii_digit()) =>
            {
                format!("{column}{row}")
            }
            _ => names.join(","),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The legal moves of the initial state in short.
    fn short(game: &str) -> Vec<String> {
        let rules = ludex_testkit::playable_bundled(game).unwrap();
        let structure = Structure::find(rules.program(), &**rules.machine(), &Default::default());
        let legal = rules.seats().into_iter().map(|role| rules.legal(rules.initial(), role).unwrap());
        let mut all: Vec<String> = legal.flatten().map(|action| structure.short(action)).collect();
        all.sort();
        all
    }

    #[test]
    fn moves_are_said_as_people_say_them() {
        assert_eq!(
            short("tic-tac-toe"),
            ["1,1", "1,2", "1,3", "2,1", "2,2", "2,3", "3,1", "3,2", "3,3", "noop"]
        );
        assert!(short("connect-four").contains(&"drop 3".to_owned()), "{:?}", short("connect-four"));
        let chess = short("chess");
        assert!(["e2-e4", "g1-f3"].iter().all(|known| chess.contains(&(*known).to_owned())), "{chess:?}");
        assert_eq!(chess.len(), 21, "twenty moves and one who waits");
        let breakthrough = short("breakthrough");
        assert!(breakthrough.contains(&"1,2-1,3".to_owned()), "{breakthrough:?}");
        assert_eq!(short("rock-paper-scissors"), ["paper", "paper", "rock", "rock", "scissors", "scissors"]);
    }
}
