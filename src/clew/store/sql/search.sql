-- search_sessions: all sessions, the latest first
SELECT session.key, session.id, coalesce(nullif(note.title, ''), session.title) AS title,
       CASE WHEN note.title <> '' THEN 'note' ELSE session.title_source END AS title_source,
       coalesce(project.path, '') AS project, session.models, session.started_at, session.ended_at,
       CASE WHEN {is_talk} THEN 1 ELSE 0 END AS is_talk, coalesce(note.is_hidden, 0) AS is_hidden
FROM session
LEFT JOIN project ON project.id = session.project_id
{note_of_session}
ORDER BY session.ended_at DESC, session.key DESC;

-- search_ranges: the first and last block of some sessions; what lies between is theirs as well
SELECT wanted.value,
       (SELECT block.id FROM block WHERE block.session_key = wanted.value
        ORDER BY block.message_ordinal, block.id LIMIT 1) AS first_id,
       (SELECT block.id FROM block WHERE block.session_key = wanted.value
        ORDER BY block.message_ordinal DESC, block.id DESC LIMIT 1) AS last_id
FROM json_each(:keys) AS wanted;

-- search_newer: all blocks behind a number
SELECT id FROM block WHERE id > :bound AND field <> '';

-- search_blocks: what ranking needs of some blocks, as far as they stand in some fields
SELECT block.id, block.session_key, block.message_ordinal, block.ordinal, block.field, block.kind,
       block.tool_call_id, message.message_id, message.role, message.started_at,
       message.agent_run_id, message.model, message.error IS NOT NULL AS is_error
FROM json_each(:ids) AS wanted
CROSS JOIN block ON block.id = wanted.value
JOIN message ON message.session_key = block.session_key
  AND message.ordinal = block.message_ordinal
WHERE block.field IN (SELECT value FROM json_each(:fields));

-- search_count: how many of some blocks stand in some fields
SELECT count(*)
FROM json_each(:ids) AS wanted
CROSS JOIN block ON block.id = wanted.value
WHERE block.field IN (SELECT value FROM json_each(:fields));

-- search_calls: the tool calls of some sessions that are of some tools, or that failed
SELECT tool_call.session_key, tool_call.call_id, tool_call.tool, tool_call.is_error
FROM json_each(:keys) AS wanted
CROSS JOIN tool_call ON tool_call.session_key = wanted.value
WHERE tool_call.is_error = 1 OR tool_call.tool IN (SELECT value FROM json_each(:tools));

-- search_runs: the agent runs of some sessions
SELECT agent_run.session_key, agent_run.run_id, agent_run.agent
FROM json_each(:keys) AS wanted
CROSS JOIN agent_run ON agent_run.session_key = wanted.value;

-- search_texts: what rows have of the texts of some blocks, and whether that is all
SELECT block.id, block.text, block.is_cut
FROM json_each(:ids) AS wanted
CROSS JOIN block ON block.id = wanted.value;

-- search_tools: the names of all tools that were called, each found by one step in the index
WITH RECURSIVE named (tool) AS (
  SELECT first.tool FROM (SELECT tool FROM tool_call ORDER BY tool LIMIT 1) AS first
  UNION ALL
  SELECT (SELECT tool_call.tool FROM tool_call WHERE tool_call.tool > named.tool
          ORDER BY tool_call.tool LIMIT 1)
  FROM named WHERE named.tool IS NOT NULL
)
SELECT tool FROM named WHERE tool IS NOT NULL;

-- search_tool_sessions: the sessions in which some tools were called
SELECT DISTINCT tool_call.session_key
FROM json_each(:tools) AS wanted
CROSS JOIN tool_call ON tool_call.tool = wanted.value;

-- search_agent_sessions: the sessions in which any agent ran
SELECT DISTINCT session_key FROM agent_run;

-- search_paths_like: those whose path is like one of several patterns
SELECT known.path
FROM (SELECT DISTINCT path FROM file_change) AS known
WHERE EXISTS (SELECT 1 FROM json_each(:patterns) AS wanted WHERE known.path LIKE wanted.value);

-- files_like: the files whose path is like all of some patterns, the last edited first; those that
-- only hidden sessions touched are left out
SELECT file_change.path,
       max(CASE WHEN file_change.action = 'read' THEN NULL ELSE file_change.at END) AS edited_at,
       max(file_change.at) AS last_at, count(DISTINCT file_change.session_key) AS sessions
FROM (SELECT DISTINCT path FROM file_change) AS known
JOIN file_change ON file_change.path = known.path
JOIN session ON session.key = file_change.session_key
{note_of_session}
WHERE coalesce(note.is_hidden, 0) = 0
  AND NOT EXISTS (SELECT 1 FROM json_each(:patterns) AS wanted
                  WHERE NOT (known.path LIKE wanted.value))
GROUP BY file_change.path
ORDER BY CASE WHEN max(CASE WHEN file_change.action = 'read' THEN NULL ELSE file_change.at END)
                   IS NULL THEN 1 ELSE 0 END,
         max(CASE WHEN file_change.action = 'read' THEN NULL ELSE file_change.at END) DESC,
         max(file_change.at) DESC, file_change.path
LIMIT :most;

-- search_path_sessions: the sessions that read or changed some files
SELECT DISTINCT file_change.session_key
FROM json_each(:paths) AS wanted
CROSS JOIN file_change ON file_change.path = wanted.value;

-- search_touches: when and by what call some files were read or changed, the latest first
SELECT file_change.session_key, file_change.path, file_change.tool_call_id, file_change.at,
       file_change.agent_run_id
FROM json_each(:paths) AS wanted
CROSS JOIN file_change ON file_change.path = wanted.value
ORDER BY file_change.at DESC, file_change.tool_call_id DESC
LIMIT :most;

-- search_called: the messages and the blocks in which some calls of some sessions were made
SELECT tool_call.session_key, tool_call.call_id, message.message_id, message.ordinal,
       block.ordinal, message.role
FROM json_each(:keys) AS wanted
CROSS JOIN tool_call ON tool_call.session_key = wanted.value
JOIN message ON message.session_key = tool_call.session_key
  AND message.ordinal = tool_call.message_ordinal
JOIN block ON block.session_key = tool_call.session_key
  AND block.message_ordinal = tool_call.message_ordinal
  AND block.tool_call_id = tool_call.call_id
WHERE tool_call.call_id IN (SELECT value FROM json_each(:calls))
ORDER BY block.id;

-- search_digests: what digests say of sessions, and descriptions of those without, the latest first
SELECT session.key, coalesce(digest.text, session.description)
FROM session
LEFT JOIN digest ON digest.owner = session.owner AND digest.session_id = session.id
WHERE coalesce(digest.text, session.description) <> ''
  AND (:patterns IS NULL OR EXISTS (
    SELECT 1 FROM json_each(:patterns) AS wanted
    WHERE coalesce(digest.text, session.description) LIKE wanted.value))
ORDER BY session.ended_at DESC, session.key DESC
LIMIT :most;
