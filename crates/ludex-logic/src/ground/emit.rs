//! Instances of rules, as atoms and literals by number.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::model::{Instances, Model};
use super::program::{GroundingProgram, GroundingRule, Kind};
use super::{GroundError, GroundLiteral, Grounding};
use crate::budget::{Budget, LimitError, Meter};
use crate::csr::Csr;
use crate::evaluator::body::{FlatAtom, FlatId, Literal};
use crate::evaluator::flat::{FlatKey, Slot};
use crate::ids::{AtomId, ClauseId, Id, IdVec, TermId, VariableId};
use crate::program::{GroundAtom, Pattern, Program};
use crate::terms::Survivors;

/// The most bytes of text that all atoms of a grounding may take together (256 MiB): whatever is made of
/// it names them.
const GROUND_TEXT_LIMIT: u64 = 256 << 20;

/// Ground rules whose atoms are rows of flat relations.
pub(super) struct Raw {
    /// The flat relation and row of each atom: `rows[start..start + arity]`.
    pub atoms: Vec<(FlatId, u32)>,
    rows: Vec<u32>,
    /// Atoms that are asked from outside.
    pub is_asked: Vec<bool>,
    /// Atoms that are given from outside.
    pub is_given: Vec<bool>,
    pub heads: Vec<AtomId>,
    pub origins: Vec<Option<ClauseId>>,
    /// The body of each rule.
    pub bodies: Csr<GroundLiteral>,
}

impl Raw {
    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.atoms.len() * 10 + self.rows.len() * 4 + self.bodies.bytes() + self.heads.len() * 8
    }

    fn row(&self, atom: usize, arity: usize) -> &[u32] {
        let start = self.atoms[atom].1 as usize;
        &self.rows[start..start + arity]
    }

    /// The ground program: atoms that occur nowhere are dropped, and all get their names, in terms of
    /// `program`. What comes before them was made over a tail of those, by `apart`.
    pub(super) fn finish(
        self,
        program: &Program,
        apart: &Program,
        grounding: &GroundingProgram,
        budget: &Budget,
    ) -> Result<Grounding, GroundError> {
        let mut meter = budget.meter();
        let mut bytes = 0u64;
        let mut survivors = Survivors::new(&apart.terms, &program.terms, budget.memory());
        let mut used: Vec<bool> =
            self.is_asked.iter().zip(&self.is_given).map(|(&asked, &given)| asked || given).collect();
        self.heads.iter().for_each(|h| used[h.index()] = true);
        self.bodies.items().iter().for_each(|l| used[l.atom().index()] = true);
        let mut number = vec![u32::MAX; self.atoms.len()];
        let mut atoms: IdVec<AtomId, Option<GroundAtom>> = IdVec::new();
        let mut is_given = Vec::new();
        let mut ids = FxHashMap::default();
        for (at, &(relation, _)) in self.atoms.iter().enumerate().filter(|(at, _)| used[*at]) {
            meter.spend(1)?;
            let named = grounding.key(relation).filter(|key| program.relations.get(key.relation).is_some());
            let mut name = |key: &FlatKey| {
                let mut values = self.row(at, key.arity()).iter().map(|&v| grounding.front.values.term(v));
                let args = key.slots.iter().map(|slot| match slot {
                    // There is a value for each column of the key.
                    Slot::Column => survivors.take(values.next().unwrap_or(TermId::from_index(0))),
                    Slot::Value(term) => survivors.take(*term),
                    Slot::Functor((functor, arity)) => {
                        let inner = values.by_ref().take(*arity).map(|value| survivors.take(value));
                        let inner = inner.collect::<Result<SmallVec<[TermId; 8]>, _>>()?;
                        program.terms.try_compound(*functor, &inner, budget.memory())
                    }
                });
                let args = args.collect::<Result<_, LimitError>>()?;
                Ok::<_, LimitError>(GroundAtom { relation: key.relation, args })
            };
            let atom = named.map(&mut name).transpose()?;
            let args = atom.iter().flat_map(|atom| &atom.args).map(|&arg| program.terms.text_bytes(arg));
            bytes = args.fold(bytes, u64::saturating_add);
            let id = atoms.push(atom.clone());
            is_given.push(self.is_given[at]);
            number[at] = id.index() as u32;
            if let Some(atom) = atom {
                ids.insert(atom, id);
            }
        }
        if bytes > GROUND_TEXT_LIMIT {
            let what = "the atoms of the ground rules";
            return Err(LimitError::Text { what, bytes, limit: GROUND_TEXT_LIMIT }.into());
        }
        let renamed = |atom: AtomId| AtomId::from_index(number[atom.index()] as usize);
        let mut order: Vec<u32> = (0..self.heads.len() as u32).collect();
        order.sort_by_key(|&r| self.heads[r as usize]);
        let (mut heads, mut origins, mut bodies) =
            (Vec::with_capacity(order.len()), Vec::with_capacity(order.len()), Csr::new());
        for rule in order {
            meter.spend(1)?;
            let rule = rule as usize;
            heads.push(renamed(self.heads[rule]));
            origins.push(self.origins[rule]);
            let literals = self.bodies[rule].iter();
            bodies.push_list(literals.map(|l| GroundLiteral::new(renamed(l.atom()), l.is_negated())));
        }
        name_facts(program, &atoms, &heads, &mut origins, &mut meter)?;
        let by_head = || heads.iter().map(|head| head.index()).zip(origins.iter().copied());
        let origins = Csr::from_pairs(atoms.len(), by_head);
        let terms = std::sync::Arc::clone(&program.terms);
        Ok(Grounding { terms, atoms, is_given, ids, heads, origins, bodies })
    }
}

