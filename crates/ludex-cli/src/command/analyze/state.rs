//! The state that `ludex analyze` is asked about, and how formulas are evaluated in it.

use ludex::Game;
use ludex::analysis::fuzzy::{FuzzyOptions, NormChoice};
use ludex::game::State;

use crate::failure::Failure;
use crate::limits::Limits;
use crate::moves_text::{play_all, text_or_file};
use crate::query_text::read_facts;

/// Which state to look at: the initial one unless something else is said.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PlaceArguments {
    /// Look at the state after these joint moves: "mark(1,1) noop; noop mark(2,2)", or @FILE
    #[arg(long, value_name = "MOVES", conflicts_with = "facts")]
    pub moves: Option<String>,

    /// Look at the state in which exactly these facts hold, or @FILE
    #[arg(long, value_name = "FACTS")]
    pub facts: Option<String>,
}

impl PlaceArguments {
    /// Whether another state than the initial one is asked about.
    pub fn is_given(&self) -> bool {
        self.moves.is_some() || self.facts.is_some()
    }

    /// The state.
    ///
    /// # Errors
    /// Moves that are not legal, facts that cannot be read or that no state can have.
    pub fn state(&self, game: &Game, limits: &Limits) -> Result<State, Failure> {
        if let Some(moves) = &self.moves {
            let mut position = game.start();
            play_all(&mut position, &text_or_file(moves, limits)?)?;
            return Ok(position.state().clone());
        }
        let Some(facts) = &self.facts else { return Ok(game.initial().clone()) };
        let text = text_or_file(facts, limits)?;
        let (facts, moves) = read_facts(game.program(), &text, game.signature().notation())?;
        if !moves.is_empty() {
            return Err(Failure::input("a state has no moves").hint("`--moves` makes some"));
        }
        Ok(game.state_of(&facts)?)
    }
}

/// A norm by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum NormName {
    /// The product, and 1 - (1-x)(1-y) for disjunctions
    #[default]
    Product,
    /// Yager's: min(1, (x^q + y^q)^(1/q)) for disjunctions
    Yager,
}

/// How the section `goals` evaluates formulas.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct FuzzyArguments {
    /// How goals are evaluated: by products, or by Yager's norms
    #[arg(long, value_name = "NORM", value_enum, default_value = "product", help_heading = "Goals")]
    norm: NormName,

    /// The parameter of Yager's norms, over 0; chosen from the formulas where it is not given
    #[arg(long, value_name = "Q", help_heading = "Goals")]
    q: Option<f64>,

    /// The truth value of what holds, over 0.5; chosen from the formulas where it is not given
    #[arg(long, value_name = "TAU", help_heading = "Goals")]
    tau: Option<f64>,

    /// What a conjunction of parts over 0.5 is worth at least, from 0.5 to tau
    #[arg(long, value_name = "THETA", help_heading = "Goals")]
    theta: Option<f64>,

    /// Say how true this atom is, too; may be given several times
    #[arg(long, value_name = "ATOM", help_heading = "Goals")]
    pub truth: Vec<String>,
}

impl FuzzyArguments {
    /// As options of the library.
    ///
    /// # Errors
    /// A parameter for a norm that has none.
    pub fn options(&self) -> Result<FuzzyOptions, Failure> {
        let norm = match (self.norm, self.q) {
            (NormName::Yager, q) => NormChoice::Yager { q },
            (NormName::Product, None) => NormChoice::Product,
            (NormName::Product, Some(_)) => {
                return Err(Failure::Usage("`--q` goes with `--norm yager`".to_owned()));
            }
        };
        let options = FuzzyOptions { norm, tau: self.tau, threshold: self.theta };
        options.check().map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(options)
    }
}
