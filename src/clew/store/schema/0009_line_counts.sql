-- Whether the counted lines of a change are all of them ('exact') or at least so many
-- ('lower_bound'); a call that only read a file has none.
ALTER TABLE file_change ADD COLUMN lines_quality TEXT;
