-- prose_text_words: the words of all blocks but tool results
SELECT term FROM temp.prose_text_words;

-- result_text_words: the words of tool results
SELECT term FROM temp.result_text_words;

-- store_words: keep the words of a full-text table, and up to which block there are no others
INSERT INTO vocabulary (name, bound, words) VALUES (:name, :bound, :words)
ON CONFLICT (name) DO UPDATE SET bound = excluded.bound, words = excluded.words;

-- stored_words: the words that were kept
SELECT words, bound FROM vocabulary WHERE name = :name;

-- outdate_words: what is written from a number on is newer than what was kept
UPDATE vocabulary SET bound = :first - 1 WHERE bound >= :first;

-- newest_block: the number of the block that was written last
SELECT coalesce(max(id), 0) FROM block;

-- vocabulary_bound: up to which block the words of all texts were kept
SELECT coalesce(min(bound), 0) FROM vocabulary;
