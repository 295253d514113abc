//! What the player of a game in real time is to be told, in order.

use std::time::Duration;

use ludex::game::{RoleId, TimedMachine};
use ludex::gdl::GameTime;
use ludex::logic::TermId;
use ludex::matches::referee::Moment;
use ludex::matches::service::{OwnNews, TimedDoubt, TimedFollower};
use ludex::players::real_time::TimedNews;

use super::game_cache::MOST_TERMS;

/// A message of rtGDL-II that is missing is waited for so long once a later one has come.
const PATIENCE: Duration = Duration::from_secs(1);

/// How much of what is known was told to a player.
///
/// A player hears what happened in the order in which it happened. Messages may come in another order: then it has to be told
/// everything again from the start.
#[derive(Debug, Default)]
pub(super) struct Narrator {
    /// In rtGDL, the time of the last move that was told.
    time: Option<GameTime>,
    /// In rtGDL-II, the number of the last message that was told, or passed over.
    number: u32,
    /// How much was told.
    told: usize,
    /// Messages up to this number that are missing are waited for no longer.
    passed: u32,
    /// Until when a missing message is waited for.
    patience_ends: Option<Moment>,
}

/// What a player is to be told now.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Story {
    /// Whether it has to begin anew before that.
    pub(super) anew: bool,
    pub(super) news: Vec<TimedNews>,
    /// Terms that the game does not know.
    pub(super) unknown: Vec<String>,
}

impl Narrator {
    /// When something is to be told though nothing comes.
    pub(super) fn next_wake(&self) -> Option<Moment> {
        self.patience_ends
    }

    /// Everything is to be told again.
    pub(super) fn begin_anew(&mut self) {
        (self.time, self.number, self.told) = (None, 0, 0);
    }

    /// What is to be told now of what a follower knows.
    pub(super) fn go_on(
        &mut self,
        known: &TimedFollower,
        machine: &dyn TimedMachine,
        hidden: bool,
        now: Moment,
    ) -> Story {
        let mut story = Story::default();
        if self.is_overtaken(known, hidden) {
            self.begin_anew();
            story.anew = true;
        }
        if hidden {
            self.tell_percepts(known, machine, now, &mut story);
        } else {
            self.tell_moves(known, machine, &mut story);
        }
        story
    }

    /// Whether something is known that was to be told before what was told.
    fn is_overtaken(&self, known: &TimedFollower, hidden: bool) -> bool {
        let up_to_now = if hidden {
            known.own_news().range(..=self.number).count()
        } else {
            self.time.map_or(0, |time| known.moves().range(..=time).count())
        };
        up_to_now > self.told
    }

    /// Moves up to the first one that cannot be made as far as is known: mostly another message is still on its way then.
    fn tell_moves(&mut self, known: &TimedFollower, machine: &dyn TimedMachine, story: &mut Story) {
        let end = match known.doubt() {
            Some(TimedDoubt::Impossible { time, .. }) => Some(*time),
            _ => None,
        };
        let next = known.moves().iter().filter(|(time, _)| self.time.is_none_or(|told| **time > told));
        let next = next.take_while(|(time, _)| end.is_none_or(|end| **time < end));
        let (mut told, mut last) = (0, self.time);
        for (&time, texts) in next {
            let mut moves = Vec::new();
            for (role, text) in (0..).map(RoleId).zip(texts) {
                let action = text.as_deref().and_then(|text| term(machine, text, story));
                moves.extend(action.map(|action| (role, action)));
            }
            story.news.push(TimedNews::Moved { time, moves });
            (told, last) = (told + 1, Some(time));
        }
        (self.told, self.time) = (self.told + told, last);
    }

    /// What was seen, in the order of the numbers of messages. One that is missing is passed over after a while.
    fn tell_percepts(
        &mut self,
        known: &TimedFollower,
        machine: &dyn TimedMachine,
        now: Moment,
        story: &mut Story,
    ) {
        let mut missing = false;
        for (&number, (time, news)) in known.own_news().range(self.number.saturating_add(1)..) {
            if number > self.number.saturating_add(1) && number > self.passed {
                let end = *self.patience_ends.get_or_insert(now.saturating_add(PATIENCE));
                if now < end {
                    missing = true;
                    break;
                }
                // The next gap is waited for again.
                (self.passed, self.patience_ends) = (number, None);
            }
            story.news.push(seen(*time, news, machine, &mut story.unknown));
            (self.number, self.told) = (number, self.told + 1);
        }
        if !missing {
            self.patience_ends = None;
        }
    }
}

fn seen(
    time: GameTime,
    (own, percepts): &OwnNews,
    machine: &dyn TimedMachine,
    unknown: &mut Vec<String>,
) -> TimedNews {
    // What is seen may be made of terms that were not worked out here: there is room for them up to a limit.
    let mut read = |text: &String| {
        let is_full = machine.terms().bytes() > MOST_TERMS;
        let read = if is_full { machine.find_term(text) } else { machine.make_term(text) };
        let read = read.ok().flatten();
        if read.is_none() {
            unknown.push(text.clone());
        }
        read
    };
    let own = own.as_ref().and_then(&mut read);
    let percepts = percepts.as_ref().map(|seen| {
        let mut terms: Vec<TermId> = seen.iter().filter_map(&mut read).collect();
        terms.sort_by(|&a, &b| machine.terms().compare(a, b));
        terms.dedup();
        terms
    });
    TimedNews::Seen { time, own, percepts }
}

fn term(machine: &dyn TimedMachine, text: &str, story: &mut Story) -> Option<TermId> {
    let found = machine.find_term(text).ok().flatten();
    if found.is_none() {
        story.unknown.push(text.to_owned());
    }
    found
}
