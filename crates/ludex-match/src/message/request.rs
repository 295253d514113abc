//! Reading what managers send.

use ludex_gdl::{Notation, split};

use super::error::{Flaw, MessageError, MessageProblem};
use super::piece::Piece;
use super::seconds::decimal;
use super::{Given, Last, News, Received, Request, StartMessage};

const MESSAGES: &str = "messages are info, start, learn, blind, play, stop, abort and preview";

/// Reads a message of a manager: in either notation, in any case and with any spacing and comments.
///
/// Terms come out in prefix, in lower case where they were written in prefix, since case means nothing
/// there. The name of a match comes out as it was sent; [`match_key`](super::match_key) compares names.
/// The rules of a match come out as they were sent, too; but in infix, where commas separate the sentences
/// of a list, full stops separate them, as in a rulesheet.
///
/// Some managers send one clock alone with a start message; it is then both clocks. Parts of seconds are
/// left out.
///
/// ```
/// use ludex_match::message::{Last, Request, read_request};
///
/// let read = read_request("(PLAY m1 ((MARK 2 2) NOOP))")?;
/// let Request::Play { id, last: Last::Joint(joint) } = read.request else { panic!("what was done last") };
/// assert_eq!((id.as_str(), &joint[..]), ("m1", &["(mark 2 2)".to_owned(), "noop".to_owned()][..]));
/// assert!(read_request("(PLAY m1").is_err());
/// # Ok::<(), ludex_match::message::MessageError>(())
/// ```
///
/// # Errors
/// [`MessageError`] where the text is not exactly one message.
pub fn read_request(text: &str) -> Result<Received, MessageError> {
    received(text).map_err(|flaw| flaw.in_text(text))
}

fn received(text: &str) -> Result<Received, Flaw> {
    let notation = notation_of(text);
    let whole = Piece::new(text, notation)?;
    let parts = whole.parts()?;
    let [message, rest @ ..] = &parts[..] else {
        return Err(Flaw::new(0, MessageProblem::Empty, MESSAGES));
    };
    if let Some(rest) = rest.first() {
        return Err(rest.error(|_| MessageProblem::Trailing, "send one message at a time"));
    }
    let (keyword, arguments) = match notation {
        Notation::Prefix => prefix_message(*message)?,
        Notation::Infix => infix_message(*message)?,
    };
    // `info` alone is the same in both notations: the wire's is the one to answer in.
    let bare = keyword.text().len() == message.text().len();
    let notation = if bare { Notation::Prefix } else { notation };
    Ok(Received { request: request(keyword, &arguments)?, notation })
}

/// How a message is written: prefix messages begin with a bracket.
fn notation_of(text: &str) -> Notation {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if !rest.starts_with(';') {
            break;
        }
        rest = rest.find(['\n', '\r']).map_or("", |end| &rest[end..]);
    }
    if rest.starts_with('(') { Notation::Prefix } else { Notation::Infix }
}

/// Keyword and arguments of `(PLAY m NIL)`.
fn prefix_message(message: Piece<'_>) -> Result<(Piece<'_>, Vec<Piece<'_>>), Flaw> {
    let content = message.list_content().unwrap_or(message);
    let mut parts = content.parts()?;
    if parts.is_empty() {
        return Err(message.error(|_| MessageProblem::Empty, MESSAGES));
    }
    let keyword = parts.remove(0);
    Ok((keyword, parts))
}

/// Keyword and arguments of `play(m,nil)`.
fn infix_message(message: Piece<'_>) -> Result<(Piece<'_>, Vec<Piece<'_>>), Flaw> {
    let Some(open) = message.text().find('(') else { return Ok((message, Vec::new())) };
    let (keyword, arguments) = message.cut(open);
    let Some(content) = arguments.between('(', ')') else {
        return Err(arguments.error(|_| MessageProblem::Trailing, "a message ends with its bracket"));
    };
    Ok((keyword, content.parts()?))
}

