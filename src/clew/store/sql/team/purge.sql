-- What is deleted for good: sessions, older generations, frames that no file has, and objects.

-- sessions_to_purge: deleted sessions of which there may still be something
SELECT owner, session_id FROM session_state
WHERE deleted_at IS NOT NULL AND (purged_at IS NULL OR purged_at < deleted_at) AND NOT held
ORDER BY deleted_at LIMIT :most;

-- deletion_facts: what is recorded of a deletion outside of the database
SELECT s.owner, m.name AS member, o.name AS organisation, s.session_id, s.tier, s.deleted_at,
  b.name AS deleted_by, s.may_return
FROM session_state AS s
JOIN member AS m ON m.id = s.owner
JOIN organisation AS o ON o.id = s.organisation_id
LEFT JOIN member AS b ON b.id = s.deleted_by
WHERE s.owner = :owner AND s.session_id = :session AND s.deleted_at IS NOT NULL;

-- hold_deleted: make sure that a session stays deleted until the end of the transaction
SELECT head_seq FROM session_state
WHERE owner = :owner AND session_id = :session AND deleted_at IS NOT NULL AND NOT held
FOR UPDATE;

-- archived_blobs: all generations of a session's archived files, also those without frames
SELECT s.id, s.root, s.path, s.blob_path, g.generation FROM source_file AS s
CROSS JOIN LATERAL generate_series(1, s.generation) AS g (generation)
WHERE s.owner = :owner AND s.session_id = :session;

-- doom_objects: delete objects later on
INSERT INTO doomed_object (object_key) SELECT unnest(:paths::text[]) ON CONFLICT DO NOTHING;

-- purge_archived: forget a session's archived files
DELETE FROM frame WHERE file_id IN (
  SELECT id FROM source_file WHERE owner = :owner AND session_id = :session);
DELETE FROM damaged_blob WHERE file_id IN (
  SELECT id FROM source_file WHERE owner = :owner AND session_id = :session);
DELETE FROM source_file WHERE owner = :owner AND session_id = :session;

-- purge_digest: forget the digest of a session, and which calls were about it
DELETE FROM digest WHERE owner = :owner AND session_id = :session;
UPDATE digest_call SET session_id = '' WHERE owner = :owner AND session_id = :session;

-- purge_notes: forget what anybody has added to a session
DELETE FROM note WHERE owner = :owner AND session_id = :session;
DELETE FROM bookmark WHERE owner = :owner AND session_id = :session;

-- delete_notes_of: forget all that a member has added to sessions
DELETE FROM note WHERE viewer = :id;
DELETE FROM bookmark WHERE viewer = :id;

-- purge_received: forget what was pushed of a session
DELETE FROM received_frame WHERE file_id IN (
  SELECT id FROM received_file WHERE member_id = :owner AND session_id = :session);
DELETE FROM received_file WHERE member_id = :owner AND session_id = :session;

-- frames_of_session: the frames that a session's files have
SELECT DISTINCT r.frame_id FROM received_file AS f JOIN received_frame AS r ON r.file_id = f.id
WHERE f.member_id = :owner AND f.session_id = :session;

-- finish_purge: there is nothing left of a session
UPDATE session_state SET purged_at = now(), derived_seq = head_seq, claim = NULL,
  claimed_until = NULL, attempts = 0, waiting_since = NULL, waiting_reason = NULL,
  failed_reason = NULL, digest_seq = head_seq, digest_skip = NULL, digest_attempts = 0,
  digest_claim = NULL, digest_claimed_until = NULL, digest_reason = NULL, digest_due_at = now()
WHERE owner = :owner AND session_id = :session;

-- end_share_links: links to a deleted session show nothing
UPDATE share_link SET revoked_at = now()
WHERE owner = :owner AND session_id = :session AND revoked_at IS NULL;

-- is_held: whether nothing of a session may be deleted
SELECT held FROM session_state WHERE owner = :owner AND session_id = :session;

-- has_replaced: whether a session has generations of files that stay only while it is held
SELECT EXISTS (
  SELECT 1 FROM received_file AS f JOIN received_frame AS r ON r.file_id = f.id
  WHERE f.member_id = :owner AND f.session_id = :session
    AND f.tier <> 'everything' AND r.generation < f.generation) AS has_replaced;

-- older_generations: those of a file before its present one that are, or may be, archived
SELECT generation FROM frame WHERE file_id = :file_id AND generation < :generation
UNION
SELECT generation FROM received_frame WHERE file_id = :received_id AND generation < :generation;

-- purge_older_frames: forget the archived frames of a file before its present generation
DELETE FROM frame WHERE file_id = :file_id AND generation < :generation;

