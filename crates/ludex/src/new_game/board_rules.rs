//! Games on a board: pieces that are put down, and pieces that move.

use super::answers::{AnswerError, Answers, Hidden, Pieces, Shape, Turns, Win};
use super::draft::Draft;

/// Writes what can be on the board, what can be done, and what becomes of it.
pub(super) fn write(draft: &mut Draft) -> Result<(), AnswerError> {
    let answers = draft.answers;
    let (width, height) = answers.size;
    draft.set("width", &width.to_string())?;
    draft.set("height", &height.to_string())?;
    draft.include("cells", &[])?;
    draft.include("board", &["location", answers.beside()][..beside_parts(answers)])?;
    draft.section("The board");
    board(draft);
    draft.section("Moves");
    match answers.pieces {
        Pieces::Place => placing(draft)?,
        Pieces::Move => moving(draft)?,
    }
    draft.section("What moves do");
    match answers.pieces {
        Pieces::Place => placed(draft)?,
        Pieces::Move => moved(draft)?,
    }
    Ok(())
}

/// How many of the parts of the board that may be wanted are wanted: neighbours are, where something asks for them.
fn beside_parts(answers: &Answers) -> usize {
    let asks = match answers.pieces {
        Pieces::Place => matches!(answers.win(), Win::Score(_)),
        Pieces::Move => true,
    };
    if asks { 2 } else { 1 }
}

/// Where neutral pieces of a game for one player stand at the start: in which row, and in which columns.
fn stones(answers: &Answers) -> Option<u32> {
    match (answers.has_opponent(), answers.pieces, answers.win()) {
        (false, Pieces::Place, Win::Capture(_)) => Some(2),
        (false, Pieces::Move, Win::Capture(_)) => Some(answers.size.1),
        _ => None,
    }
}

fn board(draft: &mut Draft) {
    let answers = draft.answers;
    let mut base = "(<= (base (cell ?x ?y empty)) (location ?x ?y))\n\
                    (<= (base (cell ?x ?y ?r)) (location ?x ?y) (player ?r))\n"
        .to_owned();
    if let Some(row) = stones(answers) {
        base.push_str(&format!("(<= (base (cell ?x {row} stone)) (column ?x))\n"));
    }
    draft.rules(
        "A cell X,Y is empty or has a piece of a player. A base says what can ever be so; whoever reads the rules \
         can see it there, and programs need it to prepare.",
        &base,
    );
    let (idea, rules) = match answers.pieces {
        Pieces::Place => placing_start(answers),
        Pieces::Move => moving_start(answers),
    };
    draft.rules(&idea, &rules);
}

fn placing_start(answers: &Answers) -> (String, String) {
    match stones(answers) {
        Some(row) => (
            format!("At the start stones stand in row {row}, and all else is empty."),
            format!(
                "(<= (init (cell ?x {row} stone)) (column ?x))\n\
                 (<= (init (cell ?x ?y empty)) (location ?x ?y) (distinct ?y {row}))\n"
            ),
        ),
        None => (
            "At the start all cells are empty.".into(),
            "(<= (init (cell ?x ?y empty)) (location ?x ?y))\n".into(),
        ),
    }
}

