//! Recursion through function terms: does a finite model exist?
//!
//! Specification Def. 15 restricts every recursion; read literally it forbids harmless ones such as
//! `ancestor(X,Z) :- ancestor(X,Y) & ancestor(Y,Z)`. What matters is whether terms can grow. So a
//! cycle is an error when it both breaks the restriction and can make terms deeper; one that only
//! breaks the letter of it is a note, and so is growth from one state to the next.

use ludex_logic::scc::component_of;
use ludex_logic::{Atom, Clause, ClauseId, Feed, Formula, Id, Pattern, RelationId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::binding::Bound;
use crate::check::context::Context;
use crate::check::registry::{GROWING_STATE, RECURSION_RESTRICTION, UNBOUNDED};
use crate::diagnostic::Diagnostic;

/// Each explanation searches the whole graph; nobody reads more of them than this.
const MAX_EXPLAINED: usize = 100;

pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let growing = Growth::new(context, &[]).cycles();
    let mut violations: Vec<Option<(ClauseId, RelationId)>> =
        vec![None; context.dependencies.components().len()];
    for (id, clause, _) in context.clauses() {
        let component = context.dependencies.component(clause.head.relation);
        if violations[component].is_none()
            && context.dependencies.is_recursive(clause.head.relation)
            && let Some(relation) = violation(context, clause)
        {
            violations[component] = Some((id, relation));
        }
    }
    let mut unbounded = vec![false; violations.len()];
    for cycle in &growing {
        let component = context.dependencies.component(cycle.head);
        if found.len() < MAX_EXPLAINED
            && violations[component].is_some()
            && !std::mem::replace(&mut unbounded[component], true)
        {
            found.push(explain(context, cycle));
        }
    }
    for (component, violation) in violations.iter().enumerate() {
        if let Some((clause, relation)) = *violation
            && !unbounded[component]
        {
            let head = context.name(context.program.clauses[clause].head.relation);
            found.push(RECURSION_RESTRICTION.at(
                context.use_span(clause, relation),
                format!("the recursion of `{head}` goes beyond the recursion restriction, but stays finite"),
            ));
        }
    }
    // With the step from state to state closed, what grows now and did not before grows in time.
    if growing.is_empty()
        && let Some(cycle) = Growth::new(context, &context.program.interface.feeds).cycles().first()
    {
        found.push(
            GROWING_STATE
                .at(
                    context.head_span(cycle.clause),
                    format!("terms can grow from state to state through `{}`", context.name(cycle.head)),
                )
                .label(
                    context.use_span(cycle.clause, cycle.body),
                    "each step adds a function around what stands here",
                )
                .hint("the game may have infinitely many states; make sure that it ends"),
        );
    }
}

fn explain(context: &Context<'_>, cycle: &Cycle) -> Diagnostic {
    let head = context.name(cycle.head);
    let mut diagnostic = UNBOUNDED
        .at(
            context.head_span(cycle.clause),
            format!("function terms can grow for ever through the recursion of `{head}`"),
        )
        .label(context.use_span(cycle.clause, cycle.body), "a term from here is wrapped in a function");
    if cycle.body != cycle.head {
        for step in context.dependencies.path(cycle.head, cycle.body).iter().rev() {
            diagnostic = diagnostic.label(context.edge_span(step), context.edge_text(step));
        }
    }
    diagnostic.hint("bind the growing variable by a relation outside the cycle, such as a counter that ends")
}

/// A relation in the clause's own cycle with an argument that Def. 15 does not allow there.
fn violation(context: &Context<'_>, clause: &Clause) -> Option<RelationId> {
    let component = context.dependencies.component(clause.head.relation);
    let mut search = Violation {
        context,
        component,
        outside: Vec::new(),
        counts: FxHashMap::default(),
        head: clause.head.args.iter().collect(),
    };
    search.find(&clause.body)
}

