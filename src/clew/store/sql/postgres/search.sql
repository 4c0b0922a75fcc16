-- Full-text search with vectors, and sessions read as a search needs them.

-- copy_search_text: the words of texts
COPY search_text (block_id, session_key, scope_id, kind, first_word, words) FROM STDIN;

-- add_words: those words that are not known yet, each looked up in the index: before the first
-- ANALYZE, PostgreSQL would rather read all words every time
SET LOCAL enable_seqscan = off;
INSERT INTO search_word (word, text_group)
SELECT new.word, :group FROM unnest(:words::text[]) AS new (word)
WHERE NOT EXISTS (
  SELECT 1 FROM search_word AS known
  WHERE hashtextextended(known.word, 0) = hashtextextended(new.word COLLATE "C", 0)
    AND known.word = new.word AND known.text_group = :group);
SET LOCAL enable_seqscan = DEFAULT;

-- find_texts: the blocks behind a number whose text is what is asked
SELECT block_id FROM search_text
WHERE kind = :kind AND words @@ :query::tsquery AND block_id > :bound;

-- find_few_texts: as many of the blocks whose text is what is asked
SELECT block_id FROM search_text WHERE kind = :kind AND words @@ :query::tsquery LIMIT :most;

-- find_texts_of_sessions: the same of some sessions
SELECT block_id FROM search_text
WHERE kind = :kind AND words @@ :query::tsquery AND session_key = ANY (:keys::bigint[]);

-- find_texts_of_blocks: the same of some blocks
SELECT block_id FROM search_text
WHERE kind = :kind AND words @@ :query::tsquery AND block_id = ANY (:ids::bigint[]);

-- word_positions: where some words are in texts of several parts
SELECT search_text.block_id, search_text.first_word, found.lexeme, found.positions
FROM search_text, unnest(search_text.words) AS found
WHERE search_text.kind = :kind AND search_text.block_id = ANY (:ids::bigint[])
  AND (found.lexeme = ANY (:words::text[]) OR starts_with(found.lexeme, :beginning));

-- text_scores: how well some blocks match, the largest the best; a long text counts less
SELECT block_id, max(ts_rank(words, :query::tsquery, 1))
FROM search_text
WHERE kind = ANY (:kinds::text[]) AND block_id = ANY (:ids::bigint[])
GROUP BY block_id;

-- words_like: the words of a group of texts that are like a pattern
SELECT DISTINCT word FROM search_word
WHERE word ~~ :pattern AND text_group = :group;

-- facts_of_session: what search needs to know of a session
session.key, session.id, coalesce(nullif(note.title, ''), session.title),
       CASE WHEN note.title <> '' THEN 'note' ELSE session.title_source END,
       coalesce(project.path, ''),
       session.models, session.started_at, session.ended_at,
       CASE WHEN {is_talk} THEN 1 ELSE 0 END AS is_talk, coalesce(note.is_hidden, 0) AS is_hidden,
       {member_name} AS member;

-- search_sessions_of: some sessions by their keys
SELECT {facts_of_session}
FROM session
LEFT JOIN project ON project.id = session.project_id
{note_of_session}
WHERE session.key IN (SELECT value FROM json_each(:keys));

-- search_titles: the latest sessions
SELECT {facts_of_session}
FROM session
LEFT JOIN project ON project.id = session.project_id
{note_of_session}
ORDER BY session.ended_at DESC, session.key DESC
LIMIT :most;

-- search_titles_like: the sessions whose title is like one of several patterns, or has other letters
-- than those of ASCII, which may mean the same; the ellipsis of a title that was cut is none.
-- Readers give few sessions titles of their own, so all of those are returned
SELECT {facts_of_session}
FROM session
LEFT JOIN project ON project.id = session.project_id
{note_of_session}
WHERE session.title ILIKE ANY (:patterns::text[]) OR note.title <> ''
  OR octet_length(rtrim(session.title, '…')) > length(rtrim(session.title, '…'))
ORDER BY session.ended_at DESC, session.key DESC;

-- search_hidden: how many sessions nobody said anything in, or the reader has hidden
SELECT (SELECT count(*) FROM hidden_session) + (
  SELECT count(*) FROM note JOIN session ON session.owner = note.owner AND session.id = note.session_id
  WHERE note.viewer = :viewer AND note.is_hidden = 1 AND {is_talk} AND :put_away = 1);

-- search_sessions_before: sessions that last into some days, the latest first, from one on
SELECT key, started_at, ended_at FROM session
WHERE (:at::text IS NULL OR (ended_at, key) < (:at, :key))
  AND (:first_day::text IS NULL OR ended_at >= :first_day OR ended_at = '')
  AND (:last_day::text IS NULL OR started_at < :last_day)
ORDER BY ended_at DESC, key DESC
LIMIT :most;

-- search_session_times: when some sessions began and ended, the latest first
SELECT key, started_at, ended_at FROM session
WHERE key IN (SELECT value FROM json_each(:keys))
ORDER BY ended_at DESC, key DESC;
