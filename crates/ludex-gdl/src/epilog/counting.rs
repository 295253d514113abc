//! How many answers a goal has: `countofall(X,goal,N)`, by going through everything that X can be, one after the other.

use std::sync::Arc;

use ludex_logic::Budget;
use ludex_logic::domain::{Arguments, DomainGraph, Edges};

use super::writer::{Count, Writer};
use crate::check::registry::UNKNOWN_BUILT_IN;
use crate::diagnostic::Diagnostic;
use crate::game_program::Dialect;
use crate::lower::lower_leniently;
use crate::source::Source;
use crate::tree::{NodeId, NodeKind, Rulesheet};

/// So many things may be counted.
const MOST_COUNTED: usize = 1_000;
/// Work for finding what can be counted.
const WORK: u64 = 100_000_000;

/// Writes the rules of everything that is counted.
pub(super) fn write(writer: &mut Writer<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for count in std::mem::take(&mut writer.counts) {
        if let Err(error) = write_count(writer, &count) {
            diagnostics.push(error);
        }
    }
}

fn write_count(writer: &mut Writer<'_>, count: &Count) -> Result<(), Diagnostic> {
    let span = count.span;
    let zero = writer.sentence("0", &[], span);
    let Some(goal) = &count.goal else {
        let head = sentence_with(writer, &count.relation, &count.known, &[zero], count);
        writer.rule(head, count.context.clone(), span);
        return Ok(());
    };
    if !matches!(writer.tree.node(count.template).kind, NodeKind::Variable(_)) {
        let message = "only the values of a variable can be counted";
        let hint = "define a relation for what is to be counted, and count its one argument";
        return Err(UNKNOWN_BUILT_IN.at(writer.tree.span(count.template), message).hint(hint));
    }
    let counted = writer.fresh(&format!("{}ed", count.relation));
    let head = sentence_with(writer, &counted, &count.known, &[count.template], count);
    writer.rule(head, count.context.iter().chain(goal).copied().collect(), span);
    let values = values(writer, &counted, count)?;
    tally(writer, count, &counted, &values);
    Ok(())
}

fn sentence_with(
    writer: &mut Writer<'_>,
    name: &str,
    known: &[NodeId],
    more: &[NodeId],
    count: &Count,
) -> NodeId {
    let args: Vec<NodeId> = known.iter().chain(more).copied().collect();
    writer.sentence(name, &args, count.span)
}

/// Everything that can be counted, by the domain graph of the rules so far.
fn values(writer: &mut Writer<'_>, counted: &str, count: &Count) -> Result<Vec<String>, Diagnostic> {
    let rulesheet = Rulesheet {
        source: Arc::new(Source::new("", "")),
        notation: writer.notation,
        tree: writer.tree.clone(),
        items: writer.items.clone(),
        comments: Vec::new(),
    };
    let program = lower_leniently(&rulesheet, Dialect::Gdl).game.program;
    let budget = Budget::unlimited().with_total_work(WORK);
    let graph = DomainGraph::new(&program, Edges::Extended, Arguments::Shared, &mut budget.meter());
    let wrong = |message: String| {
        let hint = "count something that is one of a few constants";
        Err(UNKNOWN_BUILT_IN.at(count.span, message).hint(hint))
    };
    let Ok(graph) = graph else { return wrong("what can be counted here takes too long to find out".into()) };
    let place = program.find_relation(counted, count.known.len() + 1);
    let Some(position) = place.and_then(|relation| graph.argument(relation, count.known.len())) else {
        return Ok(Vec::new());
    };
    if graph.functions(position).next().is_some() {
        return wrong("only constants can be counted, and here are terms with arguments".into());
    }
    let mut values: Vec<String> =
        graph.constants(position).map(|constant| program.terms.name(constant).to_owned()).collect();
    values.sort();
    if values.len() > MOST_COUNTED {
        return wrong(format!("more than {MOST_COUNTED} things can be counted here"));
    }
    Ok(values)
}

/// `tally(V,N)`: N of the values up to V are counted.
fn tally(writer: &mut Writer<'_>, count: &Count, counted: &str, values: &[String]) {
    let span = count.span;
    let [tally, after, one_more] =
        ["tally", "after", "one_more"].map(|word| writer.fresh(&format!("{}_{word}", count.relation)));
    let constants: Vec<NodeId> = values.iter().map(|value| writer.sentence(value, &[], span)).collect();
    let numbers: Vec<NodeId> =
        (0..=values.len()).map(|number| writer.sentence(&number.to_string(), &[], span)).collect();
    let (Some(&first), Some(&last)) = (constants.first(), constants.last()) else {
        let head = sentence_with(writer, &count.relation, &count.known, &numbers[..1], count);
        writer.rule(head, count.context.clone(), span);
        return;
    };
    for pair in constants.windows(2) {
        let head = writer.sentence(&after, pair, span);
        writer.rule(head, Vec::new(), span);
    }
    for pair in numbers.windows(2) {
        let head = writer.sentence(&one_more, pair, span);
        writer.rule(head, Vec::new(), span);
    }
    for (is_counted, number) in [(false, numbers[0]), (true, numbers[1])] {
        let head = sentence_with(writer, &tally, &count.known, &[first, number], count);
        let counts = counts(writer, counted, first, is_counted, count);
        writer.rule(head, count.context.iter().copied().chain([counts]).collect(), span);
    }
    let mut beside = count.known.clone();
    let [before, value, number, next] = ["V", "W", "N", "M"].map(|word| {
        let variable = writer.variable_beside(word, &beside, span);
        beside.push(variable);
        variable
    });
    let earlier = sentence_with(writer, &tally, &count.known, &[before, number], count);
    let order = writer.sentence(&after, &[before, value], span);
    for is_counted in [false, true] {
        let mut body = vec![earlier, order, counts(writer, counted, value, is_counted, count)];
        if is_counted {
            body.push(writer.sentence(&one_more, &[number, next], span));
        }
        let sum = if is_counted { next } else { number };
        let head = sentence_with(writer, &tally, &count.known, &[value, sum], count);
        writer.rule(head, body, span);
    }
    let all = sentence_with(writer, &tally, &count.known, &[last, number], count);
    let head = sentence_with(writer, &count.relation, &count.known, &[number], count);
    writer.rule(head, vec![all], span);
}

/// Whether a value is counted.
fn counts(writer: &mut Writer<'_>, counted: &str, value: NodeId, is_counted: bool, count: &Count) -> NodeId {
    let atom = sentence_with(writer, counted, &count.known, &[value], count);
    if is_counted { atom } else { writer.not(atom, count.span) }
}
