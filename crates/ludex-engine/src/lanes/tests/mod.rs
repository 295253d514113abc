//! Tests of the lanes.

mod choosing;
mod reference;
mod uniformity;
