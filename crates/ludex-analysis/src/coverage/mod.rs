//! Which rules, alternatives of disjunctions and moves are of use in some positions of a game, and which never are.
//!
//! A rule is used in a position where its body holds there, with the joint move that is made there; an alternative
//! is used where the body holds by it. Each is a relation of its own that is added to the rules (`parts`), so that the
//! evaluator answers, in the positions that are looked at and for those parts only that were not used before.

mod parts;
#[cfg(test)]
mod tests;

use ludex_game::{Answer, GameError, Position, Rng, RoleId, Rules, State};
use ludex_gdl::Span;
use ludex_logic::evaluator::{Evaluator, EvaluatorError, Preparation};
use ludex_logic::{Budget, LimitError, RelationId, TermId};
use rustc_hash::FxHashSet;

use parts::{Part, with_parts};

/// What a part of the rules is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A rule: facts are always of use.
    Rule,
    /// An alternative of a disjunction.
    Alternative,
}

/// A part of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartCoverage {
    /// What it is.
    pub kind: PartKind,
    /// Where it is written.
    pub span: Span,
    /// Whether it was used.
    pub is_used: bool,
}

/// A move of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveCoverage {
    /// Whose move it is.
    pub role: RoleId,
    /// The move.
    pub action: TermId,
    /// Whether it was legal somewhere.
    pub was_legal: bool,
    /// Whether it was made somewhere.
    pub was_made: bool,
}

/// What was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Rules and alternatives in the order of the text.
    pub parts: Vec<PartCoverage>,
    /// The moves that the rules say there are, and those that were legal, by roles and in canonical order.
    pub moves: Vec<MoveCoverage>,
    /// How many positions were looked at.
    pub positions: u64,
}

/// Relations with more possible rows are computed as far as they are asked for.
const DEMAND_THRESHOLD: f64 = 100_000.0;
/// A random game is broken off after so many joint moves.
const LONGEST_GAME: usize = 2_000;

/// Looks at positions and notes what is used there.
///
/// ```
/// use ludex_analysis::coverage::CoverageRecorder;
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe").unwrap();
/// let mut recorder = CoverageRecorder::new(&rules, &Default::default())?;
/// recorder.note_position(&rules.start())?;
/// let first = recorder.coverage().parts.iter().filter(|part| part.is_used).count();
/// recorder.note_random_games(20, 1)?;
/// let found = recorder.coverage();
/// assert!(first < found.parts.len() && found.parts.iter().all(|part| part.is_used));
/// # Ok::<(), ludex_game::GameError>(())
/// ```
#[derive(Debug)]
pub struct CoverageRecorder<'r> {
    rules: &'r Rules,
    budget: Budget,
    evaluator: Evaluator,
    parts: Vec<Part>,
    used: Vec<bool>,
    legal: FxHashSet<(RoleId, TermId)>,
    made: FxHashSet<(RoleId, TermId)>,
    /// What the rules say that there is.
    inputs: Vec<(RoleId, TermId)>,
    positions: u64,
}

impl<'r> CoverageRecorder<'r> {
    /// Prepares to look at positions, each within the budget.
    ///
    /// # Errors
    /// A limit; rules that cannot be run.
    pub fn new(rules: &'r Rules, budget: &Budget) -> Answer<Self> {
        let prepared = Self::prepared(rules, true, budget);
        let (parts, evaluator) = match prepared {
            // What another alternative binds may be free in this one.
            Err(EvaluatorError::Unsafe { .. }) => Self::prepared(rules, false, budget),
            other => other,
        }
        .map_err(unrunnable)?;
        let mut recorder = Self {
            rules,
            budget: budget.clone(),
            used: vec![false; parts.len()],
            parts,
            evaluator,
            legal: FxHashSet::default(),
            made: FxHashSet::default(),
            inputs: Vec::new(),
            positions: 0,
        };
        recorder.inputs = recorder.declared_moves()?;
        Ok(recorder)
    }

    fn prepared(
        rules: &Rules,
        with_alternatives: bool,
        budget: &Budget,
    ) -> Result<(Vec<Part>, Evaluator), EvaluatorError> {
        let (program, parts) = with_parts(rules, with_alternatives);
        Ok((parts, Preparation::new(&program, budget)?.evaluator(DEMAND_THRESHOLD, budget)?))
    }

    /// The moves that `input` lists.
    fn declared_moves(&self) -> Result<Vec<(RoleId, TermId)>, LimitError> {
        let mut session = self.evaluator.session(&self.budget);
        let listed = self.evaluator.answers(&mut session, self.rules.program().vocabulary.input)?;
        let signature = self.rules.signature();
        let pair = |args: &[TermId]| match args {
            &[role, action] => signature.find_role(role).map(|role| (role, action)),
            _ => None,
        };
        Ok(listed.iter().filter_map(|args| pair(args)).collect())
    }

