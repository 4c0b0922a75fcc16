-- Digests by the workers: which session is next, and what becomes of it; and what organisations want.

-- wants_digest: it is parsed, and there is no digest of what it has now
s.digest_seq < s.derived_seq AND s.head_seq = s.derived_seq AND s.deleted_at IS NULL
  AND (s.digest_skip IS NULL OR s.digest_skip = 'budget');

-- is_idle: it has not grown for ten minutes, or has ended
s.grown_at <= now() - CASE WHEN s.has_ended THEN interval '30 seconds' ELSE interval '10 minutes' END;

-- claim_digest: claim the session that grew last, and count the attempt before the work
UPDATE session_state SET digest_claim = :claim,
  digest_claimed_until = now() + :lease * interval '1 second', digest_attempts = digest_attempts + 1
WHERE (owner, session_id) = (
  SELECT s.owner, s.session_id FROM session_state AS s
  JOIN organisation AS o ON o.id = s.organisation_id
  WHERE {wants_digest} AND {is_idle} AND s.digest_due_at <= now() AND s.tier <> 'structure'
    AND (s.digest_claim IS NULL OR s.digest_claimed_until < now()) AND s.digest_attempts < :most
    AND o.has_digests AND coalesce(o.digest_paused_until <= now(), true)
  ORDER BY s.grown_at DESC LIMIT 1 FOR UPDATE OF s SKIP LOCKED)
RETURNING owner, session_id, organisation_id, digest_claim AS claim, derived_seq,
  digest_attempts AS attempts;

-- fail_exhausted_digests: give up digests that ended all workers that tried them
UPDATE session_state SET digest_skip = 'failed', digest_reason = :reason, digest_claim = NULL,
  digest_claimed_until = NULL
WHERE (owner, session_id) IN (
  SELECT owner, session_id FROM session_state
  WHERE digest_claimed_until < now() AND digest_attempts >= :most AND deleted_at IS NULL
  FOR UPDATE SKIP LOCKED);

-- skip_over_budget: say of sessions that are due why nobody asks a model for them
UPDATE session_state SET digest_skip = 'budget'
WHERE (owner, session_id) IN (
  SELECT s.owner, s.session_id FROM session_state AS s
  JOIN organisation AS o ON o.id = s.organisation_id
  WHERE {wants_digest} AND {is_idle} AND s.digest_skip IS NULL AND s.digest_claim IS NULL
    AND s.tier <> 'structure' AND o.has_digests AND o.is_over_budget AND o.digest_paused_until > now()
  FOR UPDATE OF s SKIP LOCKED);

-- wake_digests: sessions that count as off, in organisations that have switched digests on
UPDATE session_state SET digest_skip = CASE WHEN tier = 'structure' THEN 'tier' END
WHERE (owner, session_id) IN (
  SELECT s.owner, s.session_id FROM session_state AS s
  JOIN organisation AS o ON o.id = s.organisation_id
  WHERE s.digest_skip = 'off' AND s.derived_seq > 0 AND s.deleted_at IS NULL AND o.has_digests
  LIMIT :most FOR UPDATE OF s SKIP LOCKED);

-- renew_digest: keep a session for longer
UPDATE session_state SET digest_claimed_until = now() + :lease * interval '1 second'
WHERE (owner, session_id) IN (
  SELECT owner, session_id FROM session_state
  WHERE owner = :owner AND session_id = :session AND digest_claim = :claim
  FOR UPDATE SKIP LOCKED);

-- hold_digest: make sure that a session is still ours, and wanted, until the end of the transaction
SELECT 1 FROM session_state AS s JOIN organisation AS o ON o.id = s.organisation_id
WHERE s.owner = :owner AND s.session_id = :session AND s.digest_claim = :claim
  AND s.deleted_at IS NULL AND s.tier <> 'structure' AND o.has_digests
FOR UPDATE OF s;

-- finish_digest: there is a digest of what a session had when it was claimed
UPDATE session_state SET digest_seq = greatest(digest_seq, :derived_seq), digest_skip = NULL,
  digest_reason = NULL, digest_attempts = 0, digest_claim = NULL, digest_claimed_until = NULL,
  digest_due_at = now() + :seconds * interval '1 second'
WHERE owner = :owner AND session_id = :session AND digest_claim = :claim;

