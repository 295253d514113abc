//! From GDL to rtGDL (rtGDL paper, example 1): the same game, with a time for every step.
//!
//! A step of GDL becomes a *round* that lasts at most so long. Its facts hold for ever, or until the next step changes
//! them; the round, and the moves that wait for others, have the lifetime of the round, so that no rule of the game takes
//! them for facts of its own. Who has only one legal move need not make it, unless that is so for everybody: so in a
//! game with turns a move is followed by the next turn at once, as in the paper. Whoever is late loses, and the game is
//! over.

use std::sync::Arc;

use crate::convert::{free_name, read_back};
use crate::dialect::detect;
use crate::game_program::Dialect;
use crate::parse::parse;
use crate::print::print;
use crate::source::Source;
use crate::time::{GameTime, INFINITY};
use crate::tree::{Item, NameId, NodeId, NodeKind, Notation, Rulesheet, Tree};

/// Why a rulesheet does not become one in real time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToRealTimeError {
    /// It is not in GDL.
    #[error("only GDL becomes rtGDL; this is {dialect}")]
    NotGdl {
        /// The language.
        dialect: Dialect,
    },
    /// The time for a step is 0.
    #[error("a step must have some time")]
    NoTime,
    /// Two names that differ in GDL are one number in rtGDL.
    #[error("`{one}` and `{other}` are two names in GDL, but the same number in rtGDL")]
    SameNumber {
        /// A name.
        one: String,
        /// Another one.
        other: String,
    },
}

/// What a relation of the rulesheet is called afterwards.
#[derive(Clone, Copy)]
enum Change {
    /// It gets the lifetime `infinity` in front.
    Lifetime,
    /// It gets another name.
    Name(NameId),
}

/// The names that are needed in rtGDL and have to be free.
const NAMES: [&str; 17] = [
    "following",
    "played",
    "possible",
    "worth",
    "over",
    "due",
    "choice",
    "chooses",
    "chose",
    "moved",
    "waiting",
    "running",
    "overtime",
    "late",
    "in_time",
    "round",
    "chosen",
];

/// The rules of a round. The names are those of [`NAMES`] in angle brackets, where they have to be free.
const ROUND: &str = "\
% In real time: a step of the game is a round of at most <time> units of time. Whoever is late loses.

init(<time>,<round>)

% Whoever has a choice is to move; if nobody has, everybody.

legal(R,M) :- <possible>(R,M) & <due>(R) & ~<chose>(R)

<due>(R) :- <choice>(R)
<due>(R) :- role(R) & ~<chooses>
<chooses> :- <choice>(R)
<choice>(R) :- <possible>(R,M) & <possible>(R,N) & distinct(M,N)
<chose>(R) :- true(T,<chosen>(R,M))

<played>(R,M) :- does(R,M)
<played>(R,M) :- true(T,<chosen>(R,M))
<played>(R,M) :- <possible>(R,M) & ~<due>(R)
<moved>(R) :- <played>(R,M)

<running> :- true(T,<round>)
<waiting> :- role(R) & ~<moved>(R)
<waiting> :- ~<running>

% When all have moved there is a step, and until then everything stays as it is.

next(infinity,F) :- <following>(F) & ~<waiting>
next(<time>,<round>) :- ~<waiting>
next(infinity,F) :- true(infinity,F) & <waiting>
next(T,<round>) :- true(T,<round>) & <waiting>
next(T,<chosen>(R,M)) :- true(T,<chosen>(R,M)) & <waiting>
next(T,<chosen>(R,M)) :- does(R,M) & true(T,<round>) & <waiting>

% When the time is over and somebody has not moved, the game is over.

<overtime> :- ~<running>
<late>(R) :- <due>(R) & ~<in_time>(R)
<in_time>(R) :- expired(<chosen>(R,M))

terminal :- <over>
terminal :- <overtime>

goal(R,N) :- <worth>(R,N) & ~<overtime>
goal(R,0) :- <overtime> & <late>(R)
goal(R,100) :- <overtime> & role(R) & ~<late>(R)
";

