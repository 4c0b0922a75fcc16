-- Whose sessions, files and projects they are, and who may see rows: several people's may be in one
-- database, and what one names does not touch what another has. On a laptop both are 0.
-- SQLite cannot change what is unique in a table, so those with other keys are made anew.

CREATE TABLE project_new (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  owner INTEGER NOT NULL DEFAULT 0,
  UNIQUE (path, owner)
);
INSERT INTO project_new (
  id, path, name
)
SELECT
  id, path, name
FROM project;
DROP TABLE project;
ALTER TABLE project_new RENAME TO project;

CREATE TABLE source_file_new (
  id INTEGER PRIMARY KEY,
  root TEXT NOT NULL,
  path TEXT NOT NULL,
  kind TEXT NOT NULL,
  session_id TEXT,
  agent_id TEXT,
  workflow_id TEXT,
  project_folder TEXT,
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  generation INTEGER NOT NULL DEFAULT 1,
  kept_bytes INTEGER NOT NULL DEFAULT 0,
  head_hash BLOB,
  head_bytes INTEGER NOT NULL DEFAULT 0,
  tail_hash BLOB,
  tail_bytes INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'present',
  first_seen_at TEXT NOT NULL,
  vanished_at TEXT,
  blob_path TEXT,
  is_compared INTEGER NOT NULL DEFAULT 0,
  owner INTEGER NOT NULL DEFAULT 0,
  UNIQUE (root, path, owner)
);
INSERT INTO source_file_new (
  id, root, path, kind, session_id, agent_id, workflow_id, project_folder, device, inode,
  size_bytes, mtime_ns, generation, kept_bytes, head_hash, head_bytes, tail_hash, tail_bytes,
  state, first_seen_at, vanished_at, blob_path, is_compared
)
SELECT
  id, root, path, kind, session_id, agent_id, workflow_id, project_folder, device, inode,
  size_bytes, mtime_ns, generation, kept_bytes, head_hash, head_bytes, tail_hash, tail_bytes,
  state, first_seen_at, vanished_at, blob_path, is_compared
FROM source_file;
DROP TABLE source_file;
ALTER TABLE source_file_new RENAME TO source_file;
CREATE INDEX source_file_session ON source_file (session_id);

CREATE TABLE session_new (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  project_id INTEGER REFERENCES project (id),
  title TEXT NOT NULL,
  title_source TEXT NOT NULL,
  own_title TEXT NOT NULL,
  own_title_source TEXT NOT NULL,
  cwd TEXT NOT NULL,
  git_branch TEXT,
  versions TEXT NOT NULL,
  models TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT NOT NULL,
  duration_ms INTEGER NOT NULL,
  active_ms INTEGER NOT NULL,
  first_prompt TEXT NOT NULL,
  slug TEXT,
  team TEXT,
  agent_name TEXT,
  entrypoint TEXT,
  resumed_from TEXT,
  forked_from TEXT,
  stated_fork TEXT,
  continued_in TEXT,
  teammate_of TEXT,
  message_count INTEGER NOT NULL,
  prompt_count INTEGER NOT NULL,
  answer_count INTEGER NOT NULL,
  tool_call_count INTEGER NOT NULL,
  error_count INTEGER NOT NULL,
  agent_run_count INTEGER NOT NULL,
  thread_count INTEGER NOT NULL,
  compaction_count INTEGER NOT NULL,
  client_cost_state TEXT,
  claim TEXT NOT NULL,
  parser_version INTEGER NOT NULL,
  has_transcript INTEGER NOT NULL DEFAULT 1,
  owner INTEGER NOT NULL DEFAULT 0,
  scope_id INTEGER NOT NULL DEFAULT 0,
  UNIQUE (id, owner)
);
INSERT INTO session_new (
  key, id, project_id, title, title_source, own_title, own_title_source, cwd, git_branch,
  versions, models, started_at, ended_at, duration_ms, active_ms, first_prompt, slug, team,
  agent_name, entrypoint, resumed_from, forked_from, stated_fork, continued_in, teammate_of,
  message_count, prompt_count, answer_count, tool_call_count, error_count, agent_run_count,
  thread_count, compaction_count, client_cost_state, claim, parser_version, has_transcript
)
SELECT
  key, id, project_id, title, title_source, own_title, own_title_source, cwd, git_branch,
  versions, models, started_at, ended_at, duration_ms, active_ms, first_prompt, slug, team,
  agent_name, entrypoint, resumed_from, forked_from, stated_fork, continued_in, teammate_of,
  message_count, prompt_count, answer_count, tool_call_count, error_count, agent_run_count,
  thread_count, compaction_count, client_cost_state, claim, parser_version, has_transcript
FROM session;
DROP TABLE session;
ALTER TABLE session_new RENAME TO session;
CREATE INDEX session_time ON session (ended_at);
CREATE INDEX session_project ON session (project_id, ended_at);

CREATE TABLE stale_session_new (
  session_id TEXT NOT NULL,
  since TEXT NOT NULL,
  owner INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, session_id)
) WITHOUT ROWID;
INSERT INTO stale_session_new (
  session_id, since
)
SELECT
  session_id, since
FROM stale_session;
DROP TABLE stale_session;
ALTER TABLE stale_session_new RENAME TO stale_session;

ALTER TABLE transcript ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE old_title ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE block ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tool_call ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent_run ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE thread ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turn ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE epoch ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE model_call ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE missing_transcript ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE file_change ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE edge ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE problem ADD COLUMN scope_id INTEGER NOT NULL DEFAULT 0;
