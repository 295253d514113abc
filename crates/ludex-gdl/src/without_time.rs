//! From rtGDL to GDL: the same game where no time passes, for players and tools that know nothing of time.
//!
//! Facts lose their lifetimes, nothing ever expires, and in each step everybody moves who may; who may not does nothing. For
//! a game with turns in which nobody is ever late, this is the game that is played. Lifetimes that rules use as terms
//! (what is left of a chess clock) become one name, since nothing is known of them.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::convert::{free_name, read_back};
use crate::dialect::detect;
use crate::game_program::Dialect;
use crate::parse::parse;
use crate::print::print;
use crate::source::Source;
use crate::tree::{Item, NameId, NodeId, NodeKind, Notation, Rulesheet, Tree};

/// A rulesheet that is not in rtGDL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("only rtGDL becomes GDL by leaving out the time; this is {dialect}")]
pub struct NotRealTime {
    /// The language.
    pub dialect: Dialect,
}

/// A game in real time as one of GDL.
#[derive(Clone, Debug)]
pub struct WithoutTime {
    /// The rules in GDL.
    pub rulesheet: Rulesheet,
    /// The move of those who may do nothing else, which is none of the game in real time.
    pub do_nothing: String,
}

/// Who may do nothing else does nothing.
const STEPS: &str = "\
% Without time: in a step everybody moves who may, and who may not does nothing.

legal(R,M) :- <may_do>(R,M)
legal(R,<do_nothing>) :- role(R) & ~<may_move>(R)
<may_move>(R) :- <may_do>(R,M)
<makes>(R,M) :- does(R,M) & distinct(M,<do_nothing>)
";

/// A game in real time as one of GDL in which no time passes, in the same notation. Comments and the order of the rules are
/// kept.
///
/// ```
/// use std::sync::Arc;
/// use ludex_gdl::{Dialect, Source, detect, load, parse, without_time};
///
/// let text = "role(you) init(1.0,bomb) legal(you,defuse) :- true(T,bomb) next(infinity,safe) :- does(you,defuse)
///     next(T,bomb) :- true(T,bomb) & ~does(you,defuse) terminal :- expired(bomb) terminal :- true(T,safe)
///     goal(you,100) :- true(T,safe) goal(you,0) :- ~true(infinity,safe)";
/// let (bomb, _) = parse(Arc::new(Source::new("bomb.gdl", text)), None);
/// let steps = without_time(&bomb)?.rulesheet;
/// assert_eq!(detect(&steps).0, Dialect::Gdl);
/// assert!(!load(steps.source, &Default::default()).has_errors());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`NotRealTime`] for another language; chance and percepts (rtGDL-II) are not left out.
pub fn without_time(rulesheet: &Rulesheet) -> Result<WithoutTime, NotRealTime> {
    let dialect = detect(rulesheet).0;
    if dialect != Dialect::RtGdl {
        return Err(NotRealTime { dialect });
    }
    let notation = rulesheet.notation;
    let name = |word: &str| free_name(&rulesheet.tree, word);
    let mut tree = rulesheet.tree.clone();
    let [may_do, makes, is_over, some_time] =
        ["may_do", "makes", "is_over", "some_time"].map(|word| tree.intern(&name(word)));
    let mut removal = Removal { tree, may_do, makes, is_over, some_time, lifetimes: FxHashSet::default() };
    let items = rulesheet.items.iter().map(|item| removal.item(item)).collect();
    let changed = Rulesheet { tree: removal.tree, items, ..rulesheet.clone() };
    let mut text = print(&changed, notation);
    let mut steps = STEPS.to_owned();
    // Where moves are declared, this one is, too.
    if rulesheet.items.iter().any(|item| rulesheet.tree.head(item.head) == Some(("input", 2))) {
        steps.push_str("input(R,<do_nothing>) :- role(R)\n");
    }
    for word in ["may_do", "makes", "do_nothing", "may_move"] {
        steps = steps.replace(&format!("<{word}>"), &name(word));
    }
    let source = Arc::new(Source::new(rulesheet.source.name(), steps));
    let (rules, _) = parse(source, Some(Notation::Infix));
    text.push('\n');
    text.push_str(&print(&rules, notation));
    Ok(WithoutTime { rulesheet: read_back(rulesheet, text, notation), do_nothing: name("do_nothing") })
}

struct Removal {
    tree: Tree,
    may_do: NameId,
    makes: NameId,
    /// A relation without rules.
    is_over: NameId,
    some_time: NameId,
    /// The variables of the rule that stand for lifetimes, and get no value otherwise.
    lifetimes: FxHashSet<NameId>,
}

/// What comes next in a walk that does without recursion.
enum Visit {
    Enter(NodeId, Position),
    Leave(NodeId, Position, usize),
}

/// Whether a node is a formula or a term.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Formula,
    Term,
}

impl Removal {
    fn item(&mut self, item: &Item) -> Item {
        let formulas = || std::iter::once(item.head).chain(item.body.iter().flatten().copied());
        let bound: FxHashSet<NameId> =
            item.body.iter().flatten().flat_map(|&formula| in_terms(&self.tree, formula)).collect();
        self.lifetimes = formulas().flat_map(|formula| lifetimes(&self.tree, formula)).collect();
        self.lifetimes.retain(|name| !bound.contains(name));
        let head = self.formula(item.head);
        let body = item.body.as_ref().map(|body| body.iter().map(|&node| self.formula(node)).collect());
        Item { head, body, span: item.span }
    }

