-- Frames that files give up.

-- lock_frames: nobody comes to refer to them until the end of the transaction
SELECT id FROM pushed_frame WHERE id = ANY (:ids::bigint[]) ORDER BY id FOR UPDATE;

-- stranded_frames: those of some frames that a file has, and whose bytes are nowhere
SELECT p.id FROM pushed_frame AS p
WHERE p.id = ANY (:ids::bigint[]) AND p.object_key IS NULL AND p.lost_at IS NULL
  AND EXISTS (SELECT 1 FROM received_frame AS r WHERE r.frame_id = p.id)
  AND NOT EXISTS (
    SELECT 1 FROM received_frame AS r
    JOIN received_file AS f ON f.id = r.file_id
    JOIN source_file AS s ON s.owner = f.member_id AND s.root = f.root_id AND s.path = f.file
    JOIN frame AS a ON a.file_id = s.id AND a.generation = r.generation AND a.hash = p.hash
    WHERE r.frame_id = p.id AND {is_undamaged})
ORDER BY p.id;

-- give_object: a frame has an object of its own again
UPDATE pushed_frame SET object_key = :object_key, packed_bytes = :packed_bytes
WHERE id = :id AND object_key IS NULL AND lost_at IS NULL;

-- older_frames: the frames of a file before its present generation
SELECT DISTINCT frame_id FROM received_frame
WHERE file_id = :received_id AND generation < :generation;
