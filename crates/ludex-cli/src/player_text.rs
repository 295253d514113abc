//! Players as people name them.

use std::sync::OnceLock;
use std::time::Duration;

use ludex::players::real_time::create_timed;
use ludex::players::{Registry, Resources};

/// A person at the keyboard.
pub const HUMAN: &str = "human";

/// The time for each move where a player that searches was given no clock.
pub const DEFAULT_PLAY_CLOCK: Duration = Duration::from_secs(1);
/// The time to get ready where a player that searches was given no clock.
pub const DEFAULT_START_CLOCK: Duration = Duration::from_secs(10);

/// Who can play: set once, when the process begins, since arguments are read with it.
static REGISTRY: OnceLock<Registry> = OnceLock::new();

/// Lets these strategies play, where nobody asked before who can.
pub fn set_registry(registry: Registry) {
    let _ = REGISTRY.set(registry);
}

/// The strategies that can play.
pub fn registry() -> &'static Registry {
    REGISTRY.get_or_init(Registry::default)
}

/// Reads `name` or `name:option=value:option=value`; says what is wrong with it.
pub fn player_text(text: &str) -> Result<String, String> {
    let made = registry().create(text, &Resources::default()).map(|_| ());
    // Games in real time have strategies of their own, some of the same names.
    let made = made.or_else(|error| create_timed(text, 1).map(|_| ()).map_err(|_| error));
    made.map(|()| text.to_owned()).map_err(|error| error.to_string())
}

/// Reads a player or `human`.
pub fn player_or_human_text(text: &str) -> Result<String, String> {
    if text == HUMAN { Ok(text.to_owned()) } else { player_text(text) }
}

/// Whether a player thinks for as long as it may, so that it needs a clock.
pub fn takes_its_time(text: &str) -> bool {
    let name = text.split(':').next().unwrap_or_default();
    !matches!(name, HUMAN | "legal" | "random")
}
