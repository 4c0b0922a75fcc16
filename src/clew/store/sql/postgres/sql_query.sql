-- Queries of users: what they may touch, found out before they run.

-- begin_query: whatever is made is gone at the end
BEGIN ISOLATION LEVEL REPEATABLE READ;

-- limit_time: stop the next statements after so many milliseconds
SELECT set_config('statement_timeout', :milliseconds, true);

-- set_read_only: nothing can be written from here on
SET TRANSACTION READ ONLY;

-- query_view: let the server keep what it has understood of a query
CREATE TEMP VIEW clew_query AS SELECT 1 AS one FROM (
$query
) AS asked;

-- query_tree: what a query consists of, as the server has understood it
SELECT ev_action::text FROM pg_rewrite WHERE ev_class = to_regclass('pg_temp.clew_query');

-- refused_functions: those that may do more than compute
SELECT proname FROM pg_proc
WHERE oid = ANY (:ids::oid[]) AND NOT (
  pronamespace = 'pg_catalog'::regnamespace AND proname NOT LIKE '%_to_xml%'
    AND (provolatile <> 'v' OR proname = ANY (:harmless::text[]))
  OR pronamespace = current_schema()::regnamespace AND proname = ANY (:own::text[]))
ORDER BY proname;

-- refused_relations: those that are no tables of the archive, nor views of them
SELECT relname FROM pg_class
WHERE oid = ANY (:ids::oid[]) AND NOT (
  relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
  OR relnamespace = pg_my_temp_schema()
  OR relnamespace = 'information_schema'::regnamespace AND relname IN ('tables', 'columns'))
ORDER BY relname;

-- readable_functions: the functions that a query may name
SELECT DISTINCT proname FROM pg_proc ORDER BY proname;
