-- counted_calls: the model calls that sessions made themselves, summed by time, model and agent run
SELECT counted.at, counted.model, session.id, coalesce(project.path, ''),
       coalesce(session.git_branch, ''),
       {agent_name},
       counted.calls, counted.unpriced_calls, counted.lower_bound_calls, counted.partial_calls,
       counted.corrupt_calls, counted.input_tokens, counted.output_tokens, counted.cache_read_tokens,
       counted.cache_write_5m_tokens, counted.cache_write_1h_tokens, counted.web_searches,
       counted.web_fetches, coalesce(counted.cost_nano_usd, 0)
FROM (
  SELECT session_key, agent_run_id, model, min(at) AS at, {sums_of_calls}
  FROM model_call
  WHERE is_inherited = 0
    AND (:since IS NULL OR at >= :since)
    AND (:until IS NULL OR at < :until)
  GROUP BY session_key, agent_run_id, model, substr(at, 1, :letters)
) AS counted
JOIN session ON session.key = counted.session_key
LEFT JOIN project ON project.id = session.project_id
LEFT JOIN agent_run ON agent_run.session_key = counted.session_key
  AND agent_run.run_id = counted.agent_run_id;

-- larger_copies: what a copied answer counts beyond the one it was copied from, for its maker
SELECT own.at, own.model, session.id, coalesce(project.path, ''),
       coalesce(session.git_branch, ''),
       CASE WHEN own.agent_run_id IS NULL THEN ''
            WHEN coalesce(agent_run.agent, '') <> '' THEN agent_run.agent
            ELSE '(' || coalesce(agent_run.kind, 'agent') || ')' END,
       0, 0,
       CASE WHEN own.stated_quality = 'lower_bound' AND copy.stated_quality <> 'lower_bound'
            THEN -1 ELSE 0 END,
       0, 0,
       copy.input_tokens - own.input_tokens, copy.output_tokens - own.output_tokens,
       copy.cache_read_tokens - own.cache_read_tokens,
       copy.cache_write_5m_tokens + copy.cache_write_unsplit_tokens
         - own.cache_write_5m_tokens - own.cache_write_unsplit_tokens,
       copy.cache_write_1h_tokens - own.cache_write_1h_tokens,
       copy.web_searches - own.web_searches, copy.web_fetches - own.web_fetches,
       coalesce(copy.cost_nano_usd, 0) - coalesce(own.cost_nano_usd, 0)
FROM model_call AS copy
JOIN model_call AS own ON own.message_id = copy.message_id
  AND own.call_number = copy.call_number AND own.is_inherited = 0
JOIN session ON session.key = own.session_key
LEFT JOIN project ON project.id = session.project_id
LEFT JOIN agent_run ON agent_run.session_key = own.session_key
  AND agent_run.run_id = own.agent_run_id
WHERE copy.is_inherited = 1 AND copy.output_tokens > own.output_tokens
  AND (:since IS NULL OR own.at >= :since)
  AND (:until IS NULL OR own.at < :until)
  AND NOT EXISTS (
    SELECT 1 FROM model_call AS other
    JOIN session AS theirs ON theirs.key = other.session_key
    JOIN session AS mine ON mine.key = copy.session_key
    WHERE other.message_id = copy.message_id AND other.call_number = copy.call_number
      AND (other.output_tokens > copy.output_tokens
           OR (other.output_tokens = copy.output_tokens
               AND other.at || theirs.claim < copy.at || mine.claim))
  );

-- missing_transcripts: what is not counted, since a transcript is missing
SELECT counted.at, session.id, {agent_name}, coalesce(project.path, ''),
       coalesce(session.git_branch, '')
FROM missing_transcript AS counted
JOIN session ON session.key = counted.session_key
LEFT JOIN project ON project.id = session.project_id
LEFT JOIN agent_run ON agent_run.session_key = counted.session_key
  AND agent_run.run_id = counted.agent_run_id
WHERE counted.is_inherited = 0
  AND (:since IS NULL OR counted.at >= :since)
  AND (:until IS NULL OR counted.at < :until);

-- session_tools: which tools each session called
SELECT DISTINCT session.id, tool_call.tool
FROM tool_call
JOIN session ON session.key = tool_call.session_key;

-- client_costs: the client's own totals, of sessions that have them
SELECT id, client_cost_state FROM session WHERE client_cost_state IS NOT NULL;

-- session_labels: what people know sessions by
SELECT session.id, session.title, coalesce(project.path, '')
FROM session
LEFT JOIN project ON project.id = session.project_id;
