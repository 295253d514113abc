//! The rule machine and the net machine against Definition 1 by enumeration, on random games.

use std::collections::BTreeSet;

use ludex_engine::TimedNetMachine;
use ludex_game::{
    DecisionMoments, Pace, Rng, RoleId, TimedError, TimedMachine, TimedPlayoutOptions, TimedRuleMachine,
    TimedRunner, TimedState,
};
use ludex_gdl::GameTime;
use ludex_logic::Budget;
use ludex_propnet::TimedNetError;

use ludex_testkit::real_time::{ROLES, Rules, State, Term, TimedKnobs, random_rules};

use super::playouts::compare_playouts;
use super::{compare, game, texts};

const GAMES: u64 = 500;
const UPDATES: u64 = 12;
/// States with more facts are not looked at further: enumerating takes long there.
const MOST_FACTS: usize = 12;

fn state_texts(state: &State) -> Vec<String> {
    let facts = state.facts.iter().map(|(time, fact)| format!("{} {fact}", Term::Time(*time)));
    let mut texts: Vec<String> = facts.chain(state.expired.iter().map(|fact| format!("-{fact}"))).collect();
    texts.sort();
    texts
}

fn term_texts(machine: &dyn TimedMachine, terms: &[ludex_logic::TermId]) -> BTreeSet<String> {
    terms.iter().map(|&term| machine.text(term)).collect()
}

/// One game in both, walked through at random.
struct Pair<'m> {
    rules: Rules,
    machine: &'m TimedRuleMachine,
    runner: Box<dyn TimedRunner + 'm>,
    /// Of the net machine, where there is a net.
    net: Option<Box<dyn TimedRunner + 'm>>,
    state: State,
    with_percepts: bool,
}

impl Pair<'_> {
    /// Compares everything that is asked of a state; whether it is terminal.
    fn compare_state(&mut self, what: &str) -> bool {
        assert_eq!(texts(self.machine, self.runner.state()), state_texts(&self.state), "{what}");
        if let Some(net) = &mut self.net {
            compare(self.machine, &mut **net, &mut *self.runner, what);
        }
        let terminal = self.rules.terminal(&self.state);
        assert_eq!(self.runner.terminal(), Ok(terminal), "{what}");
        for (number, role) in ROLES.into_iter().enumerate() {
            let id = RoleId(number as u32);
            let legal = self.rules.of_role(&self.state, "legal", role);
            let found = term_texts(self.machine, self.runner.legal(id).unwrap());
            assert_eq!(found, legal.iter().map(Term::to_string).collect(), "{what}: {role}");
            let values = self.rules.of_role(&self.state, "goal", role);
            let value =
                values.first().filter(|_| values.len() == 1).map(|value| value.to_string().parse().unwrap());
            assert_eq!(self.runner.goal(id), Ok(value), "{what}: {role}");
        }
        terminal
    }

    /// The moves that some roles make, drawn from the legal ones.
    fn draw_moves(&self, rng: &mut Rng) -> Vec<(&'static str, Term)> {
        let mut moves = Vec::new();
        for role in ROLES {
            let legal: Vec<Term> = self.rules.of_role(&self.state, "legal", role).into_iter().collect();
            if rng.below(2) == 0
                && let Some(action) = rng.pick(&legal)
            {
                moves.push((role, action.clone()));
            }
        }
        moves
    }

    /// A time at which there may be an update: when the first fact expires, or before.
    fn draw_time(&self, rng: &mut Rng, expiry: Option<u64>) -> u64 {
        let most = expiry.unwrap_or(3_000_000_000);
        match rng.below(5) {
            0 => 0,
            1 => most,
            2 => 250_000_000.min(most),
            _ => rng.below(most + 1),
        }
    }

    fn update(&mut self, rng: &mut Rng, what: &str) -> bool {
        let expiry = self.state.facts.iter().filter_map(|(time, _)| *time).min();
        assert_eq!(self.runner.time_to_expiry().map(GameTime::units), expiry, "{what}");
        let moves = self.draw_moves(rng);
        let elapsed = match (moves.is_empty(), expiry) {
            (true, None) => return false,
            (true, Some(expiry)) => expiry,
            (false, _) => self.draw_time(rng, expiry),
        };
        let ids: Vec<(RoleId, ludex_logic::TermId)> = moves
            .iter()
            .map(|(role, action)| {
                let role = self.machine.find_role(role).unwrap();
                (role, self.machine.find_term(&action.to_string()).unwrap().unwrap())
            })
            .collect();
        let time = GameTime::from_units(elapsed).unwrap();
        if let Some(later) = expiry.and_then(|expiry| GameTime::from_units(expiry + 1)) {
            let refused = self.runner.update(later, &ids);
            assert!(matches!(refused, Err(TimedError::BeyondExpiry { .. })), "{what}: {refused:?}");
            if let Some(net) = &mut self.net {
                assert_eq!(net.update(later, &ids), refused, "{what}");
            }
        }
        if let Some(net) = &mut self.net {
            net.update(time, &ids).unwrap_or_else(|error| panic!("{what}: {error}"));
        }
        self.runner.update(time, &ids).unwrap_or_else(|error| panic!("{what}: {error}"));
        let (state, seen) = self.rules.update(elapsed, &moves, &self.state);
        self.state = state;
        for (number, role) in ROLES.into_iter().enumerate() {
            let (with, without) = &seen[role];
            let told =
                (self.with_percepts && with != without).then(|| with.iter().map(Term::to_string).collect());
            let found =
                self.runner.percepts(RoleId(number as u32)).map(|seen| term_texts(self.machine, seen));
            assert_eq!(found, told, "{what}: {role}");
        }
        true
    }
}

