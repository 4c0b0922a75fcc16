-- Transcripts that are known to be missing, with the time of what is not counted for that.
-- agent_run_id: the run whose transcript it is; NULL where it is the session's own, of which there
-- is a row for each time that one of its runs was started.
-- message_id: the answer that started the run. Where another session made that answer, the run is
-- missing there: is_inherited.

CREATE TABLE missing_transcript (
  session_key INTEGER NOT NULL,
  agent_run_id TEXT,
  message_id TEXT,
  at TEXT NOT NULL,
  is_inherited INTEGER NOT NULL,
  parser_version INTEGER NOT NULL
);
CREATE INDEX missing_transcript_session ON missing_transcript (session_key);
