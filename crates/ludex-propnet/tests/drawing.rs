//! Nets as SVG, DOT and JSON.

use ludex_gdl::Notation;
use ludex_logic::ground::GroundOptions;
use ludex_propnet::{DRAWING_LIMIT, DrawError, NodeKind, Propagation, Propnet, Simulator};

use crate::games::{FIGURE, bundled, game, net, read};

fn example() -> Propnet {
    net(&game(FIGURE), &GroundOptions::faithful())
}

/// Writes the picture where `LUDEX_PICTURES` says, for looking at it.
fn keep(name: &str, text: &str) {
    if let Some(folder) = std::env::var_os("LUDEX_PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join(name), text).unwrap();
    }
}

/// Every tag is closed in order, and attributes stand in quotes.
fn assert_well_formed(svg: &str) {
    let mut open = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert!(!text.contains('"') && tag.matches('"').count() % 2 == 0, "{part}");
        let name: String = tag.chars().take_while(|c| !c.is_whitespace() && *c != '/').collect();
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop().as_deref(), Some(name)),
            None if !tag.ends_with('/') => open.push(name),
            None => {}
        }
    }
    assert!(open.is_empty());
}

#[test]
fn the_example_is_drawn_whole() {
    let net = example();
    let svg = net.draw_svg(Notation::Infix, DRAWING_LIMIT, None).unwrap();
    keep("example.svg", &svg);
    assert_well_formed(&svg);
    for name in ["a", "b", "s", "p", "q", "r", "terminal", "goal(white,0)", "legal(white,b)"] {
        assert_eq!(svg.matches(&format!(">{name}</text>")).count(), 1, "{name}");
    }
    let shapes = |what: &str| svg.matches(&format!("<title>{what}")).count();
    assert_eq!(
        ["inverter", "and-gate", "or-gate", "transition", "input", "base", "view"].map(shapes),
        [2, 3, 1, 3, 2, 3, 6]
    );
    // One arrow an arc.
    assert_eq!(svg.matches("url(#arrow)").count(), net.statistics().arcs);
    assert_eq!(svg, example().draw_svg(Notation::Infix, DRAWING_LIMIT, None).unwrap(), "the same every time");
}

#[test]
fn names_are_escaped() {
    let rules = r#"(role "a&b") (init |<p>|) (<= (legal "a&b" \"x) (true |<p>|)) (goal "a&b" 1) (<= terminal (true |<p>|))"#;
    let net = net(&game(rules), &GroundOptions::faithful());
    let svg = net.draw_svg(Notation::Prefix, DRAWING_LIMIT, None).unwrap();
    assert_well_formed(&svg);
    assert!(svg.contains("&lt;p&gt;"));
    let dot = net.draw_dot(Notation::Prefix, None);
    let quoted = dot.replace("\\\\", "").replace("\\\"", "");
    assert!(quoted.lines().all(|line| line.matches('"').count() % 2 == 0), "{dot}");
}

#[test]
fn large_nets_are_not_drawn() {
    let net = example();
    let nodes = net.node_count();
    let error = DrawError::TooLarge { nodes, limit: nodes - 1 };
    assert_eq!(net.draw_svg(Notation::Infix, nodes - 1, None), Err(error.clone()));
    assert!(error.to_string().contains("statistics") && error.to_string().contains("DOT"));
    assert!(net.draw_svg(Notation::Infix, nodes, None).is_ok());
}

#[test]
fn small_bundled_games_are_drawn() {
    let mut drawn = 0;
    for path in bundled() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !["tic-tac-toe", "buttons-and-lights", "monty-hall", "nim", "hanoi"].contains(&name.as_str()) {
            continue;
        }
        let net = net(&read(&path), &GroundOptions::optimised());
        let svg = net.draw_svg(Notation::Infix, 5000, None).unwrap();
        keep(&format!("{name}.svg"), &svg);
        assert_well_formed(&svg);
        assert_eq!(svg.matches("url(#arrow)").count(), net.statistics().arcs, "{name}");
        assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{name}");
        drawn += 1;
    }
    assert!(drawn >= 5);
}

