//! Who wins, when it is over, and what players see.

use super::answers::{AnswerError, Answers, Hidden, Pieces, Shape, Turns, Win};
use super::draft::Draft;

/// Writes the end of the game and what is seen.
pub(super) fn write(draft: &mut Draft) -> Result<(), AnswerError> {
    draft.section("The end");
    winning(draft)?;
    losing_all(draft)?;
    over(draft);
    let outcome = match draft.answers.turns {
        Turns::Alternating => "draw",
        Turns::Simultaneous => "shared",
        Turns::Single => "alone",
    };
    draft.set("outcome", outcome)?;
    draft.include("goals", &[])?;
    match draft.answers.hidden {
        Hidden::None => {}
        Hidden::Dice => {
            draft.section("What players see");
            draft.rules(
                "Everybody sees what the players do, and what the die shows.",
                "(<= (sees ?r (did ?q ?m)) (player ?r) (player ?q) (does ?q ?m))\n",
            );
        }
        Hidden::Moves => percepts(draft),
    }
    Ok(())
}

fn winning(draft: &mut Draft) -> Result<(), AnswerError> {
    let answers = draft.answers;
    let wins = answers.winning();
    let height = answers.size.1;
    match (answers.win(), answers.pieces) {
        (Win::Line(length), _) => {
            draft.set("length", &length.to_string())?;
            draft.set("directions", if answers.shape == Shape::Hex { "6" } else { "8" })?;
            draft.include("lines", &["has_line"])?;
            draft.rules(
                &format!("Who has {length} pieces in a row has won."),
                &format!("(<= ({wins} ?r) (has_line ?r))\n"),
            );
        }
        (Win::Reach, Pieces::Place) => {
            draft.set("neighbours", if answers.shape == Shape::Hex { "6" } else { "4" })?;
            draft.include("chains", &[])?;
            draft.rules(
                "Who connects the lowest row with the highest has won.",
                &format!(
                    "(<= (chain_start ?r ?x 1) (player ?r) (column ?x))\n\
                     (<= (chain_end ?r ?x {height}) (player ?r) (column ?x))\n\
                     (<= ({wins} ?r) (connects ?r))\n"
                ),
            );
        }
        (Win::Reach, Pieces::Move) => draft.rules(
            "Who has a piece on the far row has won.",
            &format!("{}(<= ({wins} ?r) (far_row ?r ?y) (true (cell ?x ?y ?r)))\n", far_rows(answers)),
        ),
        (Win::Capture(target) | Win::Score(target), _) => {
            draft.rules(
                &match answers.win() {
                    Win::Capture(_) => format!("A capture is a point, and who has {target} has won."),
                    _ => format!("Who has {target} points has won."),
                },
                &format!("(<= ({wins} ?r) (has_target ?r))\n"),
            );
            if answers.shape != Shape::None && answers.pieces == Pieces::Move && far_row_scores(answers) {
                draft.rules("(far_row R Y): the row Y is the far one for R.", &far_rows(answers));
            }
        }
    }
    Ok(())
}

fn far_row_scores(answers: &Answers) -> bool {
    matches!(answers.win(), Win::Score(_))
}

/// The row on the other side of each player.
fn far_rows(answers: &Answers) -> String {
    let rows = [answers.size.1, 1];
    let roles = answers.roles();
    roles.iter().zip(rows).map(|(role, row)| format!("(far_row {role} {row})\n")).collect()
}

/// Who has lost all pieces has lost, in games in which it does not end by itself before that.
fn losing_all(draft: &mut Draft) -> Result<(), AnswerError> {
    let answers = draft.answers;
    let can_lose_all = answers.shape != Shape::None
        && answers.pieces == Pieces::Move
        && answers.turns == Turns::Alternating
        && !matches!(answers.win(), Win::Capture(_));
    if can_lose_all {
        let wins = answers.winning();
        draft.include("turns", &["opponent"])?;
        draft.rules(
            "Who has no piece any more has lost.",
            &format!(
                "(<= (has_piece ?r) (player ?r) (true (cell ?x ?y ?r)))\n\
                 (<= ({wins} ?r) (opponent ?r ?q) (not (has_piece ?q)))\n"
            ),
        );
    }
    Ok(())
}

fn over(draft: &mut Draft) {
    let answers = draft.answers;
    let (width, height) = answers.size;
    let is_placing = answers.shape != Shape::None && answers.pieces == Pieces::Place;
    let can_be_full = is_placing && answers.limit().is_none_or(|limit| limit >= width * height);
    let is_announced = answers.is_announced();
    let (head, condition) =
        if is_announced { ("finished", "(achieves ?r)") } else { ("terminal", "decided") };
    let mut rules = format!("(<= {head} {condition})\n");
    let mut ideas = vec!["somebody has won"];
    if can_be_full {
        rules.push_str(&format!("(<= {head} (not open))\n(<= open (true (cell ?x ?y empty)))\n"));
        ideas.push("the board is full");
    }
    if answers.limit().is_some() {
        rules.push_str(&format!("(<= {head} time_is_up)\n"));
        ideas.push("the time is up");
    }
    let ideas = ideas.join(", or ");
    if !is_announced {
        draft.rules(&format!("The game is over when {ideas}."), &rules);
        return;
    }
    draft.rules(
        &format!(
            "The game is finished when {ideas}. The players do not see it; so one more step is made, in which they \
             are told, and then it is over. Who has won by then is kept as a fact."
        ),
        &format!(
            "{rules}(base over)\n(<= (next over) finished)\n(<= terminal (true over))\n\
             (<= (base (won ?r)) (player ?r))\n(<= (next (won ?r)) (achieves ?r))\n\
             (<= (wins ?r) (true (won ?r)))\n"
        ),
    );
}

/// What is seen where the moves of the other are not.
fn percepts(draft: &mut Draft) {
    let answers = draft.answers;
    draft.section("What players see");
    let mut rules = String::new();
    let mut ideas = Vec::new();
    if answers.shape != Shape::None {
        rules.push_str("(<= (sees ?r (gained ?x ?y)) (player ?r) (becomes ?x ?y ?r))\n");
        ideas.push("which cells one gains");
        let can_lose = answers.pieces == Pieces::Move || matches!(answers.win(), Win::Capture(_));
        if can_lose {
            rules.push_str(
                "(<= (sees ?r (lost ?x ?y))\n    \
                     (player ?r) (true (cell ?x ?y ?r)) (becomes ?x ?y ?c) (distinct ?c ?r))\n",
            );
            ideas.push("which cells one loses");
        }
        if answers.turns == Turns::Simultaneous {
            let tries = match answers.pieces {
                Pieces::Place => "(mark ?x ?y)",
                Pieces::Move => "(move ?s ?t ?x ?y)",
            };
            rules.push_str(&format!("(<= (sees ?r clash) (does ?r {tries}) (clash ?x ?y))\n"));
            ideas.push("that both wanted the same cell");
        }
    }
    if answers.has_points() {
        rules.push_str("(<= (sees ?r (points ?n)) (scores ?r ?n))\n");
        ideas.push("to how many points one comes");
    }
    draft.rules(&format!("A player sees {}, and nothing else of what happens.", ideas.join(", ")), &rules);
    draft.rules(
        "Everybody is told that it is over, and who has won.",
        "(<= (sees ?r finished) (player ?r) finished)\n\
         (<= (sees ?r (won ?q)) (player ?r) (achieves ?q))\n",
    );
}
