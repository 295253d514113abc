//! Reading and writing what players answer.

use ludex_gdl::Notation;

use super::Response;
use super::error::{Flaw, MessageError, MessageProblem};
use super::piece::{Piece, notation_of_term};
use super::term::in_notation;
use super::write::pairs;

/// The longest answer that is read, in bytes.
pub const LONGEST_RESPONSE: usize = 1 << 20;

/// What a message wants to be answered with. The same text may mean different things: a move may be
/// called `ready`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    /// To info: whether the player is there, and what it says about itself.
    Info,
    /// To start and preview.
    Ready,
    /// To play.
    Move,
    /// To stop and abort.
    Done,
}

/// Reads what a player answered: in either notation, in any case and spacing, with brackets or quotes too
/// many, such as `READY`, ` ( mark 2 2 ) ` or `[mark(2,2)]`. `notation` is what the player was asked in:
/// it decides where a text could be either.
///
/// Some players answer `ready` to info; that counts as available.
///
/// # Errors
/// [`MessageError`] where this is not what the message asked for. Whether a move is legal is not known here.
pub fn read_response(bytes: &[u8], expected: Expected, notation: Notation) -> Result<Response, MessageError> {
    if bytes.len() > LONGEST_RESPONSE {
        let problem = MessageProblem::TooLong { length: bytes.len(), limit: LONGEST_RESPONSE };
        return Err(Flaw::new(0, problem, "answer with what was asked for, no more").in_text(""));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let readable = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        Flaw::new(readable.len(), MessageProblem::NotText, "answer in UTF-8 or ASCII").in_text(&readable)
    })?;
    response(text, expected, notation).map_err(|flaw| flaw.in_text(text))
}

fn response(text: &str, expected: Expected, notation: Notation) -> Result<Response, Flaw> {
    let whole = Piece::new(text, notation)?;
    let whole = whole.between('"', '"').unwrap_or(whole);
    if whole.text().is_empty() {
        return Err(whole.error(|_| MessageProblem::Empty, wanted(expected)));
    }
    let word = word(whole);
    let read = match (expected, word.as_deref()) {
        (Expected::Move, _) => return read_move(whole).map(Response::Move),
        (Expected::Ready, Some("ready")) => Some(Response::Ready),
        (Expected::Ready | Expected::Info, Some("busy")) => Some(Response::Busy),
        (Expected::Done, Some("done")) => Some(Response::Done),
        (Expected::Done, Some("aborted")) => Some(Response::Aborted),
        (Expected::Info, Some("available" | "ready")) => Some(Response::Available(Vec::new())),
        (Expected::Info, None) => return read_pairs(whole),
        _ => None,
    };
    read.ok_or_else(|| whole.error(|found| MessageProblem::Unexpected { found }, wanted(expected)))
}

fn wanted(expected: Expected) -> &'static str {
    match expected {
        Expected::Info => "the answer to info is `available`, `busy` or pairs of name and value",
        Expected::Ready => "the answer to start and preview is `ready`",
        Expected::Move => "the answer to play is a move, such as `(mark 1 2)` or `mark(1,2)`",
        Expected::Done => "the answer to stop and abort is `done`",
    }
}

/// A single word in lower case, without a bracket, quote or full stop around it.
fn word(piece: Piece<'_>) -> Option<String> {
    let brackets = [('(', ')'), ('[', ']'), ('\'', '\''), ('|', '|')];
    let inner = brackets.iter().find_map(|&(open, close)| piece.between(open, close)).unwrap_or(piece);
    let text = inner.text();
    let text = text.strip_suffix("()").or(text.strip_suffix('.')).unwrap_or(text);
    let plain = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric());
    plain.then(|| text.to_lowercase())
}

fn read_move(whole: Piece<'_>) -> Result<String, Flaw> {
    // In infix, quotes make a name of anything; but around a move they are only quotes.
    let inner = whole.between('\'', '\'').filter(|inner| inner.text().ends_with(')'));
    if let Some(action) = inner.and_then(|inner| move_in_either(inner).ok()) {
        return Ok(action);
    }
    move_in_either(whole)
}

fn move_in_either(piece: Piece<'_>) -> Result<String, Flaw> {
    let first = piece.in_notation(notation_of_term(piece.text(), piece.notation));
    let second = first.in_notation(match first.notation {
        Notation::Prefix => Notation::Infix,
        // To prefix, a square bracket is a letter as any other.
        Notation::Infix if piece.text().starts_with('[') => Notation::Infix,
        Notation::Infix => Notation::Prefix,
    });
    move_term(first).or_else(|error| move_term(second).map_err(|_| error))
}

/// A move, perhaps as the only item of a list.
fn move_term(piece: Piece<'_>) -> Result<String, Flaw> {
    let action = only(piece)?;
    match action.list_content().map(Piece::parts).transpose()?.as_deref() {
        // `(noop)` is a term in prefix, but `((mark 1 2))` is none.
        Some([item]) if action.notation == Notation::Infix || item.text().starts_with('(') => item.term(),
        _ => action.term(),
    }
}

fn only(piece: Piece<'_>) -> Result<Piece<'_>, Flaw> {
    match piece.parts()?[..] {
        [part] => Ok(part),
        [] => Err(piece.error(|_| MessageProblem::Empty, wanted(Expected::Move))),
        [_, second, ..] => Err(second.error(|_| MessageProblem::Trailing, wanted(Expected::Move))),
    }
}

fn read_pairs(whole: Piece<'_>) -> Result<Response, Flaw> {
    let notation = if whole.text().starts_with('[') { Notation::Infix } else { Notation::Prefix };
    let unexpected = || whole.error(|found| MessageProblem::Unexpected { found }, wanted(Expected::Info));
    let pairs = whole.in_notation(notation).pairs().map_err(|_| unexpected())?;
    if pairs.is_empty() {
        return Err(unexpected());
    }
    let busy = pairs.iter().any(|(name, value)| name == "status" && value == "busy");
    Ok(if busy { Response::Busy } else { Response::Available(pairs) })
}

/// Writes what a player answers. In prefix, `READY` and `DONE` are in capitals as in the specification.
pub fn write_response(response: &Response, notation: Notation) -> String {
    let word = |prefix: &str, infix: &str| match notation {
        Notation::Prefix => prefix.to_owned(),
        Notation::Infix => infix.to_owned(),
    };
    match response {
        Response::Ready => word("READY", "ready"),
        Response::Busy => word("busy", "busy"),
        Response::Available(about) if about.is_empty() => word("available", "available"),
        Response::Available(about) => pairs(about, notation),
        Response::Done => word("DONE", "done"),
        Response::Aborted => word("aborted", "aborted"),
        Response::Move(action) => in_notation(action, notation),
    }
}
