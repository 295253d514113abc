//! `ludex know`: what a role can know of the state by what it was told.

use std::io::Write;

use ludex::Game;
use ludex::game::{Certain, Likelihood, Likely, RoleId};
use ludex::logic::TermId;
use ludex::players::{Belief, BeliefError, BeliefOptions, News};
use serde_json::{Value, json};

use crate::Context;
use crate::console::{Console, table};
use crate::failure::Failure;
use crate::limits::{Limits, grouped};
use crate::moves_text::{split, text_or_file};
use crate::picture::Picture;
use crate::rulesheet::LoadArguments;

/// Arguments of `know`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex know blind-tic-tac-toe --role white --history '(mark 2 2) ok; (mark 1 3)'
  ludex know monty-hall --role candidate --history 'noop; choose(1); noop opened(3)'
  ludex know tic-tac-toe --role o --history 'mark(1,1) noop; noop mark(2,2)'

A history is a list of steps, divided by semicolons or line breaks. In GDL-II each is the
move of the role, and after it all that the role saw; in GDL it is the joint move. Chance
and the other roles are taken to make each legal move with equal likelihood.

Where there are more states than --limit, a sample of them stands for all. What holds in
all of the sample is then certain only where a solver proves that it holds in every state
that fits. For that the rules must be a net (--engine).

--json: an object with role, steps, states, all (whether these are all that are possible),
facts and moves (objects with term, likelihood, states and certain), over (likelihood and
certain), and with --states possible: a list of objects with likelihood and facts.")]
pub struct KnowArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// Whose knowledge; the first role that is not random where it is not given
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    /// What the role did and saw, or with a leading @ a file with it
    #[arg(long, value_name = "STEPS", default_value = "")]
    history: String,

    /// Show the possible states, the likeliest first
    #[arg(long)]
    states: bool,

    /// The most states that are kept
    #[arg(long, value_name = "N", default_value_t = BeliefOptions::default().limit.max(100_000))]
    limit: usize,

    /// Decides which states are kept where there are more
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    load: LoadArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// So many possible states are shown to people.
const SHOWN_STATES: usize = 12;

/// Joint moves that are tried for each state that is kept.
const EXPANSIONS: usize = 20;

/// Says what can be known.
pub fn run(arguments: &KnowArguments, context: &mut Context) -> Result<(), Failure> {
    let game = arguments.load.game(&arguments.file, false, context)?;
    let role = role(&game, arguments.role.as_deref())?;
    let history = read_history(&game, &arguments.history, &context.limits)?;
    let options = BeliefOptions {
        limit: arguments.limit.max(1),
        expansions: arguments.limit.max(1).saturating_mul(EXPANSIONS),
        seed: arguments.seed,
        drawn_by_machine: true,
        ..BeliefOptions::default()
    };
    let mut belief = game.seat(role).belief(options);
    history.iter().for_each(|news| belief.observe(news));
    let known = Known::of(&game, &mut belief, context)?;
    if arguments.json {
        let text = known.json(&game, &belief, arguments.states);
        writeln!(context.console, "{text:#}")?;
    } else {
        let text = known.text(&game, &belief, arguments.states, context);
        context.console.write_all(text.as_bytes())?;
    }
    Ok(())
}

fn role(game: &Game, name: Option<&str>) -> Result<RoleId, Failure> {
    let Some(name) = name else {
        let mut roles = game.signature().role_ids();
        let player = roles.find(|&role| Some(role) != game.signature().random());
        return player.ok_or_else(|| Failure::Usage("the game has no role that plays".to_owned()));
    };
    game.find_role(name).ok_or_else(|| {
        Failure::Usage(format!("there is no role `{name}`; the roles are {}", game.role_names().join(", ")))
    })
}

/// What the role did and saw, step by step.
fn read_history(game: &Game, text: &str, limits: &Limits) -> Result<Vec<News>, Failure> {
    let text = text_or_file(text, limits)?;
    let is_open = game.program().has_perfect_information();
    let mut history = Vec::new();
    for (number, step) in split(&text).into_iter().filter(|step| !step.is_empty()).enumerate() {
        let read = |term: &String| {
            game.read_term(term).map_err(|error| Failure::Usage(format!("step {}: {error}", number + 1)))
        };
        let mut terms = step.iter().map(read).collect::<Result<Vec<TermId>, Failure>>()?;
        let moves = if is_open { terms.len() } else { 1 };
        if let Some(&term) = terms[..moves].iter().find(|&&term| game.signature().find_action(term).is_none())
        {
            let text = game.text(term);
            return Err(Failure::Usage(format!("step {}: `{text}` is not a move of this game", number + 1)));
        }
        history.push(if is_open {
            News::Joint(terms)
        } else {
            let action = terms.remove(0);
            News::Percepts { action, percepts: terms }
        });
    }
    Ok(history)
}

/// The part of the time that proofs may take.
const FOR_PROOFS: f64 = 0.6;

/// What follows from a belief.
struct Known {
    certain: Certain,
    facts: Vec<Likely>,
    moves: Vec<Likely>,
    is_over: Likelihood,
}

