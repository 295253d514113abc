//! SDL, games with a memory (book 18), as games of GDL.
//!
//! A rule of SDL may speak of any step before its own. Each relation loses its step: it is about the present state, by
//! induction over the chain of steps. What a rule asks of earlier steps becomes facts of the state, and rules of `next` see to
//! them:
//!
//! - `previous(A)`: A was so one step before (and `previous(previous(A))` two steps before),
//! - `once(A)`: A was so at some step before,
//! - `past(A,S)`: A was so at step S.
//!
//! A relation that is carried on from step to step (`moved(P,N) :- moved(P,M) & successor(M,N)`) is so a fact that stays. The fact
//! `step(N)` says which step it is, and the game is over on the last one. What is so on the next step is `next`; where a rule asks
//! for something on the very step of a fact, there is a version of it for the next state (and for the first one).
//!
//! A percept of a step is told with that step, unless it depends on the moves of the step: then it is told after them, as in
//! GDL-II.
//!
//! How the steps of a rule lie to each other is worked out from the relations that no state decides: their instances bound the
//! differences of steps ([`distances`]).

mod chain;
mod distances;
mod history;
mod memory;
mod names;
mod placed_rule;
mod placement;
mod rule;
#[cfg(test)]
mod tests;
mod writer;

use ludex_logic::dependency::Dependencies;
use ludex_logic::{Atom, Id, IdVec, Pattern, RelationId};
use rustc_hash::FxHashSet;

use self::chain::{Chain, Facts, StepArguments};
use self::distances::{Distances, Lags, Order, StepTerm, StepTerms};
pub use self::history::HistoryProgram;
use self::memory::Reach;
use self::names::Names;
use self::placed_rule::PlacedRule;
use self::placement::{Misplaced, Placement, Version, placements};
use self::rule::Rule;
use self::writer::Writer;
use crate::check::registry::{
    FUTURE_STEP, GIVEN_IN_HEAD, STEP_CHAIN, STEPS_RUN_OUT, UNREACHABLE, WITHOUT_STEP,
};
use crate::check::{check_with_steps, check_without_steps};
use crate::diagnostic::{Diagnostic, Severity};
use crate::game_program::{Dialect, GameProgram};
use crate::lower::lower_leniently;
use crate::source::Span;
use crate::tree::{Item, NodeId, Rulesheet};

/// The rules of a game in SDL without steps. Places are those of the rulesheet in SDL.
pub(crate) struct WithoutSteps {
    /// The rules that the author wrote, followed by those that see to the state's memory.
    pub rulesheet: Rulesheet,
    /// So many are the author's.
    pub written: usize,
    pub diagnostics: Vec<Diagnostic>,
}

/// What a rulesheet in SDL is as a game of GDL.
pub(crate) struct Lowered {
    /// The game, where the rules have a meaning.
    pub game: Option<GameProgram>,
    /// What was found out while the rules were read.
    pub diagnostics: Vec<Diagnostic>,
    /// What the checks found.
    pub findings: Vec<Diagnostic>,
}

/// Reads rules with steps, and checks them as they are written and without their steps.
pub(crate) fn lower(rulesheet: &Rulesheet, dialect: Dialect) -> Lowered {
    let written = lower_leniently(rulesheet, dialect);
    let mut diagnostics = written.diagnostics;
    let mut findings = check_with_steps(rulesheet, &written.game, &written.broken);
    if written.broken.iter().any(|&broken| broken) {
        return Lowered { game: None, diagnostics, findings };
    }
    let has_errors = findings.iter().any(|found| found.severity == Severity::Error);
    let without = match without_steps(rulesheet, &written.game) {
        Ok(without) => without,
        Err(errors) => {
            // What is wrong with the clauses themselves explains what follows from it.
            if !has_errors {
                diagnostics.extend(errors);
            }
            return Lowered { game: None, diagnostics, findings };
        }
    };
    diagnostics.extend(without.diagnostics);
    let plain = if dialect.has_percepts() { Dialect::GdlII } else { Dialect::Gdl };
    let mut lowered = lower_leniently(&without.rulesheet, plain);
    if !has_errors {
        findings.extend(check_without_steps(&without.rulesheet, &lowered.game, &lowered.broken));
    }
    lowered.game.dialect = dialect;
    Lowered { game: Some(lowered.game), diagnostics, findings }
}

/// So many steps may one rule speak of.
const MOST_STEPS: usize = 24;

