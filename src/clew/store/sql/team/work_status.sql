-- Where sessions are, for administrators.

-- work_counts: what the metrics do not count
SELECT count(*) FILTER (
    WHERE waiting_reason IS NOT NULL AND failed_reason IS NULL AND deleted_at IS NULL) AS waiting,
  count(*) FILTER (
    WHERE deleted_at IS NOT NULL AND (purged_at IS NULL OR purged_at < deleted_at)) AS to_purge
FROM session_state;

-- queued_sessions: sessions that are not parsed, or wait for a digest; those with trouble first
SELECT m.name AS member, s.session_id,
  CASE WHEN s.head_seq > s.derived_seq THEN s.attempts ELSE s.digest_attempts END AS attempts,
  coalesce(s.claim, s.digest_claim) AS claim,
  CASE WHEN s.failed_reason IS NOT NULL THEN 'failed'
    WHEN s.claimed_until >= now() THEN 'working'
    WHEN s.claimed_until < now() THEN 'overrun'
    WHEN s.waiting_reason IS NOT NULL THEN 'waiting'
    WHEN s.head_seq > s.derived_seq AND s.due_at <= now() THEN 'due'
    WHEN s.head_seq > s.derived_seq THEN 'received'
    WHEN s.digest_skip = 'failed' THEN 'digest failed'
    WHEN s.digest_claimed_until >= now() THEN 'digesting'
    WHEN s.digest_claimed_until < now() THEN 'overrun'
    ELSE 'digest waiting' END AS state,
  coalesce(s.waiting_since, s.grown_at) AS since,
  coalesce(s.failed_reason, s.waiting_reason, s.digest_reason) AS reason
FROM session_state AS s JOIN member AS m ON m.id = s.owner
WHERE s.deleted_at IS NULL AND (:organisation_id::bigint IS NULL OR s.organisation_id = :organisation_id)
  AND (s.head_seq > s.derived_seq OR s.failed_reason IS NOT NULL OR s.claim IS NOT NULL
    OR s.digest_claim IS NOT NULL OR s.digest_reason IS NOT NULL OR s.digest_skip = 'failed')
ORDER BY (s.failed_reason IS NOT NULL) DESC, (s.waiting_reason IS NOT NULL) DESC,
  (s.head_seq > s.derived_seq) DESC, (s.digest_skip = 'failed') DESC NULLS LAST, s.due_at
LIMIT :most;

-- find_sessions: the sessions of members whose ids begin with a text
SELECT s.owner, m.name AS member, s.session_id, s.organisation_id, s.held FROM session_state AS s
JOIN member AS m ON m.id = s.owner
WHERE starts_with(s.session_id, :prefix) AND (:member::text IS NULL OR m.name = :member)
ORDER BY s.session_id, m.name LIMIT 10;

-- set_held: keep a session from being deleted, or no longer
UPDATE session_state SET held = :held <> 0
WHERE owner = :owner AND session_id = :session AND held <> (:held <> 0)
RETURNING organisation_id;
