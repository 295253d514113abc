//! What the stepper knows and obeys.

use std::io::Write;
use std::sync::Arc;

use ludex::game::{Rng, RoleId};
use ludex::players::News;
use ludex::{Game, MoveError, Position};

use super::{Flow, Stepper, answer_to, ask_for_cause, atom, explain_to};
use crate::Context;
use crate::failure::Failure;
use crate::knowledge::{Known, MOST_STATES, options_for, role_that_knows};
use crate::moves_text::{explain, split};
use crate::picture::Picture;
use crate::query_text::read_query;
use crate::reasoning::Reasoning;

/// A position and what is needed to show it.
pub struct Session {
    game: Game,
    position: Position,
    seed: u64,
    picture: Picture,
    rng: Rng,
}

const HELP: &str = "  3                   make the third legal move of the list
  3 1                 where several roles have a choice: one number each, in order
  mark(1,1)           make a move by name; white=mark(1,1) says whose
  back [N]            take back one joint move, or N
  forward [N]         make moves that were taken back again
  jump N              go to step N
  random [N]          make N joint moves at random
  why ATOM            explain an atom: why legal(white,noop), why true(control(white))
  query ATOM          all answers: query legal(R,M)
  know [ROLE]         what a role can know by now: know white
  board               show the position again
  facts               every fact of the state
  moves               the joint moves so far
  goals               what the state is worth to each role
  help                this list
  quit                leave
";

impl Stepper for Session {
    /// Shows the position: board, percepts, legal moves.
    fn show(&mut self, context: &mut Context) -> Result<(), Failure> {
        let game = self.position.rules();
        let console = &mut context.console;
        let step = self.position.step();
        writeln!(console, "\n{}", console.bold(&format!("step {step}")))?;
        if let Some(joint) = step.checked_sub(1).and_then(|s| self.position.joint(s)) {
            let moves: Vec<String> = game
                .roles()
                .zip(&joint)
                .map(|(role, &action)| format!("{} {}", game.role_name(role), game.text(action)))
                .collect();
            writeln!(console, "{}", console.dim(&format!("after {}", moves.join(", "))))?;
        }
        console.write_all(self.picture.draw(game, self.position.state()).as_bytes())?;
        for role in game.roles() {
            let percepts = game.texts(self.position.percepts(role));
            if !percepts.is_empty() {
                writeln!(console, "{} sees {}", game.role_name(role), percepts.join(", "))?;
            }
        }
        if self.position.terminal()? {
            writeln!(console, "The game is over: {}", self.goals()?)?;
            return Ok(());
        }
        for role in game.roles() {
            let legal = self.position.legal_texts(role)?;
            let name = console.bold(&game.role_name(role));
            match &legal[..] {
                [] => writeln!(console, "{name} has no legal move")?,
                [only] => writeln!(console, "{name}: {only}")?,
                _ => {
                    writeln!(console, "{name}")?;
                    let width = legal.len().to_string().len();
                    let numbered: Vec<String> =
                        legal.iter().enumerate().map(|(i, m)| format!("{:width$} {m}", i + 1)).collect();
                    let text = console.columns(2, &numbered);
                    console.write_all(text.as_bytes())?;
                }
            }
        }
        Ok(())
    }

    fn obey(&mut self, line: &str, context: &mut Context) -> Result<Flow, Failure> {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "" => return Ok(Flow::Stay),
            "quit" | "q" | "exit" => return Ok(Flow::Quit),
            "help" | "h" | "?" => context.console.write_all(HELP.as_bytes())?,
            "board" | "b" => return Ok(Flow::Show),
            "back" => return self.travel(count(rest)?, false, context),
            "forward" => return self.travel(count(rest)?, true, context),
            "jump" | "j" => return self.jump(rest),
            "random" | "r" => return self.random(count(rest)?, context),
            "why" => self.why(atom(command, rest, "legal(white,noop)")?, context)?,
            "query" => self.query(atom(command, rest, "legal(R,M)")?, context)?,
            "goals" => writeln!(context.console, "{}", self.goals()?)?,
            "facts" => {
                let text = context.console.columns(2, &self.position.fact_texts());
                context.console.write_all(text.as_bytes())?;
            }
            "know" => self.know(rest, context)?,
            "moves" => self.moves(context)?,
            "move" => return self.step(rest),
            _ => return self.step(line),
        }
        Ok(Flow::Stay)
    }
}

