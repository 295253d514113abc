//! Tests of the lanes.

mod choosing;
mod expanding;
mod games;
mod playing;
mod reference;
mod rounds;
mod threads;
mod uniformity;
