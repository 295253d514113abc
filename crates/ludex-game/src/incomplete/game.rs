//! Sentences as a game.

use std::fmt;
use std::sync::Arc;

use ludex_gdl::GameSentences;
use ludex_logic::relational::{
    Edge, Grounding, GroundingError, GroundingOptions, Moment, PremiseId, Reasoner, StatedSentence,
};
use ludex_logic::sat::Literal;
use ludex_logic::{AtomId, Budget, GroundAtom, Id, LimitError, RelationId, TermId};
use rustc_hash::FxHashSet;

use super::step_edges::{StepEdges, step_edges};

/// Why sentences cannot be reasoned with as a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IncompleteError {
    /// There is no finite universe, or a limit is reached.
    #[error(transparent)]
    Grounding(#[from] GroundingError),
    /// A limit is reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The steps of a game with steps as arguments are no chain.
    #[error("the steps do not follow one another: {reason}")]
    Steps {
        /// What is wrong.
        reason: &'static str,
    },
    /// There are more possible worlds than wanted.
    #[error("more than {limit} states are possible")]
    TooManyWorlds {
        /// The limit.
        limit: usize,
    },
    /// No course is as it was told, or none at all is possible.
    #[error("nothing is possible: the sentences contradict each other, or what was told")]
    Impossible,
    /// The course has come to the last step.
    #[error("there is no step after the last one")]
    LastStep,
}

/// What holds of every game beside its sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axiom {
    /// Facts, moves and percepts are declared.
    Declarations,
    /// Every role makes one legal move until the end.
    Moves,
    /// What holds first is what `init` says.
    Start,
    /// What holds next is what `next` says.
    Update,
    /// The game was not over before.
    GoesOn,
    /// The moves and percepts that were told.
    Told,
}

impl Axiom {
    /// All of them, in the order of their premises.
    pub const ALL: [Axiom; 6] =
        [Axiom::Declarations, Axiom::Moves, Axiom::Start, Axiom::Update, Axiom::GoesOn, Axiom::Told];
}

impl fmt::Display for Axiom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Declarations => {
                "only what `base`, `input` and `percept` declare can hold, be done or be seen"
            }
            Self::Moves => "until the end every role makes one move at each step, and a legal one",
            Self::Start => "what holds first is what `init` says",
            Self::Update => "what holds next is what `next` says",
            Self::GoesOn => "the game was not over before this step",
            Self::Told => "the moves and percepts so far",
        })
    }
}

/// The things that keywords can be about.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub facts: Vec<TermId>,
    pub moves: Vec<Vec<TermId>>,
    pub percepts: Vec<Vec<TermId>>,
    pub goals: Vec<Vec<TermId>>,
}

/// A game whose rules are sentences, ready to be asked.
#[derive(Clone, Debug)]
pub struct IncompleteGame {
    pub(super) sentences: Arc<GameSentences>,
    pub(super) grounding: Grounding,
    pub(super) declared: Declared,
    pub(super) steps: Vec<StepEdges>,
    /// Which atoms are the same at all steps.
    pub(super) is_fixed: Vec<bool>,
    /// `base(F)` by fact, `init(F)` by fact, `input(R,M)` by role and move, `percept(R,P)` by role and percept.
    base: Vec<Edge>,
    pub(super) init: Vec<Edge>,
    input: Vec<Vec<Edge>>,
    percept: Vec<Vec<Edge>>,
    pub(super) percepts_follow_moves: bool,
    /// Where steps are arguments: by step, what else was said of it.
    pub(super) views: Vec<Vec<Edge>>,
    /// Whether the sentences of an answer can be told, each of which is grounded alone.
    tells_reasons: bool,
}

