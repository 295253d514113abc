//! Matches with stubs: written before told, clocks, failures of the journal, breaks.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::network::{
    Program, Stub, close, job, milliseconds, now, over_http, play, read_request, rules, setup, write,
};
use ludex::matches::message::{Last, Request};
use ludex::matches::referee::{Entry, Referee, RefereeSetup};
use ludex::verify_match;
use ludex_server::driver::{Correspondent, Driver, DriverOptions, MatchFailure, MatchJob, Watcher};
use ludex_server::journal::{
    FileJournal, Journal, JournalError, JournalLine, MemoryJournal, NoJournal, match_entries,
};

/// A clock that nobody who answers exceeds, however busy the machine is.
const AMPLE: Duration = Duration::from_secs(60);

fn tic_tac_toe(setup: RefereeSetup) -> Referee {
    Referee::new(rules("tic-tac-toe"), setup).unwrap()
}

fn start(journal: impl Journal + 'static) -> Driver {
    Driver::start(Box::new(journal), DriverOptions::default()).unwrap()
}

fn entries(lines: Vec<JournalLine>) -> Vec<Entry> {
    let mut matches = match_entries(lines).unwrap();
    assert_eq!(matches.len(), 1);
    matches.remove(0).1.iter().map(|entry| entry.read().unwrap()).collect()
}

/// The steps that a player was told of, in order.
fn told(requests: &[Request]) -> Vec<Vec<String>> {
    let joint = |request: &Request| match request {
        Request::Play { last: Last::Joint(joint), .. } | Request::Stop { last: Last::Joint(joint), .. } => {
            Some(joint.to_vec())
        }
        _ => None,
    };
    requests.iter().filter_map(joint).collect()
}

#[test]
fn a_match_is_played_recorded_and_kept() {
    let (white, black) = (Stub::after(milliseconds(5)), Stub::after(milliseconds(1)));
    let journal = MemoryJournal::default();
    let players: Vec<Arc<dyn Correspondent>> = vec![Arc::new(white.clone()), Arc::new(black.clone())];
    let record = play(journal.clone(), setup("m1", AMPLE), players);
    assert!(record.is_completed);
    assert_eq!(record.goal_values, Some(vec![Some(100), Some(0)]), "the first free cells are a diagonal");
    assert!(record.errors.iter().flatten().all(String::is_empty), "{:?}", record.errors);
    assert_eq!(verify_match(&rules("tic-tac-toe"), &record).mismatches, []);
    for stub in [&white, &black] {
        assert_eq!(told(&stub.requests()), record.moves);
    }
    let again = Referee::resume(rules("tic-tac-toe"), &entries(journal.lines())).unwrap();
    assert_eq!(again.record(), record, "a match is the fold of its journal");
}

#[test]
fn everything_is_written_before_it_is_told() {
    #[derive(Clone)]
    struct Slow(MemoryJournal);
    impl Journal for Slow {
        fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError> {
            std::thread::sleep(milliseconds(15));
            self.0.append(lines)
        }
    }
    let memory = MemoryJournal::default();
    let written = memory.clone();
    let watch = move |request: &Request| {
        let lines = written.lines();
        let has =
            |entry: &dyn Fn(&Entry) -> bool| lines.iter().any(|line| entry(&line.entry.read().unwrap()));
        assert!(has(&|entry| matches!(entry, Entry::Opened { .. })), "{request:?}");
        match request {
            Request::Play { last: Last::Nothing, .. } => {
                assert!(has(&|entry| matches!(entry, Entry::Ready { .. })));
            }
            Request::Play { last: Last::Joint(told), .. } | Request::Stop { last: Last::Joint(told), .. } => {
                assert!(has(&|entry| matches!(entry, Entry::Stepped { joint, .. } if *joint == **told)));
            }
            _ => {}
        }
        if matches!(request, Request::Stop { .. }) {
            assert!(has(&|entry| matches!(entry, Entry::Ended { .. })));
        }
    };
    let stub = Stub { on_ask: Some(Arc::new(watch)), ..Stub::after(milliseconds(1)) };
    let other = Stub::after(milliseconds(1));
    let record = play(Slow(memory), setup("m1", AMPLE), vec![Arc::new(stub), Arc::new(other)]);
    assert!(record.is_completed, "{:?}", record.abort_cause);
}

#[test]
fn clocks_are_kept() {
    let clock = milliseconds(3000);
    let silent = Stub::silent();
    let waiting = RefereeSetup { step_limit: Some(4), ..setup("m1", clock) };
    let quick = Stub::after(milliseconds(1));
    let record = play(NoJournal, waiting, vec![Arc::new(silent.clone()), Arc::new(quick)]);
    assert!(record.errors.iter().all(|step| step[0] == "TO" && step[1].is_empty()), "{:?}", record.errors);
    assert_eq!(record.move_times.unwrap()[0][0], Some(3000));
    for gap in silent.gaps() {
        assert!(gap >= clock, "a clock was shortened to {gap:?}");
        // That no clock is stretched is tried where time is simulated; here the machine may be busy.
        assert!(gap < clock + milliseconds(60_000), "a clock was stretched to {gap:?}");
    }
}

