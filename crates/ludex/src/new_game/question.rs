//! What is asked.

/// A question about the new game.
#[derive(Debug)]
pub struct Question {
    /// The name of the option that answers it, such as `board`.
    pub name: &'static str,
    /// The question.
    pub asks: &'static str,
    /// What can be answered, with what it means.
    pub answers: &'static [(&'static str, &'static str)],
}

/// All questions, in the order in which they are asked.
pub fn questions() -> &'static [Question] {
    QUESTIONS
}

const QUESTIONS: &[Question] = &[
    Question {
        name: "shape",
        asks: "What is it played on?",
        answers: &[
            ("square", "a board of squares: a cell has four neighbours, and lines may go over corners"),
            ("hex", "a board of hexagons: a cell has six neighbours"),
            ("none", "no board: players name numbers and count up to a target"),
        ],
    },
    Question {
        name: "board",
        asks: "How large is the board?",
        answers: &[("WxH", "columns and rows, each from 3 to 12, such as 3x3")],
    },
    Question {
        name: "pieces",
        asks: "What do players do with their pieces?",
        answers: &[
            ("place", "put one on an empty cell, where it stays"),
            ("move", "move one to a neighbouring cell, and capture what stands there"),
        ],
    },
    Question {
        name: "turns",
        asks: "Who moves when?",
        answers: &[
            ("alternating", "two players, one after the other"),
            ("simultaneous", "two players at the same time"),
            ("single", "one player alone, who has to make it in time"),
        ],
    },
    Question {
        name: "win",
        asks: "How does one win?",
        answers: &[
            ("line:K", "with K pieces in a row"),
            (
                "reach",
                "with a chain of pieces from the lowest row to the highest, or with a piece that gets to the far row",
            ),
            (
                "capture:N",
                "with N captures: of pieces between two of one's own, or of those that one's pieces go to",
            ),
            (
                "score:T",
                "with T points: for pieces that are put beside no other, or that get to the far row; or for numbers",
            ),
        ],
    },
    Question {
        name: "hidden",
        asks: "What is not seen?",
        answers: &[
            ("none", "everybody sees everything"),
            ("moves", "one does not see what the opponent does"),
            ("dice", "nobody knows whether a move will succeed: on a throw of 1 it does not"),
        ],
    },
    Question {
        name: "roles",
        asks: "What are the players called?",
        answers: &[("NAMES", "names with commas between them: small letters, digits and `_`")],
    },
    Question {
        name: "notation",
        asks: "How are the rules to be written?",
        answers: &[
            ("prefix", "(legal ?r noop), as in most collections of games; the file ends in .kif"),
            ("infix", "legal(R,noop), as in the textbook; the file ends in .gdl"),
        ],
    },
];
