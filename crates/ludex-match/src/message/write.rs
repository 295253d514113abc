//! Writing what managers send.

use std::fmt;
use std::sync::Arc;

use ludex_gdl::{Notation, Source, parse, print_clauses, split};

use super::term::{in_notation, spell_id};
use super::{Last, News, Request, Shared, StartMessage};

/// Parts of messages that are longer, in bytes, are shared and not copied.
const LONG: usize = 1024;

/// A message as it goes over the wire, in pieces: long parts that it has in common with others are there once,
/// however many messages have them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestText {
    pieces: Vec<Arc<str>>,
    /// What follows the pieces.
    end: String,
}

impl RequestText {
    /// The pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().map(|piece| &**piece).chain(std::iter::once(self.end.as_str()))
    }

    /// How many bytes it takes on the wire.
    pub fn length(&self) -> usize {
        self.pieces().map(str::len).sum()
    }

    fn add(&mut self, part: &Arc<str>) {
        if part.len() > LONG {
            self.pieces.push(std::mem::take(&mut self.end).into());
            self.pieces.push(Arc::clone(part));
        } else {
            self.end.push_str(part);
        }
    }
}

impl fmt::Display for RequestText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().try_for_each(|piece| f.write_str(piece))
    }
}

/// Writes a message as managers send it: in prefix with the keyword in capitals and `NIL` for no move,
/// in infix all in lower case. Rules come without comments and on one line, since many players read no
/// comments; clauses of them that cannot be read are left out.
pub fn write_request(request: &Request, notation: Notation) -> String {
    request_text(request, notation).to_string()
}

/// Writes a message as [`write_request`] does, without copies of what it has in common with others.
pub fn request_text(request: &Request, notation: Notation) -> RequestText {
    let id = |id: &str| spell_id(id, notation).into();
    match request {
        Request::Info => message("INFO", &[], notation),
        Request::Start(start) => message(start.given.keyword(), &start_arguments(start, notation), notation),
        Request::Play { id: name, last } => {
            message("PLAY", &last_arguments(id(name), last, notation), notation)
        }
        Request::Stop { id: name, last } => {
            message("STOP", &last_arguments(id(name), last, notation), notation)
        }
        Request::Abort { id: name } => message("ABORT", &[id(name)], notation),
        Request::Preview { rules, clock } => {
            message("PREVIEW", &[rules_argument(rules, notation), clock.to_string().into()], notation)
        }
    }
}

fn message(keyword: &str, arguments: &[Arc<str>], notation: Notation) -> RequestText {
    let mut text = RequestText::default();
    match notation {
        Notation::Prefix => {
            text.end = format!("({keyword}");
            for argument in arguments {
                text.end.push(' ');
                text.add(argument);
            }
        }
        Notation::Infix => {
            text.end = keyword.to_ascii_lowercase() + "(";
            for (number, argument) in arguments.iter().enumerate() {
                text.end.push_str(if number > 0 { "," } else { "" });
                text.add(argument);
            }
        }
    }
    text.end.push(')');
    text
}

/// A list: `(a b)`, `[a,b]`.
pub(super) fn list(items: &[String], notation: Notation) -> String {
    match notation {
        Notation::Prefix => format!("({})", items.join(" ")),
        Notation::Infix => format!("[{}]", items.join(",")),
    }
}

/// Pairs of name and value: `((name egghead))`, `[[name,egghead]]`.
pub(super) fn pairs(pairs: &[(String, String)], notation: Notation) -> String {
    let pair = |(name, value): &(String, String)| {
        list(&[in_notation(name, notation), in_notation(value, notation)], notation)
    };
    list(&pairs.iter().map(pair).collect::<Vec<_>>(), notation)
}

fn start_arguments(start: &StartMessage, notation: Notation) -> Vec<Arc<str>> {
    let mut arguments = vec![
        spell_id(&start.id, notation).into(),
        in_notation(&start.role, notation).into(),
        start.given.argument(&start.rules, notation),
        start.start_clock.to_string().into(),
        start.play_seconds().to_string().into(),
    ];
    if !start.more.is_empty() {
        arguments.push(start.more.written(notation, |more| pairs(more, notation)));
    }
    arguments
}

fn last_arguments(id: Arc<str>, last: &Last, notation: Notation) -> Vec<Arc<str>> {
    let nil = || match notation {
        Notation::Prefix => "NIL".to_owned(),
        Notation::Infix => "nil".to_owned(),
    };
    let terms = |terms: &Vec<String>| {
        list(&terms.iter().map(|term| in_notation(term, notation)).collect::<Vec<_>>(), notation)
    };
    match last {
        Last::Nothing => vec![id, nil().into()],
        Last::Joint(joint) => vec![id, joint.written(notation, terms)],
        Last::Percepts { turn, action, percepts } => {
            let action = action.as_ref().map_or_else(nil, |action| in_notation(action, notation));
            vec![id, turn.to_string().into(), action.into(), terms(percepts).into()]
        }
        Last::InTime { time, news } => {
            let own = |action: &Option<String>| {
                action.as_ref().map_or_else(nil, |action| in_notation(action, notation))
            };
            let mut arguments = match news {
                News::Nothing => vec![id, nil().into()],
                News::Moves(moves) => {
                    let written = |moves: &Vec<Option<String>>| {
                        list(&moves.iter().map(own).collect::<Vec<_>>(), notation)
                    };
                    vec![id, moves.written(notation, written)]
                }
                News::Percepts { turn, action, percepts } => {
                    let percepts = percepts.as_ref().map_or_else(nil, terms);
                    vec![id, turn.to_string().into(), own(action).into(), percepts.into()]
                }
            };
            arguments.push(time.to_string().into());
            arguments
        }
    }
}

/// The rules of a message. The first time this takes a while where they are long.
pub(super) fn rules_argument(rules: &Shared<String>, notation: Notation) -> Arc<str> {
    rules.written(notation, |rules| rules_list(rules, notation))
}

/// A rulesheet as the list of its clauses.
fn rules_list(rules: &str, notation: Notation) -> String {
    let (rulesheet, _) = parse(Arc::new(Source::new("", rules)), Some(notation));
    let mut clauses = print_clauses(&rulesheet);
    // In something that cannot be read, a bracket too many would end the list and a quote too many the line.
    let next = match notation {
        Notation::Prefix => " next",
        Notation::Infix => ",next",
    };
    clauses.retain(|clause| split(&format!("{clause}{next}"), notation).is_ok_and(|parts| parts.len() == 2));
    list(&clauses, notation)
}
