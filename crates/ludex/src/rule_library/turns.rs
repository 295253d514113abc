//! Who takes part, and whose turn it is.

use super::{Library, Parameter, ParameterKind, Part, Relation, never_refused, no_needs};

/// The parameter for the names of those who play.
pub(super) const ROLES: Parameter = Parameter {
    name: "roles",
    meaning: "who plays, in the order of their turns",
    kind: ParameterKind::Names { usual: &["white", "black"], least: 1, most: 8 },
};

pub(super) const LIBRARY: Library = Library {
    name: "turns",
    title: "Who plays, and whose turn it is",
    explanation: "In GDL all roles move at the same time, in every step. Taking turns means that those who are \
                  not in control have one move only, which does nothing. The role random, if there is one, is \
                  chance: it takes part and wants nothing, so that it is no player.",
    parameters: &[ROLES],
    parts: &[
        Part {
            name: "player",
            idea: "",
            relations: &[Relation::new("player", &["R"], "R is a role that can win or lose.")],
            asks: &[],
            builds_on: &[],
            rules: |values| {
                let facts = |name: &String| format!("(role {name})\n(player {name})\n");
                values.names("roles").iter().map(facts).collect()
            },
        },
        Part {
            name: "opponent",
            idea: "",
            relations: &[Relation::new("opponent", &["R", "Q"], "Q is another player than R.")],
            asks: &[],
            builds_on: &["player"],
            rules: |_| "(<= (opponent ?r ?q) (player ?r) (player ?q) (distinct ?r ?q))\n".into(),
        },
        Part {
            name: "next_player",
            idea: "",
            relations: &[Relation::new("next_player", &["R", "Q"], "after R it is the turn of Q.")],
            asks: &[],
            builds_on: &[],
            rules: |values| {
                let names = values.names("roles");
                let next = names.iter().cycle().skip(1);
                names.iter().zip(next).map(|(one, other)| format!("(next_player {one} {other})\n")).collect()
            },
        },
        Part {
            name: "control",
            idea: "The fact (control R) says that it is the turn of R. It goes round.",
            relations: &[],
            asks: &[],
            builds_on: &["player", "next_player"],
            rules: |values| {
                let first = values.names("roles").first().map_or("", String::as_str);
                format!(
                    "(<= (base (control ?r)) (player ?r))\n\
                     (init (control {first}))\n\
                     (<= (next (control ?q)) (true (control ?r)) (next_player ?r ?q))\n"
                )
            },
        },
        Part {
            name: "noop",
            idea: "Who is not in control does nothing, which is a move, too.",
            relations: &[],
            asks: &[],
            builds_on: &["control"],
            rules: |_| {
                "(<= (input ?r noop) (player ?r))\n\
                 (<= (legal ?r noop) (player ?r) (not (true (control ?r))))\n"
                    .into()
            },
        },
        Part {
            name: "pass",
            idea: "Who is in control and cannot do anything else passes.",
            relations: &[Relation::new("stuck", &["R"], "R has nothing to do.")],
            asks: &[Relation::new("can_move", &["R"], "R has a move, if it is its turn.")],
            builds_on: &["control"],
            rules: |_| {
                "(<= (stuck ?r) (player ?r) (not (can_move ?r)))\n\
                 (<= (input ?r pass) (player ?r))\n\
                 (<= (legal ?r pass) (true (control ?r)) (stuck ?r))\n"
                    .into()
            },
        },
    ],
    needs: no_needs,
    refusal: never_refused,
};
