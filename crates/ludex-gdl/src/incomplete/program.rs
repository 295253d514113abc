//! Sentences as the rules of a game that runs.
//!
//! Where sentences define everything, their definitions are the rules. Where they leave open what holds at first, or
//! something that stays as it is (which doors there are, what a button does), the game begins with an *opening*: a
//! step before the first one, at which `random` chooses one of the cases that are possible, and all others wait. What
//! stays is a fact of the state from then on, `holds(A)`. So a description that is incomplete is a game with chance and
//! percepts like any other of GDL-II.
//!
//! Percepts that do not depend on the moves are told with their state, the first ones after an opening, which there is for
//! them even where nothing is open: `sees` is about the next state then. In IGDL without percepts, whose roles see all
//! moves, an opening makes that said: `sees(R,move(Q,M))`.

use std::sync::Arc;

use ludex_logic::relational::{Edge, Grounding, SentenceId};
use ludex_logic::{
    Atom, AtomId, Budget, GroundAtom, Id, IdVec, LimitError, Pattern, ProgramBuilder, RelationId, TermId,
};
use rustc_hash::FxHashMap;

use super::GameSentences;
use super::definitions::{Definitions, Open};
use super::writer::Writer;
use super::{cases, unrolled};
use crate::game_program::{Dialect, GameProgram};
use crate::lower::declare_vocabulary;
use crate::source::Span;

/// The game that sentences are; `open` is what their definitions leave open ([`Definitions::open`]).
///
/// # Errors
/// What they leave open so that no game of GDL-II has it: what is open anew at each step, or defined by itself; a
/// limit.
pub(super) fn program(
    sentences: &GameSentences,
    grounding: Grounding,
    definitions: Definitions,
    open: &[Open],
    budget: &Budget,
) -> Result<Result<GameProgram, Vec<Open>>, LimitError> {
    if open.iter().any(|open| !open.is_lasting(sentences)) {
        return Ok(Err(open.to_vec()));
    }
    if let Some(atom) = definitions.first_loop(&grounding) {
        return Ok(Err(vec![Open::DefinedByItself(atom)]));
    }
    if sentences.dialect.has_steps() {
        return unrolled::program(sentences, grounding, definitions, budget);
    }
    let mut rules = Rules::new(sentences, grounding, definitions);
    let opening = match rules.opening(open, budget)? {
        Cases::None => None,
        Cases::Known(opening) => Some(opening),
        Cases::TooMany => return Ok(Err(vec![Open::TooLarge])),
    };
    rules.write(opening.as_ref());
    Ok(rules.finish(opening.is_some()).ok_or_else(|| vec![Open::TooLarge]))
}

/// A rule without variables.
struct Rule {
    head: GroundAtom,
    body: Edge,
    sentence: SentenceId,
}

/// What is open, and how it can be.
struct Opening {
    random: TermId,
    /// The fact that holds at the opening.
    now: TermId,
    /// What the others do at the opening.
    wait: TermId,
    /// What stays and is open, with the fact that says so.
    lasting: Vec<(AtomId, TermId)>,
    /// For each case the move that chooses it, and the facts that hold in it.
    cases: Vec<(TermId, Vec<TermId>)>,
}

enum Cases {
    /// Nothing is open.
    None,
    Known(Opening),
    TooMany,
}

struct Rules<'a> {
    sentences: &'a GameSentences,
    grounding: Grounding,
    definitions: Definitions,
    rules: Vec<Rule>,
}

impl<'a> Rules<'a> {
    fn new(sentences: &'a GameSentences, grounding: Grounding, definitions: Definitions) -> Self {
        Self { sentences, grounding, definitions, rules: Vec::new() }
    }

    fn constant(&self, wanted: &str) -> TermId {
        self.sentences.theory.terms.constant(&self.sentences.free_name(wanted))
    }

    /// The facts that may hold in a state.
    fn facts(&self) -> Vec<TermId> {
        let truth = self.sentences.vocabulary.truth;
        let is_possible = |fact: &TermId| {
            let atom = GroundAtom { relation: truth, args: Box::new([*fact]) };
            !self.definitions.is_undeclared(self.sentences, &self.grounding, &atom)
        };
        self.grounding.universe.met(truth, 0).iter().copied().filter(is_possible).collect()
    }