/// A game of GDL in real time, in the same notation; each step takes at most `step` units of game time. When everybody
/// moves in time, it is the same game. Comments and the order of the rules are kept, and some relations get other names.
///
/// ```
/// use std::sync::Arc;
/// use ludex_gdl::{Dialect, GameTime, Source, detect, load, parse, to_rtgdl};
///
/// let text = "role(you) init(at(1)) legal(you,go) next(at(2)) :- does(you,go) terminal :- true(at(2)) goal(you,50)";
/// let (walk, _) = parse(Arc::new(Source::new("walk.gdl", text)), None);
/// let timed = to_rtgdl(&walk, GameTime::parse("2.5")?)?;
/// assert_eq!(detect(&timed).0, Dialect::RtGdl);
/// assert!(!load(timed.source, &Default::default()).has_errors());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ToRealTimeError`].
pub fn to_rtgdl(rulesheet: &Rulesheet, step: GameTime) -> Result<Rulesheet, ToRealTimeError> {
    let dialect = detect(rulesheet).0;
    if dialect != Dialect::Gdl {
        return Err(ToRealTimeError::NotGdl { dialect });
    }
    if step == GameTime::ZERO {
        return Err(ToRealTimeError::NoTime);
    }
    different_numbers(&rulesheet.tree)?;
    let notation = rulesheet.notation;
    let mut conversion = Conversion { tree: rulesheet.tree.clone(), original: &rulesheet.tree };
    let items = rulesheet.items.iter().map(|item| conversion.item(item)).collect();
    let changed = Rulesheet { tree: conversion.tree, items, ..rulesheet.clone() };
    let mut text = print(&changed, notation);
    text.push('\n');
    text.push_str(&round(rulesheet, step));
    Ok(read_back(rulesheet, text, notation))
}

/// Refuses names that would become one number.
fn different_numbers(tree: &Tree) -> Result<(), ToRealTimeError> {
    for number in 0..tree.name_count() as u32 {
        let name = tree.name(NameId(number));
        let Ok(time) = GameTime::parse(name) else { continue };
        let short = time.to_string();
        if short != name && tree.find_name(&short).is_some() {
            return Err(ToRealTimeError::SameNumber { one: name.to_owned(), other: short });
        }
    }
    Ok(())
}

/// The rules of a round in the notation of the rulesheet.
fn round(rulesheet: &Rulesheet, step: GameTime) -> String {
    let tree = &rulesheet.tree;
    let mut text = ROUND.replace("<time>", &step.to_string());
    for name in NAMES {
        text = text.replace(&format!("<{name}>"), &free_name(tree, name));
    }
    // Where facts are declared and not asked for, those of the round are declared, too.
    let heads =
        |name: &str| rulesheet.items.iter().any(|item| tree.head(item.head).is_some_and(|h| h.0 == name));
    let is_asked = rulesheet
        .items
        .iter()
        .flat_map(|item| item.body.iter().flatten())
        .any(|&node| tree.mentions(node, "base"));
    if heads("base") && !is_asked {
        text.push_str(&format!("\nbase({})\n", free_name(tree, "round")));
        if heads("input") {
            text.push_str(&format!("base({}(R,M)) :- input(R,M)\n", free_name(tree, "chosen")));
        }
    }
    let source = Arc::new(Source::new(rulesheet.source.name(), text));
    let (rules, _) = parse(source, Some(Notation::Infix));
    print(&rules, rulesheet.notation)
}

struct Conversion<'a> {
    tree: Tree,
    /// The tree of the rulesheet, which has none of the new names.
    original: &'a Tree,
}

