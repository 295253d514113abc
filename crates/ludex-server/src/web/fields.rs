//! The fields of forms in which some come several times.

use std::str::FromStr;

use super::failure::WebFailure;

/// The fields of a form, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(pub(super) Vec<(String, String)>);

impl Fields {
    /// The first field of this name; empty where there is none.
    pub(super) fn text<'a>(&'a self, name: &'a str) -> &'a str {
        self.all(name).next().unwrap_or_default()
    }

    /// All fields of this name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(field, _)| field == name).map(|(_, text)| text.trim())
    }

    /// What a field says; `None` where it is left empty.
    pub(super) fn get<T: FromStr>(&self, name: &str) -> Result<Option<T>, WebFailure> {
        let text = self.text(name);
        if text.is_empty() {
            return Ok(None);
        }
        let failure = || WebFailure::bad(format!("`{text}` cannot stand in the field {name}."));
        text.parse().map(Some).map_err(|_| failure())
    }

    /// A number of seconds, as milliseconds.
    pub(super) fn milliseconds(&self, name: &str) -> Result<Option<u64>, WebFailure> {
        let seconds = self.get::<f64>(name)?;
        if seconds.is_some_and(|seconds| !seconds.is_finite() || seconds < 0.0) {
            return Err(WebFailure::bad(format!("{name} must be a number of seconds.")));
        }
        Ok(seconds.map(super::matches::milliseconds))
    }
}
