//! The cases of the new game: what its rules are to do, found by playing it.

use ludex_game::{GameError, MoveError, Position, Rules};
use ludex_gdl::Notation;

use super::answers::{AnswerError, Answers, Pieces, Shape, Turns};
use crate::engine::Engine;
use crate::face::{Game, GameOptions, LoadError};

/// Why cases of a new game cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum CasesError {
    /// The rules cannot be written.
    #[error(transparent)]
    Answers(#[from] AnswerError),
    /// The rules cannot be run.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A question about the game has no answer within the limits.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A course that was recorded cannot be made again.
    #[error(transparent)]
    Move(#[from] MoveError),
}

/// How many random games are played to find courses in which players win.
const GAMES: u64 = 400;
/// How many steps these games may have together.
const STEPS: u64 = 12_000;
/// How many states and moves may be gone through to find out that there are few.
const WORK: u64 = 100_000;
/// The longest line, where it can be broken.
const WIDTH: usize = 100;

impl Answers {
    /// The cases, for a rulesheet in this file.
    ///
    /// # Errors
    /// Answers do not go together, or the budget of the options is at its end.
    pub fn cases(&self, file: &str, options: &GameOptions) -> Result<String, CasesError> {
        let options = GameOptions { engine: Engine::Rules, ..options.clone() };
        let game = Game::parse(file, &self.rules()?, &options)?;
        let rules = game.rules();
        let mut out = format!(
            "# What is to be so in {}. `ludex test {file}` finds out whether it is.\n\
             # Write a case for whatever you change: what is legal then, what moves do, who wins.\n",
            self.name()
        );
        self.start(rules, &mut out)?;
        self.first_step(rules, &mut out)?;
        self.courses(rules, &mut out)?;
        self.always(&mut out);
        out.push_str(match self.is_small(rules) {
            true => "\ncase the game goes on until it ends\n  ends\n  playable\n",
            false => {
                "\n# The game is too large to go through all its states in a moment. These lines may take minutes:\n\
                 # case the game goes on until it ends\n#   ends\n#   playable\n"
            }
        });
        Ok(out)
    }

    fn start(&self, rules: &Rules, out: &mut String) -> Result<(), CasesError> {
        out.push_str("\ncase the start\n  not terminal\n");
        let start = rules.start();
        for role in rules.roles() {
            let moves = start.legal_texts(role)?;
            let (name, few) = (rules.role_name(role), moves.len().min(4));
            let all = if few == moves.len() { "all " } else { "" };
            out.push_str(&format!("  {all}legal {name} {}\n", moves[..few].join(", ")));
        }
        let rows = rules.perft(1, rules.question_budget())?;
        let paths = rows.last().map_or(0, |row| row.paths);
        out.push_str(&format!("  perft 1 {paths}\n"));
        Ok(())
    }

    /// The first step of a random game, with what it changes.
    fn first_step(&self, rules: &Rules, out: &mut String) -> Result<(), CasesError> {
        let mut position = replayed(rules, 1, 1)?;
        let after = position.fact_texts();
        let joints = joints(&position, rules);
        position.back();
        let before = position.fact_texts();
        out.push_str(&format!("\ncase a first step\n  moves {}\n", joints.join("; ")));
        for (what, facts, others) in [("true", &after, &before), ("not true", &before, &after)] {
            let different: Vec<&str> =
                facts.iter().filter(|fact| !others.contains(fact)).map(String::as_str).collect();
            if !different.is_empty() {
                broken(out, &format!("  {what} "), &different, ", ");
            }
        }
        Ok(())
    }

    /// For each player the shortest course in random games at whose end it has won.
    fn courses(&self, rules: &Rules, out: &mut String) -> Result<(), CasesError> {
        let seats = rules.seats();
        let mut best: Vec<Option<(u32, u64)>> = vec![None; seats.len()];
        let mut steps = 0;
        for seed in 1..=GAMES {
            let playout = rules.random_playout(rules.initial(), seed, u32::MAX)?;
            steps += u64::from(playout.steps);
            for (seat, best) in seats.iter().zip(&mut best) {
                let has_won = playout.goals.get(seat.index()) == Some(&Some(100));
                if has_won && best.is_none_or(|(steps, _)| playout.steps < steps) {
                    *best = Some((playout.steps, seed));
                }
            }
            if steps > STEPS {
                break;
            }
        }
        for (&seat, best) in seats.iter().zip(best) {
            let name = rules.role_name(seat);
            let Some((steps, seed)) = best else {
                out.push_str(&format!(
                    "\n# In random games {name} did not win. A course in which it does makes a good case:\n\
                     # case {name} can win\n#   wins {name} ...\n"
                ));
                continue;
            };
            out.push_str(&format!("\ncase {name} can win\n"));
            let joints = joints(&replayed(rules, seed, steps)?, rules);
            let joints: Vec<&str> = joints.iter().map(String::as_str).collect();
            broken(out, &format!("  wins {name} "), &joints, "; ");
        }
        Ok(())
    }

    /// What holds in all states, whatever is played.
    fn always(&self, out: &mut String) {
        let mut lines: Vec<(&str, &str)> = Vec::new();
        if self.shape != Shape::None {
            lines.push((
                "never (true (cell ?x ?y ?c)) (true (cell ?x ?y ?d)) (distinct ?c ?d)",
                "never true(cell(X,Y,C)) & true(cell(X,Y,D)) & distinct(C,D)",
            ));
        }
        if self.turns == Turns::Alternating {
            lines.push((
                "never (true (control ?r)) (true (control ?q)) (distinct ?r ?q)",
                "never true(control(R)) & true(control(Q)) & distinct(R,Q)",
            ));
        }
        if self.has_points() {
            lines.push((
                "never (true (score ?r ?m)) (true (score ?r ?n)) (distinct ?m ?n)",
                "never true(score(R,M)) & true(score(R,N)) & distinct(M,N)",
            ));
        }
        if self.shape != Shape::None && self.pieces == Pieces::Place {
            lines.push((
                "after (true (cell ?x ?y ?c)) (distinct ?c empty) : (not (true (cell ?x ?y empty)))",
                "after true(cell(X,Y,C)) & distinct(C,empty) : ~true(cell(X,Y,empty))",
            ));
        }
        if !lines.is_empty() {
            out.push_str("\ncase what is always so\n");
        }
        for (prefix, infix) in lines {
            let line = if self.notation() == Notation::Prefix { prefix } else { infix };
            out.push_str(&format!("  {line}\n"));
        }
    }

    /// Whether all states can be gone through with little work.
    fn is_small(&self, rules: &Rules) -> bool {
        let (width, height) = self.size;
        let longest = self.limit().unwrap_or(width * height) + 1;
        rules.perft(longest, &rules.question_budget().clone().with_work(WORK)).is_ok()
    }
}

/// A random game after so many steps.
fn replayed(rules: &Rules, seed: u64, steps: u32) -> Result<Position, CasesError> {
    let trace = rules.record_playouts(1, seed, steps)?;
    let mut position = rules.start();
    for step in trace.steps.iter().filter_map(|step| step.joint.as_ref()) {
        position.play_joint(step)?;
    }
    Ok(position)
}

/// The joint moves up to a position, as they are written in cases.
fn joints(position: &Position, rules: &Rules) -> Vec<String> {
    position.joints().iter().map(|joint| rules.texts(joint).join(" ")).collect()
}

/// Texts after each other on lines that are not too long.
fn broken(out: &mut String, start: &str, texts: &[&str], separator: &str) {
    let mut line = start.to_owned();
    for (at, text) in texts.iter().enumerate() {
        let end = if at + 1 < texts.len() { separator } else { "" };
        if line.chars().count() + text.chars().count() > WIDTH && at > 0 {
            out.push_str(line.trim_end());
            out.push('\n');
            line = "    ".to_owned();
        }
        line.push_str(text);
        line.push_str(end);
    }
    out.push_str(&line);
    out.push('\n');
}
