//! Sentences with steps (ISDL) as the rules of a game that runs.
//!
//! A state knows which step it is, `now(N)`, what was done so far, `did(R,M,N)`, and how those things are that the
//! sentences leave open, `holds(A)`: `random` chooses that in an opening before the first step, as in IGDL. What is so at
//! a step then follows from the definitions, which are written out down to these. The facts of the author are there to be
//! seen: nothing depends on them.
//!
//! That works where what is open does not depend on what is done.

use std::sync::Arc;

use ludex_logic::relational::{Edge, Grounding};
use ludex_logic::{
    Atom, AtomId, Budget, Id, IdVec, LimitError, Meter, Pattern, ProgramBuilder, RelationId, TermId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::GameSentences;
use super::cases;
use super::definitions::{Definitions, Open};
use super::writer::Writer;
use crate::game_program::{Dialect, GameProgram};
use crate::lower::declare_vocabulary;
use crate::source::Span;

/// The game that sentences with steps are.
///
/// # Errors
/// What they leave open so that no game of GDL-II has it; a limit.
pub(super) fn program(
    sentences: &GameSentences,
    grounding: Grounding,
    definitions: Definitions,
    budget: &Budget,
) -> Result<Result<GameProgram, Vec<Open>>, LimitError> {
    let Ok(steps) = sentences.steps() else { return Ok(Err(vec![Open::Steps])) };
    let mut unrolling = Unrolling::new(sentences, grounding, definitions, steps);
    let Some(cases) = unrolling.cases(budget)? else { return Ok(Err(vec![Open::Steps])) };
    unrolling.write(&cases, &mut budget.meter())?;
    Ok(unrolling.finish().ok_or_else(|| vec![Open::TooLarge]))
}

/// Relations of the game without steps, which the theory does not have.
#[derive(Clone, Copy)]
struct Leaves {
    truth: RelationId,
    does: RelationId,
}

/// What a rule says.
#[derive(Clone, Copy)]
enum Head {
    Role,
    Base,
    Input,
    Percept,
    Init,
    Next,
    Legal,
    Goal,
    Terminal,
    Sees,
}

struct Rule {
    head: Head,
    args: Vec<TermId>,
    body: Edge,
}

struct Unrolling<'a> {
    sentences: &'a GameSentences,
    grounding: Grounding,
    definitions: Definitions,
    steps: Vec<TermId>,
    leaves: Leaves,
    random: TermId,
    now: Vec<TermId>,
    opening: TermId,
    wait: TermId,
    /// Atoms that are open, each with the fact that says it holds.
    open: Vec<(AtomId, TermId)>,
    /// What is done, with its role, move and step and the fact that it was done.
    does: Vec<(AtomId, [TermId; 2], usize, TermId)>,
    /// Atoms in an order in which each comes after those that define it.
    order: Vec<AtomId>,
    percepts_follow_moves: bool,
    rules: Vec<Rule>,
}

impl<'a> Unrolling<'a> {
    fn new(
        sentences: &'a GameSentences,
        grounding: Grounding,
        definitions: Definitions,
        steps: Vec<TermId>,
    ) -> Self {
        let theory = &sentences.theory;
        let terms = &theory.terms;
        let fresh = |number: usize| RelationId::from_index(theory.relations.len() + number);
        let leaves = Leaves { truth: fresh(0), does: fresh(1) };
        let name = |wanted: &str| terms.symbol(&sentences.free_name(wanted));
        let (now, did) = (name("now"), name("did"));
        let now = steps.iter().map(|&step| terms.compound(now, &[step])).collect();
        let constant = |wanted: &str| terms.constant(&sentences.free_name(wanted));
        let (opening, wait) = (constant("opening"), constant("wait"));
        let mut does = Vec::new();
        for (id, args) in grounding.of_relation(sentences.vocabulary.does) {
            let step = steps.iter().position(|&step| step == args[2]);
            if let Some(step) = step.filter(|_| sentences.roles.contains(&args[0])) {
                does.push((id, [args[0], args[1]], step, terms.compound(did, args)));
            }
        }
        let order = definitions.order(&grounding);
        let percepts_follow_moves = sentences.percepts_follow_moves();
        let random = terms.constant("random");
        let (open, rules) = (Vec::new(), Vec::new());
        Self {
            sentences,
            grounding,
            definitions,
            steps,
            leaves,
            random,
            now,
            opening,
            wait,
            open,
            does,
            order,
            percepts_follow_moves,
            rules,
        }
    }

