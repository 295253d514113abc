//! What can be found out about a game before it is played. The classes are those of `python/ludex/analysis.py`.

use ludex::analysis::factoring::{Factors, Joining};
use ludex::analysis::how_to_play::{HowToPlay, HowToPlayOptions, SampleOptions};
use ludex::analysis::symmetry::{Scope, Symmetries, Symmetry};
use ludex::analysis::well_formed::{Judged, PlayerReport, Possibility, WellFormed, WellFormedOptions};
use ludex::analysis::{BoardShape, Finding, Reason, Structure, Witness};
use ludex::game::RoleId;
use ludex::logic::Budget;
use ludex::players::{Opponents, Solution, SolveOptions, Values, solve};
use ludex::{Game, game};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::failure;
use crate::game::within;
use crate::work;

/// A limit on time, of which infinity is none.
fn limit(time: f64) -> PyResult<Budget> {
    within(Some(time).filter(|&time| time != f64::INFINITY))
}

/// What was found, each within its share of the time.
struct Found {
    well_formed: WellFormed,
    symmetries: Result<Symmetries, Reason>,
    factors: Result<Factors, Reason>,
    structure: Structure,
}

/// Finds out what there is to say of a game.
pub(crate) fn analysis<'py>(
    py: Python<'py>,
    game: &Game,
    (time, threads, seed): (f64, usize, u64),
) -> PyResult<Bound<'py, PyAny>> {
    if threads == 0 {
        return Err(PyValueError::new_err("an analysis needs a thread"));
    }
    let found = work::done(py, limit(time)?, |budget| {
        let subject = game.subject();
        let structure = structure(game, &budget);
        let symmetries =
            Symmetries::find(subject, Scope::Game, &budget.clone().with_share_of_time(1.0 / 3.0));
        let factors = Factors::find(subject, &budget.clone().with_share_of_time(0.5));
        let options = WellFormedOptions { threads, seed, ..WellFormedOptions::default() };
        Found { well_formed: WellFormed::find(subject, &options, &budget), symmetries, factors, structure }
    })?;
    let fields = PyDict::new(py);
    fields.set_item("game", game.short_name())?;
    fields.set_item("dialect", game.dialect().to_string())?;
    fields.set_item("roles", game.role_names())?;
    fields.set_item("well_formed", found.well_formed.is_well_formed())?;
    let states = found.well_formed.states;
    fields.set_item("states", states.map(|(states, _)| states))?;
    fields.set_item("all_states", states.is_some_and(|(_, all)| all))?;
    let proved = found.well_formed.termination.finding.proved();
    fields.set_item("longest", proved.and_then(|termination| termination.longest))?;
    let sum = found.well_formed.constant_sum.finding.proved().and_then(|constant| constant.sum);
    fields.set_item("goal_sum", sum)?;
    fields.set_item("claims", Claims { py, game, all: PyList::empty(py) }.of(&found.well_formed)?)?;
    fields.set_item("symmetries", symmetries_of(py, game, &found.symmetries)?)?;
    fields.set_item("factors", factors_of(py, game, &found.factors)?)?;
    fields.set_item("boards", boards_of(py, &found.structure)?)?;
    class(py, "Analysis")?.call((), Some(&fields))
}

/// The boards of a game, within a part of the time: the game itself would look for them as long as it takes.
fn structure(game: &Game, budget: &Budget) -> Structure {
    Structure::find(game.program(), &**game.machine(), &budget.clone().with_share_of_time(0.25))
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("ludex.analysis")?.getattr(name)
}

/// The claims about a game, as they are made.
struct Claims<'a, 'py> {
    py: Python<'py>,
    game: &'a Game,
    all: Bound<'py, PyList>,
}

/// What is known of a claim: the answer, the course that shows it, and why it is not known.
type Answer = (Option<bool>, Option<Vec<Vec<String>>>, Option<String>);

