//! Games to play in lanes.

use std::sync::Arc;

use ludex_game::{BatchOptions, Machine, Outcomes, Policy, Start, State};
use ludex_gdl::{GameProgram, LoadOptions, Source, load};

use crate::lanes::{Backend, LaneEngine, LaneOptions, LaneProgram, LaneWidth};
use crate::net_machine::{NetMachine, NetOptions};

pub const TIC_TAC_TOE: &str = include_str!("../../../../../games/gdl/tic-tac-toe.kif");
pub const CONNECT_FOUR: &str = include_str!("../../../../../games/gdl/connect-four.kif");
pub const ROCK_PAPER_SCISSORS: &str = include_str!("../../../../../games/gdl/rock-paper-scissors.kif");

/// A walk that ends in each step with likelihood one third, after which a fair coin has no goal, one
/// goal or two. The bystander gets a goal that tells the parity of the length.
pub const WALK: &str = "
    (role walker) (role bystander)
    (init (at even))
    (<= (legal walker ?m) (move ?m) (not (true (over ?x))) (true (at ?p)))
    (move end) (move stay) (move go)
    (legal bystander noop)
    (<= (next (at odd)) (true (at even)))
    (<= (next (at even)) (true (at odd)))
    (<= (next (over none)) (does walker end))
    (<= terminal (true (over none)))
    (<= (goal walker 100) (true (at even)))
    (<= (goal walker 40) (true (at odd)) (not (true (at even))))
    (<= (goal walker 60) (true (at odd)))
    (<= (goal bystander 10) (true (at odd)))
    (<= (goal bystander 90) (true (at even)))";

/// With likelihood one half a step leads on; from the third state on the second role has no move. The
/// first role may end the game from the start.
pub const STUCK: &str = "
    (role a) (role b)
    (init (at 0))
    (next_of 0 1) (next_of 1 2) (next_of 2 3) (next_of 3 4)
    (<= (legal a on) (true (at ?x)))
    (<= (legal a off) (true (at ?x)))
    (<= (legal b noop) (true (at ?x)) (not (true (at 2))))
    (<= (next (at ?y)) (does a on) (true (at ?x)) (next_of ?x ?y))
    (<= (next (at ?x)) (does a off) (true (at ?x)))
    (<= terminal (true (at 4)))
    (goal a 50) (goal b 50)";

pub fn game(text: &str) -> GameProgram {
    load(Arc::new(Source::new("game", text)), &LoadOptions::default()).game.unwrap()
}

pub struct Lanes {
    pub machine: NetMachine,
    pub program: Arc<LaneProgram>,
}

pub fn machine(text: &str) -> NetMachine {
    NetMachine::new(&game(text), &NetOptions::default()).unwrap()
}

pub fn program(machine: &NetMachine, width: LaneWidth, backend: Backend) -> Arc<LaneProgram> {
    let options = LaneOptions { width: Some(width), backend };
    Arc::new(LaneProgram::of_circuit(machine.circuit(), machine.signature(), options))
}

pub fn lanes(text: &str, width: LaneWidth, backend: Backend) -> Lanes {
    let machine = machine(text);
    let program = program(&machine, width, backend);
    Lanes { machine, program }
}

impl Lanes {
    pub fn engine(&self, records: bool) -> LaneEngine {
        self.program.engine(&BatchOptions { records, ..BatchOptions::default() })
    }

    /// Playouts from the initial state.
    pub fn play(&self, playouts: u32, policy: &Policy, seed: u64, records: bool) -> Outcomes {
        self.play_from(&[(self.machine.initial().clone(), playouts)], policy, seed, records)
    }

    pub fn play_from(&self, from: &[(State, u32)], policy: &Policy, seed: u64, records: bool) -> Outcomes {
        use ludex_game::Batch;
        let starts: Vec<Start> = from
            .iter()
            .map(|(state, playouts)| Start { state: state.clone(), playouts: *playouts })
            .collect();
        let mut out = Outcomes::default();
        self.engine(records).playouts(&starts, policy, seed, &mut out).unwrap();
        out
    }
}
