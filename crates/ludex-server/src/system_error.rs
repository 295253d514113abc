//! What the system says, in words for users.

use std::io;

/// What the system says, without its error number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string().to_lowercase();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
