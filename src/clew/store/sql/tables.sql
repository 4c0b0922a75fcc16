-- Whole rows of any table or view.

-- rows_of_table: all columns of all rows
SELECT * FROM $name;

-- no_rows_of_table: its columns
SELECT * FROM $name LIMIT 0;

-- session_rows_of_table: all columns of the rows of some sessions
SELECT * FROM $name WHERE session_key IN (SELECT value FROM json_each(:keys));

-- keyed_rows_of_table: all columns of some sessions
SELECT * FROM $name WHERE key IN (SELECT value FROM json_each(:keys));
