//! Pairing everybody at the least cost: Edmonds' algorithm for matchings of greatest weight, in the form
//! that shrinks blossoms and keeps dual variables, in cubic time.
//!
//! J. Edmonds: Maximum matching and a polyhedron with 0,1-vertices, Journal of Research of the National
//! Bureau of Standards 69B (1965). Z. Galil: Efficient algorithms for finding maximum matching in graphs,
//! ACM Computing Surveys 18 (1986).

use std::collections::VecDeque;

/// Pairs an even number of vertices so that the sum of the costs is least, and gives the partner of each.
/// Costs are symmetric, not negative, and below 2^110 / `count`². An odd vertex out has itself.
pub(super) fn cheapest_pairs(count: usize, cost: impl Fn(usize, usize) -> i128) -> Vec<usize> {
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let dearest = pairs.clone().map(|(a, b)| cost(a, b)).max().unwrap_or(0);
    // Weights such that one pair more is worth more than all costs.
    let base = (dearest + 1) * (count as i128 + 1);
    let mut graph = Graph::new(count);
    for (a, b) in pairs {
        graph.connect(a + 1, b + 1, base - cost(a, b));
    }
    graph.solve();
    (0..count).map(|a| graph.partner[a + 1].checked_sub(1).unwrap_or(a)).collect()
}

/// An edge between two vertices, also where it stands for the edge between blossoms that hold them.
#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    from: usize,
    to: usize,
    weight: i128,
}

/// How a vertex or blossom is labelled in the search for an augmenting path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Free,
    /// At an even distance from an unmatched vertex.
    Outer,
    /// At an odd distance.
    Inner,
}

/// Vertices are numbered from 1, blossoms follow; 0 is none.
#[derive(Debug)]
struct Graph {
    vertices: usize,
    /// The highest number in use.
    nodes: usize,
    edges: Vec<Vec<Edge>>,
    /// Dual variables.
    dual: Vec<i128>,
    /// The vertex at the other end of the matched edge.
    partner: Vec<usize>,
    /// The vertex from which the edge with least slack comes.
    slack: Vec<usize>,
    /// The outermost blossom a node is in.
    top: Vec<usize>,
    /// The vertex by which the search came.
    parent: Vec<usize>,
    /// Which member of a blossom a vertex is in.
    member: Vec<Vec<usize>>,
    label: Vec<Label>,
    /// When a node was seen last in the search for a common ancestor.
    seen: Vec<usize>,
    searches: usize,
    /// The members of each blossom around its cycle, its base first.
    cycle: Vec<Vec<usize>>,
    queue: VecDeque<usize>,
}

impl Graph {
    fn new(vertices: usize) -> Self {
        // Blossoms are nested or apart: no more than half as many as there are vertices.
        let size = vertices + vertices / 2 + 2;
        let edge = |from, to| Edge { from, to, weight: 0 };
        Self {
            vertices,
            nodes: vertices,
            edges: (0..size).map(|from| (0..size).map(|to| edge(from, to)).collect()).collect(),
            dual: vec![0; size],
            partner: vec![0; size],
            slack: vec![0; size],
            top: (0..size).map(|node| if node <= vertices { node } else { 0 }).collect(),
            parent: vec![0; size],
            member: vec![vec![0; vertices + 1]; size],
            label: vec![Label::Free; size],
            seen: vec![0; size],
            searches: 0,
            cycle: vec![Vec::new(); size],
            queue: VecDeque::new(),
        }
    }

    fn connect(&mut self, a: usize, b: usize, weight: i128) {
        self.edges[a][b].weight = weight;
        self.edges[b][a].weight = weight;
    }

    fn solve(&mut self) {
        let heaviest = self.edges.iter().flatten().map(|edge| edge.weight).max().unwrap_or(0);
        for vertex in 1..=self.vertices {
            self.member[vertex][vertex] = vertex;
            self.dual[vertex] = heaviest;
        }
        while self.augment_once() {}
    }

    /// How far an edge is from being tight.
    fn distance(&self, edge: Edge) -> i128 {
        self.dual[edge.from] + self.dual[edge.to] - 2 * self.edges[edge.from][edge.to].weight
    }

