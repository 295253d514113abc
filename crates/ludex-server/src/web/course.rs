//! What is shown of a match: the board, who plays, and the moves.

use askama::Template;
use ludex::game::Goal;
use ludex::gdl::GameTime;
use ludex::matches::tournament::FaultCounts;
use ludex::matches::view::{SeatClock, Snapshot, StepView};

use super::board::Drawing;
use super::failure::WebFailure;
use super::lifetimes::{Lifetimes, milliseconds, shortened};
use super::sight::{SEATS, Sight, SightWish};
use super::text::{decimal, seconds};
use super::tournament_course::WaitLine;
use crate::manager::{Excerpt, Manager};
use crate::model::{MatchStage, MatchSummary, MatchView, Offer, OfferKind, Saying, SeatSummary};
use crate::preparation::MoveShown;

/// So many legal moves have room on a page.
const OFFERED: usize = 1000;

/// A seat beside the board. The role `random` has none.
pub(super) struct SeatLine {
    role: String,
    player: String,
    goal: Option<String>,
    /// The goal less what thinking cost, where it cost something.
    reward: Option<String>,
    /// Milliseconds to answer.
    left: Option<u64>,
    /// What is left on a cumulative clock.
    bank: Option<String>,
    /// In real time, the measured delay.
    delay: Option<u64>,
}

/// Clocks are shown that have fewer milliseconds left than this: with more than an hour nobody is in a hurry.
const SHOWN: u64 = 3_600_000;

/// What a clock shows, where one is worth showing.
fn shown_left(clock: Option<&SeatClock>) -> Option<u64> {
    clock.and_then(|clock| clock.left).filter(|left| *left < SHOWN)
}

/// A step in the list of moves.
pub(super) struct StepLine {
    /// The number of the state that the step led to.
    number: usize,
    cells: Vec<MoveCell>,
    /// In real time, when it was, and what expired.
    time: Option<String>,
    expired: String,
    /// Whether it led to the state that is shown.
    now: bool,
}

/// A move of a role.
#[derive(Default)]
struct MoveCell {
    text: String,
    /// The move as the rulesheet would write it.
    whole: String,
    error: String,
    error_name: &'static str,
    time: String,
    percepts: String,
}

/// The part of a page that changes while a match goes on, or as one goes through its replay.
#[derive(Template)]
#[template(path = "match_part.html")]
pub(super) struct MatchPart {
    board: Drawing,
    hidden: bool,
    mood: &'static str,
    status: &'static str,
    step: usize,
    last: usize,
    aborted: Option<String>,
    /// What the match waits for before it begins.
    begins: Option<WaitLine>,
    /// How the players ended the match by themselves.
    settled: Option<String>,
    /// What players did wrong in a match that is over.
    faults: Vec<String>,
    time: Option<Lifetimes>,
    /// In a replay in real time, how many milliseconds there are until the next step.
    wait: Option<u64>,
    list: CourseList,
    replay: bool,
}

/// The part of a page on which a person plays.
#[derive(Template)]
#[template(path = "seat_part.html")]
pub(super) struct SeatPart {
    id: String,
    seat: u32,
    board: Drawing,
    hidden: bool,
    over: bool,
    outcome: String,
    waiting: &'static str,
    left: Option<u64>,
    clickable: bool,
    step: usize,
    moves: Vec<MoveShown>,
    /// How many more there are, which can be written.
    more_moves: usize,
    time: Option<Lifetimes>,
    /// What another person offers, or one's own offer.
    offer: Option<String>,
    /// What can be said beside moves.
    sayings: Vec<SayingButton>,
    list: CourseList,
}

/// A button by which something is said beside moves.
struct SayingButton {
    value: &'static str,
    text: &'static str,
    /// What is asked before it is said.
    ask: Option<&'static str>,
}

impl SayingButton {
    fn of(saying: Saying, own_offer: bool) -> Self {
        let (text, ask) = match saying {
            Saying::Resign => ("Resign", Some("Give this match up?")),
            Saying::OfferDraw => ("Offer a draw", None),
            Saying::AskBack => ("Take back", None),
            Saying::Accept => ("Accept", None),
            Saying::Decline if own_offer => ("Withdraw", None),
            Saying::Decline => ("Decline", None),
        };
        Self { value: saying.name(), text, ask }
    }
}