    /// The cases of what is open.
    fn opening(&mut self, open: &[Open], budget: &Budget) -> Result<Cases, LimitError> {
        let sentences = self.sentences;
        let v = &sentences.vocabulary;
        let formulas = &self.grounding.formulas;
        let used = formulas.atoms_in(self.definitions.all().map(|(_, edge, _)| edge));
        let is_open = |atom: &AtomId| {
            let relation = self.grounding.atoms[*atom].relation;
            let declares = [v.init, v.base, v.input, v.percept, v.role].contains(&relation);
            !declares && !sentences.changes[relation] && self.definitions.of(*atom).is_none()
        };
        let lasting: Vec<AtomId> = used.into_iter().filter(is_open).collect();
        let starts = |open: &Open| matches!(open, Open::Atom(atom) if atom.relation == v.init);
        let sees = self.grounding.of_relation(v.sees).next().is_some();
        let sees_first = sees && sentences.dialect.has_percepts() && !sentences.percepts_follow_moves();
        if lasting.is_empty() && !open.iter().any(starts) && !sees_first {
            return Ok(Cases::None);
        }
        let facts = self.facts();
        let mut of: Vec<Edge> = lasting.iter().filter_map(|&atom| formulas.find_atom(atom)).collect();
        of.extend(facts.iter().map(|&fact| self.grounding.edge(v.init, &[fact])));
        let found = match cases::all(sentences, &self.grounding, &of, budget)? {
            Some(found) => found,
            None => return Ok(Cases::TooMany),
        };
        let lasting = cases::with_facts(sentences, &self.grounding, lasting);
        let cases = found.into_iter().enumerate().map(|(number, values)| {
            let all = lasting.iter().map(|(_, fact)| fact).chain(&facts);
            let held = all.zip(&values).filter(|(_, held)| **held).map(|(&fact, _)| fact);
            (cases::choice(sentences, number), held.collect())
        });
        let cases = cases.collect();
        let random = sentences.theory.terms.constant("random");
        let (now, wait) = (self.constant("opening"), self.constant("wait"));
        Ok(Cases::Known(Opening { random, now, wait, lasting, cases }))
    }

    fn rule(&mut self, relation: RelationId, args: &[TermId], body: Edge, sentence: SentenceId) {
        if body != Edge::FALSE {
            self.rules.push(Rule { head: GroundAtom { relation, args: args.into() }, body, sentence });
        }
    }

    fn write(&mut self, opening: Option<&Opening>) {
        let v = self.sentences.vocabulary;
        // What stays is a fact of the state.
        let mut stays: FxHashMap<AtomId, Edge> = FxHashMap::default();
        let mut not_now = Edge::TRUE;
        if let Some(opening) = opening {
            for &(atom, fact) in &opening.lasting {
                let edge = self.grounding.edge(v.truth, &[fact]);
                stays.insert(atom, edge);
            }
            not_now = !self.grounding.edge(v.truth, &[opening.now]);
        }
        let replaced = self.written_out(&stays);
        let mut known = FxHashMap::default();
        let defined: Vec<(AtomId, Edge, SentenceId)> = self.definitions.all().collect();
        let mut definitions: FxHashMap<AtomId, Edge> = FxHashMap::default();
        for &(atom, edge, sentence) in &defined {
            let edge = self.grounding.formulas.replace(edge, &replaced, &mut known);
            definitions.insert(atom, edge);
            let head = self.grounding.atoms[atom].clone();
            let is_about_now = [v.next, v.legal, v.goal, v.terminal].contains(&head.relation);
            let body = if head.relation == v.sees || (head.relation == v.init && opening.is_some()) {
                continue;
            } else if [v.base, v.input, v.percept].contains(&head.relation) && edge != Edge::FALSE {
                // What may be declared can be met.
                Edge::TRUE
            } else if is_about_now {
                self.grounding.formulas.and(vec![edge, not_now])
            } else {
                edge
            };
            self.rule(head.relation, &head.args, body, sentence);
        }
        if let Some(opening) = opening {
            self.write_opening(opening, not_now);
        }
        self.write_percepts(&defined, &definitions, &stays, opening, not_now);
    }

