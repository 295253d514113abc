//! Derivations, trees and explanations as text and as DOT.

use rustc_hash::FxHashMap;

use super::facts::Reason;
use super::proof::{Explanation, Node, Premise};
use super::tree::{DerivationTree, NodeKind, RootKind, Step};
use super::writer::{Names, Writer};
use crate::escape;
use crate::ids::{ClauseId, Id, IdVec, TermId, VariableId};
use crate::program::{Formula, GroundAtom, Pattern, Program};
use crate::terms::Notation;

/// The numbers of rules and given facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbering {
    /// The number of each clause.
    pub clauses: IdVec<ClauseId, usize>,
    /// The number of the first given fact; the others follow.
    pub first_given: usize,
}

impl Numbering {
    /// Clauses from 1 in their order, then the given facts.
    pub fn consecutive(program: &Program) -> Self {
        Self::new(program, |clause| clause.index() + 1)
    }

    /// Clauses as `number` says (such as line numbers), then the given facts.
    pub fn new(program: &Program, number: impl Fn(ClauseId) -> usize) -> Self {
        let clauses: IdVec<ClauseId, usize> = program.clauses.ids().map(number).collect();
        let first_given = clauses.iter().max().map_or(1, |n| n + 1);
        Self { clauses, first_given }
    }

    /// The number of a clause or given fact.
    pub fn of(&self, reason: Reason) -> usize {
        match reason {
            Reason::Clause(clause) => self.clauses.get(clause).copied().unwrap_or(0),
            Reason::Given(number) => self.first_given + number,
        }
    }
}

/// How a negative literal is explained in a linear derivation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NegationStyle {
    /// `sub-derivation †`, with the derivation below.
    #[default]
    SubDerivations,
    /// `query p fails`.
    Inline,
}

/// How derivations are written.
#[derive(Clone, Debug)]
pub struct Style<'p> {
    /// The program they are of.
    pub program: &'p Program,
    /// The numbers of its rules.
    pub numbering: Numbering,
    /// How terms are written.
    pub notation: Notation,
    /// Whether `with {}` is written for an empty unifier.
    pub empty_unifiers: bool,
    /// How negative literals are explained.
    pub negations: NegationStyle,
    /// The most derivations that are shown of a formula that fails under a negation.
    pub failures: usize,
    /// What explanations say of each given fact, in order; `given` of those for which there is nothing here.
    pub given: &'p [String],
}

impl<'p> Style<'p> {
    /// The book's style, rules numbered from 1.
    pub fn new(program: &'p Program) -> Self {
        Self {
            program,
            numbering: Numbering::consecutive(program),
            notation: Notation::Infix,
            empty_unifiers: true,
            negations: NegationStyle::SubDerivations,
            failures: 10,
            given: &[],
        }
    }

    /// An atom without variables.
    pub fn ground_atom(&self, atom: &GroundAtom) -> String {
        self.writer(Names::Clause(None)).ground_atom(atom)
    }

    fn writer<'a>(&'a self, names: Names<'a>) -> Writer<'a> {
        Writer { program: self.program, notation: self.notation, names }
    }

    /// The negation of an atom that is text already.
    pub fn negated(&self, atom: &str) -> String {
        match self.notation {
            Notation::Infix => format!("~{atom}"),
            Notation::Prefix => format!("(not {atom})"),
        }
    }

    /// The rule with this head and these literals, as rulesheets write it; without literals, the head.
    pub fn rule(&self, head: &str, body: &[String]) -> String {
        match self.notation {
            _ if body.is_empty() => head.to_owned(),
            Notation::Infix => format!("{head} :- {}", body.join(" & ")),
            Notation::Prefix => format!("(<= {head} {})", body.join(" ")),
        }
    }

    fn ground(&self, term: TermId) -> String {
        self.program.terms.shown_in(term, self.notation)
    }
}

/// The marks of sub-derivations; later ones are numbered.
const MARKS: [&str; 5] = ["†", "‡", "§", "¶", "‖"];

