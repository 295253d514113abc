//! What relations and facts of Epilog are called in GDL.

use rustc_hash::{FxHashMap, FxHashSet};

use super::reading::{Goal, Moment, ReadRule, Reading, Version};
use crate::convert::free_name;
use crate::tree::{NameId, NodeId, Tree};

/// Words with a meaning in GDL, or in a language that it would be taken for: no relation of the sheet keeps such a name.
const TAKEN: [&str; 8] = ["true", "does", "next", "input", "base", "sees", "percept", "legal"];

/// So often versions are parted at most.
const MOST_ROUNDS: usize = 100;

/// The names of everything that is written.
pub(super) struct Names {
    /// What roles do that are not in control.
    pub wait: String,
    /// Facts that an operation deletes.
    pub deleted: String,
    /// Moves that are made by other moves.
    pub made: String,
    /// What `legal` is called that names no role.
    pub legal: String,
    /// The names of versions, by number; versions that mean the same have one.
    versions: Vec<String>,
    /// By number of a version: the first one that means the same.
    pub first: Vec<usize>,
    /// By the first version of its meaning: relations that say for which values the version is asked, where its rules do not
    /// give its variables their values.
    pub guards: FxHashMap<usize, Guard>,
    /// Names of relations that are not the author's, with the one each is a version of.
    pub renamed: Vec<(String, String)>,
}

/// A relation that says for which values another one is asked.
pub(super) struct Guard {
    pub name: String,
    /// Which arguments have values.
    pub bound: Vec<usize>,
}

impl Names {
    pub fn new(reading: &Reading<'_>, tree: &mut Tree) -> Self {
        let waits = ["noop", "wait"].into_iter().find(|word| tree.find_name(word).is_none());
        let wait = waits.map_or_else(|| free_name(tree, "wait"), str::to_owned);
        let relation = |tree: &mut Tree, word: &str| {
            let name = free_name(tree, word);
            tree.intern(&name);
            name
        };
        let deleted = relation(tree, "deleted");
        let made = relation(tree, "made");
        let legal = relation(tree, "legal_move");
        let is_guarded: Vec<bool> =
            reading.versions.iter().map(|(version, rules)| needs_values(reading, version, rules)).collect();
        let first = same_meaning(reading, &is_guarded);
        let mut names = Self {
            wait,
            deleted,
            made,
            legal,
            versions: Vec::new(),
            first,
            guards: FxHashMap::default(),
            renamed: Vec::new(),
        };
        names.name_versions(reading, tree);
        for (number, (version, _)) in reading.versions.iter().enumerate() {
            if is_guarded[number] && names.first[number] == number {
                let name = relation(tree, &format!("asked_{}", names.version(number)));
                let bound = (0..version.bound.len()).filter(|&place| version.bound[place]).collect();
                names.guards.insert(number, Guard { name, bound });
            }
        }
        names
    }

    fn name_versions(&mut self, reading: &Reading<'_>, tree: &mut Tree) {
        let mut has_own: FxHashSet<(NameId, usize)> = FxHashSet::default();
        for (number, (version, _)) in reading.versions.iter().enumerate() {
            if self.first[number] != number {
                let name = self.versions[self.first[number]].clone();
                self.versions.push(name);
                continue;
            }
            let written = tree.name(version.name).to_owned();
            let arity = version.bound.len();
            let is_first = has_own.insert((version.name, arity));
            let name = if written == "legal" && arity == 1 && is_first {
                self.legal.clone()
            } else if TAKEN.contains(&written.as_str()) || is_misused(&written, arity) {
                free_name(tree, &format!("{written}_relation"))
            } else if is_first {
                written.clone()
            } else {
                free_name(tree, &format!("{written}_{}", ending(version)))
            };
            tree.intern(&name);
            if name != written {
                self.renamed.push((name.clone(), written));
            }
            self.versions.push(name);
        }
    }

    /// The name of a version.
    pub fn version(&self, number: usize) -> &str {
        &self.versions[number]
    }
}

/// Whether a keyword has another number of arguments than it takes.
fn is_misused(name: &str, arity: usize) -> bool {
    match name {
        "role" | "init" => arity != 1,
        "goal" => arity != 2,
        "terminal" => arity != 0,
        _ => false,
    }
}

