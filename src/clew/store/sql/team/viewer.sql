-- The team server: what pages and the API need to know beside the archive.

-- archive_changes: a number for each owner, which changes when their rows do
SELECT owner, number FROM archive_change;

-- viewer_of_request: what a member sees, what all pages say, and what has been written by now
SELECT organisation.shows_members, ARRAY({list_viewer_scopes}) AS scopes,
  (SELECT id FROM scope WHERE scope.member_id = :member_id) AS own_scope,
  {changes_of_all} AS changes,
  concat_ws(' ', (SELECT max(digest) FROM price_table),
    (SELECT sum(hashtextextended(name, id) >> 16) FROM member
     WHERE member.organisation_id = organisation.id)) AS marks,
  (SELECT json_object_agg(owner, mark) FROM (
    SELECT owner, string_agg(mark, ' ' ORDER BY mark) AS mark FROM (
      SELECT owner, 'notes ' || count(*) || '.' || sum(revision) AS mark
      FROM note WHERE viewer = :member_id GROUP BY owner
      UNION ALL
      SELECT owner, 'bookmarks ' || count(*) || '.' || max(made_at)
      FROM bookmark WHERE viewer = :member_id GROUP BY owner) AS each
    GROUP BY owner) AS marked) AS notes
FROM organisation WHERE organisation.id = :organisation_id;

-- changes_of_all: a number that changes when anybody has written
(SELECT coalesce(sum(hashint8extended(number, owner) >> 16), 0) FROM archive_change);

-- state_of_session: where a session is on its way, as its owner or an administrator sees it
SELECT owner, session_id, organisation_id, scope_id, head_seq, derived_seq, derived_parser,
  digest_seq, digest_skip, digest_reason, received_at, grown_at,
  coalesce(claimed_until > now(), false) AS is_working,
  waiting_reason, failed_reason, deleted_at, held
FROM session_state WHERE owner = :owner AND session_id = :session;

-- states_of_id: whose sessions have an id, in an organisation
SELECT owner FROM session_state
WHERE session_id = :session AND organisation_id = :organisation_id
ORDER BY owner;

-- unparsed_sessions: how many sessions of a member wait for a worker, and how many failed
SELECT count(*) FILTER (WHERE failed_reason IS NULL AND derived_seq = 0) AS received,
  count(*) FILTER (WHERE failed_reason IS NOT NULL) AS failed
FROM session_state WHERE owner = :owner AND deleted_at IS NULL AND head_seq > derived_seq;

-- own_queue: sessions of a member that are not parsed, failed, or wait for a digest
SELECT session_id, grown_at, derived_seq > 0 AS is_shown, failed_reason, waiting_reason,
  coalesce(claimed_until > now(), false) AS is_working,
  head_seq = derived_seq AS is_parsed, digest_skip, digest_reason,
  coalesce(digest_claimed_until > now(), false) AS is_digesting
FROM session_state WHERE owner = :owner AND deleted_at IS NULL
  AND (head_seq > derived_seq OR failed_reason IS NOT NULL
    OR (digest_seq < derived_seq AND coalesce(digest_skip, '') NOT IN ('off', 'tier', 'empty')))
ORDER BY (failed_reason IS NOT NULL) DESC, grown_at DESC LIMIT :most;

-- own_sessions_counted: how many sessions of a member there are, are parsed, and are summarised
SELECT count(*) AS total,
  count(*) FILTER (WHERE head_seq = derived_seq AND failed_reason IS NULL) AS parsed,
  count(*) FILTER (WHERE digest_seq = head_seq) AS summarised
FROM session_state WHERE owner = :owner AND deleted_at IS NULL;

-- scope_to_share: the scope of a visibility, if a member may share with it
SELECT scope.id FROM scope
WHERE scope.organisation_id = :organisation_id AND (
  (:visibility = 'private' AND scope.member_id = :member_id)
  OR (:visibility = 'organisation' AND scope.kind = 'organisation')
  OR (:visibility = 'project' AND scope.project_id IN (
    SELECT team_project.id FROM team_project
    JOIN project_member ON project_member.project_id = team_project.id
    WHERE project_member.member_id = :member_id AND CASE
      WHEN :project::text IS NULL THEN team_project.id = :project_id ELSE team_project.name = :project END)));

-- session_project: the project on the server that a session belongs to
SELECT project_id FROM session_state WHERE owner = :owner AND session_id = :session;

-- visibility_of_scope: who sees what is in a scope
SELECT scope.kind, team_project.name AS project
FROM scope LEFT JOIN team_project ON team_project.id = scope.project_id
WHERE scope.id = :scope_id;

-- projects_to_share: the projects that a member belongs to
SELECT team_project.name FROM team_project
JOIN project_member ON project_member.project_id = team_project.id
WHERE project_member.member_id = :member_id
ORDER BY team_project.name;

-- add_share_link: it shows one session until it expires
INSERT INTO share_link (hash, owner, session_id, created_by, expires_at, is_masked)
VALUES (:hash, :owner, :session, :created_by, now() + :hours * interval '1 hour', :is_masked::boolean)
RETURNING id, created_at, expires_at, is_masked;

