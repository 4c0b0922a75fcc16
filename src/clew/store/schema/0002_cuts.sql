-- Where the rows of long sessions are cut: those before stay as they are when a session grows.
-- Nothing else reads these tables, and they are never trusted across versions of the parser.

CREATE TABLE cut (
  session_key INTEGER PRIMARY KEY,
  past TEXT NOT NULL,
  tail_rows TEXT NOT NULL,
  parser_version INTEGER NOT NULL
);

CREATE TABLE cut_name (
  session_key INTEGER NOT NULL,
  prints BLOB NOT NULL,
  said TEXT NOT NULL
);
CREATE INDEX cut_name_session ON cut_name (session_key);
