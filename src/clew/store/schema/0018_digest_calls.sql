-- The calls about one session, which are told apart from it no longer when it is deleted.
CREATE INDEX digest_call_session ON digest_call (owner, session_id);
