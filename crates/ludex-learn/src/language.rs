//! The language of hypotheses: what may be asked of an example, a state and an atom that may hold of it.
//!
//! In games most things are decided by others: a cell has one content, a role makes one move, a number one successor.
//! So the variables of a rule are those of its head and what relations say, one after the other, of values that are
//! known already ([`Link`]); each has one value in an example. That is what makes rules over such variables as quick
//! to try as propositions (the determinate literals of S. Muggleton and C. Feng, Efficient induction of logic
//! programs, 1990, and of N. Lavrač and S. Džeroski, LINUS, 1991).

mod builder;

use builder::Builder;
use rustc_hash::FxHashSet;

use crate::columns::{Column, Columns};
use crate::vocabulary::{Constant, RelationId, Vocabulary};

/// A value: a constant, or a variable by its number in a [`Language`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Operand {
    Constant(Constant),
    Variable(usize),
}

impl Operand {
    /// The variable, if it is one.
    pub fn variable(self) -> Option<usize> {
        match self {
            Self::Constant(_) => None,
            Self::Variable(variable) => Some(variable),
        }
    }
}

/// A fact that is looked up by some of its columns; there is one at most.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Link {
    pub relation: RelationId,
    /// By column: what it is looked up by; `None` where it says what is there.
    pub keys: Vec<Option<Operand>>,
}

/// Where a variable comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A column of the head.
    Head(usize),
    /// A column of a link, by its number.
    Link(usize, usize),
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub source: Source,
    /// The column whose values it has.
    pub column: Column,
    /// How many facts are looked up, one by the other, to find it.
    pub depth: usize,
    /// What a rule with it costs more.
    pub cost: f32,
    /// The tuple that it is of, and its place there: of the head, of a move... What a step leads to from a place
    /// belongs to the same.
    family: (usize, usize),
}

/// Something that holds of an example or does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Test {
    /// Both values are there and are the same.
    Equal(usize, Operand),
    /// Both values are there and differ.
    Differ(usize, Operand),
    /// There is such a fact; `None` stands for anything.
    Holds(RelationId, Vec<Option<Operand>>),
    /// The values are there, and there is no such fact.
    HoldsNot(RelationId, Vec<Option<Operand>>),
    /// All facts of a relation have this constant in a column, or not all.
    All { relation: RelationId, column: usize, value: Constant, is_so: bool },
    /// So many cells in a row have this content.
    Line { pattern: usize, value: Operand, is_there: bool },
}

impl Test {
    /// The variables that it compares.
    pub fn variables(&self) -> Vec<usize> {
        match self {
            Self::Equal(variable, operand) | Self::Differ(variable, operand) => {
                [*variable].into_iter().chain(operand.variable()).collect()
            }
            Self::Holds(_, values) | Self::HoldsNot(_, values) => {
                values.iter().flatten().filter_map(|value| value.variable()).collect()
            }
            Self::All { .. } => Vec::new(),
            Self::Line { value, .. } => value.variable().into_iter().collect(),
        }
    }
}

/// How far the language goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// How many facts are looked up, one by the other.
    pub depth: usize,
    /// How often a step is made by an order, from what is one in all states.
    pub steps: usize,
    /// Whether single cells are looked at that the head does not name.
    pub constants: bool,
    /// Whether lines of cells are looked at.
    pub lines: bool,
    /// Whether any two numbers are added up.
    pub sums: bool,
}

/// From the smallest language to the largest.
pub(crate) const REACHES: [Reach; 7] = [
    Reach { depth: 1, steps: 0, constants: false, lines: false, sums: false },
    Reach { depth: 2, steps: 1, constants: false, lines: false, sums: false },
    Reach { depth: 2, steps: 0, constants: false, lines: false, sums: true },
    Reach { depth: 2, steps: 1, constants: true, lines: true, sums: false },
    Reach { depth: 3, steps: 5, constants: false, lines: true, sums: false },
    Reach { depth: 4, steps: 2, constants: false, lines: false, sums: false },
    Reach { depth: 4, steps: 5, constants: true, lines: true, sums: false },
];

const MOST_LINKS: usize = 600;
const MOST_TESTS: usize = 16_000;
const HEAD: usize = usize::MAX;

/// The language for one target.
#[derive(Debug)]
pub(crate) struct Language {
    pub links: Vec<Link>,
    pub variables: Vec<Variable>,
    pub tests: Vec<(Test, f32)>,
    pub patterns: Vec<LinePattern>,
    /// All links again, to be found.
    known: FxHashSet<Link>,
    /// Per link: what it costs itself, and which links it needs, itself among them.
    costs: Vec<f32>,
    with: Vec<Vec<usize>>,
    /// Per link: its first variable.
    first: Vec<usize>,
    /// Tests that cost as much are not asked.
    costliest: f32,
}

