//! What sentences define.
//!
//! Over their universe, sentences are propositional formulas. An atom is *defined* by a sentence that says it is true
//! or false, or that it is equivalent to a formula. Where every atom that a game asks for is defined, and none by
//! itself, a state and the moves decide everything, and `p <=> formula` can be read as the rule `p :- formula`: the
//! completion of a program (Clark, 1978) read backwards. Sentences beyond definitions are then true by the definitions,
//! or restrict what may come up, which no rule does.

use ludex_logic::relational::{Edge, EdgeView, Grounding, Root, SentenceId};
use ludex_logic::{AtomId, GroundAtom, Id, RelationId};
use rustc_hash::FxHashSet;

use super::GameSentences;

/// Something that sentences leave open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    /// Nothing defines an atom.
    Atom(GroundAtom),
    /// Nothing is said of a relation.
    Relation(RelationId),
    /// The definitions of some atoms use each other, this one among them.
    DefinedByItself(GroundAtom),
    /// The definitions are too large to be written as rules, or the cases of what is open are too many.
    TooLarge,
    /// Steps are arguments, and what is open depends on what is done, or is too much.
    Steps,
}

impl Open {
    /// What it is, as text.
    pub fn text(&self, sentences: &GameSentences) -> String {
        let theory = &sentences.theory;
        match self {
            Self::Atom(atom) => format!("`{}`", sentences.atom_text(atom)),
            Self::Relation(relation) => {
                format!("all of `{}`", theory.terms.name(theory.relations[*relation].name))
            }
            Self::DefinedByItself(atom) => {
                format!("`{}` (it is defined by itself)", sentences.atom_text(atom))
            }
            Self::TooLarge => "more than can be written as rules".to_owned(),
            Self::Steps => "what only whole courses decide (ISDL)".to_owned(),
        }
    }

    /// Whether it is the same at all steps.
    pub(super) fn is_lasting(&self, sentences: &GameSentences) -> bool {
        matches!(self, Self::Atom(atom) if !sentences.changes[atom.relation])
    }
}

/// For each atom, what it is equivalent to, and the sentence that says so.
pub(super) struct Definitions {
    by_atom: Vec<Option<(Edge, SentenceId)>>,
    /// What was taken as a definition.
    roots: FxHashSet<(SentenceId, Edge)>,
}

impl Definitions {
    pub(super) fn find(sentences: &GameSentences, grounding: &Grounding) -> Self {
        let formulas = &grounding.formulas;
        let v = &sentences.vocabulary;
        // With steps as arguments, what is true at a step is defined.
        let given = if sentences.dialect.has_steps() { [v.does, v.does] } else { [v.truth, v.does] };
        let is_given = |atom: AtomId| given.contains(&grounding.atoms[atom].relation);
        let mut roots = FxHashSet::default();
        let mut by_atom: Vec<Option<(Edge, SentenceId)>> = vec![None; grounding.atoms.len()];
        let mut ways: Vec<(Root, Vec<(AtomId, Edge)>)> = Vec::new();
        for root in &grounding.roots {
            let negated = root.edge.is_negated();
            if let Some((atom, value)) = formulas.literal(root.edge) {
                if is_given(atom) {
                    continue;
                }
                by_atom[atom.index()].get_or_insert((Edge::constant(value), root.sentence));
                roots.insert((root.sentence, root.edge));
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
                ways.push((*root, found));
            }
        }
        // An equivalence of two atoms may define either: those that define one only come first.
        ways.sort_by_key(|(_, found)| found.len());
        for (root, found) in ways {
            let free = found.iter().find(|(atom, _)| by_atom[atom.index()].is_none());
            if let Some(&(atom, edge)) = free {
                by_atom[atom.index()] = Some((edge, root.sentence));
                roots.insert((root.sentence, root.edge));
            }
        }
        Self { by_atom, roots }
    }

    /// Whether an instance of a sentence was taken as a definition.
    pub(super) fn is_by(&self, root: &Root) -> bool {
        self.roots.contains(&(root.sentence, root.edge))
    }

    /// What an atom is equivalent to, and the sentence that says so.
    pub(super) fn of(&self, atom: AtomId) -> Option<(Edge, SentenceId)> {
        self.by_atom.get(atom.index()).copied().flatten()
    }

    /// All that are defined.
    pub(super) fn all(&self) -> impl Iterator<Item = (AtomId, Edge, SentenceId)> + '_ {
        self.by_atom.iter().enumerate().filter_map(|(atom, definition)| {
            definition.map(|(edge, sentence)| (AtomId::from_index(atom), edge, sentence))
        })
    }

    /// What a game asks for and nothing defines.
    pub(super) fn open(&self, sentences: &GameSentences, grounding: &Grounding) -> Vec<Open> {
        let v = &sentences.vocabulary;
        let has_steps = sentences.dialect.has_steps();
        let declares = [v.base, v.input, v.percept];
        let mut open = Vec::new();
        for (id, atom) in grounding.atoms.entries() {
            let is_given = if has_steps {
                atom.relation == v.does || declares.contains(&atom.relation)
            } else {
                atom.relation == v.does || atom.relation == v.truth
            };
            if !is_given
                && self.by_atom[id.index()].is_none()
                && !self.is_undeclared(sentences, grounding, atom)
            {
                open.push(Open::Atom(atom.clone()));
            }
        }
        if has_steps {
            return open;
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
    pub(super) fn is_undeclared(
        &self,
        sentences: &GameSentences,
        grounding: &Grounding,
        atom: &GroundAtom,
    ) -> bool {
        let v = &sentences.vocabulary;
        let by = match atom.relation {
            relation if relation == v.init || relation == v.next || relation == v.truth => v.base,
            relation if relation == v.legal => v.input,
            relation if relation == v.sees => v.percept,
            _ => return false,
        };
        let declaration = GroundAtom { relation: by, args: atom.args.clone() };
        let known = grounding.find(&declaration).and_then(|id| self.of(id));
        known.is_some_and(|(edge, _)| edge == Edge::FALSE)
    }

    /// The atoms that an atom is defined by.
    fn uses(&self, grounding: &Grounding, atom: usize) -> Vec<usize> {
        let edge = self.by_atom.get(atom).copied().flatten().map(|(edge, _)| edge);
        grounding.formulas.atoms_in(edge).into_iter().map(Id::index).collect()
    }

    /// Atoms whose definitions use each other, each group after those that it uses.
    fn components(&self, grounding: &Grounding) -> Vec<Vec<usize>> {
        ludex_logic::scc::components(grounding.atoms.len(), |atom| self.uses(grounding, atom))
    }

    /// All atoms, each after those that it is defined by, where none is by itself.
    pub(super) fn order(&self, grounding: &Grounding) -> Vec<AtomId> {
        self.components(grounding).into_iter().flatten().map(AtomId::from_index).collect()
    }

    /// An atom whose definition comes back to it.
    pub(super) fn first_loop(&self, grounding: &Grounding) -> Option<GroundAtom> {
        let components = self.components(grounding);
        let is_loop = |members: &&Vec<usize>| {
            members.len() > 1 || self.uses(grounding, members[0]).contains(&members[0])
        };
        let members = components.iter().find(is_loop)?;
        Some(grounding.atoms[AtomId::from_index(members[0])].clone())
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
        let lists = [(v.legal, met(v.does, 1)), (v.goal, met(v.goal, 1)), (v.sees, met(v.sees, 1))];
        for (relation, things) in lists {
            asked.extend(things.iter().map(|&thing| GroundAtom { relation, args: Box::new([role, thing]) }));
        }
    }
    asked
}
