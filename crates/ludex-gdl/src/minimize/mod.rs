//! The smallest rulesheet that still shows something: delta debugging along the syntax tree.
//!
//! Clauses are left out first, half of them at once, then fewer; then literals, alternatives and parts of
//! conjunctions. Formulas give way to their parts, arguments go wherever the name occurs, terms give way to their
//! arguments, constants are merged, and variables become other variables or constants. This is done again until
//! nothing more can be done: each rulesheet that is one such step smaller no longer shows it. What cannot be read as
//! clauses is made smaller as a text, by lines and characters.

mod chunks;
mod size;
mod steps;
#[cfg(test)]
mod tests;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use ludex_logic::{Budget, LimitError, Meter};
use rustc_hash::FxHashSet;

pub use chunks::remove_chunks;
pub use size::Size;

use crate::edit::Edit;
use crate::print::fmt;
use crate::tree::{NameId, Rulesheet};

/// What minimising may cost.
#[derive(Clone, Debug)]
pub struct MinimizeLimits {
    /// How many rulesheets are tried.
    pub tries: u64,
    /// Time; asked before each try. What a try costs is for the caller to limit.
    pub budget: Budget,
    /// Whether names are made shorter at the end, where that changes nothing.
    pub rename: bool,
}

impl Default for MinimizeLimits {
    fn default() -> Self {
        Self { tries: 100_000, budget: Budget::unlimited(), rename: false }
    }
}

/// Why it was not made smaller still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No step that makes it smaller is left.
    Minimal,
    /// So many rulesheets were to be tried and no more.
    Tries,
    /// A limit of the budget.
    Limit(LimitError),
}

/// A small rulesheet that shows what the first one did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimized {
    /// Its text, in the notation of the first one, without comments.
    pub text: String,
    /// The size of the first rulesheet.
    pub before: Size,
    /// Its own size.
    pub after: Size,
    /// How many rulesheets were tried.
    pub tries: u64,
    /// Why it is no smaller.
    pub ended: Ended,
}

/// The rulesheet does not show what smaller ones were to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not there to begin with")]
pub struct NotThere;

/// Finds a small rulesheet for which `shows` is true, as it is for this one. The answer of `shows` is to depend on the
/// text alone; then so does the result.
///
/// ```
/// use std::sync::Arc;
/// use ludex_gdl::minimize::{Ended, MinimizeLimits, minimize};
/// use ludex_gdl::{Code, LoadOptions, Source, load, parse};
///
/// let text = "(role a) (init (p 1)) (<= (legal a ?x) (true (p ?y)) (r ?x ?y)) (r 1 2) (r 2 3)
///     (<= (next (p ?z)) (does a ?x) (not (r ?x ?x))) (goal a 100) (<= terminal (true (p 3)))";
/// let (rulesheet, _) = parse(Arc::new(Source::new("a.kif", text)), None);
/// // A variable that nothing binds.
/// let mut shows = |text: &str| {
///     let checked = load(Arc::new(Source::new("a.kif", text)), &LoadOptions::default());
///     checked.diagnostics.iter().any(|found| found.code == Code(30))
/// };
/// let small = minimize(&rulesheet, &mut shows, &MinimizeLimits::default())?;
/// assert_eq!((small.after.clauses, small.ended), (1, Ended::Minimal));
/// # Ok::<(), ludex_gdl::minimize::NotThere>(())
/// ```
///
/// # Errors
/// `shows` is false of the rulesheet itself.
pub fn minimize(
    rulesheet: &Rulesheet,
    shows: &mut dyn FnMut(&str) -> bool,
    limits: &MinimizeLimits,
) -> Result<Minimized, NotThere> {
    let best = rulesheet.edited(&Edit::default());
    let text = fmt(&best);
    let written = rulesheet.source.text();
    let size = Size::of(&best);
    let mut search = Search {
        best,
        size,
        text,
        shows,
        limits,
        meter: limits.budget.meter(),
        tries: 0,
        refused: FxHashSet::default(),
        first: size,
    };
    let result = |ended: Result<(), Ended>, search: Search<'_>| Minimized {
        text: search.text,
        before: search.first,
        after: search.size,
        tries: search.tries,
        ended: ended.err().unwrap_or(Ended::Minimal),
    };
    let text = search.text.clone();
    if (search.shows)(&text) {
        let ended = search.shrink();
        return Ok(result(ended, search));
    }
    if !(search.shows)(written) {
        return Err(NotThere);
    }
    written.clone_into(&mut search.text);
    let symbols = written.chars().count();
    search.size = Size { clauses: search.size.clauses, symbols, names: search.size.names };
    search.first = search.size;
    let ended = search.shrink_text();
    Ok(result(ended, search))
}

/// Names of one kind with shorter ones.
type ShortNames = fn(&Rulesheet) -> Vec<(NameId, Box<str>)>;
/// What gives them.
type RenamingEdit = fn(Vec<(NameId, Box<str>)>) -> Edit;

struct Search<'a> {
    best: Rulesheet,
    size: Size,
    /// The best one as text.
    text: String,
    shows: &'a mut dyn FnMut(&str) -> bool,
    limits: &'a MinimizeLimits,
    meter: Meter,
    tries: u64,
    /// Texts, hashed, that did not show it.
    refused: FxHashSet<u64>,
    first: Size,
}

