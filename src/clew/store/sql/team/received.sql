-- What was pushed of a session, and where its frames are.

-- received_files: the files of a session, in the order in which they are read
SELECT id, root_id, file, kind, agent_id, workflow_id, generation, mtime_ns, tier
FROM received_file
WHERE member_id = :owner AND session_id = :session
ORDER BY root_id, file;

-- received_frames: the frames of all generations of a session's files
SELECT r.file_id, r.generation, p.id, p.hash, p.size_bytes, p.object_key
FROM received_file AS f
JOIN received_frame AS r ON r.file_id = f.id
JOIN pushed_frame AS p ON p.id = r.frame_id
WHERE f.member_id = :owner AND f.session_id = :session
ORDER BY r.file_id, r.generation, r.number;

-- archived_copies: archived files that have some of a member's frames
SELECT DISTINCT ON (p.id) p.id, s.root, s.path, s.blob_path, a.generation,
  a.start_bytes, a.size_bytes, a.blob_start, a.blob_bytes, a.hash
FROM pushed_frame AS p
JOIN received_frame AS r ON r.frame_id = p.id
JOIN received_file AS f ON f.id = r.file_id
JOIN source_file AS s ON s.owner = f.member_id AND s.root = f.root_id AND s.path = f.file
JOIN frame AS a ON a.file_id = s.id AND a.generation = r.generation AND a.hash = p.hash
WHERE p.id = ANY (:ids::bigint[]) AND {is_undamaged};

-- is_undamaged: nothing is wrong with the archived file
NOT EXISTS (
  SELECT 1 FROM damaged_blob AS d WHERE d.file_id = a.file_id AND d.generation = a.generation);

-- lose_frames: some frames are nowhere, and must be sent again
WITH lost AS (
  UPDATE pushed_frame SET lost_at = now(), object_key = NULL
  FROM (
    SELECT id, object_key FROM pushed_frame
    WHERE id = ANY (:ids::bigint[]) AND lost_at IS NULL
      AND (object_key IS NULL OR object_key = ANY (:paths::text[]))
    FOR UPDATE) AS before
  WHERE pushed_frame.id = before.id
  RETURNING before.object_key)
INSERT INTO doomed_object (object_key)
SELECT object_key FROM lost WHERE object_key IS NOT NULL
ON CONFLICT DO NOTHING;

-- is_archived: each file that has the frame has it in the archive as well
NOT EXISTS (
  SELECT 1 FROM received_frame AS r
  JOIN received_file AS f ON f.id = r.file_id
  LEFT JOIN source_file AS s ON s.owner = f.member_id AND s.root = f.root_id AND s.path = f.file
  WHERE r.frame_id = p.id AND NOT EXISTS (
    SELECT 1 FROM frame AS a
    WHERE a.file_id = s.id AND a.generation = r.generation AND a.hash = p.hash AND {is_undamaged}))
  AND EXISTS (SELECT 1 FROM received_frame AS r WHERE r.frame_id = p.id);

-- doom_archived_uploads: the objects of some frames that are archived with their files
WITH archived AS (
  UPDATE pushed_frame SET object_key = NULL
  FROM (
    SELECT id, object_key FROM pushed_frame AS p
    WHERE id = ANY (:ids::bigint[]) AND object_key IS NOT NULL AND {is_archived}
    FOR UPDATE SKIP LOCKED) AS before
  WHERE pushed_frame.id = before.id
  RETURNING before.object_key)
INSERT INTO doomed_object (object_key) SELECT object_key FROM archived ON CONFLICT DO NOTHING;

-- unseal_file: a file's archived copy was written again
UPDATE received_file SET sealed_receipt = NULL WHERE id = :id;

-- redo_session: make a session's rows and archived files again
UPDATE session_state SET head_seq = head_seq + 1, due_at = now(), attempts = 0,
  failed_reason = NULL, waiting_reason = NULL
WHERE owner = :owner AND session_id = :session AND deleted_at IS NULL;
