//! Which argument positions are split by functor, so that `true(cell(X,Y,P))` becomes a relation
//! with three columns.
//!
//! A node is an argument position of a relation or of a functor, as in the domain graph (Def. 14.1);
//! relations that feed each other share their nodes. A position is split when functional terms occur
//! in it and none of them can contain itself; other positions stay one column.

use rustc_hash::{FxHashMap, FxHashSet};

use super::body::{Literal, NormalLiteral, NormalRule};
use crate::ids::{Id, RelationId, SymbolId, TermId};
use crate::program::{Pattern, Program};
use crate::terms::{TermView, Terms};

/// A functor with its number of arguments.
pub(crate) type Functor = (SymbolId, usize);

/// What can stand in a position: constants, and functional terms with these functors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Forms {
    pub constants: bool,
    pub functors: Vec<Functor>,
    /// Anything at all, because the facts come from outside.
    pub anything: bool,
}

impl Forms {
    fn add(&mut self, other: &Forms) -> bool {
        let before = (self.constants, self.anything, self.functors.len());
        self.constants |= other.constants;
        self.anything |= other.anything;
        for functor in &other.functors {
            if !self.functors.contains(functor) {
                self.functors.push(*functor);
            }
        }
        before != (self.constants, self.anything, self.functors.len())
    }
}

/// More functors than this in one position are not split.
const FUNCTOR_LIMIT: usize = 64;

/// The forms of all positions, and which positions are split.
pub(crate) struct Layout {
    relation_start: Vec<usize>,
    functor_start: FxHashMap<Functor, usize>,
    /// The representative of each node.
    class: Vec<usize>,
    forms: Vec<Forms>,
    split: Vec<bool>,
    /// Nodes that are split by value, with the values.
    values: FxHashMap<usize, Vec<TermId>>,
    /// Nodes that have too many values to be split by them.
    whole: FxHashSet<usize>,
}

impl Layout {
    /// The layout of a program with helper relations of these arities.
    pub(crate) fn new(program: &Program, rules: &[NormalRule], helpers: &[usize]) -> Self {
        let mut layout = Self {
            relation_start: Vec::new(),
            functor_start: FxHashMap::default(),
            class: Vec::new(),
            forms: Vec::new(),
            split: Vec::new(),
            values: FxHashMap::default(),
            whole: FxHashSet::default(),
        };
        let arities = program.relations.iter().map(|r| r.arity).chain(helpers.iter().copied());
        for arity in arities {
            layout.relation_start.push(layout.forms.len());
            layout.add_nodes(arity);
        }
        layout.join_feeds(program);
        let mut edges = Vec::new();
        let mut seen = FxHashSet::default();
        for clause in program.clauses.iter().filter(|c| c.is_fact()) {
            layout.head(program, &mut seen, &[], &clause.head.args, clause.head.relation, &mut edges);
        }
        for rule in rules {
            layout.head(program, &mut seen, &rule.body, &rule.head.args, rule.head.relation, &mut edges);
        }
        layout.propagate(&edges);
        layout.choose_splits();
        layout
    }

    fn add_nodes(&mut self, count: usize) {
        for _ in 0..count {
            self.class.push(self.class.len());
            self.forms.push(Forms::default());
        }
    }

    fn join_feeds(&mut self, program: &Program) {
        let fed: FxHashSet<RelationId> = program.interface.feeds.iter().map(|f| f.to).collect();
        for feed in &program.interface.feeds {
            for position in 0..program.relations[feed.to].arity {
                let a = self.class[self.relation_start[feed.from.index()] + position];
                let b = self.class[self.relation_start[feed.to.index()] + position];
                self.class.iter_mut().filter(|c| **c == a).for_each(|c| *c = b);
            }
        }
        for &given in program.interface.given.iter().filter(|g| !fed.contains(g)) {
            for position in 0..program.relations[given].arity {
                let node = self.class[self.relation_start[given.index()] + position];
                self.forms[node].anything = true;
            }
        }
    }

