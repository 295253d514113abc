//! What each path does, for [`security`](super::security), which asks who may. What stands in no line here only looks, or
//! if it changes something is for administrators.

use axum::http::Method;

use crate::model::{Action, ThingKind};

/// The paths that do more than look, with their methods. Those below `/api` do the same as pages.
const ACTIONS: &[(&str, &str, Action)] = &[
    ("POST", "/quick", Action::StartQuickMatch),
    ("POST", "/login", Action::SignIn),
    ("POST", "/logout", Action::SignIn),
    ("POST", "/sign-in", Action::SignIn),
    ("POST", "/sign-in/link", Action::SignIn),
    ("POST", "/sign-in/mail", Action::SignIn),
    ("POST", "/sign-up", Action::SignIn),
    ("POST", "/sign-out", Action::SignIn),
    ("GET", "/account", Action::SeeAccount),
    ("GET", "/account/data", Action::SeeAccount),
    ("POST", "/account/delete", Action::ChangeAccount),
    ("POST", "/account/mail", Action::ChangeAccount),
    ("POST", "/account/password", Action::ChangeAccount),
    ("POST", "/account/sessions/{id}/end", Action::ChangeAccount),
    ("POST", "/account/tokens", Action::ChangeAccount),
    ("POST", "/account/tokens/{id}/end", Action::ChangeAccount),
    ("GET", "/administration", Action::Moderate),
    ("POST", "/administration/hide", Action::Moderate),
    ("POST", "/administration/show", Action::Moderate),
    ("POST", "/administration/transfer", Action::Moderate),
    ("GET", "/administration/accounts", Action::Administer),
    ("POST", "/administration/accounts/{name}/role", Action::Administer),
    ("POST", "/administration/accounts/{name}/ban", Action::Administer),
    ("POST", "/administration/accounts/{name}/unban", Action::Administer),
    ("POST", "/administration/accounts/{name}/delete", Action::Administer),
    ("GET", "/administration/log", Action::Administer),
    ("POST", "/games", Action::UploadGame),
    ("POST", "/games/editor", Action::CheckRules),
    ("POST", "/games/{name}/describe", Action::ChangeGame),
    ("POST", "/players", Action::RegisterPlayer),
    ("POST", "/players/{name}/ping", Action::ChangePlayer),
    ("POST", "/players/{name}/edit", Action::ChangePlayer),
    ("POST", "/players/{name}/secret", Action::ChangePlayer),
    ("POST", "/players/{name}/retire", Action::ChangePlayer),
    ("POST", "/players/{name}/reactivate", Action::ChangePlayer),
    ("POST", "/matches", Action::MakeMatch),
    ("POST", "/matches/{id}/join", Action::UseSeatKey),
    ("POST", "/matches/{id}/rematch", Action::MakeMatch),
    ("POST", "/matches/{id}/play-on", Action::StartQuickMatch),
    ("POST", "/matches/{id}/abort", Action::ChangeMatch),
    ("POST", "/matches/{id}/seat/{seat}/key", Action::ChangeMatch),
    ("POST", "/matches/{id}/seat/{seat}/move", Action::UseSeatKey),
    ("POST", "/matches/{id}/seat/{seat}/say", Action::UseSeatKey),
    ("POST", "/tournaments", Action::HoldTournament),
    ("POST", "/tournaments/{id}/pause", Action::HoldTournament),
    ("POST", "/tournaments/{id}/resume", Action::HoldTournament),
    ("POST", "/tournaments/{id}/end", Action::HoldTournament),
    ("POST", "/tournaments/{id}/enter", Action::HoldTournament),
    ("POST", "/tournaments/{id}/strike", Action::HoldTournament),
    ("GET", "/api/account", Action::SeeAccount),
    ("DELETE", "/api/account", Action::ChangeAccount),
    ("GET", "/api/account/data", Action::SeeAccount),
    ("GET", "/api/account/sessions", Action::SeeAccount),
    ("DELETE", "/api/account/sessions/{id}", Action::ChangeAccount),
    ("GET", "/api/account/tokens", Action::SeeAccount),
    ("POST", "/api/account/tokens", Action::ChangeAccount),
    ("DELETE", "/api/account/tokens/{id}", Action::ChangeAccount),
    ("GET", "/api/accounts", Action::Administer),
    ("PUT", "/api/accounts/{name}/role", Action::Administer),
    ("PUT", "/api/accounts/{name}/ban", Action::Administer),
    ("DELETE", "/api/accounts/{name}/ban", Action::Administer),
    ("DELETE", "/api/accounts/{name}", Action::Administer),
    ("GET", "/api/hidden", Action::Moderate),
    ("POST", "/api/hidden", Action::Moderate),
    ("DELETE", "/api/hidden/{kind}/{name}", Action::Moderate),
    ("PUT", "/api/owners/{kind}/{name}", Action::Moderate),
    ("GET", "/api/audit", Action::Administer),
    ("POST", "/api/games", Action::UploadGame),
    ("POST", "/api/games/check", Action::CheckRules),
    ("PUT", "/api/games/{name}/description", Action::ChangeGame),
    ("POST", "/api/players", Action::RegisterPlayer),
    ("PUT", "/api/players/{name}", Action::ChangePlayer),
    ("PUT", "/api/players/{name}/secret", Action::ChangePlayer),
    ("POST", "/api/players/{name}/ping", Action::ChangePlayer),
    ("POST", "/api/players/{name}/retire", Action::ChangePlayer),
    ("POST", "/api/players/{name}/reactivate", Action::ChangePlayer),
    ("POST", "/api/matches", Action::MakeMatch),
    ("POST", "/api/matches/{id}/join", Action::UseSeatKey),
    ("POST", "/api/matches/{id}/rematch", Action::MakeMatch),
    ("POST", "/api/matches/{id}/abort", Action::ChangeMatch),
    ("POST", "/api/matches/{id}/seats/{seat}/key", Action::ChangeMatch),
    ("POST", "/api/matches/{id}/seats/{seat}/move", Action::UseSeatKey),
    ("POST", "/api/matches/{id}/seats/{seat}/say", Action::UseSeatKey),
    ("POST", "/api/tournaments", Action::HoldTournament),
    ("POST", "/api/tournaments/{id}/pause", Action::HoldTournament),
    ("POST", "/api/tournaments/{id}/resume", Action::HoldTournament),
    ("POST", "/api/tournaments/{id}/end", Action::HoldTournament),
    ("POST", "/api/tournaments/{id}/enter", Action::HoldTournament),
    ("POST", "/api/tournaments/{id}/strike", Action::HoldTournament),
];

