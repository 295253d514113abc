//! Boards of hexagons: finding them and laying them out by who is next to whom.

use std::collections::VecDeque;

use ludex_gdl::GameProgram;
use ludex_logic::dependency::Dependencies;
use ludex_logic::evaluator::Evaluator;
use ludex_logic::{Budget, Clause, IdVec, Pattern, ProgramBuilder, RelationId, SymbolId, TermId};
use rustc_hash::FxHashMap;

use super::kinds::Row;

/// Steps of inference to compute one relation of neighbours.
const WORK: u64 = 300_000;
/// Relations to try, and of those whose facts are written down.
const TRIES: usize = 12;
const WRITTEN: usize = 100;

/// The six directions, each a sixth of a turn after the last, in axial coordinates.
const DIRECTIONS: [(i32, i32); 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];

/// The static relations of a game that may say which cells are neighbours.
pub(crate) struct Neighbours<'a> {
    game: &'a GameProgram,
    dependencies: Dependencies,
    changing: IdVec<RelationId, bool>,
    budget: Budget,
}

impl<'a> Neighbours<'a> {
    /// Prepares to ask a game.
    pub fn new(game: &'a GameProgram, budget: &Budget) -> Self {
        let dependencies = Dependencies::new(&game.program);
        let given = [game.vocabulary.truth, game.vocabulary.does];
        let changing = dependencies.dependents(given);
        let budget = budget.clone().with_work(budget.work().min(WORK));
        Self { game, dependencies, changing, budget }
    }

    /// Where the cells lie on a lattice of hexagons, by twice the column and by the row, if some
    /// relation of the rules links them so.
    pub fn hexagons(&self, cells: &FxHashMap<Row, usize>, columns: usize) -> Option<Vec<(i32, i32)>> {
        let program = &self.game.program;
        let fitting =
            program.relations.entries().filter(|(id, r)| r.arity == 2 * columns && !self.changing[*id]);
        let mut one_way: Vec<(usize, usize)> = Vec::new();
        for (relation, _) in fitting.take(TRIES) {
            let Some(pairs) = self.pairs(relation, cells, columns) else { continue };
            if let Some(places) = embed(cells.len(), &pairs) {
                return Some(places);
            }
            let mut froms: Vec<usize> = pairs.iter().map(|p| p.0).collect();
            froms.sort_unstable();
            froms.dedup();
            if froms.len() == pairs.len() {
                one_way.extend(pairs);
            }
        }
        // One relation for each direction.
        embed(cells.len(), &one_way)
    }

    /// The facts of the static relations with so many arguments: those that are written down, then some of those
    /// that are quickly computed.
    pub fn tables(&self, arity: usize) -> Vec<Vec<Row>> {
        let program = &self.game.program;
        let fitting = program.relations.entries().filter(|(id, r)| r.arity == arity && !self.changing[*id]);
        let is_written = |relation: RelationId| {
            program.clauses.iter().filter(|clause| clause.head.relation == relation).all(Clause::is_fact)
        };
        let (written, others): (Vec<_>, Vec<_>) =
            fitting.map(|(relation, _)| relation).partition(|&relation| is_written(relation));
        let tried = written.into_iter().take(WRITTEN).chain(others.into_iter().take(TRIES));
        tried.filter_map(|relation| self.rows(relation)).filter(|rows| !rows.is_empty()).collect()
    }

    /// What the static relation with this name and one argument holds of.
    pub fn called(&self, name: &str) -> Vec<TermId> {
        let program = &self.game.program;
        let mut relations = program.relations.entries();
        let named = relations.find(|(id, relation)| {
            relation.arity == 1 && !self.changing[*id] && program.terms.name(relation.name) == name
        });
        let rows = named.and_then(|(id, _)| self.rows(id)).unwrap_or_default();
        rows.into_iter().filter_map(|row| row.first().copied()).collect()
    }

