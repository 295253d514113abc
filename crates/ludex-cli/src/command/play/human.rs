//! A person at the keyboard as a player.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ludex::Game;
use ludex::logic::{Budget, TermId};
use ludex::players::{Belief, BeliefOptions, Choice, News, Outcome, Player, PlayerError, Report, Seat};

use crate::Context;
use crate::picture::Picture;
use crate::prompt::Prompt;

/// Asks for moves at the terminal and shows what the player may know.
pub struct Human {
    game: Game,
    seed: u64,
    picture: Arc<Picture>,
    prompt: Arc<Mutex<Prompt>>,
    left: Arc<AtomicBool>,
    belief: Option<Belief>,
    /// What was seen since the player was last asked, in GDL-II.
    news: String,
    width: usize,
}

impl Human {
    /// A person; several people share a prompt, and `left` tells that one has had enough.
    pub fn new(
        game: Game,
        seed: u64,
        picture: Arc<Picture>,
        prompt: Arc<Mutex<Prompt>>,
        left: Arc<AtomicBool>,
        context: &Context,
    ) -> Self {
        let width = context.console.width();
        Self { game, seed, picture, prompt, left, belief: None, news: String::new(), width }
    }

    /// What the player sees before moving.
    fn view(&self, role: &str, known: &[TermId], possible: usize, exact: bool) -> String {
        let mut text = String::from("\n");
        text.push_str(&self.news);
        if possible > 1 {
            let about = if exact { "" } else { "at least " };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "What is known for sure ({about}{possible} states fit):");
        }
        text.push_str(&self.picture.draw_facts(known));
        let _ = writeln!(text, "{role} to move");
        text
    }

    fn list(&self, moves: &[TermId]) -> String {
        let texts = self.game.texts(moves);
        let longest = texts.iter().map(|t| t.chars().count()).max().unwrap_or(0);
        let digits = texts.len().to_string().len();
        let columns = (self.width / (longest + digits + 4)).max(1);
        let mut out = String::new();
        for (row, chunk) in texts.chunks(columns).enumerate() {
            let cells = chunk.iter().enumerate().map(|(i, text)| {
                let number = row * columns + i + 1;
                format!("  {number:digits$} {text:longest$}")
            });
            out.push_str(cells.collect::<String>().trim_end());
            out.push('\n');
        }
        out
    }

    fn ask(&self, role: &str) -> Result<String, PlayerError> {
        let gone = |why: &str| PlayerError::Gone(why.to_owned());
        let answer = self.prompt.lock().unwrap_or_else(PoisonError::into_inner).ask(&format!("{role}> "));
        match answer {
            Ok(Some(line)) if !matches!(line.trim(), "quit" | "q" | "exit") => Ok(line.trim().to_owned()),
            Ok(_) | Err(_) => {
                self.left.store(true, Ordering::Relaxed);
                Err(gone("the player left"))
            }
        }
    }
}

impl Player for Human {
    fn prepare(&mut self, seat: Seat, _budget: &Budget) -> Result<(), PlayerError> {
        let options = BeliefOptions { seed: self.seed, ..BeliefOptions::default() };
        self.belief = Some(seat.belief(options));
        self.news.clear();
        Ok(())
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        if self.left.load(Ordering::Relaxed) {
            return Err(PlayerError::Gone("the match is over".into()));
        }
        let belief = self.belief.as_mut().ok_or(PlayerError::NotPrepared)?;
        let mut moves = belief.legal_in_all(budget)?;
        if moves.is_empty() {
            moves = belief.likeliest_legal(budget)?;
        }
        let known = belief.known_facts(budget)?;
        let (possible, exact) = (belief.states().len(), belief.is_exact());
        let role_id = belief.role();
        let role = self.game.role_name(role_id);
        // A move that is the only one needs no question.
        if let [only] = moves[..] {
            return Ok(Choice { action: only, report: Report::default() });
        }
        let mut out = std::io::stdout();
        let view = self.view(&role, &known, possible, exact);
        let gone = |_| PlayerError::Gone("nobody can be asked".into());
        self.news.clear();
        out.write_all(view.as_bytes()).map_err(gone)?;
        out.write_all(self.list(&moves).as_bytes()).map_err(gone)?;
        loop {
            out.flush().map_err(gone)?;
            let line = self.ask(&role)?;
            let texts = self.game.texts(&moves);
            let chosen = match line.parse::<usize>() {
                // A game may have numbers for moves; these come first.
                Ok(number) if !texts.contains(&line) => number
                    .checked_sub(1)
                    .and_then(|i| moves.get(i))
                    .copied()
                    .ok_or_else(|| format!("There are moves 1 to {}.", moves.len())),
                _ if line.is_empty() || line == "help" => {
                    Err("Answer with the number or the text of a move; `moves` lists them, `quit` leaves."
                        .into())
                }
                _ if line == "moves" => Err(self.list(&moves).trim_end().to_owned()),
                _ => self.game.find_among(&moves, role_id, &line).map_err(|e| format!("{e}.")),
            };
            match chosen {
                Ok(action) => return Ok(Choice { action, report: Report::default() }),
                Err(message) => writeln!(out, "{message}").map_err(gone)?,
            }
        }
    }

    fn observe(&mut self, news: &News) {
        if let News::Percepts { action, percepts } = news {
            let seen = match &percepts[..] {
                [] => "nothing".to_owned(),
                some => self.game.texts(some).join(", "),
            };
            let action = self.game.text(*action);
            // Writing to a string cannot fail.
            let _ = writeln!(self.news, "You moved {action} and saw {seen}.");
        }
        if let Some(belief) = &mut self.belief {
            belief.observe(news);
        }
    }

    fn finish(&mut self, _outcome: &Outcome) {}
}
