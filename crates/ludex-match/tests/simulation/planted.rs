//! Each planted fault is noticed, by the check that is there for it.

use super::sabotage::Sabotage;
use super::watch::Broken;
use super::world::run;

/// So many worlds are searched for one in which a fault matters.
const WORLDS: u64 = 60;

/// Each fault with what it breaks.
const PLANTED: &[(Sabotage, &[Broken])] = &[
    (Sabotage::SendsEarly, &[Broken::ToldBeforeWritten]),
    (Sabotage::LyingDisk, &[Broken::TwoHistories]),
    (Sabotage::ShortClock, &[Broken::ShortClock]),
    (Sabotage::Usury, &[Broken::ShortClock, Broken::Record]),
    (Sabotage::TellsOtherwise, &[Broken::NotTheRecord]),
    (Sabotage::ChangesItsMind, &[Broken::TwoHistories, Broken::NotTheRecord]),
    (Sabotage::Blabs, &[Broken::Secret]),
    (Sabotage::ShowsAll, &[Broken::Secret]),
    (Sabotage::Deaf, &[Broken::Wronged]),
    (Sabotage::Hushes, &[Broken::Unexplained]),
    (Sabotage::Cheats, &[Broken::Rules]),
    (Sabotage::NoTimers, &[Broken::Endless]),
    (Sabotage::OwnDice, &[Broken::Chance]),
    (Sabotage::SameNumbers, &[Broken::Number]),
    (Sabotage::ForgetsResults, &[Broken::RunningTournament]),
    (Sabotage::SideBySide, &[Broken::RunningTournament]),
    (Sabotage::Drowsy, &[Broken::Service]),
    (Sabotage::Bribed, &[Broken::RunningTournament]),
];

#[test]
fn every_planted_fault_is_noticed() {
    for &(sabotage, expected) in PLANTED {
        for &what in expected {
            let found = (0..WORLDS).find(|&seed| run(seed, sabotage, false).has(what));
            assert!(found.is_some(), "{sabotage:?} does not break {what:?} in {WORLDS} worlds");
        }
    }
}
