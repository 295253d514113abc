//! A server for strangers: who may come in, and what they may do then.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{StatusCode, header};
use ludex_server::manager::{AccountOptions, Accounts, Letter, Mail, Manager, ManagerOptions, Quotas};
use ludex_server::model::{Actor, NewGame, Role, Scope};
use ludex_server::store::SqliteStore;
use ludex_server::web::{WebOptions, WebServer};

use super::support::*;

const PASSWORD: &str = "correct horse battery";

#[derive(Default)]
struct Letters(Mutex<Vec<Letter>>);

impl Mail for Letters {
    fn send(&self, letter: &Letter) -> io::Result<()> {
        self.0.lock().unwrap().push(letter.clone());
        Ok(())
    }
}

struct Server {
    router: Router,
    manager: Manager,
    letters: Arc<Letters>,
}

fn server_with(options: AccountOptions) -> Server {
    let letters = Arc::new(Letters::default());
    let mail: Arc<dyn Mail> = letters.clone();
    let options = AccountOptions { mail: Some(mail), address: "https://ludex.example".into(), ..options };
    let options = ManagerOptions { accounts: Some(options), ..ManagerOptions::default() };
    let manager = Manager::start(Arc::new(SqliteStore::in_memory().unwrap()), options).unwrap();
    let router = WebServer::new(manager.clone(), WebOptions::with_accounts()).router();
    Server { router, manager, letters }
}

fn server() -> Server {
    server_with(AccountOptions::default())
}

impl Server {
    fn accounts(&self) -> Arc<Accounts> {
        self.manager.accounts().unwrap()
    }

    /// A token of a new account, for these scopes.
    fn token(&self, name: &str, role: Role, scopes: &[Scope]) -> String {
        self.accounts().add(name, "", None, role).unwrap();
        let actor = Actor { account: Some(name.to_owned()), role, scopes: None };
        self.accounts().make_token(&actor, "test", scopes, 1).unwrap().token
    }

    fn full(&self, name: &str, role: Role) -> String {
        self.token(name, role, &Scope::ALL)
    }

    async fn with(&self, token: &str, method: &str, path: &str, body: &str) -> Said {
        let request = sending(method, path, body).header(header::AUTHORIZATION, format!("Bearer {token}"));
        ask(&self.router, request.body(Body::from(body.to_owned())).unwrap()).await
    }

    async fn in_session(&self, cookie: &str, method: &str, path: &str, body: &str) -> Said {
        let request = sending(method, path, body).header(header::COOKIE, cookie);
        ask(&self.router, request.body(Body::from(body.to_owned())).unwrap()).await
    }
}

/// The cookie that an answer sets.
fn cookie(said: &Said) -> String {
    let value = said.headers.get(header::SET_COOKIE).expect("a cookie").to_str().unwrap();
    value.split(';').next().unwrap().to_owned()
}

async fn sign_in(server: &Server, name: &str, before: &str) -> Said {
    let body = format!("name={name}&password=correct+horse+battery");
    server.in_session(before, "POST", "/sign-in", &body).await
}

