//! Where lifetimes go in the rules: whether they are only copied, with what they are compared, and where two have to
//! be the same.
//!
//! An argument of a relation is *timed* where what is left of a lifetime can stand in it: the first one of `true`, and
//! those of other relations to which a rule hands that on. A variable *carries* a lifetime if all that binds it are
//! timed arguments; if an argument of another kind binds it, too, then it only takes constants of the rulesheet.

use std::collections::BTreeSet;

use ludex_gdl::{GameProgram, Lifetime};
use ludex_logic::{Atom, Clause, ClauseId, Formula, Id, Pattern, RelationId, TermId, TermView, VariableId};
use rustc_hash::FxHashSet;

use super::TimedNetError;

/// What the rules do with lifetimes.
#[derive(Debug, Default)]
pub(super) struct Flow {
    timed: FxHashSet<(RelationId, usize)>,
    /// The finite constants that lifetimes are compared with.
    pub compared: BTreeSet<Lifetime>,
}

/// How the positive subgoals of a body bind a variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Use {
    /// By how many timed arguments at most.
    timed: u32,
    /// By an argument that is not timed.
    plain: bool,
    /// The same in a part of the body at least.
    somewhere_plain: bool,
    /// By a timed argument in a part of the body that need not hold.
    nested: bool,
}

impl Use {
    fn carries(&self) -> bool {
        self.timed > 0 && !self.plain
    }

    /// Whether two lifetimes have to be the same.
    pub(super) fn joins(&self) -> bool {
        self.carries() && self.timed > 1
    }
}

impl Flow {
    /// Follows the lifetimes through the rules.
    ///
    /// # Errors
    /// [`TimedNetError::LifetimeInTerm`] and [`TimedNetError::LifetimesCompared`].
    pub(super) fn new(game: &GameProgram) -> Result<Self, TimedNetError> {
        let mut flow = Self { timed: FxHashSet::from_iter([(game.vocabulary.truth, 0)]), ..Self::default() };
        flow.spread(game)?;
        flow.check_ends(game)?;
        for (id, clause) in game.program.clauses.entries() {
            Reader { flow: &mut flow, game, id, uses: Vec::new() }.read(clause)?;
        }
        Ok(flow)
    }

    pub(super) fn is_timed(&self, relation: RelationId, argument: usize) -> bool {
        self.timed.contains(&(relation, argument))
    }

    /// By variable of the clause.
    pub(super) fn uses(&self, clause: &Clause) -> Vec<Use> {
        let mut uses = vec![Use::default(); clause.variables.len()];
        self.bind(&clause.body, &mut uses);
        uses
    }

    fn spread(&mut self, game: &GameProgram) -> Result<(), TimedNetError> {
        loop {
            let before = self.timed.len();
            for (id, clause) in game.program.clauses.entries() {
                let uses = self.uses(clause);
                for (argument, pattern) in clause.head.args.iter().enumerate() {
                    let mut carries = false;
                    pattern.variables(&mut |variable| carries |= uses[variable.index()].carries());
                    match pattern {
                        Pattern::Compound(..) if carries => {
                            return Err(TimedNetError::LifetimeInTerm { rule: place(game, id) });
                        }
                        Pattern::Variable(_) if carries => {
                            self.timed.insert((clause.head.relation, argument));
                        }
                        _ => {}
                    }
                }
            }
            if self.timed.len() == before {
                return Ok(());
            }
        }
    }

