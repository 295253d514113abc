//! What the end of a game is worth, from who has won.

use super::{Library, Need, Parameter, ParameterKind, Part, Relation, Values, never_refused};

pub(super) const LIBRARY: Library = Library {
    name: "goals",
    title: "Who has won",
    explanation: "A state is worth a number from 0 to 100 to each player, and only what it is worth at the end \
                  counts. Your rules say who has won; that nobody else has, and what is a draw, follows from it.",
    parameters: &[Parameter {
        name: "outcome",
        meaning: "one player wins, or none (draw); several may win, and share it (shared); for one player (alone)",
        kind: ParameterKind::Choice(&["draw", "shared", "alone"]),
    }],
    parts: &[Part {
        name: "goal",
        idea: "",
        relations: &[Relation::new("decided", &[], "somebody has won.")],
        asks: &[Relation::new("wins", &["R"], "R has won.")],
        builds_on: &[],
        rules: |values| {
            match values.choice("outcome") {
                "alone" => ALONE,
                "shared" => SHARED,
                _ => DRAW,
            }
            .into()
        },
    }],
    needs,
    refusal: never_refused,
};

fn needs(_: &Values, _: &[&Part]) -> Vec<Need> {
    vec![Need { library: "turns", parts: vec!["player"], values: Vec::new() }]
}

const ALONE: &str = "\
(<= decided (wins ?r))
(<= (goal ?r 100) (player ?r) (wins ?r))
(<= (goal ?r 0) (player ?r) (not (wins ?r)))
";

const DRAW: &str = "\
(<= decided (wins ?r))
(<= (goal ?r 100) (player ?r) (wins ?r))
(<= (goal ?r 0) (player ?r) decided (not (wins ?r)))
(<= (goal ?r 50) (player ?r) (not decided))
";

const SHARED: &str = "\
(<= decided (wins ?r))
(<= (goal ?r 100) (player ?r) (wins ?r) (not (also_wins ?r)))
(<= (goal ?r 50) (player ?r) (wins ?r) (also_wins ?r))
(<= (goal ?r 0) (player ?r) decided (not (wins ?r)))
(<= (goal ?r 50) (player ?r) (not decided))
; (also_wins ?r): another player than R has won.
(<= (also_wins ?r) (player ?r) (wins ?q) (distinct ?r ?q))
";