struct Violation<'v, 'a> {
    context: &'v Context<'a>,
    component: usize,
    /// The arguments of the subgoals outside the cycle that hold wherever the search stands.
    outside: Vec<&'v Pattern>,
    counts: FxHashMap<&'v Pattern, usize>,
    head: FxHashSet<&'v Pattern>,
}

impl<'v> Violation<'v, '_> {
    fn find(&mut self, formula: &'v Formula) -> Option<RelationId> {
        let before = self.outside.len();
        self.require(formula);
        let found = match formula {
            Formula::Atom(atom) => self.is_violated(atom).then_some(atom.relation),
            Formula::Distinct(..) => None,
            Formula::Not(inner) => match &**inner {
                Formula::Atom(atom) => self.is_violated(atom).then_some(atom.relation),
                _ => None,
            },
            Formula::And(parts) | Formula::Or(parts) => parts.iter().find_map(|p| self.find(p)),
        };
        for argument in self.outside.drain(before..) {
            if let Some(count) = self.counts.get_mut(argument) {
                *count -= 1;
            }
        }
        found
    }

    fn require(&mut self, formula: &'v Formula) {
        match formula {
            Formula::Atom(atom) if !self.is_in_cycle(atom) => {
                for argument in &atom.args {
                    self.outside.push(argument);
                    *self.counts.entry(argument).or_default() += 1;
                }
            }
            Formula::And(parts) => parts.iter().for_each(|p| self.require(p)),
            _ => {}
        }
    }

    fn is_in_cycle(&self, atom: &Atom) -> bool {
        self.context.dependencies.component(atom.relation) == self.component
    }

    fn is_violated(&self, atom: &Atom) -> bool {
        let allowed = |argument: &Pattern| {
            argument.is_ground()
                || self.head.contains(argument)
                || self.counts.get(argument).is_some_and(|&count| count > 0)
        };
        self.is_in_cycle(atom) && !atom.args.iter().all(allowed)
    }
}

/// A step of a growing cycle: the clause that wraps a term of `body` in a function.
struct Cycle {
    clause: ClauseId,
    head: RelationId,
    body: RelationId,
}

/// How deep terms pass from argument to argument: an edge for each variable that a head takes from
/// a subgoal, weighted by how much deeper it stands there.
struct Growth<'c, 'a> {
    context: &'c Context<'a>,
    feeds: &'c [Feed],
    /// The number of the first argument of each relation.
    first: Vec<usize>,
    positions: usize,
    /// The strongly connected component of each relation, feeds included.
    component: Vec<usize>,
    /// Whether the component has a cycle.
    recursive: Vec<bool>,
}

#[derive(Clone, Copy)]
struct Flow {
    from: usize,
    to: usize,
    weight: i64,
    clause: Option<ClauseId>,
    body: RelationId,
    head: RelationId,
}

impl<'c, 'a> Growth<'c, 'a> {
    fn new(context: &'c Context<'a>, feeds: &'c [Feed]) -> Self {
        let mut positions = 0;
        let mut first = Vec::new();
        for relation in context.program.relations.iter() {
            first.push(positions);
            positions += relation.arity;
        }
        let count = first.len();
        let edges = context.dependencies.edges().iter().map(|e| (e.body, e.head));
        let edges: Vec<(usize, usize)> = edges
            .chain(feeds.iter().map(|f| (f.from, f.to)))
            .chain(
                context
                    .vocabulary
                    .expired
                    .filter(|_| !feeds.is_empty())
                    .map(|e| (context.vocabulary.truth, e)),
            )
            .map(|(from, to)| (from.index(), to.index()))
            .collect();
        let component = component_of(count, edges.iter().copied());
        let mut recursive = vec![false; count];
        for &(from, _) in edges.iter().filter(|&&(from, to)| component[from] == component[to]) {
            recursive[component[from]] = true;
        }
        Self { context, feeds, first, positions, component, recursive }
    }

