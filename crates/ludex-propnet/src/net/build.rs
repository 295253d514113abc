//! From ground rules to the net (book 9.3).

use std::cmp::Ordering;
use std::sync::Arc;

use ludex_game::Goal;
use ludex_gdl::{GameProgram, Vocabulary};
use ludex_logic::ground::{GroundLiteral, GroundRule, Grounding};
use ludex_logic::scc::components;
use ludex_logic::{AtomId, Csr, GroundAtom, Id, RelationId, TermId, Terms};
use rustc_hash::FxHashMap;

use super::{NetError, NodeId, NodeKind, Propnet};

/// Nodes and arcs are numbered with 32 bits, circuits need two spare ones.
const LIMIT: usize = 1 << 28;

/// How an atom of the grounding is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Drawn {
    /// Not at all: nothing reads it, and it answers no question.
    Not,
    /// As the node of a base, an input, or a view that never holds.
    Given(NodeId),
    /// As a base that feeds itself.
    Latch(NodeId),
    /// As a view.
    View(NodeId),
    /// Not by itself: this is what the transition of its base reads.
    Through(AtomId),
}

/// The propositions of the net, in the order of their nodes.
#[derive(Default)]
struct Propositions {
    kinds: Vec<NodeKind>,
    names: Vec<Option<GroundAtom>>,
}

impl Propositions {
    fn push(&mut self, kind: NodeKind, name: Option<GroundAtom>) -> NodeId {
        self.kinds.push(kind);
        self.names.push(name);
        NodeId(self.kinds.len() as u32 - 1)
    }
}

struct Builder<'a> {
    game: &'a GameProgram,
    grounding: &'a Grounding,
    vocabulary: Vocabulary,
    roles: FxHashMap<TermId, usize>,
    propositions: Propositions,
    drawn: Vec<Drawn>,
    bases: Vec<NodeId>,
    game_bases: usize,
    inputs: Vec<Vec<NodeId>>,
    terminal: NodeId,
}

/// Connectives, numbered after all propositions.
struct Connectives<'a> {
    grounding: &'a Grounding,
    drawn: &'a [Drawn],
    propositions: usize,
    kinds: Vec<NodeKind>,
    sources: Csr<NodeId>,
    inverters: FxHashMap<NodeId, NodeId>,
}

/// See [`Propnet::new`].
pub(super) fn build(game: &GameProgram, grounding: &Grounding) -> Result<Propnet, NetError> {
    let bound = 2 * grounding.atom_count() + grounding.rule_count() + grounding.literal_count();
    if bound >= LIMIT {
        return Err(NetError::TooLarge { limit: LIMIT });
    }
    let mut builder = Builder {
        game,
        grounding,
        vocabulary: game.vocabulary,
        roles: game.roles.iter().enumerate().map(|(i, &r)| (r, i)).collect(),
        propositions: Propositions::default(),
        drawn: vec![Drawn::Not; grounding.atom_count()],
        bases: Vec::new(),
        game_bases: 0,
        inputs: vec![Vec::new(); game.roles.len()],
        terminal: NodeId(0),
    };
    builder.add_bases();
    builder.add_latches();
    builder.add_inputs();
    builder.add_views();
    builder.finish()
}

