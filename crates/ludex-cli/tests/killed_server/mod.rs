//! A server that is killed again and again while it runs matches and tournaments.
//!
//! `ludex serve` is started on a folder, kept at work, and ended by SIGKILL at a moment that a seed chooses:
//! while it starts, under load, just as a match ends. After each life the folder and what the players were
//! told are checked: nothing written is lost or changed, nobody was told two histories of a match or anything
//! that is not written, no result counts twice. The last life ends everything that was begun.
//!
//! A *world* is a folder with its lives; its seed decides the load, the answers and the moments, and the
//! machine decides the rest. `LUDEX_SOAK` is how many worlds of 20 kills there are; without it there is one
//! of 3. `LUDEX_SEED` chooses other worlds, and `LUDEX_WORLD=7` runs the one of seed 7 alone.

pub mod disk;
pub mod load;
pub mod stub;
pub mod told;

use crate::command;
use std::path::PathBuf;
use std::time::Duration;

use crate::server::{Api, Server, now, wait};
use ludex::game::Rng;
use ludex_server::model::MatchStage;

use disk::Disk;
use load::{Load, Promises, tournament_results};
use stub::Stubs;

/// The moment at which a life of the server ends.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// While it starts.
    Start,
    /// While matches run.
    Load,
    /// Right after a player was told the end of a match.
    End,
}

/// What came of the worlds.
#[derive(Debug, Default)]
struct Numbers {
    kills: usize,
    matches: usize,
    completed: usize,
    aborted: usize,
    /// How often a match was gone on with.
    resumed: usize,
    /// Messages that players were sent, and how many of them once more.
    messages: usize,
    repeated: usize,
    tournaments: usize,
}

/// A folder with a server that is killed.
struct World {
    seed: u64,
    folder: tempfile::TempDir,
    dice: Rng,
    stubs: Stubs,
    promises: Promises,
    disk: Disk,
    lives: usize,
    /// How long a server takes to start here.
    start: Duration,
}

