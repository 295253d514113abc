//! Traces and match records.

use std::io::Write;
use std::sync::Arc;

use ludex::game::{Mismatch, Question, RuleMachine, RuleMachineOptions, Trace, verify};
use ludex::gdl::{LoadOptions, Severity, Source, load};
use ludex::learn::{
    Fit, Learned, ObservationError, Observations, Vocabulary, add_possible, deny, observe, observe_others,
    rulesheet,
};

use super::report::{NotReplayed, Replayed, Report};
use super::sample::{Playout, Sample};
use super::{LearnArguments, Task, learn_all, task};
use crate::Context;
use crate::failure::Failure;
use crate::input::read_text;
use crate::limits::grouped;
use crate::output::write_file;

/// So many states that rules are wrong about are learned from more, each time.
const MOST_MARKED: usize = 200;
/// So many contradictions are told.
const SHOWN: usize = 3;

/// Learns from records, writes a rulesheet and replays the records with it.
pub fn run(arguments: &LearnArguments, context: &mut Context) -> Result<(), Failure> {
    let begun = context.limits.now();
    let sample = Sample::read(&arguments.files, arguments.states, arguments.noise, context)?;
    let tests = Sample::read(&arguments.test, arguments.states, 0.0, context)?;
    let negatives = Sample::read(&arguments.negatives, arguments.states, 0.0, context)?;
    let background =
        arguments.background.as_deref().map(|file| read_background(file, context)).transpose()?;
    let mut vocabulary = Vocabulary::default();
    let observed = observe(&sample.traces(), background.as_deref(), &mut vocabulary).map_err(wrong)?;
    let test = if tests.playouts.is_empty() {
        None
    } else {
        Some(observe_others(&tests.traces(), &observed, &mut vocabulary).map_err(wrong)?)
    };
    let mut notes = sample.notes();
    notes.extend(contradictions(&sample, &observed, &vocabulary));
    let mut learning = Learning { arguments, sample, negatives, observed, vocabulary, fits: Vec::new() };
    let replayed = learning.learn(begun, context)?;
    let Learning { observed, vocabulary, fits, .. } = &learning;
    let tasks: Vec<Task> = fits.iter().map(|fit| task(fit, observed, test.as_ref(), vocabulary)).collect();
    let text = learning.rules();
    match &arguments.output {
        Some(output) => write_file(output, &text)?,
        None if arguments.json => {}
        None => writeln!(context.console, "{text}")?,
    }
    // Where lines are expected to be wrong, records that differ are no failure.
    let is_replayed = replayed.is_all() || arguments.noise > 0.0 && replayed.refuses_negatives();
    let seconds = context.limits.now().saturating_sub(begun).as_secs_f64();
    let report = Report {
        tasks: &tasks,
        notes: &notes,
        seconds,
        file: arguments.output.as_deref(),
        replayed: Some(replayed),
    };
    report.show(arguments.json, context)?;
    if is_replayed { Ok(()) } else { Err(Failure::Reported) }
}

fn wrong(error: ObservationError) -> Failure {
    Failure::input(error.to_string())
}

/// What records say against each other.
fn contradictions(sample: &Sample, observed: &Observations, vocabulary: &Vocabulary) -> Vec<String> {
    let found = observed.contradictions(vocabulary);
    let place = |mut state: usize| {
        for playout in &sample.playouts {
            match playout.trace.steps.get(state) {
                Some(step) => return format!("{}, step {}", playout.name, step.step),
                None => state -= playout.trace.steps.len(),
            }
        }
        String::new()
    };
    let told = found.iter().take(SHOWN).map(|it| {
        let of = vocabulary.pattern(it.relation);
        format!("{}, and {}: the same state, and not the same {of}", place(it.first), place(it.second))
    });
    let mut told: Vec<String> = told.collect();
    if found.len() > SHOWN {
        let rest = grouped((found.len() - SHOWN) as u128);
        told.push(format!("{rest} more pairs of states contradict each other"));
    }
    told
}

/// Facts of a file in prefix notation, without comments.
fn read_background(file: &str, context: &Context) -> Result<String, Failure> {
    let text = read_text(file, &context.limits)?;
    Ok(text.lines().map(|line| line.split(';').next().unwrap_or_default()).collect::<Vec<_>>().join("\n"))
}

