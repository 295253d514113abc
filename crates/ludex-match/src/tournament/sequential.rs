//! Whether one player is stronger than another one, decided with no more matches than that takes.

use std::str::FromStr;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::result::MatchResult;
use super::schedule::{Tournament, seating_count};
use super::share::Z;

/// A sequential test (Wald, 1945) of two statements about two players: the first is stronger than the second
/// by `lower` units of Elo at most, or by `upper` at least.
///
/// What is counted are rounds of one game, in which both players have every seating behind the same opening: the
/// two matches of such a pair have much in common, and their mean varies less than single matches do. The
/// likelihoods are those of a normal distribution with the variance that was seen, which is what the generalised
/// test with any distribution of scores comes to for small differences (Van den Bergh, 2017: "A practical
/// introduction to the GSPRT").
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SequentialTest {
    /// The weaker statement, in units of Elo.
    pub lower: f64,
    /// The stronger one.
    pub upper: f64,
    /// How likely it may be to decide wrongly, where one of the statements holds exactly.
    pub error: f64,
}

/// Statements that are no test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SequentialTestError {
    /// There are not two numbers.
    #[error("`{0}` is not two numbers of Elo, as 0,20")]
    Text(String),
    /// The first number is not the smaller one, or one is out of range.
    #[error("the first number of `{0}` is to be the smaller one, and both between -1000 and 1000")]
    Order(String),
}

/// Statements are about differences of so many units of Elo at most.
const MOST_ELO: f64 = 1000.0;
/// Decisions are wrong in one case of twenty, where one of the statements holds exactly.
const ERROR: f64 = 0.05;
/// Nothing is decided by fewer pairs: their variance says nothing yet.
const FEWEST_PAIRS: usize = 4;
/// As much deviation from the mean is added to what was seen, so that equal results in a row are not
/// taken for certainty.
const PRIOR_DEVIATION: f64 = 0.25;

impl FromStr for SequentialTest {
    type Err = SequentialTestError;

    /// Two numbers with a comma between them: `0,20`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text.split_once(',').and_then(|(lower, upper)| {
            Some((lower.trim().parse::<f64>().ok()?, upper.trim().parse::<f64>().ok()?))
        });
        let Some((lower, upper)) = numbers else { return Err(SequentialTestError::Text(text.to_owned())) };
        let is_in_range = |elo: f64| elo.abs() <= MOST_ELO;
        if !(lower < upper && is_in_range(lower) && is_in_range(upper)) {
            return Err(SequentialTestError::Order(text.to_owned()));
        }
        Ok(Self { lower, upper, error: ERROR })
    }
}

/// What a test has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// There are too few matches to tell.
    Open,
    /// The weaker statement: the first player is not stronger by more than `lower`.
    Rejected,
    /// The stronger statement: it is stronger by `upper` or more.
    Accepted,
}

/// How a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SequentialReport {
    /// What is tested.
    #[serde(flatten)]
    pub test: SequentialTest,
    /// What it has come to.
    pub verdict: Verdict,
    /// Rounds of a game that count. Those after the decision do not.
    pub pairs: usize,
    /// Rounds of a game that do not, since a match of them ended early.
    pub left_out: usize,
    /// The mean share of the first player, 0 to 1.
    pub share: f64,
    /// Half of its 95 % interval.
    pub share_error: f64,
    /// The logarithm of how much more likely the results are by the stronger statement.
    pub log_likelihood_ratio: f64,
    /// The test is decided where that is so much, or so much below 0.
    pub bound: f64,
}

/// A test of a tournament, fed with results as they come, in any order: pairs count in the order of the schedule, as far
/// as they are complete without a gap. So it makes no difference which matches are short.
#[derive(Clone, Debug)]
pub struct RunningTest {
    test: SequentialTest,
    tournament: Tournament,
    /// How often a match is begun that ends early.
    attempts: u32,
    /// Results that do not count yet, by round and game.
    open: FxHashMap<(u32, String), Vec<MatchResult>>,
    /// How many pairs were decided, in the order of the schedule.
    decided: usize,
    tally: Tally,
    left_out: usize,
    verdict: Verdict,
}

impl RunningTest {
    /// A test without any result. A match that ends early is begun so many times.
    pub fn new(test: SequentialTest, tournament: &Tournament, attempts: u32) -> Self {
        Self {
            test,
            tournament: tournament.clone(),
            attempts,
            open: FxHashMap::default(),
            decided: 0,
            tally: Tally::default(),
            left_out: 0,
            verdict: Verdict::Open,
        }
    }

