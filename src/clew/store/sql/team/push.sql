-- What devices push: frames, files, consent and where each session is. All of it belongs to one
-- member, and no statement looks at the frames of another.

-- is_present: a frame whose bytes are in an object of its own, or archived with a file
p.lost_at IS NULL AND (p.object_key IS NOT NULL OR EXISTS (
  SELECT 1 FROM received_frame AS r WHERE r.frame_id = p.id))

-- present_frames: those of some frames that a member has sent
SELECT p.hash FROM pushed_frame AS p
WHERE p.member_id = :member_id AND p.hash = ANY (:hashes::bytea[]) AND {is_present};

-- lost_frames: frames that a member has sent, and that must be sent again
SELECT hash FROM pushed_frame WHERE member_id = :member_id AND lost_at IS NOT NULL ORDER BY hash;

-- uncommitted_bytes: what a device has sent without a manifest that names it
SELECT coalesce(sum(packed_bytes), 0) FROM pushed_frame
WHERE device_id = :device_id AND committed_at IS NULL;

-- storage_left: how much a member may still push; NULL without a quota
SELECT coalesce(member.quota_bytes, organisation.quota_bytes) - coalesce((
  SELECT content_bytes FROM member_storage WHERE member_id = member.id), 0)
FROM member JOIN organisation ON organisation.id = member.organisation_id
WHERE member.id = :member_id;

-- doom_object: an object is deleted later on, unless something comes to refer to it
INSERT INTO doomed_object (object_key) VALUES (:object_key);

-- spare_object: something refers to it now
DELETE FROM doomed_object WHERE object_key = :object_key;

-- add_pushed_frame: nothing is returned if the member has it
INSERT INTO pushed_frame AS p (member_id, hash, size_bytes, packed_bytes, object_key, device_id)
VALUES (:member_id, :hash, :size_bytes, :packed_bytes, :object_key, :device_id)
ON CONFLICT (member_id, hash) DO UPDATE
  SET packed_bytes = excluded.packed_bytes, object_key = excluded.object_key,
    device_id = excluded.device_id, received_at = now(), lost_at = NULL
  WHERE NOT ({is_present})
RETURNING p.id;

-- sessions_without_frame: those with files that have a frame whose bytes are nowhere
SELECT DISTINCT f.session_id FROM pushed_frame AS p
JOIN received_frame AS r ON r.frame_id = p.id
JOIN received_file AS f ON f.id = r.file_id
WHERE p.member_id = :member_id AND p.hash = :hash AND p.lost_at IS NOT NULL
ORDER BY f.session_id;

-- derive_again: what was lost of some sessions is there again
UPDATE session_state SET head_seq = head_seq + 1, due_at = now(), attempts = 0,
  waiting_reason = NULL, failed_reason = NULL
WHERE (owner, session_id) IN (
  SELECT owner, session_id FROM session_state
  WHERE owner = :owner AND session_id = ANY (:sessions::text[]) AND deleted_at IS NULL
  ORDER BY session_id FOR UPDATE);

-- file_heads: what there is of a member's files below some roots
SELECT root_id, file, receipt, generation FROM received_file
WHERE member_id = :member_id AND root_id = ANY (:roots::text[])
ORDER BY root_id, file;

-- consent_columns: what a member allows, with the name of the project
SELECT c.project_key, c.tier, c.epoch, c.visibility, c.project_id, t.name AS project
FROM consent AS c LEFT JOIN team_project AS t ON t.id = c.project_id

-- list_consents: all that a member allows
{consent_columns} WHERE c.member_id = :member_id ORDER BY c.project_key;

-- use_consent: what a member allows, which nobody changes until the end of the transaction
{consent_columns} WHERE c.member_id = :member_id AND c.project_key = :project_key FOR SHARE OF c;

-- add_consent: for a project that has none yet, nothing is allowed
INSERT INTO consent (member_id, project_key, tier, epoch)
VALUES (:member_id, :project_key, 'nothing', 0) ON CONFLICT DO NOTHING;

