//! One clause of a game as rules that answer set solvers read.
//!
//! Solvers want bodies that are conjunctions, in which every variable stands in a positive atom. A
//! disjunction, or a negation of more than an atom, becomes a relation of its own with a rule for each
//! alternative. A variable that an alternative only tests is bound by atoms that stand beside the
//! disjunction: both are demanded together, so that does not change the models.

use ludex_logic::{Atom, Clause, Formula, Id, IdVec, Pattern, Program, RelationId, VariableId};

use super::names::{self, Names};

/// The written name of the time.
pub(super) const TIME: &str = "T";

/// Which relations have a time, and how everything is written.
pub(super) struct Writer<'a> {
    pub program: &'a Program,
    pub names: Names,
    /// Per relation whether it has a time.
    pub timed: IdVec<RelationId, bool>,
    /// `true`, which is written with time as `next` is with the time after.
    pub truth: RelationId,
    /// `next`.
    pub next: RelationId,
    /// `init`.
    pub init: RelationId,
    /// The written name of the relation that has all times.
    pub time: String,
}

/// A variable that nothing positive binds.
#[derive(Debug)]
pub(super) struct Unbound(pub VariableId);

impl Writer<'_> {
    /// How many arguments a relation is written with.
    pub(super) fn arity(program: &Program, timed: &IdVec<RelationId, bool>, relation: RelationId) -> usize {
        program.relations[relation].arity + usize::from(timed[relation])
    }

    /// An atom at a time; the time is left out where the relation has none. `init` and `next` are `true`
    /// at another time.
    fn atom(&self, atom: &Atom, variables: &[String], time: &str) -> String {
        let next = format!("{time}+1");
        let (relation, time) =
            if atom.relation == self.next { (self.truth, next.as_str()) } else { (atom.relation, time) };
        let mut out = self.names.relation(relation).to_owned();
        let mut separator = '(';
        for arg in &atom.args {
            out.push(separator);
            self.names.write_pattern(&self.program.terms, arg, variables, &mut out);
            separator = ',';
        }
        if self.timed[relation] {
            out.push(separator);
            out.push_str(time);
            separator = ',';
        }
        if separator == ',' {
            out.push(')');
        }
        out
    }

    /// The rules of a clause. `init(F)` becomes `true(F,1)`; where bodies ask for `init`, too, there is
    /// another rule for that.
    pub(super) fn clause(&mut self, clause: &Clause, keep_init: bool) -> Result<Vec<String>, Unbound> {
        let symbols = clause.variables.as_slice();
        let variables = names::variables(&self.program.terms, symbols, TIME);
        let is_init = clause.head.relation == self.init;
        let is_timed = self.timed[clause.head.relation] || clause.head.relation == self.next;
        let mut body = Body {
            total: vec![0; variables.len()],
            variables,
            time: is_timed.then(|| format!("{}({TIME})", self.time)),
            rules: Vec::new(),
            writer: self,
        };
        clause.head.variables(&mut |v| body.total[v.index()] += 1);
        clause.body.variables(&mut |v| body.total[v.index()] += 1);
        let parts = body.conjunction(clause.body.conjuncts(), &[])?;
        let mut needed = Vec::new();
        clause.head.variables(&mut |v| needed.push(v));
        require(&needed, &parts)?;
        let mut heads = Vec::new();
        if is_init {
            let truth = Atom { relation: body.writer.truth, args: clause.head.args.clone() };
            heads.push(body.writer.atom(&truth, &body.variables, "1"));
        }
        if !is_init || keep_init {
            heads.push(body.writer.atom(&clause.head, &body.variables, TIME));
        }
        for head in heads {
            let rule = body.rule(&head, &parts);
            body.rules.push(rule);
        }
        Ok(body.rules)
    }
}

/// A literal of a body.
#[derive(Clone)]
struct Part {
    text: String,
    variables: Vec<VariableId>,
    /// Whether it gives values to its variables.
    binds: bool,
}

/// The body of a clause while it is written.
struct Body<'w, 'a> {
    writer: &'w mut Writer<'a>,
    variables: Vec<String>,
    /// How often each variable occurs in the clause.
    total: Vec<usize>,
    /// The literal that says what a time is, for clauses that have one.
    time: Option<String>,
    rules: Vec<String>,
}

impl Body<'_, '_> {
    /// The literals of a conjunction; `context` has what is demanded beside it.
    fn conjunction(&mut self, formulas: &[Formula], context: &[Part]) -> Result<Vec<Part>, Unbound> {
        let mut parts = Vec::new();
        let (mut disjunctions, mut negations) = (Vec::new(), Vec::new());
        let mut open: Vec<(&Formula, bool)> = formulas.iter().rev().map(|f| (f, false)).collect();
        while let Some((formula, negated)) = open.pop() {
            match (formula, negated) {
                (Formula::Not(inner), false) => open.push((inner, true)),
                (Formula::And(list), false) | (Formula::Or(list), true) => {
                    open.extend(list.iter().rev().map(|f| (f, negated)));
                }
                (Formula::Or(list), false) if list.len() == 1 => open.push((&list[0], false)),
                (Formula::And(list), true) if list.len() == 1 => open.push((&list[0], true)),
                (Formula::Or(list), false) => disjunctions.push((formula, list.as_slice())),
                (Formula::And(_) | Formula::Not(_), true) => negations.push(formula),
                (Formula::Atom(atom), _) => parts.push(self.literal(atom, negated)),
                (Formula::Distinct(a, b), _) => parts.push(self.comparison(a, b, negated)),
            }
        }
        while !disjunctions.is_empty() {
            let known: Vec<Part> = context.iter().chain(&parts).filter(|part| part.binds).cloned().collect();
            let ready = |(formula, list): &(&Formula, &[Formula])| self.is_ready(formula, list, &known);
            let at = disjunctions.iter().position(ready).unwrap_or(0);
            let (formula, list) = disjunctions.remove(at);
            parts.push(self.helper(formula, list, &known)?);
        }
        for formula in negations {
            let known: Vec<Part> = context.iter().chain(&parts).filter(|part| part.binds).cloned().collect();
            let helper = self.helper(formula, std::slice::from_ref(formula), &known)?;
            parts.push(Part { text: format!("not {}", helper.text), binds: false, ..helper });
        }
        Ok(parts)
    }