    /// Takes in a result.
    pub fn add(&mut self, result: &MatchResult) {
        self.open.entry((result.round, result.game.clone())).or_default().push(result.clone());
        let Tournament { players, games, rounds, .. } = &self.tournament;
        while self.verdict == Verdict::Open
            && !games.is_empty()
            && let Ok(round) = u32::try_from(self.decided / games.len() + 1)
            && round <= *rounds
        {
            let game = &games[self.decided % games.len()];
            let key = (round, game.name.clone());
            let matches = self.open.get(&key).map_or(&[][..], Vec::as_slice);
            match score(players, seating_count(2, game.seats), self.attempts, matches) {
                Score::Missing => break,
                Score::Aborted => self.left_out += 1,
                Score::Share(share) => self.tally.add(share),
            }
            self.open.remove(&key);
            self.decided += 1;
            self.verdict = self.test.verdict(&self.tally);
        }
    }

    /// Whether no more matches are needed.
    pub fn is_decided(&self) -> bool {
        self.verdict != Verdict::Open
    }

    /// How the test stands.
    pub fn report(&self) -> SequentialReport {
        let Self { test, tally, left_out, verdict, .. } = self;
        SequentialReport {
            test: *test,
            verdict: *verdict,
            pairs: tally.count,
            left_out: *left_out,
            share: tally.mean(),
            share_error: Z * (tally.variance() / tally.count.max(1) as f64).sqrt(),
            log_likelihood_ratio: test.log_likelihood_ratio(tally),
            bound: test.bound(),
        }
    }
}

impl SequentialTest {
    fn verdict(&self, tally: &Tally) -> Verdict {
        let ratio = self.log_likelihood_ratio(tally);
        if tally.count < FEWEST_PAIRS || ratio.abs() < self.bound() {
            Verdict::Open
        } else if ratio > 0.0 {
            Verdict::Accepted
        } else {
            Verdict::Rejected
        }
    }

    fn bound(&self) -> f64 {
        ((1.0 - self.error) / self.error).ln()
    }

    fn log_likelihood_ratio(&self, tally: &Tally) -> f64 {
        let (lower, upper) = (expected_share(self.lower), expected_share(self.upper));
        let count = tally.count as f64;
        if tally.count == 0 {
            return 0.0;
        }
        count * (upper - lower) * (2.0 * tally.mean() - lower - upper) / (2.0 * tally.variance())
    }
}