    fn offer_slack(&mut self, from: usize, node: usize) {
        let known = self.slack[node];
        let closer =
            known == 0 || self.distance(self.edges[from][node]) < self.distance(self.edges[known][node]);
        if closer {
            self.slack[node] = from;
        }
    }

    fn find_slack(&mut self, node: usize) {
        self.slack[node] = 0;
        for vertex in 1..=self.vertices {
            let outer = self.label[self.top[vertex]] == Label::Outer;
            if self.edges[vertex][node].weight > 0 && self.top[vertex] != node && outer {
                self.offer_slack(vertex, node);
            }
        }
    }

    /// Looks at the edges of all vertices in a node later on.
    fn enqueue(&mut self, node: usize) {
        if node <= self.vertices {
            self.queue.push_back(node);
        } else {
            for place in 0..self.cycle[node].len() {
                self.enqueue(self.cycle[node][place]);
            }
        }
    }

    fn set_top(&mut self, node: usize, top: usize) {
        self.top[node] = top;
        if node > self.vertices {
            for place in 0..self.cycle[node].len() {
                self.set_top(self.cycle[node][place], top);
            }
        }
    }

    /// The place of a member around its blossom, at an even distance from the base: the cycle is turned
    /// round where need be.
    fn even_place(&mut self, blossom: usize, member: usize) -> usize {
        let cycle = &mut self.cycle[blossom];
        let place = cycle.iter().position(|&node| node == member).unwrap_or(0);
        if place % 2 == 0 {
            return place;
        }
        cycle[1..].reverse();
        cycle.len() - place
    }

    /// Matches a node over the edge to another one, and what is inside it accordingly.
    fn set_partner(&mut self, node: usize, other: usize) {
        let edge = self.edges[node][other];
        self.partner[node] = edge.to;
        if node <= self.vertices {
            return;
        }
        let base = self.member[node][edge.from];
        let place = self.even_place(node, base);
        for at in 0..place {
            let (own, next) = (self.cycle[node][at], self.cycle[node][at ^ 1]);
            self.set_partner(own, next);
        }
        self.set_partner(base, other);
        self.cycle[node].rotate_left(place);
    }

    /// Swaps matched and unmatched edges from here back to the root.
    fn flip(&mut self, mut node: usize, mut other: usize) {
        loop {
            let next = self.top[self.partner[node]];
            self.set_partner(node, other);
            if next == 0 {
                return;
            }
            let up = self.top[self.parent[next]];
            self.set_partner(next, up);
            (node, other) = (up, next);
        }
    }

    fn common_ancestor(&mut self, mut a: usize, mut b: usize) -> usize {
        self.searches += 1;
        while a != 0 || b != 0 {
            if a != 0 {
                if self.seen[a] == self.searches {
                    return a;
                }
                self.seen[a] = self.searches;
                a = self.top[self.partner[a]];
                if a != 0 {
                    a = self.top[self.parent[a]];
                }
            }
            std::mem::swap(&mut a, &mut b);
        }
        0
    }

    /// Shrinks the cycle through two outer nodes and their ancestor.
    fn shrink(&mut self, a: usize, ancestor: usize, b: usize) {
        let free = (self.vertices + 1..=self.nodes).find(|&node| self.top[node] == 0);
        let blossom = free.unwrap_or(self.nodes + 1);
        self.nodes = self.nodes.max(blossom);
        self.dual[blossom] = 0;
        self.label[blossom] = Label::Outer;
        self.partner[blossom] = self.partner[ancestor];
        self.cycle[blossom] = vec![ancestor];
        self.walk_up(a, ancestor, blossom);
        self.cycle[blossom][1..].reverse();
        self.walk_up(b, ancestor, blossom);
        self.set_top(blossom, blossom);
        for node in 1..=self.nodes {
            self.edges[blossom][node].weight = 0;
            self.edges[node][blossom].weight = 0;
        }
        self.member[blossom].fill(0);
        for place in 0..self.cycle[blossom].len() {
            let inside = self.cycle[blossom][place];
            for node in 1..=self.nodes {
                let known = self.edges[blossom][node];
                let edge = self.edges[inside][node];
                if known.weight == 0 || self.distance(edge) < self.distance(known) {
                    self.edges[blossom][node] = edge;
                    self.edges[node][blossom] = self.edges[node][inside];
                }
            }
            for vertex in 1..=self.vertices {
                if self.member[inside][vertex] != 0 {
                    self.member[blossom][vertex] = inside;
                }
            }
        }
        self.find_slack(blossom);
    }

