-- The team server: what pages and the API need to know beside the archive.

-- archive_changes: a number for each owner, which changes when their rows do
SELECT owner, number FROM archive_change;

-- viewer_organisation: what all pages say about an organisation
SELECT shows_members FROM organisation WHERE id = :organisation_id;

-- state_of_session: where a session is on its way, as its owner or an administrator sees it
SELECT owner, session_id, organisation_id, scope_id, head_seq, derived_seq, derived_parser,
  digest_seq, digest_skip, received_at, grown_at, coalesce(claimed_until > now(), false) AS is_working,
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

-- own_queue: sessions of a member that are not parsed, or failed
SELECT session_id, grown_at, derived_seq > 0 AS is_shown, failed_reason, waiting_reason,
  coalesce(claimed_until > now(), false) AS is_working
FROM session_state WHERE owner = :owner AND deleted_at IS NULL
  AND (head_seq > derived_seq OR failed_reason IS NOT NULL)
ORDER BY (failed_reason IS NOT NULL) DESC, grown_at DESC LIMIT :most;

-- own_sessions_counted: how many sessions of a member there are, and how many are parsed
SELECT count(*) AS total,
  count(*) FILTER (WHERE head_seq = derived_seq AND failed_reason IS NULL) AS parsed
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
INSERT INTO share_link (hash, owner, session_id, created_by, expires_at)
VALUES (:hash, :owner, :session, :created_by, now() + :hours * interval '1 hour')
RETURNING id, created_at, expires_at;

-- list_share_links: the links to a session that can be used
SELECT id, created_at, expires_at FROM share_link
WHERE owner = :owner AND session_id = :session AND revoked_at IS NULL AND expires_at > now()
ORDER BY id;

-- revoke_share_link: a link of a member's session can be used no longer
UPDATE share_link SET revoked_at = now()
WHERE id = :id AND owner = :owner AND revoked_at IS NULL
RETURNING session_id;

-- find_share_link: the session that a link shows, if it can be used
SELECT share_link.id, share_link.owner, share_link.session_id, member.organisation_id,
  session.scope_id, member.name AS member
FROM share_link
JOIN member ON member.id = share_link.owner
JOIN session ON session.owner = share_link.owner AND session.id = share_link.session_id
WHERE share_link.hash = :hash AND share_link.revoked_at IS NULL AND share_link.expires_at > now()
  AND member.disabled_at IS NULL
  AND NOT EXISTS (
    SELECT 1 FROM session_state WHERE session_state.owner = share_link.owner
      AND session_state.session_id = share_link.session_id AND session_state.deleted_at IS NOT NULL);

-- failed_sessions: the sessions of an organisation that workers gave up, the latest first
SELECT session_state.owner, member.name AS member, session_state.session_id,
  session_state.failed_reason, session_state.grown_at
FROM session_state JOIN member ON member.id = session_state.owner
WHERE session_state.organisation_id = :organisation_id AND session_state.deleted_at IS NULL
  AND session_state.failed_reason IS NOT NULL
ORDER BY session_state.grown_at DESC LIMIT :most;

-- count_stages: how far the sessions of an organisation are
SELECT count(*) FILTER (WHERE head_seq > derived_seq AND failed_reason IS NULL
    AND coalesce(claimed_until <= now(), true)) AS received,
  count(*) FILTER (WHERE claimed_until > now()) AS working,
  count(*) FILTER (WHERE head_seq = derived_seq AND failed_reason IS NULL) AS parsed,
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
