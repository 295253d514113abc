//! What is shown of a match: the board, who plays, and the moves.

use askama::Template;
use ludex::Game;
use ludex::matches::view::StepView;

use super::board::{self, Drawing, MoveButton};
use super::text::seconds;
use crate::manager::{MatchStage, MatchView, StepShown};

/// A seat beside the board. The role `random` has none.
pub(super) struct SeatLine {
    role: String,
    player: String,
    goal: Option<String>,
    /// Milliseconds to answer.
    left: Option<u64>,
    /// What is left on a cumulative clock.
    bank: Option<String>,
}

/// A step in the list of moves.
pub(super) struct StepLine {
    /// The number of the state that the step led to.
    number: usize,
    cells: Vec<MoveCell>,
    /// Whether it led to the state that is shown.
    now: bool,
}

/// A move of a role.
#[derive(Default)]
struct MoveCell {
    text: String,
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
    seats: Vec<SeatLine>,
    roles: Vec<String>,
    steps: Vec<StepLine>,
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
    moves: Vec<MoveButton>,
    seats: Vec<SeatLine>,
    roles: Vec<String>,
    steps: Vec<StepLine>,
}

impl MatchPart {
    /// What may be seen of a match now.
    pub(super) fn now(game: &Game, view: &MatchView) -> Self {
        let last = view.snapshot.steps.len();
        let state = &view.snapshot.state;
        let goals = state.goals.as_deref().filter(|_| view.stage.is_over());
        Self {
            board: match view.stage {
                MatchStage::Planned => board::draw_initial(game),
                _ => board::draw(game, state, view.snapshot.steps.last(), false),
            },
            mood: mood(view.stage),
            status: view.stage.name(),
            aborted: view.snapshot.aborted.clone(),
            ..Self::with(game, view, last, goals)
        }
    }

    /// The state after so many steps of a match that is over.
    pub(super) fn then(game: &Game, view: &MatchView, shown: &StepShown) -> Self {
        let last = view.snapshot.steps.len();
        let is_last = shown.state.step == last;
        let goals = shown.state.goals.as_deref().filter(|_| is_last);
        Self {
            board: board::draw(game, &shown.state, before(view, shown.state.step), false),
            mood: mood(view.stage),
            status: view.stage.name(),
            aborted: view.snapshot.aborted.clone().filter(|_| is_last),
            replay: true,
            ..Self::with(game, view, shown.state.step, goals)
        }
    }

    fn with(game: &Game, view: &MatchView, step: usize, goals: Option<&[Option<ludex::game::Goal>]>) -> Self {
        Self {
            board: Drawing::default(),
            hidden: view.partial,
            mood: "",
            status: "",
            step,
            last: view.snapshot.steps.len(),
            aborted: None,
            seats: seats(game, view, goals),
            roles: view.snapshot.roles.clone(),
            steps: steps(game, view, step),
            replay: false,
        }
    }
}

impl SeatPart {
    /// What somebody sees who plays.
    pub(super) fn of(game: &Game, view: &MatchView, id: &str, seat: u32) -> Self {
        let snapshot = &view.snapshot;
        let last = snapshot.steps.len();
        let own = game.seats().get(seat as usize).map_or(0, |role| role.index());
        let over = view.stage.is_over();
        let goals = snapshot.state.goals.as_deref().filter(|_| over);
        let own_goal = goals.and_then(|goals| goals.get(own).copied().flatten());
        let moves = if view.awaited { board::buttons(game, &view.own_moves) } else { Vec::new() };
        let clock = snapshot.clocks.iter().find(|clock| clock.seat.0 == seat);
        Self {
            id: id.to_owned(),
            seat,
            board: match view.stage {
                MatchStage::Planned => board::draw_initial(game),
                _ => board::draw(game, &snapshot.state, snapshot.steps.last(), view.awaited || view.partial),
            },
            hidden: view.partial,
            over,
            outcome: match (&snapshot.aborted, own_goal) {
                (Some(cause), _) => format!("The match was aborted: {cause}"),
                (None, Some(goal)) => format!("The match is over: you got {goal}"),
                (None, None) => "The match is over".to_owned(),
            },
            waiting: match view.stage {
                MatchStage::Planned => "The match has not begun yet.",
                _ if last == 0 => "The others get ready.",
                _ => "The others are to move.",
            },
            left: clock.and_then(|clock| clock.left),
            clickable: moves.iter().any(|button| !button.spots.is_empty()),
            step: last,
            moves,
            seats: seats(game, view, goals),
            roles: snapshot.roles.clone(),
            steps: steps(game, view, last),
        }
    }
}

/// The step that led to a state.
fn before(view: &MatchView, step: usize) -> Option<&StepView> {
    view.snapshot.steps.get(step.checked_sub(1)?)
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

fn seats(game: &Game, view: &MatchView, goals: Option<&[Option<ludex::game::Goal>]>) -> Vec<SeatLine> {
    let snapshot = &view.snapshot;
    let line = |(seat, role): (u32, &ludex::game::RoleId)| {
        let clock = snapshot.clocks.iter().find(|clock| clock.seat.0 == seat);
        SeatLine {
            role: game.role_name(*role),
            player: snapshot.players.get(role.index()).cloned().unwrap_or_default(),
            goal: goals.and_then(|goals| goals.get(role.index()).copied().flatten()).map(|g| g.to_string()),
            left: clock.and_then(|clock| clock.left),
            bank: clock.and_then(|clock| clock.bank).map(seconds),
        }
    };
    (0..).zip(&game.seats()).map(line).collect()
}

fn steps(game: &Game, view: &MatchView, shown: usize) -> Vec<StepLine> {
    let line = |step: &StepView| StepLine {
        number: step.step + 1,
        cells: (0..step.moves.len()).map(|role| cell(game, step, role)).collect(),
        now: step.step + 1 == shown,
    };
    view.snapshot.steps.iter().map(line).collect()
}

fn cell(game: &Game, step: &StepView, role: usize) -> MoveCell {
    let text = |term: &String| board::shown(game, term);
    let error = step.errors.get(role).cloned().flatten().unwrap_or_default();
    let percepts = step.percepts.get(role).cloned().flatten().unwrap_or_default();
    let action = step.moves.get(role).cloned().flatten();
    MoveCell {
        // What is hidden is a dot.
        text: action.as_ref().map_or_else(|| "·".to_owned(), text),
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
