-- git_reports: the commits and pull requests of all sessions or of some, in order
SELECT session.id, coalesce(project.path, ''), git_report.kind, git_report.at, git_report.hash,
       git_report.subject, git_report.branch, git_report.url, git_report.message_id,
       git_report.tool_call_id
FROM git_report
JOIN session ON session.key = git_report.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE :all_sessions = 1 OR session.id IN (SELECT value FROM json_each(:sessions))
ORDER BY git_report.at, session.id, git_report.hash, git_report.url;

-- line_authors_of: what is known of the lines that commits introduced in files
SELECT commit_hash, path, writers, json FROM line_authors
WHERE owner = :owner AND commit_hash IN (SELECT value FROM json_each(:commits));

-- set_line_authors: keep what was found out, in place of what was known
INSERT INTO line_authors (commit_hash, path, writers, json, owner)
VALUES (:commit, :path, :writers, :json, :owner)
ON CONFLICT (owner, commit_hash, path) DO UPDATE SET
  writers = excluded.writers, json = excluded.json;

-- counted_calls_by_branch: as counted_calls, each call by itself, with its own branch
SELECT counted.at, counted.model, session.id, coalesce(project.path, ''),
       coalesce(session.git_branch, ''),
       {agent_name},
       counted.calls, counted.unpriced_calls, counted.lower_bound_calls, counted.partial_calls,
       counted.corrupt_calls, counted.input_tokens, counted.output_tokens, counted.cache_read_tokens,
       counted.cache_write_5m_tokens, counted.cache_write_1h_tokens, counted.web_searches,
       counted.web_fetches, coalesce(counted.cost_nano_usd, 0), 0,
       coalesce(counted.git_branch, session.git_branch, '')
FROM (
  SELECT session_key, agent_run_id, model, at, git_branch, {sums_of_calls}
  FROM model_call
  WHERE is_inherited = 0
    AND (:since IS NULL OR at >= :since)
    AND (:until IS NULL OR at < :until)
  GROUP BY session_key, agent_run_id, model, at, git_branch
) AS counted
JOIN session ON session.key = counted.session_key
LEFT JOIN project ON project.id = session.project_id
LEFT JOIN agent_run ON agent_run.session_key = counted.session_key
  AND agent_run.run_id = counted.agent_run_id
WHERE {model_call_matches};
