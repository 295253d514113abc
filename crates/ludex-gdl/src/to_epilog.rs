//! From GDL to Epilog: the same game with moves that have no roles, where one role after the other moves.

use ludex_logic::dependency::Dependencies;
use ludex_logic::{Id, RelationId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::registry::OPERATION;
use crate::convert::{free_name, read_back, variable_beside};
use crate::diagnostic::Diagnostic;
use crate::dialect::detect;
use crate::epilog;
use crate::game_program::{Dialect, GameProgram};
use crate::lower::lower;
use crate::print::print;
use crate::source::Span;
use crate::tree::{Item, NodeId, NodeKind, Notation, Rulesheet, Tree};

/// Why a rulesheet does not become one in Epilog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToEpilogError {
    /// It is not in GDL.
    #[error("only GDL becomes Epilog; this is {dialect}")]
    NotGdl {
        /// The language.
        dialect: Dialect,
    },
    /// Some clauses cannot be read.
    #[error("the rules have errors, so that nothing can be said of their moves")]
    Wrong,
    /// Epilog has no words for something in it.
    #[error("{}", .finding.message)]
    NotExpressible {
        /// What, and where.
        finding: Box<Diagnostic>,
    },
}

/// A game of GDL as one of Epilog, in the same notation, where it has one role, or where `control` says who moves and all
/// others wait by one move. Comments are kept.
///
/// What holds next depends on the state and the move: `next` becomes a relation with the move as one more argument, and two
/// operations for each kind of fact add and delete what differs.
///
/// ```
/// use std::sync::Arc;
/// use ludex_gdl::{Dialect, Source, detect, load, parse, to_epilog};
///
/// let text = "role(you) init(lit) legal(you,press) next(off) :- does(you,press) & true(lit)\n\
///     goal(you,100) :- true(off)\nterminal :- true(off)";
/// let (lamp, _) = parse(Arc::new(Source::new("lamp.gdl", text)), None);
/// let sheet = to_epilog(&lamp)?;
/// assert_eq!(detect(&sheet).0, Dialect::Epilog);
/// assert!(sheet.source.text().contains("after(off,A) :- made(you,press,A) & lit"));
/// assert!(sheet.source.text().contains("update(A) :: lit & ~after(lit,A) ==> ~lit"));
/// assert!(!load(sheet.source, &Default::default()).has_errors());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ToEpilogError`].
pub fn to_epilog(rulesheet: &Rulesheet) -> Result<Rulesheet, ToEpilogError> {
    let dialect = detect(rulesheet).0;
    if dialect != Dialect::Gdl {
        return Err(ToEpilogError::NotGdl { dialect });
    }
    let Some(game) = lower(rulesheet, dialect).0 else { return Err(ToEpilogError::Wrong) };
    let mut conversion = Conversion::new(rulesheet, &game);
    conversion.turns()?;
    conversion.names()?;
    for (number, item) in rulesheet.items.iter().enumerate() {
        let converted = conversion.item(number, item)?;
        conversion.items.extend(converted);
    }
    let written = conversion.items.len();
    conversion.moves();
    conversion.updates();
    let mut authors = Rulesheet { tree: conversion.tree, items: conversion.items, ..rulesheet.clone() };
    let common = authors.items.split_off(written);
    let mut text = print(&authors, rulesheet.notation);
    text.push('\n');
    let common = Rulesheet { items: common, comments: Vec::new(), ..authors };
    text.push_str(&print(&common, rulesheet.notation));
    Ok(read_back(rulesheet, text, rulesheet.notation))
}

struct Conversion<'a> {
    rulesheet: &'a Rulesheet,
    game: &'a GameProgram,
    notation: Notation,
    tree: Tree,
    items: Vec<Item>,
    /// By relation: whether it depends on the moves.
    has_move: Vec<bool>,
    /// The role of a game with one.
    only_role: Option<NodeId>,
    /// The move of roles that wait.
    wait: Option<NodeId>,
    /// Facts of the state and moves, by name and number of arguments, in order.
    facts: Vec<(String, usize)>,
    moves: Vec<(String, usize)>,
    renamed: FxHashMap<String, String>,
    after: String,
    made: String,
    update: String,
}

