-- The words of the full text, noted down now and then: to gather them takes a look at all of it.
-- Blocks up to `bound` have no others; what was written since is not noted yet.

CREATE TABLE vocabulary (
  name TEXT PRIMARY KEY,
  bound INTEGER NOT NULL,
  words TEXT NOT NULL
) WITHOUT ROWID;
