//! What was counted: random games, and the tree of a game.

use std::collections::BTreeMap;

use ludex::game::{RoleId, Tally};
use pyo3::prelude::*;

/// What random games came to. See `_ludex.pyi`.
#[pyclass(frozen, get_all, module = "ludex")]
pub(crate) struct Playouts {
    finished: u32,
    stuck: u32,
    over_limit: u32,
    steps: u64,
    goals: BTreeMap<String, BTreeMap<u32, u32>>,
    mean_goals: BTreeMap<String, Option<f64>>,
}

impl Playouts {
    pub(crate) fn of(roles: Vec<String>, tally: Tally) -> Self {
        let mean = |role: usize| tally.mean_goal(RoleId(role as u32));
        let mean_goals = roles.iter().enumerate().map(|(role, name)| (name.clone(), mean(role))).collect();
        let counted = |list: &Vec<_>| list.iter().copied().collect();
        let counts = roles
            .iter()
            .enumerate()
            .map(|(role, name)| (name.clone(), tally.goals.get(role).map(counted).unwrap_or_default()));
        let goals = counts.collect();
        let Tally { finished, stuck, over_limit, steps, .. } = tally;
        Self { finished, stuck, over_limit, steps, goals, mean_goals }
    }
}

#[pymethods]
impl Playouts {
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
