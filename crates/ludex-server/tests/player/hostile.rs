//! Those who send what they like: each gets what is defined, and the others are served.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use ludex_server::player::{PlayerOptions, WireLimits};

use super::wire::{
    LONG, ask, begin, connect, exchange, exchange_half_closed, is_well, message, now, service,
};

#[test]
fn hostile_requests_are_refused() {
    let player = service("random");
    let address = player.address();
    let hello = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 0xff, 0, 1, 2, 3];
    let many = format!("POST / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(150));
    let long = format!("POST / HTTP/1.1\r\nCookie: {}", "x".repeat(1 << 20));
    let thousands = format!("POST / HTTP/1.1\r\n{}", "Header: value\r\n".repeat(100_000));
    let chunks = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nxyz\r\nxyz";
    let endless = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\nxyz";
    let broken = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n";
    let cases: [(&str, &[u8], &str); 14] = [
        ("a TLS hello", &hello, "400"),
        ("binary", &[0xff; 3000], "400"),
        ("words", b"who is there?\r\n\r\n", "400"),
        ("a message without HTTP", b"(info)", "400"),
        ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"),
        ("many headers", many.as_bytes(), "431"),
        ("a long header", long.as_bytes(), "431"),
        ("thousands of headers", thousands.as_bytes(), "431"),
        ("100 MB announced", b"POST / HTTP/1.1\r\nContent-Length: 100000000\r\n\r\n(", "413"),
        (
            "more than a number can say",
            b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
            "413",
        ),
        ("a broken chunk", broken, "400"),
        ("an endless chunk", endless, "413"),
        ("two lengths", b"POST / HTTP/1.1\r\nContent-Length: 6\r\nContent-Length: 7\r\n\r\n(info)", "400"),
        ("packed", b"POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\n(info)", "415"),
    ];
    for (what, bytes, status) in cases {
        let answer = exchange(address, bytes);
        assert!(answer.split(' ').nth(1) == Some(status), "{what}: {answer}");
        is_well(address);
    }
    let cut_off = exchange_half_closed(address, b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n(play m");
    assert!(cut_off.contains(" 400 ") && cut_off.contains("cut off"), "{cut_off}");
    assert!(exchange_half_closed(address, chunks).contains(" 400 "));
    drop(connect(address));
    is_well(address);
}

#[test]
fn a_hundred_megabytes_are_not_read() {
    let player = service("random");
    let mut stream = connect(player.address());
    stream.set_write_timeout(Some(LONG)).unwrap();
    stream.write_all(b"POST / HTTP/1.1\r\n\r\n(").unwrap();
    let megabyte = vec![b'x'; 1 << 20];
    let mut sent = 0;
    let started = now();
    // It is thrown away for a second, and then the connection is gone.
    let error = loop {
        match stream.write_all(&megabyte) {
            Ok(()) => sent += 1,
            Err(error) => break error,
        }
        assert!(started.elapsed() < LONG, "{sent} MB were taken");
    };
    assert!(matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{error}");
    is_well(player.address());
}

#[test]
fn slow_senders_get_no_answer_and_keep_nobody_out() {
    let wire = WireLimits {
        connections: 8,
        patience: Duration::from_secs(5),
        idle: Duration::from_secs(5),
        ..WireLimits::default()
    };
    let player = begin(PlayerOptions { strategy: "random".into(), wire, ..PlayerOptions::default() });
    let address = player.address();
    // More than there are places for: each begins a message and then drips.
    let mut slow: Vec<_> = (0..40)
        .map(|_| {
            let mut stream = connect(address);
            let _ = stream.write_all(b"POST / HTTP/1.1\r\nX:");
            stream
        })
        .collect();
    for _ in 0..5 {
        is_well(address);
        for stream in &mut slow {
            let _ = stream.write_all(b"x");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let mut told = 0;
    for mut stream in slow {
        let mut text = String::new();
        // Those that had to go are reset or closed without a word.
        if stream.read_to_string(&mut text).is_ok() && text.contains(" 408 ") {
            told += 1;
        }
    }
    assert!(told > 0 && told <= 8, "{told} were told");
    is_well(address);
}

#[test]
fn rules_that_cannot_be_played_are_refused_at_once() {
    let player = service("random");
    let address = player.address();
    let loops = "(role x) (init (n 0)) (<= (next (n (s ?x))) (true (n ?x))) (<= (p ?x) (not (p ?x)))";
    for rules in ["", "(role y)", "(((", loops, "(role x) (<= (legal x ?y) (true b))"] {
        let answer = exchange(address, &message(&format!("(start m x ({rules}) 600 1)")));
        assert!(answer.contains("busy") || answer.contains(" 400 "), "{rules}: {answer}");
    }
    assert_eq!(ask(address, "(info)"), super::wire::INFO, "no place is taken");
}

/// A relation with a number of instances that no machine holds.
#[test]
fn rules_that_are_too_large_keep_nobody_waiting() {
    let player = service("random");
    let address = player.address();
    let numbers: String = (0..100).map(|n| format!("(d {n}) ")).collect();
    let rules = format!(
        "(role x) {numbers} (<= (big ?a ?b ?c ?d ?e ?f) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f)) \
         (init a) (<= (next a) (big ?a ?b ?c ?d ?e ?f) (distinct ?a ?b)) \
         (<= (legal x go) (big ?a ?b ?c ?d ?e ?f)) (<= terminal (true b)) (goal x 0)"
    );
    let ready = ask(address, &format!("(start huge x ({rules}) 1 1)"));
    assert!(ready == "ready" || ready == "busy", "{ready}");
    is_well(address);
    let answer = ask(address, "(play huge nil)");
    assert!(["nil", "go", "busy"].contains(&answer.as_str()), "{answer}");
    assert_eq!(ask(address, "(abort huge)"), "done");
    drop(player);
}

/// A game with a million legal moves: its net, and a look at them, take long.
fn million_moves() -> String {
    let numbers: String = (0..100).map(|n| format!("(d {n}) ")).collect();
    format!(
        "(role x) {numbers} (init (s a)) (<= terminal (true (s 100))) (goal x 0) \
         (<= (legal x (m ?a ?b ?c)) (d ?a) (d ?b) (d ?c)) (<= (next (s ?c)) (does x (m ?a ?b ?c)))"
    )
}

/// Sends a message without waiting for the answer.
fn tell(address: SocketAddr, text: &str) -> TcpStream {
    let mut stream = connect(address);
    stream.write_all(&message(text)).unwrap();
    stream
}

/// Whoever begins matches that take all their time and leaves them gets no more work done than there are places
/// for, and keeps nobody out: the work of a match ends with it, whatever it is at.
#[test]
fn the_work_of_matches_that_were_left_ends() {
    let mut options = PlayerOptions { strategy: "ludex".into(), ..PlayerOptions::default() };
    options.service.matches = 2;
    (options.resources.threads, options.resources.memory) = (1, 64 << 20);
    let player = begin(options);
    let (address, rules) = (player.address(), million_moves());
    for round in 0..8 {
        let id = format!("m{round}");
        let start = tell(address, &format!("(start {id} x ({rules}) 600 600)"));
        let play = (round % 2 == 0).then(|| {
            std::thread::sleep(Duration::from_millis(500));
            tell(address, &format!("(play {id} nil)"))
        });
        std::thread::sleep(Duration::from_millis(500));
        // A match with as much work before it may not have begun.
        assert_eq!(ask(address, &format!("(abort {id})")), "done");
        drop((start, play));
    }
    let started = now();
    let small = format!("(start small white ({}) 5 5)", super::wire::rules("tic-tac-toe"));
    while ask(address, &small) != "ready" {
        assert!(started.elapsed() < LONG, "the work goes on");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(ask(address, "(abort small)"), "done");
}

/// What a message says is looked up in the rules, which may take for ever: with the match, that ends, too.
#[test]
fn a_question_about_a_message_ends_with_its_match() {
    let mut options = PlayerOptions { strategy: "random".into(), ..PlayerOptions::default() };
    options.service.matches = 2;
    let player = begin(options);
    let address = player.address();
    let numbers: String = (0..1000).map(|n| format!("(d {n}) ")).collect();
    // Behind the first step, 10^12 combinations of which none fits.
    let rules = format!(
        "(role x) {numbers} (init (s b)) (legal x go) (<= (legal x stay) (bad)) (<= terminal (true (s c))) (goal x 0) \
         (<= (next (s a)) (does x go)) (<= (next (s a)) (does x stay)) \
         (<= (bad) (d ?a) (d ?b) (d ?c) (d ?e) (true (s ?x)) (odd ?a ?b ?c ?e ?x)) \
         (<= (odd ?a ?b ?c ?e ?x) (d ?a) (d ?b) (d ?c) (d ?e) (true (s ?x)) (distinct ?x a))"
    );
    for round in 0..4 {
        assert_eq!(ask(address, &format!("(start m{round} x ({rules}) 1 1)")), "ready");
        let first = ask(address, &format!("(play m{round} nil)"));
        assert!(["go", "stay"].contains(&first.as_str()), "{first}");
        // The same moves again may be the same step or a further one: the rules tell.
        for _ in 0..2 {
            assert_eq!(ask(address, &format!("(play m{round} (go))")), "nil");
        }
        assert_eq!(ask(address, &format!("(abort m{round})")), "done");
    }
    let started = now();
    let small = format!("(start small white ({}) 5 5)", super::wire::rules("tic-tac-toe"));
    while ask(address, &small) != "ready" {
        assert!(started.elapsed() < LONG, "the work goes on");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The same message many times is one question: it holds no more than a few connections.
#[test]
fn a_start_that_comes_again_and_again_holds_a_few_connections() {
    let wire = WireLimits { connections: 16, ..WireLimits::default() };
    let player = begin(PlayerOptions { strategy: "ludex".into(), wire, ..PlayerOptions::default() });
    let (address, rules) = (player.address(), million_moves());
    let start = format!("(start m x ({rules}) 600 600)");
    let held: Vec<_> = (0..40).map(|_| tell(address, &start)).collect();
    for _ in 0..4 {
        is_well(address);
    }
    assert_eq!(ask(address, "(abort m)"), "done");
    drop(held);
}
