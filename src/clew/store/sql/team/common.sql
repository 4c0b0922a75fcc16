-- The team server: what several of its parts use.

-- notify: wake up whoever listens
SELECT pg_notify(:channel, '');

-- server_now: the server's clock, which alone decides
SELECT now();

-- listen: be woken up by what is announced on a channel
LISTEN $name;
