-- inherited_calls: answers of a session that another one made, with their maker
SELECT own.message_id, maker.id
FROM model_call AS own
JOIN model_call AS elder ON elder.message_id = own.message_id
  AND elder.call_number = own.call_number AND elder.is_inherited = 0
JOIN session AS maker ON maker.key = elder.session_key
WHERE own.session_key = :key AND own.is_inherited = 1
  AND maker.owner = (SELECT owner FROM session WHERE key = :key);

-- raised_calls: answers of a session of which a copy in another one counts more
SELECT message_id, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens,
       cache_write_1h_tokens, cache_write_unsplit_tokens, web_searches, web_fetches,
       service_tier, inference_geo, speed, stated_quality, is_corrupt
FROM model_call
WHERE session_key = :key AND call_number = 0 AND own_counts IS NOT NULL;

-- titles_elsewhere: old titles in any file that point at a row of this session
SELECT lower(substr(hex(entry.uuid), 1, 8) || '-' || substr(hex(entry.uuid), 9, 4) || '-'
       || substr(hex(entry.uuid), 13, 4) || '-' || substr(hex(entry.uuid), 17, 4) || '-'
       || substr(hex(entry.uuid), 21)), old_title.title
FROM old_title
JOIN entry ON substr(entry.uuid, 1, 6) = substr(old_title.leaf_uuid, 1, 6)
  AND entry.uuid = old_title.leaf_uuid
JOIN session AS holder ON holder.key = old_title.session_key
WHERE entry.session_key = :key
  AND holder.owner = (SELECT owner FROM session WHERE key = :key);

-- known_paths: all files that were read or changed
SELECT DISTINCT path FROM file_change;

-- matching_sessions: the keys and ids of the sessions that match filters, hidden ones too
SELECT session.key, session.id FROM session WHERE {session_matches};

-- list_sessions: each with what its own model calls used
-- Unless that decides on the order, only the calls of the listed sessions are summed.
WITH chosen AS (
  SELECT session.key FROM session WHERE {is_chosen}
  ORDER BY CASE WHEN :sort = 'title' THEN lower({shown_title}) END,
           CASE :sort WHEN 'messages' THEN session.message_count
                      WHEN 'calls' THEN session.tool_call_count
                      WHEN 'duration' THEN session.duration_ms END DESC,
           session.ended_at DESC, session.id
  LIMIT CASE WHEN :sort IN ('tokens', 'cost') THEN (SELECT count(*) FROM session)
             ELSE :limit END
)
SELECT session.key, session.id, coalesce(nullif(note.title, ''), session.title) AS title,
       CASE WHEN note.title <> '' THEN 'note' ELSE session.title_source END AS title_source,
       coalesce(project.path, '') AS project, session.cwd, session.git_branch, session.versions,
       session.models, nullif(session.started_at, '') AS started_at,
       nullif(session.ended_at, '') AS ended_at, session.duration_ms, session.active_ms,
       session.waiting_ms, session.waiting_quality, session.first_prompt,
       session.message_count AS messages, session.prompt_count AS prompts,
       session.answer_count AS answers, session.tool_call_count AS tool_calls,
       session.error_count AS errors, session.agent_run_count AS agent_runs,
       session.compaction_count AS compactions, session.thread_count AS threads,
       session.resumed_from, session.forked_from, session.continued_in, session.teammate_of,
       CASE WHEN {is_talk} THEN 1 ELSE 0 END AS is_talk, session.has_transcript,
       {missing_runs} AS missing_runs, {member_name} AS member,
       {own_description} AS description, {own_outcome} AS outcome, digest.model AS digest_model,
       coalesce(digest.is_stale, 0) AS is_digest_stale,
       coalesce(note.is_starred, 0) AS is_starred, coalesce(note.is_hidden, 0) AS is_hidden,
       coalesce(note.tags, '[]') AS tags, coalesce(note.text, '') AS note,
       (SELECT count(*) FROM bookmark WHERE bookmark.viewer = :viewer
         AND bookmark.owner = session.owner AND bookmark.session_id = session.id) AS bookmarks,
       coalesce(used.input_tokens, 0) AS input_tokens,
       coalesce(used.output_tokens, 0) AS output_tokens,
       coalesce(used.cache_read_tokens, 0) AS cache_read_tokens,
       coalesce(used.cache_write_5m_tokens, 0) AS cache_write_5m_tokens,
       coalesce(used.cache_write_1h_tokens, 0) AS cache_write_1h_tokens,
       coalesce(used.web_searches, 0) AS web_searches,
       coalesce(used.web_fetches, 0) AS web_fetches,
       coalesce(used.unpriced_calls, 0) AS unpriced_calls,
       CASE WHEN used.cost_nano_usd IS NULL AND used.unpriced_calls > 0 THEN NULL
            ELSE coalesce(used.cost_nano_usd, 0) END AS cost_nano_usd,
       CASE WHEN {is_incomplete} THEN 'lower_bound' ELSE coalesce(used.quality, 'exact') END
         AS quality,
       coalesce(used.total_tokens, 0) AS total_tokens
