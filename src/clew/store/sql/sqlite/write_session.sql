-- Rows of one session, in bulk: written and deleted with its texts in the index.

-- insert_transcript: rows of a session
INSERT INTO transcript ({transcript_columns})
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- insert_old_title: rows of a session
INSERT INTO old_title ({old_title_columns})
VALUES (?, ?, ?, ?);

-- insert_entry: rows of a session
INSERT INTO entry ({entry_columns})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_hook_entry: rows of a session
INSERT INTO hook_entry ({hook_entry_columns})
VALUES (?, ?, ?, ?);

-- insert_message: rows of a session
INSERT INTO message ({message_columns})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_block: rows of a session
INSERT INTO block ({block_columns})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_tool_call: rows of a session
INSERT INTO tool_call ({tool_call_columns})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
        ?, ?, ?, ?, ?, ?, ?);

-- insert_agent_run: rows of a session
INSERT INTO agent_run ({agent_run_columns})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_thread: rows of a session
INSERT INTO thread ({thread_columns})
VALUES (?, ?, ?, ?, ?, ?);

-- insert_turn: rows of a session
INSERT INTO turn ({turn_columns})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_epoch: rows of a session
INSERT INTO epoch ({epoch_columns})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_model_call: rows of a session
INSERT INTO model_call ({model_call_columns})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_cache_break: rows of a session
INSERT INTO cache_break ({cache_break_columns})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_missing_transcript: rows of a session
INSERT INTO missing_transcript ({missing_transcript_columns})
VALUES (?, ?, ?, ?, ?, ?);

-- insert_file_change: rows of a session
INSERT INTO file_change ({file_change_columns})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_git_report: rows of a session
INSERT INTO git_report ({git_report_columns})
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- insert_edge: rows of a session
INSERT INTO edge ({edge_columns})
VALUES (?, ?, ?, ?);

-- insert_problem: rows of a session
INSERT INTO problem ({problem_columns})
VALUES (?, ?, ?, ?, ?, ?, ?);

-- add_prose_text: index the text of a block that is no tool result
INSERT INTO prose_text (rowid, text) VALUES (?, ?);

-- add_result_text: index the text of a tool result
INSERT INTO result_text (rowid, text) VALUES (?, ?);

-- delete_session: all rows of a session, and its texts in the index
DELETE FROM prose_text WHERE rowid IN (
  SELECT id FROM block WHERE session_key = :key AND field <> '');
DELETE FROM result_text WHERE rowid IN (
  SELECT id FROM block WHERE session_key = :key AND field <> '');
DELETE FROM transcript WHERE session_key = :key;
DELETE FROM old_title WHERE session_key = :key;
DELETE FROM entry WHERE session_key = :key;
DELETE FROM hook_entry WHERE session_key = :key;
DELETE FROM message WHERE session_key = :key;
DELETE FROM block WHERE session_key = :key;
DELETE FROM tool_call WHERE session_key = :key;
DELETE FROM agent_run WHERE session_key = :key;
DELETE FROM thread WHERE session_key = :key;
DELETE FROM turn WHERE session_key = :key;
DELETE FROM epoch WHERE session_key = :key;
DELETE FROM model_call WHERE session_key = :key;
DELETE FROM cache_break WHERE session_key = :key;
DELETE FROM missing_transcript WHERE session_key = :key;
DELETE FROM file_change WHERE session_key = :key;
DELETE FROM git_report WHERE session_key = :key;
DELETE FROM edge WHERE session_key = :key;
DELETE FROM problem WHERE session_key = :key;
DELETE FROM session WHERE key = :key;
