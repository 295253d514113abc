//! What a kind of finding means.

use ludex::gdl::Check;

use super::Outcome;

/// Explains a kind of finding by its code or name, with an example and its mending.
///
/// # Errors
/// There is no such kind.
pub fn explain(finding: &str) -> Result<Outcome, String> {
    let check = Check::find(finding).ok_or_else(|| format!("there is no check `{finding}`"))?;
    let explanation = check.explanation();
    let text = format!(
        "{} ({}, {}): {}\n\n{}\n\nAn example:\n\n{}\nMended:\n\n{}",
        check.code,
        check.name,
        check.severity,
        explanation.title,
        explanation.text,
        explanation.example,
        explanation.mended,
    );
    Ok(Outcome::new(format!("{}: {}", check.code, explanation.title), text))
}