FROM chosen
JOIN session ON session.key = chosen.key
LEFT JOIN project ON project.id = session.project_id
LEFT JOIN digest ON digest.owner = session.owner AND digest.session_id = session.id
{note_of_session}
LEFT JOIN {used_by_session}
ORDER BY CASE WHEN :sort = 'title' THEN lower({shown_title}) END,
         CASE :sort WHEN 'messages' THEN session.message_count
                    WHEN 'calls' THEN session.tool_call_count
                    WHEN 'tokens' THEN coalesce(used.total_tokens, 0)
                    WHEN 'cost' THEN coalesce(used.cost_nano_usd, 0)
                    WHEN 'duration' THEN session.duration_ms END DESC,
         session.ended_at DESC, session.id
LIMIT :limit;

-- count_sessions: how many `list_sessions` lists without a limit
SELECT count(*) FROM session WHERE {is_chosen};

-- count_projects: how many `list_projects` lists without a limit
SELECT count(DISTINCT session.project_id)
FROM session
JOIN project ON project.id = session.project_id
WHERE {is_chosen};

-- count_tool_calls: how many `list_tool_calls` lists without a limit
SELECT count(*)
FROM tool_call
JOIN session ON session.key = tool_call.session_key
WHERE {is_chosen_call};

-- count_agent_runs: how many `list_agent_runs` lists without a limit
SELECT count(*)
FROM agent_run
JOIN session ON session.key = agent_run.session_key
WHERE {is_chosen_run};

-- count_files: how many `list_files` lists without a limit
SELECT count(DISTINCT file_change.path)
FROM file_change
JOIN session ON session.key = file_change.session_key
WHERE {is_chosen_change};

-- count_file_uses: how many `list_file_uses` lists without a limit
SELECT count(*) FROM (
  SELECT DISTINCT session.key, file_change.path
  FROM file_change
  JOIN session ON session.key = file_change.session_key
  WHERE {is_chosen_change}
) AS uses;

-- count_hidden_sessions: how many sessions that filters choose are left out of lists: those in
-- which nobody said anything, and others that the reader has hidden
SELECT count(*) FILTER (WHERE NOT {is_talk}),
  count(*) FILTER (WHERE {is_talk} AND :hidden IS NULL AND {is_put_away})
FROM session WHERE {is_chosen};

-- tools_of_sessions: the tools each session called, in the order of their first use
SELECT session_key, tool
FROM tool_call WHERE session_key IN (SELECT value FROM json_each(:keys))
GROUP BY session_key, tool
ORDER BY session_key, min(ordinal);

-- agents_of_sessions: the agents that ran in each session
SELECT DISTINCT session_key, agent
FROM agent_run
WHERE is_hidden = 0 AND agent <> '' AND session_key IN (SELECT value FROM json_each(:keys))
ORDER BY session_key, agent;

-- unpriced_models_of_sessions: the models whose calls have no price
SELECT DISTINCT session_key, model
FROM model_call
WHERE is_inherited = 0 AND cost_nano_usd IS NULL
  AND session_key IN (SELECT value FROM json_each(:keys))
ORDER BY session_key, model;

-- files_of_sessions: what is kept of each session, its own transcript first
SELECT session.key, source_file.root, source_file.path, source_file.kept_bytes, source_file.state
FROM session
JOIN source_file ON source_file.session_id = session.id AND source_file.owner = session.owner
WHERE session.key IN (SELECT value FROM json_each(:keys))
ORDER BY session.key, CASE WHEN source_file.kind = 'session' THEN 0 ELSE 1 END,
         CASE WHEN source_file.state = 'present' THEN 0 ELSE 1 END, source_file.root,
         source_file.path;