    /// The pairs of cells that some static relation links, of the one that links most of them, each with at
    /// most `most` others.
    pub fn links(
        &self,
        cells: &FxHashMap<Row, usize>,
        columns: usize,
        most: usize,
    ) -> Option<Vec<(usize, usize)>> {
        let program = &self.game.program;
        let fitting =
            program.relations.entries().filter(|(id, r)| r.arity == 2 * columns && !self.changing[*id]);
        let linked = fitting.take(TRIES).filter_map(|(relation, _)| self.pairs(relation, cells, columns));
        let orderly = |pairs: &Vec<(usize, usize)>| {
            let mut degrees = vec![0usize; cells.len()];
            for &(a, b) in pairs {
                degrees[a] += 1;
                degrees[b] += 1;
            }
            // Each link may be written both ways.
            degrees.iter().all(|&degree| (1..=2 * most).contains(&degree))
        };
        let mut pairs = linked.filter(orderly).max_by_key(Vec::len)?;
        for pair in &mut pairs {
            *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
        }
        pairs.sort_unstable();
        pairs.dedup();
        Some(pairs)
    }

    /// The relations that depend on the state or the moves.
    pub fn changing(&self) -> &IdVec<RelationId, bool> {
        &self.changing
    }

    /// The pairs of cells that a relation links, if it holds for cells only.
    fn pairs(
        &self,
        relation: RelationId,
        cells: &FxHashMap<Row, usize>,
        columns: usize,
    ) -> Option<Vec<(usize, usize)>> {
        let mut pairs = Vec::new();
        for args in self.rows(relation)? {
            let (a, b) = (cells.get(&args[..columns]), cells.get(&args[columns..]));
            if let (Some(&a), Some(&b)) = (a, b)
                && a != b
            {
                pairs.push((a, b));
            }
        }
        (pairs.len() + 1 >= cells.len() / 3).then_some(pairs)
    }

    /// All facts of a static relation, computed from the clauses it needs only.
    fn rows(&self, relation: RelationId) -> Option<Vec<Row>> {
        let program = &self.game.program;
        let clauses = || program.clauses.iter().filter(|c| c.head.relation == relation);
        if clauses().all(|c| c.is_fact()) {
            return clauses()
                .map(|c| c.head.args.iter().map(Pattern::ground).collect::<Option<Row>>())
                .collect();
        }
        let needed = self.dependencies.requirements([relation]);
        let mut part = ProgramBuilder::over(program);
        let is_needed = |c: &&Clause| c.head.relation == relation || needed[c.head.relation];
        program.clauses.iter().filter(is_needed).for_each(|clause| part.add(clause.clone()));
        let part = part.finish();
        let evaluator = Evaluator::new(&part, &self.budget).ok()?;
        let mut session = evaluator.session(&self.budget);
        let answers = evaluator.answers(&mut session, relation).ok()?;
        Some(answers.into_iter().map(|args| args.iter().copied().collect()).collect())
    }

    /// Whether the first two and the last two columns of a kind's facts go together: some rule's head
    /// has the first and third variable of such a fact but neither of the others, as the boxes of
    /// Sudoku do.
    pub fn interleaved(&self, functor: SymbolId) -> bool {
        let truth = self.game.vocabulary.truth;
        self.game.program.clauses.iter().any(|clause| {
            let mut found = false;
            clause.body.atoms(&mut |atom, _| {
                if atom.relation != truth {
                    return;
                }
                let Some(Pattern::Compound(f, args)) = atom.args.first() else { return };
                if *f != functor || args.len() < 4 {
                    return;
                }
                let heads = |p: &Pattern| matches!(p, Pattern::Variable(_)) && clause.head.args.contains(p);
                found |= heads(&args[0]) && heads(&args[2]) && !heads(&args[1]) && !heads(&args[3]);
            });
            found
        })
    }
}

