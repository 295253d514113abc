//! `ludex test --mutate`: what no case says anything of.

use std::io::Write;
use std::sync::Arc;

use ludex::Game;
use ludex::analysis::cases::{CaseFile, CaseOptions};
use ludex::analysis::mutation::{Fate, MutantLimits, Mutation, cases_within_limits, mutations, try_mutant};
use ludex::analysis::property::PropertyOptions;
use serde_json::{Value, json};

use super::{TestArguments, case_options};
use crate::Context;
use crate::console::Console;
use crate::failure::{Failure, say};
use crate::query_text::shortened;

/// Steps of inference for one question to a mutant.
const WORK: u64 = 20_000_000;

/// What became of the mutants of a rulesheet.
pub struct Mutants {
    /// The cases that were put to them.
    cases: CaseFile,
    /// How many cases need more than a mutant may use.
    left_out: usize,
    fates: Vec<(Mutation, Fate)>,
}

/// Puts the cases to each mutant.
///
/// # Errors
/// The time is over.
pub fn mutants(
    game: &Game,
    cases: &CaseFile,
    arguments: &TestArguments,
    context: &Context,
) -> Result<Mutants, Failure> {
    let whole = context.limits.budget();
    let plain = case_options(arguments, context);
    let budget = whole.clone().with_work(WORK.min(whole.work())).without_progress();
    // What mutants are asked for is no proof: each property is tried in few games and states.
    let property = PropertyOptions {
        games: plain.property.games.min(10),
        most_states: 1_000,
        most_moves: 5_000,
        most_steps: 0,
        ..plain.property
    };
    let options = CaseOptions { property, proof_budget: budget.clone(), ..plain };
    let limits = MutantLimits { budget, options };
    let wanted = cases.cases.iter().filter(|case| arguments.wants(case)).cloned().collect();
    let wanted = CaseFile { source: Arc::clone(&cases.source), cases: wanted };
    let cases = cases_within_limits(game.rules(), &wanted, &limits)?;
    let all = mutations(game.rules().rulesheet());
    let total = all.len() as u64;
    let mut fates = Vec::with_capacity(all.len());
    for (number, mutation) in (0..).zip(all) {
        whole.report("mutants", number, Some(total));
        fates.push((mutation, try_mutant(&mutation, game.rules(), &cases, &limits)?));
    }
    Ok(Mutants { left_out: wanted.cases.len() - cases.cases.len(), cases, fates })
}

/// Writes what survived, and how many did.
pub fn text(game: &Game, mutants: &Mutants, console: &mut Console) -> Result<(), Failure> {
    let source = game.rules().source();
    if mutants.left_out > 0 {
        let count = mutants.left_out;
        say(&format!(
            "note: {count} of the cases need more work than a mutant may take, and are not put to any"
        ));
    }
    for (mutation, _) in mutants.fates.iter().filter(|(_, fate)| *fate == Fate::Survived) {
        let place = source.position(mutation.span.start as usize);
        let text = source.slice(mutation.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let (word, dropped) = (console.styled("33", "survived"), mutation.dropped.word());
        writeln!(console, "{word}  {}:{place}: without {dropped} {}", source.name(), shortened(&text))?;
    }
    let count = |is_so: fn(&Fate) -> bool| mutants.fates.iter().filter(|(_, fate)| is_so(fate)).count();
    writeln!(
        console,
        "{}: {} mutants: {} noticed, {} survived, {} are no games",
        source.name(),
        mutants.fates.len(),
        count(|fate| matches!(fate, Fate::Noticed(_))),
        count(|fate| *fate == Fate::Survived),
        count(|fate| *fate == Fate::NoGame),
    )?;
    Ok(())
}

/// As a list for programs.
pub fn json(game: &Game, mutants: &Mutants) -> Value {
    let source = game.rules().source();
    let object = |(mutation, fate): &(Mutation, Fate)| {
        let place = source.position(mutation.span.start as usize);
        let (word, case) = match fate {
            Fate::Noticed(case) => ("noticed", mutants.cases.cases.get(*case).map(|case| case.name.as_str())),
            Fate::Survived => ("survived", None),
            Fate::NoGame => ("no-game", None),
        };
        json!({
            "dropped": mutation.dropped.word(), "line": place.line, "column": place.column,
            "start": mutation.span.start, "end": mutation.span.end, "fate": word, "case": case,
        })
    };
    mutants.fates.iter().map(object).collect()
}