    /// No lifetime becomes a fact, a move or what else is told to players.
    fn check_ends(&self, game: &GameProgram) -> Result<(), TimedNetError> {
        let v = &game.vocabulary;
        let asked = [v.role, v.base, v.input, v.init, v.legal, v.goal, v.sees, v.percept];
        let is_end = |&(relation, argument): &(RelationId, usize)| {
            asked.contains(&relation) || (relation == v.next && argument == 1)
        };
        let Some(&(relation, argument)) = self.timed.iter().filter(|end| is_end(end)).min() else {
            return Ok(());
        };
        let by = game.program.clauses.entries().find(|(_, clause)| {
            let uses = self.uses(clause);
            clause.head.relation == relation
                && matches!(&clause.head.args[argument], Pattern::Variable(v) if uses[v.index()].carries())
        });
        let rule = by.map_or_else(String::new, |(id, _)| place(game, id));
        Err(TimedNetError::LifetimeInTerm { rule })
    }

    fn bind(&self, formula: &Formula, uses: &mut [Use]) {
        match formula {
            Formula::Atom(atom) => {
                for (argument, pattern) in atom.args.iter().enumerate() {
                    match pattern {
                        Pattern::Variable(v) if self.is_timed(atom.relation, argument) => {
                            uses[v.index()].timed += 1;
                        }
                        other => other.variables(&mut |v| {
                            let found = &mut uses[v.index()];
                            (found.plain, found.somewhere_plain) = (true, true);
                        }),
                    }
                }
            }
            Formula::And(parts) => parts.iter().for_each(|part| self.bind(part, uses)),
            Formula::Or(parts) => self.bind_either(parts, uses),
            Formula::Distinct(..) | Formula::Not(_) => {}
        }
    }

    fn bind_either(&self, parts: &[Formula], uses: &mut [Use]) {
        let each: Vec<Vec<Use>> = parts
            .iter()
            .map(|part| {
                let mut uses = vec![Use::default(); uses.len()];
                self.bind(part, &mut uses);
                uses
            })
            .collect();
        for (variable, found) in uses.iter_mut().enumerate() {
            let timed = each.iter().map(|uses| uses[variable].timed).max().unwrap_or(0);
            found.timed += timed;
            found.nested |= timed > 0;
            found.somewhere_plain |= each.iter().any(|uses| uses[variable].somewhere_plain);
            found.plain |= !each.is_empty() && each.iter().all(|uses| uses[variable].plain);
        }
    }
}

/// Where a clause is written.
pub(super) fn place(game: &GameProgram, id: ClauseId) -> String {
    let span = game.spans.get(id).copied();
    span.map_or_else(String::new, |span| game.source.position(span.start as usize).to_string())
}

/// Finds what the lifetimes of a clause are compared with.
struct Reader<'a> {
    flow: &'a mut Flow,
    game: &'a GameProgram,
    id: ClauseId,
    uses: Vec<Use>,
}

