//! Games as circuits, run: one state at a time (the net machine), or one bit per state
//! and hundreds of states at a time (lanes).

#![deny(unsafe_code)]

mod kernel;
mod lane_machine;
mod lanes;
mod native;
mod net_machine;
mod stream;

pub use kernel::{Block, InstructionSet, Interpreter, PhaseKind};
pub use lane_machine::LaneMachine;
pub use lanes::{
    Backend, LaneEngine, LaneEnvironments, LaneOptions, LanePart, LaneProfile, LaneProgram, LaneWidth,
    UnknownBackend,
};
pub use native::{Fault as CodeFault, NativeError, NativeStream};
pub use net_machine::{NetMachine, NetMachineError, NetOptions, NetSetup, TimedNetMachine};
pub use stream::{Fixpoint, Operation, Operator, Order, Output, Phase, Slot, Step, Stream, StreamStatistics};
