-- What readers add to sessions: stars, tags, notes, titles of their own, bookmarks. None of it can be
-- derived from transcripts, so it stays when rows are derived again. `viewer` is whose note it is,
-- `owner` whose session; on a laptop both are 0. A note that was cleared keeps its row, without words,
-- so that an older copy of it does not come back.
CREATE TABLE note (
  viewer INTEGER NOT NULL DEFAULT 0,
  owner INTEGER NOT NULL DEFAULT 0,
  session_id TEXT NOT NULL,
  is_starred INTEGER NOT NULL DEFAULT 0,
  is_hidden INTEGER NOT NULL DEFAULT 0,
  title TEXT NOT NULL DEFAULT '',
  text TEXT NOT NULL DEFAULT '',
  tags TEXT NOT NULL DEFAULT '[]',
  changed_at TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (viewer, owner, session_id)
) WITHOUT ROWID;

CREATE TABLE bookmark (
  viewer INTEGER NOT NULL DEFAULT 0,
  owner INTEGER NOT NULL DEFAULT 0,
  session_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  comment TEXT NOT NULL DEFAULT '',
  made_at TEXT NOT NULL,
  PRIMARY KEY (viewer, owner, session_id, message_id)
) WITHOUT ROWID;