/// A referee that takes its time is the matter of its match alone, and never makes its players late.
#[test]
fn a_slow_referee_keeps_nobody_else_waiting() {
    /// Takes as long as the other match lasts.
    struct Heavy(Arc<AtomicBool>, Arc<AtomicBool>);
    impl Watcher for Heavy {
        fn changed(&mut self, _: &Referee) {
            let begun = now();
            while !self.0.load(Ordering::Relaxed) {
                std::thread::sleep(milliseconds(5));
                if begun.elapsed() > milliseconds(60_000) {
                    self.1.store(true, Ordering::Relaxed);
                    return;
                }
            }
        }
    }
    let (over, gave_up) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let driver = start(NoJournal);
    let clock = milliseconds(30_000);
    let stubs = || vec![Stub::after(milliseconds(10)), Stub::after(milliseconds(10))];
    let correspondents = |stubs: &[Stub]| -> Vec<Arc<dyn Correspondent>> {
        stubs.iter().map(|stub| Arc::new(stub.clone()) as Arc<dyn Correspondent>).collect()
    };
    let (slow, quick) = (stubs(), stubs());
    let heavy = driver.run(MatchJob {
        referee: tic_tac_toe(setup("slow", clock)),
        players: correspondents(&slow),
        watcher: Box::new(Heavy(Arc::clone(&over), Arc::clone(&gave_up))),
    });
    let light = driver.run(job(tic_tac_toe(setup("quick", clock)), correspondents(&quick)));
    let light = light.wait().unwrap().record();
    over.store(true, Ordering::Relaxed);
    assert!(!gave_up.load(Ordering::Relaxed), "the other match did not go on");
    let heavy = heavy.wait().unwrap().record();
    for record in [light, heavy] {
        assert!(record.errors.iter().flatten().all(String::is_empty), "{:?}", record.errors);
    }
}

/// Whoever watches does not stand between a step and the journal.
#[test]
fn what_is_written_does_not_wait_for_who_watches() {
    /// Waits until what the referee wanted written before it was called is written.
    struct Patient(MemoryJournal, Arc<AtomicBool>);
    impl Watcher for Patient {
        fn changed(&mut self, referee: &Referee) {
            let begun = now();
            while self.0.lines().len() as u64 <= referee.entries() && referee.awaited().is_empty() {
                std::thread::sleep(milliseconds(1));
                if referee.is_done() || begun.elapsed() > milliseconds(60_000) {
                    self.1.fetch_or(!referee.is_done(), Ordering::Relaxed);
                    return;
                }
            }
        }
    }
    let (journal, gave_up) = (MemoryJournal::default(), Arc::new(AtomicBool::new(false)));
    let driver = start(journal.clone());
    let running = driver.run(MatchJob {
        referee: tic_tac_toe(setup("m1", AMPLE)),
        players: vec![Arc::new(Stub::after(milliseconds(1))), Arc::new(Stub::after(milliseconds(1)))],
        watcher: Box::new(Patient(journal, Arc::clone(&gave_up))),
    });
    assert!(running.wait().unwrap().record().is_completed);
    assert!(!gave_up.load(Ordering::Relaxed), "an entry was not written before its watcher had looked");
}

/// A journal that fails at some entries.
#[derive(Clone, Default)]
struct Failing {
    kept: MemoryJournal,
    calls: Arc<AtomicUsize>,
    first: usize,
    last: usize,
}

impl Journal for Failing {
    fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if (self.first..=self.last).contains(&call) {
            let cause = std::io::Error::from(std::io::ErrorKind::StorageFull);
            return Err(JournalError::Write { path: "disk".into(), cause });
        }
        self.kept.append(lines)
    }
}

#[test]
fn a_match_goes_on_where_the_disk_was_full_for_a_moment() {
    for first in [0, 1, 4] {
        let (white, black) = (Stub::after(milliseconds(1)), Stub::after(milliseconds(1)));
        let journal = Failing { first, last: first, ..Failing::default() };
        let kept = journal.kept.clone();
        let players: Vec<Arc<dyn Correspondent>> = vec![Arc::new(white.clone()), Arc::new(black)];
        let record = play(journal, setup("m1", AMPLE), players);
        assert!(record.is_completed, "{:?}", record.abort_cause);
        assert!(record.errors.iter().flatten().all(String::is_empty), "it costs nobody time: {record:?}");
        let mut told = told(&white.requests());
        told.dedup();
        assert_eq!(told, record.moves);
        let again = Referee::resume(rules("tic-tac-toe"), &entries(kept.lines())).unwrap();
        assert_eq!(again.record(), record);
    }
}