    /// How what is open can be: for each case the values of [`Unrolling::open`], which is found out here. None where it
    /// depends on what is done, or there are too many.
    fn cases(&mut self, budget: &Budget) -> Result<Option<Vec<Vec<bool>>>, LimitError> {
        let v = self.sentences.vocabulary;
        let declares = [v.base, v.input, v.percept, v.role];
        let is_open = |atom: &AtomId| {
            let relation = self.grounding.atoms[*atom].relation;
            relation != v.does && !declares.contains(&relation) && self.definitions.of(*atom).is_none()
        };
        let used = self.grounding.formulas.atoms_in(self.definitions.all().map(|(_, edge, _)| edge));
        let mut open: Vec<AtomId> = used.into_iter().filter(&is_open).collect();
        open.extend(self.grounding.of_relation(v.truth).map(|(id, _)| id).filter(&is_open));
        open.sort_unstable();
        open.dedup();
        if self.depends_on_moves(&open) {
            return Ok(None);
        }
        let edges: Vec<Edge> =
            open.iter().filter_map(|&atom| self.grounding.formulas.find_atom(atom)).collect();
        let found = cases::all(self.sentences, &self.grounding, &edges, budget)?;
        self.open = cases::with_facts(self.sentences, &self.grounding, open);
        Ok(found)
    }

    /// Whether a sentence that defines nothing ties what is open to what is done.
    fn depends_on_moves(&self, open: &[AtomId]) -> bool {
        let v = &self.sentences.vocabulary;
        let mut from_moves: FxHashSet<AtomId> = FxHashSet::default();
        for &atom in &self.order {
            let used = match self.definitions.of(atom) {
                Some((edge, _)) => self.grounding.formulas.atoms_in([edge]),
                None => Vec::new(),
            };
            let is_made = self.grounding.atoms[atom].relation == v.does;
            if is_made || used.iter().any(|used| from_moves.contains(used)) {
                from_moves.insert(atom);
            }
        }
        self.grounding.roots.iter().any(|root| {
            let atoms = self.grounding.formulas.atoms_in([root.edge]);
            let is_definition = self.definitions.is_by(root);
            !is_definition
                && atoms.iter().any(|atom| open.contains(atom))
                && atoms.iter().any(|atom| from_moves.contains(atom))
        })
    }

    /// What every atom is at a step, in terms of the state and the moves of that step; `None` is the opening, in which
    /// what is open is being decided.
    fn at(
        &mut self,
        step: Option<usize>,
        cases: &[Vec<bool>],
        meter: &mut Meter,
    ) -> Result<FxHashMap<AtomId, Edge>, LimitError> {
        let Leaves { truth, does } = self.leaves;
        let mut at: FxHashMap<AtomId, Edge> = FxHashMap::default();
        for (atom, [role, made], made_at, did) in self.does.clone() {
            let edge = match step {
                Some(step) if made_at < step => self.grounding.edge(truth, &[did]),
                Some(step) if made_at == step => self.grounding.edge(does, &[role, made]),
                _ => Edge::FALSE,
            };
            at.insert(atom, edge);
        }
        for (number, (atom, fact)) in self.open.clone().into_iter().enumerate() {
            let edge = if step.is_some() {
                self.grounding.edge(truth, &[fact])
            } else {
                let chosen: Vec<TermId> = (0..cases.len())
                    .filter(|&case| cases[case][number])
                    .map(|case| self.case(case))
                    .collect();
                let ways = chosen.into_iter().map(|case| self.grounding.edge(does, &[self.random, case]));
                let ways = ways.collect();
                self.grounding.formulas.or(ways)
            };
            at.insert(atom, edge);
        }
        let mut known = FxHashMap::default();
        for atom in self.order.clone() {
            meter.spend(1)?;
            if let Some((edge, _)) = self.definitions.of(atom) {
                let edge = self.grounding.formulas.replace(edge, &at, &mut known);
                at.insert(atom, edge);
            }
        }
        Ok(at)
    }

