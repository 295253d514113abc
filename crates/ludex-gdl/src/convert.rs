//! From one notation to the other, and from GDL to GDL-II. Real time is in `to_real_time.rs`.

use std::sync::Arc;

use crate::dialect::detect;
use crate::game_program::Dialect;
use crate::parse::parse;
use crate::print::{Spelling, print, print_spelled};
use crate::source::{Source, Span};
use crate::tree::{NodeId, NodeKind, Notation, Rulesheet, Tree};

/// The rulesheet in a notation, with a text of its own. Comments and order are kept.
pub fn convert(rulesheet: &Rulesheet, notation: Notation) -> Rulesheet {
    read_back(rulesheet, print(rulesheet, notation), notation)
}

/// A game of complete information as one of incomplete information where everybody sees all moves
/// (book 17.2: `sees(P,move(Q,M)) :- role(P) & does(Q,M)`). What happens to be called `sees`,
/// `percept` or `random` in it gets another name, since in GDL-II these words have a meaning. A
/// rulesheet that is not plain GDL is returned as it is.
pub fn to_gdl_ii(rulesheet: &Rulesheet) -> Rulesheet {
    if detect(rulesheet).0 != Dialect::Gdl {
        return rulesheet.clone();
    }
    let notation = rulesheet.notation;
    let tree = &rulesheet.tree;
    let renamed = ["sees", "percept", "random"].map(|word| (word, fresh(tree, word)));
    let clashes = renamed.iter().any(|(word, _)| tree.find_name(word).is_some_and(|_| occurs(tree, word)));
    let mut text = if clashes {
        let other = |name: &str| match renamed.iter().find(|(word, _)| *word == name) {
            Some((_, new)) => new.clone(),
            None => name.to_owned(),
        };
        let spelling = Spelling::renamed(tree, notation, notation, other, str::to_owned);
        print_spelled(rulesheet, notation, &spelling)
    } else {
        print(rulesheet, notation)
    };
    text.push_str(match notation {
        Notation::Prefix => {
            "\n; everybody sees all moves\n(<= (sees ?p (move ?q ?m))\n    (role ?p)\n    (does ?q ?m))\n"
        }
        Notation::Infix => "\n% everybody sees all moves\nsees(P,move(Q,M)) :- role(P) & does(Q,M)\n",
    });
    read_back(rulesheet, text, notation)
}

/// Reads a text that was printed, so that spans and names fit it.
pub(crate) fn read_back(rulesheet: &Rulesheet, text: String, notation: Notation) -> Rulesheet {
    parse(Arc::new(Source::new(rulesheet.source.name(), text)), Some(notation)).0
}

/// A comment above rules that no author wrote, with an empty line below it.
pub(crate) fn comment(notation: Notation, text: &str) -> String {
    match notation {
        Notation::Prefix => format!("; {text}\n\n"),
        Notation::Infix => format!("% {text}\n\n"),
    }
}

fn occurs(tree: &Tree, word: &str) -> bool {
    tree.nodes().any(|node| match &node.kind {
        NodeKind::Constant(name) | NodeKind::Compound { name, .. } => tree.name(*name) == word,
        NodeKind::Variable(_) | NodeKind::Error => false,
    })
}

/// A word that is no name in the tree, as near to this one as can be.
pub(crate) fn free_name(tree: &Tree, word: &str) -> String {
    if tree.find_name(word).is_none() { word.to_owned() } else { fresh(tree, word) }
}

/// A variable that is none of these, whose names are compared without regard to case; as near to the wanted one as can be.
pub(crate) fn free_variable<'t>(
    wanted: &str,
    taken: impl IntoIterator<Item = &'t str>,
    notation: Notation,
) -> String {
    let taken: Vec<String> = taken.into_iter().map(str::to_uppercase).collect();
    let numbered = (2u64..).map(|number| format!("{wanted}{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    let free = names.find(|name| !taken.contains(&name.to_uppercase()));
    // There are more numbers than names.
    let name = free.unwrap_or_default();
    if notation == Notation::Prefix { name.to_lowercase() } else { name }
}

/// Adds a variable that none of these nodes has, as near to the wanted name as can be.
pub(crate) fn variable_beside(
    tree: &mut Tree,
    wanted: &str,
    nodes: &[NodeId],
    notation: Notation,
    span: Span,
) -> NodeId {
    let name = free_variable(wanted, tree.variables(nodes).map(|name| tree.name(name)), notation);
    let name = tree.intern(&name);
    tree.variable(name, span)
}

fn fresh(tree: &Tree, word: &str) -> String {
    let mut number = 2u64;
    loop {
        let name = format!("{word}_{number}");
        if tree.find_name(&name).is_none() {
            return name;
        }
        number += 1;
    }
}
