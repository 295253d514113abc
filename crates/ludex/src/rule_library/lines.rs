//! Lines of so many cells: where they lie, and whose they are.

use super::board::{HEIGHT, WIDTH};
use super::{Library, Need, Parameter, ParameterKind, Part, Relation, Value, Values, has_part};

pub(super) const LIBRARY: Library = Library {
    name: "lines",
    title: "Lines on a board",
    explanation: "So many cells in a row, straight on in one direction. A line is named by its direction and its \
                  first cell; of two opposite directions one is enough, since a line has no beginning and no end.",
    parameters: &[
        WIDTH,
        HEIGHT,
        Parameter {
            name: "length",
            meaning: "how many cells make a line",
            kind: ParameterKind::Number { usual: 3, least: 2, most: 10 },
        },
        Parameter {
            name: "directions",
            meaning: "the directions of lines: 8 with the diagonals, 4 without, 6 on hexagons",
            kind: ParameterKind::Choice(&["8", "4", "6"]),
        },
    ],
    parts: &[
        Part {
            name: "line_direction",
            idea: "",
            relations: &[Relation::new("line_direction", &["D"], "lines go in direction D.")],
            asks: &[],
            builds_on: &[],
            rules: |values| {
                match values.choice("directions") {
                    "4" => "(line_direction east)\n(line_direction north)\n",
                    "6" => "(line_direction east)\n(line_direction north)\n(line_direction southeast)\n",
                    _ => {
                        "(line_direction east)\n(line_direction north)\n(line_direction northeast)\n\
                     (line_direction southeast)\n"
                    }
                }
                .into()
            },
        },
        Part {
            name: "line",
            idea: "",
            relations: &[Relation::new("line", &["D", "X", "Y"], "a line in direction D begins at X,Y.")],
            asks: &[],
            builds_on: &["line_direction"],
            rules: |values| {
                let steps: String = (1..values.number("length")).map(step).collect();
                format!("(<= (line ?d ?x1 ?y1)\n    (line_direction ?d){steps})\n")
            },
        },
        Part {
            name: "on_line",
            idea: "",
            relations: &[Relation::new(
                "on_line",
                &["D", "X", "Y", "U", "V"],
                "U,V is one of the cells of the line in direction D from X,Y on.",
            )],
            asks: &[],
            builds_on: &["line"],
            rules: |values| {
                let last = |count: u32| {
                    let steps: String = (1..count).map(step).collect();
                    format!("(<= (on_line ?d ?x1 ?y1 ?x{count} ?y{count})\n    (line ?d ?x1 ?y1){steps})\n")
                };
                (1..=values.number("length")).map(last).collect()
            },
        },
        Part {
            name: "has_line",
            idea: "The cells of a line all show the name of one role: what stands on a cell is said by facts \
                   (cell X Y R), where R is the role whose piece it is.",
            relations: &[Relation::new("has_line", &["R"], "all cells of some line are of the role R.")],
            asks: &[],
            builds_on: &["line_direction"],
            rules: |values| {
                let length = values.number("length");
                let cells: String =
                    (2..=length).map(|n| format!("{} (true (cell ?x{n} ?y{n} ?r))", step(n - 1))).collect();
                format!(
                    "(<= (has_line ?r)\n    (role ?r) (line_direction ?d) (true (cell ?x1 ?y1 ?r)){cells})\n"
                )
            },
        },
    ],
    needs,
    refusal,
};

/// The step from one cell of a line to the next.
fn step(from: u32) -> String {
    let to = from + 1;
    format!("\n    (toward ?d ?x{from} ?y{from} ?x{to} ?y{to})")
}

fn needs(values: &Values, parts: &[&Part]) -> Vec<Need> {
    if !has_part(parts, &["line", "on_line", "has_line"]) {
        return Vec::new();
    }
    let size = ["width", "height"].map(|name| (name, Value::Number(values.number(name))));
    vec![Need { library: "board", parts: vec!["toward"], values: size.to_vec() }]
}

fn refusal(values: &Values) -> Option<String> {
    let (width, height) = (values.number("width"), values.number("height"));
    let length = values.number("length");
    (length > width.max(height))
        .then(|| format!("no line of {length} cells is on a board of {width} columns and {height} rows"))
}
