-- Views for what is asked most, made anew on every connection that runs queries. Those that read
-- texts of the archived bytes are written for each engine.

-- tool_call_view_columns: a tool call as queries see it, without what the view adds
session_key, call_id, ordinal, tool, label, message_ordinal, agent_run_id, status, is_error,
  started_at, ended_at, duration_ms, started_run_id, input_bytes, result_bytes, parser_version,
  permission_decision, permission_source, permission_scope, permission_reason_type,
  permission_reason_code, permission_rule_source, denial_kind, cwd, scope_id, decided_by, answer,
  waiting_ms, waiting_quality, subject, error_text, input_digest;

-- view_edit: changes of files
CREATE TEMP VIEW edit AS
SELECT file_change.session_key, session.id AS session_id, project.path AS project,
       file_change.tool_call_id AS call_id, file_change.agent_run_id, file_change.at,
       tool_call.tool, file_change.path, file_change.action, file_change.lines_added,
       file_change.lines_removed, file_change.lines_quality, tool_call.is_inherited
FROM file_change
JOIN tool_call ON tool_call.call_id = file_change.tool_call_id
  AND +tool_call.session_key = file_change.session_key
JOIN session ON session.key = file_change.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE file_change.action <> 'read';

-- view_permission: who allowed or refused calls
CREATE TEMP VIEW permission AS
SELECT tool_call.session_key, session.id AS session_id, project.path AS project,
       tool_call.call_id, tool_call.agent_run_id, tool_call.started_at AS at, tool_call.tool,
       tool_call.label, tool_call.status, tool_call.permission_decision AS decision,
       tool_call.permission_source AS source, tool_call.permission_scope AS scope,
       tool_call.permission_reason_type AS reason_type,
       tool_call.permission_reason_code AS reason_code,
       tool_call.permission_rule_source AS rule_source, tool_call.denial_kind,
       tool_call.is_inherited, tool_call.decided_by, tool_call.answer, tool_call.subject,
       tool_call.waiting_ms, tool_call.waiting_quality
FROM tool_call
JOIN session ON session.key = tool_call.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE tool_call.permission_decision IS NOT NULL OR tool_call.status = 'denied';

-- view_daily_cost: tokens and dollars by day in UTC, project and model
CREATE TEMP VIEW daily_cost AS
SELECT CAST(substr(model_call.at, 1, 10) AS TEXT) AS day, project.path AS project,
       model_call.model, CAST(count(*) AS BIGINT) AS calls,
       CAST(sum(model_call.input_tokens) AS BIGINT) AS input_tokens,
       CAST(sum(model_call.output_tokens) AS BIGINT) AS output_tokens,
       CAST(sum(model_call.cache_read_tokens) AS BIGINT) AS cache_read_tokens,
       CAST(sum(model_call.cache_write_5m_tokens + model_call.cache_write_1h_tokens
                + model_call.cache_write_unsplit_tokens) AS BIGINT) AS cache_write_tokens,
       CAST(sum(model_call.cost_nano_usd) / 1000000000.0 AS DOUBLE PRECISION) AS cost_usd,
       CAST(sum(CASE WHEN model_call.cost_nano_usd IS NULL THEN 1 ELSE 0 END) AS BIGINT)
         AS unpriced_calls,
       CAST(sum(CASE WHEN model_call.quality = 'exact' THEN 0 ELSE 1 END) AS BIGINT)
         AS lower_bound_calls
FROM model_call
JOIN session ON session.key = model_call.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE model_call.is_inherited = 0
GROUP BY substr(model_call.at, 1, 10), project.path, model_call.model;

-- calls_of_message: the model calls of a message
FROM model_call
        WHERE model_call.message_id = message.message_id
          AND model_call.session_key = message.session_key;

