-- A server to try out: nobody wants to wait there.

-- make_all_due: let workers take all sessions at once that are not parsed yet
UPDATE session_state SET due_at = now() WHERE head_seq > derived_seq AND deleted_at IS NULL;

-- count_unparsed: how many sessions a worker has still to parse
SELECT count(*) AS sessions FROM session_state
WHERE head_seq > derived_seq AND deleted_at IS NULL AND failed_reason IS NULL;
