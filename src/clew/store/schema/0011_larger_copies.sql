-- own_counts: what a session's own transcript counts, where a copy of the answer in another session
-- counts more and is counted instead. A list, in the order of `copied_columns` in settle.sql.

ALTER TABLE model_call ADD COLUMN own_counts TEXT;
