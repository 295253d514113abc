//! The domain graph (book 14.2): which constants and functions can stand in which argument.
//!
//! Vertices are constants, functions, relations and their argument positions; an edge says that
//! what stands at its start can stand at its end. The graph is an over-approximation: what it does
//! not allow never occurs in a model of the program.

mod reduce;
mod table;
#[cfg(test)]
mod tests;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budget::{LimitError, Meter};
use crate::ids::{IdVec, RelationId, SymbolId, TermId, VariableId};
use crate::program::{Atom, Formula, Pattern, Program};
use crate::terms::{TermView, Terms};

pub use reduce::{ReduceError, Reduction};
pub use table::{Domain, DomainValue};

crate::define_id!(
    /// A vertex of a [`DomainGraph`].
    pub VertexId
);

/// Which edges come from what feeds what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edges {
    /// Exactly Def. 14.1: of the feeds only those of `base` and `input`; literals of any sign.
    Definition,
    /// As the definition, but where a given relation has no `base` or `input` with clauses, edges
    /// from everything that feeds it (`init`, `next`, `legal`). Negated and distinct occurrences
    /// of a variable count only where there is no other, since they cannot bind it.
    Extended,
    /// As extended, with all feeds at once: what the rules can produce, declared or not.
    Closed,
}

/// Whether all uses of a function share its argument positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// One vertex `cell[3]`, as in Def. 14.1.
    Shared,
    /// One vertex for each place where the function stands (`init[1]/cell[3]`), which tells the
    /// cells of `init` from those of `next`. A function inside itself shares its outer positions.
    Separate,
}

/// What a vertex stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vertex {
    /// An object constant.
    Constant(SymbolId),
    /// A function with its number of arguments.
    Function(SymbolId, usize),
    /// A relation.
    Relation(RelationId),
    /// An argument of a relation, from 0.
    RelationArgument(RelationId, usize),
    /// An argument, from 0, of a function with that many arguments; `within` is the argument
    /// position the function stands in, for [`Arguments::Separate`].
    FunctionArgument {
        /// The function.
        function: SymbolId,
        /// Its number of arguments.
        arity: usize,
        /// The argument.
        index: usize,
        /// Where the function stands.
        within: Option<VertexId>,
    },
}

/// A constant (no arguments given) or a function with its number of arguments.
type Head = (SymbolId, Option<usize>);

/// The domain graph of a program.
#[derive(Clone, Debug)]
pub struct DomainGraph {
    vertices: IdVec<VertexId, Vertex>,
    numbers: FxHashMap<Vertex, VertexId>,
    edges: Vec<(VertexId, VertexId)>,
    /// The constants and functions that reach each vertex, in canonical order.
    heads: IdVec<VertexId, Vec<Head>>,
    arguments: Arguments,
}

impl DomainGraph {
    /// The graph of all clauses.
    ///
    /// # Errors
    /// A limit of the budget.
    pub fn new(
        program: &Program,
        edges: Edges,
        arguments: Arguments,
        meter: &mut Meter,
    ) -> Result<Self, LimitError> {
        let mut builder = Builder {
            terms: &program.terms,
            graph: Self {
                vertices: IdVec::new(),
                numbers: FxHashMap::default(),
                edges: Vec::new(),
                heads: IdVec::new(),
                arguments,
            },
            seen_edges: FxHashSet::default(),
            successors: IdVec::new(),
            heads: IdVec::new(),
            occurrences: FxHashSet::default(),
            work: Vec::new(),
        };
        for (relation, data) in program.relations.entries() {
            builder.vertex(Vertex::Relation(relation));
            (0..data.arity).for_each(|i| {
                builder.vertex(Vertex::RelationArgument(relation, i));
            });
        }
        for clause in program.clauses.iter() {
            builder.clause(&clause.head, &clause.body, edges, meter)?;
        }
        for feed in feeds(program, edges) {
            for index in 0..program.relations[feed.to].arity {
                let from = builder.vertex(Vertex::RelationArgument(feed.from, index));
                let to = builder.vertex(Vertex::RelationArgument(feed.to, index));
                builder.flow(from, to);
            }
        }
        builder.close(meter)?;
        Ok(builder.finish())
    }

