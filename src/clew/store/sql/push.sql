-- root_ids: the ids of all roots
SELECT root, id FROM root_id WHERE owner = :owner;

-- set_root_id: give a root an id
INSERT INTO root_id (root, id, owner) VALUES (:root, :id, :owner)
ON CONFLICT (owner, root) DO UPDATE SET id = excluded.id;

-- session_places: the project and the first working directory of each session
SELECT session.id, coalesce(project.path, ''), session.cwd
FROM session LEFT JOIN project ON project.id = session.project_id
WHERE session.owner = :owner;

-- project_paths: the folders of all projects
SELECT path FROM project WHERE owner = :owner;

-- last_push: when a server last acknowledged something
SELECT max(pushed_at) FROM pushed_file WHERE server = :server;

-- pushed_files: what a server has acknowledged
SELECT root_id, path, file, session_id, tier, epoch, generation, kept_bytes, receipt,
       server_generation
FROM pushed_file WHERE server = :server;

-- set_pushed_file: remember what a server has acknowledged of a file
INSERT INTO pushed_file (
  server, root_id, path, file, session_id, tier, epoch, generation, kept_bytes, receipt,
  server_generation, pushed_at
)
VALUES (
  :server, :root_id, :path, :file, :session_id, :tier, :epoch, :generation, :kept_bytes, :receipt,
  :server_generation, :pushed_at
)
ON CONFLICT (server, root_id, path) DO UPDATE SET
  file = excluded.file, session_id = excluded.session_id, tier = excluded.tier,
  epoch = excluded.epoch, generation = excluded.generation, kept_bytes = excluded.kept_bytes,
  receipt = excluded.receipt, server_generation = excluded.server_generation,
  pushed_at = excluded.pushed_at;

-- pushed_pieces: the pieces that were made of files for a server
SELECT root_id, path, number, source_end, size_bytes, hash
FROM pushed_piece WHERE server = :server ORDER BY root_id, path, number;

-- delete_pushed_pieces: forget the pieces of a file
DELETE FROM pushed_piece WHERE server = :server AND root_id = :root_id AND path = :path;

-- add_pushed_piece: remember a piece of a file
INSERT INTO pushed_piece (server, root_id, path, number, source_end, size_bytes, hash)
VALUES (:server, :root_id, :path, :number, :source_end, :size_bytes, :hash);

-- frames_with_hashes: frames of any generation, by their hashes in hexadecimal digits
SELECT frame.file_id, frame.generation, frame.start_bytes, frame.size_bytes, frame.blob_start,
       frame.blob_bytes, frame.hash
FROM frame JOIN source_file ON source_file.id = frame.file_id
WHERE lower(hex(frame.hash)) IN (SELECT value FROM json_each(:hashes))
  AND source_file.owner = :owner;

-- pulled_sessions: the sessions that came from servers
SELECT session_id, server, member, receipt FROM pulled_session WHERE owner = :owner;

-- set_pulled_session: remember that a session came from a server
INSERT INTO pulled_session (session_id, server, member, receipt, pulled_at, owner)
VALUES (:session_id, :server, :member, :receipt, :pulled_at, :owner)
ON CONFLICT (owner, session_id) DO UPDATE SET
  server = excluded.server, member = excluded.member, receipt = excluded.receipt,
  pulled_at = excluded.pulled_at;

-- secret_marks: the numbers of all masked secrets
SELECT hash, kind, number FROM secret_mark;

-- add_secret_mark: remember the number of a masked secret
INSERT INTO secret_mark (hash, kind, number) VALUES (:hash, :kind, :number)
ON CONFLICT (hash) DO NOTHING;
