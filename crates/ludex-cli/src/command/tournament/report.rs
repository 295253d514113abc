//! What came of a tournament, for people and for programs.

use ludex::tournament::{
    EncounterReport, Format, MatchResult, Pairing, PlayerStanding, RankedPlayer, RunningTournament,
    SequentialReport, SequentialTest, Share, Standings, Verdict, elo_of_share,
};
use serde_json::{Value, json};

use super::course;
use super::journal::Terms;
use super::tree;
use crate::console::{Console, table, wrapped};

/// A tournament as far as it was played.
pub struct Outcome<'o> {
    /// What was agreed.
    terms: &'o Terms,
    format: Format,
    /// How many matches there are to play, as far as that is known.
    scheduled: usize,
    over: bool,
    /// The matches that were played.
    results: Vec<&'o MatchResult>,
    /// What they say.
    standings: Standings,
    /// How it stands by the rules of the format.
    ranking: Vec<RankedPlayer>,
    /// Who met whom.
    encounters: Vec<EncounterReport>,
    /// How the sequential test stands, where there is one.
    test: Option<SequentialReport>,
}

/// So many aborted matches are listed.
const LISTED_MATCHES: usize = 5;

const METHODS: [(&str, &str); 3] = [
    ("share", "own goals / (own + opponent's goals), one half where both are 0; mean over matches"),
    ("interval", "Wilson score interval of 95 % with shares as fractional wins"),
    (
        "rating",
        "Bradley-Terry by the MM algorithm (Hunter 2004) with shares as fractional wins and one drawn match \
         against an average player added for each, in units of Elo with mean 0; interval of 95 % from the \
         observed information",
    ),
];

/// What differs where thinking costs something.
const COST_METHODS: [(&str, &str); 2] = [
    ("share", "one half and (own - opponent's reward) / 200; mean over matches"),
    ("reward", "goal less the cost of the time for all moves, and never less than 0"),
];

impl<'o> Outcome<'o> {
    /// What came of a tournament.
    pub fn new(terms: &'o Terms, competition: &'o RunningTournament, test: Option<SequentialReport>) -> Self {
        let results = competition.results();
        Self {
            terms,
            format: competition.setup().format,
            scheduled: results.len() + competition.open_matches(),
            over: competition.is_over(),
            results,
            standings: competition.standings(),
            ranking: competition.ranking(),
            encounters: competition.encounters(),
            test,
        }
    }

    /// Everything as JSON.
    pub fn json(&self) -> Value {
        let mut methods: serde_json::Map<String, Value> =
            METHODS.iter().map(|(name, text)| ((*name).to_owned(), (*text).into())).collect();
        if self.terms.time_cost.is_some() {
            methods.extend(COST_METHODS.map(|(name, text)| (name.to_owned(), text.into())));
        }
        let mut json = json!({
            "setup": self.terms,
            "matches": {
                "scheduled": self.scheduled,
                "completed": self.standings.completed,
                "aborted": self.standings.aborted,
            },
            "players": self.standings.players,
            "pairings": self.standings.pairings,
            "games": self.standings.games,
        });
        if self.format != Format::RoundRobin {
            json["ranking"] = json!(self.ranking);
            methods.insert("ranking".to_owned(), course::method(self.format).into());
        }
        if self.format.has_encounters() {
            json["encounters"] = json!(self.encounters);
        }
        if let Some(test) = &self.test {
            json["sprt"] = json!(test);
        }
        json["methods"] = Value::Object(methods);
        json
    }

    /// Everything as tables: of a round robin how strong players are, of other formats how it stands and
    /// who met whom.
    pub fn text(&self, console: &Console) -> String {
        if self.format == Format::RoundRobin { self.measured(console) } else { self.ranked(console) }
    }

    fn ranked(&self, console: &Console) -> String {
        let mut out = self.heading(console);
        out.push('\n');
        out.push_str(&course::ranking(self.format, &self.ranking, console));
        if self.format.is_elimination() {
            out.push_str(&tree::brackets(&self.encounters, console));
        } else {
            out.push_str(&course::rounds(&self.encounters, console));
        }
        let names = Names::new(&self.standings, console.width());
        let faults = self.faults(&names, console);
        if !faults.is_empty() {
            out.push_str(&faults);
            out.push_str(&names.legend(console));
        }
        out.push_str(&self.aborted(console, "Matches that ended early and brought nothing:"));
        out.push('\n');
        out.push_str(&console.dim(&wrapped(
            &format!("RANK: {}.", course::method(self.format)),
            console.width(),
            0,
        )));
        out
    }

