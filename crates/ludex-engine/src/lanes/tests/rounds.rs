//! Programs for the turns of a round against the program of the whole game.

use std::sync::Arc;

use ludex_game::{Batch, BatchOptions, Machine, Outcomes, Policy, Rng, Start, State};
use ludex_logic::Budget;
use ludex_propnet::{RoundStart, Rounds};
use ludex_testkit::corpus::Corpus;
use ludex_testkit::program_of;

use super::games::{CONNECT_FOUR, ROCK_PAPER_SCISSORS, STUCK, TIC_TAC_TOE, WALK, machine};
use crate::kernel::{Block, PhaseKind};
use crate::lanes::choose::ChooseUniform;
use crate::lanes::random::LaneRandom;
use crate::lanes::rounds::RoundProgram;
use crate::lanes::specialising::{LaneRounds, Prices};
use crate::lanes::states::{LaneStates, and, without};
use crate::lanes::vector::dispatch;
use crate::lanes::{LaneOptions, LaneProgram, LaneWidth};
use crate::net_machine::{NetMachine, NetOptions};

/// Looks for facts, and makes programs of them, whenever it can.
const SOON: Prices = Prices { patience: 1, make: 0 };
const NEVER: Prices = Prices { patience: u64::MAX, make: 0 };

/// Small games, and these of the corpus where it is there.
fn games(of_corpus: &[&str]) -> Vec<NetMachine> {
    let mut games: Vec<NetMachine> =
        [TIC_TAC_TOE, CONNECT_FOUR, ROCK_PAPER_SCISSORS, STUCK, WALK].map(machine).into();
    if let Some(corpus) = Corpus::find("rounds of lanes") {
        for name in of_corpus {
            let game = program_of(&corpus.path(&format!("gdl/{name}.kif"))).unwrap();
            games.push(NetMachine::new(&game, &NetOptions::default()).unwrap());
        }
    }
    games
}

fn program(machine: &NetMachine) -> LaneProgram {
    let options = LaneOptions { width: Some(LaneWidth::W64), ..LaneOptions::default() };
    LaneProgram::of_circuit(machine.lane_circuit(), machine.signature(), options)
}

/// States of random games after a few steps.
fn states(machine: &NetMachine, count: u32, rng: &mut Rng) -> Vec<State> {
    let mut runner = machine.runner(&Budget::unlimited());
    let states = (0..count).map(|_| {
        let mut state = State::default();
        runner.set(machine.initial()).unwrap();
        let steps = rng.below(12) as u32;
        runner.playout(rng, steps).ok();
        runner.save(&mut state);
        state
    });
    states.collect()
}

/// Plays in all lanes from one state, with both programs.
fn assert_turns_agree(program: &Arc<LaneProgram>, round: &Arc<RoundProgram>, start: &[u64], seed: u64) {
    let [mut whole, mut parts] = [0; 2].map(|_| LaneStates::<1>::new(program));
    parts.begin_round(round);
    whole.load_same(program, Block::ONES, start);
    parts.load_same(program, Block::ONES, start);
    let mut turn = round.turn_of(start).unwrap();
    let mut random = LaneRandom::from_seed(seed);
    let mut active = Block::ONES;
    for _ in 0..40 {
        let part = &round.turns[turn];
        whole.run(program, PhaseKind::Decide);
        parts.run(part, PhaseKind::Decide);
        let legal = program.stream.legal.iter().flatten().zip(part.stream.legal.iter().flatten());
        for (one, other) in legal.clone().chain([(&program.stream.terminal, &part.stream.terminal)]) {
            assert_eq!(and(active, whole.output(*one)), and(active, parts.output(*other)));
        }
        whole.run(program, PhaseKind::Assess);
        // What was decided is still there afterwards.
        parts.run(&round.goals, PhaseKind::Assess);
        for (one, other) in legal {
            assert_eq!(and(active, whole.output(*one)), and(active, parts.output(*other)));
        }
        for (one, other) in program.stream.goals.iter().zip(&round.goals.stream.goals) {
            for (one, other) in one.iter().zip(other) {
                assert_eq!(one.0, other.0);
                assert_eq!(and(active, whole.output(one.1)), and(active, parts.output(other.1)));
            }
        }
        active = without(active, whole.output(program.stream.terminal));
        let kernel = ChooseUniform {
            roles: &program.roles,
            first: 0,
            slots: &mut whole.slots,
            active: &mut active,
            random: &mut random,
            scratch: &mut whole.choice,
            stuck: &mut Vec::new(),
        };
        dispatch::<1, _>(program.set, kernel);
        let inputs = program.stream.inputs.iter().flatten().zip(part.stream.inputs.iter().flatten());
        for (from, to) in inputs {
            if let (Some(from), Some(to)) = (from, to) {
                parts.slots[to.0 as usize] = whole.slots[from.0 as usize];
            }
        }
        whole.run(program, PhaseKind::Advance);
        parts.run(part, PhaseKind::Advance);
        for slot in &program.stream.bases {
            let slot = slot.0 as usize;
            assert_eq!(and(active, whole.slots[slot]), and(active, parts.slots[slot]));
        }
        turn = (turn + 1) % round.turns.len();
    }
}