#[test]
fn recursion_is_drawn_as_arcs_that_lead_back() {
    let net = net(
        &game(
            "(role a) (init (e 1 2)) (init (e 2 1)) (legal a x) (goal a 50) (<= (next ?f) (true ?f))
             (<= (path ?x ?y) (true (e ?x ?y))) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
             (<= terminal (path 1 1))",
        ),
        &GroundOptions::faithful(),
    );
    assert!(!net.recursive().is_empty());
    let svg = net.draw_svg(Notation::Infix, DRAWING_LIMIT, None).unwrap();
    keep("recursion.svg", &svg);
    assert_well_formed(&svg);
    assert_eq!(svg.matches("url(#arrow)").count(), net.statistics().arcs);
}

#[test]
fn json_says_it_all() {
    let net = example();
    let value = net.to_json(Notation::Infix, None);
    let nodes = value["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), net.node_count());
    for node in net.nodes() {
        let described = &nodes[node.index()];
        assert_eq!(described["id"], node.0);
        assert_eq!(described["kind"] == "base", net.kind(node) == NodeKind::Base);
        assert_eq!(described.get("initial").is_some(), net.kind(node) == NodeKind::Base);
    }
    let names: Vec<&str> = nodes.iter().filter_map(|n| n["name"].as_str()).collect();
    assert!(names.contains(&"does(white,a)") && names.contains(&"true(s)") && names.contains(&"p"));
    assert_eq!(value["edges"].as_array().unwrap().len(), net.statistics().arcs);
    assert_eq!(value["roles"], serde_json::json!(["white"]));
    assert_eq!(value["rewards"][0][1]["value"], 100);
    assert_eq!(value["terminal"], net.terminal().0);
    assert_eq!(value["latches"], 2);
}

#[test]
fn dot_names_every_node_and_arc() {
    let net = example();
    let dot = net.draw_dot(Notation::Infix, None);
    assert!(dot.starts_with("digraph propnet {") && dot.ends_with("}\n"));
    assert_eq!(dot.matches(" -> ").count(), net.statistics().arcs);
    assert_eq!(dot.matches("shape=").count(), net.node_count());
    assert_eq!(dot.matches("constraint=false").count(), 3, "one for each transition");
}

#[test]
fn a_marking_is_drawn_as_in_figures_9_4_and_9_5() {
    let net = example();
    let a = net.inputs()[0][0];
    let mut simulator = Simulator::new(&net, Propagation::Forward);
    for (s, truths) in [(true, ["s", "p"]), (false, ["q", "r"])] {
        simulator.mark_bases(&[s]);
        simulator.mark_actions(&[a]);
        let marking = simulator.marking();
        let svg = net.draw_svg(Notation::Infix, DRAWING_LIMIT, Some(&marking)).unwrap();
        keep(&format!("marking-{s}.svg"), &svg);
        assert_well_formed(&svg);
        let dot = net.draw_dot(Notation::Infix, Some(&marking));
        let value = net.to_json(Notation::Infix, Some(&marking));
        for name in ["a", "b", "s", "p", "q", "r"] {
            let node = net.nodes().find(|&n| net.text(n, Notation::Infix) == name).unwrap();
            let is_true = name == "a" || truths.contains(&name);
            assert_eq!(value["nodes"][node.index()]["marked"], is_true, "{name}");
            let full = net.full_text(node, Notation::Infix);
            assert!(svg.contains(&format!(" {full}: {is_true}</title>")), "{name}");
            let line = dot.lines().find(|line| line.starts_with(&format!("  n{} [", node.0))).unwrap();
            assert_eq!(line.contains("style=filled"), is_true, "{line}");
        }
        assert!(svg.contains(">true</text>") && dot.contains("filled: true"), "a legend");
    }
}