impl Search<'_> {
    /// Makes all steps until none is left.
    fn shrink(&mut self) -> Result<(), Ended> {
        loop {
            let before = self.size;
            self.remove_clauses()?;
            remove_chunks(
                self,
                |search| steps::droppable(&search.best).len(),
                |search, range| {
                    let nodes =
                        steps::droppable(&search.best).into_iter().skip(range.start).take(range.len());
                    search.attempt(&Edit::without_nodes(nodes))
                },
            )?;
            self.remove_clauses()?;
            for list in [steps::parts_of_formulas, steps::arguments, steps::functions, steps::terms] {
                self.attempt_each(list)?;
            }
            self.merge_constants()?;
            self.attempt_each(steps::variables)?;
            if self.size == before {
                break;
            }
        }
        if self.limits.rename {
            self.rename()?;
        }
        Ok(())
    }

    fn remove_clauses(&mut self) -> Result<(), Ended> {
        remove_chunks(
            self,
            |search| search.best.items.len(),
            |search, range| search.attempt(&Edit::without_clauses(range)),
        )
    }

    /// Tries each step of a list, which is made anew once one is made.
    fn attempt_each(&mut self, list: fn(&Rulesheet) -> Vec<Edit>) -> Result<(), Ended> {
        let mut at = 0;
        let mut edits = list(&self.best);
        while let Some(edit) = edits.get(at) {
            if self.attempt(edit)? {
                edits = list(&self.best);
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// Lets one constant stand for others: for many at once, then for single ones.
    fn merge_constants(&mut self) -> Result<(), Ended> {
        let others = |search: &Self| steps::constants(&search.best).len().saturating_sub(1);
        remove_chunks(self, others, |search, range| {
            let constants = steps::constants(&search.best);
            let merged: Vec<_> = constants.iter().skip(range.start + 1).take(range.len()).copied().collect();
            let Some(first) = constants.first() else { return Ok(false) };
            let name: Box<str> = search.best.tree.name(*first).into();
            search.attempt(&Edit::renamed(merged.into_iter().map(|other| (other, name.clone()))))
        })?;
        let mut at = 1;
        loop {
            let constants = steps::constants(&self.best);
            let Some(&merged) = constants.get(at) else { return Ok(()) };
            let mut is_merged = false;
            for &other in &constants[..at] {
                let name: Box<str> = self.best.tree.name(other).into();
                is_merged = self.attempt(&Edit::renamed([(merged, name)]))?;
                if is_merged {
                    break;
                }
            }
            at += usize::from(!is_merged);
        }
    }

    /// Gives all names shorter ones, or as many as can have them.
    fn rename(&mut self) -> Result<(), Ended> {
        let kinds: [(ShortNames, RenamingEdit); 2] = [
            (steps::short_names, |names| Edit::renamed(names)),
            (steps::short_variables, |names| Edit::variables_renamed(names)),
        ];
        for (names, edit) in kinds {
            if self.replace(&edit(names(&self.best)))? {
                continue;
            }
            // One after the other; what is tried stays in its place in the list.
            for at in 0..names(&self.best).len() {
                if let Some(name) = names(&self.best).into_iter().nth(at) {
                    self.replace(&edit(vec![name]))?;
                }
            }
        }
        Ok(())
    }

    /// Makes a change if what is left is smaller and still shows it.
    fn attempt(&mut self, edit: &Edit) -> Result<bool, Ended> {
        let candidate = self.best.edited(edit);
        if !Size::of(&candidate).is_less_than(&self.size) {
            return Ok(false);
        }
        self.take(candidate)
    }

    /// Makes a change if what comes of it is a shorter text and still shows it.
    fn replace(&mut self, edit: &Edit) -> Result<bool, Ended> {
        let candidate = self.best.edited(edit);
        if fmt(&candidate).len() >= self.text.len() {
            return Ok(false);
        }
        self.take(candidate)
    }

    fn take(&mut self, candidate: Rulesheet) -> Result<bool, Ended> {
        let text = fmt(&candidate);
        if !self.asks(&text)? {
            return Ok(false);
        }
        self.size = Size::of(&candidate);
        (self.best, self.text) = (candidate, text);
        Ok(true)
    }

    /// Whether a text shows it.
    fn asks(&mut self, text: &str) -> Result<bool, Ended> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        if self.refused.contains(&hash) {
            return Ok(false);
        }
        self.meter.check().map_err(Ended::Limit)?;
        if self.tries >= self.limits.tries {
            return Err(Ended::Tries);
        }
        self.tries += 1;
        self.limits.budget.report("symbols left", self.size.symbols as u64, Some(self.first.symbols as u64));
        let shown = (self.shows)(text);
        // An answer that a limit cut short is none.
        self.meter.check().map_err(Ended::Limit)?;
        if !shown {
            self.refused.insert(hash);
        }
        Ok(shown)
    }

    /// Leaves out lines, then characters.
    fn shrink_text(&mut self) -> Result<(), Ended> {
        loop {
            let before = self.text.len();
            let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
            self.remove_pieces(lines)?;
            let characters = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
            self.remove_pieces(characters)?;
            if self.text.len() == before {
                return Ok(());
            }
        }
    }

    fn remove_pieces(&mut self, pieces: fn(&str) -> Vec<String>) -> Result<(), Ended> {
        let mut state = (pieces(&self.text), self);
        remove_chunks(
            &mut state,
            |(pieces, _)| pieces.len(),
            |(pieces, search), range: Range<usize>| {
                let rest = [&pieces[..range.start], &pieces[range.end..]].concat();
                let text = rest.concat();
                if !search.asks(&text)? {
                    return Ok(false);
                }
                search.size.symbols = text.chars().count();
                search.text = text;
                *pieces = rest;
                Ok(true)
            },
        )
    }
}
