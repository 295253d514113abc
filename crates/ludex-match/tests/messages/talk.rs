//! A referee without clocks: it writes every message and reads every answer.

use ludex_game::{RoleId, Rules};
use ludex_gdl::Notation;
use ludex_match::message::{Expected, Last, Request, Response, StartMessage, read_response, write_request};
use ludex_match::{Match, MatchSetup};

/// A match whose messages are looked at.
pub struct Talk {
    pub game: Match,
    id: String,
    notation: Notation,
}

impl Talk {
    pub fn new(rules: &Rules, id: &str, seed: u64, notation: Notation) -> Self {
        let setup = MatchSetup { id: id.into(), seed, ..MatchSetup::default() };
        Self { game: Match::new(rules.clone(), setup).unwrap(), id: id.into(), notation }
    }

    /// The start message to a role.
    pub fn start(&self, role: u32, rules: &str, clock: u32) -> String {
        let request = Request::Start(Box::new(StartMessage {
            id: self.id.clone(),
            role: self.game.rules().role_name(RoleId(role)),
            rules: rules.into(),
            start_clock: clock,
            play_clock: clock,
            ..StartMessage::default()
        }));
        write_request(&request, self.notation)
    }

    /// The play message to a role, or the stop message where the match is over.
    pub fn next(&self, role: u32) -> String {
        let (id, last) = (self.id.clone(), Last::of(&self.game, RoleId(role)));
        let request =
            if self.game.is_over() { Request::Stop { id, last } } else { Request::Play { id, last } };
        write_request(&request, self.notation)
    }

    /// Makes a step of what the players of the roles sent.
    pub fn answers(&mut self, sent: &[&str]) {
        let rules = self.game.rules().clone();
        let replies: Vec<_> = sent
            .iter()
            .zip(rules.roles())
            .map(|(sent, role)| {
                let read = read_response(sent.as_bytes(), Expected::Move, self.notation).unwrap();
                let Response::Move(action) = read else { panic!("{read:?}") };
                let legal = rules.find_among(self.game.legal(role), role, &action);
                legal.map_err(|error| ludex_match::Fault::Illegal(error.to_string()))
            })
            .collect();
        self.game.submit(&replies, None).unwrap().unwrap();
    }
}

/// What a message consists of: brackets and words in lower case, without commas and blanks.
pub fn tokens(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    for c in text.chars() {
        match c {
            '(' | ')' | '[' | ']' => spaced.extend([' ', c, ' ']),
            ',' => spaced.push(' '),
            c => spaced.extend(c.to_lowercase()),
        }
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}
