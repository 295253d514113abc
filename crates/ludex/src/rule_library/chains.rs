//! Chains: pieces that hang together, from one side of a board to another.

use super::{Library, Need, Parameter, ParameterKind, Part, Relation, Values, has_part, never_refused};

pub(super) const LIBRARY: Library = Library {
    name: "chains",
    title: "Chains on a board",
    explanation: "Pieces of one role that stand side by side, one after the other, make a chain. How far it goes \
                  cannot be said in one rule, since it may have any length: a chain that is there already goes on \
                  with each piece beside its last one.",
    parameters: &[Parameter {
        name: "neighbours",
        meaning: "how many neighbours a cell has: 4, 8 with those over corners, 6 on hexagons",
        kind: ParameterKind::Choice(&["4", "8", "6"]),
    }],
    parts: &[
        Part {
            name: "chained",
            idea: "What stands on a cell is said by facts (cell X Y R), where R is the role whose piece it is.",
            relations: &[Relation::new(
                "chained",
                &["R", "X", "Y"],
                "a chain of the role R leads from a cell where it may begin to X,Y.",
            )],
            asks: &[Relation::new("chain_start", &["R", "X", "Y"], "chains of R may begin at X,Y.")],
            builds_on: &[],
            rules: |values| {
                let beside = beside(values);
                format!(
                    "(<= (chained ?r ?x ?y) (chain_start ?r ?x ?y) (true (cell ?x ?y ?r)))\n\
                     (<= (chained ?r ?u ?v) (chained ?r ?x ?y) ({beside} ?x ?y ?u ?v) (true (cell ?u ?v ?r)))\n"
                )
            },
        },
        Part {
            name: "connects",
            idea: "",
            relations: &[Relation::new("connects", &["R"], "a chain of the role R is complete.")],
            asks: &[Relation::new("chain_end", &["R", "X", "Y"], "chains of R are complete at X,Y.")],
            builds_on: &["chained"],
            rules: |_| "(<= (connects ?r) (chained ?r ?x ?y) (chain_end ?r ?x ?y))\n".into(),
        },
    ],
    needs,
    refusal: never_refused,
};

fn beside(values: &Values) -> &'static str {
    match values.choice("neighbours") {
        "6" => "hex_adjacent",
        "8" => "touching",
        _ => "adjacent",
    }
}

fn needs(values: &Values, parts: &[&Part]) -> Vec<Need> {
    if !has_part(parts, &["chained"]) {
        return Vec::new();
    }
    vec![Need { library: "board", parts: vec![beside(values)], values: Vec::new() }]
}
