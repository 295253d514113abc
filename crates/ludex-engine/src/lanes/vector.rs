//! Lanes in vector registers, and code compiled once per instruction set.
//!
//! The kernels of the lanes are written once, over [`Vector`]. The compiler does not keep long chains
//! over `[u64; 8]` in vector registers by itself (it splits carry chains into words), so the vectors
//! are spelled out here: this file and no other in the lanes holds `unsafe`. A vector may hold a part
//! of a block only; kernels go over the parts.
#![allow(unsafe_code, reason = "spells vectors out, as the compiler splits them into words")]

use crate::kernel::{Block, InstructionSet};

/// Some words of a block in a register, with the operations that kernels need.
pub(super) trait Vector: Copy {
    /// Words of a block in a vector.
    const WORDS: usize;

    /// All words equal to `word`.
    fn splat(word: u64) -> Self;
    /// Words `WORDS * part` and on.
    fn load<const N: usize>(block: &Block<N>, part: usize) -> Self;
    fn store<const N: usize>(self, block: &mut Block<N>, part: usize);
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `self & !other`.
    fn and_not(self, other: Self) -> Self;
    /// Per word, wrapping.
    fn add(self, other: Self) -> Self;
    /// Per word.
    fn shift_left<const K: i32>(self) -> Self;
    /// Per word; `RIGHT` is 64 minus `LEFT`.
    fn rotate_left<const LEFT: i32, const RIGHT: i32>(self) -> Self;
    fn is_zero(self) -> bool;

    fn zero() -> Self {
        Self::splat(0)
    }

    /// A byte of 0 or 1 for each bit of a word.
    #[inline(always)]
    fn spread(word: u64, bytes: &mut [u8; 64]) {
        for (at, eight) in bytes.chunks_exact_mut(8).enumerate() {
            // The byte eight times over, of which bit `k` is left in byte `k`, and then moved to its lowest bit.
            let bits = (word >> (8 * at) & 0xFF).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
            let ones = (bits + 0x7F7F_7F7F_7F7F_7F7F) >> 7 & 0x0101_0101_0101_0101;
            eight.copy_from_slice(&ones.to_le_bytes());
        }
    }

    /// The sum bit of a full adder.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    /// The carry of a full adder.
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        self.and(b).or(c.and(self.or(b)))
    }

    /// The borrow of a full subtractor: `self - b - c` is negative.
    #[inline(always)]
    fn borrow(self, b: Self, c: Self) -> Self {
        b.and(c).or(b.or(c).and_not(self))
    }

    /// Where `mask` is set `self`, elsewhere `other`.
    #[inline(always)]
    fn select(self, mask: Self, other: Self) -> Self {
        self.and(mask).or(other.and_not(mask))
    }
}

/// A plain word.
#[derive(Clone, Copy)]
pub(crate) struct Word(u64);

impl Vector for Word {
    const WORDS: usize = 1;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        Self(word)
    }

    #[inline(always)]
    fn load<const N: usize>(block: &Block<N>, part: usize) -> Self {
        Self(block.0[part])
    }

    #[inline(always)]
    fn store<const N: usize>(self, block: &mut Block<N>, part: usize) {
        block.0[part] = self.0;
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    #[inline(always)]
    fn shift_left<const K: i32>(self) -> Self {
        Self(self.0 << K)
    }

    #[inline(always)]
    fn rotate_left<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        Self(self.0.rotate_left(LEFT as u32))
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self.0 == 0
    }
}

/// An instruction set that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Detected(InstructionSet);

impl Detected {
    /// The set itself, or what the processor has if that is less.
    pub(super) fn at_most(wanted: InstructionSet) -> Self {
        let found = wanted.min(InstructionSet::detect());
        #[cfg(target_arch = "x86_64")]
        let found = if is_x86_feature_detected!("popcnt") { found } else { InstructionSet::Portable };
        Self(found)
    }
}

/// Code to be compiled for each instruction set. `run` must be `#[inline(always)]`, and so must be
/// what it calls, or it is compiled without the instructions of the set.
pub(super) trait Kernel {
    type Output;
    fn run<V: Vector>(self) -> Self::Output;
}