#[tokio::test]
async fn somebody_signs_up_and_plays_under_their_name_and_signs_out() {
    let server = server();
    for page in ["/sign-in", "/sign-up", "/sign-in/link?key=x"] {
        assert_eq!(get(&server.router, page).await.status, StatusCode::OK, "{page}");
    }
    assert_eq!(get(&server.router, "/login").await.location(), "/sign-in");
    assert!(get(&server.router, "/").await.text.contains("sign in"));
    let said = send(&server.router, "/sign-up", "name=Ada&password=correct+horse+battery").await;
    assert_eq!(said.status, StatusCode::SEE_OTHER, "{}", said.text);
    let flags = said.headers[header::SET_COOKIE].to_str().unwrap().to_owned();
    assert!(flags.contains("HttpOnly") && flags.contains("SameSite=Strict"), "{flags}");
    let session = cookie(&said);
    let home = server.in_session(&session, "GET", "/", "").await.text;
    assert!(home.contains("href=\"/account\">Ada</a>") && !home.contains("/administration"), "{home}");
    let body = "game=tic-tac-toe&opponent=friend&seat=0&name=&play_clock=";
    let seat = server.in_session(&session, "POST", "/quick", body).await;
    assert_eq!(seat.status, StatusCode::SEE_OTHER, "{}", seat.text);
    let row = &server.manager.matches(&Default::default()).unwrap().items[0];
    assert_eq!(row.seats[0].player, "Ada");
    // Only who made the match has the ways to its seats.
    let page = format!("/matches/{}", row.id);
    assert!(server.in_session(&session, "GET", &page, "").await.text.contains("key="));
    let bob = server.full("bob", Role::Author);
    let seen = server.with(&bob, "GET", &page, "").await.text;
    assert!(!seen.contains("key=") && !seen.contains("/abort"), "{seen}");
    assert_eq!(server.with(&bob, "POST", &format!("{page}/abort"), "").await.status, StatusCode::FORBIDDEN);
    let key = format!("{page}/seat/1/key");
    assert_eq!(server.with(&bob, "POST", &key, "").await.status, StatusCode::FORBIDDEN);
    let account = server.in_session(&session, "GET", "/account", "").await.text;
    assert!(account.contains("this one"), "{account}");
    let out = server.in_session(&session, "POST", "/sign-out", "").await;
    assert!(out.headers[header::SET_COOKIE].to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(server.accounts().sessions("ada").unwrap().len(), 0);
}

/// Whatever stood in the browser before, a session is another one; and a page of another site changes nothing in it.
#[tokio::test]
async fn a_session_is_new_and_nobody_elses() {
    let server = server();
    server.accounts().add("ada", "", Some(PASSWORD), Role::Administrator).unwrap();
    let planted = format!("ludex-session={}", "a".repeat(64));
    let first = cookie(&sign_in(&server, "ADA", &planted).await);
    assert_ne!(first, planted);
    assert!(server.accounts().of_session(&"a".repeat(64)).unwrap().is_none());
    let second = cookie(&sign_in(&server, "ada", &first).await);
    assert_ne!(first, second);
    assert_eq!(server.accounts().sessions("ada").unwrap().len(), 1, "the one before has ended");
    let request = sending("POST", "/administration/accounts/ada/role", "role=player");
    let request = request.header(header::COOKIE, &second).header("sec-fetch-site", "cross-site");
    let said = ask(&server.router, request.body(Body::from("role=player")).unwrap()).await;
    assert_eq!(said.status, StatusCode::FORBIDDEN);
    // A new password ends the other sessions, and not this one.
    let other = cookie(&sign_in(&server, "ada", "").await);
    let body = "old=correct+horse+battery&new=another+long+password";
    let said = server.in_session(&second, "POST", "/account/password", body).await;
    assert_eq!(said.status, StatusCode::SEE_OTHER, "{}", said.text);
    assert_eq!(server.in_session(&second, "GET", "/account", "").await.status, StatusCode::OK);
    let said = server.in_session(&other, "GET", "/account", "").await;
    assert_eq!(said.status, StatusCode::UNAUTHORIZED);
    assert!(said.headers[header::SET_COOKIE].to_str().unwrap().contains("Max-Age=0"));
}

#[tokio::test]
async fn nobody_learns_who_has_an_account_by_signing_in() {
    let server = server();
    server.accounts().add("ada", "ada@example.org", Some(PASSWORD), Role::Player).unwrap();
    let wrong = |name: &'static str| {
        let router = server.router.clone();
        async move {
            let body = format!("name={name}&password=wrong+horse+battery");
            let said = send(&router, "/sign-in", &body).await;
            (said.status, said.text.replace(name, "NAME"))
        }
    };
    let (known, unknown) = (wrong("ada").await, wrong("nobody").await);
    assert_eq!(known.0, StatusCode::UNAUTHORIZED);
    assert_eq!(known, unknown);
    let link = |name: &'static str| {
        let router = server.router.clone();
        async move {
            let said = send(&router, "/sign-in/mail", &format!("name={name}")).await;
            (said.status, said.text.replace(name, "NAME"))
        }
    };
    assert_eq!(link("ada").await, link("nobody").await);
}

fn key_of(letter: &Letter) -> String {
    letter.text.split("key=").nth(1).unwrap().split_whitespace().next().unwrap().to_owned()
}

