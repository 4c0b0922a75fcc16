-- upsert_file: remember how far a file is kept; what came first stays
INSERT INTO source_file (
  root, path, kind, session_id, agent_id, workflow_id, project_folder, device, inode, size_bytes,
  mtime_ns, generation, kept_bytes, head_hash, head_bytes, tail_hash, tail_bytes, first_seen_at
) VALUES (
  :root, :path, :kind, :session_id, :agent_id, :workflow_id, :project_folder, :device, :inode,
  :size_bytes, :mtime_ns, :generation, :kept_bytes, :head_hash, :head_bytes, :tail_hash,
  :tail_bytes, :first_seen_at
)
ON CONFLICT (root, path) DO UPDATE SET
  kind = excluded.kind, session_id = excluded.session_id, agent_id = excluded.agent_id,
  workflow_id = excluded.workflow_id, project_folder = excluded.project_folder,
  device = excluded.device, inode = excluded.inode, size_bytes = excluded.size_bytes,
  mtime_ns = excluded.mtime_ns, generation = excluded.generation,
  kept_bytes = excluded.kept_bytes, head_hash = excluded.head_hash,
  head_bytes = excluded.head_bytes, tail_hash = excluded.tail_hash,
  tail_bytes = excluded.tail_bytes, state = 'present', vanished_at = NULL
RETURNING id;

-- lose_file: remember that a file is gone from its source
UPDATE source_file SET state = 'vanished', vanished_at = :now WHERE id = :id;

-- forget_frames: forget what a blob held
DELETE FROM frame WHERE file_id = :file_id AND generation = :generation;

-- stale_sessions: sessions whose rows are behind what is kept of them
SELECT session_id, since FROM stale_session;

-- add_stale_session: a session's rows are behind, from now on or from earlier on
INSERT INTO stale_session (session_id, since) VALUES (:session, :now)
ON CONFLICT (session_id) DO NOTHING;

-- delete_stale_session: a session's rows are up to date
DELETE FROM stale_session WHERE session_id = :session;
