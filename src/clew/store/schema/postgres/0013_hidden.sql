-- Sessions in which nobody said anything. There are few, and every list and search leaves them out:
-- to look for a message in every session takes 5 ms for a thousand of them.

CREATE TABLE hidden_session (
  session_key BIGINT PRIMARY KEY,
  scope_id BIGINT NOT NULL DEFAULT 0
);
