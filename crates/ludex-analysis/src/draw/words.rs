//! Boards in words, for those who do not see them.

use ludex_logic::TermId;
use rustc_hash::FxHashMap;

use crate::structure::{Board, BoardShape, Sign, Structure};

/// What the boards of a state show: a thing, and where it is.
pub(crate) fn of(structure: &Structure, facts: &[TermId]) -> Vec<(String, Vec<String>)> {
    let (rows, _) = structure.rows(facts);
    let mut said = Said::default();
    for board in &structure.boards {
        match (&board.pile, board.shape) {
            (None, _) => {
                let filled = board.fill(&rows, &mut Vec::new());
                for (at, signs) in filled.signs.iter().enumerate() {
                    for sign in signs.iter().filter(|sign| is_something(sign)) {
                        said.add(&sign.name, spot_name(board, at));
                    }
                }
                let between = |&(a, b): &(usize, usize)| {
                    format!("between {} and {}", spot_name(board, a), spot_name(board, b))
                };
                filled.walls.iter().for_each(|wall| said.add("wall", between(wall)));
                for &(at, step) in &filled.edges {
                    said.add("wall", format!("at the edge {} {}", side_name(step), spot_name(board, at)));
                }
                filled.lines.iter().for_each(|line| said.add("line", between(line)));
            }
            (Some(_), BoardShape::Towers | BoardShape::Stacks) => {
                for tower in board.towers(structure.kinds.list(), &rows) {
                    let names: Vec<String> = tower.iter().map(|&thing| structure.text(thing)).collect();
                    said.add("from the bottom up", names.join(", "));
                }
            }
            (Some(_), _) => {
                for (heap, amount) in board.heaps(&structure.terms, &rows) {
                    said.add(board.name(), format!("{}: {amount}", structure.text(heap)));
                }
            }
        }
    }
    said.things
}

/// Which side of a spot is so many steps across and down.
fn side_name(step: (i32, i32)) -> &'static str {
    match step {
        (1, _) => "right of",
        (-1, _) => "left of",
        (_, 1) => "below",
        _ => "above",
    }
}

/// Things in the order in which they were first met.
#[derive(Default)]
struct Said {
    things: Vec<(String, Vec<String>)>,
    places: FxHashMap<String, usize>,
}

impl Said {
    fn add(&mut self, thing: &str, place: String) {
        let next = self.things.len();
        let at = *self.places.entry(thing.to_owned()).or_insert(next);
        match self.things.get_mut(at) {
            Some((_, places)) => places.push(place),
            None => self.things.push((thing.to_owned(), vec![place])),
        }
    }
}

/// Whether a sign is of a thing, and not of nothing being there.
fn is_something(sign: &Sign) -> bool {
    !sign.glyph.is_empty() || !sign.is_named_empty()
}

/// What people call a spot, and what is on it: `row 1, column 2, x`.
pub(crate) fn spot(board: &Board, at: usize, signs: &[&Sign]) -> String {
    let mut said = spot_name(board, at);
    let mut things = signs.iter().filter(|sign| is_something(sign)).peekable();
    if things.peek().is_none() {
        said.push_str(", empty");
    }
    for thing in things {
        said.push_str(", ");
        said.push_str(&thing.name);
    }
    said
}

/// What people call a spot: the letter and the number of its column and row, or both of them by name.
fn spot_name(board: &Board, at: usize) -> String {
    let spot = &board.spots[at];
    let panel = &board.panels[spot.panel];
    let axis = |names: &[(i32, String)], at: i32| {
        names.iter().find(|(place, _)| *place == at).map(|(_, name)| name.clone())
    };
    let is_letter = |name: &str| name.chars().count() == 1 && name.chars().all(char::is_alphabetic);
    let name = match (axis(&panel.columns, spot.x), axis(&panel.rows, spot.y)) {
        (Some(column), Some(row)) if is_letter(&column) != is_letter(&row) => spot.name.clone(),
        (Some(column), Some(row)) if board.shape == BoardShape::Grid => format!("row {row}, column {column}"),
        _ if !spot.name.is_empty() => spot.name.clone(),
        (Some(name), _) | (None, Some(name)) => name,
        (None, None) => (at + 1).to_string(),
    };
    // Where there is one board only, nobody asks which.
    if board.panels.len() > 1 { format!("{}, {name}", panel.title) } else { name }
}