-- list_share_links: the links to a session that can be used, and how often they were
SELECT id, created_at, expires_at, is_masked, found.reads, found.last_read_at
FROM share_link
CROSS JOIN LATERAL (
  SELECT count(*) AS reads, max(audit_event.at) AS last_read_at FROM audit_event
  WHERE audit_event.owner = share_link.owner AND audit_event.at >= share_link.created_at
    AND audit_event.action = 'link.read' AND audit_event.detail = 'link ' || share_link.id
) AS found
WHERE share_link.owner = :owner AND session_id = :session AND revoked_at IS NULL
  AND expires_at > now()
ORDER BY id;

-- share_link_of_token: which link of a session a token is for, if it can be used
SELECT id FROM share_link
WHERE hash = :hash AND owner = :owner AND session_id = :session AND revoked_at IS NULL
  AND expires_at > now();

-- revoke_share_link: a link of a member's session can be used no longer
UPDATE share_link SET revoked_at = now()
WHERE id = :id AND owner = :owner AND revoked_at IS NULL
RETURNING session_id;

-- find_share_link: the session that a link shows, if it can be used
SELECT share_link.id, share_link.owner, share_link.session_id, member.organisation_id,
  session.scope_id, member.name AS member, share_link.expires_at, share_link.is_masked
FROM share_link
JOIN member ON member.id = share_link.owner
JOIN session ON session.owner = share_link.owner AND session.id = share_link.session_id
WHERE share_link.hash = :hash AND share_link.revoked_at IS NULL AND share_link.expires_at > now()
  AND member.disabled_at IS NULL
  AND NOT EXISTS (
    SELECT 1 FROM session_state WHERE session_state.owner = share_link.owner
      AND session_state.session_id = share_link.session_id AND session_state.deleted_at IS NOT NULL);

-- revoked_share_link: whether a link was revoked; one that nobody was given has no row
SELECT revoked_at IS NOT NULL AS is_revoked FROM share_link WHERE hash = :hash;

-- failed_sessions: the sessions of an organisation that workers gave up, the latest first
SELECT session_state.owner, member.name AS member, session_state.session_id,
  coalesce(session_state.failed_reason, 'no digest: ' || session_state.digest_reason, '')
    AS failed_reason, session_state.grown_at
FROM session_state JOIN member ON member.id = session_state.owner
WHERE session_state.organisation_id = :organisation_id AND session_state.deleted_at IS NULL
  AND (session_state.failed_reason IS NOT NULL OR session_state.digest_skip = 'failed')
ORDER BY session_state.grown_at DESC LIMIT :most;

-- count_stages: how far the sessions of an organisation are
SELECT count(*) FILTER (WHERE head_seq > derived_seq AND failed_reason IS NULL
    AND coalesce(claimed_until <= now(), true)) AS received,
  count(*) FILTER (WHERE claimed_until > now()) AS working,
  count(*) FILTER (WHERE head_seq = derived_seq AND failed_reason IS NULL) AS parsed,
  count(*) FILTER (WHERE digest_seq = head_seq AND head_seq > 0) AS summarised,
  count(*) FILTER (WHERE failed_reason IS NOT NULL) AS failed,
  count(*) FILTER (WHERE held) AS held
FROM session_state WHERE organisation_id = :organisation_id AND deleted_at IS NULL;

-- shared_usage: what shared sessions of an organisation used, by project or by member
SELECT CASE :by WHEN 'member' THEN member.name ELSE coalesce(team_project.name, '') END AS name,
  count(DISTINCT session.key) AS sessions, count(DISTINCT session.owner) AS members,
  coalesce(sum(model_call.input_tokens), 0) AS input_tokens,
  coalesce(sum(model_call.output_tokens), 0) AS output_tokens,
  coalesce(sum(model_call.cache_read_tokens), 0) AS cache_read_tokens,
  coalesce(sum(model_call.cache_write_5m_tokens + model_call.cache_write_1h_tokens
    + model_call.cache_write_unsplit_tokens), 0) AS cache_write_tokens,
  coalesce(sum(model_call.cost_nano_usd), 0) / 1000000000.0::float8 AS cost_usd
FROM session_state
JOIN scope ON scope.id = session_state.scope_id AND scope.kind <> 'private'
JOIN member ON member.id = session_state.owner
JOIN session ON session.owner = session_state.owner AND session.id = session_state.session_id
JOIN model_call ON model_call.session_key = session.key AND model_call.is_inherited = 0
  AND (:since::text IS NULL OR model_call.at >= :since)
  AND (:until::text IS NULL OR model_call.at < :until)
LEFT JOIN team_project ON team_project.id = coalesce(scope.project_id, session_state.project_id)
WHERE session_state.organisation_id = :organisation_id AND session_state.deleted_at IS NULL
GROUP BY 1 ORDER BY cost_usd DESC, name;

-- still_let_in: whether a member is let in as before, on the device that they use
SELECT 1 FROM member
WHERE member.id = :member_id AND member.disabled_at IS NULL AND member.role = :role
  AND (:device_id::bigint IS NULL OR EXISTS (
    SELECT 1 FROM device WHERE device.id = :device_id AND device.revoked_at IS NULL));

-- sessions_shared_with: the sessions of a member that are in a scope
SELECT session_id FROM session_state
WHERE owner = :owner AND scope_id = :scope_id AND deleted_at IS NULL;
