//! Where a store is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::tables::Tables;
use super::{Answer, Purpose, SqliteOptions, SqliteStore, Store, StoreError};
#[cfg(feature = "postgres")]
use super::{PostgresAddress, PostgresOptions, PostgresStore};

/// Where a store is: in a folder, or in a PostgreSQL database.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StorePlace {
    /// In an SQLite file of a folder.
    Folder(PathBuf),
    /// In a PostgreSQL database.
    #[cfg(feature = "postgres")]
    Postgres(Box<PostgresAddress>),
}

impl StorePlace {
    /// Reads a place: `postgres://user@host/database`, or the path of a folder. The password of the database, where
    /// the address has none and one is given.
    ///
    /// # Errors
    /// [`StoreError::Address`] for an address that cannot be used, or of a database that this build of Ludex does not
    /// know.
    pub fn read(text: &str, password: Option<&str>) -> Answer<Self> {
        #[cfg(feature = "postgres")]
        if PostgresAddress::is_meant(text) {
            return Ok(Self::Postgres(PostgresAddress::read(text, password)?.into()));
        }
        let _ = password;
        // What stands before it may be the name of a program only.
        match text.split_once("://") {
            Some((scheme, _)) => Err(StoreError::Address {
                cause: format!("this build of ludex keeps nothing in databases of the kind `{scheme}`"),
            }),
            None => Ok(Self::Folder(text.into())),
        }
    }

    /// The path of the folder, or the address without its password.
    pub fn path(&self) -> &Path {
        match self {
            Self::Folder(path) => path,
            #[cfg(feature = "postgres")]
            Self::Postgres(address) => address.place(),
        }
    }

    /// Opens the store with the usual options; what is not there yet is made.
    ///
    /// # Errors
    /// As [`SqliteStore::open`] and `PostgresStore::open`.
    pub fn open(&self) -> Answer<Arc<dyn Store>> {
        Ok(match self {
            Self::Folder(path) => Arc::new(SqliteStore::open(path, &SqliteOptions::default())?),
            #[cfg(feature = "postgres")]
            Self::Postgres(address) => Arc::new(PostgresStore::open(address, &PostgresOptions::default())?),
        })
    }

    /// The tables, to be copied or to be copied to.
    pub(super) fn tables(&self, purpose: Purpose) -> Answer<Box<dyn Tables>> {
        Ok(match self {
            Self::Folder(path) => Box::new(SqliteStore::open_for(path, &SqliteOptions::default(), purpose)?),
            #[cfg(feature = "postgres")]
            Self::Postgres(address) => {
                Box::new(PostgresStore::open_for(address, &PostgresOptions::default(), purpose)?)
            }
        })
    }
}