    /// Enters the nodes from here up to an ancestor in the cycle of a blossom.
    fn walk_up(&mut self, from: usize, ancestor: usize, blossom: usize) {
        let mut node = from;
        while node != ancestor {
            let inner = self.top[self.partner[node]];
            self.cycle[blossom].extend([node, inner]);
            self.enqueue(inner);
            node = self.top[self.parent[inner]];
        }
    }

    /// Takes an inner blossom apart whose dual variable has come to 0.
    fn expand(&mut self, blossom: usize) {
        for place in 0..self.cycle[blossom].len() {
            let node = self.cycle[blossom][place];
            self.set_top(node, node);
        }
        let parent = self.parent[blossom];
        let entry = self.member[blossom][self.edges[blossom][parent].from];
        let place = self.even_place(blossom, entry);
        let cycle = self.cycle[blossom].clone();
        for pair in cycle[..place].chunks_exact(2) {
            let (inner, outer) = (pair[0], pair[1]);
            self.parent[inner] = self.edges[outer][inner].from;
            self.label[inner] = Label::Inner;
            self.label[outer] = Label::Outer;
            self.slack[inner] = 0;
            self.find_slack(outer);
            self.enqueue(outer);
        }
        self.label[entry] = Label::Inner;
        self.parent[entry] = parent;
        for &node in &cycle[place + 1..] {
            self.label[node] = Label::Free;
            self.find_slack(node);
        }
        self.top[blossom] = 0;
    }

    /// Follows a tight edge; says whether the matching has grown by it.
    fn follow(&mut self, edge: Edge) -> bool {
        let (from, to) = (self.top[edge.from], self.top[edge.to]);
        match self.label[to] {
            Label::Free => {
                self.parent[to] = edge.from;
                self.label[to] = Label::Inner;
                let next = self.top[self.partner[to]];
                self.slack[to] = 0;
                self.slack[next] = 0;
                self.label[next] = Label::Outer;
                self.enqueue(next);
            }
            Label::Outer => {
                let ancestor = self.common_ancestor(from, to);
                if ancestor == 0 {
                    self.flip(from, to);
                    self.flip(to, from);
                    return true;
                }
                self.shrink(from, ancestor, to);
            }
            Label::Inner => {}
        }
        false
    }

    /// Makes the matching larger by one edge, if that makes it heavier.
    fn augment_once(&mut self) -> bool {
        self.label[1..=self.nodes].fill(Label::Free);
        self.slack[1..=self.nodes].fill(0);
        self.queue.clear();
        for node in 1..=self.nodes {
            if self.top[node] == node && self.partner[node] == 0 {
                self.parent[node] = 0;
                self.label[node] = Label::Outer;
                self.enqueue(node);
            }
        }
        if self.queue.is_empty() {
            return false;
        }
        loop {
            while let Some(vertex) = self.queue.pop_front() {
                if self.look_around(vertex) {
                    return true;
                }
            }
            if !self.adjust() {
                return false;
            }
            self.queue.clear();
            for node in 1..=self.nodes {
                let from = self.slack[node];
                let found = self.top[node] == node && from != 0 && self.top[from] != node;
                let edge = self.edges[from][node];
                if found && self.distance(edge) == 0 && self.follow(edge) {
                    return true;
                }
            }
            for blossom in self.vertices + 1..=self.nodes {
                let inner = self.top[blossom] == blossom && self.label[blossom] == Label::Inner;
                if inner && self.dual[blossom] == 0 {
                    self.expand(blossom);
                }
            }
        }
    }

