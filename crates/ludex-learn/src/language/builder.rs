//! What can be said about a target: links, line patterns and tests within a reach.

use super::{Language, LinePattern, Link, Operand, Reach, Source, Test};
use crate::columns::{Column, Columns};
use crate::vocabulary::{Constant, Part, RelationId, Vocabulary};

/// Values of a column that are compared with as constants.
const MOST_CONSTANTS: usize = 40;
/// Keys of a relation whose facts are looked at one by one.
const MOST_CELLS: usize = 128;
/// So many steps at most are made from what is not one in all states.
const STEPS_FROM_HEAD: usize = 2;
/// Lines are so long at most.
const LONGEST_LINE: usize = 6;
/// Relations with more columns are not asked, and those with more than few only by two of them or by all.
const MOST_COLUMNS: usize = 16;
const FEW_COLUMNS: usize = 5;
/// Values of a column that are asked for as constants among all facts.
const FEW_CONSTANTS: usize = 12;
/// So many variables at most are tried in a column of a fact.
const MOST_VALUES: usize = 60;

/// Lists what can be said.
pub(super) struct Builder<'a> {
    pub columns: &'a Columns,
    pub vocabulary: &'a Vocabulary,
    pub reach: Reach,
    pub target: RelationId,
}

impl Builder<'_> {
    /// The relations that rules may ask, and sets of columns that decide the others there.
    fn lookups(&self) -> Vec<(RelationId, &Vec<usize>)> {
        let asked = (0..self.vocabulary.relations()).filter(|&relation| self.is_asked(relation));
        let keys =
            asked.flat_map(|relation| self.columns.keys(relation).iter().map(move |key| (relation, key)));
        keys.filter(|&(relation, _)| self.vocabulary.columns(relation) > 0).collect()
    }

    /// Whether rules for the target may ask a relation: what was moved decides what comes next, and not what may be
    /// moved; what may be moved can decide what ends, and both what it is worth.
    fn is_asked(&self, relation: RelationId) -> bool {
        let of = self.vocabulary.get(self.target).shape.keyword();
        let asked = self.vocabulary.get(relation);
        let is_too_much = self.columns.sums() == Some(relation) && !self.reach.sums;
        if asked.shape.columns() > MOST_COLUMNS || is_too_much {
            return false;
        }
        match (asked.part, asked.shape.keyword()) {
            (Part::Static | Part::State, _) => true,
            (Part::Moves, _) => of == "next",
            (Part::Target, "legal") => self.columns.tells_legal() && matches!(of, "terminal" | "goal"),
            (Part::Target, keyword) => keyword == "terminal" && of == "goal",
        }
    }

    pub fn add_links(&self, language: &mut Language) {
        let lookups = self.lookups();
        // What there is one of in each state.
        for &(relation, _) in lookups.iter().filter(|(_, key)| key.is_empty()) {
            if self.vocabulary.get(relation).part != Part::Static {
                let keys = vec![None; self.vocabulary.columns(relation)];
                language.add_link(Link { relation, keys }, 1, None);
            }
        }
        // What each constant decides, where they are few: the move of a role, the score of a role.
        for &(relation, key) in lookups.iter().filter(|(_, key)| !key.is_empty()) {
            if self.vocabulary.get(relation).part == Part::Static {
                continue;
            }
            let most = if self.reach.constants { MOST_CELLS } else { 4 };
            for constants in self.constant_keys(relation, key, most) {
                let mut keys = vec![None; self.vocabulary.columns(relation)];
                for (&column, constant) in key.iter().zip(constants) {
                    keys[column] = Some(Operand::Constant(constant));
                }
                language.add_link(Link { relation, keys }, 1, None);
            }
        }
        let is_one = |relation: RelationId| self.columns.keys(relation).iter().any(Vec::is_empty);
        for &((relation, column), constant) in
            self.columns.alone().iter().filter(|((it, _), _)| self.is_asked(*it) && !is_one(*it))
        {
            let mut keys = vec![None; self.vocabulary.columns(relation)];
            keys[column] = Some(Operand::Constant(constant));
            language.add_link(Link { relation, keys }, 1, None);
        }
        let furthest = self.reach.depth.max(self.reach.steps + 1);
        for depth in 1..=furthest {
            for &(relation, key) in lookups.iter().filter(|(_, key)| !key.is_empty()) {
                self.add_lookups(language, relation, key, depth);
            }
        }
    }

    /// All values of the key columns together, or none where they are too many.
    fn constant_keys(&self, relation: RelationId, key: &[usize], most: usize) -> Vec<Vec<Constant>> {
        let size = key.iter().map(|&column| self.columns.values((relation, column)).len()).product::<usize>();
        if size > most {
            return Vec::new();
        }
        key.iter().fold(vec![Vec::new()], |longer, &column| {
            let values = self.columns.values((relation, column));
            longer
                .into_iter()
                .flat_map(|before: Vec<Constant>| {
                    values.iter().map(move |&value| before.iter().copied().chain([value]).collect())
                })
                .collect()
        })
    }

    /// Looks facts of a relation up by variables that are found in fewer steps than `depth`.
    fn add_lookups(&self, language: &mut Language, relation: RelationId, key: &[usize], depth: usize) {
        let is_static = self.vocabulary.get(relation).part == Part::Static;
        let is_step = is_static && key.len() == 1 && self.vocabulary.columns(relation) == 2;
        let fits = |language: &Language, column: usize, variable: usize| {
            self.columns.are_alike((relation, column), language.variables[variable].column)
        };
        let count = language.variables.len();
        let is_new = |variables: &[usize], language: &Language| {
            variables.iter().map(|&v| language.variables[v].depth).max() == Some(depth - 1)
        };
        for first in 0..count {
            if language.variables[first].depth >= depth || !fits(language, key[0], first) {
                continue;
            }
            if key.len() == 1 {
                let steps = self.steps_to(language, first);
                let is_within = if is_step {
                    let is_single = self.is_single(language, first);
                    steps < if is_single { self.reach.steps } else { self.reach.steps.min(STEPS_FROM_HEAD) }
                } else {
                    depth <= self.reach.depth
                };
                if is_new(&[first], language)
                    && is_within
                    && !self.goes_back(language, relation, key[0], first)
                {
                    let family = is_step.then(|| language.variables[first].family);
                    self.look_up(language, relation, key, &[first], family);
                }
                continue;
            }
            if depth > self.reach.depth {
                continue;
            }
            self.look_up_together(language, relation, key, first, count, depth);
        }
    }

    /// Looks up by several variables of one tuple that stand there in the same order and one beside the other.
    fn look_up_together(
        &self,
        language: &mut Language,
        relation: RelationId,
        key: &[usize],
        first: usize,
        count: usize,
        depth: usize,
    ) {
        let (family, place) = language.variables[first].family;
        let mut chosen: Vec<Vec<usize>> = vec![vec![first]];
        for &column in &key[1..] {
            let distance = column - key[0];
            let is_free = self.reach.sums && self.columns.is_operation(relation);
            let next: Vec<usize> = (0..count)
                .filter(|&variable| {
                    let it = &language.variables[variable];
                    it.depth < depth
                        && (is_free || it.family == (family, place + distance))
                        && self.columns.are_alike((relation, column), it.column)
                })
                .collect();
            chosen = chosen
                .into_iter()
                .flat_map(|before| next.iter().map(move |&v| before.iter().copied().chain([v]).collect()))
                .collect();
        }
        for variables in chosen {
            if variables.iter().map(|&v| language.variables[v].depth).max() == Some(depth - 1) {
                self.look_up(language, relation, key, &variables, None);
            }
        }
    }

    fn look_up(
        &self,
        language: &mut Language,
        relation: RelationId,
        key: &[usize],
        variables: &[usize],
        family: Option<(usize, usize)>,
    ) {
        let mut keys = vec![None; self.vocabulary.columns(relation)];
        for (&column, &variable) in key.iter().zip(variables) {
            keys[column] = Some(Operand::Variable(variable));
        }
        let depth = 1 + variables.iter().map(|&v| language.variables[v].depth).max().unwrap_or(0);
        language.add_link(Link { relation, keys }, depth, family);
    }

    /// By how many steps of orders a variable is found.
    fn steps_to(&self, language: &Language, variable: usize) -> usize {
        let mut steps = 0;
        let mut at = variable;
        while let Source::Link(link, _) = language.variables[at].source {
            let link = &language.links[link];
            let is_step = self.vocabulary.get(link.relation).part == Part::Static && link.keys.len() == 2;
            match link.keys.iter().flatten().next() {
                Some(&Operand::Variable(before)) if is_step => at = before,
                _ => break,
            }
            steps += 1;
        }
        steps
    }

    /// Whether the state alone decides a variable.
    fn is_single(&self, language: &Language, variable: usize) -> bool {
        match language.variables[variable].source {
            Source::Head(_) => false,
            Source::Link(link, _) => language.links[link].keys.iter().flatten().all(|key| match *key {
                Operand::Constant(_) => true,
                Operand::Variable(before) => self.is_single(language, before),
            }),
        }
    }

    /// Whether a lookup says only from what its key was found: the predecessor of a successor.
    fn goes_back(&self, language: &Language, relation: RelationId, column: usize, variable: usize) -> bool {
        match language.variables[variable].source {
            Source::Link(link, found) => language.links[link].relation == relation && found == column,
            Source::Head(_) => false,
        }
    }

    pub fn add_tests(&self, language: &mut Language) {
        self.add_comparisons(language);
        self.add_facts(language);
        for pattern in 0..language.patterns.len() {
            let (relation, content) =
                (language.patterns[pattern].relation, language.patterns[pattern].content);
            let constants = self.columns.values((relation, content)).iter();
            let mut values: Vec<Operand> =
                constants.take(MOST_CONSTANTS).map(|&c| Operand::Constant(c)).collect();
            values.extend(self.variables_like((relation, content), language, 1).map(Operand::Variable));
            let length = language.patterns[pattern].length as f32;
            for value in values {
                let cost = 1.0 + length / 2.0 + language.cost(value);
                language.add_test(Test::Line { pattern, value, is_there: true }, cost);
                language.add_test(Test::Line { pattern, value, is_there: false }, cost + 0.25);
            }
        }
    }

    /// What a constant of a column costs: the more there are, the less likely it is that one matters.
    fn constant_cost(&self, column: Column) -> f32 {
        (self.columns.values(column).len() as f32).log2() / 3.0
    }

    fn variables_like<'l>(
        &self,
        column: Column,
        language: &'l Language,
        depth: usize,
    ) -> impl Iterator<Item = usize> + use<'l, '_> {
        let all = language.variables.iter().enumerate().filter(move |(_, variable)| variable.depth <= depth);
        let alike = all.filter(move |(_, variable)| self.columns.are_alike(variable.column, column));
        alike.map(|(number, _)| number).collect::<Vec<_>>().into_iter()
    }

    /// Variables beside constants and beside each other.
    fn add_comparisons(&self, language: &mut Language) {
        let count = language.variables.len();
        for variable in 0..count {
            let (column, cost) = (language.variables[variable].column, language.variables[variable].cost);
            let values = self.columns.values(column);
            let is_simple = language.variables[variable].depth <= 1 && self.is_single(language, variable);
            if values.len() <= MOST_CONSTANTS || is_simple {
                for &constant in values {
                    let constant = Operand::Constant(constant);
                    let cost = 1.0 + cost + self.constant_cost(column);
                    language.add_test(Test::Equal(variable, constant), cost);
                    language.add_test(Test::Differ(variable, constant), cost + 0.25);
                }
            }
        }
        for first in 0..count {
            for second in first + 1..count {
                let (a, b) = (&language.variables[first], &language.variables[second]);
                let are_fixed = matches!((a.source, b.source), (Source::Link(..), Source::Link(..)))
                    && a.depth + b.depth > self.reach.depth + 1;
                let is_cheap = 1.0 + a.cost.max(b.cost) < language.costliest;
                if !are_fixed && is_cheap && self.columns.are_alike(a.column, b.column) {
                    let cost = 1.0 + language.cost_of_two(first, second);
                    language.add_test(Test::Equal(first, Operand::Variable(second)), cost);
                    language.add_test(Test::Differ(first, Operand::Variable(second)), cost + 0.25);
                }
            }
        }
    }

    /// Whether there is such a fact.
    fn add_facts(&self, language: &mut Language) {
        for relation in (0..self.vocabulary.relations()).filter(|&relation| self.is_asked(relation)) {
            let columns = self.vocabulary.columns(relation);
            let is_static = self.vocabulary.get(relation).part == Part::Static;
            if self.vocabulary.get(relation).part == Part::State {
                self.add_universal(language, relation);
            }
            let some = (0..1_u32 << columns).filter(|bound| {
                columns <= FEW_COLUMNS || bound.count_ones() <= 2 || bound.count_ones() as usize == columns
            });
            for bound in some {
                let bound: Vec<usize> = (0..columns).filter(|&column| bound >> column & 1 == 1).collect();
                if is_static && bound.is_empty() {
                    continue;
                }
                self.add_facts_by(language, relation, &bound);
            }
        }
    }

    /// Whether all facts of a relation have the same in a column.
    fn add_universal(&self, language: &mut Language, relation: RelationId) {
        for column in 0..self.vocabulary.columns(relation) {
            let values = self.columns.values((relation, column));
            for &value in values.iter().filter(|_| values.len() <= FEW_CONSTANTS) {
                let cost = 1.25 + self.constant_cost((relation, column));
                language.add_test(Test::All { relation, column, value, is_so: true }, cost);
                language.add_test(Test::All { relation, column, value, is_so: false }, cost);
            }
        }
    }

    /// Whether there is a fact of a relation that has given values in these columns.
    fn add_facts_by(&self, language: &mut Language, relation: RelationId, bound: &[usize]) {
        const MOST_WAYS: usize = 600;
        let columns = self.vocabulary.columns(relation);
        // What there is one of in each state is compared column by column, so that the head is enough.
        let is_one = self.columns.keys(relation).iter().any(Vec::is_empty);
        let depth = if is_one { 0 } else { self.reach.depth };
        // Values of the columns so far, with what constants among them cost, and what all cost.
        let mut ways: Vec<(f32, f32, Vec<Operand>)> = vec![(1.0, 1.0, Vec::new())];
        for &column in bound {
            let variables = self.variables_like((relation, column), language, depth);
            let mut variables: Vec<usize> = variables.collect();
            variables.sort_by(|&a, &b| language.variables[a].cost.total_cmp(&language.variables[b].cost));
            variables.truncate(MOST_VALUES);
            let mut values: Vec<(f32, Operand)> =
                variables.into_iter().map(|variable| (0.0, Operand::Variable(variable))).collect();
            let constants = self.columns.values((relation, column));
            if constants.len() <= FEW_CONSTANTS && self.vocabulary.get(relation).part != Part::Static {
                let cost = self.constant_cost((relation, column));
                values.extend(constants.iter().map(|&constant| (cost, Operand::Constant(constant))));
            }
            let mut longer = Vec::with_capacity(ways.len() * values.len());
            for (before, _, way) in &ways {
                for &(cost, value) in &values {
                    let way: Vec<Operand> = way.iter().copied().chain([value]).collect();
                    if self.belong_together(language, bound, &way) {
                        let variables = way.iter().filter_map(|value| match value {
                            Operand::Variable(variable) => Some(*variable),
                            Operand::Constant(_) => None,
                        });
                        longer.push((before + cost, before + cost + language.cost_of(variables), way));
                    }
                }
            }
            longer.sort_by(|a, b| a.1.total_cmp(&b.1));
            longer.truncate(MOST_WAYS);
            ways = longer;
        }
        for (_, cost, way) in ways {
            let mut values = vec![None; columns];
            bound.iter().zip(&way).for_each(|(&column, &value)| values[column] = Some(value));
            language.add_test(Test::Holds(relation, values.clone()), cost);
            language.add_test(Test::HoldsNot(relation, values), cost + 0.25);
        }
    }

    /// Whether the variables among these values are worth asking about together: of one tuple in the same order, or
    /// each found by the state alone or of another kind.
    fn belong_together(&self, language: &Language, bound: &[usize], way: &[Operand]) -> bool {
        let place = |at: usize| match way[at] {
            Operand::Constant(_) => None,
            Operand::Variable(v) => Some((v, &language.variables[v])),
        };
        (0..way.len()).all(|second| {
            (0..second).all(|first| {
                let (Some((a, left)), Some((b, right))) = (place(first), place(second)) else { return true };
                if a == b {
                    return false;
                }
                let are_alike = self.columns.are_alike(left.column, right.column);
                let is_in_order = left.family.0 == right.family.0
                    && left.family.1 + (bound[second] - bound[first]) == right.family.1;
                !are_alike || is_in_order || language.variables.len() < 24
            })
        })
    }

    /// Lines of cells, where a relation has two columns of places that an order steps through, and they decide a
    /// third.
    pub fn add_patterns(&self, language: &mut Language) {
        const WAYS: [&[(i8, i8)]; 6] = [
            &[(1, 0), (0, 1), (1, 1), (1, -1)],
            &[(1, 0), (0, 1)],
            &[(1, 1), (1, -1)],
            &[(1, 0)],
            &[(0, 1)],
            &[(1, 1)],
        ];
        for relation in 0..self.vocabulary.relations() {
            if self.vocabulary.get(relation).part != Part::State || self.vocabulary.columns(relation) != 3 {
                continue;
            }
            for key in self.columns.keys(relation).iter().filter(|key| key.len() == 2) {
                let places = [key[0], key[1]];
                let content = (0..3).find(|column| !key.contains(column)).unwrap_or(2);
                let order = |column| self.order((relation, column));
                let (Some(first), Some(second)) = (order(places[0]), order(places[1])) else { continue };
                for (length, directions) in (3..=LONGEST_LINE).flat_map(|l| WAYS.map(|way| (l, way))) {
                    language.patterns.push(LinePattern {
                        relation,
                        places,
                        content,
                        orders: [first, second],
                        directions: directions.to_vec(),
                        length,
                    });
                }
            }
        }
    }

    /// A relation that leads from each value of a column to the next one.
    fn order(&self, column: Column) -> Option<RelationId> {
        (0..self.vocabulary.relations()).find(|&relation| {
            self.vocabulary.get(relation).part == Part::Static
                && self.vocabulary.columns(relation) == 2
                && self.columns.keys(relation) == [vec![0], vec![1]]
                && self.columns.are_alike(column, (relation, 0))
                && self.columns.are_alike(column, (relation, 1))
        })
    }
}