fn moving_start(answers: &Answers) -> (String, String) {
    let (width, height) = answers.size;
    let roles = answers.roles();
    let mut rules = String::new();
    let mut filled = vec![1];
    let idea = match (answers.win(), roles.as_slice()) {
        (Win::Line(_), [first, rest @ ..]) => {
            // One player has its pieces apart, too: as many as there are columns, in two rows.
            filled.push(height);
            for x in 1..=width {
                let (low, high) = if x % 2 == 1 { (1, height) } else { (height, 1) };
                rules.push_str(&format!("(init (cell {x} {low} {first}))\n"));
                match rest.first() {
                    Some(second) => rules.push_str(&format!("(init (cell {x} {high} {second}))\n")),
                    None => rules.push_str(&format!("(init (cell {x} {high} empty))\n")),
                }
            }
            "At the start the pieces stand in the lowest and in the highest row, so that none are in line."
        }
        (_, [first, rest @ ..]) => {
            rules.push_str(&format!("(<= (init (cell ?x 1 {first})) (column ?x))\n"));
            let other = rest.first().map(String::as_str).or(stones(answers).map(|_| "stone"));
            if let Some(other) = other {
                filled.push(height);
                rules.push_str(&format!("(<= (init (cell ?x {height} {other})) (column ?x))\n"));
            }
            match other {
                Some(_) => "At the start the lowest and the highest row are full of pieces.",
                None => "At the start the lowest row is full of pieces.",
            }
        }
        (_, []) => "",
    };
    let elsewhere: String = filled.iter().map(|row| format!(" (distinct ?y {row})")).collect();
    rules.push_str(&format!("(<= (init (cell ?x ?y empty)) (location ?x ?y){elsewhere})\n"));
    (idea.into(), rules)
}

fn placing(draft: &mut Draft) -> Result<(), AnswerError> {
    let answers = draft.answers;
    draft.rules(
        "The move (mark X Y) puts a piece on a cell. An input says which moves can ever be made.",
        "(<= (input ?r (mark ?x ?y)) (player ?r) (location ?x ?y))\n",
    );
    let turn = answers.turn();
    if answers.hidden != Hidden::Moves {
        draft.rules(
            "It is legal on empty cells.",
            &format!("(<= (legal ?r (mark ?x ?y)) {turn} (true (cell ?x ?y empty)))\n"),
        );
        return Ok(());
    }
    let kept = match answers.turns {
        Turns::Simultaneous => " (not (clash ?x ?y))",
        Turns::Alternating | Turns::Single => "",
    };
    draft.rules(
        "A player has to know which moves are legal, and does not see which cells are empty. So every cell may be \
         tried once, and (tried R X Y) is a fact.",
        &format!(
            "(<= (base (tried ?r ?x ?y)) (player ?r) (location ?x ?y))\n\
             (<= (untried ?r ?x ?y) (player ?r) (location ?x ?y) (not (true (tried ?r ?x ?y))))\n\
             (<= (legal ?r (mark ?x ?y)) {turn} (untried ?r ?x ?y))\n\
             (<= (next (tried ?r ?x ?y)) (does ?r (mark ?x ?y)){kept})\n\
             (<= (next (tried ?r ?x ?y)) (true (tried ?r ?x ?y)))\n"
        ),
    );
    // In turns, the board is full as soon as one player has tried all cells, and then it is the turn of the other.
    if answers.turns == Turns::Simultaneous {
        passing(draft, "(<= (can_move ?r) (untried ?r ?x ?y))\n")?;
    }
    Ok(())
}

/// In a game with hidden moves a player can be at the end of its moves before it is told that the game is over.
fn passing(draft: &mut Draft, can_move: &str) -> Result<(), AnswerError> {
    let idea = "Who cannot do anything passes. In GDL there has to be a legal move until the end.";
    if draft.answers.turns == Turns::Alternating {
        draft.rules(idea, can_move);
        return draft.include("turns", &["pass"]);
    }
    let own = "(<= (input ?r pass) (player ?r))\n(<= (legal ?r pass) (player ?r) (not (can_move ?r)))\n";
    draft.rules(idea, &format!("{can_move}{own}"));
    Ok(())
}

