//! Splitting.
use super::GroundError;
use super::draft::Draft;
use super::model::Model;
use crate::budget::Budget;
pub(super) fn split(_draft: &mut Draft, _statics: &Model, _budget: &Budget) -> Result<(), GroundError> {
    Ok(())
}