fn refused(span: Span, message: impl Into<String>, hint: &str) -> ToEpilogError {
    ToEpilogError::NotExpressible { finding: Box::new(OPERATION.at(span, message).hint(hint)) }
}

const TURNS: &str = "in Epilog one role after the other moves: say who by `true(control(R))`, and let all others wait by one move";

impl<'a> Conversion<'a> {
    fn new(rulesheet: &'a Rulesheet, game: &'a GameProgram) -> Self {
        let depends = Dependencies::new(&game.program).dependents([game.vocabulary.does]);
        let tree = rulesheet.tree.clone();
        let [after, made, update] = ["after", "made", "update"].map(|word| free_name(&tree, word));
        Self {
            rulesheet,
            game,
            notation: rulesheet.notation,
            items: Vec::new(),
            has_move: depends.iter().copied().collect(),
            only_role: None,
            wait: None,
            facts: Vec::new(),
            moves: Vec::new(),
            renamed: FxHashMap::default(),
            after,
            made,
            update,
            tree,
        }
    }

    fn relation(&self, number: usize) -> RelationId {
        self.game.program.clauses.as_slice()[number].head.relation
    }

    /// Finds who moves in which state.
    fn turns(&mut self) -> Result<(), ToEpilogError> {
        let v = &self.game.vocabulary;
        if let [_] = self.game.roles[..] {
            let place = (0..self.rulesheet.items.len()).find(|&number| self.relation(number) == v.role);
            self.only_role =
                place.and_then(|at| self.tree.children(self.rulesheet.items[at].head).first().copied());
            return Ok(());
        }
        for (number, item) in self.rulesheet.items.iter().enumerate() {
            if self.relation(number) != v.legal {
                continue;
            }
            let &[role, action] = self.tree.children(item.head) else { return Err(ToEpilogError::Wrong) };
            if self.is_in_control(item, role) {
                continue;
            }
            let is_wait = self.waits(item, role)
                && self.tree.children(action).is_empty()
                && self.wait.is_none_or(|wait| self.tree.head(wait) == self.tree.head(action));
            if !is_wait || !matches!(self.tree.node(action).kind, NodeKind::Constant(_)) {
                let message = "this move does not need `control`, so that several roles may move at once";
                return Err(refused(item.span, message, TURNS));
            }
            self.wait = Some(action);
        }
        Ok(())
    }

    /// The terms that a body says are in control.
    fn in_control(&self, item: &Item) -> Vec<NodeId> {
        let nodes = item.body.iter().flatten();
        nodes.filter_map(|&node| self.control(node)).collect()
    }

    fn control(&self, node: NodeId) -> Option<NodeId> {
        let &[fact] = self.tree.children(node) else { return None };
        let is_control =
            self.tree.head(node) == Some(("true", 1)) && self.tree.head(fact) == Some(("control", 1));
        self.tree.children(fact).first().copied().filter(|_| is_control)
    }

    fn same(&self, one: NodeId, other: NodeId) -> bool {
        match (&self.tree.node(one).kind, &self.tree.node(other).kind) {
            (NodeKind::Variable(one), NodeKind::Variable(other)) => one == other,
            (NodeKind::Constant(one), NodeKind::Constant(other)) => one == other,
            _ => false,
        }
    }

    fn is_in_control(&self, item: &Item, role: NodeId) -> bool {
        self.in_control(item).iter().any(|&other| self.same(role, other))
    }

