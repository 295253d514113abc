//! The XML traces of the Dresden Game Controller.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use rustc_hash::FxHashMap;

use super::format::{ByRole, Trace, TraceHeader, TraceStep};

/// Why a text is no trace of the Dresden Game Controller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
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
        // Where the moves of a role stand in the last step: there may be as many roles as moves.
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        loop {
            match reader.read_event().map_err(|e| xml(&e))? {
                Event::Eof => break,
                Event::Start(start) => {
                    content.clear();
                    role = role_of(&start).map_err(|e| xml(&e))?;
                    match start.name().as_ref() {
                        "step" => {
                            places.clear();
                            steps.push(TraceStep {
                                playout: 0,
                                step: u32::try_from(steps.len()).unwrap_or(u32::MAX),
                                state: Vec::new(),
                                terminal: false,
                                legals: ByRole::default(),
                                goals: ByRole::default(),
                                joint: None,
                            });
                        }
                        "legal_moves" => chosen = false,
                        "moves" => chosen = true,
                        _ => {}
                    }
                }
                Event::Empty(empty) if empty.name().as_ref() == "terminal" => {
                    steps.last_mut().ok_or(DresdenError::NoStep)?.terminal = true;
                }
                Event::Text(part) => content.push_str(&part),
                Event::GeneralRef(reference) => content.push_str(&resolved(&reference)?),
                Event::End(end) => {
                    let text = content.split_whitespace().collect::<Vec<_>>().join(" ");
                    match (end.name().as_ref(), steps.last_mut()) {
                        ("game", _) => game = text,
                        ("fluent", Some(step)) => step.state.push(text),
                        ("move", Some(step)) if chosen => {
                            step.joint.get_or_insert_default().push(text);
                            if step.step == 0 {
                                roles.push(role.clone());
                            }
                        }
                        ("move", Some(step)) => {
                            let legals = &mut step.legals.0;
                            let place = *places.entry(role.clone()).or_insert(legals.len());
                            match legals.get_mut(place) {
                                Some((_, moves)) => moves.push(text),
                                None => legals.push((role.clone(), vec![text])),
                            }
                        }
                        ("goal_value", Some(step)) => {
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
        let old = &self.header.roles;
        if roles.len() != old.len() {
            return;
        }
        let known: FxHashMap<String, usize> =
            old.iter().enumerate().map(|(at, role)| (role.to_ascii_lowercase(), at)).collect();
        let places = roles.iter().map(|role| known.get(&role.to_ascii_lowercase()).copied());
        let Some(places) = places.collect::<Option<Vec<usize>>>() else { return };
        self.header.roles = places.iter().filter_map(|&at| old.get(at).cloned()).collect();
        for step in &mut self.steps {
            if let Some(joint) = step.joint.as_mut().filter(|joint| joint.len() == places.len()) {
                *joint = places.iter().filter_map(|&at| joint.get(at).cloned()).collect();
            }
        }
    }
}

/// The role that an element names, or nothing.
fn role_of(start: &BytesStart<'_>) -> Result<String, quick_xml::Error> {
    let mut role = String::new();
    for attribute in start.attributes() {
        let attribute = attribute?;
        if attribute.key.as_ref() == "role" {
            role = attribute.value.into_owned();
        }
    }
    Ok(role)
}

/// What `&name;` or `&#number;` stands for; only what XML itself defines.
fn resolved(reference: &BytesRef<'_>) -> Result<String, DresdenError> {
    let broken = |e: &dyn std::fmt::Display| DresdenError::Xml(e.to_string());
    if let Some(character) = reference.resolve_char_ref().map_err(|e| broken(&e))? {
        return Ok(character.to_string());
    }
    let name: &str = reference;
    match resolve_predefined_entity(name) {
        Some(text) => Ok(text.to_owned()),
        None => Err(DresdenError::Xml(format!("`&{name};` is not defined"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(content: &str) -> String {
        format!("<match><history><step>{content}</step></history></match>")
    }

    #[test]
    fn a_hundred_thousand_attributes_are_no_more_work_than_their_text() {
        let attributes: String = (0..100_000).map(|i| format!(" a{i}=\"x\"")).collect();
        let text = step(&format!("<fluent{attributes}>f</fluent>"));
        let trace = Trace::read_dresden(&text).expect("a step stands in it");
        assert_eq!(trace.steps[0].state, ["f"]);
    }

    #[test]
    fn as_many_roles_as_moves_are_kept_apart() {
        let moves: String = (0..50_000).map(|i| format!("<move role=\"r{i}\">m</move>")).collect();
        let text = step(&format!("<legal_moves>{moves}</legal_moves>"));
        let trace = Trace::read_dresden(&text).expect("a step stands in it");
        assert_eq!(trace.steps[0].legals.0.len(), 50_000);
    }

    #[test]
    fn characters_written_as_references_are_read_and_others_refused() {
        let trace = Trace::read_dresden(&step("<fluent>a &lt; &#98;</fluent>")).expect("a step stands in it");
        assert_eq!(trace.steps[0].state, ["a < b"]);
        let refused = Trace::read_dresden(&step("<fluent>&lol;</fluent>"));
        assert_eq!(refused, Err(DresdenError::Xml("`&lol;` is not defined".to_owned())));
    }

    #[test]
    fn an_attribute_that_stands_twice_is_an_error() {
        let twice = Trace::read_dresden(&step("<move role=\"a\" role=\"b\">m</move>"));
        assert!(matches!(twice, Err(DresdenError::Xml(_))), "{twice:?}");
    }
}
