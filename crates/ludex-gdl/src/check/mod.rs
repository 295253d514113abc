//! What can be wrong with a rulesheet beyond its syntax: one file per check.

pub(crate) mod registry;

pub use registry::{CHECKS, Check};
