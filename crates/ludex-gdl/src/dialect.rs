//! Which language a rulesheet is written in.

use rustc_hash::FxHashSet;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::game_program::Dialect;
use crate::source::Span;
use crate::tree::{NodeId, Rulesheet};

/// The code of the note on a role called `random` in a game without percepts.
pub const RANDOM_WITHOUT_PERCEPTS: Code = Code(2);

/// Finds the language by which relations occur, with how many arguments and where: a name alone
/// tells nothing, for games of plain GDL use words like `step` or `random` as they like.
///
/// The diagnostics are notes on what could have been meant otherwise.
pub fn detect(rulesheet: &Rulesheet) -> (Dialect, Vec<Diagnostic>) {
    let mut found = Found::default();
    for item in &rulesheet.items {
        found.sentence(rulesheet, item.head, true);
        for &node in item.body.iter().flatten() {
            found.sentence(rulesheet, node, false);
        }
    }
    let timed = found.has("true", 2);
    let dialect = if found.quantified {
        Dialect::Igdl
    } else if timed && (found.has("next", 2) || found.has("init", 2)) {
        if found.heads.contains("sees") { Dialect::RtGdlII } else { Dialect::RtGdl }
    } else if timed && found.has("does", 3) && !found.names.contains("next") {
        Dialect::Sdl
    } else if found.sees {
        Dialect::GdlII
    } else {
        Dialect::Gdl
    };
    let mut notes = Vec::new();
    if let (Dialect::Gdl, Some(span)) = (dialect, found.random_role) {
        let message = "a role is called `random`, but nothing is seen: it is read as an ordinary player";
        let note = Diagnostic::new(RANDOM_WITHOUT_PERCEPTS, Severity::Note, span, message);
        notes.push(note.hint("in GDL-II, which has `sees` rules, `random` would move at random"));
    }
    (dialect, notes)
}

/// What to answer to a rulesheet in a language that this version cannot run; `None` where it can.
pub fn unsupported_dialect(rulesheet: &Rulesheet, dialect: Dialect) -> Option<Diagnostic> {
    if dialect.is_supported() {
        return None;
    }
    let span = rulesheet.items.first().map_or(Span::default(), |item| item.span);
    let message = format!("this is recognised as {dialect} but not supported yet");
    let diagnostic = Diagnostic::new(Code(20), Severity::Error, span, message);
    Some(diagnostic.hint("if it is meant as another language, name that with `--dialect`"))
}

/// What the sentences of a rulesheet use.
#[derive(Default)]
struct Found<'a> {
    relations: FxHashSet<(&'a str, usize)>,
    names: FxHashSet<&'a str>,
    heads: FxHashSet<&'a str>,
    sees: bool,
    quantified: bool,
    random_role: Option<Span>,
}

impl<'a> Found<'a> {
    fn has(&self, name: &'a str, arity: usize) -> bool {
        self.relations.contains(&(name, arity))
    }

    fn sentence(&mut self, rulesheet: &'a Rulesheet, node: NodeId, is_head: bool) {
        let tree = &rulesheet.tree;
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Some((name, arity)) = tree.head(node) else { continue };
            match name {
                "and" | "or" | "not" => open.extend(tree.children(node)),
                "=>" | "<=>" | "A:" | "E:" | "forall" | "exists" if arity == 2 => {
                    self.quantified = true;
                    open.extend(tree.children(node));
                }
                _ => {
                    if self.relations.insert((name, arity)) {
                        self.names.insert(name);
                    }
                    if is_head {
                        self.heads.insert(name);
                        self.sees |= name == "sees" && arity == 2;
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
            ("true(p,N) :- does(R,a,M) & succ(M,N)", Dialect::Sdl, 0),
            ("AX:(p(X) => q(X))", Dialect::Igdl, 0),
            ("(=> (p ?x) (q ?x))", Dialect::Igdl, 0),
            ("p(X) <=> q(X)", Dialect::Igdl, 0),
        ] {
            let (sheet, errors) = parse(Arc::new(Source::new("", text)), None);
            assert_eq!(errors, [], "{text}");
            let (dialect, found) = detect(&sheet);
            assert_eq!((dialect, found.len()), (expected, notes), "{text}");
            assert_eq!(unsupported_dialect(&sheet, dialect).is_none(), dialect.is_supported());
        }
    }
}
