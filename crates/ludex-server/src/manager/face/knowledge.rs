//! What people can know who play games in which they do not see everything.

use std::sync::Arc;

use ludex::matches::referee::SeatNumber;
use ludex::matches::view::{StepView, Viewer};

use super::{Answer, Manager};
use crate::manager::WantedSteps;
use crate::manager::excerpt::VIEW_BYTES;
use crate::model::MatchStage;
use crate::preparation::{KnowWish, Known, Rulesheet, ToldWish};

impl Manager {
    /// Whether there is something to be said of what a seat knows, or will be: players do not see everything, in a game in
    /// steps, and the match is not over.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`](crate::manager::ManagerError::NotFound),
    /// [`ManagerError::Store`](crate::manager::ManagerError::Store).
    pub(crate) fn has_hidden_knowledge(&self, id: &str) -> Answer<bool> {
        let row = self.core().match_of(id)?;
        Ok(row.hidden && !row.summary.stage.is_over() && !self.core().is_timed(&row.summary)?)
    }

    /// What a seat can know by what it did and saw, which is all that is asked: not a fact of the true state comes near
    /// it. Who asks has opened the seat. Nothing where there is nothing to be said.
    ///
    /// # Errors
    /// [`ManagerError`](crate::manager::ManagerError): as [`Manager::match_view`], or that others wait already.
    pub(crate) fn known_to(&self, id: &str, seat: SeatNumber) -> Answer<Option<Arc<Known>>> {
        if !self.has_hidden_knowledge(id)? {
            return Ok(None);
        }
        let core = self.core();
        let row = core.match_of(id)?;
        if row.summary.stage == MatchStage::Planned {
            return Ok(None);
        }
        let (view, steps) = core.view(id, Viewer::Seat(seat), &WantedSteps::All(VIEW_BYTES))?;
        // A match that has ended meanwhile is shown as a whole, and one that is too long to be told not at all.
        if !view.partial || steps.steps.len() < steps.total {
            return Ok(None);
        }
        let Some(told) = steps.steps.iter().map(told_in).collect::<Option<Vec<ToldWish>>>() else {
            return Ok(None);
        };
        let game = core.game(&row.summary.game, Some(&row.summary.version))?;
        let known = core.knowing.known((id.to_owned(), seat.0, told.len()), || {
            let (name, text) = (game.summary.name.clone(), game.text.clone());
            let rules = Rulesheet { name, text, sha256: game.version.sha256.clone() };
            (rules, KnowWish { seat: seat.0 as usize, told })
        })?;
        Ok(Some(known))
    }
}

/// What a seat did and saw in a step of its view: there it sees the move and the percepts of its own role alone.
fn told_in(step: &StepView) -> Option<ToldWish> {
    let mut own = step.moves.iter().zip(&step.percepts).filter_map(|(action, percepts)| {
        Some(ToldWish { action: action.clone()?, percepts: percepts.clone().unwrap_or_default() })
    });
    let told = own.next()?;
    own.next().is_none().then_some(told)
}
