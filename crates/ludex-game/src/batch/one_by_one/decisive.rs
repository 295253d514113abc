//! Playouts that see one move ahead, written down plainly.

use ludex_logic::Meter;

use super::super::{DecisiveMoves, PlayoutFault, Policy, Stakes};
use super::OneByOne;
use crate::error::Answer;
use crate::rng::Rng;
use crate::signature::{ActionId, RoleId};
use crate::state::State;

/// A choice of one role that may be made anew.
struct Turn {
    role: RoleId,
    /// Where it was made.
    state: State,
    /// The moves of all roles.
    joint: Vec<ActionId>,
    /// Moves that were not tried.
    rest: Vec<ActionId>,
    /// How often it was made anew.
    tries: u32,
}

impl Turn {
    /// Makes one of the moves that were not tried.
    fn make(&mut self, rng: &mut Rng) {
        if let Some(&action) = rng.pick(&self.rest) {
            self.rest.retain(|&other| other != action);
            self.joint[self.role.index()] = action;
        }
    }
}

impl OneByOne<'_> {
    /// Plays on from the current state: the steps made, and why it did not end if it did not.
    pub(super) fn play_decisively(
        &mut self,
        (policy, decisive_moves): (&Policy, &DecisiveMoves),
        rng: &mut Rng,
        meter: &mut Meter,
    ) -> Answer<(u32, Option<PlayoutFault>)> {
        let mut steps = 0;
        let mut last: Option<Turn> = None;
        while !self.runner.terminal()? {
            if steps >= policy.step_limit {
                return Ok((steps, Some(PlayoutFault::OverLimit)));
            }
            meter.spend(1)?;
            let Some((role, stakes)) = self.chooser(decisive_moves)? else {
                last = None;
                if let Some(role) = self.draw_joint(rng)? {
                    return Ok((steps, Some(PlayoutFault::Stuck(role))));
                }
                self.runner.step_legal(&self.joint)?;
                if policy.notes_moves {
                    self.made.extend_from_slice(&self.joint);
                }
                steps += 1;
                continue;
            };
            let (candidates, wins) = self.candidates(role, stakes, meter)?;
            let was_let = |turn: &Turn| {
                turn.role != role && !turn.rest.is_empty() && turn.tries < decisive_moves.retries
            };
            match last.as_mut().filter(|turn| wins && was_let(turn)) {
                Some(turn) => {
                    self.runner.set(&turn.state)?;
                    turn.tries += 1;
                    turn.make(rng);
                    self.runner.step_legal(&turn.joint)?;
                    if policy.notes_moves {
                        self.made.extend_from_slice(&turn.joint);
                    }
                }
                None => {
                    let mut state = State::default();
                    self.runner.save(&mut state);
                    let joint = std::mem::take(&mut self.joint);
                    let mut turn = Turn { role, state, joint, rest: candidates, tries: 0 };
                    turn.make(rng);
                    self.runner.step_legal(&turn.joint)?;
                    if policy.notes_moves {
                        self.made.extend_from_slice(&turn.joint);
                    }
                    steps += 1;
                    last = Some(turn).filter(|_| !wins);
                }
            }
        }
        Ok((steps, None))
    }

    /// The only role with a choice, if there is one that sees; the moves of the others are then in `joint`.
    fn chooser(&mut self, decisive_moves: &DecisiveMoves) -> Answer<Option<(RoleId, Stakes)>> {
        let mut found = None;
        self.joint.clear();
        for role in self.signature.role_ids() {
            match self.runner.legal(role)? {
                [] => return Ok(None),
                &[only] => self.joint.push(only),
                _ if found.is_some() => return Ok(None),
                list => {
                    found = Some(role);
                    self.joint.push(list[0]);
                }
            }
        }
        Ok(found.and_then(|role| Some((role, decisive_moves.of(role.index())?))))
    }

    /// What a role chooses from, and whether these moves win.
    fn candidates(
        &mut self,
        role: RoleId,
        stakes: Stakes,
        meter: &mut Meter,
    ) -> Answer<(Vec<ActionId>, bool)> {
        let mut state = State::default();
        self.runner.save(&mut state);
        let legal = self.runner.legal(role)?.to_vec();
        let (mut wins, mut safe) = (Vec::new(), Vec::new());
        for &action in &legal {
            meter.spend(1)?;
            self.joint[role.index()] = action;
            self.runner.step_legal(&self.joint)?;
            let goal = if self.runner.terminal()? { self.runner.goal(role)? } else { None };
            if goal.is_some_and(|goal| goal >= stakes.win) {
                wins.push(action);
            }
            if goal.is_none_or(|goal| goal > stakes.loss) {
                safe.push(action);
            }
            self.runner.set(&state)?;
        }
        Ok(if !wins.is_empty() {
            (wins, true)
        } else if !safe.is_empty() {
            (safe, false)
        } else {
            (legal, false)
        })
    }
}
