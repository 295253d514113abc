//! Who moves when, what everybody knows, whose pieces there are, and how long a game is.

use ludex_game::{RoleId, Rules};

use super::{Part, RandomGames, Topic, Words, counted, listed, listed_briefly};
use crate::finding::Finding;
use crate::game_profile::{Certainty, GameProfile, Piece};

/// So many names stand in one sentence.
const NAMED: usize = 6;

pub(super) fn part(rules: &Rules, profile: &GameProfile, games: &RandomGames) -> Option<Part> {
    let mut part = Part::new(Topic::Turns);
    if rules.seats().len() > 1 {
        order(&mut part, rules, profile, games);
    }
    if rules.random_role().is_some() {
        part.say("Chance takes part: it decides what nobody chooses.");
    }
    if rules.dialect().has_percepts() && !rules.has_perfect_information() {
        part.say(
            "Players do not see everything: each knows its own moves, and what the rules let it see after each step.",
        );
    }
    part.kept()
}

fn order(part: &mut Part, rules: &Rules, profile: &GameProfile, games: &RandomGames) {
    let order = &profile.order;
    let named = |roles: &[RoleId]| {
        let names: Vec<String> = roles.iter().map(|&role| rules.role_name(role)).collect();
        listed_briefly(&names, NAMED)
    };
    let begins = match &games.first[..] {
        [first] => format!("; {} begins", rules.role_name(*first)),
        _ => String::new(),
    };
    if order.choosers.len() > 1 {
        part.say(match &order.one_at_a_time {
            Finding::Proved(()) => format!("{} take turns{begins}.", named(&order.choosers)),
            Finding::Undecided(_) => {
                format!("In random games {} took turns{begins}.", named(&order.choosers))
            }
            Finding::Refuted(_) if order.always_together => {
                format!("{} choose their moves at the same time, in every step.", named(&order.choosers))
            }
            Finding::Refuted(_) => {
                "In some steps several players choose their moves at the same time, in others one alone."
                    .to_owned()
            }
        });
    }
    let idle: Vec<RoleId> = rules.seats().into_iter().filter(|role| !order.choosers.contains(role)).collect();
    if !idle.is_empty() && profile.games > 0 {
        part.say(format!("In random games {} never had a choice.", named(&idle)));
    }
}

pub(super) fn pieces(rules: &Rules, profile: &GameProfile) -> Option<Part> {
    let mut part = Part::new(Topic::Pieces);
    let of = |role: Option<RoleId>| -> Vec<&Piece> {
        profile.pieces.iter().filter(|piece| piece.owner.map(|owned| owned.role) == role).collect()
    };
    let mut items = Vec::new();
    for role in rules.seats() {
        let own = of(Some(role));
        if own.is_empty() {
            continue;
        }
        let seen =
            own.iter().any(|piece| piece.owner.is_some_and(|owned| owned.certainty == Certainty::Seen));
        let by = if seen { " by its moves, as far as random games show: " } else { " by its moves: " };
        let mut item =
            vec![Words::Code(rules.role_name(role)), Words::Text(format!(" brings onto the board{by}"))];
        named(&own, &mut item);
        items.push(item);
    }
    part.list = items;
    part.kept()
}

/// The names of pieces, and how many of them there are at first.
fn named(pieces: &[&Piece], item: &mut Vec<Words>) {
    for (number, piece) in pieces.iter().take(NAMED).enumerate() {
        if number > 0 {
            item.push(Words::Text(", ".to_owned()));
        }
        item.push(Words::Code(piece.name.clone()));
        if piece.at_first > 0 {
            item.push(Words::Text(format!(" ({} at first)", piece.at_first)));
        }
    }
    let more = pieces.len().saturating_sub(NAMED);
    if more > 0 {
        item.push(Words::Text(format!(" and {more} more")));
    }
}

pub(super) fn length(games: &RandomGames) -> Option<Part> {
    let mut part = Part::new(Topic::Length);
    let ended = &games.lengths;
    if let (Some(&least), Some(&most)) = (ended.iter().min(), ended.iter().max()) {
        let (least, most) = (least as usize, most as usize);
        if least == most {
            part.say(format!("Every random game had {}.", counted(most, "step")));
        } else {
            let mut sorted = ended.clone();
            sorted.sort_unstable();
            let usual = sorted[sorted.len() / 2];
            part.say(format!("Random games had {least} to {most} steps, mostly about {usual}."));
        }
    }
    let most = games.unfinished.iter().max().map(|&steps| counted(steps as usize, "step"));
    match (most, games.unfinished.len(), ended.len()) {
        (Some(most), _, 0) => part.say(format!("No random game was over after {most}.")),
        (Some(most), 1, _) => part.say(format!("One was not over after {most}.")),
        (Some(most), number, _) => part.say(format!("{number} were not over after {most}.")),
        (None, ..) => {}
    }
    part.kept()
}

/// Names of roles, for other parts.
pub(super) fn role_names(rules: &Rules, roles: impl Iterator<Item = RoleId>) -> String {
    let names: Vec<String> = roles.map(|role| rules.role_name(role)).collect();
    if names.len() > NAMED { listed_briefly(&names, NAMED) } else { listed(&names) }
}
