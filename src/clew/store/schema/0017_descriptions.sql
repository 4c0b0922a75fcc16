-- One line that describes a session in lists, and what came of it: by facts, with its rows, and by
-- the digest of a model. A digest is stale if its session has changed since.
ALTER TABLE session ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN outcome TEXT NOT NULL DEFAULT 'unclear';
ALTER TABLE digest ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE digest ADD COLUMN is_stale INTEGER NOT NULL DEFAULT 0;
