//! A counter of steps, by which every game ends.

use super::{Library, Need, Parameter, ParameterKind, Part, Relation, Value, Values, never_refused};

pub(super) const LIBRARY: Library = Library {
    name: "steps",
    title: "A limit of steps",
    explanation: "A game has to end, whatever is played. Where pieces can go to and fro, only counting makes sure \
                  of it.",
    parameters: &[Parameter {
        name: "limit",
        meaning: "after how many steps the time is up",
        kind: ParameterKind::Number { usual: 20, least: 1, most: 300 },
    }],
    parts: &[Part {
        name: "step",
        idea: "The fact (step N) says that N steps have been made.",
        relations: &[Relation::new("time_is_up", &[], "as many steps have been made as there may be.")],
        asks: &[],
        builds_on: &[],
        rules: |values| {
            let limit = values.number("limit");
            format!(
                "(base (step 0))\n\
                 (<= (base (step ?n)) (succ ?m ?n) (not (less {limit} ?n)))\n\
                 (init (step 0))\n\
                 (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n) (not (less {limit} ?n)))\n\
                 (<= time_is_up (true (step {limit})))\n"
            )
        },
    }],
    needs,
    refusal: never_refused,
};

fn needs(values: &Values, _: &[&Part]) -> Vec<Need> {
    let max = ("max", Value::Number(values.number("limit")));
    vec![Need { library: "numbers", parts: vec!["succ", "less"], values: vec![max] }]
}
