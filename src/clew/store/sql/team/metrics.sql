-- How the server is: numbers without names, for whoever watches it.

-- team_metrics: what is due, what failed, and how much there is
SELECT
  count(*) FILTER (WHERE deleted_at IS NULL AND derived_seq > 0) AS sessions,
  count(*) FILTER (WHERE deleted_at IS NULL AND head_seq > derived_seq) AS received,
  count(*) FILTER (WHERE {is_overdue}) AS due,
  coalesce(extract(epoch FROM now() - min(due_at) FILTER (WHERE {is_overdue})), 0)::float8
    AS oldest_due_seconds,
  count(*) FILTER (WHERE claimed_until >= now()) AS working,
  count(*) FILTER (WHERE claimed_until < now() OR digest_claimed_until < now()) AS lease_overruns,
  count(*) FILTER (WHERE deleted_at IS NULL AND failed_reason IS NOT NULL) AS failed,
  count(*) FILTER (WHERE deleted_at IS NULL AND head_seq = derived_seq AND derived_parser < :parser)
    AS outdated,
  count(*) FILTER (WHERE deleted_at IS NULL AND failed_reason IS NULL AND head_seq > derived_seq
    AND coalesce(waiting_since, grown_at) < now() - interval '10 minutes') AS parse_overdue,
  count(*) FILTER (WHERE deleted_at IS NULL AND derived_seq > 0 AND digest_seq = derived_seq)
    AS summarised,
  count(*) FILTER (WHERE {is_undigested} AND deleted_at IS NULL AND digest_skip IS NULL)
    AS digest_pending,
  count(*) FILTER (WHERE {is_undigested} AND deleted_at IS NULL AND digest_skip IS NULL
    AND digest_due_at < now() - interval '10 minutes' AND grown_at < now()
      - CASE WHEN has_ended THEN interval '630 seconds' ELSE interval '20 minutes' END)
    AS digest_overdue,
  count(*) FILTER (WHERE {is_undigested} AND deleted_at IS NULL AND digest_skip <> 'off')
    AS digest_skipped,
  count(*) FILTER (WHERE {is_undigested} AND deleted_at IS NULL AND digest_skip = 'failed')
    AS digest_failed,
  count(*) FILTER (WHERE digest_claimed_until >= now()) AS digest_working,
  (SELECT coalesce(sum({counted_cost}), 0) / 1e9 FROM digest_call
    WHERE reserved_at >= {a_day_ago})::float8 AS digest_day_usd,
  count(*) FILTER (WHERE deleted_at IS NOT NULL) AS deleted,
  count(*) FILTER (WHERE held) AS held,
  (SELECT coalesce(sum(content_bytes), 0)::bigint FROM member_storage) AS content_bytes,
  (SELECT count(*) FROM pushed_frame WHERE committed_at IS NULL) AS uncommitted_frames,
  (SELECT count(*) FROM pushed_frame WHERE lost_at IS NOT NULL) AS lost_frames,
  (SELECT count(*) FROM doomed_object) AS doomed_objects,
  (SELECT count(*) FROM member WHERE disabled_at IS NULL) AS members,
  (SELECT count(*) FROM device WHERE revoked_at IS NULL
    AND last_seen_at > now() - interval '1 day') AS active_devices,
  pg_database_size(current_database()) AS database_bytes
FROM session_state;

-- is_overdue: a worker could have taken it
deleted_at IS NULL AND failed_reason IS NULL AND head_seq > derived_seq AND due_at <= now()
  AND (claimed_until IS NULL OR claimed_until < now());

-- as_written: a time as those of calls are written
'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';

-- a_day_ago: since when calls count
to_char(now() AT TIME ZONE 'UTC' - interval '1 day', {as_written});

-- counted_cost: what a call counts for: its cost, or all that was reserved until it expires
CASE WHEN settled_at IS NOT NULL THEN coalesce(cost_nano_usd, reserved_nano_usd)
  WHEN expires_at > to_char(now() AT TIME ZONE 'UTC', {as_written}) THEN reserved_nano_usd
  ELSE 0 END;
