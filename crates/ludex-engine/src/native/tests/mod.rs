//! Machine code against plain execution of the same stream.

mod equal;

mod plain;
mod random;
