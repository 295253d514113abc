//! What every page owes to those who do not see it, or use no mouse: one heading of the first rank, a way past
//! the navigation, names for all fields, headers in all tables, and no name twice.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use ludex_server::manager::{Manager, ManagerOptions};
use ludex_server::model::{ClockPlan, MatchPlan, PlayerKind, SeatPlan};
use ludex_server::store::SqliteStore;
use ludex_server::web::{WebOptions, WebServer};
use tower::ServiceExt;

struct Site {
    router: Router,
    /// A match for which nobody has said to be ready.
    waiting: String,
}

fn site() -> Site {
    let store = SqliteStore::in_memory().unwrap();
    let manager = Manager::start(Arc::new(store), ManagerOptions::default()).unwrap();
    manager.register_player("maria", &PlayerKind::Person).unwrap();
    let address = "http://192.0.2.7:9147".to_owned();
    manager.register_player("far", &PlayerKind::Remote { address, notation: Default::default() }).unwrap();
    let seat = || SeatPlan { player: "maria".to_owned(), ..SeatPlan::default() };
    let waiting = manager
        .schedule(&MatchPlan {
            seed: Some(1),
            ..MatchPlan::new("tic-tac-toe", vec![seat(), seat()], ClockPlan::new(3_600_000, 3_600_000))
        })
        .unwrap();
    let router = WebServer::new(manager, WebOptions::loopback(None)).router();
    Site { router, waiting }
}

impl Site {
    async fn get(&self, path: &str) -> String {
        let request = Request::get(path).header(header::HOST, "127.0.0.1:8080").body(Body::empty()).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        String::from_utf8(to_bytes(response.into_body(), 1 << 24).await.unwrap().into()).unwrap()
    }

    fn pages(&self) -> Vec<String> {
        let fixed = [
            "/",
            "/games",
            "/games/new",
            "/games/tic-tac-toe",
            "/games/nim",
            "/games/nim/how-to-play",
            "/games/tic-tac-toe/how-to-play",
            "/games?kind=hidden",
            "/matches?stage=completed&from=2020-01-01",
            "/games/rock-paper-scissors",
            "/players",
            "/players/maria",
            "/players/far",
            "/matches",
            "/matches/new",
            "/matches/new?game=lowest-unique",
            "/tournaments",
            "/tournaments/new",
            "/api",
            "/login",
            "/nowhere",
        ];
        let mut pages: Vec<String> = fixed.map(str::to_owned).into();
        pages.push(format!("/matches/{}", self.waiting));
        pages
    }
}

/// The tags of a page that begin like this, without their ends.
fn tags<'a>(page: &'a str, begin: &'a str) -> impl Iterator<Item = &'a str> {
    page.split(begin).skip(1).map(|rest| rest.split('>').next().unwrap_or_default())
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let rest = tag.split_once(&format!(" {name}=\""))?.1;
    Some(rest.split_once('"')?.0)
}

#[tokio::test]
async fn pages_have_one_heading_and_a_way_past_the_navigation() {
    let site = site();
    for path in site.pages() {
        let page = site.get(&path).await;
        assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">"), "{path}");
        assert_eq!(page.matches("<h1").count(), 1, "{path}");
        assert!(page.contains("<a class=\"skip\" href=\"#main\">") && page.contains("id=\"main\""), "{path}");
        let title = page.split_once("<title>").unwrap().1.split_once("</title>").unwrap().0;
        assert!(title.len() > " · Ludex".len(), "{path} has no title");
    }
}

#[tokio::test]
async fn the_navigation_says_where_one_is() {
    let site = site();
    for section in ["/games", "/players", "/matches", "/tournaments"] {
        let page = site.get(section).await;
        let here: Vec<&str> = tags(&page, "<a").filter(|tag| tag.contains("aria-current=\"page\"")).collect();
        assert_eq!(here.len(), 1, "{section}: {here:?}");
        assert_eq!(attribute(here[0], "href"), Some(section));
    }
}

#[tokio::test]
async fn every_field_has_a_label_and_no_name_is_given_twice() {
    let site = site();
    for path in site.pages() {
        let page = site.get(&path).await;
        let mut ids = BTreeSet::new();
        for id in tags(&page, "<").filter_map(|tag| attribute(tag, "id")) {
            assert!(ids.insert(id), "{path} has {id} twice");
        }
        let labels: BTreeSet<&str> = tags(&page, "<label").filter_map(|tag| attribute(tag, "for")).collect();
        for kind in ["<input", "<select", "<textarea"] {
            for field in tags(&page, kind) {
                // A box stands in its label.
                if matches!(attribute(field, "type"), Some("hidden" | "checkbox")) {
                    continue;
                }
                let id = attribute(field, "id").unwrap_or_else(|| panic!("{path}: {kind}{field}"));
                assert!(labels.contains(id), "{path}: {id} has no label");
            }
        }
        for label in labels {
            assert!(ids.contains(label), "{path}: there is no {label}");
        }
        for described in tags(&page, "<").filter_map(|tag| attribute(tag, "aria-describedby")) {
            assert!(described.split(' ').all(|id| ids.contains(id)), "{path}: {described}");
        }
    }
}

#[tokio::test]
async fn tables_have_headers_and_pictures_have_words() {
    let site = site();
    for path in site.pages() {
        let page = site.get(&path).await;
        for head in tags(&page, "<th ") {
            assert!(format!(" {head}").contains(" scope=\""), "{path}: {head}");
        }
        for table in page.split("<table").skip(1) {
            let table = table.split("</table>").next().unwrap();
            assert!(table.contains("scope=\"col\"") && table.contains("scope=\"row\""), "{path}");
        }
        for picture in tags(&page, "<img") {
            assert!(attribute(picture, "alt").is_some(), "{path}: {picture}");
        }
        for picture in tags(&page, "<svg") {
            let named = attribute(picture, "aria-label").is_some() && attribute(picture, "role").is_some();
            assert!(named || attribute(picture, "aria-hidden") == Some("true"), "{path}: {picture}");
        }
        assert!(!page.contains(" style=\"") && !page.contains("<style"), "{path}");
    }
    let page = site.get(&format!("/matches/{}", site.waiting)).await;
    assert!(page.contains("control"), "facts on no board are said");
}

#[tokio::test]
async fn what_is_wrong_is_said_at_the_field_it_is_about() {
    let site = site();
    for (path, body, field) in [
        ("/players", "name=maria&address=person", "name"),
        ("/players", "name=other&address=no+such+thing%3A", "address"),
        ("/games", "name=Not+A+Name&text=(role+a)&do=add", "name"),
        ("/games", "name=mine&text=(role&do=add", "text"),
    ] {
        let request = Request::post(path)
            .header(header::HOST, "127.0.0.1:8080")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(body))
            .unwrap();
        let response = site.router.clone().oneshot(request).await.unwrap();
        assert!(response.status().is_client_error(), "{body}");
        let bytes = to_bytes(response.into_body(), 1 << 24).await.unwrap();
        let page = String::from_utf8(bytes.into()).unwrap();
        assert!(page.contains("id=\"problem\" role=\"alert\""), "{body}");
        let wrong: Vec<&str> = tags(&page, "<").filter(|tag| tag.contains("aria-invalid=\"true\"")).collect();
        assert_eq!(wrong.len(), 1, "{body}: {wrong:?}");
        assert_eq!(attribute(wrong[0], "id"), Some(field), "{body}");
        assert!(attribute(wrong[0], "aria-describedby").unwrap().contains("problem"), "{body}");
    }
}
