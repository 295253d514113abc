//! Several `ludex serve` on one PostgreSQL database: pages from any of them, matches that are handed over, and servers
//! that are killed or stopped again and again.
//!
//! The players are those of [`killed_server`](crate::killed_server): they keep what they were told, and answer something
//! else when they are asked again. A *world* is a database with its servers; its seed decides the load, the answers and
//! the moments, and the machine decides the rest. `LUDEX_SOAK` is how many worlds of 20 kills there are; without it there
//! is one of 2. `LUDEX_SEED` chooses other worlds, and `LUDEX_WORLD=7` runs the one of seed 7 alone.

mod pages;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use ludex::game::Rng;
use ludex_server::model::MatchStage;
use ludex_server::store::StorePlace;

use crate::cluster::Cluster;
use crate::killed_server::disk::Disk;
use crate::killed_server::load::{Load, Promises, tournament_results};
use crate::killed_server::stub::Stubs;
use crate::killed_server::told;
use crate::server::{Api, Server, command, now, wait};

/// Servers go on with what others had after so long.
const LEASE: &str = "3s";
const SERVERS: usize = 3;
/// So many matches are begun before each kill.
const MATCHES: usize = 8;

/// Starts a server on a database.
fn start(address: &str, log: &Path, arguments: &[&str]) -> Server {
    let mut command = command();
    command.args(["serve", "--port", "0", "--rules-time", "10m", "--store", address]).args(arguments);
    Server::spawn(command, log)
}

/// Sends a signal to a process.
fn signal(server: &Server, name: &str) {
    let number = server.child.id().to_string();
    assert!(Command::new("kill").args([name, &number]).status().unwrap().success());
}

struct World {
    seed: u64,
    cluster: Arc<Cluster>,
    folder: tempfile::TempDir,
    dice: Rng,
    stubs: Stubs,
    promises: Promises,
    servers: Vec<(Server, Api)>,
    started: usize,
}

impl World {
    fn new(seed: u64, cluster: Arc<Cluster>) -> Self {
        let mut world = Self {
            seed,
            cluster,
            folder: tempfile::tempdir().unwrap(),
            dice: Rng::from_seed(seed),
            stubs: Stubs::start(seed, 6),
            promises: Promises::default(),
            servers: Vec::new(),
            started: 0,
        };
        for _ in 0..SERVERS {
            let server = world.server();
            world.servers.push(server);
        }
        world
    }

    fn server(&mut self) -> (Server, Api) {
        self.started += 1;
        let log = self.folder.path().join(format!("server-{}.log", self.started));
        let arguments = ["--players", "1", "--lease", LEASE];
        let mut server = start(&self.cluster.address(), &log, &arguments);
        let api = server.api();
        (server, api)
    }

    fn below(&mut self, milliseconds: u64) -> Duration {
        Duration::from_millis(self.dice.below(milliseconds + 1))
    }

    /// Work for a server, and a tournament where there is none.
    fn load(&mut self, server: usize) {
        let dice = Rng::from_seed(self.dice.bits());
        let api = self.servers[server].1.clone();
        let mut load = Load { api, stubs: &self.stubs, dice, promises: &mut self.promises };
        load.some(MATCHES).unwrap();
    }

    /// One server is lost, for good or for a while, and others go on with what it had.
    fn lose_one(&mut self) {
        let victim = self.dice.below(SERVERS as u64) as usize;
        self.load(victim);
        let pause = self.below(600);
        std::thread::sleep(pause);
        if self.dice.below(2) == 0 {
            self.servers[victim].0.kill();
            self.stubs.count_life();
            let away = self.below(5_000);
            std::thread::sleep(away);
            self.servers[victim] = self.server();
        } else {
            signal(&self.servers[victim].0, "-STOP");
            self.stubs.count_life();
            let asleep = self.below(7_000);
            std::thread::sleep(asleep);
            signal(&self.servers[victim].0, "-CONT");
        }
    }

    /// All that was begun ends, and what is there then is looked at.
    fn come_to_an_end(mut self, numbers: &mut Numbers) {
        let (_, api) = &self.servers[0];
        // Asked at once: a match that waited may run when it is asked for again.
        wait("the end of all matches", || {
            let status = api.json("/api/status");
            ["running", "waiting", "tournaments"].iter().all(|what| status[*what] == 0).then_some(())
        });
        let records: Vec<usize> = self
            .servers
            .iter()
            .map(|(_, api)| api.get("/api/records").unwrap().body.lines().count())
            .collect();
        assert!(records.iter().all(|count| *count == records[0]), "{records:?}");
        for (server, _) in self.servers.drain(..) {
            let (status, log) = server.terminate();
            assert_eq!(status.code(), Some(0), "world {}: {log}", self.seed);
        }
        self.stubs.next_life();
        let store = StorePlace::read(&self.cluster.address(), None).unwrap().open().unwrap();
        let mut disk = Disk::new();
        let expected = told::Expected { all_is_over: true, several_servers: true };
        let looked = disk.look_at(&*store, &self.promises);
        let checked = looked.and_then(|()| told::check(&self.stubs, &disk, expected));
        if let Err(broken) = checked {
            panic!("world {}: {broken}\nlogs:\n{}", self.seed, self.logs());
        }
        for id in &self.promises.tournaments {
            assert_eq!(disk.results(id) as u64, tournament_results(), "world {}", self.seed);
        }
        for kept in disk.matches.values() {
            numbers.matches += 1;
            numbers.completed += usize::from(kept.row.summary.stage == MatchStage::Completed);
            numbers.resumed += kept.resumed();
        }
    }

    /// The last of each log.
    fn logs(&self) -> String {
        let logs = (1..=self.started).map(|number| {
            let log = self.folder.path().join(format!("server-{number}.log"));
            let log = std::fs::read_to_string(log).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            format!("server {number}:\n{}\n", lines[lines.len().saturating_sub(30)..].join("\n"))
        });
        logs.collect()
    }
}

/// What came of the worlds.
#[derive(Debug, Default)]
struct Numbers {
    kills: usize,
    matches: usize,
    completed: usize,
    /// How often a match was gone on with.
    resumed: usize,
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn servers_that_are_killed_or_stopped_lose_nothing() {
    let soak = number("LUDEX_SOAK");
    let kills = if soak.is_some() { 20 } else { 2 };
    let first = number("LUDEX_SEED").unwrap_or(0).saturating_mul(1_000_000);
    let (first, worlds) = match number("LUDEX_WORLD") {
        Some(world) => (world, 1),
        None => (first, soak.unwrap_or(1)),
    };
    let mut numbers = Numbers::default();
    let begun = now();
    for seed in first..first + worlds {
        let Some(cluster) = Cluster::begin(false) else { return };
        // Shown where something fails.
        println!("world {seed}, {kills} kills");
        let mut world = World::new(seed, Arc::new(cluster));
        for _ in 0..kills {
            world.lose_one();
            numbers.kills += 1;
        }
        world.come_to_an_end(&mut numbers);
    }
    println!("{numbers:?} in {:.1?}", begun.elapsed());
    assert!(numbers.completed > 0 && numbers.resumed > 0, "{numbers:?}");
}
