-- Parts of statements that are other ones on PostgreSQL.

-- is_talk: whether anybody said anything in a session, as was found out when it was written
NOT EXISTS (SELECT 1 FROM hidden_session WHERE hidden_session.session_key = session.key);

-- is_own_session: whether a session belongs to the owner whose archive is read; -1 is any of them
(:owner = -1 OR s.owner = :owner);

-- member_name: whose session it is, on a team's server
(SELECT member.name FROM member WHERE member.id = session.owner);

-- used_by_session: what the model calls of a session used together, to join
-- Tables that were just filled have no statistics: all calls could be summed again for each session.
LATERAL (
  SELECT session_key, {sums_of_calls}
  FROM model_call WHERE model_call.session_key = session.key GROUP BY session_key
) AS used ON true;
