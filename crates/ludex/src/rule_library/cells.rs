//! Cells that stay as they are: what is not said of the next state does not hold in it.

use super::{Library, Part, Relation, never_refused, no_needs};

pub(super) const LIBRARY: Library = Library {
    name: "cells",
    title: "Cells that stay as they are",
    explanation: "The next state is what the rules for (next ...) say, and nothing else: a piece that nobody \
                  speaks of is gone. So a rule has to say that what does not change stays. It is said once, for \
                  all cells: your rules only say what a cell becomes.",
    parameters: &[],
    parts: &[Part {
        name: "cell",
        idea: "A cell that becomes something shows that; any other shows what it showed.",
        relations: &[Relation::new("changed", &["X", "Y"], "the cell X,Y becomes something.")],
        asks: &[Relation::new("becomes", &["X", "Y", "C"], "by the moves made, the cell X,Y becomes C.")],
        builds_on: &[],
        rules: |_| {
            "(<= (changed ?x ?y) (becomes ?x ?y ?c))\n\
             (<= (next (cell ?x ?y ?c)) (becomes ?x ?y ?c))\n\
             (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (not (changed ?x ?y)))\n"
                .into()
        },
    }],
    needs: no_needs,
    refusal: never_refused,
};
