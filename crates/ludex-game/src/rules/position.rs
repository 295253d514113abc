//! A place in a match, to walk forward and back from.

use ludex_logic::TermId;

use super::{MoveError, Rules};
use crate::{Answer, Goal, History, RoleId, State};

/// A state of a game with the moves that led to it.
///
/// Stepping back keeps the moves after the place, so that one can step forward again.
///
/// ```
/// # let text = "(role you) (init (at 1)) (legal you go) (<= (next (at 2)) (true (at 1)))
/// #     (<= (next (at 3)) (true (at 2))) (<= terminal (true (at 3))) (goal you 50)";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// # let mut checked = ludex_gdl::load(source, &Default::default());
/// # let program = std::sync::Arc::new(checked.game.take().unwrap());
/// # let machine = std::sync::Arc::new(ludex_game::RuleMachine::new(&program, &Default::default())?);
/// # let rules = ludex_game::Rules::new(checked, program, machine, "rules", Default::default());
/// let mut position = rules.start();
/// position.play(&["go"])?;
/// position.play(&["go"])?;
/// assert!(position.terminal()? && position.back() && !position.terminal()?);
/// assert_eq!((position.step(), position.fact_texts()), (1, vec!["(at 2)".to_owned()]));
/// assert!(position.play(&["stay"]).is_err(), "no legal move");
/// assert!(position.forward() && position.step() == 2, "what was played is still there");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Position {
    rules: Rules,
    history: History,
}

impl Position {
    pub(super) fn new(rules: Rules) -> Self {
        let history = History::new(rules.initial().clone());
        Self { rules, history }
    }

    /// The game begun in another state than its initial one.
    pub fn starting_in(rules: Rules, state: State) -> Self {
        Self { rules, history: History::new(state) }
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// All states and joint moves, those after this position included.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The state.
    pub fn state(&self) -> &State {
        self.history.state()
    }

    /// The number of joint moves made before.
    pub fn step(&self) -> usize {
        self.history.step()
    }

    /// The facts that hold, in canonical order.
    pub fn facts(&self) -> Vec<TermId> {
        self.rules.facts(self.state())
    }

    /// The facts that hold, as texts in canonical order.
    pub fn fact_texts(&self) -> Vec<String> {
        self.rules.fact_texts(self.state())
    }

    /// Whether the game is over.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn terminal(&self) -> Answer<bool> {
        self.rules.terminal(self.state())
    }

    /// The legal moves of a role, in canonical order.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn legal(&self, role: RoleId) -> Answer<Vec<TermId>> {
        self.rules.legal(self.state(), role)
    }

    /// The legal moves of a role, as texts in canonical order.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn legal_texts(&self, role: RoleId) -> Answer<Vec<String>> {
        self.rules.legal_texts(self.state(), role)
    }

    /// What the state is worth to each role; `None` where the rules give no value or several.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn goals(&self) -> Answer<Vec<Option<Goal>>> {
        self.rules.goals(self.state())
    }

    /// What the last joint move let a role see (GDL-II).
    pub fn percepts(&self, role: RoleId) -> &[TermId] {
        self.history.percepts(role)
    }

    /// The joint move after so many others, counted from 0.
    pub fn joint(&self, step: usize) -> Option<Vec<TermId>> {
        let signature = self.rules.signature();
        let joint = self.history.joint_at(step + 1)?;
        Some(joint.iter().map(|&action| signature.action(action)).collect())
    }

    /// The joint moves that led here.
    pub fn joints(&self) -> Vec<Vec<TermId>> {
        (0..self.step()).filter_map(|step| self.joint(step)).collect()
    }

    /// Makes a joint move, one legal move for each role in order.
    ///
    /// # Errors
    /// [`MoveError`]; the position is then as before.
    pub fn advance(&mut self, joint: &[TermId]) -> Result<(), MoveError> {
        let roles = self.rules.roles().len();
        if joint.len() != roles {
            return Err(MoveError::Count { roles, moves: joint.len() });
        }
        let rules = self.rules.clone();
        let mut runner = rules.runner_in(self.state())?;
        if runner.terminal()? {
            return Err(MoveError::Over);
        }
        let mut ids = Vec::with_capacity(roles);
        for (role, &action) in rules.roles().zip(joint) {
            let id = rules.signature().find_action(action);
            match id.filter(|id| runner.legal(role).is_ok_and(|legal| legal.contains(id))) {
                Some(id) => ids.push(id),
                None => {
                    // The answer may be missing for another reason than the move.
                    runner.legal(role)?;
                    return Err(MoveError::Illegal {
                        role: rules.role_name(role),
                        action: rules.text(action),
                    });
                }
            }
        }
        self.history.advance(&mut *runner, &ids)?;
        Ok(())
    }

    /// Makes a joint move given as texts in either notation, one for each role in order.
    ///
    /// # Errors
    /// [`MoveError`]; the position is then as before.
    pub fn play<T: AsRef<str>>(&mut self, moves: &[T]) -> Result<(), MoveError> {
        let roles = self.rules.roles().len();
        if moves.len() != roles {
            return Err(MoveError::Count { roles, moves: moves.len() });
        }
        let mut joint = Vec::with_capacity(roles);
        for (role, text) in self.rules.roles().zip(moves) {
            joint.push(self.rules.find_legal(self.state(), role, text.as_ref())??);
        }
        self.advance(&joint)
    }

    /// Makes a joint move of which only the moves of some roles are given, by name; every other role
    /// must have exactly one legal move.
    ///
    /// # Errors
    /// [`MoveError`]; the position is then as before.
    pub fn play_some(&mut self, moves: &[(RoleId, &str)]) -> Result<(), MoveError> {
        if self.terminal()? {
            return Err(MoveError::Over);
        }
        let mut joint = Vec::new();
        for role in self.rules.roles() {
            let legal = self.legal(role)?;
            joint.push(match (moves.iter().find(|(r, _)| *r == role), &legal[..]) {
                (Some((_, text)), _) => self.rules.find_among(&legal, role, text)?,
                (None, &[only]) => only,
                (None, _) => {
                    return Err(MoveError::Missing {
                        role: self.rules.role_name(role),
                        choices: legal.len(),
                    });
                }
            });
        }
        self.advance(&joint)
    }

    /// One move back; false at the start.
    pub fn back(&mut self) -> bool {
        self.history.back()
    }

    /// One recorded move forward; false at the end.
    pub fn forward(&mut self) -> bool {
        self.history.forward()
    }

    /// To the state after this many moves; false (and no change) where there is none.
    pub fn jump(&mut self, step: usize) -> bool {
        self.history.jump(step)
    }
}
