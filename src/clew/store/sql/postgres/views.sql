-- Views as PostgreSQL has them: rows have the inputs of tool calls and the lines of hooks.

-- view_tool_call: tool calls with their whole input
CREATE TEMP VIEW tool_call AS
SELECT {tool_call_view_columns}, CAST(tool_call.input AS JSON) AS input,
       CAST(CASE WHEN EXISTS (
         SELECT 1
         FROM message
         JOIN model_call ON model_call.message_id = message.message_id
           AND model_call.session_key = message.session_key
         WHERE message.session_key = tool_call.session_key
           AND message.ordinal = tool_call.message_ordinal AND model_call.is_inherited = 1
       ) THEN 1 ELSE 0 END AS BIGINT) AS is_inherited
FROM tool_call;

-- view_command: shell commands
CREATE TEMP VIEW command AS
SELECT tool_call.session_key, session.id AS session_id, project.path AS project,
       tool_call.call_id, tool_call.agent_run_id, tool_call.started_at AS at, tool_call.tool,
       tool_call.input ->> 'command' COLLATE "C" AS command,
       tool_call.input ->> 'description' COLLATE "C" AS description,
       coalesce(tool_call.cwd, session.cwd) AS cwd, tool_call.status,
       CAST(substring(result.text FROM '^(?:Error: )?Exit code ([0-9]{1,9})') AS BIGINT)
         AS exit_code,
       tool_call.duration_ms, tool_call.result_bytes,
       CAST(CASE WHEN tool_call.input ->> 'run_in_background' = 'true' THEN 1 ELSE 0 END
            AS BIGINT) AS is_background,
       tool_call.is_inherited
FROM tool_call
JOIN session ON session.key = tool_call.session_key
LEFT JOIN project ON project.id = session.project_id
LEFT JOIN (
  SELECT session_key, tool_call_id, min(text) AS text
  FROM block
  WHERE kind = 'tool_result' AND text ~ '^(Error: )?Exit code '
  GROUP BY session_key, tool_call_id
) AS result ON result.session_key = tool_call.session_key
  AND result.tool_call_id = tool_call.call_id
WHERE tool_call.tool IN ('Bash', 'PowerShell');

-- view_file_read: files that were read
CREATE TEMP VIEW file_read AS
SELECT file_change.session_key, session.id AS session_id, project.path AS project,
       file_change.tool_call_id AS call_id, file_change.agent_run_id, file_change.at,
       tool_call.tool, file_change.path,
       CAST(substring(tool_call.input ->> 'offset' FROM '^-?[0-9]{1,18}') AS BIGINT)
         AS first_line,
       CAST(substring(tool_call.input ->> 'limit' FROM '^-?[0-9]{1,18}') AS BIGINT)
         AS line_limit,
       tool_call.result_bytes, tool_call.is_inherited
FROM file_change
JOIN tool_call ON tool_call.call_id = file_change.tool_call_id
  AND tool_call.session_key = file_change.session_key
JOIN session ON session.key = file_change.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE file_change.action = 'read';

-- view_web_fetch: pages fetched and searches of the web
CREATE TEMP VIEW web_fetch AS
SELECT tool_call.session_key, session.id AS session_id, project.path AS project,
       tool_call.call_id, tool_call.agent_run_id, tool_call.started_at AS at, tool_call.tool,
       tool_call.input ->> 'url' COLLATE "C" AS url,
       tool_call.input ->> 'query' COLLATE "C" AS query,
       tool_call.input ->> 'prompt' COLLATE "C" AS prompt,
       tool_call.status, tool_call.duration_ms, tool_call.result_bytes, tool_call.is_inherited
FROM tool_call
JOIN session ON session.key = tool_call.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE tool_call.tool IN ('WebFetch', 'WebSearch');

-- view_todo: the items of to-do lists, each time that one is written
CREATE TEMP VIEW todo AS
SELECT tool_call.session_key, session.id AS session_id, project.path AS project,
       tool_call.call_id, tool_call.agent_run_id, tool_call.started_at AS at, tool_call.tool,
       item.number, item.value ->> 'id' COLLATE "C" AS task_id,
       item.value ->> 'content' COLLATE "C" AS content,
       item.value ->> 'status' COLLATE "C" AS status, tool_call.is_inherited