-- postpone_digest: try again later, as if nobody had tried
UPDATE session_state SET digest_claim = NULL, digest_claimed_until = NULL,
  digest_attempts = greatest(digest_attempts - 1, 0), digest_skip = :skip, digest_reason = :reason,
  digest_due_at = now() + :seconds * interval '1 second'
WHERE owner = :owner AND session_id = :session AND digest_claim = :claim;

-- fail_digest: an attempt failed; the last one was the last
UPDATE session_state SET digest_claim = NULL, digest_claimed_until = NULL, digest_reason = :reason,
  digest_skip = CASE WHEN digest_attempts >= :most THEN 'failed' END,
  digest_due_at = now() + :seconds * interval '1 second'
WHERE owner = :owner AND session_id = :session AND digest_claim = :claim
RETURNING coalesce(digest_skip = 'failed', false) AS is_last;

-- digest_settings: what an organisation wants, and whether it waits
SELECT has_digests, digest_model AS model, digest_day_nano_usd AS day_nano_usd,
  digest_paused_until AS paused_until, digest_pause_reason AS pause_reason, is_over_budget
FROM organisation WHERE id = :organisation_id;

-- set_digests: what an organisation wants; whatever it waited for may be over
UPDATE organisation SET has_digests = :has_digests::boolean, digest_model = :model,
  digest_day_nano_usd = :day_nano_usd, digest_paused_until = NULL, digest_pause_reason = NULL,
  is_over_budget = false
WHERE id = :organisation_id;

-- start_digests: sessions without a digest are due again
UPDATE session_state SET
  digest_skip = CASE WHEN tier = 'structure' THEN 'tier' ELSE nullif(nullif(digest_skip, 'off'), 'budget') END,
  digest_due_at = CASE WHEN digest_skip = 'budget' THEN now() ELSE digest_due_at END
WHERE organisation_id = :organisation_id AND deleted_at IS NULL AND digest_seq < derived_seq;

-- stop_digests: no session waits for a digest
UPDATE session_state SET digest_skip = 'off', digest_reason = NULL, digest_attempts = 0,
  digest_claim = NULL, digest_claimed_until = NULL
WHERE organisation_id = :organisation_id AND digest_seq < derived_seq
  AND digest_skip IS DISTINCT FROM 'off';

-- pause_digests: ask no model for an organisation for a while
UPDATE organisation SET digest_paused_until = now() + :seconds * interval '1 second',
  digest_pause_reason = :reason, is_over_budget = :is_over_budget::boolean
WHERE id = :organisation_id;

-- resume_digests: a model has answered
UPDATE organisation SET digest_paused_until = NULL, digest_pause_reason = NULL,
  is_over_budget = false
WHERE id = :organisation_id AND digest_paused_until IS NOT NULL;

-- organisation_owners: all whose sessions its budget pays for, also those who have left
SELECT id FROM member WHERE organisation_id = :organisation_id ORDER BY id;

-- digest_counts: how far the digests of an organisation are
SELECT count(*) FILTER (WHERE digest_seq = derived_seq AND derived_seq > 0) AS summarised,
  count(*) FILTER (WHERE {is_undigested} AND digest_skip IS NULL) AS waiting,
  count(*) FILTER (WHERE {is_undigested} AND digest_skip = 'budget') AS over_budget,
  count(*) FILTER (WHERE {is_undigested} AND digest_skip = 'tier') AS structure_only,
  count(*) FILTER (WHERE {is_undigested} AND digest_skip = 'empty') AS empty,
  count(*) FILTER (WHERE {is_undigested} AND digest_skip = 'failed') AS failed
FROM session_state WHERE organisation_id = :organisation_id AND deleted_at IS NULL;

-- is_undigested: it is parsed, and has no digest of what it has now
digest_seq < derived_seq AND head_seq = derived_seq;

-- move_digest: let a digest be seen where its session is
UPDATE digest SET scope_id = :scope_id
WHERE owner = :owner AND session_id = :session AND scope_id <> :scope_id;

-- forget_digest: what it was made of may not be kept
DELETE FROM digest WHERE owner = :owner AND session_id = :session;

-- session_tier: how much of a session may be here
SELECT tier FROM session_state WHERE owner = :owner AND session_id = :session;

-- digest_day_cost: what the digests of an organisation cost in 24 hours, with what is reserved
SELECT coalesce(sum({counted_cost}), 0) AS nano_usd FROM digest_call
WHERE reserved_at >= {a_day_ago}
  AND owner IN (SELECT id FROM member WHERE organisation_id = :organisation_id);
