//! Matches: wanted, watched, played by people, read again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use ludex::Playable;
use ludex::matches::referee::real_time::TimedReferee;
use ludex::matches::referee::{Patience, Referee, SeatNumber};
use tokio::sync::watch;

use super::{Answer, Manager, check_search};
use crate::driver::unix_milliseconds;
use crate::manager::ManagerError;
use crate::manager::core::Core;
use crate::manager::live::Live;
use crate::manager::scheduler::WantedAbort;

use crate::manager::seat_key::drawn_key;
use crate::model::{
    ClockPlan, GameDetail, LAST_REVISION, MatchDetail, MatchNews, MatchPlan, MatchQuery, MatchRow,
    MatchStage, MatchSummary, MatchTerms, Page, PersonSeat, PlayerKind, Saying, SeatKey, SeatSummary,
    StoreError,
};
use crate::preparation::{PreparationFailure, Rulesheet, ShowWish, Shown, seat_roles, timed_seat_roles};

/// How far in the future a match may be planned.
const FUTURE: u64 = 366 * 86_400_000;

impl Manager {
    /// Plans a match, to begin now or later; the name of the match. Prepares the game.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`] for the game or a player, [`ManagerError::NotOffered`], [`ManagerError::Referee`] and
    /// [`ManagerError::Invalid`] where it makes no match, [`ManagerError::TooMany`], [`ManagerError::Store`].
    pub fn schedule(&self, plan: &MatchPlan) -> Answer<String> {
        let core = self.core();
        core.is_open()?;
        let own_clocks = plan.seats.iter().filter_map(|seat| seat.clocks.as_ref());
        core.check_terms(&plan.terms)?;
        own_clocks.into_iter().try_for_each(|clocks| core.check_clocks(clocks))?;
        let limit = core.options.matches.waiting;
        if core.store.counts()?.planned >= limit {
            return Err(ManagerError::TooMany { what: "waiting matches", limit });
        }
        if plan.begin.is_some_and(|begin| begin > unix_milliseconds() + FUTURE) {
            return Err(ManagerError::Invalid("a match begins within a year".to_owned()));
        }
        let text = core.options.games.text;
        if plan.seats.iter().filter_map(|seat| seat.rulesheet.as_ref()).any(|rules| rules.len() > text) {
            return Err(ManagerError::TooMany { what: "bytes of a rulesheet", limit: text as u64 });
        }
        let mut plan = plan.clone();
        // A player may have thousands of seats.
        let mut known = BTreeMap::new();
        for seat in &mut plan.seats {
            if !known.contains_key(&seat.player) {
                let player = core.store.player(&seat.player)?;
                if player.retired {
                    return Err(ManagerError::NotFound { what: "player", name: player.name });
                }
                known.insert(seat.player.clone(), player.name);
            }
            seat.player.clone_from(&known[&seat.player]);
        }
        core.check_seat_rules(&plan)?;
        let game = core.prepared_from(&core.offered(&plan.game, plan.version.as_deref())?)?;
        let (mut row, keys) = core.match_row(plan, None, None)?;
        if !row.plan.moves.is_empty() {
            core.check_given_moves(&row.plan)?;
        }
        // What makes no match is said now, and not when it is to begin.
        let roles = match &game {
            Playable::InSteps(game) => {
                Referee::new(game.rules().clone(), core.setup(&row)?)?;
                seat_roles(game)
            }
            Playable::InTime(rules) => {
                check_terms_in_time(&row.plan.terms)?;
                if !row.plan.moves.is_empty() {
                    return Err(ManagerError::Invalid(
                        "in real time a match begins at the beginning".to_owned(),
                    ));
                }
                TimedReferee::new(rules.clone(), core.timed_setup(&row)?)?;
                timed_seat_roles(rules)
            }
        };
        for (seat, role) in row.summary.seats.iter_mut().zip(roles) {
            seat.role = role;
        }
        core.store.add_match(&row)?;
        core.registry.keys.add(&row.summary.id, keys);
        core.scheduler.wait_for(&row.summary, core.due(&row), false);
        core.changed();
        core.scheduler.wake();
        Ok(row.summary.id)
    }