/// What a path does.
pub(super) fn action(method: &Method, route: &str) -> Action {
    let looks = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    // The head of an answer is for whom the answer is for.
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    let known = ACTIONS.iter().find(|(known, path, _)| *known == method && *path == route);
    let other = if looks { Action::Look } else { Action::Administer };
    known.map_or(other, |(_, _, action)| *action)
}

/// What kind of thing a path is about, if it is about one that belongs to somebody. Its name is the first thing that stands
/// in the path.
pub(super) fn kind(route: &str) -> Option<ThingKind> {
    let page = route.strip_prefix("/api").unwrap_or(route);
    let kinds =
        [("/games/{", ThingKind::Game), ("/players/{", ThingKind::Player), ("/matches/{", ThingKind::Match)];
    kinds.into_iter().find(|(start, _)| page.starts_with(start)).map(|(_, kind)| kind)
}

/// What it takes to change a thing of this kind.
pub(super) fn change(kind: ThingKind) -> Action {
    match kind {
        ThingKind::Game => Action::ChangeGame,
        ThingKind::Player => Action::ChangePlayer,
        ThingKind::Match => Action::ChangeMatch,
    }
}

/// Whether a path is that of a seat, which its key opens whatever is hidden.
pub(super) fn is_of_seat(route: &str) -> bool {
    let page = route.strip_prefix("/api").unwrap_or(route);
    ["/matches/{id}/seat/", "/matches/{id}/seats/"].iter().any(|start| page.starts_with(start))
        || page == "/matches/{id}/join"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use axum::body::Body;
    use axum::http::{Request, StatusCode};
    use tower::ServiceExt;

    use super::*;
    use crate::manager::{AccountOptions, Manager, ManagerOptions};
    use crate::model::{Actor, Role, Scope};
    use crate::web::{WebOptions, WebServer, api, pages};

    fn all() -> Vec<(Method, &'static str)> {
        let routes = pages::ROUTES.iter().chain(api::ROUTES);
        let each = routes.flat_map(|(path, methods)| methods.iter().map(move |method| (*method, *path)));
        each.map(|(method, path)| (method.to_uppercase().parse().unwrap(), path)).collect()
    }

    #[test]
    fn nothing_that_changes_something_is_without_a_right_and_no_right_without_a_path() {
        let listed: BTreeSet<(&str, &str)> =
            ACTIONS.iter().map(|(method, path, _)| (*method, *path)).collect();
        assert_eq!(listed.len(), ACTIONS.len(), "each stands here once");
        let routes = all();
        let known: BTreeSet<(&str, &str)> =
            routes.iter().map(|(method, path)| (method.as_str(), *path)).collect();
        assert!(listed.is_subset(&known), "{:?}", listed.difference(&known));
        let changes = routes.iter().filter(|(method, _)| *method != Method::GET);
        let forgotten: Vec<_> =
            changes.filter(|(method, path)| !listed.contains(&(method.as_str(), path))).collect();
        assert!(forgotten.is_empty(), "{forgotten:?}");
    }

    /// Without signing in, and without the key of a seat, nothing can be changed.
    #[test]
    fn visitors_change_nothing_but_whether_they_are_visitors() {
        let (visitor, free) = (Actor::visitor(), [Action::SignIn, Action::UseSeatKey]);
        for (method, path) in all() {
            let action = action(&method, path);
            let looks = method == Method::GET && action == Action::Look;
            let may = visitor.may(action, true);
            assert_eq!(may, looks || free.contains(&action), "{method} {path}");
            assert_eq!(free.contains(&action) && action == Action::UseSeatKey, {
                let key = path.ends_with("/move") || path.ends_with("/say") || path.ends_with("/join");
                key && method == Method::POST
            });
        }
    }

    #[test]
    fn what_is_in_no_line_is_for_administrators() {
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
            assert_eq!(action(&method, "/somewhere"), Action::Administer);
        }
        assert_eq!(action(&Method::GET, "/somewhere"), Action::Look);
        assert_eq!(action(&Method::HEAD, "/administration/log"), Action::Administer);
        let player = Actor { role: Role::Player, ..Actor::default() };
        assert!(!player.may(action(&Method::TRACE, "/games"), true));
    }

    #[test]
    fn paths_are_about_games_players_and_matches() {
        assert_eq!(kind("/games/{name}/rules"), Some(ThingKind::Game));
        assert_eq!(kind("/api/players/{name}"), Some(ThingKind::Player));
        assert_eq!(kind("/matches/{id}/seat/{seat}"), Some(ThingKind::Match));
        for path in ["/games", "/games/new", "/tournaments/{id}", "/api/account/tokens/{id}", "/"] {
            assert_eq!(kind(path), None, "{path}");
        }
        assert!(is_of_seat("/api/matches/{id}/seats/{seat}/move") && is_of_seat("/matches/{id}/join"));
        assert!(!is_of_seat("/matches/{id}/replay") && !is_of_seat("/matches/{id}"));
    }

    /// Each role asks for every path: what it may not do is refused, and what it may is not.
    #[tokio::test]
    async fn every_path_is_refused_to_those_who_have_no_right_to_it() {
        let options = ManagerOptions {
            accounts: Some(AccountOptions::default()),
            bundled_games: false,
            ..ManagerOptions::default()
        };
        let manager = Manager::in_memory(options);
        let router = WebServer::new(manager.clone(), WebOptions::with_accounts()).router();
        let accounts = manager.accounts().unwrap();
        for role in Role::ALL {
            let actor = Actor { role, ..Actor::default() };
            let token = (role != Role::Visitor).then(|| {
                let name = format!("some-{}", role.name());
                accounts.add(&name, "", None, role).unwrap();
                let actor = Actor { account: Some(name), ..actor.clone() };
                accounts.make_token(&actor, "all", &Scope::ALL, 1).unwrap().token
            });
            for (method, path) in all() {
                // Without a body nothing comes of a change.
                let address = ["{name}", "{id}", "{seat}", "{step}", "{kind}"]
                    .iter()
                    .fold(path.to_owned(), |address, part| address.replace(part, "1"));
                let mut request = Request::builder().method(method.clone()).uri(address);
                if let Some(token) = &token {
                    request = request.header("authorization", format!("Bearer {token}"));
                }
                let response = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
                let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&response.status());
                let may = actor.may(action(&method, path), kind(path).is_none());
                assert_eq!(refused, !may, "{role:?} {method} {path}: {}", response.status());
            }
        }
    }
}