/// Finds the clauses of rules that stand for facts.
fn name_facts(
    program: &Program,
    atoms: &IdVec<AtomId, Option<GroundAtom>>,
    heads: &[AtomId],
    origins: &mut [Option<ClauseId>],
    meter: &mut Meter,
) -> Result<(), GroundError> {
    let mut facts: FxHashMap<&GroundAtom, Vec<usize>> = FxHashMap::default();
    for (rule, (&head, origin)) in heads.iter().zip(&*origins).enumerate() {
        if let (None, Some(atom)) = (origin, &atoms[head]) {
            facts.entry(atom).or_default().push(rule);
        }
    }
    for (id, clause) in program.clauses.entries().filter(|(_, clause)| clause.is_fact()) {
        meter.spend(1)?;
        let Some(args) = clause.head.args.iter().map(Pattern::ground).collect() else { continue };
        for &rule in facts.get(&GroundAtom { relation: clause.head.relation, args }).into_iter().flatten() {
            origins[rule].get_or_insert(id);
        }
    }
    Ok(())
}

struct Emitter<'a> {
    grounding: &'a GroundingProgram,
    model: &'a Model,
    raw: Raw,
    /// Per flat relation and place of a row in the model the number of the atom, once it has one.
    numbers: IdVec<FlatId, Vec<u32>>,
    is_asked: IdVec<FlatId, bool>,
    is_given: IdVec<FlatId, bool>,
    row: Vec<u32>,
    /// How large the table of terms may get.
    term_limit: usize,
}

/// All instances of the rules over the relaxed model.
pub(super) fn emit(
    grounding: &GroundingProgram,
    program: &Program,
    model: &Model,
    budget: &Budget,
) -> Result<Raw, GroundError> {
    let of = |relation: FlatId| grounding.key(relation).map(|k| k.relation);
    let relations = || grounding.kinds.ids();
    let bounds: Vec<_> = program.interface.feeds.iter().filter(|f| f.is_bound).map(|f| f.from).collect();
    let asked = program.interface.asked.iter().filter(|r| !bounds.contains(r)).collect::<Vec<_>>();
    let mut emitter = Emitter {
        grounding,
        model,
        raw: Raw {
            atoms: Vec::new(),
            rows: Vec::new(),
            is_asked: Vec::new(),
            is_given: Vec::new(),
            heads: Vec::new(),
            origins: Vec::new(),
            bodies: Csr::new(),
        },
        numbers: relations().map(|_| Vec::new()).collect(),
        is_asked: relations().map(|r| of(r).is_some_and(|r| asked.contains(&&r))).collect(),
        is_given: relations().map(|r| of(r).is_some_and(|r| program.is_given(r))).collect(),
        row: Vec::new(),
        term_limit: budget.memory(),
    };
    let mut meter = budget.meter();
    emitter.given_and_static(&mut meter)?;
    let wanted: Vec<&GroundingRule> =
        grounding.rules.iter().filter(|r| grounding.kind(r.head.relation) == Kind::Changing).collect();
    let mut instances = Instances::new(grounding, &wanted, model, budget)?;
    for (number, rule) in wanted.iter().enumerate() {
        budget.report("instances of rules", number as u64, Some(wanted.len() as u64));
        emitter.instances(&mut instances, number, rule, &mut meter)?;
    }
    Ok(emitter.raw)
}

