//! Whether the roles work together or against each other: the goals at the ends of the game, compared.

use std::collections::BTreeSet;

use ludex_game::{Goal, RoleId};
use ludex_logic::Budget;
use ludex_propnet::Circuit;

use super::sample::Samples;
use super::{Certainty, ProfileOptions, kept};
use crate::finding::{Reason, Witness};
use crate::sat::{Literal, Origin, Unrolling, Verdict};
use crate::subject::{Faithful, Subject};
use crate::well_formed::{Claim, Explored, Induction, Proof};

/// Combinations of goals that are taken from the formula.
const MOST_RESULTS: usize = 256;

/// How the goals of the players belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interests {
    /// There is one player, or none.
    Alone,
    /// They always add up to the same: what one gains, the others lose. With two players that is a
    /// zero-sum game.
    ConstantSum(u64),
    /// All players always get the same.
    Cooperative,
    /// There are two players, and no end is better for both than another one.
    Competitive,
    /// None of these.
    Mixed,
    /// No game came to an end with a goal for each player.
    Unknown,
}

impl Interests {
    /// One word for people and programs.
    pub fn word(self) -> &'static str {
        match self {
            Interests::Alone => "one player",
            Interests::ConstantSum(_) => "constant-sum",
            Interests::Cooperative => "cooperative",
            Interests::Competitive => "competitive",
            Interests::Mixed => "mixed",
            Interests::Unknown => "unknown",
        }
    }
}

/// The goals at the ends of the game.
#[derive(Clone, Debug)]
pub struct Results {
    /// How they belong together.
    pub interests: Interests,
    /// Whether that is proved.
    pub certainty: Certainty,
    /// The goals of the players, in the order of [`Rules::seats`](ludex_game::Rules::seats), that were seen
    /// at the end of a game: each combination once.
    pub seen: Vec<Vec<Goal>>,
    /// Of a mixed game, two ends of which one is better for two players than the other: courses that lead
    /// there. Only given where random games show it.
    pub witnesses: Option<(Witness, Witness)>,
}

pub(super) fn find(
    subject: &Subject,
    samples: &Samples,
    explored: Option<&Explored>,
    faithful: Option<&Faithful>,
    options: &ProfileOptions,
    budget: &Budget,
    reasons: &mut Vec<Reason>,
) -> Results {
    let rules = subject.rules();
    let seats = rules.seats();
    let of_seats = |goals: &[Option<Goal>]| -> Option<Vec<Goal>> {
        seats.iter().map(|role| goals[role.index()]).collect()
    };
    let played: Vec<(usize, Vec<Goal>)> =
        samples.endings.iter().filter_map(|(course, goals)| Some((*course, of_seats(goals)?))).collect();
    let mut seen: BTreeSet<Vec<Goal>> = played.iter().map(|(_, goals)| goals.clone()).collect();
    if let Some(explored) = explored {
        seen.extend(explored.results.iter().filter_map(|goals| of_seats(goals)));
    }
    let seen: Vec<Vec<Goal>> = seen.into_iter().collect();
    let mut results =
        Results { interests: Interests::Unknown, certainty: Certainty::Seen, seen, witnesses: None };
    if seats.len() < 2 {
        (results.interests, results.certainty) = (Interests::Alone, Certainty::Proved);
        return results;
    }
    let held = interests(&results.seen);
    // Unless more is proved, it is what was seen.
    results.interests = held.first().copied().unwrap_or(Interests::Unknown);
    if results.interests == Interests::Mixed {
        results.certainty = Certainty::Proved;
        results.witnesses = disagreement(&played).map(|(one, other)| {
            let course = |at: usize| samples.course(rules, at, usize::MAX);
            (course(one), course(other))
        });
        return results;
    }
    let unsearched = faithful.filter(|_| explored.is_none() && !held.is_empty());
    let possible =
        unsearched.and_then(|faithful| kept(possible(faithful, &seats, budget), reasons).flatten());
    let proved = |interests: &Interests| {
        let by_states = explored.is_some() || possible.as_ref().is_some_and(|all| holds(*interests, all));
        by_states
            || match (*interests, faithful) {
                (Interests::ConstantSum(sum), Some(faithful)) => {
                    kept(never_another(faithful, &seats, sum, options.depth, budget), reasons) == Some(true)
                }
                _ => false,
            }
    };
    if let Some(interests) = held.into_iter().find(proved) {
        (results.interests, results.certainty) = (interests, Certainty::Proved);
    }
    results
}

