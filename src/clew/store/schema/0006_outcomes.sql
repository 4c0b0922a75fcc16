-- Who allowed or refused a tool call, and why the prompt cache did not help a model call.

ALTER TABLE tool_call ADD COLUMN permission_decision TEXT;
ALTER TABLE tool_call ADD COLUMN permission_source TEXT;
ALTER TABLE tool_call ADD COLUMN permission_scope TEXT;
ALTER TABLE tool_call ADD COLUMN permission_reason_type TEXT;
ALTER TABLE tool_call ADD COLUMN permission_reason_code TEXT;
ALTER TABLE tool_call ADD COLUMN permission_rule_source TEXT;
ALTER TABLE tool_call ADD COLUMN denial_kind TEXT;

ALTER TABLE model_call ADD COLUMN cache_miss_reason TEXT;
ALTER TABLE model_call ADD COLUMN cache_missed_tokens INTEGER;
