//! What things on a board are drawn as, beside letters: by their names, by those that they stand beside, and
//! by how many of them there are.

/// A man of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chessman {
    King,
    Queen,
    Rook,
    Bishop,
    Knight,
    Pawn,
}

/// What a thing is drawn as in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    /// Its sign, as letters.
    Letters,
    /// A disc in the colour of its side.
    Disc,
    /// A disc with a crown, as the kings of checkers.
    Crowned,
    /// A disc in the colour of its side, with letters on it.
    Token,
    /// A man of chess.
    Chess(Chessman),
    /// A square that is filled.
    Block,
    /// The sign of the first player of tic-tac-toe, and that of the second.
    Cross,
    Ring,
    /// A small disc, as food.
    Dot,
    /// Something precious.
    Gem,
    Bomb,
    Fire,
    Crate,
    /// A way out, or a place to come to.
    Door,
    /// Somebody who goes about alone.
    Person,
    /// A tile with letters on it, as those of sliding puzzles.
    Tile,
    /// One coin, or several on one another.
    Coins(u8),
    /// A die that shows a number.
    Die(u8),
    /// A playing card with letters on it.
    Card,
    /// A card that lies face down.
    CardBack,
    /// A light that is on or off.
    Lamp(bool),
    /// Something to press, with letters on it.
    Button,
    /// A counter with a number on it.
    Counter,
    /// A piece by four attributes: tall, round, dark and hollow, as bits from the highest to the lowest.
    Built(u8),
}

/// How often a thing is on the board in the states that were seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count {
    /// At first.
    pub initial: usize,
    /// At most.
    pub most: usize,
    /// Whether it never changes where it is.
    pub steady: bool,
}

/// What is known of a thing.
pub(crate) struct Thing<'a> {
    /// Its full name.
    pub name: &'a str,
    /// The number of its side.
    pub owner: Option<usize>,
    /// Its name without that of its side.
    pub piece: &'a str,
    pub is_blank: bool,
    /// Whether it is a number, perhaps with a word before it.
    pub is_number: bool,
    pub count: Count,
}

/// What words stand for. A name counts by its last word.
const WORDS: [(Figure, &[&str]); 18] = [
    (Figure::Chess(Chessman::King), &["king"]),
    (Figure::Chess(Chessman::Queen), &["queen", "amazon"]),
    (Figure::Chess(Chessman::Rook), &["rook", "castle"]),
    (Figure::Chess(Chessman::Bishop), &["bishop"]),
    (Figure::Chess(Chessman::Knight), &["knight"]),
    (Figure::Chess(Chessman::Pawn), &["pawn"]),
    (Figure::Disc, &["man", "checker", "disc", "disk", "stone", "marble", "pebble", "bead", "peg", "piece"]),
    (
        Figure::Block,
        &[
            "wall", "walls", "block", "blocked", "obstacle", "brick", "rock", "arrow", "barrier", "ground",
            "dirt",
        ],
    ),
    (
        Figure::Dot,
        &["pellet", "dot", "food", "point", "visited", "seen", "trail", "tail", "body", "miss", "chosen"],
    ),
    (Figure::Gem, &["gold", "treasure", "gem", "diamond", "money", "jewel", "star"]),
    (Figure::Bomb, &["bomb", "mine"]),
    (Figure::Fire, &["fire", "flame", "lava", "explosion"]),
    (Figure::Crate, &["crate", "box", "barrel"]),
    (Figure::Door, &["exit", "door", "closed", "home", "target", "finish", "goal"]),
    (
        Figure::Person,
        &["player", "explorer", "robot", "agent", "hero", "mummy", "ghost", "person", "monster", "head"],
    ),
    (Figure::Crowned, &["crowned"]),
    (Figure::Coins(1), &["coin", "coins"]),
    (Figure::Lamp(true), &["light", "lamp", "lit", "bulb"]),
];

/// What a name alone says.
pub(crate) fn by_name(name: &str) -> Option<Figure> {
    let name = name.to_lowercase();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_part = |c: char| c == '_' || c == '-' || c == ' ';
    let counted = ["one", "two", "three", "four", "five"];
    let mut parts = name.rsplit(is_part).filter(|part| !part.is_empty());
    let (last, before) = (parts.next()?, parts.next());
    let before = before.or(counted.iter().find(|count| last.starts_with(**count)).copied());
    let figure =
        WORDS.iter().find(|(_, words)| words.contains(&last)).map(|(figure, _)| *figure).or_else(|| {
            // Words that are written together, as `blackknight`, where the last one is long enough to be sure.
            let ends = |word: &&&str| word.len() >= 4 && last.ends_with(**word);
            WORDS.iter().find(|(_, words)| words.iter().any(|word| ends(&word))).map(|(figure, _)| *figure)
        })?;
    match (figure, before.and_then(|word| counted.iter().position(|count| *count == word))) {
        (Figure::Coins(_), Some(number)) => Some(Figure::Coins(number as u8 + 1)),
        _ => Some(figure),
    }
}

