-- What queries need of the archived bytes: which blob has a transcript, and how long the line of a
-- message is. Where SQL cannot read the archived bytes itself, rows also have the inputs of tool
-- calls, the directories they were made in, and the lines of hooks; elsewhere these are NULL or
-- missing.
ALTER TABLE transcript ADD COLUMN blob TEXT NOT NULL DEFAULT '';
ALTER TABLE message ADD COLUMN entry_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tool_call ADD COLUMN input TEXT;
ALTER TABLE tool_call ADD COLUMN cwd TEXT;

CREATE TABLE hook_entry (
  session_key INTEGER NOT NULL,
  transcript INTEGER NOT NULL,
  line INTEGER NOT NULL,
  text TEXT NOT NULL,
  scope_id INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX hook_entry_session ON hook_entry (session_key);
