//! `ludex bench --belief`: how fast a role works out which states are possible.

use std::io::Write;
use std::time::Duration;

use ludex::engines::LaneOptions;
use ludex::game::{ActionId, Rng, RoleId, Runner};
use ludex::players::{BeliefError, BeliefOptions, News};
use ludex::{Engine, Game};
use serde::Serialize;

use super::{BenchArguments, BenchEngine, Way, backend, lanes_text, per_second, prepare, round};
use crate::Context;
use crate::console::table;
use crate::failure::Failure;
use crate::limits::{duration_text, grouped};

/// Joint moves that are tried for each state that is kept.
const EXPANSIONS: usize = 10;

/// What was measured, over all steps of all matches.
#[derive(Debug, Default, Serialize)]
struct Figures {
    game: String,
    role: String,
    engine: String,
    backend: &'static str,
    lanes: u32,
    limit: usize,
    matches: u64,
    steps: u64,
    /// Steps after which all possible states were known.
    exact_steps: u64,
    /// Steps after which no state was found that fits.
    lost_steps: u64,
    mean_states: f64,
    state_changes: u64,
    seconds: f64,
    state_changes_per_s: f64,
}

/// Follows what a role is told in random matches.
pub(super) fn run(arguments: &BenchArguments, name: &str, context: &mut Context) -> Result<(), Failure> {
    let engine = match arguments.engine {
        BenchEngine::All => {
            return Err(Failure::Usage("--belief measures one engine at a time".to_owned()));
        }
        // A net follows beliefs in lanes too, but in those that it chooses itself.
        BenchEngine::One(Engine::Auto) if arguments.net.lane_options() != LaneOptions::default() => {
            Engine::Lanes
        }
        BenchEngine::One(engine) => engine,
    };
    let mut way = prepare(arguments, engine, context)?;
    way.engine = way.game.engine();
    way.program = match way.engine {
        Engine::Lanes => way.program,
        _ => way.game.lanes(LaneOptions::default()),
    };
    let game = &way.game;
    if game.program().has_perfect_information() {
        return Err(Failure::Usage(format!("in {} all roles know the state: it is no GDL-II", game.name())));
    }
    let role = role(game, name)?;
    let figures = measure(&way, role, arguments, context)?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&figures)?;
        writeln!(context.console, "{text}")?;
    } else {
        show(&figures, context)?;
    }
    Ok(())
}

/// The role of a name; the first that plays where there is none.
fn role(game: &Game, name: &str) -> Result<RoleId, Failure> {
    let mut playing = game.signature().role_ids().filter(|&role| Some(role) != game.signature().random());
    let found =
        if name.is_empty() { playing.next() } else { playing.find(|&role| game.role_name(role) == name) };
    found.ok_or_else(|| {
        Failure::Usage(format!("no role `{name}` plays; the roles are {}", game.role_names().join(", ")))
    })
}

fn measure(
    way: &Way,
    role: RoleId,
    arguments: &BenchArguments,
    context: &Context,
) -> Result<Figures, Failure> {
    let (game, limits) = (&way.game, &context.limits);
    let mut rng = Rng::from_seed(arguments.seed);
    let mut figures = Figures {
        game: game.short_name().to_owned(),
        role: game.role_name(role).to_owned(),
        engine: way.engine.to_string(),
        backend: way.program.as_ref().map_or("interpreter", |program| backend(program)),
        lanes: way.program.as_ref().map_or(1, |program| program.width().lanes() as u32),
        limit: arguments.states,
        ..Figures::default()
    };
    let (mut states, mut spent) = (0, Duration::ZERO);
    while spent < arguments.seconds {
        let options = BeliefOptions {
            limit: arguments.states,
            expansions: arguments.states.saturating_mul(EXPANSIONS),
            drawn_by_machine: true,
            seed: rng.bits(),
            ..BeliefOptions::default()
        };
        let mut belief = game.seat(role).belief(options);
        let mut played = RandomMatch::new(game, context);
        while let Some(news) = played.step(role, &mut rng)? {
            belief.observe(&news);
            let begun = limits.now();
            let updated = belief.update(limits.budget());
            spent += limits.now().saturating_sub(begun);
            figures.steps += 1;
            match updated {
                Ok(()) => figures.exact_steps += u64::from(belief.is_exact()),
                Err(BeliefError::Lost) => figures.lost_steps += 1,
                Err(BeliefError::Game(error)) => return Err(error.into()),
                Err(other) => return Err(Failure::input(other.to_string())),
            }
            states += belief.states().len();
            if spent >= arguments.seconds || updated.is_err() {
                break;
            }
            let part = spent.as_millis() as u64;
            limits.budget().report("following", part, Some(arguments.seconds.as_millis() as u64));
        }
        figures.matches += 1;
        figures.state_changes += belief.steps_made();
    }
    figures.mean_states = round(states as f64 / figures.steps.max(1) as f64);
    figures.seconds = round(spent.as_secs_f64());
    figures.state_changes_per_s = per_second(figures.state_changes, spent.as_secs_f64());
    Ok(figures)
}

/// A match of random moves.
struct RandomMatch<'g> {
    game: &'g Game,
    runner: Box<dyn Runner + 'g>,
}

impl<'g> RandomMatch<'g> {
    fn new(game: &'g Game, context: &Context) -> Self {
        Self { game, runner: game.machine().runner(context.limits.budget()) }
    }

    /// Makes a random joint move; what the role is told, or nothing where the match is over.
    fn step(&mut self, role: RoleId, rng: &mut Rng) -> Result<Option<News>, Failure> {
        if self.runner.terminal()? {
            return Ok(None);
        }
        let mut joint: Vec<ActionId> = Vec::new();
        for role in self.game.signature().role_ids() {
            match rng.pick(self.runner.legal(role)?) {
                Some(&action) => joint.push(action),
                None => return Ok(None),
            }
        }
        self.runner.step_legal(&joint)?;
        let action = self.game.signature().action(joint[role.index()]);
        Ok(Some(News::Percepts { action, percepts: self.runner.percepts(role).to_vec() }))
    }
}

fn show(figures: &Figures, context: &mut Context) -> Result<(), Failure> {
    let console = &mut context.console;
    let lanes = lanes_text(figures.lanes);
    writeln!(
        console,
        "{}  what {} knows, engine {} ({}), {lanes}1 thread, {}",
        console.bold(&figures.game),
        figures.role,
        figures.engine,
        figures.backend,
        duration_text(Duration::from_secs_f64(figures.seconds)),
    )?;
    let whole = |number: f64| grouped(number as u128);
    let rate = |count: u64| whole(per_second(count, figures.seconds));
    let rows = vec![
        ["", "IN ALL", "PER SECOND"].map(str::to_owned).to_vec(),
        vec![
            "state changes".into(),
            grouped(figures.state_changes.into()),
            whole(figures.state_changes_per_s),
        ],
        vec!["steps of matches".into(), grouped(figures.steps.into()), rate(figures.steps)],
    ];
    let text = table(console, &rows, &[false, true, true]);
    console.write_all(text.as_bytes())?;
    writeln!(console, "matches        {}", grouped(figures.matches.into()))?;
    writeln!(console, "states kept    {:.1} in the mean, {} at most", figures.mean_states, figures.limit)?;
    writeln!(console, "all known      after {} of {} steps", figures.exact_steps, figures.steps)?;
    if figures.lost_steps > 0 {
        writeln!(console, "lost           after {} steps no state was found that fits", figures.lost_steps)?;
    }
    Ok(())
}
