//! `ludex preparation`: a process that works on rules for a server. It is not for people.

use ludex_server::preparation;

use crate::failure::Failure;
use crate::{Context, freed_memory};

/// Arguments of `preparation`.
#[derive(Debug, clap::Args)]
pub struct PreparationArguments {
    /// How many bytes of memory the process may have
    #[arg(long, value_name = "BYTES")]
    most_memory: Option<u64>,
}

/// Answers questions about rules, one a line, until there are no more.
pub fn run(arguments: &PreparationArguments, _: &mut Context) -> Result<(), Failure> {
    #[cfg(unix)]
    if let Some(bytes) = arguments.most_memory {
        // What has been asked for and can be written to; not every system counts that.
        if let Err(error) = rlimit::Resource::DATA.set(bytes, bytes) {
            return Err(Failure::input(format!("the memory of the process cannot be limited: {error}")));
        }
    }
    freed_memory::give_back_from_now_on();
    preparation::work(std::io::stdout()).map_err(|error| Failure::input(error.to_string()))
}