impl NodeKind {
    /// What is written behind a derivation that ends without an answer.
    fn text(self) -> Option<&'static str> {
        match self {
            NodeKind::Failure => Some("failure"),
            NodeKind::Loop => Some("loop"),
            NodeKind::Cut => Some("..."),
            NodeKind::Inner | NodeKind::Success => None,
        }
    }
}

impl DerivationTree {
    /// One derivation as the book prints it, with the derivations inside its negations below.
    pub fn linear_text(&self, leaf: usize, style: &Style<'_>) -> String {
        let mut blocks = vec![(String::new(), leaf)];
        let mut marks: FxHashMap<usize, String> = FxHashMap::default();
        let mut out = String::new();
        let mut next = 0;
        while next < blocks.len() {
            let (prefix, leaf) = blocks[next].clone();
            next += 1;
            if !out.is_empty() {
                out.push('\n');
            }
            self.write_block(&prefix, leaf, style, &mut marks, &mut blocks, &mut out);
        }
        out
    }

    fn write_block(
        &self,
        prefix: &str,
        leaf: usize,
        style: &Style<'_>,
        marks: &mut FxHashMap<usize, String>,
        blocks: &mut Vec<(String, usize)>,
        out: &mut String,
    ) {
        let path = self.path(leaf);
        let mut lines: Vec<(String, String)> = Vec::new();
        for (i, &number) in path.iter().enumerate() {
            let node = &self.nodes[number];
            let mut note = String::new();
            if let Some(root) = node.negation {
                note = self.negation_note(root, style, marks, blocks);
            } else if let Some(step) = path.get(i + 1).and_then(|&n| self.nodes[n].step.as_ref()) {
                note = self.step_text(step, style);
            }
            lines.push((self.query_text(number, style), note));
        }
        let end = self.nodes[leaf].kind.text();
        lines.extend(end.map(|end| (end.to_owned(), String::new())));
        let width = lines.iter().map(|(query, _)| query.chars().count()).max().unwrap_or(0).min(72);
        for (i, (query, note)) in lines.iter().enumerate() {
            let lead = if i > 0 { "⇒" } else { prefix };
            let line = format!("{lead:2} {query:width$}  {note}");
            out.push_str(line.trim_end());
            out.push('\n');
        }
        if let Some(answer) = self.answer_text(leaf, style) {
            out.push_str("Answer: ");
            out.push_str(&answer);
            out.push('\n');
        }
    }

    /// The answer that a successful derivation computes, such as `{L/reduce(a,1)}`; `None` for
    /// queries without variables.
    pub fn answer_text(&self, leaf: usize, style: &Style<'_>) -> Option<String> {
        let values = self.answers.get(&leaf).filter(|v| !v.is_empty())?;
        let root = self.path(leaf)[0];
        let root = self.roots.iter().find(|r| r.node == root)?;
        let pairs = root.variables.iter().copied().zip(values);
        Some(self.unifier_text(pairs.map(|(v, p)| (v, p.clone())).collect::<Vec<_>>().as_slice(), style))
    }

    fn negation_note(
        &self,
        root: usize,
        style: &Style<'_>,
        marks: &mut FxHashMap<usize, String>,
        blocks: &mut Vec<(String, usize)>,
    ) -> String {
        let leaves = self.leaves(root);
        if style.negations == NegationStyle::Inline {
            let holds = leaves.iter().any(|&l| self.nodes[l].kind == NodeKind::Success);
            let outcome = if holds { "succeeds" } else { "fails" };
            return format!("query {} {outcome}", self.query_text(root, style));
        }
        let count = marks.len();
        let mark = marks.entry(root).or_insert_with(|| {
            let mark = MARKS.get(count).map_or_else(|| format!("†{}", count + 1), |m| (*m).to_string());
            blocks.extend(leaves.into_iter().take(style.failures).map(|leaf| (mark.clone(), leaf)));
            mark
        });
        format!("sub-derivation {mark}")
    }

