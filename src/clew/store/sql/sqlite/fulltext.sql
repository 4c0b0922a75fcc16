-- Full-text search with FTS5.

-- search_prose: the numbers of the blocks that hold what is asked, tool results left out
SELECT json_group_array(prose_text.rowid) FROM prose_text WHERE prose_text MATCH :match;

-- search_result: the numbers of the tool results that hold what is asked
SELECT json_group_array(result_text.rowid) FROM result_text WHERE result_text MATCH :match;

-- search_prose_newer: the same of the blocks behind a number
SELECT json_group_array(prose_text.rowid) FROM prose_text
WHERE prose_text MATCH :match AND prose_text.rowid > :bound;

-- search_result_newer: the same of the tool results behind a number
SELECT json_group_array(result_text.rowid) FROM result_text
WHERE result_text MATCH :match AND result_text.rowid > :bound;

-- search_prose_scores: how well some of the blocks found answer, the smallest the best
SELECT prose_text.rowid, bm25(prose_text)
FROM prose_text
WHERE prose_text MATCH :match AND +prose_text.rowid IN (SELECT value FROM json_each(:ids));

-- search_result_scores: how well some of the tool results found answer, the smallest the best
SELECT result_text.rowid, bm25(result_text)
FROM result_text
WHERE result_text MATCH :match AND +result_text.rowid IN (SELECT value FROM json_each(:ids));