impl IncompleteGame {
    /// Grounds sentences, with questions that are to be asked of their courses.
    ///
    /// # Errors
    /// [`IncompleteError::Grounding`]; [`IncompleteError::Steps`] where steps are arguments and no chain.
    pub fn new(
        sentences: Arc<GameSentences>,
        questions: &[StatedSentence],
        options: &GroundingOptions,
    ) -> Result<Self, IncompleteError> {
        let mut grounding = Grounding::new(&sentences.theory, questions, options)?;
        let v = sentences.vocabulary;
        let roles = &sentences.roles;
        let says = |relation: RelationId| {
            let mut says = false;
            let stated = sentences.theory.sentences.iter();
            stated.for_each(|stated| stated.sentence.atoms(&mut |atom| says |= atom.relation == relation));
            says
        };
        let (facts, base) = declared(&mut grounding, (v.truth, 0), says(v.base).then_some(v.base), &[]);
        let by_role = |grounding: &mut Grounding, of: RelationId, by: RelationId| {
            let by = says(by).then_some(by);
            let each = roles.iter().map(|&role| declared(grounding, (of, 1), by, &[role]));
            each.unzip::<_, _, Vec<_>, Vec<_>>()
        };
        let (moves, input) = by_role(&mut grounding, v.does, v.input);
        let (percepts, percept) = by_role(&mut grounding, v.sees, v.percept);
        let values = grounding.universe.met(v.goal, 1).to_vec();
        let goals = roles.iter().map(|_| values.clone()).collect();
        let declared = Declared { facts, moves, percepts, goals };
        let has_steps = sentences.dialect.has_steps();
        let chain = if has_steps {
            sentences.steps().map_err(|reason| IncompleteError::Steps { reason })?
        } else {
            Vec::new()
        };
        let mut steps: Vec<StepEdges> = if has_steps {
            let next = chain.iter().skip(1).copied().map(Some).chain([None]);
            let pairs = chain.iter().copied().zip(next);
            pairs.map(|pair| step_edges(&sentences, &declared, &mut grounding, Some(pair))).collect()
        } else {
            vec![step_edges(&sentences, &declared, &mut grounding, None)]
        };
        let init = if has_steps {
            Vec::new()
        } else {
            declared.facts.iter().map(|&fact| grounding.edge(v.init, &[fact])).collect()
        };
        let views = views(&sentences, &grounding, &chain);
        for (at, edge) in undeclared(&sentences, &declared, &grounding) {
            let place = chain.iter().position(|&step| Some(step) == at).unwrap_or(0);
            steps[place].undeclared.push(edge);
        }
        let is_fixed = grounding.atoms.iter().map(|atom| !sentences.changes[atom.relation]).collect();
        let percepts_follow_moves = sentences.percepts_follow_moves();
        Ok(Self {
            sentences,
            grounding,
            declared,
            steps,
            is_fixed,
            base,
            init,
            input,
            percept,
            percepts_follow_moves,
            views,
            tells_reasons: options.each_alone,
        })
    }

    /// The sentences.
    pub fn sentences(&self) -> &Arc<GameSentences> {
        &self.sentences
    }

    /// The sentences over their universe.
    pub fn grounding(&self) -> &Grounding {
        &self.grounding
    }

    /// All instances of some questions together, as one formula.
    pub fn conjunction(&mut self, questions: std::ops::Range<usize>) -> Edge {
        let asked = self.grounding.questions.get(questions).unwrap_or_default();
        let edges = asked.iter().flatten().map(|instance| instance.edge).collect();
        self.grounding.formulas.and(edges)
    }

    /// The facts that may hold in a state.
    pub fn facts(&self) -> &[TermId] {
        &self.declared.facts
    }

    /// The moves that a role may make at all.
    pub fn moves(&self, role: usize) -> &[TermId] {
        &self.declared.moves[role]
    }

    /// The percepts that a role may have at all.
    pub fn percepts(&self, role: usize) -> &[TermId] {
        &self.declared.percepts[role]
    }

    /// The goal values that a role may have at all.
    pub fn goals(&self, role: usize) -> &[TermId] {
        &self.declared.goals[role]
    }

