-- Digests that models wrote. They cannot be derived from transcripts, so they stay when rows are
-- derived again; the time and the receipt say which bytes of a session they were made of.
CREATE TABLE digest (
  session_id TEXT NOT NULL,
  receipt TEXT NOT NULL,
  model TEXT NOT NULL,
  prompt_version INTEGER NOT NULL,
  made_at TEXT NOT NULL,
  title TEXT NOT NULL,
  outcome TEXT NOT NULL,
  text TEXT NOT NULL,
  json TEXT NOT NULL,
  claims_quoted INTEGER NOT NULL,
  claims_dropped INTEGER NOT NULL,
  cost_nano_usd INTEGER NOT NULL,
  owner INTEGER NOT NULL DEFAULT 0,
  scope_id INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, session_id)
) WITHOUT ROWID;

-- What was asked of models: the most that a call can cost is reserved before it, and settled after
-- it. A call that was never settled counts until it expires.
CREATE TABLE digest_call (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  model TEXT NOT NULL,
  reserved_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  reserved_nano_usd INTEGER NOT NULL,
  settled_at TEXT,
  cost_nano_usd INTEGER,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  is_failed INTEGER NOT NULL DEFAULT 0,
  owner INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX digest_call_time ON digest_call (reserved_at);
