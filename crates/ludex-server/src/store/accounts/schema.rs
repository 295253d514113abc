//! The tables of accounts, in the words of each database.

/// The tables, with what a text and a number are and how a table ends.
macro_rules! accounts_schema {
    ($text:literal, $number:literal, $end:literal) => {
        concat!(
            "
CREATE TABLE accounts (
    -- The name in lower case; of an account that was deleted, something of which nobody can tell the name.
    key ", $text, " PRIMARY KEY,
    name ", $text, " NOT NULL,
    mail ", $text, ",
    password ", $text, ",
    role ", $text, " NOT NULL,
    created ", $number, " NOT NULL,
    seen ", $number, ",
    banned ", $number, ",
    why ", $text, ",
    deleted ", $number, " NOT NULL DEFAULT 0
)", $end, ";

-- Of secrets only digests are kept.
CREATE TABLE account_sessions (
    digest ", $text, " PRIMARY KEY,
    account ", $text, " NOT NULL REFERENCES accounts,
    created ", $number, " NOT NULL,
    used ", $number, " NOT NULL,
    expires ", $number, " NOT NULL,
    about ", $text, " NOT NULL
)", $end, ";
CREATE INDEX account_sessions_by_account ON account_sessions (account);
CREATE INDEX account_sessions_by_end ON account_sessions (expires);

CREATE TABLE account_links (
    digest ", $text, " PRIMARY KEY,
    account ", $text, " NOT NULL REFERENCES accounts,
    expires ", $number, " NOT NULL
)", $end, ";

CREATE TABLE account_tokens (
    digest ", $text, " PRIMARY KEY,
    account ", $text, " NOT NULL REFERENCES accounts,
    name ", $text, " NOT NULL,
    scopes ", $text, " NOT NULL,
    created ", $number, " NOT NULL,
    expires ", $number, " NOT NULL,
    used ", $number, "
)", $end, ";
CREATE INDEX account_tokens_by_account ON account_tokens (account);

-- What no row is of belongs to the organiser.
CREATE TABLE owners (
    kind ", $text, " NOT NULL,
    name ", $text, " NOT NULL,
    account ", $text, " NOT NULL REFERENCES accounts,
    PRIMARY KEY (kind, name)
)", $end, ";
CREATE INDEX owners_by_account ON owners (account, kind, name);

CREATE TABLE hidden_things (
    kind ", $text, " NOT NULL,
    name ", $text, " NOT NULL,
    at ", $number, " NOT NULL,
    who ", $text, " NOT NULL,
    why ", $text, " NOT NULL,
    PRIMARY KEY (kind, name)
)", $end, ";

-- What moderators did.
CREATE TABLE audit (
    number ", $number, " PRIMARY KEY,
    at ", $number, " NOT NULL,
    who ", $text, " NOT NULL,
    action ", $text, " NOT NULL,
    what ", $text, " NOT NULL,
    detail ", $text, " NOT NULL
)", $end, ";

-- What quotas count, by days since 1970.
CREATE TABLE account_usage (
    account ", $text, " NOT NULL REFERENCES accounts,
    day ", $number, " NOT NULL,
    what ", $text, " NOT NULL,
    amount ", $number, " NOT NULL,
    PRIMARY KEY (account, day, what)
)", $end, ";

-- What a manager signs messages to a player with. It has to be used, so it is kept as it is.
CREATE TABLE player_secrets (
    player ", $text, " PRIMARY KEY,
    secret ", $text, " NOT NULL
)", $end, ";
"
        )
    };
}

/// For SQLite.
pub(in crate::store) const SQLITE: &str = accounts_schema!("TEXT", "INTEGER", " STRICT");
/// For PostgreSQL: names are compared by their bytes.
#[cfg(feature = "postgres")]
pub(in crate::store) const POSTGRES: &str = accounts_schema!("TEXT COLLATE \"C\"", "BIGINT", "");
