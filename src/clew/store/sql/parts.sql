-- Parts of statements, which stand in them by their names in braces.

-- is_own_session: whether a session belongs to the owner whose archive is read
s.owner = :owner;

-- member_name: whose session it is, on a team's server
NULL;

-- is_talk: whether anybody said anything in a session
{somebody_spoke};

-- somebody_spoke: whether anybody said anything in a session; what warm-ups of agents say is nothing
EXISTS (
  SELECT 1 FROM message WHERE message.session_key = session.key AND message.kind IN (
    'answer', 'api_error', 'bash_input', 'command', 'compaction_summary', 'memory',
    'prompt', 'steering', 'teammate', 'tool_results')
    AND (message.agent_run_id IS NULL OR NOT EXISTS (
      SELECT 1 FROM agent_run AS hidden WHERE hidden.session_key = session.key
        AND hidden.run_id = message.agent_run_id AND hidden.is_hidden = 1)));

-- missing_runs: how many runs a session started whose transcripts are missing
(SELECT count(*) FROM missing_transcript AS lost WHERE lost.session_key = session.key
  AND lost.agent_run_id IS NOT NULL AND lost.is_inherited = 0);

-- is_incomplete: whether a transcript of a session is missing, so that its sums are lower bounds
EXISTS (SELECT 1 FROM missing_transcript AS lost
  WHERE lost.session_key = session.key AND lost.is_inherited = 0);

-- own_outcome: what came of a session, by its digest if that is current, else by facts
coalesce((SELECT digest.outcome FROM digest WHERE digest.owner = session.owner
    AND digest.session_id = session.id AND digest.is_stale = 0), session.outcome);

-- own_description: a session in one line, by its digest if that is current, else by facts
CASE WHEN digest.is_stale = 0 AND digest.description <> '' THEN digest.description
     ELSE session.description END;

-- agent_name: what the agent is called that calls are counted under
CASE WHEN counted.agent_run_id IS NULL THEN ''
  WHEN coalesce(agent_run.agent, '') <> '' THEN agent_run.agent
  ELSE '(' || coalesce(agent_run.kind, 'agent') || ')' END;

-- is_chosen: whether a session is listed; `session_matches` and its like are made of filters.sql
{session_matches}
  AND (:with_hidden = 1 OR {is_talk}) AND {is_listed};

-- is_chosen_call: whether a tool call is listed
{tool_call_matches} AND {is_listed}
  AND (:with_hidden = 1 OR tool_call.agent_run_id IS NULL OR NOT EXISTS (
    SELECT 1 FROM agent_run WHERE agent_run.session_key = tool_call.session_key
      AND agent_run.run_id = tool_call.agent_run_id AND agent_run.is_hidden = 1));

-- is_chosen_run: whether an agent run is listed
{agent_run_matches} AND {is_listed}
  AND (:with_hidden = 1 OR agent_run.is_hidden = 0);

-- is_chosen_change: whether a read or a change of a file is listed
(:paths IS NULL OR file_change.path IN (SELECT value FROM json_each(:paths)))
  AND {file_change_matches} AND {is_listed};

-- tokens_of_call: all tokens of a model call
input_tokens + output_tokens + cache_read_tokens + cache_write_5m_tokens + cache_write_1h_tokens
  + cache_write_unsplit_tokens;

-- sums_of_calls: what model calls used and cost together; inherited ones count nothing
-- A sum is as good as its worst call, which by the alphabet comes last.
count(*) FILTER (WHERE is_inherited = 0) AS calls,
  sum(input_tokens) FILTER (WHERE is_inherited = 0) AS input_tokens,
  sum(output_tokens) FILTER (WHERE is_inherited = 0) AS output_tokens,
  sum(cache_read_tokens) FILTER (WHERE is_inherited = 0) AS cache_read_tokens,
  sum(cache_write_5m_tokens + cache_write_unsplit_tokens)
    FILTER (WHERE is_inherited = 0) AS cache_write_5m_tokens,
  sum(cache_write_1h_tokens) FILTER (WHERE is_inherited = 0) AS cache_write_1h_tokens,
  sum(web_searches) FILTER (WHERE is_inherited = 0) AS web_searches,
  sum(web_fetches) FILTER (WHERE is_inherited = 0) AS web_fetches,
  sum({tokens_of_call}) FILTER (WHERE is_inherited = 0) AS total_tokens,
  sum(cost_nano_usd) FILTER (WHERE is_inherited = 0) AS cost_nano_usd,
  count(*) FILTER (WHERE is_inherited = 0 AND cost_nano_usd IS NULL) AS unpriced_calls,
  count(*) FILTER (WHERE is_inherited = 0 AND is_partial = 1 AND cost_nano_usd IS NOT NULL)
    AS partial_calls,
  count(*) FILTER (WHERE is_inherited = 0 AND is_corrupt = 1) AS corrupt_calls,
  count(*) FILTER (WHERE is_inherited = 0 AND is_corrupt = 0 AND stated_quality = 'lower_bound')
    AS lower_bound_calls,
  coalesce(max(quality) FILTER (WHERE is_inherited = 0), max(quality), 'exact') AS quality;

-- used_by_session: what the model calls of each chosen session used together, to join
(
  SELECT session_key, {sums_of_calls}
  FROM model_call WHERE session_key IN (SELECT key FROM chosen) GROUP BY session_key
) AS used ON used.session_key = session.key;

-- sums_of_changes: what was read and changed of files together
sum(CASE WHEN file_change.action = 'read' THEN 1 ELSE 0 END) AS reads,
  sum(CASE WHEN file_change.action = 'read' THEN 0 ELSE 1 END) AS changes,
  sum(coalesce(file_change.lines_added, 0)) AS lines_added,
  sum(coalesce(file_change.lines_removed, 0)) AS lines_removed,
  min(nullif(file_change.at, '')) AS first_at, nullif(max(file_change.at), '') AS last_at,
  CASE WHEN count(*) FILTER (WHERE file_change.action <> 'read'
      AND coalesce(file_change.lines_quality, '') <> 'exact') > 0
    THEN 'lower_bound' ELSE 'exact' END AS lines_quality;
