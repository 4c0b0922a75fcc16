-- Rows of one session, in bulk: written and deleted with its texts in the index.

-- insert_transcript: rows of a session
INSERT INTO transcript (session_key, number, path, kind, agent_id, entry_count, parser_version)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- insert_old_title: rows of a session
INSERT INTO old_title (session_key, leaf_uuid, title, ordinal)
VALUES (?, ?, ?, ?);

-- insert_entry: rows of a session
INSERT INTO entry (
  session_key, transcript, line, offset_bytes, size_bytes, uuid, type, subtype, at, version
) VALUES (
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
);

-- insert_message: rows of a session
INSERT INTO message (
  id, session_key, message_id, ordinal, kind, role, subtype, agent_run_id, parent_id,
  thread_ids, on_main_thread, turn, epoch, is_compacted, is_meta, model, stop_reason, error,
  started_at, ended_at, has_text, has_thinking, has_tool_use, has_tool_result, transcript, line,
  offset_bytes, parser_version
) VALUES (
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
);

-- insert_block: rows of a session
INSERT INTO block (
  id, session_key, message_ordinal, ordinal, kind, field, text, is_cut, size_bytes,
  tool_call_id, transcript, offset_bytes, entry_bytes
) VALUES (
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
);

-- insert_tool_call: rows of a session
INSERT INTO tool_call (
  session_key, call_id, ordinal, tool, label, message_ordinal, agent_run_id, status, is_error,
  started_at, ended_at, duration_ms, started_run_id, input_bytes, result_bytes, parser_version,
  permission_decision, permission_source, permission_scope, permission_reason_type,
  permission_reason_code, permission_rule_source, denial_kind
) VALUES (
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
);

-- insert_agent_run: rows of a session
INSERT INTO agent_run (
  session_key, run_id, agent, description, kind, tool_call_id, parent_run_id, link, depth,
  status, prompt, models, started_at, ended_at, is_hidden, message_count, parser_version,
  reported_tokens, reported_tool_uses, reported_duration_ms
) VALUES (
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
);

-- insert_thread: rows of a session
INSERT INTO thread (session_key, thread_id, is_main, forked_at, message_count, parser_version)
VALUES (?, ?, ?, ?, ?, ?);

-- insert_turn: rows of a session
INSERT INTO turn (
  session_key, turn, prompt_id, message_count, tool_call_count, started_at, ended_at,
  duration_ms, parser_version
) VALUES (
  ?, ?, ?, ?, ?, ?, ?, ?, ?
);

-- insert_epoch: rows of a session
INSERT INTO epoch (
  session_key, epoch, boundary_id, compaction_trigger, tokens_before, tokens_after,
  parser_version, kept_messages, total_messages, compression_ratio, is_restored
) VALUES (
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
);

-- insert_model_call: rows of a session
INSERT INTO model_call (
  session_key, message_id, call_number, call_kind, request_id, agent_run_id, model, at,
  input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
  cache_write_unsplit_tokens, web_searches, web_fetches, service_tier, inference_geo, speed,
  stated_quality, is_inherited, cost_nano_usd, parser_version, cache_miss_reason,
  cache_missed_tokens, is_corrupt, is_partial, own_counts
) VALUES (
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
);

-- insert_missing_transcript: rows of a session
INSERT INTO missing_transcript (
  session_key, agent_run_id, message_id, at, is_inherited, parser_version
) VALUES (
  ?, ?, ?, ?, ?, ?
);

-- insert_file_change: rows of a session
INSERT INTO file_change (
  session_key, tool_call_id, agent_run_id, at, path, action, lines_added, lines_removed,
  parser_version, lines_quality
) VALUES (
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
);

-- insert_edge: rows of a session
INSERT INTO edge (session_key, kind, source_id, target_id)
VALUES (?, ?, ?, ?);

-- insert_problem: rows of a session
INSERT INTO problem (session_key, kind, severity, transcript, line, offset_bytes, text)
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
DELETE FROM message WHERE session_key = :key;
DELETE FROM block WHERE session_key = :key;
DELETE FROM tool_call WHERE session_key = :key;
DELETE FROM agent_run WHERE session_key = :key;
DELETE FROM thread WHERE session_key = :key;
DELETE FROM turn WHERE session_key = :key;
DELETE FROM epoch WHERE session_key = :key;
DELETE FROM model_call WHERE session_key = :key;
DELETE FROM missing_transcript WHERE session_key = :key;
DELETE FROM file_change WHERE session_key = :key;
DELETE FROM edge WHERE session_key = :key;
DELETE FROM problem WHERE session_key = :key;
DELETE FROM session WHERE key = :key;
