//! Strongly connected components of graphs that are not the dependency graph.

/// The strongly connected component of each node, named by one of them (Kosaraju, without recursion).
pub(super) fn components(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut forward: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut backward: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in edges {
        forward[from].push(to);
        backward[to].push(from);
    }
    let mut finished = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    for root in 0..count {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.pop() {
            match forward[node].get(next) {
                Some(&target) => {
                    stack.push((node, next + 1));
                    if !std::mem::replace(&mut seen[target], true) {
                        stack.push((target, 0));
                    }
                }
                None => finished.push(node),
            }
        }
    }
    let mut component = vec![usize::MAX; count];
    for &root in finished.iter().rev() {
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if component[node] == usize::MAX {
                component[node] = root;
                stack.extend(&backward[node]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_each_other_are_one_component() {
        let found = components(6, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)].into_iter());
        assert!(found[0] == found[1] && found[1] == found[2]);
        assert!(found[3] == found[4] && found[3] != found[0]);
        assert!(found[5] == 5);
    }
}