impl Builder<'_> {
    fn terms(&self) -> &Terms {
        self.grounding.terms()
    }

    /// The last argument of all atoms of a relation, by first argument if there are two; atoms whose
    /// first argument is no role are left out.
    fn by_role(&self, relation: RelationId) -> Vec<(usize, TermId, AtomId)> {
        let mut found = Vec::new();
        for id in self.grounding.atoms_of(relation) {
            if let Some(&[role, term]) = self.grounding.atom(id).map(|a| &*a.args)
                && let Some(&role) = self.roles.get(&role)
            {
                found.push((role, term, id));
            }
        }
        found.sort_by_key(|&(role, ..)| role);
        found
    }

    fn first_arguments(&self, relation: RelationId) -> impl Iterator<Item = (TermId, AtomId)> {
        let atoms = self.grounding.atoms_of(relation).into_iter();
        atoms.filter_map(|id| Some((self.grounding.atom(id)?.args.first().copied()?, id)))
    }

    /// Bases: what `true`, `next` and `init` speak of.
    fn add_bases(&mut self) {
        let Vocabulary { truth, next, init, .. } = self.vocabulary;
        let mut terms: Vec<TermId> =
            [truth, next, init].into_iter().flat_map(|r| self.first_arguments(r)).map(|(t, _)| t).collect();
        terms.sort_unstable();
        terms.dedup();
        terms.sort_by(|&a, &b| self.terms().compare(a, b));
        let mut nodes = FxHashMap::default();
        for term in terms {
            let name = GroundAtom { relation: truth, args: [term].into() };
            let node = self.propositions.push(NodeKind::Base, Some(name));
            self.bases.push(node);
            nodes.insert(term, node);
        }
        self.game_bases = self.bases.len();
        let given: Vec<(TermId, AtomId)> = self.first_arguments(truth).collect();
        for (term, id) in given {
            self.drawn[id.index()] = Drawn::Given(nodes[&term]);
        }
    }

    /// Whether the grounding has the atom as a fact.
    fn always_holds(&self, id: AtomId) -> bool {
        !self.grounding.is_given(id) && self.grounding.rules_of(id).any(|r| r.body.is_empty())
    }

    /// What holds in every state, but for what only describes the game.
    fn add_latches(&mut self) {
        let named = |id: AtomId| self.grounding.atom(id).map(|a| (a, id));
        let holding = self.grounding.atoms().filter(|&id| self.always_holds(id)).filter_map(named);
        let mut found: Vec<(&GroundAtom, AtomId)> =
            holding.filter(|(atom, _)| !self.is_description(atom.relation)).collect();
        found.sort_by(|(a, _), (b, _)| {
            a.relation.cmp(&b.relation).then_with(|| self.terms().compare_lists(&a.args, &b.args))
        });
        for (name, id) in found {
            let node = self.propositions.push(NodeKind::Base, Some(name.clone()));
            self.bases.push(node);
            self.drawn[id.index()] = Drawn::Latch(node);
        }
    }

    /// Whether the relation speaks about the game and not about a state of it.
    fn is_description(&self, relation: RelationId) -> bool {
        let Vocabulary { role, base, input, init, percept, .. } = self.vocabulary;
        [role, base, input, init, percept].contains(&relation)
    }

    /// Inputs: what `does` and `legal` speak of.
    fn add_inputs(&mut self) {
        let does = self.vocabulary.does;
        let given = self.by_role(does);
        let mut moves: Vec<(usize, TermId)> = given.iter().map(|&(r, t, _)| (r, t)).collect();
        moves.extend(self.by_role(self.vocabulary.legal).into_iter().map(|(r, t, _)| (r, t)));
        moves.sort_unstable();
        moves.dedup();
        moves.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| self.terms().compare(a.1, b.1)));
        let mut nodes = FxHashMap::default();
        for (role, term) in moves {
            let name = GroundAtom { relation: does, args: [self.game.roles[role], term].into() };
            let node = self.propositions.push(NodeKind::Input, Some(name));
            self.inputs[role].push(node);
            nodes.insert((role, term), node);
        }
        for (role, term, id) in given {
            self.drawn[id.index()] = Drawn::Given(nodes[&(role, term)]);
        }
    }

    /// Views: everything else that is read or asked.
    fn add_views(&mut self) {
        let mut is_read = vec![false; self.grounding.atom_count()];
        for rule in self.grounding.rules() {
            rule.body.iter().for_each(|l| is_read[l.atom().index()] = true);
        }
        for id in self.grounding.atoms() {
            if self.drawn[id.index()] != Drawn::Not {
                continue;
            }
            let relation = self.grounding.atom(id).map(|a| a.relation);
            if !is_read[id.index()] && self.is_left_out(id, relation) {
                continue;
            }
            if relation == Some(self.vocabulary.next)
                && !is_read[id.index()]
                && let Some(source) = self.only_condition(id)
            {
                self.drawn[id.index()] = Drawn::Through(source);
                continue;
            }
            let node = self.propositions.push(NodeKind::View, self.grounding.atom(id).cloned());
            self.drawn[id.index()] = match self.grounding.is_given(id) {
                true => Drawn::Given(node),
                false => Drawn::View(node),
            };
        }
        let name = GroundAtom { relation: self.vocabulary.terminal, args: [].into() };
        self.terminal = match self.grounding.find(&name).and_then(|id| self.node(id)) {
            Some(node) => node,
            None => self.propositions.push(NodeKind::View, Some(name)),
        };
    }

    /// Whether an atom that no rule reads needs no node: it describes the game, or it is a given atom
    /// without a role. An `init` that is no fact has to be worked out.
    fn is_left_out(&self, id: AtomId, relation: Option<RelationId>) -> bool {
        let computed_init = relation == Some(self.vocabulary.init) && !self.always_holds(id);
        self.grounding.is_given(id) || relation.is_some_and(|r| self.is_description(r)) && !computed_init
    }

    /// The atom that a proposition is equal to, if its one rule says just that.
    fn only_condition(&self, id: AtomId) -> Option<AtomId> {
        let mut rules = self.grounding.rules_of(id);
        match (rules.next(), rules.next()) {
            (Some(GroundRule { body: [literal], .. }), None) if !literal.is_negated() => Some(literal.atom()),
            _ => None,
        }
    }

    fn node(&self, id: AtomId) -> Option<NodeId> {
        node(&self.drawn, id)
    }

    fn finish(self) -> Result<Propnet, NetError> {
        let count = self.propositions.kinds.len();
        let mut connectives = Connectives {
            grounding: self.grounding,
            drawn: &self.drawn,
            propositions: count,
            kinds: Vec::new(),
            sources: Csr::new(),
            inverters: FxHashMap::default(),
        };
        let mut source: Vec<Option<NodeId>> = vec![None; count];
        for id in self.grounding.atoms() {
            if let Drawn::View(view) = self.drawn[id.index()] {
                source[view.index()] = connectives.define(id);
            }
        }
        self.add_transitions(&mut connectives, &mut source);
        let Connectives { kinds, sources, .. } = connectives;
        let mut net = self.net(source, &kinds, &sources)?;
        self.mark_initial(&mut net);
        Ok(net)
    }

    fn add_transitions(&self, connectives: &mut Connectives<'_>, source: &mut [Option<NodeId>]) {
        for &latch in &self.bases[self.game_bases..] {
            source[latch.index()] = Some(connectives.push(NodeKind::Transition, &[latch]));
        }
        let next: FxHashMap<TermId, AtomId> = self.first_arguments(self.vocabulary.next).collect();
        for &base in &self.bases[..self.game_bases] {
            let name = self.propositions.names[base.index()].as_ref();
            let Some(id) = name.and_then(|n| next.get(n.args.first()?)) else { continue };
            if let Some(reads) = self.node(*id) {
                source[base.index()] = Some(connectives.push(NodeKind::Transition, &[reads]));
            }
        }
    }

    /// Puts propositions and connectives together.
    fn net(
        &self,
        source: Vec<Option<NodeId>>,
        connectives: &[NodeKind],
        connected: &Csr<NodeId>,
    ) -> Result<Propnet, NetError> {
        let mut kinds = self.propositions.kinds.clone();
        kinds.extend(connectives);
        let mut sources = Csr::new();
        source.into_iter().for_each(|node| sources.push_list(node));
        connected.iter().for_each(|list| sources.push_list(list.iter().copied()));
        let follow = |n: usize| if kinds[n] == NodeKind::Base { &[] } else { &sources[n] };
        let (mut order, mut recursive) = (Vec::with_capacity(kinds.len()), Vec::new());
        for members in components(kinds.len(), |n| follow(n).iter().map(|s| s.index()).collect()) {
            let start = order.len();
            order.extend(members.iter().map(|&n| NodeId(n as u32)));
            if members.len() > 1 || follow(members[0]).contains(&order[start]) {
                recursive.push(start..order.len());
            }
        }
        let (legals, legal_inputs) = self.legals();
        let views = (0u32..).map(NodeId).zip(&self.propositions.kinds);
        let net = Propnet {
            terms: Arc::clone(self.grounding.terms()),
            vocabulary: self.vocabulary,
            relation_names: self.game.program.relations.iter().map(|r| r.name).collect(),
            roles: self.game.roles.clone(),
            names: self.propositions.names.clone(),
            bases: self.bases.clone(),
            game_bases: self.game_bases,
            inputs: self.inputs.clone(),
            views: views.filter(|(_, kind)| **kind == NodeKind::View).map(|(id, _)| id).collect(),
            legals,
            legal_inputs,
            rewards: self.rewards()?,
            percepts: self.percepts(),
            terminal: self.terminal,
            initial: Vec::new(),
            order,
            recursive,
            kinds,
            sources,
        };
        check_recursion(&net)?;
        Ok(net)
    }

    fn legals(&self) -> (Vec<Vec<NodeId>>, Vec<Vec<NodeId>>) {
        let mut legals = vec![Vec::new(); self.game.roles.len()];
        let mut matching = legals.clone();
        let name = |node: NodeId| self.propositions.names[node.index()].as_ref();
        for (role, term, id) in self.by_role(self.vocabulary.legal) {
            // Inputs and legal atoms are in the same order.
            let inputs = &self.inputs[role];
            let at = inputs.binary_search_by(|&n| match name(n).and_then(|a| a.args.last()) {
                Some(&t) => self.terms().compare(t, term),
                None => Ordering::Less,
            });
            if let (Some(node), Ok(at)) = (self.node(id), at) {
                legals[role].push(node);
                matching[role].push(inputs[at]);
            }
        }
        (legals, matching)
    }

    fn rewards(&self) -> Result<Vec<Vec<(Goal, NodeId)>>, NetError> {
        let mut rewards: Vec<Vec<(Goal, NodeId)>> = vec![Vec::new(); self.game.roles.len()];
        for (role, term, id) in self.by_role(self.vocabulary.goal) {
            let value = self.terms().integer(term).and_then(|v| Goal::try_from(v).ok());
            let Some(value) = value else {
                let role = self.terms().shown(self.game.roles[role]);
                return Err(NetError::GoalValue { role, value: self.terms().shown(term) });
            };
            rewards[role].extend(self.node(id).map(|node| (value, node)));
        }
        rewards.iter_mut().for_each(|list| list.sort_unstable());
        Ok(rewards)
    }

    fn percepts(&self) -> Vec<Vec<(TermId, NodeId)>> {
        let mut percepts = vec![Vec::new(); self.game.roles.len()];
        if self.game.dialect.has_percepts() {
            for (role, term, id) in self.by_role(self.vocabulary.sees) {
                percepts[role].extend(self.node(id).map(|node| (term, node)));
            }
        }
        percepts
    }

    /// What `init` says; where it has conditions, with nothing true and no move made.
    fn mark_initial(&self, net: &mut Propnet) {
        net.initial = net.bases.iter().map(|b| b.index() >= self.game_bases).collect();
        let init: Vec<(TermId, AtomId)> = self.first_arguments(self.vocabulary.init).collect();
        let mut holds: Vec<TermId> = Vec::new();
        let mut open: Vec<(TermId, NodeId)> = Vec::new();
        for (term, id) in init {
            match self.node(id) {
                Some(node) => open.push((term, node)),
                None => holds.push(term),
            }
        }
        if !open.is_empty() {
            let mut simulator = crate::Simulator::new(net, crate::Propagation::Forward);
            simulator.mark_bases(&net.initial);
            holds.extend(open.into_iter().filter(|&(_, node)| simulator.mark(node)).map(|(term, _)| term));
        }
        let holds: rustc_hash::FxHashSet<TermId> = holds.into_iter().collect();
        for at in 0..self.game_bases {
            net.initial[at] = net.term(net.bases[at]).is_some_and(|t| holds.contains(&t));
        }
    }
}

