//! The games in real time of our own, by scripts that go through their rules (folder `scripts`).
//!
//! `== title` begins a game anew, `#` a remark. Every other line is one of
//!
//! | line | meaning |
//! |---|---|
//! | `2.5` | time passes up to this moment, with what expires then |
//! | `2.5 red go + blue stay ; red go` | time passes, and then there are two updates: one by two moves, one by one |
//! | `=3 red go` | the move comes at 3, in one update with what expires then |
//! | `? clock: 0.5 clock(red)` | the facts now that contain this text, with what is left of their lifetimes |
//! | `legal red: go; stay` | the legal moves of a role |
//! | `told red: nothing` | what the last update let a role see, or `nothing` where it was told nothing |
//! | `goes on` | the game is not over |
//! | `over 3: red 0 blue 100` | when it was over, and the goals |
//!
//! What chance does is written in the scripts, as moves of `random`.

use ludex::game::{
    RoleId, TimedEvent, TimedMachine, TimedRuleMachine, TimedRunner, Timeline, TimelineOptions,
};
use ludex::gdl::GameTime;
use ludex::logic::{Budget, TermId};

use super::{bundled, time};

const SCRIPTS: &[(&str, &str)] = &[
    ("chicken", include_str!("scripts/chicken.txt")),
    ("raid", include_str!("scripts/raid.txt")),
    ("grid-shooter", include_str!("scripts/grid-shooter.txt")),
    ("rapid-connect-four", include_str!("scripts/rapid-connect-four.txt")),
    ("falling-blocks", include_str!("scripts/falling-blocks.txt")),
    ("clock-auction", include_str!("scripts/clock-auction.txt")),
    ("reaction", include_str!("scripts/reaction.txt")),
    ("hidden-duel", include_str!("scripts/hidden-duel.txt")),
    ("speed-breakthrough", include_str!("scripts/speed-breakthrough.txt")),
];

/// A game that goes as a script says.
struct Scripted<'m> {
    machine: &'m TimedRuleMachine,
    runner: Box<dyn TimedRunner + 'm>,
    now: GameTime,
    /// When the last update was.
    updated: GameTime,
    /// The line that is obeyed, with its game and title, for messages.
    place: String,
}

impl<'m> Scripted<'m> {
    fn of(machine: &'m TimedRuleMachine) -> Self {
        let runner = machine.runner(&Budget::unlimited());
        Self { machine, runner, now: GameTime::ZERO, updated: GameTime::ZERO, place: String::new() }
    }

    fn obey(&mut self, line: &str) {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (subject, expected) = rest.split_once(':').unwrap_or((rest, ""));
        match first {
            "?" => assert_eq!(self.facts(subject), listed(expected), "{}", self.place),
            "legal" => assert_eq!(self.legal(subject), listed(expected), "{}", self.place),
            "told" => assert_eq!(self.told(subject), listed(expected), "{}", self.place),
            "goes" => assert!(!self.is_over(), "{}", self.place),
            "over" => {
                assert!(self.is_over(), "{}", self.place);
                let goals = self.goals();
                assert_eq!(format!("{}: {goals}", self.now), rest, "{}", self.place);
            }
            moment => self.act(moment, rest),
        }
    }

    fn act(&mut self, moment: &str, updates: &str) {
        match moment.strip_prefix('=') {
            Some(moment) => self.pass(time(moment), false),
            None => self.pass(time(moment), true),
        }
        for joint in updates.split(';').filter(|joint| !joint.is_empty()) {
            let moves: Vec<_> = joint.split('+').map(|one| self.find_move(one.trim())).collect();
            self.update(&moves);
        }
    }

    fn find_move(&mut self, text: &str) -> (RoleId, TermId) {
        let (role, action) = text.split_once(' ').unwrap();
        let role = self.role(role);
        // What was never asked for may be a term that nobody has met yet.
        self.runner.legal(role).unwrap();
        let action = self.machine.find_term(action).unwrap();
        (role, action.unwrap_or_else(|| panic!("{}: no such move", self.place)))
    }

    fn update(&mut self, moves: &[(RoleId, TermId)]) {
        let elapsed = self.now.checked_sub(self.updated).unwrap();
        self.runner.update(elapsed, moves).unwrap_or_else(|error| panic!("{}: {error}", self.place));
        self.updated = self.now;
    }

    /// Lets time pass up to a moment, with what expires just then or without it.
    fn pass(&mut self, to: GameTime, inclusive: bool) {
        while !self.is_over() {
            let expiry = self.runner.time_to_expiry().and_then(|left| self.updated.checked_add(left));
            let Some(expiry) = expiry.filter(|&at| at < to || (inclusive && at == to)) else {
                self.now = to;
                return;
            };
            self.now = expiry;
            self.update(&[]);
        }
    }

