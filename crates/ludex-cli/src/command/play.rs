//! `ludex play`: a match between players and people.

mod human;

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ludex::game::RoleId;
use ludex::players::{self, Player, Resources};
use ludex::{Game, Match, MatchSetup, MatchStatus, Table};

use crate::Context;
use crate::clock::unix_milliseconds;
use crate::engine_arguments::EngineArguments;
use crate::failure::Failure;
use crate::limits::duration;
use crate::picture::Picture;
use crate::prompt::Prompt;
use crate::rulesheet::{ReadArguments, load_game, reason};
use human::Human;

/// Arguments of `play`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex play connect-four --all random
  ludex play connect-four --player red=human --player yellow=random
  ludex play reversi --seed 7 --record match.json --quiet

PLAYER is legal (the first legal move), random, or human. Roles that are not named play at
random. A human answers with the number or the text of a move; `quit` ends the match.
In GDL-II a player gets its own move and percepts only: a human is shown what is known, and
the moves that are legal in every state that fits.
--json: the match record alone, as --record writes it.")]
pub struct PlayArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// Who plays a role; may be given for several roles
    #[arg(long, short, value_name = "ROLE=PLAYER", value_parser = seat)]
    player: Vec<(String, String)>,

    /// Who plays the roles that --player does not name
    #[arg(long, value_name = "PLAYER", default_value = "random", value_parser = player_name)]
    all: String,

    /// The time to get ready (30s)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    start_clock: Option<Duration>,

    /// The time for each move (10s)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    play_clock: Option<Duration>,

    /// Decides all chances; another number each time where it is not given
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Stop after so many steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    step_limit: u32,

    /// Wait between steps, to watch (500ms)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pause: Option<Duration>,

    /// Write the match record to this file
    #[arg(long, value_name = "FILE")]
    record: Option<String>,

    /// Print the result only
    #[arg(long, short)]
    quiet: bool,

    /// Print the match record alone
    #[arg(long, conflicts_with = "quiet")]
    json: bool,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    engine: EngineArguments,
}

const HUMAN: &str = "human";

fn player_name(name: &str) -> Result<String, String> {
    let known = players::strategies().iter().map(|s| s.name).chain([HUMAN]);
    if known.clone().any(|k| k == name) {
        return Ok(name.to_owned());
    }
    Err(format!("the players are {}", known.collect::<Vec<_>>().join(", ")))
}

fn seat(text: &str) -> Result<(String, String), String> {
    let (role, player) = text.split_once('=').ok_or("a role and a player are written red=random")?;
    Ok((role.to_owned(), player_name(player)?))
}

/// Plays.
pub fn run(arguments: &PlayArguments, context: &mut Context) -> Result<(), Failure> {
    let game = load_game(&arguments.file, &arguments.read, &arguments.engine, true, context)?;
    let seats = game.seats();
    let names = seating(&game, &seats, arguments)?;
    let humans = names.iter().any(|name| name == HUMAN);
    if humans && arguments.json {
        return Err(Failure::Usage("`--json` leaves no room for a human to be asked".into()));
    }
    let now = unix_milliseconds();
    let seed = arguments.seed.unwrap_or(now);
    let setup = MatchSetup {
        id: format!("{}.{seed}.{now}", game.short_name()),
        seed,
        start_clock: arguments.start_clock,
        play_clock: arguments.play_clock,
        step_limit: Some(arguments.step_limit),
        start_time: Some(now),
        player_names: names.clone(),
    };
    let picture = (!arguments.json && !arguments.quiet || humans).then(|| Picture::new(&game, context));
    let picture = picture.map(Arc::new);
    let left = Arc::new(AtomicBool::new(false));
    let prompt = Arc::new(Mutex::new(Prompt::new()));
    let mut seated: Vec<Box<dyn Player>> = Vec::new();
    for (&role, name) in seats.iter().zip(&names) {
        seated.push(match &picture {
            Some(picture) if name == HUMAN => Box::new(Human::new(
                game.clone(),
                setup.player_seed(role),
                Arc::clone(picture),
                Arc::clone(&prompt),
                Arc::clone(&left),
                context,
            )),
            _ => players::create(name, &Resources::from_seed(setup.player_seed(role)))
                .map_err(|e| Failure::Usage(e.to_string()))?,
        });
    }
    let referee = Match::new(game.clone(), setup)?;
    let clock = context.limits.clock.clone();
    let budget = context.limits.budget().clone();
    let mut table =
        Table::new(referee, seated, Some(clock), budget).map_err(|e| Failure::input(e.to_string()))?;
    let shown = Shown { picture: picture.filter(|_| !arguments.quiet), alone: !humans };
    if !arguments.json && !arguments.quiet {
        let console = &mut context.console;
        let seats: Vec<String> =
            seats.iter().zip(&names).map(|(&r, n)| format!("{} {n}", game.role_name(r))).collect();
        writeln!(console, "{}: {} (seed {seed})", console.bold(game.short_name()), seats.join(", "))?;
    }
    table.prepare();
    shown.state(&table, context)?;
    loop {
        context.console.flush()?;
        if table.step()?.is_none() {
            break;
        }
        if left.load(Ordering::Relaxed) {
            table.referee_mut().abort("a player left");
            break;
        }
        shown.step(&table, context)?;
        if let Some(pause) = arguments.pause {
            context.console.flush()?;
            std::thread::sleep(pause);
        }
    }
    let left = left.load(Ordering::Relaxed);
    finish(arguments, table.referee(), &shown, left, context)
}

