//! All tests of the crate from outside, as one program: linking it once is what makes them soon built.

mod bench;
mod book;
mod browser;
mod built_in_players;
#[path = "../../ludex-server/tests/store/cluster.rs"]
mod cluster;
mod command;
mod deploy;
mod few_threads;
mod files;
mod findings_page;
mod golden;
mod killed_server;
mod know;
mod learn;
mod limits;
mod little_memory;
#[cfg(feature = "lsp")]
mod lsp;
mod match_command;
mod memory;
mod new_game;
#[cfg(feature = "parquet")]
mod parquet;
mod player;
mod players;
mod serve;
mod server;
mod several_servers;
mod solve;
mod store;
mod time_terms;
mod tournaments;
mod train;
mod without_rules;