/// Who plays, and the moves, as far as there is room for them.
struct CourseList {
    seats: Vec<SeatLine>,
    /// See [`empty_seats`].
    empty: String,
    more_seats: usize,
    roles: Vec<String>,
    more_roles: usize,
    steps: Vec<StepLine>,
    /// How many steps there are before those, and after them.
    earlier: usize,
    later: usize,
}

impl MatchPart {
    /// What may be seen of a match: its present state, or one in its replay.
    pub(super) fn of(
        manager: &Manager,
        summary: &MatchSummary,
        part: &Excerpt,
        replay: bool,
    ) -> Result<Self, WebFailure> {
        let Excerpt { view, total, .. } = part;
        let snapshot = &view.snapshot;
        let sight = Sight::of(manager, summary, part, &SightWish { spots: false, moves: &[], seat: None })?;
        let is_last = snapshot.state.step == *total;
        // In a replay a match is known to go on.
        let ends = is_last && (replay || view.stage.is_over());
        Ok(Self {
            board: Drawing::of(&sight.shown.picture, false),
            hidden: view.partial,
            mood: mood(view.stage),
            status: view.stage.name(),
            settled: snapshot.settled.as_ref().filter(|_| is_last).map(|settled| settled.words.clone()),
            step: snapshot.state.step,
            last: *total,
            aborted: snapshot.aborted.clone().filter(|_| is_last),
            faults: summary.seats.iter().filter_map(|seat| faults_of(seat, view)).take(SEATS).collect(),
            begins: manager.match_wait(summary)?.map(WaitLine::from),
            time: lifetimes(&sight),
            wait: wait(part),
            list: CourseList::of(&sight, shown_goals(snapshot, ends).filter(|_| ends)),
            replay,
        })
    }
}

impl SeatPart {
    /// What somebody sees who plays.
    pub(super) fn of(
        manager: &Manager,
        summary: &MatchSummary,
        part: &Excerpt,
        seat: u32,
    ) -> Result<Self, WebFailure> {
        let Excerpt { view, total, .. } = part;
        let (snapshot, last) = (&view.snapshot, *total);
        let all = if view.awaited { &view.own_moves[..] } else { &[] };
        let offered = all.get(..OFFERED).unwrap_or(all);
        let spots = view.stage != MatchStage::Planned && (view.awaited || view.partial);
        let wish = SightWish { spots, moves: offered, seat: Some(seat as usize) };
        let sight = Sight::of(manager, summary, part, &wish)?;
        let own = sight.seats().get(seat as usize).map_or(0, |(role, _)| *role);
        let over = view.stage.is_over();
        let goals = shown_goals(snapshot, over);
        let own_goal = goals.and_then(|goals| goals.get(own).copied().flatten());
        let mut moves = sight.shown.moves.clone();
        if moves.len() < offered.len() {
            // What cannot be drawn can be played all the same.
            let plain = |text: &String| MoveShown {
                text: text.clone(),
                shown: text.clone(),
                spots: String::new(),
                any: false,
            };
            moves = offered.iter().map(plain).collect();
        }
        let clock = snapshot.clocks.iter().find(|clock| clock.seat.0 == seat);
        Ok(Self {
            id: summary.id.clone(),
            seat,
            board: Drawing::of(&sight.shown.picture, spots),
            hidden: view.partial,
            over,
            outcome: match (&snapshot.aborted, &snapshot.settled, own_goal) {
                (Some(cause), _, _) => format!("The match was aborted: {cause}"),
                (None, Some(settled), Some(goal)) => {
                    format!("The match is over: {}, you got {goal}", settled.words)
                }
                (None, Some(settled), None) => format!("The match is over: {}", settled.words),
                (None, None, Some(goal)) => format!("The match is over: you got {goal}"),
                (None, None, None) => "The match is over".to_owned(),
            },
            waiting: match view.stage {
                _ if !view.empty_seats.is_empty() => "The match begins when everybody is here.",
                MatchStage::Planned => "The match has not begun yet.",
                _ if view.real_time.as_ref().is_some_and(|time| time.is_running) => {
                    "There is nothing that you can do now."
                }
                _ if last == 0 => "The others get ready, or are to move.",
                _ => "The others are to move.",
            },
            left: shown_left(clock),
            clickable: moves.iter().any(|button| !button.spots.is_empty()),
            step: last,
            more_moves: all.len() - offered.len(),
            moves,
            time: lifetimes(&sight),
            offer: view.offer.map(|offer| offer_text(snapshot, sight.seats(), offer, seat)),
            sayings: view
                .may_say
                .iter()
                .map(|&saying| SayingButton::of(saying, view.offer.is_some_and(|offer| offer.seat.0 == seat)))
                .collect(),
            list: CourseList::of(&sight, goals),
        })
    }
}

