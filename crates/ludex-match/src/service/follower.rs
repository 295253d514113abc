//! What play messages say about the course of a match.

use std::fmt;

use ludex_game::{RoleId, Rules};
use ludex_logic::TermId;

use crate::course::Told;
use crate::message::Last;

/// More steps in a row than this are not made up for.
const MOST_MISSED: u32 = 64;

/// What a message means to a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// No step was made since the last message: the player is asked in the state that it knows, for the
    /// first time or again.
    Same,
    /// These steps were made, in order.
    Steps(Vec<Told>),
}

/// What is odd about a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It came again.
    Again,
    /// It tells of a step before the last one.
    Old,
    /// So many messages before it are missing.
    Missed(u32),
    /// What it tells is not possible by the rules after all that was heard.
    Impossible,
    /// It has not as many moves as the game has roles.
    Moves(usize),
    /// The player is said to have made a move that it did not answer.
    Replaced {
        /// What was answered, in prefix notation.
        answered: String,
        /// What was made of it, in prefix notation.
        made: String,
    },
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Again => f.write_str("the message came again"),
            Self::Old => f.write_str("the message tells of an older step"),
            Self::Missed(1) => f.write_str("a message is missing"),
            Self::Missed(count) => write!(f, "{count} messages are missing"),
            Self::Impossible => f.write_str("by the rules that is not possible"),
            Self::Moves(count) => write!(f, "{count} moves are not one for each role"),
            Self::Replaced { answered, made } => {
                write!(f, "the manager played {made} instead of {answered}")
            }
        }
    }
}

/// Follows a match by what its manager says, in the place of one role.
///
/// The protocol of complete information does not number the steps (specification 8.2), and a manager may
/// send a message twice: when an answer was lost, or when it begins again after a crash. Whether the same
/// moves mean the same step or a further one is decided here. The messages of GDL-II carry the number of
/// the turn (book 17.5).
#[derive(Clone, Debug)]
pub struct Follower {
    rules: Rules,
    role: RoleId,
    /// What each step was told with.
    told: Vec<Last>,
    /// The turn of the first message, where turns are numbered: some count from 1.
    first_turn: u32,
    answered: Option<String>,
    /// Where the rules have a step before the first one (IGDL), the move that is made in it, until it was made.
    opening: Option<TermId>,
}

impl Follower {
    /// Begins to follow a match of a game.
    pub fn new(rules: Rules, role: RoleId) -> Self {
        let opening = if rules.program().has_opening {
            rules.legal(rules.initial(), role).ok().and_then(|legal| legal.first().copied())
        } else {
            None
        };
        Self { rules, role, told: Vec::new(), first_turn: 0, answered: None, opening }
    }

    /// How many steps were heard of.
    pub fn steps(&self) -> usize {
        self.told.len()
    }

    /// A joint move with which the match began before anybody was asked: what it means to the player. Nothing where the
    /// game has no such joint moves.
    pub fn begin_with(&self, texts: &[String]) -> Option<Told> {
        let joint: Vec<TermId> = texts.iter().map(|text| self.term(text)).collect();
        let has_secrets = self.rules.dialect().has_percepts() || self.opening.is_some();
        (!has_secrets && joint.len() == self.rules.roles().len()).then_some(Told::Joint(joint))
    }

    /// Notes what was answered to the last message, a term in prefix notation.
    pub fn answer(&mut self, action: Option<String>) {
        self.answered = action;
    }

    /// Takes in what a message says happened. `undelivered` says that the last answer is known to be lost;
    /// `is_legal` whether a joint move is legal in a state the match may be in.
    pub fn hear(
        &mut self,
        last: &Last,
        undelivered: bool,
        is_legal: &mut dyn FnMut(&[TermId]) -> bool,
    ) -> (Heard, Vec<Doubt>) {
        let Some(action) = self.opening.take() else { return self.hear_step(last, undelivered, is_legal) };
        let open = |percepts| Told::Percepts { action, percepts };
        match last {
            Last::Nothing => (Heard::Steps(vec![open(Vec::new())]), Vec::new()),
            Last::Percepts { turn, action: None, percepts } => {
                self.first_turn = *turn;
                let percepts = percepts.iter().map(|percept| self.term(percept)).collect();
                (Heard::Steps(vec![open(self.in_order(percepts))]), Vec::new())
            }
            // The first message did not come.
            _ => {
                let (heard, doubts) = self.hear_step(last, undelivered, is_legal);
                let mut steps = vec![open(Vec::new())];
                if let Heard::Steps(more) = heard {
                    steps.extend(more);
                }
                (Heard::Steps(steps), doubts)
            }
        }
    }

    fn hear_step(
        &mut self,
        last: &Last,
        undelivered: bool,
        is_legal: &mut dyn FnMut(&[TermId]) -> bool,
    ) -> (Heard, Vec<Doubt>) {
        match last {
            Last::Nothing if self.told.is_empty() => (Heard::Same, Vec::new()),
            Last::Nothing => (Heard::Same, vec![Doubt::Old]),
            // A player of games that go step by step knows no time.
            Last::InTime { .. } => (Heard::Same, vec![Doubt::Impossible]),
            Last::Joint(texts) => self.hear_joint(texts, undelivered, is_legal),
            Last::Percepts { turn, action, percepts } => {
                self.hear_percepts(*turn, action.as_deref(), percepts)
            }
        }
    }

