//! Rulesheet to sentences (book 19.2).
//!
//! A quantifier has a variable of its own, even where another one has the same name. A clause `p :- q` is read as the
//! implication `q => p`, with a warning: there is no negation as failure among sentences.

use std::sync::Arc;

use ludex_logic::relational::{Sentence, SentenceId, StatedSentence, Theory};
use ludex_logic::{Atom, Formula, Id, IdVec, Program, RelationId, SymbolId, Terms, VariableId};

use super::{Connective, Lowering, MAX_NESTING};
use crate::check::registry;
use crate::diagnostic::{Diagnostic, Severity};
use crate::game_program::{Dialect, Vocabulary};
use crate::incomplete::{GameSentences, changing};
use crate::tree::{Item, NodeId, NodeKind, Rulesheet};

/// Lowers a rulesheet of sentences. They are there whenever each can be read, even if they contradict each other; the
/// diagnostics are those of lowering alone, ordered by place.
pub fn lower_sentences(rulesheet: &Rulesheet, dialect: Dialect) -> (Option<GameSentences>, Vec<Diagnostic>) {
    lower_sentences_over(rulesheet, dialect, &Arc::new(Terms::new()))
}

/// As [`lower_sentences`], with terms that are shared with others.
pub(crate) fn lower_sentences_over(
    rulesheet: &Rulesheet,
    dialect: Dialect,
    terms: &Arc<Terms>,
) -> (Option<GameSentences>, Vec<Diagnostic>) {
    let (mut lowering, vocabulary) = Lowering::with_terms(rulesheet, dialect, Arc::clone(terms));
    let (sentences, is_whole) = lowering.all(rulesheet);
    let mut diagnostics = std::mem::take(&mut lowering.diagnostics);
    diagnostics.sort_by_key(|d| d.span);
    let program = lowering.builder.finish();
    let same_things = same_things(&vocabulary, dialect, |name, arity| program.find_relation(name, arity));
    let changes = if dialect.has_steps() {
        program.relations.iter().map(|_| false).collect()
    } else {
        changing(&sentences, program.relations.len(), &vocabulary)
    };
    let roles = roles(&sentences, vocabulary.role);
    let theory = Theory { terms: program.terms, relations: program.relations, sentences, same_things };
    let game = GameSentences {
        theory,
        vocabulary,
        dialect,
        roles,
        changes,
        source: Arc::clone(&rulesheet.source),
        notation: rulesheet.notation,
        spans: rulesheet.items.iter().map(|item| item.span).collect(),
    };
    (is_whole.then_some(game), diagnostics)
}

/// Lowers sentences that are asked of a game, over its relations and terms.
///
/// # Errors
/// What cannot be read; a relation that the game does not have.
pub fn lower_question(
    game: &GameSentences,
    question: &Rulesheet,
) -> Result<Vec<StatedSentence>, Vec<Diagnostic>> {
    let theory = &game.theory;
    let (mut lowering, _) = Lowering::with_terms(question, game.dialect, Arc::clone(&theory.terms));
    for relation in theory.relations.iter() {
        lowering.builder.relation(relation.name, relation.arity);
    }
    let (sentences, is_whole) = lowering.all(question);
    let mut diagnostics = std::mem::take(&mut lowering.diagnostics);
    for (stated, item) in sentences.iter().zip(&question.items) {
        let mut unknown = None;
        stated.sentence.atoms(&mut |atom| {
            if atom.relation.index() >= theory.relations.len() {
                unknown.get_or_insert(atom.relation);
            }
        });
        if let Some(relation) = unknown.filter(|_| is_whole) {
            let relation = &lowering.builder.program().relations[relation];
            let name = theory.terms.name(relation.name);
            let arguments = match relation.arity {
                0 => "without arguments".to_owned(),
                1 => "with one argument".to_owned(),
                arity => format!("with {arity} arguments"),
            };
            let message = format!("no sentence of the game speaks of `{name}` {arguments}");
            let code = registry::UNDEFINED.code;
            diagnostics.push(Diagnostic::new(code, Severity::Error, item.span, message));
        }
    }
    if is_whole && diagnostics.is_empty() {
        Ok(sentences.iter().cloned().collect())
    } else {
        Err(diagnostics)
    }
}

