-- Where sessions are, for administrators.

-- work_counts: what the metrics do not count
SELECT count(*) FILTER (
    WHERE waiting_reason IS NOT NULL AND failed_reason IS NULL AND deleted_at IS NULL) AS waiting,
  count(*) FILTER (
    WHERE deleted_at IS NOT NULL AND (purged_at IS NULL OR purged_at < deleted_at)) AS to_purge
FROM session_state;

-- queued_sessions: sessions that are not parsed, those with trouble first
SELECT m.name AS member, s.session_id, s.attempts, s.claim,
  CASE WHEN s.failed_reason IS NOT NULL THEN 'failed'
    WHEN s.claimed_until >= now() THEN 'working'
    WHEN s.claimed_until < now() THEN 'overrun'
    WHEN s.waiting_reason IS NOT NULL THEN 'waiting'
    WHEN s.due_at <= now() THEN 'due' ELSE 'received' END AS state,
  coalesce(s.waiting_since, s.grown_at) AS since, coalesce(s.failed_reason, s.waiting_reason) AS reason
FROM session_state AS s JOIN member AS m ON m.id = s.owner
WHERE s.deleted_at IS NULL AND (:organisation_id::bigint IS NULL OR s.organisation_id = :organisation_id)
  AND (s.head_seq > s.derived_seq OR s.failed_reason IS NOT NULL OR s.claim IS NOT NULL)
ORDER BY (s.failed_reason IS NOT NULL) DESC, (s.waiting_reason IS NOT NULL) DESC, s.due_at
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
