//! One rule in one placement of its steps, written without them.

use std::collections::BTreeMap;

use ludex_logic::{Atom, Pattern};
use rustc_hash::FxHashMap;

use super::distances::{StepTerm, StepTerms};
use super::memory::Reach;
use super::placement::{Place, Placement, Version};
use super::rule::{Part, Rule};
use super::writer::Writer;
use crate::check::registry::FUTURE_STEP;
use crate::source::Span;
use crate::tree::{Item, NameId, NodeId};

/// A rule with what is known of its steps.
pub(super) struct PlacedRule<'r, 'a> {
    rule: &'r Rule<'a>,
    terms: &'r StepTerms,
    placement: &'r Placement,
    /// The steps so many steps ago: a constant where that is known, else a variable.
    ago: BTreeMap<i64, NodeId>,
    /// What stands for variables that are steps.
    replacement: FxHashMap<NameId, NodeId>,
    /// By number of a step: how often an atom speaks of it.
    uses: Vec<usize>,
    /// By number of a step: whether an atom that has to hold speaks of it.
    is_held: Vec<bool>,
    /// By number of a step: whether its name is needed as a term.
    is_term: Vec<bool>,
    /// The parts of the body that say more than the placement does.
    kept: Vec<&'r Part<'a>>,
}

/// How a part stands in a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It has to hold.
    Conjunct,
    /// It, or another one.
    Alternative,
    /// It stands under a negation.
    Denied,
}

impl<'r, 'a> PlacedRule<'r, 'a> {
    pub fn new(
        rule: &'r Rule<'a>,
        terms: &'r StepTerms,
        placement: &'r Placement,
        writer: &mut Writer<'_>,
    ) -> Self {
        let count = terms.all.len() + 1;
        let mut placed = Self {
            rule,
            terms,
            placement,
            ago: BTreeMap::new(),
            replacement: FxHashMap::default(),
            uses: vec![0; count],
            is_held: vec![false; count],
            is_term: vec![false; count],
            kept: Vec::new(),
        };
        placed.name_steps(writer);
        placed.count_uses(writer);
        placed.keep(writer);
        placed.find_terms(writer);
        placed
    }

    /// Whether the present step is known by the rule alone.
    fn known_now(&self) -> Option<i64> {
        let (least, most) = self.placement.now;
        (least == most).then_some(least)
    }

    fn span(&self) -> Span {
        self.rule.written.span
    }

    /// Finds a name for each step that lies so many steps ago.
    fn name_steps(&mut self, writer: &mut Writer<'_>) {
        let mut of_variable = Vec::new();
        for (at, term) in self.terms.all.iter().enumerate() {
            let Place::Ago(ago) = self.placement.places[at + 1] else { continue };
            let known = self.known_now().and_then(|now| writer.step(now - ago, self.span()));
            let name = match term {
                StepTerm::Variable(variable) => {
                    Some(writer.tree.intern(self.rule.variable_name(writer.game, *variable)))
                }
                StepTerm::Ground(_) => None,
            };
            let node = match (known, name) {
                (Some(known), _) => known,
                (None, Some(name)) => {
                    *self.ago.entry(ago).or_insert_with(|| writer.tree.variable(name, Span::default()))
                }
                // Where a step is a constant, the present is known.
                (None, None) => continue,
            };
            self.ago.insert(ago, node);
            of_variable.extend(name.map(|name| (name, node)));
        }
        self.replacement.extend(of_variable);
    }

    /// Leaves out what the placement says already.
    fn keep(&mut self, writer: &Writer<'_>) {
        self.kept = self
            .rule
            .body
            .iter()
            .filter(|part| match part {
                Part::Atom(atom, _) => {
                    writer.order.arguments.is_dynamic(atom.relation) || !self.is_implied(atom, writer)
                }
                _ => true,
            })
            .collect();
    }

