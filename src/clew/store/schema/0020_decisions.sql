-- Who decided about tool calls, how long they waited for a person, and what went wrong.
-- error_text: the beginning and the end of the error of a failed or denied call.
-- input_digest: equal for failed calls of one tool with equal input.

ALTER TABLE tool_call ADD COLUMN decided_by TEXT;
ALTER TABLE tool_call ADD COLUMN answer TEXT;
ALTER TABLE tool_call ADD COLUMN waiting_ms INTEGER;
ALTER TABLE tool_call ADD COLUMN waiting_quality TEXT;
ALTER TABLE tool_call ADD COLUMN subject TEXT;
ALTER TABLE tool_call ADD COLUMN error_text TEXT;
ALTER TABLE tool_call ADD COLUMN input_digest TEXT;

ALTER TABLE session ADD COLUMN waiting_ms INTEGER;
ALTER TABLE session ADD COLUMN waiting_quality TEXT;
