//! The subcommands, one file each.

#[cfg(feature = "server")]
mod account;
#[cfg(feature = "server")]
mod account_arguments;
mod analyze;
mod bench;
mod check;
mod completions;
mod convert;
mod diff;
mod domains;
mod fmt;
mod games;
mod ground_rules;
mod know;
mod learn;
#[cfg(feature = "lsp")]
mod lsp;
#[cfg(feature = "server")]
mod match_command;
mod memory;
mod minimize;
mod new;
mod perft;
mod plan;
mod play;
#[cfg(feature = "server")]
mod player;
mod players;
#[cfg(feature = "server")]
mod preparation;
mod propnet;
mod query;
mod rules;
mod same;
#[cfg(feature = "server")]
mod serve;
mod show;
mod shown;
mod solve;
mod state_graph;
mod step;
#[cfg(feature = "server")]
mod store;
mod test;
mod tournament;
mod train;
mod verify;
mod why;

use crate::Context;
use crate::failure::Failure;

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Begin a game of one's own: a rulesheet and its cases from a few answers
    New(new::NewArguments),
    /// List libraries of rules, and put them into a rulesheet
    Rules(rules::RulesArguments),
    /// Find what is wrong with rulesheets
    Check(check::CheckArguments),
    /// Lay rulesheets out tidily
    Fmt(fmt::FmtArguments),
    /// Change notation, language or names
    Convert(convert::ConvertArguments),
    /// Show what a rulesheet consists of
    Show(show::ShowArguments),
    /// Explain why an atom holds in a state, or why not
    Why(why::WhyArguments),
    /// Answer a query about a state
    Query(query::QueryArguments),
    /// Go through a game step by step, forward and back
    Step(step::StepArguments),
    /// Say what a role can know by what it was told
    Know(know::KnowArguments),
    /// Play a match and watch it
    Play(play::PlayArguments),
    #[cfg(feature = "server")]
    /// Let game managers reach a player over HTTP
    Player(player::PlayerArguments),
    #[cfg(feature = "server")]
    /// Run a match between programs over HTTP
    Match(Box<match_command::MatchArguments>),
    /// Say whether a plan is legal, complete, minimal and optimal
    Plan(plan::PlanArguments),
    /// Find plans with logic, and prove that there are none
    Solve(solve::SolveArguments),
    /// List the strategies that play
    Players(players::PlayersArguments),
    #[cfg(feature = "server")]
    /// Run a Game Manager: matches and tournaments in the browser and over HTTP
    Serve(serve::ServeArguments),
    #[cfg(feature = "server")]
    /// Make and change accounts of a Game Manager
    Account(account::AccountArguments),
    #[cfg(feature = "server")]
    /// Copy what a Game Manager keeps to another place, or say what it holds
    Store(store::StoreArguments),
    /// Let players meet in many matches and compare them
    Tournament(tournament::TournamentArguments),
    /// Show what players remember from match to match, or let them forget it
    Memory(memory::MemoryArguments),
    /// Learn a game beforehand, for players of later matches
    Train(train::TrainArguments),
    /// Find the rules of a game in records of its matches
    Learn(learn::LearnArguments),
    /// Count move sequences and states by depth
    Perft(perft::PerftArguments),
    /// Find out about a game before it is played
    Analyze(analyze::AnalyzeArguments),
    /// Show a game as a propositional net
    Propnet(propnet::PropnetArguments),
    /// Say whether two rulesheets are the same game under other names
    Same(same::SameArguments),
    /// Say whether two versions of a game play alike, and if not, where they differ
    Diff(diff::DiffArguments),
    /// Find the smallest rulesheet that still shows a finding or a difference
    Minimize(minimize::MinimizeArguments),
    /// Run the cases of a rulesheet: what its author says of positions and of the game
    Test(test::TestArguments),
    /// Compare rules with recorded playouts and matches
    Verify(verify::VerifyArguments),
    /// Measure how fast random games are played
    Bench(bench::BenchArguments),
    #[cfg(feature = "lsp")]
    /// Help an editor with rulesheets: the language server
    Lsp(lsp::LspArguments),
    /// List the games that come with ludex
    Games(games::GamesArguments),
    /// Write what a shell needs to complete the command's words
    Completions(completions::CompletionsArguments),
    /// Write the manual pages
    Man(completions::ManArguments),
    #[cfg(feature = "server")]
    /// Work on rules for a server, which starts such processes itself
    #[command(hide = true)]
    Preparation(preparation::PreparationArguments),
}

impl Command {
    /// Does it.
    ///
    /// # Errors
    /// Bad input, a bad command line, a limit.
    pub fn run(&self, context: &mut Context) -> Result<(), Failure> {
        match self {
            Self::New(arguments) => new::run(arguments, context),
            Self::Rules(arguments) => rules::run(arguments, context),
            Self::Check(arguments) => check::run(arguments, context),
            Self::Fmt(arguments) => fmt::run(arguments, context),
            Self::Convert(arguments) => convert::run(arguments, context),
            Self::Show(arguments) => show::run(arguments, context),
            Self::Why(arguments) => why::run(arguments, context),
            Self::Query(arguments) => query::run(arguments, context),
            Self::Step(arguments) => step::run(arguments, context),
            Self::Know(arguments) => know::run(arguments, context),
            Self::Play(arguments) => play::run(arguments, context),
            #[cfg(feature = "server")]
            Self::Player(arguments) => player::run(arguments, context),
            #[cfg(feature = "server")]
            Self::Match(arguments) => match_command::run(arguments, context),
            Self::Plan(arguments) => plan::run(arguments, context),
            Self::Solve(arguments) => solve::run(arguments, context),
            Self::Players(arguments) => players::run(arguments, context),
            #[cfg(feature = "server")]
            Self::Serve(arguments) => serve::run(arguments, context),
            #[cfg(feature = "server")]
            Self::Account(arguments) => account::run(arguments, context),
            #[cfg(feature = "server")]
            Self::Store(arguments) => store::run(arguments, context),
            Self::Tournament(arguments) => tournament::run(arguments, context),
            Self::Memory(arguments) => memory::run(arguments, context),
            Self::Train(arguments) => train::run(arguments, context),
            Self::Learn(arguments) => learn::run(arguments, context),
            Self::Perft(arguments) => perft::run(arguments, context),
            Self::Analyze(arguments) => analyze::run(arguments, context),
            Self::Propnet(arguments) => propnet::run(arguments, context),
            Self::Same(arguments) => same::run(arguments, context),
            Self::Diff(arguments) => diff::run(arguments, context),
            Self::Minimize(arguments) => minimize::run(arguments, context),
            Self::Test(arguments) => test::run(arguments, context),
            Self::Verify(arguments) => verify::run(arguments, context),
            Self::Bench(arguments) => bench::run(arguments, context),
            #[cfg(feature = "lsp")]
            Self::Lsp(arguments) => lsp::run(arguments, context),
            Self::Games(arguments) => games::run(arguments, context),
            Self::Completions(arguments) => completions::run(arguments, context),
            Self::Man(arguments) => completions::man(arguments, context),
            #[cfg(feature = "server")]
            Self::Preparation(arguments) => preparation::run(arguments, context),
        }
    }
}
