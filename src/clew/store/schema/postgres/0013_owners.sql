-- What is read or written for one owner, among those of many.

CREATE INDEX source_file_owner ON source_file (owner);
CREATE INDEX session_owner ON session (owner, parser_version);

-- Which price table an owner's costs rest on: each owner's sync prices its own calls.
ALTER TABLE price_table ADD COLUMN owner BIGINT NOT NULL DEFAULT 0 PRIMARY KEY;
