//! The structure of a game's states: which facts are boards, and how they lie.
//!
//! What is looked for, in this order:
//! - *grids*: a functor with two columns whose values are ordered, by numbers or by a relation of the
//!   rules that leads from each value to the next, such that hardly ever two facts fall on one cell;
//!   with a third column as the number of the board, or four as a board of boards;
//! - *hexagons*: cells that some static relation of the rules links to six neighbours;
//! - *marks, walls and lines*: further functors over the same coordinates;
//! - *towers*: `on(a,b)` where nothing stands on two things, and no two on one; *stacks*: numbered things at
//!   places that moves name, as discs on pegs;
//! - *networks*: cells with names of their own, laid out by a static relation, by their names or around a ring;
//! - *heaps and rows*: one column that tells the places apart, and an amount or a content;
//! - *hands*: what roles hold, and other cards;
//! - *trays*, where there is nothing but these: dice, counters and tracks of roles, things to choose from, lights.
//!
//! Facts of all other kinds are listed. Names do not matter for any of this; see the labels and
//! [`orientation`] for the little that they are used for.

mod assemble;
mod board;
mod cards;
mod directions;
mod dressing;
mod figures;
mod finish;
mod hands;
mod hexagons;
mod hints;
mod kinds;
mod labels;
mod lattice;
mod networks;
mod order;
mod orientation;
mod piles;
mod placing;
mod planes;
mod references;
mod sample;
mod search;
mod sides;
mod trays;
mod whole;

use std::sync::Arc;

use ludex_game::{Machine, TimedMachine};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::{Budget, TermId, Terms};

pub use board::{Board, BoardShape};
pub(crate) use board::{Filled, Spot};
pub(crate) use cards::suit_of;
use directions::Directions;
pub(crate) use directions::{things, way};
pub(crate) use figures::{Chessman, Figure};
use hints::Hints;
pub(crate) use kinds::{Kinds, Row};
pub(crate) use labels::{COLOURS, Owner, Sign};
use lattice::Neighbours;
pub(crate) use order::{Evidence, Successors};
pub use planes::BoardPlanes;
pub(crate) use references::{DEEP, References, flat_term};

/// What is known of a game beside its rules.
struct Sampled {
    terms: Arc<Terms>,
    notation: Notation,
    /// The facts that can ever hold, where that is known.
    propositions: Vec<TermId>,
    states: Vec<Vec<TermId>>,
    directions: Directions,
    /// The moves that are known from the beginning.
    moves: Vec<TermId>,
}

/// The boards of a game, and what is needed to draw its states.
///
/// ```
/// use ludex_analysis::{Structure, TextStyle};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let structure = Structure::find(rules.program(), &**rules.machine(), &Default::default());
/// assert_eq!(structure.boards().len(), 1);
/// let picture = structure.draw_text(&rules.facts(rules.initial()), &TextStyle::PLAIN);
/// assert!(picture.lines().count() >= 3, "{picture}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Structure {
    pub(crate) terms: Arc<Terms>,
    pub(crate) notation: Notation,
    pub(crate) kinds: Kinds,
    pub(crate) boards: Vec<Board>,
    pub(crate) references: References,
    remarks: Vec<String>,
}

impl Structure {
    /// Looks at the rules of a game and at a few of its states for boards.
    ///
    /// Always answers: where the budget ends early or nothing looks like a board, there are fewer
    /// boards or none, and everything is listed. The same game gives the same structure.
    pub fn find(game: &GameProgram, machine: &dyn Machine, budget: &Budget) -> Self {
        let signature = machine.signature();
        let sampled = Sampled {
            terms: Arc::clone(signature.terms()),
            notation: signature.notation(),
            propositions: signature.propositions(),
            states: sample::sample(machine, budget),
            directions: Directions::watch(machine, budget),
            moves: signature.actions(),
        };
        Self::of_sample(game, sampled, budget)
    }

    /// As [`Structure::find`], for a game in real time. How long facts hold does not matter for how they are drawn.
    pub fn find_in_time(game: &GameProgram, machine: &dyn TimedMachine, budget: &Budget) -> Self {
        let sampled = Sampled {
            terms: Arc::clone(machine.terms()),
            notation: machine.notation(),
            propositions: Vec::new(),
            states: sample::sample_in_time(machine, budget),
            directions: Directions::default(),
            moves: Vec::new(),
        };
        Self::of_sample(game, sampled, budget)
    }

    fn of_sample(game: &GameProgram, sampled: Sampled, budget: &Budget) -> Self {
        let (terms, notation) = (Arc::clone(&sampled.terms), sampled.notation);
        let kinds = Kinds::new(&terms, &sampled.propositions, &sampled.states);
        let neighbours = Neighbours::new(game, budget);
        let hints = Hints::read(game.source.text());
        let references = References::of(game, neighbours.changing());
        let boards = assemble::boards(game, sampled, &kinds, neighbours, &references, &hints);
        let remarks = hints.remarks(&terms, &kinds, &boards);
        Self { terms, notation, kinds, boards, references, remarks }
    }

    /// The boards, the most important one first.
    pub fn boards(&self) -> &[Board] {
        &self.boards
    }

    /// What is wrong with hints of the author about pictures: a line each. A hint that is wrong changes nothing.
    ///
    /// A hint is a comment of its own that begins with `ludex:`: `; ludex: draw wk as crowned` says what a thing
    /// looks like, and `; ludex: rows cell 2 up` that the second argument of `cell` is the row, counted
    /// upwards; without `up` rows are counted from the top.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The facts as rows of their kinds, and the facts of no kind.
    pub(crate) fn rows(&self, facts: &[TermId]) -> (Vec<(usize, Row)>, Vec<TermId>) {
        let mut rows = Vec::new();
        let mut strange = Vec::new();
        let mut row = Row::new();
        for &fact in facts {
            match self.kinds.row(&self.terms, fact, &mut row) {
                Some(kind) => rows.push((kind, row.clone())),
                None => strange.push(fact),
            }
        }
        (rows, strange)
    }

    /// A term as the rulesheet would write it.
    pub(crate) fn text(&self, term: TermId) -> String {
        self.terms.shown_in(term, self.notation)
    }
}
