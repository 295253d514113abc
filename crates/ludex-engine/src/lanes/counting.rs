//! Counting and choosing over up to sixteen moves, all lanes at once.
//!
//! Numbers are bit-sliced: one block per binary digit, lowest first. `count_*` add masks up by
//! carry-save adders; `descend_*` walk the same tree of sums down to the move whose number is a
//! lane's rank.

use super::vector::Vector;

#[inline(always)]
fn full<V: Vector>(a: V, b: V, c: V) -> (V, V) {
    (a.xor3(b, c), a.majority(b, c))
}

#[inline(always)]
pub(super) fn half<V: Vector>(a: V, b: V) -> (V, V) {
    (a.xor(b), a.and(b))
}

#[inline(always)]
pub(super) fn count_4<V: Vector>(x: &[V; 16], from: usize) -> [V; 3] {
    let (s, c) = full(x[from], x[from + 1], x[from + 2]);
    let (ones, d) = half(s, x[from + 3]);
    let (twos, fours) = half(c, d);
    [ones, twos, fours]
}

#[inline(always)]
pub(super) fn count_8<V: Vector>(x: &[V; 16], from: usize) -> [V; 4] {
    let (s0, c0) = full(x[from], x[from + 1], x[from + 2]);
    let (s1, c1) = full(x[from + 3], x[from + 4], x[from + 5]);
    let (s2, c2) = full(s0, s1, x[from + 6]);
    let (ones, c3) = half(s2, x[from + 7]);
    let (t, d0) = full(c0, c1, c2);
    let (twos, d1) = half(t, c3);
    let (fours, eights) = half(d0, d1);
    [ones, twos, fours, eights]
}

#[inline(always)]
pub(super) fn count_16<V: Vector>(x: &[V; 16]) -> [V; 5] {
    let (s0, c0) = full(x[0], x[1], x[2]);
    let (s1, c1) = full(x[3], x[4], x[5]);
    let (s2, c2) = full(x[6], x[7], x[8]);
    let (s3, c3) = full(x[9], x[10], x[11]);
    let (s4, c4) = full(x[12], x[13], x[14]);
    let (s5, c5) = full(s0, s1, s2);
    let (s6, c6) = full(s3, s4, x[15]);
    let (ones, c7) = half(s5, s6);
    let (t0, d0) = full(c0, c1, c2);
    let (t1, d1) = full(c3, c4, c5);
    let (t2, d2) = full(c6, c7, t0);
    let (twos, d3) = half(t1, t2);
    let (u, e0) = full(d0, d1, d2);
    let (fours, e1) = half(u, d3);
    let (eights, sixteens) = half(e0, e1);
    [ones, twos, fours, eights, sixteens]
}

/// Receives the lanes that choose a move, by its place in the group.
pub(super) trait Chosen<V> {
    fn put(&mut self, at: usize, lanes: V);
}

/// The difference of two digits, and the borrow.
#[inline(always)]
pub(super) fn subtract<V: Vector>(a: V, b: V, borrow: V) -> (V, V) {
    (a.xor3(b, borrow), a.borrow(b, borrow))
}

/// Among two moves, of which the lanes in `lanes` have one of rank `rank`.
#[inline(always)]
fn descend_2<V: Vector>(x: &[V; 16], from: usize, rank: V, lanes: V, chosen: &mut impl Chosen<V>) {
    let left = lanes.and(x[from]).and_not(rank);
    chosen.put(from, left);
    chosen.put(from + 1, lanes.and_not(left));
}

/// Among four moves.
#[inline(always)]
pub(super) fn descend_4<V: Vector>(
    x: &[V; 16],
    from: usize,
    rank: [V; 2],
    lanes: V,
    chosen: &mut impl Chosen<V>,
) {
    let (c0, c1) = half(x[from], x[from + 1]);
    let (d0, b0) = (rank[0].xor(c0), c0.and_not(rank[0]));
    let left = lanes.and(rank[1].borrow(c1, b0));
    descend_2(x, from, rank[0], left, chosen);
    descend_2(x, from + 2, d0, lanes.and_not(left), chosen);
}

/// Among eight moves.
#[inline(always)]
pub(super) fn descend_8<V: Vector>(
    x: &[V; 16],
    from: usize,
    rank: [V; 3],
    lanes: V,
    chosen: &mut impl Chosen<V>,
) {
    let c = count_4(x, from);
    let (d0, b0) = (rank[0].xor(c[0]), c[0].and_not(rank[0]));
    let (d1, b1) = subtract(rank[1], c[1], b0);
    let left = lanes.and(rank[2].borrow(c[2], b1));
    descend_4(x, from, [rank[0], rank[1]], left, chosen);
    descend_4(x, from + 4, [d0, d1], lanes.and_not(left), chosen);
}

/// Among sixteen moves.
#[inline(always)]
pub(super) fn descend_16<V: Vector>(x: &[V; 16], rank: [V; 4], lanes: V, chosen: &mut impl Chosen<V>) {
    let c = count_8(x, 0);
    let (d0, b0) = (rank[0].xor(c[0]), c[0].and_not(rank[0]));
    let (d1, b1) = subtract(rank[1], c[1], b0);
    let (d2, b2) = subtract(rank[2], c[2], b1);
    let left = lanes.and(rank[3].borrow(c[3], b2));
    descend_8(x, 0, [rank[0], rank[1], rank[2]], left, chosen);
    descend_8(x, 8, [d0, d1, d2], lanes.and_not(left), chosen);
}
