-- The SQL of filters. `NAME_of_THING` is true for what matches the filter NAME; things without a
-- condition of their own take that of their session. The parameter is a JSON list of the values
-- that match, from `known_NAME`: value, name, uses. Filters without such a list take their text.

-- project_of_session: sessions of some projects
session.project_id IN (SELECT value FROM json_each(:project));

-- known_project: all projects
SELECT project.id, project.path, count(session.key) AS uses
FROM project LEFT JOIN session ON session.project_id = project.id
GROUP BY project.id, project.path;

-- branch_of_session: sessions on some git branches
coalesce(session.git_branch, '') IN (SELECT value FROM json_each(:branch));

-- known_branch: all git branches; sessions outside of one have an empty name
SELECT coalesce(git_branch, ''), coalesce(git_branch, ''), count(*) AS uses
FROM session GROUP BY coalesce(git_branch, '');

-- model_of_session: sessions in which some models answered
EXISTS (
  SELECT 1 FROM json_each(session.models) AS used
  WHERE used.value IN (SELECT value FROM json_each(:model)));

-- model_of_tool_call: tool calls that some models made
EXISTS (
  SELECT 1 FROM message WHERE message.session_key = tool_call.session_key
    AND message.ordinal = tool_call.message_ordinal
    AND message.model IN (SELECT value FROM json_each(:model)));

-- model_of_agent_run: agent runs in which some models answered
EXISTS (
  SELECT 1 FROM json_each(agent_run.models) AS used
  WHERE used.value IN (SELECT value FROM json_each(:model)));

-- model_of_file_change: changes of files that some models made
(file_change.session_key, file_change.tool_call_id) IN (
  SELECT tool_call.session_key, tool_call.call_id FROM tool_call WHERE {model_of_tool_call});

-- known_model: all models that answered
SELECT used.value, used.value, count(*) AS uses
FROM (SELECT models FROM session UNION ALL SELECT models FROM agent_run) AS known,
     json_each(known.models) AS used
GROUP BY used.value;

-- tool_of_session: sessions in which some tools were called
EXISTS (
  SELECT 1 FROM tool_call WHERE tool_call.session_key = session.key
    AND tool_call.tool IN (SELECT value FROM json_each(:tool)));

-- tool_of_tool_call: calls of some tools
tool_call.tool IN (SELECT value FROM json_each(:tool));

-- tool_of_agent_run: agent runs in which some tools were called
EXISTS (
  SELECT 1 FROM tool_call WHERE tool_call.session_key = agent_run.session_key
    AND tool_call.agent_run_id = agent_run.run_id AND {tool_of_tool_call});

-- tool_of_file_change: changes of files that some tools made
(file_change.session_key, file_change.tool_call_id) IN (
  SELECT tool_call.session_key, tool_call.call_id FROM tool_call WHERE {tool_of_tool_call});

-- known_tool: all tools that were called
SELECT tool, tool, count(*) AS uses FROM tool_call GROUP BY tool;

-- agent_of_session: sessions in which some agents ran
EXISTS (
  SELECT 1 FROM agent_run WHERE agent_run.session_key = session.key
    AND agent_run.is_hidden = 0 AND {agent_of_agent_run});

-- agent_of_tool_call: tool calls that some agents made
(tool_call.session_key, tool_call.agent_run_id) IN (
  SELECT agent_run.session_key, agent_run.run_id FROM agent_run WHERE {agent_of_agent_run});

-- agent_of_agent_run: runs of some agents
agent_run.agent IN (SELECT value FROM json_each(:agent));

-- agent_of_file_change: changes of files that some agents made
(file_change.session_key, file_change.agent_run_id) IN (
  SELECT agent_run.session_key, agent_run.run_id FROM agent_run WHERE {agent_of_agent_run});

-- known_agent: all agents that ran; warm-ups and suggestions are not counted
SELECT agent, agent, count(*) FILTER (WHERE is_hidden = 0) AS uses FROM agent_run GROUP BY agent;

-- member_of_session: sessions of some members of a team
session.owner IN (SELECT value FROM json_each(:member));

-- known_member: the owners of sessions, who have names on a team's server only
SELECT owner, '', count(*) AS uses FROM session GROUP BY owner;

-- session_of_session: sessions whose id starts with a text
substr(session.id, 1, length(:session)) = :session;

-- since_of_session: sessions that ended at or after a moment
session.ended_at >= :since;

-- since_of_tool_call: tool calls that started at or after a moment
tool_call.started_at >= :since;

-- since_of_agent_run: agent runs that ended at or after a moment
agent_run.ended_at >= :since;

-- since_of_file_change: changes of files at or after a moment
file_change.at >= :since;

-- until_of_session: sessions that started before a moment
session.started_at < :until AND session.started_at <> '';

-- until_of_tool_call: tool calls that started before a moment
tool_call.started_at < :until AND tool_call.started_at <> '';

-- until_of_agent_run: agent runs that started before a moment
agent_run.started_at < :until AND agent_run.started_at <> '';

-- until_of_file_change: changes of files before a moment
file_change.at < :until AND file_change.at <> '';

-- entrypoint_of_session: sessions that were started in some ways
coalesce(session.entrypoint, '') IN (SELECT value FROM json_each(:entrypoint));

-- known_entrypoint: all ways in which sessions were started; old clients do not say
SELECT coalesce(entrypoint, ''), coalesce(entrypoint, ''), count(*) AS uses
FROM session GROUP BY coalesce(entrypoint, '');

-- client_version_of_session: sessions that some versions of the client wrote
EXISTS (
  SELECT 1 FROM json_each(session.versions) AS used
  WHERE used.value IN (SELECT value FROM json_each(:client_version)));

-- known_client_version: all versions of the client that wrote sessions
SELECT used.value, used.value, count(*) AS uses
FROM session, json_each(session.versions) AS used
GROUP BY used.value;

-- outcome_of_session: sessions of which something came
{own_outcome} IN (SELECT value FROM json_each(:outcome));

-- starred_of_session: sessions that the reader has starred, or has not
{is_starred} = (:starred = 'yes');

-- hidden_of_session: sessions that the reader has hidden, or has not
{is_put_away} = (:hidden = 'yes');

-- tag_of_session: sessions that the reader has given some tags
EXISTS (SELECT 1 FROM note, json_each(note.tags) AS used
  WHERE note.viewer = :viewer AND note.owner = session.owner AND note.session_id = session.id
    AND used.value IN (SELECT value FROM json_each(:tag)));

-- known_tag: all tags that the reader has given
SELECT used.value, used.value, count(*) AS uses
FROM note, json_each(note.tags) AS used
WHERE note.viewer = :viewer
GROUP BY used.value;

-- known_outcome: what came of sessions
SELECT known.outcome, known.outcome, count(*) AS uses
FROM (SELECT {own_outcome} AS outcome FROM session) AS known
GROUP BY known.outcome;