impl Emitter<'_> {
    /// Every row of the given relations is an atom; every row of an asked static one holds.
    fn given_and_static(&mut self, meter: &mut Meter) -> Result<(), GroundError> {
        for relation in self.grounding.kinds.ids() {
            let is_fact = self.is_asked[relation] && self.grounding.kinds[relation] == Kind::Static;
            if !is_fact && !self.is_given[relation] {
                continue;
            }
            let table = &self.model.tables[relation];
            let arity = self.model.shapes[relation].arity;
            for at in 0..table.len() {
                meter.spend(1)?;
                self.row.clear();
                self.row.extend_from_slice(table.row(arity, at));
                let Some(atom) = self.atom_of_row(relation) else { continue };
                if is_fact {
                    self.raw.heads.push(atom);
                    self.raw.origins.push(None);
                    self.raw.bodies.finish_list();
                }
            }
        }
        Ok(())
    }

    fn instances(
        &mut self,
        instances: &mut Instances,
        number: usize,
        rule: &GroundingRule,
        meter: &mut Meter,
    ) -> Result<(), GroundError> {
        let grounding = self.grounding;
        let subgoals: Vec<(&FlatAtom, bool)> = rule
            .body
            .iter()
            .filter(|g| grounding.is_emitted(g))
            .filter_map(|subgoal| match &subgoal.literal {
                Literal::Positive(atom) => Some((atom, false)),
                Literal::Negative(atom) => Some((atom, true)),
                _ => None,
            })
            .collect();
        instances.each(number, |columns, values| {
            meter.spend(1 + subgoals.len() as u64)?;
            self.instance(rule, &subgoals, columns, values)?;
            if self.raw.heads.len().is_multiple_of(4096) {
                meter
                    .check_memory(self.raw.bytes(), || grounding.name(rule.head.relation).to_owned())
                    .map_err(|limit| GroundError::Limit {
                        limit,
                        relation: grounding.name(rule.head.relation).to_owned(),
                        rows: self.raw.heads.len(),
                    })?;
            }
            Ok(())
        })
    }

    fn instance(
        &mut self,
        rule: &GroundingRule,
        subgoals: &[(&FlatAtom, bool)],
        columns: &[VariableId],
        values: &[u32],
    ) -> Result<(), GroundError> {
        for &(atom, negated) in subgoals {
            self.fill_row(atom, columns, values)?;
            match self.atom_of_row(atom.relation) {
                Some(id) => self.raw.bodies.push_item(GroundLiteral::new(id, negated)),
                // What can never hold does not hold.
                None if negated => {}
                None => {
                    self.raw.bodies.abandon_list();
                    return Ok(());
                }
            }
        }
        self.fill_row(&rule.head, columns, values)?;
        let Some(head) = self.atom_of_row(rule.head.relation) else {
            self.raw.bodies.abandon_list();
            return Ok(());
        };
        self.raw.bodies.open_list().sort_unstable();
        self.raw.heads.push(head);
        self.raw.origins.push(rule.origin);
        self.raw.bodies.finish_list();
        Ok(())
    }

    /// The arguments of an atom as values, into `self.row`.
    fn fill_row(
        &mut self,
        atom: &FlatAtom,
        columns: &[VariableId],
        values: &[u32],
    ) -> Result<(), GroundError> {
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        for arg in &atom.args {
            row.push(self.value(arg, columns, values)?);
        }
        self.row = row;
        Ok(())
    }

    fn value(&self, pattern: &Pattern, columns: &[VariableId], values: &[u32]) -> Result<u32, GroundError> {
        let front = &self.grounding.front;
        Ok(match pattern {
            Pattern::Ground(term) => front.values.number(*term),
            Pattern::Variable(v) => match columns.binary_search(v) {
                Ok(at) => values[at],
                // Cannot be: every variable of an emitted literal is a column. No row has this value.
                Err(_) => u32::MAX,
            },
            Pattern::Compound(functor, args) => {
                let mut terms = SmallVec::<[TermId; 8]>::new();
                for arg in args {
                    terms.push(front.values.term(self.value(arg, columns, values)?));
                }
                front.values.number(front.terms.try_compound(*functor, &terms, self.term_limit)?)
            }
        })
    }

    /// The atom of `self.row`; `None` where it can never hold.
    fn atom_of_row(&mut self, relation: FlatId) -> Option<AtomId> {
        let place = self.model.place(relation, &self.row)?;
        let numbers = &mut self.numbers[relation];
        if numbers.is_empty() {
            numbers.resize(self.model.places(relation), u32::MAX);
        }
        let slot = &mut numbers[place as usize];
        if *slot == u32::MAX {
            *slot = self.raw.atoms.len() as u32;
            self.raw.atoms.push((relation, self.raw.rows.len() as u32));
            self.raw.rows.extend_from_slice(&self.row);
            self.raw.is_asked.push(self.is_asked[relation]);
            self.raw.is_given.push(self.is_given[relation]);
        }
        Some(AtomId::from_index(*slot as usize))
    }
}
