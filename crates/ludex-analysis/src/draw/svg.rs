//! States as SVG documents.

use ludex_logic::TermId;

use crate::structure::Structure;

/// See [`Structure::draw_svg`].
pub(crate) fn draw(structure: &Structure, facts: &[TermId]) -> String {
    let _ = (structure, facts);
    String::new()
}
