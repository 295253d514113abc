//! What is true of a match: its durable entries, played on the rules by this file and nothing else.

use std::collections::BTreeMap;
use std::time::Duration;

use ludex_game::{Position, RoleId, Rules};
use ludex_logic::TermId;
use ludex_match::message::{Last, SeatCodec, term_text};
use ludex_match::referee::{Entry, RefereeSetup};
use ludex_match::{Fault, Match, MatchSetup};

/// A step as it was made.
pub(crate) struct TrueStep {
    pub(crate) joint: Vec<TermId>,
    /// What each role saw.
    pub(crate) percepts: Vec<Vec<TermId>>,
    /// What went wrong on each seat.
    pub(crate) faults: Vec<Option<Fault>>,
}

/// What is true of a match.
pub(crate) struct Truth {
    pub(crate) rules: Rules,
    pub(crate) setup: RefereeSetup,
    pub(crate) codecs: Vec<SeatCodec>,
    /// The role of each seat.
    pub(crate) roles: Vec<RoleId>,
    pub(crate) position: Position,
    pub(crate) steps: Vec<TrueStep>,
    /// How many of the steps nobody is asked about: the one in which chance decides what the rules leave open (IGDL).
    pub(crate) opening: usize,
    pub(crate) entries: u64,
    pub(crate) ready: bool,
    pub(crate) start_faults: Vec<Option<Fault>>,
    /// Why the match ended early, once it is over.
    pub(crate) ended: Option<Option<String>>,
    pub(crate) banks: Vec<Option<Duration>>,
    /// In how many steps in a row each seat failed.
    pub(crate) failures: Vec<u32>,
}

impl Truth {
    pub(crate) fn new(rules: &Rules, setup: &RefereeSetup) -> Self {
        let codec = |seat| SeatCodec::new(rules.rulesheet(), seat).expect("the seat can be spoken to");
        let seats = setup.seats.len();
        let mut truth = Self {
            codecs: setup.seats.iter().map(codec).collect(),
            roles: rules.seats(),
            position: rules.start(),
            steps: Vec::new(),
            opening: 0,
            entries: 0,
            ready: false,
            start_faults: vec![None; seats],
            ended: None,
            banks: vec![setup.clocks.bank.map(|bank| bank.total); seats],
            failures: vec![0; seats],
            rules: rules.clone(),
            setup: setup.clone(),
        };
        truth.open();
        truth
    }

    /// Makes the step before the first one. Everybody has one move in it but chance, whose move follows from the seed.
    fn open(&mut self) {
        if !self.rules.program().has_opening {
            return;
        }
        let setup = MatchSetup { seed: self.setup.seed, ..MatchSetup::default() };
        let begun = Match::new(self.rules.clone(), setup).expect("the match can begin");
        let joint = begun.steps()[0].joint.clone();
        for role in self.rules.roles() {
            let legal = self.position.legal(role).expect("the first state has moves");
            let is_chance = Some(role) == self.rules.random_role();
            assert!(legal.contains(&joint[role.index()]) && (is_chance || legal.len() == 1), "{legal:?}");
        }
        self.position.advance(&joint).expect("they are legal");
        self.note_step(vec![None; self.roles.len()]);
        self.opening = 1;
    }

    fn note_step(&mut self, faults: Vec<Option<Fault>>) {
        let joint = self.position.joint(self.position.step() - 1).unwrap_or_default();
        let percepts = self.rules.roles().map(|role| self.position.percepts(role).to_vec()).collect();
        self.steps.push(TrueStep { joint, percepts, faults });
    }