fn request(keyword: Piece<'_>, arguments: &[Piece<'_>]) -> Result<Request, Flaw> {
    let wrong = |name, hint: &str| {
        let found = arguments.len();
        keyword.error(|_| MessageProblem::Arguments { keyword: name, found }, hint)
    };
    match keyword.text().to_ascii_lowercase().as_str() {
        "info" => match arguments {
            [] => Ok(Request::Info),
            _ => Err(wrong("info", "it has none")),
        },
        "start" => match begin(Given::Rules, arguments) {
            Some(start) => start,
            None => {
                Err(wrong("start", "it has five: name of the match, role, rules, start clock, play clock"))
            }
        },
        "learn" => match begin(Given::Records, arguments) {
            Some(start) => start,
            None => {
                Err(wrong("learn", "it has five: name of the match, role, records, start clock, play clock"))
            }
        },
        "blind" => match begin(Given::Structure, arguments) {
            Some(start) => start,
            None => Err(wrong(
                "blind",
                "it has five: name of the match, role, list of roles, actions and percepts, start clock, \
                 play clock",
            )),
        },
        "play" => match last(arguments).transpose()? {
            Some((id, last)) => Ok(Request::Play { id, last }),
            None => Err(wrong("play", LAST)),
        },
        "stop" => match last(arguments).transpose()? {
            Some((id, last)) => Ok(Request::Stop { id, last }),
            None => Err(wrong("stop", LAST)),
        },
        "abort" => match arguments {
            [id] => Ok(Request::Abort { id: id.id()? }),
            _ => Err(wrong("abort", "it has one: the name of the match")),
        },
        "preview" => match arguments {
            [rules, clock] => {
                Ok(Request::Preview { rules: rules_text(*rules)?.into(), clock: clock.seconds()? })
            }
            _ => Err(wrong("preview", "it has two: rules and clock")),
        },
        _ => Err(keyword.error(MessageProblem::Keyword, MESSAGES)),
    }
}

const LAST: &str = "it has two, name of the match and last moves, or in GDL-II four: \
                    name of the match, turn, own move, percepts; in real time the game time follows";

