-- Requests that paid again for what the prompt cache had a moment before. What that cost follows
-- from the model call and its price, so it is computed when it is read.
CREATE TABLE cache_break (
  session_key INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  agent_run_id TEXT,
  at TEXT NOT NULL,
  cause TEXT NOT NULL,
  cause_source TEXT NOT NULL,
  pause_ms INTEGER,
  tokens INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cache_write_5m_tokens INTEGER NOT NULL,
  cache_write_1h_tokens INTEGER NOT NULL,
  parser_version INTEGER NOT NULL,
  scope_id INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX cache_break_session ON cache_break (session_key);
