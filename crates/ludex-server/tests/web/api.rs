//! The interface for programs, compared with its description: every path and method that it lists is asked
//! for with real things, and every answer has what it says.

use axum::body::Body;
use axum::http::{StatusCode, header};
use ludex::matches::referee::SeatNumber;
use ludex::matches::view::Viewer;
use ludex_server::manager::Manager;
use ludex_server::model::PlayerKind;
use serde_json::{Value, json};

use super::support::*;
use crate::manager_support::{remote, service, tic_tac_toe, wait, wait_for_end};

/// That a value is as a schema says, as far as the description uses schemas: references, kinds, required
/// fields, items, and one of several.
fn fits(document: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let there = document.pointer(name.trim_start_matches('#'));
        let there = there.ok_or_else(|| format!("{at}: there is no {name}"))?;
        return fits(document, there, value, at);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let fitting = any.iter().any(|schema| fits(document, schema, value, at).is_ok());
        return if fitting { Ok(()) } else { Err(format!("{at}: none fits {value}")) };
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    };
    let is = |kind: &&str| match *kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("{at}: what is the type {other}?"),
    };
    if !kinds.is_empty() && !kinds.iter().any(is) {
        return Err(format!("{at}: {value} is none of {kinds:?}"));
    }
    if value.is_object() {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if value.get(name).is_none() {
                return Err(format!("{at} has no {name}: {value}"));
            }
            if schema["properties"].get(name).is_none() {
                return Err(format!("{at}: {name} is required and not described"));
            }
        }
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            if let Some(part) = value.get(name) {
                fits(document, schema, part, &format!("{at}.{name}"))?;
            }
        }
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        if let Some(schema) = schema.get("items") {
            fits(document, schema, item, &format!("{at}[{number}]"))?;
        }
    }
    Ok(())
}

/// Things to be asked for.
struct Things {
    over: String,
    running: String,
    key: String,
    to_abort: String,
    /// A match with a seat that nobody has taken.
    fresh: String,
    /// A match that waits for somebody who was invited, and the key of that seat.
    invited: (String, String),
    cup: String,
    to_end: String,
    game: String,
}

impl Things {
    async fn make(router: &axum::Router, manager: &Manager, programs: [PlayerKind; 2]) -> Self {
        for (name, address) in ["Program", "Other"].iter().zip(&programs) {
            manager.register_player(name, address).unwrap();
        }
        for person in ["Anna", "Bert", "Cleo", "Spare"] {
            manager.register_player(person, &PlayerKind::Person).unwrap();
        }
        let over = manager.schedule(&tic_tac_toe(&["Program", "Other"], 20_000)).unwrap();
        wait_for_end(manager, &over);
        let made = make_match(router, &tic_tac_toe(&["Anna", "Program"], 60_000)).await;
        let running = made["id"].as_str().unwrap().to_owned();
        wait("that Anna is asked", || {
            let view = manager.match_view(&running, Viewer::Seat(SeatNumber(0))).unwrap();
            view.awaited.then_some(())
        });
        let to_abort = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 60_000)).unwrap();
        let fresh = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 60_000)).unwrap();
        let mut plan = tic_tac_toe(&["Anna", "Bert"], 60_000);
        plan.seats[1].awaited = true;
        let waiting = make_match(router, &plan).await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let invited = (text(&waiting["id"]), text(&waiting["seats"][1]["key"]));
        let mut cups = Vec::new();
        for title in ["One", "Two"] {
            let plan = cup(title).to_string();
            let said = send(router, "/api/tournaments", &plan).await;
            cups.push(said.json()["id"].as_str().unwrap().to_owned());
        }
        let game = manager.game("tic-tac-toe", None).unwrap().text;
        let key = made["seats"][0]["key"].as_str().unwrap().to_owned();
        let (to_end, cup) = (cups.pop().unwrap(), cups.pop().unwrap());
        Self { over, running, key, to_abort, fresh, invited, cup, to_end, game }
    }

    /// A real address for a path of the description.
    fn address(&self, path: &str) -> String {
        let (id, name) = match path {
            "/api/matches/{id}/seats/{seat}/key" => (&self.fresh, ""),
            _ if path.contains("/seats/") => (&self.running, ""),
            "/api/matches/{id}/join" => (&self.invited.0, ""),
            "/api/matches/{id}/abort" => (&self.to_abort, ""),
            "/api/tournaments/{id}/end" => (&self.to_end, ""),
            _ if path.starts_with("/api/tournaments") => (&self.cup, ""),
            _ if path.starts_with("/api/games") => (&self.over, "tic-tac-toe"),
            _ => (&self.over, "Spare"),
        };
        let address = path.replace("{id}", id).replace("{name}", name);
        let address = address.replace("{step}", "1").replace("{seat}", "0");
        if path.contains("/seats/") { format!("{address}?key={}", self.key) } else { address }
    }

    /// What to send with a path of the description.
    fn body(&self, path: &str) -> Value {
        match path {
            "/api/games" | "/api/games/check" => json!({ "name": "mine", "text": self.game }),
            "/api/games/{name}/description" => json!({ "title": "Three in a row", "description": "Old." }),
            "/api/players" => json!({ "name": "New", "kind": "person" }),
            "/api/players/{name}" => json!({ "kind": "person" }),
            "/api/players/{name}/secret" => json!({ "secret": null }),
            "/api/matches" => serde_json::to_value(tic_tac_toe(&["Anna", "Bert"], 60_000)).unwrap(),
            "/api/matches/{id}/join" => json!({ "key": self.invited.1, "name": "Dora" }),
            "/api/matches/{id}/abort" => json!({ "why": "enough" }),
            "/api/matches/{id}/seats/{seat}/move" => json!({ "step": 0, "move": "(mark 2 2)" }),
            // It is the last that is said on this seat.
            "/api/matches/{id}/seats/{seat}/say" => json!({ "say": "resign" }),
            "/api/tournaments" => cup("Three"),
            "/api/tournaments/{id}/enter" => json!({ "player": "Program" }),
            "/api/tournaments/{id}/strike" => json!({ "player": "Cleo" }),
            _ => panic!("nothing to send to {path}"),
        }
    }
}

