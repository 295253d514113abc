//! Traces: playouts recorded state by state, to be written, read and verified.

#[cfg(feature = "xml")]
mod dresden;
mod format;
mod playthrough;
mod term_text;
mod verify;

#[cfg(feature = "xml")]
pub use dresden::DresdenError;
pub use format::{ByRole, Trace, TraceError, TraceHeader, TraceStep};
pub use playthrough::{Playthrough, playthrough, record_playouts};
pub use term_text::{TermTextError, find_term, read_term, read_terms};
pub use verify::{Mismatch, Question, VerifyReport, verify, verify_waiting};