/// Rules while they are learned, replayed and learned again.
struct Learning<'a> {
    arguments: &'a LearnArguments,
    sample: Sample,
    negatives: Sample,
    observed: Observations,
    vocabulary: Vocabulary,
    fits: Vec<Fit>,
}

impl Learning<'_> {
    /// Learns; then what replaying shows to be wrong is learned from more, until all is replayed, nothing new is found,
    /// or time is over.
    fn learn(&mut self, begun: std::time::Duration, context: &Context) -> Result<Replayed, Failure> {
        let time = self.arguments.time;
        self.fits = learn_all(&self.observed, &self.vocabulary, self.arguments, 0, time, context);
        for round in 1.. {
            let (replayed, wrong) = self.replay(context);
            let left = time.saturating_sub(context.limits.now().saturating_sub(begun));
            // Where lines are wrong, differences are no news.
            let wrong = if self.arguments.noise > 0.0 { Vec::new() } else { wrong };
            if replayed.is_all() || left.is_zero() {
                return Ok(replayed);
            }
            let is_new = self.think_of(&wrong) | self.mark(&wrong) | self.deny(&replayed)?;
            let targets = self.targets(&wrong);
            if !is_new || targets.is_empty() {
                return Ok(replayed);
            }
            context.limits.budget().report("times learned again", round, None);
            let mut part = self.observed.clone();
            part.targets.retain(|target| targets.contains(&target.relation));
            let again = learn_all(&part, &self.vocabulary, self.arguments, round, left, context);
            for fit in again {
                self.take_if_better(fit);
            }
        }
        Ok(self.replay(context).0)
    }

    fn take_if_better(&mut self, fit: Fit) {
        let relation = fit.learned.relation();
        let target = self.observed.targets.iter().find(|target| target.relation == relation);
        let known = self.fits.iter_mut().find(|known| known.learned.relation() == relation);
        if let (Some(target), Some(known)) = (target, known) {
            known.score = known.learned.score(&self.observed, target, &self.vocabulary);
            let errors = |fit: &Fit| fit.score.false_positives + fit.score.false_negatives;
            if errors(&fit) <= errors(known) {
                *known = fit;
            }
        }
    }

    /// The first state with which a playout begins: lines may be missing before others.
    fn first(&self) -> usize {
        let mut before = 0;
        for Playout { trace, .. } in &self.sample.playouts {
            if trace.steps.first().is_some_and(|first| first.step == 0) {
                return before;
            }
            before += trace.steps.len();
        }
        0
    }

    fn rules(&self) -> String {
        let learned: Vec<&Learned> = self.fits.iter().map(|fit| &fit.learned).collect();
        rulesheet(&learned, &self.observed, &self.observed.states[self.first()], &self.vocabulary)
    }

    /// Replays all playouts, those that were not played correctly, too; and what was wrong in which state.
    fn replay(&self, context: &Context) -> (Replayed, Vec<(usize, Mismatch)>) {
        let playouts = &self.sample.playouts;
        let states = playouts.iter().map(|playout| playout.trace.steps.len() as u64).sum();
        let mut replayed = Replayed { states, ..Replayed::default() };
        let machine = match machine(&self.rules()) {
            Ok(machine) => machine,
            Err(why) => {
                replayed.no_game = Some(why);
                return (replayed, Vec::new());
            }
        };
        let mut wrong = Vec::new();
        let mut before = 0;
        for Playout { name, trace } in playouts {
            let report = verify(&machine, trace, context.limits.budget());
            for mismatch in &report.mismatches {
                let place = trace.steps.iter().position(|step| step.step == mismatch.step).unwrap_or(0);
                // What a state is follows from the one before.
                let place = if mismatch.what == Question::State { place.saturating_sub(1) } else { place };
                wrong.push((before + place, mismatch.clone()));
            }
            if !report.mismatches.is_empty() {
                let differences = report.mismatches.iter().map(text).collect();
                replayed.records.push(NotReplayed { name: name.clone(), differences });
            }
            before += trace.steps.len();
        }
        replayed.negatives = self.negatives.playouts.len();
        let is_replayed =
            |trace: &Trace| verify(&machine, trace, context.limits.budget()).mismatches.is_empty();
        let negatives = self.negatives.playouts.iter().filter(|playout| is_replayed(&playout.trace));
        replayed.accepted = negatives.map(|playout| playout.name.clone()).collect();
        (replayed, wrong)
    }

    /// Adds what the rules said and nobody thought of to what could hold; whether there is any.
    fn think_of(&mut self, wrong: &[(usize, Mismatch)]) -> bool {
        wrong.iter().fold(false, |is_new, (_, mismatch)| {
            let added = add_possible(mismatch, &mut self.observed, &mut self.vocabulary);
            // What is no terms is why there was no answer.
            added.unwrap_or(false) | is_new
        })
    }

    /// Marks states of which rules were wrong; whether there are new ones.
    fn mark(&mut self, wrong: &[(usize, Mismatch)]) -> bool {
        let marked = &mut self.observed.marked;
        let mut new: Vec<usize> =
            wrong.iter().map(|(state, _)| *state).filter(|state| !marked.contains(state)).collect();
        new.sort_unstable();
        new.dedup();
        let step = new.len().div_ceil(MOST_MARKED).max(1);
        marked.extend(new.iter().step_by(step));
        !new.is_empty()
    }

    /// Of what is replayed and was not played correctly, denies the last step that no correct record has, too; whether
    /// there was any.
    fn deny(&mut self, replayed: &Replayed) -> Result<bool, Failure> {
        let mut is_new = false;
        for playout in &self.negatives.playouts {
            if !replayed.accepted.contains(&playout.name) {
                continue;
            }
            let Trace { header, steps } = &playout.trace;
            for pair in steps.windows(2).rev() {
                if deny(&pair[0], &pair[1], &header.roles, &mut self.observed, &mut self.vocabulary)
                    .map_err(wrong)?
                {
                    is_new = true;
                    break;
                }
            }
        }
        Ok(is_new)
    }

    /// The relations that are to be learned again: those that replaying shows to be wrong, and those of which something
    /// was denied.
    fn targets(&self, wrong: &[(usize, Mismatch)]) -> Vec<usize> {
        let keyword = |what: &Question| match what {
            Question::State => "next",
            Question::Terminal => "terminal",
            Question::Goal(_) => "goal",
            _ => "legal",
        };
        let mut keywords: Vec<&str> = wrong.iter().map(|(_, mismatch)| keyword(&mismatch.what)).collect();
        keywords.sort_unstable();
        keywords.dedup();
        let of = |relation: usize| self.vocabulary.get(relation).shape.keyword();
        let score = |relation: usize| self.fits.iter().find(|fit| fit.learned.relation() == relation);
        let is_wrong = |relation: usize| score(relation).is_none_or(|fit| !fit.score.is_perfect());
        let targets = self.observed.targets.iter();
        let again = targets.filter(|target| {
            let mut others = self.observed.targets.iter();
            let keyword = of(target.relation);
            let is_any_wrong = others.any(|other| of(other.relation) == keyword && is_wrong(other.relation));
            !target.denied.is_empty()
                || keywords.contains(&keyword) && (is_wrong(target.relation) || !is_any_wrong)
        });
        again.map(|target| target.relation).collect()
    }
}

/// The game that was learned, or why it is none.
fn machine(rules: &str) -> Result<RuleMachine, String> {
    let checked = load(Arc::new(Source::new("learned", rules)), &LoadOptions::default());
    let error = checked.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    match (checked.game, error) {
        (Some(game), None) => {
            RuleMachine::new(&game, &RuleMachineOptions::default()).map_err(|error| error.to_string())
        }
        (_, error) => {
            let why = error.map_or_else(String::new, |error| format!(": {}", error.message));
            Err(format!("the rules are incomplete{why}"))
        }
    }
}

fn text(mismatch: &Mismatch) -> String {
    format!(
        "playout {}, step {}, {}: recorded {}, by the rules {}",
        mismatch.playout, mismatch.step, mismatch.what, mismatch.expected, mismatch.found
    )
}
