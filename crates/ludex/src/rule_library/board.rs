//! Boards with coordinates: columns from the left and rows from below, counted from 1.

use super::{
    Library, Need, Parameter, ParameterKind, Part, Relation, Value, Values, has_part, never_refused,
};

/// The widest board.
pub(super) const MOST: u32 = 19;

/// The parameter for the number of columns.
pub(super) const WIDTH: Parameter = Parameter {
    name: "width",
    meaning: "the number of columns",
    kind: ParameterKind::Number { usual: 3, least: 1, most: MOST },
};

/// The parameter for the number of rows.
pub(super) const HEIGHT: Parameter = Parameter {
    name: "height",
    meaning: "the number of rows",
    kind: ParameterKind::Number { usual: 3, least: 1, most: MOST },
};

/// How two locations are given.
const TWO: &[&str] = &["X", "Y", "U", "V"];

pub(super) const LIBRARY: Library = Library {
    name: "board",
    title: "A board",
    explanation: "A location has a column X, from left to right, and a row Y, from bottom to top. What stands on \
                  it is said by facts such as (cell X Y piece), which are no part of this. All directions are \
                  there; the relations that pick some of them say which ones a game goes by. A board of hexagons \
                  has its rows pushed half a cell to the right each, so that of the eight directions two are \
                  missing.",
    parameters: &[WIDTH, HEIGHT],
    parts: &[
        Part {
            name: "column",
            idea: "",
            relations: &[Relation::new("column", &["X"], "X is a column.")],
            asks: &[],
            builds_on: &[],
            rules: |values| facts("column", values.number("width")),
        },
        Part {
            name: "row",
            idea: "",
            relations: &[Relation::new("row", &["Y"], "Y is a row.")],
            asks: &[],
            builds_on: &[],
            rules: |values| facts("row", values.number("height")),
        },
        Part {
            name: "location",
            idea: "",
            relations: &[Relation::new("location", &["X", "Y"], "X,Y is on the board.")],
            asks: &[],
            builds_on: &["column", "row"],
            rules: |_| "(<= (location ?x ?y) (column ?x) (row ?y))\n".into(),
        },
        Part {
            name: "toward",
            idea: "",
            relations: &[Relation::new(
                "toward",
                &["D", "X", "Y", "U", "V"],
                "one step from X,Y in direction D leads to U,V.",
            )],
            asks: &[],
            builds_on: &["column", "row"],
            rules: |_| TOWARD.into(),
        },
        Part {
            name: "straight",
            idea: "",
            relations: &[Relation::new("straight", &["D"], "D is one of the four directions to a side.")],
            asks: &[],
            builds_on: &[],
            rules: |_| "(straight north)\n(straight east)\n(straight south)\n(straight west)\n".into(),
        },
        Part {
            name: "diagonal",
            idea: "",
            relations: &[Relation::new("diagonal", &["D"], "D is one of the four directions over a corner.")],
            asks: &[],
            builds_on: &[],
            rules: |_| {
                "(diagonal northeast)\n(diagonal southeast)\n(diagonal southwest)\n(diagonal northwest)\n"
                    .into()
            },
        },
        Part {
            name: "hexagonal",
            idea: "",
            relations: &[Relation::new(
                "hexagonal",
                &["D"],
                "D is one of the six directions on a board of hexagons.",
            )],
            asks: &[],
            builds_on: &[],
            rules: |_| {
                "(hexagonal north)\n(hexagonal east)\n(hexagonal southeast)\n(hexagonal south)\n\
                 (hexagonal west)\n(hexagonal northwest)\n"
                    .into()
            },
        },
        Part {
            name: "adjacent",
            idea: "",
            relations: &[Relation::new("adjacent", TWO, "X,Y and U,V have a side in common.")],
            asks: &[],
            builds_on: &["toward", "straight"],
            rules: |_| "(<= (adjacent ?x ?y ?u ?v) (straight ?d) (toward ?d ?x ?y ?u ?v))\n".into(),
        },
        Part {
            name: "touching",
            idea: "",
            relations: &[Relation::new("touching", TWO, "X,Y and U,V have a side or a corner in common.")],
            asks: &[],
            builds_on: &["toward"],
            rules: |_| "(<= (touching ?x ?y ?u ?v) (toward ?d ?x ?y ?u ?v))\n".into(),
        },
        Part {
            name: "hex_adjacent",
            idea: "",
            relations: &[Relation::new(
                "hex_adjacent",
                TWO,
                "the hexagons X,Y and U,V have a side in common.",
            )],
            asks: &[],
            builds_on: &["toward", "hexagonal"],
            rules: |_| "(<= (hex_adjacent ?x ?y ?u ?v) (hexagonal ?d) (toward ?d ?x ?y ?u ?v))\n".into(),
        },
        Part {
            name: "ray",
            idea: "",
            relations: &[Relation::new(
                "ray",
                &["D", "X", "Y", "U", "V"],
                "from X,Y straight on in direction D one comes to U,V.",
            )],
            asks: &[],
            builds_on: &["toward"],
            rules: |_| {
                "(<= (ray ?d ?x ?y ?u ?v) (toward ?d ?x ?y ?u ?v))\n\
                 (<= (ray ?d ?x ?y ?s ?t) (ray ?d ?x ?y ?u ?v) (toward ?d ?u ?v ?s ?t))\n"
                    .into()
            },
        },
        Part {
            name: "distance",
            idea: "",
            relations: &[Relation::new(
                "distance",
                &["X", "Y", "U", "V", "N"],
                "it takes N steps to a side to go from X,Y to U,V.",
            )],
            asks: &[],
            builds_on: &["column", "row"],
            rules: |_| {
                "(<= (distance ?x ?y ?u ?v ?n)\n    \
                     (column ?x) (column ?u) (row ?y) (row ?v)\n    \
                     (difference ?x ?u ?i) (difference ?y ?v ?j) (sum ?i ?j ?n))\n"
                    .into()
            },
        },
    ],
    needs,
    refusal: never_refused,
};

