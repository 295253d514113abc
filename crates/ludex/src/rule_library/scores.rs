//! Points that players gain, up to a target.

use super::{Library, Need, Parameter, ParameterKind, Part, Relation, Value, Values, never_refused};

pub(super) const LIBRARY: Library = Library {
    name: "scores",
    title: "Points",
    explanation: "Each player has points, none at the start. Your rules say who gains some by the moves made. \
                  Points count up to the target and no further: what would go past it is lost.",
    parameters: &[Parameter {
        name: "target",
        meaning: "how many points are all that one can have",
        kind: ParameterKind::Number { usual: 10, least: 1, most: 300 },
    }],
    parts: &[
        Part {
            name: "score",
            idea: "The fact (score R N) says that R has N points.",
            relations: &[
                Relation::new("scores", &["R", "N"], "by the moves made, R comes to N points."),
                Relation::new("scores_something", &["R"], "R comes to another number of points."),
            ],
            asks: &[Relation::new("gains", &["R", "N"], "by the moves made, R gains N points.")],
            builds_on: &[],
            rules: |values| {
                let target = values.number("target");
                format!(
                    "(<= (base (score ?r 0)) (player ?r))\n\
                     (<= (base (score ?r ?n)) (player ?r) (succ ?m ?n) (not (less {target} ?n)))\n\
                     (<= (init (score ?r 0)) (player ?r))\n\
                     (<= (scores ?r ?k)\n    (gains ?r ?n) (true (score ?r ?m)) (sum ?m ?n ?k) (not (less {target} ?k)))\n\
                     (<= (scores_something ?r) (scores ?r ?n))\n\
                     (<= (next (score ?r ?n)) (scores ?r ?n))\n\
                     (<= (next (score ?r ?n)) (true (score ?r ?n)) (not (scores_something ?r)))\n"
                )
            },
        },
        Part {
            name: "has_target",
            idea: "",
            relations: &[Relation::new("has_target", &["R"], "R has all the points that one can have.")],
            asks: &[],
            builds_on: &["score"],
            rules: |values| format!("(<= (has_target ?r) (true (score ?r {})))\n", values.number("target")),
        },
        Part {
            name: "leads",
            idea: "",
            relations: &[
                Relation::new("behind", &["R"], "another player has as many points as R or more."),
                Relation::new("leads", &["R"], "R has more points than any other."),
            ],
            asks: &[],
            builds_on: &["score"],
            rules: |_| {
                "(<= (behind ?r)\n    (true (score ?r ?n)) (true (score ?q ?n)) (distinct ?r ?q))\n\
                 (<= (behind ?r)\n    (true (score ?r ?m)) (true (score ?q ?n)) (less ?m ?n))\n\
                 (<= (leads ?r) (player ?r) (not (behind ?r)))\n"
                    .into()
            },
        },
    ],
    needs,
    refusal: never_refused,
};

fn needs(values: &Values, _: &[&Part]) -> Vec<Need> {
    let max = ("max", Value::Number(values.number("target")));
    vec![
        Need { library: "numbers", parts: vec!["succ", "less", "sum"], values: vec![max] },
        Need { library: "turns", parts: vec!["player"], values: Vec::new() },
    ]
}
