-- Views for what is asked most, made anew on every connection that runs queries: a tool's input is
-- read from the kept files, which a view in the database itself could not do.

-- view_tool_call: tool calls with their whole input
CREATE TEMP VIEW tool_call AS
SELECT {tool_call_view_columns},
       CAST(tool_input(tool_call.session_key, tool_call.call_id) AS TEXT) AS input,
       CAST(CASE WHEN EXISTS (
         SELECT 1
         FROM message
         JOIN model_call ON model_call.message_id = message.message_id
           AND model_call.session_key = message.session_key
         WHERE message.session_key = tool_call.session_key
           AND message.ordinal = tool_call.message_ordinal AND model_call.is_inherited = 1
       ) THEN 1 ELSE 0 END AS INTEGER) AS is_inherited
FROM main.tool_call AS tool_call;

-- view_command: shell commands
CREATE TEMP VIEW command AS
SELECT tool_call.session_key, session.id AS session_id, project.path AS project,
       tool_call.call_id, tool_call.agent_run_id, tool_call.started_at AS at, tool_call.tool,
       CAST(tool_call.input ->> 'command' AS TEXT) AS command,
       CAST(tool_call.input ->> 'description' AS TEXT) AS description,
       CAST(coalesce((
         SELECT CASE WHEN json_valid(raw_line(message.session_key, message.transcript,
                                              message.offset_bytes))
                     THEN raw_line(message.session_key, message.transcript,
                                   message.offset_bytes) ->> 'cwd' END
         FROM message
         WHERE message.session_key = tool_call.session_key
           AND message.ordinal = tool_call.message_ordinal
       ), session.cwd) AS TEXT) AS cwd,
       tool_call.status,
       CAST(CASE WHEN result.text LIKE 'Exit code %' THEN substr(result.text, 11)
                 WHEN result.text LIKE 'Error: Exit code %' THEN substr(result.text, 18)
            END AS INTEGER) AS exit_code,
       tool_call.duration_ms, tool_call.result_bytes,
       CAST(coalesce(tool_call.input ->> 'run_in_background', 0) AS INTEGER) AS is_background,
       tool_call.is_inherited
FROM tool_call
JOIN session ON session.key = tool_call.session_key
LEFT JOIN project ON project.id = session.project_id
LEFT JOIN (
  SELECT session_key, tool_call_id, min(text) AS text
  FROM block
  WHERE kind = 'tool_result' AND (text LIKE 'Exit code %' OR text LIKE 'Error: Exit code %')
  GROUP BY session_key, tool_call_id
) AS result ON result.session_key = tool_call.session_key
  AND result.tool_call_id = tool_call.call_id
WHERE tool_call.tool IN ('Bash', 'PowerShell');

-- view_file_read: files that were read
CREATE TEMP VIEW file_read AS
SELECT file_change.session_key, session.id AS session_id, project.path AS project,
       file_change.tool_call_id AS call_id, file_change.agent_run_id, file_change.at,
       tool_call.tool, file_change.path,
       CAST(tool_call.input ->> 'offset' AS INTEGER) AS first_line,
       CAST(tool_call.input ->> 'limit' AS INTEGER) AS line_limit,
       tool_call.result_bytes, tool_call.is_inherited
FROM file_change
JOIN tool_call ON tool_call.call_id = file_change.tool_call_id
  AND +tool_call.session_key = file_change.session_key
JOIN session ON session.key = file_change.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE file_change.action = 'read';

-- view_web_fetch: pages fetched and searches of the web
CREATE TEMP VIEW web_fetch AS
SELECT tool_call.session_key, session.id AS session_id, project.path AS project,
       tool_call.call_id, tool_call.agent_run_id, tool_call.started_at AS at, tool_call.tool,
       CAST(tool_call.input ->> 'url' AS TEXT) AS url,
       CAST(tool_call.input ->> 'query' AS TEXT) AS query,
       CAST(tool_call.input ->> 'prompt' AS TEXT) AS prompt,
       tool_call.status, tool_call.duration_ms, tool_call.result_bytes, tool_call.is_inherited
FROM tool_call
JOIN session ON session.key = tool_call.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE tool_call.tool IN ('WebFetch', 'WebSearch');