#[test]
fn nothing_is_told_that_cannot_be_written() {
    for first in 0..8 {
        let (white, black) = (Stub::after(milliseconds(1)), Stub::after(milliseconds(1)));
        let journal = Failing { first, last: usize::MAX, ..Failing::default() };
        let kept = journal.kept.clone();
        let driver = start(journal);
        let players: Vec<Arc<dyn Correspondent>> = vec![Arc::new(white.clone()), Arc::new(black.clone())];
        let failure = driver.run(job(tic_tac_toe(setup("m1", AMPLE)), players)).wait();
        assert!(matches!(failure, Err(MatchFailure::Journal(_))), "{failure:?}");
        let written: Vec<Vec<String>> = kept
            .lines()
            .iter()
            .filter_map(|line| match line.entry.read().unwrap() {
                Entry::Stepped { joint, .. } => Some(joint),
                _ => None,
            })
            .collect();
        for stub in [white, black] {
            let requests = stub.requests();
            assert_eq!(told(&requests), written, "from entry {first} on nothing is written");
            assert_eq!(requests.is_empty(), first == 0, "{requests:?}");
            let told_of_end = |r: &Request| matches!(r, Request::Abort { .. } | Request::Stop { .. });
            assert!(!requests.iter().any(told_of_end), "{requests:?}");
        }
    }
}

/// The driver is cut off in the middle again and again; the match goes on where its journal ends.
#[test]
fn a_match_goes_on_after_each_break_where_its_journal_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let stubs = [Stub::after(milliseconds(8)), Stub::after(milliseconds(12))];
    let players = || stubs.iter().map(|stub| Arc::new(stub.clone()) as Arc<dyn Correspondent>).collect();
    let mut referee = tic_tac_toe(setup("m1", AMPLE));
    let mut journal = FileJournal::create(&path).unwrap();
    let mut breaks = 0;
    let record = loop {
        let driver = start(journal);
        let running = driver.run(job(referee, players()));
        // Longer and longer: a slow machine gets there, too.
        std::thread::sleep(milliseconds((9 + 14 * (breaks % 5)) * (1 + breaks / 10)));
        drop(driver);
        let lines;
        (journal, lines) = FileJournal::open(&path).unwrap();
        breaks += 1;
        match running.wait() {
            Ok(referee) => break referee.record(),
            Err(MatchFailure::Stopped) => {}
            Err(other) => panic!("{other}"),
        }
        assert!(breaks < 200, "it never ends");
        // It may have been cut off before anything was written.
        let entries = if lines.is_empty() { Vec::new() } else { entries(lines) };
        referee = if entries.is_empty() {
            tic_tac_toe(setup("m1", AMPLE))
        } else {
            Referee::resume(rules("tic-tac-toe"), &entries).unwrap()
        };
    };
    assert!(breaks > 2, "there were breaks");
    assert!(record.is_completed, "{:?}", record.abort_cause);
    assert_eq!(verify_match(&rules("tic-tac-toe"), &record).mismatches, []);
    for stub in &stubs {
        let mut told = told(&stub.requests());
        told.dedup();
        assert_eq!(told, record.moves, "nobody is told two histories");
    }
}

#[test]
fn a_match_can_be_aborted() {
    let white = Stub::after(Duration::from_secs(60));
    let driver = start(NoJournal);
    let players: Vec<Arc<dyn Correspondent>> = vec![Arc::new(white.clone()), Arc::new(Stub::silent())];
    let running = driver.run(job(tic_tac_toe(setup("m1", AMPLE)), players));
    while white.requests().is_empty() {
        std::thread::sleep(milliseconds(5));
    }
    running.abort("the organiser has gone home");
    let record = running.wait().unwrap().record();
    assert_eq!(record.abort_cause.as_deref(), Some("the organiser has gone home"));
    assert!(matches!(white.requests().last(), Some(Request::Abort { .. })));
}

#[test]
fn a_failure_of_the_program_is_the_matter_of_one_match() {
    struct Broken;
    impl Watcher for Broken {
        fn changed(&mut self, _: &Referee) {
            panic!("an error of the program");
        }
    }
    let driver = start(NoJournal);
    let players = || -> Vec<Arc<dyn Correspondent>> {
        vec![Arc::new(Stub::after(milliseconds(1))), Arc::new(Stub::after(milliseconds(1)))]
    };
    let broken = driver.run(MatchJob {
        referee: tic_tac_toe(setup("m1", AMPLE)),
        players: players(),
        watcher: Box::new(Broken),
    });
    let whole = driver.run(job(tic_tac_toe(setup("m2", AMPLE)), players()));
    assert!(matches!(broken.wait(), Err(MatchFailure::Panicked)));
    assert!(whole.wait().unwrap().record().is_completed);
}