    /// Whether a body says that the role is not in control.
    fn waits(&self, item: &Item, role: NodeId) -> bool {
        let is_constant = |node: NodeId| matches!(self.tree.node(node).kind, NodeKind::Constant(_));
        let body = item.body.as_deref().unwrap_or_default();
        let differs = |other: NodeId| {
            (is_constant(role) && is_constant(other))
                || body.iter().any(|&node| match (self.tree.head(node), self.tree.children(node)) {
                    (Some(("distinct", 2)), &[one, two]) => {
                        (self.same(one, role) && self.same(two, other))
                            || (self.same(two, role) && self.same(one, other))
                    }
                    _ => false,
                })
        };
        let denies = |&node: &NodeId| match (self.tree.head(node), self.tree.children(node)) {
            (Some(("not", 1)), &[inner]) => self.control(inner).is_some_and(|other| self.same(role, other)),
            _ => false,
        };
        self.in_control(item).into_iter().any(differs) || body.iter().any(denies)
    }

    /// Finds what facts and moves are called, and gives relations that get in their way other names.
    fn names(&mut self) -> Result<(), ToEpilogError> {
        let v = &self.game.vocabulary;
        for (number, item) in self.rulesheet.items.iter().enumerate() {
            let relation = self.relation(number);
            let children = self.tree.children(item.head);
            let term = match *children {
                [fact] if relation == v.init || relation == v.next => fact,
                [_, action] if relation == v.legal => action,
                _ => continue,
            };
            let is_move = relation == v.legal;
            let terms = if is_move { self.values(item, term) } else { vec![term] };
            for term in terms {
                let Some((name, arity)) = self.tree.head(term) else {
                    let message = "a variable stands for a fact or a move";
                    return Err(refused(
                        item.span,
                        message,
                        "operations name the moves, and effects the facts",
                    ));
                };
                let shape = (name.to_owned(), arity);
                let waits = self.wait.is_some_and(|wait| self.tree.head(wait) == Some((name, arity)));
                let list = if is_move { &mut self.moves } else { &mut self.facts };
                if !(list.contains(&shape) || is_move && waits) {
                    list.push(shape);
                }
            }
        }
        let span = self.rulesheet.items.first().map_or(Span::default(), |item| item.span);
        for (name, _) in &self.facts {
            // `control(R)` says in both who moves.
            let is_word = name != "control" && epilog::is_word(name);
            if is_word || self.moves.iter().any(|(action, _)| action == name) {
                let message = format!(
                    "a fact of the state is called `{name}`, which is the name of a move or a word of Epilog"
                );
                return Err(refused(span, message, "give the fact another name"));
            }
        }
        let taken: FxHashSet<&String> = self.facts.iter().map(|(name, _)| name).collect();
        let relations = self.game.program.relations.iter();
        let mut clashes: Vec<String> =
            relations.map(|relation| self.game.program.terms.name(relation.name).to_owned()).collect();
        clashes.retain(|name| {
            taken.contains(name)
                || matches!(name.as_str(), "action" | "false")
                || name == "control" && self.only_role.is_some()
        });
        for name in clashes {
            let new = free_name(&self.tree, &format!("{name}_relation"));
            self.tree.intern(&new);
            self.renamed.insert(name, new);
        }
        if self.only_role.is_some() && self.facts.iter().any(|(name, _)| name == "control") {
            // The fact says who is in control, as it does in Epilog.
            self.only_role = None;
        }
        Ok(())
    }

    /// The moves for which a term stands: for a variable, what the clauses say of a relation that gives it its values.
    fn values(&self, item: &Item, term: NodeId) -> Vec<NodeId> {
        if self.tree.head(term).is_some() {
            return vec![term];
        }
        for &node in item.body.iter().flatten() {
            let place = self.tree.children(node).iter().position(|&argument| self.same(argument, term));
            let (Some(head), Some(place)) = (self.tree.head(node), place) else { continue };
            let clauses =
                self.rulesheet.items.iter().filter(|other| self.tree.head(other.head) == Some(head));
            let found: Vec<NodeId> =
                clauses.filter_map(|other| self.tree.children(other.head).get(place).copied()).collect();
            if !found.is_empty() && found.iter().all(|&value| self.tree.head(value).is_some()) {
                return found;
            }
        }
        vec![term]
    }