    fn is_over(&mut self) -> bool {
        self.runner.terminal().unwrap()
    }

    fn role(&self, name: &str) -> RoleId {
        self.machine.find_role(name).unwrap_or_else(|| panic!("{}: no role `{name}`", self.place))
    }

    fn facts(&self, with: &str) -> Vec<String> {
        let elapsed = self.now.checked_sub(self.updated).unwrap();
        let facts = self.runner.state().facts().iter().map(|&(lifetime, fact)| {
            let left = lifetime.after(elapsed).map_or("0".to_owned(), |left| left.to_string());
            format!("{left} {}", self.machine.text(fact))
        });
        sorted(facts.filter(|fact| fact.contains(with)))
    }

    fn legal(&mut self, role: &str) -> Vec<String> {
        let machine = self.machine;
        let role = self.role(role);
        sorted(self.runner.legal(role).unwrap().iter().map(|&action| machine.text(action)))
    }

    fn told(&self, role: &str) -> Vec<String> {
        match self.runner.percepts(self.role(role)) {
            None => vec!["nothing".to_owned()],
            Some(percepts) => sorted(percepts.iter().map(|&percept| self.machine.text(percept))),
        }
    }

    /// Of everybody but `random`: `red 0 blue 100`.
    fn goals(&mut self) -> String {
        let machine = self.machine;
        let roles = machine.roles().iter().zip((0..).map(RoleId));
        let players = roles.filter(|&(_, role)| Some(role) != machine.random());
        let goals = players.map(|(&name, role)| match self.runner.goal(role).unwrap() {
            Some(goal) => format!("{} {goal}", machine.text(name)),
            None => format!("{} no value", machine.text(name)),
        });
        goals.collect::<Vec<_>>().join(" ")
    }
}

/// What is listed between semicolons.
fn listed(text: &str) -> Vec<String> {
    sorted(text.split(';').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned))
}

fn sorted(items: impl Iterator<Item = String>) -> Vec<String> {
    let mut items: Vec<String> = items.collect();
    items.sort_unstable();
    items
}

#[test]
fn games_of_our_own_go_by_their_scripts() {
    for (name, text) in SCRIPTS {
        let machine = bundled(name);
        let games: Vec<&str> = text.split("== ").filter(|game| !game.is_empty()).collect();
        assert!(games.len() >= 3, "{name}: {}", games.len());
        for game in games {
            let mut lines = game.lines().map(str::trim);
            let title = lines.next().unwrap_or_default();
            let mut scripted = Scripted::of(&machine);
            for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
                scripted.place = format!("{name}, {title}: {line}");
                scripted.obey(line);
            }
            assert!(scripted.is_over(), "{name}, {title}: is not played to its end");
        }
    }
}

#[test]
fn a_flash_that_was_to_come_is_over_before_the_next_round() {
    let machine = bundled("reaction");
    let left = machine.find_role("left").unwrap();
    for seed in 0..50 {
        let options = TimelineOptions { seed, ..TimelineOptions::default() };
        let mut timeline = Timeline::new(&machine, &options).unwrap();
        timeline.advance_to(time("1")).unwrap();
        let flash = timeline.pending().unwrap();
        assert!(flash.due > time("1") && flash.due <= time("5"));
        // Too early: the flash stays pending, comes to nothing, and another one is drawn for the next round.
        let press = timeline.find_move(left, "press").unwrap();
        timeline.submit(&[(left, press)]).unwrap();
        assert_eq!(timeline.pending(), Some(flash));
        timeline.advance_to(time("5")).unwrap();
        let wasted = timeline.history().iter().filter(|event| matches!(event, TimedEvent::Wasted { .. }));
        assert_eq!(wasted.count(), 1, "seed {seed}");
        assert!(timeline.pending().unwrap().due > time("5"), "seed {seed}");
    }
}

#[test]
fn chance_deals_a_piece_at_once_and_tells_the_player() {
    let machine = bundled("falling-blocks");
    let player = machine.find_role("player").unwrap();
    for seed in 0..10 {
        let options = TimelineOptions { seed, ..TimelineOptions::default() };
        let mut timeline = Timeline::new(&machine, &options).unwrap();
        let drop = timeline.find_move(player, "drop").unwrap();
        timeline.submit(&[(player, drop)]).unwrap();
        // A piece, where it went, the next piece, and all that at the start.
        assert_eq!((timeline.history().len(), timeline.now()), (3, GameTime::ZERO));
        for event in timeline.history() {
            let TimedEvent::Update(update) = event else { panic!("nothing is wasted") };
            let made: Vec<_> = update.moves.iter().map(|&(_, action)| action).collect();
            assert_eq!(update.told[player.index()].as_ref(), Some(&made));
        }
    }
}
