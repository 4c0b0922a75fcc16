-- archive_version: numbers that change whenever more is kept or rows are made again
SELECT count(*), coalesce(sum(kept_bytes), 0), coalesce(sum(generation), 0),
  count(*) FILTER (WHERE state = 'present'), (SELECT coalesce(max(digest), '') FROM price_table),
  (SELECT count(*) || '.' || coalesce(sum(message_count), 0) || '.'
    || coalesce(max(parser_version), 0) FROM session)
FROM source_file;

-- session_versions: numbers that change whenever more is kept of a session
SELECT s.id, s.message_count, s.parser_version, coalesce(sum(f.kept_bytes), 0),
  coalesce(sum(f.generation), 0)
FROM session s
LEFT JOIN source_file f ON f.session_id = s.id AND f.owner = s.owner
WHERE {is_own_session} AND (:session IS NULL OR s.id = :session)
GROUP BY s.key, s.id, s.message_count, s.parser_version;

-- shapes_of_sessions: how much was said, done and went wrong, in so many pieces of each session
SELECT s.id, m.ordinal * :pieces / coalesce(nullif(s.message_count, 0), 1) AS piece,
  count(*) FILTER (WHERE m.has_text = 1
    AND m.kind IN ('prompt', 'steering', 'answer', 'command', 'bash_input')),
  sum(m.has_tool_use),
  count(m.error) + coalesce(sum(c.errors), 0)
FROM json_each(:sessions) AS wanted
JOIN session s ON s.id = wanted.value AND {is_own_session}
JOIN message m ON m.session_key = s.key
LEFT JOIN (
  SELECT session_key, message_ordinal, sum(is_error) AS errors
  FROM tool_call
  WHERE session_key IN (
    SELECT s.key FROM session s
    WHERE s.id IN (SELECT value FROM json_each(:sessions)) AND {is_own_session})
  GROUP BY session_key, message_ordinal
) c ON c.session_key = m.session_key AND c.message_ordinal = m.ordinal
GROUP BY s.id, piece
ORDER BY s.id, piece;

-- changes_of_file: the tool calls that changed a file, the latest first
SELECT s.id, s.title, c.tool_call_id, c.at, c.lines_added, c.lines_removed, t.tool,
  CASE WHEN c.lines_quality = 'exact' THEN 'exact' ELSE 'lower_bound' END
FROM file_change c
JOIN session s ON s.key = c.session_key
LEFT JOIN tool_call t ON t.session_key = c.session_key AND t.call_id = c.tool_call_id
WHERE c.path = :path AND c.action <> 'read'
ORDER BY c.at DESC, s.id, c.tool_call_id
LIMIT :limit;

-- tool_stats: how often each tool was called, failed, and how long it took
SELECT tool_call.tool, count(*), sum(tool_call.is_error), count(*) FILTER (WHERE tool_call.status = 'denied'),
  coalesce(sum(tool_call.duration_ms), 0), coalesce(max(tool_call.duration_ms), 0),
  count(DISTINCT tool_call.session_key)
FROM tool_call
JOIN session ON session.key = tool_call.session_key
WHERE {is_chosen_call}
GROUP BY tool_call.tool
ORDER BY count(*) DESC, tool_call.tool
LIMIT :limit;

-- tool_sessions: the sessions in which calls of a tool were made, failed or were denied
SELECT DISTINCT session.id
FROM tool_call
JOIN session ON session.key = tool_call.session_key
WHERE tool_call.tool = :called
  AND (:how <> 'failed' OR tool_call.is_error = 1)
  AND (:how <> 'denied' OR tool_call.status = 'denied')
  AND {is_chosen_call};