    fn variable_beside(&mut self, wanted: &str, nodes: &[NodeId], span: Span) -> NodeId {
        variable_beside(&mut self.tree, wanted, nodes, self.notation, span)
    }

    fn item(&mut self, number: usize, item: &Item) -> Result<Vec<Item>, ToEpilogError> {
        let (relation, v) = (self.relation(number), &self.game.vocabulary);
        let span = item.span;
        let mut nodes = vec![item.head];
        nodes.extend(item.body.iter().flatten());
        let action = self.variable_beside("A", &nodes, span);
        let mut body = Vec::new();
        for &node in item.body.iter().flatten() {
            body.push(self.formula(node, action)?);
        }
        // Epilog works bodies off in their order: what gives values comes first.
        body.sort_by_key(|&node| matches!(self.tree.head(node), Some(("not" | "distinct", _))));
        let children = self.tree.children(item.head).to_vec();
        let mut items = Vec::new();
        let head = match *children {
            [role, term] if relation == v.legal => {
                let is_wait =
                    self.wait.is_some_and(|wait| self.same(wait, term)) && !self.is_in_control(item, role);
                if is_wait {
                    return Ok(items);
                }
                self.tree.sentence("legal", &[term], span)
            }
            [_, term] if relation == v.input => self.tree.sentence("action", &[term], span),
            [fact] if relation == v.next => {
                let after = self.after.clone();
                self.tree.sentence(&after, &[fact, action], span)
            }
            _ => self.literal(item.head, action),
        };
        if self.has_move[relation.index()] && !self.gives(&body, action) {
            body.insert(0, self.tree.sentence("legal", &[action], span));
        }
        if let Some(role) = self.only_role.filter(|_| relation == v.role) {
            let control = self.tree.sentence("control", &[role], span);
            items.push(Item { head: control, body: None, span: Span { start: span.end, ..span } });
        }
        items.insert(0, Item { head, body: (!body.is_empty()).then_some(body), span });
        Ok(items)
    }

    /// Whether some subgoal that has to hold gives the move its value.
    fn gives(&self, body: &[NodeId], action: NodeId) -> bool {
        body.iter().any(|&node| {
            !matches!(self.tree.head(node), Some(("not" | "distinct" | "or", _)))
                && self.tree.children(node).last().is_some_and(|&last| self.same(last, action))
        })
    }

    /// The changed copy of a formula. Lowering has limited its depth.
    fn formula(&mut self, node: NodeId, action: NodeId) -> Result<NodeId, ToEpilogError> {
        let span = self.tree.span(node);
        let children = self.tree.children(node).to_vec();
        match (self.tree.head(node).map(|(name, arity)| (name.to_owned(), arity)), &children[..]) {
            (Some((name, 1..)), _) if matches!(name.as_str(), "and" | "or" | "not") => {
                let mut parts = Vec::with_capacity(children.len());
                for child in children {
                    parts.push(self.formula(child, action)?);
                }
                Ok(self.tree.sentence(&name, &parts, span))
            }
            (Some((name, 1)), &[fact]) if name == "true" => {
                if self.tree.head(fact).is_none() {
                    let message = "a variable stands for a fact";
                    return Err(refused(
                        span,
                        message,
                        "in Epilog conditions name the facts that they ask for",
                    ));
                }
                Ok(fact)
            }
            (Some((name, 2)), &[role, term]) if name == "does" => {
                if self.wait.is_some_and(|wait| self.same(wait, term)) {
                    let message =
                        "this asks for the move of a role that waits, and in Epilog such roles do not move";
                    return Err(refused(span, message, "ask for what the role in control does"));
                }
                let made = self.made.clone();
                Ok(self.tree.sentence(&made, &[role, term, action], span))
            }
            (Some((name, 2)), &[role, term]) if name == "legal" => {
                if self.wait.is_some() {
                    let message = "this asks which moves are legal, and in Epilog only those of the role in control are";
                    return Err(refused(
                        span,
                        message,
                        "say what makes the move legal by a relation of its own",
                    ));
                }
                let parts = [
                    self.tree.sentence("control", &[role], span),
                    self.tree.sentence("legal", &[term], span),
                ];
                Ok(self.tree.sentence("and", &parts, span))
            }
            _ => Ok(self.literal(node, action)),
        }
    }

