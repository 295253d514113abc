//! Parts of libraries, with all that they build on.

use std::collections::BTreeMap;

use ludex_gdl::Notation;

use super::section::written;
use super::{Library, Part, RuleLibraryError, Value, Values, all, find};

/// Parts of libraries that are to be written together.
///
/// ```
/// use ludex::gdl::Notation;
/// use ludex::rule_library::Selection;
///
/// let mut selection = Selection::new();
/// selection.set("width", "4")?;
/// selection.add("board", &["adjacent"])?;
/// // A board is made of numbers, and steps on it lead in directions.
/// let text = selection.text(Notation::Prefix)?;
/// assert!(text.contains("(succ 3 4)") && text.contains("(<= (toward east ?x ?y ?u ?y)"));
/// assert!(!text.contains("distance"));
/// # Ok::<(), ludex::rule_library::RuleLibraryError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// What was set, by parameter, for all libraries that have it.
    set: BTreeMap<String, String>,
    /// What libraries have in a rulesheet already.
    pub(super) found: BTreeMap<&'static str, Values>,
    /// The parts that are wanted, by library.
    wanted: BTreeMap<&'static str, Vec<&'static str>>,
}

/// Some parts of a library, with the values of its parameters.
pub(super) struct Chosen {
    pub library: &'static Library,
    pub values: Values,
    pub parts: Vec<&'static Part>,
}

impl Selection {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a parameter of all libraries that are wanted and have it.
    ///
    /// # Errors
    /// No library has it.
    pub fn set(&mut self, parameter: &str, value: &str) -> Result<(), RuleLibraryError> {
        let known = |library: &Library| library.parameters.iter().any(|known| known.name == parameter);
        if !all().iter().any(known) {
            return Err(RuleLibraryError::UnknownParameter {
                library: "each library".into(),
                parameter: parameter.into(),
                known: "other parameters".into(),
            });
        }
        self.set.insert(parameter.into(), value.into());
        Ok(())
    }

    /// Adds parts of a library, or all of them where none are named.
    ///
    /// # Errors
    /// There is no such library or part; nothing is added then.
    pub fn add(&mut self, library: &str, parts: &[&str]) -> Result<(), RuleLibraryError> {
        let library = find(library).ok_or_else(|| RuleLibraryError::UnknownLibrary(library.to_owned()))?;
        let names = if parts.is_empty() {
            library.parts.iter().map(|part| part.name).collect()
        } else {
            parts.iter().map(|wanted| named(library, wanted)).collect::<Result<Vec<_>, _>>()?
        };
        self.wanted.entry(library.name).or_default().extend(names);
        Ok(())
    }

    /// The rules as text: a section for each library, those that others build on first, with empty lines between them.
    ///
    /// # Errors
    /// A value is none that its parameter can have, or belongs to no library that is wanted.
    pub fn text(&self, notation: Notation) -> Result<String, RuleLibraryError> {
        let sections: Vec<String> = self
            .chosen()?
            .iter()
            .map(|chosen| written(chosen.library, &chosen.values, &chosen.parts, notation))
            .collect();
        Ok(sections.join("\n"))
    }

    /// The names of the libraries that have a part in it.
    ///
    /// # Errors
    /// As [`Selection::text`].
    pub fn libraries(&self) -> Result<Vec<&'static str>, RuleLibraryError> {
        Ok(self.chosen()?.iter().map(|chosen| chosen.library.name).collect())
    }

    /// What is wanted and what that builds on, with values, in the order of [`all`].
    pub(super) fn chosen(&self) -> Result<Vec<Chosen>, RuleLibraryError> {
        let mut wanted = self.wanted.clone();
        let mut forced: BTreeMap<&'static str, Vec<(&'static str, Value)>> = BTreeMap::new();
        let mut chosen = Vec::new();
        // Libraries only build on those before them.
        for library in all().iter().rev() {
            let Some(names) = wanted.remove(library.name) else { continue };
            let parts = closed(library, &names);
            let values = self.values(library, forced.get(library.name).map_or(&[], Vec::as_slice))?;
            for need in (library.needs)(&values, &parts) {
                wanted.entry(need.library).or_default().extend(need.parts);
                forced.entry(need.library).or_default().extend(need.values);
            }
            chosen.push(Chosen { library, values, parts });
        }
        chosen.reverse();
        for parameter in self.set.keys() {
            let has = |chosen: &Chosen| chosen.values.get(parameter).is_some();
            if !chosen.iter().any(has) {
                let names: Vec<&str> = self.wanted.keys().copied().collect();
                let mut known: Vec<&str> =
                    chosen.iter().flat_map(|chosen| chosen.values.iter().map(|(name, _)| name)).collect();
                known.sort_unstable();
                known.dedup();
                return Err(RuleLibraryError::UnknownParameter {
                    library: names.join(", "),
                    parameter: parameter.clone(),
                    known: if known.is_empty() { "nothing to set".into() } else { known.join(", ") },
                });
            }
        }
        Ok(chosen)
    }

    /// The values of a library's parameters: what others need, what was set, what is there, what is usual.
    fn values(
        &self,
        library: &'static Library,
        forced: &[(&'static str, Value)],
    ) -> Result<Values, RuleLibraryError> {
        let usual = if forced.iter().any(|(name, _)| *name == "max") {
            // Only as many numbers as somebody asks for.
            let mut values = Values::usual(library.parameters);
            values.set(library, "max", "1")?;
            values
        } else {
            Values::usual(library.parameters)
        };
        let mut values = match self.found.get(library.name) {
            Some(found) => found.clone(),
            None => self.like_the_others(library, usual),
        };
        for (name, text) in &self.set {
            if values.get(name).is_some() {
                values.set(library, name, text)?;
            }
        }
        for (name, value) in forced {
            let is_enough = match (values.get(name), value) {
                (Some(Value::Number(there)), Value::Number(needed)) => *name == "max" && there >= needed,
                _ => false,
            };
            if !is_enough {
                values.replace(library, name, value)?;
            }
        }
        library.accept(&values)?;
        Ok(values)
    }

    /// Values that are as those of the same name that the libraries in the rulesheet have: the board of lines is that
    /// of the rulesheet.
    fn like_the_others(&self, library: &'static Library, mut values: Values) -> Values {
        for (name, value) in self.found.values().flat_map(Values::iter) {
            if name != "max" && values.get(name).is_some() {
                // What is no value here stays as is usual.
                let _ = values.replace(library, name, value);
            }
        }
        values
    }
}

/// The name of the part that is called so, or defines a relation that is.
fn named(library: &'static Library, wanted: &str) -> Result<&'static str, RuleLibraryError> {
    let is_meant =
        |part: &&Part| part.name == wanted || part.relations.iter().any(|relation| relation.name == wanted);
    library.parts.iter().find(is_meant).map(|part| part.name).ok_or_else(|| RuleLibraryError::UnknownPart {
        library: library.name,
        part: wanted.to_owned(),
        known: library.parts.iter().map(|part| part.name).collect::<Vec<_>>().join(", "),
    })
}

/// Parts with those of the library that they build on, in the library's order.
fn closed(library: &'static Library, names: &[&'static str]) -> Vec<&'static Part> {
    let mut open = names.to_vec();
    let mut reached: Vec<&str> = Vec::new();
    while let Some(name) = open.pop() {
        if !reached.contains(&name) {
            reached.push(name);
            open.extend(
                library.parts.iter().filter(|part| part.name == name).flat_map(|part| part.builds_on),
            );
        }
    }
    library.parts.iter().filter(|part| reached.contains(&part.name)).collect()
}
