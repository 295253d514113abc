//! In which order nodes can be worked out, and which depend on each other.

use std::ops::Range;

use super::NodeId;

/// Nodes in an order, with the recursive components as ranges of it.
pub(super) struct Order {
    pub(super) nodes: Vec<NodeId>,
    pub(super) recursive: Vec<Range<usize>>,
}

/// Strongly connected components of the graph from nodes to their sources, sources first (Tarjan
/// 1972, with an explicit stack). A component is recursive if it has several nodes or an arc to
/// itself; the nodes of one lie side by side, in ascending order.
pub(super) fn order<'a>(count: usize, sources: impl Fn(usize) -> &'a [NodeId]) -> Order {
    const UNSEEN: u32 = u32::MAX;
    /// Of a node whose component is complete: no lower than any number of an open node.
    const DONE: u32 = u32::MAX - 1;
    let mut low = vec![UNSEEN; count];
    let mut open = Vec::new();
    let mut calls: Vec<(u32, u32, u32)> = Vec::new();
    let mut found = Order { nodes: Vec::with_capacity(count), recursive: Vec::new() };
    let mut number = 0;
    for root in 0..count as u32 {
        if low[root as usize] != UNSEEN {
            continue;
        }
        low[root as usize] = number;
        calls.push((root, number, 0));
        open.push(NodeId(root));
        number += 1;
        while let Some((node, own, at)) = calls.last_mut() {
            let (node, own) = (*node as usize, *own);
            if let Some(target) = sources(node).get(*at as usize) {
                *at += 1;
                let target = target.index();
                if low[target] == UNSEEN {
                    low[target] = number;
                    calls.push((target as u32, number, 0));
                    open.push(NodeId(target as u32));
                    number += 1;
                } else {
                    low[node] = low[node].min(low[target]);
                }
                continue;
            }
            calls.pop();
            if let Some((parent, ..)) = calls.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == own {
                close(node, &mut open, &mut low, &sources, &mut found, DONE);
            }
        }
    }
    found
}

/// Moves the component that `node` opened from the stack to the order.
fn close<'a>(
    node: usize,
    open: &mut Vec<NodeId>,
    low: &mut [u32],
    sources: &impl Fn(usize) -> &'a [NodeId],
    found: &mut Order,
    done: u32,
) {
    let start = found.nodes.len();
    while let Some(member) = open.pop() {
        low[member.index()] = done;
        found.nodes.push(member);
        if member.index() == node {
            break;
        }
    }
    found.nodes[start..].sort_unstable();
    let several = found.nodes.len() - start > 1;
    if several || sources(node).contains(&NodeId(node as u32)) {
        found.recursive.push(start..found.nodes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(edges: &[Vec<u32>]) -> (Vec<u32>, Vec<Range<usize>>) {
        let edges: Vec<Vec<NodeId>> = edges.iter().map(|e| e.iter().map(|&n| NodeId(n)).collect()).collect();
        let found = order(edges.len(), |n| &edges[n]);
        (found.nodes.iter().map(|n| n.0).collect(), found.recursive)
    }

    #[test]
    fn sources_come_first_and_components_stay_together() {
        let edges = [vec![1], vec![2, 3], vec![0], vec![4], vec![4], vec![]];
        assert_eq!(run(&edges), (vec![4, 3, 0, 1, 2, 5], vec![0..1, 2..5]));
    }

    #[test]
    fn closed_components_do_not_pull_others_in() {
        // 0 -> 1 <-> 2, 0 -> 3 -> 1: only 1 and 2 are recursive.
        let edges = [vec![1, 3], vec![2], vec![1], vec![1]];
        assert_eq!(run(&edges), (vec![1, 2, 3, 0], vec![0..2]));
    }

    #[test]
    fn a_chain_of_a_million_is_no_problem() {
        let count = 1_000_000u32;
        let next: Vec<NodeId> = (1..count).map(NodeId).collect();
        let found = order(count as usize, |n| next.get(n..=n).unwrap_or(&[]));
        assert_eq!(found.nodes[0], NodeId(count - 1));
        assert!(found.recursive.is_empty());
    }
}
