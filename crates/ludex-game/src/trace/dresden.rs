//! The XML traces of the Dresden Game Controller.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::format::{ByRole, Trace, TraceHeader, TraceStep};

/// Why a text is no trace of the Dresden Game Controller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DresdenError {
    /// The XML is broken.
    #[error("{0}")]
    Xml(String),
    /// There is no step, or something stands outside of one.
    #[error("there is no step in it")]
    NoStep,
    /// A goal value is not a number.
    #[error("`{0}` is not a goal value")]
    GoalValue(String),
}

impl Trace {
    /// Reads a trace of the Dresden Game Controller: states, legal moves where a state is not terminal,
    /// joint moves, goal values where it is. Its roles are in no particular order; see
    /// [`Trace::order_roles`].
    ///
    /// # Errors
    /// [`DresdenError`] where the text is not such a trace.
    pub fn read_dresden(text: &str) -> Result<Self, DresdenError> {
        let xml = |e: &dyn std::fmt::Display| DresdenError::Xml(e.to_string());
        let mut reader = Reader::from_str(text);
        let mut steps: Vec<TraceStep> = Vec::new();
        let (mut game, mut roles) = (String::new(), Vec::new());
        let (mut role, mut content, mut chosen) = (String::new(), String::new(), false);
        loop {
            match reader.read_event().map_err(|e| xml(&e))? {
                Event::Eof => break,
                Event::Start(start) => {
                    content.clear();
                    role.clear();
                    for attribute in start.attributes().flatten() {
                        if attribute.key.as_ref() == b"role" {
                            role = String::from_utf8_lossy(&attribute.value).into_owned();
                        }
                    }
                    match start.name().as_ref() {
                        b"step" => steps.push(TraceStep {
                            playout: 0,
                            step: u32::try_from(steps.len()).unwrap_or(u32::MAX),
                            state: Vec::new(),
                            terminal: false,
                            legals: ByRole::default(),
                            goals: ByRole::default(),
                            joint: None,
                        }),
                        b"legal_moves" => chosen = false,
                        b"moves" => chosen = true,
                        _ => {}
                    }
                }
                Event::Empty(empty) if empty.name().as_ref() == b"terminal" => {
                    steps.last_mut().ok_or(DresdenError::NoStep)?.terminal = true;
                }
                Event::Text(part) => content.push_str(&part.decode().map_err(|e| xml(&e))?),
                Event::End(end) => {
                    let text = content.split_whitespace().collect::<Vec<_>>().join(" ");
                    match (end.name().as_ref(), steps.last_mut()) {
                        (b"game", _) => game = text,
                        (b"fluent", Some(step)) => step.state.push(text),
                        (b"move", Some(step)) if chosen => {
                            step.joint.get_or_insert_default().push(text);
                            if step.step == 0 {
                                roles.push(role.clone());
                            }
                        }
                        (b"move", Some(step)) => match step.legals.0.iter_mut().find(|(r, _)| *r == role) {
                            Some((_, moves)) => moves.push(text),
                            None => step.legals.0.push((role.clone(), vec![text])),
                        },
                        (b"goal_value", Some(step)) => {
                            let value = text.parse().map_err(|_| DresdenError::GoalValue(text.clone()))?;
                            step.goals.0.push((role.clone(), Some(value)));
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        if steps.is_empty() {
            return Err(DresdenError::NoStep);
        }
        Ok(Self { header: TraceHeader { game, file: None, sha256: None, roles }, steps })
    }

    /// Puts the roles of the trace, and the moves of its steps, into this order. What is not a trace of
    /// exactly these roles stays as it is.
    pub fn order_roles(&mut self, roles: &[String]) {
        let old = std::mem::take(&mut self.header.roles);
        let places: Option<Vec<usize>> =
            roles.iter().map(|role| old.iter().position(|o| o.eq_ignore_ascii_case(role))).collect();
        let Some(places) = places.filter(|places| places.len() == old.len()) else {
            self.header.roles = old;
            return;
        };
        self.header.roles = places.iter().filter_map(|&at| old.get(at).cloned()).collect();
        for step in &mut self.steps {
            if let Some(joint) = step.joint.as_mut().filter(|joint| joint.len() == places.len()) {
                *joint = places.iter().filter_map(|&at| joint.get(at).cloned()).collect();
            }
        }
    }
}