/// A way in which cells stand in a row: those of a relation `(cell x y content)`, one step of an order apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LinePattern {
    /// The relation of the cells, its two columns of places and that of contents.
    pub relation: RelationId,
    pub places: [usize; 2],
    pub content: usize,
    /// For each of the two places: the order by which steps are made.
    pub orders: [RelationId; 2],
    /// The steps: any of these.
    pub directions: Vec<(i8, i8)>,
    pub length: usize,
}

impl Language {
    /// What can be said about a target within a reach.
    pub fn new(target: RelationId, columns: &Columns, vocabulary: &Vocabulary, reach: Reach) -> Self {
        let head = |column| Variable {
            source: Source::Head(column),
            column: (target, column),
            depth: 0,
            cost: 0.0,
            family: (HEAD, column),
        };
        let variables = (0..vocabulary.columns(target)).map(head).collect();
        let mut language = Self {
            links: Vec::new(),
            variables,
            tests: Vec::new(),
            patterns: Vec::new(),
            known: FxHashSet::default(),
            costs: Vec::new(),
            with: Vec::new(),
            first: Vec::new(),
            costliest: f32::INFINITY,
        };
        let builder = Builder { columns, vocabulary, reach, target };
        builder.add_links(&mut language);
        if reach.lines {
            builder.add_patterns(&mut language);
        }
        builder.add_tests(&mut language);
        language.keep_cheapest();
        language
    }

    /// The number of the first variable of a link; those of one link follow each other.
    pub fn first_variable(&self, link: usize) -> usize {
        self.first[link]
    }

    /// The links that tests need, each after those that it needs itself.
    pub fn links_of_tests<'t>(&self, tests: impl IntoIterator<Item = &'t Test>) -> Vec<usize> {
        // A link was made after the variables that it is found by.
        self.links_together(tests.into_iter().flat_map(Test::variables))
    }

    /// Per variable: whether the state alone decides it.
    pub fn single(&self) -> Vec<bool> {
        let mut single = vec![false; self.variables.len()];
        for (number, variable) in self.variables.iter().enumerate() {
            if let Source::Link(link, _) = variable.source {
                let keys = self.links[link].keys.iter().flatten();
                single[number] = keys.filter_map(|key| key.variable()).all(|key| single[key]);
            }
        }
        single
    }

    /// The links that a variable is found by.
    fn links_of(&self, variable: usize) -> &[usize] {
        match self.variables[variable].source {
            Source::Head(_) => &[],
            Source::Link(link, _) => &self.with[link],
        }
    }

    /// What variables cost together: a link that several need is written once.
    fn cost_of(&self, variables: impl Iterator<Item = usize>) -> f32 {
        self.links_together(variables).iter().map(|&link| self.costs[link]).sum()
    }

    /// What two variables cost together.
    fn cost_of_two(&self, first: usize, second: usize) -> f32 {
        let (mine, others) = (self.links_of(first), self.links_of(second));
        let both = mine.iter().filter(|link| others.binary_search(link).is_ok());
        let both: f32 = both.map(|&link| self.costs[link]).sum();
        self.variables[first].cost + self.variables[second].cost - both
    }

    fn links_together(&self, variables: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut links: Vec<usize> = variables.flat_map(|variable| self.links_of(variable)).copied().collect();
        links.sort_unstable();
        links.dedup();
        links
    }

    /// What an operand costs in a rule.
    fn cost(&self, operand: Operand) -> f32 {
        match operand {
            Operand::Constant(_) => 0.5,
            Operand::Variable(variable) => self.variables[variable].cost,
        }
    }

    fn add_link(&mut self, link: Link, depth: usize, family: Option<(usize, usize)>) {
        if self.known.contains(&link) || self.links.len() >= MOST_LINKS {
            return;
        }
        let number = self.links.len();
        self.first.push(self.variables.len());
        let mut with = vec![number];
        let mut own_cost = 1.0;
        for key in link.keys.iter().flatten() {
            match *key {
                Operand::Constant(_) => own_cost += 0.5,
                Operand::Variable(variable) => with.extend(self.links_of(variable)),
            }
        }
        with.sort_unstable();
        with.dedup();
        self.costs.push(own_cost);
        let cost = with.iter().map(|&link| self.costs[link]).sum();
        self.with.push(with);
        for (column, key) in link.keys.iter().enumerate() {
            if key.is_none() {
                self.variables.push(Variable {
                    source: Source::Link(number, column),
                    column: (link.relation, column),
                    depth,
                    cost,
                    family: family.unwrap_or((number, column)),
                });
            }
        }
        self.known.insert(link.clone());
        self.links.push(link);
    }

    fn add_test(&mut self, test: Test, cost: f32) {
        if cost < self.costliest {
            self.tests.push((test, cost));
        }
        if self.tests.len() >= 2 * MOST_TESTS {
            self.keep_cheapest();
        }
    }

    /// Leaves as many tests as are asked.
    fn keep_cheapest(&mut self) {
        self.tests.sort_by(|a, b| a.1.total_cmp(&b.1));
        if self.tests.len() > MOST_TESTS {
            self.tests.truncate(MOST_TESTS);
            self.costliest = self.tests[MOST_TESTS - 1].1;
        }
    }
}
