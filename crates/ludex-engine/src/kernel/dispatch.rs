//! The interpreter compiled once for each instruction set.
#![allow(unsafe_code, reason = "calls functions with target features the processor was asked for")]

use super::block::{Block, InstructionSet, PhaseKind};
use super::interpreter::Interpreter;

/// Runs a phase with the largest set up to `set` that the processor has.
pub(super) fn run<const N: usize>(
    interpreter: &Interpreter,
    set: InstructionSet,
    phase: PhaseKind,
    slots: &mut [Block<N>],
) {
    #[cfg(target_arch = "x86_64")]
    match set.min(InstructionSet::detect()) {
        InstructionSet::Portable => interpreter.run_inline(phase, slots),
        // SAFETY: the processor has at least this set, which includes AVX2.
        InstructionSet::Avx2 => unsafe { with_avx2(interpreter, phase, slots) },
        // SAFETY: the processor has this set, which is the features listed at the function.
        InstructionSet::Avx512 => unsafe { with_avx512(interpreter, phase, slots) },
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = set;
        interpreter.run_inline(phase, slots);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<const N: usize>(interpreter: &Interpreter, phase: PhaseKind, slots: &mut [Block<N>]) {
    interpreter.run_inline(phase, slots);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f,avx512dq,avx512bw,avx512vl")]
fn with_avx512<const N: usize>(interpreter: &Interpreter, phase: PhaseKind, slots: &mut [Block<N>]) {
    interpreter.run_inline(phase, slots);
}
