//! Boards in pages.

use std::fmt::Write as _;

use ludex::Game;
use ludex::analysis::PictureStyle;
use ludex::logic::TermId;
use ludex::matches::view::{StateView, StepView};

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

/// A state as pages show it.
#[derive(Default)]
pub(super) struct Drawing {
    /// The boards as SVG; empty where there are none.
    pub(super) boards: String,
    /// Whether the boards are so wide that they are not pressed into a small screen.
    pub(super) large: bool,
    /// Whether the boards are so small that they are not blown up to the whole width.
    pub(super) small: bool,
    /// Whether the board has spots to be chosen.
    pub(super) spots: bool,
    /// Signs as SVG, and what they mean.
    pub(super) legend: Vec<(String, String)>,
    /// What is on no board.
    pub(super) facts: Vec<FactGroup>,
    /// What the boards show, in words.
    pub(super) words: Vec<(String, String)>,
}

/// Facts of one relation.
pub(super) struct FactGroup {
    pub(super) name: String,
    pub(super) items: Vec<String>,
    /// How many more there are.
    pub(super) more: usize,
}

/// Boards that are wider than so many pixels keep a size in which their squares can be told apart.
const LARGE: u32 = 440;
/// Boards that are narrower than so many pixels.
const SMALL: u32 = 200;
/// So many facts of one relation are shown.
const FACTS: usize = 200;

impl Drawing {
    pub(super) fn is_empty(&self) -> bool {
        self.boards.is_empty() && self.facts.is_empty()
    }

    fn new(game: &Game, facts: &[TermId], style: &PictureStyle) -> Self {
        let picture = game.structure().picture(facts, style);
        let group = |(name, mut items): (String, Vec<String>)| {
            let more = items.len().saturating_sub(FACTS);
            items.truncate(FACTS);
            FactGroup { name, items, more }
        };
        Self {
            boards: labelled(&picture.boards, style.spots),
            large: picture.width > LARGE,
            small: picture.width < SMALL,
            spots: style.spots,
            legend: picture.legend.into_iter().map(|meaning| (hidden(&meaning.sign), meaning.name)).collect(),
            facts: picture.facts.into_iter().map(group).collect(),
            words: picture.words.into_iter().map(|(thing, places)| (thing, places.join("; "))).collect(),
        }
    }
}

/// Draws what is seen of a state, with the last step marked. With spots it can be clicked.
pub(super) fn draw(game: &Game, state: &StateView, last: Option<&StepView>, spots: bool) -> Drawing {
    let facts = state.facts.as_deref().unwrap_or_default();
    let facts: Vec<TermId> = facts.iter().filter_map(|fact| term(game, fact)).collect();
    if facts.is_empty() && !spots {
        return Drawing::default();
    }
    let moves = last.map_or(&[][..], |step| &step.moves);
    let named = moves.iter().flatten().filter_map(|action| term(game, action));
    let named = named.map(|action| game.structure().spots_of(action)).filter(|named| !named.any);
    let marked = named.flat_map(|named| named.spots).collect();
    Drawing::new(game, &facts, &PictureStyle { spots, marked })
}

/// The initial state.
pub(super) fn draw_initial(game: &Game) -> Drawing {
    Drawing::new(game, &game.facts(game.initial()), &PictureStyle::default())
}

/// Screen readers are told that it is a picture, and get it in words; spots in it stay to be chosen.
fn labelled(svg: &str, spots: bool) -> String {
    let kind = if spots { "group" } else { "img" };
    svg.replacen("<svg ", &format!("<svg role=\"{kind}\" aria-label=\"Board\" "), 1)
}

/// A picture beside its meaning.
fn hidden(svg: &str) -> String {
    svg.replacen("<svg ", "<svg aria-hidden=\"true\" ", 1)
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