FROM tool_call
JOIN session ON session.key = tool_call.session_key
LEFT JOIN project ON project.id = session.project_id
JOIN LATERAL json_array_elements(
  CASE WHEN json_typeof(tool_call.input -> 'todos') = 'array'
       THEN tool_call.input -> 'todos' END
) WITH ORDINALITY AS item (value, number) ON json_typeof(item.value) = 'object'
WHERE tool_call.tool = 'TodoWrite'
UNION ALL
SELECT tool_call.session_key, session.id, project.path, tool_call.call_id,
       tool_call.agent_run_id, tool_call.started_at, tool_call.tool, CAST(1 AS BIGINT),
       CASE WHEN tool_call.tool = 'TaskUpdate' THEN tool_call.input ->> 'taskId'
            ELSE (SELECT substring(block.text FROM '^Task #(.*?) created ') FROM block
                  WHERE block.session_key = tool_call.session_key
                    AND block.tool_call_id = tool_call.call_id AND block.kind = 'tool_result'
                  ORDER BY block.size_bytes = tool_call.result_bytes DESC, block.id LIMIT 1)
       END COLLATE "C",
       tool_call.input ->> 'subject' COLLATE "C",
       CASE WHEN tool_call.tool = 'TaskCreate' THEN 'pending'
            ELSE tool_call.input ->> 'status' END COLLATE "C",
       tool_call.is_inherited
FROM tool_call
JOIN session ON session.key = tool_call.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE tool_call.tool IN ('TaskCreate', 'TaskUpdate') AND tool_call.status = 'done';

-- hook_lines: the lines of hooks, as JSON
SELECT entry.session_key, entry.transcript, entry.line, entry.at, entry.type, entry.subtype,
         CAST(hook_entry.text AS JSON) AS json
  FROM hook_entry
  JOIN entry ON entry.session_key = hook_entry.session_key
    AND entry.transcript = hook_entry.transcript AND entry.line = hook_entry.line;

-- view_hook: what transcripts record of hooks
CREATE TEMP VIEW hook AS
SELECT entry.session_key, session.id AS session_id, project.path AS project, entry.transcript,
       entry.line, entry.at, entry.subtype AS record,
       part.json ->> 'hookEvent' COLLATE "C" AS event,
       part.json ->> 'hookName' COLLATE "C" AS name,
       part.json ->> 'command' COLLATE "C" AS command,
       CAST(substring(part.json ->> 'exitCode' FROM '^-?[0-9]{1,18}') AS BIGINT) AS exit_code,
       CAST(substring(part.json ->> 'durationMs' FROM '^-?[0-9]{1,18}') AS BIGINT)
         AS duration_ms,
       coalesce(part.json ->> 'toolUseID', entry.json ->> 'toolUseID') COLLATE "C"
         AS tool_call_id
FROM ({hook_lines}) AS entry
CROSS JOIN LATERAL (
  SELECT entry.json -> CASE WHEN entry.type = 'progress' THEN 'data' ELSE 'attachment' END
    AS json
) AS part
JOIN session ON session.key = entry.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE entry.type IN ('progress', 'attachment')
UNION ALL
SELECT entry.session_key, session.id, project.path, entry.transcript, entry.line, entry.at,
       entry.subtype, 'Stop', NULL, ran.value ->> 'command' COLLATE "C", NULL,
       CAST(substring(ran.value ->> 'durationMs' FROM '^-?[0-9]{1,18}') AS BIGINT), NULL
FROM ({hook_lines}) AS entry
JOIN session ON session.key = entry.session_key
LEFT JOIN project ON project.id = session.project_id
JOIN LATERAL json_array_elements(
  CASE WHEN json_typeof(entry.json -> 'hookInfos') = 'array'
       THEN entry.json -> 'hookInfos' END
) AS ran (value) ON json_typeof(ran.value) = 'object'
WHERE entry.type = 'system';

-- whole_text: a block's text, as much of it as rows have
block.text;

-- is_text_cut: whether that is not all
block.is_cut;

-- call_of_block: the call that a block makes or answers
tool_call.call_id = block.tool_call_id AND tool_call.session_key = block.session_key;