    /// All vertices.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = (VertexId, Vertex)> {
        self.vertices.entries().map(|(id, v)| (id, *v))
    }

    /// The vertex that stands for this, if the program has it.
    pub fn find(&self, vertex: Vertex) -> Option<VertexId> {
        self.numbers.get(&vertex).copied()
    }

    /// What a vertex stands for.
    pub fn vertex(&self, id: VertexId) -> Vertex {
        self.vertices[id]
    }

    /// All edges, ordered.
    pub fn edges(&self) -> &[(VertexId, VertexId)] {
        &self.edges
    }

    /// The vertex of an argument of a relation.
    pub fn argument(&self, relation: RelationId, index: usize) -> Option<VertexId> {
        self.find(Vertex::RelationArgument(relation, index))
    }

    /// The constants that can stand at an argument position, in canonical order.
    pub fn constants(&self, position: VertexId) -> impl Iterator<Item = SymbolId> {
        self.heads[position].iter().filter(|h| h.1.is_none()).map(|h| h.0)
    }

    /// The functions, with their numbers of arguments, that can stand at an argument position.
    pub fn functions(&self, position: VertexId) -> impl Iterator<Item = (SymbolId, usize)> {
        self.heads[position].iter().filter_map(|&(f, arity)| Some((f, arity?)))
    }

    /// The argument position of a function that stands at `position`.
    pub fn inner(
        &self,
        position: VertexId,
        function: SymbolId,
        arity: usize,
        index: usize,
    ) -> Option<VertexId> {
        let within = match self.arguments {
            Arguments::Shared => None,
            Arguments::Separate => Some(fold(&self.vertices, position, function, arity)),
        };
        self.find(Vertex::FunctionArgument { function, arity, index, within })
    }

    /// The number of ground terms that can stand at a position: `None` when there is no bound
    /// because a function can stand inside itself; saturating.
    pub fn size(&self, position: VertexId) -> Option<u128> {
        enum State {
            Open,
            Done(Option<u128>),
        }
        let mut states: FxHashMap<VertexId, State> = FxHashMap::default();
        let mut stack = vec![(position, false)];
        while let Some((at, ready)) = stack.pop() {
            let inner = self.functions(at).flat_map(|(f, n)| (0..n).map(move |i| (f, n, i)));
            let inner: Vec<VertexId> = inner.filter_map(|(f, n, i)| self.inner(at, f, n, i)).collect();
            if !ready {
                if states.contains_key(&at) {
                    continue;
                }
                states.insert(at, State::Open);
                stack.push((at, true));
                stack.extend(
                    inner
                        .into_iter()
                        .filter(|v| !matches!(states.get(v), Some(State::Done(_))))
                        .map(|v| (v, false)),
                );
                continue;
            }
            // A position still open here contains itself.
            let of = |v: Option<VertexId>| match v.and_then(|v| states.get(&v)) {
                Some(State::Done(size)) => *size,
                _ => None,
            };
            let mut total = Some(self.constants(at).count() as u128);
            for (function, arity) in self.functions(at) {
                let product = (0..arity).try_fold(1u128, |product, i| {
                    Some(product.saturating_mul(of(self.inner(at, function, arity, i))?))
                });
                total = total.zip(product).map(|(a, b)| a.saturating_add(b));
            }
            states.insert(at, State::Done(total));
        }
        match states.remove(&position) {
            Some(State::Done(size)) => size,
            _ => None,
        }
    }

    /// Whether only finitely many terms can stand at a position.
    pub fn is_bounded(&self, position: VertexId) -> bool {
        self.size(position).is_some()
    }
}

/// Of a function inside itself, the position of the outer one.
fn fold(
    vertices: &IdVec<VertexId, Vertex>,
    position: VertexId,
    function: SymbolId,
    arity: usize,
) -> VertexId {
    let mut at = position;
    while let Vertex::FunctionArgument { function: f, arity: n, within: Some(outer), .. } = vertices[at] {
        if f == function && n == arity {
            return outer;
        }
        at = outer;
    }
    position
}

/// Whether a relation only says what can be: `base` and `input`.
fn declares(program: &Program, relation: RelationId) -> bool {
    matches!(program.relation_name(relation), "base" | "input")
}

/// The feeds that make edges.
fn feeds(program: &Program, edges: Edges) -> Vec<crate::program::Feed> {
    let declares = |from: RelationId| declares(program, from);
    let mut has_clauses: IdVec<RelationId, bool> = program.relations.iter().map(|_| false).collect();
    program.clauses.iter().for_each(|c| has_clauses[c.head.relation] = true);
    let all = &program.interface.feeds;
    let declared = |to: RelationId| all.iter().any(|f| f.to == to && declares(f.from) && has_clauses[f.from]);
    let used = all.iter().filter(|f| match edges {
        Edges::Definition => declares(f.from),
        Edges::Extended => declares(f.from) || !declared(f.to),
        Edges::Closed => true,
    });
    used.copied().collect()
}