-- view_transcript_message: messages with their tokens, cost and line
CREATE TEMP VIEW transcript_message AS
SELECT message.id, session.id AS session_id, message.session_key, message.ordinal,
       message.message_id, message.parent_id, message.agent_run_id, message.kind, message.role,
       message.subtype, message.model, message.started_at AS at, message.turn, message.epoch,
       message.is_compacted, message.is_meta, message.on_main_thread, message.stop_reason,
       message.error,
       (SELECT CAST(sum(input_tokens) AS BIGINT) {calls_of_message}) AS input_tokens,
       (SELECT CAST(sum(output_tokens) AS BIGINT) {calls_of_message}) AS output_tokens,
       (SELECT CAST(sum(cache_read_tokens) AS BIGINT) {calls_of_message}) AS cache_read_tokens,
       (SELECT CAST(sum(cache_write_5m_tokens + cache_write_1h_tokens
                        + cache_write_unsplit_tokens) AS BIGINT)
        {calls_of_message}) AS cache_write_tokens,
       (SELECT CAST(sum(cost_nano_usd) / 1000000000.0 AS DOUBLE PRECISION)
        {calls_of_message}) AS cost_usd,
       (SELECT max(quality) {calls_of_message}) AS quality,
       CAST(coalesce((SELECT max(is_inherited) {calls_of_message}), 0) AS BIGINT)
         AS is_inherited,
       message.has_text, message.has_thinking, message.has_tool_use, message.has_tool_result,
       (SELECT transcript.blob FROM transcript
        WHERE transcript.session_key = message.session_key
          AND transcript.number = message.transcript) AS blob,
       message.transcript, message.line, message.offset_bytes, message.entry_bytes,
       message.scope_id
FROM message
JOIN session ON session.key = message.session_key;

-- view_content_block: blocks with whole texts, their tool and their line
CREATE TEMP VIEW content_block AS
SELECT block.id, message.id AS message_id, session.id AS session_id, block.session_key,
       block.message_ordinal, block.ordinal, block.kind,
       CASE WHEN block.kind = 'text' THEN {whole_text} END AS text,
       CASE WHEN block.kind = 'thinking' THEN {whole_text} END AS thinking,
       tool_call.tool, block.tool_call_id,
       CASE WHEN block.kind = 'tool_use' THEN tool_call.input END AS input,
       CASE WHEN block.kind = 'tool_result' THEN {whole_text} END AS result,
       CASE WHEN block.kind = 'tool_result' THEN tool_call.is_error END AS is_error,
       {is_text_cut} AS is_cut, block.size_bytes,
       (SELECT transcript.blob FROM transcript
        WHERE transcript.session_key = block.session_key
          AND transcript.number = block.transcript) AS blob,
       block.transcript, block.offset_bytes, block.entry_bytes, block.scope_id
FROM block
JOIN session ON session.key = block.session_key
JOIN message ON message.session_key = block.session_key
  AND message.ordinal = block.message_ordinal
LEFT JOIN tool_call ON {call_of_block};

-- calls_of_session: the model calls that a session made itself
FROM model_call
        WHERE model_call.session_key = session.key AND model_call.is_inherited = 0;

-- view_session_total: what a session counts together
CREATE TEMP VIEW session_total AS
SELECT session.id AS session_id, session.key AS session_key, session.first_prompt,
       session.started_at, session.ended_at, session.duration_ms, session.active_ms,
       session.waiting_ms, session.message_count, session.prompt_count, session.answer_count,
       session.tool_call_count, session.error_count,
       (SELECT CAST(count(*) AS BIGINT)
        FROM message
        JOIN block ON block.session_key = message.session_key
          AND block.message_ordinal = message.ordinal
        WHERE message.session_key = session.key AND message.has_thinking = 1
          AND block.kind = 'thinking') AS thinking_count,
       session.agent_run_count, session.compaction_count,
       (SELECT CAST(count(*) AS BIGINT) {calls_of_session}) AS model_call_count,
       (SELECT CAST(coalesce(sum(input_tokens), 0) AS BIGINT) {calls_of_session})
         AS input_tokens,
       (SELECT CAST(coalesce(sum(output_tokens), 0) AS BIGINT) {calls_of_session})
         AS output_tokens,
       (SELECT CAST(coalesce(sum(cache_read_tokens), 0) AS BIGINT) {calls_of_session})
         AS cache_read_tokens,
       (SELECT CAST(coalesce(sum(cache_write_5m_tokens + cache_write_1h_tokens
                                 + cache_write_unsplit_tokens), 0) AS BIGINT)
        {calls_of_session}) AS cache_write_tokens,
       (SELECT CAST(sum(cost_nano_usd) / 1000000000.0 AS DOUBLE PRECISION)
        {calls_of_session}) AS cost_usd,
       CASE WHEN {is_incomplete} THEN 'lower_bound'
            ELSE coalesce((SELECT max(quality) {calls_of_session}), 'exact') END AS quality,
       session.scope_id
FROM session;
