-- Which session made an answer that several have, and what follows from it, as sql/sqlite/ownership.sql
-- says it: keep both alike. Everything is looked up by index, from the sessions that changed to others,
-- whatever PostgreSQL believes of tables that were just filled: sets come as arrays, and owners are
-- compared in subqueries, so that it does not begin with all sessions of an owner.

-- begin_ownership: a place for the sessions that changed, which is empty after each transaction
CREATE TEMP TABLE IF NOT EXISTS changed_session (key BIGINT PRIMARY KEY) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE IF NOT EXISTS shared_answer (
  message_id TEXT COLLATE "C", owner BIGINT, PRIMARY KEY (message_id, owner)
) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE IF NOT EXISTS elder (
  own_key BIGINT, elder_key BIGINT, last_at TEXT COLLATE "C", has_rows BIGINT
) ON COMMIT DELETE ROWS;

-- add_changed_session: name one of them
INSERT INTO changed_session (key)
SELECT key FROM session WHERE id = :id AND owner = :owner
ON CONFLICT DO NOTHING;

-- changed_keys: the sessions that changed
ANY (ARRAY(SELECT key FROM changed_session));

-- shared_ids: the answers that are decided about
ANY (ARRAY(SELECT message_id FROM shared_answer));

-- find_shared_answers: the answers that a changed session shares with others, or did until now
INSERT INTO shared_answer (message_id, owner)
SELECT own.message_id, :owner FROM model_call AS own
WHERE own.session_key = {changed_keys}
  AND (own.is_inherited = 1 OR own.own_counts IS NOT NULL OR EXISTS (
    SELECT 1 FROM model_call AS other
    WHERE other.message_id = own.message_id AND other.ctid <> own.ctid))
ON CONFLICT DO NOTHING;

-- resolve_model_calls: of several sessions that hold an answer, the smallest claim made it
UPDATE model_call AS own
SET is_inherited = CASE WHEN
      own.at || (SELECT claim FROM session WHERE session.key = own.session_key) > (
        SELECT min(other.at || (SELECT claim FROM session WHERE session.key = other.session_key))
        FROM model_call AS other
        WHERE other.message_id = own.message_id
          AND other.call_number = own.call_number AND {owner_of_other} = :owner
      ) THEN 1 ELSE 0 END
WHERE own.message_id = {shared_ids}
  AND {owner_of_own} = :owner;

-- copied_columns: what is taken from a copy of an answer that counts more
input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
  cache_write_unsplit_tokens, web_searches, web_fetches, service_tier, inference_geo, speed,
  stated_quality, is_corrupt, is_partial, cost_nano_usd;

-- add_raised_answers: name all answers that count what a copy of them counts
INSERT INTO shared_answer (message_id, owner)
SELECT model_call.message_id, session.owner
FROM model_call JOIN session ON session.key = model_call.session_key
WHERE model_call.own_counts IS NOT NULL AND session.owner = :owner
ON CONFLICT DO NOTHING;

-- lower_calls: let named answers count what their makers' transcripts say
UPDATE model_call AS own
SET ({copied_columns}) = (SELECT
  (counted.value ->> 0)::bigint, (counted.value ->> 1)::bigint, (counted.value ->> 2)::bigint,
  (counted.value ->> 3)::bigint, (counted.value ->> 4)::bigint, (counted.value ->> 5)::bigint,
  (counted.value ->> 6)::bigint, (counted.value ->> 7)::bigint, counted.value ->> 8,
  counted.value ->> 9, counted.value ->> 10, counted.value ->> 11,
  (counted.value ->> 12)::bigint, (counted.value ->> 13)::bigint, (counted.value ->> 14)::bigint
  FROM (SELECT own.own_counts::jsonb AS value) AS counted
), own_counts = NULL
WHERE own.own_counts IS NOT NULL AND own.message_id = {shared_ids}
  AND {owner_of_own} IN (
    SELECT owner FROM shared_answer WHERE shared_answer.message_id = own.message_id);

-- owner_of_own: whose answer it is
(SELECT session.owner FROM session WHERE session.key = own.session_key);

-- owner_of_copy: whose answer a copy is
(SELECT session.owner FROM session WHERE session.key = copy.session_key);

-- owner_of_other: whose answer another one is
(SELECT session.owner FROM session WHERE session.key = other.session_key);

