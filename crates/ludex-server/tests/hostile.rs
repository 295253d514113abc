//! A bench of hostile players: whatever they do, a random move is made in their stead, the record says
//! exactly what was wrong, and the other player notices nothing.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::network::{
    Program, Stub, close, milliseconds, now, over_http, play, read_request, rules, setup, write,
};
use ludex::matches::message::Request;
use ludex::verify_match;
use ludex_server::driver::{AddressPolicy, Correspondent, HttpClient, HttpLimits, HttpPlayer};
use ludex_server::journal::NoJournal;

const CLOCK: Duration = milliseconds(400);
/// How late a message may come on a machine with other things to do.
const SLACK: Duration = milliseconds(300);
const STEPS: u32 = 2;

/// Has the hostile player sit down with a good one, and compares what the record says of each of its
/// answers.
fn meets(hostile: Arc<dyn Correspondent>, is_cause: impl Fn(&str) -> bool) {
    let good = Stub::after(milliseconds(20));
    let setup = ludex::matches::referee::RefereeSetup { step_limit: Some(STEPS), ..setup("m1", CLOCK) };
    let record = play(NoJournal, setup, vec![Arc::new(good.clone()), hostile]);
    let errors: Vec<&str> = record.errors.iter().map(|step| step[1].as_str()).collect();
    assert_eq!(errors.len(), 1 + STEPS as usize, "the start and each step");
    assert!(errors.iter().all(|error| is_cause(error)), "{errors:?}");
    assert!(record.errors.iter().all(|step| step[0].is_empty()), "{:?}", record.errors);
    assert_eq!(verify_match(&rules("tic-tac-toe"), &record).mismatches, []);
    let requests = good.requests();
    let kinds: Vec<&str> = requests
        .iter()
        .map(|request| match request {
            Request::Start(_) => "start",
            Request::Play { .. } => "play",
            Request::Abort { .. } => "abort",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["start", "play", "play", "abort"]);
    for gap in good.gaps() {
        assert!(gap < CLOCK + SLACK, "a message came {gap:?} after the one before");
    }
}

fn meets_program(
    behaviour: impl Fn(&mut TcpStream, &AtomicBool) + Send + Sync + 'static,
    is_cause: impl Fn(&str) -> bool,
) {
    let program = Program::start(behaviour);
    meets(over_http(&program.address.to_string()), is_cause);
}

/// A program that reads what is said to it, answers this, and closes.
fn answers(bytes: impl Into<Vec<u8>>, cause: &'static str) {
    let bytes = bytes.into();
    let behaviour = move |stream: &mut TcpStream, _: &AtomicBool| {
        read_request(stream);
        write(stream, &bytes);
        close(stream);
    };
    meets_program(behaviour, |error| error == cause);
}

/// Does nothing until the test is over, or the other side has gone.
fn wait(stream: &mut TcpStream, stopped: &AtomicBool) {
    let _ = stream.set_read_timeout(Some(milliseconds(50)));
    let begun = now();
    while !stopped.load(Ordering::Relaxed) && begun.elapsed() < Duration::from_secs(20) {
        if matches!(stream.read(&mut [0; 64]), Ok(0)) {
            return;
        }
    }
}

fn drip(stream: &mut TcpStream, bytes: impl IntoIterator<Item = u8>, stopped: &AtomicBool) {
    for byte in bytes {
        if stopped.load(Ordering::Relaxed) || !write(stream, &[byte]) {
            return;
        }
        std::thread::sleep(milliseconds(30));
    }
}

#[test]
fn a_slow_drip_of_headers_is_cut_off_by_the_clock() {
    let behaviour = |stream: &mut TcpStream, stopped: &AtomicBool| {
        read_request(stream);
        drip(stream, b"HTTP/1.0 200 OK\r\n".iter().chain(b"a: b\r\n".iter().cycle()).copied(), stopped);
    };
    meets_program(behaviour, |error| error == "TO");
}

#[test]
fn a_slow_drip_of_the_body_is_cut_off_by_the_clock() {
    let behaviour = |stream: &mut TcpStream, stopped: &AtomicBool| {
        read_request(stream);
        write(stream, b"HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\n");
        drip(stream, std::iter::repeat_n(b' ', 100), stopped);
    };
    meets_program(behaviour, |error| error == "TO");
}

#[test]
fn an_answer_that_never_closes_is_no_answer() {
    let behaviour = |stream: &mut TcpStream, stopped: &AtomicBool| {
        read_request(stream);
        write(stream, b"HTTP/1.0 200 OK\r\n\r\nnoop");
        wait(stream, stopped);
    };
    meets_program(behaviour, |error| error == "TO");
}

#[test]
fn silence_is_waited_for_as_long_as_the_clock_runs() {
    meets_program(wait, |error| error == "TO");
}

#[test]
fn a_player_that_takes_no_connection_is_late() {
    // It listens and never accepts: the system takes the connection, nobody reads.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    meets(over_http(&listener.local_addr().unwrap().to_string()), |error| error == "TO");
}

#[test]
fn a_hundred_megabytes_end_at_the_first_byte_too_many() {
    let behaviour = |stream: &mut TcpStream, _: &AtomicBool| {
        read_request(stream);
        write(stream, b"HTTP/1.0 200 OK\r\n\r\n");
        let piece = vec![b'x'; 1 << 20];
        let written = (0..100).take_while(|_| write(stream, &piece)).count();
        assert!(written < 100, "nobody took all of it");
    };
    meets_program(behaviour, |error| error == "CE an answer of more than 65536 bytes");
}

#[test]
fn a_hundred_megabytes_that_are_only_promised_are_not_waited_for() {
    let text = "HTTP/1.0 200 OK\r\nContent-Length: 104857600\r\n\r\n";
    answers(text, "CE an answer of more than 65536 bytes");
}

#[test]
fn a_hundred_thousand_headers_are_too_many() {
    let text = format!("HTTP/1.0 200 OK\r\n{}\r\nnoop", "A: b\r\n".repeat(100_000));
    answers(text, "CE more than 100 headers");
}

#[test]
fn a_header_without_end_is_too_long() {
    let text = format!("HTTP/1.0 200 OK\r\nA: {}", "b".repeat(1 << 20));
    answers(text, "CE more than 16384 bytes of headers");
}

#[test]
fn binary_is_not_http() {
    let bytes: Vec<u8> = (0..=255).rev().cycle().take(4000).collect();
    answers(
        bytes,
        "CE not an answer in HTTP: it begins with \
         `\\xff\\xfe\\xfd\\xfc\\xfb\\xfa\\xf9\\xf8\\xf7\\xf6\\xf5\\xf4\\xf3\\xf2\\xf1\\xf0\\xef\\xee\\xed\\xec\\xeb\\xea\
         \\xe9\\xe8`",
    );
}

#[test]
fn tls_is_not_http() {
    let alert = b"\x15\x03\x01\x00\x02\x02\x46";
    answers(&alert[..], "CE not an answer in HTTP: it begins with `\\x15\\x03\\x01\\x00\\x02\\x02F`");
}

#[test]
fn binary_in_an_answer_is_no_move() {
    let text = [&b"HTTP/1.0 200 OK\r\n\r\n"[..], &[0, 255, 128, b'(', 7]].concat();
    let behaviour = move |stream: &mut TcpStream, _: &AtomicBool| {
        read_request(stream);
        write(stream, &text);
        close(stream);
    };
    meets_program(behaviour, |error| error.starts_with("MF "));
}

#[test]
fn another_message_is_no_move() {
    let behaviour = |stream: &mut TcpStream, _: &AtomicBool| {
        read_request(stream);
        write(stream, b"HTTP/1.0 200 OK\r\n\r\n(PLAY OTHERMATCH ((MARK 1 1) NOOP))");
        close(stream);
    };
    let is_cause = |error: &str| error.starts_with("IL ") || error.starts_with("MF ");
    meets_program(behaviour, |error| is_cause(error) && error.to_lowercase().contains("othermatch"));
}

#[test]
fn an_empty_answer_is_no_move() {
    let behaviour = |stream: &mut TcpStream, _: &AtomicBool| {
        read_request(stream);
        write(stream, b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n");
        close(stream);
    };
    meets_program(behaviour, |error| error.starts_with("MF"));
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Program::start(|_, _| {});
    let target = elsewhere.address;
    let behaviour = move |stream: &mut TcpStream, _: &AtomicBool| {
        read_request(stream);
        write(stream, format!("HTTP/1.1 302 Found\r\nLocation: http://{target}/\r\n\r\n").as_bytes());
        close(stream);
    };
    meets_program(behaviour, |error| error == "CE HTTP status 302: players are not looked for elsewhere");
    assert!(elsewhere.connections.lock().unwrap().is_empty());
}

#[test]
fn a_server_error_is_recorded_with_its_number() {
    answers("HTTP/1.1 500 Internal Server Error\r\n\r\nnoop", "CE HTTP status 500");
}

#[test]
fn an_answer_that_is_cut_short_does_not_count() {
    let text = "HTTP/1.0 200 OK\r\nContent-Length: 12\r\n\r\nnoop";
    answers(text, "CE the connection was closed after 4 bytes of the answer");
}

#[test]
fn closing_after_the_message_is_no_answer() {
    answers("", "CE the connection was closed without an answer");
}

#[test]
fn closing_at_once_is_no_answer() {
    let causes = [
        "CE the connection was closed without an answer",
        "CE the connection broke: connection reset by peer",
        "CE the connection broke: broken pipe",
    ];
    meets_program(|_, _| {}, |error| causes.contains(&error));
}

#[test]
fn nobody_there_is_recorded_with_the_address() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let cause = format!("CE no connection to {address}: connection refused");
    meets(over_http(&address.to_string()), |error| error == cause);
}

#[test]
fn private_addresses_are_not_connected_to_where_only_public_ones_may_be() {
    for host in ["127.0.0.1", "localhost", "[::1]", "10.0.0.1"] {
        let player = HttpPlayer {
            client: Arc::new(HttpClient::new(AddressPolicy::PublicOnly, HttpLimits::default())),
            address: format!("{host}:9147").parse().unwrap(),
            name: "Player".to_owned(),
            notation: ludex::gdl::Notation::Prefix,
            secret: None,
        };
        let is_cause = |error: &str| error.ends_with("is not a public address, so it is not connected to");
        meets(Arc::new(player), is_cause);
    }
}

/// An answer that comes before the message was read is as good as any: no move is known to be wrong only
/// because it was made without thinking.
#[test]
fn an_answer_before_the_message_counts() {
    let behaviour = |stream: &mut TcpStream, _: &AtomicBool| {
        write(stream, b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nready");
        read_request(stream);
        close(stream);
    };
    // It is ready, and later on makes moves that are not legal.
    meets_program(behaviour, |error| error.is_empty() || error == "IL ready");
}
