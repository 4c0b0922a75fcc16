-- The columns of a session's rows, in the order in which rows have their values.

-- transcript_columns: rows of a session
session_key, number, path, kind, agent_id, entry_count, parser_version,
  blob;

-- old_title_columns: rows of a session
session_key, leaf_uuid, title, ordinal;

-- entry_columns: rows of a session
session_key, transcript, line, offset_bytes, size_bytes, uuid, type, subtype, at, version;

-- hook_entry_columns: rows of a session
session_key, transcript, line, text;

-- message_columns: rows of a session
id, session_key, message_id, ordinal, kind, role, subtype, agent_run_id, parent_id, thread_ids,
  on_main_thread, turn, epoch, is_compacted, is_meta, model, stop_reason, error, started_at,
  ended_at, has_text, has_thinking, has_tool_use, has_tool_result, transcript, line, offset_bytes,
  parser_version, entry_bytes;

-- block_columns: rows of a session
id, session_key, message_ordinal, ordinal, kind, field, text, is_cut, size_bytes, tool_call_id,
  transcript, offset_bytes, entry_bytes;

-- tool_call_columns: rows of a session
session_key, call_id, ordinal, tool, label, message_ordinal, agent_run_id, status, is_error,
  started_at, ended_at, duration_ms, started_run_id, input_bytes, result_bytes, parser_version,
  permission_decision, permission_source, permission_scope, permission_reason_type,
  permission_reason_code, permission_rule_source, denial_kind, input, cwd, decided_by, answer,
  waiting_ms, waiting_quality, subject, error_text, input_digest;

-- agent_run_columns: rows of a session
session_key, run_id, agent, description, kind, tool_call_id, parent_run_id, link, depth, status,
  prompt, models, started_at, ended_at, is_hidden, message_count, parser_version, reported_tokens,
  reported_tool_uses, reported_duration_ms;

-- thread_columns: rows of a session
session_key, thread_id, is_main, forked_at, message_count, parser_version;

-- turn_columns: rows of a session
session_key, turn, prompt_id, message_count, tool_call_count, started_at, ended_at, duration_ms,
  parser_version;

-- epoch_columns: rows of a session
session_key, epoch, boundary_id, compaction_trigger, tokens_before, tokens_after, parser_version,
  kept_messages, total_messages, compression_ratio, is_restored;

-- model_call_columns: rows of a session
session_key, message_id, call_number, call_kind, request_id, agent_run_id, model, at,
  input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
  cache_write_unsplit_tokens, web_searches, web_fetches, service_tier, inference_geo, speed,
  stated_quality, is_inherited, cost_nano_usd, parser_version, cache_miss_reason,
  cache_missed_tokens, is_corrupt, is_partial, own_counts, git_branch;

-- cache_break_columns: rows of a session
session_key, message_id, agent_run_id, at, cause, cause_source, pause_ms, tokens, input_tokens,
  cache_write_5m_tokens, cache_write_1h_tokens, parser_version;

-- missing_transcript_columns: rows of a session
session_key, agent_run_id, message_id, at, is_inherited, parser_version;

-- file_change_columns: rows of a session
session_key, tool_call_id, agent_run_id, at, path, action, lines_added, lines_removed,
  parser_version, lines_quality;

-- git_report_columns: rows of a session
session_key, kind, at, hash, subject, branch, url, message_id, tool_call_id, parser_version;

-- edge_columns: rows of a session
session_key, kind, source_id, target_id;

-- problem_columns: rows of a session
session_key, kind, severity, transcript, line, offset_bytes, text;
