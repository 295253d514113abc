//! The net as a JSON value.

use ludex_gdl::Notation;
use serde_json::{Value, json};

use crate::net::{NodeId, NodeKind, Propnet};
use crate::simulate::Marking;

/// See [`Propnet::to_json`].
pub(super) fn value(net: &Propnet, notation: Notation, marking: Option<&Marking>) -> Value {
    let ids = |list: &[NodeId]| list.iter().map(|n| Value::from(n.0)).collect::<Vec<_>>();
    let per_role = |lists: &[Vec<NodeId>]| lists.iter().map(|list| ids(list)).collect::<Vec<_>>();
    let rewards = net.rewards().iter().map(|list| {
        list.iter().map(|&(value, node)| json!({"value": value, "node": node.0})).collect::<Vec<_>>()
    });
    let percepts = net.percepts().iter().map(|list| {
        let one =
            |&(term, node): &(_, NodeId)| json!({"percept": net.term_text(term, notation), "node": node.0});
        list.iter().map(one).collect::<Vec<_>>()
    });
    let readers = net.nodes();
    let edges =
        readers.flat_map(|node| net.sources(node).iter().map(move |source| json!([source.0, node.0])));
    json!({
        "roles": net.roles().iter().map(|&role| net.term_text(role, notation)).collect::<Vec<_>>(),
        "nodes": net.nodes().map(|node| describe(net, node, notation, marking)).collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "inputs": per_role(net.inputs()),
        "legals": per_role(net.legals()),
        "legal_inputs": per_role(net.legal_inputs()),
        "rewards": rewards.collect::<Vec<_>>(),
        "percepts": percepts.collect::<Vec<_>>(),
        "bases": ids(net.bases()),
        "latches": net.latches().len(),
        "terminal": net.terminal().0,
    })
}

fn describe(net: &Propnet, node: NodeId, notation: Notation, marking: Option<&Marking>) -> Value {
    let kind = match net.kind(node) {
        NodeKind::Input => "input",
        NodeKind::Base => "base",
        NodeKind::View => "view",
        NodeKind::Negation => "negation",
        NodeKind::Conjunction => "conjunction",
        NodeKind::Disjunction => "disjunction",
        NodeKind::Transition => "transition",
    };
    let mut value = json!({"id": node.0, "kind": kind});
    if net.name(node).is_some() {
        value["name"] = net.full_text(node, notation).into();
    }
    if let Some(&initial) = net.initial().get(node.index()) {
        value["initial"] = initial.into();
    }
    if let Some(marking) = marking {
        value["marked"] = marking.is_true(node).into();
    }
    value
}
