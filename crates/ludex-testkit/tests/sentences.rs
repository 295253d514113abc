//! Complete descriptions in sentences (IGDL) beside the rules that they were made of: what the sentences entail of every state
//! of random games is what the rules say.

use std::collections::BTreeSet;
use std::sync::Arc;

use ludex_game::incomplete::{Course, IncompleteGame};
use ludex_game::{Machine, Rng, State};
use ludex_gdl::{Checked, LoadOptions, Notation, Source, load, to_igdl};
use ludex_logic::relational::{Answer, GroundingOptions};
use ludex_logic::{Budget, TermId};
use ludex_testkit::generate::{Knobs, generate};
use ludex_testkit::{check_text, rounds, rule_machine, seeds};

/// Longer games are left.
const STEPS: usize = 40;

/// Sentences ready to be asked, within a limit: some rules have too many instances.
fn game(checked: &Checked) -> Option<IncompleteGame> {
    let budget = Budget::unlimited().with_work(20_000_000);
    let options = GroundingOptions { each_alone: false, budget };
    IncompleteGame::new(Arc::clone(checked.sentences.as_ref()?), &[], &options).ok()
}

/// The sentences of some rules, if they can be written as such and leave nothing open.
fn completed(checked: &Checked) -> Option<Checked> {
    let completion = to_igdl(&checked.rulesheet, &[]).ok()?;
    let is_whole = completion.recursive.is_empty();
    is_whole.then(|| load(completion.rulesheet.source, &LoadOptions::default()))
}

/// A state of both.
struct Pair<'a> {
    game: &'a IncompleteGame,
    machine: &'a dyn Machine,
    course: Course<'a>,
    state: State,
}

impl Pair<'_> {
    fn own_text(&self, term: TermId) -> String {
        self.machine.signature().terms().infix(term)
    }

    fn text(&self, term: TermId) -> String {
        self.game.sentences().theory.terms.infix(term)
    }

    /// Plays a game at random: how many states were compared.
    fn play(mut self, rng: &mut Rng) -> usize {
        let mut runner = self.machine.runner(&Budget::unlimited());
        loop {
            self.compare();
            runner.set(&self.state).unwrap();
            if runner.terminal().unwrap() || self.course.now() + 1 == STEPS {
                return self.course.now() + 1;
            }
            let mut joint = Vec::new();
            for role in self.machine.signature().role_ids() {
                let legal = runner.legal(role).unwrap().to_vec();
                let chosen = *rng.pick(&legal).unwrap();
                let text = self.own_text(self.machine.signature().action(chosen));
                let moves = self.game.moves(role.index());
                let number = moves.iter().position(|&known| self.text(known) == text).unwrap();
                self.course.does(role.index(), number).unwrap();
                joint.push(chosen);
            }
            self.course.advance().unwrap();
            runner.step(&joint).unwrap();
            runner.save(&mut self.state);
        }
    }

    /// Compares what is entailed with what holds: all of the state, the end, the goals, the moves.
    fn compare(&mut self) {
        let (game, machine, now) = (self.game, self.machine, self.course.now());
        let mut facts = Vec::new();
        machine.facts(&self.state, &mut facts);
        let expected: BTreeSet<String> = facts.iter().map(|&fact| self.own_text(fact)).collect();
        let mut states = Vec::new();
        assert!(self.course.states(now, 2, |facts| states.push(facts)).unwrap());
        let states: Vec<BTreeSet<String>> =
            states.iter().map(|facts| facts.iter().map(|&fact| self.text(fact)).collect()).collect();
        assert_eq!(states, [expected]);
        let mut runner = machine.runner(&Budget::unlimited());
        runner.set(&self.state).unwrap();
        let is_over = runner.terminal().unwrap();
        let step = game.step(now).unwrap();
        assert_eq!(self.course.ask(now, step.terminal).unwrap().value(), Some(is_over));
        for role in machine.signature().role_ids() {
            let goal = runner.goal(role).unwrap();
            for (&value, &edge) in game.goals(role.index()).iter().zip(&step.goal[role.index()]) {
                let holds = goal.is_some_and(|goal| self.text(value) == goal.to_string());
                assert_eq!(self.course.ask(now, edge).unwrap().value(), Some(holds));
            }
            if is_over {
                continue;
            }
            let mut legal = BTreeSet::new();
            for (&action, &edge) in game.moves(role.index()).iter().zip(&step.legal[role.index()]) {
                match self.course.ask(now, edge).unwrap() {
                    Answer::Entailed => legal.extend([self.text(action)]),
                    answer => assert_eq!(answer, Answer::Refuted),
                }
            }
            let expected = runner.legal(role).unwrap();
            let expected: BTreeSet<String> =
                expected.iter().map(|&action| self.own_text(machine.signature().action(action))).collect();
            assert_eq!(legal, expected);
        }
    }
}

/// Plays so many games: how many states were compared.
fn compare(game: &IncompleteGame, machine: &dyn Machine, games: std::ops::Range<u64>) -> usize {
    let play = |seed| {
        let course = Course::new(game, &Budget::unlimited()).unwrap();
        Pair { game, machine, course, state: machine.initial().clone() }.play(&mut Rng::from_seed(seed))
    };
    games.map(play).sum()
}

#[test]
fn sentences_say_of_every_state_what_rules_say() {
    let mut states = 0;
    for file in [
        "gdl/tic-tac-toe.gdl",
        "gdl/nim.kif",
        "gdl/chomp.kif",
        "gdl/buttons-and-lights.kif",
        "gdl/best-buttons-and-lights.gdl",
        "gdl/race.kif",
        "gdl/untwisty-corridor.gdl",
        "gdl/problem-2-1.gdl",
        "gdl/rock-paper-scissors.kif",
        "gdl/prisoners-dilemma.kif",
        "gdl/three-player-tic-tac-toe.kif",
    ] {
        let path = format!("{}/../../games/{file}", env!("CARGO_MANIFEST_DIR"));
        let source = Source::new(file, std::fs::read_to_string(path).unwrap());
        let rules = load(Arc::new(source), &LoadOptions::default());
        let sentences = completed(&rules).unwrap_or_else(|| panic!("{file}"));
        let machine = rule_machine(rules.game.as_ref().unwrap()).unwrap();
        states += compare(&game(&sentences).unwrap(), &*machine, seeds(100));
    }
    println!("{states} states of bundled games");
    assert!(states as u64 > rounds(10_000), "{states}");
}

#[test]
fn sentences_say_of_random_games_what_their_rules_say() {
    let (mut states, mut games) = (0, 0);
    for seed in seeds(120) {
        let rules = generate(seed, &Knobs::from_seed(seed)).to_string();
        let checked = check_text("random game", &rules, Some(Notation::Prefix));
        // Chance is no role of sentences, and what it does would have to be told.
        let Some(program) = checked.game.as_ref().filter(|game| !game.dialect.has_percepts()) else {
            continue;
        };
        let Some(sentences) = completed(&checked) else { continue };
        let Some(game) = game(&sentences) else { continue };
        let machine = rule_machine(program).unwrap();
        states += compare(&game, &*machine, 0..20);
        games += 1;
    }
    println!("{states} states of {games} random games");
    assert!(states as u64 > rounds(2_000), "{states}");
}
