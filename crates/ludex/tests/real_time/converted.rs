//! Games of GDL in real time are the same games when everybody moves in time.

use std::sync::Arc;

use ludex::game::{
    ActionId, Machine, Rng, RoleId, RuleMachine, RuleMachineOptions, State, TimedMachine, TimedRuleMachine,
    Timeline,
};
use ludex::gdl::{Dialect, GameTime, LoadOptions, Notation, Source, load, parse, to_rtgdl};
use ludex::library::{self, BundledGame};
use ludex::logic::TermId;
use ludex_logic::Budget;

use super::time;

/// Long games are compared at their beginning.
const STEPS: u32 = 25;

/// A game in both languages.
pub(super) struct Twins {
    pub plain: RuleMachine,
    pub timed: TimedRuleMachine,
    name: String,
}

impl Twins {
    fn new(game: &BundledGame, step: &str) -> Self {
        Self::of_text(game.name, game.text.to_owned(), game.notation, step).unwrap()
    }

    /// The game of a rulesheet; `None` where that is no game of GDL or has errors.
    pub fn of_text(name: &str, text: String, notation: Notation, step: &str) -> Option<Self> {
        let read = |source: &Arc<Source>| {
            let options = LoadOptions { notation: Some(notation), ..LoadOptions::default() };
            let checked = load(Arc::clone(source), &options);
            let is_sound = !checked.has_errors();
            checked.game.filter(|_| is_sound)
        };
        let source = Arc::new(Source::new(name, text));
        let plain = read(&source).filter(|game| game.dialect == Dialect::Gdl)?;
        let (rulesheet, _) = parse(source, Some(notation));
        let converted = to_rtgdl(&rulesheet, time(step)).unwrap();
        let timed = read(&converted.source).unwrap_or_else(|| panic!("{name} in real time has errors"));
        let options = RuleMachineOptions { tune: false, ..RuleMachineOptions::default() };
        Some(Self {
            plain: RuleMachine::new(&plain, &options).unwrap(),
            timed: TimedRuleMachine::new(&timed, &Default::default()).unwrap(),
            name: name.to_owned(),
        })
    }

    fn plain_text(&self, term: TermId) -> String {
        self.plain.signature().terms().prefix(term)
    }

    fn timed_text(&self, term: TermId) -> String {
        self.timed.terms().prefix(term)
    }

    /// Plays a game in both at random; whether it came to its end.
    pub fn play(&self, seed: u64) -> bool {
        let mut rng = Rng::from_seed(seed);
        let mut timeline = Timeline::new(&self.timed, &Default::default()).unwrap();
        let mut runner = self.plain.runner(&Budget::unlimited());
        for step in 0..STEPS {
            let what = format!("{}, seed {seed}, step {step}", self.name);
            let mut state = State::default();
            runner.save(&mut state);
            self.compare_facts(&state, &timeline, &what);
            let terminal = runner.terminal().unwrap();
            assert_eq!(timeline.is_over(), terminal, "{what}");
            let roles: Vec<RoleId> = self.plain.signature().role_ids().collect();
            let legal: Vec<Vec<_>> = roles.iter().map(|&role| runner.legal(role).unwrap().to_vec()).collect();
            if terminal {
                for role in roles {
                    assert_eq!(timeline.goal(role).unwrap(), runner.goal(role).unwrap(), "{what}");
                }
                return true;
            }
            let joint: Vec<_> = legal.iter().map(|moves| *rng.pick(moves).unwrap()).collect();
            let nobody_chooses = legal.iter().all(|moves| moves.len() == 1);
            let mut due: Vec<RoleId> = (0..).map(RoleId).take(legal.len()).collect();
            due.retain(|role| nobody_chooses || legal[role.index()].len() > 1);
            self.compare_legal(&legal, &due, &mut timeline, &what);
            let named = |role: &RoleId| self.plain_text(self.plain.signature().action(joint[role.index()]));
            self.submit(&mut due, named, &mut timeline, &mut rng);
            runner.step(&joint).unwrap();
        }
        false
    }