    /// Ends a match that waits or runs, and says why.
    ///
    /// # Errors
    /// [`ManagerError::Over`], [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn abort_match(&self, id: &str, why: &str) -> Answer<()> {
        let core = self.core();
        core.is_open()?;
        let row = core.match_of(id)?;
        core.abort(&row.summary, why)
    }

    /// Matches, newest first.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`] where the page is to begin behind a match that is not there,
    /// [`ManagerError::Store`].
    pub fn matches(&self, query: &MatchQuery) -> Answer<Page<MatchSummary>> {
        check_search(&query.text)?;
        let core = self.core();
        let page = core.store.matches(&MatchQuery { without_hidden: true, ..query.clone() })?;
        Ok(page.map(|summary| core.with_course(summary)))
    }

    /// A match without its course.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn match_detail(&self, id: &str) -> Answer<MatchDetail> {
        let core = self.core();
        Ok(core.detail(core.match_of(id)?))
    }

    /// The seats of people in a match, each with its key as far as that is known. The keys are for whoever made
    /// the match, and for who is to play: whoever has one sees what its seat sees, and moves for it.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn person_seats(&self, id: &str) -> Answer<Vec<PersonSeat>> {
        let core = self.core();
        let row = core.match_of(id)?;
        let people = core.people(&row);
        let MatchRow { summary, keys, plan, .. } = row;
        let seats = (0..).map(SeatNumber).zip(summary.seats).zip(keys);
        let seats = seats.filter(|((seat, _), _)| people.contains(seat));
        let found = |((seat, at), kept): ((SeatNumber, SeatSummary), SeatKey)| {
            let taken = kept.is_taken();
            let key = core.registry.keys.get(id, seat.0).filter(|_| !taken);
            let awaited = plan.seats.get(seat.0 as usize).is_some_and(|seat| seat.awaited);
            PersonSeat { seat, role: at.role, player: at.player, awaited, taken, key }
        };
        Ok(seats.map(found).collect())
    }

    /// Another key of a seat of a person that nobody has taken yet; the one before opens it no more. Keys are not
    /// kept, so this is how a link to a seat is had again after the manager has started anew.
    ///
    /// # Errors
    /// [`ManagerError::Taken`]; [`ManagerError::NotFound`] for the match, or where no person has this seat;
    /// [`ManagerError::Over`], [`ManagerError::Store`].
    pub fn renew_seat_key(&self, id: &str, seat: SeatNumber) -> Answer<PersonSeat> {
        let core = self.core();
        core.is_open()?;
        if core.match_of(id)?.summary.stage.is_over() {
            return Err(ManagerError::Over { what: "match" });
        }
        let own = self.person_seats(id)?.into_iter().find(|own| own.seat == seat);
        let own =
            own.ok_or_else(|| ManagerError::NotFound { what: "seat of a person", name: seat.0.to_string() })?;
        let key = drawn_key()?;
        match core.store.set_seat_key(id, seat.0, &SeatKey::of(&key, false)) {
            Err(StoreError::NotFound { .. }) => return Err(ManagerError::Taken),
            done => done?,
        }
        core.registry.keys.set(id, seat.0, &key);
        Ok(PersonSeat { key: Some(key), taken: false, ..own })
    }

    /// Lets whoever shows its key onto the seat of a person, and notes that the seat is taken. Who has the key
    /// can come again.
    ///
    /// # Errors
    /// [`ManagerError::Key`] where it is not the key; [`ManagerError::NotFound`] for the match, or where no
    /// person has this seat; [`ManagerError::Store`].
    pub fn take_seat(&self, id: &str, seat: SeatNumber, key: &str) -> Answer<MatchDetail> {
        self.open_seat(id, seat, key)?;
        self.match_detail(id)
    }

    /// Lets whoever shows its key onto the seat of a person, as [`Manager::take_seat`], and tells nothing of the match.
    pub(crate) fn open_seat(&self, id: &str, seat: SeatNumber, key: &str) -> Answer<()> {
        let core = self.core();
        let row = core.match_of(id)?;
        let own = row.keys.get(seat.0 as usize).filter(|_| core.people(&row).contains(&seat));
        let own =
            own.ok_or_else(|| ManagerError::NotFound { what: "seat of a person", name: seat.0.to_string() })?;
        if !own.fits(key) {
            return Err(ManagerError::Key);
        }
        if !own.is_taken() {
            core.store.take_seat(id, seat.0)?;
            core.registry.keys.forget(id, seat.0);
            core.seat_taken(id)?;
        }
        Ok(())
    }

    /// Takes the free seat that a key opens. Who gives a name, a registered one of a person, is called that in the match
    /// if it has not begun.
    ///
    /// # Errors
    /// [`ManagerError::Key`] where the key opens no seat; [`ManagerError::Taken`]; [`ManagerError::NotFound`] for the match or
    /// the name; [`ManagerError::Invalid`] where that is a program; [`ManagerError::Store`].
    pub fn join(&self, id: &str, key: &str, name: Option<&str>) -> Answer<SeatNumber> {
        let core = self.core();
        core.is_open()?;
        let (seat, taken) = self.seat_of_key(id, key)?;
        if taken {
            return Err(ManagerError::Taken);
        }
        let name = if let Some(name) = name {
            let player = core.store.player(name)?;
            if player.retired {
                return Err(ManagerError::NotFound { what: "player", name: player.name });
            }
            if player.kind != PlayerKind::Person {
                return Err(ManagerError::Invalid(format!("{} is no person", player.name)));
            }
            Some(player.name)
        } else {
            None
        };
        // Of several who come at once, one sits down.
        if !core.store.join(id, seat.0, name.as_deref())? {
            return Err(ManagerError::Taken);
        }
        core.registry.keys.forget(id, seat.0);
        core.seat_taken(id)?;
        Ok(seat)
    }

    /// The seat of a person that a key opens, and whether somebody has taken it.
    ///
    /// # Errors
    /// [`ManagerError::Key`] where it opens none; [`ManagerError::NotFound`] for the match, [`ManagerError::Store`].
    pub fn seat_of_key(&self, id: &str, key: &str) -> Answer<(SeatNumber, bool)> {
        let core = self.core();
        let row = core.match_of(id)?;
        let people = core.people(&row);
        let mut seats = people.into_iter().filter_map(|seat| Some((seat, row.keys.get(seat.0 as usize)?)));
        let found = seats.find(|(_, own)| own.fits(key));
        found.map(|(seat, own)| (seat, own.is_taken())).ok_or(ManagerError::Key)
    }

    /// A state of a version of a game as pages show it. Of a game that cannot be worked on there is nothing to be
    /// seen but what is said anyway.
    pub(crate) fn shown(&self, game: &str, version: &str, wish: ShowWish) -> Answer<Arc<Shown>> {
        let core = self.core();
        let detail = core.game(game, Some(version))?;
        core.show(&detail, wish).map_err(|failure| {
            tracing::warn!(game, %failure, "a state cannot be shown");
            failure.into()
        })
    }

    /// News of a match. Who is slow gets the latest news, and misses only what newer news replaces; of a match
    /// that is over there is one last piece of news, and then the channel is closed. A match that waits has a
    /// channel that is closed when it begins: ask again then.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn watch_match(&self, id: &str) -> Answer<watch::Receiver<MatchNews>> {
        let core = self.core();
        if let Some(live) = core.live(id) {
            return Ok(live.watch());
        }
        let summary = core.match_of(id)?.summary;
        let (stage, steps) = (summary.stage, summary.steps as usize);
        let revision = if stage.is_over() { LAST_REVISION } else { 0 };
        let (sender, receiver) = watch::channel(MatchNews { revision, stage, steps });
        if !stage.is_over() {
            core.tell_of_beginning(id, sender);
        }
        Ok(receiver)
    }

    /// Makes the move of a person: in the state after so many steps, as views write it or in infix.
    ///
    /// # Errors
    /// [`ManagerError::Move`] where it is not asked for, made already, too late or not legal;
    /// [`ManagerError::Over`], [`ManagerError::NotFound`], [`ManagerError::Store`].
    pub fn submit_move(&self, id: &str, seat: SeatNumber, step: usize, action: &str) -> Answer<()> {
        let core = self.core();
        core.is_open()?;
        if let Some(live) = core.live(id) {
            return live.submit(seat, step, action).map_err(ManagerError::Move);
        }
        match core.match_of(id)?.summary.stage {
            MatchStage::Completed | MatchStage::Aborted => Err(ManagerError::Over { what: "match" }),
            _ => Err(ManagerError::Move("the match has not begun".to_owned())),
        }
    }
}

