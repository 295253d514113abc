//! Faults that are planted in a referee, to see that somebody notices.

use std::time::Duration;

use ludex_game::Rules;
use ludex_match::message::{Last, Request};
use ludex_match::referee::{Effect, Entry, Event, Moment, Referee, RefereeError, RefereeSetup, SeatNumber};
use ludex_match::view::{Snapshot, Viewer};

/// What is wrong with a referee, or with the manager around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sabotage {
    /// Nothing.
    #[default]
    None,
    /// It takes entries for durable as soon as it has written them.
    SendsEarly,
    /// The disk says that things are durable which are not.
    LyingDisk,
    /// It stops waiting too early.
    ShortClock,
    /// It charges more time than was taken.
    Usury,
    /// It tells other moves than were made.
    TellsOtherwise,
    /// It tells a seat another move when it asks again after a crash.
    ChangesItsMind,
    /// It tells a seat everything.
    Blabs,
    /// It shows everything to everybody.
    ShowsAll,
    /// It does not hear a seat that answered.
    Deaf,
    /// It does not say why it replaced a move.
    Hushes,
    /// It makes moves that are not legal.
    Cheats,
    /// It does not look at the clock.
    NoTimers,
    /// It draws by another seed than was agreed.
    OwnDice,
    /// It uses the numbers of its messages again.
    SameNumbers,
    /// The manager forgets a result after a crash.
    ForgetsResults,
    /// The manager writes events of the competition while others are not durable yet.
    SideBySide,
    /// Player services do not look at the clock.
    Drowsy,
    /// The manager gives the points to somebody else.
    Bribed,
}

/// A referee, perhaps with a planted fault.
pub(crate) struct Court {
    referee: Referee,
    sabotage: Sabotage,
    /// How many lives there were before.
    life: u64,
}

impl Court {
    pub(crate) fn new(
        rules: &Rules,
        mut setup: RefereeSetup,
        sabotage: Sabotage,
        life: u64,
    ) -> Result<Self, RefereeError> {
        spoil_setup(&mut setup, sabotage);
        Ok(Self { referee: Referee::new(rules.clone(), setup)?, sabotage, life })
    }

    pub(crate) fn resume(
        rules: &Rules,
        journal: &[Entry],
        sabotage: Sabotage,
        life: u64,
    ) -> Result<Self, RefereeError> {
        let mut journal = journal.to_vec();
        if let Some(Entry::Opened { setup, .. }) = journal.first_mut() {
            spoil_setup(setup, sabotage);
        }
        Ok(Self { referee: Referee::resume(rules.clone(), &journal)?, sabotage, life })
    }

    pub(crate) fn referee(&self) -> &Referee {
        &self.referee
    }

    pub(crate) fn on(&mut self, now: Moment, event: Event, out: &mut Vec<Effect>) {
        match (self.sabotage, &event) {
            (Sabotage::Deaf, Event::Reply { seat: SeatNumber(0), .. }) => return,
            (Sabotage::NoTimers, Event::Timer(_)) => return,
            _ => {}
        }
        self.referee.on(now, event, out);
        if self.sabotage == Sabotage::SendsEarly
            && let Some(Effect::Write(number, _)) = out.last()
        {
            let number = *number;
            self.referee.on(now, Event::Written(number), out);
        }
        for effect in out {
            self.spoil(effect, now);
        }
    }

    fn spoil(&self, effect: &mut Effect, now: Moment) {
        match (self.sabotage, effect) {
            (Sabotage::Usury, Effect::Write(_, entry)) => {
                if let Entry::Stepped { times, .. } = &mut **entry {
                    times.iter_mut().flatten().for_each(|time| *time += 10_000);
                }
            }
            (Sabotage::Hushes, Effect::Write(_, entry)) => {
                if let Entry::Stepped { faults, .. } = &mut **entry {
                    faults.fill(None);
                }
            }
            (Sabotage::Cheats, Effect::Write(_, entry)) => {
                if let Entry::Stepped { joint, faults, .. } = &mut **entry
                    && faults.iter().any(Option::is_some)
                {
                    joint.fill("(cheat 1)".to_owned());
                }
            }
            (Sabotage::OwnDice | Sabotage::ShortClock, Effect::Write(_, entry)) => {
                // The journal says what was agreed.
                if let Entry::Opened { setup, .. } = &mut **entry {
                    restore_setup(setup, self.sabotage);
                }
            }
            (Sabotage::SameNumbers, Effect::Send { message, .. }) => message.0 %= 4,
            (Sabotage::TellsOtherwise, Effect::Send { request, .. }) => spoil_told(request),
            (Sabotage::ChangesItsMind, Effect::Send { request, .. }) if self.life > 0 => spoil_told(request),
            (Sabotage::Blabs, Effect::Send { request, .. }) => {
                if let Request::Play { last: last @ Last::Percepts { .. }, .. } = &mut **request
                    && let Some(step) = self.referee.course().steps().last()
                {
                    let terms = self.referee.course().rules().signature().terms();
                    *last = Last::Joint(step.joint.iter().map(|&action| terms.prefix(action)).collect());
                }
            }
            (Sabotage::NoTimers, Effect::Wake { at, .. }) => *at = now,
            _ => {}
        }
    }

    pub(crate) fn snapshot(&self, now: Moment, viewer: Viewer) -> Snapshot {
        let shown = if self.sabotage == Sabotage::ShowsAll { Viewer::Referee } else { viewer };
        self.referee.view(now, shown).snapshot()
    }
}

fn spoil_setup(setup: &mut RefereeSetup, sabotage: Sabotage) {
    match sabotage {
        Sabotage::OwnDice => setup.seed ^= 77,
        Sabotage::ShortClock => {
            setup.clocks.play = setup.clocks.play.saturating_sub(Duration::from_millis(300))
        }
        _ => {}
    }
}

fn restore_setup(setup: &mut RefereeSetup, sabotage: Sabotage) {
    match sabotage {
        Sabotage::OwnDice => setup.seed ^= 77,
        Sabotage::ShortClock => setup.clocks.play += Duration::from_millis(300),
        _ => {}
    }
}

fn spoil_told(request: &mut Request) {
    if let Request::Play { last: Last::Joint(joint), .. } = request {
        let mut told = joint.to_vec();
        if let Some(action) = told.last_mut() {
            *action = "(other 1)".to_owned();
        }
        *joint = told.into();
    }
}