impl Session {
    /// A session that begins here.
    pub fn new(game: Game, position: Position, seed: u64, context: &Context) -> Self {
        let picture = Picture::new(position.rules(), context);
        Self { game, position, seed, picture, rng: Rng::from_seed(seed) }
    }

    fn goals(&self) -> Result<String, Failure> {
        let game = self.position.rules();
        let goals = self.position.goals()?;
        let texts = game.roles().zip(goals).map(|(role, goal)| match goal {
            Some(goal) => format!("{} {goal}", game.role_name(role)),
            None => format!("{} has no single goal value", game.role_name(role)),
        });
        Ok(texts.collect::<Vec<_>>().join(", "))
    }

    fn travel(&mut self, count: usize, forward: bool, context: &mut Context) -> Result<Flow, Failure> {
        let moved = (0..count)
            .take_while(|_| if forward { self.position.forward() } else { self.position.back() })
            .count();
        if moved == 0 {
            let line = if forward { "there is no later step" } else { "this is the first step" };
            writeln!(context.console, "{line}")?;
            return Ok(Flow::Stay);
        }
        Ok(Flow::Show)
    }

    fn jump(&mut self, rest: &str) -> Result<Flow, Failure> {
        let last = self.position.history().len();
        match rest.parse() {
            Ok(step) if self.position.jump(step) => Ok(Flow::Show),
            _ => Err(Failure::input(format!("`jump` goes to a step from 0 to {last}"))),
        }
    }

    fn random(&mut self, count: usize, context: &Context) -> Result<Flow, Failure> {
        let game = self.position.rules().clone();
        for _ in 0..count {
            context.limits.budget().meter().check()?;
            if self.position.terminal()? {
                break;
            }
            let mut joint = Vec::new();
            for role in game.roles() {
                let legal = self.position.legal(role)?;
                let stuck = || Failure::input(format!("{} has no legal move", game.role_name(role)));
                joint.push(*self.rng.pick(&legal).ok_or_else(stuck)?);
            }
            self.position.advance(&joint).map_err(|e| Failure::input(e.to_string()))?;
        }
        Ok(Flow::Show)
    }

    fn moves(&self, context: &mut Context) -> Result<(), Failure> {
        let game = self.position.rules();
        for (step, joint) in self.position.joints().iter().enumerate() {
            let texts = game.texts(joint).join(" ");
            writeln!(context.console, "  {:>3}  {texts}", step + 1)?;
        }
        Ok(())
    }

    fn step(&mut self, line: &str) -> Result<Flow, Failure> {
        let joints = split(line);
        for joint in &joints {
            let joint = self.numbers(joint)?;
            self.position.play_joint(&joint).map_err(|error| match error {
                MoveError::Over => Failure::input("the game is over").hint("`back` takes moves back"),
                MoveError::Illegal { .. } if line.chars().all(|c| c.is_alphabetic() || c == ' ') => {
                    Failure::input(format!("`{line}` is neither a command nor a legal move"))
                        .hint("`help` lists the commands, `board` the legal moves")
                }
                error => match explain(&self.position, &joint, error) {
                    Failure::Input { message, hint: None } => {
                        Failure::input(message).hint("`help` lists the commands")
                    }
                    other => other,
                },
            })?;
        }
        Ok(if joints.is_empty() { Flow::Stay } else { Flow::Show })
    }

