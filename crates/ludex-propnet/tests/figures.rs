//! The game of book 9.3: its net is the one of figures 9.3 to 9.8 and of book 10.2, with the markings
//! of figures 9.4 and 9.5.

use ludex_gdl::Notation;
use ludex_logic::ground::GroundOptions;
use ludex_propnet::{NodeId, NodeKind, Propagation, Propnet, Simulator};

use crate::games::{FIGURE, game, net};

const BOTH: [Propagation; 2] = [Propagation::Forward, Propagation::Backward];

fn example() -> Propnet {
    net(&game(FIGURE), &GroundOptions::faithful())
}

fn find(net: &Propnet, text: &str) -> NodeId {
    let found = net.nodes().find(|&n| net.text(n, Notation::Infix) == text);
    found.unwrap_or_else(|| panic!("no node `{text}`"))
}

/// The connective that leads to a proposition, with what leads to that; sources that are connectives
/// themselves in brackets.
fn source(net: &Propnet, proposition: &str) -> String {
    fn describe(net: &Propnet, node: NodeId) -> String {
        if net.kind(node).is_proposition() {
            return net.text(node, Notation::Infix);
        }
        let sources: Vec<String> = net.sources(node).iter().map(|&s| describe(net, s)).collect();
        format!("{:?}[{}]", net.kind(node), sources.join(","))
    }
    let [source] = net.sources(find(net, proposition)) else { panic!("not one source") };
    describe(net, *source)
}

#[test]
fn the_net_is_the_one_of_the_figures() {
    let net = example();
    let texts = |nodes: &[NodeId]| nodes.iter().map(|&n| net.text(n, Notation::Infix)).collect::<Vec<_>>();
    assert_eq!(net.roles().iter().map(|&r| net.term_text(r, Notation::Infix)).collect::<Vec<_>>(), ["white"]);
    assert_eq!(texts(&net.inputs()[0]), ["a", "b"]);
    assert_eq!(texts(net.bases()), ["s", "legal(white,a)", "legal(white,b)"]);
    assert_eq!(texts(net.game_bases()), ["s"]);
    assert_eq!(texts(&net.legals()[0]), ["legal(white,a)", "legal(white,b)"]);
    assert_eq!(texts(&net.legal_inputs()[0]), ["a", "b"]);
    let mut views = texts(net.views());
    views.sort();
    assert_eq!(views, ["goal(white,0)", "goal(white,100)", "p", "q", "r", "terminal"]);
    let rewards: Vec<(u32, String)> =
        net.rewards()[0].iter().map(|&(v, n)| (v, net.text(n, Notation::Infix))).collect();
    assert_eq!(rewards, [(0, "goal(white,0)".into()), (100, "goal(white,100)".into())]);
    assert_eq!(net.text(net.terminal(), Notation::Prefix), "terminal");
    assert_eq!(net.initial(), [false, true, true], "nothing but the latches is true at first");
    // Book 10.2: a1 to a3, i1, o1, t1 to t3. The book lets i2 read `goal(white,100)`, which is `s`;
    // the rule says `~true(s)`.
    assert_eq!(source(&net, "p"), "Conjunction[a,s]");
    assert_eq!(source(&net, "q"), "Negation[p]");
    assert_eq!(source(&net, "r"), "Disjunction[q,b]");
    assert_eq!(source(&net, "s"), "Transition[r]");
    assert_eq!(source(&net, "terminal"), "Conjunction[q]");
    assert_eq!(source(&net, "goal(white,100)"), "Conjunction[s]");
    assert_eq!(source(&net, "goal(white,0)"), "Negation[s]");
    assert_eq!(source(&net, "legal(white,a)"), "Transition[legal(white,a)]");
    assert_eq!(source(&net, "legal(white,b)"), "Transition[legal(white,b)]");
}

#[test]
fn the_net_has_the_nodes_of_book_10_2_and_no_others() {
    let found = example().statistics();
    assert_eq!((found.inputs, found.bases, found.latches, found.views), (2, 1, 2, 6));
    let connectives = (found.negations, found.conjunctions, found.disjunctions, found.transitions);
    assert_eq!(connectives, (2, 3, 1, 3));
    assert_eq!(found.nodes, 20);
    // One into each view and base, 11 into connectives.
    assert_eq!(found.arcs, 9 + 11);
    assert_eq!(found.depth, 3, "and-gate, inverter, or-gate");
    assert_eq!((found.largest_fan_in, found.largest_fan_out), (2, 3));
    assert_eq!(found.recursive_components, 0);
    assert!(found.bytes > 0);
}

#[test]
fn the_markings_are_those_of_figures_9_4_and_9_5() {
    let net = example();
    for propagation in BOTH {
        let mut simulator = Simulator::new(&net, propagation);
        let a = find(&net, "a");
        let mut marks = |state: &[bool]| {
            simulator.mark_bases(state);
            simulator.mark_actions(&[a]);
            ["a", "b", "s", "p", "q", "r"].map(|n| simulator.mark(find(&net, n)))
        };
        assert_eq!(marks(&[true]), [true, false, true, true, false, false], "figure 9.4");
        assert_eq!(marks(&[false]), [true, false, false, false, true, true], "figure 9.5");
        // The value of s goes on alternating as long as a is true and b is false.
        let mut state = vec![true, true, true];
        for expected in [false, true, false, true] {
            state = simulator.next(&[a], &state);
            assert_eq!(state, [expected, true, true]);
        }
        // Without a it stops.
        assert!(simulator.next(&[], &[true])[0]);
        assert!(simulator.next(&[], &[false])[0]);
    }
}

#[test]
fn the_subroutines_answer_what_the_rules_say() {
    let net = example();
    for propagation in BOTH {
        let mut simulator = Simulator::new(&net, propagation);
        let (a, b) = (find(&net, "a"), find(&net, "b"));
        for s in [false, true] {
            assert_eq!(simulator.legals(0, &[s]), [a, b]);
            assert_eq!(simulator.reward(0, &[s]), Some(if s { 100 } else { 0 }));
            // No move is made, so q holds.
            assert!(simulator.terminal(&[s]));
            assert!(simulator.next(&[b], &[s])[0]);
        }
        assert_eq!(simulator.legals(1, &[true]), [], "there is no such role");
        simulator.clear();
        assert!(net.bases().iter().all(|&base| !simulator.mark(base)));
        assert!(simulator.mark(find(&net, "q")));
    }
}

#[test]
fn facts_that_hold_in_every_state_feed_themselves() {
    let net = net(
        &game("(role a) (init p) (<= (legal a x) (true p)) (next q) (goal a 50) (<= terminal (true q))"),
        &GroundOptions::faithful(),
    );
    assert_eq!(source(&net, "goal(a,50)"), "Transition[goal(a,50)]");
    assert_eq!(source(&net, "next(q)"), "Transition[next(q)]");
    assert_eq!(source(&net, "q"), "Transition[next(q)]");
    assert_eq!(net.sources(find(&net, "p")), [], "what nothing makes true again has no transition");
    assert_eq!(source(&net, "legal(a,x)"), "Conjunction[p]");
    let mut simulator = Simulator::new(&net, Propagation::Backward);
    assert_eq!(net.initial(), [true, false, true, true]);
    assert_eq!(simulator.next(&[], net.initial()), [false, true, true, true]);
    assert_eq!(net.kind(find(&net, "x")), NodeKind::Input, "a legal move is an input");
}