    /// Whether what roles see depends on the moves of the step, so that it is told after them; else it is told before
    /// they move, for the first time at the first step.
    pub fn percepts_follow_moves(&self) -> bool {
        self.percepts_follow_moves
    }

    /// The number of steps, where steps are arguments.
    pub fn step_count(&self) -> Option<usize> {
        self.sentences.dialect.has_steps().then_some(self.steps.len())
    }

    /// What a step is made of, counted from 0.
    pub fn step(&self, number: usize) -> Option<&StepEdges> {
        if self.step_count().is_some() { self.steps.get(number) } else { self.steps.first() }
    }

    /// A reasoner with all sentences, and the premises of the axioms.
    pub(super) fn reasoner(&self, budget: &Budget) -> (Reasoner, Premises) {
        let is_fixed = |atom: AtomId| self.is_fixed[atom.index()];
        let count = self.sentences.theory.sentences.len();
        let mut reasoner = if self.tells_reasons {
            Reasoner::new(&self.grounding, count, is_fixed, budget.meter())
        } else {
            Reasoner::granting_all(&self.grounding, is_fixed, budget.meter())
        };
        let literals = Axiom::ALL.map(|_| reasoner.add_premise());
        (reasoner, Premises { literals })
    }

    /// What a premise is: the number of a sentence, or an axiom.
    pub(super) fn premise(&self, premise: PremiseId) -> Result<usize, Axiom> {
        let count = self.sentences.theory.sentences.len();
        match premise.index().checked_sub(count) {
            Some(axiom) => Err(Axiom::ALL[axiom]),
            None => Ok(premise.index()),
        }
    }

    /// Whether an atom has one value for the whole game.
    pub(super) fn is_lasting(&self, atom: AtomId) -> bool {
        let relation = self.grounding.atoms[atom].relation;
        self.is_fixed[atom.index()] && step_arguments(&self.sentences, &self.grounding, relation).is_empty()
    }

    /// Demands what holds of a step, in case that a course comes to it: declarations, and one legal move for each role
    /// until the end.
    pub(super) fn demand_step(
        &self,
        reasoner: &mut Reasoner,
        premises: &Premises,
        (moment, comes_to): (Moment, Literal),
        step: &StepEdges,
    ) -> Result<(), LimitError> {
        let declared = premises.of(Axiom::Declarations);
        let implies = |reasoner: &mut Reasoner, premise: Literal, one: Edge, other: Edge| {
            if one == Edge::FALSE || other == Edge::TRUE {
                return Ok(());
            }
            let one = reasoner.literal(&self.grounding, moment, one)?;
            let other = reasoner.literal(&self.grounding, moment, other)?;
            reasoner.solver().clause([!premise, !one, other])
        };
        for &edge in &step.undeclared {
            let literal = reasoner.literal(&self.grounding, moment, edge)?;
            reasoner.solver().clause([!declared, !literal])?;
        }
        for (fact, &base) in self.base.iter().enumerate() {
            for edges in [&step.truth, &step.next, &self.init] {
                if let Some(&edge) = edges.get(fact) {
                    implies(reasoner, declared, edge, base)?;
                }
            }
        }
        let moves = premises.of(Axiom::Moves);
        let over = if step.is_last { Edge::TRUE } else { step.terminal };
        for role in 0..self.sentences.roles.len() {
            for (&sees, &percept) in step.sees[role].iter().zip(&self.percept[role]) {
                implies(reasoner, declared, sees, percept)?;
            }
            for (number, &does) in step.does[role].iter().enumerate() {
                implies(reasoner, declared, does, self.input[role][number])?;
                implies(reasoner, declared, step.legal[role][number], self.input[role][number])?;
                implies(reasoner, moves, does, step.legal[role][number])?;
                implies(reasoner, moves, does, !over)?;
            }
            let does: Vec<Literal> = step.does[role]
                .iter()
                .map(|&does| reasoner.literal(&self.grounding, moment, does))
                .collect::<Result<_, _>>()?;
            reasoner.solver().at_most_one_if(moves, &does)?;
            let over = reasoner.literal(&self.grounding, moment, over)?;
            reasoner.solver().clause([!moves, !comes_to, over].into_iter().chain(does))?;
        }
        Ok(())
    }
}