impl<'py> Claims<'_, 'py> {
    fn of(mut self, found: &WellFormed) -> PyResult<Bound<'py, PyList>> {
        self.always("it ends", None, &found.termination)?;
        for (role, judged) in &found.playable {
            self.always("can always move", Some(*role), judged)?;
        }
        for player in &found.players {
            self.player(player)?;
        }
        self.always("the sum of goals is constant", None, &found.constant_sum)?;
        Ok(self.all)
    }

    fn player(&mut self, player: &PlayerReport) -> PyResult<()> {
        let role = Some(player.role);
        let texts = |witness: &Witness| witness.texts(self.game.rules());
        let weak = possible(&player.weak.finding, |witness| Some(texts(witness)));
        let own =
            |moves: &Vec<_>| Some(self.game.texts(moves).into_iter().map(|action| vec![action]).collect());
        let sequence = possible(&player.sequence.finding, own);
        let first = |strategy: &ludex::analysis::well_formed::Strategy| {
            strategy.first.map(|first| vec![vec![self.game.text(first)]])
        };
        let strategy = possible(&player.strategy.finding, first);
        self.add("can win", role, &player.weak, weak)?;
        self.add("wins by a fixed sequence of moves", role, &player.sequence, sequence)?;
        self.add("wins by a strategy", role, &player.strategy, strategy)?;
        self.always("has exactly one goal at the end", role, player.one_goal())?;
        self.always("has goals up to 100 only", role, &player.in_range)?;
        self.always("has a goal that never falls", role, &player.monotonic)
    }

    /// A claim about something that always holds: what a course shows is that it does not.
    fn always<T>(&mut self, what: &str, role: Option<RoleId>, judged: &Judged<Finding<T>>) -> PyResult<()> {
        let answer = match &judged.finding {
            Finding::Proved(_) => (Some(true), None, None),
            Finding::Refuted(witness) => (Some(false), Some(witness.texts(self.game.rules())), None),
            Finding::Undecided(reason) => (None, None, Some(reason.to_string())),
        };
        self.add(what, role, judged, answer)
    }

    fn add<F>(
        &mut self,
        what: &str,
        role: Option<RoleId>,
        judged: &Judged<F>,
        answer: Answer,
    ) -> PyResult<()> {
        let (answer, moves, reason) = answer;
        let fields = PyDict::new(self.py);
        fields.set_item("what", what)?;
        fields.set_item("role", role.map(|role| self.game.role_name(role)))?;
        fields.set_item("holds", answer)?;
        fields.set_item("by", judged.by.map(|by| by.to_string()))?;
        fields.set_item("moves", moves)?;
        fields.set_item("reason", reason)?;
        self.all.append(class(self.py, "Claim")?.call((), Some(&fields))?)
    }
}

/// Something that can come about: what a course shows is that it does.
fn possible<T>(found: &Possibility<T>, course: impl Fn(&T) -> Option<Vec<Vec<String>>>) -> Answer {
    match found {
        Possibility::Possible(how) => (Some(true), course(how), None),
        Possibility::Impossible => (Some(false), None, None),
        Possibility::Undecided(reason) => (None, None, Some(reason.to_string())),
    }
}

fn symmetries_of<'py>(
    py: Python<'py>,
    game: &Game,
    found: &Result<Symmetries, Reason>,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    if let Ok(found) = found {
        let number =
            |order: &dyn std::fmt::Display| py.get_type::<pyo3::types::PyInt>().call1((order.to_string(),));
        fields.set_item("order", number(found.order())?)?;
        fields.set_item("fixing_roles", number(found.fixing_order())?)?;
    }
    let cycles = |symmetry: &Symmetry| {
        let rules = game.rules();
        let mut cycles = symmetry.role_cycles(rules);
        cycles.extend(symmetry.move_cycles(rules));
        cycles.extend(symmetry.fact_cycles(rules));
        cycles
    };
    let generators = found.as_ref().map(|found| found.generators().iter().map(cycles).collect::<Vec<_>>());
    fields.set_item("generators", generators.unwrap_or_default())?;
    fields.set_item("reason", found.as_ref().err().map(Reason::to_string))?;
    class(py, "Symmetries")?.call((), Some(&fields))
}

fn factors_of<'py>(
    py: Python<'py>,
    game: &Game,
    found: &Result<Factors, Reason>,
) -> PyResult<Bound<'py, PyAny>> {
    let parts = PyList::empty(py);
    for factor in found.iter().flat_map(Factors::factors) {
        let fields = PyDict::new(py);
        let own = factor.actions.iter().map(|classes| {
            let made = classes.iter().filter(|class| !class.idle);
            made.flat_map(|class| game.texts(&class.moves)).collect::<Vec<_>>()
        });
        let moves: std::collections::BTreeMap<_, _> = game.role_names().into_iter().zip(own).collect();
        fields.set_item("propositions", game.texts(&factor.propositions))?;
        fields.set_item("moves", moves)?;
        fields.set_item("matters", factor.is_relevant())?;
        parts.append(class(py, "Factor")?.call((), Some(&fields))?)?;
    }
    let fields = PyDict::new(py);
    fields.set_item("parts", parts)?;
    let found_or = found.as_ref().ok();
    fields.set_item("clock", found_or.map(|found| game.texts(&found.clock())).unwrap_or_default())?;
    fields.set_item("termination", found_or.map(|found| found.termination().word()))?;
    let joint = found_or.map(|found| found.joining() == Joining::Joint);
    fields.set_item("joint_moves", joint)?;
    fields.set_item("reason", found.as_ref().err().map(Reason::to_string))?;
    class(py, "Factors")?.call((), Some(&fields))
}

