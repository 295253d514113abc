//! Consistent renaming, so that a player cannot know a game by its words.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::convert::read_back;
use crate::diagnostic::Diagnostic;
use crate::dialect::detect;
use crate::epilog;
use crate::game_program::Dialect;
use crate::parse::parse_terms;
use crate::print::{Spelling, print_node, print_spelled};
use crate::time::{GameTime, INFINITY};
use crate::tree::{NameId, NodeKind, Notation, Rulesheet};

const KEYWORDS: [&str; 22] = [
    "role", "base", "input", "init", "true", "does", "next", "legal", "goal", "terminal", "distinct", "or",
    "and", "not", "sees", "percept", "<=", "=", "=>", "<=>", "A:", "E:",
];

/// Old names and new ones, of constants (with functions and relations) and of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renaming {
    constants: Names,
    variables: Names,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Names {
    there: FxHashMap<String, String>,
    back: FxHashMap<String, String>,
}

impl Names {
    /// Ordered by the old name.
    fn pairs(&self) -> Vec<(&str, &str)> {
        let mut pairs: Vec<_> = self.there.iter().map(|(old, new)| (old.as_str(), new.as_str())).collect();
        pairs.sort_unstable();
        pairs
    }

    fn add(&mut self, old: &str, new: String) {
        self.back.insert(new.clone(), old.to_owned());
        self.there.insert(old.to_owned(), new);
    }
}

fn look_up(names: &FxHashMap<String, String>, name: &str) -> String {
    names.get(name).cloned().unwrap_or_else(|| name.to_owned())
}

impl Renaming {
    /// A renaming from old and new names of constants and of variables, to keep one in a file.
    pub fn from_pairs<'a>(
        constants: impl IntoIterator<Item = (&'a str, &'a str)>,
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut renaming = Self::default();
        constants.into_iter().for_each(|(old, new)| renaming.constants.add(old, new.to_owned()));
        variables.into_iter().for_each(|(old, new)| renaming.variables.add(old, new.to_owned()));
        renaming
    }

    /// Old and new names of all constants, functions and relations, ordered by the old name.
    pub fn constants(&self) -> Vec<(&str, &str)> {
        self.constants.pairs()
    }

    /// Old and new names of all variables, ordered by the old name.
    pub fn variables(&self) -> Vec<(&str, &str)> {
        self.variables.pairs()
    }

    /// The new name of a constant, function or relation; `None` for one that keeps its name.
    pub fn new_name(&self, old: &str) -> Option<&str> {
        self.constants.there.get(old).map(String::as_str)
    }

    /// The old name of a constant, function or relation.
    pub fn old_name(&self, new: &str) -> Option<&str> {
        self.constants.back.get(new).map(String::as_str)
    }

    /// A rulesheet with the new names, without comments. What the renaming does not know stays.
    pub fn scramble_rules(&self, rulesheet: &Rulesheet) -> Rulesheet {
        rename(rulesheet, &self.constants.there, &self.variables.there)
    }

    /// Terms, such as moves, with the new names.
    ///
    /// # Errors
    /// The syntax errors of the text.
    pub fn scramble_terms(&self, text: &str, notation: Notation) -> Result<String, Vec<Diagnostic>> {
        rename_terms(text, notation, &self.constants.there, &self.variables.there)
    }

    /// Terms, such as moves, with the old names.
    ///
    /// # Errors
    /// The syntax errors of the text.
    pub fn unscramble_terms(&self, text: &str, notation: Notation) -> Result<String, Vec<Diagnostic>> {
        rename_terms(text, notation, &self.constants.back, &self.variables.back)
    }
}

fn rename_terms(
    text: &str,
    notation: Notation,
    constants: &FxHashMap<String, String>,
    variables: &FxHashMap<String, String>,
) -> Result<String, Vec<Diagnostic>> {
    let (tree, nodes) = parse_terms(text, Some(notation))?;
    let constant = |name: &str| look_up(constants, name);
    let variable = |name: &str| look_up(variables, name);
    let spelling = Spelling::renamed(&tree, notation, notation, constant, variable);
    let terms: Vec<String> = nodes.iter().map(|&n| print_node(&tree, n, notation, &spelling)).collect();
    Ok(terms.join(if notation == Notation::Prefix { " " } else { ", " }))
}