#[tokio::test]
async fn a_link_signs_in_once_and_not_for_long() {
    let server = server();
    server.accounts().add("ada", "ada@example.org", None, Role::Player).unwrap();
    server.accounts().send_link("Ada");
    server.accounts().send_link("nobody");
    let letters = server.letters.0.lock().unwrap().clone();
    let [letter] = &letters[..] else { panic!("{letters:?}") };
    assert_eq!(letter.to, "ada@example.org");
    assert!(letter.text.contains("https://ludex.example/sign-in/link?key="), "{}", letter.text);
    let key = key_of(letter);
    let page = get(&server.router, &format!("/sign-in/link?key={key}")).await;
    assert_eq!(page.status, StatusCode::OK, "to look at it does not use it up");
    let said = send(&server.router, "/sign-in/link", &format!("key={key}")).await;
    assert_eq!(said.status, StatusCode::SEE_OTHER);
    let session = cookie(&said);
    assert_eq!(server.in_session(&session, "GET", "/account", "").await.status, StatusCode::OK);
    let again = send(&server.router, "/sign-in/link", &format!("key={key}")).await;
    assert_eq!(again.status, StatusCode::FORBIDDEN);
    // Another address, and links to the old one are none any more.
    server.accounts().send_link("ada");
    let old = key_of(server.letters.0.lock().unwrap().last().unwrap());
    server.accounts().change_mail("ada", "", "other@example.org").unwrap();
    assert!(server.accounts().sign_in_by_link(&old, "", None).is_err());

    let late = server_with(AccountOptions { link: Duration::ZERO, ..AccountOptions::default() });
    late.accounts().add("ada", "ada@example.org", None, Role::Player).unwrap();
    late.accounts().send_link("ada");
    let key = key_of(&late.letters.0.lock().unwrap()[0]);
    assert!(late.accounts().sign_in_by_link(&key, "", None).is_err());
    // Only so many are sent.
    (0..20).for_each(|_| late.accounts().send_link("ada"));
    assert_eq!(late.letters.0.lock().unwrap().len() as u64, Quotas::default().mails);
}