    fn hear_joint(
        &mut self,
        texts: &[String],
        undelivered: bool,
        is_legal: &mut dyn FnMut(&[TermId]) -> bool,
    ) -> (Heard, Vec<Doubt>) {
        let last = Last::Joint(texts.to_vec().into());
        let joint: Vec<TermId> = texts.iter().map(|text| self.term(text)).collect();
        // Whoever has a description with chance of a game without is told no moves of chance.
        let has_percepts = self.rules.dialect().has_percepts();
        let told = if has_percepts { self.rules.seats().len() } else { self.rules.roles().len() };
        let is_whole = joint.len() == told;
        let fits = is_whole && (has_percepts || is_legal(&joint));
        if self.told.last() == Some(&last) {
            let own = joint.get(self.role.index());
            let answered = self.answered.as_deref().map(|text| self.term(text));
            if undelivered || !fits || answered.as_ref() != own {
                return (Heard::Same, vec![Doubt::Again]);
            }
        } else if !fits && self.told.contains(&last) {
            return (Heard::Same, vec![Doubt::Old]);
        }
        let mut doubts: Vec<Doubt> =
            texts.get(self.role.index()).and_then(|made| self.replaced(made)).into_iter().collect();
        if !is_whole {
            doubts.push(Doubt::Moves(joint.len()));
        } else if !fits {
            doubts.push(Doubt::Impossible);
        }
        self.told.push(last);
        self.answered = None;
        let told = if has_percepts { self.as_percepts(texts, &joint) } else { Told::Joint(joint) };
        (Heard::Steps(vec![told]), doubts)
    }

    /// What a joint move is to a player whose description tells moves as percepts.
    fn as_percepts(&self, texts: &[String], joint: &[TermId]) -> Told {
        let signature = self.rules.signature();
        let percepts = self.rules.seats().into_iter().zip(texts).map(|(role, made)| {
            let role = signature.terms().prefix(signature.roles()[role.index()]);
            self.term(&format!("(move {role} {made})"))
        });
        let percepts = self.in_order(percepts.collect());
        let own = joint.get(self.role.index()).copied();
        Told::Percepts { action: own.unwrap_or_else(|| self.term(UNKNOWN)), percepts }
    }

    fn hear_percepts(&mut self, turn: u32, action: Option<&str>, percepts: &[String]) -> (Heard, Vec<Doubt>) {
        if self.told.is_empty() && action.is_none() {
            self.first_turn = turn;
            return (Heard::Same, Vec::new());
        }
        let made = u32::try_from(self.told.len()).unwrap_or(u32::MAX);
        let now = self.first_turn.saturating_add(made);
        if turn <= now {
            return (Heard::Same, vec![if turn == now { Doubt::Again } else { Doubt::Old }]);
        }
        let missed = turn - now - 1;
        let mut doubts = Vec::new();
        let mut steps = Vec::new();
        if missed > 0 {
            doubts.push(Doubt::Missed(missed));
            // What was made and seen then is not known; that steps were made is.
            let nothing = self.term(UNKNOWN);
            let own = self.answered.as_deref().map_or(nothing, |answered| self.term(answered));
            let actions = std::iter::once(own).chain(std::iter::repeat(nothing));
            let count = missed.min(MOST_MISSED) as usize;
            steps.extend(actions.take(count).map(|action| Told::Percepts { action, percepts: Vec::new() }));
        } else {
            doubts.extend(action.and_then(|made| self.replaced(made)));
        }
        let percepts: Vec<TermId> = percepts.iter().map(|percept| self.term(percept)).collect();
        let action = self.term(action.or(self.answered.as_deref()).unwrap_or(UNKNOWN));
        let percepts = self.in_order(percepts);
        steps.push(Told::Percepts { action, percepts });
        self.first_turn = turn - made - 1;
        self.told.push(Last::Nothing);
        self.answered = None;
        (Heard::Steps(steps), doubts)
    }

    /// That the player's move was replaced, where it was.
    fn replaced(&self, made: &str) -> Option<Doubt> {
        let answered = self.answered.as_deref()?;
        (self.term(answered) != self.term(made))
            .then(|| Doubt::Replaced { answered: answered.to_owned(), made: made.to_owned() })
    }

    /// The term of a text. One that the game does not know, or that is none at all, stands for itself as
    /// far as there is room for it; the rules then have no such move.
    fn term(&self, text: &str) -> TermId {
        let known = self.rules.find_term(text).ok().flatten();
        known.or_else(|| self.rules.read_term(text).ok()).unwrap_or_else(|| {
            // Roles are terms of every game, and moves of hardly any.
            self.rules.signature().roles()[self.role.index()]
        })
    }

    fn in_order(&self, mut terms: Vec<TermId>) -> Vec<TermId> {
        let table = self.rules.signature().terms();
        terms.sort_by(|&a, &b| table.compare(a, b));
        terms.dedup();
        terms
    }
}

/// What stands for a move that is not known.
const UNKNOWN: &str = "nil";