/// What tells a version from the others.
fn ending(version: &Version) -> &'static str {
    match (version.moment, version.bound.iter().any(|&has_value| has_value)) {
        (Moment::Start, _) => "at_start",
        (Moment::Move, _) => "in_move",
        (Moment::State, true) => "given",
        (Moment::State, false) => "open",
    }
}

/// Whether a rule leaves a variable of its head open that has a value where the version is asked. Of `goal` that is a role.
fn needs_values(reading: &Reading<'_>, version: &Version, rules: &[ReadRule]) -> bool {
    let sheet = reading.sheet;
    if sheet.tree.name(version.name) == "goal" {
        return false;
    }
    rules.iter().any(|rule| {
        let mut given = FxHashSet::default();
        rule.body.iter().for_each(|goal| goal.given(sheet, &mut given));
        let head = sheet.rules[rule.number].head;
        let values =
            sheet.tree.children(head).iter().zip(&version.bound).filter(|(_, has_value)| **has_value);
        let values: Vec<NodeId> = values.map(|(&argument, _)| argument).collect();
        sheet.tree.variables(&values).any(|name| !given.contains(&name))
    })
}

/// For each version the first one that means the same: whose rules are read alike, down to the relations that they ask for.
/// Starting from all versions of a relation, those are parted whose rules are parted, until none is any more.
fn same_meaning(reading: &Reading<'_>, is_guarded: &[bool]) -> Vec<usize> {
    let count = reading.versions.len();
    let relations: FxHashSet<(NameId, usize)> =
        reading.versions.iter().map(|(version, _)| (version.name, version.bound.len())).collect();
    if relations.len() == count {
        return (0..count).collect();
    }
    let mut class = vec![0; count];
    let mut classes = 0;
    for _ in 0..MOST_ROUNDS {
        let mut known: FxHashMap<String, usize> = FxHashMap::default();
        let mut next = Vec::with_capacity(count);
        for (number, (version, rules)) in reading.versions.iter().enumerate() {
            let mut text = format!("{}/{} {}", version.name.0, version.bound.len(), class[number]);
            if is_guarded[number] {
                text.push_str(&format!(" {:?} {:?}", version.bound, version.moment));
            }
            for rule in rules {
                text.push_str(&format!(";{}:", rule.number));
                rule.body.iter().for_each(|goal| describe(goal, &class, &mut text));
            }
            let fresh = known.len();
            next.push(*known.entry(text).or_insert(fresh));
        }
        class = next;
        if known.len() == classes {
            let mut first: FxHashMap<usize, usize> = FxHashMap::default();
            return class
                .iter()
                .enumerate()
                .map(|(number, &class)| *first.entry(class).or_insert(number))
                .collect();
        }
        classes = known.len();
    }
    // It does not matter whether versions that mean the same are one.
    (0..count).collect()
}

/// Writes down what a goal means.
fn describe(goal: &Goal, class: &[usize], out: &mut String) {
    let all = |sign: &str, goals: &[Goal], out: &mut String| {
        out.push_str(sign);
        goals.iter().for_each(|goal| describe(goal, class, out));
        out.push(')');
    };
    match goal {
        Goal::Relation(node, version) => out.push_str(&format!("r{}v{} ", node.0, class[*version])),
        Goal::State(node) => out.push_str(&format!("s{} ", node.0)),
        Goal::Distinct(node) => out.push_str(&format!("d{} ", node.0)),
        Goal::BuiltIn(_, node) => out.push_str(&format!("b{} ", node.0)),
        Goal::Always => out.push('t'),
        Goal::Never => out.push('f'),
        Goal::Not(goal, _) => all("n(", std::slice::from_ref(&**goal), out),
        Goal::And(goals) => all("a(", goals, out),
        Goal::Or(goals) => all("o(", goals, out),
        Goal::None { goal, bound, .. } | Goal::Count { goal, bound, .. } => {
            out.push_str(&format!("x{bound:?}"));
            all("(", std::slice::from_ref(&**goal), out);
        }
    }
}
