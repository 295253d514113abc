//! `ludex store`: what a Game Manager keeps, copied to another place, counted or rated.

use std::io::Write;

use ludex_server::model::{PageRequest, PlayerRating, RatingQuery, StoreError};
use ludex_server::store::{CopyProgress, StoreDigest, StorePlace, check_store, copy_store};
use serde_json::json;

use crate::Context;
use crate::console::table;
use crate::failure::Failure;
use crate::limits::grouped;

/// Arguments of `store`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex store check ludex-data
  ludex store copy ludex-data postgres://ludex@localhost/ludex
  ludex store copy postgres://ludex@localhost/ludex backup-of-june
  ludex store check backup-of-june --json
  ludex store ratings ludex-data --again

A store is what `ludex serve` keeps: in a folder (--data), or in a PostgreSQL database
(--store). No server may use it meanwhile. A copy has everything: games with all versions,
players, tournaments, matches with their journals, records. It goes to a place where
nothing is kept yet; one that was cut off goes on when the same command is given again,
and is no store before it is complete. At the end it is read again and compared. The
digest of a store says whether two hold the same, whatever the database.
The server counts matches in the ratings of their players soon after they have ended;
`ratings` does it without one. With --again all are counted anew, in the same order, and
the same comes out.
--json: an object with store, sha256 and tables, a list of objects with table, rows and
sha256; of `ratings` with store, counted, players (how many are rated) and strongest, a
list of ratings as /api/ratings has them. A password may stand in the variable PGPASSWORD
instead of the address.")]
pub struct StoreArguments {
    #[command(subcommand)]
    action: Action,
}

/// What to do.
#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Copy a store to another place, from one kind of database to another or the same
    Copy {
        /// What is copied: a folder, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "FROM")]
        from: String,

        /// Where to: a folder, or an address, where nothing is kept yet
        #[arg(value_name = "TO")]
        to: String,

        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Count matches that are over in the ratings of their players, and say who is strongest
    Ratings {
        /// A folder, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "STORE")]
        store: String,

        /// Count all matches again, from the first one on
        #[arg(long)]
        again: bool,

        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Read all of a store, and say how much it holds and its digest
    Check {
        /// A folder, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "STORE")]
        store: String,

        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Copies, checks or rates.
pub fn run(arguments: &StoreArguments, context: &mut Context) -> Result<(), Failure> {
    let budget = context.limits.budget();
    let mut report = |progress: CopyProgress| {
        let what = if progress.verifies { "verifying" } else { "reading" };
        budget.report(&format!("{what} {}", progress.table), progress.done, Some(progress.total));
    };
    let (place, digest, json) = match &arguments.action {
        Action::Ratings { store, again, json } => {
            return ratings(&store_place(store)?, *again, *json, context);
        }
        Action::Copy { from, to, json } => {
            let (from, to) = (store_place(from)?, store_place(to)?);
            let digest = copy_store(&from, &to, &mut report);
            (to, digest, *json)
        }
        Action::Check { store, json } => {
            let place = store_place(store)?;
            let digest = check_store(&place, &mut report);
            (place, digest, *json)
        }
    };
    let digest = digest.map_err(|error| store_failure(&error))?;
    let text = if json { json_text(&place, &digest)? } else { text(&digest, context) };
    context.console.write_all(text.as_bytes())?;
    Ok(())
}

/// So many matches are counted before it is said how far it is.
const COUNTED_AT_ONCE: u64 = 500;
/// So many players are named.
const STRONGEST: u64 = 20;

fn ratings(place: &StorePlace, again: bool, json: bool, context: &mut Context) -> Result<(), Failure> {
    let failed = |error: StoreError| store_failure(&error);
    let budget = context.limits.budget();
    let store = place.open().map_err(failed)?;
    if again {
        store.forget_ratings().map_err(failed)?;
    }
    let total = store.uncounted_matches().map_err(failed)?;
    let mut counted = 0;
    loop {
        budget.report("counting matches", counted, Some(total));
        match store.count_ended_matches(COUNTED_AT_ONCE).map_err(failed)? {
            0 => break,
            more => counted += more,
        }
    }
    let query = RatingQuery { page: PageRequest::first(STRONGEST), ..RatingQuery::default() };
    let strongest = store.leaderboard(&query).map_err(failed)?;
    let text = if json {
        let store = place.path().display().to_string();
        let object = json!({ "store": store, "counted": counted, "players": strongest.total,
            "strongest": strongest.items });
        serde_json::to_string_pretty(&object)? + "\n"
    } else {
        let of = |number: u64, what: &str| match number {
            1 => format!("1 {what}"),
            number => {
                format!("{} {what}{}", grouped(number.into()), if what == "match" { "es" } else { "s" })
            }
        };
        let summary = format!("counted {}; {} rated\n", of(counted, "match"), of(strongest.total, "player"));
        summary + &rating_table(&strongest.items, context)
    };
    context.console.write_all(text.as_bytes())?;
    Ok(())
}

fn rating_table(ratings: &[PlayerRating], context: &Context) -> String {
    if ratings.is_empty() {
        return String::new();
    }
    let mut rows = vec![["PLAYER", "RATING", "95% INTERVAL", "MATCHES"].map(str::to_owned).to_vec()];
    rows.extend(ratings.iter().map(|rating| {
        let skill = rating.skill;
        vec![
            rating.player.clone(),
            format!("{:.0}", skill.rating),
            format!("{:.0} to {:.0}", skill.low(), skill.high()),
            grouped(rating.matches.into()),
        ]
    }));
    table(&context.console, &rows, &[false, true, true, true])
}

fn json_text(place: &StorePlace, digest: &StoreDigest) -> Result<String, Failure> {
    let tables = digest.tables.iter();
    let tables = tables.map(|of| json!({ "table": of.table, "rows": of.rows, "sha256": of.sha256 }));
    let tables: Vec<_> = tables.collect();
    let store = place.path().display().to_string();
    let object = json!({ "store": store, "sha256": digest.sha256, "tables": tables });
    Ok(serde_json::to_string_pretty(&object)? + "\n")
}

fn text(digest: &StoreDigest, context: &Context) -> String {
    let mut rows = vec![vec!["TABLE".to_owned(), "ROWS".to_owned()]];
    for of in &digest.tables {
        rows.push(vec![of.table.to_owned(), grouped(of.rows.into())]);
    }
    format!("{}digest: {}\n", table(&context.console, &rows, &[false, true]), digest.sha256)
}

/// Reads where a store is.
pub(super) fn store_place(text: &str) -> Result<StorePlace, Failure> {
    let password = std::env::var("PGPASSWORD").ok();
    StorePlace::read(text, password.as_deref()).map_err(|error| Failure::Usage(error.to_string()))
}

/// Says what is wrong with a store, and what to do.
pub(super) fn store_failure(error: &StoreError) -> Failure {
    let failure = Failure::input(error.to_string());
    match error {
        StoreError::Unreachable { .. } => failure
            .hint("`psql` with the same address says whether PostgreSQL runs there and lets this user in"),
        StoreError::InUse { .. } => failure.hint("end the server that uses it"),
        StoreError::NotADatabase { .. } => {
            failure.hint("a database or a schema of its own keeps it apart from other data")
        }
        _ => failure,
    }
}
