//! What became of the moves of a player in real time.

use std::collections::BTreeMap;

use ludex::gdl::GameTime;
use ludex::logic::TermId;

/// What a manager says of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// This move was made.
    Made(TermId),
    /// One was not legal: which, it does not say.
    Refused,
}

/// The moves that a player has decided on, in order, and what was heard of them.
#[derive(Debug, Default)]
pub(super) struct OwnMoves {
    sent: Vec<Sent>,
    /// What was said, by its time.
    words: BTreeMap<GameTime, Word>,
    /// Whether there is a message that a move can answer.
    is_open: bool,
}

#[derive(Debug)]
struct Sent {
    action: TermId,
    /// When it was decided on.
    decided: GameTime,
    /// When it went out; `None` while it waits for a message.
    left: Option<GameTime>,
    fate: Fate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    OnItsWay,
    Made,
    Refused,
    /// Nothing was heard of it for too long.
    Lost,
}

/// What became of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// It was made so long after it went out.
    Made { delay: GameTime },
    /// It was not legal.
    Refused { action: TermId },
}

impl OwnMoves {
    /// The player has decided on a move now.
    pub(super) fn decide(&mut self, action: TermId, now: GameTime) {
        let left = self.is_open.then_some(now);
        self.is_open = false;
        self.sent.push(Sent { action, decided: now, left, fate: Fate::OnItsWay });
    }

    /// A message has come: a move that waits goes out as its answer.
    pub(super) fn open(&mut self, now: GameTime) {
        match self.sent.iter_mut().find(|sent| sent.left.is_none()) {
            Some(waiting) => waiting.left = Some(now),
            None => self.is_open = true,
        }
    }

    /// How many moves wait for a message.
    pub(super) fn waiting(&self) -> usize {
        self.sent.iter().filter(|sent| sent.left.is_none()).count()
    }

    /// Whether the manager has not yet said what became of some move.
    pub(super) fn is_any_on_its_way(&self) -> bool {
        self.sent.iter().any(|sent| sent.fate == Fate::OnItsWay)
    }

    /// Takes in what a manager said. What it said of a time before may have been taken for a word on another move: where a
    /// message was overtaken, everything is worked out again.
    pub(super) fn hear(&mut self, time: GameTime, word: Word) -> Option<Settled> {
        let is_last = self.words.last_key_value().is_none_or(|(last, _)| *last < time);
        if self.words.insert(time, word).is_some() {
            return None;
        }
        if is_last {
            return self.settle(time, word);
        }
        for sent in &mut self.sent {
            if sent.fate != Fate::Lost {
                sent.fate = Fate::OnItsWay;
            }
        }
        let mut settled = None;
        for (at, word) in self.words.clone() {
            let then = self.settle(at, word);
            settled = if at == time { then } else { settled };
        }
        settled
    }

    fn settle(&mut self, time: GameTime, word: Word) -> Option<Settled> {
        match word {
            Word::Made(action) => {
                let is_meant = |sent: &&mut Sent| {
                    sent.action == action && matches!(sent.fate, Fate::OnItsWay | Fate::Lost)
                };
                let sent = self.sent.iter_mut().find(is_meant)?;
                sent.fate = Fate::Made;
                let delay = time.checked_sub(sent.left.unwrap_or(sent.decided)).unwrap_or_default();
                Some(Settled::Made { delay })
            }
            Word::Refused => {
                // What is said of an earlier time is not about this move. Clocks may differ a little.
                let latest = time.checked_add(GameTime::ONE).unwrap_or(GameTime::MAX);
                let is_meant = |sent: &&mut Sent| sent.fate == Fate::OnItsWay && sent.decided <= latest;
                let sent = self.sent.iter_mut().find(is_meant)?;
                sent.fate = Fate::Refused;
                Some(Settled::Refused { action: sent.action })
            }
        }
    }

    /// Gives up the first of the moves that went out before a time and of which nothing was heard.
    pub(super) fn give_up(&mut self, before: GameTime) -> Option<TermId> {
        let is_old =
            |sent: &&mut Sent| sent.fate == Fate::OnItsWay && sent.left.is_some_and(|left| left < before);
        let sent = self.sent.iter_mut().find(is_old)?;
        sent.fate = Fate::Lost;
        Some(sent.action)
    }

    /// When the first move went out of which nothing was heard.
    pub(super) fn oldest(&self) -> Option<GameTime> {
        self.sent.iter().filter(|sent| sent.fate == Fate::OnItsWay).find_map(|sent| sent.left)
    }
}

#[cfg(test)]
mod tests {
    use ludex::logic::Id;

    use super::*;

    fn time(text: &str) -> GameTime {
        GameTime::parse(text).unwrap()
    }

    fn a() -> TermId {
        TermId::from_index(1)
    }

    fn b() -> TermId {
        TermId::from_index(2)
    }

    /// Two moves that went out at 1 and at 1.5.
    fn two() -> OwnMoves {
        let mut moves = OwnMoves::default();
        moves.open(time("0"));
        moves.decide(a(), time("1"));
        moves.decide(b(), time("1.25"));
        assert_eq!(moves.waiting(), 1);
        moves.open(time("1.5"));
        assert_eq!(moves.waiting(), 0);
        moves
    }

    #[test]
    fn moves_are_settled_in_order() {
        let mut moves = two();
        let made = Settled::Made { delay: time("0.5") };
        assert_eq!(moves.hear(time("1.5"), Word::Made(a())), Some(made));
        assert_eq!(moves.hear(time("1.5"), Word::Made(a())), None, "it came twice");
        assert!(moves.is_any_on_its_way());
        assert_eq!(moves.hear(time("1.75"), Word::Refused), Some(Settled::Refused { action: b() }));
        assert!(!moves.is_any_on_its_way());
        assert_eq!(moves.hear(time("2"), Word::Refused), None, "a greeting after a break");
    }

    #[test]
    fn a_word_that_was_overtaken_changes_what_the_others_were_about() {
        let mut moves = two();
        assert_eq!(moves.hear(time("1.75"), Word::Refused), Some(Settled::Refused { action: a() }));
        let made = Settled::Made { delay: time("0.5") };
        assert_eq!(moves.hear(time("1.5"), Word::Made(a())), Some(made));
        assert!(!moves.is_any_on_its_way(), "it was the other one that was refused");
    }

    #[test]
    fn what_was_said_before_is_not_about_a_move() {
        let mut moves = OwnMoves::default();
        moves.open(time("5"));
        moves.decide(a(), time("5"));
        assert_eq!(moves.hear(time("2"), Word::Refused), None);
        assert_eq!((moves.give_up(time("5")), moves.give_up(time("6"))), (None, Some(a())));
        // It was only slow.
        let made = Settled::Made { delay: time("4") };
        assert_eq!(moves.hear(time("9"), Word::Made(a())), Some(made));
    }
}
