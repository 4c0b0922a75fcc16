-- Whether the bytes are there that the tables speak of.

-- archive_owners: members who have archived files
SELECT DISTINCT owner FROM source_file WHERE owner > 0 ORDER BY owner;

-- uploads_after: some frames that are in objects of their own
SELECT id, hash, size_bytes, object_key FROM pushed_frame
WHERE id > :after AND object_key IS NOT NULL
ORDER BY id LIMIT :most;

-- session_of_file: the session of an archived file
SELECT session_id FROM received_file
WHERE member_id = :owner AND root_id = :root AND file = :path;
