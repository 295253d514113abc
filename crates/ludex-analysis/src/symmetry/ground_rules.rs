//! The ground rules of a game as they matter for symmetries: without what is always or never so, what
//! says nothing, what nothing depends on, and second names for one thing.

use ludex_gdl::GameProgram;
use ludex_logic::ground::Grounding;
use ludex_logic::{Id, LimitError, Meter, TermId};
use rustc_hash::FxHashMap;

use super::counts::{self, Count};
use super::unfold;

/// What an atom is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum AtomKind {
    /// `true(P)`.
    Fact(TermId),
    /// `does(R,A)`: the number of the role and the move.
    Move(u32, TermId),
    /// `next(P)`.
    Next(TermId),
    /// `legal(R,A)`.
    Legal(u32, TermId),
    /// `goal(R,V)`.
    Goal(u32, TermId),
    /// `terminal`.
    Terminal,
    /// `sees(R,P)`.
    Sees(u32, TermId),
    /// Anything else that rules define.
    View,
}

impl AtomKind {
    fn is_given(self) -> bool {
        matches!(self, AtomKind::Fact(_) | AtomKind::Move(..))
    }

    pub(super) fn is_asked(self) -> bool {
        !self.is_given() && self != AtomKind::View
    }
}

/// A literal: twice the atom, plus one where it is negated.
pub(super) type Literal = u32;

/// Ground rules over numbered atoms.
#[derive(Clone, Debug, Default)]
pub(super) struct GroundRules {
    /// What each atom is.
    pub kinds: Vec<AtomKind>,
    /// Head and body (ascending), ordered, each once.
    pub rules: Vec<(u32, Box<[Literal]>)>,
    /// What holds in the initial state.
    pub initial: Vec<TermId>,
    /// Views that only count; they have no rules.
    pub counts: Vec<Count>,
}

/// What there is to know about an atom.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    Always,
    Never,
    /// The same as this literal.
    Same(Literal),
}

/// More rounds make nothing wrong, and hardly anything better.
const MOST_ROUNDS: usize = 64;

impl GroundRules {
    /// The rules of a grounding. With `counting`, views that only count become counts.
    pub(super) fn new(
        game: &GameProgram,
        grounding: &Grounding,
        counting: bool,
        meter: &mut Meter,
    ) -> Result<Self, LimitError> {
        let mut rules = Self::read(game, grounding, meter)?;
        let most_literals = 2 * rules.literal_count();
        if counting {
            rules.settle(0, meter)?;
            counts::find(&mut rules, meter)?;
        }
        rules.settle(most_literals, meter)?;
        Ok(rules)
    }

    /// Says what there is to say more simply, until nothing changes. Views are put into the rules that use
    /// them as long as there are at most so many literals.
    fn settle(&mut self, most_literals: usize, meter: &mut Meter) -> Result<(), LimitError> {
        for _ in 0..MOST_ROUNDS {
            let before = (self.rules.len(), self.literal_count());
            let known = self.known(meter)?;
            self.replace(&known, meter)?;
            self.drop_idle(meter)?;
            if self.literal_count() <= most_literals {
                unfold::unfold(self, meter)?;
            }
            if before == (self.rules.len(), self.literal_count()) {
                break;
            }
        }
        Ok(())
    }

    fn literal_count(&self) -> usize {
        self.rules.iter().map(|(_, body)| body.len()).sum()
    }

    fn read(game: &GameProgram, grounding: &Grounding, meter: &mut Meter) -> Result<Self, LimitError> {
        let v = &game.vocabulary;
        let ignored = [v.role, v.base, v.input, v.percept, v.init];
        let mut read = Self::default();
        let mut is_ignored = vec![false; grounding.atom_count()];
        for id in grounding.atoms() {
            meter.spend(1)?;
            let kind = grounding.atom(id).map_or(AtomKind::View, |atom| {
                let role = |term: TermId| game.roles.iter().position(|&role| role == term);
                match (&*atom.args, atom.relation) {
                    (&[fact], relation) if relation == v.truth => AtomKind::Fact(fact),
                    (&[fact], relation) if relation == v.next => AtomKind::Next(fact),
                    ([], relation) if relation == v.terminal => AtomKind::Terminal,
                    (&[owner, what], relation) => match role(owner) {
                        Some(role) if relation == v.does => AtomKind::Move(role as u32, what),
                        Some(role) if relation == v.legal => AtomKind::Legal(role as u32, what),
                        Some(role) if relation == v.goal => AtomKind::Goal(role as u32, what),
                        Some(role) if relation == v.sees => AtomKind::Sees(role as u32, what),
                        _ => AtomKind::View,
                    },
                    _ => AtomKind::View,
                }
            });
            if let Some(atom) = grounding.atom(id) {
                is_ignored[id.index()] = ignored.contains(&atom.relation);
                if atom.relation == v.init {
                    read.initial.extend(&*atom.args);
                }
            }
            read.kinds.push(kind);
        }
        for rule in grounding.rules() {
            meter.spend(1 + rule.body.len() as u64)?;
            if !is_ignored[rule.head.index()] {
                let body = rule.body.iter().map(|l| 2 * l.atom().index() as u32 + u32::from(l.is_negated()));
                read.rules.push((rule.head.index() as u32, body.collect()));
            }
        }
        read.tidy(meter)?;
        Ok(read)
    }