-- raise_calls: let named answers count what the largest of their copies in other sessions says
UPDATE model_call AS own
SET ({copied_columns}, own_counts) = (
  SELECT copy.input_tokens, copy.output_tokens, copy.cache_read_tokens, copy.cache_write_5m_tokens,
    copy.cache_write_1h_tokens, copy.cache_write_unsplit_tokens, copy.web_searches,
    copy.web_fetches, copy.service_tier, copy.inference_geo, copy.speed,
    CASE WHEN copy.is_corrupt = 0 AND own.stated_quality = 'exact' THEN 'exact'
         ELSE copy.stated_quality END,
    copy.is_corrupt, copy.is_partial, copy.cost_nano_usd,
    replace(json_build_array(
      own.input_tokens, own.output_tokens, own.cache_read_tokens, own.cache_write_5m_tokens,
      own.cache_write_1h_tokens, own.cache_write_unsplit_tokens, own.web_searches,
      own.web_fetches, own.service_tier, own.inference_geo, own.speed, own.stated_quality,
      own.is_corrupt, own.is_partial, own.cost_nano_usd)::text, ', ', ',')
  FROM model_call AS copy
  WHERE copy.message_id = own.message_id AND copy.call_number = own.call_number
    AND copy.is_inherited = 1
    AND {owner_of_copy} = {owner_of_own}
  ORDER BY copy.output_tokens DESC,
           copy.input_tokens + copy.cache_read_tokens + copy.cache_write_5m_tokens
             + copy.cache_write_1h_tokens + copy.cache_write_unsplit_tokens DESC,
           copy.at || (SELECT claim FROM session WHERE session.key = copy.session_key)
  LIMIT 1)
WHERE own.is_inherited = 0 AND own.message_id = {shared_ids}
  AND {owner_of_own} IN (
    SELECT owner FROM shared_answer WHERE shared_answer.message_id = own.message_id)
  AND EXISTS (
    SELECT 1 FROM model_call AS copy
    WHERE copy.message_id = own.message_id AND copy.call_number = own.call_number
      AND copy.is_inherited = 1 AND copy.output_tokens > own.output_tokens
      AND {owner_of_copy} = {owner_of_own});

-- add_related_sessions: sessions that share an answer with a changed one may change too
INSERT INTO changed_session (key)
SELECT DISTINCT other.session_key FROM model_call AS other
WHERE other.message_id = {shared_ids} AND {owner_of_other} = :owner
ON CONFLICT DO NOTHING;

-- resolve_missing_runs: a run whose transcript is missing is missing where the answer that started it was made
UPDATE missing_transcript
SET is_inherited = coalesce((
  SELECT max(model_call.is_inherited) FROM model_call
  WHERE model_call.message_id = missing_transcript.message_id
    AND model_call.session_key = missing_transcript.session_key), 0)
WHERE message_id IS NOT NULL AND session_key = {changed_keys};

-- resolve_titles: an old title belongs to the session that holds the row it points at
UPDATE session
SET (title, title_source) = (
  SELECT coalesce(max(old.title), session.own_title),
    CASE WHEN max(old.title) IS NULL THEN session.own_title_source ELSE 'summary' END
  FROM (
    SELECT old_title.title FROM entry JOIN old_title ON old_title.leaf_uuid = entry.uuid
    WHERE entry.session_key = session.key
      AND (SELECT holder.owner FROM session AS holder WHERE holder.key = old_title.session_key)
        = :owner
    ORDER BY entry.line DESC, entry.transcript, old_title.title LIMIT 1
  ) AS old
)
WHERE owner = :owner AND own_title_source NOT IN ('custom', 'generated')
  AND key = ANY (ARRAY(
    SELECT key FROM changed_session
    UNION
    SELECT entry.session_key FROM old_title
    JOIN entry ON substr(entry.uuid, 1, 6) = substr(old_title.leaf_uuid, 1, 6)
      AND entry.uuid = old_title.leaf_uuid
    WHERE old_title.session_key = {changed_keys}));

-- find_elders: for each session that inherits answers, who made them, and whether rows are shared
INSERT INTO elder (own_key, elder_key, last_at, has_rows)
SELECT pair.own_key, pair.elder_key, pair.last_at, CASE WHEN EXISTS (
         SELECT uuid FROM entry WHERE session_key = pair.own_key AND uuid IS NOT NULL
         INTERSECT
         SELECT uuid FROM entry WHERE session_key = pair.elder_key)
       THEN 1 ELSE 0 END
FROM (
  SELECT own.session_key AS own_key, maker.session_key AS elder_key, max(maker.at) AS last_at
  FROM model_call AS own
  JOIN model_call AS maker ON maker.message_id = own.message_id
    AND maker.call_number = own.call_number AND maker.is_inherited = 0
  WHERE own.is_inherited = 1 AND own.session_key = {changed_keys}
    AND (SELECT session.owner FROM session WHERE session.key = maker.session_key) = :owner
  GROUP BY own.session_key, maker.session_key
) AS pair;

-- resolve_lineage: a session with rows of its elder was forked from it, else resumed from it
UPDATE session
SET forked_from = coalesce(stated_fork, (
      SELECT maker.id FROM elder JOIN session AS maker ON maker.key = elder.elder_key
      WHERE elder.own_key = session.key AND elder.has_rows = 1
      ORDER BY elder.last_at DESC, maker.id LIMIT 1)),
    resumed_from = (
      SELECT maker.id FROM elder JOIN session AS maker ON maker.key = elder.elder_key
      WHERE elder.own_key = session.key AND elder.has_rows = 0
      ORDER BY elder.last_at DESC, maker.id LIMIT 1)
WHERE key = {changed_keys};

-- end_ownership: forget them again
DELETE FROM changed_session;
DELETE FROM shared_answer;
DELETE FROM elder;
