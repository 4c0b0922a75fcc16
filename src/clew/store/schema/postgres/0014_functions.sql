-- The functions that queries have on SQLite, as far as rows have what these read.

CREATE FUNCTION tool_input(session_key BIGINT, call_id TEXT) RETURNS JSON
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CAST(made.input AS JSON) FROM tool_call AS made
  WHERE made.session_key = $1 AND made.call_id = $2 LIMIT 1
$$;

CREATE FUNCTION tool_result(session_key BIGINT, call_id TEXT) RETURNS TEXT
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT block.text FROM block
  JOIN tool_call AS made ON made.session_key = block.session_key
    AND made.call_id = block.tool_call_id
  WHERE block.session_key = $1 AND block.tool_call_id = $2 AND block.kind = 'tool_result'
  ORDER BY block.size_bytes = made.result_bytes DESC, block.id LIMIT 1
$$;

CREATE FUNCTION block_text(block_id BIGINT) RETURNS TEXT
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT block.text FROM block WHERE block.id = $1
$$;

CREATE FUNCTION uuid(id BYTEA) RETURNS TEXT
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN length($1) = 16 THEN CAST(CAST(encode($1, 'hex') AS UUID) AS TEXT)
              ELSE convert_from($1, 'UTF8') END
$$;

CREATE FUNCTION uuid_bytes(id TEXT) RETURNS BYTEA
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN replace($1, '-', '') ~* '^[0-9a-f]{32}$'
              THEN decode(replace($1, '-', ''), 'hex') ELSE convert_to($1, 'UTF8') END
$$;