    /// The steps that let terms grow: those in a cycle of arguments that makes a term deeper.
    ///
    /// Arguments that no such cycle reaches hold terms of bounded depth, and a variable that also
    /// occurs in one of those is bounded itself: so this is repeated until nothing more is bounded.
    fn cycles(&self) -> Vec<Cycle> {
        // Without a function around a variable in the head of a recursion nothing ever grows.
        let nested = |clause: &Clause| {
            self.recursive[self.component[clause.head.relation.index()]]
                && clause.head.args.iter().any(|a| matches!(a, Pattern::Compound(..)))
        };
        if !self.context.program.clauses.iter().any(nested) {
            return Vec::new();
        }
        let mut bounded = vec![false; self.positions];
        let mut round = 0;
        loop {
            round += 1;
            let flows = self.flows(&bounded);
            if flows.iter().all(|f| f.weight <= 0) {
                return Vec::new();
            }
            let components = component_of(self.positions, flows.iter().map(|f| (f.from, f.to)));
            let growing = gaining(self.positions, &flows, &components);
            let mut reached = vec![false; self.positions];
            let mut queue: Vec<usize> = growing.iter().map(|f| f.to).collect();
            let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); self.positions];
            flows.iter().for_each(|f| outgoing[f.from].push(f.to));
            while let Some(position) = queue.pop() {
                if !std::mem::replace(&mut reached[position], true) {
                    queue.extend(&outgoing[position]);
                }
            }
            let now: Vec<bool> = reached.iter().map(|&r| !r).collect();
            if now == bounded || round == MAX_ROUNDS {
                return growing
                    .iter()
                    .filter_map(|f| Some(Cycle { clause: f.clause?, head: f.head, body: f.body }))
                    .collect();
            }
            bounded = now;
        }
    }

    fn flows(&self, bounded: &[bool]) -> Vec<Flow> {
        let mut flows = Vec::new();
        let program = self.context.program;
        for feed in self.feeds {
            for argument in 0..program.relations[feed.to].arity {
                flows.push(Flow {
                    from: self.first[feed.from.index()] + argument,
                    to: self.first[feed.to.index()] + argument,
                    weight: 0,
                    clause: None,
                    body: feed.from,
                    head: feed.to,
                });
            }
        }
        // What was true expires.
        if let Some(expired) = self.context.vocabulary.expired.filter(|_| !self.feeds.is_empty()) {
            let truth = self.context.vocabulary.truth;
            let (from, to) = (self.first[truth.index()] + 1, self.first[expired.index()]);
            flows.push(Flow { from, to, weight: 0, clause: None, body: truth, head: expired });
        }
        let mut occurrences: Vec<Occurrence> = Vec::new();
        for (id, clause) in program.clauses.entries() {
            let component = self.component[clause.head.relation.index()];
            if clause.variables.is_empty() || !self.recursive[component] {
                continue;
            }
            occurrences.clear();
            self.occurrences(&clause.body, true, &mut occurrences);
            // The deepest required occurrence comes first: it alone limits the variable.
            occurrences.sort_by_key(|o| (o.variable, !o.required, -o.depth));
            let limits = Bound::by(&clause.body, &|atom, variables| {
                let first = self.first[atom.relation.index()];
                // What grows in a lower component is reported there.
                let is_lower = self.component[atom.relation.index()] != component;
                for (argument, &limited) in atom.args.iter().zip(&bounded[first..]) {
                    if is_lower || limited {
                        argument.variables(&mut |v| variables.push(v));
                    }
                }
            });
            for (i, argument) in clause.head.args.iter().enumerate() {
                let to = self.first[clause.head.relation.index()] + i;
                depths(argument, 0, &mut |v, depth| {
                    if limits.has(v) || flows.len() >= MAX_FLOWS {
                        return;
                    }
                    let start = occurrences.partition_point(|o| o.variable < v);
                    let own = occurrences[start..].iter().take_while(|o| o.variable == v);
                    let alone = occurrences.get(start).is_some_and(|o| o.required);
                    for from in own.take(if alone { 1 } else { usize::MAX }) {
                        flows.push(Flow {
                            from: from.position,
                            to,
                            weight: depth - from.depth,
                            clause: Some(id),
                            body: from.relation,
                            head: clause.head.relation,
                        });
                    }
                });
            }
        }
        flows
    }

    fn occurrences(&self, formula: &Formula, required: bool, found: &mut Vec<Occurrence>) {
        match formula {
            Formula::Atom(atom) => {
                for (i, argument) in atom.args.iter().enumerate() {
                    let position = self.first[atom.relation.index()] + i;
                    depths(argument, 0, &mut |variable, depth| {
                        let relation = atom.relation;
                        found.push(Occurrence { variable, position, depth, relation, required });
                    });
                }
            }
            Formula::Distinct(..) | Formula::Not(_) => {}
            Formula::And(parts) => parts.iter().for_each(|p| self.occurrences(p, required, found)),
            Formula::Or(parts) => parts.iter().for_each(|p| self.occurrences(p, false, found)),
        }
    }
}

