//! What players are told of a match beside its rules, as players want it.

use ludex_game::RoleId;
use ludex_match::tournament::Format;
use ludex_match::{MatchSetting, Worth, players_told};
use ludex_players::{Aim, Introduction};

use crate::face::Game;

/// What the player of each seat is told in a match of these players, named seat by seat, and in this setting.
pub fn introductions(game: &Game, names: &[String], setting: Option<&MatchSetting>) -> Vec<Introduction> {
    let seats = game.seats();
    let mut players = vec![None; game.roles().len()];
    for (role, name) in seats.iter().zip(names) {
        players[role.index()] = Some(name.clone());
    }
    let of_seat = |&role: &RoleId| Introduction {
        aim: setting.and_then(|setting| aim(setting, &players, role)),
        players: players.clone(),
        ..Introduction::default()
    };
    seats.iter().map(of_seat).collect()
}

/// What the player of a role is told by the pairs of a start message, terms in prefix notation.
pub fn introduction_of(game: &Game, role: RoleId, pairs: &[(String, String)]) -> Introduction {
    let mut players = vec![None; game.roles().len()];
    for (told, name) in players_told(pairs) {
        if let Some(role) = game.find_role(&told) {
            players[role.index()] = Some(name);
        }
    }
    let setting = MatchSetting::read(pairs);
    Introduction { aim: aim(&setting, &players, role), players, ..Introduction::default() }
}

/// What a match is played for by a role. Where two meet in several matches, all but the last are played to be ahead by
/// as much as possible, and the last one for what is worth something: to have more in all of them.
fn aim(setting: &MatchSetting, players: &[Option<String>], role: RoleId) -> Option<Aim> {
    let own = players.get(role.index())?.as_deref();
    let mut others = players.iter().enumerate().filter(|&(other, _)| other != role.index());
    match (setting.worth?, setting.matches_left, setting.format) {
        (Worth::Goals(_), _, _) | (_, _, Some(Format::Cumulative)) => Some(Aim::Goals),
        (Worth::Wins { .. }, Some(left), _) if left > 0 => Some(Aim::Ahead),
        (Worth::Wins { .. }, _, _) => {
            let other = others.find_map(|(_, name)| name.as_deref());
            let lead = own.zip(other).map_or(0.0, |(own, other)| setting.lead(own, other));
            // Means over several seats may be no whole numbers.
            Some(Aim::Win { lead: lead.round() as i32 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GameOptions;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn the_last_match_of_a_meeting_is_played_for_the_win() {
        let game = Game::bundled("prisoners-dilemma", &GameOptions::default()).unwrap();
        let told = |more: &[(&str, &str)]| {
            let players = [("(player left)", "|Ann B|"), ("(player right)", "bob")];
            introduction_of(&game, RoleId(1), &pairs(&[&players[..], more].concat()))
        };
        let nothing = told(&[]);
        assert_eq!(nothing.players, [Some("Ann B".to_owned()), Some("bob".to_owned())]);
        assert_eq!(nothing.aim, None);
        let worth = ("(worth win)", "1");
        assert_eq!(told(&[worth]).aim, Some(Aim::Win { lead: 0 }));
        assert_eq!(told(&[worth, ("matches_left", "2")]).aim, Some(Aim::Ahead));
        let goals = [("(goals |Ann B|)", "40"), ("(goals bob)", "25.5")];
        let last = told(&[&goals[..], &[worth, ("matches_left", "0")]].concat());
        assert_eq!(last.aim, Some(Aim::Win { lead: -15 }));
        assert_eq!(told(&[("(worth goals)", "1")]).aim, Some(Aim::Goals));
        assert_eq!(
            introduction_of(&game, RoleId(0), &pairs(&[("(player nobody)", "x")])).players,
            [None, None]
        );
    }

    #[test]
    fn seats_are_told_alike_but_for_their_lead() {
        let game = Game::bundled("prisoners-dilemma", &GameOptions::default()).unwrap();
        let setting = MatchSetting {
            worth: Some(Worth::Wins { win: 1.0, draw: 0.5, loss: 0.0 }),
            matches_left: Some(0),
            standing: vec![ludex_match::PlayerInSetting {
                player: "a".into(),
                goals: Some(10.0),
                ..Default::default()
            }],
            ..MatchSetting::default()
        };
        let told = introductions(&game, &["a".to_owned(), "b".to_owned()], Some(&setting));
        assert_eq!(told[0].aim, Some(Aim::Win { lead: 10 }));
        assert_eq!(told[1].aim, Some(Aim::Win { lead: -10 }));
        assert_eq!(told[0].players, told[1].players);
    }
}
