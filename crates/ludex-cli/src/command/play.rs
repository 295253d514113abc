//! `ludex play`: a match between players and people.

mod human;
mod learned;
mod own_clock;
mod real_time;
mod solving;
mod thoughts;

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ludex::game::RoleId;
use ludex::gdl::GameTime;
use ludex::players::{Opponents, Player, Registry, Resources};
use ludex::{Game, Match, MatchSetup, MatchStatus, Playable, Table, introductions};

use crate::Context;
use crate::clock::unix_milliseconds;
use crate::command::shown::Shown;
use crate::failure::Failure;
use crate::limits::{Limits, duration, size, thread_count};
use crate::output::write_file;
use crate::picture::Picture;
use crate::player_text::{
    DEFAULT_PLAY_CLOCK, DEFAULT_START_CLOCK, HUMAN, player_or_human_text, takes_its_time,
};
use crate::prompt::Prompt;
use crate::remembering::registry_with_memory;
use crate::rulesheet::LoadArguments;
use crate::time_arguments::TimeArguments;
use human::Human;
use learned::LearnedArguments;
use own_clock::OwnClock;
use thoughts::show_thoughts;

/// Arguments of `play`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex play connect-four --all random
  ludex play connect-four --player red=human --player yellow=random
  ludex play reversi --seed 7 --record match.json --quiet
  ludex play tic-tac-toe --player white=uct:c=0.8 --play-clock 200ms --verbose
  ludex play connect-four --all ludex --bank 10s --increment 100ms
  ludex play tic-tac-toe --solve
  ludex play tic-tac-toe --learned matches.jsonl --player white=uct --learned-role white

PLAYER is human or one of the strategies that `ludex players` lists, with options
if need be: NAME:OPTION=VALUE. Roles that are not named play at random. A human
answers with the number or the text of a move; `quit` ends the match.
Where a player searches (all but legal, random and human do) and no clock is given,
it has 10s to get ready and 1s for each move; humans have all the time they want. With
--bank the time for all moves is that, for humans, too, and --play-clock for each move
no limit unless it is given. With --time-cost F each role gets its goal less F for each
second of its thinking, and never less than 0.
In GDL-II a player gets its own move and percepts only: a human is shown what is
known, and the moves that are legal in every state that fits.
--json: the match record alone, as --record writes it. With --solve: an object with
game, rulesheet_sha256, notion, reason, values (by role), variation, nodes,
table_states, table_bytes.
Exit codes of --solve: 0 solved, 3 not decided within the limits (--max-time), or, where
roles do not see everything (GDL-II), because the game is not small enough.")]
pub struct PlayArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// Who plays a role; may be given for several roles
    #[arg(long, short, value_name = "ROLE=PLAYER", value_parser = seat)]
    player: Vec<(String, String)>,

    /// Who plays the roles that --player does not name
    #[arg(long, value_name = "PLAYER", default_value = "random", value_parser = player_or_human_text)]
    all: String,

    /// The time to get ready (30s)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    start_clock: Option<Duration>,

    /// The time for each move (10s)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    play_clock: Option<Duration>,

    /// The memory of each player for trees and tables (512M, 4G); 1G where it is not given, and less where
    /// more than a few play
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<usize>,

    /// Remember in this file what is learned of games and opponents, from match to match; see `ludex memory`.
    /// Players by --learned rules remember nothing: their rules may be wrong
    #[arg(long, value_name = "FILE")]
    memory_file: Option<String>,

    /// How many threads each player may use
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count())]
    threads: u16,

    /// Let players think while others are asked
    #[arg(long)]
    ponder: bool,

    /// Decides all chances; another number each time where it is not given
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Stop after so many steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    step_limit: u32,

    /// In real time: how long each message is on its way, in units of game time
    #[arg(long, value_name = "UNITS", default_value = "0", value_parser = real_time::game_time)]
    delay: GameTime,

    /// In real time: stop when the game has lasted so long, in units of game time
    #[arg(long, value_name = "UNITS", default_value = "1000", value_parser = real_time::game_time)]
    game_time: GameTime,

    /// Wait between steps, to watch (500ms)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pause: Option<Duration>,

    /// Write the match record to this file
    #[arg(long, value_name = "FILE")]
    record: Option<String>,

    /// Write the top of the search tree to this file after each move, for Graphviz
    #[arg(long, value_name = "FILE")]
    tree_dot: Option<String>,

    /// Show what players say about each move: values, visits, what they expect
    #[arg(long, short, conflicts_with_all = ["quiet", "json"])]
    verbose: bool,

    /// Do not play, but say what the game is worth with best play. What roles want: paranoid
    /// (to keep the others low), max-n (their own goal) or coalition (all against one)
    #[arg(long, value_name = "OPPONENTS", num_args = 0..=1, require_equals = true,
          default_missing_value = "paranoid", value_parser = opponents)]
    solve: Option<Opponents>,

    /// With --solve: begin in the state after these joint moves, or with a leading @ those of a file
    #[arg(long, value_name = "MOVES", requires = "solve")]
    moves: Option<String>,

    /// Print the result only
    #[arg(long, short)]
    quiet: bool,

    /// Print the match record alone
    #[arg(long, conflicts_with = "quiet")]
    json: bool,

    #[command(flatten)]
    time: TimeArguments,

    #[command(flatten)]
    learned: LearnedArguments,

    #[command(flatten)]
    load: LoadArguments,
}

