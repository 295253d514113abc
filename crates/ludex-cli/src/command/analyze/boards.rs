//! The boards that the facts of a game make.

use ludex::analysis::{Board, BoardShape};
use serde_json::{Value, json};

use super::section::{Report, Request, Section};
use crate::picture::Picture;

/// The section.
pub const SECTION: Section = Section {
    name: "boards",
    title: "Boards",
    about: "the boards that facts make, and a state on them",
    of_states: true,
    run,
};

fn run(request: &Request<'_>) -> Report {
    let mut report = Report::default();
    let picture = Picture::within(request.game.rules(), &request.budget, request.console);
    let boards = picture.boards();
    for remark in picture.remarks() {
        report.text(format!("hint: {remark}"));
    }
    if boards.is_empty() {
        report.text("No facts lie on a board.");
    }
    for board in boards {
        let (name, shape, spots) = (board.name(), shape(board), board.spots());
        let spots = match spots {
            0 => String::new(),
            1 => " of 1 spot".to_owned(),
            more => format!(" of {more} spots"),
        };
        report.text(format!("{name}: {shape}{spots}"));
    }
    report.text("");
    report.text(picture.draw(request.game.rules(), request.state));
    let objects: Vec<Value> = boards
        .iter()
        .map(|board| json!({ "name": board.name(), "shape": shape(board), "spots": board.spots() }))
        .collect();
    report.field("boards", objects);
    report
}

fn shape(board: &Board) -> &'static str {
    match board.shape() {
        BoardShape::Grid => "grid",
        BoardShape::Hexagonal => "hexagons",
        BoardShape::Line => "line",
        BoardShape::Towers => "towers",
        BoardShape::Stacks => "stacks",
        BoardShape::Heaps => "heaps",
        BoardShape::Network => "cells",
    }
}
