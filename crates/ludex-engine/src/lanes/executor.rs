//! What runs the phases of a stream.

use std::fmt;
use std::str::FromStr;

use crate::kernel::{Block, InstructionSet, Interpreter, PhaseKind};
use crate::native::{NativeError, NativeStream};
use crate::stream::Stream;

/// How many lanes there are.
///
/// More lanes are faster, also where the slots of 512 lanes are more than the second-level cache
/// holds. The largest games of those measured on an AMD Zen 5 with 1 MiB of it (16 600 slots, 1.06 MB,
/// 70 000 operations) took the same time for a step of 512 lanes as of 256, because operations come
/// from memory, too, and as many of them for few lanes as for many. Blocks aligned to 32 bytes instead
/// of 64, so that 256 lanes take half the memory, changed nothing about that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum LaneWidth {
    /// 64 lanes.
    W64,
    /// 256 lanes.
    W256,
    /// 512 lanes.
    #[default]
    W512,
}

impl LaneWidth {
    /// The number of lanes.
    pub fn lanes(self) -> usize {
        match self {
            Self::W64 => 64,
            Self::W256 => 256,
            Self::W512 => 512,
        }
    }
}

/// What computes lanes. All give the same results; they differ in speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Backend {
    /// Machine code where it can be made and pays, else the interpreter with the largest instruction set.
    #[default]
    Auto,
    /// The interpreter with what every processor has.
    Portable,
    /// The interpreter with 256-bit vectors.
    Avx2,
    /// The interpreter with 512-bit vectors.
    Avx512,
    /// Machine code.
    Native,
}

impl Backend {
    /// All backends with their names.
    pub const NAMES: [(Backend, &'static str); 5] = [
        (Self::Auto, "auto"),
        (Self::Portable, "portable"),
        (Self::Avx2, "avx2"),
        (Self::Avx512, "avx512"),
        (Self::Native, "native"),
    ];

    /// The largest instruction set it may use.
    pub(super) fn set(self) -> InstructionSet {
        match self {
            Self::Portable => InstructionSet::Portable,
            Self::Avx2 => InstructionSet::Avx2,
            Self::Auto | Self::Avx512 | Self::Native => InstructionSet::Avx512,
        }
    }

    /// Whether it asks for machine code.
    pub fn is_native(self) -> bool {
        matches!(self, Self::Auto | Self::Native)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(backend, _)| backend == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

/// Not the name of a [`Backend`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not one of auto, portable, avx2, avx512, native")]
pub struct UnknownBackend(String);

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        let found = Self::NAMES.iter().find(|(_, known)| *known == name);
        found.map(|&(backend, _)| backend).ok_or_else(|| UnknownBackend(name.to_owned()))
    }
}

/// Runs phases by interpreting or by machine code.
#[derive(Debug)]
pub(super) struct Executor {
    interpreter: Interpreter,
    native: Option<NativeStream>,
    set: InstructionSet,
}

impl Executor {
    /// The executor with the reason, if machine code was asked for and refused.
    pub fn new(stream: &Stream, backend: Backend, width: LaneWidth) -> (Self, Option<NativeError>) {
        let set = backend.set().min(InstructionSet::detect());
        let compiled = backend.is_native().then(|| NativeStream::compile(stream, width.lanes(), set));
        let (native, refusal) = match compiled {
            Some(Ok(native)) => (Some(native), None),
            Some(Err(refusal)) => (None, Some(refusal)),
            None => (None, None),
        };
        (Self { interpreter: Interpreter::new(stream), native, set }, refusal)
    }

    /// Whether there is machine code.
    pub fn is_native(&self) -> bool {
        self.native.is_some()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.interpreter.bytes() + self.native.as_ref().map_or(0, NativeStream::code_bytes)
    }

    /// The instruction set of the interpreter.
    pub fn set(&self) -> InstructionSet {
        self.set
    }

    /// Runs a phase. Blocks that the machine code was not made for are interpreted.
    pub fn run<const N: usize>(&self, phase: PhaseKind, slots: &mut [Block<N>]) {
        let ran = self.native.as_ref().is_some_and(|native| native.run(phase, slots).is_ok());
        if !ran {
            self.interpreter.run(self.set, phase, slots);
        }
    }
}
