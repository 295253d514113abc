//! Boards in pages.

use std::fmt::Write as _;

use ludex::Game;
use ludex::logic::TermId;
use ludex::matches::view::StateView;

/// A legal move as it is offered.
pub(super) struct MoveButton {
    /// The move in prefix notation, as it is sent.
    pub(super) text: String,
    /// The move as the rulesheet would write it.
    pub(super) shown: String,
    /// The spots of the board that it names, in order.
    pub(super) spots: String,
    /// Whether any of the spots stands for it.
    pub(super) any: bool,
}

/// Draws what is seen of a state: SVG that can stand in a page. With spots it can be clicked.
pub(super) fn draw(game: &Game, state: &StateView, with_spots: bool) -> String {
    let facts = state.facts.as_deref().unwrap_or_default();
    let facts: Vec<TermId> = facts.iter().filter_map(|fact| term(game, fact)).collect();
    if facts.is_empty() && !with_spots {
        return String::new();
    }
    labelled(if with_spots {
        game.structure().draw_svg_with_spots(&facts)
    } else {
        game.structure().draw_svg(&facts)
    })
}

/// The initial state.
pub(super) fn draw_initial(game: &Game) -> String {
    labelled(game.draw_svg(game.initial()))
}

/// Screen readers are told that it is a picture; the spots in it stay to be chosen.
fn labelled(svg: String) -> String {
    svg.replacen("<svg ", "<svg role=\"group\" aria-label=\"The board\" ", 1)
}

fn term(game: &Game, text: &str) -> Option<TermId> {
    game.find_term(text).ok().flatten()
}

/// A term as the rulesheet would write it.
pub(super) fn shown(game: &Game, text: &str) -> String {
    term(game, text).map_or_else(|| text.to_owned(), |term| game.text(term))
}

/// The moves as they are offered.
pub(super) fn buttons(game: &Game, moves: &[String]) -> Vec<MoveButton> {
    let button = |text: &String| {
        let action = term(game, text);
        let named = action.map(|action| game.structure().spots_of(action)).unwrap_or_default();
        let mut spots = String::new();
        for spot in &named.spots {
            // Writing to a string cannot fail.
            let _ = write!(spots, "{spot} ");
        }
        MoveButton {
            shown: action.map_or_else(|| text.clone(), |action| game.text(action)),
            text: text.clone(),
            spots: spots.trim_end().to_owned(),
            any: named.any,
        }
    };
    moves.iter().map(button).collect()
}
