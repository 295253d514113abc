//! Putting libraries into a rulesheet that is there, and exchanging what was put there before.

use std::sync::Arc;

use ludex_gdl::{Notation, Rulesheet, Severity, Source, parse};

use super::section::{Section, sections, written};
use super::selection::Chosen;
use super::{RuleLibraryError, Selection};

/// A rulesheet with libraries in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The text.
    pub text: String,
    /// The libraries whose sections are new.
    pub added: Vec<&'static str>,
    /// The libraries whose sections were there and have changed.
    pub replaced: Vec<&'static str>,
}

/// Words that any number of rules may be about.
const SHARED: [&str; 11] =
    ["role", "base", "input", "init", "next", "legal", "goal", "terminal", "sees", "percept", "does"];

/// A rulesheet with the rules of a selection, in its own notation. A section that is there is replaced where it
/// stands, with the parts that it had; its values are kept unless others are set or needed. New sections are
/// written at the end. Nothing else is touched.
///
/// # Errors
/// The rulesheet has syntax errors or defines a relation of its own that a library defines, or the selection
/// is wrong.
///
/// ```
/// use ludex::gdl::Source;
/// use ludex::rule_library::{Selection, insert};
///
/// let mut selection = Selection::new();
/// selection.add("numbers", &["less"])?;
/// selection.set("max", "3")?;
/// let rules = "role(white) % alone\n";
/// let first = insert(&Source::new("game.gdl", rules), &selection)?;
/// assert!(first.text.starts_with(rules) && first.text.contains("\nsucc(2,3)\n"));
///
/// selection.set("max", "2")?;
/// let second = insert(&Source::new("game.gdl", first.text), &selection)?;
/// assert!(second.replaced == ["numbers"] && !second.text.contains("succ(2,3)"));
/// # Ok::<(), ludex::rule_library::RuleLibraryError>(())
/// ```
pub fn insert(source: &Source, selection: &Selection) -> Result<Inserted, RuleLibraryError> {
    let text = source.text();
    let there = sections(text)?;
    let (rulesheet, errors) = parse(Arc::new(source.clone()), None);
    if let Some(error) = errors.iter().find(|found| found.severity == Severity::Error) {
        let line = rulesheet.source.position(error.span.range().start).line;
        return Err(RuleLibraryError::Syntax { line, message: error.message.clone() });
    }
    let mut selection = selection.clone();
    for section in &there {
        selection.found.insert(section.library.name, section.values.clone());
    }
    for section in &there {
        // What is there is kept, and may need more where it has other sizes.
        if !section.parts.is_empty() {
            selection.add(section.library.name, &section.parts)?;
        }
    }
    let chosen = selection.chosen()?;
    refuse_second_definitions(&rulesheet, &chosen, &there)?;
    Ok(exchange(text, &chosen, &there, rulesheet.notation))
}

fn exchange(text: &str, chosen: &[Chosen], there: &[Section], notation: Notation) -> Inserted {
    let mut out = String::with_capacity(text.len());
    let (mut added, mut replaced) = (Vec::new(), Vec::new());
    let write = |chosen: &Chosen| written(chosen.library, &chosen.values, &chosen.parts, notation);
    let mut done = 0;
    for section in there {
        out.push_str(&text[done..section.range.start]);
        done = section.range.end;
        let old = &text[section.range.clone()];
        match chosen.iter().find(|chosen| chosen.library.name == section.library.name) {
            Some(chosen) => {
                let new = write(chosen);
                if new != *old {
                    replaced.push(section.library.name);
                }
                out.push_str(&new);
            }
            None => out.push_str(old),
        }
    }
    out.push_str(&text[done..]);
    for chosen in chosen {
        if there.iter().all(|section| section.library.name != chosen.library.name) {
            if !out.is_empty() {
                out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
            }
            out.push_str(&write(chosen));
            added.push(chosen.library.name);
        }
    }
    Inserted { text: out, added, replaced }
}

/// What a library defines may be defined in its section only.
fn refuse_second_definitions(
    rulesheet: &Rulesheet,
    chosen: &[Chosen],
    there: &[Section],
) -> Result<(), RuleLibraryError> {
    let is_in_section = |start: usize| there.iter().any(|section| section.range.contains(&start));
    for item in &rulesheet.items {
        let Some((name, arity)) = rulesheet.tree.head(item.head) else { continue };
        let start = item.span.range().start;
        if SHARED.contains(&name) || is_in_section(start) {
            continue;
        }
        let defines = |chosen: &&Chosen| {
            let mut relations = chosen.parts.iter().flat_map(|part| part.relations);
            relations.any(|relation| relation.name == name && relation.arity() == arity)
        };
        if let Some(chosen) = chosen.iter().find(defines) {
            return Err(RuleLibraryError::Defined {
                library: chosen.library.name,
                relation: format!("{name}/{arity}"),
                line: rulesheet.source.position(start).line,
            });
        }
    }
    Ok(())
}