/// Rules without steps, of a program that was lowered with them; `None` with what is wrong.
pub(crate) fn without_steps(
    rulesheet: &Rulesheet,
    game: &GameProgram,
) -> Result<WithoutSteps, Vec<Diagnostic>> {
    let program = &game.program;
    let vocabulary = &game.vocabulary;
    let start = rulesheet.items.first().map_or(Span::default(), |item| item.span);
    let keywords = [
        vocabulary.truth,
        vocabulary.does,
        vocabulary.legal,
        vocabulary.goal,
        vocabulary.terminal,
        vocabulary.sees,
    ];
    // Lowering has declared both.
    let (Some(step), Some(successor)) =
        (program.find_relation("step", 1), program.find_relation("successor", 2))
    else {
        return Err(Vec::new());
    };
    let is_dynamic = Dependencies::new(program).dependents(keywords);
    let place = |relation: RelationId| {
        let found = program.clauses.iter().position(|clause| clause.head.relation == relation);
        found.and_then(|at| rulesheet.items.get(at)).map_or(start, |item| item.span)
    };
    for relation in [step, successor] {
        if is_dynamic[relation] {
            let message = format!(
                "`{}` depends on what holds on a step, which it must not",
                program.relation_name(relation)
            );
            return Err(vec![STEP_CHAIN.at(place(relation), message)]);
        }
    }
    let arguments = StepArguments::new(program, &is_dynamic, &keywords);
    with_steps(rulesheet, game, &is_dynamic, &arguments)?;
    let facts =
        Facts::of(program, &about_steps(game, &is_dynamic, &arguments, [step, successor]), place(step))
            .map_err(|error| vec![error])?;
    let chain =
        Chain::new(program, &facts, step, successor, place(successor)).map_err(|error| vec![error])?;
    let order = Order { arguments: &arguments, is_dynamic: &is_dynamic, facts: &facts, chain: &chain };
    let has_rows = |atom: &Atom| !is_dynamic[atom.relation] && !facts.rows(atom.relation).is_empty();
    let rules = Rule::all(rulesheet, game, has_rows);
    let names = Names::new(rulesheet, game, |relation| is_dynamic[relation]);
    let writer = Writer {
        game,
        order,
        names,
        notation: rulesheet.notation,
        tree: rulesheet.tree.clone(),
        needed: FxHashSet::default(),
        memories: Vec::new(),
        asks_earlier: false,
        asks_any_fact: false,
        found: Vec::new(),
    };
    Conversion::new(rulesheet, game, &rules, writer)?.convert()
}