    /// Follows the tight edges of a vertex; says whether the matching has grown.
    fn look_around(&mut self, vertex: usize) -> bool {
        if self.label[self.top[vertex]] == Label::Inner {
            return false;
        }
        for other in 1..=self.vertices {
            let edge = self.edges[vertex][other];
            if edge.weight > 0 && self.top[vertex] != self.top[other] {
                if self.distance(edge) == 0 {
                    if self.follow(edge) {
                        return true;
                    }
                } else {
                    self.offer_slack(vertex, self.top[other]);
                }
            }
        }
        false
    }

    /// Changes the dual variables so that another edge becomes tight, or a blossom can be expanded; says
    /// whether that makes sense.
    fn adjust(&mut self) -> bool {
        let mut step = i128::MAX;
        for node in 1..=self.nodes {
            if self.top[node] != node {
                continue;
            }
            let label = self.label[node];
            if node > self.vertices && label == Label::Inner {
                step = step.min(self.dual[node] / 2);
            }
            if self.slack[node] != 0 {
                let distance = self.distance(self.edges[self.slack[node]][node]);
                match label {
                    Label::Free => step = step.min(distance),
                    Label::Outer => step = step.min(distance / 2),
                    Label::Inner => {}
                }
            }
        }
        for vertex in 1..=self.vertices {
            match self.label[self.top[vertex]] {
                Label::Outer if self.dual[vertex] <= step => return false,
                Label::Outer => self.dual[vertex] -= step,
                Label::Inner => self.dual[vertex] += step,
                Label::Free => {}
            }
        }
        for blossom in self.vertices + 1..=self.nodes {
            if self.top[blossom] == blossom {
                match self.label[blossom] {
                    Label::Outer => self.dual[blossom] += 2 * step,
                    Label::Inner => self.dual[blossom] -= 2 * step,
                    Label::Free => {}
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use ludex_game::Rng;

    use super::*;

    /// The least cost by trying everything.
    fn least(left: &[usize], cost: &dyn Fn(usize, usize) -> i128) -> i128 {
        let Some((&first, rest)) = left.split_first() else { return 0 };
        let with = |place: usize| {
            let mut others = rest.to_vec();
            let other = others.remove(place);
            cost(first, other) + least(&others, cost)
        };
        (0..rest.len()).map(with).min().unwrap_or(0)
    }

    #[test]
    fn nothing_is_cheaper() {
        let mut rng = Rng::from_seed(3);
        for round in 0..3_000 {
            let count = 2 * (1 + rng.below(5) as usize);
            // Few different costs make many ties and blossoms.
            let bound = [2, 4, 20, 1_000_000][round % 4];
            let shift = round % 80;
            let costs: Vec<i128> =
                (0..count * count).map(|_| i128::from(rng.below(bound)) << shift).collect();
            let cost = |a: usize, b: usize| costs[a.min(b) * count + a.max(b)];
            let pairs = cheapest_pairs(count, cost);
            assert!((0..count).all(|a| pairs[a] != a && pairs[pairs[a]] == a), "{pairs:?}");
            let found: i128 = (0..count).filter(|&a| a < pairs[a]).map(|a| cost(a, pairs[a])).sum();
            assert_eq!(found, least(&(0..count).collect::<Vec<_>>(), &cost), "{costs:?}");
        }
    }

    #[test]
    fn nobody_and_two_are_paired() {
        assert!(cheapest_pairs(0, |_, _| 0).is_empty());
        assert_eq!(cheapest_pairs(2, |_, _| 5), [1, 0]);
        assert_eq!(cheapest_pairs(1, |_, _| 0), [0], "an odd one is left over");
    }

    #[test]
    fn hundreds_are_paired_in_time() {
        let mut rng = Rng::from_seed(4);
        let ratings: Vec<i128> = (0..200).map(|_| i128::from(rng.below(12))).collect();
        let pairs = cheapest_pairs(200, |a, b| (ratings[a] - ratings[b]).pow(2));
        assert!((0..200).all(|a| pairs[a] != a && pairs[pairs[a]] == a));
    }
}