fn boards_of<'py>(py: Python<'py>, structure: &Structure) -> PyResult<Bound<'py, PyList>> {
    let boards = PyList::empty(py);
    for board in structure.boards() {
        let fields = PyDict::new(py);
        fields.set_item("name", board.name())?;
        fields.set_item("shape", shape(board.shape()))?;
        fields.set_item("spots", board.spots())?;
        boards.append(class(py, "Board")?.call((), Some(&fields))?)?;
    }
    Ok(boards)
}

/// As the command calls it.
fn shape(shape: BoardShape) -> &'static str {
    match shape {
        BoardShape::Grid => "grid",
        BoardShape::Hexagonal => "hexagons",
        BoardShape::Line => "line",
        BoardShape::Towers => "towers",
        BoardShape::Stacks => "stacks",
        BoardShape::Heaps => "heaps",
        BoardShape::Network => "cells",
    }
}

/// How a game is played, in words.
pub(crate) fn how_to_play(py: Python<'_>, game: &Game, time: f64, seed: u64) -> PyResult<String> {
    let found = work::done(py, limit(time)?, |budget| {
        let mut options = HowToPlayOptions::default();
        options.sample = SampleOptions { seed, ..options.sample };
        options.profile.seed = seed;
        HowToPlay::find(game.subject(), &structure(game, &budget), &options, &budget)
    })?;
    let parts = found.parts.iter().map(|part| format!("{}\n{}", part.topic.heading(), part.text()));
    Ok(parts.collect::<Vec<_>>().join("\n\n"))
}

/// What a state is worth with best play.
pub(crate) fn solution<'py>(
    py: Python<'py>,
    game: &Game,
    state: &game::State,
    (opponents, time, memory): (&str, Option<f64>, usize),
) -> PyResult<Bound<'py, PyAny>> {
    if !game.has_perfect_information() {
        let why = "roles do not see everything: what a state is worth to who knows it is not what can be got";
        return Err(PyValueError::new_err(why));
    }
    let unknown = || {
        let why = format!("there are no opponents `{opponents}`; there are paranoid, max-n, coalition");
        failure::unknown(py, why)
    };
    let opponents: Opponents = opponents.parse().map_err(|()| unknown())?;
    let options = SolveOptions { opponents, memory, ..SolveOptions::default() };
    let budget = within(time.filter(|&time| time != f64::INFINITY))?;
    let solved = work::done(py, budget, |budget| solve(game.machine(), state, &options, &budget))?;
    let solved = solved.map_err(|error| failure::of_game(py, &error))?;
    let (notion, values) = values_of(&solved);
    let signature = game.signature();
    let joint = |joint: &Vec<game::ActionId>| {
        joint.iter().map(|&action| game.text(signature.action(action))).collect::<Vec<_>>()
    };
    let by_role: std::collections::BTreeMap<_, _> = game.role_names().into_iter().zip(values).collect();
    let fields = PyDict::new(py);
    fields.set_item("notion", notion)?;
    fields.set_item("values", by_role)?;
    fields.set_item("variation", solved.variation.iter().map(joint).collect::<Vec<_>>())?;
    fields.set_item("nodes", solved.nodes)?;
    class(py, "Solution")?.call((), Some(&fields))
}

/// What kind of values they are, and the values by role.
fn values_of(solved: &Solution) -> (&'static str, Vec<Option<f64>>) {
    let known = |values: &Vec<f64>| values.iter().copied().map(Some).collect();
    match &solved.values {
        Values::Best(value) => ("best", vec![Some(*value)]),
        Values::ZeroSum(values) => ("zero-sum", known(values)),
        Values::Guaranteed(values) => ("guaranteed", known(values)),
        Values::MaxN(values) => ("max-n", known(values)),
        Values::AgainstCoalition(values) => ("against-coalition", known(values)),
        Values::Undecided(values) => ("undecided", values.clone()),
    }
}
