//! What a match is part of, as players are told with the start message (book 20.5): pairs of name and value that stand
//! behind the clocks, terms in prefix notation. Players that do not know them pass over them.
//!
//! | name | value |
//! |---|---|
//! | `tournament` | the format: `round_robin`, `swiss`, `single_elimination`, `double_elimination`, `cumulative`, `open` |
//! | `round` | the round, from 1 |
//! | `matches_left` | how many matches are to be played beside this one until it is decided who of the two goes on, or won |
//! | `(worth win)`, `(worth draw)`, `(worth loss)` | what a match, or all matches of two who meet, are worth in points |
//! | `(worth goals)` | what a goal point is worth, where goals are added up |
//! | `(rank P)`, `(points P)` | how it stands for the player P |
//! | `(goals P)` | in the last match of a meeting: what P got in the others, less what its thinking cost where that costs |

use ludex_gdl::{Notation, spell_constant};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::tournament::{Fixture, Format, RunningTournament};

/// What a match is part of, as far as it is known when it begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchSetting {
    /// The format of the tournament.
    pub format: Option<Format>,
    /// The round, from 1.
    pub round: Option<u32>,
    /// How many matches of the two who meet are to be played beside this one, running ones counted; `None` where they
    /// do not meet for several.
    pub matches_left: Option<u32>,
    /// What is counted in the tournament.
    pub worth: Option<Worth>,
    /// How it stands.
    pub standing: Vec<PlayerInSetting>,
}

/// What is counted in a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Worth {
    /// Points for who got more goals than the other, in a match or in all matches of a meeting.
    Wins {
        /// For more.
        win: f64,
        /// For as much.
        draw: f64,
        /// For less.
        loss: f64,
    },
    /// Goals are added up: each goal point is worth so much.
    Goals(f64),
}

/// How it stands for a player.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayerInSetting {
    /// Its name.
    pub player: String,
    /// Its rank, from 1.
    pub rank: Option<u32>,
    /// What the format counts.
    pub points: Option<f64>,
    /// What it is compared by in all other matches of this meeting, once only this one is to be played: goals, or rewards.
    pub goals: Option<f64>,
}

/// What stands for a format: names with hyphens are no names in infix notation.
fn format_word(format: Format) -> String {
    format.name().replace('-', "_")
}