/// Gives every name that is neither a keyword nor a number another one, the same wherever it
/// occurs; `random` is a keyword in the languages with percepts, `expired` and `infinity` in those of real time, `step` and
/// `successor` in those with steps. Comments are dropped, since they tell what the names did. The same seed gives the same names.
pub fn scramble(rulesheet: &Rulesheet, seed: u64) -> (Rulesheet, Renaming) {
    let tree = &rulesheet.tree;
    let dialect = detect(rulesheet).0;
    let mut taken: FxHashSet<String> =
        (0..tree.name_count() as u32).map(|n| tree.name(NameId(n)).to_lowercase()).collect();
    taken.extend(KEYWORDS.map(str::to_owned));
    taken.extend(["random", "expired", INFINITY, "step", "successor", "::", "==>"].map(str::to_owned));
    let mut words = Words { state: seed, taken };
    let mut renaming = Renaming::default();
    for node in tree.nodes() {
        match &node.kind {
            NodeKind::Constant(name) | NodeKind::Compound { name, .. } => {
                let name = tree.name(*name);
                let kept = is_keyword(name, dialect) || is_number(name);
                if !kept && !renaming.constants.there.contains_key(name) {
                    renaming.constants.add(name, words.next());
                }
            }
            NodeKind::Variable(name) => {
                let name = tree.name(*name);
                if !renaming.variables.there.contains_key(name) {
                    let mut word = words.next();
                    if rulesheet.notation == Notation::Infix {
                        word[..1].make_ascii_uppercase();
                    }
                    renaming.variables.add(name, word);
                }
            }
            NodeKind::Error => {}
        }
    }
    (renaming.scramble_rules(rulesheet), renaming)
}

/// Undoes [`scramble`]: the same rules, without the comments.
pub fn unscramble(rulesheet: &Rulesheet, renaming: &Renaming) -> Rulesheet {
    rename(rulesheet, &renaming.constants.back, &renaming.variables.back)
}

fn rename(
    rulesheet: &Rulesheet,
    constants: &FxHashMap<String, String>,
    variables: &FxHashMap<String, String>,
) -> Rulesheet {
    let notation = rulesheet.notation;
    let constant = |name: &str| look_up(constants, name);
    let variable = |name: &str| look_up(variables, name);
    let spelling = Spelling::renamed(&rulesheet.tree, notation, notation, constant, variable);
    let bare = Rulesheet { comments: Vec::new(), ..rulesheet.clone() };
    read_back(rulesheet, print_spelled(&bare, notation, &spelling), notation)
}

/// Whether a name means something in a language, so that nothing else may be called so: a keyword, a connective, or a
/// constant such as `random`.
///
/// ```
/// use ludex_gdl::{Dialect, is_keyword};
///
/// assert!(is_keyword("legal", Dialect::Gdl) && !is_keyword("random", Dialect::Gdl));
/// assert!(is_keyword("random", Dialect::GdlII));
/// ```
pub fn is_keyword(name: &str, dialect: Dialect) -> bool {
    KEYWORDS.contains(&name)
        || (dialect.has_percepts() && name == "random")
        || (dialect.is_timed() && matches!(name, "expired" | INFINITY))
        || (dialect.has_steps() && matches!(name, "step" | "successor"))
        || (dialect == Dialect::Epilog && (epilog::is_word(name) || matches!(name, "::" | "==>")))
}

/// Whether a name is that of a number, whole or with a fraction: what it says is its meaning, so that it gets no other one.
pub fn is_number(name: &str) -> bool {
    let digits = name.strip_prefix('-').unwrap_or(name);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) || GameTime::parse(digits).is_ok()
}

/// Makes words that can be pronounced, each only once.
struct Words {
    state: u64,
    taken: FxHashSet<String>,
}

impl Words {
    /// Splitmix64: small, and the same everywhere.
    fn random(&mut self, below: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    }

    fn next(&mut self) -> String {
        const STARTS: [&str; 20] = [
            "b", "br", "d", "dr", "f", "fl", "g", "gr", "h", "k", "l", "m", "n", "p", "pl", "r", "s", "st",
            "t", "v",
        ];
        const VOWELS: [&str; 7] = ["a", "e", "i", "o", "u", "ai", "ou"];
        const ENDS: [&str; 6] = ["", "", "n", "r", "l", "s"];
        let mut syllables = 2;
        loop {
            let mut word = String::new();
            for _ in 0..syllables {
                word.push_str(STARTS[self.random(STARTS.len())]);
                word.push_str(VOWELS[self.random(VOWELS.len())]);
            }
            word.push_str(ENDS[self.random(ENDS.len())]);
            if self.taken.insert(word.clone()) {
                return word;
            }
            // Short words run out.
            syllables = (syllables + 1).min(12);
        }
    }
}