    /// Replaces the numbers of moves by the moves.
    fn numbers(&self, joint: &[String]) -> Result<Vec<String>, Failure> {
        let game = self.position.rules();
        if joint.iter().all(|word| word.parse::<usize>().is_err()) || self.position.terminal()? {
            return Ok(joint.to_vec());
        }
        let mut choosing: Vec<RoleId> = Vec::new();
        for role in game.roles() {
            if self.position.legal(role)?.len() > 1 {
                choosing.push(role);
            }
        }
        let roles: Vec<RoleId> =
            if joint.len() == choosing.len() { choosing } else { game.roles().collect() };
        if joint.len() != roles.len() {
            return Ok(joint.to_vec());
        }
        let mut out = Vec::new();
        for (role, word) in roles.iter().zip(joint) {
            let legal = self.position.legal_texts(*role)?;
            let name = game.role_name(*role);
            let action = match word.parse::<usize>() {
                // A game may have numbers for moves; these come first.
                Ok(_) if legal.contains(word) => word,
                Ok(number) => number.checked_sub(1).and_then(|i| legal.get(i)).ok_or_else(|| {
                    Failure::input(format!("{name} has moves 1 to {}, not {number}", legal.len()))
                })?,
                Err(_) => word,
            };
            out.push(format!("{name}={action}"));
        }
        Ok(out)
    }

    /// Shows what a role can know by what it was told on the way here.
    fn know(&self, name: &str, context: &mut Context) -> Result<(), Failure> {
        if self.position.history().state_at(0) != Some(self.game.initial()) {
            return Err(Failure::input(
                "a role knows what it was told since the initial state, and this is another",
            )
            .hint("begin with `--moves` instead of `--facts`"));
        }
        let role = role_that_knows(&self.game, Some(name).filter(|name| !name.is_empty()))?;
        let mut belief = self.game.seat(role).belief(options_for(MOST_STATES, self.seed));
        let is_open = self.game.program().has_perfect_information();
        let mut walk = self.position.clone();
        for step in 0..self.position.step() {
            // Every step up to this one is there.
            let (true, Some(joint)) = (walk.jump(step + 1), self.position.joint(step)) else { break };
            belief.observe(&match is_open {
                true => News::Joint(joint),
                false => {
                    News::Percepts { action: joint[role.index()], percepts: walk.percepts(role).to_vec() }
                }
            });
        }
        let known = Known::of(&self.game, &mut belief, context)?;
        let text = known.text(&self.game, &belief, false, context);
        context.console.write_all(text.as_bytes())?;
        Ok(())
    }

    fn reasoning(&self, before_last_step: bool) -> Result<Reasoning, Failure> {
        let game = self.position.rules();
        if game.dialect().has_steps() {
            return Reasoning::of_steps(&self.position, None);
        }
        let step = self.position.step();
        let before = step.checked_sub(1).filter(|_| before_last_step);
        let given = match before {
            Some(before) => {
                let state = self.position.history().state_at(before).unwrap_or(self.position.state());
                game.given(state, self.position.joint(before).as_deref())
            }
            None => game.given(self.position.state(), None),
        };
        Ok(Reasoning::of(Arc::clone(game.program()), game.notation(), given))
    }

    fn why(&self, text: &str, context: &mut Context) -> Result<(), Failure> {
        let game = self.position.rules();
        if game.dialect().has_steps() {
            let reasoning = self.reasoning(false)?;
            let query = read_query(reasoning.game(), text, reasoning.notation)?;
            return explain_to(context, &reasoning, query);
        }
        let mut query = read_query(game.program(), text, game.notation())?;
        let before = ask_for_cause(&mut query, game.program(), self.position.step() == 0);
        explain_to(context, &self.reasoning(before)?, query)
    }

    fn query(&self, text: &str, context: &mut Context) -> Result<(), Failure> {
        let reasoning = self.reasoning(false)?;
        let query = read_query(reasoning.game(), text, reasoning.notation)?;
        answer_to(context, &reasoning, &query)
    }
}

fn count(text: &str) -> Result<usize, Failure> {
    if text.is_empty() {
        return Ok(1);
    }
    text.parse().map_err(|_| Failure::input(format!("`{text}` is not a number of steps")))
}
