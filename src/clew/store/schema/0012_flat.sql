-- What a compaction of the flat dialect kept, of how many messages; and whether an epoch begins
-- with a restoration, after which the messages before it are no longer compacted.
ALTER TABLE epoch ADD COLUMN kept_messages INTEGER;
ALTER TABLE epoch ADD COLUMN total_messages INTEGER;
ALTER TABLE epoch ADD COLUMN compression_ratio REAL;
ALTER TABLE epoch ADD COLUMN is_restored INTEGER NOT NULL DEFAULT 0;