/// A term of a clause, or a part of a ground one.
#[derive(Clone, Copy)]
enum TermPart<'a> {
    Variable(VariableId),
    Compound(SymbolId, &'a [Pattern]),
    Ground(TermId),
}

impl<'a> From<&'a Pattern> for TermPart<'a> {
    fn from(pattern: &'a Pattern) -> Self {
        match pattern {
            Pattern::Variable(v) => TermPart::Variable(*v),
            Pattern::Ground(term) => TermPart::Ground(*term),
            Pattern::Compound(function, args) => TermPart::Compound(*function, args),
        }
    }
}

enum Work {
    Add(VertexId, Head),
    /// A new edge, along which everything at its start has to go.
    Edge(VertexId, VertexId),
}

struct Builder<'a> {
    terms: &'a Terms,
    graph: DomainGraph,
    seen_edges: FxHashSet<(VertexId, VertexId)>,
    /// Argument positions that take over what stands at this one.
    successors: IdVec<VertexId, Vec<VertexId>>,
    heads: IdVec<VertexId, FxHashSet<Head>>,
    occurrences: FxHashSet<(VertexId, TermId)>,
    work: Vec<Work>,
}

impl<'a> Builder<'a> {
    fn vertex(&mut self, vertex: Vertex) -> VertexId {
        if let Some(&id) = self.graph.numbers.get(&vertex) {
            return id;
        }
        let id = self.graph.vertices.push(vertex);
        self.graph.numbers.insert(vertex, id);
        self.successors.push(Vec::new());
        self.heads.push(FxHashSet::default());
        id
    }

    /// The vertex of a constant or function; a function brings its argument positions along.
    fn head(&mut self, (symbol, arity): Head) -> VertexId {
        match arity {
            None => self.vertex(Vertex::Constant(symbol)),
            Some(arity) => self.vertex(Vertex::Function(symbol, arity)),
        }
    }

    fn inner(&mut self, position: VertexId, function: SymbolId, arity: usize, index: usize) -> VertexId {
        let within = match self.graph.arguments {
            Arguments::Shared => None,
            Arguments::Separate => Some(fold(&self.graph.vertices, position, function, arity)),
        };
        self.vertex(Vertex::FunctionArgument { function, arity, index, within })
    }

    fn clause(
        &mut self,
        head: &'a Atom,
        body: &'a Formula,
        edges: Edges,
        meter: &mut Meter,
    ) -> Result<(), LimitError> {
        let mut head_places = Vec::new();
        self.atom(head, true, &mut head_places, meter)?;
        let (mut positive, mut other) = (Vec::new(), Vec::new());
        let mut stack = vec![(body, true)];
        while let Some((formula, sign)) = stack.pop() {
            match formula {
                Formula::Atom(atom) => {
                    let places = if sign { &mut positive } else { &mut other };
                    self.atom(atom, false, places, meter)?;
                }
                // Nothing ever stands in an argument of distinct; only functions have positions.
                Formula::Distinct(a, b) => {
                    for part in [a, b] {
                        if let Pattern::Compound(..) = part {
                            self.inside(part, &mut other, meter)?;
                        }
                    }
                }
                Formula::Not(inner) => stack.push((inner, !sign)),
                Formula::And(parts) | Formula::Or(parts) => stack.extend(parts.iter().map(|p| (p, sign))),
            }
        }
        let bound: FxHashSet<VariableId> = positive.iter().map(|(v, _)| *v).collect();
        let used = |v: &VariableId| edges == Edges::Definition || !bound.contains(v);
        positive.extend(other.into_iter().filter(|(v, _)| used(v)));
        let mut places: FxHashMap<VariableId, Vec<VertexId>> = FxHashMap::default();
        for (variable, place) in positive {
            let list = places.entry(variable).or_default();
            if !list.contains(&place) {
                list.push(place);
            }
        }
        for (variable, to) in head_places {
            for &from in places.get(&variable).map_or(&[][..], Vec::as_slice) {
                meter.spend(1)?;
                self.flow(from, to);
            }
        }
        Ok(())
    }

    fn atom(
        &mut self,
        atom: &'a Atom,
        is_head: bool,
        places: &mut Vec<(VariableId, VertexId)>,
        meter: &mut Meter,
    ) -> Result<(), LimitError> {
        for (index, arg) in atom.args.iter().enumerate() {
            let position = self.vertex(Vertex::RelationArgument(atom.relation, index));
            self.walk(position, arg, is_head, places, meter)?;
        }
        Ok(())
    }