impl PlayArguments {
    /// What a player may use.
    fn resources(&self, seed: u64, players: usize, limits: &Limits) -> Resources {
        let memory = limits.memory_of_players(self.memory, players);
        Resources { seed, memory, threads: usize::from(self.threads), ..Resources::default() }
    }
}

/// A tree is drawn with so many nodes at most, so that it can still be looked at.
const DRAWN_NODES: usize = 60;

fn opponents(text: &str) -> Result<Opponents, String> {
    text.parse().map_err(|()| "opponents are paranoid, max-n or coalition".to_owned())
}

fn seat(text: &str) -> Result<(String, String), String> {
    let (role, player) = text.split_once('=').ok_or("a role and a player are written red=random")?;
    Ok((role.to_owned(), player_or_human_text(player)?))
}

/// Plays.
pub fn run(arguments: &PlayArguments, context: &mut Context) -> Result<(), Failure> {
    if let Some(opponents) = arguments.solve {
        return solving::run(arguments, opponents, context);
    }
    let game = match arguments.load.playable(&arguments.file, true, context)? {
        Playable::InSteps(game) => game,
        Playable::InTime(_) if arguments.learned.is_given() => {
            return Err(Failure::Usage("no rules of games in real time are learned from records".into()));
        }
        Playable::InTime(rules) => return real_time::run(arguments, &rules, context),
    };
    let seats = game.seats();
    let names = seating(&game, &seats, arguments)?;
    let humans = names.iter().any(|name| name == HUMAN);
    if humans && arguments.json {
        return Err(Failure::Usage("`--json` leaves no room for a human to be asked".into()));
    }
    let clocks = Clocks::new(arguments, &names);
    let registry = registry_with_memory(arguments.memory_file.as_deref())?;
    let now = unix_milliseconds();
    let seed = arguments.seed.unwrap_or(now);
    let threads = usize::from(arguments.threads);
    let learners = arguments.learned.learners(&game, (&seats, &names), (seed, threads), context)?;
    let titles: Vec<String> =
        seats.iter().zip(&names).map(|(&role, name)| learners.title(role, name)).collect();
    let setup = MatchSetup {
        id: format!("{}.{seed}.{now}", game.short_name()),
        seed,
        start_clock: clocks.start,
        play_clock: clocks.play,
        bank: arguments.time.bank(),
        time_cost: arguments.time.time_cost,
        step_limit: Some(arguments.step_limit),
        start_time: Some(now),
        player_names: titles.clone(),
    };
    let picture =
        (!arguments.json && !arguments.quiet || humans).then(|| Picture::new(game.rules(), context));
    let picture = picture.map(Arc::new);
    let left = Arc::new(AtomicBool::new(false));
    let prompt = Arc::new(Mutex::new(Prompt::new()));
    let mut seated: Vec<Box<dyn Player>> = Vec::new();
    for (&role, name) in seats.iter().zip(&names) {
        let seed = setup.player_seed(role);
        seated.push(match &picture {
            Some(picture) if name == HUMAN => Box::new(Human::new(
                game.clone(),
                seed,
                Arc::clone(picture),
                Arc::clone(&prompt),
                Arc::clone(&left),
                context,
            )),
            _ => {
                let resources = arguments.resources(seed, names.len(), &context.limits);
                match learners.player(role, name, &resources) {
                    Some(player) => clocks.kept_by(name, player, context),
                    None => clocks.seated(name, &registry, &resources, context)?,
                }
            }
        });
    }
    let clock = context.limits.clock.clone();
    let budget = context.limits.budget().clone();
    let table = Table::new(&game, setup, seated, Some(clock), budget);
    let table = table.map_err(|e| Failure::input(e.to_string()))?.with_pondering(arguments.ponder);
    let mut table = table.with_introductions(introductions(&game, &names, None));
    let picture = picture.filter(|_| !arguments.quiet);
    let shown = Shown { picture, alone: !humans };
    if !arguments.json && !arguments.quiet {
        let console = &mut context.console;
        let seats: Vec<String> =
            seats.iter().zip(&titles).map(|(&r, n)| format!("{} {n}", game.role_name(r))).collect();
        writeln!(console, "{}: {} (seed {seed})", console.bold(game.short_name()), seats.join(", "))?;
        console.flush()?;
    }
    let mut drawn = false;
    table.prepare();
    shown.state(game.rules(), table.referee().history().state(), context)?;
    loop {
        context.console.flush()?;
        context.limits.budget().meter().check()?;
        if table.step()?.is_none() {
            break;
        }
        if left.load(Ordering::Relaxed) {
            table.referee_mut().abort("a player left");
            break;
        }
        if let (Some(file), Some((_, dot))) = (&arguments.tree_dot, table.tree_dot(DRAWN_NODES)) {
            write_file(file, &dot)?;
            drawn = true;
        }
        show_step(&shown, &table, arguments.verbose, context)?;
        if let Some(pause) = arguments.pause {
            context.console.flush()?;
            std::thread::sleep(pause);
        }
    }
    let left = left.load(Ordering::Relaxed);
    finish(arguments, table.referee(), &shown, left, context)?;
    match &arguments.tree_dot {
        Some(file) if !drawn => {
            Err(Failure::input(format!("nothing was written to `{file}`: no player has a tree to draw")))
        }
        _ => Ok(()),
    }
}