-- lock_consent: what a member allows, to be changed
{consent_columns} WHERE c.member_id = :member_id AND c.project_key = :project_key FOR UPDATE OF c;

-- change_consent: what was made under an earlier epoch is refused from now on
UPDATE consent SET tier = :tier, visibility = :visibility, project_id = :project_id,
  epoch = epoch + 1, changed_at = now()
WHERE member_id = :member_id AND project_key = :project_key
RETURNING epoch;

-- count_consents: how many a member has
SELECT count(*) FROM consent WHERE member_id = :member_id;

-- named_project: a project of an organisation, and whether a member belongs to it
SELECT t.id, EXISTS (
  SELECT 1 FROM project_member AS m
  WHERE m.project_id = t.id AND m.member_id = :member_id) AS is_member
FROM team_project AS t WHERE t.organisation_id = :organisation_id AND t.name = :name;

-- consented_scope: who may see sessions by a visibility; without membership, their owner alone
SELECT coalesce(
  (SELECT s.id FROM scope AS s WHERE s.organisation_id = :organisation_id AND (
    (:visibility = 'organisation' AND s.kind = 'organisation')
    OR (:visibility = 'project' AND s.project_id = :project_id AND EXISTS (
      SELECT 1 FROM project_member AS m
      WHERE m.project_id = s.project_id AND m.member_id = :member_id)))),
  (SELECT s.id FROM scope AS s WHERE s.member_id = :member_id));

-- consented_sessions: sessions with files of a project that their owner has not shared themselves
SELECT DISTINCT f.session_id FROM received_file AS f
JOIN session_state AS s ON s.owner = f.member_id AND s.session_id = f.session_id
WHERE f.member_id = :member_id AND f.project_key = :project_key
  AND NOT s.scope_chosen AND s.deleted_at IS NULL
ORDER BY f.session_id;

-- set_consented_scope: nothing changes if it is right already
UPDATE session_state SET scope_id = :scope_id, project_id = :project_id
WHERE owner = :owner AND session_id = :session
  AND (scope_id, project_id) IS DISTINCT FROM (:scope_id::bigint, :project_id::bigint);

-- begin_session: where a session is that nothing was pushed of
INSERT INTO session_state (owner, session_id, organisation_id, tier, scope_id, project_id)
VALUES (:owner, :session, :organisation_id, :tier, :scope_id, :project_id)
ON CONFLICT (owner, session_id) DO NOTHING;

-- lock_session: where a session is, to be changed
SELECT scope_id, scope_chosen, head_seq, deleted_at IS NOT NULL AS is_deleted, may_return, held
FROM session_state WHERE owner = :owner AND session_id = :session
FOR UPDATE;

-- lock_file: a file as it was pushed, to be changed
SELECT id, session_id, tier, epoch, project_key, generation, receipt FROM received_file
WHERE member_id = :member_id AND root_id = :root AND file = :file
FOR UPDATE;

-- add_file: a file that nothing was pushed of; nothing is returned if something was since
INSERT INTO received_file (member_id, device_id, root_id, file, kind, session_id, agent_id,
  workflow_id, project_key, tier, epoch, generation, receipt, size_bytes, mtime_ns)
VALUES (:member_id, :device_id, :root, :file, :kind, :session, :agent,
  :workflow, :project_key, :tier, :epoch, :generation, :receipt, :size, :mtime_ns)
ON CONFLICT (member_id, root_id, file) DO NOTHING
RETURNING id;

-- change_file: a file that was pushed again
UPDATE received_file SET device_id = :device_id, kind = :kind, agent_id = :agent,
  workflow_id = :workflow, project_key = :project_key, tier = :tier, epoch = :epoch,
  generation = :generation, receipt = :receipt, size_bytes = :size, mtime_ns = :mtime_ns,
  received_at = now()
WHERE id = :id;

-- file_frames: of which frames the present generation of a file consists
SELECT p.hash FROM received_frame AS r JOIN pushed_frame AS p ON p.id = r.frame_id
WHERE r.file_id = :id AND r.generation = :generation
ORDER BY r.number;

