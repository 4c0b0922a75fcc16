-- The team server: organisations, members, projects, and what was done to them.

-- add_organisation: nothing is returned if there is one of this name
INSERT INTO organisation (name) VALUES (:name) ON CONFLICT (name) DO NOTHING RETURNING id;

-- add_scope: who may see rows
INSERT INTO scope (organisation_id, kind, member_id, project_id)
VALUES (:organisation_id, :kind, :member_id, :project_id)
RETURNING id;

-- organisation_columns: an organisation
SELECT id, name, shows_members, retention_days, quota_bytes, created_at FROM organisation

-- list_organisations: all of them
{organisation_columns} ORDER BY name;

-- find_organisation: by its name
{organisation_columns} WHERE name = :name;

-- get_organisation: by its number
{organisation_columns} WHERE id = :id;

-- set_organisation: what it allows and keeps
UPDATE organisation
SET shows_members = :shows_members::boolean, retention_days = :retention_days,
  quota_bytes = :quota_bytes
WHERE id = :id;

-- add_member: nothing is returned if there is one of this name
INSERT INTO member (organisation_id, name, display_name, role)
VALUES (:organisation_id, :name, :display_name, :role)
ON CONFLICT (name) DO NOTHING
RETURNING id;

-- member_columns: a member with their organisation
SELECT member.id, member.organisation_id, organisation.name AS organisation, member.name,
  member.display_name, member.role, member.quota_bytes, member.created_at, member.disabled_at,
  member.password_hash IS NOT NULL AS has_password, member.subject IS NOT NULL AS has_identity
FROM member JOIN organisation ON organisation.id = member.organisation_id

-- list_members: those of an organisation
{member_columns} WHERE member.organisation_id = :organisation_id ORDER BY member.name;

-- find_member: by their name
{member_columns} WHERE member.name = :name;

-- get_member: by their number
{member_columns} WHERE member.id = :id;

-- set_member_role: what they may do
UPDATE member SET role = :role WHERE id = :id;

-- set_member_quota: how much they may push
UPDATE member SET quota_bytes = :quota_bytes WHERE id = :id;

-- disable_member: nothing of theirs lets anybody in from now on
UPDATE member SET disabled_at = coalesce(disabled_at, now()) WHERE id = :id;

-- enable_member: they may log in again
UPDATE member SET disabled_at = NULL WHERE id = :id;

-- set_password_hash: with which they log in
UPDATE member SET password_hash = :password_hash WHERE id = :id;

-- find_password: of a member who may log in
SELECT id, password_hash FROM member WHERE name = :name AND disabled_at IS NULL;

-- set_identity: nothing changes if another member has it
UPDATE member SET issuer = :issuer, subject = :subject
WHERE id = :id AND NOT EXISTS (
  SELECT 1 FROM member AS other
  WHERE other.issuer = :issuer AND other.subject = :subject AND other.id <> :id
);

-- find_identity: the member whom an identity provider knows by a subject
SELECT id FROM member
WHERE issuer = :issuer AND subject = :subject AND disabled_at IS NULL;

-- add_project: nothing is returned if the organisation has one of this name
INSERT INTO team_project (organisation_id, name, created_by)
VALUES (:organisation_id, :name, :created_by)
ON CONFLICT (organisation_id, name) DO NOTHING
RETURNING id;

-- project_columns: a project with its scope
SELECT team_project.id, team_project.organisation_id, team_project.name,
  team_project.retention_days, team_project.created_at, scope.id AS scope_id,
  (SELECT count(*) FROM project_member WHERE project_id = team_project.id) AS members
FROM team_project JOIN scope ON scope.project_id = team_project.id

-- list_team_projects: those of an organisation
{project_columns} WHERE team_project.organisation_id = :organisation_id ORDER BY team_project.name;

-- find_team_project: by its name
{project_columns}
WHERE team_project.organisation_id = :organisation_id AND team_project.name = :name;

-- set_project_retention: after how many days its sessions are deleted
UPDATE team_project SET retention_days = :retention_days WHERE id = :id;

-- add_project_member: a member of the same organisation, who may be one already
INSERT INTO project_member (project_id, member_id, added_by)
SELECT team_project.id, member.id, :added_by
FROM team_project JOIN member ON member.organisation_id = team_project.organisation_id
WHERE team_project.id = :project_id AND member.id = :member_id
ON CONFLICT (project_id, member_id) DO NOTHING;

-- remove_project_member: they no longer see what is shared with the project
DELETE FROM project_member WHERE project_id = :project_id AND member_id = :member_id;

-- list_project_members: their names
SELECT member.id, member.name FROM project_member JOIN member ON member.id = project_member.member_id
WHERE project_member.project_id = :project_id ORDER BY member.name;

-- list_viewer_scopes: what a member may see: an auditor sees all of the organisation
SELECT scope.id FROM scope
WHERE scope.organisation_id = :organisation_id AND (
  :sees_all::boolean OR scope.kind = 'organisation' OR scope.member_id = :member_id
  OR scope.project_id IN (SELECT project_id FROM project_member WHERE member_id = :member_id)
)
ORDER BY scope.id;

-- add_audit_event: what somebody did, and to whom
INSERT INTO audit_event (organisation_id, actor, device_id, action, owner, session_id, detail)
VALUES (:organisation_id, :actor, :device_id, :action, :about, :session_id, :detail);

-- list_audit_events: the latest first
SELECT audit_event.id, audit_event.at, actor.name AS actor, device.name AS device,
  audit_event.action, about.name AS owner, audit_event.session_id, audit_event.detail
FROM audit_event
LEFT JOIN member AS actor ON actor.id = audit_event.actor
LEFT JOIN device ON device.id = audit_event.device_id
LEFT JOIN member AS about ON about.id = audit_event.owner
WHERE audit_event.organisation_id = :organisation_id
  AND (:member_id::bigint IS NULL OR audit_event.actor = :member_id OR audit_event.owner = :member_id)
  AND (:before::bigint IS NULL OR audit_event.id < :before)
ORDER BY audit_event.id DESC
LIMIT :maximum;

-- list_live_sessions: those of a member that are not deleted
SELECT session_id FROM session_state WHERE owner = :owner AND deleted_at IS NULL
ORDER BY session_id;

-- choose_scope: where somebody wants a session to be seen, whatever a consent says
UPDATE session_state SET scope_id = :scope_id, scope_chosen = true
WHERE owner = :owner AND session_id = :session AND deleted_at IS NULL;

-- find_private_scope: what only a member sees
SELECT id FROM scope WHERE member_id = :member_id;

-- forget_member: what is known of somebody who has left, but for their name
UPDATE member SET display_name = '', password_hash = NULL, issuer = NULL, subject = NULL
WHERE id = :id;

-- delete_all_sessions: those of a member that nobody holds, for good
UPDATE session_state
SET deleted_at = coalesce(deleted_at, now()), deleted_by = :deleted_by, may_return = false
WHERE owner = :owner AND NOT held AND (deleted_at IS NULL OR may_return);