/// A place where a positive subgoal binds a variable.
struct Occurrence {
    variable: VariableId,
    position: usize,
    depth: i64,
    relation: RelationId,
    /// Whether the subgoal stands outside every disjunction.
    required: bool,
}

fn depths(pattern: &Pattern, depth: i64, visit: &mut impl FnMut(VariableId, i64)) {
    match pattern {
        Pattern::Variable(v) => visit(*v, depth),
        Pattern::Ground(_) => {}
        Pattern::Compound(_, args) => args.iter().for_each(|a| depths(a, depth + 1, visit)),
    }
}

/// For each flow that makes a term deeper, whether it lies in a component with a gaining cycle.
fn gaining(positions: usize, flows: &[Flow], components: &[usize]) -> Vec<Flow> {
    let mut inside: Vec<Flow> =
        flows.iter().filter(|f| components[f.from] == components[f.to]).copied().collect();
    inside.sort_by_key(|f| (components[f.from], f.clause));
    let mut depth = vec![0i64; positions];
    let mut result = Vec::new();
    for group in inside.chunk_by(|a, b| components[a.from] == components[b.from]) {
        let deeper = group.iter().filter(|f| f.weight > 0);
        let shallower = group.iter().any(|f| f.weight < 0);
        // In a component every flow lies in a cycle, so without losses one gain is enough.
        if deeper.clone().next().is_some() && (!shallower || keeps_rising(group, &mut depth)) {
            result.extend(deeper);
        }
    }
    result
}

/// More flows than any game has; what lies beyond is left to the limits of evaluation.
const MAX_FLOWS: usize = 5_000_000;

/// How often [`Growth::cycles`] looks again for bounded arguments before it gives up on the rest.
const MAX_ROUNDS: usize = 200;

/// How many flows [`keeps_rising`] looks at before it takes growth for granted.
const MAX_RELAXATIONS: usize = 10_000_000;