#[tokio::test]
async fn who_is_banned_is_out_at_once_by_session_and_by_token() {
    let server = server();
    let token = server.full("eve", Role::Player);
    server.accounts().reset_password("eve", PASSWORD).unwrap();
    let session = cookie(&sign_in(&server, "eve", "").await);
    let admin = server.full("ada", Role::Administrator);
    assert_eq!(server.with(&token, "GET", "/api/account", "").await.status, StatusCode::OK);
    let said = server.with(&admin, "PUT", "/api/accounts/EVE/ban", "{\"why\":\"spam\"}").await;
    assert_eq!(said.status, StatusCode::NO_CONTENT, "{}", said.text);
    assert_eq!(server.with(&token, "GET", "/api/account", "").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(server.in_session(&session, "GET", "/account", "").await.status, StatusCode::UNAUTHORIZED);
    let said = sign_in(&server, "eve", "").await;
    assert_eq!(said.status, StatusCode::FORBIDDEN);
    assert!(said.text.contains("banned: spam"), "{}", said.text);
    let last = server.with(&admin, "PUT", "/api/accounts/ada/role", "{\"role\":\"player\"}").await;
    assert_eq!(last.status, StatusCode::UNPROCESSABLE_ENTITY, "somebody has to look after accounts");
    let log = server.with(&admin, "GET", "/api/audit", "").await.json();
    assert_eq!((log[0]["who"].as_str(), log[0]["action"].as_str()), (Some("ada"), Some("ban")));
    for page in ["/administration", "/administration/accounts", "/administration/log"] {
        assert_eq!(server.with(&admin, "GET", page, "").await.status, StatusCode::OK, "{page}");
    }
    server.with(&admin, "DELETE", "/api/accounts/eve/ban", "").await;
    assert_eq!(sign_in(&server, "eve", "").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_token_does_what_it_is_for_until_it_ends() {
    let server = server();
    let own = server.token("ada", Role::Organiser, &[Scope::Read, Scope::Administer]);
    let make = |token: String, scopes: &'static str| {
        let server = &server;
        async move {
            let body = format!("{{\"name\":\"x\",\"scopes\":[{scopes}]}}");
            server.with(&token, "POST", "/api/account/tokens", &body).await
        }
    };
    let more = make(own.clone(), "\"play\"").await;
    assert_eq!(more.status, StatusCode::FORBIDDEN, "no token makes one that is for more");
    let made = make(own.clone(), "\"read\"").await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    let (reading, id) = (made.json()["token"].as_str().unwrap().to_owned(), made.json()["id"].clone());
    assert_eq!(server.with(&reading, "GET", "/api/account", "").await.status, StatusCode::OK);
    for (method, path, body) in [
        ("POST", "/api/matches", "{}"),
        ("POST", "/api/tournaments", "{}"),
        ("POST", "/api/account/tokens", "{}"),
        ("DELETE", "/api/account", "{}"),
        ("POST", "/api/hidden", "{}"),
    ] {
        let said = server.with(&reading, method, path, body).await;
        assert_eq!(said.status, StatusCode::FORBIDDEN, "{path}");
        assert!(said.text.contains("scope"), "{}", said.text);
    }
    let listed = server.with(&own, "GET", "/api/account/tokens", "").await.text;
    assert!(!listed.contains(&reading), "it is told once");
    let path = format!("/api/account/tokens/{}", id.as_str().unwrap());
    let bob = server.full("bob", Role::Administrator);
    assert_eq!(server.with(&bob, "DELETE", &path, "").await.status, StatusCode::NOT_FOUND, "it is not his");
    assert_eq!(server.with(&own, "DELETE", &path, "").await.status, StatusCode::NO_CONTENT);
    assert_eq!(server.with(&reading, "GET", "/api/account", "").await.status, StatusCode::UNAUTHORIZED);
    let odd = server.with(&own, "GET", &format!("/api/account/tokens/{}", "x".repeat(5000)), "").await;
    assert!(odd.status.is_client_error());
}

const RULES: &str = "(role a) (init (cell 1)) (legal a go) (<= (next (cell 2)) (does a go)) \
                     (<= terminal (true (cell 2))) (goal a 100)";

#[tokio::test]
async fn games_and_programs_are_changed_by_whoever_brought_them() {
    let quotas = Quotas { uploads: 2, ..Quotas::default() };
    let server = server_with(AccountOptions { quotas, ..AccountOptions::default() });
    let (ada, bob) = (server.full("ada", Role::Author), server.full("bob", Role::Author));
    let (moderator, player) = (server.full("mod", Role::Organiser), server.full("pat", Role::Player));
    let game = |name: &str, comment: &str| {
        let text = format!("{RULES} ; {comment}");
        let game = NewGame { name: name.to_owned(), text, draft: true, ..NewGame::default() };
        serde_json::to_string(&game).unwrap()
    };
    let add = |token: &str, body: String| {
        let token = token.to_owned();
        let server = &server;
        async move { server.with(&token, "POST", "/api/games", &body).await.status }
    };
    assert_eq!(add(&player, game("go-home", "")).await, StatusCode::FORBIDDEN);
    assert_eq!(add(&ada, game("go-home", "")).await, StatusCode::CREATED);
    assert_eq!(add(&bob, game("go-home", "2")).await, StatusCode::FORBIDDEN);
    assert_eq!(add(&bob, game("tic-tac-toe", "2")).await, StatusCode::FORBIDDEN, "it is the organiser's");
    assert_eq!(add(&moderator, game("go-home", "3")).await, StatusCode::CREATED);
    assert_eq!(add(&ada, game("go-home", "4")).await, StatusCode::CREATED, "it is hers nevertheless");
    assert_eq!(add(&ada, game("go-home", "5")).await, StatusCode::TOO_MANY_REQUESTS);
    let describe = "{\"title\":\"x\"}";
    for (token, status) in [(&bob, StatusCode::FORBIDDEN), (&ada, StatusCode::NO_CONTENT)] {
        let said = server.with(token, "PUT", "/api/games/go-home/description", describe).await;
        assert_eq!(said.status, status, "{}", said.text);
    }
    let program = "{\"name\":\"Prog\",\"kind\":\"remote\",\"address\":\"192.0.2.1:9147\"}";
    assert_eq!(server.with(&ada, "POST", "/api/players", program).await.status, StatusCode::CREATED);
    for path in ["retire", "ping", "reactivate"] {
        let said = server.with(&bob, "POST", &format!("/api/players/prog/{path}"), "").await;
        assert_eq!(said.status, StatusCode::FORBIDDEN, "{path}");
    }
    assert_eq!(
        server.with(&ada, "POST", "/api/players/PROG/retire", "").await.status,
        StatusCode::NO_CONTENT
    );
    let back = server.with(&bob, "POST", "/api/players", program).await;
    assert_eq!(back.status, StatusCode::FORBIDDEN, "what is retired has an owner, too");
    // It goes to another account.
    let said = server.with(&moderator, "PUT", "/api/owners/game/go-home", "{\"account\":\"bob\"}").await;
    assert_eq!(said.status, StatusCode::NO_CONTENT, "{}", said.text);
    let said = server.with(&bob, "PUT", "/api/games/go-home/description", describe).await;
    assert_eq!(said.status, StatusCode::NO_CONTENT);
    let own = server.with(&moderator, "PUT", "/api/owners/player/ada", "{\"account\":\"bob\"}").await;
    assert_eq!(own.status, StatusCode::UNPROCESSABLE_ENTITY, "nobody plays under another's name");
}

#[tokio::test]
async fn what_is_hidden_is_seen_by_its_owner_and_by_moderators() {
    let server = server();
    let (ada, bob) = (server.full("ada", Role::Author), server.full("bob", Role::Author));
    let moderator = server.full("mod", Role::Organiser);
    let game = NewGame { name: "rude".into(), text: RULES.into(), draft: true, ..NewGame::default() };
    let body = serde_json::to_string(&game).unwrap();
    assert_eq!(server.with(&ada, "POST", "/api/games", &body).await.status, StatusCode::CREATED);
    let body = "{\"kind\":\"game\",\"name\":\"rude\",\"why\":\"a rude word\"}";
    assert_eq!(server.with(&ada, "POST", "/api/hidden", body).await.status, StatusCode::FORBIDDEN);
    assert_eq!(server.with(&moderator, "POST", "/api/hidden", body).await.status, StatusCode::NO_CONTENT);
    let paths = [
        "/games/rude",
        "/api/games/rude",
        "/games/rude/rules",
        "/games/new?from=rude",
        "/api/games/rude/facts",
    ];
    for path in paths {
        for (token, status) in
            [(&bob, StatusCode::NOT_FOUND), (&ada, StatusCode::OK), (&moderator, StatusCode::OK)]
        {
            assert_eq!(server.with(token, "GET", path, "").await.status, status, "{path}");
        }
        assert_eq!(get(&server.router, path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    assert!(!get(&server.router, "/api/games?text=rude").await.text.contains("\"rude\""));
    assert!(server.with(&moderator, "GET", "/administration", "").await.text.contains("a rude word"));
    let shown = server.with(&moderator, "DELETE", "/api/hidden/game/rude", "").await;
    assert_eq!(shown.status, StatusCode::NO_CONTENT, "{}", shown.text);
    assert_eq!(get(&server.router, "/games/rude").await.status, StatusCode::OK);
}

#[tokio::test]
async fn visitors_play_where_they_may_and_never_under_the_name_of_an_account() {
    let body = |name: &str| format!("game=tic-tac-toe&opponent=friend&seat=0&name={name}&play_clock=");
    let closed = server();
    assert_eq!(send(&closed.router, "/quick", &body("")).await.status, StatusCode::UNAUTHORIZED);
    let quotas = Quotas { matches: 2, ..Quotas::default() };
    let open = server_with(AccountOptions { visitors_play: true, quotas, ..AccountOptions::default() });
    let ada = open.full("ada", Role::Player);
    let said = send(&open.router, "/quick", &body("Gast")).await;
    assert_eq!(said.status, StatusCode::SEE_OTHER, "{}", said.text);
    let seat = get(&open.router, &said.location()).await.text;
    assert!(seat.contains("/join?key="), "a guest invites a friend");
    let invitation = seat.split("/join?key=").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let page = said.location().split("/seat/").next().unwrap().to_owned();
    for name in ["ada", "ADA"] {
        assert_eq!(send(&open.router, "/quick", &body(name)).await.status, StatusCode::FORBIDDEN);
        let form = format!("key={invitation}&name={name}");
        let said = send(&open.router, &format!("{page}/join"), &form).await;
        assert_eq!(said.status, StatusCode::FORBIDDEN, "{}", said.text);
    }
    let said = open.with(&ada, "POST", &format!("{page}/join"), &format!("key={invitation}")).await;
    assert_eq!(said.status, StatusCode::SEE_OTHER, "{}", said.text);
    let row = &open.manager.matches(&Default::default()).unwrap().items[0];
    assert_eq!(row.seats[1].player, "ada", "who is signed in plays under their name");
    let plan = "{\"game\":\"tic-tac-toe\",\"seats\":[{\"player\":\"ada\"},{\"player\":\"Gast\"}],\
                \"clocks\":{\"start\":10000,\"play\":10000}}";
    let bob = open.full("bob", Role::Player);
    assert_eq!(open.with(&bob, "POST", "/api/matches", plan).await.status, StatusCode::FORBIDDEN);
    for status in [StatusCode::CREATED, StatusCode::CREATED, StatusCode::TOO_MANY_REQUESTS] {
        let said = open.with(&ada, "POST", "/api/matches", plan).await;
        assert_eq!(said.status, status, "{}", said.text);
    }
}

#[tokio::test]
async fn names_and_addresses_that_mean_something_else_are_refused() {
    let server = server();
    server.accounts().add("ada", "", None, Role::Player).unwrap();
    let long = "x".repeat(5000);
    for name in ["ADA", "%D0%B0da", "a%0D%0ab", "guest", "admin", "a+b", "..", &long, ""] {
        let said =
            send(&server.router, "/sign-up", &format!("name={name}&password=correct+horse+battery")).await;
        assert!(
            [StatusCode::UNPROCESSABLE_ENTITY, StatusCode::CONFLICT].contains(&said.status),
            "{name}: {}",
            said.status
        );
    }
    let mail = "name=bob&mail=bob%40example.org%0D%0ABcc%3A+all%40example.org&password=correct+horse+battery";
    assert_eq!(send(&server.router, "/sign-up", mail).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    let said = send(&server.router, "/sign-up", "name=tom&mail=&password=").await;
    assert_eq!(said.status, StatusCode::UNPROCESSABLE_ENTITY, "there has to be a way in");
    assert!(server.letters.0.lock().unwrap().is_empty());
    let closed = server_with(AccountOptions { sign_up: None, ..AccountOptions::default() });
    let said = send(&closed.router, "/sign-up", "name=ada&password=correct+horse+battery").await;
    assert_eq!(said.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn who_leaves_takes_their_data_along() {
    let server = server();
    let ada = server.full("ada", Role::Author);
    let game = NewGame { name: "own".into(), text: RULES.into(), draft: true, ..NewGame::default() };
    server.with(&ada, "POST", "/api/games", &serde_json::to_string(&game).unwrap()).await;
    let data = server.with(&ada, "GET", "/api/account/data", "").await;
    assert!(data.headers[header::CONTENT_DISPOSITION].to_str().unwrap().contains("ludex-ada.json"));
    let data = data.json();
    assert_eq!(
        (data["account"]["name"].as_str(), data["games"][0]["name"].as_str()),
        (Some("ada"), Some("own"))
    );
    assert_eq!(
        (data["players"][0]["name"].as_str(), data["tokens"][0]["name"].as_str()),
        (Some("ada"), Some("test"))
    );
    assert!(!data.to_string().contains(&ada), "what opens something is not in it");
    assert_eq!(server.with(&ada, "DELETE", "/api/account", "{}").await.status, StatusCode::NO_CONTENT);
    assert_eq!(server.with(&ada, "GET", "/api/account", "").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(
        get(&server.router, "/games/own").await.status,
        StatusCode::OK,
        "the game is the organiser's now"
    );
    let said = send(&server.router, "/sign-up", "name=Ada&password=correct+horse+battery").await;
    assert_eq!(said.status, StatusCode::CONFLICT, "nobody else gets the name");
}

#[tokio::test]
async fn a_server_without_accounts_knows_of_none() {
    let (router, _manager) = on_loopback();
    for page in [
        "/sign-in",
        "/sign-up",
        "/account",
        "/administration",
        "/administration/log",
        "/api/accounts",
        "/api/account",
    ] {
        assert_eq!(get(&router, page).await.status, StatusCode::NOT_FOUND, "{page}");
    }
    let said = send(&router, "/sign-up", "name=ada&password=correct+horse+battery").await;
    assert_eq!(said.status, StatusCode::NOT_FOUND);
    assert!(!get(&router, "/").await.text.contains("Sign in"));
}
