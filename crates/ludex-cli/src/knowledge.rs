//! What follows from a belief, as text with pictures and as JSON.

use ludex::Game;
use ludex::game::{Certain, Likelihood, Likely, RoleId};
use ludex::logic::TermId;
use ludex::players::{Belief, BeliefError, BeliefOptions};
use serde_json::{Value, json};

use crate::Context;
use crate::console::{Console, table};
use crate::failure::Failure;
use crate::limits::grouped;
use crate::picture::Picture;

/// So many possible states are shown to people.
const SHOWN_STATES: usize = 12;

/// The most states that are kept where nothing else is said.
pub const MOST_STATES: usize = 100_000;

/// Joint moves that are tried for each state that is kept.
const EXPANSIONS: usize = 20;

/// The part of the time that proofs may take.
const FOR_PROOFS: f64 = 0.6;

/// How a belief is kept of which people want to know.
pub fn options_for(limit: usize, seed: u64) -> BeliefOptions {
    let limit = limit.max(1);
    let expansions = limit.saturating_mul(EXPANSIONS);
    BeliefOptions { limit, expansions, seed, drawn_by_machine: true, ..BeliefOptions::default() }
}

/// The role of a name; where none is given, the first that is not random.
pub fn role_that_knows(game: &Game, name: Option<&str>) -> Result<RoleId, Failure> {
    let Some(name) = name else {
        let mut roles = game.signature().role_ids();
        let player = roles.find(|&role| Some(role) != game.signature().random());
        return player.ok_or_else(|| Failure::Usage("the game has no role that plays".to_owned()));
    };
    game.find_role(name).ok_or_else(|| {
        Failure::Usage(format!("there is no role `{name}`; the roles are {}", game.role_names().join(", ")))
    })
}

/// What follows from a belief.
pub struct Known {
    certain: Certain,
    facts: Vec<Likely>,
    moves: Vec<Likely>,
    is_over: Likelihood,
}

impl Known {
    /// Works it out.
    pub fn of(game: &Game, belief: &mut Belief, context: &Context) -> Result<Self, Failure> {
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

    /// For people; with pictures of the possible states where they are wanted.
    pub fn text(&self, game: &Game, belief: &Belief, states: bool, context: &Context) -> String {
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

    /// For programs; with the possible states where they are wanted.
    pub fn json(&self, game: &Game, belief: &Belief, states: bool) -> Value {
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
