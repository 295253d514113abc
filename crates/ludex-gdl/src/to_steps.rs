//! From GDL to SDL: the same game with a step in all that changes.

use std::sync::Arc;

use ludex_logic::dependency::Dependencies;
use ludex_logic::{Formula, Id, RelationId};
use rustc_hash::FxHashMap;

use crate::convert::{free_name, free_variable, read_back};
use crate::dialect::detect;
use crate::game_program::{Dialect, GameProgram};
use crate::lower::lower;
use crate::parse::parse;
use crate::print::print;
use crate::source::{Source, Span};
use crate::tree::{Item, NameId, NodeId, NodeKind, Notation, Rulesheet, Tree};

/// Why a rulesheet does not become one with steps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WithStepsError {
    /// It is neither in GDL nor in GDL-II.
    #[error("only GDL becomes SDL; this is {dialect}")]
    NotGdl {
        /// The language.
        dialect: Dialect,
    },
    /// Some clauses cannot be read.
    #[error("the rules have errors, so that nothing can be said of their steps")]
    Wrong,
    /// There are too few steps for a game.
    #[error("a game needs at least two steps: a first and a last one")]
    TooFew,
}

/// A game of GDL or GDL-II as one of SDL (book 18) with so many steps, in the same notation. If it ends before the last one,
/// it is the same game. Comments and the order of the rules are kept; relations that get in the way of `step` and `successor`
/// get other names.
///
/// ```
/// use std::sync::Arc;
/// use ludex_gdl::{Dialect, Source, detect, load, parse, with_steps};
///
/// let text = "role(you). init(at(1)). legal(you,go). next(at(2)) :- does(you,go). terminal :- true(at(2)). goal(you,50).";
/// let (walk, _) = parse(Arc::new(Source::new("walk.gdl", text)), None);
/// let history = with_steps(&walk, 3)?;
/// assert!(history.source.text().contains("true(at(2),N) :- does(you,go,M) & successor(M,N)"));
/// assert_eq!(detect(&history).0, Dialect::Sdl);
/// assert!(!load(history.source, &Default::default()).has_errors());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WithStepsError`].
pub fn with_steps(rulesheet: &Rulesheet, steps: u32) -> Result<Rulesheet, WithStepsError> {
    let dialect = detect(rulesheet).0;
    if !matches!(dialect, Dialect::Gdl | Dialect::GdlII) {
        return Err(WithStepsError::NotGdl { dialect });
    }
    if steps < 2 {
        return Err(WithStepsError::TooFew);
    }
    let Some(game) = lower(rulesheet, dialect).0 else { return Err(WithStepsError::Wrong) };
    let v = &game.vocabulary;
    let keywords = [v.truth, v.does, v.legal, v.goal, v.terminal, v.next, v.init, v.sees];
    let keywords = keywords.into_iter().filter(|&relation| relation != v.sees || dialect.has_percepts());
    let changing = Dependencies::new(&game.program).dependents(keywords);
    let conversion = Conversion {
        tree: rulesheet.tree.clone(),
        notation: rulesheet.notation,
        game: &game,
        has_step: changing.iter().copied().collect(),
        renamed: FxHashMap::default(),
    };
    let (tree, items) = conversion.convert(rulesheet);
    let changed = Rulesheet { tree, items, ..rulesheet.clone() };
    let mut text = print(&changed, rulesheet.notation);
    text.push('\n');
    text.push_str(&chain(rulesheet, steps));
    Ok(read_back(rulesheet, text, rulesheet.notation))
}

/// The facts of so many steps.
fn chain(rulesheet: &Rulesheet, steps: u32) -> String {
    let mut text = String::from("% The steps of the game.\n\n");
    (1..=steps).for_each(|step| text.push_str(&format!("step({step})\n")));
    (1..steps).for_each(|step| text.push_str(&format!("successor({step},{})\n", step + 1)));
    let source = Arc::new(Source::new(rulesheet.source.name(), text));
    print(&parse(source, Some(Notation::Infix)).0, rulesheet.notation)
}

struct Conversion<'a> {
    tree: Tree,
    notation: Notation,
    game: &'a GameProgram,
    /// By relation: whether it changes from step to step.
    has_step: Vec<bool>,
    /// Relations that would be taken for others.
    renamed: FxHashMap<(String, usize), NameId>,
}

/// The steps that a clause may speak of.
#[derive(Clone, Copy)]
struct Steps {
    /// The step of its body.
    body: NodeId,
    /// The step of its head.
    head: NodeId,
}

