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

-- cache_breaks: requests that paid again for what was cached, with what they used in all
SELECT session.id, coalesce(project.path, ''), coalesce(session.git_branch, ''), {agent_name},
       cache_break.message_id, cache_break.agent_run_id, counted.at, counted.model,
       cache_break.cause, cache_break.cause_source, cache_break.pause_ms, cache_break.tokens,
       cache_break.input_tokens, cache_break.cache_write_5m_tokens,
       cache_break.cache_write_1h_tokens,
       counted.input_tokens, counted.output_tokens, counted.cache_read_tokens,
       counted.cache_write_5m_tokens, counted.cache_write_1h_tokens,
       counted.cache_write_unsplit_tokens, counted.web_searches, counted.web_fetches,
       counted.service_tier, counted.inference_geo, counted.speed
FROM cache_break
JOIN model_call AS counted ON counted.session_key = cache_break.session_key
  AND counted.message_id = cache_break.message_id AND counted.call_number = 0
JOIN session ON session.key = counted.session_key
LEFT JOIN project ON project.id = session.project_id
LEFT JOIN agent_run ON agent_run.session_key = counted.session_key
  AND agent_run.run_id = counted.agent_run_id
WHERE counted.is_inherited = 0
  AND (:since IS NULL OR counted.at >= :since)
  AND (:until IS NULL OR counted.at < :until)
  AND {model_call_matches}
ORDER BY counted.at, session.id, cache_break.message_id;

-- client_costs: the client's own totals, of sessions that have them
SELECT id, client_cost_state FROM session WHERE client_cost_state IS NOT NULL;

-- session_labels: what people know sessions by
SELECT session.id, {shown_title}, coalesce(project.path, '')
FROM session
LEFT JOIN project ON project.id = session.project_id;
