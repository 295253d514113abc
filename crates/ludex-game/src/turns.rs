//! Whose turn it is, for interfaces in which one player moves at a time.

use rustc_hash::FxHashSet;

use crate::{ActionId, Answer, Rng, RoleId, Rules, Runner};

/// Random games are played until there were so many steps...
const STEPS: usize = 2_000;
/// ...or so many games, each with at most...
const GAMES: usize = 30;
/// ...so many steps.
const STEPS_EACH: usize = 300;

/// Who moves in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mover {
    /// Every player has one legal move and only waits: chance moves, or the rules do.
    Nobody,
    /// One player moves, and all others have one legal move.
    One(RoleId),
    /// Several players have a choice.
    Several,
}

/// How a game is played in turns, as random games show it.
///
/// GDL knows no turns: every role moves in every step, and who is not in turn has one legal move, often
/// called `noop`. A player's only legal moves where another player has a choice are its *waiting* moves.
/// In a state in which nobody has a choice the turn belongs to the first player whose only move is none of those.
///
/// ```
/// # use std::sync::Arc;
/// # use ludex_game::{Machine, Mover, RoleId, RuleMachine, Rules, Turns};
/// # use ludex_logic::Budget;
/// # let text = "(role a) (role b) (init (turn a)) (<= (legal ?p go) (true (turn ?p))) (<= (legal ?p stay) (true (turn ?p)))
/// #     (<= (legal ?p wait) (role ?p) (not (true (turn ?p)))) (<= (next (turn b)) (true (turn a)))
/// #     (<= terminal (true (turn b))) (<= (goal ?p 50) (role ?p))";
/// # let mut checked = ludex_gdl::load(Arc::new(ludex_gdl::Source::new("walk.kif", text)), &Default::default());
/// # let program = Arc::new(checked.game.take().unwrap());
/// # let machine: Arc<dyn Machine> = Arc::new(RuleMachine::new(&program, &Default::default())?);
/// # let rules = Rules::new(checked, program, machine, "rules", Budget::unlimited());
/// let turns = Turns::of(&rules)?;
/// assert!(turns.are_taken);
/// assert_eq!(turns.mover(&mut *rules.runner())?, Mover::One(RoleId(0)));
/// # Ok::<(), ludex_game::GameError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns {
    /// Whether no state was met in which several players have a choice.
    pub are_taken: bool,
    /// By role; none for `random`.
    waiting: Vec<FxHashSet<ActionId>>,
    seats: Vec<RoleId>,
}

impl Turns {
    /// Plays some random games, always the same ones.
    ///
    /// # Errors
    /// A limit of the rules' budget for a question.
    pub fn of(rules: &Rules) -> Answer<Self> {
        let seats = rules.seats();
        let mut turns =
            Self { are_taken: true, waiting: vec![FxHashSet::default(); rules.roles().len()], seats };
        let (mut rng, mut steps, mut joint) = (Rng::from_seed(1), 0, Vec::new());
        let mut runner = rules.runner();
        for _ in 0..GAMES {
            runner.set(rules.initial())?;
            for _ in 0..STEPS_EACH {
                if runner.terminal()? || steps >= STEPS {
                    break;
                }
                turns.note(&mut *runner)?;
                joint.clear();
                for role in rules.roles() {
                    joint.extend(rng.pick(runner.legal(role)?));
                }
                if joint.len() < rules.roles().len() {
                    break;
                }
                runner.step_legal(&joint)?;
                steps += 1;
            }
        }
        Ok(turns)
    }

    /// Learns from a state.
    fn note(&mut self, runner: &mut dyn Runner) -> Answer<()> {
        match self.with_a_choice(runner)? {
            Mover::Nobody => {}
            Mover::Several => self.are_taken = false,
            Mover::One(mover) => {
                for &role in self.seats.iter().filter(|&&role| role != mover) {
                    self.waiting[role.index()].extend(runner.legal(role)?);
                }
            }
        }
        Ok(())
    }

    fn with_a_choice(&self, runner: &mut dyn Runner) -> Answer<Mover> {
        let mut found = Mover::Nobody;
        for &role in &self.seats {
            if runner.legal(role)?.len() > 1 {
                found = if found == Mover::Nobody { Mover::One(role) } else { Mover::Several };
            }
        }
        Ok(found)
    }

    /// Who moves in the state of a runner.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn mover(&self, runner: &mut dyn Runner) -> Answer<Mover> {
        let chooser = self.with_a_choice(runner)?;
        if chooser != Mover::Nobody {
            return Ok(chooser);
        }
        for &role in &self.seats {
            if runner.legal(role)?.iter().any(|action| !self.waits(role, *action)) {
                return Ok(Mover::One(role));
            }
        }
        Ok(Mover::Nobody)
    }

    /// Whether this is a move of somebody who waits.
    pub fn waits(&self, role: RoleId, action: ActionId) -> bool {
        self.waiting.get(role.index()).is_some_and(|waiting| waiting.contains(&action))
    }
}
