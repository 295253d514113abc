//! Dice that the role random throws in every step.

use super::{Library, Need, Parameter, ParameterKind, Part, Relation, Values, has_part, never_refused};

pub(super) const LIBRARY: Library = Library {
    name: "dice",
    title: "A die",
    explanation: "Chance is a role of its own, called random, that makes each of its legal moves with the same \
                  probability. Such a game is in GDL-II, where roles know nothing but what they are told: so \
                  everybody has to be told what was thrown.",
    parameters: &[Parameter {
        name: "sides",
        meaning: "how many sides the die has",
        kind: ParameterKind::Number { usual: 6, least: 2, most: 100 },
    }],
    parts: &[
        Part {
            name: "side",
            idea: "",
            relations: &[Relation::new("side", &["N"], "the die has a side N.")],
            asks: &[],
            builds_on: &[],
            rules: |values| (1..=values.number("sides")).map(|n| format!("(side {n})\n")).collect(),
        },
        Part {
            name: "throw",
            idea: "The die is thrown in every step, while the others move.",
            relations: &[Relation::new("thrown", &["N"], "N is thrown in this step.")],
            asks: &[],
            builds_on: &["side"],
            rules: |_| {
                "(role random)\n\
                 (<= (input random (throw ?n)) (side ?n))\n\
                 (<= (legal random (throw ?n)) (side ?n))\n\
                 (<= (thrown ?n) (does random (throw ?n)))\n"
                    .into()
            },
        },
        Part {
            name: "shown",
            idea: "Everybody sees what is thrown.",
            relations: &[],
            asks: &[],
            builds_on: &["throw"],
            rules: |_| "(<= (sees ?r (throw ?n)) (player ?r) (thrown ?n))\n".into(),
        },
    ],
    needs,
    refusal: never_refused,
};

fn needs(_: &Values, parts: &[&Part]) -> Vec<Need> {
    if !has_part(parts, &["shown"]) {
        return Vec::new();
    }
    vec![Need { library: "turns", parts: vec!["player"], values: Vec::new() }]
}
