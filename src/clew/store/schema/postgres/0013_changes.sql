-- How often anything of an owner was written, so that readers know that it was. There is a row for
-- each owner, since writers of several owners do not wait for each other.

CREATE TABLE archive_change (
  owner BIGINT PRIMARY KEY,
  number BIGINT NOT NULL
);
