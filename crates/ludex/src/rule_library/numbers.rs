//! Numbers from 0 on: GDL has none of its own, only names.

use super::{Library, Parameter, ParameterKind, Part, Relation, never_refused, no_needs};

pub(super) const LIBRARY: Library = Library {
    name: "numbers",
    title: "Numbers",
    explanation: "To GDL a number is a name like any other, so the rules themselves have to say what comes \
                  after what, and everything else about numbers follows from that. There are only as many \
                  numbers as are needed: what would be greater does not exist, so that nothing grows without end.",
    parameters: &[Parameter {
        name: "max",
        meaning: "the greatest number",
        kind: ParameterKind::Number { usual: 10, least: 1, most: 300 },
    }],
    parts: &[
        Part {
            name: "succ",
            idea: "",
            relations: &[Relation::new("succ", &["M", "N"], "N comes directly after M.")],
            asks: &[],
            builds_on: &[],
            rules: |values| (0..values.number("max")).map(|n| format!("(succ {n} {})\n", n + 1)).collect(),
        },
        Part {
            name: "number",
            idea: "",
            relations: &[Relation::new("number", &["N"], "N is a number.")],
            asks: &[],
            builds_on: &["succ"],
            rules: |_| "(number 0)\n(<= (number ?n) (succ ?m ?n))\n".into(),
        },
        Part {
            name: "less",
            idea: "",
            relations: &[Relation::new("less", &["M", "N"], "M is less than N.")],
            asks: &[],
            builds_on: &["succ"],
            rules: |_| "(<= (less ?m ?n) (succ ?m ?n))\n(<= (less ?l ?n) (less ?l ?m) (succ ?m ?n))\n".into(),
        },
        Part {
            name: "sum",
            idea: "One more on one side is one more in the sum.",
            relations: &[Relation::new("sum", &["M", "N", "K"], "M and N are K together.")],
            asks: &[],
            builds_on: &["number"],
            rules: |_| {
                "(<= (sum ?m 0 ?m) (number ?m))\n\
                 (<= (sum ?m ?n ?k) (succ ?i ?n) (sum ?m ?i ?j) (succ ?j ?k))\n"
                    .into()
            },
        },
        Part {
            name: "difference",
            idea: "",
            relations: &[Relation::new(
                "difference",
                &["M", "N", "K"],
                "M and N are K apart, whichever of them is the greater.",
            )],
            asks: &[],
            builds_on: &["sum", "less"],
            rules: |_| {
                "(<= (difference ?m ?n ?k) (sum ?n ?k ?m))\n\
                 (<= (difference ?m ?n ?k) (less ?m ?n) (sum ?m ?k ?n))\n"
                    .into()
            },
        },
        Part {
            name: "product",
            idea: "Once more M is M more in the product.",
            relations: &[Relation::new("product", &["M", "N", "K"], "M times N is K.")],
            asks: &[],
            builds_on: &["sum"],
            rules: |_| {
                "(<= (product ?m 0 0) (number ?m))\n\
                 (<= (product ?m ?n ?k) (succ ?i ?n) (product ?m ?i ?j) (sum ?j ?m ?k))\n"
                    .into()
            },
        },
    ],
    needs: no_needs,
    refusal: never_refused,
};
