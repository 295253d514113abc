//! What the checks share: the literals of every clause with their places, and the dependencies.

use std::cell::Cell;
use std::ops::Range;

use ludex_logic::dependency::{Dependencies, Edge};
use ludex_logic::{
    Atom, Clause, ClauseId, Formula, Id, IdVec, Pattern, Program, RelationId, SymbolId, TermView, VariableId,
};

use crate::game_program::{GameProgram, Vocabulary};
use crate::source::Span;
use crate::tree::{Item, NodeId, NodeKind, Rulesheet, Tree};

/// What a literal asks.
#[derive(Clone, Copy)]
pub(super) enum Question<'a> {
    Atom(&'a Atom),
    Distinct(&'a Pattern, &'a Pattern),
}

/// A subgoal at the bottom of a body.
#[derive(Clone, Copy)]
pub(super) struct Literal<'a> {
    pub node: NodeId,
    /// Whether it stands under an odd number of negations.
    pub negated: bool,
    pub question: Question<'a>,
}

impl<'a> Literal<'a> {
    /// The atom, unless the literal is a `distinct`.
    pub fn atom(&self) -> Option<&'a Atom> {
        match self.question {
            Question::Atom(atom) => Some(atom),
            Question::Distinct(..) => None,
        }
    }
}

/// The name of a term, and how many arguments it has; a constant has none.
pub(super) type Shape = (SymbolId, Option<usize>);

/// A rulesheet with what was worked out about it.
pub(super) struct Context<'a> {
    pub rulesheet: &'a Rulesheet,
    pub tree: &'a Tree,
    pub game: &'a GameProgram,
    pub program: &'a Program,
    pub vocabulary: &'a Vocabulary,
    pub broken: &'a IdVec<ClauseId, bool>,
    pub dependencies: Dependencies,
    pub clauses_by_head: IdVec<RelationId, Vec<ClauseId>>,
    /// The connectives of all bodies, in text order.
    pub connectives: Vec<NodeId>,
    comparisons: Cell<usize>,
    literals: Vec<Literal<'a>>,
    literal_ranges: IdVec<ClauseId, Range<usize>>,
}

impl<'a> Context<'a> {
    pub fn new(rulesheet: &'a Rulesheet, game: &'a GameProgram, broken: &'a IdVec<ClauseId, bool>) -> Self {
        let program = &game.program;
        let mut context = Self {
            rulesheet,
            tree: &rulesheet.tree,
            game,
            program,
            vocabulary: &game.vocabulary,
            broken,
            dependencies: Dependencies::new(program),
            clauses_by_head: program.clauses_by_head(),
            connectives: Vec::new(),
            comparisons: Cell::new(MAX_COMPARISONS),
            literals: Vec::new(),
            literal_ranges: IdVec::new(),
        };
        for (clause, item) in program.clauses.iter().zip(&rulesheet.items) {
            let start = context.literals.len();
            if let (Some(nodes), Formula::And(parts)) = (&item.body, &clause.body) {
                for (&node, part) in nodes.iter().zip(parts) {
                    context.collect(part, node, false);
                }
            }
            context.literal_ranges.push(start..context.literals.len());
        }
        context
    }

    /// Walks a formula and its nodes side by side; lowering has limited the depth.
    fn collect(&mut self, formula: &'a Formula, node: NodeId, negated: bool) {
        let question = match formula {
            Formula::Atom(atom) => Question::Atom(atom),
            Formula::Distinct(left, right) => Question::Distinct(left, right),
            Formula::Not(inner) => {
                self.connectives.push(node);
                if let Some(&child) = self.tree.children(node).first() {
                    self.collect(inner, child, !negated);
                }
                return;
            }
            Formula::And(parts) | Formula::Or(parts) => {
                self.connectives.push(node);
                let tree = self.tree;
                for (part, &child) in parts.iter().zip(tree.children(node)) {
                    self.collect(part, child, negated);
                }
                return;
            }
        };
        self.literals.push(Literal { node, negated, question });
    }

    /// What a term looks like from outside; `None` for a variable.
    pub fn shape(&self, pattern: &Pattern) -> Option<Shape> {
        match pattern {
            Pattern::Variable(_) => None,
            Pattern::Compound(name, args) => Some((*name, Some(args.len()))),
            Pattern::Ground(term) => Some(match self.program.terms.view(*term) {
                TermView::Constant(name) => (name, None),
                TermView::Compound(name, args) => (name, Some(args.len())),
            }),
        }
    }

