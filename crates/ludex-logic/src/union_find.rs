//! Sets of numbers that are joined to larger ones (union-find: Galler and Fischer, 1964).

/// Numbers from 0 on in disjoint sets.
#[derive(Clone, Debug)]
pub struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// So many numbers, each a set of its own.
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// One number more, in a set of its own.
    pub fn add(&mut self) -> u32 {
        let number = self.parents.len() as u32;
        self.parents.push(number);
        number
    }

    /// The number that stands for the set of a number: the least one in it.
    pub fn root(&self, mut number: u32) -> u32 {
        while self.parents[number as usize] != number {
            number = self.parents[number as usize];
        }
        number
    }

    /// Joins the sets of two numbers.
    pub fn join(&mut self, a: u32, b: u32) {
        let roots = [self.root(a), self.root(b)];
        // The ways from these numbers become short, too.
        for number in [a, b].into_iter().chain(roots) {
            self.parents[number as usize] = roots[0].min(roots[1]);
        }
    }

    /// Joins the sets of all these numbers.
    pub fn join_all(&mut self, numbers: impl IntoIterator<Item = u32>) {
        let mut numbers = numbers.into_iter();
        let Some(first) = numbers.next() else { return };
        numbers.for_each(|number| self.join(first, number));
    }
}
