-- Whose sessions a viewer sees: asked before each page, so it must not read all of their sessions.

CREATE INDEX session_owner_scope ON session (owner, scope_id);
