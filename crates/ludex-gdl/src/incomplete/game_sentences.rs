//! Sentences with the meaning of the keywords fixed: what a game is where its rules may leave things open.

use std::sync::Arc;

use ludex_logic::relational::{Sentence, SentenceId, StatedSentence, Theory};
use ludex_logic::{GroundAtom, IdVec, RelationId, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::game_program::{Dialect, Vocabulary};
use crate::source::{Source, Span};
use crate::tree::Notation;

/// A rulesheet of sentences (book 19.3). Sentence `i` of the theory is item `i` of the rulesheet.
///
/// The sentences hold at every step of a game. Some relations have the same instances on all steps, others are about
/// the step ([`GameSentences::changes`]); where steps are arguments (ISDL), all sentences are about the whole course.
#[derive(Clone, Debug)]
pub struct GameSentences {
    /// What is said.
    pub theory: Theory,
    /// The keywords.
    pub vocabulary: Vocabulary,
    /// The language.
    pub dialect: Dialect,
    /// The roles in the order of their facts, `random` included.
    pub roles: Vec<TermId>,
    /// Whether each relation is about the present step; in ISDL none is.
    pub changes: IdVec<RelationId, bool>,
    /// The text it was read from.
    pub source: Arc<Source>,
    /// How it is written.
    pub notation: Notation,
    /// Where each sentence is written.
    pub spans: IdVec<SentenceId, Span>,
}

impl GameSentences {
    /// Whether the language gives a relation its meaning.
    pub fn is_keyword(&self, relation: RelationId) -> bool {
        let v = &self.vocabulary;
        let declare = [v.role, v.base, v.input, v.percept, v.init, v.next];
        declare.contains(&relation)
            || [v.truth, v.does, v.sees, v.legal, v.goal, v.terminal].contains(&relation)
    }

    /// An atom as the rulesheet would write it; long terms are cut short.
    pub fn atom_text(&self, atom: &GroundAtom) -> String {
        let terms = &self.theory.terms;
        let args: Vec<String> = atom.args.iter().map(|&arg| terms.shown_in(arg, self.notation)).collect();
        self.notation.sentence(terms.name(self.theory.relations[atom.relation].name), &args)
    }

    /// The steps from the first to the last, where steps are arguments, as facts of `step` and `successor` say.
    ///
    /// # Errors
    /// Why they are no chain.
    pub fn steps(&self) -> Result<Vec<TermId>, &'static str> {
        let theory = &self.theory;
        let facts = |name: &str, arity: usize| -> Vec<Box<[TermId]>> {
            let Some(relation) = theory.find_relation(name, arity) else { return Vec::new() };
            let atoms = theory.sentences.iter().filter_map(|stated| match &stated.sentence {
                Sentence::Atom(atom) if atom.relation == relation => atom.ground(),
                _ => None,
            });
            atoms.map(|atom| atom.args).collect()
        };
        let steps: Vec<TermId> = facts("step", 1).into_iter().map(|args| args[0]).collect();
        let successors: Vec<[TermId; 2]> =
            facts("successor", 2).into_iter().map(|args| [args[0], args[1]]).collect();
        let later: FxHashSet<TermId> = successors.iter().map(|&[_, next]| next).collect();
        let mut firsts = steps.iter().filter(|step| !later.contains(step));
        let (Some(&first), None) = (firsts.next(), firsts.next()) else {
            return Err("facts of `step` and `successor` must name one first step");
        };
        let mut after: FxHashMap<TermId, TermId> = FxHashMap::default();
        if successors.iter().any(|&[step, next]| after.insert(step, next).is_some_and(|known| known != next))
        {
            return Err("a step must have one successor at most");
        }
        let mut chain = vec![first];
        let mut seen = FxHashSet::from_iter([first]);
        while let Some(&next) = chain.last().and_then(|last| after.get(last)) {
            if !seen.insert(next) {
                return Err("a step must not come after itself");
            }
            chain.push(next);
        }
        Ok(chain)
    }

    /// A name that is none of the game's, as near to this one as can be.
    pub(super) fn free_name(&self, wanted: &str) -> String {
        let terms = &self.theory.terms;
        let numbered = (2u64..).map(|number| format!("{wanted}{number}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        // There are more numbers than names.
        names.find(|name| terms.find_symbol(name).is_none()).unwrap_or_default()
    }

    /// Whether what roles see depends on the moves of the step, so that it is told after them.
    pub fn percepts_follow_moves(&self) -> bool {
        let vocabulary = &self.vocabulary;
        let mut from_moves: IdVec<RelationId, bool> =
            self.theory.relations.ids().map(|relation| relation == vocabulary.does).collect();
        let defines = |said: &Said<'_>, from_moves: &IdVec<RelationId, bool>| {
            said.from.iter().any(|&relation| from_moves[relation])
        };
        loop {
            let mut grows = false;
            for stated in self.theory.sentences.iter() {
                said(&stated.sentence, [vocabulary.truth, vocabulary.does], &mut |said| {
                    if !from_moves[said.relation] && defines(&said, &from_moves) {
                        from_moves[said.relation] = true;
                        grows = true;
                    }
                });
            }
            if !grows {
                return from_moves[vocabulary.sees];
            }
        }
    }
}

/// A relation of which something is said, and the relations that it is said in terms of.
struct Said<'a> {
    relation: RelationId,
    from: &'a [RelationId],
    /// By an equivalence, and not only by an implication.
    is_definition: bool,
}

