//! Sentences that define everything, as rules.
//!
//! Over their universe, sentences are propositional formulas. An atom is *defined* by a sentence that says it is true
//! or false, or that it is equivalent to a formula. Where every atom that a game asks for is defined, and none by
//! itself, a state and the moves decide everything, and `p <=> formula` can be read as the rule `p :- formula`: the
//! completion of a program (Clark, 1978) read backwards. Sentences beyond definitions do not matter then: the
//! definitions decide whether they hold.

use std::fmt::Write;

use ludex_logic::relational::{Edge, EdgeView, Grounding, SentenceId};
use ludex_logic::{
    Atom, AtomId, Formula, GroundAtom, Id, IdVec, Pattern, Program, ProgramBuilder, RelationId, TermId,
};

use super::GameSentences;
use crate::game_program::GameProgram;
use crate::lower::declare_vocabulary;
use crate::source::Span;

/// The most parts of all formulas together, written without shared parts.
const MOST_PARTS: usize = 4_000_000;

/// Something that sentences leave open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    /// Nothing defines an atom.
    Atom(GroundAtom),
    /// Nothing is said of a relation.
    Relation(RelationId),
    /// The definitions of some atoms use each other, this one among them.
    DefinedByItself(GroundAtom),
    /// The definitions are too large to be written as rules.
    TooLarge,
    /// Steps are arguments, so that definitions are about whole courses.
    Steps,
}

impl Open {
    /// What it is, as text.
    pub fn text(&self, sentences: &GameSentences) -> String {
        let theory = &sentences.theory;
        let atom_text = |atom: &GroundAtom| {
            let name = theory.terms.name(theory.relations[atom.relation].name);
            let args: Vec<String> =
                atom.args.iter().map(|&arg| theory.terms.shown_in(arg, sentences.notation)).collect();
            sentences.notation.sentence(name, &args)
        };
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Atom(atom) => write!(text, "`{}`", atom_text(atom)),
            Self::Relation(relation) => {
                let name = theory.terms.name(theory.relations[*relation].name);
                write!(text, "all of `{name}`")
            }
            Self::DefinedByItself(atom) => write!(text, "`{}` (it is defined by itself)", atom_text(atom)),
            Self::TooLarge => write!(text, "what is too large to be written as rules"),
            Self::Steps => write!(text, "what only whole courses decide (ISDL)"),
        };
        text
    }
}

/// The game that sentences define.
///
/// # Errors
/// What they leave open.
pub fn complete(sentences: &GameSentences, grounding: Grounding) -> Result<GameProgram, Vec<Open>> {
    if sentences.dialect.has_steps() {
        return Err(vec![Open::Steps]);
    }
    let definitions = Definitions::find(sentences, &grounding);
    let mut open = definitions.open(sentences, &grounding);
    if open.is_empty() {
        open.extend(definitions.first_loop(&grounding).map(Open::DefinedByItself));
    }
    if !open.is_empty() {
        return Err(open);
    }
    definitions.program(sentences, &grounding).ok_or_else(|| vec![Open::TooLarge])
}

/// For each atom, what it is equivalent to, and the sentence that says so.
struct Definitions {
    by_atom: Vec<Option<(Edge, SentenceId)>>,
}