    fn measured(&self, console: &Console) -> String {
        let names = Names::new(&self.standings, console.width());
        let mut out = self.heading(console);
        out.push('\n');
        out.push_str(&self.tested(console));
        out.push_str(&self.ratings(&names, console));
        out.push_str(&names.legend(console));
        out.push_str(&self.faults(&names, console));
        if self.standings.players.len() > 2 && !self.standings.pairings.is_empty() {
            out.push_str(&self.cross_table(&names, console));
        }
        out.push_str(&self.pairings(&names, console));
        out.push_str(&self.aborted(console, "Matches that ended early and count in no share:"));
        out.push('\n');
        let costs = self.terms.time_cost.is_some();
        out.push_str(&console.dim(&wrapped(&methods_text(costs), console.width(), 0)));
        out
    }

    fn heading(&self, console: &Console) -> String {
        let Terms { players, games, rounds, seed, start_clock, play_clock, step_limit, .. } = self.terms;
        let Terms { bank, increment, time_cost, .. } = self.terms;
        let count = |number: usize, one: &str, many: &str| {
            format!("{number} {}", if number == 1 { one } else { many })
        };
        let standings = &self.standings;
        let mut state = vec![format!("{} completed", standings.completed)];
        if standings.aborted > 0 {
            state.push(format!("{} aborted", standings.aborted));
        }
        let left = self.scheduled - self.results.len();
        if left > 0 {
            state.push(format!("{left} not played"));
        }
        if left == 0 && !self.over {
            state.push("not over".to_owned());
        }
        let mut field = vec![count(players.len(), "player", "players"), count(games.len(), "game", "games")];
        if !self.format.is_elimination() {
            field.push(count(*rounds as usize, "round", "rounds"));
        }
        if self.format != Format::RoundRobin {
            field.insert(0, self.format.to_string().replace('-', " "));
        }
        let first = format!(
            "{}: {}, {}",
            field.join(", "),
            count(self.scheduled, "match", "matches"),
            state.join(", "),
        );
        let mut second = format!("{play_clock} s for each move, ");
        if let Some(bank) = bank {
            second.push_str(&format!("{bank} s for all moves"));
            let increment = increment.filter(|&increment| increment > 0.0);
            second
                .push_str(&increment.map_or(", ".into(), |more| format!(" and {more} s more after each, ")));
        }
        if let Some(cost) = time_cost {
            second.push_str(&format!("a second costs {cost} points, "));
        }
        second.push_str(&format!("{start_clock} s to get ready, {step_limit} steps at most, seed {seed}"));
        format!("{}{}", wrapped(&first, console.width(), 0), wrapped(&second, console.width(), 0))
    }

    /// What a sequential test has come to.
    fn tested(&self, console: &Console) -> String {
        let (Some(test), [first, second]) = (&self.test, &self.terms.players[..]) else {
            return String::new();
        };
        let SequentialTest { lower, upper, .. } = test.test;
        let verdict = match test.verdict {
            Verdict::Open => "not decided".to_owned(),
            Verdict::Accepted => format!("yes, stronger by {upper:+} Elo rather than {lower:+}"),
            Verdict::Rejected => format!("no, stronger by {lower:+} Elo rather than {upper:+}"),
        };
        // Shares of none or all are any number of units apart.
        let elo = |share: f64| format!("{:+.0}", elo_of_share(share.clamp(0.0, 1.0)));
        let (low, high) = (test.share - test.share_error, test.share + test.share_error);
        let left_out = match test.left_out {
            0 => String::new(),
            1 => ", 1 left out since a match ended early".to_owned(),
            more => format!(", {more} left out since a match ended early"),
        };
        let said = format!(
            "Is {first} stronger than {second}? {verdict}: {} of {} rounds of a game{left_out}, share {:.1} % ± {:.1}              ({} Elo, {} to {}), log-likelihood ratio {:.2} (decided at {:.2} and {:.2})",
            test.pairs,
            self.terms.rounds as usize * self.terms.games.len(),
            100.0 * test.share,
            100.0 * test.share_error,
            elo(test.share),
            elo(low),
            elo(high),
            test.log_likelihood_ratio,
            -test.bound,
            test.bound,
        );
        format!("{}\n", wrapped(&said, console.width(), 0))
    }