    /// Whether an atom that no state decides is about steps alone, and holds wherever they are as the placement says.
    fn is_implied(&self, atom: &Atom, writer: &Writer<'_>) -> bool {
        let numbers: Option<Vec<usize>> = atom.args.iter().map(|arg| self.terms.number_of(arg)).collect();
        let Some(numbers) = numbers.filter(|numbers| !numbers.is_empty()) else { return false };
        let places: Vec<Place> = numbers.iter().map(|&number| self.placement.places[number]).collect();
        // Two steps that are earlier may be anywhere: what relates them is no part of the placement.
        let loose = places.iter().filter(|place| **place == Place::Earlier).count();
        let reached = self.reached();
        let exists = |&number: &usize| match self.placement.places[number] {
            Place::Ago(ago) => ago <= reached,
            Place::Earlier => self.uses[number] > 0,
            Place::Free => false,
        };
        if loose > 1 || !numbers.iter().all(exists) || !writer.order.facts.is_known(atom.relation) {
            return false;
        }
        let chain = writer.order.chain;
        let facts = writer.order.facts;
        let (least, most) = self.placement.now;
        (least..=most).all(|now| {
            let earlier = if places.contains(&Place::Earlier) { 0..now } else { 0..1 };
            earlier.into_iter().all(|before| {
                let step = |place: &Place| match place {
                    Place::Ago(ago) => chain.step(now - ago),
                    Place::Earlier | Place::Free => chain.step(before),
                };
                let row: Option<Vec<_>> = places.iter().map(step).collect();
                // Beyond the ends of the chain nothing holds anyway.
                row.is_none_or(|row| facts.holds(atom.relation, &row))
            })
        })
    }

    /// So many steps there are before the present one, at least, wherever the rule applies.
    fn reached(&self) -> i64 {
        let used = (1..self.uses.len()).filter(|&number| self.uses[number] > 0);
        let ago = used.filter_map(|number| match self.placement.places[number] {
            Place::Ago(ago) => Some(ago),
            Place::Earlier => Some(1),
            Place::Free => None,
        });
        ago.max().unwrap_or(0)
    }

    fn count_uses(&mut self, writer: &Writer<'_>) {
        let rule = self.rule;
        rule.atoms(&mut |atom, _, need_not_hold| {
            if let Some(number) = self.terms.current(atom, &writer.order) {
                self.uses[number] += 1;
                self.is_held[number] |= !need_not_hold;
            }
        });
    }

    /// Finds the steps whose names are needed as terms.
    fn find_terms(&mut self, writer: &Writer<'_>) {
        let mut is_term = std::mem::take(&mut self.is_term);
        let mut mark = |pattern: &Pattern| {
            pattern.variables(&mut |variable| {
                if let Some(number) = self.terms.number(StepTerm::Variable(variable)) {
                    is_term[number] = true;
                }
            });
        };
        let mut atoms: Vec<&Atom> = vec![self.rule.head()];
        for part in &self.kept {
            part.atoms(&mut |atom, _, _| atoms.push(atom));
            distincts(part, &mut mark);
        }
        for atom in atoms {
            let current = writer.order.arguments.current(atom.relation);
            atom.args
                .iter()
                .enumerate()
                .filter(|(place, _)| Some(*place) != current)
                .for_each(|(_, arg)| mark(arg));
        }
        self.is_term = is_term;
    }

    /// The clause without steps.
    pub fn write(&self, writer: &mut Writer<'_>) -> Item {
        let mut body = self.bindings(writer);
        for part in &self.kept {
            let parts = self.part(part, Standing::Conjunct, writer);
            body.extend(parts);
        }
        let head = self.head(writer);
        let is_fact = body.is_empty();
        Item { head, body: (!is_fact).then_some(body), span: self.span() }
    }

    fn head(&self, writer: &mut Writer<'_>) -> NodeId {
        let atom = self.rule.head();
        let node = self.rule.written.head;
        let args = self.args(atom, node, writer);
        let span = writer.tree.span(node);
        let vocabulary = &writer.game.vocabulary;
        let version = self.placement.version;
        if atom.relation == vocabulary.sees {
            // Percepts of the next step are told with it, as those of moves are.
            return writer.sentence("sees", &args, span);
        }
        if atom.relation == vocabulary.truth && !writer.needed.contains(&(atom.relation, version)) {
            let name = if version == Version::First { "init" } else { "next" };
            return writer.sentence(name, &args, span);
        }
        let is_truth = atom.relation == vocabulary.truth;
        let name = if is_truth {
            writer.names.holds(version).to_owned()
        } else {
            writer.names.relation(atom.relation, version).to_owned()
        };
        writer.sentence(&name, &args, span)
    }

