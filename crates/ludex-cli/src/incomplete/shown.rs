//! `ludex show` for games whose rules are sentences.

use std::io::Write;
use std::sync::Arc;

use ludex::game::incomplete::Course;
use ludex::gdl::GameSentences;
use ludex::logic::TermId;
use serde_json::{Value, json};

use super::{game_of, texts};
use crate::Context;
use crate::console::table;
use crate::failure::Failure;

/// So many states are listed.
const MOST_STATES: usize = 64;

/// Shows what sentences consist of, and the states that are possible at first.
///
/// # Errors
/// There is no finite universe; a limit.
pub fn show(sentences: &Arc<GameSentences>, as_json: bool, context: &mut Context) -> Result<(), Failure> {
    let game = game_of(sentences, &[], false, context)?;
    let mut states: Vec<Vec<TermId>> = Vec::new();
    let complete =
        Course::new(&game, context.limits.budget())?.states(0, MOST_STATES, |facts| states.push(facts))?;
    let text = |terms: &[TermId]| -> Vec<String> {
        terms.iter().map(|&term| texts::term(sentences, term)).collect()
    };
    let by_role = |things: &dyn Fn(usize) -> Vec<String>| -> Value {
        let roles = sentences.roles.iter().enumerate();
        roles
            .map(|(number, &role)| (texts::term(sentences, role), Value::from(things(number))))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let theory = &sentences.theory;
    let own = theory.relations.entries().filter(|(id, _)| !sentences.is_keyword(*id));
    let own: Vec<(String, &str)> = own
        .map(|(id, relation)| {
            let name = format!("{}/{}", theory.terms.name(relation.name), relation.arity);
            (name, if sentences.changes[id] { "changes" } else { "stays" })
        })
        .collect();
    let console = &mut context.console;
    if as_json {
        let relations = own.iter().map(|(name, kind)| json!({ "relation": name, "kind": kind }));
        let object = json!({
            "game": sentences.source.name(),
            "dialect": sentences.dialect.to_string(),
            "sentences": theory.sentences.len(),
            "roles": text(&sentences.roles),
            "facts": text(game.facts()),
            "moves": by_role(&|role| text(game.moves(role))),
            "percepts": by_role(&|role| text(game.percepts(role))),
            "goals": by_role(&|role| text(game.goals(role))),
            "relations": relations.collect::<Vec<_>>(),
            "states": states.iter().map(|state| text(state)).collect::<Vec<_>>(),
            "states_are_all": complete,
        });
        writeln!(console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    writeln!(console, "{} ({})", console.bold(sentences.source.name()), sentences.dialect)?;
    let mut rows = vec![
        vec!["sentences".to_owned(), theory.sentences.len().to_string()],
        vec!["roles".to_owned(), texts::terms(sentences, &sentences.roles)],
        vec!["facts".to_owned(), texts::terms(sentences, game.facts())],
    ];
    for (number, &role) in sentences.roles.iter().enumerate() {
        let name = texts::term(sentences, role);
        rows.push(vec![format!("{name} may do"), texts::terms(sentences, game.moves(number))]);
        if sentences.dialect.has_percepts() {
            rows.push(vec![format!("{name} may see"), texts::terms(sentences, game.percepts(number))]);
        }
    }
    for kind in ["stays", "changes"] {
        let names: Vec<&str> =
            own.iter().filter(|(_, its)| *its == kind).map(|(name, _)| name.as_str()).collect();
        if !names.is_empty() {
            let title = if kind == "stays" { "same at all steps" } else { "from step to step" };
            rows.push(vec![title.to_owned(), names.join(", ")]);
        }
    }
    let text = table(console, &rows, &[]);
    console.write_all(text.as_bytes())?;
    let count = if complete { states.len().to_string() } else { format!("more than {MOST_STATES}") };
    writeln!(console, "\nstates that are possible at first: {count}")?;
    for state in &states {
        writeln!(console, "  {}", texts::terms(sentences, state))?;
    }
    Ok(())
}