/// Who plays each seat.
fn seating(game: &Game, seats: &[RoleId], arguments: &PlayArguments) -> Result<Vec<String>, Failure> {
    let mut names = vec![arguments.all.clone(); seats.len()];
    for (role, player) in &arguments.player {
        let known = || seats.iter().map(|&r| game.role_name(r)).collect::<Vec<_>>().join(", ");
        let Some(id) = game.find_role(role) else {
            return Err(Failure::Usage(format!("there is no role `{role}`; the roles are {}", known())));
        };
        let Some(at) = seats.iter().position(|&seat| seat == id) else {
            return Err(Failure::Usage(format!(
                "`{role}` moves by chance; the players' roles are {}",
                known()
            )));
        };
        names[at].clone_from(player);
    }
    Ok(names)
}

/// How the match is shown.
struct Shown {
    picture: Option<Arc<Picture>>,
    /// Nobody at the table could see too much.
    alone: bool,
}

impl Shown {
    fn state(&self, table: &Table, context: &mut Context) -> Result<(), Failure> {
        let Some(picture) = self.picture.as_ref().filter(|_| self.alone) else { return Ok(()) };
        let referee = table.referee();
        let text = picture.draw(referee.game(), referee.history().state());
        context.console.write_all(text.as_bytes())?;
        Ok(())
    }

    fn step(&self, table: &Table, context: &mut Context) -> Result<(), Failure> {
        if self.picture.is_none() {
            return Ok(());
        }
        let referee = table.referee();
        let game = referee.game();
        let Some(step) = referee.steps().last() else { return Ok(()) };
        let console = &mut context.console;
        if self.alone {
            let number = console.bold(&format!("step {}", referee.steps().len()));
            let moves: Vec<String> = game
                .roles()
                .zip(&step.joint)
                .map(|(role, &action)| format!("{} {}", game.role_name(role), game.text(action)))
                .collect();
            writeln!(console, "\n{number}  {}", moves.join(", "))?;
            for (role, percepts) in game.roles().zip(&step.percepts) {
                if !percepts.is_empty() {
                    let line = format!("{} sees {}", game.role_name(role), game.texts(percepts).join(", "));
                    writeln!(console, "{}", console.dim(&line))?;
                }
            }
        } else if game.dialect() != ludex::gdl::Dialect::GdlII {
            // Everybody may know everybody's moves; the human is shown the board when asked.
            let moves: Vec<String> = game
                .roles()
                .zip(&step.joint)
                .map(|(role, &action)| format!("{} {}", game.role_name(role), game.text(action)))
                .collect();
            writeln!(console, "{}", console.dim(&format!("made: {}", moves.join(", "))))?;
        }
        for (role, fault) in game.roles().zip(&step.faults) {
            if let Some(fault) = fault {
                writeln!(console, "{}: {fault}; a random move was made", game.role_name(role))?;
            }
        }
        self.state(table, context)
    }
}

fn finish(
    arguments: &PlayArguments,
    referee: &Match,
    shown: &Shown,
    left: bool,
    context: &mut Context,
) -> Result<(), Failure> {
    let game = referee.game();
    let record = referee.record();
    if let Some(file) = &arguments.record {
        std::fs::write(file, format!("{}\n", record.write()))
            .map_err(|e| Failure::input(format!("cannot write `{file}`: {}", reason(&e))))?;
    }
    let console = &mut context.console;
    if arguments.json {
        writeln!(console, "{}", record.write())?;
    } else {
        if let Some(picture) = shown.picture.as_ref().filter(|_| !shown.alone && !left) {
            writeln!(console)?;
            console.write_all(picture.draw(game, referee.history().state()).as_bytes())?;
        }
        let steps = referee.steps().len();
        let plural = if steps == 1 { "" } else { "s" };
        if shown.picture.is_some() {
            writeln!(console)?;
        }
        match referee.status() {
            MatchStatus::Completed => {
                let goals: Vec<String> = game
                    .seats()
                    .into_iter()
                    .map(|role| {
                        let goal = referee.goals().get(role.index()).copied().flatten();
                        let goal = goal.map_or_else(|| "no single goal value".into(), |g| g.to_string());
                        format!("{} {goal}", game.role_name(role))
                    })
                    .collect();
                let result = console.bold(&format!("Result after {steps} step{plural}:"));
                writeln!(console, "{result} {}", goals.join(", "))?;
            }
            MatchStatus::Aborted(cause) if left => writeln!(console, "The match ended early: {cause}")?,
            MatchStatus::Aborted(cause) => {
                writeln!(console, "The match ended early after {steps} step{plural}: {cause}")?;
            }
            MatchStatus::Running => {}
        }
    }
    // Who sets a limit, or leaves, gets what was asked for.
    let wanted = left || referee.steps().len() >= arguments.step_limit as usize;
    match referee.status() {
        MatchStatus::Aborted(_) if !wanted => Err(Failure::Reported),
        _ => Ok(()),
    }
}
