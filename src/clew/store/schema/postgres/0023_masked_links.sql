-- A link shows a session as it is, or with marks in place of what may be secret.

ALTER TABLE share_link ADD COLUMN IF NOT EXISTS is_masked BOOLEAN NOT NULL DEFAULT false;
