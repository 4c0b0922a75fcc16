-- What a viewer sees: a view of each table, read by a role that may read nothing else.

-- scopes_are_ready: whether the views are those of the present tables, and this user may use them
SELECT coalesce(obj_description(to_regnamespace('clew_scoped'), 'pg_namespace')
    = (SELECT max(number)::text FROM schema_version), false)
  AND coalesce((
    SELECT CASE WHEN to_regnamespace('clew_scoped') IS NOT NULL AND pg_has_role(oid, 'MEMBER')
           THEN has_schema_privilege(oid, to_regnamespace('clew_scoped'), 'USAGE') END
    FROM pg_roles WHERE rolname = 'clew_reader'), false);

-- create_reader: the role of all viewers, which this user may take
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'clew_reader') THEN
    CREATE ROLE clew_reader NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL;
END $$;
DO $$ BEGIN
  IF NOT pg_has_role('clew_reader', 'MEMBER') THEN
    GRANT clew_reader TO CURRENT_USER;
  END IF;
END $$;

-- create_scoped_views: a view of each table that anything read from the archive needs
DROP SCHEMA IF EXISTS clew_scoped CASCADE;
CREATE SCHEMA clew_scoped;
DO $$ DECLARE name text; BEGIN
  FOR name IN
    SELECT relname FROM pg_class
    JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'scope_id'
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
      AND NOT relispartition
  LOOP
    EXECUTE format('CREATE VIEW clew_scoped.%I AS SELECT * FROM %I WHERE scope_id IN (
      SELECT unnest(current_setting(''clew.scopes'')::bigint[]))', name, name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['schema_version', 'archive_change', 'price_table', 'search_word']
  LOOP
    EXECUTE format('CREATE VIEW clew_scoped.%I AS SELECT * FROM %I', name, name);
  END LOOP;
END $$;
CREATE OR REPLACE VIEW clew_scoped.session AS
SELECT * FROM session
WHERE scope_id IN (SELECT unnest(current_setting('clew.scopes')::bigint[]))
  AND NOT EXISTS (
    SELECT 1 FROM session_state AS state
    WHERE state.owner = session.owner AND state.session_id = session.id
      AND state.deleted_at IS NOT NULL);
CREATE OR REPLACE VIEW clew_scoped.digest AS
SELECT * FROM digest WHERE EXISTS (
  SELECT 1 FROM clew_scoped.session AS seen
  WHERE seen.id = digest.session_id AND seen.owner = digest.owner
    AND seen.scope_id = digest.scope_id);
-- Nobody sees the notes of anybody else, whatever scopes they see.
CREATE VIEW clew_scoped.note AS
SELECT * FROM note WHERE viewer = current_setting('clew.viewer')::bigint AND EXISTS (
  SELECT 1 FROM clew_scoped.session AS seen
  WHERE seen.id = note.session_id AND seen.owner = note.owner);
CREATE VIEW clew_scoped.bookmark AS
SELECT * FROM bookmark WHERE viewer = current_setting('clew.viewer')::bigint AND EXISTS (
  SELECT 1 FROM clew_scoped.session AS seen
  WHERE seen.id = bookmark.session_id AND seen.owner = bookmark.owner);
CREATE VIEW clew_scoped.project AS
SELECT * FROM project WHERE id IN (SELECT project_id FROM clew_scoped.session);
CREATE VIEW clew_scoped.source_file AS
SELECT * FROM source_file WHERE EXISTS (
  SELECT 1 FROM clew_scoped.session AS seen
  WHERE seen.id = source_file.session_id AND seen.owner = source_file.owner);
CREATE VIEW clew_scoped.member AS
SELECT id, name FROM member WHERE organisation_id IN (
  SELECT organisation_id FROM scope
  WHERE scope.id IN (SELECT unnest(current_setting('clew.scopes')::bigint[])));
CREATE VIEW clew_scoped.stale_session AS
SELECT * FROM stale_session WHERE EXISTS (
  SELECT 1 FROM clew_scoped.session AS seen
  WHERE seen.id = stale_session.session_id AND seen.owner = stale_session.owner);
CREATE VIEW clew_scoped.frame AS
SELECT * FROM frame WHERE file_id IN (SELECT id FROM clew_scoped.source_file);
CREATE VIEW clew_scoped.damaged_blob AS
SELECT * FROM damaged_blob WHERE file_id IN (SELECT id FROM clew_scoped.source_file);
DO $$ BEGIN
  EXECUTE format('COMMENT ON SCHEMA clew_scoped IS %L', (SELECT max(number) FROM schema_version));
END $$;

-- grant_scoped_views: let viewers read them
GRANT USAGE ON SCHEMA clew_scoped TO clew_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA clew_scoped TO clew_reader;