#[test]
fn matches_wait_for_room_before_they_begin_and_never_in_the_middle() {
    let options = DriverOptions { seats: 4, ..DriverOptions::default() };
    let driver = Driver::start(Box::new(NoJournal), options).unwrap();
    let (now_open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    struct Seen(Arc<AtomicUsize>, Arc<AtomicUsize>, bool);
    impl Watcher for Seen {
        fn changed(&mut self, referee: &Referee) {
            if !self.2 {
                self.2 = true;
                let open = self.0.fetch_add(1, Ordering::SeqCst) + 1;
                self.1.fetch_max(open, Ordering::SeqCst);
            }
            if referee.is_done() {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }
    let running: Vec<_> = (0..6)
        .map(|number| {
            driver.run(MatchJob {
                referee: tic_tac_toe(setup(&format!("m{number}"), AMPLE)),
                players: vec![Arc::new(Stub::after(milliseconds(3))), Arc::new(Stub::after(milliseconds(3)))],
                watcher: Box::new(Seen(Arc::clone(&now_open), Arc::clone(&most), false)),
            })
        })
        .collect();
    for running in running {
        assert!(running.wait().unwrap().record().is_completed);
    }
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

/// What goes over the wire, byte for byte.
#[test]
fn a_player_over_http_gets_messages_as_the_specification_has_them() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&heard);
    let program = Program::start(move |stream, _| {
        let (head, body) = read_request(stream);
        let answer = if body.starts_with("(START") { "READY" } else { "noop" };
        keep.lock().unwrap().push((head, body));
        write(stream, format!("HTTP/1.0 200\nContent-Length : {}\n\n{answer}", answer.len()).as_bytes());
        close(stream);
    });
    let setup = RefereeSetup { step_limit: Some(1), ..setup("m1", AMPLE) };
    let white = Stub::after(milliseconds(1));
    let record =
        play(NoJournal, setup, vec![Arc::new(white), over_http(&format!("http://{}/play", program.address))]);
    assert!(record.errors.iter().flatten().all(String::is_empty), "{:?}", record.errors);
    let heard = heard.lock().unwrap();
    let lines: Vec<&str> = heard[1].0.lines().collect();
    let host = format!("Host: {}", program.address);
    let length = format!("Content-length: {}", heard[1].1.len());
    assert_eq!(
        lines,
        [
            "POST /play HTTP/1.0",
            host.as_str(),
            "Accept: text/delim",
            "Sender: GAMEMASTER",
            "Receiver: Player",
            "Content-type: text/acl",
            length.as_str(),
        ]
    );
    let bodies: Vec<String> = heard.iter().map(|(_, body)| body.to_uppercase()).collect();
    assert!(bodies[0].starts_with("(START M1 BLACK ("), "{}", bodies[0]);
    assert_eq!(bodies[1..], ["(PLAY M1 NIL)", "(ABORT M1)"]);
}

/// However many matches of a game work for long, matches of other games go on.
#[test]
fn matches_of_one_game_leave_threads_to_others() {
    /// Works until the other match is over.
    struct Held(Arc<AtomicBool>);
    impl Watcher for Held {
        fn changed(&mut self, _: &Referee) {
            let begun = now();
            while !self.0.load(Ordering::Relaxed) && begun.elapsed() < milliseconds(60_000) {
                std::thread::sleep(milliseconds(5));
            }
        }
    }
    let over = Arc::new(AtomicBool::new(false));
    let options = DriverOptions { workers: 4, ..DriverOptions::default() };
    let driver = Driver::start(Box::new(NoJournal), options).unwrap();
    let players = || -> Vec<Arc<dyn Correspondent>> {
        vec![Arc::new(Stub::after(milliseconds(1))), Arc::new(Stub::after(milliseconds(1)))]
    };
    let slow: Vec<_> = (0..8)
        .map(|number| {
            driver.run(MatchJob {
                referee: tic_tac_toe(setup(&format!("slow{number}"), AMPLE)),
                players: players(),
                watcher: Box::new(Held(Arc::clone(&over))),
            })
        })
        .collect();
    let begun = now();
    let quick = Referee::new(rules("connect-four"), setup("quick", AMPLE)).unwrap();
    let quick = driver.run(job(quick, players())).wait().unwrap().record();
    assert!(begun.elapsed() < milliseconds(60_000), "it had to wait for the others");
    assert!(quick.is_completed);
    over.store(true, Ordering::Relaxed);
    for slow in slow {
        assert!(slow.wait().unwrap().record().is_completed);
    }
}