-- claim_frames: those of some frames that a member has sent; none is collected from now on
SELECT p.hash, p.id, p.size_bytes FROM pushed_frame AS p
WHERE p.member_id = :member_id AND p.hash = ANY (:hashes::bytea[]) AND {is_present}
ORDER BY p.id FOR KEY SHARE OF p;

-- add_file_frames: frames of a generation of a file, from a number on
INSERT INTO received_frame (file_id, generation, number, frame_id)
SELECT :id, :generation, :first + listed.place - 1, listed.frame_id
FROM unnest(:ids::bigint[]) WITH ORDINALITY AS listed (frame_id, place);

-- commit_frames: a manifest names them
UPDATE pushed_frame SET committed_at = now()
WHERE id = ANY (:ids::bigint[]) AND committed_at IS NULL;

-- session_tiers: those of a session's files
SELECT DISTINCT tier FROM received_file WHERE member_id = :owner AND session_id = :session;

-- session_consents: whom the consents for a session's files show it to; one row if they agree
SELECT DISTINCT c.visibility, c.project_id FROM received_file AS f
JOIN consent AS c ON c.member_id = f.member_id AND c.project_key = f.project_key
WHERE f.member_id = :owner AND f.session_id = :session;

-- session_grows: its rows are made again when it has been quiet for a while, or has ended
UPDATE session_state SET head_seq = head_seq + 1, grown_at = now(),
  waiting_since = coalesce(waiting_since, now()),
  due_at = CASE WHEN :has_ended <> 0 THEN now() + interval '2 seconds' ELSE
    least(now() + interval '30 seconds', coalesce(waiting_since, now()) + interval '5 minutes') END,
  has_ended = :has_ended <> 0, attempts = 0, waiting_reason = NULL, failed_reason = NULL,
  digest_attempts = 0, digest_reason = NULL,
  tier = :tier,
  scope_id = CASE WHEN scope_chosen THEN scope_id ELSE :scope_id END, project_id = :project_id,
  deleted_at = NULL, deleted_by = NULL, may_return = false
WHERE owner = :owner AND session_id = :session;

-- session_ends: what waits to be derived of it need not wait for more
UPDATE session_state SET has_ended = true,
  due_at = CASE WHEN head_seq > derived_seq
    THEN least(due_at, now() + interval '2 seconds') ELSE due_at END
WHERE owner = :owner AND session_id = :session AND NOT has_ended;

-- has_files: whether anything is left of what was pushed of a session
SELECT EXISTS (
  SELECT 1 FROM received_file WHERE member_id = :owner AND session_id = :session) AS has_files;

-- delete_session_state: nobody sees a session any longer, and workers delete what there is of it
WITH marked AS (
  UPDATE session_state
  SET deleted_at = now(), deleted_by = :deleted_by, may_return = :may_return <> 0
  WHERE owner = :owner AND session_id = :session AND deleted_at IS NULL AND NOT held
  RETURNING owner)
INSERT INTO archive_change (owner, number) SELECT owner, 1 FROM marked
ON CONFLICT (owner) DO UPDATE SET number = archive_change.number + 1;

-- keep_deleted: a session that a consent deleted is deleted for good
UPDATE session_state SET may_return = false, deleted_by = :deleted_by
WHERE owner = :owner AND session_id = :session AND deleted_at IS NOT NULL;

-- revive_session: a deleted session may be pushed again
UPDATE session_state SET deleted_at = NULL, deleted_by = NULL, may_return = false,
  due_at = now(), attempts = 0, waiting_reason = NULL, failed_reason = NULL
WHERE owner = :owner AND session_id = :session AND deleted_at IS NOT NULL;

-- sessions_beyond: sessions with files of a project that have more than a tier allows
SELECT DISTINCT f.session_id FROM received_file AS f
JOIN session_state AS s ON s.owner = f.member_id AND s.session_id = f.session_id
WHERE f.member_id = :member_id AND f.project_key = :project_key
  AND f.tier <> ALL (:allowed::text[]) AND s.deleted_at IS NULL
ORDER BY f.session_id;
