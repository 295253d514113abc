//! Kernels over what is legal.

use super::super::role_moves::RoleMoves;
use super::super::vector::{Kernel, Vector};
use super::plan::{FactGate, RoleAction, SeatPlan};
use crate::kernel::Block;
use crate::stream::Output;

#[inline(always)]
fn load<V: Vector, const N: usize>(slots: &[Block<N>], output: Output, part: usize) -> V {
    let flip = V::splat(0u64.wrapping_sub(u64::from(output.complemented)));
    V::load(&slots[output.slot.0 as usize], part).xor(flip)
}

/// Per role, in which lanes it has a legal move, and in which it has several.
pub(super) struct CountLegal<'a, const N: usize> {
    pub roles: &'a [RoleMoves],
    pub slots: &'a [Block<N>],
    pub some: &'a mut [Block<N>],
    pub several: &'a mut [Block<N>],
}

impl<const N: usize> Kernel for CountLegal<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for (at, role) in self.roles.iter().enumerate() {
            for part in 0..N / V::WORDS {
                let (mut some, mut several) = (V::zero(), V::zero());
                for group in &role.groups {
                    for (place, &slot) in group.legal.iter().enumerate().take(group.length) {
                        let flip = V::splat(0u64.wrapping_sub(u64::from(group.complemented >> place & 1)));
                        let legal = V::load(&self.slots[slot as usize], part).xor(flip);
                        several = several.or(some.and(legal));
                        some = some.or(legal);
                    }
                }
                some.store(&mut self.some[at], part);
                several.store(&mut self.several[at], part);
            }
        }
    }
}

/// Any of these.
pub(super) struct AnyOf<'a, const N: usize> {
    pub outputs: &'a [Output],
    pub slots: &'a [Block<N>],
}

impl<const N: usize> Kernel for AnyOf<'_, N> {
    type Output = Block<N>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Block<N> {
        let mut result = Block::ZERO;
        for part in 0..N / V::WORDS {
            let mut any = V::zero();
            for &output in self.outputs {
                any = any.or(load(self.slots, output, part));
            }
            any.store(&mut result, part);
        }
        result
    }
}

/// What is legal for whoever is in turn: a slot for each action, from `first` on.
pub(super) struct MaskOfMovers<'a, const N: usize> {
    pub seats: &'a [SeatPlan],
    /// Per seat, the lanes in which it is in turn.
    pub movers: &'a [Block<N>],
    pub slots: &'a mut [Block<N>],
    pub first: u32,
    pub actions: usize,
}

impl<const N: usize> Kernel for MaskOfMovers<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for action in 0..self.actions {
            for part in 0..N / V::WORDS {
                let mut legal = V::zero();
                for (seat, movers) in self.seats.iter().zip(self.movers) {
                    if let Some(RoleAction { legal: output, .. }) = seat.actions[action] {
                        legal = legal.or(load::<V, N>(self.slots, output, part).and(V::load(movers, part)));
                    }
                }
                legal.store(&mut self.slots[self.first as usize + action], part);
            }
        }
    }
}

/// Whoever is not in turn makes its only legal move in these lanes; whoever is makes none.
pub(super) struct MoveOthers<'a, const N: usize> {
    pub seats: &'a [SeatPlan],
    pub movers: &'a [Block<N>],
    pub lanes: Block<N>,
    pub slots: &'a mut [Block<N>],
}

impl<const N: usize> Kernel for MoveOthers<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for (seat, movers) in self.seats.iter().zip(self.movers) {
            for part in 0..N / V::WORDS {
                let others = V::load(&self.lanes, part).and_not(V::load(movers, part));
                for &(legal, input) in &seat.inputs {
                    let made = load::<V, N>(self.slots, legal, part).and(others);
                    made.store(&mut self.slots[input as usize], part);
                }
            }
        }
    }
}

/// Computes the facts that are no stored bases.
pub(super) struct ComputeFacts<'a, const N: usize> {
    pub gates: &'a [FactGate],
    pub slots: &'a mut [Block<N>],
}

impl<const N: usize> Kernel for ComputeFacts<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for gate in self.gates {
            for part in 0..N / V::WORDS {
                let mut all = V::splat(u64::MAX);
                for &operand in &gate.operands {
                    all = all.and(load(self.slots, operand, part));
                }
                all.store(&mut self.slots[gate.slot as usize], part);
            }
        }
    }
}
