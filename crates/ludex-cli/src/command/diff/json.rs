//! What two versions differ in, for programs.

use ludex::analysis::difference::{Aspect, Behaviour};
use ludex::logic::TermId;
use ludex::{Game, Rules};
use serde_json::{Map, Value, json};

use super::Found;

/// All of it.
pub fn object(found: &Found) -> Value {
    let (answer, proved) = match &found.behaviour {
        None | Some(Behaviour::Alike { .. }) => ("alike", true),
        Some(Behaviour::Differs(_)) => ("differ", true),
        Some(Behaviour::NotFound { .. }) => ("not-found", false),
    };
    let (states, games, limit) = match &found.behaviour {
        Some(Behaviour::Alike { states }) => (Some(*states), None, None),
        Some(Behaviour::NotFound { states, games, limit }) => {
            (Some(*states), Some(*games), limit.as_ref().map(ToString::to_string))
        }
        None | Some(Behaviour::Differs(_)) => (None, None, None),
    };
    let mut object = Map::new();
    object.insert("first".into(), found.first.short_name().into());
    object.insert("second".into(), found.second.short_name().into());
    object.insert("answer".into(), answer.into());
    object.insert("proved".into(), proved.into());
    object.insert("clauses".into(), clauses(found));
    object.insert("states".into(), states.into());
    object.insert("games".into(), games.into());
    object.insert("limit".into(), limit.into());
    if let Some(divergence) = found.divergence() {
        let [first, second] = [found.first.rules(), found.second.rules()];
        let joint = |(here, there): (&Vec<TermId>, &Vec<TermId>)| {
            // The roles are in the same order in both games.
            let moves = first.roles().zip(here).zip(there);
            let object = moves.map(|((role, &here), &there)| {
                json!({ "role": first.role_name(role), "first": first.text(here), "second": second.text(there) })
            });
            object.collect::<Value>()
        };
        object.insert("moves".into(), divergence.first.iter().zip(&divergence.second).map(joint).collect());
        object.insert("shortest".into(), divergence.is_shortest.into());
        let aspects = divergence.aspects.iter().map(|aspect| difference(aspect, first, second));
        object.insert("differences".into(), aspects.collect());
    }
    Value::Object(object)
}

fn clauses(found: &Found) -> Value {
    let clause = |game: &Game, at: usize| {
        let sheet = game.rules().rulesheet();
        let span = sheet.items[at].span;
        let place = sheet.source.position(span.start as usize);
        json!({ "line": place.line, "column": place.column, "text": sheet.source.slice(span) })
    };
    let (first, second, changes) = (&found.first, &found.second, &found.changes);
    let pair = |&(old, new): &(usize, usize)| json!([clause(first, old), clause(second, new)]);
    json!({
        "kept": changes.kept,
        "removed": changes.removed.iter().map(|&at| clause(first, at)).collect::<Vec<_>>(),
        "added": changes.added.iter().map(|&at| clause(second, at)).collect::<Vec<_>>(),
        "changed": changes.changed.iter().map(pair).collect::<Vec<_>>(),
    })
}

fn difference(aspect: &Aspect, first: &Rules, second: &Rules) -> Value {
    match aspect {
        Aspect::Roles => {
            json!({ "kind": "roles", "first": first.role_names(), "second": second.role_names() })
        }
        Aspect::Legal { role, first: here, second: there } => json!({
            "kind": "legal", "role": first.role_name(*role), "first": first.texts(here), "second": second.texts(there)
        }),
        Aspect::Terminal { first } => json!({ "kind": "terminal", "first": first, "second": !first }),
        Aspect::Goal { role, first: here, second: there } => {
            json!({ "kind": "goal", "role": first.role_name(*role), "first": here, "second": there })
        }
        Aspect::Sees { role, first: here, second: there } => json!({
            "kind": "sees", "role": first.role_name(*role), "first": first.texts(here), "second": second.texts(there)
        }),
        Aspect::Facts { first: here, second: there } => {
            json!({ "kind": "facts", "first": first.texts(here), "second": second.texts(there) })
        }
    }
}
