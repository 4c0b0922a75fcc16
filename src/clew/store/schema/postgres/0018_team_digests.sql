-- Digests on the team server: whether an organisation wants them, and where each session is on the
-- way to its own. `digest_skip` says why a session has none for now: off, tier, budget, empty,
-- failed.

-- Nothing is sent to a model unless an administrator has switched digests on. The budget is that of
-- 24 hours, for all members together.
ALTER TABLE organisation
  ADD COLUMN has_digests BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN digest_model TEXT COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN digest_day_nano_usd BIGINT NOT NULL DEFAULT 0,
  -- until when no model is asked for it, and why: the budget, or what all sessions would meet
  ADD COLUMN digest_paused_until TIMESTAMPTZ,
  ADD COLUMN digest_pause_reason TEXT COLLATE "C",
  ADD COLUMN is_over_budget BOOLEAN NOT NULL DEFAULT false;

-- A claim of its own: a session that grows is parsed while a model reads what there was before.
ALTER TABLE session_state
  ADD COLUMN digest_due_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  ADD COLUMN digest_attempts BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN digest_claim TEXT COLLATE "C",
  ADD COLUMN digest_claimed_until TIMESTAMPTZ,
  ADD COLUMN digest_reason TEXT COLLATE "C";
UPDATE session_state SET digest_skip = 'off' WHERE digest_skip IS NULL;
CREATE INDEX session_state_undigested ON session_state (grown_at)
  WHERE digest_seq < derived_seq AND deleted_at IS NULL
    AND (digest_skip IS NULL OR digest_skip = 'budget');
CREATE INDEX session_state_digested_by ON session_state (digest_claimed_until)
  WHERE digest_claimed_until IS NOT NULL;