    /// Takes a durable entry in, or says why it cannot be one.
    pub(crate) fn apply(&mut self, entry: &Entry) -> Result<(), String> {
        let first = self.entries == 0;
        self.entries += 1;
        match entry {
            Entry::Opened { setup, .. } if first && **setup == self.setup => {}
            Entry::Opened { .. } => return Err("opened otherwise than was agreed".into()),
            _ if first => return Err(format!("begins with {entry:?}")),
            Entry::Resumed => {}
            _ if self.ended.is_some() => return Err(format!("after its end {entry:?}")),
            Entry::Ready { faults, .. } => {
                if self.ready {
                    return Err("ready twice".into());
                }
                self.start_faults.clone_from(faults);
                self.ready = true;
            }
            Entry::Stepped { joint, faults, times, last, .. } => {
                self.step(joint, faults, times)?;
                let terminal = self.position.terminal().map_err(|error| error.to_string())?;
                if terminal && !last {
                    return Err("the match is over, and its last step does not say so".into());
                }
            }
            Entry::TakenBack { .. } | Entry::Ended { settled: Some(_), .. } => {
                return Err(format!("nobody wanted {entry:?}"));
            }
            Entry::Ended { aborted, settled: None } => {
                let terminal = self.position.terminal().map_err(|error| error.to_string())?;
                if terminal != aborted.is_none() {
                    return Err(format!("ended with {aborted:?} where terminal is {terminal}"));
                }
                self.ended = Some(aborted.clone());
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        joint: &[String],
        faults: &[Option<Fault>],
        times: &[Option<u64>],
    ) -> Result<(), String> {
        if !self.ready {
            return Err("a step before anybody was ready".into());
        }
        self.position.play(joint).map_err(|error| format!("({}): {error}", joint.join(" ")))?;
        self.note_step(faults.to_vec());
        for (seat, fault) in faults.iter().enumerate() {
            self.failures[seat] = if fault.is_some() { self.failures[seat] + 1 } else { 0 };
            if let (Some(left), Some(bank), Some(time)) =
                (self.banks[seat], self.setup.clocks.bank, times[seat])
            {
                self.banks[seat] = Some(left.saturating_sub(Duration::from_millis(time)) + bank.increment);
            }
        }
        Ok(())
    }

    /// How long a seat has for its next answer, the way of the answer included.
    pub(crate) fn clock(&self, seat: usize) -> Duration {
        let clocks = &self.setup.clocks;
        clocks.grace + self.limit(seat)
    }

    /// How long a seat may think.
    pub(crate) fn limit(&self, seat: usize) -> Duration {
        let clocks = &self.setup.clocks;
        if !self.ready {
            return clocks.start;
        }
        self.banks[seat].map_or(clocks.play, |left| left.min(clocks.play))
    }

    pub(crate) fn has_secrets(&self) -> bool {
        self.rules.dialect().has_percepts()
    }

    /// A term as messages hold it.
    pub(crate) fn text(&self, term: TermId) -> String {
        term_text(self.rules.signature().terms(), term)
    }

    /// A term as journals and views hold it.
    pub(crate) fn prefix(&self, term: TermId) -> String {
        self.rules.signature().terms().prefix(term)
    }

    /// What a seat is to be told about the last step, in its own words.
    pub(crate) fn last(&self, seat: usize) -> Last {
        let own = |term: &TermId| self.codecs[seat].to_seat(&self.text(*term));
        let role = self.roles[seat].index();
        match self.steps.last() {
            None if self.has_secrets() => Last::Percepts { turn: 0, action: None, percepts: Vec::new() },
            None => Last::Nothing,
            Some(step) if self.has_secrets() => Last::Percepts {
                turn: (self.steps.len() - self.opening) as u32,
                // What everybody had to do in the step before the first one is no news.
                action: (self.steps.len() > self.opening).then(|| own(&step.joint[role])),
                percepts: step.percepts[role].iter().map(own).collect(),
            },
            Some(step) => Last::Joint(step.joint.iter().map(own).collect()),
        }
    }

    /// The legal moves of a seat now, by the words it has for them.
    pub(crate) fn legal(&self, seat: usize) -> BTreeMap<String, TermId> {
        let legal = self.position.legal(self.roles[seat]).unwrap_or_default();
        legal.into_iter().map(|action| (self.codecs[seat].to_seat(&self.text(action)), action)).collect()
    }
}