impl Manager {
    /// Says something beside moves on the seat of a person: gives the match up, offers a draw, asks for a move back, or
    /// answers what another person offers. What may be said now is in [`MatchView::may_say`](crate::model::MatchView).
    ///
    /// # Errors
    /// [`ManagerError::Move`] where that cannot be said now; [`ManagerError::Over`], [`ManagerError::NotFound`],
    /// [`ManagerError::Store`].
    pub fn say(&self, id: &str, seat: SeatNumber, saying: Saying) -> Answer<()> {
        let core = self.core();
        core.is_open()?;
        if let Some(live) = core.live(id) {
            return live.say(seat, saying).map_err(ManagerError::Move);
        }
        match core.match_of(id)?.summary.stage {
            MatchStage::Completed | MatchStage::Aborted => Err(ManagerError::Over { what: "match" }),
            _ => Err(ManagerError::Move("the match has not begun".to_owned())),
        }
    }
}

impl Core {
    pub(in crate::manager) fn live(&self, id: &str) -> Option<Arc<Live>> {
        self.scheduler.live(id)
    }

    pub(super) fn match_of(&self, id: &str) -> Answer<MatchRow> {
        Ok(self.store.find_match(id)?)
    }

    /// Refuses moves to begin with where not everybody would know of them.
    fn check_given_moves(&self, plan: &MatchPlan) -> Answer<()> {
        for seat in &plan.seats {
            if matches!(self.store.player(&seat.player)?.kind, PlayerKind::Remote { .. }) {
                let player = &seat.player;
                return Err(ManagerError::Invalid(format!(
                    "a match begins with its first move where {player} plays: a program of others would not know of \
                     moves before"
                )));
            }
        }
        Ok(())
    }