impl Conversion<'_> {
    fn convert(mut self, rulesheet: &Rulesheet) -> (Tree, Vec<Item>) {
        for (word, arity) in [("step", 1), ("successor", 2)] {
            if self.game.program.find_relation(word, arity).is_some_and(|id| !self.has_step[id.index()]) {
                self.rename(word, arity);
            }
        }
        // With a step more, `p` may be what another relation is called already.
        let relations: Vec<(RelationId, String, usize)> = (self.game.program.relations.entries())
            .map(|(id, relation)| (id, self.game.program.relation_name(id).to_owned(), relation.arity))
            .collect();
        for (id, name, arity) in &relations {
            let clashes = |other: &(RelationId, String, usize)| {
                !self.has_step[other.0.index()] && other.1 == *name && other.2 == arity + 1
            };
            let is_step = matches!((name.as_str(), arity + 1), ("step", 1) | ("successor", 2));
            if self.has_step[id.index()] && (is_step || relations.iter().any(clashes)) {
                self.rename(name, *arity);
            }
        }
        let items =
            rulesheet.items.iter().enumerate().map(|(number, item)| self.item(number, item)).collect();
        (self.tree, items)
    }

    fn rename(&mut self, name: &str, arity: usize) {
        let new = free_name(&self.tree, &format!("{name}_in_game"));
        let new = self.tree.intern(&new);
        self.renamed.insert((name.to_owned(), arity), new);
    }

    fn item(&mut self, number: usize, item: &Item) -> Item {
        let clause = &self.game.program.clauses.as_slice()[number];
        let (relation, v) = (clause.head.relation, &self.game.vocabulary);
        if !self.has_step[relation.index()] {
            let steps = self.steps("M", "N", item);
            let body =
                item.body.as_ref().map(|body| body.iter().map(|&node| self.formula(node, steps)).collect());
            return Item { head: self.literal(item.head, None), body, span: item.span };
        }
        if relation == v.init {
            let first = self.tree.intern("1");
            let first = self.tree.constant(first, Span::default());
            let head = self.keyword(item.head, "true", first);
            let steps = Steps { body: first, head: first };
            let body =
                item.body.as_ref().map(|body| body.iter().map(|&node| self.formula(node, steps)).collect());
            return Item { head, body, span: item.span };
        }
        let is_update = relation == v.next || relation == v.sees;
        let steps = if is_update { self.steps("M", "N", item) } else { self.steps("N", "N", item) };
        let head = match relation {
            relation if relation == v.next => self.keyword(item.head, "true", steps.head),
            _ => self.literal(item.head, Some(steps.head)),
        };
        let mut body: Vec<NodeId> =
            item.body.iter().flatten().map(|&node| self.formula(node, steps)).collect();
        let span = item.span;
        if is_update {
            body.push(self.tree.sentence("successor", &[steps.body, steps.head], span));
        } else if !self.binds_step(&clause.body) {
            body.insert(0, self.tree.sentence("step", &[steps.head], span));
        }
        Item { head, body: Some(body), span }
    }

    /// Whether a subgoal that has to hold speaks of a step.
    fn binds_step(&self, body: &Formula) -> bool {
        body.conjuncts().iter().any(|part| match part {
            Formula::Atom(atom) => self.has_step[atom.relation.index()],
            Formula::And(_) => self.binds_step(part),
            _ => false,
        })
    }

    /// Variables that a clause does not have.
    fn steps(&mut self, body: &str, head: &str, item: &Item) -> Steps {
        let nodes: Vec<NodeId> =
            std::iter::once(item.head).chain(item.body.iter().flatten().copied()).collect();
        let taken: Vec<String> =
            self.tree.variables(&nodes).map(|name| self.tree.name(name).to_owned()).collect();
        let mut variable = |wanted: &str| {
            let name = free_variable(wanted, taken.iter().map(String::as_str), self.notation);
            let name = self.tree.intern(&name);
            self.tree.variable(name, Span::default())
        };
        Steps { body: variable(body), head: variable(head) }
    }

    /// The changed copy of a formula. Lowering has limited its depth.
    fn formula(&mut self, node: NodeId, steps: Steps) -> NodeId {
        if !matches!(self.tree.head(node), Some(("and" | "or" | "not", 1..))) {
            return self.literal(node, Some(steps.body));
        }
        let children = self.tree.children(node).to_vec();
        let children: Vec<NodeId> = children.into_iter().map(|child| self.formula(child, steps)).collect();
        let span = self.tree.span(node);
        match self.tree.node(node).kind {
            NodeKind::Compound { name, name_span, .. } => {
                self.tree.compound(name, name_span, &children, span)
            }
            _ => node,
        }
    }

    /// A literal with the step, where it changes from step to step.
    fn literal(&mut self, node: NodeId, step: Option<NodeId>) -> NodeId {
        let Some((name, arity)) = self.tree.head(node).map(|(name, arity)| (name.to_owned(), arity)) else {
            return node;
        };
        let relation = self.game.program.find_relation(&name, arity);
        let has_step = name != "distinct" && relation.is_some_and(|id| self.has_step[id.index()]);
        let renamed = self.renamed.get(&(name.clone(), arity)).copied();
        if !has_step && renamed.is_none() {
            return node;
        }
        let mut args = self.tree.children(node).to_vec();
        args.extend(step.filter(|_| has_step));
        let span = self.tree.span(node);
        let name = renamed.unwrap_or_else(|| self.tree.intern(&name));
        if args.is_empty() {
            self.tree.constant(name, span)
        } else {
            self.tree.compound(name, span, &args, span)
        }
    }

    /// A literal as one of a keyword on a step.
    fn keyword(&mut self, node: NodeId, word: &str, step: NodeId) -> NodeId {
        let mut args = self.tree.children(node).to_vec();
        args.push(step);
        let span = self.tree.span(node);
        self.tree.sentence(word, &args, span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::from_steps::{WithoutStepsError, without_steps};
    use crate::load::load;

    fn read(text: &str, notation: Notation) -> Rulesheet {
        let (sheet, errors) = parse(Arc::new(Source::new("test", text)), Some(notation));
        assert_eq!(errors, [], "{text}");
        sheet
    }

    #[test]
    fn what_changes_gets_a_step_and_what_is_in_the_way_another_name() {
        let text = "% A walk.\nrole(you)\nstep(1)\nsuccessor(1,2)\np(1,2)\ninit(at(1)) % here\nlegal(you,go)\n\
            next(at(N)) :- does(you,go) & true(at(M)) & successor(M,N)\np(M) :- true(at(M)) & ~(step(M) & ~p(1,2))\n\
            successor(M) :- p(M)\nterminal :- ~true(at(1)) & successor(2)\ngoal(you,50)\n";
        let expected = "% A walk.\nrole(you)\nstep_in_game(1)\nsuccessor_in_game(1,2)\np(1,2)\ntrue(at(1),1) % here\n\
            legal(you,go,N) :- step(N)\n\
            true(at(N),N2) :-\n  does(you,go,M2) &\n  true(at(M),M2) &\n  successor_in_game(M,N) &\n  successor(M2,N2)\n\
            p_in_game(M,N) :- true(at(M),N) & ~(step_in_game(M) & ~p(1,2))\n\
            successor_in_game_2(M,N) :- p_in_game(M,N)\n\
            terminal(N) :- ~true(at(1),N) & successor_in_game_2(2,N)\ngoal(you,50,N) :- step(N)\n\n% The steps of the game.\n\n\
            step(1)\nstep(2)\nstep(3)\nsuccessor(1,2)\nsuccessor(2,3)\n";
        let sheet = read(text, Notation::Infix);
        let history = with_steps(&sheet, 3).unwrap();
        assert_eq!(history.source.text(), expected);
    }

    #[test]
    fn percepts_are_of_the_next_step() {
        let text = "(role you) (init p) (legal you go) (<= (next p) (true p)) (goal you 50) (<= terminal (not (true p)))\n\
            (<= (sees you ok) (does you go) (true p))";
        let history = with_steps(&read(text, Notation::Prefix), 2).unwrap();
        assert_eq!(detect(&history).0, Dialect::SdlII);
        let sees = "(<= (sees you ok ?n)\n    (does you go ?m)\n    (true p ?m)\n    (successor ?m ?n))";
        assert!(history.source.text().contains(sees), "{}", history.source.text());
        assert!(!load(history.source, &Default::default()).has_errors());
    }

    #[test]
    fn what_cannot_be_converted_is_refused() {
        let sheet = |text: &str| read(text, Notation::Infix);
        let game = "role(a)\nlegal(a,go)\ngoal(a,50)\nterminal :- true(p)\n";
        assert_eq!(with_steps(&sheet(game), 1).unwrap_err(), WithStepsError::TooFew);
        let timed = WithStepsError::NotGdl { dialect: Dialect::RtGdl };
        assert_eq!(with_steps(&sheet("init(1,p)\nterminal :- expired(p)"), 9).unwrap_err(), timed);
        assert_eq!(with_steps(&sheet("p(X) :- not(q(X),r(X))"), 9).unwrap_err(), WithStepsError::Wrong);
        let other = WithoutStepsError::NotSdl { dialect: Dialect::Gdl };
        assert_eq!(without_steps(&sheet(game)).unwrap_err(), other);
        let late = "role(a)\nstep(1)\nstep(2)\nsuccessor(1,2)\nlegal(a,go,N) :- true(p,M) & successor(N,M)\ntrue(p,1)\n\
            goal(a,50,N) :- step(N)\nterminal(2)\n";
        let wrong = without_steps(&sheet(late)).unwrap_err();
        assert!(wrong.to_string().contains("which may come after step `N`"), "{wrong}");
    }
}