impl Definitions {
    fn find(sentences: &GameSentences, grounding: &Grounding) -> Self {
        let formulas = &grounding.formulas;
        let given = [sentences.vocabulary.truth, sentences.vocabulary.does];
        let is_given = |atom: AtomId| given.contains(&grounding.atoms[atom].relation);
        let mut by_atom: Vec<Option<(Edge, SentenceId)>> = vec![None; grounding.atoms.len()];
        let mut ways: Vec<(SentenceId, Vec<(AtomId, Edge)>)> = Vec::new();
        for root in &grounding.roots {
            let negated = root.edge.is_negated();
            if let Some((atom, value)) = formulas.literal(root.edge) {
                by_atom[atom.index()].get_or_insert((Edge::constant(value), root.sentence));
            } else if let EdgeView::Iff(one, other) = formulas.view(root.edge) {
                let mut found = Vec::new();
                for (side, other) in [(one, other), (other, one)] {
                    let other = if negated { !other } else { other };
                    if let Some((atom, value)) = formulas.literal(side).filter(|(atom, _)| !is_given(*atom)) {
                        found.push((atom, if value { other } else { !other }));
                    }
                }
                // Of two atoms, the left one is meant.
                found.sort_by_key(|(atom, _)| root.left != Some(*atom));
                ways.push((root.sentence, found));
            }
        }
        // An equivalence of two atoms may define either: those that define one only come first.
        ways.sort_by_key(|(_, found)| found.len());
        for (sentence, found) in ways {
            let free = found.iter().find(|(atom, _)| by_atom[atom.index()].is_none());
            if let Some(&(atom, edge)) = free {
                by_atom[atom.index()] = Some((edge, sentence));
            }
        }
        Self { by_atom }
    }

    /// The atoms that a game asks for and that nothing defines.
    fn open(&self, sentences: &GameSentences, grounding: &Grounding) -> Vec<Open> {
        let v = &sentences.vocabulary;
        let mut open = Vec::new();
        for (id, atom) in grounding.atoms.entries() {
            let is_given = atom.relation == v.truth || atom.relation == v.does;
            if !is_given
                && self.by_atom[id.index()].is_none()
                && !self.is_undeclared(sentences, grounding, atom)
            {
                open.push(Open::Atom(atom.clone()));
            }
        }
        for atom in asked(sentences, grounding) {
            if grounding.find(&atom).is_none() && !self.is_undeclared(sentences, grounding, &atom) {
                open.push(Open::Atom(atom));
            }
        }
        for (relation, argument) in [(v.legal, (v.does, 1)), (v.goal, (v.goal, 1))] {
            if grounding.universe.met(argument.0, argument.1).is_empty() {
                open.push(Open::Relation(relation));
            }
        }
        // What is asked first is named first.
        let order = [v.init, v.legal, v.next, v.terminal, v.goal, v.sees];
        open.sort_by_key(|open| {
            let relation = match open {
                Open::Atom(atom) => atom.relation,
                Open::Relation(relation) => *relation,
                _ => return order.len(),
            };
            order.iter().position(|&known| known == relation).unwrap_or(order.len())
        });
        open
    }

    /// Whether an atom is about a fact, move or percept that is known not to be one.
    fn is_undeclared(&self, sentences: &GameSentences, grounding: &Grounding, atom: &GroundAtom) -> bool {
        let v = &sentences.vocabulary;
        let by = match atom.relation {
            relation if relation == v.init || relation == v.next => v.base,
            relation if relation == v.legal => v.input,
            relation if relation == v.sees => v.percept,
            _ => return false,
        };
        let declaration = GroundAtom { relation: by, args: atom.args.clone() };
        let known = grounding.find(&declaration).and_then(|id| self.by_atom[id.index()]);
        known.is_some_and(|(edge, _)| edge == Edge::FALSE)
    }

    /// An atom whose definition comes back to it.
    fn first_loop(&self, grounding: &Grounding) -> Option<GroundAtom> {
        let uses = |atom: usize| match self.by_atom[atom] {
            Some((edge, _)) => {
                grounding.formulas.atoms_in([edge]).into_iter().map(Id::index).collect::<Vec<usize>>()
            }
            None => Vec::new(),
        };
        let components = ludex_logic::scc::components(self.by_atom.len(), uses);
        let is_loop = |members: &&Vec<usize>| members.len() > 1 || uses(members[0]).contains(&members[0]);
        let members = components.iter().find(is_loop)?;
        Some(grounding.atoms[AtomId::from_index(members[0])].clone())
    }

