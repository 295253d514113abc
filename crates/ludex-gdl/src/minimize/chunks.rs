//! Leaving parts out of a list, many at once at first, then fewer.

use std::ops::Range;

/// Goes through a list that `state` keeps, whose length `length` tells, and has `attempt` leave out ranges of it: half
/// of it, quarters, and so on to single parts. `attempt` says whether the range is gone; then what came after it has
/// moved up.
///
/// ```
/// use ludex_gdl::minimize::remove_chunks;
///
/// // The fewest numbers of these whose sum is at least 12.
/// let mut numbers = vec![1, 7, 2, 3, 5, 1];
/// remove_chunks(&mut numbers, Vec::len, |numbers, range| {
///     let rest: Vec<i32> = [&numbers[..range.start], &numbers[range.end..]].concat();
///     let enough = rest.iter().sum::<i32>() >= 12;
///     if enough {
///         *numbers = rest;
///     }
///     Ok::<bool, ()>(enough)
/// })?;
/// assert_eq!(numbers, [7, 5]);
/// # Ok::<(), ()>(())
/// ```
///
/// # Errors
/// The first error of `attempt`.
pub fn remove_chunks<S, E>(
    state: &mut S,
    length: impl Fn(&S) -> usize,
    mut attempt: impl FnMut(&mut S, Range<usize>) -> Result<bool, E>,
) -> Result<(), E> {
    let mut width = length(state).div_ceil(2).max(1);
    loop {
        let mut at: usize = 0;
        loop {
            let end = at.saturating_add(width).min(length(state));
            if at >= end {
                break;
            }
            if !attempt(state, at..end)? {
                at = end;
            }
        }
        if width == 1 {
            return Ok(());
        }
        width = width.div_ceil(2);
    }
}