/// Refuses relations that depend on what holds on a step, and have none among their arguments.
fn with_steps(
    rulesheet: &Rulesheet,
    game: &GameProgram,
    is_dynamic: &IdVec<RelationId, bool>,
    arguments: &StepArguments,
) -> Result<(), Vec<Diagnostic>> {
    let mut known = FxHashSet::default();
    let mut found = Vec::new();
    for (clause, item) in game.program.clauses.iter().zip(&rulesheet.items) {
        let relation = clause.head.relation;
        if relation == game.vocabulary.does {
            let message = "`does` cannot stand in a head";
            let hint = "what players may do is `legal`; what they do is given from outside";
            found.push(GIVEN_IN_HEAD.at(rulesheet.tree.span(item.head), message).hint(hint));
        }
        if is_dynamic[relation] && arguments.current(relation).is_none() && known.insert(relation) {
            let name = game.program.relation_name(relation);
            let message =
                format!("`{name}` depends on what holds on a step, but none of its arguments is one");
            let hint = "give it the step as its last argument, or leave out what depends on steps";
            found.push(WITHOUT_STEP.at(rulesheet.tree.span(item.head), message).hint(hint));
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// The relations that no state decides and in which rules have steps.
fn about_steps(
    game: &GameProgram,
    is_dynamic: &IdVec<RelationId, bool>,
    arguments: &StepArguments,
    always: [RelationId; 2],
) -> Vec<RelationId> {
    let mut found: FxHashSet<RelationId> = always.into_iter().collect();
    for clause in game.program.clauses.iter() {
        let steps = arguments.variables_of(clause);
        clause.body.atoms(&mut |atom, _| {
            let is_step = |arg: &Pattern| matches!(arg, Pattern::Variable(v) if steps[v.index()]);
            if !is_dynamic[atom.relation] && atom.args.iter().any(is_step) {
                found.insert(atom.relation);
            }
        });
    }
    let mut found: Vec<RelationId> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// A rule with its steps.
struct Analysed<'r, 'a> {
    rule: &'r Rule<'a>,
    /// `None` for a rule that no state decides.
    steps: Option<RuleSteps>,
}

struct RuleSteps {
    terms: StepTerms,
    distances: Distances,
    /// The step of the head.
    anchor: usize,
}

struct Conversion<'r, 'a> {
    rulesheet: &'a Rulesheet,
    game: &'a GameProgram,
    rules: Vec<Analysed<'r, 'a>>,
    /// By relation: whether it depends on the moves of its own step.
    reads_moves: IdVec<RelationId, bool>,
    writer: Writer<'r>,
    warnings: Vec<Diagnostic>,
}

impl<'r, 'a> Conversion<'r, 'a> {
    fn new(
        rulesheet: &'a Rulesheet,
        game: &'a GameProgram,
        rules: &'r [Rule<'a>],
        writer: Writer<'r>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let lags = writer.order.lags(rules);
        let reads_moves = game.program.relations.iter().map(|_| false).collect();
        let mut conversion =
            Self { rulesheet, game, rules: Vec::new(), reads_moves, writer, warnings: Vec::new() };
        let mut errors = Vec::new();
        for rule in rules {
            match conversion.analyse(rule, &lags) {
                Ok(Some(analysed)) => conversion.rules.push(analysed),
                Ok(None) => {}
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        conversion.find_moves_read();
        Ok(conversion)
    }

    /// A rule with its steps; `None` for one that can never apply.
    fn analyse(&mut self, rule: &'r Rule<'a>, lags: &Lags) -> Result<Option<Analysed<'r, 'a>>, Diagnostic> {
        let head = rule.head();
        let order = &self.writer.order;
        if !order.is_dynamic[head.relation] {
            return Ok(Some(Analysed { rule, steps: None }));
        }
        self.steps_are_steps(rule)?;
        let order = &self.writer.order;
        let terms = StepTerms::of(rule, order);
        if terms.all.len() > MOST_STEPS {
            let message = format!("this rule speaks of more than {MOST_STEPS} steps");
            return Err(FUTURE_STEP.at(rule.written.span, message).hint("split it with helper relations"));
        }
        let Some(distances) = order.distances(rule, &terms, lags) else {
            let message = "the steps of this rule contradict one another, so it never applies";
            self.warnings.push(UNREACHABLE.at(rule.written.span, message));
            return Ok(None);
        };
        // A relation without a step was refused.
        let Some(anchor) = order.current(head.relation).and_then(|place| terms.number_of(&head.args[place]))
        else {
            return Ok(None);
        };
        Ok(Some(Analysed { rule, steps: Some(RuleSteps { terms, distances, anchor }) }))
    }

    /// Refuses what stands for a step and is none.
    fn steps_are_steps(&self, rule: &Rule<'a>) -> Result<(), Diagnostic> {
        let order = &self.writer.order;
        let tree = &self.rulesheet.tree;
        let mut wrong: Option<(NodeId, String)> = None;
        let mut look = |atom: &Atom, node: NodeId| {
            let Some(place) = order.current(atom.relation).filter(|_| order.is_dynamic[atom.relation]) else {
                return;
            };
            let Some(&child) = tree.children(node).get(place) else { return };
            let terms = &self.game.program.terms;
            match &atom.args[place] {
                Pattern::Variable(_) => {}
                Pattern::Ground(term) if order.chain.place(*term).is_some() => {}
                Pattern::Ground(term) => {
                    wrong.get_or_insert((
                        child,
                        format!("`{}` is no step", terms.shown_in(*term, self.rulesheet.notation)),
                    ));
                }
                Pattern::Compound(..) => {
                    wrong.get_or_insert((child, "a step is a constant or a variable".into()));
                }
            }
        };
        look(rule.head(), rule.written.head);
        rule.atoms(&mut |atom, node, _| look(atom, node));
        match wrong {
            None => Ok(()),
            Some((node, message)) => {
                let hint = "clauses of `step` say what the steps are";
                Err(STEP_CHAIN.at(tree.span(node), message).hint(hint))
            }
        }
    }

    /// Finds the relations that depend on the moves of their own step.
    fn find_moves_read(&mut self) {
        loop {
            let reads: Vec<RelationId> = self
                .rules
                .iter()
                .filter(|analysed| {
                    !self.reads_moves[analysed.rule.head().relation] && self.reads_own_moves(analysed)
                })
                .map(|analysed| analysed.rule.head().relation)
                .collect();
            if reads.is_empty() {
                return;
            }
            for relation in reads {
                self.reads_moves[relation] = true;
            }
        }
    }

    fn reads_own_moves(&self, analysed: &Analysed<'r, 'a>) -> bool {
        let Some(steps) = &analysed.steps else { return false };
        let vocabulary = &self.game.vocabulary;
        let order = &self.writer.order;
        let mut reads = false;
        analysed.rule.atoms(&mut |atom, _, _| {
            if atom.relation != vocabulary.does
                && (!self.reads_moves[atom.relation] || atom.relation == vocabulary.truth)
            {
                return;
            }
            let number =
                order.current(atom.relation).and_then(|place| steps.terms.number_of(&atom.args[place]));
            reads |= number.is_some_and(|number| steps.distances.difference(number, steps.anchor).0 <= 0);
        });
        reads
    }

    /// The versions of a rule that are needed.
    fn versions(&self, analysed: &Analysed<'r, 'a>) -> Vec<Version> {
        let vocabulary = &self.game.vocabulary;
        let relation = analysed.rule.head().relation;
        if relation == vocabulary.truth {
            return vec![Version::First, Version::Next];
        }
        if relation == vocabulary.sees {
            return vec![if self.reads_own_moves(analysed) { Version::Now } else { Version::Next }];
        }
        let all = [Version::Now, Version::Next, Version::First];
        all.into_iter().filter(|version| self.writer.needed.contains(&(relation, *version))).collect()
    }

    fn convert(mut self) -> Result<WithoutSteps, Vec<Diagnostic>> {
        let vocabulary = &self.game.vocabulary;
        for relation in [vocabulary.legal, vocabulary.goal, vocabulary.terminal] {
            self.writer.needed.insert((relation, Version::Now));
        }
        // Rules ask for versions of relations, whose rules ask for others.
        let (mut items, mut added) = (Vec::new(), Vec::new());
        loop {
            let known = (self.writer.needed.len(), self.writer.memories.len());
            self.writer.found.clear();
            items.clear();
            for number in 0..self.rules.len() {
                self.rule(number, &mut items);
            }
            added.clear();
            added.extend(self.writer.memory_rules());
            if known == (self.writer.needed.len(), self.writer.memories.len()) {
                break;
            }
        }
        let has_end = self.ends_on_last_step(&items);
        added.splice(0..0, self.step_rules(has_end));
        added.extend(self.helper_rules());
        if !self.writer.found.is_empty() {
            // One rule in several placements has one error.
            let mut found: Vec<Diagnostic> = Vec::new();
            for error in self.writer.found {
                if !found.contains(&error) {
                    found.push(error);
                }
            }
            return Err(found);
        }
        let mut diagnostics = self.warnings;
        if !has_end {
            let terminal =
                items.iter().find(|item| self.writer.tree.head(item.head) == Some(("terminal", 0)));
            let span = terminal.map_or(Span::default(), |item| item.span);
            let message = "no rule says that the game is over on the last step, whatever holds: it ends there all the same";
            diagnostics
                .push(STEPS_RUN_OUT.at(span, message).hint("say what the game is worth then, or add steps"));
        }
        let written = items.len();
        items.extend(added);
        let rulesheet = Rulesheet { tree: self.writer.tree, items, ..self.rulesheet.clone() };
        Ok(WithoutSteps { rulesheet, written, diagnostics })
    }

    /// Writes the versions of a rule.
    fn rule(&mut self, number: usize, items: &mut Vec<Item>) {
        let analysed = &self.rules[number];
        let rule = analysed.rule;
        let Some(steps) = &analysed.steps else {
            items.push(rule.written.clone());
            return;
        };
        for version in self.versions(analysed) {
            let last = self.writer.order.chain.last();
            match placements(&steps.distances, &steps.terms, steps.anchor, version, last) {
                Ok(found) => {
                    for placement in &found {
                        let item = Self::placed(&mut self.writer, rule, &steps.terms, placement);
                        items.push(item);
                    }
                }
                Err(misplaced) => {
                    let error = self.misplaced(rule, steps, misplaced);
                    self.writer.found.push(error);
                }
            }
        }
    }

    fn placed(writer: &mut Writer<'r>, rule: &Rule<'a>, terms: &StepTerms, placement: &Placement) -> Item {
        PlacedRule::new(rule, terms, placement, writer).write(writer)
    }

    fn misplaced(&self, rule: &Rule<'a>, steps: &RuleSteps, misplaced: Misplaced) -> Diagnostic {
        let Misplaced::Later(number) = misplaced else {
            let message = "the steps of this rule may lie in too many ways";
            return FUTURE_STEP.at(rule.written.span, message).hint("split it with helper relations");
        };
        let term = steps.terms.all[number - 1];
        let name = |term: StepTerm| match term {
            StepTerm::Variable(variable) => {
                self.rulesheet.notation.variable(rule.variable_name(self.game, variable))
            }
            StepTerm::Ground(step) => self.game.program.terms.shown_in(step, self.rulesheet.notation),
        };
        let mut place = None;
        rule.atoms(&mut |atom, node, _| {
            let current = self
                .writer
                .order
                .current(atom.relation)
                .filter(|_| self.writer.order.is_dynamic[atom.relation]);
            if current.is_some_and(|at| StepTerm::of(&atom.args[at]) == Some(term)) {
                place.get_or_insert(node);
            }
        });
        let span = self.rulesheet.tree.span(place.unwrap_or(rule.written.head));
        let (later, head) = (name(term), name(steps.terms.all[steps.anchor - 1]));
        let message =
            format!("this is asked of step `{later}`, which may come after step `{head}` of the head");
        FUTURE_STEP.at(span, message).hint("say by a subgoal which step comes first, as `successor` does")
    }

    /// Whether some rule ends the game on the last step, whatever holds.
    fn ends_on_last_step(&mut self, items: &[Item]) -> bool {
        let last = self.writer.order.chain.last();
        let Some(step) = self.writer.step(last, Span::default()) else { return false };
        let is_last = self.writer.step_is(step, Span::default());
        let tree = &self.writer.tree;
        items
            .iter()
            .filter(|item| tree.head(item.head) == Some(("terminal", 0)))
            .any(|item| item.body.iter().flatten().all(|&part| self.writer.same(part, is_last)))
    }

    /// The rules of the fact that says which step it is.
    fn step_rules(&mut self, has_end: bool) -> Vec<Item> {
        let writer = &mut self.writer;
        let at = |name: &str, rulesheet: &Rulesheet| {
            let found = rulesheet
                .items
                .iter()
                .find(|item| rulesheet.tree.head(item.head).is_some_and(|(head, _)| head == name));
            found.map_or(Span::default(), |item| item.span)
        };
        let span = at("step", self.rulesheet);
        let name = writer.names.step.clone();
        let mut rules = Vec::new();
        if let Some(first) = writer.step(0, span) {
            let fact = writer.sentence(&name, &[first], span);
            rules.push(Item { head: writer.sentence("init", &[fact], span), body: None, span });
        }
        let after = at("successor", self.rulesheet);
        let [now, next] = ["M", "N"].map(|name| writer.variable(name, after));
        let fact = writer.sentence(&name, &[next], after);
        let head = writer.sentence("next", &[fact], after);
        let body = vec![writer.step_is(now, after), writer.sentence("successor", &[now, next], after)];
        rules.push(Item { head, body: Some(body), span: after });
        if !has_end && let Some(last) = writer.step(writer.order.chain.last(), span) {
            let head = writer.sentence("terminal", &[], span);
            rules.push(Item { head, body: Some(vec![writer.step_is(last, span)]), span });
        }
        rules
    }

    /// The rules that others turned out to need.
    fn helper_rules(&mut self) -> Vec<Item> {
        let truth = self.game.vocabulary.truth;
        let writer = &mut self.writer;
        let span = Span::default();
        let mut rules = Vec::new();
        let mut rule = |head: NodeId, body: Vec<NodeId>| rules.push(Item { head, body: Some(body), span });
        for (version, name) in [(Version::Next, "next"), (Version::First, "init")] {
            if writer.needed.contains(&(truth, version)) {
                let fact = writer.variable("F", span);
                let holds = writer.names.holds(version);
                rule(writer.sentence(name, &[fact], span), vec![writer.sentence(&holds, &[fact], span)]);
            }
        }
        if writer.asks_earlier {
            let [s, t, u] = ["S", "T", "U"].map(|name| writer.variable(name, span));
            let earlier = writer.names.earlier.clone();
            let head = writer.sentence(&earlier, &[s, t], span);
            rule(head, vec![writer.sentence("successor", &[s, t], span)]);
            let before = writer.sentence(&earlier, &[s, u], span);
            rule(head, vec![before, writer.sentence("successor", &[u, t], span)]);
        }
        if writer.asks_any_fact {
            let [a, s] = ["A", "S"].map(|name| writer.variable(name, span));
            let reaches: FxHashSet<&str> = writer.memories.iter().map(|memory| kind(memory.reach)).collect();
            let names = [
                (&writer.names.step, None),
                (&writer.names.previous, Some("previous")),
                (&writer.names.once, Some("once")),
            ];
            let mut facts: Vec<(String, Vec<NodeId>)> = names
                .into_iter()
                .filter(|(_, reach)| reach.is_none_or(|reach| reaches.contains(reach)))
                .map(|(name, _)| (name.clone(), vec![a]))
                .collect();
            if reaches.contains("past") {
                facts.push((writer.names.past.clone(), vec![a, s]));
            }
            let remembered = writer.names.remembered.clone();
            for (name, args) in facts {
                let fact = writer.sentence(&name, &args, span);
                rule(writer.sentence(&remembered, &[fact], span), vec![writer.holds(fact, span)]);
            }
        }
        rules.extend(self.declarations());
        rules
    }

    /// Declares the facts of the memory, where the author declares facts.
    fn declarations(&mut self) -> Vec<Item> {
        let vocabulary = &self.game.vocabulary;
        let program = &self.game.program;
        let declares =
            |relation: RelationId| program.clauses.iter().any(|clause| clause.head.relation == relation);
        let mut rules = Vec::new();
        if !declares(vocabulary.base) {
            return rules;
        }
        let has_inputs = declares(vocabulary.input);
        let writer = &mut self.writer;
        let span = Span::default();
        let label = writer.variable("S", span);
        let is_step = writer.sentence("step", &[label], span);
        let name = writer.names.step.clone();
        let fact = writer.sentence(&name, &[label], span);
        rules.push(Item { head: writer.sentence("base", &[fact], span), body: Some(vec![is_step]), span });
        // `base` itself cannot be asked for what it declares: each declaration would give another one.
        let declared: Vec<&Item> = self
            .rulesheet
            .items
            .iter()
            .filter(|item| self.rulesheet.tree.head(item.head) == Some(("base", 1)))
            .filter(|item| {
                item.body.iter().flatten().all(|&node| !self.rulesheet.tree.mentions(node, "base"))
            })
            .collect();
        for memory in writer.memories.clone() {
            let mut kinds: Vec<(Vec<NodeId>, Vec<NodeId>)> = Vec::new();
            if memory.relation == vocabulary.truth {
                kinds.extend(declared.iter().map(|item| {
                    (self.rulesheet.tree.children(item.head).to_vec(), item.body.clone().unwrap_or_default())
                }));
            } else if memory.relation == vocabulary.does && has_inputs {
                let input = writer.sentence("input", &memory.args, span);
                kinds.push((memory.args.clone(), vec![input]));
            }
            for (args, mut body) in kinds {
                let is_past = memory.reach == Reach::Past;
                let all: Vec<NodeId> = args.iter().chain(&body).copied().collect();
                let label = writer.free_variable("S", &all, span);
                let fact =
                    writer.memory_fact(memory.reach, memory.relation, &args, is_past.then_some(label), span);
                if is_past {
                    body.push(writer.sentence("step", &[label], span));
                }
                let body = (!body.is_empty()).then_some(body);
                let head = writer.sentence("base", &[fact], span);
                let is_same = |known: &Item| {
                    let (known_body, body) =
                        (known.body.as_deref().unwrap_or(&[]), body.as_deref().unwrap_or(&[]));
                    let is_same = |(&one, &other): (&NodeId, &NodeId)| writer.same(one, other);
                    writer.same(known.head, head)
                        && known_body.len() == body.len()
                        && known_body.iter().zip(body).all(is_same)
                };
                if !rules.iter().any(is_same) {
                    rules.push(Item { head, body, span });
                }
            }
        }
        rules
    }
}

fn kind(reach: Reach) -> &'static str {
    match reach {
        Reach::Ago(_) => "previous",
        Reach::Once => "once",
        Reach::Past => "past",
    }
}
