//! The games that come with Ludex.
//!
//! Each rulesheet says in its header what the game is, where it comes from and what it mends. Some are
//! there in both notations, with the same rules.

use ludex_gdl::{Dialect, Notation};

/// A bundled rulesheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundledGame {
    /// The name to ask for, such as `tic-tac-toe`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// Its language.
    pub dialect: Dialect,
    /// How it is written.
    pub notation: Notation,
    /// The file below `games/`, such as `gdl/tic-tac-toe.kif`.
    pub file: &'static str,
    /// The rules.
    pub text: &'static str,
}

/// Rulesheets that are there to be read: they have findings that have to be waived.
const READ_ONLY: [&str; 1] = ["figure-9-3"];

impl BundledGame {
    /// Whether it is a game that can be played as it is.
    ///
    /// ```
    /// let runs = |name: &str| ludex::library::find(name).is_some_and(|game| game.runs());
    /// assert!(runs("tic-tac-toe") && !runs("figure-9-3"));
    /// ```
    pub fn runs(&self) -> bool {
        !READ_ONLY.contains(&self.name)
    }
}

/// All bundled rulesheets, grouped by name; prefix notation first where there are both.
pub fn all() -> &'static [BundledGame] {
    GAMES
}

/// As [`all`], without the games in real time: those that a [`Game`](crate::Game) can run.
pub fn stepwise() -> impl Iterator<Item = &'static BundledGame> {
    GAMES.iter().filter(|game| !game.dialect.is_timed())
}

/// The game of this name, in prefix notation where there are both.
///
/// ```
/// use ludex::library;
///
/// let game = library::find("connect-four").expect("it is bundled");
/// assert_eq!((game.file, library::find("go")), ("gdl/connect-four.kif", None));
/// assert!(library::all().iter().filter(|game| game.name == "tic-tac-toe").count() == 2, "in both notations");
/// ```
pub fn find(name: &str) -> Option<&'static BundledGame> {
    GAMES.iter().find(|game| game.name == name)
}

/// The game of this name in one notation.
pub fn find_in(name: &str, notation: Notation) -> Option<&'static BundledGame> {
    GAMES.iter().find(|game| game.name == name && game.notation == notation)
}

/// The cases of the bundled game of this name, with the name of their file below `games/`: what `ludex test` runs.
///
/// ```
/// let (file, text) = ludex::library::cases("tic-tac-toe").expect("it has cases");
/// assert!(file == "gdl/tic-tac-toe.cases" && text.contains("case "));
/// ```
pub fn cases(name: &str) -> Option<(&'static str, &'static str)> {
    let file = |&&(file, _): &&(&str, &str)| {
        let file: &str = file;
        file.rsplit('/').next().and_then(|file| file.strip_suffix(".cases")) == Some(name)
    };
    CASES.iter().find(file).copied()
}

macro_rules! case_files {
    ($($file:literal)*) => {
        &[$(($file, include_str!(concat!("../../../games/", $file)))),*]
    };
}

const CASES: &[(&str, &str)] = case_files!(
    "gdl/tic-tac-toe.cases"
    "gdl/nim.cases"
    "gdl-ii/krieg-tic-tac-toe.cases"
    "sdl/tic-tac-toe-history.cases"
);

macro_rules! game {
    ($dialect:ident $notation:ident $name:literal: $title:literal) => {
        BundledGame {
            name: $name,
            title: $title,
            dialect: Dialect::$dialect,
            notation: Notation::$notation,
            file: game_file!($dialect $notation $name),
            text: include_str!(concat!("../../../games/", game_file!($dialect $notation $name))),
        }
    };
}