/// The share that so many units of Elo make likely.
pub fn expected_share(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

/// The units of Elo that make a share likely; infinite at 0 and 1.
pub fn elo_of_share(share: f64) -> f64 {
    -400.0 * (1.0 / share - 1.0).log10()
}

/// What came of a round of a game.
enum Score {
    /// Some of its matches are still to be played.
    Missing,
    /// One of them ended early.
    Aborted,
    /// What the first player took of it.
    Share(f64),
}

fn score(players: &[String], seatings: u64, attempts: u32, matches: &[MatchResult]) -> Score {
    let [first, second] = players else { return Score::Missing };
    let completed: Vec<&MatchResult> = matches.iter().filter(|result| result.aborted.is_none()).collect();
    if (completed.len() as u64) < seatings {
        let given_up = |result: &MatchResult| {
            let of_seating = matches.iter().filter(|other| other.players == result.players);
            let aborted = of_seating.clone().filter(|other| other.aborted.is_some()).count();
            aborted == of_seating.count() && aborted as u64 >= u64::from(attempts)
        };
        return if matches.iter().any(given_up) { Score::Aborted } else { Score::Missing };
    }
    let worth = |result: &MatchResult, player: &str| result.worth_to(player);
    let sum = |player: &str| completed.iter().filter_map(|result| worth(result, player)).sum::<f64>();
    if let (true, Some(any)) = (completed.iter().all(|result| result.players.len() == 1), completed.first()) {
        return Score::Share(any.share(sum(first), sum(second)));
    }
    let of_match = |result: &&MatchResult| {
        result.share(worth(result, first).unwrap_or(0.0), worth(result, second).unwrap_or(0.0))
    };
    let shares = completed.iter().map(of_match);
    Score::Share(shares.sum::<f64>() / completed.len() as f64)
}

/// The mean and the variance of numbers as they come (Welford, 1962).
#[derive(Clone, Debug, Default)]
struct Tally {
    count: usize,
    mean: f64,
    /// The sum of the squares of the differences from the mean.
    deviation: f64,
}

impl Tally {
    fn add(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.deviation += off * (value - self.mean);
    }

    fn mean(&self) -> f64 {
        if self.count == 0 { 0.5 } else { self.mean }
    }

    fn variance(&self) -> f64 {
        (self.deviation + PRIOR_DEVIATION) / self.count.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::Rng;

    use super::super::schedule::TournamentGame;
    use super::*;

    fn tournament(rounds: u32) -> Tournament {
        Tournament {
            players: vec!["a".into(), "b".into()],
            games: vec![TournamentGame { name: "g".into(), seats: 2 }],
            rounds,
            seed: 1,
        }
    }

    /// The two matches of a round; the goals of the first player, of 100.
    fn pair(round: u32, goals: [u32; 2]) -> [MatchResult; 2] {
        let result = |players: [&str; 2], goals: [u32; 2]| MatchResult {
            game: "g".into(),
            round,
            players: players.map(str::to_owned).to_vec(),
            goals: goals.map(Some).to_vec(),
            ..MatchResult::default()
        };
        [result(["a", "b"], [goals[0], 100 - goals[0]]), result(["b", "a"], [100 - goals[1], goals[1]])]
    }

    fn report(test: &str, matches: &[MatchResult], rounds: u32) -> SequentialReport {
        let mut test = RunningTest::new(test.parse().unwrap(), &tournament(rounds), 1);
        matches.iter().for_each(|result| test.add(result));
        test.report()
    }

    #[test]
    fn two_numbers_in_order_are_a_test() {
        let test: SequentialTest = "0, 20".parse().unwrap();
        assert_eq!((test.lower, test.upper), (0.0, 20.0));
        for text in ["", "20", "0;20", "a,b"] {
            assert_eq!(text.parse::<SequentialTest>(), Err(SequentialTestError::Text(text.into())), "{text}");
        }
        for text in ["20,0", "5,5", "0,nan", "0,1e9", "-inf,0"] {
            assert_eq!(
                text.parse::<SequentialTest>(),
                Err(SequentialTestError::Order(text.into())),
                "{text}"
            );
        }
    }

    #[test]
    fn elo_and_shares_go_together() {
        assert_eq!(expected_share(0.0), 0.5);
        // 400 units are odds of ten to one.
        assert!((expected_share(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert!((elo_of_share(expected_share(-123.0)) + 123.0).abs() < 1e-9);
    }

    /// Three pairs of wins: the mean is 1, the variance 0.25 / 3 by what is added, and the ratio follows from the formula.
    #[test]
    fn the_ratio_is_that_of_the_formula() {
        let matches: Vec<MatchResult> = (1..=3).flat_map(|round| pair(round, [100, 100])).collect();
        let report = report("0,20", &matches, 3);
        let (lower, upper) = (0.5, expected_share(20.0));
        let expected = 3.0 * (upper - lower) * (2.0 - lower - upper) / (2.0 * 0.25 / 3.0);
        assert!((report.log_likelihood_ratio - expected).abs() < 1e-12, "{report:?}");
        assert!((report.bound - 19.0_f64.ln()).abs() < 1e-12);
        assert_eq!((report.pairs, report.share, report.verdict), (3, 1.0, Verdict::Open));
    }

    #[test]
    fn pairs_count_in_the_order_of_the_schedule() {
        let mut matches: Vec<MatchResult> = (1..=20).flat_map(|round| pair(round, [100, 100])).collect();
        assert_eq!(report("0,20", &matches, 20).verdict, Verdict::Accepted);
        // One match of the second round is not there yet: nothing after it counts.
        let late = matches.remove(2);
        let open = report("0,20", &matches, 20);
        assert_eq!((open.pairs, open.verdict), (1, Verdict::Open));
        matches.push(late);
        assert_eq!(report("0,20", &matches, 20).verdict, Verdict::Accepted);
        // Nor does what comes after the decision.
        let decided = report("0,20", &matches, 20).pairs;
        matches.extend((21..=40).flat_map(|round| pair(round, [0, 0])));
        assert_eq!(report("0,20", &matches, 40).pairs, decided);
    }

    #[test]
    fn a_pair_with_an_aborted_match_is_left_out() {
        let mut matches: Vec<MatchResult> = (1..=2).flat_map(|round| pair(round, [100, 0])).collect();
        matches[0].aborted = Some("stopped".into());
        let report = report("0,20", &matches, 2);
        assert_eq!((report.pairs, report.left_out, report.share), (1, 1, 0.5));
    }

    /// Where a statement holds exactly, no more than about one decision in twenty is wrong, and most are made.
    #[test]
    fn decisions_are_seldom_wrong() {
        let test: SequentialTest = "0,100".parse().unwrap();
        for (elo, wrong) in [(0.0, Verdict::Accepted), (100.0, Verdict::Rejected)] {
            let (mut mistakes, mut undecided) = (0, 0);
            for seed in 0..400 {
                let mut rng = Rng::from_seed(seed);
                let mut win = || {
                    if (rng.below(1 << 20) as f64) < expected_share(elo) * (1 << 20) as f64 {
                        1.0
                    } else {
                        0.0
                    }
                };
                let mut tally = Tally::default();
                while test.verdict(&tally) == Verdict::Open && tally.count < 1000 {
                    tally.add((win() + win()) / 2.0);
                }
                mistakes += u32::from(test.verdict(&tally) == wrong);
                undecided += u32::from(test.verdict(&tally) == Verdict::Open);
            }
            assert!(mistakes <= 32 && undecided < 4, "{elo}: {mistakes} wrong, {undecided} open of 400");
        }
    }
}