    fn case(&self, number: usize) -> TermId {
        cases::choice(self.sentences, number)
    }

    fn rule(&mut self, head: Head, args: &[TermId], body: Edge) {
        if body != Edge::FALSE {
            self.rules.push(Rule { head, args: args.to_vec(), body });
        }
    }

    fn truth(&mut self, fact: TermId) -> Edge {
        self.grounding.edge(self.leaves.truth, &[fact])
    }

    fn write(&mut self, cases: &[Vec<bool>], meter: &mut Meter) -> Result<(), LimitError> {
        self.write_opening(cases);
        let opening = self.truth(self.opening);
        let first = self.at(None, cases, meter)?;
        self.write_arrival(&first, 0, opening);
        for step in 0..self.steps.len() {
            let at = self.at(Some(step), cases, meter)?;
            let now = self.truth(self.now[step]);
            self.write_step(&at, step, now);
            if step + 1 < self.steps.len() {
                let following = self.now[step + 1];
                self.rule(Head::Next, &[following], now);
                self.write_arrival(&at, step + 1, now);
            } else {
                self.rule(Head::Terminal, &[], now);
            }
        }
        for (_, [role, made], step, did) in self.does.clone() {
            let now = self.truth(self.now[step]);
            let makes = self.grounding.edge(self.leaves.does, &[role, made]);
            let makes = self.grounding.formulas.and(vec![now, makes]);
            let stays = self.truth(did);
            let body = self.grounding.formulas.or(vec![makes, stays]);
            self.rule(Head::Base, &[did], Edge::TRUE);
            self.rule(Head::Next, &[did], body);
        }
        Ok(())
    }

    /// The step before the first one, and what stays.
    fn write_opening(&mut self, cases: &[Vec<bool>]) {
        let (opening, wait, random) = (self.opening, self.wait, self.random);
        let begins = self.truth(opening);
        self.rule(Head::Base, &[opening], Edge::TRUE);
        self.rule(Head::Init, &[opening], Edge::TRUE);
        self.rule(Head::Next, &[self.now[0]], begins);
        for now in self.now.clone() {
            self.rule(Head::Base, &[now], Edge::TRUE);
        }
        for role in self.sentences.roles.clone() {
            self.rule(Head::Role, &[role], Edge::TRUE);
            if role != random {
                self.rule(Head::Legal, &[role, wait], begins);
                self.rule(Head::Input, &[role, wait], Edge::TRUE);
            }
        }
        if !self.sentences.roles.contains(&random) {
            self.rule(Head::Role, &[random], Edge::TRUE);
            self.rule(Head::Legal, &[random, wait], !begins);
            self.rule(Head::Input, &[random, wait], Edge::TRUE);
        }
        for number in 0..cases.len() {
            let case = self.case(number);
            self.rule(Head::Legal, &[random, case], begins);
            self.rule(Head::Input, &[random, case], Edge::TRUE);
        }
        for (number, (_, fact)) in self.open.clone().into_iter().enumerate() {
            let stays = self.truth(fact);
            let mut ways = vec![stays];
            for case in (0..cases.len()).filter(|&case| cases[case][number]) {
                let case = self.case(case);
                ways.push(self.grounding.edge(self.leaves.does, &[random, case]));
            }
            let body = self.grounding.formulas.or(ways);
            self.rule(Head::Base, &[fact], Edge::TRUE);
            self.rule(Head::Next, &[fact], body);
        }
    }

    /// The atoms of a relation at a step, without the step.
    fn atoms(&self, relation: RelationId, step: usize) -> Vec<(AtomId, Vec<TermId>)> {
        let of_step = |args: &[TermId]| args.last() == Some(&self.steps[step]);
        let atoms = self.grounding.of_relation(relation).filter(|(_, args)| of_step(args));
        atoms.map(|(id, args)| (id, args[..args.len() - 1].to_vec())).collect()
    }

    /// What the next state is like, `coming` being its step: its facts, and what is seen of it.
    fn write_arrival(&mut self, at: &FxHashMap<AtomId, Edge>, coming: usize, now: Edge) {
        let v = self.sentences.vocabulary;
        let mut heads = vec![(Head::Next, v.truth)];
        if !self.percepts_follow_moves {
            heads.push((Head::Sees, v.sees));
        }
        for (head, relation) in heads {
            self.write_atoms(head, relation, coming, at, now);
        }
    }

