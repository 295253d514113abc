//! How far long work is, for whoever watches: `python/ludex/_progress.py` shows it.

use pyo3::prelude::*;

/// A bar, where one is wanted.
pub(crate) struct ProgressBar {
    bar: Option<Py<PyAny>>,
    shown: usize,
}

impl ProgressBar {
    pub(crate) fn new(py: Python<'_>, wanted: bool, what: &str, total: Option<usize>) -> PyResult<Self> {
        let made = || {
            PyResult::Ok(py.import("ludex._progress")?.getattr("Progress")?.call1((what, total))?.unbind())
        };
        Ok(Self { bar: wanted.then(made).transpose()?, shown: 0 })
    }

    /// Says how much is done, of how much.
    pub(crate) fn show(&mut self, py: Python<'_>, done: usize, total: Option<usize>) -> PyResult<()> {
        if let Some(bar) = self.bar.as_ref().filter(|_| done != self.shown) {
            self.shown = done;
            bar.call_method1(py, "show", (done, total))?;
        }
        Ok(())
    }

    /// Nothing more comes.
    pub(crate) fn close(&mut self, py: Python<'_>, done: usize) -> PyResult<()> {
        self.show(py, done, None)?;
        self.bar.take().map_or(Ok(()), |bar| bar.call_method0(py, "close").map(drop))
    }
}
