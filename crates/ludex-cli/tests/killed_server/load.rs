//! What the server has to do while it is killed: matches, tournaments, matches that somebody ends early.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use ludex::game::Rng;
use serde_json::{Value, json};

use super::stub::Stubs;
use crate::server::api::Answer;
use crate::server::{Api, now};

/// Why matches are ended early.
pub const ENOUGH: &str = "the test has seen enough";
/// A strategy that runs as a process of its own, which ends with the server.
pub const BUILT_IN: &str = "Robot";
/// So many matches are open at a time.
const OPEN: u64 = 24;
/// A round robin of four players in one game has so many matches in each round.
const PER_ROUND: u64 = 12;
const ROUNDS: u64 = 2;

/// What the server has said it will do. It has to, whatever happens to it.
#[derive(Debug, Default)]
pub struct Promises {
    pub matches: BTreeSet<String>,
    pub tournaments: BTreeSet<String>,
    /// Matches that were to be ended early, which is not promised.
    pub aborted: BTreeSet<String>,
}

/// Somebody who keeps a server at work.
pub struct Load<'a> {
    pub api: Api,
    pub stubs: &'a Stubs,
    pub dice: Rng,
    pub promises: &'a mut Promises,
}

/// The results of a whole tournament.
pub fn tournament_results() -> u64 {
    PER_ROUND * ROUNDS
}

impl Load<'_> {
    /// Keeps the server at work until it is gone.
    pub fn run(mut self) {
        // An error means that the server is gone, which is what is waited for.
        let _ = self.work();
    }

    fn work(&mut self) -> io::Result<()> {
        self.prepare()?;
        loop {
            let status = self.get("/api/status")?;
            if status["tournaments"] == 0 {
                self.tournament()?;
            }
            let open = status["running"].as_u64().unwrap_or(0) + status["waiting"].as_u64().unwrap_or(0);
            for _ in open..OPEN {
                self.schedule()?;
            }
            if self.dice.below(8) == 0 {
                self.abort_one()?;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// So many matches, and a tournament where there is none.
    ///
    /// # Errors
    /// The server is gone.
    pub fn some(&mut self, matches: usize) -> io::Result<()> {
        self.prepare()?;
        if self.get("/api/status")?["tournaments"] == 0 {
            self.tournament()?;
        }
        (0..matches).try_for_each(|_| self.schedule())
    }

    /// Games and players, where a life before has not got so far.
    fn prepare(&mut self) -> io::Result<()> {
        if self.api.get("/api/games/own-signals")?.status == 404 {
            let game = json!({ "name": "own-signals", "text": include_str!("signals.kif") });
            self.made(&self.post("/api/games", &game)?);
        }
        for (name, address) in &self.stubs.players {
            let player = json!({ "name": name, "kind": "remote", "address": address.to_string() });
            self.register(&player)?;
        }
        self.register(&json!({ "name": BUILT_IN, "kind": "built-in", "strategy": "random" }))
    }

    fn register(&self, player: &Value) -> io::Result<()> {
        let answer = self.post("/api/players", player)?;
        assert!(matches!(answer.status, 201 | 409), "{answer:?}");
        Ok(())
    }

    fn schedule(&mut self) -> io::Result<()> {
        let names: Vec<&str> = self.stubs.players.iter().map(|(name, _)| name.as_str()).collect();
        let first = self.dice.below(names.len() as u64) as usize;
        let other = (first + 1 + self.dice.below(names.len() as u64 - 1) as usize) % names.len();
        let (game, second) = match self.dice.below(20) {
            0 => ("tic-tac-toe", BUILT_IN),
            1..6 => ("own-signals", names[other]),
            _ => ("tic-tac-toe", names[other]),
        };
        let seats = json!([{ "player": names[first] }, { "player": second }]);
        let clocks = json!({ "start": 600_000, "play": 600_000 });
        let answer = self.post("/api/matches", &json!({ "game": game, "seats": seats, "clocks": clocks }))?;
        let id = self.made(&answer)["id"].as_str().unwrap_or_default().to_owned();
        self.promises.matches.insert(id);
        Ok(())
    }

    fn tournament(&mut self) -> io::Result<()> {
        let players: Vec<&str> = self.stubs.players.iter().map(|(name, _)| name.as_str()).take(4).collect();
        let plan = json!({
            "title": "Cup",
            "competition": {
                "players": players, "games": [{ "name": "tic-tac-toe", "seats": 2 }], "rounds": ROUNDS,
                "seed": self.dice.below(1 << 40), "format": "round-robin", "attempts": 3, "per_player": 2,
            },
            "clocks": { "start": 600_000, "play": 600_000 },
        });
        let answer = self.post("/api/tournaments", &plan)?;
        let id = self.made(&answer)["id"].as_str().unwrap_or_default().to_owned();
        self.promises.tournaments.insert(id);
        Ok(())
    }

    /// Ends one of the matches that run.
    fn abort_one(&mut self) -> io::Result<()> {
        let running = self.get("/api/matches?stage=running&size=50")?;
        let items = running["items"].as_array().cloned().unwrap_or_default();
        let alone: Vec<&Value> = items.iter().filter(|item| item["tournament"].is_null()).collect();
        let Some(item) = self.dice.pick(&alone) else { return Ok(()) };
        let id = item["id"].as_str().unwrap_or_default().to_owned();
        self.promises.aborted.insert(id.clone());
        let answer = self.api.post(&format!("/api/matches/{id}/abort"), &json!({ "why": ENOUGH }))?;
        assert!(matches!(answer.status, 204 | 409), "{answer:?}");
        Ok(())
    }

    fn get(&self, path: &str) -> io::Result<Value> {
        let answer = self.api.get(path)?;
        assert_eq!(answer.status, 200, "{answer:?}");
        Ok(answer.json())
    }

    /// Asks for a change until it is made: a server that shares its database may just have been taken for dead.
    fn post(&self, path: &str, body: &Value) -> io::Result<Answer> {
        let until = now() + Duration::from_secs(120);
        loop {
            let answer = self.api.post(path, body)?;
            if answer.status != 503 || now() > until {
                return Ok(answer);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn made(&self, answer: &Answer) -> Value {
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()
    }
}
