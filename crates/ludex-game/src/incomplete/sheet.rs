//! Whether a description that a player is given is true of the game (book 19.7).

use std::sync::Arc;

use ludex_gdl::GameSentences;
use ludex_logic::relational::{Answer, Edge, GroundingOptions, StatedSentence};
use ludex_logic::{Budget, TermId};

use super::course::{Course, Example};
use super::game::{IncompleteError, IncompleteGame};
use crate::Rng;

/// How to look.
#[derive(Clone, Debug)]
pub struct SheetOptions {
    /// So many random games are looked at where there is no proof.
    pub games: usize,
    /// The most steps of one of them.
    pub steps: usize,
    /// Decides them.
    pub seed: u64,
    /// Limits.
    pub budget: Budget,
}

impl Default for SheetOptions {
    fn default() -> Self {
        Self { games: 10, steps: 100, seed: 1, budget: Budget::unlimited() }
    }
}

/// A sentence that is not true of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The sentence, counted from 0.
    pub sentence: usize,
    /// A course that has come to where it is false.
    pub course: Example,
}

/// What is known of sentences about a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SheetReport {
    /// How many follow from the complete description.
    pub proved: usize,
    /// Those that do not follow by themselves, but were true in all states of random games.
    pub held: Vec<usize>,
    /// How many states those were.
    pub states: usize,
    /// Those that are false somewhere.
    pub wrong: Vec<Wrong>,
}

/// Looks whether sentences over the relations of a complete description ([`ludex_gdl::lower_question`]) are true of its
/// game: what does not follow from the description is looked at in random games.
///
/// # Errors
/// A limit; [`IncompleteError::Impossible`] where the complete description contradicts itself.
pub fn check_sheet(
    complete: &Arc<GameSentences>,
    sheet: &[StatedSentence],
    options: &SheetOptions,
) -> Result<SheetReport, IncompleteError> {
    let grounding = GroundingOptions { each_alone: false, budget: options.budget.clone() };
    let mut game = IncompleteGame::new(Arc::clone(complete), sheet, &grounding)?;
    let edges: Vec<Edge> = (0..sheet.len()).map(|number| game.conjunction(number..number + 1)).collect();
    let mut report = SheetReport::default();
    let mut open = unproved(&game, &edges, options)?;
    report.proved = edges.len() - open.len();
    let mut rng = Rng::from_seed(options.seed);
    for _ in 0..options.games {
        if open.is_empty() {
            break;
        }
        random_game(&game, &edges, &mut open, &mut rng, options, &mut report)?;
    }
    report.held = open;
    Ok(report)
}

/// The sentences that do not follow from the description in any state at all.
fn unproved(
    game: &IncompleteGame,
    edges: &[Edge],
    options: &SheetOptions,
) -> Result<Vec<usize>, IncompleteError> {
    let (mut reasoner, premises) = game.reasoner(&options.budget);
    let moment = reasoner.add_moment(&game.grounding)?;
    let truth = reasoner.solver().truth();
    for step in &game.steps {
        game.demand_step(&mut reasoner, &premises, (moment, !truth), step)?;
    }
    if !reasoner.is_possible(&[])? {
        return Err(IncompleteError::Impossible);
    }
    let mut open = Vec::new();
    for (number, &edge) in edges.iter().enumerate() {
        let literal = reasoner.literal(&game.grounding, moment, edge)?;
        if reasoner.is_possible(&[!literal])? {
            open.push(number);
        }
    }
    Ok(open)
}

/// Looks at the sentences that are still open in one game, whose moves are chosen at random among those that are surely
/// legal.
fn random_game(
    game: &IncompleteGame,
    edges: &[Edge],
    open: &mut Vec<usize>,
    rng: &mut Rng,
    options: &SheetOptions,
    report: &mut SheetReport,
) -> Result<(), IncompleteError> {
    let mut course = Course::new(game, &options.budget)?;
    for number in 0..options.steps {
        let Some(step) = game.step(number) else { break };
        let is_over = course.ask(number, step.terminal)? != Answer::Refuted;
        if !is_over {
            for role in 0..game.sentences().roles.len() {
                let mut legal: Vec<TermId> = Vec::new();
                for (at, &edge) in step.legal[role].iter().enumerate() {
                    if course.ask(number, edge)? == Answer::Entailed {
                        legal.push(game.moves(role)[at]);
                    }
                }
                let Some(&chosen) = rng.pick(&legal) else { return Ok(()) };
                if let Some(at) = course.move_number(role, chosen) {
                    course.does(role, at)?;
                }
            }
        }
        report.states += 1;
        let mut kept = Vec::new();
        for &sentence in &*open {
            match course.example(number, edges[sentence], false)? {
                Some(course) => report.wrong.push(Wrong { sentence, course }),
                None => kept.push(sentence),
            }
        }
        *open = kept;
        if is_over || course.advance().is_err() {
            break;
        }
    }
    Ok(())
}
