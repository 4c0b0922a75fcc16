-- source_file_columns: what is known of a file, in the order of its struct
id, root, path, kind, session_id, agent_id, workflow_id, project_folder, device, inode, size_bytes,
  mtime_ns, generation, kept_bytes, head_hash, head_bytes, tail_hash, tail_bytes, state, blob_path,
  is_compared;

-- source_files: all files
SELECT {source_file_columns} FROM source_file WHERE owner = :owner;

-- source_files_of_session: the files of one session
SELECT {source_file_columns} FROM source_file
WHERE session_id = :session_id AND owner = :owner;

-- source_files_of_sessions: the files of some sessions
SELECT {source_file_columns} FROM source_file
WHERE session_id IN (SELECT value FROM json_each(:names)) AND owner = :owner;

-- source_files_at: the files at some places
SELECT {source_file_columns} FROM source_file
WHERE root IN (SELECT value FROM json_each(:roots))
  AND path IN (SELECT value FROM json_each(:paths)) AND owner = :owner;

-- file_times: when files were first seen, and when they were found to be gone
SELECT id, first_seen_at, vanished_at FROM source_file WHERE owner = :owner;

-- files_elsewhere: files of sessions that are not in some roots, or not any more
SELECT id FROM source_file
WHERE session_id IS NOT NULL AND owner = :owner
  AND (state <> 'present' OR root NOT IN (SELECT value FROM json_each(:roots)))
LIMIT 1;

-- frames_of_files: the frames of the present generations of some files, in order
SELECT f.file_id, f.generation, f.start_bytes, f.size_bytes, f.blob_start, f.blob_bytes,
  f.hash
FROM json_each(:ids) AS wanted
JOIN source_file AS s ON s.id = wanted.value
JOIN frame AS f ON f.file_id = s.id AND f.generation = s.generation
ORDER BY f.file_id, f.number;

-- frames_of_file: the frames of one generation of a file, in order
SELECT start_bytes, size_bytes, blob_start, blob_bytes, hash
FROM frame WHERE file_id = :file_id AND generation = :generation ORDER BY number;

-- count_frames: how many frames one generation of a file has
SELECT count(*) FROM frame WHERE file_id = :file_id AND generation = :generation;

-- insert_frame: one frame
INSERT INTO frame (
  file_id, generation, number, start_bytes, size_bytes, blob_start, blob_bytes, hash
) VALUES (
  :file_id, :generation, :number, :start_bytes, :size_bytes, :blob_start, :blob_bytes, :hash
);

-- upsert_file: remember how far a file is kept; what came first stays
INSERT INTO source_file (
  root, path, kind, session_id, agent_id, workflow_id, project_folder, device, inode, size_bytes,
  mtime_ns, generation, kept_bytes, head_hash, head_bytes, tail_hash, tail_bytes, first_seen_at,
  blob_path, is_compared, owner
) VALUES (
  :root, :path, :kind, :session_id, :agent_id, :workflow_id, :project_folder, :device, :inode,
  :size_bytes, :mtime_ns, :generation, :kept_bytes, :head_hash, :head_bytes, :tail_hash,
  :tail_bytes, :first_seen_at, :blob_path, :is_compared, :owner
)
ON CONFLICT (root, path, owner) DO UPDATE SET
  kind = excluded.kind, session_id = excluded.session_id, agent_id = excluded.agent_id,
  workflow_id = excluded.workflow_id, project_folder = excluded.project_folder,
  device = excluded.device, inode = excluded.inode, size_bytes = excluded.size_bytes,
  mtime_ns = excluded.mtime_ns, generation = excluded.generation,
  kept_bytes = excluded.kept_bytes, head_hash = excluded.head_hash,
  head_bytes = excluded.head_bytes, tail_hash = excluded.tail_hash,
  tail_bytes = excluded.tail_bytes, state = 'present', vanished_at = NULL,
  blob_path = excluded.blob_path, is_compared = excluded.is_compared
RETURNING id;

-- mark_vanished: remember that a file is gone from its source
UPDATE source_file SET state = 'vanished', vanished_at = :now WHERE id = :id;

-- delete_frames: forget what a blob held
DELETE FROM frame WHERE file_id = :file_id AND generation = :generation;

-- stale_sessions: sessions whose rows are behind what is kept of them
SELECT session_id, since FROM stale_session WHERE owner = :owner;

-- sessions_to_derive: those of some sessions whose rows are missing, behind, or of an older parser
SELECT listed.value FROM json_each(:names) AS listed
WHERE NOT EXISTS (
    SELECT 1 FROM session WHERE session.id = listed.value AND session.owner = :owner
      AND session.parser_version >= :parser_version)
  OR EXISTS (
    SELECT 1 FROM stale_session
    WHERE stale_session.session_id = listed.value AND stale_session.owner = :owner);

-- add_stale_session: a session's rows are behind, from now on or from earlier on
INSERT INTO stale_session (session_id, since, owner) VALUES (:session, :now, :owner)
ON CONFLICT (owner, session_id) DO NOTHING;

-- delete_stale_session: a session's rows are up to date
DELETE FROM stale_session WHERE session_id = :session AND owner = :owner;

-- set_compared: remember that all kept bytes of a file were compared with its source
UPDATE source_file SET is_compared = 1
WHERE id = :id AND generation = :generation AND kept_bytes = :kept_bytes;

-- blob_sizes: how long each blob must be, at least
SELECT file_id, generation, sum(blob_bytes) FROM frame
WHERE file_id IN (SELECT id FROM source_file WHERE owner = :owner)
GROUP BY file_id, generation;

-- damaged_blobs: what is known to be damaged
SELECT file_id, generation, reason, is_incomplete FROM damaged_blob;

-- record_damage: remember that a blob is damaged
INSERT INTO damaged_blob (file_id, generation, reason, is_incomplete)
VALUES (:file_id, :generation, :reason, :is_incomplete)
ON CONFLICT (file_id, generation) DO UPDATE SET reason = excluded.reason;

-- delete_damage: forget that a blob was damaged
DELETE FROM damaged_blob WHERE file_id = :file_id AND generation = :generation;

-- delete_all_damage: forget all damage but that of which the rows know no better
DELETE FROM damaged_blob
WHERE is_incomplete = 0 AND file_id IN (SELECT id FROM source_file WHERE owner = :owner);

-- delete_file: forget a kept file, to take it in again
DELETE FROM source_file WHERE id = :id;

-- delete_frames_of_file: forget what all blobs of a file held
DELETE FROM frame WHERE file_id = :id;

-- delete_damage_of_file: forget all damage of a file
DELETE FROM damaged_blob WHERE file_id = :id;

-- blobs_without_checksum: blobs with frames from before they had checksums
SELECT DISTINCT file_id, generation FROM frame WHERE length(hash) < 32
EXCEPT SELECT file_id, generation FROM damaged_blob;

-- set_frame_hash: give a frame its whole hash
UPDATE frame SET hash = :hash
WHERE file_id = :file_id AND generation = :generation AND number = :number;