    /// Looks at the rules that seats have for themselves: what they say of the game has to be true of it.
    fn check_seat_rules(&self, plan: &MatchPlan) -> Answer<()> {
        let mut known = BTreeSet::new();
        for seat in &plan.seats {
            let Some(text) = seat.rulesheet.as_ref().filter(|text| known.insert(text.as_str())) else {
                continue;
            };
            // Whatever it says, it did not bring down what looked at it.
            self.examined("the rules of a seat", text)?;
            let game = self.game(&plan.game, plan.version.as_deref())?;
            let rules = Rulesheet { name: game.summary.name, text: game.text, sha256: game.version.sha256 };
            if let Err(why) = self.preparation.compare(rules, text.clone())? {
                let player = &seat.player;
                return Err(ManagerError::Invalid(format!("the rules for {player} cannot be told: {why}")));
            }
        }
        Ok(())
    }

    /// What anybody may know of a match beside its course.
    fn detail(&self, row: MatchRow) -> MatchDetail {
        let people = self.people(&row);
        let MatchRow { summary, mut plan, mut fixture, hidden, .. } = row;
        if hidden && !summary.stage.is_over() {
            plan.seed = None;
            fixture = None;
            plan.seats.iter_mut().for_each(|seat| seat.rulesheet = None);
        }
        MatchDetail { summary: self.with_course(summary), plan, fixture, hidden, people }
    }

