//! Answer sets by completion and loop formulas (Lin and Zhao, ASSAT, 2004).
//!
//! Clark's completion says of each atom that it is true exactly if a rule supports it. Its models are
//! the supported ones; those in which atoms only support each other are excluded one by one, by the
//! formula that some rule from outside of the loop must support it.

use ludex_logic::scc::components;
use ludex_logic::{Budget, LimitError, Meter};

use super::program::{Atom, Choice, Head, Program, Rule};
use crate::sat::{Literal, Solver, Verdict};

/// Why no more answer sets follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// There are no more.
    All,
    /// As many were found as were asked for; there may be more.
    Enough,
    /// A limit of the budget was reached; there may be more.
    Stopped(LimitError),
}

/// Answer sets of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerSets {
    /// The answer sets that were found: of each the atoms that are true and shown, ascending.
    pub models: Vec<Vec<Atom>>,
    /// Whether these are all.
    pub end: End,
    /// The loops that had to be excluded.
    pub loops: usize,
}

impl Program {
    /// Finds answer sets, at most `limit`. Where only some atoms are [shown](Program::show), two answer
    /// sets that do not differ in these count once.
    pub fn models(&self, limit: usize, budget: &Budget) -> AnswerSets {
        let mut answer = AnswerSets { models: Vec::new(), end: End::All, loops: 0 };
        answer.end = match Search::new(self, budget).and_then(|mut search| search.run(limit, &mut answer)) {
            Ok(end) => end,
            Err(stopped) => End::Stopped(stopped),
        };
        answer
    }
}

struct Search<'p> {
    program: &'p Program,
    solver: Solver,
    meter: Meter,
    /// Per atom.
    atoms: Vec<Literal>,
    /// Per rule whether its body holds; for a constraint, false.
    bodies: Vec<Literal>,
    /// Per atom the rules that have it in the head.
    supporters: Vec<Vec<u32>>,
    /// Per atom the rules that need it, once for each time they say so.
    users: Vec<Vec<u32>>,
}

impl<'p> Search<'p> {
    /// Writes the completion.
    fn new(program: &'p Program, budget: &Budget) -> Result<Self, LimitError> {
        let mut solver = Solver::new(budget.meter());
        let atoms: Vec<Literal> = program.atoms().map(|_| solver.variable()).collect();
        let none = vec![Vec::new(); atoms.len()];
        let mut search = Self {
            program,
            bodies: Vec::with_capacity(program.rules().len()),
            supporters: none.clone(),
            users: none,
            meter: budget.meter(),
            solver,
            atoms,
        };
        for (number, rule) in program.rules().iter().enumerate() {
            search.enter(number as u32, rule)?;
        }
        for (atom, rules) in search.supporters.iter().enumerate() {
            let supports = rules.iter().map(|&rule| search.bodies[rule as usize]);
            search.solver.clause(std::iter::once(!search.atoms[atom]).chain(supports))?;
        }
        Ok(search)
    }

    fn enter(&mut self, number: u32, rule: &Rule) -> Result<(), LimitError> {
        let positive = rule.positive.iter().map(|atom| self.atoms[atom.index()]);
        let negative = rule.negative.iter().map(|atom| !self.atoms[atom.index()]);
        let parts: Vec<Literal> = positive.chain(negative).collect();
        rule.positive.iter().for_each(|atom| self.users[atom.index()].push(number));
        let body = match &rule.head {
            Head::Constraint => {
                self.solver.clause(parts.iter().map(|&part| !part))?;
                self.solver.constant(false)
            }
            Head::Atom(atom) => {
                let body = self.solver.conjunction(&parts)?;
                self.solver.clause([!body, self.atoms[atom.index()]])?;
                self.supporters[atom.index()].push(number);
                body
            }
            Head::Choice(choice) => {
                let body = self.solver.conjunction(&parts)?;
                self.bound(body, choice, number)?;
                body
            }
        };
        self.bodies.push(body);
        Ok(())
    }

    /// Demands the bounds of a choice where its body holds.
    fn bound(&mut self, body: Literal, choice: &Choice, number: u32) -> Result<(), LimitError> {
        let mut atoms = choice.atoms.clone();
        atoms.sort_unstable();
        atoms.dedup();
        atoms.iter().for_each(|atom| self.supporters[atom.index()].push(number));
        let literals: Vec<Literal> = atoms.iter().map(|atom| self.atoms[atom.index()]).collect();
        let most = choice.at_most.filter(|&most| most < literals.len());
        if choice.at_least > literals.len() {
            return self.solver.clause([!body]);
        }
        let levels = most.map_or(0, |most| most + 1).max(choice.at_least);
        let counts = self.counts(&literals, levels)?;
        if let Some(least) = choice.at_least.checked_sub(1) {
            self.solver.clause([!body, counts[least]])?;
        }
        if let Some(most) = most {
            self.solver.clause([!body, !counts[most]])?;
        }
        Ok(())
    }

    /// Literals that say whether at least 1, 2 .. `levels` of these are true; `levels` is at most their
    /// number.
    fn counts(&mut self, literals: &[Literal], levels: usize) -> Result<Vec<Literal>, LimitError> {
        let truth = self.solver.truth();
        let mut counts: Vec<Literal> = vec![!truth; levels];
        for (before, &literal) in literals.iter().enumerate() {
            // From above, so that what a level is made of still says how many there were before.
            for level in (0..levels.min(before + 1)).rev() {
                let below = level.checked_sub(1).map_or(truth, |below| counts[below]);
                let reached = self.solver.conjunction(&[literal, below])?;
                counts[level] = !self.solver.conjunction(&[!counts[level], !reached])?;
            }
        }
        Ok(counts)
    }

