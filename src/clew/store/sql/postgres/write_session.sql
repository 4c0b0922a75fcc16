-- Rows of one session, in bulk.

-- copy_transcript: rows of a session
COPY transcript ({transcript_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_old_title: rows of a session
COPY old_title ({old_title_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_entry: rows of a session
COPY entry ({entry_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_hook_entry: rows of a session
COPY hook_entry ({hook_entry_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_message: rows of a session
COPY message ({message_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_block: rows of a session
COPY block ({block_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_tool_call: rows of a session
COPY tool_call ({tool_call_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_agent_run: rows of a session
COPY agent_run ({agent_run_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_thread: rows of a session
COPY thread ({thread_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_turn: rows of a session
COPY turn ({turn_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_epoch: rows of a session
COPY epoch ({epoch_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_model_call: rows of a session
COPY model_call ({model_call_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_cache_break: rows of a session
COPY cache_break ({cache_break_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_missing_transcript: rows of a session
COPY missing_transcript ({missing_transcript_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_file_change: rows of a session
COPY file_change ({file_change_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_git_report: rows of a session
COPY git_report ({git_report_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_edge: rows of a session
COPY edge ({edge_columns}, scope_id) FROM STDIN (FORMAT binary);

-- copy_problem: rows of a session
COPY problem ({problem_columns}, scope_id) FROM STDIN (FORMAT binary);

-- column_types: the types of all columns of some tables
SELECT attrelid::regclass::text, attname, atttypid::bigint FROM pg_attribute
WHERE attrelid = ANY (:tables::regclass[]) AND attnum > 0 AND NOT attisdropped;

-- session_numbers: the numbers of sessions, those they had if any, and who may see them
SELECT listed.id, coalesce(session.key, nextval(pg_get_serial_sequence('session', 'key'))),
  coalesce(listed.scope, session.scope_id, 0), project.id, session.key IS NOT NULL
FROM unnest(:names::text[], :paths::text[], :scopes::bigint[]) AS listed (id, path, scope)
JOIN project ON project.path = listed.path AND project.owner = :owner
LEFT JOIN session ON session.id = listed.id AND session.owner = :owner;

-- related_sessions: the sessions that share an answer with some, or have an old title from them
SELECT kin.id FROM session AS kin
WHERE kin.owner = :owner AND kin.id <> ALL (:names::text[]) AND kin.key = ANY (ARRAY(
  SELECT copy.session_key FROM session AS own
  JOIN model_call AS answer ON answer.session_key = own.key
  JOIN model_call AS copy ON copy.message_id = answer.message_id
  WHERE own.id = ANY (:names::text[]) AND own.owner = :owner
  UNION
  SELECT entry.session_key FROM session AS own
  JOIN old_title ON old_title.session_key = own.key
  JOIN entry ON substr(entry.uuid, 1, 6) = substr(old_title.leaf_uuid, 1, 6)
    AND entry.uuid = old_title.leaf_uuid
  WHERE own.id = ANY (:names::text[]) AND own.owner = :owner));

-- set_session_scope: keep a session's scope when its rows are made again
UPDATE session SET scope_id = :scope WHERE key = :key;

-- hide_sessions: remember in which of some sessions nobody said anything
INSERT INTO hidden_session (session_key, scope_id)
SELECT key, scope_id FROM session
WHERE key = ANY (:keys::bigint[]) AND NOT {somebody_spoke};

-- delete_sessions: all rows of some sessions, and their texts in the index
DELETE FROM hidden_session WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM search_text WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM transcript WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM old_title WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM entry WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM hook_entry WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM message WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM block WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM tool_call WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM agent_run WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM thread WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM turn WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM epoch WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM model_call WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM cache_break WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM missing_transcript WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM file_change WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM git_report WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM edge WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM problem WHERE session_key = ANY (:keys::bigint[]);
DELETE FROM session WHERE key = ANY (:keys::bigint[]);