/// Shows the last step, what players say about it, and the state after it.
fn show_step(shown: &Shown, table: &Table, thoughts: bool, context: &mut Context) -> Result<(), Failure> {
    let referee = table.referee();
    let (game, steps) = (referee.rules(), referee.steps());
    if let Some(step) = steps.last() {
        shown.moves(game, steps.len(), step, context)?;
        if thoughts && shown.is_open(game) {
            show_thoughts(table, context)?;
        }
    }
    shown.state(game, referee.history().state(), context)
}

/// The clocks of a match.
struct Clocks {
    /// Of the match, and so of everybody.
    start: Option<Duration>,
    play: Option<Duration>,
    /// What programs are held to where the match has no clock.
    own: Option<(Duration, Duration)>,
}

impl Clocks {
    /// Players that search need a clock. People do not: at a table with them, the others keep a clock of
    /// their own unless the match was given one.
    fn new(arguments: &PlayArguments, names: &[String]) -> Self {
        let (start, play) = (arguments.start_clock, arguments.play_clock);
        let whole = arguments.time.bank.unwrap_or(DEFAULT_PLAY_CLOCK);
        let default = (start.unwrap_or(DEFAULT_START_CLOCK), play.unwrap_or(whole));
        if !names.iter().any(|name| takes_its_time(name)) {
            return Self { start, play, own: None };
        }
        if arguments.time.bank.is_none() && names.iter().any(|name| name == HUMAN) {
            return Self { start, play, own: Some(default) };
        }
        Self { start: Some(default.0), play: Some(default.1), own: None }
    }

    /// A player that keeps to these clocks.
    fn seated(
        &self,
        name: &str,
        registry: &Registry,
        resources: &Resources,
        context: &Context,
    ) -> Result<Box<dyn Player>, Failure> {
        let player = registry.create(name, resources).map_err(|e| Failure::Usage(e.to_string()))?;
        Ok(self.kept_by(name, player, context))
    }

    /// The same of a player that is there.
    fn kept_by(&self, name: &str, player: Box<dyn Player>, context: &Context) -> Box<dyn Player> {
        match self.own {
            Some((start, play)) if takes_its_time(name) => {
                Box::new(OwnClock { player, clock: context.limits.clock.clone(), start, play })
            }
            _ => player,
        }
    }
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

fn finish(
    arguments: &PlayArguments,
    referee: &Match,
    shown: &Shown,
    left: bool,
    context: &mut Context,
) -> Result<(), Failure> {
    let record = referee.record();
    if let Some(file) = &arguments.record {
        write_file(file, &format!("{}\n", record.write()))?;
    }
    if arguments.json {
        writeln!(context.console, "{}", record.write())?;
    } else {
        shown.result(referee, left, context)?;
    }
    // Who sets a limit, or leaves, gets what was asked for.
    let wanted = left || referee.steps().len() >= arguments.step_limit as usize;
    match referee.status() {
        MatchStatus::Aborted(_) if !wanted => Err(Failure::Reported),
        _ => Ok(()),
    }
}