-- list_projects: with what was done in them
WITH chosen AS (SELECT session.key FROM session WHERE {is_chosen})
SELECT project.path AS project, project.name, count(*) AS sessions,
       sum(session.prompt_count) AS prompts, sum(session.tool_call_count) AS tool_calls,
       sum(session.agent_run_count) AS agent_runs, sum(session.error_count) AS errors,
       sum(session.active_ms) AS active_ms, min(nullif(session.started_at, '')) AS started_at,
       nullif(max(session.ended_at), '') AS ended_at,
       coalesce(sum(used.total_tokens), 0) AS total_tokens,
       CASE WHEN sum(used.cost_nano_usd) IS NULL AND sum(used.unpriced_calls) > 0 THEN NULL
            ELSE coalesce(sum(used.cost_nano_usd), 0) / 1000000000.0 END AS cost_usd,
       coalesce(sum(used.unpriced_calls), 0) AS unpriced_calls,
       CASE WHEN max(CASE WHEN {is_incomplete} THEN 1 ELSE 0 END) = 1 THEN 'lower_bound'
            ELSE coalesce(max(used.quality) FILTER (WHERE used.calls > 0), max(used.quality),
                          'exact') END AS quality
FROM chosen
JOIN session ON session.key = chosen.key
JOIN project ON project.id = session.project_id
LEFT JOIN {used_by_session}
GROUP BY project.id, project.path, project.name
ORDER BY CASE WHEN :sort = 'name' THEN lower(project.name) END,
         CASE :sort WHEN 'sessions' THEN count(*)
                    WHEN 'calls' THEN sum(session.tool_call_count)
                    WHEN 'tokens' THEN coalesce(sum(used.total_tokens), 0)
                    WHEN 'cost' THEN coalesce(sum(used.cost_nano_usd), 0)
                    WHEN 'duration' THEN sum(session.active_ms) END DESC,
         max(session.ended_at) DESC, project.path
LIMIT :limit;

-- list_tool_calls: each with the model and the agent that made it
WITH chosen AS (
  SELECT tool_call.*, session.id AS session_id, session.project_id
  FROM tool_call
  JOIN session ON session.key = tool_call.session_key
  WHERE {is_chosen_call}
  ORDER BY CASE WHEN :sort = 'name' THEN lower(tool_call.tool) END,
           CASE :sort WHEN 'duration' THEN coalesce(tool_call.duration_ms, 0)
                      WHEN 'size' THEN tool_call.input_bytes + tool_call.result_bytes END DESC,
           tool_call.started_at DESC, session.id, tool_call.ordinal DESC
  LIMIT :limit
)
SELECT chosen.call_id AS id, chosen.session_id, coalesce(project.path, '') AS project,
       chosen.tool, chosen.label, chosen.status, nullif(chosen.started_at, '') AS started_at,
       chosen.duration_ms, chosen.input_bytes, chosen.result_bytes, message.model,
       agent_run.agent, chosen.agent_run_id, message.turn, chosen.permission_decision,
       chosen.permission_source, chosen.permission_scope, chosen.permission_reason_type,
       chosen.permission_reason_code, chosen.permission_rule_source, chosen.denial_kind,
       chosen.decided_by, chosen.answer, chosen.waiting_ms, chosen.waiting_quality
FROM chosen
LEFT JOIN project ON project.id = chosen.project_id
LEFT JOIN message ON message.session_key = chosen.session_key
  AND message.ordinal = chosen.message_ordinal
LEFT JOIN agent_run ON agent_run.session_key = chosen.session_key
  AND agent_run.run_id = chosen.agent_run_id
ORDER BY CASE WHEN :sort = 'name' THEN lower(chosen.tool) END,
         CASE :sort WHEN 'duration' THEN coalesce(chosen.duration_ms, 0)
                    WHEN 'size' THEN chosen.input_bytes + chosen.result_bytes END DESC,
         chosen.started_at DESC, chosen.session_id, chosen.ordinal DESC;