    /// An atom with the move, where it depends on it.
    fn literal(&mut self, node: NodeId, action: NodeId) -> NodeId {
        let Some((name, arity)) = self.tree.head(node).map(|(name, arity)| (name.to_owned(), arity)) else {
            return node;
        };
        let relation = self.game.program.find_relation(&name, arity);
        let has_move = name != "distinct" && relation.is_some_and(|id| self.has_move[id.index()]);
        let new = self.renamed.get(&name).filter(|_| name != "distinct").cloned();
        if !has_move && new.is_none() {
            return node;
        }
        let mut args = self.tree.children(node).to_vec();
        args.extend(Some(action).filter(|_| has_move));
        let span = self.tree.span(node);
        self.tree.sentence(&new.unwrap_or(name), &args, span)
    }

    /// `made(R,M,A)`: the move A that is made is the move M of role R.
    fn moves(&mut self) {
        let span = Span::default();
        let (made, update) = (self.made.clone(), self.update.clone());
        let role = self.variable_beside("R", &[], span);
        let term = self.variable_beside("M", &[], span);
        let head = self.tree.sentence(&made, &[role, term, term], span);
        let body =
            vec![self.tree.sentence("control", &[role], span), self.tree.sentence("legal", &[term], span)];
        self.items.push(Item { head, body: Some(body), span });
        for (name, arity) in self.moves.clone() {
            let args = self.arguments(arity);
            let action = self.tree.sentence(&name, &args, span);
            let effect = self.tree.sentence(&update, &[action], span);
            let head = self.tree.sentence("::", &[action, effect], span);
            self.items.push(Item { head, body: None, span });
        }
    }

    fn arguments(&mut self, count: usize) -> Vec<NodeId> {
        (1..=count).map(|number| self.variable_beside(&format!("X{number}"), &[], Span::default())).collect()
    }