/// What things that can stand on one board are drawn as.
pub(crate) fn choose(things: &[Thing<'_>]) -> Vec<Figure> {
    let shown = || things.iter().filter(|thing| !thing.is_blank);
    let named = |name: &str| shown().any(|thing| thing.name.eq_ignore_ascii_case(name));
    let is_tic_tac_toe = named("x") && named("o");
    let is_chess = is_chess(things);
    let is_checkers = is_checkers(things);
    let tiles = shown().count() >= 3
        && shown().all(|thing| thing.is_number && thing.owner.is_none() && thing.count.most <= 1)
        && shown().all(|thing| thing.count.initial == 1);
    let single = |thing: &Thing<'_>| {
        shown().filter(|other| other.owner == thing.owner).all(|other| other.piece == thing.piece)
    };
    let dice = is_dice(things);
    let figure = |thing: &Thing<'_>| match thing.name.to_lowercase().as_str() {
        _ if thing.is_blank => Figure::Letters,
        "x" if is_tic_tac_toe => Figure::Cross,
        "o" if is_tic_tac_toe => Figure::Ring,
        _ if tiles => Figure::Tile,
        _ if thing.is_number && thing.owner.is_none() => match by_name(thing.name) {
            Some(figure @ (Figure::Bomb | Figure::Fire | Figure::Gem | Figure::Crate)) => figure,
            _ => Figure::Letters,
        },
        "w" if thing.count.steady && thing.count.most >= 4 => Figure::Block,
        _ if dice && thing.owner.is_some() => thing.piece.parse().map_or(Figure::Token, Figure::Die),
        _ if is_checkers && thing.owner.is_some() => {
            if is_king(thing.piece) {
                Figure::Crowned
            } else {
                Figure::Disc
            }
        }
        _ if is_chess && thing.piece.len() == 1 => letter_of_chess(thing.piece).unwrap_or(Figure::Token),
        name => match by_name(if thing.piece.is_empty() { name } else { thing.piece }) {
            // What there is one of and belongs to somebody goes about.
            _ if thing.owner.is_some() && thing.piece.is_empty() && thing.count.most == 1 => Figure::Person,
            Some(Figure::Person) if thing.count.most > 1 && thing.owner.is_some() => Figure::Token,
            Some(figure) => figure,
            None if thing.owner.is_some() && (single(thing) || thing.piece.is_empty()) => Figure::Disc,
            None if thing.owner.is_some() => Figure::Token,
            None => Figure::Letters,
        },
    };
    things.iter().map(figure).collect()
}

fn is_king(piece: &str) -> bool {
    piece == "k" || piece == "K" || piece.ends_with("king") || piece == "crowned"
}