/// What is offered, in the words of who reads it.
fn offer_text(snapshot: &Snapshot, seats: Vec<(usize, String)>, offer: Offer, reader: u32) -> String {
    let role = seats.get(offer.seat.0 as usize).map_or(usize::MAX, |(role, _)| *role);
    let player = snapshot.players.get(role).map_or("Somebody", String::as_str);
    match (offer.kind, offer.seat.0 == reader) {
        (OfferKind::Draw, false) => format!("{player} offers a draw."),
        (OfferKind::Draw, true) => "You offer a draw.".to_owned(),
        (OfferKind::TakeBack { .. }, false) => format!("{player} would like to take a move back."),
        (OfferKind::TakeBack { .. }, true) => "You ask to take a move back.".to_owned(),
    }
}

/// What a match is worth to each role, once it is over and has a result.
fn shown_goals(snapshot: &Snapshot, over: bool) -> Option<&[Option<Goal>]> {
    if let Some(settled) = &snapshot.settled {
        return Some(&settled.goals);
    }
    snapshot.state.goals.as_deref().filter(|_| over && snapshot.aborted.is_none())
}

impl CourseList {
    /// Who plays, with these goals, and the steps; the one that led to the state that is shown is marked.
    fn of(sight: &Sight<'_>, goals: Option<&[Option<Goal>]>) -> Self {
        let Excerpt { view, first, total } = sight.part;
        let (snapshot, all) = (&view.snapshot, sight.seats());
        let line = |step: &StepView| StepLine {
            number: step.step + 1,
            cells: (0..step.moves.len().min(SEATS))
                .map(|role| if waits(step, role) { MoveCell::default() } else { cell(sight, step, role) })
                .collect(),
            time: step.time.as_deref().map(shortened),
            expired: step.expired.iter().map(|term| sight.term(term)).collect::<Vec<_>>().join(", "),
            now: step.step + 1 == snapshot.state.step,
        };
        Self {
            empty: empty_seats(view),
            more_seats: all.len().saturating_sub(SEATS),
            seats: (0..).zip(all.into_iter().take(SEATS)).map(|at| seat_line(view, at, goals)).collect(),
            roles: snapshot.roles.iter().take(SEATS).cloned().collect(),
            more_roles: snapshot.roles.len().saturating_sub(SEATS),
            steps: snapshot.steps.iter().map(line).collect(),
            earlier: *first,
            later: total.saturating_sub(first + snapshot.steps.len()),
        }
    }
}

/// The numbers of the seats whose people are waited for.
fn empty_seats(view: &MatchView) -> String {
    view.empty_seats.iter().map(|seat| seat.0.to_string()).collect::<Vec<_>>().join(" ")
}

/// What is to be shown of time in a match in real time.
fn lifetimes(sight: &Sight<'_>) -> Option<Lifetimes> {
    let time = sight.part.view.real_time.as_ref()?;
    Some(Lifetimes::of(time, &sight.terms))
}

/// How many milliseconds there are in a match in real time from the state that is shown to the next step.
fn wait(part: &Excerpt) -> Option<u64> {
    let time = part.view.real_time.as_ref().filter(|time| !time.is_running)?;
    let read = |text: &str| GameTime::parse(text).ok();
    let next = read(part.step(part.view.snapshot.state.step)?.time.as_deref()?)?;
    let passed = next.checked_sub(read(&time.time)?).unwrap_or_default();
    Some(milliseconds(passed, read(&time.play_clock)?))
}

