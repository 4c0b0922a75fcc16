-- The commits and pull requests that sessions report, the branch of each model call, and what was
-- found out about lines of commits. `line_authors` is a cache: whatever is in it can be found again.
CREATE TABLE git_report (
  session_key INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at TEXT NOT NULL,
  hash TEXT NOT NULL,
  subject TEXT NOT NULL,
  branch TEXT NOT NULL,
  url TEXT NOT NULL,
  message_id TEXT,
  tool_call_id TEXT,
  parser_version INTEGER NOT NULL,
  scope_id INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX git_report_session ON git_report (session_key);

ALTER TABLE model_call ADD COLUMN git_branch TEXT;

CREATE TABLE line_authors (
  commit_hash TEXT NOT NULL,
  path TEXT NOT NULL,
  writers TEXT NOT NULL,
  json TEXT NOT NULL,
  owner INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, commit_hash, path)
) WITHOUT ROWID;