#[test]
fn every_turn_equals_the_whole_program() {
    let mut rng = Rng::from_seed(2);
    for machine in games(&["breakthroughSmall", "ttcc4_2player_small", "nim1", "skirmishNew", "chess_200"]) {
        let program = Arc::new(program(&machine));
        let circuit = machine.lane_circuit();
        let turns = LaneRounds::new(&program, circuit).unwrap().turns();
        let mut meter = Budget::unlimited().meter();
        let rounds = Rounds::new(circuit);
        let initial = RoundStart { turn: 0, words: machine.initial().words() };
        let always = rounds.facts(circuit, turns, &[initial], &mut meter).unwrap();
        let always = Arc::new(RoundProgram::new(&program, circuit, &always, &mut meter).unwrap());
        assert_turns_agree(&program, &always, machine.initial().words(), 1);
        for state in states(&machine, 5, &mut rng) {
            let start = RoundStart { turn: always.turn_of(state.words()).unwrap(), words: state.words() };
            let facts = rounds.facts(circuit, turns, &[start], &mut meter).unwrap();
            let made = Arc::new(RoundProgram::new(&program, circuit, &facts, &mut meter).unwrap());
            assert_turns_agree(&program, &made, state.words(), rng.below(u64::MAX));
        }
    }
}

#[test]
fn specialising_changes_nothing() {
    let mut rng = Rng::from_seed(3);
    for machine in games(&["breakthroughSmall", "ttcc4_2player_small", "nim1", "pawnWhopping", "chomp"]) {
        let [soon, never] = [SOON, NEVER].map(|prices| Arc::new(program(&machine).with_prices(prices)));
        let options = BatchOptions { records: true, ..BatchOptions::default() };
        let (mut soon, mut never) = (soon.engine(&options), never.engine(&options));
        for seed in 0..6 {
            let from: Vec<Start> = states(&machine, 1 + seed as u32 % 3, &mut rng)
                .into_iter()
                .map(|state| Start { state, playouts: 700 })
                .collect();
            let policy = Policy { notes_moves: seed % 2 == 0, ..Policy::uniform(60) };
            let [mut one, mut other] = [0; 2].map(|_| Outcomes::default());
            soon.playouts(&from, &policy, seed, &mut one).unwrap();
            never.playouts(&from, &policy, seed, &mut other).unwrap();
            assert_eq!(one, other);
        }
    }
}

#[test]
fn rounds_are_found_where_players_take_turns() {
    for (text, expected) in [(TIC_TAC_TOE, 2), (CONNECT_FOUR, 2), (ROCK_PAPER_SCISSORS, 1)] {
        let machine = machine(text);
        let program = program(&machine);
        assert_eq!(program.rounds().unwrap().turns(), expected);
    }
}
