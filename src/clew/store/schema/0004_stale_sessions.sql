-- A session's rows are derived whole, so nothing need be known of where they were cut.
DROP TABLE cut;
DROP TABLE cut_name;

-- Sessions of which more is kept than their rows know, and since when: long ones that still grow.
CREATE TABLE stale_session (
  session_id TEXT PRIMARY KEY,
  since TEXT NOT NULL
) WITHOUT ROWID;