    fn run(&mut self, limit: usize, answer: &mut AnswerSets) -> Result<End, LimitError> {
        let all: Vec<Atom>;
        let program = self.program;
        let shown = match program.shown() {
            Some(shown) => shown,
            None => {
                all = program.atoms().collect();
                &all
            }
        };
        while answer.models.len() < limit {
            match self.solver.solve(&[], u64::MAX)? {
                Verdict::Unsatisfiable => return Ok(End::All),
                // So many conflicts nobody meets; if so, the question is put again.
                Verdict::TooHard => continue,
                Verdict::Satisfiable => {}
            }
            let model: Vec<bool> = self.atoms.iter().map(|&atom| self.solver.value(atom)).collect();
            let unfounded = self.unfounded(&model)?;
            if !unfounded.is_empty() {
                answer.loops += self.exclude_loops(&model, &unfounded)?;
                continue;
            }
            let mut found: Vec<Atom> = shown.iter().copied().filter(|atom| model[atom.index()]).collect();
            found.sort_unstable();
            found.dedup();
            answer.models.push(found);
            let atoms = &self.atoms;
            let other = |atom: &Atom| {
                let literal = atoms[atom.index()];
                if model[atom.index()] { !literal } else { literal }
            };
            self.solver.clause(shown.iter().map(other))?;
        }
        Ok(End::Enough)
    }

    /// The true atoms that do not follow from the rules, ascending.
    fn unfounded(&mut self, model: &[bool]) -> Result<Vec<Atom>, LimitError> {
        let rules = self.program.rules();
        let mut missing: Vec<usize> = rules.iter().map(|rule| rule.positive.len()).collect();
        let is_open = |rule: &Rule| {
            rule.head != Head::Constraint && rule.negative.iter().all(|atom| !model[atom.index()])
        };
        let ready = |(number, rule): (usize, &Rule)| rule.positive.is_empty().then_some(number as u32);
        let mut queue: Vec<u32> = rules.iter().enumerate().filter_map(ready).collect();
        let mut founded = vec![false; model.len()];
        self.meter.spend(rules.len() as u64)?;
        while let Some(number) = queue.pop() {
            let rule = &rules[number as usize];
            if !is_open(rule) {
                continue;
            }
            for atom in heads(rule) {
                if !model[atom.index()] || std::mem::replace(&mut founded[atom.index()], true) {
                    continue;
                }
                let users = &self.users[atom.index()];
                self.meter.spend(1 + users.len() as u64)?;
                for &user in users {
                    missing[user as usize] -= 1;
                    if missing[user as usize] == 0 {
                        queue.push(user);
                    }
                }
            }
        }
        Ok(self.program.atoms().filter(|a| model[a.index()] && !founded[a.index()]).collect())
    }

    /// Demands of each loop that nothing outside of it supports in this model that something does; says
    /// how many there are.
    fn exclude_loops(&mut self, model: &[bool], unfounded: &[Atom]) -> Result<usize, LimitError> {
        let place = |atom: &Atom| unfounded.binary_search(atom).ok();
        let applies = |rule: &Rule| {
            rule.positive.iter().all(|a| model[a.index()]) && rule.negative.iter().all(|a| !model[a.index()])
        };
        let rules = self.program.rules();
        let mut edges: Vec<Vec<usize>> = Vec::with_capacity(unfounded.len());
        for atom in unfounded {
            let supporters = &self.supporters[atom.index()];
            self.meter.spend(1 + supporters.len() as u64)?;
            let applied = supporters.iter().map(|&rule| &rules[rule as usize]).filter(|&rule| applies(rule));
            edges.push(applied.flat_map(|rule| rule.positive.iter().filter_map(place)).collect());
        }
        let mut is_inside = vec![false; unfounded.len()];
        let mut excluded = 0;
        for members in components(unfounded.len(), |node| edges[node].clone()) {
            members.iter().for_each(|&member| is_inside[member] = true);
            // What applies to an unfounded atom needs another one, so such a component is a loop.
            if members.iter().all(|&member| edges[member].iter().all(|&to| is_inside[to])) {
                let inside = |atom: &Atom| place(atom).is_some_and(|at| is_inside[at]);
                let atoms: Vec<Atom> = members.iter().map(|&member| unfounded[member]).collect();
                self.demand_support(&atoms, inside)?;
                excluded += 1;
            }
            members.iter().for_each(|&member| is_inside[member] = false);
        }
        Ok(excluded)
    }

    /// None of these atoms is true unless a rule applies to one of them that needs none of them.
    fn demand_support(&mut self, atoms: &[Atom], inside: impl Fn(&Atom) -> bool) -> Result<(), LimitError> {
        let rules = self.program.rules();
        let of = |atom: &Atom| self.supporters[atom.index()].iter().copied();
        let mut external: Vec<u32> = atoms.iter().flat_map(of).collect();
        external.sort_unstable();
        external.dedup();
        external.retain(|&rule| !rules[rule as usize].positive.iter().any(&inside));
        let absent: Vec<Literal> = external.iter().map(|&rule| !self.bodies[rule as usize]).collect();
        let unsupported = self.solver.conjunction(&absent)?;
        for atom in atoms {
            self.solver.clause([!self.atoms[atom.index()], !unsupported])?;
        }
        Ok(())
    }
}

/// The atoms that a rule can make true.
fn heads(rule: &Rule) -> &[Atom] {
    match &rule.head {
        Head::Constraint => &[],
        Head::Atom(atom) => std::slice::from_ref(atom),
        Head::Choice(choice) => &choice.atoms,
    }
}