/// Places cells so that exactly neighbours touch; `None` when that is no lattice of hexagons.
fn embed(count: usize, pairs: &[(usize, usize)]) -> Option<Vec<(i32, i32)>> {
    if count < 7 || pairs.len() < count {
        return None;
    }
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(a, b) in pairs {
        next[a].push(b);
        next[b].push(a);
    }
    for list in &mut next {
        list.sort_unstable();
        list.dedup();
        if list.len() > 6 || list.is_empty() {
            return None;
        }
    }
    if !next.iter().any(|list| list.len() == 6) {
        return None;
    }
    let common = |a: usize, b: usize| -> Vec<usize> {
        next[a].iter().copied().filter(|c| next[b].binary_search(c).is_ok()).collect()
    };
    // Begin in the middle, where all is determined.
    let start = (0..count).find(|&c| next[c].len() == 6)?;
    let second = next[start].iter().copied().find(|&n| common(start, n).len() == 2)?;
    let third = common(start, second)[0];
    let mut place: Vec<Option<(i32, i32)>> = vec![None; count];
    let mut taken: FxHashMap<(i32, i32), usize> = FxHashMap::default();
    let mut queue = VecDeque::new();
    for (cell, at) in [(start, (0, 0)), (second, DIRECTIONS[0]), (third, DIRECTIONS[1])] {
        place[cell] = Some(at);
        taken.insert(at, cell);
        queue.push_back(cell);
    }
    // Each round looks at placed edges; a border edge may have to wait for its other side.
    let mut idle = 0;
    while let Some(a) = queue.pop_front() {
        if idle > queue.len() + 1 {
            break;
        }
        let Some(at) = place[a] else { continue };
        let mut open = false;
        let mut progress = false;
        for &b in &next[a] {
            let Some(to) = place[b] else {
                open = true;
                continue;
            };
            let turn = DIRECTIONS.iter().position(|d| (at.0 + d.0, at.1 + d.1) == to)?;
            let sides = [(turn + 1) % 6, (turn + 5) % 6].map(|d| {
                let direction = DIRECTIONS[d];
                (at.0 + direction.0, at.1 + direction.1)
            });
            let thirds = common(a, b);
            if thirds.len() > 2 {
                return None;
            }
            for &c in &thirds {
                if place[c].is_some() {
                    continue;
                }
                let free: Vec<(i32, i32)> =
                    sides.iter().copied().filter(|side| !taken.contains_key(side)).collect();
                if let [only] = free[..] {
                    place[c] = Some(only);
                    taken.insert(only, c);
                    queue.push_back(c);
                    progress = true;
                }
            }
        }
        if open || progress {
            queue.push_back(a);
        }
        idle = if progress { 0 } else { idle + 1 };
    }
    let places: Vec<(i32, i32)> = place.into_iter().collect::<Option<_>>()?;
    let touches = |a: usize, b: usize| {
        let d = (places[b].0 - places[a].0, places[b].1 - places[a].1);
        DIRECTIONS.contains(&d)
    };
    next.iter().enumerate().all(|(a, list)| list.iter().all(|&b| touches(a, b))).then(|| turn(&places))
}

