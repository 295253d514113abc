//! The bundled games in real time, and games of GDL that were made ones.

mod converted;
mod converted_perft;
mod games;
mod own_games;
mod players;

use std::sync::Arc;

use ludex::game::{TimedEvent, TimedRuleMachine, Timeline, TimelineOptions};
use ludex::gdl::{GameTime, LoadOptions, Severity, Source, load};
use ludex::library;

fn time(text: &str) -> GameTime {
    GameTime::parse(text).unwrap()
}

/// The machine of a bundled game, of which no check finds anything worth a warning.
fn bundled(name: &str) -> TimedRuleMachine {
    let game = library::find(name).unwrap();
    let checked = load(Arc::new(Source::new(game.file, game.text)), &LoadOptions::default());
    let worse = checked.diagnostics.iter().filter(|d| d.severity > Severity::Note);
    assert_eq!(worse.map(|d| d.message.as_str()).collect::<Vec<_>>(), [""; 0], "{name}");
    TimedRuleMachine::new(&checked.game.unwrap(), &Default::default()).unwrap()
}

/// A game that goes on, in texts.
struct Play<'m>(Timeline<'m>);

impl<'m> Play<'m> {
    fn of(machine: &'m TimedRuleMachine) -> Self {
        Self(Timeline::new(machine, &TimelineOptions::default()).unwrap())
    }

    fn advance(&mut self, to: &str) -> &mut Self {
        self.0.advance_to(time(to)).unwrap();
        self
    }

    /// Advances, and lets a role move then.
    fn act(&mut self, at: &str, role: &str, action: &str) -> &mut Self {
        self.advance(at);
        self.act_now(role, action)
    }

    fn act_now(&mut self, role: &str, action: &str) -> &mut Self {
        let machine = self.0.machine();
        let role = machine.find_role(role).unwrap();
        let action = self.0.find_move(role, action).unwrap();
        self.0.submit(&[(role, action)]).unwrap();
        self
    }

    /// What holds now with what is left of its lifetime, `0.5 refresh`, as far as it contains this text.
    fn facts(&self, with: &str) -> Vec<String> {
        let facts = self.0.state().facts().iter().map(|&(lifetime, fact)| {
            let left = self.0.left(lifetime).map_or("0".to_owned(), |left| left.to_string());
            format!("{left} {}", self.0.machine().text(fact))
        });
        facts.filter(|fact| fact.contains(with)).collect()
    }

    fn legal(&mut self, role: &str) -> Vec<String> {
        let machine = self.0.machine();
        let role = machine.find_role(role).unwrap();
        self.0.legal(role).unwrap().iter().map(|&action| machine.text(action)).collect()
    }

    /// When something happened.
    fn times(&self) -> String {
        let times: Vec<String> =
            self.0.history().iter().map(TimedEvent::time).map(|t| t.to_string()).collect();
        times.join(" ")
    }

    /// Whether the game is over, and what it is worth to each role.
    fn result(&mut self) -> (bool, Vec<Option<u32>>) {
        let roles = (0..self.0.machine().roles().len() as u32).map(ludex::game::RoleId);
        let goals = roles.map(|role| self.0.goal(role).unwrap()).collect();
        (self.0.is_over(), goals)
    }
}