    /// The changed copy of a formula.
    fn formula(&mut self, root: NodeId) -> NodeId {
        let mut visits = vec![Visit::Enter(root, Position::Formula)];
        let mut done: Vec<NodeId> = Vec::new();
        while let Some(visit) = visits.pop() {
            match visit {
                Visit::Enter(node, position) => match self.tree.node(node).kind {
                    NodeKind::Variable(name) if self.lifetimes.contains(&name) => {
                        let span = self.tree.span(node);
                        done.push(self.tree.constant(self.some_time, span));
                    }
                    NodeKind::Compound { .. } => {
                        visits.push(Visit::Leave(node, position, done.len()));
                        let below = match self.tree.head(node) {
                            Some(("and" | "or" | "not", _)) => position,
                            _ => Position::Term,
                        };
                        let children = self.tree.children(node).iter().rev();
                        visits.extend(children.map(|&child| Visit::Enter(child, below)));
                    }
                    NodeKind::Constant(_) | NodeKind::Variable(_) | NodeKind::Error => done.push(node),
                },
                Visit::Leave(node, position, first) => {
                    let children = done.split_off(first);
                    done.push(self.compound(node, position, &children));
                }
            }
        }
        done.pop().unwrap_or(root)
    }

    fn compound(&mut self, node: NodeId, position: Position, children: &[NodeId]) -> NodeId {
        let span = self.tree.span(node);
        let NodeKind::Compound { name, name_span, .. } = self.tree.node(node).kind else { return node };
        let head = self.tree.head(node).filter(|_| position == Position::Formula);
        let (name, children) = match head {
            Some(("true" | "next" | "init", 2)) => (name, &children[1..]),
            Some(("legal", 2)) => (self.may_do, children),
            Some(("does", 2)) => (self.makes, children),
            Some(("expired", 1)) => (self.is_over, children),
            _ => (name, children),
        };
        self.tree.compound(name, name_span, children, span)
    }
}

/// The variables that stand for lifetimes in a formula.
fn lifetimes(tree: &Tree, formula: NodeId) -> Vec<NameId> {
    let mut found = Vec::new();
    let mut open = vec![formula];
    while let Some(node) = open.pop() {
        match tree.head(node) {
            Some(("and" | "or" | "not", _)) => open.extend(tree.children(node)),
            Some(("true" | "next" | "init", 2)) => {
                if let Some(&first) = tree.children(node).first()
                    && let NodeKind::Variable(name) = tree.node(first).kind
                {
                    found.push(name);
                }
            }
            _ => {}
        }
    }
    found
}

/// The variables that the terms of a formula have, but for those that stand for lifetimes.
fn in_terms(tree: &Tree, formula: NodeId) -> Vec<NameId> {
    let mut found = Vec::new();
    let mut open = vec![(formula, Position::Formula)];
    while let Some((node, position)) = open.pop() {
        if let NodeKind::Variable(name) = tree.node(node).kind {
            found.push(name);
        }
        let (first, below) = match tree.head(node).filter(|_| position == Position::Formula) {
            // What is denied gives a variable no value.
            Some(("not" | "distinct", _)) => continue,
            Some(("and" | "or", _)) => (0, Position::Formula),
            Some(("true" | "next" | "init", 2)) => (1, Position::Term),
            _ => (0, Position::Term),
        };
        open.extend(tree.children(node).iter().skip(first).map(|&child| (child, below)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::load;

    #[test]
    fn lifetimes_are_left_out_and_nothing_expires() {
        let text = "% A clock.\nrole(you)\ninit(infinity,timer(5))\ninit(5,may_do)\n\
            legal(you,stop) :- true(T,may_do)\n\
            next(infinity,timer(T)) :- does(you,stop) & true(T,may_do) & ~expired(may_do)\n\
            next(T,f(true(T,a))) :- true(T,may_do) & ~true(T,g)\n\
            next(T,may_do) :- true(infinity,timer(T))\nterminal :- true(infinity,timer(T)) & distinct(T,5)\n\
            goal(you,50)";
        let expected = "% A clock.\nrole(you)\ninit(timer(5))\ninit(may_do)\nmay_do_2(you,stop) :- true(may_do)\n\
            next(timer(some_time)) :- makes(you,stop) & true(may_do) & ~is_over(may_do)\n\
            next(f(true(some_time,a))) :- true(may_do) & ~true(g)\nnext(may_do) :- true(timer(T))\n\
            terminal :- true(timer(T)) & distinct(T,5)\ngoal(you,50)\n\n% Without time";
        let (sheet, errors) = parse(Arc::new(Source::new("test", text)), Some(Notation::Infix));
        assert_eq!(errors, []);
        let steps = without_time(&sheet).unwrap().rulesheet;
        assert!(steps.source.text().starts_with(expected), "{}", steps.source.text());
        assert!(!load(Arc::clone(&steps.source), &Default::default()).has_errors());
        assert!(!steps.source.text().contains("input"));
        let declared = format!("{text}\ninput(you,stop)");
        let (declared, _) = parse(Arc::new(Source::new("test", declared)), Some(Notation::Infix));
        let declared = without_time(&declared).unwrap().rulesheet;
        assert!(declared.source.text().contains("input(R,do_nothing) :- role(R)"));
        assert_eq!(without_time(&steps).unwrap_err(), NotRealTime { dialect: Dialect::Gdl });
    }
}