    /// The node of a relation's argument.
    pub(crate) fn position(&self, relation: RelationId, position: usize) -> usize {
        self.class[self.relation_start[relation.index()] + position]
    }

    fn functor_position(&mut self, functor: Functor, position: usize) -> usize {
        let start = match self.functor_start.get(&functor) {
            Some(&start) => start,
            None => {
                let start = self.forms.len();
                self.functor_start.insert(functor, start);
                self.add_nodes(functor.1);
                start
            }
        };
        self.class[start + position]
    }

    fn head(
        &mut self,
        program: &Program,
        seen: &mut FxHashSet<(usize, TermId)>,
        body: &[NormalLiteral],
        args: &[Pattern],
        relation: RelationId,
        edges: &mut Vec<(usize, usize)>,
    ) {
        let mut sources: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        self.body_occurrences(body, &mut sources);
        let mut work: Vec<(usize, &Pattern)> =
            args.iter().enumerate().map(|(i, a)| (self.position(relation, i), a)).collect();
        while let Some((node, pattern)) = work.pop() {
            match pattern {
                Pattern::Variable(v) => {
                    for &source in sources.get(v).into_iter().flatten() {
                        edges.push((source, node));
                    }
                }
                Pattern::Ground(term) => self.ground(&program.terms, seen, node, *term),
                Pattern::Compound(name, args) => {
                    let functor = (*name, args.len());
                    self.note_functor(node, functor);
                    for (i, arg) in args.iter().enumerate() {
                        work.push((self.functor_position(functor, i), arg));
                    }
                }
            }
        }
    }

    fn note_functor(&mut self, node: usize, functor: Functor) {
        let functors = &mut self.forms[node].functors;
        if !functors.contains(&functor) {
            functors.push(functor);
        }
    }

    fn ground(&mut self, terms: &Terms, seen: &mut FxHashSet<(usize, TermId)>, node: usize, term: TermId) {
        let mut work = vec![(node, term)];
        while let Some((node, term)) = work.pop() {
            match terms.view(term) {
                TermView::Constant(_) => self.forms[node].constants = true,
                TermView::Compound(name, args) => {
                    if !seen.insert((node, term)) {
                        continue;
                    }
                    let functor = (name, args.len());
                    self.note_functor(node, functor);
                    for (i, &arg) in args.iter().enumerate() {
                        work.push((self.functor_position(functor, i), arg));
                    }
                }
            }
        }
    }

    /// Where each variable gets its values from: its positions in positive atoms.
    fn body_occurrences(
        &mut self,
        body: &[NormalLiteral],
        sources: &mut FxHashMap<crate::ids::VariableId, Vec<usize>>,
    ) {
        for literal in body {
            let Literal::Positive(atom) = literal else { continue };
            let positions = atom.args.iter().enumerate();
            let mut work: Vec<(usize, &Pattern)> =
                positions.map(|(i, a)| (self.position(atom.relation, i), a)).collect();
            while let Some((node, pattern)) = work.pop() {
                match pattern {
                    Pattern::Variable(v) => sources.entry(*v).or_default().push(node),
                    Pattern::Ground(_) => {}
                    Pattern::Compound(name, args) => {
                        for (i, arg) in args.iter().enumerate() {
                            work.push((self.functor_position((*name, args.len()), i), arg));
                        }
                    }
                }
            }
        }
        self.equality_occurrences(body, sources);
    }

