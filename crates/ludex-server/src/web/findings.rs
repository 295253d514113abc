//! What is wrong with a rulesheet, as pages show it: each finding with the line it is about, cut around the
//! words it is about.

use crate::model::GameFinding;

/// A finding.
pub(super) struct FindingView {
    pub(super) severity: String,
    pub(super) mood: &'static str,
    pub(super) code: String,
    pub(super) message: String,
    pub(super) hint: Option<String>,
    /// From 1; 0 where something is missing altogether, which is nowhere.
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) end_line: usize,
    pub(super) end_column: usize,
    pub(super) before: String,
    pub(super) marked: String,
    pub(super) after: String,
    pub(super) labels: Vec<LabelView>,
}

/// Another place that matters.
pub(super) struct LabelView {
    pub(super) line: usize,
    pub(super) text: String,
}

/// A line may be the whole file; so many characters of it are shown on each side of what is meant.
const SHOWN: usize = 160;
/// So many findings are shown.
const MOST: usize = 100;

/// The findings, the first hundred of them.
pub(super) fn views(text: &str, findings: &[GameFinding]) -> Vec<FindingView> {
    findings.iter().take(MOST).map(|finding| view(text, finding)).collect()
}

fn view(text: &str, finding: &GameFinding) -> FindingView {
    let (start, end) = (finding.place.start, finding.place.end);
    let nowhere = start == 0 && end == 0;
    let [before, marked, after] = if nowhere { Default::default() } else { cut(text, start, end) };
    FindingView {
        mood: match finding.severity.as_str() {
            "error" => "bad",
            "warning" => "warn",
            _ => "note",
        },
        severity: finding.severity.clone(),
        code: finding.code.clone(),
        message: finding.message.clone(),
        hint: finding.hint.clone(),
        line: if nowhere { 0 } else { finding.place.line },
        column: finding.place.column,
        end_line: finding.place.end_line,
        end_column: finding.place.end_column,
        before,
        marked,
        after,
        labels: finding
            .labels
            .iter()
            .map(|(place, text)| LabelView { line: place.line, text: text.clone() })
            .collect(),
    }
}

/// What stands in the first line of a place before it, in it, and after it. Lines end in all three ways.
fn cut(text: &str, start: usize, end: usize) -> [String; 3] {
    let is_end = |c: char| c == '\n' || c == '\r';
    let (Some(upto), Some(from)) = (text.get(..start), text.get(start..)) else { return Default::default() };
    let before = upto.rsplit(is_end).next().unwrap_or_default();
    let rest = from.split(is_end).next().unwrap_or_default();
    let marked = rest.get(..end.saturating_sub(start)).unwrap_or(rest);
    let after = rest.get(marked.len()..).unwrap_or_default();
    let skipped = before.chars().count().saturating_sub(SHOWN);
    let first = |text: &str| text.chars().take(SHOWN).collect::<String>();
    // What ends too early is missing behind the last character.
    let marked = if marked.is_empty() { " ".to_owned() } else { first(marked) };
    [before.chars().skip(skipped).collect(), marked, first(after)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_cut_out_of_its_line() {
        let text = "(role a)\r\n(init (p ?x))\n";
        let at = text.find("?x").unwrap();
        assert_eq!(cut(text, at, at + 2), ["(init (p ", "?x", "))"]);
        assert_eq!(cut(text, 0, text.len()), ["", "(role a)", ""]);
        assert_eq!(cut(text, text.len(), text.len()), ["", " ", ""]);
        assert_eq!(cut("é", 1, 2), ["", "", ""], "between bytes of a character there is nothing");
    }

    #[test]
    fn a_line_as_long_as_a_file_is_not_shown_whole() {
        let text = "x".repeat(5000);
        let [before, marked, after] = cut(&text, 2000, 3000);
        assert_eq!([before.len(), marked.len(), after.len()], [SHOWN; 3]);
    }
}
