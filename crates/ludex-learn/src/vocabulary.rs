//! The words in which a game is told: constants, and relations with their columns.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A constant: the name of an object, a number.
pub type Constant = u32;
/// What stands in the columns of a relation.
pub type Tuple = SmallVec<[Constant; 4]>;
/// A relation, by its number in a [`Vocabulary`].
pub type RelationId = usize;

/// What a relation says something of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The same in all states.
    Static,
    /// A state: `(true ...)`.
    State,
    /// The moves that are made in it: `(does ...)`.
    Moves,
    /// What is to be learned: `next`, `legal`, `goal`, `terminal`.
    Target,
}

/// A literal with holes for constants: `(true (cell _ _ _))`. A term with functions is one relation for each way in
/// which they are nested, so that only constants are left to compare.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The text before, between and after the holes.
    pieces: Vec<String>,
}

impl Shape {
    /// A literal that has a constant after each of these pieces but the last.
    pub(crate) fn new(pieces: Vec<String>) -> Self {
        debug_assert!(!pieces.is_empty());
        Self { pieces }
    }

    /// How many holes it has.
    pub fn columns(&self) -> usize {
        self.pieces.len() - 1
    }

    /// The literal with these words in its holes.
    pub fn fill<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> String {
        let mut text = self.pieces[0].clone();
        for (word, piece) in words.into_iter().zip(&self.pieces[1..]) {
            text.push_str(word);
            text.push_str(piece);
        }
        text
    }

    /// Its text until a column, with a hole for each column before.
    fn until(&self, column: usize) -> String {
        self.pieces[..=column].join("_")
    }

    /// The same literal under another keyword: `(true (cell _ _))` for `(next (cell _ _))`.
    pub(crate) fn under(&self, from: &str, to: &str) -> Option<Self> {
        let rest = self.pieces[0].strip_prefix(&format!("({from} "))?;
        let mut pieces = self.pieces.clone();
        pieces[0] = format!("({to} {rest}");
        Some(Self { pieces })
    }

    /// The first name in it: `true`, `next`, `legal`...
    pub fn keyword(&self) -> &str {
        self.pieces[0].trim_start_matches('(').split([' ', ')']).next().unwrap_or_default()
    }

    /// The name at its front, without its keyword where it has one.
    pub fn name(&self) -> &str {
        let words = self.pieces[0].split(['(', ' ', ')']).filter(|word| !word.is_empty());
        let mut words = words.take(2);
        let first = words.next().unwrap_or_default();
        match first {
            "true" | "next" | "does" | "legal" => words.next().unwrap_or(first),
            _ => first,
        }
    }
}

/// A relation.
#[derive(Clone, Debug)]
pub struct Relation {
    /// How it is written.
    pub shape: Shape,
    /// What it speaks of.
    pub part: Part,
}

/// All constants and relations that were met.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    names: Vec<String>,
    constants: FxHashMap<String, Constant>,
    relations: Vec<Relation>,
    shapes: FxHashMap<Shape, RelationId>,
}

impl Vocabulary {
    /// The constant of this name.
    pub fn constant(&mut self, name: &str) -> Constant {
        if let Some(&known) = self.constants.get(name) {
            return known;
        }
        let new = Constant::try_from(self.names.len()).unwrap_or(Constant::MAX);
        self.names.push(name.to_owned());
        self.constants.insert(name.to_owned(), new);
        new
    }

    /// Its name.
    pub fn name(&self, constant: Constant) -> &str {
        &self.names[constant as usize]
    }

    /// How many constants there are.
    pub fn constants(&self) -> usize {
        self.names.len()
    }

    /// The relation that is written so.
    pub fn relation(&mut self, shape: Shape, part: Part) -> RelationId {
        if let Some(&known) = self.shapes.get(&shape) {
            return known;
        }
        self.shapes.insert(shape.clone(), self.relations.len());
        self.relations.push(Relation { shape, part });
        self.relations.len() - 1
    }

    /// The relation that is written so, where one was met.
    pub(crate) fn find(&self, shape: &Shape) -> Option<RelationId> {
        self.shapes.get(shape).copied()
    }

    /// A relation.
    pub fn get(&self, relation: RelationId) -> &Relation {
        &self.relations[relation]
    }

    /// Whether a term with arguments can stand where a relation has a column: in another one that is written the same
    /// way until there.
    pub(crate) fn has_compound(&self, relation: RelationId, column: usize) -> bool {
        let it = &self.relations[relation];
        let until = it.shape.until(column) + "(";
        self.relations.iter().any(|other| {
            other.part == it.part && other.shape.until(other.shape.columns()).starts_with(&until)
        })
    }

    /// How many relations there are.
    pub fn relations(&self) -> usize {
        self.relations.len()
    }

    /// How many columns a relation has.
    pub fn columns(&self, relation: RelationId) -> usize {
        self.relations[relation].shape.columns()
    }

    /// A literal of a relation with `_` in its columns, as it is told to people: `(next (cell _ _ _))`.
    pub fn pattern(&self, relation: RelationId) -> String {
        self.get(relation).shape.fill(std::iter::repeat_n("_", self.columns(relation)))
    }

    /// A ground literal as text.
    pub fn text(&self, relation: RelationId, tuple: &[Constant]) -> String {
        self.relations[relation].shape.fill(tuple.iter().map(|&constant| self.name(constant)))
    }
}
