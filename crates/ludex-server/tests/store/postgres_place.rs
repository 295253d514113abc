//! Schemas of PostgreSQL databases, one for each test.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ludex_server::model::StoreError;
use ludex_server::store::{PostgresAddress, PostgresOptions, PostgresStore};
use postgres::{Client, NoTls};

use super::cluster::Cluster;

/// A schema of its own, which goes with this.
pub struct Place {
    /// The server, where the test has started it.
    pub cluster: Option<Arc<Cluster>>,
    base: String,
    schema: String,
}

impl Place {
    /// A schema of the database that `LUDEX_TEST_POSTGRES` names, or of a server that is started for the tests; `None`
    /// where there is neither, which is said.
    pub fn new() -> Option<Self> {
        match std::env::var("LUDEX_TEST_POSTGRES") {
            Ok(base) => Some(Self::at(None, base)),
            Err(_) => Self::on(Cluster::shared()?),
        }
    }

    /// A schema on a server that is the test's own.
    pub fn alone(flushes: bool) -> Option<Self> {
        Self::on(Arc::new(Cluster::begin(flushes)?))
    }

    fn on(cluster: Arc<Cluster>) -> Option<Self> {
        let base = cluster.address();
        Some(Self::at(Some(cluster), base))
    }

    fn at(cluster: Option<Arc<Cluster>>, base: String) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let place = Self { cluster, base, schema: format!("ludex_test_{}_{number}", std::process::id()) };
        place.client().batch_execute(&format!("CREATE SCHEMA {}", place.schema)).unwrap();
        place
    }

    /// The address of the schema, as text.
    pub fn text(&self) -> String {
        let sign = if self.base.contains('?') { '&' } else { '?' };
        format!("{}{sign}options=-csearch_path%3D{}", self.base, self.schema)
    }

    /// The address of the schema.
    pub fn address(&self) -> PostgresAddress {
        PostgresAddress::read(&self.text(), None).unwrap()
    }

    /// A connection beside those of stores.
    pub fn client(&self) -> Client {
        Client::connect(&self.text(), NoTls).unwrap()
    }

    /// The store in the schema.
    pub fn open(&self) -> PostgresStore {
        PostgresStore::open(&self.address(), &PostgresOptions::default()).unwrap()
    }

    /// The store in the schema, if it can be had soon.
    pub fn try_to_open(&self) -> Result<PostgresStore, StoreError> {
        let options = PostgresOptions { patience: Duration::from_millis(100), ..PostgresOptions::default() };
        PostgresStore::open(&self.address(), &options)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A server that the test has started goes with all that it has.
        if self.cluster.is_none() {
            let sql = format!("DROP SCHEMA {} CASCADE", self.schema);
            if let Ok(mut client) = Client::connect(&self.base, NoTls) {
                let _ = client.batch_execute(&sql);
            }
        }
    }
}
