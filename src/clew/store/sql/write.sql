-- Rows of sessions: what writers read and write besides the bulk of the rows. What sessions have in
-- common is looked for among those of one owner: nobody else's rows depend on what these name.

-- known_sessions: those of some sessions that have rows
SELECT id FROM session WHERE id IN (SELECT value FROM json_each(:names)) AND owner = :owner;

-- related_sessions: the sessions that share an answer with some, or have an old title from them
SELECT DISTINCT kin.id
FROM session AS own
JOIN model_call AS answer ON answer.session_key = own.key
JOIN model_call AS copy ON copy.message_id = answer.message_id
JOIN session AS kin ON kin.key = copy.session_key AND kin.owner = own.owner
WHERE own.id IN (SELECT value FROM json_each(:names)) AND own.owner = :owner
  AND kin.id NOT IN (SELECT value FROM json_each(:names))
UNION
SELECT kin.id
FROM session AS own
JOIN old_title ON old_title.session_key = own.key
JOIN entry ON substr(entry.uuid, 1, 6) = substr(old_title.leaf_uuid, 1, 6)
  AND entry.uuid = old_title.leaf_uuid
JOIN session AS kin ON kin.key = entry.session_key AND kin.owner = own.owner
WHERE own.id IN (SELECT value FROM json_each(:names)) AND own.owner = :owner
  AND kin.id NOT IN (SELECT value FROM json_each(:names));

-- add_project: name a project once
INSERT INTO project (path, name, owner) VALUES (:path, :name, :owner)
ON CONFLICT (path, owner) DO NOTHING;

-- find_project: its number
SELECT id FROM project WHERE path = :path AND owner = :owner;

-- session_key: the number of a session
SELECT key FROM session WHERE id = :id AND owner = :owner;

-- insert_session: a session, under the number it had if any
INSERT INTO session (
  key, id, project_id, title, title_source, own_title, own_title_source, cwd, git_branch, versions,
  models, started_at, ended_at, duration_ms, active_ms, first_prompt, slug, team, agent_name,
  entrypoint, stated_fork, continued_in, teammate_of, message_count, prompt_count, answer_count,
  tool_call_count, error_count, agent_run_count, thread_count, compaction_count,
  client_cost_state, claim, parser_version, has_transcript, description, outcome, owner,
  waiting_ms, waiting_quality
) VALUES (
  :key, :id, :project_id, :own_title, :own_title_source, :own_title, :own_title_source, :cwd,
  :git_branch, :versions, :models, :started_at, :ended_at, :duration_ms, :active_ms,
  :first_prompt, :slug, :team, :agent_name, :entrypoint, :stated_fork, :continued_in,
  :teammate_of, :message_count, :prompt_count, :answer_count, :tool_call_count, :error_count,
  :agent_run_count, :thread_count, :compaction_count, :client_cost_state, :claim,
  :parser_version, :has_transcript, :description, :outcome, :owner, :waiting_ms,
  :waiting_quality
)
RETURNING key;

-- next_message_id: the number of the next message
SELECT coalesce(max(id), 0) + 1 FROM message;

-- next_block_id: the number of the next block
SELECT coalesce(max(id), 0) + 1 FROM block;

-- newer_sessions: sessions whose rows a newer parser made
SELECT id FROM session WHERE parser_version > :parser_version AND owner = :owner;

-- outdated_sessions: sessions whose rows an older parser made
SELECT id FROM session WHERE parser_version < :parser_version AND owner = :owner;

-- resolve_digest_titles: a digest names a session that nobody gave a title
UPDATE session
SET title = (SELECT digest.title FROM digest
             WHERE digest.owner = session.owner AND digest.session_id = session.id),
    title_source = 'digest'
WHERE owner = :owner AND title_source NOT IN ('custom', 'generated', 'summary')
  AND key IN (SELECT key FROM changed_session)
  AND EXISTS (SELECT 1 FROM digest
              WHERE digest.owner = session.owner AND digest.session_id = session.id
                AND digest.title <> '');

-- digests_of_changed_sessions: the digests of sessions that were just written
SELECT digest.session_id, digest.receipt, digest.is_stale
FROM digest
JOIN session ON session.owner = digest.owner AND session.id = digest.session_id
WHERE digest.owner = :owner AND session.key IN (SELECT key FROM changed_session);