fn facts(relation: &str, count: u32) -> String {
    (1..=count).map(|n| format!("({relation} {n})\n")).collect()
}

fn needs(values: &Values, parts: &[&Part]) -> Vec<Need> {
    let (width, height) = (values.number("width"), values.number("height"));
    let mut names = Vec::new();
    let mut most = width.max(height);
    if has_part(parts, &["toward"]) {
        names.push("succ");
    }
    if has_part(parts, &["distance"]) {
        names.extend(["difference", "sum"]);
        most = most.max(width + height - 2);
    }
    if names.is_empty() {
        return Vec::new();
    }
    vec![Need { library: "numbers", parts: names, values: vec![("max", Value::Number(most))] }]
}

const TOWARD: &str = "\
(<= (toward north ?x ?y ?x ?v) (column ?x) (row ?y) (row ?v) (succ ?y ?v))
(<= (toward south ?x ?y ?x ?v) (column ?x) (row ?y) (row ?v) (succ ?v ?y))
(<= (toward east ?x ?y ?u ?y) (column ?x) (row ?y) (column ?u) (succ ?x ?u))
(<= (toward west ?x ?y ?u ?y) (column ?x) (row ?y) (column ?u) (succ ?u ?x))
(<= (toward northeast ?x ?y ?u ?v) (toward north ?x ?y ?x ?v) (toward east ?x ?v ?u ?v))
(<= (toward northwest ?x ?y ?u ?v) (toward north ?x ?y ?x ?v) (toward west ?x ?v ?u ?v))
(<= (toward southeast ?x ?y ?u ?v) (toward south ?x ?y ?x ?v) (toward east ?x ?v ?u ?v))
(<= (toward southwest ?x ?y ?u ?v) (toward south ?x ?y ?x ?v) (toward west ?x ?v ?u ?v))
";
