//! What can be done: the forms of moves, each with an example.

use ludex_game::Rules;
use ludex_logic::TermView;

use super::sample::MoveKind;
use super::turns::role_names;
use super::{Part, RandomGames, Sentence, Topic, Words, counted};
use crate::structure::Structure;

/// So many forms are listed.
const LISTED: usize = 12;

pub(super) fn part(rules: &Rules, structure: &Structure, games: &RandomGames) -> Option<Part> {
    let mut part = Part::new(Topic::Moves);
    let terms = rules.signature().terms();
    let is_word = |kind: &&MoveKind| matches!(terms.view(kind.example), TermView::Constant(_));
    let (words, others): (Vec<&MoveKind>, Vec<&MoveKind>) = games.kinds.iter().partition(is_word);
    let (choices, forced): (Vec<&MoveKind>, Vec<&MoveKind>) =
        words.into_iter().partition(|kind| kind.is_choice);
    for kind in others.iter().take(LISTED) {
        part.list.push(described(rules, structure, kind));
    }
    let more = others.len().saturating_sub(LISTED);
    if more > 0 {
        part.list.push(vec![Words::Text(format!("and {more} more forms"))]);
    }
    let codes = |kinds: &[&MoveKind]| {
        let mut sentence = Vec::new();
        for (number, kind) in kinds.iter().take(LISTED).enumerate() {
            if number > 0 {
                sentence.push(Words::Text(", ".to_owned()));
            }
            sentence.push(Words::Code(rules.text(kind.example)));
        }
        let more = kinds.len().saturating_sub(LISTED);
        if more > 0 {
            sentence.push(Words::Text(format!(" and {more} more")));
        }
        sentence
    };
    if !choices.is_empty() {
        let mut item = codes(&choices);
        item.push(Words::Text(
            if choices.len() == 1 { ": nothing has to be named" } else { ": one of these words" }.to_owned(),
        ));
        part.list.push(item);
    }
    if !forced.is_empty() {
        let mut item = codes(&forced);
        let means = ": what a player does who has no choice";
        item.push(Words::Text(means.to_owned()));
        part.list.push(item);
    }
    if !part.list.is_empty() {
        let all = "In each step every player makes one legal move.";
        part.say(if rules.seats().len() > 1 {
            all
        } else {
            "In each step there is one legal move to be made."
        });
    }
    part.kept()
}

/// A form of moves: an example, what it names, how many of them there are, and who makes them.
fn described(rules: &Rules, structure: &Structure, kind: &MoveKind) -> Sentence {
    let named = structure.spots_of(kind.example);
    let what = match (named.spots.len(), named.any) {
        (0, _) => String::new(),
        (_, true) => ", which names a row or a column of the board".to_owned(),
        (1, false) => ", which names a square of the board".to_owned(),
        (2, false) => ", from one square of the board to another".to_owned(),
        (more, false) => format!(", which names {more} squares of the board"),
    };
    let met = counted(kind.met.len(), "such move");
    let whose = if rules.seats().iter().all(|role| kind.roles.contains(role)) {
        String::new()
    } else {
        format!(", of {} only", role_names(rules, kind.roles.iter().copied()))
    };
    let choice = if kind.is_choice { "" } else { ", never with a choice" };
    vec![
        Words::Text("such as ".to_owned()),
        Words::Code(rules.text(kind.example)),
        Words::Text(format!("{what}: {met} in random games{whose}{choice}")),
    ]
}
