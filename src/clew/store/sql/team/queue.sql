-- The table of states as the queue of the workers: claim, renew, finish, and what else ends a claim.

-- is_claimable: nobody works on it, no newer parser has, and there are attempts left
(claim IS NULL OR claimed_until < now()) AND due_at <= now() AND deleted_at IS NULL
  AND derived_parser <= :parser AND attempted_parser <= :parser
  AND (attempted_parser < :parser OR (attempts < :most AND failed_reason IS NULL));

-- claim_values: take a session, and count the attempt before the work
claim = :claim, claimed_until = now() + :lease * interval '1 second',
  attempts = CASE WHEN attempted_parser < :parser THEN 1 ELSE attempts + 1 END,
  attempted_parser = :parser, waiting_reason = NULL, failed_reason = NULL;

-- claimed_columns: what a worker knows of a session that it has claimed
owner, session_id, claim, head_seq, attempts;

-- claim_received: claim the session that has been due for longest
UPDATE session_state SET {claim_values}
WHERE (owner, session_id) = (
  SELECT owner, session_id FROM session_state
  WHERE head_seq > derived_seq AND {is_claimable}
  ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING {claimed_columns};

-- claim_outdated: claim a session whose rows an older parser made
UPDATE session_state SET {claim_values}
WHERE (owner, session_id) = (
  SELECT owner, session_id FROM session_state
  WHERE derived_parser < :parser AND head_seq = derived_seq AND head_seq > 0 AND {is_claimable}
  ORDER BY derived_parser LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING {claimed_columns};

-- fail_exhausted: give up sessions that ended all workers that tried them
UPDATE session_state SET failed_reason = :reason, claim = NULL, claimed_until = NULL
WHERE (owner, session_id) IN (
  SELECT owner, session_id FROM session_state
  WHERE claimed_until < now() AND attempts >= :most AND attempted_parser <= :parser
    AND deleted_at IS NULL
  FOR UPDATE SKIP LOCKED);

-- renew_claim: keep a session for longer; nothing to do while its own rows are being written
UPDATE session_state SET claimed_until = now() + :lease * interval '1 second'
WHERE (owner, session_id) IN (
  SELECT owner, session_id FROM session_state
  WHERE owner = :owner AND session_id = :session AND claim = :claim
  FOR UPDATE SKIP LOCKED);

-- hold_claim: make sure that a session is still ours, until the end of the transaction
SELECT scope_id FROM session_state
WHERE owner = :owner AND session_id = :session AND claim = :claim AND deleted_at IS NULL
FOR UPDATE;

-- finish_claim: a session's rows are made from what it had when it was claimed
UPDATE session_state SET derived_seq = greatest(derived_seq, :head_seq), derived_parser = :parser,
  digest_skip = CASE WHEN tier = 'structure' THEN 'tier' WHEN NOT (
      SELECT has_digests FROM organisation WHERE id = organisation_id) THEN 'off'
    WHEN :head_seq <= derived_seq THEN nullif(digest_skip, 'off') END,
  attempts = 0, claim = NULL, claimed_until = NULL,
  waiting_since = CASE WHEN head_seq > :head_seq THEN grown_at END,
  waiting_reason = NULL, failed_reason = NULL
WHERE owner = :owner AND session_id = :session AND claim = :claim;

-- release_claim: let others do it, as if nobody had tried
UPDATE session_state SET claim = NULL, claimed_until = NULL, attempts = greatest(attempts - 1, 0)
WHERE owner = :owner AND session_id = :session AND claim = :claim;

-- postpone_claim: try again later, as if nobody had tried
UPDATE session_state SET claim = NULL, claimed_until = NULL, attempts = greatest(attempts - 1, 0),
  waiting_reason = :reason, due_at = now() + :seconds * interval '1 second'
WHERE owner = :owner AND session_id = :session AND claim = :claim;

-- fail_claim: an attempt failed; the last one was the last
UPDATE session_state SET claim = NULL, claimed_until = NULL, waiting_reason = :reason,
  failed_reason = CASE WHEN attempts >= :most THEN :reason END,
  due_at = now() + :seconds * interval '1 second'
WHERE owner = :owner AND session_id = :session AND claim = :claim
RETURNING failed_reason;

-- retry_session: forget a session's failures
UPDATE session_state SET {retry_values}
WHERE owner = :owner AND session_id = :session AND deleted_at IS NULL
  AND (failed_reason IS NOT NULL OR waiting_reason IS NOT NULL OR digest_skip = 'failed'
    OR digest_reason IS NOT NULL);

-- retry_all: forget the failures of all sessions
UPDATE session_state SET {retry_values}
WHERE (failed_reason IS NOT NULL OR digest_skip = 'failed') AND deleted_at IS NULL;

-- retry_values: all failures are forgotten
attempts = 0, failed_reason = NULL, waiting_reason = NULL, due_at = now(), digest_attempts = 0,
  digest_skip = nullif(digest_skip, 'failed'), digest_reason = NULL,
  digest_due_at = CASE WHEN digest_reason IS NULL THEN digest_due_at ELSE now() END;

-- refresh_statistics: let the planner know how large tables are that have grown by half
-- PostgreSQL does so itself, but only after a minute or two, and a server is read from the start.
DO $$ DECLARE name text; BEGIN
  IF NOT pg_try_advisory_xact_lock(1668048250) THEN
    RETURN;
  END IF;
  FOR name IN
    SELECT relname FROM pg_stat_user_tables
    WHERE schemaname = current_schema() AND n_mod_since_analyze > 200 + n_live_tup / 3
      AND relname <> 'search_text'
  LOOP
    EXECUTE format('ANALYZE %I', name);
  END LOOP;
END $$;