fn moving(draft: &mut Draft) -> Result<(), AnswerError> {
    let answers = draft.answers;
    let (turn, beside) = (answers.turn(), answers.beside());
    // Who is there has won, and the game is over; where that is announced, it goes on for a step, which belongs to the
    // other where there are turns.
    let goes_on_there = answers.is_announced() && answers.turns == Turns::Simultaneous;
    let is_over_there = answers.win() == Win::Reach && !goes_on_there;
    let not_there = if is_over_there { " (not (far_row ?r ?y))" } else { "" };
    draft.rules(
        "The move (move X Y U V) takes a piece from the cell X,Y to the cell U,V. An input says which moves can \
         ever be made.",
        &format!("(<= (input ?r (move ?x ?y ?u ?v)) (player ?r) ({beside} ?x ?y ?u ?v){not_there})\n"),
    );
    draft.rules(
        "It is legal to go with one's own piece to a cell beside it that has no piece of one's own.",
        &format!(
            "(<= (legal ?r (move ?x ?y ?u ?v))\n    \
                 {turn} (true (cell ?x ?y ?r)) ({beside} ?x ?y ?u ?v) (not (true (cell ?u ?v ?r))){not_there})\n"
        ),
    );
    // A last piece has to move, so that nobody captures it where both move at the same time.
    let may_lose_all = match answers.win() {
        _ if answers.turns != Turns::Alternating => false,
        Win::Capture(number) => number == answers.size.0,
        _ => true,
    };
    if answers.is_announced() && may_lose_all {
        passing(
            draft,
            &format!(
                "(<= (can_move ?r) (true (cell ?x ?y ?r)) ({beside} ?x ?y ?u ?v) (not (true (cell ?u ?v ?r))))\n"
            ),
        )?;
    }
    Ok(())
}

/// Conditions under which a move does something: luck, and that no other wants the same.
fn conditions(answers: &Answers, cell: &str) -> String {
    let mut conditions = String::new();
    if answers.hidden == Hidden::Dice {
        conditions.push_str(" (not (thrown 1))");
    }
    if answers.turns == Turns::Simultaneous {
        conditions.push_str(&format!(" (not (clash {cell}))"));
    }
    conditions
}

fn clash(draft: &mut Draft, makes: [&str; 2], what: &str) {
    if draft.answers.turns == Turns::Simultaneous {
        draft.rules(
            &format!("(clash X Y): both {what} the cell X,Y, so that neither does."),
            &format!("(<= (clash ?x ?y) (does ?r {}) (does ?q {}) (distinct ?r ?q))\n", makes[0], makes[1]),
        );
    }
}

fn placed(draft: &mut Draft) -> Result<(), AnswerError> {
    let answers = draft.answers;
    clash(draft, ["(mark ?x ?y)", "(mark ?x ?y)"], "want");
    let empty = if answers.hidden == Hidden::Moves { " (true (cell ?x ?y empty))" } else { "" };
    let conditions = conditions(answers, "?x ?y");
    draft.rules(
        &format!("(puts R X Y): R puts a piece on the cell X,Y{}.", reasons(answers, "it is empty")),
        &format!(
            "(<= (puts ?r ?x ?y) (does ?r (mark ?x ?y)){empty}{conditions})\n\
             (<= (becomes ?x ?y ?r) (puts ?r ?x ?y))\n"
        ),
    );
    match answers.win() {
        Win::Capture(_) => flanking(draft)?,
        Win::Score(_) => {
            let beside = answers.beside();
            let mut rules = format!(
                "(<= (has_neighbour ?x ?y)\n    ({beside} ?x ?y ?u ?v) (true (cell ?u ?v ?q)) (player ?q))\n"
            );
            rules.push_str("(<= (gains ?r 1) (puts ?r ?x ?y) (not (has_neighbour ?x ?y)))\n");
            draft.rules("A piece that is put beside no other is a point.", &rules);
        }
        Win::Line(_) | Win::Reach => {}
    }
    Ok(())
}

/// What else has to be so that a move does what it is to do.
fn reasons(answers: &Answers, hidden: &str) -> String {
    let mut reasons = Vec::new();
    if answers.hidden == Hidden::Moves && answers.pieces == Pieces::Place {
        reasons.push(hidden);
    }
    if answers.hidden == Hidden::Dice {
        reasons.push("no 1 is thrown");
    }
    if answers.turns == Turns::Simultaneous {
        reasons.push("the other does not want the same");
    }
    if reasons.is_empty() { String::new() } else { format!(", if {}", reasons.join(" and ")) }
}