impl World {
    fn new(seed: u64) -> Self {
        Self {
            seed,
            folder: tempfile::tempdir().unwrap(),
            dice: Rng::from_seed(seed),
            stubs: Stubs::start(seed, 6),
            promises: Promises::default(),
            disk: Disk::new(),
            lives: 0,
            start: Duration::from_millis(200),
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("server.log")
    }

    fn server(&mut self) -> Server {
        self.lives += 1;
        Server::start(&self.data(), &self.log(), &["--players", "1"])
    }

    /// A time below this one.
    fn below(&mut self, time: Duration) -> Duration {
        Duration::from_micros(self.dice.below(time.as_micros() as u64 + 1))
    }

    /// One life.
    fn live_and_die(&mut self, moment: Moment) {
        let mut server = self.server();
        if let Moment::Start = moment {
            // Not much longer than it takes, so that there is something to be cut off.
            let time = self.below(self.start * 5 / 4);
            std::thread::sleep(time);
            server.kill();
            return;
        }
        let begun = now();
        let api = server.api();
        self.start = begun.elapsed();
        let pause = self.below(Duration::from_millis(900));
        let (ends, instant) = (self.dice.below(4) as usize, self.below(Duration::from_millis(6)));
        let dice = Rng::from_seed(self.dice.bits());
        let load = Load { api, stubs: &self.stubs, dice, promises: &mut self.promises };
        std::thread::scope(|scope| {
            scope.spawn(|| load.run());
            match moment {
                Moment::End => {
                    let before = self.stubs.ends();
                    wait("the end of a match", || (self.stubs.ends() > before + ends).then_some(()));
                    std::thread::sleep(instant);
                }
                _ => std::thread::sleep(pause),
            }
            server.kill();
        });
    }

    /// Checks what the life that just ended has left.
    fn check(&mut self, moment: &str, all_is_over: bool) {
        self.stubs.next_life();
        let expected = told::Expected { all_is_over, several_servers: false };
        let looked = self.disk.look(&self.data(), &self.promises);
        let checked = looked.and_then(|()| told::check(&self.stubs, &self.disk, expected));
        if let Err(broken) = checked {
            let log = std::fs::read_to_string(self.log()).unwrap_or_default();
            let last: Vec<&str> = log.lines().rev().take(30).collect();
            let last: Vec<&str> = last.into_iter().rev().collect();
            panic!(
                "world {}, life {} ({moment}): {broken}\n\nthe last of its log:\n{}\n\nagain with: \
                 LUDEX_WORLD={} LUDEX_SOAK=1 cargo test -p ludex-cli --test all killed_server:: -- --nocapture",
                self.seed,
                self.lives,
                last.join("\n"),
                self.seed
            );
        }
    }

    /// The last life: all that was begun ends, and so does the server when it is asked to.
    fn come_to_an_end(&mut self) {
        let mut server = self.server();
        let api = server.api();
        let count = |api: &Api, what: &str| api.json("/api/status")[what].as_u64();
        wait("the end of all matches", || {
            let left = ["running", "waiting", "tournaments"].map(|what| count(&api, what).unwrap_or(1));
            (left == [0, 0, 0]).then_some(())
        });
        let status = api.json("/api/status");
        assert_eq!(status["troubles"], serde_json::json!([]), "world {}", self.seed);
        let records = api.get("/api/records").unwrap().body;
        let (status, log) = server.terminate();
        assert_eq!(status.code(), Some(0), "world {}: {log}", self.seed);
        self.check("the last", true);
        self.verify(&records);
        for id in &self.promises.tournaments {
            assert_eq!(self.disk.results(id) as u64, tournament_results(), "world {}", self.seed);
        }
    }

    /// The records that can be downloaded are all there are, and `ludex verify` takes them.
    fn verify(&self, records: &str) {
        let over = |kept: &&disk::Kept| kept.row.summary.stage.is_over() && !kept.entries.is_empty();
        let wanted = self.disk.matches.values().filter(over).count();
        assert!(records.lines().count() >= wanted, "world {}: {wanted}", self.seed);
        let file = self.folder.path().join("records.jsonl");
        std::fs::write(&file, records).unwrap();
        let file = file.to_string_lossy().into_owned();
        command::fine(self.folder.path(), &["verify", "--quiet", &file]);
    }

    fn count(&self, numbers: &mut Numbers) {
        numbers.tournaments += self.promises.tournaments.len();
        for kept in self.disk.matches.values() {
            numbers.matches += 1;
            match kept.row.summary.stage {
                MatchStage::Completed => numbers.completed += 1,
                _ => numbers.aborted += 1,
            }
            numbers.resumed += kept.resumed();
        }
        for story in self.stubs.stories().into_values().flatten() {
            numbers.messages += story.messages.len();
            let pairs = story.messages.windows(2);
            numbers.repeated += pairs.filter(|pair| pair[0].request == pair[1].request).count();
        }
    }
}

/// Lives and dies so many times.
fn run(seed: u64, kills: usize, numbers: &mut Numbers) {
    // Shown where something fails.
    println!("world {seed}, {kills} kills");
    let mut world = World::new(seed);
    let first = world.dice.below(3) as usize;
    for kill in 0..kills {
        let moment = [Moment::Load, Moment::End, Moment::Start][(first + kill) % 3];
        world.live_and_die(moment);
        world.check(&format!("killed at {moment:?}"), false);
        numbers.kills += 1;
    }
    world.come_to_an_end();
    world.count(numbers);
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn a_server_that_is_killed_loses_nothing() {
    let soak = number("LUDEX_SOAK");
    let kills = if soak.is_some() { 20 } else { 3 };
    let first = number("LUDEX_SEED").unwrap_or(0).saturating_mul(1_000_000);
    let (first, worlds) = match number("LUDEX_WORLD") {
        Some(world) => (world, 1),
        None => (first, soak.unwrap_or(1)),
    };
    let mut numbers = Numbers::default();
    let begun = now();
    for seed in first..first + worlds {
        run(seed, kills, &mut numbers);
    }
    println!("{numbers:?} in {:.1?}", begun.elapsed());
    assert!(numbers.completed > 0 && numbers.messages > 0, "{numbers:?}");
    // A life that is only a start may come to nothing, but not all of them.
    assert!(numbers.resumed > 0, "{numbers:?}");
}
