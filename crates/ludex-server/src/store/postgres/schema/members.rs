//! Members, and what they own.

pub(super) const MEMBERS: &str = r#"
-- Which is the oldest version of the tables whose servers may use these.
ALTER TABLE ludex ADD COLUMN oldest BIGINT NOT NULL DEFAULT 1;

-- Who has the tables at present. A number is given once: sequences never go back.
CREATE TABLE members (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    address TEXT COLLATE "C" NOT NULL,
    release TEXT COLLATE "C" NOT NULL,
    began BIGINT NOT NULL,
    renewals BIGINT NOT NULL DEFAULT 0,
    expires TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 10);

-- The owner of what is not over.
ALTER TABLE tournaments ADD COLUMN owner BIGINT REFERENCES members ON DELETE SET NULL;
ALTER TABLE matches ADD COLUMN owner BIGINT REFERENCES members ON DELETE SET NULL;
CREATE INDEX tournaments_by_owner ON tournaments (owner) WHERE owner IS NOT NULL;
CREATE INDEX matches_by_owner ON matches (owner) WHERE owner IS NOT NULL;
CREATE INDEX tournaments_unowned ON tournaments (created, id) WHERE owner IS NULL AND stage <> 'over';
CREATE INDEX matches_unowned ON matches (created, id)
    WHERE owner IS NULL AND stage IN ('planned', 'running');

-- By what members know each other. A copy of the tables gets its own.
CREATE TABLE secrets (
    name TEXT COLLATE "C" PRIMARY KEY,
    value BYTEA NOT NULL
);
"#;
