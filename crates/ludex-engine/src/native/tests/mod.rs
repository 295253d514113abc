//! Machine code against plain execution of the same stream.

mod equal;
mod execute;
mod faults;
mod plain;
mod random;