    /// What holds next and does not hold becomes true; what holds and not next, false.
    fn updates(&mut self) {
        let span = Span::default();
        let (after, update) = (self.after.clone(), self.update.clone());
        let action = self.variable_beside("A", &[], span);
        for (name, arity) in self.facts.clone() {
            let args = self.arguments(arity);
            let fact = self.tree.sentence(&name, &args, span);
            let next = self.tree.sentence(&after, &[fact, action], span);
            let not_next = self.tree.sentence("not", &[next], span);
            let not_fact = self.tree.sentence("not", &[fact], span);
            let lost = self.tree.sentence("and", &[fact, not_next], span);
            for (condition, effect) in [(next, fact), (lost, not_fact)] {
                let head = self.tree.sentence(&update, &[action], span);
                let transition = self.tree.sentence("==>", &[condition, effect], span);
                let head = self.tree.sentence("::", &[head, transition], span);
                self.items.push(Item { head, body: None, span });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::from_epilog::{FromEpilogError, from_epilog};
    use crate::load::load;
    use crate::parse::parse;
    use crate::source::Source;

    fn sheet(text: &str) -> Rulesheet {
        let (sheet, errors) = parse(Arc::new(Source::new("test", text)), Some(Notation::Infix));
        assert_eq!(errors, [], "{text}");
        sheet
    }

    const GAME: &str = "role(x) role(o) init(control(x)) init(cell(1,b)) cell(7)\n\
        legal(R,mark(N)) :- true(control(R)) & true(cell(N,b))\nlegal(R,noop) :- role(R) & ~true(control(R))\n\
        next(cell(N,R)) :- does(R,mark(N))\nnext(cell(N,V)) :- true(cell(N,V)) & ~touched(N)\ntouched(N) :- does(R,mark(N))\n\
        next(control(o)) :- true(control(x))\nnext(control(x)) :- true(control(o))\n\
        goal(R,50) :- role(R) & cell(7)\nterminal :- ~open\nopen :- true(cell(N,b))\n";

    #[test]
    fn what_holds_next_depends_on_the_move() {
        let converted = to_epilog(&sheet(GAME)).unwrap();
        let text = converted.source.text();
        for rule in [
            "legal(mark(N)) :- control(R) & cell(N,b)\n",
            "after(cell(N,R),A) :- made(R,mark(N),A)\n",
            "after(cell(N,V),A) :- legal(A) & cell(N,V) & ~touched(N,A)\n",
            "touched(N,A) :- made(R,mark(N),A)\n",
            "goal(R,50) :- role(R) & cell_relation(7)\n",
            "made(R,M,M) :- control(R) & legal(M)\n",
            "mark(X1) :: update(mark(X1))\n",
            "update(A) :: after(cell(X1,X2),A) ==> cell(X1,X2)\n",
            "update(A) :: control(X1) & ~after(control(X1),A) ==> ~control(X1)\n",
        ] {
            assert!(text.contains(rule), "{rule}\n{text}");
        }
        assert!(!text.contains("noop"));
        let checked = load(converted.source, &Default::default());
        assert_eq!(checked.dialect, Dialect::Epilog);
        assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
    }

    #[test]
    fn moves_may_be_those_of_another_relation() {
        let text = GAME.replace(
            "legal(R,mark(N)) :- true(control(R)) & true(cell(N,b))",
            "legal(R,M) :- true(control(R)) & may(M)\nmay(mark(N)) :- true(cell(N,b))",
        );
        let converted = to_epilog(&sheet(&text)).unwrap();
        let printed = converted.source.text();
        assert!(
            printed.contains("legal(M) :- control(R) & may(M)\n")
                && printed.contains("mark(X1) :: update(mark(X1))")
        );
        assert!(!load(converted.source, &Default::default()).has_errors());
    }

    #[test]
    fn what_epilog_has_no_words_for_is_refused() {
        let message = |text: &str| match to_epilog(&sheet(text)).unwrap_err() {
            ToEpilogError::NotExpressible { finding } => finding.message,
            other => other.to_string(),
        };
        let several = GAME.replace("true(control(R)) & true(cell", "true(cell");
        assert!(message(&several).contains("several roles may move at once"));
        assert!(
            message(
                &GAME.replace("does(R,mark(N))\nnext(cell(N,V))", "does(R,noop) & role(N)\nnext(cell(N,V))")
            )
            .contains("role that waits")
        );
        assert!(message(&format!("{GAME}init(mark(1))")).contains("is called `mark`"));
        for word in ["times(1,2)", "countofall(1)", "max(1)", "goal(1)"] {
            let fact = message(&format!("{GAME}init({word})"));
            assert!(fact.contains("a word of Epilog"), "{word}: {fact}");
        }
        assert!(message(&format!("{GAME}open :- true(F)")).contains("a variable stands for a fact"));
        assert!(message("init(1,p)\nterminal :- expired(p)").contains("this is rtGDL"));
        assert_eq!(to_epilog(&sheet("p(X) :- not(q(X),r(X))")).unwrap_err(), ToEpilogError::Wrong);
        let other = FromEpilogError::NotEpilog { dialect: Dialect::Gdl };
        assert_eq!(from_epilog(&sheet(GAME)).unwrap_err(), other);
        let FromEpilogError::Wrong { findings } =
            from_epilog(&sheet("role(a) legal(a)\na :: p(X)")).unwrap_err()
        else {
            panic!("an effect without values has no meaning")
        };
        assert_eq!(findings.len(), 1);
    }
}