    /// What holds at a step.
    fn write_step(&mut self, at: &FxHashMap<AtomId, Edge>, step: usize, now: Edge) {
        let v = self.sentences.vocabulary;
        let mut heads = vec![(Head::Legal, v.legal), (Head::Goal, v.goal), (Head::Terminal, v.terminal)];
        if self.percepts_follow_moves {
            heads.push((Head::Sees, v.sees));
        }
        for (head, relation) in heads {
            self.write_atoms(head, relation, step, at, now);
        }
        if !self.sentences.dialect.has_percepts() {
            self.write_moves_as_percepts(step, now);
        }
    }

    fn write_atoms(
        &mut self,
        head: Head,
        relation: RelationId,
        step: usize,
        at: &FxHashMap<AtomId, Edge>,
        now: Edge,
    ) {
        for (atom, args) in self.atoms(relation, step) {
            let Some(&edge) = at.get(&atom) else { continue };
            let body = self.grounding.formulas.and(vec![now, edge]);
            if body == Edge::FALSE {
                continue;
            }
            let declares = match head {
                Head::Next => Some(Head::Base),
                Head::Legal => Some(Head::Input),
                Head::Sees => Some(Head::Percept),
                _ => None,
            };
            if let Some(declares) = declares {
                self.rule(declares, &args, Edge::TRUE);
            }
            self.rule(head, &args, body);
        }
    }

    /// Without percepts everybody sees all moves.
    fn write_moves_as_percepts(&mut self, step: usize, now: Edge) {
        let terms = Arc::clone(&self.sentences.theory.terms);
        let name = terms.symbol("move");
        for (_, [mover, made], _, _) in self.does.clone().into_iter().filter(|does| does.2 == step) {
            let percept = terms.compound(name, &[mover, made]);
            let makes = self.grounding.edge(self.leaves.does, &[mover, made]);
            let body = self.grounding.formulas.and(vec![now, makes]);
            for role in self.sentences.roles.clone() {
                self.rule(Head::Percept, &[role, percept], Edge::TRUE);
                self.rule(Head::Sees, &[role, percept], body);
            }
        }
    }

    /// The rules as a program; none where they are too large.
    fn finish(self) -> Option<GameProgram> {
        let terms = Arc::clone(&self.sentences.theory.terms);
        let dialect = Dialect::IgdlII;
        let mut builder = ProgramBuilder::new(terms);
        let v = declare_vocabulary(&mut builder, dialect);
        let leaves = self.leaves;
        let relation = move |relation: RelationId| if relation == leaves.truth { v.truth } else { v.does };
        let mut writer = Writer::new(&self.grounding, &relation);
        let mut spans: IdVec<_, Span> = IdVec::new();
        let span = self.sentences.spans.iter().next().copied().unwrap_or_default();
        let mut said: FxHashSet<(RelationId, &[TermId], Edge)> = FxHashSet::default();
        for rule in &self.rules {
            let head = match rule.head {
                Head::Role => v.role,
                Head::Base => v.base,
                Head::Input => v.input,
                Head::Percept => v.percept,
                Head::Init => v.init,
                Head::Next => v.next,
                Head::Legal => v.legal,
                Head::Goal => v.goal,
                Head::Terminal => v.terminal,
                Head::Sees => v.sees,
            };
            if !said.insert((head, &rule.args, rule.body)) {
                continue;
            }
            let body = writer.body(rule.body)?;
            let args = rule.args.iter().map(|&arg| Pattern::Ground(arg)).collect();
            builder.clause(Atom { relation: head, args }, body, IdVec::new(), None);
            spans.push(span);
        }
        let mut roles = self.sentences.roles.clone();
        if !roles.contains(&self.random) {
            roles.push(self.random);
        }
        let source = Arc::clone(&self.sentences.source);
        let program = builder.finish();
        let has_opening = true;
        Some(GameProgram {
            program,
            vocabulary: v,
            dialect,
            roles,
            has_opening,
            waiting: None,
            source,
            spans,
        })
    }
}
