-- The words of all texts, for search. A text that is too long for one vector is in several rows of
-- another kind, so that most texts can be judged by one row. Each kind has its own partition: words
-- that are common in tool results do not slow down a search in all else.

CREATE TABLE search_text (
  block_id BIGINT NOT NULL,
  session_key BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  first_word BIGINT NOT NULL,
  words TSVECTOR NOT NULL,
  scope_id BIGINT NOT NULL DEFAULT 0
) PARTITION BY LIST (kind);
CREATE TABLE search_text_prose PARTITION OF search_text FOR VALUES IN ('prose');
CREATE TABLE search_text_result PARTITION OF search_text FOR VALUES IN ('result');
CREATE TABLE search_text_prose_part PARTITION OF search_text FOR VALUES IN ('prose_part');
CREATE TABLE search_text_result_part PARTITION OF search_text FOR VALUES IN ('result_part');
CREATE INDEX search_text_words ON search_text USING gin (words);
CREATE INDEX search_text_block ON search_text (block_id);
CREATE INDEX search_text_session ON search_text (session_key);

-- Each word of a group of texts at least once, so that parts of words are found. Whoever searches
-- finds texts by them, of which only those that are theirs are shown: words have no scope, since
-- every scope would repeat most of them. They are not unique: writers would wait for one another.
-- Words stay when the last text with them goes.
CREATE TABLE search_word (
  word TEXT COLLATE "C" NOT NULL,
  text_group TEXT COLLATE "C" NOT NULL
);
-- By a hash, since some words are longer than an index takes.
CREATE INDEX search_word_hash ON search_word (hashtextextended(word, 0));
-- Where there is the extension, parts of words are found by their trigrams, else by reading all.
DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX search_word_letters ON search_word USING gin (word gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file THEN
  NULL;
END $$;
