//! Where real games and records lie, and how to read them.
//!
//! The corpus is no part of the project. Tests that use it pass, with one line that says so, where it
//! is missing.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use ludex_game::Trace;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The folder of the corpus: `LUDEX_CORPUS`, or beside the workspace.
#[derive(Clone, Debug)]
pub struct Corpus {
    root: PathBuf,
}

/// A plan that is said to solve a game of one player.
#[derive(Clone, Debug, Deserialize)]
pub struct KnownPlan {
    /// The game; its rulesheet is `gdl/<game>.kif`.
    pub game: String,
    /// The moves from the initial state.
    pub plan: Vec<String>,
    /// What they lead to.
    pub goal: u32,
}

/// A state of a game of several players in which few moves are good.
#[derive(Clone, Debug, Deserialize)]
pub struct PuzzlePosition {
    /// Where it comes from.
    pub case: String,
    /// The game; its rulesheet is `gdl/<game>.kif`.
    pub game: String,
    /// The joint moves that lead to the state.
    pub steps: Vec<Vec<String>>,
    /// What is asked.
    pub check: PositionCheck,
}

/// Which moves are good in a state.
#[derive(Clone, Debug, Deserialize)]
pub struct PositionCheck {
    /// The number of the role that is to move.
    pub player: String,
    /// The good moves with commas between them, or after `!:` the bad ones.
    pub acceptable: String,
}

impl PositionCheck {
    /// Whether a move is good. Blanks and the outer parentheses of moves do not matter.
    pub fn accepts(&self, action: &str) -> bool {
        let (list, forbids) = match self.acceptable.trim().strip_prefix("!:") {
            Some(list) => (list, true),
            None => (self.acceptable.as_str(), false),
        };
        list.split(',').any(|listed| bare_move(listed) == bare_move(action)) != forbids
    }
}

/// A move without parentheses, with one blank between words.
pub fn bare_move(action: &str) -> String {
    let words = action.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Why a file of the corpus cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {cause}")]
pub struct CorpusError {
    /// The file.
    pub path: String,
    /// What is wrong.
    pub cause: String,
}

impl CorpusError {
    /// An error of this file.
    pub fn new(path: &Path, cause: impl std::fmt::Display) -> Self {
        Self { path: path.display().to_string(), cause: cause.to_string() }
    }
}

impl Corpus {
    /// The corpus, if it is there; otherwise says on standard error that `test` is skipped.
    ///
    /// # Panics
    /// Where `CI=true` says that everything is to be tested, and the corpus is not there.
    pub fn find(test: &str) -> Option<Self> {
        let root = std::env::var_os("LUDEX_CORPUS").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
            PathBuf::from,
        );
        if root.join("gdl").is_dir() {
            return Some(Self { root });
        }
        let why = format!("no corpus at {} (set LUDEX_CORPUS)", root.display());
        assert!(std::env::var_os("CI").is_none_or(|value| value != "true"), "CI=true, and {why}");
        eprintln!("skipped {test}: {why}");
        None
    }

    /// A file or folder of the corpus.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The files of a folder whose names end so, sorted by name.
    pub fn files(&self, folder: &str, ending: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path(folder)).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|e| e.path()).collect();
        paths.retain(|p| p.to_string_lossy().ends_with(ending));
        paths.sort();
        paths
    }

    /// All rulesheets in the folders of whole games.
    pub fn rulesheets(&self) -> Vec<PathBuf> {
        [("gdl", ".kif"), ("gdl-ii", ".gdl"), ("matches/ggp-json", ".kif"), ("matches/dresden", ".kif")]
            .iter()
            .flat_map(|(folder, ending)| self.files(folder, ending))
            .collect()
    }

    /// The plans of single-player games.
    ///
    /// # Errors
    /// [`CorpusError`] where the file cannot be read.
    pub fn plans(&self) -> Result<Vec<KnownPlan>, CorpusError> {
        read_lines(&self.path("puzzles/plans.jsonl"))
    }

    /// The states in which few moves are good.
    ///
    /// # Errors
    /// [`CorpusError`] where the file cannot be read.
    pub fn positions(&self) -> Result<Vec<PuzzlePosition>, CorpusError> {
        read_lines(&self.path("puzzles/positions.jsonl"))
    }
}

/// What a file says that has a value in JSON on each line.
pub(crate) fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, CorpusError> {
    let lines = read_text(path)?;
    let value = |line| serde_json::from_str(line).map_err(|e| CorpusError::new(path, e));
    lines.lines().filter(|l| !l.trim().is_empty()).map(value).collect()
}

/// The text of a file; bytes that are not UTF-8 are replaced.
///
/// # Errors
/// [`CorpusError`] where there is no such file.
pub fn read_text(path: &Path) -> Result<String, CorpusError> {
    let bytes = std::fs::read(path).map_err(|e| CorpusError::new(path, e))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a trace, plain or compressed with gzip.
///
/// # Errors
/// [`CorpusError`] where the file cannot be read or is not a trace.
pub fn read_trace(path: &Path) -> Result<Trace, CorpusError> {
    let error = |e: &dyn std::fmt::Display| CorpusError::new(path, e);
    let file = File::open(path).map_err(|e| error(&e))?;
    let reader: Box<dyn BufRead> = if path.extension().is_some_and(|e| e == "gz") {
        Box::new(BufReader::new(GzDecoder::new(file)))
    } else {
        Box::new(BufReader::new(file))
    };
    let lines = reader.lines().collect::<Result<Vec<_>, _>>().map_err(|e| error(&e))?;
    Trace::read(&lines).map_err(|e| error(&e))
}

/// The name of a file without its last ending.
pub fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acceptable_moves_are_written_in_several_ways() {
        let check = |acceptable: &str| PositionCheck { player: "0".into(), acceptable: acceptable.into() };
        let list = check("move 1 4 3 5, move  2 2 4 3");
        assert!(list.accepts("(move 1 4 3 5)") && list.accepts("(move 2 2 4 3)"));
        assert!(!list.accepts("(move 1 4 3 3)") && !list.accepts("noop"));
        let forbidden = check("!:move 4 5 4 4");
        assert!(forbidden.accepts("noop") && !forbidden.accepts("( move 4 5 4 4 )"));
    }
}
