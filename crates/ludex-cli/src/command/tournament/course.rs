//! How a tournament stands by the rules of its format, and who met whom round by round.

use ludex::tournament::{Decision, EncounterReport, Format, RankedPlayer};

use super::report::{dash, texts};
use crate::console::{Console, table};

/// What ranks players.
pub fn method(format: Format) -> &'static str {
    match format {
        Format::RoundRobin => {
            "1 point for a win, one half for a draw; then Sonneborn-Berger: the points of those who were beaten \
             and half of those of who drew"
        }
        Format::Swiss => {
            "1 point for a win and for a bye, one half for a draw; then Buchholz: the points of all opponents; \
             then Sonneborn-Berger: the points of those who were beaten and half of those of who drew; a bye \
             counts as an opponent with the player's own points"
        }
        Format::SingleElimination => {
            "by the round in which a player lost; more goals in all legs win, then those of as many legs \
             played again, then the lot"
        }
        Format::DoubleElimination => {
            "by the round in which a player lost for the second time; more goals in all legs win, then those \
             of as many legs played again, then the lot"
        }
        Format::Cumulative => "the sum of goals; every player has every seat equally often",
        Format::Open => "the rating",
        Format::Ladder => "the rating less twice its deviation",
    }
}

/// A number of points or goals without needless decimals.
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The players by rank.
pub fn ranking(format: Format, rows: &[RankedPlayer], console: &Console) -> String {
    let swiss = format == Format::Swiss;
    let points = if format == Format::Cumulative { "GOALS" } else { "POINTS" };
    let mut heading = texts(&["", "PLAYER", points, "WON", "DRAWN", "LOST"]);
    let byes = rows.iter().any(|row| row.byes > 0);
    heading.extend(byes.then(|| "BYES".to_owned()));
    if swiss {
        heading.extend(texts(&["BUCHHOLZ", "S-BERGER"]));
    }
    // What the other columns take.
    let others = if swiss { 58 } else { 38 };
    let limit = console.width().saturating_sub(others).max(16);
    let mut lines = vec![heading];
    for row in rows {
        let player = shortened(&row.player, limit);
        let mut line = vec![row.rank.to_string(), player, number(row.points)];
        line.extend([row.won, row.drawn, row.lost].map(|count| count.to_string()));
        line.extend(byes.then(|| row.byes.to_string()));
        if swiss {
            line.extend([row.buchholz, row.sonneborn_berger].map(|sum| sum.map_or_else(dash, number)));
        }
        lines.push(line);
    }
    table(console, &lines, &[true, false, true, true, true, true, true, true, true])
}

/// Who met whom, round by round.
pub fn rounds(encounters: &[EncounterReport], console: &Console) -> String {
    let last = encounters.iter().map(|encounter| encounter.round).max().unwrap_or(0);
    let limit = (console.width().saturating_sub(30) / 2).max(12);
    let mut out = String::new();
    for round in 1..=last {
        let of_round: Vec<&EncounterReport> = encounters.iter().filter(|e| e.round == round).collect();
        let game = of_round.iter().find_map(|encounter| encounter.game.as_deref()).unwrap_or_default();
        let mut lines = vec![texts(&[&format!("ROUND {round}"), "OPPONENT", "GOALS", game])];
        for encounter in of_round {
            let name = |side: usize| encounter.players[side].as_deref().map(|name| shortened(name, limit));
            lines.push(vec![
                name(0).unwrap_or_else(dash),
                name(1).unwrap_or_else(dash),
                goals(encounter).unwrap_or_else(dash),
                remark(encounter).to_owned(),
            ]);
        }
        out.push_str(&format!("\n{}", table(console, &lines, &[false, false, true, false])));
    }
    out
}

/// What both players got, if anything was played to the end.
pub fn goals(encounter: &EncounterReport) -> Option<String> {
    let [first, second] = encounter.goals;
    (encounter.matches > 0).then(|| format!("{}:{}", number(first), number(second)))
}

/// How it was decided, if not by goals.
pub fn remark(encounter: &EncounterReport) -> &'static str {
    match encounter.decided.as_ref().map(|decided| decided.how) {
        None => "not played",
        Some(Decision::Played) => "",
        Some(Decision::Lot) => "lot",
        Some(Decision::Walkover) => "walkover",
        Some(Decision::Bye) => "bye",
        Some(Decision::Unneeded) => "not needed",
    }
}

/// A name in at most so many columns: what is left out is in its middle, because names of players that
/// differ in an option differ at the end.
pub fn shortened(name: &str, limit: usize) -> String {
    let length = name.chars().count();
    if length <= limit {
        return name.to_owned();
    }
    let end = limit.saturating_sub(1) / 2;
    let begin = limit.saturating_sub(1) - end;
    name.chars().take(begin).chain(['…']).chain(name.chars().skip(length - end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_ends() {
        assert_eq!(shortened("depth-limited:depth=2", 12), "depth-…pth=2");
        assert_eq!(shortened("uct", 3), "uct");
        assert_eq!(shortened("minimax", 2), "m…");
        assert_eq!(shortened("minimax", 0), "…");
    }

    #[test]
    fn numbers_have_no_needless_decimals() {
        assert_eq!([number(100.0), number(2.5), number(1.0 / 3.0)], ["100", "2.5", "0.33"]);
    }
}