/// How the stage of a match is coloured.
pub(super) fn mood(stage: MatchStage) -> &'static str {
    match stage {
        MatchStage::Planned => "note",
        MatchStage::Running => "live",
        MatchStage::Completed => "good",
        MatchStage::Aborted => "bad",
    }
}

fn seat_line(
    view: &MatchView,
    (seat, (role, name)): (u32, (usize, String)),
    goals: Option<&[Option<Goal>]>,
) -> SeatLine {
    let clock = view.snapshot.clocks.iter().find(|clock| clock.seat.0 == seat);
    let reward = view.snapshot.rewards.as_ref().and_then(|rewards| rewards.get(role).copied().flatten());
    let delays = view.real_time.as_ref().map(|time| &time.delays);
    SeatLine {
        role: name,
        player: view.snapshot.players.get(role).cloned().unwrap_or_default(),
        goal: goals.and_then(|goals| goals.get(role).copied().flatten()).map(|goal| goal.to_string()),
        reward: reward.map(decimal),
        left: shown_left(clock),
        bank: clock.and_then(|clock| clock.bank).map(seconds),
        delay: delays.and_then(|delays| delays.get(seat as usize).copied().flatten()),
    }
}

/// Whether a role had no choice while others had one, and no fault and no percept of it is to be told.
fn waits(step: &StepView, role: usize) -> bool {
    let is_forced = |role: usize| step.forced.get(role).copied().unwrap_or(false);
    let is_quiet =
        |texts: Option<&Option<String>>| texts.and_then(Option::as_ref).is_none_or(String::is_empty);
    let saw = step.percepts.get(role).and_then(Option::as_ref).is_some_and(|percepts| !percepts.is_empty());
    is_forced(role)
        && is_quiet(step.errors.get(role))
        && !saw
        && (0..step.moves.len()).any(|other| other != role && !is_forced(other))
}

fn cell(sight: &Sight<'_>, step: &StepView, role: usize) -> MoveCell {
    let text = |term: &String| sight.term(term);
    let error = step.errors.get(role).cloned().flatten().unwrap_or_default();
    let percepts = step.percepts.get(role).cloned().flatten().unwrap_or_default();
    let action = step.moves.get(role).cloned().flatten();
    MoveCell {
        // What is hidden is a dot.
        // Who does nothing in real time, does nothing.
        text: match &action {
            None => "·".to_owned(),
            Some(action) if action.is_empty() => String::new(),
            Some(action) => sight.short(action),
        },
        whole: action.as_ref().map(text).unwrap_or_default(),
        error_name: error_name(&error),
        error,
        // What took no time that could be noticed is left out.
        time: step
            .times
            .get(role)
            .copied()
            .flatten()
            .filter(|&time| time >= 50)
            .map(seconds)
            .unwrap_or_default(),
        percepts: percepts.iter().map(text).collect::<Vec<_>>().join(", "),
    }
}

/// What the player on a seat did wrong, in a sentence; nothing where all was right.
fn faults_of(seat: &SeatSummary, view: &MatchView) -> Option<String> {
    let FaultCounts { late, illegal, failed } = seat.faults;
    let times = |count: u32| match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{count} times"),
    };
    let kinds = [(late, "late"), (illegal, "illegal or unreadable"), (failed, "missing")];
    let said = kinds.into_iter().filter(|(count, _)| *count > 0);
    let said: Vec<String> = said.map(|(count, what)| format!("{what} {}", times(count))).collect();
    if said.is_empty() {
        return None;
    }
    // In real time nobody moves who says nothing.
    let instead = if view.real_time.is_none() { "; random legal moves were made instead" } else { "" };
    Some(format!("{}'s answer was {}{instead}.", seat.player, said.join(", ")))
}

/// What a fault is called.
fn error_name(code: &str) -> &'static str {
    match code.split(' ').next().unwrap_or_default() {
        "" => "",
        "TO" => "late",
        "IL" => "illegal",
        "MF" => "unreadable",
        "CE" => "no answer",
        "RP" => "replaced",
        _ => "error",
    }
}
