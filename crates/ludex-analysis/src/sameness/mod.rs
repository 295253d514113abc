//! Whether two rulesheets are the same game under other names (book 14.7.1).
//!
//! First their rule graphs are compared, which takes milliseconds and translates every name. Where they
//! differ, the ground rules are compared, which do not depend on how clauses are written; this translates
//! roles, moves and propositions. Two games whose rules are different in both ways are no translations of
//! each other. Whether they are also played differently is another question, and short games answer it.

mod play;
#[cfg(test)]
mod tests;
mod translation;

use ludex_gdl::GameProgram;
use ludex_logic::{Budget, LimitError};

pub use play::PlayDifference;
pub use translation::Translation;

use crate::automorphism::{Comparison, isomorphism};
use crate::finding::Reason;
use crate::rule_graph::{Names, RuleGraph};
use crate::subject::Subject;
use crate::symmetry::{colour_text, game_graph};

/// What comparing two rulesheets comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// The clauses are the same but for names, variables and order.
    Rules(Names),
    /// The clauses differ, and the ground rules are the same but for names.
    Ground(Translation),
    /// Neither: no renaming makes one of the other.
    Different(Difference),
    /// Not known.
    Undecided {
        /// In what the clauses differ, where they are known to.
        rules: Option<String>,
        /// Why the rest is not known.
        reason: Reason,
    },
}

/// In what two games differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// In what the rule graphs differ, in words.
    pub rules: String,
    /// In what the ground rules differ, in words; `None` where play was enough to tell.
    pub ground: Option<String>,
    /// A difference in play, where a short look found one: then these are different games, however they
    /// are written.
    pub play: Option<PlayDifference>,
}

/// Compares two games.
///
/// ```
/// use ludex_analysis::Subject;
/// use ludex_analysis::sameness::{Sameness, compare};
///
/// let text = "(role you) (init (at 1)) (legal you go) (next (at 2)) (<= terminal (true (at 2))) (goal you 50)";
/// let other = text.replace("you", "robot").replace("at", "place");
/// # let subject = |text| ludex_testkit::playable("walk.kif", text).map(|rules| Subject::new(&rules));
/// let same = compare(&subject(text)?, &subject(&other)?, &Default::default());
/// assert!(matches!(same, Sameness::Rules(_)), "the same but for names");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare(first: &Subject, second: &Subject, budget: &Budget) -> Sameness {
    let rules = match rule_graphs(first.rules().program(), second.rules().program(), budget) {
        Ok(Ok(names)) => return Sameness::Rules(names),
        Ok(Err(difference)) => difference,
        Err(limit) => return Sameness::Undecided { rules: None, reason: limit.into() },
    };
    let play = play::difference(first.rules(), second.rules(), budget);
    if play.is_some() {
        return Sameness::Different(Difference { rules, ground: None, play });
    }
    match ground_rules(first, second, budget) {
        Ok(Ok(translation)) => Sameness::Ground(translation),
        Ok(Err(ground)) => Sameness::Different(Difference { rules, ground: Some(ground), play }),
        Err(reason) => Sameness::Undecided { rules: Some(rules), reason },
    }
}

/// Compares the clauses of two rulesheets, which need not be whole games, and nothing else: the answer is
/// [`Sameness::Rules`], [`Sameness::Different`] or, at a limit, [`Sameness::Undecided`].
pub fn compare_clauses(first: &GameProgram, second: &GameProgram, budget: &Budget) -> Sameness {
    match rule_graphs(first, second, budget) {
        Ok(Ok(names)) => Sameness::Rules(names),
        Ok(Err(rules)) => Sameness::Different(Difference { rules, ground: None, play: None }),
        Err(limit) => Sameness::Undecided { rules: None, reason: limit.into() },
    }
}

fn rule_graphs(
    first: &GameProgram,
    second: &GameProgram,
    budget: &Budget,
) -> Result<Result<Names, String>, LimitError> {
    let mut meter = budget.meter();
    let first = RuleGraph::new(first, &mut meter)?;
    let second = RuleGraph::new(second, &mut meter)?;
    let text = |colour: u32, in_first: bool| {
        if in_first { first.colour_text(colour) } else { second.colour_text(colour) }
    };
    Ok(first.compare(&second, &mut meter)?.map_err(|difference| words(&difference, text, "the clauses")))
}

fn ground_rules(
    first: &Subject,
    second: &Subject,
    budget: &Budget,
) -> Result<Result<Translation, String>, Reason> {
    let graph = |subject: &Subject| -> Result<_, Reason> {
        let faithful = subject.faithful(budget)?;
        Ok(game_graph(subject.rules(), &faithful, &mut budget.meter())?)
    };
    let (one, other) = (graph(first)?, graph(second)?);
    Ok(match isomorphism(&one.graph, &other.graph, &mut budget.meter())? {
        Comparison::Same(images) => Ok(Translation::of(&one, &other, &images, first.rules())),
        difference => Err(words(&difference, |colour, _| colour_text(colour), "the ground rules")),
    })
}

/// A difference in one sentence without a full stop.
fn words(difference: &Comparison, text: impl Fn(u32, bool) -> String, what: &str) -> String {
    match difference {
        Comparison::Colours(counts) => {
            let shown = counts.iter().take(3);
            let parts =
                shown.map(|&(colour, one, other)| format!("{one} and {other} {}", text(colour, one > 0)));
            parts.collect::<Vec<_>>().join(", ")
        }
        Comparison::Arcs(..) | Comparison::Neighbours => {
            format!("{what} have as many parts of each kind, but put together in other ways")
        }
        Comparison::Search | Comparison::Same(_) => {
            format!("{what} look alike one by one, but no translation fits them all")
        }
    }
}
