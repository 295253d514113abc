//! to be written
/// x
#[derive(Debug)]
pub struct CasesError;
