//! Traces from files: the lines of `record`ed playouts, match JSON, the XML of the Dresden Game
//! Controller; plain or compressed with gzip.

use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use ludex::MatchRecord;
use ludex::game::{ByRole, Trace, TraceHeader, TraceStep};
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::failure::Failure;
use crate::rulesheet::read_bytes;

/// Something recorded that a game can be compared with.
pub enum Recorded {
    /// States in order.
    Trace(Trace),
    /// The same, but the roles are in no particular order.
    Unordered(Trace),
    /// A match.
    Match(Box<MatchRecord>),
}

impl Recorded {
    /// The name of the game, and of its rulesheet where that is known.
    pub fn game(&self) -> (String, Option<String>) {
        match self {
            Self::Trace(trace) | Self::Unordered(trace) => {
                (trace.header.game.clone(), trace.header.file.clone())
            }
            Self::Match(record) => {
                let from_url = |url: &String| {
                    let mut parts = url.rsplit('/').filter(|part| !part.is_empty());
                    // Versions such as v0 follow the name.
                    let version = |p: &str| p.strip_prefix('v').is_some_and(|v| v.parse::<u32>().is_ok());
                    parts.find(|part| !version(part)).map(str::to_owned)
                };
                let name = record.game_name.clone().filter(|name| !name.is_empty());
                let name = name.or_else(|| record.game_meta_url.as_ref().and_then(from_url));
                (name.unwrap_or_default(), None)
            }
        }
    }

    /// The digest of the rulesheet.
    pub fn sha256(&self) -> Option<&str> {
        match self {
            Self::Trace(trace) | Self::Unordered(trace) => trace.header.sha256.as_deref(),
            Self::Match(record) => record.rulesheet_sha256.as_deref(),
        }
    }
}

/// Puts the roles of a trace, and the moves of its steps, into this order. What is not a trace of
/// exactly these roles stays as it is.
pub fn order_roles(trace: &mut Trace, roles: &[String]) {
    let old = std::mem::take(&mut trace.header.roles);
    let places: Option<Vec<usize>> =
        roles.iter().map(|role| old.iter().position(|o| o.eq_ignore_ascii_case(role))).collect();
    let Some(places) = places.filter(|places| places.len() == old.len()) else {
        trace.header.roles = old;
        return;
    };
    trace.header.roles = places.iter().filter_map(|&at| old.get(at).cloned()).collect();
    for step in &mut trace.steps {
        if let Some(joint) = step.joint.as_mut().filter(|joint| joint.len() == places.len()) {
            *joint = places.iter().filter_map(|&at| joint.get(at).cloned()).collect();
        }
    }
}

/// Reads a file of any of these formats.
///
/// # Errors
/// It cannot be read, or is of none of them.
pub fn read(file: &str, memory: usize) -> Result<Recorded, Failure> {
    let mut bytes = read_bytes(file)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        // A small file can stand for a huge one.
        let mut limited = MultiGzDecoder::new(&bytes[..]).take(memory as u64);
        limited
            .read_to_end(&mut plain)
            .map_err(|e| Failure::input(format!("`{file}` cannot be decompressed: {e}")))?;
        if plain.len() >= memory {
            return Err(Failure::input(format!("`{file}` does not fit into memory"))
                .hint("`--max-memory` allows more"));
        }
        bytes = plain;
    }
    let text = String::from_utf8(bytes).map_err(|e| {
        Failure::input(format!("`{file}` is not UTF-8 text: bad byte at {}", e.utf8_error().valid_up_to()))
    })?;
    let wrong = |what: &dyn std::fmt::Display| Failure::input(format!("`{file}` is not a trace: {what}"));
    let start = text.trim_start();
    if start.starts_with('<') {
        return read_dresden(&text).map(Recorded::Unordered).map_err(|e| wrong(&e));
    }
    let first = start.lines().next().unwrap_or_default();
    let is_trace = first.contains("\"roles\"") && !first.contains("\"moves\"") && first.ends_with('}');
    if start.starts_with('{') && !is_trace {
        return MatchRecord::read(&text).map_err(|e| wrong(&e)).and_then(|record| {
            if record.roles.is_empty() || record.states.is_empty() {
                return Err(wrong(&"there are no roles or states in it"));
            }
            Ok(Recorded::Match(Box::new(record)))
        });
    }
    let mut trace = Trace::read(text.lines()).map_err(|e| wrong(&e))?;
    if trace.header.game.is_empty() {
        trace.header.game = stem(file);
    }
    Ok(Recorded::Trace(trace))
}

/// The name of a file without folders and endings.
pub fn stem(file: &str) -> String {
    let name = Path::new(file).file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    name.split('.').next().unwrap_or_default().to_owned()
}

/// A trace of the Dresden Game Controller: states, legal moves where a state is not terminal, joint
/// moves, goal values where it is.
fn read_dresden(text: &str) -> Result<Trace, String> {
    let mut reader = Reader::from_str(text);
    let mut steps: Vec<TraceStep> = Vec::new();
    let (mut game, mut roles) = (String::new(), Vec::new());
    let (mut role, mut content, mut chosen) = (String::new(), String::new(), false);
    loop {
        match reader.read_event().map_err(|e| e.to_string())? {
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
                steps.last_mut().ok_or("`terminal` outside of a step")?.terminal = true;
            }
            Event::Text(part) => content.push_str(&part.decode().map_err(|e| e.to_string())?),
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
                        let value = text.parse().map_err(|_| format!("`{text}` is not a goal value"))?;
                        step.goals.0.push((role.clone(), Some(value)));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    if steps.is_empty() {
        return Err("there is no step in it".into());
    }
    Ok(Trace { header: TraceHeader { game, file: None, sha256: None, roles }, steps })
}
