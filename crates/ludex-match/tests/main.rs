//! All tests of the crate from outside, as one program: linking it once is what makes them soon built.

mod blind;
mod bundled;
mod courses;
mod cut_records;
mod harness;
mod ladders;
mod messages;
mod ratings;
mod real_time;
mod records;
mod referee;
mod referee_agreements;
mod referee_options;
mod referee_resume;
mod service;
mod simulation;
mod tournament_entries;
mod tournaments;
mod tournaments_random;
mod tournaments_support;
mod views;