/// The node that stands for an atom.
fn node(drawn: &[Drawn], id: AtomId) -> Option<NodeId> {
    match drawn[id.index()] {
        Drawn::Not => None,
        Drawn::Given(node) | Drawn::Latch(node) | Drawn::View(node) => Some(node),
        // What is drawn through is a `next` that nothing reads, so this is one step.
        Drawn::Through(source) => match drawn[source.index()] {
            Drawn::Given(node) | Drawn::Latch(node) | Drawn::View(node) => Some(node),
            Drawn::Not | Drawn::Through(_) => None,
        },
    }
}

impl Connectives<'_> {
    fn push(&mut self, kind: NodeKind, sources: &[NodeId]) -> NodeId {
        self.kinds.push(kind);
        self.sources.push_list(sources.iter().copied());
        NodeId((self.propositions + self.kinds.len() - 1) as u32)
    }

    /// The connective that a view is the value of; none if it has no rule.
    fn define(&mut self, id: AtomId) -> Option<NodeId> {
        let grounding = self.grounding;
        let mut rules = grounding.rules_of(id);
        if rules.len() <= 1 {
            let body = rules.next()?.body;
            return Some(match self.body(body) {
                // The book's one-input and-gate: a proposition follows a connective.
                node if node.index() < self.propositions => self.push(NodeKind::Conjunction, &[node]),
                node => node,
            });
        }
        let alternatives: Vec<NodeId> = rules.map(|rule| self.body(rule.body)).collect();
        Some(self.push(NodeKind::Disjunction, &alternatives))
    }

    /// What holds when all literals do.
    fn body(&mut self, body: &[GroundLiteral]) -> NodeId {
        if let [literal] = body {
            return self.literal(*literal);
        }
        let conditions: Vec<NodeId> = body.iter().map(|&literal| self.literal(literal)).collect();
        self.push(NodeKind::Conjunction, &conditions)
    }

    fn literal(&mut self, literal: GroundLiteral) -> NodeId {
        let Some(node) = node(self.drawn, literal.atom()) else {
            // An atom that is read is drawn; see `add_views`.
            return self.push(NodeKind::Disjunction, &[]);
        };
        if !literal.is_negated() {
            return node;
        }
        if let Some(&inverter) = self.inverters.get(&node) {
            return inverter;
        }
        let inverter = self.push(NodeKind::Negation, &[node]);
        self.inverters.insert(node, inverter);
        inverter
    }
}

/// Recursion goes through no inverter.
fn check_recursion(net: &Propnet) -> Result<(), NetError> {
    for range in &net.recursive {
        let members = &net.order[range.clone()];
        if members.iter().any(|&m| net.kind(m) == NodeKind::Negation) {
            let named = members.iter().copied().find(|&m| net.name(m).is_some());
            let name = named.map_or_else(String::new, |m| net.text(m, ludex_gdl::Notation::Prefix));
            return Err(NetError::Unstratified { name });
        }
    }
    Ok(())
}