/// The literals that grant the axioms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Premises {
    literals: [Literal; Axiom::ALL.len()],
}

impl Premises {
    pub(super) fn of(&self, axiom: Axiom) -> Literal {
        self.literals[axiom as usize]
    }
}

/// The things that a relation can be about, unless they are known to be not declared, each with the formula that it is.
fn declared(
    grounding: &mut Grounding,
    (of, argument): (RelationId, usize),
    by: Option<RelationId>,
    before: &[TermId],
) -> (Vec<TermId>, Vec<Edge>) {
    let things = grounding.universe.met(of, argument).to_vec();
    let with_edge = things.into_iter().map(|thing| {
        let args: Vec<TermId> = before.iter().copied().chain([thing]).collect();
        (thing, by.map_or(Edge::TRUE, |by| grounding.edge(by, &args)))
    });
    with_edge.filter(|&(_, edge)| edge != Edge::FALSE).unzip()
}

/// The atoms that sentences have although nothing of the kind is declared, with the step of each where steps are arguments.
fn undeclared(
    sentences: &GameSentences,
    declared: &Declared,
    grounding: &Grounding,
) -> Vec<(Option<TermId>, Edge)> {
    let v = &sentences.vocabulary;
    let set = |things: &[TermId]| things.iter().copied().collect::<FxHashSet<TermId>>();
    let facts = set(&declared.facts);
    let [moves, percepts] = [&declared.moves, &declared.percepts]
        .map(|things| things.iter().map(|things| set(things)).collect::<Vec<_>>());
    let of_role = |atom: &GroundAtom, things: &[FxHashSet<TermId>]| {
        let role = sentences.roles.iter().position(|role| atom.args.first() == Some(role));
        role.zip(atom.args.get(1)).is_some_and(|(role, thing)| things[role].contains(thing))
    };
    let mut found = Vec::new();
    for (id, atom) in grounding.atoms.entries() {
        let is_declared = if [v.truth, v.init, v.next].contains(&atom.relation) {
            atom.args.first().is_some_and(|fact| facts.contains(fact))
        } else if [v.does, v.legal].contains(&atom.relation) {
            of_role(atom, &moves)
        } else if atom.relation == v.sees {
            of_role(atom, &percepts)
        } else {
            continue;
        };
        if let Some(edge) = grounding.formulas.find_atom(id).filter(|_| !is_declared) {
            let step = atom.args.last().copied().filter(|_| sentences.dialect.has_steps());
            found.push((step, edge));
        }
    }
    found
}

/// Which arguments of a relation are steps.
fn step_arguments(sentences: &GameSentences, grounding: &Grounding, relation: RelationId) -> Vec<usize> {
    let theory = &sentences.theory;
    let Some(step) = theory.find_relation("step", 1).filter(|_| sentences.dialect.has_steps()) else {
        return Vec::new();
    };
    let arguments = 0..theory.relations[relation].arity;
    arguments.filter(|&at| grounding.universe.is_same_sort((relation, at), (step, 0))).collect()
}

/// By step, the atoms of relations that are no keywords whose last step it is.
fn views(sentences: &GameSentences, grounding: &Grounding, chain: &[TermId]) -> Vec<Vec<Edge>> {
    let mut views = vec![Vec::new(); chain.len()];
    for (id, atom) in grounding.atoms.entries() {
        let arguments = step_arguments(sentences, grounding, atom.relation);
        let steps = arguments.iter().map(|&at| chain.iter().position(|&step| step == atom.args[at]));
        if !sentences.is_keyword(atom.relation)
            && let Some(last) = steps.flatten().max()
            && let Some(edge) = grounding.formulas.find_atom(id)
        {
            views[last].push(edge);
        }
    }
    views
}
