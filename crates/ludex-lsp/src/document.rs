//! An open rulesheet: its text, and what was found out about this version of it.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use lsp_types::{TextDocumentContentChangeEvent, Uri};
use ludex::SystemClock;
use ludex::gdl::{Check, Checked, Diagnostic, LoadOptions, Occurrences, Rulesheet, Source, Span, load};
use ludex::logic::Clock;

use crate::knowledge::Knowledge;
use crate::positions::{Encoding, Positions};

/// A text with its syntax tree, its findings and its names.
#[derive(Debug)]
pub struct Analysis {
    /// What reading it gave.
    pub checked: Arc<Checked>,
    /// All names.
    pub names: Occurrences,
    /// What needs the logic program; none where there is no program.
    knowledge: OnceCell<Option<Knowledge>>,
}

impl Analysis {
    fn of(source: Arc<Source>) -> Self {
        let checked = load(source, &LoadOptions::default());
        let names = Occurrences::of(&checked.rulesheet, checked.dialect);
        Self { checked: Arc::new(checked), names, knowledge: OnceCell::new() }
    }
}

/// A piece of text that was replaced by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// What was replaced.
    pub span: Span,
    /// The bytes of what stands there now.
    pub length: u32,
}

impl Replaced {
    /// Where something stands after the change that stood here before it; nothing for what was changed itself.
    pub fn moved(&self, span: Span) -> Option<Span> {
        if span.end <= self.span.start {
            return Some(span);
        }
        let shift = |offset: u32| {
            (offset - self.span.end).saturating_add(self.span.start).saturating_add(self.length)
        };
        (span.start >= self.span.end).then(|| Span { start: shift(span.start), end: shift(span.end) })
    }
}

/// A rulesheet that an editor has open.
#[derive(Debug)]
pub struct Document {
    uri: Uri,
    version: i32,
    source: Arc<Source>,
    positions: Positions,
    encoding: Encoding,
    analysis: OnceCell<Rc<Analysis>>,
    /// The last version that had a logic program.
    last_whole: Option<Rc<Analysis>>,
    /// When the domains of an earlier version turned out to take too long.
    too_costly_since: OnceCell<SystemClock>,
}

impl Document {
    /// A document that was opened. `language` is what the client calls its language.
    pub fn new(uri: Uri, language: &str, version: i32, text: String, encoding: Encoding) -> Self {
        let name = name_of(&uri, language);
        let positions = Positions::new(&text, encoding);
        let source = Arc::new(Source::new(name, text));
        Self {
            uri,
            version,
            source,
            positions,
            encoding,
            analysis: OnceCell::new(),
            last_whole: None,
            too_costly_since: OnceCell::new(),
        }
    }

    /// What the client calls it.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The number of this version of the text.
    pub fn version(&self) -> i32 {
        self.version
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// The text with its name.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Where things stand.
    pub fn positions(&self) -> &Positions {
        &self.positions
    }

    /// Changes the text, one change after the other; what was replaced.
    pub fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>) -> Vec<Replaced> {
        let mut text = self.source.text().to_owned();
        let mut positions = self.positions.clone();
        let mut replaced = Vec::with_capacity(changes.len());
        for change in changes {
            let span = match change.range {
                None => Span::new(0, text.len()),
                Some(range) => positions.span_in(&text, range),
            };
            replaced.push(Replaced { span, length: change.text.len() as u32 });
            text.replace_range(span.range(), &change.text);
            positions = Positions::new(&text, self.encoding);
        }
        if let Some(before) = self.analysis.take()
            && before.checked.game.is_some()
        {
            self.last_whole = Some(before);
        }
        self.version = version;
        self.positions = positions;
        self.source = Arc::new(Source::new(self.source.name().to_owned(), text));
        replaced
    }

    /// What was found out about this version; found out when it is first asked for.
    pub fn analysis(&self) -> &Rc<Analysis> {
        self.analysis.get_or_init(|| Rc::new(Analysis::of(Arc::clone(&self.source))))
    }

    /// Syntax tree, findings and program.
    pub fn checked(&self) -> &Arc<Checked> {
        &self.analysis().checked
    }

    /// Whether all clauses could be read, in one notation.
    pub fn is_readable(&self) -> bool {
        !self.checked().diagnostics.iter().any(|found| is_of(found, &["syntax", "mixed-notations"]))
    }

    /// The syntax tree.
    pub fn rulesheet(&self) -> &Rulesheet {
        &self.analysis().checked.rulesheet
    }

    /// All names of the text.
    pub fn names(&self) -> &Occurrences {
        &self.analysis().names
    }

    /// Domains and strata of this version, or, where it cannot be read in full, of the last one that could.
    pub fn knowledge(&self) -> Option<&Knowledge> {
        let current = self.analysis();
        let whole = if current.checked.game.is_some() { current } else { self.last_whole.as_ref()? };
        let found = whole.knowledge.get_or_init(|| {
            let wait = self.too_costly_since.get().is_some_and(|since| since.now() < RETRY);
            let found = Knowledge::of(&whole.checked, !wait)?;
            if !found.has_domains() && !wait {
                let _ = self.too_costly_since.set(SystemClock::start());
            }
            Some(found)
        });
        found.as_ref()
    }
}

/// Whether a finding is of one of these kinds.
pub fn is_of(finding: &Diagnostic, names: &[&str]) -> bool {
    Check::of(finding.code).is_some_and(|check| names.contains(&check.name))
}

/// Where domains took too long, they are not looked for again at once.
const RETRY: Duration = Duration::from_secs(20);

/// The file name of a document. Of a text that both notations could read alike it tells the notation, so it says
/// what the client does.
fn name_of(uri: &Uri, language: &str) -> String {
    let path = uri.path().as_str();
    let encoded = path.rsplit('/').next().unwrap_or_default();
    let name = decoded(encoded);
    let name = if name.is_empty() { "untitled".to_owned() } else { name };
    match language {
        "gdl-prefix" if !name.ends_with(".kif") => format!("{name}.kif"),
        "gdl-infix" | "epilog" if name.ends_with(".kif") => format!("{name}.gdl"),
        _ => name,
    }
}

/// A text without the escapes of addresses.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_last_part_of_the_address() {
        let name = |uri: &str, language| name_of(&uri.parse().unwrap(), language);
        assert_eq!(name("file:///a/my%20game.kif", "gdl-prefix"), "my game.kif");
        assert_eq!(name("untitled:Untitled-1", "gdl-prefix"), "Untitled-1.kif");
        assert_eq!(name("file:///x.kif", "gdl-infix"), "x.kif.gdl");
        assert_eq!(decoded("%zz%4"), "%zz%4");
    }
}