impl Reader<'_> {
    fn read(mut self, clause: &Clause) -> Result<(), TimedNetError> {
        self.uses = self.flow.uses(clause);
        if self.uses.iter().any(|found| found.joins() && found.nested) {
            return self.refuse();
        }
        for (variable, _) in clause.variables.entries() {
            let found = &self.uses[variable.index()];
            if found.somewhere_plain && found.timed > 0 {
                self.compare_with_values(variable, &clause.body);
            }
        }
        self.formula(&clause.body, &clause.body, true)
    }

    fn refuse(&self) -> Result<(), TimedNetError> {
        Err(TimedNetError::LifetimesCompared { rule: place(self.game, self.id) })
    }

    fn carries(&self, variable: VariableId) -> bool {
        self.uses[variable.index()].carries()
    }

    fn formula(&mut self, formula: &Formula, body: &Formula, holds: bool) -> Result<(), TimedNetError> {
        match formula {
            Formula::Atom(atom) => self.atom(atom, body, holds),
            Formula::Distinct(a, b) => {
                self.distinct(a, b, body)?;
                self.distinct(b, a, body)
            }
            Formula::Not(inner) => self.formula(inner, body, false),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().try_for_each(|part| self.formula(part, body, holds))
            }
        }
    }

    fn atom(&mut self, atom: &Atom, body: &Formula, holds: bool) -> Result<(), TimedNetError> {
        for (argument, pattern) in atom.args.iter().enumerate() {
            match (pattern, self.flow.is_timed(atom.relation, argument)) {
                (Pattern::Ground(term), true) => self.compare(*term),
                (Pattern::Variable(v), true) if !holds => {
                    if self.carries(*v) {
                        return self.refuse();
                    }
                    self.compare_with_values(*v, body);
                }
                (Pattern::Variable(v), false) if !holds && self.carries(*v) => {
                    self.compare_with_argument(atom, argument)
                }
                (Pattern::Compound(..), false) if !holds => {
                    let mut carries = false;
                    pattern.variables(&mut |v| carries |= self.carries(v));
                    if carries {
                        self.compare_with_all();
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn distinct(&mut self, one: &Pattern, other: &Pattern, body: &Formula) -> Result<(), TimedNetError> {
        match (one, other) {
            (Pattern::Variable(a), _) if !self.carries(*a) => {}
            (Pattern::Variable(_), Pattern::Ground(term)) => self.compare(*term),
            (Pattern::Variable(a), Pattern::Variable(b)) if a != b => {
                if self.carries(*b) {
                    return self.refuse();
                }
                self.compare_with_values(*b, body);
            }
            _ => {}
        }
        Ok(())
    }

    fn compare(&mut self, term: TermId) {
        let terms = &self.game.program.terms;
        if let TermView::Constant(name) = terms.view(term)
            && let Ok(lifetime) = Lifetime::parse(terms.name(name))
            && lifetime != Lifetime::INFINITE
        {
            self.flow.compared.insert(lifetime);
        }
    }

    /// With what a variable can stand for by the arguments that bind it.
    fn compare_with_values(&mut self, variable: VariableId, body: &Formula) {
        let mut places = Vec::new();
        body.atoms(&mut |atom, negated| {
            for (argument, pattern) in atom.args.iter().enumerate() {
                let mut binds = false;
                pattern.variables(&mut |v| binds |= v == variable);
                if binds && !negated && !self.flow.is_timed(atom.relation, argument) {
                    places.push((atom.clone(), argument));
                }
            }
        });
        if places.is_empty() {
            self.compare_with_all();
        }
        places.iter().for_each(|(atom, argument)| self.compare_with_argument(atom, *argument));
    }

    /// With what can stand in an argument: what the facts of its relation say, or all constants.
    fn compare_with_argument(&mut self, atom: &Atom, argument: usize) {
        let clauses = self.game.program.clauses.iter().filter(|clause| clause.head.relation == atom.relation);
        let values: Option<Vec<TermId>> = clauses.map(|clause| clause.head.args[argument].ground()).collect();
        match values.filter(|values| !values.is_empty()) {
            Some(values) => values.into_iter().for_each(|value| self.compare(value)),
            None => self.compare_with_all(),
        }
    }

    fn compare_with_all(&mut self) {
        let mut found = Vec::new();
        for clause in self.game.program.clauses.iter() {
            clause.head.args.iter().for_each(|arg| constants(arg, &self.game.program.terms, &mut found));
            clause.body.atoms(&mut |atom, _| {
                atom.args.iter().for_each(|arg| constants(arg, &self.game.program.terms, &mut found));
            });
        }
        found.into_iter().for_each(|term| self.compare(term));
    }
}

/// All constants in a term.
fn constants(pattern: &Pattern, terms: &ludex_logic::Terms, found: &mut Vec<TermId>) {
    match pattern {
        Pattern::Variable(_) => {}
        Pattern::Compound(_, args) => args.iter().for_each(|arg| constants(arg, terms, found)),
        Pattern::Ground(term) => {
            // Ground terms can be deep.
            let mut open = vec![*term];
            while let Some(term) = open.pop() {
                match terms.view(term) {
                    TermView::Constant(_) => found.push(term),
                    TermView::Compound(_, args) => open.extend(args.iter().copied()),
                }
            }
        }
    }
}