    /// What stands in place of atoms in the bodies of rules: facts that stay, and the definitions of what a game is
    /// asked for. Sentences may well define one value of a goal by another one; as rules, no goal depends on goals.
    fn written_out(&mut self, stays: &FxHashMap<AtomId, Edge>) -> FxHashMap<AtomId, Edge> {
        let v = self.sentences.vocabulary;
        let asked = [v.next, v.legal, v.goal, v.terminal, v.sees];
        let (mut replaced, mut known) = (stays.clone(), FxHashMap::default());
        for atom in self.definitions.order(&self.grounding) {
            let definition = self.definitions.of(atom);
            if let Some((edge, _)) =
                definition.filter(|_| asked.contains(&self.grounding.atoms[atom].relation))
            {
                let edge = self.grounding.formulas.replace(edge, &replaced, &mut known);
                replaced.insert(atom, edge);
            }
        }
        replaced
    }

    /// The step before the first one.
    fn write_opening(&mut self, opening: &Opening, not_now: Edge) {
        let v = self.sentences.vocabulary;
        let first = SentenceId::from_index(0);
        let &Opening { random, now, wait, .. } = opening;
        self.rule(v.base, &[now], Edge::TRUE, first);
        self.rule(v.init, &[now], Edge::TRUE, first);
        if !self.sentences.roles.contains(&random) {
            self.rule(v.role, &[random], Edge::TRUE, first);
            self.rule(v.legal, &[random, wait], not_now, first);
            self.rule(v.input, &[random, wait], Edge::TRUE, first);
        }
        for &role in self.sentences.roles.iter().filter(|&&role| role != random) {
            self.rule(v.legal, &[role, wait], !not_now, first);
            self.rule(v.input, &[role, wait], Edge::TRUE, first);
        }
        for &(_, fact) in &opening.lasting {
            let stays = self.grounding.edge(v.truth, &[fact]);
            self.rule(v.base, &[fact], Edge::TRUE, first);
            self.rule(v.next, &[fact], stays, first);
        }
        for (chosen, facts) in &opening.cases {
            self.rule(v.legal, &[random, *chosen], !not_now, first);
            self.rule(v.input, &[random, *chosen], Edge::TRUE, first);
            let does = self.grounding.edge(v.does, &[random, *chosen]);
            for &fact in facts {
                self.rule(v.next, &[fact], does, first);
            }
        }
    }

    /// What roles see: of the next state, unless it depends on the moves.
    fn write_percepts(
        &mut self,
        defined: &[(AtomId, Edge, SentenceId)],
        definitions: &FxHashMap<AtomId, Edge>,
        stays: &FxHashMap<AtomId, Edge>,
        opening: Option<&Opening>,
        not_now: Edge,
    ) {
        let v = self.sentences.vocabulary;
        let ahead = if self.sentences.percepts_follow_moves() {
            None
        } else {
            Some(self.next_state(definitions, stays, opening, not_now))
        };
        let mut known = FxHashMap::default();
        for &(atom, _, sentence) in defined {
            let head = self.grounding.atoms[atom].clone();
            if head.relation != v.sees {
                continue;
            }
            let edge = definitions[&atom];
            let body = match &ahead {
                None => self.grounding.formulas.and(vec![edge, not_now]),
                Some(ahead) => self.grounding.formulas.replace(edge, ahead, &mut known),
            };
            self.rule(v.sees, &head.args, body, sentence);
        }
        if opening.is_some() && !self.sentences.dialect.has_percepts() {
            self.write_moves_as_percepts(not_now);
        }
    }

    /// Everybody sees all moves.
    fn write_moves_as_percepts(&mut self, not_now: Edge) {
        let v = self.sentences.vocabulary;
        let terms = Arc::clone(&self.sentences.theory.terms);
        let first = SentenceId::from_index(0);
        let name = terms.symbol("move");
        for (mover, made) in self.moves() {
            let percept = terms.compound(name, &[mover, made]);
            let does = self.grounding.edge(v.does, &[mover, made]);
            let body = self.grounding.formulas.and(vec![does, not_now]);
            for &role in &self.sentences.roles {
                self.rule(v.percept, &[role, percept], Edge::TRUE, first);
                self.rule(v.sees, &[role, percept], body, first);
            }
        }
    }

