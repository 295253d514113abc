//! What runs a game, as options.

use ludex::engines::{Backend, LaneOptions, LaneWidth};
use ludex::propnet::passes::PassSet;
use ludex::{Engine, GameOptions};

use crate::Context;

/// Which engine, and how it runs.
#[derive(Clone, Debug, clap::Args)]
pub struct EngineArguments {
    /// What runs the game: auto, rules, net or lanes
    #[arg(long, value_name = "ENGINE", default_value = "auto", help_heading = "Engine")]
    pub engine: Engine,

    #[command(flatten)]
    pub net: NetArguments,
}

/// How nets and lanes are run.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct NetArguments {
    /// What computes lanes: auto, portable, avx2, avx512 or native
    #[arg(long, value_name = "BACKEND", default_value = "auto", help_heading = "Engine")]
    pub backend: Backend,

    /// How many lanes: auto, 64, 256 or 512
    #[arg(long, value_name = "N", default_value = "auto", value_parser = lane_count,
          help_heading = "Engine")]
    pub lanes: LaneCount,

    /// Make only these passes over the net: all, none, names, or -NAME to leave one out
    #[arg(
        long,
        value_name = "LIST",
        default_value = "all",
        allow_hyphen_values = true,
        help_heading = "Engine"
    )]
    pub passes: PassSet,
}

/// A number of lanes, or none to let the engine choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneCount(pub Option<LaneWidth>);

fn lane_count(text: &str) -> Result<LaneCount, String> {
    if text == "auto" {
        return Ok(LaneCount(None));
    }
    let widths = [LaneWidth::W64, LaneWidth::W256, LaneWidth::W512];
    let found = widths.into_iter().find(|width| width.lanes().to_string() == text);
    found.map(|width| LaneCount(Some(width))).ok_or_else(|| "there are auto, 64, 256 or 512 lanes".into())
}

impl NetArguments {
    /// As options of the library.
    pub fn lane_options(&self) -> LaneOptions {
        LaneOptions { width: self.lanes.0, backend: self.backend }
    }
}

impl EngineArguments {
    /// As options of the library, within the limits of the command.
    pub fn options(&self, load: ludex::gdl::LoadOptions, hasty: bool, context: &Context) -> GameOptions {
        let budget = context.limits.budget().clone();
        GameOptions {
            load,
            engine: self.engine,
            question_budget: budget.clone(),
            net_budget: Some(context.limits.auto_budget(&budget)),
            budget,
            hasty,
            passes: self.net.passes,
            lanes: self.net.lane_options(),
            ..GameOptions::default()
        }
    }
}

impl From<Engine> for EngineArguments {
    /// An engine with what is the default of its options.
    fn from(engine: Engine) -> Self {
        Self { engine, net: NetArguments::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_counted() {
        assert_eq!(lane_count("256"), Ok(LaneCount(Some(LaneWidth::W256))));
        assert_eq!(lane_count("auto"), Ok(LaneCount(None)));
        assert!(lane_count("128").is_err());
    }
}
