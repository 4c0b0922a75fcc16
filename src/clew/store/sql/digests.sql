-- digest_of_session: the digest of a session
SELECT session_id, receipt, model, prompt_version, made_at, json, cost_nano_usd
FROM digest WHERE owner = :owner AND session_id = :session;

-- all_digests: the digests of all sessions
SELECT session_id, receipt, model, prompt_version, made_at, json, cost_nano_usd
FROM digest WHERE owner = :owner ORDER BY session_id;

-- set_digest: keep a digest in place of an earlier one, where its session is seen
INSERT INTO digest (
  session_id, receipt, model, prompt_version, made_at, title, outcome, text, json, claims_quoted,
  claims_dropped, cost_nano_usd, description, is_stale, owner, scope_id
)
VALUES (
  :session, :receipt, :model, :prompt_version, :made_at, :title, :outcome, :text, :json,
  :claims_quoted, :claims_dropped, :cost_nano_usd, :description, :is_stale, :owner,
  coalesce((SELECT scope_id FROM session WHERE id = :session AND owner = :owner), 0)
)
ON CONFLICT (owner, session_id) DO UPDATE SET
  receipt = excluded.receipt, model = excluded.model, prompt_version = excluded.prompt_version,
  made_at = excluded.made_at, title = excluded.title, outcome = excluded.outcome,
  text = excluded.text, json = excluded.json, claims_quoted = excluded.claims_quoted,
  claims_dropped = excluded.claims_dropped, cost_nano_usd = excluded.cost_nano_usd,
  description = excluded.description, is_stale = excluded.is_stale, scope_id = excluded.scope_id;

-- name_after_digest: let a digest name its session, unless somebody gave that a title
UPDATE session
SET title = CASE WHEN :title = '' THEN own_title ELSE :title END,
    title_source = CASE WHEN :title = '' THEN own_title_source ELSE 'digest' END
WHERE id = :session AND owner = :owner
  AND title_source NOT IN ('custom', 'generated', 'summary');

-- set_digest_stale: note whether a session has changed since its digest
UPDATE digest SET is_stale = :is_stale WHERE owner = :owner AND session_id = :session;

-- shown_digest: the digest of a session as pages show it, and how long the session was
SELECT digest.json, digest.made_at, digest.is_stale, coalesce((
  SELECT session.message_count FROM session
  WHERE session.owner = digest.owner AND session.id = digest.session_id), 0)
FROM digest WHERE owner = :owner AND session_id = :session;

-- digest_title: how the digest of a session calls it
SELECT title FROM digest WHERE owner = :owner AND session_id = :session AND title <> '';

-- hashes_of_transcripts: the frames of the transcripts of some sessions or of all, in order
SELECT f.session_id, f.path, f.kept_bytes, coalesce(frame.start_bytes, 0),
  coalesce(hex(frame.hash), '')
FROM source_file AS f
LEFT JOIN frame ON frame.file_id = f.id AND frame.generation = f.generation
WHERE f.owner = :owner AND f.session_id IS NOT NULL AND f.kept_bytes > 0
  AND f.kind IN (SELECT value FROM json_each(:kinds))
  AND (:sessions IS NULL OR f.session_id IN (SELECT value FROM json_each(:sessions)))
ORDER BY f.session_id, f.path, f.root, frame.start_bytes;

-- reserve_digest_call: reserve the most that a call can cost
INSERT INTO digest_call (
  id, session_id, model, reserved_at, expires_at, reserved_nano_usd, owner
)
VALUES (:id, :session, :model, :reserved_at, :expires_at, :reserved_nano_usd, :owner);

-- recover_digest_call: note what a digest cost whose calls were lost with the database
INSERT INTO digest_call (
  id, session_id, model, reserved_at, expires_at, reserved_nano_usd, settled_at, cost_nano_usd, owner
)
SELECT :id, :session, :model, :made_at, :made_at, :cost_nano_usd, :made_at, :cost_nano_usd, :owner
WHERE NOT EXISTS (
  SELECT 1 FROM digest_call
  WHERE owner = :owner AND session_id = :session AND reserved_at <= :made_at
);

-- settle_digest_call: note what a call cost; NULL if that is not known
UPDATE digest_call SET
  settled_at = :settled_at, cost_nano_usd = :cost_nano_usd, input_tokens = :input_tokens,
  output_tokens = :output_tokens, is_failed = :is_failed
WHERE id = :id AND settled_at IS NULL;

-- digest_costs_since: what calls cost from a time on, by owners; what is reserved counts in full
SELECT coalesce(sum(CASE WHEN settled_at IS NOT NULL THEN coalesce(cost_nano_usd, reserved_nano_usd)
  WHEN expires_at > :now THEN reserved_nano_usd ELSE 0 END), 0)
FROM digest_call
WHERE reserved_at >= :since AND owner IN (SELECT value FROM json_each(:ids));

-- digest_usage: what digests cost, by model
SELECT model, count(*), count(*) FILTER (WHERE is_failed = 1),
  count(*) FILTER (WHERE settled_at IS NULL OR cost_nano_usd IS NULL),
  coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
  coalesce(sum(cost_nano_usd), 0), count(DISTINCT session_id)
FROM digest_call
WHERE owner = :owner AND (:since IS NULL OR reserved_at >= :since)
  AND (:until IS NULL OR reserved_at < :until)
GROUP BY model ORDER BY coalesce(sum(cost_nano_usd), 0) DESC, model;
