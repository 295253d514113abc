//! Time in matches that go on in real time: how late it is in the game, and for how long facts still hold.

use std::collections::BTreeMap;

use ludex::gdl::GameTime;

use crate::model::RealTimeView;

/// So many lifetimes have room on a page.
const SHOWN: usize = 60;

/// What a page shows of time.
pub(super) struct Lifetimes {
    /// The time of the game, in its units.
    pub(super) time: String,
    /// How many seconds one unit lasts.
    pub(super) unit: String,
    /// The same in milliseconds.
    pub(super) unit_milliseconds: u64,
    /// Whether time passes.
    pub(super) running: bool,
    /// What holds for a while, what ends first at the top.
    pub(super) facts: Vec<LifetimeBar>,
    /// How many more there are.
    pub(super) more: usize,
}

/// A fact that holds for a while. Times are milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LifetimeBar {
    pub(super) text: String,
    pub(super) left: u64,
    pub(super) whole: u64,
}

impl Lifetimes {
    /// What is to be shown; `words` has terms as the rulesheet would write them.
    pub(super) fn of(view: &RealTimeView, words: &BTreeMap<String, String>) -> Self {
        let read = |text: &str| GameTime::parse(text).unwrap_or_default();
        let (unit, now) = (read(&view.play_clock), read(&view.time));
        let updated = view.updated.as_deref().map_or(now, read);
        let passed = now.checked_sub(updated).unwrap_or_default();
        let bar = |(fact, lifetime): &(String, String)| {
            let whole = GameTime::parse(lifetime).ok()?;
            let left = whole.checked_sub(passed).unwrap_or_default();
            let text = words.get(fact).unwrap_or(fact).clone();
            Some(LifetimeBar { text, left: milliseconds(left, unit), whole: milliseconds(whole, unit) })
        };
        let mut facts: Vec<LifetimeBar> = view.lifetimes.iter().flatten().filter_map(bar).collect();
        facts.sort_by(|a, b| (a.left, &a.text).cmp(&(b.left, &b.text)));
        let more = facts.len().saturating_sub(SHOWN);
        facts.truncate(SHOWN);
        Self {
            time: shortened(&view.time),
            unit: view.play_clock.clone(),
            unit_milliseconds: milliseconds(GameTime::ONE, unit),
            running: view.is_running,
            facts,
            more,
        }
    }
}

/// A time of a game in milliseconds, where one unit lasts so many seconds. Both count in 10^-9.
pub(super) fn milliseconds(time: GameTime, unit: GameTime) -> u64 {
    let product = u128::from(time.units()) * u128::from(unit.units()) / 1_000_000_000_000_000;
    u64::try_from(product).unwrap_or(u64::MAX)
}

/// A decimal number with two digits behind the point at most: more can only be read by programs.
pub(super) fn shortened(time: &str) -> String {
    match time.split_once('.') {
        Some((whole, part)) if part.len() > 2 => format!("{whole}.{}", part.get(..2).unwrap_or_default()),
        _ => time.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_counted_from_the_last_update() {
        let view = RealTimeView {
            play_clock: "0.5".to_owned(),
            time: "3.250000001".to_owned(),
            is_running: true,
            updated: Some("3".to_owned()),
            lifetimes: Some(vec![
                ("(held)".to_owned(), "infinity".to_owned()),
                ("(bomb a)".to_owned(), "2".to_owned()),
                ("(tick)".to_owned(), "0.1".to_owned()),
            ]),
            delays: vec![],
        };
        let words = BTreeMap::from([("(bomb a)".to_owned(), "bomb(a)".to_owned())]);
        let shown = Lifetimes::of(&view, &words);
        let bar = |text: &str, left, whole| LifetimeBar { text: text.to_owned(), left, whole };
        // One unit is half a second.
        assert_eq!(shown.facts, [bar("(tick)", 0, 50), bar("bomb(a)", 874, 1000)]);
        assert_eq!((shown.time.as_str(), shown.unit_milliseconds), ("3.25", 500));
    }
}