    fn step_text(&self, step: &Step, style: &Style<'_>) -> String {
        match step {
            Step::Resolution { reason, copy, unifier } => {
                let which = if *copy > 0 { "copy of rule" } else { "rule" };
                let number = style.numbering.of(*reason);
                if unifier.is_empty() && !style.empty_unifiers {
                    return format!("{which} {number}");
                }
                format!("{which} {number} with {}", self.unifier_text(unifier, style))
            }
            Step::Negation => "the query fails".into(),
            Step::Distinct => "different terms".into(),
            Step::Alternative(number) => format!("alternative {}", number + 1),
        }
    }

    fn unifier_text(&self, unifier: &[(VariableId, Pattern)], style: &Style<'_>) -> String {
        let writer = style.writer(Names::Tree(self));
        let pairs: Vec<String> = unifier
            .iter()
            .map(|(v, p)| format!("{}/{}", writer.pattern(&Pattern::Variable(*v)), writer.pattern(p)))
            .collect();
        format!("{{{}}}", pairs.join(","))
    }

    /// The query of a node, the selected literal first; `□` when nothing is left.
    pub fn query_text(&self, node: usize, style: &Style<'_>) -> String {
        let subgoals = &self.nodes[node].subgoals;
        if subgoals.is_empty() {
            return match self.nodes[node].kind {
                NodeKind::Success => "□".into(),
                _ => String::new(),
            };
        }
        let writer = style.writer(Names::Tree(self));
        subgoals.iter().map(|subgoal| writer.literal(subgoal)).collect::<Vec<_>>().join(" & ")
    }

