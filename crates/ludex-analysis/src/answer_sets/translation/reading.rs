//! Reads the moves in the models of a translation.

use ludex_game::Rules;
use ludex_logic::{TermId, Terms};
use smallvec::SmallVec;

use super::Translation;
use super::names::Word;

/// Why an atom of a model cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadPlanError {
    /// It is no atom, or has names that the translation did not write.
    #[error("`{0}` is nothing that was asked for")]
    Atom(String),
    /// Two moves of one role at one time.
    #[error("`{0}` is one move too many")]
    Twice(String),
}

impl Translation {
    /// The joint moves in a model: from time 1 on, as long as each role makes a move. Atoms that are no
    /// moves are passed over.
    ///
    /// # Errors
    /// [`ReadPlanError`].
    pub fn plan<T: AsRef<str>>(&self, rules: &Rules, model: &[T]) -> Result<Vec<Vec<TermId>>, ReadPlanError> {
        let terms = rules.signature().terms();
        let roles = rules.signature().roles();
        let before = format!("{}(", self.names.relation(self.does));
        let mut found: std::collections::BTreeMap<u64, Vec<Option<TermId>>> = Default::default();
        for atom in model.iter().map(AsRef::as_ref).filter(|atom| atom.starts_with(&before)) {
            let wrong = || ReadPlanError::Atom(atom.to_owned());
            let inner = atom[before.len()..].strip_suffix(')').ok_or_else(wrong)?;
            let args = self.arguments(terms, inner).ok_or_else(wrong)?;
            let &[role, action, time] = args.as_slice() else { return Err(wrong()) };
            let role = roles.iter().position(|&known| known == role).ok_or_else(wrong)?;
            let time = terms.integer(time).ok_or_else(wrong)?;
            let joint = found.entry(time).or_insert_with(|| vec![None; roles.len()]);
            if joint[role].replace(action).is_some() {
                return Err(ReadPlanError::Twice(atom.to_owned()));
            }
        }
        let mut steps = Vec::new();
        for (time, joint) in (1..).zip(found) {
            match (joint.0 == time, joint.1.into_iter().collect::<Option<Vec<TermId>>>()) {
                (true, Some(joint)) => steps.push(joint),
                _ => break,
            }
        }
        Ok(steps)
    }

    /// Terms apart by commas; `None` where there is anything else.
    fn arguments(&self, terms: &Terms, text: &str) -> Option<Vec<TermId>> {
        // The functors around the place, each with its arguments so far; the first stands for the list.
        let mut open: Vec<(Option<Word>, SmallVec<[TermId; 4]>)> = vec![(None, SmallVec::new())];
        let mut rest = text;
        let mut is_due = true;
        while let Some(first) = rest.chars().next() {
            let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            if length > 0 {
                let (word, after) = rest.split_at(length);
                let meaning = self.meaning(terms, word).filter(|_| is_due)?;
                if let Some(after) = after.strip_prefix('(') {
                    open.push((Some(meaning), SmallVec::new()));
                    rest = after;
                    continue;
                }
                let term = match meaning {
                    Word::Symbol(symbol) => terms.constant_of(symbol),
                    Word::Call(symbol) => terms.compound(symbol, &[]),
                };
                if let Some((_, args)) = open.last_mut() {
                    args.push(term);
                }
                (rest, is_due) = (after, false);
                continue;
            }
            rest = &rest[first.len_utf8()..];
            match first {
                ',' if !is_due => is_due = true,
                ')' if !is_due && open.len() > 1 => {
                    let Some((Some(Word::Symbol(functor)), args)) = open.pop() else { return None };
                    let term = terms.compound(functor, &args);
                    if let Some((_, args)) = open.last_mut() {
                        args.push(term);
                    }
                }
                _ => return None,
            }
        }
        let whole = open.pop().filter(|_| !is_due && open.is_empty());
        whole.map(|(_, args)| args.to_vec())
    }

    /// The times of a model are numbers that the game need not have.
    fn meaning(&self, terms: &Terms, word: &str) -> Option<Word> {
        let number = || word.parse::<u32>().ok().map(|_| Word::Symbol(terms.symbol(word)));
        self.names.meaning(terms, word).or_else(number)
    }
}
