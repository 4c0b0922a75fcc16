-- The team server: what lets somebody in. Only hashes are stored, and every use is checked.

-- find_principal: whom a token stands for, if nothing of it was revoked, disabled or is over
SELECT member.id AS member_id, organisation.id AS organisation_id,
  organisation.name AS organisation, member.name, member.role, device.id AS device_id,
  device.id IS NOT NULL AND coalesce(device.last_seen_at < now() - interval '5 minutes', true)
    AS is_seen_anew
FROM credential
JOIN member ON member.id = credential.member_id
JOIN organisation ON organisation.id = member.organisation_id
LEFT JOIN device ON device.id = credential.device_id AND device.member_id = member.id
WHERE credential.hash = :hash
  AND credential.kind = :kind
  AND credential.revoked_at IS NULL
  AND (credential.expires_at IS NULL OR credential.expires_at > now())
  AND member.disabled_at IS NULL
  AND (credential.device_id IS NULL OR (device.id IS NOT NULL AND device.revoked_at IS NULL))
  AND (credential.kind <> 'device' OR credential.device_id IS NOT NULL);

-- see_device: it was used just now
UPDATE device SET last_seen_at = now() WHERE id = :device_id;

-- add_device: of a member
INSERT INTO device (member_id, name) VALUES (:member_id, :name) RETURNING id;

-- list_devices: those of an organisation, or of one of its members
SELECT device.id, member.name AS member, device.name, device.created_at, device.last_seen_at,
  device.revoked_at
FROM device JOIN member ON member.id = device.member_id
WHERE member.organisation_id = :organisation_id
  AND (:member_id::bigint IS NULL OR member.id = :member_id)
ORDER BY member.name, device.id;

-- get_device: with the organisation of its member
SELECT device.id, device.name, device.member_id, member.organisation_id, device.revoked_at
FROM device JOIN member ON member.id = device.member_id
WHERE device.id = :device_id;

-- revoke_device: its token is refused from now on
UPDATE device SET revoked_at = now() WHERE id = :device_id AND revoked_at IS NULL;

-- add_credential: a token, by its hash; it ends after some hours, if they are given
INSERT INTO credential (kind, hash, member_id, device_id, expires_at)
VALUES (:kind, :hash, :member_id, :device_id, now() + :hours * interval '1 hour');

-- revoke_credential: a token is refused from now on
UPDATE credential SET revoked_at = now() WHERE hash = :hash AND kind = :kind AND revoked_at IS NULL;

-- revoke_credentials: all of a member's tokens of some kinds
UPDATE credential SET revoked_at = now()
WHERE member_id = :member_id AND kind = ANY (:kinds::text[]) AND revoked_at IS NULL;

-- find_link: the member whom a link is for, if it can still be used
SELECT member_id FROM credential
WHERE hash = :hash AND kind = :kind AND used_at IS NULL AND revoked_at IS NULL
  AND expires_at > now()
  AND member_id IN (SELECT id FROM member WHERE disabled_at IS NULL);

-- use_link: only one of several who use it at the same time gets its member
UPDATE credential SET used_at = now()
WHERE hash = :hash AND kind = :kind AND used_at IS NULL AND revoked_at IS NULL
  AND expires_at > now()
  AND member_id IN (SELECT id FROM member WHERE disabled_at IS NULL)
RETURNING member_id;

-- delete_old_credentials: those that let nobody in and are of no interest any longer
DELETE FROM credential
WHERE coalesce(used_at, revoked_at, expires_at) < now() - interval '30 days'
  OR expires_at < now() - interval '30 days';

-- delete_old_device_requests: those whose time is over
DELETE FROM device_request WHERE expires_at < now();

-- add_device_request: nothing is added while very many wait, or if a code is in use
INSERT INTO device_request (hash, code, device_name, expires_at)
SELECT :hash, :code, :device_name, now() + :seconds * interval '1 second'
WHERE (SELECT count(*) FROM device_request) < :maximum
ON CONFLICT DO NOTHING;

-- find_device_request: one that nobody has confirmed
SELECT code, device_name FROM device_request
WHERE code = :code AND confirmed_at IS NULL AND expires_at > now();

-- confirm_device_request: by one member, once
UPDATE device_request SET member_id = :member_id, confirmed_at = now()
WHERE code = :code AND confirmed_at IS NULL AND expires_at > now();

-- refuse_device_request: it ends for the device, too
DELETE FROM device_request WHERE code = :code AND confirmed_at IS NULL;

-- finish_device_request: only one of several who ask at the same time gets the member
DELETE FROM device_request
WHERE hash = :hash AND confirmed_at IS NOT NULL AND expires_at > now()
  AND member_id IN (SELECT id FROM member WHERE disabled_at IS NULL)
RETURNING member_id, device_name;

-- waits_device_request: whether a device may go on asking
SELECT 1 FROM device_request
WHERE hash = :hash AND confirmed_at IS NULL AND expires_at > now();

-- get_device_name: of one device
SELECT name FROM device WHERE id = :device_id;

-- list_auditors: who may read everything in an organisation
SELECT name FROM member
WHERE organisation_id = :organisation_id AND role = 'auditor' AND disabled_at IS NULL
ORDER BY name;

-- list_projects_of_member: with how many other members
SELECT team_project.name,
  (SELECT count(*) FROM project_member AS other
   JOIN member ON member.id = other.member_id AND member.disabled_at IS NULL
   WHERE other.project_id = team_project.id) AS members
FROM project_member JOIN team_project ON team_project.id = project_member.project_id
WHERE project_member.member_id = :member_id
ORDER BY team_project.name;

-- revoke_devices: all of a member's
UPDATE device SET revoked_at = now() WHERE member_id = :member_id AND revoked_at IS NULL;
