//! Games as circuits, run: one state at a time (the net machine), or one bit per state
//! and hundreds of states at a time (lanes).

mod kernel;
mod lanes;
mod native;
mod net_machine;
mod stream;

pub use kernel::{Block, InstructionSet, Interpreter, PhaseKind};
pub use lanes::{Backend, LaneEngine, LaneOptions, LaneProgram, LaneWidth, UnknownBackend};
pub use native::{Fault, NativeError, NativeStream};
pub use net_machine::{NetMachine, NetMachineError, NetOptions, NetSetup};
pub use stream::{Fixpoint, Operation, Operator, Order, Output, Phase, Slot, Step, Stream, StreamStatistics};