    /// The subgoals that say where the present is, and what other steps are called.
    fn bindings(&self, writer: &mut Writer<'_>) -> Vec<NodeId> {
        let span = self.span();
        let mut out = Vec::new();
        if let Some(now) = self.known_now() {
            if self.placement.version != Version::First
                && let Some(step) = writer.step(now, span)
            {
                out.push(writer.step_is(step, span));
            }
            self.guards(&mut out, writer);
            return out;
        }
        let mut wanted: Vec<i64> = Vec::new();
        for number in 1..self.uses.len() {
            if let Place::Ago(ago) = self.placement.places[number] {
                let must_exist = ago > 0 && self.uses[number] > 0 && !self.is_held_ago(ago);
                if self.is_term[number] || must_exist {
                    wanted.push(ago);
                }
            }
        }
        let (Some(&least), Some(&most)) = (wanted.iter().min(), wanted.iter().max()) else {
            self.guards(&mut out, writer);
            return out;
        };
        let mut names = self.ago.clone();
        for ago in least.min(0)..=most.max(0) {
            names.entry(ago).or_insert_with(|| self.fresh(ago, writer));
        }
        out.push(writer.step_is(names[&0], span));
        for ago in (least.min(0)..most.max(0)).rev() {
            let (later, earlier) = (names[&ago], names[&(ago + 1)]);
            out.push(writer.sentence("successor", &[earlier, later], span));
        }
        self.guards(&mut out, writer);
        out
    }

    /// Says of steps that are earlier, and that no atom which has to hold speaks of, that they are.
    fn guards(&self, out: &mut Vec<NodeId>, writer: &mut Writer<'_>) {
        let span = self.span();
        for (at, term) in self.terms.all.iter().enumerate() {
            let number = at + 1;
            let is_loose = self.placement.places[number] == Place::Earlier
                && self.uses[number] > 0
                && !self.is_held[number];
            if !is_loose {
                continue;
            }
            let now = match self.ago.get(&0) {
                Some(&now) => now,
                None => self.fresh(0, writer),
            };
            let is_now = writer.step_is(now, span);
            if !out.iter().any(|&known| writer.same(known, is_now)) {
                out.push(is_now);
            }
            let step = self.label(number, *term, writer);
            let name = writer.names.earlier.clone();
            writer.asks_earlier = true;
            out.push(writer.sentence(&name, &[step, now], span));
        }
    }

    /// A variable that the rule does not have, for the step so many steps ago.
    fn fresh(&self, ago: i64, writer: &mut Writer<'_>) -> NodeId {
        let wanted = match ago {
            -1 => "Next".to_owned(),
            0 => "Now".to_owned(),
            ago => format!("Ago{ago}"),
        };
        let game = writer.game;
        let names = self.rule.clause.variables.iter().map(|&name| game.program.terms.name(name));
        writer.free_variable(&wanted, names, self.span())
    }

    fn is_held_ago(&self, ago: i64) -> bool {
        (1..self.uses.len())
            .any(|number| self.placement.places[number] == Place::Ago(ago) && self.is_held[number])
    }

    /// A step as a term.
    fn label(&self, number: usize, term: StepTerm, writer: &mut Writer<'_>) -> NodeId {
        if let Place::Ago(ago) = self.placement.places[number]
            && let Some(&node) = self.ago.get(&ago)
        {
            return node;
        }
        match term {
            StepTerm::Variable(variable) => {
                let name = writer.tree.intern(self.rule.variable_name(writer.game, variable));
                writer.tree.variable(name, self.span())
            }
            StepTerm::Ground(step) => {
                let place = writer.order.chain.place(step).unwrap_or_default();
                let span = self.span();
                // It has a place, so it is one of the steps.
                writer.step(place, span).unwrap_or(self.rule.written.head)
            }
        }
    }

    /// A part of the body without steps; several that are meant together.
    fn part(&self, part: &Part<'a>, standing: Standing, writer: &mut Writer<'_>) -> Vec<NodeId> {
        let node = part.node();
        let span = writer.tree.span(node);
        match part {
            Part::Atom(atom, node) => self.atom(atom, *node, standing, writer),
            Part::Distinct(left, right, node) => {
                let children = writer.tree.children(*node).to_vec();
                let args: Vec<NodeId> = children
                    .iter()
                    .zip([left, right])
                    .map(|(&child, pattern)| writer.replaced(child, pattern, &self.replacement))
                    .collect();
                vec![writer.sentence("distinct", &args, span)]
            }
            Part::Not(inner, _) => {
                let inner = self.together(inner, Standing::Denied, writer);
                vec![writer.not(inner, span)]
            }
            Part::And(parts, _) => parts.iter().flat_map(|part| self.part(part, standing, writer)).collect(),
            Part::Or(parts, _) => {
                let below = if standing == Standing::Denied { standing } else { Standing::Alternative };
                let parts: Vec<NodeId> =
                    parts.iter().map(|part| self.together(part, below, writer)).collect();
                vec![writer.sentence("or", &parts, span)]
            }
        }
    }

