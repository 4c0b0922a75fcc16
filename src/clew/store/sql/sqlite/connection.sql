-- Connections, the schema and full-text tables: what SQLite alone has.

-- begin: take the writer's lock at once, so that no later statement fails for want of it
BEGIN IMMEDIATE;

-- commit: keep what was written since
COMMIT;

-- rollback: undo what was written since
ROLLBACK;

-- configure_new_database: what cannot be changed once there are tables
PRAGMA page_size = 8192;

-- configure_writer: readers go on while somebody writes
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -65536;
PRAGMA temp_store = MEMORY;

-- configure_temporary_tables: keep them off the disk
PRAGMA temp_store = MEMORY;

-- configure_reader: nothing can be written; pages come from the file itself
PRAGMA query_only = 1;
PRAGMA cache_size = -65536;
PRAGMA mmap_size = 1073741824;

-- configure_temporary_database: nothing of it outlives the process
PRAGMA journal_mode = MEMORY;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -131072;
PRAGMA temp_store = MEMORY;

-- attach_archive: let a temporary database read another one
ATTACH :path AS archive;

-- detach_archive: close the other one
DETACH archive;

-- tables_to_copy: all tables but those of blocks and full text, with the columns that are stored
SELECT found.name, (
  SELECT group_concat(stored.name, ', ') FROM pragma_table_info(found.name, 'archive') AS stored)
FROM pragma_table_list AS found
WHERE found.schema = 'archive' AND found.type = 'table' AND found.name <> 'block'
  AND found.name NOT LIKE 'sqlite_%';

-- copy_table: all rows of a table, into the same one of a temporary database
INSERT OR REPLACE INTO main.$name ($columns) SELECT $columns FROM archive.$name;

-- schema_version: how many migrations were applied
PRAGMA user_version;

-- set_schema_version: how many migrations were applied
PRAGMA user_version = $name;

-- data_version: a number that changes when another connection has written
PRAGMA data_version;

-- check_integrity: what is wrong with one table, or with all of them up to a number of findings
PRAGMA integrity_check($name);

-- create_full_text_table: an index of texts by their words, which keeps no copy of them
CREATE VIRTUAL TABLE IF NOT EXISTS $name USING fts5 (
  text, content='', contentless_delete=1,
  tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co So'"
);
INSERT INTO $name ($name, rank) VALUES ('hashsize', 33554432);

-- create_word_table: the words of a full-text table, for as long as the connection is open
CREATE VIRTUAL TABLE IF NOT EXISTS temp.$name_words USING fts5vocab (main, $name, row);

-- table_names: all tables and views
SELECT name FROM sqlite_schema;

-- function_names: all functions, with what they may do
PRAGMA function_list;

-- readable_tables: the tables and views that a query may name
SELECT name FROM pragma_table_list WHERE schema <> 'main' OR type <> 'shadow';

-- readable_columns: the columns that a query may name
SELECT c.name FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS c;

-- readable_functions: the functions that a query may name
SELECT name FROM pragma_function_list;

-- columns_of_table: with their types; columns that the database computes are there too
SELECT name, type FROM pragma_table_xinfo(:table, :schema);
