//! What the players want, and when it is over.

use ludex_game::Rules;

use super::conditions::Conditions;
use super::{Part, Topic, counted, listed, listed_briefly};
use crate::game_profile::{Certainty, GameProfile, Interests};

/// So many players are named.
const NAMED: usize = 6;

pub(super) fn part(rules: &Rules, profile: &GameProfile, conditions: &Conditions<'_>) -> Option<Part> {
    let mut part = Part::new(Topic::Aim);
    let seats = rules.seats();
    let names: Vec<String> = seats.iter().map(|&role| rules.role_name(role)).collect();
    match &names[..] {
        [] => {}
        [_] => part.say("One player plays alone."),
        [_, _] => part.say(format!("Two players: {}.", listed(&names))),
        _ => part.say(format!("{} players: {}.", names.len(), listed_briefly(&names, NAMED))),
    }
    let seen = profile.results.certainty == Certainty::Seen;
    let text = match profile.results.interests {
        Interests::ConstantSum(sum) => {
            let others = if seats.len() == 2 { "the other loses" } else { "the others lose" };
            Some(format!("They play against each other: what one gains, {others}, and all goals add up to {sum}"))
        }
        Interests::Cooperative => Some("They play together: at each end all get the same".to_owned()),
        Interests::Competitive => Some(
            "They play against each other: no end is better for both than another, though their goals do not always add up \
             to the same"
                .to_owned(),
        ),
        Interests::Mixed => Some(
            "They are neither simply opponents nor partners: some ends are better for several of them than others"
                .to_owned(),
        ),
        Interests::Alone | Interests::Unknown => None,
    };
    if let Some(text) = text {
        part.say(if seen { format!("{text}, as far as random games show.") } else { format!("{text}.") });
    }
    said_of_goals(&mut part, conditions);
    part.kept()
}

/// The same of what the rules say alone.
pub(super) fn rules_part(conditions: &Conditions<'_>) -> Option<Part> {
    let mut part = Part::new(Topic::Aim);
    said_of_goals(&mut part, conditions);
    part.kept()
}

fn said_of_goals(part: &mut Part, conditions: &Conditions<'_>) {
    let values: Vec<String> = conditions.values().iter().map(ToString::to_string).collect();
    part.say(match &values[..] {
        [] => "Each player has a goal value at the end: the more, the better.".to_owned(),
        [only] => format!("The only goal value that the rules name is {only}."),
        [least, .., best] if values.len() > NAMED => {
            format!("Each player has a goal value at the end, from {least} to {best}: the more, the better.")
        }
        [first @ .., last] => {
            let first = first.join(", ");
            format!("Each player has a goal value at the end, {first} or {last}: the more, the better.")
        }
    });
    part.list = conditions.scores();
}

pub(super) fn end(conditions: &Conditions<'_>, most_steps: Option<usize>) -> Option<Part> {
    let mut part = Part::new(Topic::End);
    let ends = conditions.ends();
    match &ends[..] {
        [] => {}
        [_] => part.say("The game is over if this holds:"),
        _ => part.say("The game is over as soon as one of these holds:"),
    }
    part.list = ends;
    if let Some(steps) = most_steps {
        let text = format!("Whatever is done, it is over after {} at the latest.", counted(steps, "step"));
        // The list belongs to the last sentence.
        part.sentences.insert(0, vec![super::Words::Text(text)]);
    }
    part.kept()
}