    fn program(&self, sentences: &GameSentences, grounding: &Grounding) -> Option<GameProgram> {
        let theory = &sentences.theory;
        let mut builder = ProgramBuilder::new(std::sync::Arc::clone(&theory.terms));
        let vocabulary = declare_vocabulary(&mut builder, sentences.dialect);
        // In the same order, these are the same relations.
        for relation in theory.relations.iter() {
            builder.relation(relation.name, relation.arity);
        }
        let mut writer = Writer { grounding, parts: 0 };
        let mut spans: IdVec<_, Span> = IdVec::new();
        let mut order: Vec<(SentenceId, AtomId, Edge)> = Vec::new();
        for (id, definition) in self.by_atom.iter().enumerate() {
            if let Some((edge, sentence)) = definition.filter(|(edge, _)| *edge != Edge::FALSE) {
                order.push((sentence, AtomId::from_index(id), edge));
            }
        }
        order.sort_unstable_by_key(|&(sentence, atom, _)| (sentence, atom));
        for (sentence, atom, edge) in order {
            let head = pattern(&grounding.atoms[atom]);
            let body = match writer.formula(edge)? {
                Formula::And(parts) => Formula::And(parts),
                other => Formula::And(vec![other]),
            };
            builder.clause(head, body, IdVec::new(), None);
            spans.push(sentences.spans[sentence]);
        }
        let program: Program = builder.finish();
        let roles: Vec<TermId> = sentences.roles.clone();
        let source = std::sync::Arc::clone(&sentences.source);
        Some(GameProgram { program, vocabulary, dialect: sentences.dialect, roles, source, spans })
    }
}

/// The atoms that a game may be asked for.
fn asked(sentences: &GameSentences, grounding: &Grounding) -> Vec<GroundAtom> {
    let v = &sentences.vocabulary;
    let met = |relation, argument| grounding.universe.met(relation, argument);
    let mut asked = vec![GroundAtom { relation: v.terminal, args: Box::default() }];
    for relation in [v.init, v.next] {
        asked.extend(met(v.truth, 0).iter().map(|&fact| GroundAtom { relation, args: Box::new([fact]) }));
    }
    for &role in &sentences.roles {
        for (relation, things) in
            [(v.legal, met(v.does, 1)), (v.goal, met(v.goal, 1)), (v.sees, met(v.sees, 1))]
        {
            asked.extend(things.iter().map(|&thing| GroundAtom { relation, args: Box::new([role, thing]) }));
        }
    }
    asked
}

/// Writes formulas without shared parts.
struct Writer<'a> {
    grounding: &'a Grounding,
    parts: usize,
}

impl Writer<'_> {
    /// The formula; none where all of them together get too large.
    fn formula(&mut self, edge: Edge) -> Option<Formula> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return None;
        }
        let negated = edge.is_negated();
        Some(match self.grounding.formulas.view(edge) {
            EdgeView::True => {
                if negated {
                    Formula::Or(Vec::new())
                } else {
                    Formula::TRUE
                }
            }
            EdgeView::Atom(atom) => {
                let atom = Formula::Atom(pattern(&self.grounding.atoms[atom]));
                if negated { Formula::Not(Box::new(atom)) } else { atom }
            }
            EdgeView::And(parts) if negated => {
                Formula::Or(parts.iter().map(|&part| self.formula(!part)).collect::<Option<_>>()?)
            }
            EdgeView::And(parts) => {
                Formula::And(parts.iter().map(|&part| self.formula(part)).collect::<Option<_>>()?)
            }
            EdgeView::Iff(one, other) => {
                let other = if negated { !other } else { other };
                let both = Formula::And(vec![self.formula(one)?, self.formula(other)?]);
                let neither = Formula::And(vec![self.formula(!one)?, self.formula(!other)?]);
                Formula::Or(vec![both, neither])
            }
        })
    }
}

fn pattern(atom: &GroundAtom) -> Atom {
    Atom { relation: atom.relation, args: atom.args.iter().map(|&arg| Pattern::Ground(arg)).collect() }
}
