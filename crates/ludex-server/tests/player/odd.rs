//! Requests as nobody should send them, but somebody does.

use std::io::Write;
use std::time::Duration;

use ludex_server::player::{Access, PlayerOptions};

use super::wire::{
    INFO, ask, begin, body, connect, exchange, exchange_half_closed, is_well, message, read_all, read_one,
    rules, service,
};

#[test]
fn odd_requests_are_answered() {
    let player = service("random");
    let address = player.address();
    for request in [
        "POST / HTTP/1.0\nContent-length: 6\n\n(info)",
        "post / http/1.0\r\ncontent-length:6\r\n\r\n(INFO)",
        "POST /some/where?x=y HTTP/1.1\r\nConnection: close\r\nContent-Length : 6\r\n\r\n(info)",
        "POST / HTTP/1.0\r\nCONTENT-LENGTH: 6\r\n\u{e9}: \u{fc}\r\n: \r\nnonsense\r\n\r\n(info)",
        "\r\n\r\nPOST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(info)",
        "POST http://player:9147/ HTTP/1.0\r\nContent-Length: 6\r\n\r\n(info)",
        "POST / HTTP/1.9\r\nContent-Length: 6\r\n\r\n(info)",
        "POST /\r\nContent-Length: 6\r\n\r\n(info)",
        "POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\n(info)",
        "POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n(info)",
        "POST / HTTP/1.0\r\nContent-Length: none\r\n\r\n(info)",
        "POST / HTTP/1.0\r\n\r\n(info)",
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(in\r\n3\r\nfo)\r\n0\r\n\r\n",
    ] {
        assert_eq!(body(&exchange(address, request.as_bytes())), INFO, "{request}");
    }
    // The same with the end of the connection as the end of the message.
    let bare = "POST / HTTP/1.0\r\n\r\n(info)";
    assert_eq!(body(&exchange_half_closed(address, bare.as_bytes())), INFO);
    assert_eq!(
        body(&exchange_half_closed(address, b"POST / HTTP/1.1\nContent-Length: 100\n\n(info)\n")),
        INFO
    );
    assert_eq!(body(&exchange(address, &message("info()"))), "[[name,ludex],[status,available]]");
}

#[test]
fn bytes_may_come_one_by_one() {
    let player = service("random");
    let mut stream = connect(player.address());
    stream.set_nodelay(true).unwrap();
    for byte in message("(info)") {
        stream.write_all(&[byte]).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(body(&read_all(&mut stream)), INFO);
}

#[test]
fn answers_come_in_the_version_that_was_asked_in() {
    let player = service("random");
    let old = exchange(player.address(), &message("(info)"));
    assert!(old.starts_with("HTTP/1.0 200 OK\r\n") && old.contains("Connection: close"), "{old}");
    let new = b"POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 6\r\n\r\n(info)";
    let new = exchange(player.address(), new);
    assert!(new.starts_with("HTTP/1.1 200 OK\r\n") && new.contains("Content-Type: text/acl"), "{new}");
}

#[test]
fn connections_may_be_used_again() {
    let player = service("random");
    let mut stream = connect(player.address());
    for _ in 0..3 {
        stream.write_all(b"POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\n(info)").unwrap();
        let answer = read_one(&mut stream);
        assert!(answer.contains("Connection: keep-alive"), "{answer}");
        assert_eq!(body(&answer), INFO);
    }
    // Who sends the next message too early gets the first answer, and is told that there is no other.
    let one = "POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\n(info)";
    let two = exchange(player.address(), format!("{one}{one}").as_bytes());
    assert!(two.contains("Connection: close"), "{two}");
    assert_eq!((body(&two), two.matches("HTTP/1.1").count()), (INFO, 1));
}

#[test]
fn who_waits_to_be_told_to_go_on_is_told() {
    let player = service("random");
    let mut stream = connect(player.address());
    let head = b"POST / HTTP/1.1\r\nContent-Length: 6\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n";
    stream.write_all(head).unwrap();
    assert_eq!(read_one(&mut stream), "HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"(info)").unwrap();
    assert_eq!(body(&read_all(&mut stream)), INFO);
}

fn may_i_ask(origin: &str) -> String {
    format!(
        "OPTIONS / HTTP/1.1\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: POST\r\n\
         Access-Control-Request-Private-Network: true\r\nConnection: close\r\n\r\n"
    )
}

/// A page in a browser can send a message without asking before, as long as it looks like a form.
#[test]
fn pages_of_others_cannot_let_it_play() {
    let player = service("random");
    let start = format!("(start m1 white ({}) 10 10)", rules("tic-tac-toe"));
    for headers in [
        "Origin: https://evil.example\r\n",
        "Origin: null\r\n",
        "Host: evil.example:9147\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ] {
        let request = format!(
            "POST / HTTP/1.1\r\n{headers}Content-Type: text/plain\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{start}",
            start.len()
        );
        let refused = exchange(player.address(), request.as_bytes());
        assert!(refused.starts_with("HTTP/1.1 403 "), "{headers}: {refused}");
    }
    let may_i = exchange(player.address(), may_i_ask("https://evil.example").as_bytes());
    assert!(may_i.starts_with("HTTP/1.1 403 ") && !may_i.contains("Access-Control"), "{may_i}");
    // No place was taken.
    let busy = "(play m1 nil)";
    assert_eq!(ask(player.address(), busy), "busy");
    is_well(player.address());
}

#[test]
fn browsers_are_answered() {
    let access = Access {
        origins: vec!["http://x".into()],
        hosts: vec!["tunnel.example".into()],
        ..Access::default()
    };
    let player = begin(PlayerOptions { access, strategy: "random".into(), ..PlayerOptions::default() });
    let address = player.address();
    let ask = |request: &str| exchange(address, request.as_bytes());
    let may_i = ask(&may_i_ask("http://x"));
    assert!(may_i.starts_with("HTTP/1.1 204 "), "{may_i}");
    for header in
        ["Allow-Origin: http://x", "Allow-Methods: POST", "Allow-Headers: ", "Allow-Private-Network: true"]
    {
        assert!(may_i.contains(&format!("Access-Control-{header}")), "{header} in {may_i}");
    }
    let asked = ask("GET / HTTP/1.0\r\nOrigin: http://x\r\nHost: tunnel.example:9147\r\n\r\n");
    assert!(asked.contains("Access-Control-Allow-Origin: http://x\r\n") && body(&asked) == INFO, "{asked}");
    let elsewhere = ask(&may_i_ask("http://y"));
    assert!(elsewhere.starts_with("HTTP/1.1 403 ") && !elsewhere.contains("Access-Control"), "{elsewhere}");
    assert_eq!(body(&ask("GET / HTTP/1.0\r\n\r\n")), INFO);
    let head = ask("HEAD / HTTP/1.0\r\n\r\n");
    assert!(head.contains(" 200 OK") && head.ends_with("\r\n\r\n"), "{head}");
    let put = ask("PUT / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(info)");
    assert!(put.contains(" 405 ") && put.contains("Allow: POST"), "{put}");
}

#[test]
fn what_is_no_message_is_told() {
    let player = service("random");
    for text in ["", "hello", "(play)", "((", "\u{0}\u{1}", "(info) (info)"] {
        let answer = exchange(player.address(), &message(text));
        assert!(answer.contains(" 400 Bad Request\r\n"), "{text:?}: {answer}");
    }
    assert_eq!(ask(player.address(), "(play nobody nil)"), "busy");
    assert_eq!(ask(player.address(), "(STOP nobody nil)"), "DONE");
    assert_eq!(ask(player.address(), "abort(nobody)"), "done");
}
