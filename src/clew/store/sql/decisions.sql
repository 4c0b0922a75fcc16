-- Decisions about tool calls, waiting for a person, and errors.

-- count_decisions: calls that ended, by who decided about them and how, if that is known
SELECT coalesce(tool_call.decided_by, '') AS decided_by, coalesce(tool_call.answer, '') AS answer,
       CASE WHEN tool_call.permission_decision IS NULL THEN 0 ELSE 1 END AS is_recorded,
       count(*) AS calls
FROM tool_call
JOIN session ON session.key = tool_call.session_key
WHERE tool_call.status IN ('done', 'failed', 'denied') AND {is_chosen_call}
GROUP BY coalesce(tool_call.decided_by, ''), coalesce(tool_call.answer, ''),
         CASE WHEN tool_call.permission_decision IS NULL THEN 0 ELSE 1 END
ORDER BY count(*) DESC, coalesce(tool_call.decided_by, ''), coalesce(tool_call.answer, ''),
         CASE WHEN tool_call.permission_decision IS NULL THEN 0 ELSE 1 END;

-- list_decided_calls: the calls that waited for a person, or were refused; the earliest first
SELECT tool_call.call_id AS id, session.id AS session_id, coalesce(project.path, '') AS project,
       tool_call.tool, tool_call.label, tool_call.status,
       nullif(tool_call.started_at, '') AS started_at, coalesce(tool_call.subject, '') AS subject,
       coalesce(tool_call.decided_by, '') AS decided_by, coalesce(tool_call.answer, '') AS answer,
       tool_call.waiting_ms, tool_call.waiting_quality
FROM tool_call
JOIN session ON session.key = tool_call.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE (tool_call.decided_by = 'person' OR tool_call.status = 'denied'
       OR tool_call.waiting_ms IS NOT NULL)
  AND {is_chosen_call}
ORDER BY tool_call.started_at, session.id, tool_call.ordinal;

-- list_failed_calls: failed and refused calls, with the answer that made each and the next one
SELECT tool_call.call_id AS id, session.id AS session_id, {shown_title} AS title,
       coalesce(project.path, '') AS project, tool_call.tool, tool_call.label, tool_call.status,
       nullif(tool_call.started_at, '') AS started_at, tool_call.error_text,
       coalesce(tool_call.subject, '') AS subject,
       coalesce(tool_call.input_digest, '') AS input_digest,
       coalesce(tool_call.decided_by, '') AS decided_by,
       coalesce(answer.message_id, '') AS answer_id,
       coalesce((SELECT later.message_id FROM message AS later
        WHERE later.session_key = tool_call.session_key
          AND later.ordinal > tool_call.message_ordinal AND later.kind = 'answer'
          AND coalesce(later.agent_run_id, '') = coalesce(tool_call.agent_run_id, '')
        ORDER BY later.ordinal LIMIT 1), '') AS next_id
FROM tool_call
JOIN session ON session.key = tool_call.session_key
LEFT JOIN project ON project.id = session.project_id
LEFT JOIN message AS answer ON answer.session_key = tool_call.session_key
  AND answer.ordinal = tool_call.message_ordinal
WHERE tool_call.error_text IS NOT NULL AND {is_chosen_call}
ORDER BY tool_call.started_at, session.id, tool_call.ordinal;

-- costs_of_messages: what the model calls of some messages cost, in each session that has them
SELECT model_call.message_id, coalesce(sum(model_call.cost_nano_usd), 0) AS cost_nano_usd
FROM model_call
WHERE model_call.message_id IN (SELECT value FROM json_each(:names))
GROUP BY model_call.session_key, model_call.message_id;
