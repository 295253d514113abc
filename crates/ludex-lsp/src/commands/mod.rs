//! What can be done with a game: the commands of `workspace/executeCommand`.

mod coverage;
mod explanation;
mod proof;
mod random_game;

use ludex::logic::Budget;
use ludex::{Game, Playable};
use serde::{Deserialize, Serialize};

use crate::board::{BoardParams, board};
use crate::prepared::{Made, Prepared};
pub use coverage::Unused;

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandName {
    /// Plays a game at random.
    PlayRandomGame,
    /// Shows the board at the start.
    ShowBoard,
    /// Proves that the game ends, and what else makes it well formed.
    ProveEnds,
    /// Finds what random games never use.
    Coverage,
    /// Takes the marks of the coverage away.
    ClearCoverage,
    /// Says what a kind of finding means.
    Explain,
}

impl CommandName {
    /// All of them.
    pub const ALL: [CommandName; 6] = [
        CommandName::PlayRandomGame,
        CommandName::ShowBoard,
        CommandName::ProveEnds,
        CommandName::Coverage,
        CommandName::ClearCoverage,
        CommandName::Explain,
    ];

    /// Those that do something with the game, in the order of their lenses.
    pub const OF_GAMES: [CommandName; 4] =
        [CommandName::PlayRandomGame, CommandName::ShowBoard, CommandName::ProveEnds, CommandName::Coverage];

    /// What the protocol calls it.
    pub fn as_str(self) -> &'static str {
        match self {
            CommandName::PlayRandomGame => "ludex.playRandomGame",
            CommandName::ShowBoard => "ludex.showBoard",
            CommandName::ProveEnds => "ludex.proveEnds",
            CommandName::Coverage => "ludex.coverage",
            CommandName::ClearCoverage => "ludex.clearCoverage",
            CommandName::Explain => "ludex.explain",
        }
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            CommandName::PlayRandomGame => "play a random game",
            CommandName::ShowBoard => "show the board",
            CommandName::ProveEnds => "prove that it ends",
            CommandName::Coverage => "coverage of random games",
            CommandName::ClearCoverage => "clear the coverage",
            CommandName::Explain => "explain",
        }
    }

    /// The command of a name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| command.as_str() == name)
    }
}

/// Options of a command, its second argument.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CommandOptions {
    /// The seed of random games.
    pub seed: Option<u64>,
    /// How long it may take, in seconds.
    pub seconds: Option<f64>,
    /// How many random games.
    pub games: Option<u32>,
    /// The joint moves that lead to the board.
    pub moves: Vec<Vec<String>>,
    /// The code or name of a kind of finding.
    pub finding: String,
}

/// What a command found.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// What it is.
    pub title: String,
    /// For people, in lines.
    pub text: String,
    /// A picture.
    pub svg: Option<String>,
    /// The joint moves that were made, or that show something.
    pub moves: Vec<Vec<String>>,
    /// Of a proof, whether the game ends; nothing where that was not found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<bool>,
    /// Of the coverage, how many rules and alternatives were never used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unused: Option<usize>,
    /// What was never used, to be marked in the text.
    #[serde(skip)]
    pub marks: Vec<Unused>,
}

impl Outcome {
    fn new(title: String, text: String) -> Self {
        Self { title, text, svg: None, moves: Vec::new(), ends: None, unused: None, marks: Vec::new() }
    }
}

/// Carries a command out within a budget.
///
/// # Errors
/// Why there is nothing to say, in a sentence.
pub fn execute(
    name: CommandName,
    prepared: &Prepared,
    options: &CommandOptions,
    budget: &Budget,
) -> Result<Outcome, String> {
    // What findings mean is said of texts that are no games, too.
    let made = || prepared.made(budget);
    match name {
        CommandName::ShowBoard => show_board(prepared, &made()?, options, budget),
        CommandName::PlayRandomGame => {
            let made = made()?;
            random_game::play(in_steps(&made)?, &made, options, budget)
        }
        CommandName::ProveEnds => Ok(proof::prove(in_steps(&made()?)?, options, budget)),
        CommandName::Coverage => coverage::coverage(in_steps(&made()?)?, options, budget),
        CommandName::ClearCoverage => {
            Ok(Outcome::new("coverage".to_owned(), "The marks are gone.".to_owned()))
        }
        CommandName::Explain => explanation::explain(&options.finding),
    }
}

fn in_steps(made: &Made) -> Result<&Game, String> {
    match &made.game {
        Playable::InSteps(game) => Ok(game),
        Playable::InTime(_) => {
            Err("that is not to be had for games in real time: only their board is shown".to_owned())
        }
    }
}

fn show_board(
    prepared: &Prepared,
    made: &Made,
    options: &CommandOptions,
    budget: &Budget,
) -> Result<Outcome, String> {
    let text_document =
        lsp_types::TextDocumentIdentifier { uri: "ludex:board".parse().map_err(|_| "no address")? };
    let params = BoardParams { text_document, moves: options.moves.clone(), random: None };
    let board = board(prepared, &params, budget);
    if let Some(error) = board.error.filter(|_| board.svg.is_none()) {
        return Err(error);
    }
    let mut outcome = Outcome::new(format!("{}: the board", made.game.short_name()), board.text);
    (outcome.svg, outcome.moves) = (board.svg, board.moves);
    Ok(outcome)
}