    /// All clauses with their items.
    pub fn clauses(&self) -> impl Iterator<Item = (ClauseId, &'a Clause, &'a Item)> + use<'a> {
        let items = &self.rulesheet.items;
        self.program.clauses.entries().zip(items).map(|((id, clause), item)| (id, clause, item))
    }

    /// The atoms of all heads, then those of all literals, in text order.
    pub fn atoms(&self) -> impl Iterator<Item = (NodeId, &'a Atom)> {
        let heads = self.clauses().map(|(_, clause, item)| (item.head, &clause.head));
        heads.chain(self.literals.iter().filter_map(|l| Some((l.node, l.atom()?))))
    }

    /// All literals in text order.
    pub fn literals(&self) -> &[Literal<'a>] {
        &self.literals
    }

    /// The literals of one clause.
    pub fn literals_of(&self, clause: ClauseId) -> &[Literal<'a>] {
        &self.literals[self.literal_ranges[clause].clone()]
    }

    /// Where the item of a clause is written.
    pub fn span(&self, clause: ClauseId) -> Span {
        self.game.spans[clause]
    }

    /// Where the head of a clause is written.
    pub fn head_span(&self, clause: ClauseId) -> Span {
        self.tree.span(self.rulesheet.items[clause.index()].head)
    }

    /// The first literal of the clause about the relation, else the whole clause.
    pub fn use_span(&self, clause: ClauseId, relation: RelationId) -> Span {
        self.literals_of(clause)
            .iter()
            .find(|l| l.atom().is_some_and(|a| a.relation == relation))
            .map_or_else(|| self.span(clause), |l| self.tree.span(l.node))
    }

    /// Where an edge of the dependency graph is written.
    pub fn edge_span(&self, edge: &Edge) -> Span {
        self.literals_of(edge.clause)
            .iter()
            .find(|l| l.negated == edge.negative && l.atom().is_some_and(|a| a.relation == edge.body))
            .map_or_else(|| self.span(edge.clause), |l| self.tree.span(l.node))
    }

    /// An edge in words.
    pub fn edge_text(&self, edge: &Edge) -> String {
        let (head, body) = (self.name(edge.head), self.name(edge.body));
        let negation = if edge.negative { "the negation of " } else { "" };
        format!("`{head}` depends on {negation}`{body}`")
    }

    /// The name of a relation.
    pub fn name(&self, relation: RelationId) -> &'a str {
        self.program.relation_name(relation)
    }

    /// Whether the relation stands for an atom that could not be read.
    pub fn is_unreadable(&self, relation: RelationId) -> bool {
        self.name(relation).starts_with('\u{1}')
    }

    /// The name of a constant or compound; `None` for others.
    pub fn node_name(&self, node: NodeId) -> Option<&'a str> {
        self.tree.head(node).map(|(name, _)| name)
    }

    /// Where the name of a constant or compound is written.
    pub fn name_span(&self, node: NodeId) -> Span {
        match &self.tree.node(node).kind {
            NodeKind::Compound { name_span, .. } => *name_span,
            _ => self.tree.span(node),
        }
    }

    /// A variable as the notation writes it.
    pub fn variable(&self, name: SymbolId) -> String {
        self.rulesheet.notation.variable(self.program.terms.name(name))
    }

    /// The first place in a node where the variable occurs.
    pub fn variable_span(&self, node: NodeId, clause: &Clause, variable: VariableId) -> Option<Span> {
        let wanted = self.tree.find_name(self.program.terms.name(clause.variables[variable]))?;
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            match self.tree.node(node).kind {
                NodeKind::Variable(name) if name == wanted => return Some(self.tree.span(node)),
                _ => stack.extend(self.tree.children(node).iter().rev()),
            }
        }
        None
    }

    /// Calls `visit` for each node that stands for a term, in text order within a clause.
    pub fn terms(&self, mut visit: impl FnMut(NodeId)) {
        let heads = self.clauses().map(|(_, _, item)| item.head);
        let mut stack: Vec<NodeId> = Vec::new();
        for sentence in heads.chain(self.literals.iter().map(|l| l.node)) {
            stack.extend(self.tree.children(sentence).iter().rev());
            while let Some(node) = stack.pop() {
                visit(node);
                stack.extend(self.tree.children(node).iter().rev());
            }
        }
    }

    /// A sentence of a keyword, with a step where the language has them.
    pub fn example(&self, name: &str, args: &[&str]) -> String {
        let has_step = self.game.dialect.has_steps() && !matches!(name, "role" | "percept");
        let step = has_step.then_some("1");
        let args: Vec<&str> = args.iter().copied().chain(step).collect();
        self.sample(name, &args)
    }

    /// A sentence in the notation of the rulesheet, from its name and written arguments.
    pub fn sample(&self, name: &str, args: &[&str]) -> String {
        self.rulesheet.notation.sentence(name, args)
    }

    /// Whether there are comparisons of names left to spend on hints.
    pub fn may_compare(&self) -> bool {
        self.comparisons.get() > 0
    }

    /// The name nearest to a misspelt one, if one is near enough.
    pub fn nearest<'n>(&self, name: &str, among: impl Iterator<Item = &'n str>) -> Option<&'n str> {
        // One slip in a short name, two in a longer one; more is another word.
        let most = match name.chars().count() {
            0..=2 => return None,
            3..=5 => 1,
            _ => 2,
        };
        among
            .take_while(|_| {
                let left = self.comparisons.get();
                self.comparisons.set(left.saturating_sub(1));
                left > 0
            })
            .filter(|&other| other != name && other.len().abs_diff(name.len()) <= 4 * most)
            .filter(|other| other.len() <= 200)
            .map(|other| (strsim::osa_distance(name, other), other))
            .filter(|&(distance, other)| distance <= most && distance < other.chars().count())
            .min()
            .map(|(_, other)| other)
    }
}

/// How many names are compared for hints in one rulesheet: enough for any game, and an end to the
/// square of a million undefined relations.
const MAX_COMPARISONS: usize = 200_000;

/// A number of arguments in words.
pub(super) fn arguments(count: usize) -> String {
    match count {
        0 => "no argument".into(),
        1 => "one argument".into(),
        2 => "two arguments".into(),
        _ => format!("{count} arguments"),
    }
}
