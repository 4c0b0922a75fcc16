-- Parts of filters that are other ones on PostgreSQL.

-- known_member: the members whose sessions there are
SELECT session.owner, coalesce(member.name, ''), count(*) AS uses
FROM session LEFT JOIN member ON member.id = session.owner
GROUP BY session.owner, member.name;
