-- What a laptop knows of team servers: nothing of it is derived from transcripts.

-- A random id for each root, which it keeps when its folder moves.
CREATE TABLE root_id (
  root TEXT NOT NULL,
  id TEXT NOT NULL,
  owner INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, root)
) WITHOUT ROWID;

-- What a server has acknowledged of a file, and from which of our bytes it was made.
CREATE TABLE pushed_file (
  server TEXT NOT NULL,
  root_id TEXT NOT NULL,
  path TEXT NOT NULL,
  file TEXT NOT NULL,
  session_id TEXT NOT NULL,
  tier TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  kept_bytes INTEGER NOT NULL,
  receipt TEXT NOT NULL,
  server_generation INTEGER NOT NULL,
  pushed_at TEXT NOT NULL,
  PRIMARY KEY (server, root_id, path)
) WITHOUT ROWID;

-- Where the pieces end that were made of a file below the tier of everything, so that the next push
-- cuts it at the same places.
CREATE TABLE pushed_piece (
  server TEXT NOT NULL,
  root_id TEXT NOT NULL,
  path TEXT NOT NULL,
  number INTEGER NOT NULL,
  source_end INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (server, root_id, path, number)
) WITHOUT ROWID;

-- What stands for each masked secret: a number by a keyed hash, which never leaves.
CREATE TABLE secret_mark (
  hash BLOB PRIMARY KEY,
  kind TEXT NOT NULL,
  number INTEGER NOT NULL
) WITHOUT ROWID;

-- Sessions that came from a server; they are never pushed.
CREATE TABLE pulled_session (
  session_id TEXT NOT NULL,
  server TEXT NOT NULL,
  member TEXT NOT NULL,
  receipt TEXT NOT NULL,
  pulled_at TEXT NOT NULL,
  owner INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, session_id)
) WITHOUT ROWID;