/// Whether sides have numbers from 1 to 6.
fn is_dice(things: &[Thing<'_>]) -> bool {
    let owned = || things.iter().filter(|thing| thing.owner.is_some() && !thing.is_blank);
    owned().count() > 2 && owned().all(|thing| thing.piece.parse::<u8>().is_ok_and(|n| (1..=6).contains(&n)))
}

/// Whether sides have men and kings, and no kings at first.
fn is_checkers(things: &[Thing<'_>]) -> bool {
    let owned = || things.iter().filter(|thing| thing.owner.is_some() && !thing.piece.is_empty());
    let is_man = |piece: &str| {
        ["m", "p", "c"].contains(&piece)
            || ["man", "pawn", "checker", "piece"].iter().any(|w| piece.ends_with(w))
    };
    let known = owned().all(|thing| is_king(thing.piece) || is_man(thing.piece));
    let kings = || owned().filter(|thing| is_king(thing.piece));
    known && kings().count() >= 1 && owned().count() >= 4 && kings().all(|king| king.count.initial == 0)
}

/// Whether the letters of pieces are those of chess.
fn is_chess(things: &[Thing<'_>]) -> bool {
    let owned = || things.iter().filter(|thing| thing.owner.is_some() && !thing.piece.is_empty());
    let all = owned().all(|thing| letter_of_chess(thing.piece).is_some() || by_name(thing.piece).is_some());
    let mut letters: Vec<&str> = owned().map(|thing| thing.piece).collect();
    letters.sort_unstable();
    letters.dedup();
    all && letters.contains(&"k") && letters.len() >= 2
        || all && letters.len() >= 3
        || all && letters == ["n"]
}

/// The man of chess for a letter.
fn letter_of_chess(piece: &str) -> Option<Figure> {
    let man = match piece.to_lowercase().as_str() {
        "k" => Chessman::King,
        "q" => Chessman::Queen,
        "r" => Chessman::Rook,
        "b" => Chessman::Bishop,
        "n" => Chessman::Knight,
        "p" => Chessman::Pawn,
        _ => return None,
    };
    Some(Figure::Chess(man))
}

/// The figures that authors can ask for.
pub(crate) const NAMES: [&str; 25] = [
    "letters", "disc", "crowned", "token", "king", "queen", "rook", "bishop", "knight", "pawn", "block",
    "cross", "ring", "dot", "gem", "bomb", "fire", "crate", "door", "person", "tile", "coin", "card", "lamp",
    "counter",
];

/// The figure that an author calls so; see the hints.
pub(crate) fn by_author(word: &str) -> Option<Figure> {
    Some(match word {
        "letters" => Figure::Letters,
        "disc" => Figure::Disc,
        "crowned" => Figure::Crowned,
        "token" => Figure::Token,
        "king" | "queen" | "rook" | "bishop" | "knight" | "pawn" => return by_name(word),
        "block" => Figure::Block,
        "cross" => Figure::Cross,
        "ring" => Figure::Ring,
        "dot" => Figure::Dot,
        "gem" => Figure::Gem,
        "bomb" => Figure::Bomb,
        "fire" => Figure::Fire,
        "crate" => Figure::Crate,
        "door" => Figure::Door,
        "person" => Figure::Person,
        "tile" => Figure::Tile,
        "coin" => Figure::Coins(1),
        "card" => Figure::Card,
        "lamp" => Figure::Lamp(true),
        "counter" => Figure::Counter,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thing<'a>(name: &'a str, owner: Option<usize>, piece: &'a str, count: (usize, usize)) -> Thing<'a> {
        let count = Count { initial: count.0, most: count.1, steady: false };
        let is_number = name.parse::<u64>().is_ok();
        Thing { name, owner, piece, is_blank: name == "b", is_number, count }
    }

    #[test]
    fn names_say_what_things_are() {
        assert_eq!(by_name("black_king"), Some(Figure::Chess(Chessman::King)));
        assert_eq!(by_name("blackknight"), Some(Figure::Chess(Chessman::Knight)));
        assert_eq!(by_name("two_coins"), Some(Figure::Coins(2)));
        assert_eq!(by_name("twocoins"), Some(Figure::Coins(2)));
        assert_eq!(by_name("bomb3"), Some(Figure::Bomb));
        assert_eq!((by_name("german"), by_name("b"), by_name("")), (None, None, None));
    }

    #[test]
    fn men_of_checkers_are_discs_and_those_of_chess_are_not() {
        let men = [("white_man", 0, "man"), ("black_man", 1, "man")];
        let kings = [("white_king", 0, "king"), ("black_king", 1, "king")];
        let all = |kings_at_first: usize| {
            let men = men.map(|(name, owner, piece)| thing(name, Some(owner), piece, (12, 12)));
            let kings =
                kings.map(|(name, owner, piece)| thing(name, Some(owner), piece, (kings_at_first, 1)));
            choose(&men.into_iter().chain(kings).collect::<Vec<_>>())
        };
        assert_eq!(all(0), [Figure::Disc, Figure::Disc, Figure::Crowned, Figure::Crowned]);
        assert_eq!(all(1)[2], Figure::Chess(Chessman::King));
    }

    #[test]
    fn numbers_of_which_there_is_one_each_are_tiles() {
        let board = |most: usize| {
            let numbers = ["1", "2", "3"].map(|name| thing(name, None, name, (1, most)));
            choose(&numbers)
        };
        assert_eq!(board(1), [Figure::Tile; 3]);
        assert_eq!(board(2), [Figure::Letters; 3], "digits of a sudoku");
    }

    #[test]
    fn noughts_and_crosses_need_each_other() {
        let of = |names: &[&str]| {
            choose(&names.iter().map(|&name| thing(name, None, name, (0, 3))).collect::<Vec<_>>())
        };
        assert_eq!(of(&["x", "o", "b"])[..2], [Figure::Cross, Figure::Ring]);
        assert_eq!(of(&["x", "y"]), [Figure::Letters; 2]);
    }
}