macro_rules! game_file {
    (Gdl Prefix $name:literal) => {
        concat!("gdl/", $name, ".kif")
    };
    (Gdl Infix $name:literal) => {
        concat!("gdl/", $name, ".gdl")
    };
    (GdlII Prefix $name:literal) => {
        concat!("gdl-ii/", $name, ".kif")
    };
    (GdlII Infix $name:literal) => {
        concat!("gdl-ii/", $name, ".gdl")
    };
    (Sdl Infix $name:literal) => {
        concat!("sdl/", $name, ".gdl")
    };
    (Igdl Infix $name:literal) => {
        concat!("igdl/", $name, ".gdl")
    };
    (IgdlII Infix $name:literal) => {
        concat!("igdl/", $name, ".gdl")
    };
    (IsdlII Infix $name:literal) => {
        concat!("isdl/", $name, ".gdl")
    };
    (Epilog Infix $name:literal) => {
        concat!("epilog/", $name, ".hrf")
    };
    (RtGdl Infix $name:literal) => {
        concat!("rtgdl/", $name, ".gdl")
    };
    (RtGdlII Infix $name:literal) => {
        concat!("rtgdl/", $name, ".gdl")
    };
}

const GAMES: &[BundledGame] = &[
    game!(Gdl Prefix "tic-tac-toe": "Tic-tac-toe"),
    game!(Gdl Infix "tic-tac-toe": "Tic-tac-toe"),
    game!(Gdl Prefix "connect-four": "Connect four on seven columns of six cells"),
    game!(Gdl Prefix "breakthrough": "Breakthrough on 8x8 cells"),
    game!(Gdl Prefix "reversi": "Reversi on 8x8 cells, with passes"),
    game!(Gdl Prefix "checkers": "English draughts: captures are compulsory, a multiple jump is one move"),
    game!(Gdl Prefix "nim": "Nim with heaps of 1, 3, 5 and 7"),
    game!(Gdl Prefix "chomp": "Chomp on a bar of 6x4 squares"),
    game!(Gdl Infix "8-puzzle": "The 8-puzzle, eight moves"),
    game!(Gdl Infix "15-puzzle": "The 15-puzzle, eighty moves"),
    game!(Gdl Infix "blocks-world": "Three blocks and a robot, three moves"),
    game!(Gdl Infix "hanoi": "The towers of Hanoi with five discs"),
    game!(Gdl Prefix "buttons-and-lights": "Three lights, and buttons that toggle and exchange"),
    game!(Gdl Infix "buttons-and-lights": "Three lights, and buttons that toggle and exchange"),
    game!(Gdl Infix "buttons-and-lights-copy": "Three lights, and a button that copies"),
    game!(Gdl Infix "multiple-buttons-and-lights": "Three groups of lights, of which one matters"),
    game!(Gdl Infix "best-buttons-and-lights": "Three groups of lights, any of which will do"),
    game!(Gdl Infix "joint-buttons-and-lights": "Three groups of lights, and 27 buttons that work on all"),
    game!(Gdl Infix "untwisty-corridor": "Seven moves, one right way"),
    game!(Gdl Infix "coins": "Jump over two coins, four times"),
    game!(Gdl Infix "problem-2-1": "The game of problem 2.1"),
    game!(Gdl Infix "figure-9-3": "The game of figures 9.3 to 9.8"),
    game!(Gdl Prefix "multiple-tic-tac-toe": "Three boards of tic-tac-toe, of which one matters"),
    game!(Gdl Prefix "joint-tic-tac-toe": "Two boards of tic-tac-toe with a cell in common"),
    game!(Gdl Prefix "hodgepodge": "Tic-tac-toe and nim at once"),
    game!(Gdl Prefix "knights-tour": "A knight's tour of 5x5 cells"),
    game!(Gdl Prefix "maze": "A maze of 5x5 rooms"),
    game!(Gdl Prefix "sudoku": "A sudoku of 9x9 cells"),
    game!(Gdl Prefix "rock-paper-scissors": "Rock, paper, scissors, three rounds"),
    game!(Gdl Prefix "prisoners-dilemma": "The prisoner's dilemma, ten rounds"),
    game!(Gdl Prefix "repeated-rock-paper-scissors": "Rock, paper, scissors, fifty rounds for points"),
    game!(Gdl Prefix "bets": "Bets, eight rounds for points"),
    game!(Gdl Prefix "repeated-prisoners-dilemma": "The prisoner's dilemma, twenty rounds for points"),
    game!(Gdl Prefix "three-player-tic-tac-toe": "Tic-tac-toe for three on 5x5 cells"),
    game!(Gdl Prefix "lowest-unique": "The lowest unique number, for six"),
    game!(Gdl Prefix "goofspiel": "Goofspiel with five cards"),
    game!(Gdl Prefix "race": "A race of simultaneous moves"),
    game!(Gdl Prefix "light-cycles": "Light cycles on 10x10 cells"),
    game!(GdlII Prefix "blind-tic-tac-toe": "Blind tic-tac-toe with a coin"),
    game!(GdlII Infix "blind-tic-tac-toe": "Blind tic-tac-toe with a coin"),
    game!(GdlII Infix "blind-tic-tac-toe-without-random": "Blind tic-tac-toe without chance"),
    game!(GdlII Infix "krieg-tic-tac-toe": "Krieg-tic-tac-toe, by turns"),
    game!(GdlII Infix "krieg-tic-tac-toe-lost-turn": "Krieg-tic-tac-toe where a refused move loses the turn"),
    game!(GdlII Prefix "blind-breakthrough": "Blind breakthrough on 5x5 cells"),
    game!(GdlII Prefix "battleship": "Battleship on 5x5 cells with two ships"),
    game!(GdlII Infix "exploding-bomb": "Exploding bomb: is it worth asking?"),
    game!(GdlII Infix "exploding-bomb-tell": "Exploding bomb: is it worth telling?"),
    game!(GdlII Infix "monty-hall": "Monty Hall: stay or switch?"),
    game!(GdlII Prefix "loaded-die": "A loaded die: which side to bet on?"),
    game!(GdlII Prefix "loaded-or-fair-die": "A loaded or a fair die: three throws to tell"),
    game!(GdlII Prefix "mastermind": "Mastermind with three pegs of four colours"),
    game!(GdlII Infix "high-card": "High card: bet, fold, check and raise"),
    game!(GdlII Infix "high-card-stakes": "High card with stakes of one's own"),
    game!(GdlII Infix "kuhn-poker": "Kuhn poker: three cards, one bet"),
    game!(GdlII Infix "leduc-poker": "Leduc poker: six cards, two rounds of betting"),
    game!(GdlII Prefix "liars-dice": "Liar's dice with a die each"),
    game!(GdlII Prefix "blind-goofspiel": "Goofspiel with hidden bids and shuffled prizes"),
    game!(GdlII Infix "trading": "Trading with private and public offers"),
    game!(GdlII Prefix "signals": "Partners whose moves tell each other something"),
    game!(RtGdl Infix "timed-tic-tac-toe": "Tic-tac-toe with one unit of time for each move"),
    game!(RtGdl Infix "chess-clock": "Twelve stones and a chess clock"),
    game!(RtGdl Infix "cheshire-cat": "Stroke the cat while it is there"),
    game!(RtGdl Infix "respawning-armor": "Take armour that comes back"),
    game!(RtGdl Infix "xwing": "Hit a ship that moves by itself"),
    game!(RtGdl Infix "construction": "Buildings that take their time"),
    game!(RtGdl Infix "chicken": "The game of chicken: two drivers race to a cliff"),
    game!(RtGdl Infix "raid": "A small war for gold: workers, soldiers, a tower, raids"),
    game!(RtGdl Infix "grid-shooter": "A shooting match on a grid of 5x5 cells"),
    game!(RtGdl Infix "rapid-connect-four": "Connect four without turns"),
    game!(RtGdlII Infix "falling-blocks": "Falling blocks in a well of 5x8 cells"),
    game!(RtGdlII Infix "clock-auction": "A Dutch auction of two lots"),
    game!(RtGdlII Infix "reaction": "Be the first to press after the flash"),
    game!(RtGdlII Infix "hidden-duel": "A silent duel with crossbows"),
    game!(RtGdl Infix "speed-breakthrough": "Breakthrough on 5x5 cells with two chess clocks"),
    game!(Sdl Infix "tic-tac-toe-history": "Tic-tac-toe with steps"),
    game!(Sdl Infix "chess": "Chess, a hundred steps"),
    game!(Sdl Infix "chess-draws": "Chess, with draws by repetition and after fifty moves"),
    game!(Sdl Infix "no-way-back": "A walk that never comes back"),
    game!(Sdl Infix "once-each": "Numbers that may be named once"),
    game!(Sdl Infix "ring-go": "Capture go on a ring with a ko rule"),
    game!(IgdlII Infix "lights-in-sentences": "Buttons and lights in sentences"),
    game!(IgdlII Infix "lights-from-anywhere": "Buttons and lights that may be on at first"),
    game!(IgdlII Infix "lights-alike": "Buttons and lights, two of them alike at first"),
    game!(IgdlII Infix "closed-doors": "Two doors, one of them open"),
    game!(IgdlII Infix "three-chests": "Three chests, one with the treasure"),
    game!(Igdl Infix "minefield": "Four fields, one of them mined"),
    game!(Igdl Infix "minefield-white": "Four fields, one of them mined: what white knows"),
    game!(Igdl Infix "minefield-black": "Four fields, one of them mined: what black knows"),
    game!(IsdlII Infix "watchman": "A watchman on his round"),
    game!(Epilog Infix "hexapawn": "Hexapawn on 3x3 cells, in Epilog"),
    game!(Epilog Infix "twenty-one": "Twenty-one: who says it wins, in Epilog"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn twins_stand_together_and_names_are_otherwise_unique() {
        let mut names = BTreeSet::new();
        for pair in GAMES.chunk_by(|a, b| a.name == b.name) {
            assert!(names.insert(pair[0].name), "{} is listed apart", pair[0].name);
            assert!(pair.len() <= 2);
            if let [first, second] = pair {
                assert_eq!((first.notation, second.notation), (Notation::Prefix, Notation::Infix));
                assert_eq!((first.title, first.dialect), (second.title, second.dialect));
            }
        }
    }

    #[test]
    fn every_rulesheet_is_listed_under_its_own_name() {
        let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
        let mut files = BTreeSet::new();
        for folder in ["gdl", "gdl-ii", "rtgdl", "sdl", "igdl", "isdl", "epilog"] {
            for entry in std::fs::read_dir(games.join(folder)).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                files.insert(format!("{folder}/{name}"));
            }
        }
        let mut listed: BTreeSet<String> = GAMES.iter().map(|g| g.file.to_owned()).collect();
        listed.extend(CASES.iter().map(|(file, _)| (*file).to_owned()));
        assert_eq!(files, listed);
        for game in GAMES {
            // Games in real time stand together, with and without percepts, and so do those of sentences.
            let shelf = match game.dialect {
                Dialect::RtGdlII => Dialect::RtGdl,
                Dialect::IgdlII => Dialect::Igdl,
                Dialect::IsdlII => Dialect::Isdl,
                dialect => dialect,
            };
            let name = Dialect::NAMES.iter().find(|(_, dialect)| *dialect == shelf);
            let folder = name.map_or("", |(name, _)| *name);
            let ending = match (game.dialect, game.notation) {
                (Dialect::Epilog, _) => "hrf",
                (_, Notation::Prefix) => "kif",
                (_, Notation::Infix) => "gdl",
            };
            assert_eq!(game.file, format!("{folder}/{}.{ending}", game.name));
            let comment = if game.notation == Notation::Prefix { ';' } else { '%' };
            assert!(game.text.starts_with(comment), "{} has no header", game.file);
            assert!(game.text.contains("Source: "), "{} names no source", game.file);
        }
    }

    #[test]
    fn names_find_games() {
        assert_eq!(find("tic-tac-toe").map(|g| g.notation), Some(Notation::Prefix));
        let infix = find_in("tic-tac-toe", Notation::Infix);
        assert_eq!(infix.map(|g| g.file), Some("gdl/tic-tac-toe.gdl"));
        assert_eq!(find("tic-tac-toe.kif"), None);
    }
}
