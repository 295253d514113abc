//! What remains of a match.

use ludex_match::referee::{Entry, Referee};
use ludex_match::{Match, MatchSetup, Reply, verify_match};

use super::{Broken, Watch};
use crate::simulation::truth::Truth;

impl Watch {
    /// A match is done: what remains of it must be what happened.
    pub(crate) fn done(&mut self, number: usize, referee: &Referee, journal: &[Entry]) {
        let truth = &self.matches[number].truth;
        let record = referee.record();
        let mut broken = Vec::new();
        if truth.ended.is_none() {
            broken.push((Broken::ToldBeforeWritten, "done, but not ended".to_owned()));
        }
        let joints = truth.steps.iter();
        let joints = joints.map(|step| step.joint.iter().map(|&action| truth.prefix(action)).collect());
        if record.moves != joints.collect::<Vec<Vec<String>>>() {
            broken.push((Broken::Record, "other moves than the journal's".to_owned()));
        }
        for mismatch in verify_match(&truth.rules, &record).mismatches {
            broken.push((Broken::Rules, format!("{mismatch:?}")));
        }
        match Referee::resume(truth.rules.clone(), journal) {
            Ok(again) if again.record() == record => {}
            Ok(_) => broken.push((Broken::Record, "the journal makes another record".to_owned())),
            Err(error) => broken.push((Broken::Record, format!("the journal cannot be read: {error}"))),
        }
        broken.extend(draw_again(truth).map(|text| (Broken::Chance, text)));
        for (what, text) in broken {
            self.note(what, format!("m{number}: {text}"));
        }
    }
}

/// Lets a match by the same seed draw all random moves again, given what players really answered.
fn draw_again(truth: &Truth) -> Option<String> {
    let setup = MatchSetup {
        id: truth.setup.id.clone(),
        seed: truth.setup.seed,
        step_limit: truth.setup.step_limit,
        ..MatchSetup::default()
    };
    let mut again = Match::new(truth.rules.clone(), setup).ok()?;
    for (number, step) in truth.steps.iter().enumerate().skip(truth.opening) {
        let mut replies: Vec<Reply> = step.joint.iter().map(|&action| Ok(action)).collect();
        for (seat, fault) in step.faults.iter().enumerate() {
            if let Some(fault) = fault {
                replies[truth.roles[seat].index()] = Err(fault.clone());
            }
        }
        match again.submit(&replies, None) {
            Ok(Some(drawn)) if drawn.joint == step.joint => {}
            other => return Some(format!("step {number}: {other:?} instead of {:?}", step.joint)),
        }
    }
    None
}