/// Finds what a sentence defines: one side of an equivalence in terms of the other, the consequent of an implication in
/// terms of its antecedent, both under the antecedents around them. Of an equivalence of two atoms, the left one is
/// defined, unless it is about what is given, a fact or a move.
fn said(sentence: &Sentence, given: [RelationId; 2], visit: &mut impl FnMut(Said<'_>)) {
    let mut open: Vec<(&Sentence, Vec<RelationId>, bool)> = vec![(sentence, Vec::new(), false)];
    while let Some((sentence, from, is_definition)) = open.pop() {
        match sentence {
            Sentence::Atom(atom) => visit(Said { relation: atom.relation, from: &from, is_definition }),
            Sentence::Not(part) | Sentence::ForAll(_, part) | Sentence::Exists(_, part) => {
                open.push((part, from, is_definition));
            }
            Sentence::And(parts) => {
                open.extend(parts.iter().map(|part| (part, from.clone(), is_definition)));
            }
            Sentence::Implies(antecedent, consequent) => {
                open.push((consequent, with_relations(&from, antecedent), is_definition));
            }
            Sentence::Iff(one, other) => {
                let is_defined =
                    |side: &Sentence| literal(side).is_some_and(|relation| !given.contains(&relation));
                if is_defined(one) {
                    open.push((one, with_relations(&from, other), true));
                } else if is_defined(other) {
                    open.push((other, with_relations(&from, one), true));
                }
            }
            Sentence::Equal(..) | Sentence::Or(_) => {}
        }
    }
}

/// The relation of an atom or its negation.
fn literal(sentence: &Sentence) -> Option<RelationId> {
    match sentence {
        Sentence::Atom(atom) => Some(atom.relation),
        Sentence::Not(part) => match &**part {
            Sentence::Atom(atom) => Some(atom.relation),
            _ => None,
        },
        _ => None,
    }
}

fn with_relations(from: &[RelationId], sentence: &Sentence) -> Vec<RelationId> {
    let mut all = from.to_vec();
    sentence.atoms(&mut |atom| all.push(atom.relation));
    all
}

/// Which relations are about the present step, where steps are not arguments: `true`, `does` and what a step leads
/// to; what is defined (`<=>`) in terms of any of these; and what is implied by facts or moves, or by what is defined
/// by them. What only percepts, legal moves or results imply stays as it is: they may tell something of the game that
/// was so all the time.
pub(crate) fn changing(
    sentences: &IdVec<SentenceId, StatedSentence>,
    relations: usize,
    vocabulary: &Vocabulary,
) -> IdVec<RelationId, bool> {
    use ludex_logic::Id;
    let v = vocabulary;
    let told = [v.sees, v.legal, v.next, v.goal, v.terminal];
    let same = [v.role, v.base, v.input, v.init, v.percept];
    let mut changes: IdVec<RelationId, bool> = (0..relations)
        .map(|number| {
            let relation = RelationId::from_index(number);
            told.contains(&relation) || relation == v.truth || relation == v.does
        })
        .collect();
    loop {
        let mut grows = false;
        for stated in sentences.iter() {
            said(&stated.sentence, [v.truth, v.does], &mut |said| {
                let makes = |relation: &RelationId| {
                    changes[*relation] && (said.is_definition || !told.contains(relation))
                };
                if !changes[said.relation] && !same.contains(&said.relation) && said.from.iter().any(makes) {
                    changes[said.relation] = true;
                    grows = true;
                }
            });
        }
        if !grows {
            return changes;
        }
    }
}
