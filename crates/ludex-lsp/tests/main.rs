//! Sessions of the language server, as a client sees them.

mod client;
mod everywhere;
mod fuzzed_edits;
mod hostile;
mod protocol;
mod renaming;
mod session;