    /// Looks at all positions from the first one on that lead to this one.
    ///
    /// # Errors
    /// A limit.
    pub fn note_position(&mut self, position: &Position) -> Answer<()> {
        for step in 0..=position.step() {
            let Some(state) = position.history().state_at(step) else { continue };
            let joint = if step < position.step() { position.joint(step) } else { None };
            self.note(state, joint.as_deref())?;
        }
        Ok(())
    }

    /// Plays random games and looks at all their positions.
    ///
    /// # Errors
    /// A limit.
    pub fn note_random_games(&mut self, games: u32, seed: u64) -> Answer<()> {
        let mut rng = Rng::from_seed(seed);
        for number in 0..games {
            self.budget.report("random games", number.into(), Some(games.into()));
            self.random_game(&mut rng)?;
        }
        Ok(())
    }

    fn random_game(&mut self, rng: &mut Rng) -> Answer<()> {
        let rules = self.rules;
        let mut runner = rules.runner();
        let mut state = State::default();
        for _ in 0..LONGEST_GAME {
            runner.save(&mut state);
            if runner.terminal()? {
                break;
            }
            let mut joint = Vec::new();
            for role in rules.roles() {
                match rng.pick(runner.legal(role)?) {
                    Some(&action) => joint.push(action),
                    None => return self.note(&state, None),
                }
            }
            let terms: Vec<TermId> = joint.iter().map(|&action| rules.signature().action(action)).collect();
            self.note(&state, Some(&terms))?;
            runner.step_legal(&joint)?;
        }
        self.note(&state, None)
    }

    /// Looks at a state, and at the joint move that is made there.
    ///
    /// # Errors
    /// A limit.
    pub fn note(&mut self, state: &State, joint: Option<&[TermId]>) -> Answer<()> {
        self.positions += 1;
        for role in self.rules.roles() {
            for action in self.rules.legal(state, role)? {
                self.legal.insert((role, action));
            }
        }
        for (role, &action) in self.rules.roles().zip(joint.unwrap_or_default()) {
            self.made.insert((role, action));
        }
        let open: Vec<usize> = (0..self.parts.len()).filter(|&part| !self.used[part]).collect();
        if open.is_empty() {
            return Ok(());
        }
        let mut session = self.evaluator.session(&self.budget);
        for atom in self.rules.given(state, joint) {
            match self.evaluator.give(&mut session, &atom) {
                // What no rule asks for need not be there.
                Ok(()) | Err(EvaluatorError::Outside { .. }) => {}
                Err(error) => return Err(unrunnable(error)),
            }
        }
        let mut holds = |relation: RelationId| {
            for table in self.evaluator.tables(relation) {
                if session.count(table)? > 0 {
                    return Ok::<_, LimitError>(true);
                }
            }
            Ok(false)
        };
        for part in open {
            self.used[part] = holds(self.parts[part].relation)?;
        }
        Ok(())
    }

    /// What was used so far.
    pub fn coverage(&self) -> Coverage {
        let mut parts: Vec<PartCoverage> = Vec::new();
        for (part, &is_used) in self.parts.iter().zip(&self.used) {
            // One rule may be several: those of SDL are about the first step, and about the others.
            match parts.iter_mut().find(|other| other.span == part.span && other.kind == part.kind) {
                Some(other) => other.is_used |= is_used,
                None => parts.push(PartCoverage { kind: part.kind, span: part.span, is_used }),
            }
        }
        parts.sort_by_key(|part| (part.span, part.kind == PartKind::Alternative));
        let all: FxHashSet<(RoleId, TermId)> = self.inputs.iter().chain(&self.legal).copied().collect();
        let mut all: Vec<(RoleId, TermId)> = all.into_iter().collect();
        let terms = self.rules.signature().terms();
        all.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| terms.compare(a.1, b.1)));
        let coverage = |(role, action)| MoveCoverage {
            role,
            action,
            was_legal: self.legal.contains(&(role, action)),
            was_made: self.made.contains(&(role, action)),
        };
        Coverage { parts, moves: all.into_iter().map(coverage).collect(), positions: self.positions }
    }
}

fn unrunnable(error: EvaluatorError) -> GameError {
    match error {
        EvaluatorError::Limit(limit) => limit.into(),
        other => GameError::Unrunnable { reason: other.to_string() },
    }
}