    /// A part of the body without steps, as one formula.
    fn together(&self, part: &Part<'a>, standing: Standing, writer: &mut Writer<'_>) -> NodeId {
        let span = writer.tree.span(part.node());
        match self.part(part, standing, writer)[..] {
            [one] => one,
            ref several => writer.sentence("and", several, span),
        }
    }

    fn atom(&self, atom: &Atom, node: NodeId, standing: Standing, writer: &mut Writer<'_>) -> Vec<NodeId> {
        let args = self.args(atom, node, writer);
        let span = writer.tree.span(node);
        let Some(number) = self.terms.current(atom, &writer.order) else {
            let name = writer.written_name(atom.relation);
            return vec![writer.sentence(&name, &args, span)];
        };
        let version = self.placement.version;
        match self.placement.places[number] {
            Place::Ago(-1) => vec![self.same_step(atom, version, &args, span, writer)],
            Place::Ago(0) if version == Version::First => {
                vec![self.same_step(atom, version, &args, span, writer)]
            }
            // What is denied has got its values elsewhere.
            Place::Ago(0) if standing == Standing::Denied => {
                vec![writer.atom(atom.relation, Version::Now, &args, span)]
            }
            Place::Ago(0) => writer.present(atom.relation, &args, span),
            // An atom speaks of it, so it is not free.
            Place::Free => Vec::new(),
            Place::Ago(ago) => {
                let reach = Reach::Ago(u32::try_from(ago).unwrap_or(u32::MAX));
                writer.remember(reach, atom.relation, &args, span);
                let fact = writer.memory_fact(reach, atom.relation, &args, None, span);
                vec![writer.holds(fact, span)]
            }
            Place::Earlier => {
                let is_once = standing == Standing::Conjunct
                    && self.uses[number] == 1
                    && !self.is_term[number]
                    && matches!(self.terms.all[number - 1], StepTerm::Variable(_));
                let reach = if is_once { Reach::Once } else { Reach::Past };
                let label = (!is_once).then(|| self.label(number, self.terms.all[number - 1], writer));
                writer.remember(reach, atom.relation, &args, span);
                let fact = writer.memory_fact(reach, atom.relation, &args, label, span);
                vec![writer.holds(fact, span)]
            }
        }
    }

    /// An atom at the very step that the head is about, where that is not the present one.
    fn same_step(
        &self,
        atom: &Atom,
        version: Version,
        args: &[NodeId],
        span: Span,
        writer: &mut Writer<'_>,
    ) -> NodeId {
        if atom.relation == writer.game.vocabulary.does {
            let message = "what holds on a step cannot depend on the moves of that step";
            let hint = "the moves of a step are made after what holds on it is known: ask for those of the step before";
            writer.found.push(FUTURE_STEP.at(span, message).hint(hint));
        }
        writer.atom(atom.relation, version, args, span)
    }

    /// The arguments of an atom but for its step, with the names of steps replaced.
    fn args(&self, atom: &Atom, node: NodeId, writer: &mut Writer<'_>) -> Vec<NodeId> {
        let current = writer.order.arguments.current(atom.relation);
        let children = writer.tree.children(node).to_vec();
        let kept = children.iter().zip(&*atom.args).enumerate().filter(|(place, _)| Some(*place) != current);
        kept.map(|(_, (&child, pattern))| writer.replaced(child, pattern, &self.replacement)).collect()
    }
}

/// Calls `visit` for the terms of each `distinct`.
fn distincts<'a>(part: &Part<'a>, visit: &mut impl FnMut(&'a Pattern)) {
    match part {
        Part::Atom(..) => {}
        Part::Distinct(left, right, _) => {
            visit(left);
            visit(right);
        }
        Part::Not(inner, _) => distincts(inner, visit),
        Part::And(parts, _) | Part::Or(parts, _) => parts.iter().for_each(|part| distincts(part, visit)),
    }
}