/// Whether taking every flow again and again (Bellman and Ford) never comes to rest.
fn keeps_rising(group: &[Flow], depth: &mut [i64]) -> bool {
    let rounds = group.len().min(MAX_RELAXATIONS / group.len());
    for _ in 0..=rounds {
        let mut changed = false;
        for flow in group {
            let next = depth[flow.from] + flow.weight;
            if depth[flow.to] < next {
                depth[flow.to] = next;
                changed = true;
            }
        }
        if !changed {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    #[test]
    fn a_term_wrapped_at_every_turn() {
        let text = r#"
(<= (count (s ?x)) (count ?x))
(count 0)
"#;
        let expected = r#"
error[L032] game:1:5: function terms can grow for ever through the recursion of `count`
 1 | (<= (count (s ?x)) (count ?x))
   |     ^^^^^^^^^^^^^^
 1 | (<= (count (s ?x)) (count ?x))
   |                    ---------- a term from here is wrapped in a function
  hint: bind the growing variable by a relation outside the cycle, such as a counter that ends
"#;
        assert_eq!(drawn(&UNBOUNDED, text), expected);
    }

    #[test]
    fn growth_through_two_relations() {
        let text = r#"
(<= (p (f ?x)) (q ?x))
(<= (q ?x) (p ?x))
(q a)
"#;
        let expected = r#"
error[L032] game:1:5: function terms can grow for ever through the recursion of `p`
 1 | (<= (p (f ?x)) (q ?x))
   |     ^^^^^^^^^^
 1 | (<= (p (f ?x)) (q ?x))
   |                ------ a term from here is wrapped in a function
 2 | (<= (q ?x) (p ?x))
   |            ------ `q` depends on `p`
  hint: bind the growing variable by a relation outside the cycle, such as a counter that ends
"#;
        assert_eq!(drawn(&UNBOUNDED, text), expected);
    }

    #[test]
    fn a_disjunction_bounds_only_what_every_branch_bounds() {
        let text = r#"
(<= (p (f ?x)) (or (p ?x) (q ?x)))
(p a)
"#;
        let expected = r#"
error[L032] game:1:5: function terms can grow for ever through the recursion of `p`
 1 | (<= (p (f ?x)) (or (p ?x) (q ?x)))
   |     ^^^^^^^^^^
 1 | (<= (p (f ?x)) (or (p ?x) (q ?x)))
   |                    ------ a term from here is wrapped in a function
  hint: bind the growing variable by a relation outside the cycle, such as a counter that ends
"#;
        assert_eq!(drawn(&UNBOUNDED, text), expected);
    }

    #[test]
    fn what_shrinks_again_does_not_grow() {
        let text = r#"
(<= (p (f ?x)) (q ?x))
(<= (q ?x) (p (f ?x)))
(q a)
"#;
        let expected = r#"
"#;
        assert_eq!(drawn(&UNBOUNDED, text), expected);
    }

    #[test]
    fn a_counter_outside_the_cycle_bounds_it() {
        let text = r#"
(<= (p (f ?x)) (p ?x) (q ?x))
(p a)
(q a)
"#;
        let expected = r#"
"#;
        assert_eq!(drawn(&UNBOUNDED, text), expected);
    }

    #[test]
    fn the_restriction_of_def_15_allows_some_growth() {
        let text = r#"
(r 0 0)
(q 0)
(<= (r ?v1 (f ?v1)) (r ?v2 ?v1) (q ?v2))
"#;
        let expected = r#"
"#;
        assert_eq!(drawn(&UNBOUNDED, text), expected);
    }

    #[test]
    fn a_harmless_breach_of_the_restriction_is_a_note() {
        let text = r#"
(<= (ancestor ?x ?z) (ancestor ?x ?y) (ancestor ?y ?z))
(<= (ancestor ?x ?y) (parent ?x ?y))
"#;
        let expected = r#"
note[L033] game:1:22: the recursion of `ancestor` goes beyond the recursion restriction, but stays finite
 1 | (<= (ancestor ?x ?z) (ancestor ?x ?y) (ancestor ?y ?z))
   |                      ^^^^^^^^^^^^^^^^
"#;
        assert_eq!(drawn(&RECURSION_RESTRICTION, text), expected);
    }

    #[test]
    fn a_counter_that_never_ends() {
        let text = r#"
(init (step 0))
(<= (next (step (s ?n))) (true (step ?n)))
"#;
        let expected = r#"
note[L034] game:2:5: terms can grow from state to state through `next`
 2 | (<= (next (step (s ?n))) (true (step ?n)))
   |     ^^^^^^^^^^^^^^^^^^^^
 2 | (<= (next (step (s ?n))) (true (step ?n)))
   |                          ---------------- each step adds a function around what stands here
  hint: the game may have infinitely many states; make sure that it ends
"#;
        assert_eq!(drawn(&GROWING_STATE, text), expected);
    }

    #[test]
    fn a_counter_with_an_end() {
        let text = r#"
(init (step 0))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(succ 0 1)
(<= (next (cell ?x (f ?y))) (true (cell ?x ?y)) (index ?y))
"#;
        let expected = r#"
"#;
        assert_eq!(drawn(&GROWING_STATE, text), expected);
    }
}