    fn literal(&self, atom: &Atom, negated: bool) -> Part {
        let mut variables = Vec::new();
        atom.variables(&mut |v| variables.push(v));
        let sign = if negated { "not " } else { "" };
        let text = format!("{sign}{}", self.writer.atom(atom, &self.variables, TIME));
        Part { text, variables, binds: !negated }
    }

    fn comparison(&self, a: &Pattern, b: &Pattern, negated: bool) -> Part {
        let mut variables = Vec::new();
        let mut sides = [String::new(), String::new()];
        for (side, pattern) in sides.iter_mut().zip([a, b]) {
            pattern.variables(&mut |v| variables.push(v));
            let terms = &self.writer.program.terms;
            self.writer.names.write_pattern(terms, pattern, &self.variables, side);
        }
        let [a, b] = sides;
        Part { text: format!("{a} {} {b}", if negated { "=" } else { "!=" }), variables, binds: false }
    }

    /// The variables of a formula that occur outside of it, too, ascending.
    fn shared(&self, formula: &Formula) -> Vec<VariableId> {
        let mut within = vec![0; self.total.len()];
        formula.variables(&mut |v| within[v.index()] += 1);
        let is_shared = |at: &usize| within[*at] > 0 && within[*at] < self.total[*at];
        (0..within.len()).filter(is_shared).map(VariableId::from_index).collect()
    }

    /// Whether each alternative gets its variables bound, by itself or by what is known.
    fn is_ready(&self, formula: &Formula, alternatives: &[Formula], known: &[Part]) -> bool {
        let shared = self.shared(formula);
        let mut outside = vec![false; self.total.len()];
        known.iter().flat_map(|part| &part.variables).for_each(|v| outside[v.index()] = true);
        alternatives.iter().all(|alternative| {
            let mut bound = outside.clone();
            binds(alternative, &mut bound);
            let mut all = true;
            alternative.variables(&mut |v| all &= bound[v.index()]);
            all && shared.iter().all(|v| bound[v.index()])
        })
    }

    /// A relation that holds where one of the alternatives does, for the variables that `formula` has in
    /// common with the rest of the clause.
    fn helper(
        &mut self,
        formula: &Formula,
        alternatives: &[Formula],
        known: &[Part],
    ) -> Result<Part, Unbound> {
        let shared = self.shared(formula);
        let name = self.writer.names.fresh("part");
        let mut args: Vec<&str> = shared.iter().map(|v| self.variables[v.index()].as_str()).collect();
        args.extend(self.time.is_some().then_some(TIME));
        let head = if args.is_empty() { name.clone() } else { format!("{name}({})", args.join(",")) };
        let arity = args.len();
        for alternative in alternatives {
            // A negated conjunction comes as itself: the helper says what is not to hold.
            let mut parts = self.conjunction(alternative.conjuncts(), known)?;
            let tested = parts.iter().filter(|part| !part.binds).flat_map(|part| &part.variables);
            let needed: Vec<VariableId> = shared.iter().chain(tested).copied().collect();
            for variable in needed {
                let has = |part: &&Part| part.binds && part.variables.contains(&variable);
                if !parts.iter().any(|part| has(&part)) {
                    let binder = known.iter().find(has).ok_or(Unbound(variable))?;
                    parts.push(binder.clone());
                }
            }
            let rule = self.rule(&head, &parts);
            self.rules.push(rule);
        }
        if alternatives.is_empty() {
            // Nothing makes it true; solvers want to be told that this is meant.
            self.rules.push(format!("#defined {name}/{arity}."));
        }
        Ok(Part { text: head, variables: shared, binds: true })
    }

    fn rule(&self, head: &str, parts: &[Part]) -> String {
        let literals: Vec<&str> =
            parts.iter().map(|part| part.text.as_str()).chain(self.time.as_deref()).collect();
        if literals.is_empty() { format!("{head}.") } else { format!("{head} :- {}.", literals.join(", ")) }
    }
}

/// Adds the variables to which a formula gives values.
fn binds(formula: &Formula, bound: &mut [bool]) {
    match formula {
        Formula::Atom(atom) => atom.variables(&mut |v| bound[v.index()] = true),
        Formula::And(parts) => parts.iter().for_each(|part| binds(part, bound)),
        Formula::Or(parts) => {
            let mut each = parts.iter().map(|part| {
                let mut alone = vec![false; bound.len()];
                binds(part, &mut alone);
                alone
            });
            let Some(mut common) = each.next() else { return };
            each.for_each(|other| common.iter_mut().zip(other).for_each(|(all, one)| *all &= one));
            bound.iter_mut().zip(common).for_each(|(bound, common)| *bound |= common);
        }
        Formula::Not(_) | Formula::Distinct(..) => {}
    }
}

/// That literals bind these variables and all that they test.
fn require(needed: &[VariableId], parts: &[Part]) -> Result<(), Unbound> {
    let tested = parts.iter().filter(|part| !part.binds).flat_map(|part| &part.variables);
    for &variable in needed.iter().chain(tested) {
        if !parts.iter().any(|part| part.binds && part.variables.contains(&variable)) {
            return Err(Unbound(variable));
        }
    }
    Ok(())
}
