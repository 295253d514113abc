//! What a role can know of the state from its own moves and percepts, by enumeration.

use std::collections::BTreeMap;

use ludex_game::{JointMoves, Machine, State};

use super::table::Table;

/// An own move with the percepts that follow it.
pub type News<'a> = (&'a str, &'a [&'a str]);

/// The states in which a role may be after this, with their probabilities where all others move at random.
pub fn weighed(table: &Table, role: &str, news: &[News]) -> BTreeMap<State, f64> {
    let seat = table.role(role).index();
    let mut runner = table.runner();
    let mut states = BTreeMap::from([(table.machine.initial().clone(), 1.0)]);
    for &(own, percepts) in news {
        let own = table.action(own);
        let mut after = BTreeMap::new();
        for (state, weight) in &states {
            runner.set(state).unwrap();
            let mut joints = JointMoves::new(&mut *runner, table.machine.signature()).unwrap();
            let mut possible = Vec::new();
            while let Some(joint) = joints.next() {
                if joint[seat] == own {
                    possible.push(joint.to_vec());
                }
            }
            for joint in &possible {
                runner.set(state).unwrap();
                runner.step(joint).unwrap();
                if table.percepts(&*runner, role) == percepts {
                    let mut next = State::default();
                    runner.save(&mut next);
                    *after.entry(next).or_insert(0.0) += weight / possible.len() as f64;
                }
            }
        }
        states = after;
    }
    let all: f64 = states.values().sum();
    states.values_mut().for_each(|weight| *weight /= all);
    states
}

/// The states in which a role may be after this.
pub fn possible(table: &Table, role: &str, news: &[News]) -> Vec<State> {
    weighed(table, role, news).into_keys().collect()
}
