-- archive_version: numbers that change whenever more is kept or rows are made again
SELECT count(*), coalesce(sum(kept_bytes), 0), coalesce(sum(generation), 0),
  count(*) FILTER (WHERE state = 'present'), (SELECT coalesce(max(digest), '') FROM price_table),
  (SELECT count(*) || '.' || coalesce(sum(message_count), 0) || '.'
    || coalesce(max(parser_version), 0) FROM session),
  (SELECT count(*) || '.' || coalesce(max(made_at), '') FROM digest),
  (SELECT count(*) || '.' || coalesce(sum(revision), 0) FROM note WHERE viewer = :viewer)
FROM source_file;

-- session_versions: numbers that change whenever more is kept of a session, it is digested, or the
-- reader changes their note of it
SELECT s.id, s.message_count, s.parser_version, coalesce(sum(f.kept_bytes), 0),
  coalesce(sum(f.generation), 0), coalesce((
    SELECT max(d.made_at) FROM digest d WHERE d.owner = s.owner AND d.session_id = s.id), ''),
  coalesce((SELECT max(n.revision) FROM note n
    WHERE n.viewer = :viewer AND n.owner = s.owner AND n.session_id = s.id), 0)
FROM session s
LEFT JOIN source_file f ON f.session_id = s.id AND f.owner = s.owner
WHERE {is_own_session} AND (:session IS NULL OR s.id = :session)
GROUP BY s.key, s.id, s.owner, s.message_count, s.parser_version;

-- shapes_of_sessions: how much was said, done and went wrong, in so many pieces of each session
SELECT id, piece, sum(said), sum(used), sum(failed)
FROM (
  SELECT s.id, m.ordinal * :pieces / coalesce(nullif(s.message_count, 0), 1) AS piece,
    count(*) FILTER (WHERE m.has_text = 1
      AND m.kind IN ('prompt', 'steering', 'answer', 'command', 'bash_input')) AS said,
    sum(m.has_tool_use) AS used, count(m.error) AS failed
  FROM session s JOIN message m ON m.session_key = s.key
  WHERE s.id IN (SELECT value FROM json_each(:sessions)) AND {is_own_session}
  GROUP BY s.id, piece
  UNION ALL
  SELECT s.id, c.message_ordinal * :pieces / coalesce(nullif(s.message_count, 0), 1) AS piece,
    0 AS said, 0 AS used, sum(c.is_error) AS failed
  FROM session s JOIN tool_call c ON c.session_key = s.key AND c.is_error = 1
  WHERE s.id IN (SELECT value FROM json_each(:sessions)) AND {is_own_session}
  GROUP BY s.id, piece
) AS pieces
GROUP BY id, piece
ORDER BY id, piece;

-- changes_of_file: the tool calls that changed a file, the latest first
SELECT session.id, {shown_title}, c.tool_call_id, c.at, c.lines_added, c.lines_removed, t.tool,
  CASE WHEN c.lines_quality = 'exact' THEN 'exact' ELSE 'lower_bound' END
FROM file_change c
JOIN session ON session.key = c.session_key
LEFT JOIN tool_call t ON t.session_key = c.session_key AND t.call_id = c.tool_call_id
WHERE c.path = :path AND c.action <> 'read'
ORDER BY c.at DESC, session.id, c.tool_call_id
LIMIT :limit;

-- tool_stats: how often each tool was called, failed, and how long it took
SELECT tool_call.tool, count(*), sum(tool_call.is_error), count(*) FILTER (WHERE tool_call.status = 'denied'),
  coalesce(sum(tool_call.duration_ms - CASE WHEN tool_call.waiting_quality = 'inferred'
    AND tool_call.waiting_ms <= tool_call.duration_ms THEN tool_call.waiting_ms ELSE 0 END), 0),
  coalesce(max(tool_call.duration_ms - CASE WHEN tool_call.waiting_quality = 'inferred'
    AND tool_call.waiting_ms <= tool_call.duration_ms THEN tool_call.waiting_ms ELSE 0 END), 0),
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
