//! Breadth first: the shortest plans first, no state twice (book chapter 5).

use ludex_game::{ActionId, Answer, StateNumber, StateTable};

use super::method::{Incumbent, Method, Progress, plan};
use super::space::{Space, TOGETHER};

/// Breadth-first search over packed states, many at once.
pub(super) struct Breadth {
    name: &'static str,
    table: StateTable,
    /// Whether nothing but equal states are one, so that coming to the end proves something.
    is_exact: bool,
    memory: usize,
    /// The states of the layer that is being expanded that are not terminal, with their moves.
    layer: Layer,
    next: Layer,
    /// The next state of the layer.
    at: usize,
}

/// States with their legal moves.
#[derive(Default)]
struct Layer {
    nodes: Vec<StateNumber>,
    moves: Vec<ActionId>,
    ends: Vec<usize>,
}

impl Layer {
    fn clear(&mut self) {
        self.nodes.clear();
        self.moves.clear();
        self.ends.clear();
    }

    fn push(&mut self, node: StateNumber, moves: &[ActionId]) {
        self.nodes.push(node);
        self.moves.extend_from_slice(moves);
        self.ends.push(self.moves.len());
    }

    fn moves(&self, at: usize) -> &[ActionId] {
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.moves[begin..self.ends[at]]
    }

    fn bytes(&self) -> usize {
        4 * (self.nodes.len() + self.moves.len()) + 8 * self.ends.len()
    }
}

impl Breadth {
    /// A search from a state that is not terminal, within so many bytes. States that differ only in
    /// the ignored bits are one: the one that was reached first is kept.
    pub(super) fn new(root: &[u64], legal: &[ActionId], ignored: &[u64], memory: usize) -> Self {
        let is_exact = ignored.iter().all(|&word| word == 0);
        let mut table = StateTable::ignoring(ignored);
        let mut layer = Layer::default();
        if let Some(node) = table.add(root, (0, 0)) {
            layer.push(node, legal);
        }
        Self {
            name: if is_exact { "breadth first" } else { "breadth first without the clock" },
            table,
            is_exact,
            memory,
            layer,
            next: Layer::default(),
            at: 0,
        }
    }

    fn bytes(&self) -> usize {
        self.table.bytes() + self.layer.bytes() + self.next.bytes()
    }

    /// Expands the next states of the layer together. After an error they are still the next ones.
    fn expand_some(&mut self, space: &mut Space<'_>, found: &mut Incumbent) -> Answer<()> {
        let Self { name, table, layer, next, .. } = self;
        space.clear();
        let first = self.at;
        let mut end = first;
        let mut left_out = Vec::new();
        while end < layer.nodes.len() && space.waiting() < TOGETHER {
            if !space.add(table.words(layer.nodes[end]), layer.moves(end))? {
                left_out.push(end);
            }
            end += 1;
        }
        let children = space.expand()?;
        let mut number = 0;
        for place in first..end {
            if left_out.contains(&place) {
                continue;
            }
            let parent = layer.nodes[place];
            for &action in layer.moves(place) {
                let look = children.look(number);
                let (words, legal) = (children.words(number), children.legal(number));
                number += 1;
                if look.terminal {
                    found.offer(look.goal, name, || plan(table, parent, action));
                } else if !legal.is_empty()
                    && let Some(node) = table.add(words, (parent, action.0))
                {
                    next.push(node, legal);
                }
            }
        }
        self.at = end;
        Ok(())
    }
}

impl Method for Breadth {
    fn work(&mut self, space: &mut Space<'_>, found: &mut Incumbent, states: u64) -> Answer<Progress> {
        let end = space.states() + states;
        while space.states() < end {
            if self.at == self.layer.nodes.len() {
                if self.next.nodes.is_empty() {
                    let complete = self.is_exact && !space.others_choose();
                    return Ok(if complete { Progress::Complete } else { Progress::GaveUp });
                }
                std::mem::swap(&mut self.layer, &mut self.next);
                self.next.clear();
                self.at = 0;
            }
            // Lists that grow take up to twice the room of what is in them.
            if self.bytes() > self.memory / 2 {
                return Ok(Progress::GaveUp);
            }
            self.expand_some(space, found)?;
            if found.proven {
                break;
            }
        }
        Ok(Progress::Open)
    }
}
