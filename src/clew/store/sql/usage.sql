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
  AND agent_run.run_id = counted.agent_run_id
WHERE {model_call_matches};

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
  AND (:until IS NULL OR counted.at < :until)
  AND {model_call_matches};

-- client_costs: the client's own totals, of sessions that have them
SELECT id, client_cost_state FROM session WHERE client_cost_state IS NOT NULL;

-- session_labels: what people know sessions by
SELECT session.id, session.title, coalesce(project.path, '')
FROM session
LEFT JOIN project ON project.id = session.project_id;
