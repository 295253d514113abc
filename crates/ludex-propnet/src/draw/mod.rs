//! Nets as pictures and as data: DOT, SVG and JSON. Functions answer text; writing it anywhere is up
//! to the caller.

mod dot;
mod json;
mod layers;
mod order;
mod place;
mod route;
mod shape;
mod svg;

use ludex_gdl::Notation;

use crate::net::{NodeId, NodeKind, Propnet};
use crate::simulate::Marking;

/// Nets with more nodes than this are not drawn unless the caller sets another limit.
pub const DRAWING_LIMIT: usize = 2000;

/// What is true in a picture with a marking is filled with this.
const TRUE: &str = "#8fd19e";

/// Why a net is not drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawError {
    /// Nobody could read the picture.
    #[error(
        "a net of {nodes} nodes is too large to draw (the limit is {limit}); ask for its statistics, or for \
         the DOT text and a program that draws large graphs"
    )]
    TooLarge {
        /// The nodes of the net.
        nodes: usize,
        /// The most that are drawn.
        limit: usize,
    },
}

impl Propnet {
    /// The net in the DOT language of Graphviz, of any size. Propositions are ellipses with their
    /// names, connectives have the shapes nearest to those of logic gates, and the arc from a
    /// transition to its base does not count for the ranks. With a marking, what is true is filled and
    /// nothing else.
    pub fn draw_dot(&self, notation: Notation, marking: Option<&Marking>) -> String {
        dot::draw(self, notation, marking)
    }

    /// The net as an SVG document, layered from left to right as in the figures of book chapter 9:
    /// propositions round with their names, and-gates, or-gates and inverters as in circuit diagrams,
    /// transitions as boxes; what leads from a transition back to its base runs around the rest. With a
    /// marking, what is true is filled and nothing else, and a legend says so.
    ///
    /// # Errors
    /// [`DrawError::TooLarge`] for nets of more than `limit` nodes ([`DRAWING_LIMIT`] is a good one).
    pub fn draw_svg(
        &self,
        notation: Notation,
        limit: usize,
        marking: Option<&Marking>,
    ) -> Result<String, DrawError> {
        if self.node_count() > limit {
            return Err(DrawError::TooLarge { nodes: self.node_count(), limit });
        }
        Ok(svg::draw(self, notation, marking))
    }

    /// The net as a JSON object:
    ///
    /// * `roles`: the roles, as terms;
    /// * `nodes`: an array; node `i` is at place `i` and has `id`, `kind` (`input`, `base`, `view`,
    ///   `negation`, `conjunction`, `disjunction`, `transition`), `name` (absent for nodes without a
    ///   name; the whole atom, such as `does(white,a)`), for bases `initial`, and with a marking `marked`;
    /// * `edges`: an array of pairs of node ids, from source to reader, sources in order;
    /// * `inputs`, `legals`: per role an array of node ids;
    /// * `legal_inputs`: per role the inputs that belong to `legals`, one for one;
    /// * `rewards`: per role an array of `{"value": 100, "node": 7}`;
    /// * `percepts`: per role an array of `{"percept": "p", "node": 9}`;
    /// * `bases`: node ids, the propositions of the state first, then `latches` many that always hold;
    /// * `terminal`: a node id.
    ///
    /// Names are written in the given notation. Fields may be added in later versions.
    pub fn to_json(&self, notation: Notation, marking: Option<&Marking>) -> serde_json::Value {
        json::value(self, notation, marking)
    }

    /// What leads to a node from the left in a picture: all sources, but none to a base.
    fn drawn_sources(&self, node: NodeId) -> &[NodeId] {
        if self.kind(node) == NodeKind::Base { &[] } else { self.sources(node) }
    }
}