-- list_agent_runs: each with what its own model calls used
SELECT agent_run.run_id AS id, session.id AS session_id, coalesce(project.path, '') AS project,
       agent_run.agent, agent_run.description, agent_run.kind, agent_run.status, agent_run.depth,
       nullif(agent_run.started_at, '') AS started_at, nullif(agent_run.ended_at, '') AS ended_at,
       agent_run.message_count AS messages, (
         SELECT count(*) FROM tool_call WHERE tool_call.session_key = agent_run.session_key
           AND tool_call.agent_run_id = agent_run.run_id) AS tool_calls,
       agent_run.models, coalesce(used.total_tokens, 0) AS total_tokens,
       CASE WHEN agent_run.status = 'missing'
              OR (used.cost_nano_usd IS NULL AND used.unpriced_calls > 0) THEN NULL
            ELSE coalesce(used.cost_nano_usd, 0) / 1000000000.0 END AS cost_usd,
       coalesce(used.unpriced_calls, 0) AS unpriced_calls,
       CASE WHEN agent_run.status = 'missing' THEN 'lower_bound'
            ELSE coalesce(used.quality, 'exact') END AS quality, agent_run.tool_call_id,
       agent_run.parent_run_id, agent_run.is_hidden, agent_run.reported_tokens,
       agent_run.reported_tool_uses, agent_run.reported_duration_ms
FROM agent_run
JOIN session ON session.key = agent_run.session_key
LEFT JOIN project ON project.id = session.project_id
LEFT JOIN (
  SELECT session_key, agent_run_id, {sums_of_calls}
  FROM model_call WHERE agent_run_id IS NOT NULL
  GROUP BY session_key, agent_run_id
) AS used ON used.session_key = agent_run.session_key AND used.agent_run_id = agent_run.run_id
WHERE {is_chosen_run}
ORDER BY CASE WHEN :sort = 'name' THEN lower(agent_run.agent) END,
         CASE :sort WHEN 'messages' THEN agent_run.message_count
                    WHEN 'tokens' THEN coalesce(used.total_tokens, 0)
                    WHEN 'cost' THEN coalesce(used.cost_nano_usd, 0) END DESC,
         agent_run.started_at DESC, session.id, agent_run.run_id
LIMIT :limit;

-- list_files: what was read and changed, by how many sessions
SELECT file_change.path, count(DISTINCT file_change.session_key) AS sessions,
       {sums_of_changes}
FROM file_change
JOIN session ON session.key = file_change.session_key
WHERE {is_chosen_change}
GROUP BY file_change.path
ORDER BY CASE WHEN :sort = 'name' THEN lower(file_change.path) END,
         CASE :sort WHEN 'sessions' THEN count(DISTINCT file_change.session_key)
                    WHEN 'changes' THEN
                      sum(CASE WHEN file_change.action = 'read' THEN 0 ELSE 1 END)
                    WHEN 'lines' THEN sum(coalesce(file_change.lines_added, 0)
                                          + coalesce(file_change.lines_removed, 0)) END DESC,
         max(file_change.at) DESC, file_change.path
LIMIT :limit;

-- list_file_uses: which sessions read or changed some files
SELECT session.id AS session_id, {shown_title} AS title, coalesce(project.path, '') AS project,
       file_change.path,
       {sums_of_changes}
FROM file_change
JOIN session ON session.key = file_change.session_key
LEFT JOIN project ON project.id = session.project_id
WHERE {is_chosen_change}
GROUP BY session.key, session.id, session.owner, session.title, project.id, project.path, file_change.path
ORDER BY CASE WHEN :sort = 'name' THEN lower(file_change.path) END,
         CASE :sort WHEN 'changes' THEN
                      sum(CASE WHEN file_change.action = 'read' THEN 0 ELSE 1 END)
                    WHEN 'lines' THEN sum(coalesce(file_change.lines_added, 0)
                                          + coalesce(file_change.lines_removed, 0)) END DESC,
         max(file_change.at) DESC, session.id, file_change.path
LIMIT :limit;

-- count_archive: how much there is
SELECT (SELECT count(*) FROM session), (SELECT count(DISTINCT project_id) FROM session);

-- kept_bytes: the size of all blobs
SELECT coalesce(sum(blob_bytes), 0) FROM frame;

-- count_damaged_files: how many kept files are known to be damaged, in any of their versions
SELECT count(DISTINCT file_id) FROM damaged_blob;