-- purge_older_received: forget what was pushed of a file before its present generation
DELETE FROM received_frame WHERE file_id = :received_id AND generation < :generation;

-- is_unused: no file has the frame
NOT EXISTS (SELECT 1 FROM received_frame AS r WHERE r.frame_id = p.id);

-- lock_unused_frames: some frames that no file has; nobody can refer to one while it is locked
SELECT p.id FROM pushed_frame AS p
WHERE p.id = ANY (:ids::bigint[]) AND {is_unused}
FOR UPDATE SKIP LOCKED;

-- lock_forgotten_frames: frames that were sent long ago and that no file has
SELECT p.id FROM pushed_frame AS p
WHERE p.committed_at IS NULL AND p.received_at < now() - :hours * interval '1 hour' AND {is_unused}
LIMIT :most FOR UPDATE SKIP LOCKED;

-- delete_unused_frames: what is locked, unless a file had it by then
WITH unused AS (
  DELETE FROM pushed_frame AS p WHERE p.id = ANY (:ids::bigint[]) AND {is_unused}
  RETURNING p.object_key)
INSERT INTO doomed_object (object_key)
SELECT object_key FROM unused WHERE object_key IS NOT NULL
ON CONFLICT DO NOTHING;

-- frames_after: some frames in the order of their numbers, to look at all of them in steps
SELECT p.id, p.object_key IS NOT NULL AS has_object,
  {is_unused} AND p.received_at < now() - :hours * interval '1 hour' AS is_unused
FROM pushed_frame AS p WHERE p.id > :after ORDER BY p.id LIMIT :most;

-- lock_doomed: objects that may be deleted by now
SELECT d.object_key FROM doomed_object AS d
WHERE d.doomed_at < now() - :days * interval '1 day'
ORDER BY d.doomed_at LIMIT :most FOR UPDATE SKIP LOCKED;

-- used_objects: those of some objects that something refers to after all
SELECT object_key FROM pushed_frame WHERE object_key = ANY (:paths::text[]);

-- delete_doomed: objects that are deleted, or used after all
DELETE FROM doomed_object WHERE object_key = ANY (:paths::text[]);

-- expire_sessions: delete sessions that have not grown for longer than they are to be kept
UPDATE session_state SET deleted_at = now(), deleted_by = NULL, may_return = false
WHERE (owner, session_id) IN (
  SELECT s.owner, s.session_id FROM session_state AS s
  JOIN organisation AS o ON o.id = s.organisation_id
  LEFT JOIN team_project AS t ON t.id = s.project_id
  WHERE s.deleted_at IS NULL AND NOT s.held
    AND s.grown_at < now() - coalesce(t.retention_days, o.retention_days) * interval '1 day'
  LIMIT :most FOR UPDATE OF s SKIP LOCKED)
RETURNING owner, session_id, organisation_id;

-- record_changes: lists of the sessions of these owners are no longer as they were
INSERT INTO archive_change (owner, number) SELECT unnest(:owners::bigint[]), 1
ON CONFLICT (owner) DO UPDATE SET number = archive_change.number + 1;

-- files_to_seal: archived files that nobody has pushed to for an hour
SELECT f.id, f.member_id, f.root_id, f.file, f.receipt FROM received_file AS f
JOIN session_state AS s ON s.owner = f.member_id AND s.session_id = f.session_id
WHERE f.sealed_receipt IS DISTINCT FROM f.receipt
  AND f.received_at < now() - :idle * interval '1 second'
  AND s.head_seq = s.derived_seq AND s.deleted_at IS NULL
ORDER BY f.received_at LIMIT :most;

-- claim_sealing: seal a file while nobody else does
SELECT pg_try_advisory_lock(1668048249, :id::integer);

-- end_sealing: others may
SELECT pg_advisory_unlock(1668048249, :id::integer);

-- set_sealed: a file is one object, unless it was pushed again
UPDATE received_file SET sealed_receipt = :receipt WHERE id = :id AND receipt = :receipt;

-- restore_deletion: delete a session of which there may be nothing, as it was recorded
INSERT INTO session_state (owner, session_id, organisation_id, tier, scope_id, deleted_at, may_return)
SELECT m.id, :session, m.organisation_id, :tier, s.id, now(), :may_return <> 0
FROM member AS m
JOIN organisation AS o ON o.id = m.organisation_id
JOIN scope AS s ON s.member_id = m.id
WHERE m.name = :member AND o.name = :organisation
ON CONFLICT (owner, session_id) DO UPDATE
  SET deleted_at = now(), may_return = excluded.may_return, deleted_by = NULL
  WHERE session_state.deleted_at IS NULL AND NOT session_state.held
    AND session_state.grown_at < :deleted_at;