/// Lowers a single atom over the terms and relations of a program, with its name and the names of its variables; none for
/// anything else. Its relation may be one that the program does not have.
pub(crate) fn lower_atom(
    question: &Rulesheet,
    program: &Program,
) -> Option<(SymbolId, Atom, IdVec<VariableId, SymbolId>)> {
    let [item] = &question.items[..] else { return None };
    let terms = Arc::clone(&program.terms);
    let (mut lowering, _) = Lowering::with_terms(question, Dialect::Gdl, terms);
    for relation in program.relations.iter() {
        lowering.builder.relation(relation.name, relation.arity);
    }
    lowering.clause += 1;
    let atom = lowering.atom(item.head, true);
    let name = lowering.builder.program().relations[atom.relation].name;
    let variables = IdVec::from(std::mem::take(&mut lowering.variables));
    (item.body.is_none() && !lowering.broken_clause).then_some((name, atom, variables))
}

/// The roles in the order of their facts.
fn roles(sentences: &IdVec<SentenceId, StatedSentence>, role: RelationId) -> Vec<ludex_logic::TermId> {
    let mut roles = Vec::new();
    for stated in sentences.iter() {
        if let Sentence::Atom(atom) = &stated.sentence
            && atom.relation == role
            && let [argument] = &*atom.args
            && let Some(term) = argument.ground()
            && !roles.contains(&term)
        {
            roles.push(term);
        }
    }
    roles
}

/// Arguments of keywords that stand for the same things.
fn same_things(
    v: &Vocabulary,
    dialect: Dialect,
    find: impl Fn(&str, usize) -> Option<RelationId>,
) -> Vec<[(RelationId, usize); 2]> {
    let mut same = Vec::new();
    let mut all = |first: (RelationId, usize), others: &[(RelationId, usize)]| {
        same.extend(others.iter().map(|&other| [first, other]));
    };
    let facts: &[_] =
        if dialect.has_steps() { &[(v.base, 0)] } else { &[(v.base, 0), (v.init, 0), (v.next, 0)] };
    all((v.truth, 0), facts);
    all((v.role, 0), &[(v.does, 0), (v.legal, 0), (v.input, 0), (v.goal, 0), (v.sees, 0), (v.percept, 0)]);
    all((v.does, 1), &[(v.legal, 1), (v.input, 1)]);
    all((v.sees, 1), &[(v.percept, 1)]);
    if dialect.has_steps()
        && let (Some(step), Some(successor)) = (find("step", 1), find("successor", 2))
    {
        all((step, 0), &[(successor, 0), (successor, 1), (v.truth, 1), (v.terminal, 0)]);
        all((step, 0), &[(v.does, 2), (v.legal, 2), (v.goal, 2), (v.sees, 2)]);
    }
    same
}