/// What holds of all these results, what says most first: roles that always get the same are no opponents,
/// though what they get may add up to the same, too. None where there are no results.
fn interests(results: &[Vec<Goal>]) -> Vec<Interests> {
    let Some(first) = results.first() else { return Vec::new() };
    let usual = sum(first);
    let all = [Interests::Cooperative, Interests::ConstantSum(usual), Interests::Competitive];
    let held: Vec<Interests> = all.into_iter().filter(|&interests| holds(interests, results)).collect();
    if held.is_empty() { vec![Interests::Mixed] } else { held }
}

fn sum(goals: &[Goal]) -> u64 {
    goals.iter().map(|&goal| u64::from(goal)).sum()
}

fn holds(interests: Interests, results: &[Vec<Goal>]) -> bool {
    match interests {
        Interests::ConstantSum(usual) => results.iter().all(|goals| sum(goals) == usual),
        Interests::Cooperative => results.iter().all(|goals| goals.iter().all(|goal| *goal == goals[0])),
        Interests::Competitive => {
            let pairs = results.iter().flat_map(|one| results.iter().map(move |other| (one, other)));
            results.iter().all(|goals| goals.len() == 2)
                && pairs.into_iter().all(|(one, other)| !agree(one, other))
        }
        _ => false,
    }
}

/// Whether one result is better than the other for two players.
fn agree(one: &[Goal], other: &[Goal]) -> bool {
    one.iter().zip(other).filter(|(a, b)| a > b).count() > 1
        || one.iter().zip(other).filter(|(a, b)| a < b).count() > 1
}

/// Two games of which one ended better for two players than the other.
fn disagreement(played: &[(usize, Vec<Goal>)]) -> Option<(usize, usize)> {
    let (first, rest) = played.split_first()?;
    let with_first =
        rest.iter().find(|(_, goals)| agree(goals, &first.1)).map(|(course, _)| (*course, first.0));
    with_first.or_else(|| disagreement(rest))
}

/// The results of terminal states with the invariants, with exactly one goal for each player; none where
/// there are too many, or the solver gave up.
fn possible(
    faithful: &Faithful,
    seats: &[RoleId],
    budget: &Budget,
) -> Result<Option<Vec<Vec<Goal>>>, Reason> {
    let circuit: &Circuit = &faithful.circuit;
    let mut unrolling = Unrolling::new(circuit, Origin::Any, budget.meter());
    unrolling.demand_invariants(0, faithful.invariants(budget)?)?;
    let terminal = unrolling.literal(0, circuit.terminal)?;
    unrolling.solver().clause([terminal])?;
    let mut goals: Vec<Vec<(Goal, Literal)>> = Vec::new();
    for role in seats {
        let mut own = Vec::new();
        for &(goal, edge) in &circuit.goals[role.index()] {
            own.push((goal, unrolling.literal(0, edge)?));
        }
        goals.push(own);
    }
    let mut results = Vec::new();
    for _ in 0..MOST_RESULTS {
        match unrolling.solve(&[], CONFLICTS)? {
            Verdict::Unsatisfiable => return Ok(Some(results)),
            Verdict::TooHard => return Ok(None),
            Verdict::Satisfiable => {}
        }
        let mut result = Vec::new();
        let mut another = Vec::new();
        for own in &goals {
            let solver = unrolling.solver();
            let held: Vec<Goal> =
                own.iter().filter(|(_, literal)| solver.value(*literal)).map(|g| g.0).collect();
            if let [goal] = held[..] {
                result.push(goal);
            }
            another.extend(
                own.iter().map(|&(_, literal)| if solver.value(literal) { !literal } else { literal }),
            );
        }
        if result.len() == seats.len() {
            results.push(result);
        }
        unrolling.solver().clause(another)?;
    }
    Ok(None)
}

/// Conflicts for one question about results.
const CONFLICTS: u64 = 20_000;

/// Whether induction proves that no end has another sum.
fn never_another(
    faithful: &Faithful,
    seats: &[RoleId],
    sum: u64,
    depth: usize,
    budget: &Budget,
) -> Result<bool, Reason> {
    let mut induction = Induction::new(faithful, seats, [Claim::OtherSum(sum)], budget)?;
    for _ in 0..=depth {
        let goes_on = induction.deepen()?;
        if induction.proofs().any(|(_, proof)| matches!(proof, Proof::Never(_))) {
            return Ok(true);
        }
        if !goes_on {
            break;
        }
    }
    Ok(false)
}