    /// Orders bodies and rules and drops those that say nothing: with a literal and its negation, or with
    /// their head in their body, or twice the same.
    pub(super) fn tidy(&mut self, meter: &mut Meter) -> Result<(), LimitError> {
        meter.spend((self.rules.len() + self.literal_count()) as u64)?;
        for (_, body) in &mut self.rules {
            let mut literals = std::mem::take(body).into_vec();
            literals.sort_unstable();
            literals.dedup();
            *body = literals.into();
        }
        self.rules.retain(|(head, body)| {
            body.binary_search(&(2 * head)).is_err() && !body.windows(2).any(|pair| pair[0] ^ 1 == pair[1])
        });
        self.rules.sort_unstable();
        self.rules.dedup();
        Ok(())
    }

    /// What rules say of the atoms at their heads.
    fn known(&self, meter: &mut Meter) -> Result<Vec<Known>, LimitError> {
        meter.spend((self.kinds.len() + self.literal_count()) as u64)?;
        let given = |kind: &AtomKind| if kind.is_given() { Known::Nothing } else { Known::Never };
        let mut known: Vec<Known> = self.kinds.iter().map(given).collect();
        self.counts.iter().for_each(|count| known[count.view as usize] = Known::Nothing);
        let mut twins: FxHashMap<Vec<&[Literal]>, u32> = FxHashMap::default();
        for rules in self.rules.chunk_by(|a, b| a.0 == b.0) {
            let head = rules[0].0;
            let is_view = self.kinds[head as usize] == AtomKind::View;
            known[head as usize] = match rules {
                [(_, body), ..] if body.is_empty() => Known::Always,
                [(_, body)] if is_view && body.len() == 1 => Known::Same(body[0]),
                _ if is_view => {
                    let bodies = rules.iter().map(|(_, body)| &**body).collect();
                    let first = *twins.entry(bodies).or_insert(head);
                    if first == head { Known::Nothing } else { Known::Same(2 * first) }
                }
                _ => Known::Nothing,
            };
        }
        Ok(known)
    }

    /// Puts what is known in the place of atoms in bodies.
    fn replace(&mut self, known: &[Known], meter: &mut Meter) -> Result<(), LimitError> {
        let mut rules = Vec::with_capacity(self.rules.len());
        for (head, body) in &self.rules {
            meter.spend(1 + body.len() as u64)?;
            // One rule without conditions says it all.
            if known[*head as usize] == Known::Always && !body.is_empty() {
                continue;
            }
            let mut literals = Vec::with_capacity(body.len());
            let is_possible = body.iter().all(|&literal| {
                let negated = literal & 1;
                match known[(literal >> 1) as usize] {
                    Known::Nothing => literals.push(literal),
                    Known::Always => return negated == 0,
                    Known::Never => return negated == 1,
                    // A view that is the same as itself is never so, and tidying drops its rule.
                    Known::Same(other) => literals.push(other ^ negated),
                }
                true
            });
            if is_possible {
                rules.push((*head, literals.into()));
            }
        }
        self.rules = rules;
        self.tidy(meter)
    }

    /// Where the rules of each atom begin; one more at the end.
    pub(super) fn starts(&self) -> Vec<usize> {
        let mut first = vec![0; self.kinds.len() + 1];
        self.rules.iter().for_each(|(head, _)| first[*head as usize + 1] += 1);
        (1..first.len()).for_each(|at| first[at] += first[at - 1]);
        first
    }

    /// Drops the rules of views that no question depends on.
    fn drop_idle(&mut self, meter: &mut Meter) -> Result<(), LimitError> {
        let mut is_needed: Vec<bool> = self.kinds.iter().map(|kind| kind.is_asked()).collect();
        let first = self.starts();
        let members: FxHashMap<u32, &Count> = self.counts.iter().map(|count| (count.view, count)).collect();
        let mut open: Vec<u32> = (0..self.kinds.len() as u32).filter(|&a| is_needed[a as usize]).collect();
        while let Some(atom) = open.pop() {
            let mut need = |atom: u32| {
                if !std::mem::replace(&mut is_needed[atom as usize], true) {
                    open.push(atom);
                }
            };
            for (_, body) in &self.rules[first[atom as usize]..first[atom as usize + 1]] {
                meter.spend(1 + body.len() as u64)?;
                body.iter().for_each(|literal| need(literal >> 1));
            }
            if let Some(count) = members.get(&atom) {
                meter.spend(count.members.len() as u64)?;
                count.members.iter().for_each(|&member| need(member));
            }
        }
        self.rules.retain(|(head, _)| is_needed[*head as usize]);
        self.counts.retain(|count| is_needed[count.view as usize]);
        Ok(())
    }

    /// Takes these views to be counts, without rules, and drops what nothing needs any more.
    pub(super) fn keep_counts(&mut self, counts: Vec<Count>, meter: &mut Meter) -> Result<(), LimitError> {
        let mut is_count = vec![false; self.kinds.len()];
        counts.iter().for_each(|count| is_count[count.view as usize] = true);
        self.rules.retain(|(head, _)| !is_count[*head as usize]);
        self.counts = counts;
        self.drop_idle(meter)
    }
}
