//! Where unit tests find the corpus, and tests of the whole crate.

mod fixes;

use std::path::{Path, PathBuf};

/// The folder of the corpus, which is not part of the repository: `LUDEX_CORPUS`, or beside the workspace. Where it is
/// missing, that is said, and fails where `CI=true` says that everything is to be tested.
pub(crate) fn corpus() -> Option<PathBuf> {
    let path = std::env::var_os("LUDEX_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"), PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    let why = format!("no corpus at {} (set LUDEX_CORPUS)", path.display());
    assert!(std::env::var_os("CI").is_none_or(|value| value != "true"), "CI=true, and {why}");
    eprintln!("skipped: {why}");
    None
}