/// What there was in some games.
#[derive(Debug, Default)]
struct Seen {
    updates: usize,
    expiries: usize,
    told: usize,
    /// Games that have a net.
    nets: u64,
}

fn walk(seed: u64, knobs: TimedKnobs, seen: &mut Seen) {
    let rules = random_rules(seed, knobs);
    let text = rules.to_string();
    let game = game(&text);
    let machine = TimedRuleMachine::new(&game, &Default::default()).unwrap();
    let net = TimedNetMachine::new(&game, &Default::default());
    seen.nets += u64::from(net.is_ok());
    let net = match &net {
        Ok(net) => Some(net.runner(&Budget::unlimited())),
        Err(TimedNetError::LifetimeInTerm { .. } | TimedNetError::LifetimesCompared { .. }) => None,
        Err(other) => panic!("{other}\n{text}"),
    };
    let mut pair = Pair {
        state: rules.initial(),
        runner: machine.runner(&Budget::unlimited()),
        net,
        machine: &machine,
        rules,
        with_percepts: knobs.sees,
    };
    let mut rng = Rng::from_seed(seed);
    for step in 0..UPDATES {
        let what = format!("game {seed}, update {step}\n{text}");
        if pair.compare_state(&what) || pair.state.facts.len() > MOST_FACTS {
            return;
        }
        // A state is itself again after it was taken out and put in.
        let state: TimedState = pair.runner.state().clone();
        if rng.below(4) == 0 {
            for runner in [Some(&mut pair.runner), pair.net.as_mut()].into_iter().flatten() {
                runner.set(machine.initial()).unwrap();
                runner.set(&state).unwrap();
            }
        }
        if !pair.update(&mut rng, &what) {
            return;
        }
        seen.updates += 1;
        seen.expiries += usize::from(!pair.state.expired.is_empty());
        seen.told += (0..2).filter(|&role| pair.runner.percepts(RoleId(role)).is_some()).count();
    }
}

#[test]
fn random_games_go_as_definition_1_says() {
    let mut seen = Seen::default();
    for seed in 0..GAMES {
        walk(seed, TimedKnobs { sees: seed % 2 == 1, lifetimes_in_terms: false }, &mut seen);
    }
    assert!(seen.updates > 1_000 && seen.expiries > 300 && seen.told > 50, "{seen:?}");
    assert!(seen.nets > GAMES * 95 / 100, "{seen:?}");
}

#[test]
fn random_games_with_lifetimes_in_terms_go_as_definition_1_says() {
    let mut seen = Seen::default();
    for seed in 0..GAMES / 2 {
        walk(seed, TimedKnobs { sees: seed % 2 == 1, lifetimes_in_terms: true }, &mut seen);
    }
    assert!(seen.updates > 500 && seen.expiries > 150 && seen.told > 25, "{seen:?}");
    assert!(seen.nets > GAMES / 10, "{seen:?}");
}

#[test]
fn random_games_have_the_same_playouts_on_both_machines() {
    let mut updates = 0;
    for seed in 0..GAMES / 2 {
        let knobs = TimedKnobs { sees: seed % 2 == 1, lifetimes_in_terms: seed % 4 < 2 };
        let text = random_rules(seed, knobs).to_string();
        let game = game(&text);
        let Ok(net) = TimedNetMachine::new(&game, &Default::default()) else { continue };
        let rules = TimedRuleMachine::new(&game, &Default::default()).unwrap();
        let decisions = DecisionMoments { tick: GameTime::ONE, margin: GameTime::ZERO };
        for pace in [Pace::Waits { longest: GameTime::ONE }, Pace::Decisions(decisions)] {
            let options = TimedPlayoutOptions { pace, events: UPDATES as u32, ..Default::default() };
            let what = format!("game {seed}\n{text}");
            let played = compare_playouts(&rules, &net, &options, seed, 12, &what);
            updates += played.iter().map(|playout| u64::from(playout.updates)).sum::<u64>();
        }
    }
    assert!(updates > 5_000, "{updates}");
}