impl Conversion<'_> {
    fn item(&mut self, item: &Item) -> Item {
        let body = item.body.as_ref().map(|body| body.iter().map(|&node| self.formula(node)).collect());
        Item { head: self.formula(item.head), body, span: item.span }
    }

    /// The changed copy of a formula, without recursion: nothing limits its depth yet.
    fn formula(&mut self, root: NodeId) -> NodeId {
        enum Visit {
            Enter(NodeId),
            Leave(NodeId, usize),
        }
        let mut visits = vec![Visit::Enter(root)];
        let mut done: Vec<NodeId> = Vec::new();
        while let Some(visit) = visits.pop() {
            match visit {
                Visit::Enter(node) if matches!(self.tree.head(node), Some(("and" | "or" | "not", 1..))) => {
                    visits.push(Visit::Leave(node, done.len()));
                    visits.extend(self.tree.children(node).iter().rev().map(|&child| Visit::Enter(child)));
                }
                Visit::Enter(node) => {
                    let literal = self.literal(node);
                    done.push(literal);
                }
                Visit::Leave(node, first) => {
                    let children = done.split_off(first);
                    let NodeKind::Compound { name, name_span, .. } = self.tree.node(node).kind else {
                        continue;
                    };
                    let span = self.tree.span(node);
                    done.push(self.tree.compound(name, name_span, &children, span));
                }
            }
        }
        done.pop().unwrap_or(root)
    }

    fn literal(&mut self, node: NodeId) -> NodeId {
        let Some(change) = self.change(node) else { return node };
        let span = self.tree.span(node);
        let children = self.tree.children(node).to_vec();
        let (name, name_span) = match self.tree.node(node).kind {
            NodeKind::Compound { name, name_span, .. } => (name, name_span),
            NodeKind::Constant(name) => (name, span),
            NodeKind::Variable(_) | NodeKind::Error => return node,
        };
        match change {
            Change::Name(name) if children.is_empty() => self.tree.constant(name, span),
            Change::Name(name) => self.tree.compound(name, name_span, &children, span),
            Change::Lifetime => {
                let infinity = self.tree.intern(INFINITY);
                let mut args = vec![self.tree.constant(infinity, name_span)];
                args.extend(children);
                self.tree.compound(name, name_span, &args, span)
            }
        }
    }

    /// What becomes of a literal.
    fn change(&mut self, node: NodeId) -> Option<Change> {
        let (name, arity) = self.tree.head(node)?;
        let word = match (name, arity) {
            ("true" | "init", 1) => return Some(Change::Lifetime),
            ("next", 1) => "following",
            ("does", 2) => "played",
            ("legal", 2) => "possible",
            ("goal", 2) => "worth",
            ("terminal", 0) => "over",
            // These have a meaning in rtGDL that they have not here.
            ("expired", 1) => "expired_before",
            ("sees", _) => "sees_there",
            _ => return None,
        };
        Some(Change::Name(self.new_name(word)))
    }

    /// A name that the rulesheet does not have.
    fn new_name(&mut self, word: &str) -> NameId {
        let name = free_name(self.original, word);
        self.tree.intern(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{LoadOptions, load};
    use crate::print::same_rules;

    fn read(text: &str, notation: Notation) -> Rulesheet {
        let (sheet, errors) = parse(Arc::new(Source::new("test", text)), Some(notation));
        assert_eq!(errors, []);
        sheet
    }

    #[test]
    fn what_has_a_meaning_is_changed_and_nothing_else() {
        let text = "% A walk.\nrole(you)\ninit(at(1)) % here\nlegal(you,go) :- ~(true(at(1)) & (round | true(at(2))))\n\
            next(true(F)) :- does(you,go) & true(F) & ~expired(F)\nterminal :- true(at(2))\ngoal(you,50) :- terminal";
        let expected = "% A walk.\nrole(you)\ninit(infinity,at(1)) % here\n\
            possible(you,go) :- ~(true(infinity,at(1)) & (round | true(infinity,at(2))))\n\
            following(true(F)) :- played(you,go) & true(infinity,F) & ~expired_before(F)\n\
            over :- true(infinity,at(2))\nworth(you,50) :- over\n\n% In real time";
        let sheet = read(text, Notation::Infix);
        let timed = to_rtgdl(&sheet, GameTime::parse("1.50").unwrap()).unwrap();
        assert!(timed.source.text().starts_with(expected), "{}", timed.source.text());
        assert!(timed.source.text().contains("init(1.5,round_2)"), "{}", timed.source.text());
        let prefix = crate::convert::convert(&sheet, Notation::Prefix);
        let other = to_rtgdl(&prefix, GameTime::parse("1.5").unwrap()).unwrap();
        assert_eq!(other.notation, Notation::Prefix);
        assert!(
            same_rules(&other, &crate::convert::convert(&timed, Notation::Prefix)),
            "{}",
            other.source.text()
        );
    }

    #[test]
    fn what_is_declared_stays_declared() {
        let text = "role(you) base(at(1)) base(at(2)) input(you,go) init(at(1)) legal(you,go) next(at(2)) :- does(you,go).
            terminal :- true(at(2)). goal(you,50)";
        let timed = to_rtgdl(&read(text, Notation::Infix), GameTime::ONE).unwrap();
        let checked = load(timed.source, &LoadOptions::default());
        let found: Vec<_> =
            checked.diagnostics.iter().map(|d| (d.code.to_string(), d.message.clone())).collect();
        assert!(found.iter().all(|(code, _)| code == "L054"), "{found:?}");
        assert!(checked.rulesheet.source.text().contains("base(chosen(R,M)) :- input(R,M)"));
    }

    #[test]
    fn only_gdl_becomes_real_time() {
        let convert = |text: &str, time| to_rtgdl(&read(text, Notation::Infix), time).map(|_| ());
        let seen = convert("role(a) sees(a,p)", GameTime::ONE);
        assert_eq!(seen, Err(ToRealTimeError::NotGdl { dialect: Dialect::GdlII }));
        assert_eq!(convert("role(a)", GameTime::ZERO), Err(ToRealTimeError::NoTime));
        let (one, other) = ("1.0".to_owned(), "1".to_owned());
        assert_eq!(convert("p(1.0) p(1)", GameTime::ONE), Err(ToRealTimeError::SameNumber { one, other }));
    }
}
