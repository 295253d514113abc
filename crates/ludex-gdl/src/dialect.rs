//! Which language a rulesheet is written in.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::registry::UNSUPPORTED_DIALECT;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::game_program::Dialect;
use crate::parse::newer;
use crate::source::Span;
use crate::tree::{NodeId, Rulesheet};

/// The code of the note on a role called `random` in a game without percepts.
pub const RANDOM_WITHOUT_PERCEPTS: Code = Code(2);

/// Finds the language by which relations occur, with how many arguments and where: a name alone
/// tells nothing, for games of plain GDL use words like `step` or `random` as they like.
///
/// The diagnostics are notes on what could have been meant otherwise.
pub fn detect(rulesheet: &Rulesheet) -> (Dialect, Vec<Diagnostic>) {
    let found = Found::in_rulesheet(rulesheet);
    let dialect = found.dialect().0;
    let mut notes = Vec::new();
    if let (Dialect::Gdl, Some(span)) = (dialect, found.random_role) {
        let message = "a role is called `random`, but nothing is seen: it is read as an ordinary player";
        let note = Diagnostic::new(RANDOM_WITHOUT_PERCEPTS, Severity::Note, span, message);
        notes.push(note.hint("in GDL-II, which has `sees` rules, `random` would move at random"));
    }
    (dialect, notes)
}

/// What to answer to a rulesheet in a language that this version cannot run, at the sign that tells the
/// language; `None` where it can.
pub fn unsupported_dialect(rulesheet: &Rulesheet, dialect: Dialect) -> Option<Diagnostic> {
    let found = Found::in_rulesheet(rulesheet);
    if let Some(span) = found.newer_notation() {
        return Some(UNSUPPORTED_DIALECT.at(span, newer::MESSAGE).hint(newer::HINT));
    }
    if dialect.is_supported() {
        return None;
    }
    let (detected, sign) = found.dialect();
    let first = || rulesheet.items.first().map_or(Span::default(), |item| item.span);
    Some(if detected == dialect {
        let message = format!("this is recognised as {dialect} but not supported yet");
        let hint = "if it is meant as another language, name that with `--dialect`";
        UNSUPPORTED_DIALECT.at(sign.unwrap_or_else(first), message).hint(hint)
    } else {
        let message = format!("{dialect} was asked for, which is not supported yet");
        let hint = format!("by itself, this is recognised as {detected}");
        UNSUPPORTED_DIALECT.at(first(), message).hint(hint)
    })
}

/// Why a rulesheet cannot be laid out or converted, if it cannot: the sentences of IGDL are read, but there
/// is no way yet to write them. Clauses can be written in all languages.
pub fn unwritable(rulesheet: &Rulesheet) -> Option<Diagnostic> {
    let found = Found::in_rulesheet(rulesheet);
    if let Some(span) = found.newer_notation() {
        return Some(UNSUPPORTED_DIALECT.at(span, newer::MESSAGE).hint(newer::HINT));
    }
    let (Dialect::Igdl, Some(span)) = found.dialect() else { return None };
    let message = "this is recognised as IGDL, whose sentences cannot be written yet: nothing is changed";
    Some(UNSUPPORTED_DIALECT.at(span, message).hint("only clauses can be laid out, converted or renamed"))
}

