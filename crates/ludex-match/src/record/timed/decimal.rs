//! Times as texts, so that nobody makes floating-point numbers of them.

use ludex_gdl::GameTime;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(time: &GameTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<GameTime, D::Error> {
    let text = String::deserialize(deserializer)?;
    GameTime::parse(&text).map_err(|error| D::Error::custom(format_args!("`{text}` {error}")))
}
