-- Connections, the schema and transactions: what PostgreSQL alone has.

-- configure_connection: notices are of no use, and compiling a query takes longer than running it
SET client_min_messages = warning;
SET jit = off;

-- begin: write all or nothing, one writer of an owner at a time; writers look up few rows, by index,
-- whatever PostgreSQL believes of tables that were just filled
BEGIN;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off;
SELECT pg_advisory_xact_lock(1668048247, hashint8(:owner));

-- begin_snapshot: see the same rows until the end
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

-- commit: keep what was written since
COMMIT;

-- rollback: undo what was written since
ROLLBACK;

-- has_schema: whether the tables were ever made
SELECT to_regclass('schema_version') IS NOT NULL;

-- lock_schema: one process at a time makes tables and views
SELECT pg_advisory_xact_lock(1668048247, 0);

-- begin_migrations: begin to make tables
BEGIN;
{lock_schema};
CREATE TABLE IF NOT EXISTS schema_version (number BIGINT NOT NULL);

-- schema_version: how many migrations were applied
SELECT coalesce(max(number), 0) FROM schema_version;

-- set_schema_version: how many migrations were applied
DELETE FROM schema_version;
INSERT INTO schema_version (number) VALUES (:number);

-- may_write: whether this user, on this server, may write rows
SELECT current_setting('transaction_read_only') = 'off'
  AND has_table_privilege('session', 'INSERT')
  AND has_table_privilege('session', 'DELETE'), current_user;

-- data_version: a number that changes when anybody has written
SELECT coalesce(sum(number), 0) FROM archive_change;

-- record_change: somebody has written
INSERT INTO archive_change (owner, number) VALUES (:owner, 1)
ON CONFLICT (owner) DO UPDATE SET number = archive_change.number + 1;

-- table_names: all tables; a table in partitions is one
SELECT relname FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
  AND NOT relispartition
ORDER BY relname;

-- check_table: read all rows of a table
SELECT count(*) FROM (SELECT $name::text FROM $name) AS read;

-- database_bytes: how much room all tables and indexes take
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class AS c
WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace;