/// A piece between two others in a row is captured.
fn flanking(draft: &mut Draft) -> Result<(), AnswerError> {
    let answers = draft.answers;
    let directions = if answers.shape == Shape::Hex { "hexagonal" } else { "straight" };
    draft.include("board", &["toward", directions])?;
    let victim = victim(draft)?;
    draft.rules(
        "(captures R U V): R puts a piece beside U,V, and beyond that cell, straight on, R has a piece already. \
         What stands between them becomes a piece of R.",
        &format!(
            "(<= (captures ?r ?u ?v)\n    (puts ?r ?x ?y)\n    \
                 ({directions} ?d) (toward ?d ?x ?y ?u ?v) {victim}\n    \
                 (toward ?d ?u ?v ?s ?t) (true (cell ?s ?t ?r)))\n\
             (<= (becomes ?u ?v ?r) (captures ?r ?u ?v))\n\
             (<= (gains ?r 1) (captures ?r ?u ?v))\n"
        ),
    );
    Ok(())
}

/// The condition that a piece that can be captured is on `?u`, `?v`.
fn victim(draft: &mut Draft) -> Result<&'static str, AnswerError> {
    if draft.answers.has_opponent() {
        draft.include("turns", &["opponent"])?;
        return Ok("(true (cell ?u ?v ?q)) (opponent ?r ?q)");
    }
    Ok("(true (cell ?u ?v stone))")
}

fn moved(draft: &mut Draft) -> Result<(), AnswerError> {
    let answers = draft.answers;
    clash(draft, ["(move ?a ?b ?x ?y)", "(move ?c ?d ?x ?y)"], "go to");
    let conditions = conditions(answers, "?u ?v");
    let is_simultaneous = answers.turns == Turns::Simultaneous;
    let (stays, entered) = if is_simultaneous {
        (" (not (entered ?x ?y))", "(<= (entered ?u ?v) (goes ?r ?x ?y ?u ?v))\n")
    } else {
        ("", "")
    };
    draft.rules(
        &format!(
            "(goes R X Y U V): a piece of R goes from X,Y to U,V{}. The cell that it leaves becomes empty{}.",
            reasons(answers, ""),
            if is_simultaneous { ", if none goes there" } else { "" }
        ),
        &format!(
            "(<= (goes ?r ?x ?y ?u ?v) (does ?r (move ?x ?y ?u ?v)){conditions})\n{entered}\
             (<= (becomes ?u ?v ?r) (goes ?r ?x ?y ?u ?v))\n\
             (<= (becomes ?x ?y empty) (goes ?r ?x ?y ?u ?v){stays})\n"
        ),
    );
    match answers.win() {
        Win::Capture(_) => {
            let victim = victim(draft)?;
            let (stays, left) = if is_simultaneous {
                (" (not (left ?u ?v))", "(<= (left ?x ?y) (goes ?r ?x ?y ?u ?v))\n")
            } else {
                ("", "")
            };
            draft.rules(
                &format!(
                    "What stands where a piece goes is captured{}.",
                    if is_simultaneous { ", unless it goes away in the same step" } else { "" }
                ),
                &format!("{left}(<= (gains ?r 1) (goes ?r ?x ?y ?u ?v) {victim}{stays})\n"),
            );
        }
        Win::Score(_) => draft.rules(
            "A piece that comes to the far row is a point.",
            "(<= (gains ?r 1) (goes ?r ?x ?y ?u ?v) (far_row ?r ?v) (not (far_row ?r ?y)))\n",
        ),
        Win::Line(_) | Win::Reach => {}
    }
    Ok(())
}