    fn ratings(&self, names: &Names, console: &Console) -> String {
        let players = &self.standings.players;
        let blemished = players.iter().any(|p| p.aborted > 0 || !p.faults.is_clean());
        let has_rewards = players.iter().any(|player| player.rewards.is_some());
        let is_timed = players.iter().any(|player| player.seconds.is_some());
        let mut rows = vec![texts(&["", "PLAYER", "ELO", "95 %", "SHARE", "95 %", "GOALS"])];
        rows[0].extend(has_rewards.then(|| "REWARD".to_owned()));
        rows[0].extend(is_timed.then(|| "SECONDS".to_owned()));
        rows[0].push("PLAYED".to_owned());
        rows[0].extend(blemished.then(|| texts(&["ABORTED", "FAULTS"])).into_iter().flatten());
        for (number, player) in players.iter().enumerate() {
            let PlayerStanding { rating, share, goals, rewards, seconds, matches, aborted, faults, .. } =
                player;
            let mut row = vec![
                (number + 1).to_string(),
                names.plain(number),
                format!("{:+.0}", rating.elo),
                format!("±{:.0}", rating.high - rating.elo),
                share.map_or_else(dash, |share| percent(share.mean)),
                share.map_or_else(dash, interval),
                goals.map_or_else(dash, |goals| format!("{goals:.1}")),
            ];
            row.extend(has_rewards.then(|| rewards.map_or_else(dash, |reward| format!("{reward:.1}"))));
            row.extend(is_timed.then(|| seconds.map_or_else(dash, |seconds| format!("{seconds:.2}"))));
            row.push(matches.to_string());
            if blemished {
                row.push(aborted.to_string());
                row.push((faults.late + faults.illegal + faults.failed).to_string());
            }
            rows.push(row);
        }
        let right = [true, false, true, true, true, true, true, true, true, true, true, true];
        table(console, &rows, &right)
    }

    fn faults(&self, names: &Names, console: &Console) -> String {
        let mut rows = vec![texts(&["FAULTS OF", "LATE", "ILLEGAL", "FAILED"])];
        for (number, player) in self.standings.players.iter().enumerate() {
            let faults = player.faults;
            if !faults.is_clean() {
                rows.push(vec![
                    names.numbered(number),
                    faults.late.to_string(),
                    faults.illegal.to_string(),
                    faults.failed.to_string(),
                ]);
            }
        }
        if rows.len() == 1 {
            return String::new();
        }
        format!("\n{}", table(console, &rows, &[false, true, true, true]))
    }

    /// Shares of each player against each other, as many columns side by side as fit.
    fn cross_table(&self, names: &Names, console: &Console) -> String {
        let players = &self.standings.players;
        let columns = (console.width().saturating_sub(names.width + 4) / 7).max(2);
        let numbers: Vec<usize> = (0..players.len()).collect();
        let mut out = String::new();
        for block in numbers.chunks(columns) {
            let mut rows = vec![vec!["SHARE AGAINST".to_owned()]];
            rows[0].extend(block.iter().map(|number| (number + 1).to_string()));
            for (number, player) in players.iter().enumerate() {
                let mut row = vec![names.numbered(number)];
                row.extend(block.iter().map(|&other| {
                    let pairing = self.standings.pairing(&player.player, &players[other].player);
                    pairing.map_or_else(dash, |pairing| percent(pairing.share.mean))
                }));
                rows.push(row);
            }
            let right: Vec<bool> = (0..=block.len()).map(|column| column > 0).collect();
            out.push_str(&format!("\n{}", table(console, &rows, &right)));
        }
        out
    }