#[cfg(not(target_arch = "x86_64"))]
mod sets {
    use super::{Detected, Kernel, Word};

    pub(in super::super) fn dispatch<const N: usize, K: Kernel>(_: Detected, kernel: K) -> K::Output {
        kernel.run::<Word>()
    }
}

#[cfg(target_arch = "x86_64")]
mod sets {
    use std::arch::x86_64::*;

    use super::{Block, Detected, InstructionSet, Kernel, Vector, Word};

    /// Runs a kernel over blocks of `N` words with the instructions of `set`.
    #[inline]
    pub(in super::super) fn dispatch<const N: usize, K: Kernel>(set: Detected, kernel: K) -> K::Output {
        match set.0 {
            // SAFETY: detected.
            InstructionSet::Avx512 if N.is_multiple_of(8) => unsafe { run_avx512(kernel) },
            // SAFETY: detected.
            InstructionSet::Avx512 if N.is_multiple_of(4) => unsafe { run_avx512_halves(kernel) },
            // SAFETY: detected.
            InstructionSet::Avx2 if N.is_multiple_of(4) => unsafe { run_avx2(kernel) },
            _ => kernel.run::<Word>(),
        }
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Half>()
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,popcnt")]
    fn run_avx512_halves<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<HalfTernary>()
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,popcnt")]
    fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Full>()
    }

    /// One 256-bit vector, with AVX2.
    #[derive(Clone, Copy)]
    pub(crate) struct Half(__m256i);

    /// One 256-bit vector, with AVX-512.
    #[derive(Clone, Copy)]
    pub(crate) struct HalfTernary(__m256i);

    /// One 512-bit vector, with AVX-512.
    #[derive(Clone, Copy)]
    pub(crate) struct Full(__m512i);

    // A word on safety for all of this file: vectors exist only in kernels, kernels are only run by
    // `dispatch`, and it takes a vector type only where it has detected the set the type belongs to.
    // Loads and stores take a slice of as many words as the vector has; no alignment is asked for.

    macro_rules! operation {
        ($name:ident ( $($argument:ident),* ) = $call:expr) => {
            #[inline(always)]
            fn $name(self $(, $argument: Self)*) -> Self {
                // SAFETY: the instruction set was detected (see above).
                Self(unsafe { $call(self.0 $(, $argument.0)*) })
            }
        };
    }

    macro_rules! common {
        ($words:literal, $splat:ident, $load:ident, $store:ident, $and:ident, $or:ident, $xor:ident,
         $and_not:ident, $add:ident) => {
            #[inline(always)]
            fn splat(word: u64) -> Self {
                // SAFETY: the instruction set was detected (see above).
                Self(unsafe { $splat(word.cast_signed()) })
            }

            const WORDS: usize = $words;

            #[inline(always)]
            fn load<const N: usize>(block: &Block<N>, part: usize) -> Self {
                let words = &block.0[$words * part..][..$words];
                // SAFETY: the instruction set was detected; the slice is as long as the vector.
                Self(unsafe { $load(words.as_ptr().cast()) })
            }

            #[inline(always)]
            fn store<const N: usize>(self, block: &mut Block<N>, part: usize) {
                let words = &mut block.0[$words * part..][..$words];
                // SAFETY: as for `load`.
                unsafe { $store(words.as_mut_ptr().cast(), self.0) }
            }

            operation!(and(other) = $and);
            operation!(or(other) = $or);
            operation!(xor(other) = $xor);
            operation!(add(other) = $add);

            #[inline(always)]
            fn and_not(self, other: Self) -> Self {
                // SAFETY: the instruction set was detected (see above).
                Self(unsafe { $and_not(other.0, self.0) })
            }
        };
    }