-- begin_scoped: see the same rows until the end, and only those of some scopes
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT set_config('clew.scopes', (:scopes::bigint[])::text, true),
  set_config('clew.viewer', (:viewer::bigint)::text, true),
  set_config('search_path', 'clew_scoped, pg_temp', true),
  set_config('role', 'clew_reader', true);

-- named_sessions: those that have one of some ids or keys
SELECT key, id, owner, scope_id FROM session
WHERE id = ANY (:ids::text[]) OR key = ANY (:keys::bigint[])
ORDER BY key;

-- ambiguous_sessions: the sessions whose id another one that the viewer sees has, too
SELECT key, id, owner, scope_id FROM session
WHERE id IN (SELECT id FROM session GROUP BY id HAVING count(*) > 1)
ORDER BY key;

-- seen_version: numbers that change whenever a viewer sees other sessions
SELECT count(*), coalesce(sum(key), 0), coalesce(sum(hashint8(key * 1000003 + scope_id)::bigint), 0)
FROM session;

-- seen_changes: a number that changes when a viewer, or anybody of whom they see sessions, has written
SELECT coalesce(sum(hashint8extended(number, owner) >> 16), 0) FROM archive_change
WHERE archive_change.owner = :viewer
  OR EXISTS (SELECT 1 FROM session WHERE session.owner = archive_change.owner);

-- changes_of_owners: a number for each owner of whom a viewer sees sessions, which grows with writes
SELECT owner, number FROM archive_change
WHERE EXISTS (SELECT 1 FROM session WHERE session.owner = archive_change.owner);

-- marks_of_viewer: prices, names of members, and a viewer's own notes
SELECT (SELECT coalesce(max(digest), '') FROM price_table),
  (SELECT coalesce(sum(hashtextextended(name, id) >> 16), 0)::text FROM member),
  (SELECT count(*) || '.' || coalesce(sum(revision), 0) FROM note),
  (SELECT count(*) || '.' || coalesce(max(made_at), '') FROM bookmark);

-- versions_of_owners: what changes whenever more is kept of a session, others see it, or it is digested
SELECT s.key, s.id, s.owner, s.scope_id, s.message_count, s.parser_version,
  coalesce(sum(f.kept_bytes), 0), coalesce(sum(f.generation), 0), coalesce((
    SELECT max(d.made_at) FROM digest d WHERE d.owner = s.owner AND d.session_id = s.id), ''),
  coalesce((SELECT max(n.revision) FROM note n
    WHERE n.viewer = :viewer AND n.owner = s.owner AND n.session_id = s.id), 0)
FROM session s
LEFT JOIN source_file f ON f.session_id = s.id AND f.owner = s.owner
WHERE s.owner = ANY (:owners::bigint[])
GROUP BY s.key, s.id, s.owner, s.scope_id, s.message_count, s.parser_version;

-- owner_of_file: whose file it is
SELECT owner FROM source_file WHERE id = :id;

-- owner_of_block: whose session a block belongs to
SELECT session.owner FROM block JOIN session ON session.key = block.session_key
WHERE block.id = :id;

-- move_session: let a session be seen in another scope
UPDATE transcript SET scope_id = :scope WHERE session_key = :key;
UPDATE old_title SET scope_id = :scope WHERE session_key = :key;
UPDATE entry SET scope_id = :scope WHERE session_key = :key;
UPDATE hook_entry SET scope_id = :scope WHERE session_key = :key;
UPDATE message SET scope_id = :scope WHERE session_key = :key;
UPDATE block SET scope_id = :scope WHERE session_key = :key;
UPDATE tool_call SET scope_id = :scope WHERE session_key = :key;
UPDATE agent_run SET scope_id = :scope WHERE session_key = :key;
UPDATE thread SET scope_id = :scope WHERE session_key = :key;
UPDATE turn SET scope_id = :scope WHERE session_key = :key;
UPDATE epoch SET scope_id = :scope WHERE session_key = :key;
UPDATE model_call SET scope_id = :scope WHERE session_key = :key;
UPDATE cache_break SET scope_id = :scope WHERE session_key = :key;
UPDATE missing_transcript SET scope_id = :scope WHERE session_key = :key;
UPDATE file_change SET scope_id = :scope WHERE session_key = :key;
UPDATE git_report SET scope_id = :scope WHERE session_key = :key;
UPDATE edge SET scope_id = :scope WHERE session_key = :key;
UPDATE problem SET scope_id = :scope WHERE session_key = :key;
UPDATE search_text SET scope_id = :scope WHERE session_key = :key;
UPDATE hidden_session SET scope_id = :scope WHERE session_key = :key;
UPDATE digest SET scope_id = :scope FROM session
WHERE session.key = :key AND digest.owner = session.owner AND digest.session_id = session.id;
UPDATE session SET scope_id = :scope WHERE key = :key;
