//! Players that get records of matches in place of rules.

use std::sync::Arc;
use std::time::Duration;

use ludex::Game;
use ludex::game::RoleId;
use ludex::learned::{LearnedGame, LearnedOptions, LearnedPlayer, LearnedPlayerAtTable, MakePlayer};
use ludex::players::{Player, Resources};

use crate::Context;
use crate::command::learn::read_all;
use crate::failure::Failure;
use crate::limits::duration;
use crate::player_text::{HUMAN, registry};

/// What is learned, and by whom.
#[derive(Debug, clap::Args)]
pub struct LearnedArguments {
    /// Give a role these records of matches in place of the rules: a file or a folder; it learns, plays by
    /// what it learned, and learns again where the match shows that it is wrong
    #[arg(long, value_name = "RECORDS", conflicts_with = "solve", help_heading = "Rules from records")]
    learned: Vec<String>,

    /// The roles that are given records [default: the first]
    #[arg(
        long,
        value_name = "ROLE,...",
        value_delimiter = ',',
        requires = "learned",
        help_heading = "Rules from records"
    )]
    learned_role: Vec<String>,

    /// Learn for so long at most before the match begins
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = duration,
          help_heading = "Rules from records")]
    learn_for: Duration,
}

/// What was learned, and which roles play by it.
pub struct Learners {
    learned: Option<LearnedGame>,
    roles: Vec<RoleId>,
}

impl LearnedArguments {
    /// Whether anybody is given records.
    pub fn is_given(&self) -> bool {
        !self.learned.is_empty()
    }

    /// Learns, if anything is to be learned.
    ///
    /// # Errors
    /// No such role, or one that a human plays; records that cannot be read, or of which nothing can be played.
    pub fn learners(
        &self,
        game: &Game,
        (seats, names): (&[RoleId], &[String]),
        (seed, threads): (u64, usize),
        context: &Context,
    ) -> Result<Learners, Failure> {
        if !self.is_given() {
            return Ok(Learners { learned: None, roles: Vec::new() });
        }
        let roles = self.roles(game, seats)?;
        for (role, name) in seats.iter().zip(names) {
            if roles.contains(role) && name == HUMAN {
                let role = game.role_name(*role);
                return Err(Failure::Usage(format!(
                    "`{role}` is played by a human, who learns in other ways"
                )));
            }
        }
        let traces = read_all(&self.learned, context)?;
        let terms = game.signature().terms();
        let wanted: Vec<String> = game.signature().roles().iter().map(|&role| terms.prefix(role)).collect();
        if let Some(other) = traces.iter().map(|trace| &trace.header.roles).find(|roles| **roles != wanted) {
            let (known, wanted) = (other.join(", "), wanted.join(", "));
            let message = format!("the records are of a game of {known}, and not of {wanted}");
            return Err(Failure::input(message));
        }
        let clock = Arc::clone(&context.limits.clock) as _;
        let budget = context.limits.budget().clone().with_time(clock, self.learn_for);
        let learned = LearnedGame::learn(traces, LearnedOptions { seed, threads }, &budget);
        let learned = learned.map_err(|error| {
            Failure::input(error.to_string()).hint("more records, or a longer `--learn-for`, may help")
        })?;
        Ok(Learners { learned: Some(learned), roles })
    }

    fn roles(&self, game: &Game, seats: &[RoleId]) -> Result<Vec<RoleId>, Failure> {
        if self.learned_role.is_empty() {
            return Ok(seats.iter().take(1).copied().collect());
        }
        let find = |name: &String| {
            game.find_role(name).filter(|role| seats.contains(role)).ok_or_else(|| {
                let known: Vec<String> = seats.iter().map(|&role| game.role_name(role)).collect();
                Failure::Usage(format!(
                    "there is no role `{name}` to play; the roles are {}",
                    known.join(", ")
                ))
            })
        };
        self.learned_role.iter().map(find).collect()
    }
}

impl Learners {
    /// What a player of a role is called: whether it knows the rules is worth knowing.
    pub fn title(&self, role: RoleId, name: &str) -> String {
        if self.roles.contains(&role) { format!("{name} by learned rules") } else { name.to_owned() }
    }

    /// The player of a role, if that is given records: a strategy that plays by what was learned.
    pub fn player(&self, role: RoleId, strategy: &str, resources: &Resources) -> Option<Box<dyn Player>> {
        let learned = self.learned.as_ref().filter(|_| self.roles.contains(&role))?;
        let (strategy, resources) = (strategy.to_owned(), resources.clone());
        let make: MakePlayer =
            Box::new(move || registry().create(&strategy, &resources).map_err(|error| error.to_string()));
        let player = LearnedPlayer::with_learned(learned.clone(), make);
        Some(Box::new(LearnedPlayerAtTable::new(player)))
    }
}
