//! Analyses of matches that are over.

use std::sync::Arc;

use ludex::AnyRecord;

use super::{Answer, Manager};
use crate::manager::ManagerError;
use crate::manager::analysis::{match_found, position_found, position_of, positions_of, wish};
use crate::manager::core::Core;
use crate::model::{MatchAnalysis, MatchRow, MatchSummary, PositionAnalysis};
use crate::preparation::{AssessWish, Assessed, Rulesheet};

/// Why a match is not analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoAnalysis {
    /// Nobody gets help while it is played.
    Running,
    /// It goes on in real time.
    RealTime,
    /// Players do not see everything.
    Hidden,
}

impl NoAnalysis {
    /// Why, in words.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Running => "the match is not over, and nobody gets help while it is played",
            Self::RealTime => {
                "games in real time are not analysed: they have no positions that stand still to be searched"
            }
            Self::Hidden => {
                "in this game players do not see everything: what a position is worth to a player depends on what \
                 that player knows of it, so positions are not analysed"
            }
        }
    }
}

impl Manager {
    /// What the tournament player makes of the position after so many steps of a match that is over: for each role
    /// what it can expect, its best moves, and what is proved. One analysis is made at a time, within counted limits.
    ///
    /// # Errors
    /// [`ManagerError::NotOver`]; [`ManagerError::Invalid`] of games that are not analysed; [`ManagerError::NotFound`],
    /// also where there is no such position; [`ManagerError::Busy`] where others wait already;
    /// [`ManagerError::Heavy`], [`ManagerError::Store`].
    pub fn analyse_position(&self, id: &str, step: usize) -> Answer<Arc<PositionAnalysis>> {
        let core = self.core();
        let row = core.row_to_analyse(id)?;
        core.analyses.position((id.to_owned(), step), || {
            let found = core.look(&row, |record| (position_of(record, step), roles(record)))?;
            let (Some(position), roles) = found else {
                return Err(ManagerError::NotFound { what: "step", name: step.to_string() });
            };
            let found = core.assess(&row, wish(vec![position], false))?;
            let position = found.positions.first().cloned().unwrap_or_default();
            Ok(position_found(step, &roles, &found.roles, &position))
        })
    }

    /// How a match that is over went: what its positions are worth to each role, and the move with which it turned. Of
    /// a long match some positions are looked at, evenly spread.
    ///
    /// # Errors
    /// As [`Manager::analyse_position`].
    pub fn analyse_match(&self, id: &str) -> Answer<Arc<MatchAnalysis>> {
        let core = self.core();
        let row = core.row_to_analyse(id)?;
        core.analyses.whole(id, || {
            let steps = row.summary.steps as usize;
            let (positions, roles) =
                core.look(&row, |record| (positions_of(record, steps), roles(record)))?;
            let (at, positions): (Vec<usize>, Vec<_>) = positions.into_iter().unzip();
            if positions.is_empty() {
                return Err(ManagerError::NotFound { what: "step", name: "0".to_owned() });
            }
            let found = core.assess(&row, wish(positions, true))?;
            Ok(match_found(steps, &roles, &at, &found))
        })
    }

    /// Why a match is not analysed, if it is not.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub(crate) fn why_not_analysed(&self, summary: &MatchSummary) -> Answer<Option<NoAnalysis>> {
        let row = self.core().match_of(&summary.id)?;
        self.core().why_not_analysed(&row)
    }
}

/// The roles of a match in steps.
fn roles(record: &AnyRecord) -> Vec<String> {
    match record {
        AnyRecord::InSteps(record) => record.roles.clone(),
        AnyRecord::InTime(_) => Vec::new(),
    }
}

impl Core {
    fn why_not_analysed(&self, row: &MatchRow) -> Answer<Option<NoAnalysis>> {
        if !row.summary.stage.is_over() {
            return Ok(Some(NoAnalysis::Running));
        }
        if row.hidden {
            return Ok(Some(NoAnalysis::Hidden));
        }
        let timed = self.is_timed(&row.summary)?;
        Ok(timed.then_some(NoAnalysis::RealTime))
    }

    /// A match that is analysed.
    fn row_to_analyse(&self, id: &str) -> Answer<MatchRow> {
        let row = self.match_of(id)?;
        match self.why_not_analysed(&row)? {
            None => Ok(row),
            Some(NoAnalysis::Running) => Err(ManagerError::NotOver),
            Some(other) => Err(ManagerError::Invalid(other.reason().to_owned())),
        }
    }

    fn assess(&self, row: &MatchRow, wish: AssessWish) -> Answer<Assessed> {
        let game = self.game(&row.summary.game, Some(&row.summary.version))?;
        let (name, text) = (game.summary.name.clone(), game.text.clone());
        let rules = Rulesheet { name, text, sha256: game.version.sha256.clone() };
        Ok(self.analyses.preparation.assess(rules, wish)?)
    }
}