    /// The variables inside a functional argument of `distinct`.
    fn inside(
        &mut self,
        pattern: &'a Pattern,
        places: &mut Vec<(VariableId, VertexId)>,
        meter: &mut Meter,
    ) -> Result<(), LimitError> {
        if self.graph.arguments == Arguments::Shared
            && let Pattern::Compound(function, args) = pattern
        {
            for (index, arg) in args.iter().enumerate() {
                let vertex =
                    Vertex::FunctionArgument { function: *function, arity: args.len(), index, within: None };
                let position = self.vertex(vertex);
                self.walk(position, arg, false, places, meter)?;
            }
        }
        Ok(())
    }

    /// Notes what stands at a position and inside it. Heads add values; bodies only places.
    fn walk(
        &mut self,
        position: VertexId,
        pattern: &'a Pattern,
        is_head: bool,
        places: &mut Vec<(VariableId, VertexId)>,
        meter: &mut Meter,
    ) -> Result<(), LimitError> {
        let mut stack = vec![(position, TermPart::from(pattern))];
        while let Some((position, part)) = stack.pop() {
            meter.spend(1)?;
            match part {
                TermPart::Variable(v) => places.push((v, position)),
                TermPart::Compound(function, args) => {
                    self.occurs(position, (function, Some(args.len())), is_head);
                    for (index, arg) in args.iter().enumerate() {
                        let inner = self.inner(position, function, args.len(), index);
                        stack.push((inner, TermPart::from(arg)));
                    }
                }
                TermPart::Ground(term) => {
                    if is_head && !self.occurrences.insert((position, term)) {
                        continue;
                    }
                    match self.terms.view(term) {
                        TermView::Constant(symbol) => self.occurs(position, (symbol, None), is_head),
                        TermView::Compound(function, args) => {
                            self.occurs(position, (function, Some(args.len())), is_head);
                            for (index, &arg) in args.iter().enumerate() {
                                let inner = self.inner(position, function, args.len(), index);
                                stack.push((inner, TermPart::Ground(arg)));
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn occurs(&mut self, position: VertexId, head: Head, is_head: bool) {
        let vertex = self.head(head);
        if is_head && self.seen_edges.insert((vertex, position)) {
            self.graph.edges.push((vertex, position));
            self.work.push(Work::Add(position, head));
        }
    }

    /// What stands at `from` can stand at `to`.
    fn flow(&mut self, from: VertexId, to: VertexId) {
        if from != to && self.seen_edges.insert((from, to)) {
            self.graph.edges.push((from, to));
            self.successors[from].push(to);
            self.work.push(Work::Edge(from, to));
        }
    }

    /// One head goes along one edge; what stands inside a function goes with it.
    fn pass(&mut self, from: VertexId, to: VertexId, head: Head) {
        self.work.push(Work::Add(to, head));
        if self.graph.arguments == Arguments::Separate
            && let (function, Some(arity)) = head
        {
            for index in 0..arity {
                let inner = self.inner(from, function, arity, index);
                let outer = self.inner(to, function, arity, index);
                self.flow(inner, outer);
            }
        }
    }

    fn close(&mut self, meter: &mut Meter) -> Result<(), LimitError> {
        while let Some(work) = self.work.pop() {
            meter.spend(1)?;
            meter.check_memory(128 * self.graph.vertices.len() + 48 * self.graph.edges.len(), || {
                "the domain graph".into()
            })?;
            match work {
                Work::Add(position, head) => {
                    if self.heads[position].insert(head) {
                        for next in 0..self.successors[position].len() {
                            let to = self.successors[position][next];
                            self.pass(position, to, head);
                        }
                    }
                }
                Work::Edge(from, to) => {
                    // Sorted, so that hash order does not decide in which order vertices are made.
                    let mut heads: Vec<Head> = self.heads[from].iter().copied().collect();
                    heads.sort_unstable();
                    heads.into_iter().for_each(|head| self.pass(from, to, head));
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> DomainGraph {
        let terms = self.terms;
        self.graph.edges.sort_unstable();
        self.graph.heads = self
            .heads
            .iter()
            .map(|heads| {
                let mut list: Vec<Head> = heads.iter().copied().collect();
                list.sort_by(|a, b| {
                    let kinds = a.1.is_some().cmp(&b.1.is_some());
                    kinds.then_with(|| terms.compare_symbols(a.0, b.0)).then(a.1.cmp(&b.1))
                });
                list
            })
            .collect();
        self.graph
    }
}
