//! Writing what managers send.

use std::fmt::Write;
use std::sync::Arc;

use ludex_gdl::{Notation, Source, parse, print_clauses, split};

use super::term::{in_notation, spell_id};
use super::{Last, Request, StartMessage};

/// Writes a message as managers send it: in prefix with the keyword in capitals and `NIL` for no move,
/// in infix all in lower case. Rules come without comments and on one line, since many players read no
/// comments; clauses of them that cannot be read are left out.
pub fn write_request(request: &Request, notation: Notation) -> String {
    let id = |id: &str| spell_id(id, notation);
    match request {
        Request::Info => message("INFO", &[], notation),
        Request::Start(start) => message("START", &start_arguments(start, notation), notation),
        Request::Play { id: name, last } => {
            message("PLAY", &last_arguments(id(name), last, notation), notation)
        }
        Request::Stop { id: name, last } => {
            message("STOP", &last_arguments(id(name), last, notation), notation)
        }
        Request::Abort { id: name } => message("ABORT", &[id(name)], notation),
        Request::Preview { rules, clock } => {
            message("PREVIEW", &[rules_list(rules, notation), clock.to_string()], notation)
        }
    }
}

fn message(keyword: &str, arguments: &[String], notation: Notation) -> String {
    match notation {
        Notation::Prefix => {
            let mut text = format!("({keyword}");
            for argument in arguments {
                // Writing to a string cannot fail.
                let _ = write!(text, " {argument}");
            }
            text.push(')');
            text
        }
        Notation::Infix => format!("{}({})", keyword.to_ascii_lowercase(), arguments.join(",")),
    }
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

fn start_arguments(start: &StartMessage, notation: Notation) -> Vec<String> {
    let mut arguments = vec![
        spell_id(&start.id, notation),
        in_notation(&start.role, notation),
        rules_list(&start.rules, notation),
        start.start_clock.to_string(),
        start.play_clock.to_string(),
    ];
    if !start.more.is_empty() {
        arguments.push(pairs(&start.more, notation));
    }
    arguments
}

fn last_arguments(id: String, last: &Last, notation: Notation) -> Vec<String> {
    let nil = || match notation {
        Notation::Prefix => "NIL".to_owned(),
        Notation::Infix => "nil".to_owned(),
    };
    let terms = |terms: &[String]| {
        list(&terms.iter().map(|term| in_notation(term, notation)).collect::<Vec<_>>(), notation)
    };
    match last {
        Last::Nothing => vec![id, nil()],
        Last::Joint(joint) => vec![id, terms(joint)],
        Last::Percepts { turn, action, percepts } => {
            let action = action.as_ref().map_or_else(nil, |action| in_notation(action, notation));
            vec![id, turn.to_string(), action, terms(percepts)]
        }
    }
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