impl Lowering<'_> {
    /// The sentences of all items, and whether each could be read in full.
    fn all(&mut self, rulesheet: &Rulesheet) -> (IdVec<SentenceId, StatedSentence>, bool) {
        let mut is_whole = true;
        let mut sentences = IdVec::new();
        for item in &rulesheet.items {
            sentences.push(self.stated(item));
            is_whole &= !self.broken_clause;
        }
        (sentences, is_whole)
    }

    /// The sentence of an item.
    fn stated(&mut self, item: &Item) -> StatedSentence {
        self.clause += 1;
        self.broken_clause = false;
        let mut bound = Vec::new();
        let mut sentence = self.sentence(item.head, 1, &mut bound);
        if let Some(body) = &item.body {
            let message = "a rule among sentences is read as an implication: nothing is false because it cannot be shown";
            let hint = "write `=>` or, where this is all there is to it, `<=>`";
            self.diagnostics.push(registry::RULE_AMONG_SENTENCES.at(item.span, message).hint(hint));
            let body = body.iter().map(|&part| self.sentence(part, 1, &mut bound)).collect();
            sentence = Sentence::Implies(Box::new(Sentence::And(body)), Box::new(sentence));
        }
        let variables: IdVec<VariableId, _> = IdVec::from(std::mem::take(&mut self.variables));
        let free = variables.ids().filter(|variable| !bound.contains(variable)).collect();
        StatedSentence { sentence, variables, free }
    }

    /// The sentence that a node stands for; the variables of its quantifiers are added to `bound`.
    fn sentence(&mut self, node: NodeId, depth: usize, bound: &mut Vec<VariableId>) -> Sentence {
        let span = self.tree.span(node);
        let NodeKind::Compound { name, .. } = self.tree.node(node).kind else {
            return Sentence::Atom(self.atom(node, false));
        };
        let children = self.tree.children(node);
        let name_text = self.tree.name(name);
        let connects = self.connectives.get(name).is_some()
            || (children.len() == 2 && matches!(name_text, "=>" | "<=>" | "=" | "A:" | "E:"));
        if connects && depth > MAX_NESTING {
            let message = format!("this sentence is nested more than {MAX_NESTING} deep");
            self.error(&registry::NESTING, span, message, "split it with a helper relation");
            return Sentence::And(Vec::new());
        }
        match (name_text, children) {
            ("=>", &[one, other]) => {
                let one = self.sentence(one, depth + 1, bound);
                Sentence::Implies(Box::new(one), Box::new(self.sentence(other, depth + 1, bound)))
            }
            ("<=>", &[one, other]) => {
                let one = self.sentence(one, depth + 1, bound);
                Sentence::Iff(Box::new(one), Box::new(self.sentence(other, depth + 1, bound)))
            }
            ("=", &[one, other]) => Sentence::Equal(self.term(one), self.term(other)),
            ("A:" | "E:", &[variable, scope]) => self.quantified(node, [variable, scope], depth, bound),
            _ => self.connected(node, depth, bound),
        }
    }

    /// What `and`, `or`, `not` or `distinct` joins; anything else is an atom.
    fn connected(&mut self, node: NodeId, depth: usize, bound: &mut Vec<VariableId>) -> Sentence {
        let NodeKind::Compound { name, .. } = self.tree.node(node).kind else {
            return Sentence::Atom(self.atom(node, false));
        };
        let children = self.tree.children(node);
        match (self.connectives.get(name), children) {
            (Some(Connective::And), parts) => {
                Sentence::And(parts.iter().map(|&part| self.sentence(part, depth + 1, bound)).collect())
            }
            (Some(Connective::Or), parts) => {
                Sentence::Or(parts.iter().map(|&part| self.sentence(part, depth + 1, bound)).collect())
            }
            (Some(Connective::Not), &[inner]) => {
                Sentence::Not(Box::new(self.sentence(inner, depth + 1, bound)))
            }
            (Some(Connective::Distinct), &[one, other]) => {
                Sentence::Not(Box::new(Sentence::Equal(self.term(one), self.term(other))))
            }
            (Some(_), _) => {
                // What is wrong is said as it is of formulas in bodies.
                let formula = self.formula(node, depth);
                debug_assert_eq!(formula, Formula::TRUE);
                Sentence::And(Vec::new())
            }
            (None, _) => Sentence::Atom(self.atom(node, false)),
        }
    }

    /// A quantifier: within its scope, the name is its variable.
    fn quantified(
        &mut self,
        node: NodeId,
        [variable, scope]: [NodeId; 2],
        depth: usize,
        bound: &mut Vec<VariableId>,
    ) -> Sentence {
        let NodeKind::Variable(name) = self.tree.node(variable).kind else {
            let span = self.tree.span(variable);
            let hint = "name the variable, as in `AX:p(X)` or `(forall ?x (p ?x))`";
            self.error(&registry::KEYWORD_POSITION, span, "a quantifier needs a variable".into(), hint);
            return Sentence::And(Vec::new());
        };
        let outer = self.variable_slots[name.0 as usize];
        self.variable_slots[name.0 as usize] = (0, outer.1);
        let own = self.variable(name);
        bound.push(own);
        let scope = Box::new(self.sentence(scope, depth + 1, bound));
        self.variable_slots[name.0 as usize] = outer;
        let for_all = self.tree.head(node).is_some_and(|(name, _)| name == "A:");
        if for_all { Sentence::ForAll(own, scope) } else { Sentence::Exists(own, scope) }
    }
}
