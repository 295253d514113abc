//! What a command says that was built without Parquet.

use super::{Cell, RecordRow, Table};
use crate::failure::Failure;
use crate::limits::Limits;

/// Never there.
pub enum TableWriter {}

impl TableWriter {
    pub fn create(_path: &std::path::Path, _table: &'static Table) -> Result<Self, Failure> {
        Err(refused())
    }

    pub fn push(&mut self, _row: Vec<Cell>) -> Result<(), Failure> {
        match *self {}
    }

    pub fn close(self) -> Result<Written, Failure> {
        match self {}
    }
}

/// Never there.
pub enum Written {}

impl Written {
    pub fn publish(self) -> Result<(), Failure> {
        match self {}
    }
}

pub fn available() -> Result<(), Failure> {
    Err(refused())
}

pub fn read_records(
    _file: &str,
    _limits: &Limits,
) -> Result<Box<dyn Iterator<Item = Result<RecordRow, Failure>>>, Failure> {
    Err(refused())
}

fn refused() -> Failure {
    Failure::input("this `ludex` was built without Parquet").hint("the feature `parquet` of ludex-cli has it")
}
