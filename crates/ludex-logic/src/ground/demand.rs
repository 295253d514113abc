//! Demand.
use super::GroundError;
use super::draft::Draft;
use crate::budget::Budget;
use crate::program::Program;
pub(super) fn restrict(_draft: &mut Draft, _program: &Program, _budget: &Budget) -> Result<(), GroundError> {
    Ok(())
}
