-- What is missing: a session's own transcript, and what calls report of runs without one.

ALTER TABLE session ADD COLUMN has_transcript INTEGER NOT NULL DEFAULT 1;
ALTER TABLE agent_run ADD COLUMN reported_tokens INTEGER;
ALTER TABLE agent_run ADD COLUMN reported_tool_uses INTEGER;
ALTER TABLE agent_run ADD COLUMN reported_duration_ms INTEGER;