    /// A match with what lists do not know yet.
    pub(in crate::manager) fn with_course(&self, mut summary: MatchSummary) -> MatchSummary {
        if let Some(live) = self.live(&summary.id) {
            let news = live.news();
            summary.steps = u32::try_from(news.steps).unwrap_or(u32::MAX);
            if news.stage == MatchStage::Running {
                summary.stage = news.stage;
            }
        }
        summary
    }

    /// Ends a match that is not over.
    pub(in crate::manager) fn abort(self: &Arc<Self>, summary: &MatchSummary, why: &str) -> Answer<()> {
        if summary.stage.is_over() {
            return Err(ManagerError::Over { what: "match" });
        }
        let why: String = why.chars().take(200).collect();
        // What happens to the server, it is known that it is wanted. Where that cannot be written, it is wanted
        // as long as the server lives.
        if let Err(error) = self.store.want_abort(&summary.id, &why) {
            tracing::warn!(match_id = summary.id, %error, "that a match is to end cannot be written");
        }
        let has_begun = summary.stage == MatchStage::Running;
        if self.scheduler.want_abort(&summary.id, has_begun, &why) == WantedAbort::NeverBegun {
            let players = summary.seats.iter().map(|seat| seat.player.clone()).collect();
            let live = Arc::new(Live::new(&summary.id, players, summary.tournament.clone()));
            self.give_up(&live, &why, false);
        }
        Ok(())
    }

    /// Closes a channel when a match that waits has begun, or will not.
    fn tell_of_beginning(self: &Arc<Self>, id: &str, sender: watch::Sender<MatchNews>) {
        let (core, id, mut changes) = (Arc::clone(self), id.to_owned(), self.changes.subscribe());
        self.network().spawn(async move {
            while core.scheduler.is_waiting(&id) && !sender.is_closed() {
                let _ = tokio::time::timeout(Duration::from_secs(1), changes.changed()).await;
            }
        });
    }

    /// Refuses terms of which no match can be made.
    pub(in crate::manager) fn check_terms(&self, terms: &MatchTerms) -> Answer<()> {
        if let Some(cost) = terms.time_cost.filter(|cost| !cost.is_finite() || *cost < 0.0) {
            return Err(ManagerError::Invalid(format!("a second of thinking cannot cost {cost} points")));
        }
        self.check_clocks(&terms.clocks)
    }

    pub(in crate::manager) fn check_clocks(&self, clocks: &ClockPlan) -> Answer<()> {
        let limit = u64::try_from(self.options.matches.clock.as_millis()).unwrap_or(u64::MAX);
        let (total, increment) = clocks.bank.unwrap_or_default();
        if [clocks.start, clocks.play, clocks.grace, total, increment].iter().any(|&clock| clock > limit) {
            return Err(ManagerError::Invalid(format!("no clock is longer than {} s", limit / 1000)));
        }
        if clocks.play == 0 {
            return Err(ManagerError::Invalid("players need some time for their moves".to_owned()));
        }
        Ok(())
    }

    /// A state as a preparation shows it.
    pub(super) fn show(&self, game: &GameDetail, wish: ShowWish) -> Result<Arc<Shown>, PreparationFailure> {
        let (name, text) = (game.summary.name.clone(), game.text.clone());
        self.preparation.show(Rulesheet { name, text, sha256: game.version.sha256.clone() }, wish)
    }
}

/// Refuses terms that mean nothing in real time, where nobody has to move: there are no clocks for all moves together,
/// no failures in a row, and thinking has no cost beside that of the game.
pub(super) fn check_terms_in_time(terms: &MatchTerms) -> Answer<()> {
    let what = if terms.clocks.bank.is_some() {
        "a clock for all moves together"
    } else if terms.time_cost.is_some() {
        "a cost of thinking"
    } else if terms.patience != Patience::default() {
        "an end of patience"
    } else {
        return Ok(());
    };
    Err(ManagerError::Invalid(format!("{what} means nothing in a game in real time")))
}