fn cup(title: &str) -> Value {
    json!({
        "title": title,
        "competition": {
            "players": ["Anna", "Bert", "Cleo"], "rounds": 1, "seed": 3,
            "games": [{ "name": "tic-tac-toe", "seats": 0 }],
        },
        "clocks": { "start": 60000, "play": 60000 },
    })
}

#[tokio::test]
async fn everything_that_is_described_is_there_and_answers_as_described() {
    let (router, manager) = on_loopback();
    let programs = [service("legal"), service("legal")];
    let things = Things::make(&router, &manager, programs.each_ref().map(remote)).await;
    let document = get(&router, "/api/openapi.json").await.json();
    let mut asked = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        // A server without accounts has none of these; others are asked in `accounts`.
        if ["/api/account", "/api/hidden", "/api/owners", "/api/audit"]
            .iter()
            .any(|own| path.starts_with(own))
        {
            continue;
        }
        let address = things.address(path);
        for (method, about) in methods.as_object().unwrap() {
            let what = format!("{method} {path}");
            let (code, answer) = about["responses"].as_object().unwrap().iter().next().unwrap();
            let content = answer["content"].as_object().and_then(|content| content.iter().next());
            let said = match content {
                Some((kind, _)) if kind == "text/event-stream" => first_event(&router, &address).await,
                _ => {
                    let body = about.get("requestBody").map(|wanted| {
                        let body = things.body(path);
                        let schema = &wanted["content"]["application/json"]["schema"];
                        fits(&document, schema, &body, &what).unwrap();
                        body.to_string()
                    });
                    let body = body.unwrap_or_default();
                    let request = sending(&method.to_uppercase(), &address, &body);
                    ask(&router, request.body(Body::from(body)).unwrap()).await
                }
            };
            assert_eq!(said.status.as_str(), code, "{what}: {}", said.text);
            if let Some((kind, content)) = content {
                let found = said.headers[header::CONTENT_TYPE].to_str().unwrap();
                assert!(found.starts_with(kind.as_str()), "{what}: {found}");
                if kind == "application/json" {
                    fits(&document, &content["schema"], &said.json(), &what).unwrap();
                }
            } else {
                assert_eq!(said.text, "", "{what}");
            }
            asked += 1;
        }
        let other = sending("PATCH", &address, "").body(Body::empty()).unwrap();
        assert_eq!(ask(&router, other).await.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
    }
    assert!(asked > 30, "{asked}");
}

#[tokio::test]
async fn what_cannot_be_is_told_as_described() {
    let (router, _manager) = on_loopback();
    let document = get(&router, "/api/openapi.json").await.json();
    let failure = json!({ "$ref": "#/components/schemas/Failure" });
    for path in ["/api/games/none", "/api/players/none", "/api/matches/none/view", "/api/tournaments/none"] {
        let said = get(&router, path).await;
        assert_eq!(said.status, StatusCode::NOT_FOUND);
        fits(&document, &failure, &said.json(), path).unwrap();
    }
    // Every schema that is referred to is there.
    let text = document.to_string();
    for part in text.split("\"$ref\":\"").skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(document.pointer(name.trim_start_matches('#')).is_some(), "{name}");
    }
}
