//! Trained evaluations from files.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use ludex::players::TrainedEvaluation;

use crate::rulesheet::reason;

/// Longer files are none that `ludex train` writes.
const MOST_BYTES: u64 = 1 << 30;
/// What files with trained evaluations are called in a folder.
pub const EXTENSION: &str = "json";

/// What is known of files that were read before: players are made for every match, and files seldom change.
type Known = HashMap<PathBuf, (Option<SystemTime>, u64, Arc<TrainedEvaluation>)>;

/// The trained evaluations in a file, or in all `.json` files of a folder, in the order of their names. Files of a folder
/// that are something else are left out.
///
/// # Errors
/// In a sentence: there is no such file or folder, it cannot be read, or there is no trained evaluation in it.
pub fn find_trained(path: &str) -> Result<Vec<Arc<TrainedEvaluation>>, String> {
    let cannot = |error: &std::io::Error| format!("cannot read `{path}`: {}", reason(error));
    if !Path::new(path).is_dir() {
        return read(Path::new(path)).map(|trained| vec![trained]);
    }
    let entries = fs::read_dir(path).map_err(|error| cannot(&error))?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|found| found == EXTENSION)).collect();
    files.sort();
    let found: Vec<_> = files.iter().filter_map(|file| read(file).ok()).collect();
    if found.is_empty() {
        return Err(format!(
            "there is no trained evaluation in the folder `{path}`: `ludex train` makes one"
        ));
    }
    Ok(found)
}

fn read(file: &Path) -> Result<Arc<TrainedEvaluation>, String> {
    static KNOWN: OnceLock<Mutex<Known>> = OnceLock::new();
    let shown = file.display();
    let cannot = |error: &std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file `{shown}`"),
        _ => format!("cannot read `{shown}`: {}", reason(error)),
    };
    let about = fs::metadata(file).map_err(|error| cannot(&error))?;
    if !about.is_file() || about.len() > MOST_BYTES {
        return Err(format!("`{shown}` is no file that `ludex train` wrote"));
    }
    let stamp = (about.modified().ok(), about.len());
    let known = KNOWN.get_or_init(Mutex::default);
    if let Some((changed, length, trained)) = known.lock().unwrap_or_else(PoisonError::into_inner).get(file)
        && (*changed, *length) == stamp
    {
        return Ok(Arc::clone(trained));
    }
    let text = fs::read_to_string(file).map_err(|error| cannot(&error))?;
    let trained: TrainedEvaluation =
        serde_json::from_str(&text).map_err(|error| format!("`{shown}`: {error}"))?;
    let trained = Arc::new(trained);
    let entry = (stamp.0, stamp.1, Arc::clone(&trained));
    known.lock().unwrap_or_else(PoisonError::into_inner).insert(file.to_owned(), entry);
    Ok(trained)
}