    /// The facts of the original are those that hold for ever.
    fn compare_facts(&self, state: &State, timeline: &Timeline<'_>, what: &str) {
        let mut facts = Vec::new();
        self.plain.facts(state, &mut facts);
        let mut facts: Vec<String> = facts.iter().map(|&fact| self.plain_text(fact)).collect();
        let lasting = timeline.state().facts().iter().filter(|(lifetime, _)| lifetime.time().is_none());
        let mut found: Vec<String> = lasting.map(|&(_, fact)| self.timed_text(fact)).collect();
        facts.sort();
        found.sort();
        assert_eq!(found, facts, "{what}");
    }

    fn compare_legal(
        &self,
        legal: &[Vec<ActionId>],
        due: &[RoleId],
        timeline: &mut Timeline<'_>,
        what: &str,
    ) {
        for (role, moves) in (0..).map(RoleId).zip(legal) {
            let mut expected: Vec<String> = Vec::new();
            if due.contains(&role) {
                let signature = self.plain.signature();
                expected.extend(moves.iter().map(|&action| self.plain_text(signature.action(action))));
            }
            let mut found: Vec<String> =
                timeline.legal(role).unwrap().iter().map(|&action| self.timed_text(action)).collect();
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{what}");
        }
    }

    /// Those who are to move do so in any order, alone or together, within the time of the step.
    fn submit(
        &self,
        due: &mut Vec<RoleId>,
        named: impl Fn(&RoleId) -> String,
        timeline: &mut Timeline<'_>,
        rng: &mut Rng,
    ) {
        while !due.is_empty() {
            let together = 1 + rng.below(due.len() as u64) as usize;
            let mut moves = Vec::new();
            for _ in 0..together {
                let role = due.swap_remove(rng.below(due.len() as u64) as usize);
                moves.push((role, timeline.find_move(role, &named(&role)).unwrap()));
            }
            let wait = GameTime::from_units(rng.below(200_000_000)).unwrap();
            timeline.advance_to(timeline.now().checked_add(wait).unwrap()).unwrap();
            timeline.submit(&moves).unwrap();
        }
    }
}

#[test]
fn everybody_in_time_plays_the_same_game() {
    let (mut games, mut ended) = (0, 0);
    for game in library::stepwise().filter(|game| game.dialect == Dialect::Gdl && game.name != "figure-9-3") {
        let twins = Twins::new(game, "2.5");
        games += 1;
        ended += (0..3).filter(|&seed| twins.play(seed)).count();
    }
    assert!(games >= 33 && ended > 50, "{games} games, {ended} ended");
}

#[test]
fn whoever_is_late_loses() {
    let result = |name: &str, moves: &[(&str, &str)]| {
        let twins = Twins::new(library::find(name).unwrap(), "2.5");
        let mut timeline = Timeline::new(&twins.timed, &Default::default()).unwrap();
        for (role, action) in moves {
            let role = twins.timed.find_role(role).unwrap();
            let action = timeline.find_move(role, action).unwrap();
            timeline.submit(&[(role, action)]).unwrap();
        }
        timeline.advance_to(time("2.499999999")).unwrap();
        assert!(!timeline.is_over());
        timeline.advance_to(time("9")).unwrap();
        assert_eq!((timeline.is_over(), timeline.now()), (true, time("2.5")));
        let roles = (0..twins.timed.roles().len() as u32).map(RoleId);
        roles.map(|role| timeline.goal(role).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(result("tic-tac-toe", &[]), [Some(0), Some(100)]);
    assert_eq!(result("tic-tac-toe", &[("white", "(mark 2 2)")]), [Some(100), Some(0)]);
    assert_eq!(result("race", &[("blue", "(run 2)")]), [Some(0), Some(100)]);
    assert_eq!(result("race", &[]), [Some(0), Some(0)]);
}
