//! States in real time.

use ludex_gdl::{GameTime, Lifetime};
use ludex_logic::{TermId, Terms};

/// What holds, and for how long, from one update to the next (rtGDL paper, section 3): a finite set of facts with
/// lifetimes. One fact may have several.
///
/// With it goes what expired at the update that made the state. Definition 1 asks for the end, goals and moves on the
/// facts alone, but the games of the paper ask what has just expired (`terminal ⇐ expired(clock)`), so it is told as
/// long as the state lasts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TimedState {
    facts: Vec<(Lifetime, TermId)>,
    expired: Vec<TermId>,
}

/// What is left of a state after some time (the paper's μ and S^exp).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Elapsed {
    /// The facts that still hold, with what is left of their lifetimes, in canonical order.
    pub facts: Vec<(Lifetime, TermId)>,
    /// The facts that have expired, in canonical order.
    pub expired: Vec<TermId>,
}

impl TimedState {
    /// The state with these facts, after an update at which those others expired. The order does not matter, and what
    /// is there twice counts once.
    pub fn new(terms: &Terms, mut facts: Vec<(Lifetime, TermId)>, mut expired: Vec<TermId>) -> Self {
        facts.sort_by(|a, b| terms.compare(a.1, b.1).then(a.0.cmp(&b.0)));
        facts.dedup();
        expired.sort_by(|&a, &b| terms.compare(a, b));
        expired.dedup();
        Self { facts, expired }
    }

    /// The state of lists that are in order already and have nothing twice: the facts in canonical order, those of one
    /// fact by lifetime, and what expired in canonical order ([`Terms::compare`]).
    pub fn in_order(facts: Vec<(Lifetime, TermId)>, expired: Vec<TermId>) -> Self {
        Self { facts, expired }
    }

    /// The facts with their lifetimes at the update that made the state, in canonical order of the facts.
    pub fn facts(&self) -> &[(Lifetime, TermId)] {
        &self.facts
    }

    /// What expired at the update that made the state, in canonical order.
    pub fn expired(&self) -> &[TermId] {
        &self.expired
    }

    /// How long after the update that made the state something expires; `None` where nothing ever does.
    pub fn time_to_expiry(&self) -> Option<GameTime> {
        self.facts.iter().filter_map(|(lifetime, _)| lifetime.time()).min()
    }

    /// What is left when so much time has passed since the update that made the state.
    pub fn after(&self, elapsed: GameTime) -> Elapsed {
        let mut left = Elapsed::default();
        for &(lifetime, fact) in &self.facts {
            match lifetime.after(elapsed) {
                Some(rest) => left.facts.push((rest, fact)),
                None if left.expired.last() == Some(&fact) => {}
                None => left.expired.push(fact),
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetimes_are_shortened_until_they_are_over() {
        let terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.constant(name));
        let lifetime = |text: &str| Lifetime::parse(text).unwrap();
        let facts = vec![
            (lifetime("infinity"), c),
            (lifetime("2"), b),
            (lifetime("1.5"), a),
            (lifetime("0.5"), a),
            (lifetime("0.5"), a),
        ];
        let state = TimedState::new(&terms, facts, vec![c, a, c]);
        assert_eq!((state.facts().len(), state.expired()), (4, &[a, c][..]));
        assert_eq!(state.time_to_expiry(), GameTime::parse("0.5").ok());
        let left = state.after(GameTime::parse("1.5").unwrap());
        assert_eq!(left.facts, [(lifetime("0.5"), b), (lifetime("infinity"), c)]);
        assert_eq!(left.expired, [a]);
        // One fact may expire and go on to hold with another lifetime.
        let left = state.after(GameTime::parse("0.5").unwrap());
        assert_eq!((left.facts[0], left.expired), ((lifetime("1"), a), vec![a]));
        assert_eq!(state.after(GameTime::ZERO).facts, state.facts());
        assert_eq!(TimedState::default().time_to_expiry(), None);
    }
}