/// A number without needless decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl MatchSetting {
    /// The setting of a match of a competition, as it stands now.
    pub fn of(competition: &RunningTournament, fixture: &Fixture) -> Self {
        let setup = competition.setup();
        let meeting = competition.meeting(fixture);
        let worth = match setup.format {
            Format::Cumulative => Some(Worth::Goals(1.0)),
            // It is ranked by ratings, from shares of what both got: no points say what a match is worth.
            Format::Open | Format::Ladder => None,
            Format::RoundRobin | Format::Swiss | Format::SingleElimination | Format::DoubleElimination => {
                Some(Worth::Wins { win: 1.0, draw: 0.5, loss: 0.0 })
            }
        };
        let standing = competition.ranking().into_iter().map(|ranked| PlayerInSetting {
            rank: u32::try_from(ranked.rank).ok(),
            points: Some(ranked.points),
            goals: None,
            player: ranked.player,
        });
        let mut setting = Self {
            format: Some(setup.format),
            round: Some(fixture.round),
            matches_left: meeting.as_ref().map(|meeting| meeting.open_beside),
            worth,
            standing: standing.collect(),
        };
        // While others are open, what both have got is not what it comes to.
        if let Some(meeting) = meeting.filter(|meeting| meeting.open_beside == 0) {
            for (player, worth) in meeting.players.iter().zip(meeting.worth) {
                let known = setting.standing.iter_mut().find(|known| known.player == *player);
                if let Some(known) = known {
                    known.goals = Some(worth);
                }
            }
        }
        setting
    }

    /// By how many points a player is ahead of another in all other matches of this meeting; 0 where that is not known.
    pub fn lead(&self, player: &str, other: &str) -> f64 {
        let goals = |name: &str| {
            let known = self.standing.iter().find(|known| known.player == name);
            known.and_then(|known| known.goals).unwrap_or(0.0)
        };
        goals(player) - goals(other)
    }

    /// As pairs of a start message.
    ///
    /// ```
    /// use ludex_match::MatchSetting;
    /// use ludex_match::tournament::Format;
    ///
    /// let setting = MatchSetting { format: Some(Format::Swiss), round: Some(2), ..MatchSetting::default() };
    /// let pairs = setting.pairs();
    /// assert_eq!(pairs[0], ("tournament".to_owned(), "swiss".to_owned()));
    /// assert_eq!(MatchSetting::read(&pairs), setting);
    /// ```
    pub fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        let mut add = |name: &str, value: Option<String>| pairs.extend(value.map(|v| (name.to_owned(), v)));
        add("tournament", self.format.map(format_word));
        add("round", self.round.map(|round| round.to_string()));
        add("matches_left", self.matches_left.map(|left| left.to_string()));
        match self.worth {
            Some(Worth::Wins { win, draw, loss }) => {
                for (name, value) in [("win", win), ("draw", draw), ("loss", loss)] {
                    add(&format!("(worth {name})"), Some(number(value)));
                }
            }
            Some(Worth::Goals(value)) => add("(worth goals)", Some(number(value))),
            None => {}
        }
        for known in &self.standing {
            let name = spell_constant(&known.player, Notation::Prefix);
            add(&format!("(rank {name})"), known.rank.map(|rank| rank.to_string()));
            add(&format!("(points {name})"), known.points.map(number));
            add(&format!("(goals {name})"), known.goals.map(number));
        }
        pairs
    }

    /// What a start message says of the setting; pairs that say something else, or nothing that can be read, are passed
    /// over.
    pub fn read(pairs: &[(String, String)]) -> Self {
        let mut setting = Self::default();
        let mut places = FxHashMap::default();
        for (name, value) in pairs {
            setting.take(name, value, &mut places);
        }
        setting
    }

    /// Whether a pair of this name belongs to a setting.
    pub(crate) fn has_pair(name: &str) -> bool {
        matches!(words(name).as_slice(), [word, ..] if PAIRS.contains(&word.as_str()))
    }

    fn take(&mut self, name: &str, value: &str, places: &mut FxHashMap<String, usize>) {
        let name = words(name);
        let natural = || value.trim().parse::<u32>().ok();
        let decimal = || value.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        match name.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["tournament"] => {
                let known = |format: &Format| format_word(*format) == value.trim().to_ascii_lowercase();
                self.format = Format::ALL.into_iter().find(known);
            }
            ["round"] => self.round = natural(),
            ["matches_left"] => self.matches_left = natural(),
            ["worth", "goals"] => self.worth = decimal().map(Worth::Goals),
            ["worth", what] => {
                let (mut win, mut draw, mut loss) = match self.worth {
                    Some(Worth::Wins { win, draw, loss }) => (win, draw, loss),
                    _ => (1.0, 0.5, 0.0),
                };
                let place = match what {
                    "win" => &mut win,
                    "draw" => &mut draw,
                    "loss" => &mut loss,
                    _ => return,
                };
                let Some(value) = decimal() else { return };
                *place = value;
                self.worth = Some(Worth::Wins { win, draw, loss });
            }
            ["rank", player] => self.of_player(player, places).rank = natural(),
            ["points", player] => self.of_player(player, places).points = decimal(),
            ["goals", player] => self.of_player(player, places).goals = decimal(),
            _ => {}
        }
    }

    /// What is known of a player, by where each is in the list.
    fn of_player(&mut self, player: &str, places: &mut FxHashMap<String, usize>) -> &mut PlayerInSetting {
        let place = *places.entry(player.to_owned()).or_insert_with(|| {
            self.standing.push(PlayerInSetting { player: player.to_owned(), ..PlayerInSetting::default() });
            self.standing.len() - 1
        });
        &mut self.standing[place]
    }
}

