//! Games without a board: players name numbers and count up to a target.

use super::answers::{AnswerError, Hidden, Turns};
use super::draft::Draft;

/// Writes what can be named, and what it adds.
pub(super) fn write(draft: &mut Draft) -> Result<(), AnswerError> {
    let answers = draft.answers;
    draft.section("Moves");
    let turn = answers.turn();
    draft.rules(
        "The move (add N) names a number from 1 to 3. An input says which moves can ever be made.",
        &format!(
            "(amount 1)\n(amount 2)\n(amount 3)\n\
             (<= (input ?r (add ?n)) (player ?r) (amount ?n))\n\
             (<= (legal ?r (add ?n)) {turn} (amount ?n))\n"
        ),
    );
    draft.section("What moves do");
    let luck = if answers.hidden == Hidden::Dice { " (not (thrown 1))" } else { "" };
    if answers.turns == Turns::Simultaneous {
        draft.rules(
            "Who names a number gains as much, unless the other names the same.",
            &format!(
                "(<= (clash ?n) (does ?r (add ?n)) (does ?q (add ?n)) (distinct ?r ?q))\n\
                 (<= (gains ?r ?n) (does ?r (add ?n)) (not (clash ?n)){luck})\n"
            ),
        );
        return Ok(());
    }
    draft.rules(
        "Who names a number gains as much, unless it was named in the step before; (last N) is the fact that it was.",
        &format!(
            "(<= (base (last ?n)) (amount ?n))\n\
             (<= (next (last ?n)) (does ?r (add ?n)))\n\
             (<= (gains ?r ?n) (does ?r (add ?n)) (not (true (last ?n))){luck})\n"
        ),
    );
    Ok(())
}
