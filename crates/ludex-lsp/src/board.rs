//! A state of the game beside the text: the request `ludex/board`.

use std::collections::BTreeMap;

use lsp_types::TextDocumentIdentifier;
use ludex::analysis::TextStyle;
use ludex::game::{Rng, TimedRules};
use ludex::logic::{Budget, TermId};
use ludex::{Game, Playable, Position};
use serde::{Deserialize, Serialize};

use crate::prepared::{Made, Prepared};

/// So many moves lead to a state at most.
const MOST_MOVES: usize = 5_000;
/// So many moves of a role, and facts, are sent.
const MOST_LISTED: usize = 2_000;

/// Which state is asked for.
#[derive(Clone, Debug, Deserialize)]
pub struct BoardParams {
    /// The rulesheet.
    #[serde(rename = "textDocument")]
    pub text_document: TextDocumentIdentifier,
    /// The joint moves from the start, each with a move for each role.
    #[serde(default)]
    pub moves: Vec<Vec<String>>,
    /// The seed of one more joint move, made at random.
    #[serde(default)]
    pub random: Option<u64>,
}

/// A state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Board {
    /// A picture.
    pub svg: Option<String>,
    /// The same as text, without colours.
    pub text: String,
    /// The joint moves that led there, as far as they could be made.
    pub moves: Vec<Vec<String>>,
    /// The roles in their order.
    pub roles: Vec<String>,
    /// What each role may do.
    pub legal: BTreeMap<String, Vec<String>>,
    /// Whether the game is over.
    pub terminal: bool,
    /// What the state is worth to each role, where it has one value.
    pub goals: BTreeMap<String, Option<u32>>,
    /// The facts.
    pub facts: Vec<String>,
    /// Why something is missing.
    pub error: Option<String>,
}

impl Board {
    /// Nothing but a reason.
    pub fn refused(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::default() }
    }
}

/// The state that is asked for, within a budget.
pub fn board(prepared: &Prepared, params: &BoardParams, budget: &Budget) -> Board {
    let made = match prepared.made(budget) {
        Ok(made) => made,
        Err(error) => return Board::refused(error),
    };
    match &made.game {
        Playable::InSteps(game) => in_steps(game, &made, params, budget),
        Playable::InTime(rules) => in_time(rules, &made, params),
    }
}

fn in_steps(game: &Game, made: &Made, params: &BoardParams, budget: &Budget) -> Board {
    let rules = game.rules().within(budget.clone());
    let mut position = rules.start();
    let mut error = None;
    for (step, joint) in params.moves.iter().take(MOST_MOVES).enumerate() {
        if let Err(wrong) = position.play(joint) {
            error = Some(format!("step {}: {wrong}", step + 1));
            break;
        }
    }
    if let (None, Some(seed)) = (&error, params.random) {
        error = at_random(&mut position, &mut Rng::from_seed(seed)).err();
    }
    match shown(&position, made) {
        Ok(board) => Board { error, ..board },
        Err(wrong) => Board::refused(error.unwrap_or(wrong)),
    }
}

/// Makes a joint move at random; whether there was one to make.
///
/// # Errors
/// A limit, or a role without a legal move.
pub fn at_random(position: &mut Position, rng: &mut Rng) -> Result<bool, String> {
    if position.terminal().map_err(|error| error.to_string())? {
        return Ok(false);
    }
    let mut joint: Vec<TermId> = Vec::new();
    for role in position.rules().roles() {
        let legal = position.legal(role).map_err(|error| error.to_string())?;
        match rng.pick(&legal) {
            Some(&action) => joint.push(action),
            None => return Err(format!("`{}` has no legal move", position.rules().role_name(role))),
        }
    }
    position.advance(&joint).map_err(|error| error.to_string())?;
    Ok(true)
}

/// Everything about a position.
///
/// # Errors
/// A limit.
pub fn shown(position: &Position, made: &Made) -> Result<Board, String> {
    let rules = position.rules();
    let facts = position.facts();
    let text_of = |error: ludex::game::GameError| error.to_string();
    let terminal = position.terminal().map_err(text_of)?;
    let mut legal = BTreeMap::new();
    let mut goals = BTreeMap::new();
    let values = position.goals().map_err(text_of)?;
    for (role, goal) in rules.roles().zip(values) {
        let moves = if terminal { Vec::new() } else { position.legal(role).map_err(text_of)? };
        let texts = moves.iter().take(MOST_LISTED).map(|&action| rules.text(action)).collect();
        legal.insert(rules.role_name(role), texts);
        goals.insert(rules.role_name(role), goal);
    }
    Ok(Board {
        svg: Some(made.structure.draw_svg(&facts)),
        text: made.structure.draw_text(&facts, &TextStyle::PLAIN).trim_end().to_owned(),
        moves: position.joints().iter().map(|joint| rules.texts(joint)).collect(),
        roles: rules.role_names(),
        legal,
        terminal,
        goals,
        facts: facts.iter().take(MOST_LISTED).map(|&fact| rules.text(fact)).collect(),
        error: None,
    })
}

/// In real time there are no joint moves: the state at the start is shown.
fn in_time(rules: &TimedRules, made: &Made, params: &BoardParams) -> Board {
    let machine = rules.machine();
    let (terms, notation) = (machine.terms(), machine.notation());
    let facts: Vec<TermId> = machine.initial().facts().iter().map(|&(_, fact)| fact).collect();
    let asks_more = !params.moves.is_empty() || params.random.is_some();
    Board {
        svg: Some(made.structure.draw_svg(&facts)),
        text: made.structure.draw_text(&facts, &TextStyle::PLAIN).trim_end().to_owned(),
        roles: rules.role_terms().iter().map(|&role| terms.shown_in(role, notation)).collect(),
        facts: facts.iter().take(MOST_LISTED).map(|&fact| terms.shown_in(fact, notation)).collect(),
        error: asks_more
            .then(|| "a game in real time has no joint moves: only its start is shown".to_owned()),
        ..Board::default()
    }
}