    /// Roles with their moves.
    fn moves(&self) -> Vec<(TermId, TermId)> {
        let v = &self.sentences.vocabulary;
        let mut moves = Vec::new();
        for &role in &self.sentences.roles {
            for &made in self.grounding.universe.met(v.does, 1) {
                let atom = GroundAtom { relation: v.legal, args: Box::new([role, made]) };
                if !self.definitions.is_undeclared(self.sentences, &self.grounding, &atom) {
                    moves.push((role, made));
                }
            }
        }
        moves
    }

    /// For each atom that is about a state, what it is in the next one, in terms of this one and the moves.
    fn next_state(
        &mut self,
        definitions: &FxHashMap<AtomId, Edge>,
        stays: &FxHashMap<AtomId, Edge>,
        opening: Option<&Opening>,
        not_now: Edge,
    ) -> FxHashMap<AtomId, Edge> {
        let v = self.sentences.vocabulary;
        let mut ahead: FxHashMap<AtomId, Edge> = FxHashMap::default();
        let lasting = opening.iter().flat_map(|opening| opening.lasting.iter().map(|&(_, fact)| fact));
        let facts: Vec<TermId> = self.facts().into_iter().chain(lasting).collect();
        for fact in facts {
            let args: Box<[TermId]> = Box::new([fact]);
            let Some(truth) = self.grounding.find(&GroundAtom { relation: v.truth, args: args.clone() })
            else {
                continue;
            };
            let mut ways = Vec::new();
            if let Some(next) = self.grounding.find(&GroundAtom { relation: v.next, args }) {
                let next = definitions.get(&next).copied().unwrap_or(Edge::FALSE);
                ways.push(self.grounding.formulas.and(vec![next, not_now]));
            } else if stays.values().any(|&edge| self.grounding.formulas.find_atom(truth) == Some(edge)) {
                ways.push(self.grounding.formulas.atom(truth));
            }
            if let Some(opening) = opening {
                for (chosen, _) in opening.cases.iter().filter(|(_, held)| held.contains(&fact)) {
                    ways.push(self.grounding.edge(v.does, &[opening.random, *chosen]));
                }
            }
            let edge = self.grounding.formulas.or(ways);
            ahead.insert(truth, edge);
        }
        // Each definition after those that it uses.
        let mut known = FxHashMap::default();
        for atom in self.definitions.order(&self.grounding) {
            let relation = self.grounding.atoms[atom].relation;
            if let Some(&edge) = definitions.get(&atom).filter(|_| self.sentences.changes[relation]) {
                let edge = self.grounding.formulas.replace(edge, &ahead, &mut known);
                ahead.insert(atom, edge);
            }
        }
        ahead
    }

    /// The rules as a program; none where they are too large.
    fn finish(mut self, has_opening: bool) -> Option<GameProgram> {
        let sentences = self.sentences;
        let theory = &sentences.theory;
        let dialect = if has_opening && !sentences.dialect.has_percepts() {
            Dialect::IgdlII
        } else {
            sentences.dialect
        };
        let mut builder = ProgramBuilder::new(Arc::clone(&theory.terms));
        let vocabulary = declare_vocabulary(&mut builder, dialect);
        // In the same order, these are the same relations.
        for relation in theory.relations.iter() {
            builder.relation(relation.name, relation.arity);
        }
        let mut writer = Writer::new(&self.grounding, &|relation| relation);
        let mut spans: IdVec<_, Span> = IdVec::new();
        self.rules.sort_by_key(|rule| rule.sentence);
        for rule in &self.rules {
            let body = writer.body(rule.body)?;
            let args = rule.head.args.iter().map(|&arg| Pattern::Ground(arg)).collect();
            builder.clause(Atom { relation: rule.head.relation, args }, body, IdVec::new(), None);
            spans.push(sentences.spans[rule.sentence]);
        }
        let mut roles = sentences.roles.clone();
        let random = theory.terms.constant("random");
        if has_opening && !roles.contains(&random) {
            roles.push(random);
        }
        let source = Arc::clone(&sentences.source);
        let program = builder.finish();
        Some(GameProgram { program, vocabulary, dialect, roles, has_opening, waiting: None, source, spans })
    }
}
