-- The kept files and the rows derived from them.
-- Kept: source_file, frame. Everything else can be made again from the kept bytes.
-- Rows of a session carry its number (session.key), and ids of entries are 16 bytes where they are
-- UUIDs: both stand on every row.

CREATE TABLE source_file (
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
  UNIQUE (root, path)
);
CREATE INDEX source_file_session ON source_file (session_id);

CREATE TABLE frame (
  file_id INTEGER NOT NULL REFERENCES source_file (id),
  generation INTEGER NOT NULL,
  number INTEGER NOT NULL,
  start_bytes INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  blob_start INTEGER NOT NULL,
  blob_bytes INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (file_id, generation, number)
) WITHOUT ROWID;

CREATE TABLE project (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL
);

CREATE TABLE session (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
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
  parser_version INTEGER NOT NULL
);
CREATE INDEX session_time ON session (ended_at);
CREATE INDEX session_project ON session (project_id, ended_at);

CREATE TABLE transcript (
  session_key INTEGER NOT NULL,
  number INTEGER NOT NULL,
  path TEXT NOT NULL,
  kind TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  entry_count INTEGER NOT NULL,
  parser_version INTEGER NOT NULL
);
CREATE INDEX transcript_session ON transcript (session_key);

CREATE TABLE old_title (
  session_key INTEGER NOT NULL,
  leaf_uuid BLOB NOT NULL,
  title TEXT NOT NULL,
  ordinal INTEGER NOT NULL
);
CREATE INDEX old_title_leaf ON old_title (leaf_uuid);
CREATE INDEX old_title_session ON old_title (session_key);

CREATE TABLE entry (
  session_key INTEGER NOT NULL,
  transcript INTEGER NOT NULL,
  line INTEGER NOT NULL,
  offset_bytes INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  uuid BLOB,
  type TEXT NOT NULL,
  subtype TEXT NOT NULL,
  at TEXT NOT NULL,
  version TEXT NOT NULL
);
CREATE INDEX entry_session ON entry (session_key);
-- The beginning of an id finds it nearly as well, in half the room.
CREATE INDEX entry_uuid ON entry (substr(uuid, 1, 6)) WHERE uuid IS NOT NULL;

CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  session_key INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL,
  role TEXT NOT NULL,
  subtype TEXT,
  agent_run_id TEXT,
  parent_id TEXT,
  thread_ids TEXT NOT NULL,
  on_main_thread INTEGER NOT NULL,
  turn INTEGER,
  epoch INTEGER NOT NULL,
  is_compacted INTEGER NOT NULL,
  is_meta INTEGER NOT NULL,
  model TEXT,
  stop_reason TEXT,
  error TEXT,
  started_at TEXT NOT NULL,
  ended_at TEXT NOT NULL,
  has_text INTEGER NOT NULL,
  has_thinking INTEGER NOT NULL,
  has_tool_use INTEGER NOT NULL,
  has_tool_result INTEGER NOT NULL,
  transcript INTEGER NOT NULL,
  line INTEGER NOT NULL,
  offset_bytes INTEGER NOT NULL,
  parser_version INTEGER NOT NULL
);
CREATE INDEX message_session ON message (session_key, ordinal);

CREATE TABLE block (
  id INTEGER PRIMARY KEY,
  session_key INTEGER NOT NULL,
  message_ordinal INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL,
  field TEXT NOT NULL,
  text TEXT NOT NULL,
  is_cut INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  tool_call_id TEXT,
  transcript INTEGER NOT NULL,
  offset_bytes INTEGER NOT NULL,
  entry_bytes INTEGER NOT NULL
);
CREATE INDEX block_session ON block (session_key, message_ordinal);

CREATE TABLE tool_call (
  session_key INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  tool TEXT NOT NULL,
  label TEXT NOT NULL,
  message_ordinal INTEGER NOT NULL,
  agent_run_id TEXT,
  status TEXT NOT NULL,
  is_error INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  duration_ms INTEGER,
  started_run_id TEXT,
  input_bytes INTEGER NOT NULL,
  result_bytes INTEGER NOT NULL,
  parser_version INTEGER NOT NULL
);
CREATE INDEX tool_call_session ON tool_call (session_key);
CREATE INDEX tool_call_tool ON tool_call (tool);

CREATE TABLE agent_run (
  session_key INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  description TEXT NOT NULL,
  kind TEXT NOT NULL,
  tool_call_id TEXT,
  parent_run_id TEXT,
  link TEXT,
  depth INTEGER NOT NULL,
  status TEXT NOT NULL,
  prompt TEXT NOT NULL,
  models TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT NOT NULL,
  is_hidden INTEGER NOT NULL,
  message_count INTEGER NOT NULL,
  parser_version INTEGER NOT NULL
);
CREATE INDEX agent_run_session ON agent_run (session_key);

CREATE TABLE thread (
  session_key INTEGER NOT NULL,
  thread_id TEXT NOT NULL,
  is_main INTEGER NOT NULL,
  forked_at TEXT,
  message_count INTEGER NOT NULL,
  parser_version INTEGER NOT NULL
);
CREATE INDEX thread_session ON thread (session_key);

CREATE TABLE turn (
  session_key INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  prompt_id TEXT NOT NULL,
  message_count INTEGER NOT NULL,
  tool_call_count INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT NOT NULL,
  duration_ms INTEGER,
  parser_version INTEGER NOT NULL
);
CREATE INDEX turn_session ON turn (session_key);

CREATE TABLE epoch (
  session_key INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  boundary_id TEXT,
  compaction_trigger TEXT,
  tokens_before INTEGER,
  tokens_after INTEGER,
  parser_version INTEGER NOT NULL
);
CREATE INDEX epoch_session ON epoch (session_key);

CREATE TABLE model_call (
  session_key INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  call_number INTEGER NOT NULL,
  call_kind TEXT NOT NULL,
  request_id TEXT,
  agent_run_id TEXT,
  model TEXT NOT NULL,
  at TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_5m_tokens INTEGER NOT NULL,
  cache_write_1h_tokens INTEGER NOT NULL,
  cache_write_unsplit_tokens INTEGER NOT NULL,
  web_searches INTEGER NOT NULL,
  web_fetches INTEGER NOT NULL,
  service_tier TEXT,
  inference_geo TEXT,
  speed TEXT,
  stated_quality TEXT NOT NULL,
  is_inherited INTEGER NOT NULL DEFAULT 0,
  cost_nano_usd INTEGER,
  parser_version INTEGER NOT NULL
);
CREATE INDEX model_call_session ON model_call (session_key);
CREATE INDEX model_call_message ON model_call (message_id);

CREATE TABLE file_change (
  session_key INTEGER NOT NULL,
  tool_call_id TEXT NOT NULL,
  agent_run_id TEXT,
  at TEXT NOT NULL,
  path TEXT NOT NULL,
  action TEXT NOT NULL,
  lines_added INTEGER,
  lines_removed INTEGER,
  parser_version INTEGER NOT NULL
);
CREATE INDEX file_change_session ON file_change (session_key);
CREATE INDEX file_change_path ON file_change (path);

CREATE TABLE edge (
  session_key INTEGER NOT NULL,
  kind TEXT NOT NULL,
  source_id TEXT NOT NULL,
  target_id TEXT NOT NULL
);
CREATE INDEX edge_session ON edge (session_key);

CREATE TABLE problem (
  session_key INTEGER NOT NULL,
  kind TEXT NOT NULL,
  severity TEXT NOT NULL,
  transcript INTEGER NOT NULL,
  line INTEGER NOT NULL,
  offset_bytes INTEGER NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX problem_session ON problem (session_key);