/// Places cells when each relation is one direction: the two that link most span the lattice, and
/// the others follow. A third one tells whether these two are a sixth or a third of a turn apart.
pub(crate) fn by_directions(count: usize, relations: &[Vec<(usize, usize)>]) -> Option<Vec<(i32, i32)>> {
    let mut relations: Vec<&Vec<(usize, usize)>> = relations.iter().collect();
    relations.sort_by_key(|r| std::cmp::Reverse(r.len()));
    let first = *relations.first()?;
    let inverse = |r: &[(usize, usize)]| {
        let back = r.iter().filter(|(a, b)| first.contains(&(*b, *a)) || first.contains(&(*a, *b))).count();
        back * 2 > r.len()
    };
    let second = relations.iter().position(|r| !inverse(r))?;
    let mut vectors: Vec<Option<(i32, i32)>> = vec![None; relations.len()];
    vectors[0] = Some((1, 0));
    vectors[second] = Some((0, 1));
    let mut place: Vec<Option<(i32, i32)>> = vec![None; count];
    place[first.first()?.0] = Some((0, 0));
    let mut progress = true;
    while progress {
        progress = false;
        for (relation, vector) in relations.iter().zip(&mut vectors) {
            for &(a, b) in relation.iter() {
                match (place[a], place[b], *vector) {
                    (Some(p), None, Some(v)) => place[b] = Some((p.0 + v.0, p.1 + v.1)),
                    (None, Some(p), Some(v)) => place[a] = Some((p.0 - v.0, p.1 - v.1)),
                    (Some(p), Some(q), None) => *vector = Some((q.0 - p.0, q.1 - p.1)),
                    (Some(p), Some(q), Some(v)) if (q.0 - p.0, q.1 - p.1) != v => return None,
                    _ => continue,
                }
                progress = true;
            }
        }
    }
    let mut places: Vec<(i32, i32)> = place.into_iter().collect::<Option<_>>()?;
    let along = |v: (i32, i32)| vectors.iter().flatten().any(|w| *w == v || *w == (-v.0, -v.1));
    if along((1, 1)) && !along((1, -1)) {
        for p in &mut places {
            p.1 = -p.1;
        }
    }
    let mut distinct = places.clone();
    distinct.sort_unstable();
    distinct.dedup();
    (distinct.len() == count).then(|| turn(&places))
}

/// Of the twelve ways to turn and mirror the lattice, the one that reads most like the order of the
/// cells: rows from left to right, and from the top down.
fn turn(places: &[(i32, i32)]) -> Vec<(i32, i32)> {
    let variants = (0..12).map(|v| {
        let (u, w) = (DIRECTIONS[v % 6], DIRECTIONS[(v % 6 + if v < 6 { 1 } else { 5 }) % 6]);
        let turned: Vec<(i32, i32)> = places
            .iter()
            .map(|&(i, j)| {
                let (x, y) = (i * u.0 + j * w.0, i * u.1 + j * w.1);
                (2 * x + y, y)
            })
            .collect();
        let along = turned.windows(2).filter(|p| p[1].1 == p[0].1 && p[1].0 == p[0].0 + 2).count();
        let down = turned.windows(2).filter(|p| p[1].1 > p[0].1).count();
        let wide =
            turned.iter().map(|p| p.0).max().unwrap_or(0) - turned.iter().map(|p| p.0).min().unwrap_or(0);
        ((2 * along + down) * 100 + 99 - (wide as usize).min(99), turned)
    });
    let best = variants.reduce(|best, other| if other.0 > best.0 { other } else { best });
    let mut best = best.map_or_else(Vec::new, |b| b.1);
    let left = best.iter().map(|p| p.0).min().unwrap_or(0);
    let top = best.iter().map(|p| p.1).min().unwrap_or(0);
    for place in &mut best {
        *place = (place.0 - left, place.1 - top);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rhombus_of_hexagons_is_found_and_a_grid_is_not() {
        let at = |x: i32, y: i32| (x * 5 + y) as usize;
        let inside = |x: i32, y: i32| (0..5).contains(&x) && (0..5).contains(&y);
        let board = |directions: &[(i32, i32)]| {
            let mut pairs = Vec::new();
            for x in 0..5 {
                for y in 0..5 {
                    for (dx, dy) in directions.iter().filter(|d| inside(x + d.0, y + d.1)) {
                        pairs.push((at(x, y), at(x + dx, y + dy)));
                    }
                }
            }
            embed(25, &pairs)
        };
        let places = board(&DIRECTIONS).unwrap();
        assert_eq!(places[0], (0, 0));
        assert_eq!(places[at(0, 1)], (2, 0), "the second of the first row");
        assert!(board(&[(0, 1), (1, 0)]).is_none(), "squares");
        assert!(board(&[(0, 1), (1, 0), (1, 1), (1, -1)]).is_none(), "kings");
    }
}
