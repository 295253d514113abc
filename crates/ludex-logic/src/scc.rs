//! Strongly connected components of a graph.

/// The strongly connected components of a graph given by successors; each component comes after all
/// components it has edges to, members in ascending order.
///
/// Tarjan's algorithm with an explicit stack, so that long chains cannot overflow ours.
pub fn components(count: usize, successors: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    const UNSEEN: u32 = u32::MAX;
    let mut index = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut on_stack = vec![false; count];
    let mut stack = Vec::new();
    let mut next_index = 0u32;
    let mut found = Vec::new();
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        let mut calls: Vec<(usize, std::vec::IntoIter<usize>)> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                index[node] = next_index;
                low[node] = next_index;
                next_index += 1;
                stack.push(node);
                on_stack[node] = true;
                calls.push((node, successors(node).into_iter()));
            }
            let Some((node, rest)) = calls.last_mut() else { break };
            let node = *node;
            if let Some(target) = rest.next() {
                if index[target] == UNSEEN {
                    enter = Some(target);
                } else if on_stack[target] {
                    low[node] = low[node].min(index[target]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                let at = stack.iter().rposition(|&n| n == node).unwrap_or(0);
                let mut members = stack.split_off(at);
                members.sort_unstable();
                members.iter().for_each(|&m| on_stack[m] = false);
                found.push(members);
            }
        }
    }
    found
}

/// The strongly connected component of each node of a graph given by its edges; a component is named by its
/// least node.
pub fn component_of(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut successors = vec![Vec::new(); count];
    edges.for_each(|(from, to)| successors[from].push(to));
    let mut component = vec![0; count];
    for members in components(count, |node| successors[node].clone()) {
        members.iter().for_each(|&member| component[member] = members[0]);
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_each_other_are_one_component() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)];
        assert_eq!(component_of(6, edges.into_iter()), [0, 0, 0, 3, 3, 5]);
    }

    #[test]
    fn components_come_after_what_they_need() {
        let edges = [vec![1], vec![2, 3], vec![0], vec![4], vec![4], vec![]];
        let found = components(6, |n| edges[n].clone());
        assert_eq!(found, [vec![4], vec![3], vec![0, 1, 2], vec![5]]);
    }

    #[test]
    fn a_chain_of_a_million_is_no_problem() {
        let found = components(1_000_000, |n| if n + 1 < 1_000_000 { vec![n + 1] } else { vec![] });
        assert_eq!(found.len(), 1_000_000);
        assert_eq!(found[0], [999_999]);
    }
}
