//! The work itself: what somebody can know who plays, from no more than what that seat did and saw.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ludex::Game;
use ludex::analysis::PictureStyle;
use ludex::game::{Belief, BeliefError, BeliefOptions, Certain, Likely, News};
use ludex::logic::{Budget, TermId};

use super::answer::picture;
use super::assess::called_off_after;
use super::question::{KnowWish, Known, KnownOutcome, PossibleFact, ToldStep, ToldWish, WorkLimits};

/// The time to find out what can be known.
const TIME: Duration = Duration::from_secs(3);
/// So many facts that are possible have room, the likeliest ones.
const POSSIBLE: usize = 60;
/// What the states are found with that fit, so that a question stays small.
const BELIEF: (usize, usize, usize, u64) = (1_000, 5_000, 10_000, 5_000);

/// What a seat can know.
pub(super) fn know(game: &Game, wish: &KnowWish, limits: WorkLimits) -> Result<Known, String> {
    let seats = game.seats();
    let role = *seats.get(wish.seat).ok_or("there is no such seat")?;
    let term = |text: &String| game.read_term(text).map_err(|error| error.to_string());
    let (limit, expansions, replays, conflicts) = BELIEF;
    let options = BeliefOptions {
        limit,
        expansions,
        replays,
        conflicts,
        drawn_by_machine: true,
        seed: 1,
        ..BeliefOptions::default()
    };
    let mut belief = Belief::new(Arc::clone(game.machine()), role, options);
    for ToldWish { action, percepts } in &wish.told {
        let percepts = percepts.iter().map(term).collect::<Result<_, _>>()?;
        belief.observe(&News::Percepts { action: term(action)?, percepts });
    }
    let budget = Budget::unlimited().with_memory(limits.memory).with_own_cancel_flag();
    let found = called_off_after(TIME, &budget, || {
        let facts = belief.facts(&budget)?;
        // What was proved until the time was over is certain nevertheless.
        let certain = belief.certain(&budget).unwrap_or_default();
        Ok((facts, certain))
    });
    let mut known = Known { told: in_words(game, &wish.told), ..Known::default() };
    match found {
        Ok((facts, certain)) => {
            known.states = belief.states().len();
            known.exact = belief.is_exact();
            tell(game, &facts, &certain, &mut known);
        }
        Err(BeliefError::Impossible | BeliefError::Lost | BeliefError::NoMove) => {
            known.outcome = KnownOutcome::Nothing;
        }
        Err(_) => known.outcome = KnownOutcome::Late,
    }
    Ok(known)
}

/// Says what is certain, and what is possible beside.
fn tell(game: &Game, facts: &[Likely], certain: &Certain, known: &mut Known) {
    let possible = facts.iter().map(|fact| fact.term).collect();
    let style = PictureStyle { possible, ..PictureStyle::default() };
    known.certain = certain.facts.len();
    if !certain.facts.is_empty() {
        known.picture = picture(game.structure(), &certain.facts, &style);
    }
    let sure: BTreeSet<TermId> = certain.facts.iter().copied().collect();
    let mut possible: Vec<&Likely> = facts.iter().filter(|fact| !sure.contains(&fact.term)).collect();
    // The likeliest first; equals stay in canonical order.
    possible.sort_by(|a, b| b.likelihood.weight.total_cmp(&a.likelihood.weight));
    known.more = possible.len().saturating_sub(POSSIBLE);
    let shown = possible.into_iter().take(POSSIBLE).map(|fact| PossibleFact {
        fact: game.text(fact.term),
        // What is not proved is neither certain nor impossible.
        percent: (fact.likelihood.weight * 100.0).round().clamp(1.0, 99.0) as u32,
    });
    known.possible = shown.collect();
}

/// What the seat did and saw, as the rulesheet would write it.
fn in_words(game: &Game, told: &[ToldWish]) -> Vec<ToldStep> {
    let words = |text: &String| game.read_term(text).map_or_else(|_| text.clone(), |term| game.text(term));
    let step = |told: &ToldWish| ToldStep {
        action: words(&told.action),
        percepts: told.percepts.iter().map(words).collect(),
    };
    told.iter().map(step).collect()
}
