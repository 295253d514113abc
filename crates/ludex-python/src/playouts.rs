//! What was counted: random games, and the tree of a game.

use std::collections::BTreeMap;

use ludex::game::{Goal, PlayoutRecord, RoleId, Tally};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

/// What random games came to. See `_ludex.pyi`.
#[pyclass(frozen, module = "ludex")]
pub(crate) struct Playouts {
    #[pyo3(get)]
    finished: u32,
    #[pyo3(get)]
    stuck: u32,
    #[pyo3(get)]
    over_limit: u32,
    #[pyo3(get)]
    steps: u64,
    #[pyo3(get)]
    goals: BTreeMap<String, BTreeMap<u32, u32>>,
    #[pyo3(get)]
    mean_goals: BTreeMap<String, Option<f64>>,
    records: Option<Vec<PlayoutRecord>>,
}

impl Playouts {
    pub(crate) fn of(roles: Vec<String>, tally: Tally, records: Option<Vec<PlayoutRecord>>) -> Self {
        let mean = |role: usize| tally.mean_goal(RoleId(role as u32));
        let mean_goals = roles.iter().enumerate().map(|(role, name)| (name.clone(), mean(role))).collect();
        let counted = |list: &Vec<_>| list.iter().copied().collect();
        let counts = roles
            .iter()
            .enumerate()
            .map(|(role, name)| (name.clone(), tally.goals.get(role).map(counted).unwrap_or_default()));
        let goals = counts.collect();
        let Tally { finished, stuck, over_limit, steps, .. } = tally;
        Self { finished, stuck, over_limit, steps, goals, mean_goals, records }
    }
}

#[pymethods]
impl Playouts {
    /// Per game its steps.
    #[getter]
    fn lengths<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        let records = self.records.as_ref()?;
        Some(PyArray1::from_iter(py, records.iter().map(|record| record.steps)))
    }

    /// Per game and role the goal.
    #[getter]
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        let (Some(records), roles) = (&self.records, self.goals.len()) else { return Ok(None) };
        let goal = |goal: Option<&Option<Goal>>| goal.copied().flatten().map_or(f32::NAN, |goal| goal as f32);
        let goals =
            records.iter().flat_map(|record| (0..roles).map(move |role| goal(record.goals.get(role))));
        Ok(Some(PyArray1::from_iter(py, goals).reshape([records.len(), roles])?))
    }

    fn __repr__(&self) -> String {
        let means = self.mean_goals.iter().map(|(role, mean)| match mean {
            Some(mean) => format!("{role} {mean:.1}"),
            None => format!("{role} none"),
        });
        let means: Vec<String> = means.collect();
        format!("<ludex.Playouts {} finished, {} steps: {}>", self.finished, self.steps, means.join(", "))
    }
}

/// What there is at one depth of the tree of a game. See `_ludex.pyi`.
#[pyclass(frozen, get_all, eq, module = "ludex")]
#[derive(PartialEq)]
pub(crate) struct PerftRow {
    depth: u32,
    paths: u128,
    distinct: u64,
    terminals: u128,
}

impl From<ludex::game::PerftRow> for PerftRow {
    fn from(row: ludex::game::PerftRow) -> Self {
        let ludex::game::PerftRow { depth, paths, distinct, terminals } = row;
        Self { depth, paths, distinct, terminals }
    }
}

#[pymethods]
impl PerftRow {
    fn __repr__(&self) -> String {
        let Self { depth, paths, distinct, terminals } = self;
        format!("PerftRow(depth={depth}, paths={paths}, distinct={distinct}, terminals={terminals})")
    }
}
