//! What is shown of a tournament: standings, bracket, cross table, ratings over time.

use askama::Template;
use ludex::tournament::{
    Decision, EncounterReport, Format, Origin, Pairing, RankedPlayer, RatingPoint, Side, Standings,
};

use super::rows::{MatchRow, rows};
use super::text::decimal;
use super::tournament_course::{NextLine, PlayerOrder, WaitLine};
use super::tournaments::{format_name, mood};
use super::{chart, players};
use crate::manager::TournamentOutlook;
use crate::model::{MatchSummary, TournamentDetail};

struct StandingLine {
    rank: usize,
    player: String,
    place: String,
    points: String,
    won: u32,
    drawn: u32,
    lost: u32,
    buchholz: String,
    goals: String,
    /// Goals less what thinking cost.
    reward: String,
    rating: String,
    interval: String,
    faults: u64,
    struck_out: bool,
}

struct CrossLine {
    player: String,
    cells: Vec<CrossCell>,
}

struct CrossCell {
    is_self: bool,
    share: String,
    matches: String,
}

struct BracketSide {
    title: &'static str,
    rounds: Vec<BracketRound>,
}

struct BracketRound {
    title: String,
    encounters: Vec<BracketBox>,
}

struct BracketBox {
    players: Vec<BracketPlayer>,
    how: &'static str,
}

struct BracketPlayer {
    name: String,
    goals: String,
    won: bool,
}

struct ChartKey {
    series: usize,
    name: String,
}

/// The part of the page that changes.
#[derive(Template)]
#[template(path = "tournament_part.html")]
pub(super) struct TournamentPart {
    mood: &'static str,
    status: &'static str,
    progress: String,
    buchholz: bool,
    /// Whether thinking cost something.
    has_rewards: bool,
    standings: Vec<StandingLine>,
    next: Vec<NextLine>,
    waits: Vec<WaitLine>,
    order: PlayerOrder,
    bracket: Vec<BracketSide>,
    names: Vec<String>,
    cross: Vec<CrossLine>,
    chart: String,
    keys: Vec<ChartKey>,
    matches: Vec<MatchRow>,
}

impl TournamentPart {
    pub(super) fn of(
        detail: &TournamentDetail,
        outlook: TournamentOutlook,
        history: &[RatingPoint],
        matches: Vec<MatchSummary>,
    ) -> Self {
        let setup = &detail.plan.competition;
        let players = &setup.tournament.players;
        let results = detail.summary.results;
        let open = match setup.format {
            Format::Open | Format::Ladder => String::new(),
            _ => format!(", {} to play", detail.open_matches),
        };
        let ranked: Vec<String> = detail.ranking.iter().map(|player| player.player.clone()).collect();
        let met = !detail.standings.pairings.is_empty();
        let keys = players.iter().enumerate();
        let keys = keys.map(|(at, name)| ChartKey { series: chart::series(at), name: name.clone() });
        Self {
            mood: mood(detail.summary.stage),
            status: detail.summary.stage.name(),
            progress: format!("{}: {results} matches finished{open}", format_name(setup.format)),
            has_rewards: detail.standings.players.iter().any(|player| player.rewards.is_some()),
            buchholz: detail.ranking.iter().any(|player| player.buchholz.is_some()),
            standings: detail.ranking.iter().map(|player| standing(player, &detail.standings)).collect(),
            next: outlook.next.into_iter().map(NextLine::from).collect(),
            waits: outlook.waits.into_iter().map(WaitLine::from).collect(),
            order: PlayerOrder::of(setup, &detail.encounters),
            bracket: bracket(setup.format, &detail.encounters),
            cross: if met { cross(&ranked, &detail.standings) } else { Vec::new() },
            names: ranked,
            chart: chart::draw(history, players.len()),
            keys: keys.collect(),
            matches: rows(matches),
        }
    }
}