    /// A variable that only an equality binds takes the forms of the variable on the other side;
    /// beside any other term it may take any form, which is noted on a node of its own.
    fn equality_occurrences(
        &mut self,
        body: &[NormalLiteral],
        sources: &mut FxHashMap<crate::ids::VariableId, Vec<usize>>,
    ) {
        let mut equalities: Vec<(&Pattern, &Pattern)> = body
            .iter()
            .filter_map(|l| if let Literal::Equal(a, b) = l { Some((a, b)) } else { None })
            .collect();
        let mut before = usize::MAX;
        while equalities.len() < before {
            before = equalities.len();
            equalities.retain(|&(a, b)| {
                let (Pattern::Variable(v), Pattern::Variable(w)) = (a, b) else { return true };
                match (sources.get(v).cloned(), sources.get(w).cloned()) {
                    (Some(nodes), None) => drop(sources.insert(*w, nodes)),
                    (None, Some(nodes)) => drop(sources.insert(*v, nodes)),
                    (Some(_), Some(_)) => {}
                    (None, None) => return true,
                }
                false
            });
        }
        for side in equalities.into_iter().flat_map(|(a, b)| [a, b]) {
            side.variables(&mut |v| {
                if sources.contains_key(&v) {
                    return;
                }
                let node = self.forms.len();
                self.add_nodes(1);
                self.forms[node].anything = true;
                sources.insert(v, vec![node]);
            });
        }
    }

    fn propagate(&mut self, edges: &[(usize, usize)]) {
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); self.forms.len()];
        for &(from, to) in edges {
            out[self.class[from]].push(self.class[to]);
        }
        for targets in &mut out {
            targets.sort_unstable();
            targets.dedup();
        }
        let mut queue: Vec<usize> = (0..self.forms.len()).collect();
        let mut queued = vec![true; self.forms.len()];
        while let Some(node) = queue.pop() {
            queued[node] = false;
            let forms = self.forms[node].clone();
            for &target in &out[node] {
                if self.forms[target].add(&forms) && !std::mem::replace(&mut queued[target], true) {
                    queue.push(target);
                }
            }
        }
    }

    fn choose_splits(&mut self) {
        self.split = (0..self.forms.len())
            .map(|node| {
                let forms = &self.forms[node];
                self.class[node] == node
                    && !forms.anything
                    && !forms.functors.is_empty()
                    && forms.functors.len() <= FUNCTOR_LIMIT
                    && !forms.functors.iter().any(|&f| self.contains_itself(f))
            })
            .collect();
    }

    fn contains_itself(&self, functor: Functor) -> bool {
        let mut seen = vec![functor];
        let mut at = 0;
        while let Some(&(name, arity)) = seen.get(at) {
            at += 1;
            let Some(&start) = self.functor_start.get(&(name, arity)) else { continue };
            for node in start..start + arity {
                let forms = &self.forms[self.class[node]];
                if forms.anything || forms.functors.contains(&functor) {
                    return true;
                }
                for &inner in &forms.functors {
                    if !seen.contains(&inner) {
                        seen.push(inner);
                    }
                }
            }
        }
        false
    }

    /// Whether a node is split by functor.
    pub(crate) fn is_split(&self, node: usize) -> bool {
        self.split[node]
    }

    /// Leaves a node one column after all.
    pub(crate) fn unsplit(&mut self, node: usize) {
        self.split[node] = false;
        if self.values.remove(&node).is_some() {
            self.whole.insert(node);
        }
    }

    /// Makes one variant per value of a node, unless that was tried before; whether it does.
    pub(crate) fn split_by_value(&mut self, node: usize, values: Vec<TermId>) -> bool {
        let fresh = !self.whole.contains(&node);
        if fresh {
            self.values.insert(node, values);
        }
        fresh
    }

    /// The values a node is split by, if it is.
    pub(crate) fn split_values(&self, node: usize) -> Option<&[TermId]> {
        self.values.get(&node).map(Vec::as_slice)
    }

    /// What can stand in a node.
    pub(crate) fn forms(&self, node: usize) -> &Forms {
        &self.forms[node]
    }

    /// What can stand in the argument of a functor, if the functor occurs.
    pub(crate) fn functor_node(&self, functor: Functor, position: usize) -> Option<usize> {
        self.functor_start.get(&functor).map(|&start| self.class[start + position])
    }
}