    macro_rules! ternary {
        ($ternary:ident) => {
            #[inline(always)]
            fn spread(word: u64, bytes: &mut [u8; 64]) {
                // SAFETY: AVX-512 was detected (see above); there are as many bytes as the vector has.
                unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), _mm512_maskz_set1_epi8(word, 1)) }
            }

            #[inline(always)]
            fn xor3(self, b: Self, c: Self) -> Self {
                // SAFETY: the instruction set was detected (see above).
                Self(unsafe { $ternary::<0x96>(self.0, b.0, c.0) })
            }

            #[inline(always)]
            fn majority(self, b: Self, c: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $ternary::<0xE8>(self.0, b.0, c.0) })
            }

            #[inline(always)]
            fn borrow(self, b: Self, c: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $ternary::<0x8E>(self.0, b.0, c.0) })
            }

            #[inline(always)]
            fn select(self, mask: Self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $ternary::<0xCA>(mask.0, self.0, other.0) })
            }
        };
    }

    macro_rules! of_256_bits {
        () => {
            common!(
                4,
                _mm256_set1_epi64x,
                _mm256_loadu_si256,
                _mm256_storeu_si256,
                _mm256_and_si256,
                _mm256_or_si256,
                _mm256_xor_si256,
                _mm256_andnot_si256,
                _mm256_add_epi64
            );

            #[inline(always)]
            fn shift_left<const K: i32>(self) -> Self {
                // SAFETY: the instruction set was detected (see above).
                Self(unsafe { _mm256_slli_epi64::<K>(self.0) })
            }

            #[inline(always)]
            fn rotate_left<const LEFT: i32, const RIGHT: i32>(self) -> Self {
                // SAFETY: as above.
                Self(unsafe {
                    _mm256_or_si256(_mm256_slli_epi64::<LEFT>(self.0), _mm256_srli_epi64::<RIGHT>(self.0))
                })
            }

            #[inline(always)]
            fn is_zero(self) -> bool {
                // SAFETY: as above.
                unsafe { _mm256_testz_si256(self.0, self.0) == 1 }
            }
        };
    }

    impl Vector for Half {
        of_256_bits!();

        #[inline(always)]
        fn spread(word: u64, bytes: &mut [u8; 64]) {
            let (low, high) = bytes.split_at_mut(32);
            for (half, bytes) in [(word as u32, low), (((word >> 32) as u32), high)] {
                // SAFETY: the instruction set was detected (see above); there are as many bytes as the vector has.
                unsafe {
                    // Each byte of the half eight times over, and of it bit `k` in byte `k`.
                    let places = _mm256_setr_epi64x(
                        0,
                        0x0101_0101_0101_0101,
                        0x0202_0202_0202_0202,
                        0x0303_0303_0303_0303,
                    );
                    let own = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
                    let copies = _mm256_shuffle_epi8(_mm256_set1_epi32(half.cast_signed()), places);
                    let set = _mm256_cmpeq_epi8(_mm256_and_si256(copies, own), own);
                    _mm256_storeu_si256(
                        bytes.as_mut_ptr().cast(),
                        _mm256_and_si256(set, _mm256_set1_epi8(1)),
                    );
                }
            }
        }
    }

    impl Vector for HalfTernary {
        of_256_bits!();
        ternary!(_mm256_ternarylogic_epi64);
    }

    impl Vector for Full {
        common!(
            8,
            _mm512_set1_epi64,
            _mm512_loadu_si512,
            _mm512_storeu_si512,
            _mm512_and_si512,
            _mm512_or_si512,
            _mm512_xor_si512,
            _mm512_andnot_si512,
            _mm512_add_epi64
        );
        ternary!(_mm512_ternarylogic_epi64);

        #[inline(always)]
        fn shift_left<const K: i32>(self) -> Self {
            // SAFETY: the instruction set was detected (see above). The count is a small constant.
            Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(K)) })
        }

        #[inline(always)]
        fn rotate_left<const LEFT: i32, const RIGHT: i32>(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm512_rol_epi64::<LEFT>(self.0) })
        }

        #[inline(always)]
        fn is_zero(self) -> bool {
            // SAFETY: as above.
            unsafe { _mm512_test_epi64_mask(self.0, self.0) == 0 }
        }
    }
}

pub(super) use sets::dispatch;
