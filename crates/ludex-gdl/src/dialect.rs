//! Which language a rulesheet is written in.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::game_program::Dialect;
use crate::source::Span;
use crate::tree::{NodeId, Rulesheet, Tree};

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

/// What the sentences of a rulesheet use.
#[derive(Default)]
struct Found<'a> {
    /// Relations with their first place.
    relations: FxHashMap<(&'a str, usize), Span>,
    names: FxHashSet<&'a str>,
    heads: FxHashMap<(&'a str, usize), Span>,
    /// The first operation, or a part of one.
    operation: Option<Span>,
    /// The first thing that no clause has: `=>` or a quantifier, or a formula that stands alone.
    sentence: Option<Span>,
    random_role: Option<Span>,
}

impl<'a> Found<'a> {
    fn in_rulesheet(rulesheet: &'a Rulesheet) -> Self {
        let mut found = Self::default();
        for item in &rulesheet.items {
            if item.body.is_none() && rulesheet.tree.head(item.head) == Some(("::", 2)) {
                found.operation.get_or_insert(rulesheet.tree.span(item.head));
            }
            if item.body.is_none() && is_formula(&rulesheet.tree, item.head) {
                found.sentence.get_or_insert(rulesheet.tree.span(item.head));
            }
            found.formula(rulesheet, item.head, true);
            for &node in item.body.iter().flatten() {
                found.formula(rulesheet, node, false);
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
        if let Some(span) = self.operation.or_else(|| self.without_roles()) {
            return (Dialect::Epilog, Some(span));
        }
        if let Some(span) = self.sentence {
            return (self.incomplete(), Some(span));
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

    /// The language of a rulesheet of sentences.
    fn incomplete(&self) -> Dialect {
        let has_steps = self.steps().is_some() && !self.names.contains("init");
        let sees = self.place("sees", if has_steps { 3 } else { 2 });
        match (has_steps, sees.is_some()) {
            (false, false) => Dialect::Igdl,
            (false, true) => Dialect::IgdlII,
            (true, false) => Dialect::Isdl,
            (true, true) => Dialect::IsdlII,
        }
    }

    /// Steps as last arguments: of two keywords, in heads where GDL has ordinary relations of such names, and nothing says what
    /// is next.
    fn steps(&self) -> Option<Span> {
        if self.names.contains("next") {
            return None;
        }
        let ends = [self.head("goal", 3), self.head("terminal", 1)];
        let signs =
            [self.place("true", 2), self.place("does", 3), self.head("legal", 3)].into_iter().chain(ends);
        let mut signs = signs.flatten();
        signs.next().filter(|_| signs.next().is_some())
    }

    /// Epilog where no operation tells it: moves that nobody makes, and no rule says what holds next.
    fn without_roles(&self) -> Option<Span> {
        let moves = self.head("action", 1).or(self.place("control", 1)).and(self.head("legal", 1))?;
        let in_gdl = [("next", 1), ("does", 2), ("legal", 2), ("true", 1)];
        let is_gdl = in_gdl.iter().any(|&(name, arity)| self.place(name, arity).is_some());
        (!is_gdl).then_some(moves)
    }

    fn formula(&mut self, rulesheet: &'a Rulesheet, node: NodeId, is_head: bool) {
        let tree = &rulesheet.tree;
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Some((name, arity)) = tree.head(node) else { continue };
            match name {
                "and" | "or" | "not" => open.extend(tree.children(node)),
                "=>" | "<=>" if arity == 2 => {
                    self.sentence.get_or_insert(tree.span(node));
                    open.extend(tree.children(node));
                }
                _ if let Some((_, _, scope)) = tree.quantified(node) => {
                    self.sentence.get_or_insert(tree.span(node));
                    open.push(scope);
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

/// Whether this is more than an atom, wherever it stands. That two terms differ is nothing that anybody would state.
fn is_formula(tree: &Tree, node: NodeId) -> bool {
    matches!(tree.head(node), Some(("not", 1) | ("and" | "or", 1..) | ("=", 2)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::from_steps::{WithoutStepsError, without_steps};
    use crate::lower::lower;
    use crate::parse::parse;
    use crate::sdl::HistoryProgram;
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
            ("legal(you,a,1) goal(you,100,1) terminal(3)", Dialect::Sdl, 0),
            ("legal(you,a) goal(you,100,1)", Dialect::Gdl, 0),
            ("sees(R,p,N) :- does(R,a,M) & true(q,M)", Dialect::SdlII, 0),
            ("next(p) :- does(R,a,M) & true(q,M)", Dialect::Gdl, 0),
            ("AX:(p(X) => q(X))", Dialect::Igdl, 0),
            ("(=> (p ?x) (q ?x))", Dialect::Igdl, 0),
            ("p(X) <=> q(X)", Dialect::Igdl, 0),
            ("role(a) p | q", Dialect::Igdl, 0),
            ("role(a) ~p(b)", Dialect::Igdl, 0),
            ("role(a) p = q", Dialect::Igdl, 0),
            ("role(a) distinct(p,q)", Dialect::Gdl, 0),
            ("(role a) (<= p (exists (?x) (q ?x)))", Dialect::Igdl, 0),
            ("(role a) (<= (exists ?x b) (forall ?x ?y) (p (exists ?x q)))", Dialect::Gdl, 0),
            ("true(p) <=> sees(a)", Dialect::Igdl, 0),
            ("true(p) <=> sees(a,p)", Dialect::IgdlII, 0),
            ("p => q. r(sees(a,p))", Dialect::Igdl, 0),
            ("legal(R,a) & does(R,a) => next(q)", Dialect::Igdl, 0),
            ("legal(R,a,N) <=> does(R,a,M) & succ(M,N)", Dialect::Isdl, 0),
            ("does(R,a,M) & true(q,M) => sees(R,p,M)", Dialect::IsdlII, 0),
            ("does(R,a,M) & true(q,M) => sees(R,p)", Dialect::Isdl, 0),
            ("does(R,a,M) & true(q,M) => next(p)", Dialect::Igdl, 0),
            ("does(R,a,M) & true(q,M) => init(p)", Dialect::Igdl, 0),
        ] {
            let (sheet, errors) = parse(Arc::new(Source::new("", text)), None);
            assert_eq!(errors, [], "{text}");
            let (dialect, found) = detect(&sheet);
            assert_eq!((dialect, found.len()), (expected, notes), "{text}");
        }
    }

    #[test]
    fn incomplete_descriptions_are_answered_before_their_steps_are_looked_at() {
        let text = "legal(R,a,N) <=> does(R,a,M) & successor(M,N) step(1) step(2) successor(1,2)";
        let (sheet, errors) = parse(Arc::new(Source::new("", text)), None);
        assert_eq!((errors.len(), detect(&sheet).0), (0, Dialect::Isdl));
        for (_, dialect) in Dialect::NAMES.into_iter().filter(|(_, dialect)| dialect.is_incomplete()) {
            let (game, diagnostics) = lower(&sheet, dialect);
            assert!(game.is_none() && HistoryProgram::new(&sheet, dialect).is_none());
            assert!(
                diagnostics
                    .iter()
                    .all(|found| found.code != crate::check::registry::UNSUPPORTED_DIALECT.code),
                "{diagnostics:?}"
            );
        }
        let error = without_steps(&sheet).unwrap_err();
        assert_eq!(error, WithoutStepsError::NotSdl { dialect: Dialect::Isdl });
    }

    #[test]
    fn operations_and_moves_without_roles_tell_epilog() {
        for text in [
            "role(a)\nlegal(go) :- p\naction(go)",
            "role(a) legal(go) :- control(a)",
            "role(a)\nlegal(go)\ngo :: p ==> ~p & q\nnext(p) :- true(p) & does(a,go)",
            "(role a) (legal go) (:: go (==> p (not p)))",
        ] {
            let (sheet, errors) = parse(Arc::new(Source::new("", text)), None);
            assert_eq!((errors.len(), detect(&sheet).0), (0, Dialect::Epilog), "{text}");
        }
    }
}