/// The words of a term in prefix notation, without brackets; those between bars as they are.
fn words(term: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut is_between_bars, mut has_begun) = (String::new(), false, false);
    let mut characters = term.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if is_between_bars => word.extend(characters.next()),
            '|' => (is_between_bars, has_begun) = (!is_between_bars, true),
            _ if is_between_bars => word.push(character),
            '(' | ')' => {}
            blank if blank.is_whitespace() => {
                if std::mem::take(&mut has_begun) {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => {
                word.push(character);
                has_begun = true;
            }
        }
    }
    if has_begun {
        words.push(word);
    }
    words
}

/// Who plays each role by the pairs of a start message: the texts of roles, and names.
///
/// ```
/// let pairs = [("(player white)".to_owned(), "|Deep Blue|".to_owned())];
/// assert_eq!(ludex_match::players_told(&pairs), [("white".to_owned(), "Deep Blue".to_owned())]);
/// ```
pub fn players_told(pairs: &[(String, String)]) -> Vec<(String, String)> {
    let player = |(name, value): &(String, String)| {
        let role = name.trim().strip_prefix("(player ")?.strip_suffix(')')?;
        Some((role.trim().to_owned(), words(value).join(" ")))
    };
    pairs.iter().filter_map(player).collect()
}

/// The first words of the names of pairs.
const PAIRS: &[&str] = &["tournament", "round", "matches_left", "worth", "rank", "points", "goals"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{MatchResult, Tournament, TournamentEvent, TournamentGame, TournamentSetup};
    use std::num::NonZeroU32;

    fn cup(format: Format, legs: u32) -> RunningTournament {
        let games = vec![TournamentGame { name: "nim".into(), seats: 2 }];
        let players = ["Ada", "Deep Blue"].map(str::to_owned).into();
        let tournament = Tournament { players, games, rounds: 1, seed: 3 };
        let setup = TournamentSetup {
            legs: NonZeroU32::new(legs).unwrap(),
            ..TournamentSetup::new(tournament, format)
        };
        RunningTournament::new(setup).unwrap()
    }

    #[test]
    fn the_second_leg_knows_what_the_first_brought() {
        let mut cup = cup(Format::SingleElimination, 2);
        let first = cup.next(&Default::default(), 1).pop().unwrap();
        let setting = MatchSetting::of(&cup, &first);
        assert_eq!((setting.matches_left, setting.lead("Ada", "Deep Blue")), (Some(1), 0.0));
        let played = MatchResult::failed(cup.tournament(), &first, "");
        let winner = played.players[0].clone();
        let result = MatchResult { goals: vec![Some(70), Some(20)], aborted: None, ..played };
        cup.apply(&TournamentEvent::Finished(result)).unwrap();
        let second = cup.next(&Default::default(), 1).pop().unwrap();
        let setting = MatchSetting::of(&cup, &second);
        let loser = if winner == "Ada" { "Deep Blue" } else { "Ada" };
        assert_eq!((setting.matches_left, setting.lead(&winner, loser)), (Some(0), 50.0));
        assert_eq!(MatchSetting::read(&setting.pairs()), setting);
    }

    fn result(cup: &RunningTournament, fixture: &Fixture, goals: [u32; 2]) -> TournamentEvent {
        let played = MatchResult::failed(cup.tournament(), fixture, "");
        TournamentEvent::Finished(MatchResult { goals: goals.map(Some).to_vec(), aborted: None, ..played })
    }

    #[test]
    fn a_lead_is_told_in_the_last_leg_only() {
        let mut cup = cup(Format::SingleElimination, 3);
        let first = cup.next(&Default::default(), 1).pop().unwrap();
        cup.apply(&result(&cup, &first, [70, 20])).unwrap();
        // One of three is over: what both got is told in the last one only.
        let second = cup.next(&Default::default(), 1).pop().unwrap();
        let setting = MatchSetting::of(&cup, &second);
        assert_eq!(setting.matches_left, Some(1));
        assert!(setting.standing.iter().all(|known| known.goals.is_none()));
        cup.apply(&result(&cup, &second, [50, 50])).unwrap();
        let third = cup.next(&Default::default(), 1).pop().unwrap();
        let setting = MatchSetting::of(&cup, &third);
        let [winner, loser] = [0, 1].map(|seat| cup.tournament().seated(&first)[seat].clone());
        assert_eq!((setting.matches_left, setting.lead(&winner, &loser)), (Some(0), 50.0));
    }

    #[test]
    fn a_leg_that_is_played_again_at_last_is_the_last_one() {
        let [one, two] = [1, 2].map(|count| NonZeroU32::new(count).unwrap());
        let setup = cup(Format::Swiss, 2).setup().clone();
        let mut cup =
            RunningTournament::new(TournamentSetup { attempts: two, per_player: two, ..setup }).unwrap();
        let legs = cup.next(&Default::default(), 2);
        let told = |leg: &Fixture| MatchSetting::of(&cup, leg);
        assert!(legs.len() == 2 && legs.iter().all(|leg| told(leg).matches_left == Some(one.get())));
        cup.apply(&result(&cup, &legs[1], [70, 20])).unwrap();
        let failed = MatchResult::failed(cup.tournament(), &legs[0], "gone");
        cup.apply(&TournamentEvent::Finished(failed)).unwrap();
        let again = cup.next(&Default::default(), 2).pop().unwrap();
        assert_eq!((again.leg, again.attempt), (0, 1));
        let setting = MatchSetting::of(&cup, &again);
        let [ahead, behind] = [0, 1].map(|seat| cup.tournament().seated(&legs[1])[seat].clone());
        assert_eq!((setting.matches_left, setting.lead(&ahead, &behind)), (Some(0), 50.0));
    }

    #[test]
    fn what_costs_time_is_compared_by_rewards() {
        let mut cup = cup(Format::SingleElimination, 2);
        let first = cup.next(&Default::default(), 1).pop().unwrap();
        let TournamentEvent::Finished(played) = result(&cup, &first, [70, 20]) else { unreachable!() };
        let rewarded = MatchResult { rewards: Some(vec![Some(10.0), Some(15.0)]), ..played };
        cup.apply(&TournamentEvent::Finished(rewarded)).unwrap();
        let second = cup.next(&Default::default(), 1).pop().unwrap();
        let [first_seated, other] = [0, 1].map(|seat| cup.tournament().seated(&first)[seat].clone());
        assert_eq!(MatchSetting::of(&cup, &second).lead(&first_seated, &other), -5.0);
    }

    #[test]
    fn an_open_tournament_says_nothing_of_points() {
        let open = cup(Format::Open, 1);
        let fixture = open.next(&Default::default(), 1).pop().unwrap();
        assert_eq!(MatchSetting::of(&open, &fixture).worth, None);
    }

    #[test]
    fn every_format_is_read_as_it_was_written() {
        for format in Format::ALL.into_iter().filter(|format| !format.is_endless()) {
            let cup = cup(format, 1);
            let fixture = cup.next(&Default::default(), 1).pop().unwrap();
            let setting = MatchSetting::of(&cup, &fixture);
            let pairs = setting.pairs();
            assert_eq!(MatchSetting::read(&pairs), setting, "{pairs:?}");
            assert!(pairs.iter().all(|(name, _)| MatchSetting::has_pair(name)));
        }
    }

    #[test]
    fn what_is_no_setting_is_passed_over() {
        let pairs = [
            ("round", "many"),
            ("tournament", "joust"),
            ("(worth win", "x"),
            ("(rank)", "1"),
            ("(points a b)", "1"),
            ("(does 1 white)", "noop"),
            ("", ""),
            ("(points ada)", "NaN"),
        ];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let read = MatchSetting::read(&pairs);
        assert_eq!((read.format, read.round, read.worth), (None, None, None));
        assert!(read.standing.iter().all(|known| known.points.is_none()));
        assert!(!MatchSetting::has_pair("(does 1 white)") && !MatchSetting::has_pair(""));
    }
}
