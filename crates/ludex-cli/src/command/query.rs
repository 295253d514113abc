//! `ludex query`: all answers, with their derivations where wanted.

use std::collections::BTreeSet;
use std::io::Write;

use ludex::logic::derive::{DerivationTree, ExplainOptions, NodeKind, Reason, RootKind, Step, TreeOptions};
use ludex::logic::{ClauseId, TermId};
use serde_json::{Map, Value, json};

use crate::Context;
use crate::console::Console;
use crate::failure::Failure;
use crate::incomplete::{self, Asked, SightArguments};
use crate::query_text::read_query;
use crate::reasoning::{Reasoning, StateArguments, show_moment};
use crate::rulesheet::{ReadArguments, read_checked};

/// Arguments of `query`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex query tic-tac-toe 'legal(white,M)'
  ludex query tic-tac-toe 'true(cell(1,Y,b)) & ~line(x)' --moves 'mark(1,1)'
  ludex query coins 'legal(you,jump(X,Y))' --derivations
  ludex query coins 'legal(you,jump(X,Y))' --tree --dot | dot -Tsvg > tree.svg
  ludex query tic-tac-toe 'open & line(X)' --why   where there is no answer, what fails
  ludex query timed-tic-tac-toe 'true(T,F)' --moves 'advance 0.5; xplayer does mark(1,1)'

In games in real time --moves, --does and --facts are as for `ludex why`.

Where rules are sentences (IGDL), a query is any sentence, and every instance of it is
entailed, refuted or unknown; --moves and --sees say what somebody knows of a course, with
`?` for a move that is not known: --moves 'a; b' --sees '-; -; q'.

Where a limit is reached, the answers that were found by then are shown, and the exit
code is 1.

--json: an object with query, holds, variables, answers (objects from variable to term);
complete is false where there may be more, and reason says why; with --why and without
an answer also why (the text) and rules (line and text); in real time also time, and
update (whether it is about an update).")]
pub struct QueryArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// What to ask, in either notation: an atom, or literals joined by `&`
    #[arg(value_name = "ATOM")]
    query: String,

    #[command(flatten)]
    state: StateArguments,

    #[command(flatten)]
    sight: SightArguments,

    /// Decides what `random` does in games in real time
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print the derivation of each answer, step by step with rules and unifiers
    #[arg(long, conflicts_with = "json")]
    derivations: bool,

    /// Print the whole derivation tree with its failures
    #[arg(long, conflicts_with_all = ["json", "derivations"])]
    tree: bool,

    /// Print the tree in the DOT language of Graphviz
    #[arg(long, requires = "tree")]
    dot: bool,

    /// Where there is no answer, say what fails and why, as `ludex why` does
    #[arg(long, conflicts_with_all = ["derivations", "tree"])]
    why: bool,

    /// How deep failures are followed into the failures they rest on
    #[arg(long, value_name = "N", requires = "why", default_value_t = ExplainOptions::default().refutations)]
    depth: usize,

    /// The most nodes of a derivation tree
    #[arg(long, value_name = "N", default_value_t = TreeOptions::default().nodes)]
    nodes: usize,

    #[command(flatten)]
    read: ReadArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The most bytes of text that all answers may take together for programs (64 MiB).
const ANSWERS_TEXT_LIMIT: u64 = 64 << 20;

