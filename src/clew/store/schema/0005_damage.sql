-- What is known of kept files that are damaged, and of how far kept files were compared.
-- A frame's hash has 32 bytes where its blob has a checksum too, and 16 where it is yet to get one.
-- source_file.blob_path: what the blob is named after, where that is not the file's own path.
-- source_file.is_compared: whether all kept bytes were compared with the source since the last
-- ones were appended.

ALTER TABLE source_file ADD COLUMN blob_path TEXT;
ALTER TABLE source_file ADD COLUMN is_compared INTEGER NOT NULL DEFAULT 0;

CREATE TABLE damaged_blob (
  file_id INTEGER NOT NULL REFERENCES source_file (id),
  generation INTEGER NOT NULL,
  reason TEXT NOT NULL,
  -- The rows were made from the damaged blob, so what they speak of is not the whole file.
  is_incomplete INTEGER NOT NULL,
  PRIMARY KEY (file_id, generation)
) WITHOUT ROWID;