fn standing(ranked: &RankedPlayer, standings: &Standings) -> StandingLine {
    let known = standings.players.iter().find(|player| player.player == ranked.player);
    let of = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    StandingLine {
        rank: ranked.rank,
        player: ranked.player.clone(),
        place: players::place(&ranked.player),
        points: match ranked.deviation {
            Some(deviation) => format!("{:.0} ± {:.0}", ranked.points, 2.0 * deviation),
            None => decimal(ranked.points),
        },
        won: ranked.won,
        drawn: ranked.drawn,
        lost: ranked.lost,
        buchholz: of(ranked.buchholz.map(decimal)),
        goals: of(known.and_then(|known| known.goals).map(decimal)),
        reward: of(known.and_then(|known| known.rewards).map(decimal)),
        rating: of(known.map(|known| format!("{:+.0}", known.rating.elo))),
        interval: of(known.map(|known| format!("{:+.0} to {:+.0}", known.rating.low, known.rating.high))),
        faults: known.map_or(0, |known| known.faults.all()),
        struck_out: ranked.struck_out,
    }
}

fn cross(names: &[String], standings: &Standings) -> Vec<CrossLine> {
    let cell = |player: &String, opponent: &String| {
        let pairing: Option<&Pairing> = standings.pairing(player, opponent);
        CrossCell {
            is_self: player == opponent,
            share: pairing.map(|pairing| format!("{:.0} %", pairing.share.mean * 100.0)).unwrap_or_default(),
            matches: pairing.map(|pairing| format!("of {}", pairing.matches)).unwrap_or_default(),
        }
    };
    let line = |player: &String| CrossLine {
        player: player.clone(),
        cells: names.iter().map(|opponent| cell(player, opponent)).collect(),
    };
    names.iter().map(line).collect()
}

/// The rounds of each part of a bracket, or of a Swiss tournament.
fn bracket(format: Format, encounters: &[EncounterReport]) -> Vec<BracketSide> {
    let sides = [Side::Winners, Side::Losers, Side::Final].map(|side| {
        let mut rounds: Vec<BracketRound> = Vec::new();
        let mut last = None;
        for report in encounters.iter().filter(|report| report.side == side) {
            if last != Some(report.round) {
                rounds
                    .push(BracketRound { title: format!("Round {}", report.round), encounters: Vec::new() });
                last = Some(report.round);
            }
            if let Some(round) = rounds.last_mut() {
                round.encounters.push(bracket_box(report));
            }
        }
        let title = match side {
            _ if format == Format::Swiss => "Rounds",
            Side::Winners if format == Format::SingleElimination => "Bracket",
            Side::Winners => "Winners",
            Side::Losers => "Losers",
            Side::Final => "Final",
        };
        BracketSide { title, rounds }
    });
    sides.into_iter().filter(|side| !side.rounds.is_empty()).collect()
}

fn bracket_box(report: &EncounterReport) -> BracketBox {
    let winner = report.decided.as_ref().and_then(|decided| decided.winner.as_ref());
    let bye = report.decided.as_ref().is_some_and(|decided| decided.how == Decision::Bye);
    let player = |(at, name): (usize, &Option<String>)| BracketPlayer {
        won: name.is_some() && name.as_ref() == winner,
        name: match (name, report.origins[at]) {
            (Some(name), _) => name.clone(),
            (None, Origin::WinnerOf(_)) if !bye => "winner of a match before".to_owned(),
            (None, Origin::LoserOf(_)) if !bye => "loser of a match before".to_owned(),
            (None, _) => "–".to_owned(),
        },
        goals: if report.matches > 0 { decimal(report.goals[at]) } else { String::new() },
    };
    BracketBox {
        players: report.players.iter().enumerate().map(player).collect(),
        how: match report.decided.as_ref().map(|decided| decided.how) {
            None | Some(Decision::Played) => "",
            Some(Decision::Lot) => "decided by lot",
            Some(Decision::Walkover) => "walkover",
            Some(Decision::Bye) => "bye",
            Some(Decision::Unneeded) => "not needed",
        },
    }
}