/// Answers.
pub fn run(arguments: &QueryArguments, context: &mut Context) -> Result<(), Failure> {
    let QueryArguments { file, read, state, sight, seed, .. } = arguments;
    let checked = read_checked(file, read, context)?;
    if let Some(sentences) = incomplete::sentences_of(&checked, context)? {
        if arguments.derivations || arguments.tree || arguments.why {
            let message = "sentences have no derivations: `ludex why` says what an answer follows from";
            return Err(Failure::Usage(message.to_owned()));
        }
        let asked = Asked { sentence: &arguments.query, state, sight, as_json: arguments.json };
        return incomplete::query(&sentences, &asked, context);
    }
    let mut reasoning = Reasoning::new(file, read, state, *seed, context)?;
    let query = read_query(reasoning.game(), &arguments.query, reasoning.notation)?;
    reasoning.turn_to(&query);
    let mut meter = context.limits.budget().meter();
    if arguments.derivations || arguments.tree {
        let options = TreeOptions { nodes: arguments.nodes, ..TreeOptions::default() };
        reasoning.refuse_later_steps(&query)?;
        let tree = reasoning.derivations()?.tree(&query, &options, &mut meter)?;
        show_tree(arguments, &reasoning, &tree, context)?;
        return tree.stopped.map_or(Ok(()), |limit| Err(limit.into()));
    }
    let (answers, stopped) = reasoning.answers(&query, &mut meter)?;
    let failure = if arguments.why && !answers.is_yes() && stopped.is_none() {
        let options = ExplainOptions { refutations: arguments.depth };
        let (explanation, text) = reasoning.explanation_of(&query, &options, &mut meter)?;
        Some((text, explanation.clauses()))
    } else {
        None
    };
    let terms = &reasoning.program().terms;
    let names: Vec<&str> = answers.variables.iter().map(|&v| terms.name(query.variables[v])).collect();
    let console = &mut context.console;
    if arguments.json {
        // Programs are not told a part of a term; people are.
        let all: Vec<TermId> = answers.rows.iter().flat_map(|row| row.iter().copied()).collect();
        terms.charge_text("the answers", all.into_iter(), ANSWERS_TEXT_LIMIT)?;
        let rows = answers.rows.iter().map(|row| {
            let pair =
                |(name, &term): (&&str, _)| ((*name).to_owned(), Value::from(reasoning.whole_text(term)));
            names.iter().zip(row.iter()).map(pair).collect::<Map<_, _>>()
        });
        // Whether something follows that was not found by then is not known.
        let holds = if answers.is_yes() || stopped.is_none() { Some(answers.is_yes()) } else { None };
        let mut object = json!({
            "query": arguments.query,
            "holds": holds,
            "variables": names,
            "answers": rows.collect::<Vec<_>>(),
            "complete": stopped.is_none(),
            "reason": stopped.as_ref().map(ToString::to_string),
        });
        if let Some(moment) = reasoning.moment() {
            moment.add_to(&mut object);
        }
        if let Some((text, used)) = failure {
            object["why"] = text.into();
            object["rules"] = reasoning.rules_json(&used).into();
        }
        writeln!(console, "{}", serde_json::to_string_pretty(&object)?)?;
    } else if let Some((text, used)) = failure {
        show_moment(&reasoning, console)?;
        console.write_all(text.as_bytes())?;
        write_rules(&reasoning, &used, console)?;
    } else if stopped.is_none() || answers.is_yes() {
        // No answer by then does not mean no.
        show_moment(&reasoning, console)?;
        let text = reasoning.answers_text(&query, &answers, stopped.is_none(), console);
        console.write_all(text.as_bytes())?;
    }
    stopped.map_or(Ok(()), |limit| Err(limit.into()))
}

fn show_tree(
    arguments: &QueryArguments,
    reasoning: &Reasoning,
    tree: &DerivationTree,
    context: &mut Context,
) -> Result<(), Failure> {
    let style = reasoning.style();
    let console = &mut context.console;
    if arguments.dot {
        console.write_all(tree.dot(&style).as_bytes())?;
        return Ok(());
    }
    show_moment(reasoning, console)?;
    if arguments.tree {
        console.write_all(tree.text(&style).as_bytes())?;
    } else {
        let mut found = 0;
        for root in tree.roots.iter().filter(|r| r.kind != RootKind::Negation) {
            for leaf in tree.leaves(root.node) {
                if tree.nodes[leaf].kind != NodeKind::Success {
                    continue;
                }
                if found > 0 {
                    writeln!(console)?;
                }
                found += 1;
                console.write_all(tree.linear_text(leaf, &style).as_bytes())?;
            }
        }
        if found == 0 && tree.stopped.is_none() {
            writeln!(console, "no derivation")?;
        }
    }
    if tree.stopped.is_some() {
        writeln!(console, "The tree was cut at {} nodes by a limit.", tree.nodes.len())?;
    } else if tree.truncated {
        writeln!(console, "The tree was cut at {} nodes; `--nodes` allows more.", tree.nodes.len())?;
    }
    let used: BTreeSet<ClauseId> = tree
        .nodes
        .iter()
        .filter_map(|node| match &node.step {
            Some(Step::Resolution { reason: Reason::Clause(clause), .. }) => Some(*clause),
            _ => None,
        })
        .collect();
    write_rules(reasoning, &used, console)
}

fn write_rules(
    reasoning: &Reasoning,
    used: &BTreeSet<ClauseId>,
    console: &mut Console,
) -> Result<(), Failure> {
    let rules = reasoning.rules_text(used, &reasoning.style());
    if !rules.is_empty() {
        writeln!(console, "\n{}", console.dim("rules"))?;
        console.write_all(rules.as_bytes())?;
    }
    Ok(())
}