    /// The whole tree as indented text.
    pub fn text(&self, style: &Style<'_>) -> String {
        let mut out = String::new();
        let marks: FxHashMap<usize, usize> =
            self.negation_roots().into_iter().enumerate().map(|(i, node)| (node, i + 1)).collect();
        for root in &self.roots {
            match root.kind {
                RootKind::Query => {}
                RootKind::Answer => out.push_str("\nanother answer:\n"),
                RootKind::Negation => {
                    out.push_str(&format!("\nnegation {}:\n", marks.get(&root.node).copied().unwrap_or(0)));
                }
            }
            let mut stack = vec![(root.node, String::new(), "", "")];
            while let Some((number, indent, branch, below)) = stack.pop() {
                let node = &self.nodes[number];
                out.push_str(&indent);
                out.push_str(branch);
                if let Some(step) = &node.step {
                    out.push_str(&format!("[{}] ", self.step_text(step, style)));
                }
                out.push_str(&self.query_text(number, style));
                if let Some(mark) = node.negation.and_then(|n| marks.get(&n)) {
                    out.push_str(&format!("  (negation {mark})"));
                }
                if let Some(end) = node.kind.text() {
                    out.push_str(&format!("  {end}"));
                }
                if let Some(answer) = self.answer_text(number, style) {
                    out.push_str(&format!("  {answer}"));
                }
                out.push('\n');
                let indent = format!("{indent}{below}");
                for (i, &child) in node.children.iter().enumerate().rev() {
                    let last = i + 1 == node.children.len();
                    let (branch, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
                    stack.push((child, indent.clone(), branch, below));
                }
            }
        }
        out
    }

    fn negation_roots(&self) -> Vec<usize> {
        self.roots.iter().filter(|r| r.kind == RootKind::Negation).map(|r| r.node).collect()
    }

    /// The whole tree in the DOT language, arcs labelled with rule numbers as figure 13.3.
    pub fn dot(&self, style: &Style<'_>) -> String {
        let mut out = String::from("digraph derivations {\n  node [shape=box];\n");
        // A derivation of one answer leaves the nodes tried before it behind.
        let mut stack: Vec<usize> = self.roots.iter().rev().map(|r| r.node).collect();
        while let Some(number) = stack.pop() {
            let node = &self.nodes[number];
            let mut label = self.query_text(number, style);
            if let Some(answer) = self.answer_text(number, style) {
                label.push(' ');
                label.push_str(&answer);
            }
            out.push_str(&format!("  n{number} [label=\"{}\"];\n", escape::dot(&label)));
            if let Some(end) = node.kind.text() {
                out.push_str(&format!("  e{number} [label=\"{end}\",shape=plaintext];\n"));
                out.push_str(&format!("  n{number} -> e{number};\n"));
            }
            if let Some(root) = node.negation {
                out.push_str(&format!("  n{number} -> n{root} [style=dashed,label=\"~\"];\n"));
            }
            for &child in &node.children {
                let label = match &self.nodes[child].step {
                    Some(Step::Resolution { reason, .. }) => style.numbering.of(*reason).to_string(),
                    Some(step) => self.step_text(step, style),
                    None => String::new(),
                };
                out.push_str(&format!("  n{number} -> n{child} [label=\"{}\"];\n", escape::dot(&label)));
            }
            stack.extend(node.children.iter().rev());
        }
        out.push_str("}\n");
        out
    }
}

impl Explanation {
    /// The explanation as indented text. A part that was shown before is only named again.
    pub fn text(&self, style: &Style<'_>) -> String {
        enum Line {
            Node(usize),
            Text(String),
        }
        let mut out = String::new();
        let mut shown = vec![false; self.nodes.len()];
        let mut stack: Vec<(usize, Line)> = self.roots.iter().rev().map(|&r| (0, Line::Node(r))).collect();
        while let Some((depth, line)) = stack.pop() {
            // Deep proofs would otherwise take quadratic space for blanks.
            (0..depth.min(200)).for_each(|_| out.push_str("  "));
            let number = match line {
                Line::Text(text) => {
                    out.push_str(&text);
                    out.push('\n');
                    continue;
                }
                Line::Node(number) => number,
            };
            let again = std::mem::replace(&mut shown[number], true);
            let mut below = Vec::new();
            match &self.nodes[number] {
                Node::Holds { atom, reason, premises } => {
                    out.push_str(&style.ground_atom(atom));
                    match reason {
                        Reason::Given(number) => {
                            let said = style.given.get(*number).map_or("given", String::as_str);
                            out.push_str(&format!(": {said}"));
                        }
                        Reason::Clause(_) => out.push_str(&format!(": rule {}", style.numbering.of(*reason))),
                    }
                    if again && !premises.is_empty() {
                        out.push_str(", shown above");
                    } else {
                        for premise in premises {
                            below.push((
                                depth + 1,
                                match premise {
                                    Premise::Holds(node) | Premise::Fails(node) => Line::Node(*node),
                                    Premise::Distinct(a, b) => Line::Text(format!(
                                        "{} differs from {}",
                                        style.ground(*a),
                                        style.ground(*b)
                                    )),
                                    Premise::Equal(a, b) => {
                                        Line::Text(format!("{} is {}", style.ground(*a), style.ground(*b)))
                                    }
                                },
                            ));
                        }
                    }
                }
                Node::Fails { formula, scope, attempts, .. } => {
                    out.push_str(&format!("no {}", literal_text(formula, *scope, style)));
                    if again && !attempts.is_empty() {
                        out.push_str(", shown above");
                    } else {
                        for attempt in attempts {
                            // What is no rule is the query itself, which goes without saying.
                            let number = |clause| style.numbering.of(Reason::Clause(clause));
                            let rule = attempt.clause.map(|c| format!("rule {} ", number(c)));
                            let rule = rule.unwrap_or_default();
                            let text = match &attempt.literal {
                                Some(literal) => {
                                    format!("{rule}fails at {}", literal_text(literal, attempt.clause, style))
                                }
                                None => format!("{rule}does not apply"),
                            };
                            below.push((depth + 1, Line::Text(text)));
                            let deeper = |&n: &usize| match &self.nodes[n] {
                                Node::Holds { .. } => true,
                                Node::Fails { attempts, .. } => !attempts.is_empty(),
                            };
                            if let Some(node) = attempt.because.filter(deeper) {
                                below.push((depth + 2, Line::Node(node)));
                            }
                        }
                    }
                }
            }
            out.push('\n');
            stack.extend(below.into_iter().rev());
        }
        out
    }
}

/// A literal in the variables of a clause (or `V1`, `V2`... in a query).
fn literal_text(literal: &Formula, scope: Option<ClauseId>, style: &Style<'_>) -> String {
    style.writer(Names::Clause(scope)).literal(literal)
}
