-- lake_sessions: every session with all that its rows depend on besides its own lines
SELECT s.key, s.id, s.started_at, s.ended_at, coalesce(p.name, ''), coalesce(f.kept_bytes, 0),
  f.generations, p.path, s.title, s.resumed_from, s.forked_from, s.continued_in, s.teammate_of,
  s.message_count, s.parser_version, c.calls, c.inherited, c.input_tokens, c.output_tokens,
  c.cost_nano_usd
FROM session AS s
LEFT JOIN project AS p ON p.id = s.project_id
LEFT JOIN (
  SELECT session_id, owner, sum(kept_bytes) AS kept_bytes, sum(generation) AS generations
  FROM source_file
  GROUP BY session_id, owner
) AS f ON f.session_id = s.id AND f.owner = s.owner
LEFT JOIN (
  SELECT session_key, count(*) AS calls, sum(is_inherited) AS inherited,
    sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
    sum(cost_nano_usd) AS cost_nano_usd
  FROM model_call
  GROUP BY session_key
) AS c ON c.session_key = s.key
WHERE s.owner = :owner
ORDER BY s.started_at, s.id;
