//! Work that is dear and asked for again: done for one after the other, and kept.

use std::sync::Arc;

use super::error::ManagerError;
use crate::cache::Cache;
use crate::gate::Gate;

/// What was made before under this key, or what `make` makes of it in its turn.
///
/// # Errors
/// What `make` answers; [`ManagerError::Crowded`] where too many wait for work of this kind already.
pub(super) fn in_turn<K: Ord + Clone, T>(
    (gate, what): (&Gate, &'static str),
    kept: &Cache<K, T>,
    key: K,
    make: impl FnOnce() -> Result<T, ManagerError>,
) -> Result<Arc<T>, ManagerError> {
    if let Some(known) = kept.get(&key) {
        return Ok(known);
    }
    let _turn = gate.enter().map_err(|_| ManagerError::Crowded { what })?;
    // Whoever had the turn before may have wanted the same.
    if let Some(known) = kept.get(&key) {
        return Ok(known);
    }
    let made = Arc::new(make()?);
    kept.put(key, &made);
    Ok(made)
}