/// A message that begins a match; `None` where the number of its arguments is wrong.
fn begin(given: Given, arguments: &[Piece<'_>]) -> Option<Result<Request, Flaw>> {
    let [id, role, told, clocks @ ..] = arguments else { return None };
    (1..=3).contains(&clocks.len()).then(|| start(given, *id, *role, *told, clocks).map(Request::start))
}

fn start(
    given: Given,
    id: Piece<'_>,
    role: Piece<'_>,
    told: Piece<'_>,
    clocks: &[Piece<'_>],
) -> Result<StartMessage, Flaw> {
    let (start_clock, play_clock, more) = match clocks {
        [both] => (both, both, None),
        [start, play] => (start, play, None),
        // As many as the caller saw.
        [start, play, more, ..] => (start, play, Some(more)),
        [] => {
            return Err(told
                .error(|_| MessageProblem::Clock(String::new()), "clocks follow what is told of the game"));
        }
    };
    Ok(StartMessage {
        id: id.id()?,
        role: role.term()?,
        given,
        rules: given.read(told)?.into(),
        start_clock: start_clock.seconds()?,
        play_clock: play_clock.seconds()?,
        exact_play_clock: decimal(play_clock.text()).filter(|exact| *exact != exact.floor()),
        more: more.map_or(Ok(Vec::new()), |more| more.pairs())?.into(),
    })
}

/// The match and what happened last; `None` where the number of arguments fits neither language.
fn last(arguments: &[Piece<'_>]) -> Option<Result<(String, Last), Flaw>> {
    let read = match *arguments {
        [id, moves] => joint(moves).and_then(|last| Ok((id.id()?, last))),
        [id, turn, action, percepts] => {
            percepts_of(turn, action, percepts).and_then(|last| Ok((id.id()?, last)))
        }
        [id, moves, time] => moves_in_time(moves).and_then(|news| in_time(id, time, news)),
        [id, turn, action, percepts, time] => {
            percepts_in_time(turn, action, percepts).and_then(|news| in_time(id, time, news))
        }
        _ => return None,
    };
    Some(read)
}

fn joint(moves: Piece<'_>) -> Result<Last, Flaw> {
    let joint = moves.terms("the moves of all roles")?;
    Ok(if joint.is_empty() { Last::Nothing } else { Last::Joint(joint.into()) })
}

fn percepts_of(turn: Piece<'_>, action: Piece<'_>, percepts: Piece<'_>) -> Result<Last, Flaw> {
    let turn = turn.turn()?;
    let empty = action.list_content().is_some_and(|content| content.text().is_empty());
    let none = empty || (turn == 0 && action.is_nil());
    Ok(Last::Percepts {
        turn,
        action: if none { None } else { Some(action.term()?) },
        percepts: percepts.terms("percepts")?,
    })
}

fn in_time(id: Piece<'_>, time: Piece<'_>, news: News) -> Result<(String, Last), Flaw> {
    let hint = "write the time since the start in play clocks, such as 1.5";
    let time = decimal(time.text()).ok_or_else(|| time.error(MessageProblem::Time, hint))?;
    Ok((id.id()?, Last::InTime { time, news }))
}

/// A term; nothing where `nil` stands.
fn term_or_nil(piece: Piece<'_>) -> Result<Option<String>, Flaw> {
    if piece.is_nil() { Ok(None) } else { piece.term().map(Some) }
}

fn moves_in_time(moves: Piece<'_>) -> Result<News, Flaw> {
    let made = moves.list("the moves of all roles")?;
    let made = made.into_iter().map(term_or_nil).collect::<Result<Vec<_>, _>>()?;
    Ok(if made.is_empty() { News::Nothing } else { News::Moves(made.into()) })
}

fn percepts_in_time(turn: Piece<'_>, action: Piece<'_>, percepts: Piece<'_>) -> Result<News, Flaw> {
    let seen = if percepts.is_nil() { None } else { Some(percepts.terms("percepts")?) };
    Ok(News::Percepts { turn: turn.turn()?, action: term_or_nil(action)?, percepts: seen })
}

/// The rules of a message as a rulesheet.
pub(super) fn rules_text(rules: Piece<'_>) -> Result<String, Flaw> {
    if rules.is_nil() {
        return Ok(String::new());
    }
    let Some(content) = rules.list_content() else {
        let hint = "the rules must stand in brackets: `(...)` in prefix, `[...]` in infix";
        return Err(rules.error(MessageProblem::List, hint));
    };
    match rules.notation {
        Notation::Prefix => Ok(content.text().to_owned()),
        Notation::Infix => sentences(content),
    }
}

/// The sentences of an infix list as a rulesheet: commas between them become full stops. Where full stops
/// separate them already, commas belong to the sentences and stay.
fn sentences(content: Piece<'_>) -> Result<String, Flaw> {
    // Whether the brackets match was seen when the message was cut into its arguments; a comma too many
    // is the business of whoever reads the rules.
    let text = content.text();
    let Ok(parts) = split(text, Notation::Infix) else { return Ok(text.to_owned()) };
    let between = parts.iter().rev().skip(1).filter_map(|part| part.separator);
    if between.clone().any(|separator| &text[separator.range()] == ".") {
        return Ok(text.to_owned());
    }
    let mut sentences = String::with_capacity(text.len() + parts.len());
    let mut end = 0;
    for separator in parts.iter().filter_map(|part| part.separator) {
        sentences.push_str(text[end..separator.start as usize].trim_start_matches([' ', '\t']));
        sentences.push_str(".\n");
        end = separator.end as usize;
    }
    sentences.push_str(text[end..].trim_start_matches([' ', '\t']));
    Ok(sentences)
}