-- expiring_sessions: the transcripts that still stand at their source, the oldest first
SELECT source_file.session_id, coalesce({shown_title}, '') AS title,
       coalesce(project.path, '') AS project, source_file.mtime_ns
FROM source_file
LEFT JOIN session ON session.id = source_file.session_id AND session.owner = source_file.owner
LEFT JOIN project ON project.id = session.project_id
WHERE source_file.kind = 'session' AND source_file.state = 'present'
  AND source_file.mtime_ns < :before_ns AND source_file.owner = :owner
ORDER BY source_file.mtime_ns, source_file.session_id;

-- generations_of_file: the generations of a file that were kept, the first one first
SELECT DISTINCT generation FROM frame WHERE file_id = :file_id ORDER BY generation;

-- count_calls_since: what model calls used from a moment on
SELECT used.calls, coalesce(used.total_tokens, 0), coalesce(used.cost_nano_usd, 0),
       used.unpriced_calls, CASE WHEN EXISTS (
         SELECT 1 FROM missing_transcript WHERE is_inherited = 0 AND at >= :since
       ) THEN 'lower_bound' ELSE used.quality END
FROM (SELECT {sums_of_calls} FROM model_call WHERE is_inherited = 0 AND at >= :since) AS used;

-- any_session: whether there is one
SELECT 1 FROM session LIMIT 1;

-- sessions_named: those whose id begins so
SELECT id FROM session WHERE substr(id, 1, length(:name)) = :name AND owner = :owner;

-- latest_session: the one that ended last, in which somebody said something
SELECT id, ended_at FROM session
ORDER BY CASE WHEN message_count > 0 THEN 0 ELSE 1 END, ended_at DESC, id
LIMIT 1;

-- block_place: what a row has of a block's text, and where the rest stands
SELECT text, is_cut, size_bytes, tool_call_id, session_key, transcript, offset_bytes, entry_bytes
FROM block WHERE id = :id;

-- transcript_at: the path of a session's transcript, by its number
SELECT path FROM transcript WHERE session_key = :session_key AND number = :number;

-- call_blocks: where the input and the result of each tool call of a session stand
SELECT tool_call_id, kind, id, size_bytes, transcript, offset_bytes, entry_bytes
FROM block
WHERE session_key = :key AND tool_call_id IS NOT NULL AND kind IN ('tool_use', 'tool_result')
ORDER BY message_ordinal, ordinal;

-- call_result_sizes: how long the result of each tool call of a session is
SELECT call_id, result_bytes FROM tool_call WHERE session_key = :key;

-- session_transcripts: the paths of a session's transcripts, and its id
SELECT transcript.number, transcript.path, session.id
FROM transcript
JOIN session ON session.key = transcript.session_key
WHERE transcript.session_key = :key;

-- session_of_block: the id of the session that a block belongs to
SELECT session.id FROM block JOIN session ON session.key = block.session_key WHERE block.id = :id;

-- session_of_key: the id of a session, by its number
SELECT id FROM session WHERE key = :key;

-- session_lineage: the sessions that a session goes on from
SELECT key, forked_from, resumed_from, teammate_of FROM session
WHERE id = :id AND owner = :owner;

-- answers_of_sessions: the ids of the answers in some sessions
SELECT DISTINCT model_call.message_id
FROM model_call JOIN session ON session.key = model_call.session_key
WHERE session.id IN (SELECT value FROM json_each(:sessions)) AND session.owner = :owner;

-- untitled_sessions: those among some sessions that an old title elsewhere may name
SELECT id, versions FROM session
WHERE id IN (SELECT value FROM json_each(:sessions)) AND owner = :owner
  AND own_title_source NOT IN ('custom', 'generated');

-- rows_of_sessions: the ids of the rows in some sessions
SELECT lower(substr(hex(entry.uuid), 1, 8) || '-' || substr(hex(entry.uuid), 9, 4) || '-'
       || substr(hex(entry.uuid), 13, 4) || '-' || substr(hex(entry.uuid), 17, 4) || '-'
       || substr(hex(entry.uuid), 21))
FROM entry JOIN session ON session.key = entry.session_key
WHERE session.id IN (SELECT value FROM json_each(:sessions)) AND session.owner = :owner
  AND entry.uuid IS NOT NULL;

-- session_ids: the ids of all sessions
SELECT id FROM session WHERE owner = :owner;