/// What the sentences of a rulesheet use.
#[derive(Default)]
struct Found<'a> {
    /// Relations with their first place.
    relations: FxHashMap<(&'a str, usize), Span>,
    names: FxHashSet<&'a str>,
    heads: FxHashMap<(&'a str, usize), Span>,
    quantified: Option<Span>,
    random_role: Option<Span>,
}

impl<'a> Found<'a> {
    fn in_rulesheet(rulesheet: &'a Rulesheet) -> Self {
        let mut found = Self::default();
        for item in &rulesheet.items {
            found.sentence(rulesheet, item.head, true);
            for &node in item.body.iter().flatten() {
                found.sentence(rulesheet, node, false);
            }
        }
        found
    }

    fn place(&self, name: &'a str, arity: usize) -> Option<Span> {
        self.relations.get(&(name, arity)).copied()
    }

    fn head(&self, name: &'a str, arity: usize) -> Option<Span> {
        self.heads.get(&(name, arity)).copied()
    }

    /// The language, with what tells it.
    fn dialect(&self) -> (Dialect, Option<Span>) {
        if let Some(span) = self.quantified {
            return (Dialect::Igdl, Some(span));
        }
        let sees = self.heads.keys().any(|(name, _)| *name == "sees");
        let changes = self.place("next", 2).or(self.place("init", 2));
        let timed = self.place("true", 2).or(self.place("expired", 1)).filter(|_| changes.is_some());
        if let Some(span) = timed {
            return (if sees { Dialect::RtGdlII } else { Dialect::RtGdl }, Some(span));
        }
        if let Some(span) = self.steps() {
            return (if sees { Dialect::SdlII } else { Dialect::Sdl }, Some(span));
        }
        match self.head("sees", 2) {
            Some(span) => (Dialect::GdlII, Some(span)),
            None => (Dialect::Gdl, None),
        }
    }

    /// Steps as last arguments: of two keywords, and nothing says what is next.
    fn steps(&self) -> Option<Span> {
        if self.names.contains("next") {
            return None;
        }
        let signs = [self.place("true", 2), self.place("does", 3), self.head("legal", 3)];
        let mut signs = signs.into_iter().flatten();
        signs.next().filter(|_| signs.next().is_some())
    }

    /// Gamemaster's newer notation where no rule for moves tells it: moves that nobody makes, and no rule
    /// says what holds next.
    fn newer_notation(&self) -> Option<Span> {
        let moves = self.head("action", 1).and(self.head("legal", 1))?;
        let in_gdl = [("next", 1), ("does", 2), ("legal", 2), ("true", 1)];
        let is_gdl = in_gdl.iter().any(|&(name, arity)| self.place(name, arity).is_some());
        (!is_gdl).then_some(moves)
    }

    fn sentence(&mut self, rulesheet: &'a Rulesheet, node: NodeId, is_head: bool) {
        let tree = &rulesheet.tree;
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Some((name, arity)) = tree.head(node) else { continue };
            match name {
                "and" | "or" | "not" => open.extend(tree.children(node)),
                "=>" | "<=>" | "A:" | "E:" | "forall" | "exists" if arity == 2 => {
                    self.quantified.get_or_insert(tree.span(node));
                    open.extend(tree.children(node));
                }
                _ => {
                    let span = tree.span(node);
                    self.relations.entry((name, arity)).or_insert(span);
                    self.names.insert(name);
                    if is_head {
                        self.heads.entry((name, arity)).or_insert(span);
                        if name == "role" && arity == 1 {
                            let role = tree.children(node)[0];
                            if tree.head(role) == Some(("random", 0)) {
                                self.random_role.get_or_insert(tree.span(role));
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::parse::parse;
    use crate::source::Source;

    #[test]
    fn arity_and_position_tell_the_language() {
        for (text, expected, notes) in [
            ("role(a) init(step(1)) next(p) :- true(p) & does(a,b)", Dialect::Gdl, 0),
            ("role(random)", Dialect::Gdl, 1),
            ("p(sees(a,b)) q(random)", Dialect::Gdl, 0),
            ("role(random) sees(R,p) :- role(R)", Dialect::GdlII, 0),
            ("p :- sees(a,b)", Dialect::Gdl, 0),
            ("next(p,1) :- true(q,infinity)", Dialect::RtGdl, 0),
            ("init(p,1) sees(a,b) p :- true(q,5)", Dialect::RtGdlII, 0),
            ("init(1,p) terminal :- expired(p)", Dialect::RtGdl, 0),
            ("init(p) terminal :- expired(p)", Dialect::Gdl, 0),
            ("true(p,N) :- does(R,a,M) & succ(M,N)", Dialect::Sdl, 0),
            ("legal(R,a,N) :- does(R,b,M) & succ(M,N)", Dialect::Sdl, 0),
            ("sees(R,p,N) :- does(R,a,M) & true(q,M)", Dialect::SdlII, 0),
            ("next(p) :- does(R,a,M) & true(q,M)", Dialect::Gdl, 0),
            ("AX:(p(X) => q(X))", Dialect::Igdl, 0),
            ("(=> (p ?x) (q ?x))", Dialect::Igdl, 0),
            ("p(X) <=> q(X)", Dialect::Igdl, 0),
        ] {
            let (sheet, errors) = parse(Arc::new(Source::new("", text)), None);
            assert_eq!(errors, [], "{text}");
            let (dialect, found) = detect(&sheet);
            assert_eq!((dialect, found.len()), (expected, notes), "{text}");
            assert_eq!(unsupported_dialect(&sheet, dialect).is_none(), dialect.is_supported());
            assert_eq!(unwritable(&sheet).is_some(), dialect == Dialect::Igdl, "{text}");
        }
    }

    fn refusal(text: &str, dialect: Option<Dialect>) -> (String, String) {
        let (sheet, errors) = parse(Arc::new(Source::new("", text)), None);
        assert_eq!(errors, [], "{text}");
        let dialect = dialect.unwrap_or_else(|| detect(&sheet).0);
        let answer = unsupported_dialect(&sheet, dialect).unwrap();
        (text[answer.span.range()].to_owned(), answer.message)
    }

    #[test]
    fn what_tells_the_language_is_pointed_at() {
        let (place, message) = refusal("role(a)\nX!=a => ~role(X)", None);
        assert_eq!((place.as_str(), message.contains("recognised as IGDL")), ("X!=a => ~role(X)", true));
        let (place, message) = refusal("role(a)\nlegal(go) :- p\naction(go)", None);
        assert_eq!((place.as_str(), message.contains("Gamemaster's newer notation")), ("legal(go)", true));
        let (_, message) = refusal("role(a)", Some(Dialect::Igdl));
        assert!(message.starts_with("IGDL was asked for"), "{message}");
    }
}
