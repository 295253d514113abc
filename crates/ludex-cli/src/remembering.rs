//! Players with a memory.

use std::sync::Arc;

use ludex::players::Registry;
use ludex_memory::{Memory, MemoryError, RememberingPlayer};

use crate::failure::Failure;
use crate::player_text::registry;

/// The strategies that can play, and where a file is named, with what is remembered in it.
///
/// # Errors
/// The file is no memory, or cannot be used.
pub fn registry_with_memory(file: Option<&str>) -> Result<Registry, Failure> {
    let registry = registry().clone();
    let Some(file) = file else { return Ok(registry) };
    let memory = Arc::new(Memory::open(file).map_err(memory_failure)?);
    Ok(registry
        .wrapped(move |player, text| Box::new(RememberingPlayer::new(player, text, Arc::clone(&memory)))))
}

/// Why a memory cannot be used, for people.
pub fn memory_failure(error: MemoryError) -> Failure {
    Failure::input(error.to_string())
}