    /// Each pair with its interval, over all games and in each.
    fn pairings(&self, names: &Names, console: &Console) -> String {
        let heading = |first: &str| texts(&[first, "OPPONENT", "PLAYED", "GOALS", "SHARE", "95 %"]);
        let mut rows = Vec::new();
        let games = &self.standings.games;
        if games.len() != 1 {
            rows.push(heading("ALL GAMES"));
            rows.extend(self.pairing_rows(&self.standings.pairings, names));
        }
        let right = [false, false, true, true, true, true];
        let mut out = String::new();
        let mut finish = |rows: &[Vec<String>]| {
            if rows.len() > 1 {
                out.push_str(&format!("\n{}", table(console, rows, &right)));
            }
        };
        finish(&rows);
        for game in games {
            let mut rows = vec![heading(&game.game)];
            rows.extend(self.pairing_rows(&game.pairings, names));
            finish(&rows);
        }
        out
    }

    /// Each pair once, the one of the better rating first.
    fn pairing_rows(&self, pairings: &[Pairing], names: &Names) -> Vec<Vec<String>> {
        let place = |name: &str| self.standings.players.iter().position(|p| p.player == name).unwrap_or(0);
        let once = pairings.iter().filter(|pair| place(&pair.player) < place(&pair.opponent));
        let row = |pair: &Pairing| {
            vec![
                names.numbered(place(&pair.player)),
                names.numbered(place(&pair.opponent)),
                pair.matches.to_string(),
                format!("{:.1}:{:.1}", pair.goals, pair.opponent_goals),
                percent(pair.share.mean),
                interval(pair.share),
            ]
        };
        once.map(row).collect()
    }

    fn aborted(&self, console: &Console, heading: &str) -> String {
        let aborted: Vec<&MatchResult> =
            self.results.iter().copied().filter(|r| r.aborted.is_some()).collect();
        if aborted.is_empty() {
            return String::new();
        }
        let mut out = format!("\n{heading}\n");
        for result in aborted.iter().take(LISTED_MATCHES) {
            let MatchResult { game, round, players, aborted, .. } = result;
            let cause = aborted.as_deref().unwrap_or_default();
            let line = format!("{game}, round {round}, {}: {cause}", players.join(" against "));
            out.push_str(&format!("  {}", wrapped(&line, console.width(), 4)));
        }
        if aborted.len() > LISTED_MATCHES {
            out.push_str(&format!("  ... and {} more\n", aborted.len() - LISTED_MATCHES));
        }
        out
    }
}

/// Names of players, cut where they are too long for tables; numbers tell them apart.
struct Names {
    full: Vec<String>,
    /// The columns of the longest, with its number.
    width: usize,
    limit: usize,
}

impl Names {
    fn new(standings: &Standings, width: usize) -> Self {
        let full: Vec<String> = standings.players.iter().map(|p| p.player.clone()).collect();
        // Two names beside the numbers of a pairing.
        let limit = (width.saturating_sub(42) / 2).clamp(8, 40);
        let longest = full.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(limit);
        Self { width: longest + full.len().to_string().len() + 1, full, limit }
    }

    fn plain(&self, number: usize) -> String {
        let name = self.full.get(number).map_or("", String::as_str);
        if name.chars().count() <= self.limit {
            return name.to_owned();
        }
        name.chars().take(self.limit - 1).chain(['…']).collect()
    }

    fn numbered(&self, number: usize) -> String {
        format!("{} {}", number + 1, self.plain(number))
    }

    /// The names that were cut, as a whole.
    fn legend(&self, console: &Console) -> String {
        let cut = (0..self.full.len()).filter(|&number| self.plain(number) != self.full[number]);
        let mut out = String::new();
        for number in cut {
            let name = format!("{} is {}", number + 1, self.full[number]);
            out.push_str(&console.dim(&name));
            out.push('\n');
        }
        out
    }
}

fn methods_text(costs: bool) -> String {
    let share = if costs {
        "SHARE: one half and as much as the own reward is ahead, of 200 points, in %. REWARD: goal less the cost of the time"
    } else {
        "SHARE: own goals / (own + opponent's) in %, one half where both are 0"
    };
    let others = "95 %: Wilson's score interval \
     with shares as fractional wins. ELO: Bradley-Terry by the MM algorithm (Hunter 2004), mean 0, one draw \
     against an average player added for each; its interval from the observed information.";
    format!("{share}. {others}")
}

pub(super) fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

pub(super) fn dash() -> String {
    "-".to_owned()
}

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

fn interval(share: Share) -> String {
    format!("{}-{}", percent(share.low), percent(share.high))
}