impl Known {
    fn of(game: &Game, belief: &mut Belief, context: &Context) -> Result<Self, Failure> {
        let budget = context.limits.budget();
        let found = (|| {
            belief.update(budget)?;
            // First, since what refutes a claim is added to the sample.
            let certain = belief.certain(&budget.clone().with_share_of_time(FOR_PROOFS))?;
            let (facts, moves) = (belief.facts(budget)?, belief.moves(budget)?);
            Ok::<_, BeliefError>(Self { certain, facts, moves, is_over: belief.is_over(budget)? })
        })();
        found.map_err(|error| match error {
            BeliefError::Game(error) => error.into(),
            BeliefError::Impossible => Failure::Usage(format!(
                "no state of {} fits this history: some move was not legal, or something else would have been seen",
                game.name()
            )),
            other => Failure::Usage(other.to_string()),
        })
    }

    fn text(&self, game: &Game, belief: &Belief, states: bool, context: &Context) -> String {
        let role = game.role_name(belief.role());
        let all = if belief.is_exact() { "" } else { " in a sample of those" };
        let count = belief.states().len();
        let s = if count == 1 { "" } else { "s" };
        let over = match (self.certain.is_over, self.is_over.in_all) {
            (true, _) => ": the game is over",
            (false, true) => ": the game is over in all of them",
            (false, false) => "",
        };
        let mut text = format!(
            "{role} holds {} state{s}{all} possible after {} step{}{over}\n\n",
            grouped(count as u128),
            belief.news().len(),
            if belief.news().len() == 1 { "" } else { "s" },
        );
        let picture = Picture::new(game.rules(), context);
        let (facts, more_facts) = split_certain(&self.facts, &self.certain.facts);
        let (moves, more_moves) = split_certain(&self.moves, &self.certain.moves);
        if belief.is_exact() || !facts.is_empty() {
            text.push_str("Certain:\n");
            text.push_str(&picture.draw_facts(&facts));
        }
        if !more_facts.is_empty() {
            let blank = if facts.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{blank}In all of them, but not proved:\n"));
            text.push_str(&picture.draw_facts(&more_facts));
        }
        text.push_str(&list(game, ("Possible", "FACT"), &self.facts, &context.console));
        for (title, moves) in [("Surely legal", moves), ("Legal in all of them, but not proved", more_moves)]
        {
            if !moves.is_empty() {
                text.push_str(&format!("\n{title}: {}\n", game.texts(&moves).join(", ")));
            }
        }
        text.push_str(&list(game, ("Perhaps legal", "MOVE"), &self.moves, &context.console));
        if states {
            text.push_str(&possible_text(game, belief, &picture));
        }
        text
    }

    fn json(&self, game: &Game, belief: &Belief, states: bool) -> Value {
        let list = |found: &[Likely], certain: &[TermId]| -> Vec<Value> {
            let one = |found: &Likely| {
                json!({
                    "term": game.text(found.term),
                    "likelihood": found.likelihood.weight,
                    "states": found.likelihood.states,
                    "certain": certain.contains(&found.term),
                })
            };
            found.iter().map(one).collect()
        };
        let mut value = json!({
            "role": game.role_name(belief.role()),
            "steps": belief.news().len(),
            "states": belief.states().len(),
            "all": belief.is_exact(),
            "facts": list(&self.facts, &self.certain.facts),
            "moves": list(&self.moves, &self.certain.moves),
            "over": {
                "likelihood": self.is_over.weight,
                "certain": self.certain.is_over,
            },
        });
        if states {
            let each = likeliest_first(belief).into_iter().map(|number| {
                json!({
                    "likelihood": belief.weights()[number],
                    "facts": game.texts(&game.facts(&belief.states()[number])),
                })
            });
            value["possible"] = each.collect();
        }
        value
    }
}

/// What is so in all states: what is certain of it, and the rest.
fn split_certain(found: &[Likely], certain: &[TermId]) -> (Vec<TermId>, Vec<TermId>) {
    let in_all = found.iter().filter(|found| found.likelihood.in_all).map(|found| found.term);
    in_all.partition(|term| certain.contains(term))
}

/// A table of what is possible and not certain.
fn list(game: &Game, (title, head): (&str, &str), found: &[Likely], console: &Console) -> String {
    let open: Vec<&Likely> = found.iter().filter(|found| !found.likelihood.in_all).collect();
    if open.is_empty() {
        return String::new();
    }
    let mut rows = vec![[head, "LIKELIHOOD", "STATES"].map(str::to_owned).to_vec()];
    rows.extend(open.iter().map(|found| {
        let likelihood = format!("{:.1} %", 100.0 * found.likelihood.weight);
        vec![game.text(found.term), likelihood, grouped(found.likelihood.states as u128)]
    }));
    format!("\n{title}:\n{}", table(console, &rows, &[false, true, true]))
}

/// The numbers of the states, the likeliest first.
fn likeliest_first(belief: &Belief) -> Vec<usize> {
    let weights = belief.weights();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    order
}

/// Pictures of the likeliest states.
fn possible_text(game: &Game, belief: &Belief, picture: &Picture) -> String {
    let order = likeliest_first(belief);
    let mut text = String::new();
    for &number in order.iter().take(SHOWN_STATES) {
        text.push_str(&format!("\nWith a likelihood of {:.1} %:\n", 100.0 * belief.weights()[number]));
        text.push_str(&picture.draw(game.rules(), &belief.states()[number]));
    }
    if order.len() > SHOWN_STATES {
        let more = grouped((order.len() - SHOWN_STATES) as u128);
        text.push_str(&format!("\nand {more} more: --json has all\n"));
    }
    text
}
