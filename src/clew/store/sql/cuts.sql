-- find_cut: where a session is cut, and by which parser
SELECT cut.session_key, cut.past, cut.tail_rows, cut.parser_version
FROM cut JOIN session ON session.key = cut.session_key
WHERE session.id = :session AND session.parser_version = cut.parser_version;

-- cut_names: the names and prompts that stand before the cut
SELECT prints, said FROM cut_name WHERE session_key = :session_key ORDER BY rowid;

-- cut_rows: where the rows behind the cut stand
SELECT tail_rows FROM cut WHERE session_key = :session_key;

-- save_cut: remember where a session is cut
INSERT INTO cut (session_key, past, tail_rows, parser_version)
VALUES (:session_key, :past, :tail_rows, :parser_version)
ON CONFLICT (session_key) DO UPDATE SET
  past = excluded.past, tail_rows = excluded.tail_rows, parser_version = excluded.parser_version;

-- add_cut_names: remember names that stand before it
INSERT INTO cut_name (session_key, prints, said) VALUES (:session_key, :prints, :said);

-- delete_cut: forget it
DELETE FROM cut WHERE session_key = :session_key;

-- delete_cut_names: forget the names
DELETE FROM cut_name WHERE session_key = :session_key;

-- grow_transcript: a transcript has more entries
UPDATE transcript SET entry_count = :entries
WHERE session_key = :session_key AND number = :number;

-- grow_thread: a thread has more messages
UPDATE thread SET message_count = :messages
WHERE session_key = :session_key AND thread_id = :thread;

-- tail_answers_elsewhere: whether an answer stands in another session too
SELECT 1 FROM json_each(:ids) AS own
CROSS JOIN model_call ON model_call.message_id = own.value
WHERE model_call.session_key <> :session_key LIMIT 1;

-- old_title_of: whether an old title points at an entry
SELECT 1 FROM old_title WHERE leaf_uuid = ? LIMIT 1;

-- session_claim: the number of a session, and by what it claims its answers
SELECT key, claim FROM session WHERE id = :id;

-- take_own_title: name a session by its own files, unless an old title from elsewhere names it
UPDATE session SET title = own_title, title_source = own_title_source
WHERE key = :key
  AND (title_source <> 'summary' OR own_title_source IN ('custom', 'generated'));
