//! What is wrong where a diagnostic is given, in a few sentences, with an example and its mending: one file for each
//! kind of diagnostic, in `explanations`.

use std::sync::Arc;

use crate::check::registry::Check;
use crate::source::Source;

/// What a kind of diagnostic means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What it is about, in a few words.
    pub title: &'static str,
    /// What is wrong and why that matters; paragraphs have empty lines between them.
    pub text: &'static str,
    /// A rulesheet with the diagnostic.
    pub example: &'static str,
    /// The same, mended.
    pub mended: &'static str,
    /// How files of that notation are called: `kif`, `gdl` or `hrf`.
    pub ending: &'static str,
}

impl Explanation {
    /// Reads a file of `explanations`: a title, a text, and two rulesheets in fenced blocks.
    fn read(file: &'static str) -> Self {
        let (title, rest) = file.split_once('\n').unwrap_or((file, ""));
        let (text, rest) = rest.split_once("\n## Example\n").unwrap_or((rest, ""));
        let mut blocks = rest.split("```");
        let mut block = || blocks.nth(1).and_then(|block| block.split_once('\n')).unwrap_or_default();
        let (ending, example) = block();
        let (_, mended) = block();
        Self { title: title.trim_start_matches('#').trim(), text: text.trim(), example, mended, ending }
    }

    /// The example as a rulesheet to load.
    pub fn example_source(&self) -> Arc<Source> {
        Arc::new(Source::new(format!("example.{}", self.ending), self.example))
    }

    /// The mended example as a rulesheet to load.
    pub fn mended_source(&self) -> Arc<Source> {
        Arc::new(Source::new(format!("mended.{}", self.ending), self.mended))
    }
}

impl Check {
    /// What a diagnostic of this kind means.
    ///
    /// ```
    /// use ludex_gdl::{Check, LoadOptions, load};
    ///
    /// let check = Check::find("L030").unwrap();
    /// let explanation = check.explanation();
    /// assert_eq!(explanation.title, "A variable that nothing binds");
    /// let checked = load(explanation.example_source(), &LoadOptions::default());
    /// assert!(checked.diagnostics.iter().any(|found| found.code == check.code));
    /// ```
    pub fn explanation(&self) -> Explanation {
        Explanation::read(self.explanation_file)
    }
}

#[cfg(test)]
mod tests {
    use crate::check::registry::CHECKS;
    use crate::diagnostic::Severity;
    use crate::load::{LoadOptions, load};

    #[test]
    fn every_check_is_explained() {
        for check in CHECKS {
            let found = check.explanation();
            assert!(!found.title.is_empty() && found.text.len() > 60, "{}", check.name);
            assert!(!found.example.is_empty() && !found.mended.is_empty(), "{}", check.name);
            assert!(["kif", "gdl", "hrf"].contains(&found.ending), "{}", check.name);
            assert!(!found.text.contains("##"), "{}", check.name);
        }
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/check/explanations");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), CHECKS.len());
    }

    #[test]
    fn examples_show_what_they_are_for_and_are_mended() {
        // What shows in the states only is tested where states are looked at.
        for check in CHECKS.iter().filter(|check| !check.needs_states()) {
            let explanation = check.explanation();
            let example = load(explanation.example_source(), &LoadOptions::default()).diagnostics;
            assert!(example.iter().any(|found| found.code == check.code), "{}: {example:?}", check.code);
            let mended = load(explanation.mended_source(), &LoadOptions::default());
            assert!(!mended.has_errors(), "{}: {:?}", check.code, mended.diagnostics);
            assert!(mended.diagnostics.iter().all(|found| found.code != check.code), "{}", check.code);
        }
    }

    #[test]
    fn mended_examples_are_in_order() {
        for check in CHECKS {
            let mended = load(check.explanation().mended_source(), &LoadOptions::default());
            let worse = |found: &&crate::Diagnostic| found.severity != Severity::Note;
            assert_eq!(mended.diagnostics.iter().find(worse), None, "{}", check.code);
        }
    }
}
