//! One bit of every lane, side by side.

/// One bit of each of `64 * N` lanes: lane `l` is bit `l % 64` of word `l / 64`.
///
/// It begins at a line of the cache, so that 512-bit loads never touch two. Blocks of fewer lanes would
/// do with less; that they take as much room makes no measurable difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, align(64))]
pub struct Block<const N: usize>(pub [u64; N]);

impl<const N: usize> Block<N> {
    /// No lane.
    pub const ZERO: Self = Self([0; N]);
    /// Every lane.
    pub const ONES: Self = Self([u64::MAX; N]);
    /// The number of lanes.
    pub const LANES: usize = 64 * N;
}

impl<const N: usize> Default for Block<N> {
    fn default() -> Self {
        Self::ZERO
    }
}

/// What the processor offers. Code for a set runs only where [`InstructionSet::detect`] found it or a
/// larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstructionSet {
    /// What every processor of the architecture has.
    Portable,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors (AVX-512 F, DQ, BW and VL).
    Avx512,
}

impl InstructionSet {
    /// The largest set this processor has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if ["avx512f", "avx512dq", "avx512bw", "avx512vl"].iter().all(|f| has(f)) {
                return Self::Avx512;
            }
            if has("avx2") {
                return Self::Avx2;
            }
        }
        Self::Portable
    }
}

#[cfg(target_arch = "x86_64")]
fn has(feature: &str) -> bool {
    match feature {
        "avx2" => is_x86_feature_detected!("avx2"),
        "avx512f" => is_x86_feature_detected!("avx512f"),
        "avx512dq" => is_x86_feature_detected!("avx512dq"),
        "avx512bw" => is_x86_feature_detected!("avx512bw"),
        "avx512vl" => is_x86_feature_detected!("avx512vl"),
        _ => false,
    }
}

/// A phase of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhaseKind {
    /// Legal moves and termination.
    Decide,
    /// The next state and the percepts.
    Advance,
    /// The goals.
    Assess,
}
