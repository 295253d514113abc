//! A player with records at a table.

use std::sync::Arc;

use ludex_game::{News, RoleId, Signature, TimeTerms, read_term};
use ludex_logic::Budget;
use ludex_players::{Choice, Introduction, Outcome, Player, PlayerError, Report, Seat};

use super::LearnedPlayer;

/// A [`LearnedPlayer`] at a [table](crate::Table). Of the rules that it is handed there it takes no more than what its role
/// and the moves are called.
pub struct LearnedPlayerAtTable {
    player: LearnedPlayer,
    table: Option<(Arc<Signature>, RoleId)>,
    answered: Option<String>,
}

impl LearnedPlayerAtTable {
    /// Lets a player sit down.
    pub fn new(player: LearnedPlayer) -> Self {
        Self { player, table: None, answered: None }
    }
}

impl Player for LearnedPlayerAtTable {
    fn introduce(&mut self, introduction: &Introduction) {
        self.player.introduce(introduction);
    }

    fn hear_time(&mut self, terms: &TimeTerms) {
        self.player.hear_time(terms);
    }

    fn prepare(&mut self, seat: Seat, budget: &Budget) -> Result<(), PlayerError> {
        let signature = Arc::clone(seat.signature());
        let role = signature.terms().prefix(signature.roles()[seat.role.index()]);
        self.table = Some((signature, seat.role));
        self.answered = None;
        self.player.begin(&role, budget).map_err(|error| PlayerError::Gone(error.to_string()))
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        let (signature, _) = self.table.as_ref().ok_or(PlayerError::NotPrepared)?;
        let nothing = || PlayerError::Gone("it knows of no move".to_owned());
        let chosen = self.player.choose(budget).ok_or_else(nothing)?;
        let action = read_term(signature.terms(), &chosen).map_err(|_| nothing())?;
        // What comes too late is replaced, too, and says nothing about the rules.
        self.answered = budget.meter().check().is_ok().then_some(chosen);
        Ok(Choice { action, report: Report::default() })
    }

    fn observe(&mut self, news: &News) {
        let (Some((signature, _)), News::Joint(joint)) = (&self.table, news) else { return };
        let joint = joint.iter().map(|&action| signature.terms().prefix(action)).collect();
        self.player.hear(joint, self.answered.take().as_deref());
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.player.finish(outcome.completed, None);
    }
}