-- view_todo: the items of to-do lists, each time that one is written
CREATE TEMP VIEW todo AS
SELECT tool_call.session_key, session.id AS session_id, project.path AS project,
       tool_call.call_id, tool_call.agent_run_id, tool_call.started_at AS at, tool_call.tool,
       CAST(item.key + 1 AS INTEGER) AS number,
       CAST(item.value ->> 'id' AS TEXT) AS task_id,
       CAST(item.value ->> 'content' AS TEXT) AS content,
       CAST(item.value ->> 'status' AS TEXT) AS status,
       tool_call.is_inherited
FROM tool_call
JOIN session ON session.key = tool_call.session_key
LEFT JOIN project ON project.id = session.project_id
JOIN json_each(tool_call.input -> 'todos') AS item
WHERE tool_call.tool = 'TodoWrite' AND item.type = 'object'
UNION ALL
SELECT tool_call.session_key, session.id, project.path, tool_call.call_id,
       tool_call.agent_run_id, tool_call.started_at, tool_call.tool, CAST(1 AS INTEGER),
       CAST(CASE
         WHEN tool_call.tool = 'TaskUpdate' THEN tool_call.input ->> 'taskId'
         WHEN tool_result(tool_call.session_key, tool_call.call_id) LIKE 'Task #% created %'
         THEN substr(tool_result(tool_call.session_key, tool_call.call_id), 7,
                     instr(tool_result(tool_call.session_key, tool_call.call_id), ' created ') - 7)
       END AS TEXT),
       CAST(tool_call.input ->> 'subject' AS TEXT),
       CAST(CASE WHEN tool_call.tool = 'TaskCreate' THEN 'pending'
                 ELSE tool_call.input ->> 'status' END AS TEXT),
       tool_call.is_inherited
FROM tool_call
JOIN session ON session.key = tool_call.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE tool_call.tool IN ('TaskCreate', 'TaskUpdate') AND tool_call.status = 'done';

-- view_hook: what transcripts record of hooks
CREATE TEMP VIEW hook AS
SELECT entry.session_key, session.id AS session_id, project.path AS project, entry.transcript,
       entry.line, entry.at, entry.subtype AS record,
       CAST(entry.json -> entry.part ->> 'hookEvent' AS TEXT) AS event,
       CAST(entry.json -> entry.part ->> 'hookName' AS TEXT) AS name,
       CAST(entry.json -> entry.part ->> 'command' AS TEXT) AS command,
       CAST(entry.json -> entry.part ->> 'exitCode' AS INTEGER) AS exit_code,
       CAST(entry.json -> entry.part ->> 'durationMs' AS INTEGER) AS duration_ms,
       CAST(coalesce(entry.json -> entry.part ->> 'toolUseID', entry.json ->> 'toolUseID')
            AS TEXT) AS tool_call_id
FROM (
  SELECT session_key, transcript, line, at, subtype,
         CASE WHEN type = 'progress' THEN 'data' ELSE 'attachment' END AS part,
         raw_line(session_key, transcript, offset_bytes) AS json
  FROM main.entry
  WHERE type IN ('progress', 'attachment') AND subtype LIKE 'hook%'
) AS entry
JOIN session ON session.key = entry.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE json_valid(entry.json)
UNION ALL
SELECT entry.session_key, session.id, project.path, entry.transcript, entry.line, entry.at,
       entry.subtype, CAST('Stop' AS TEXT), CAST(NULL AS TEXT),
       CAST(ran.value ->> 'command' AS TEXT), CAST(NULL AS INTEGER),
       CAST(ran.value ->> 'durationMs' AS INTEGER), CAST(NULL AS TEXT)
FROM (
  SELECT session_key, transcript, line, at, subtype,
         raw_line(session_key, transcript, offset_bytes) AS json
  FROM main.entry
  WHERE type = 'system' AND subtype = 'stop_hook_summary'
) AS entry
JOIN session ON session.key = entry.session_key
LEFT JOIN project ON project.id = session.project_id
JOIN json_each(CASE WHEN json_valid(entry.json) THEN entry.json -> 'hookInfos' END) AS ran
WHERE ran.type = 'object';

-- whole_text: all of a block's text
CASE WHEN block.is_cut = 1 THEN block_text(block.id) ELSE block.text END;

-- is_text_cut: whether that is not all
CAST(0 AS INTEGER);

-- call_of_block: the call that a block makes or answers
-- Without the index on sessions, SQLite makes one on the ids of calls.
tool_call.call_id = block.tool_call_id AND +tool_call.session_key = block.session_key;
