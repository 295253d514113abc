//! All tests of the crate from outside, as one program: linking it once is what makes them soon built.

mod driver;
mod hostile;
mod layers;
mod manager;
mod manager_agreements;
mod manager_ladders;
#[cfg(feature = "postgres")]
mod manager_postgres;
mod manager_real_time;
mod manager_resume;
#[cfg(feature = "postgres")]
mod manager_shared;
mod manager_support;
mod manager_tournaments;
mod manager_troubles;
mod network;
mod player;
mod shared_worlds;
mod store;
mod web;
