-- price_when_read: let readers see model calls at the prices of this version of clew
CREATE TEMP VIEW model_call AS
SELECT session_key, message_id, call_number, call_kind, request_id, agent_run_id, model, at,
       input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens,
       cache_write_1h_tokens, cache_write_unsplit_tokens, web_searches, web_fetches,
       service_tier, inference_geo, speed, stated_quality, is_inherited,
       call_cost({priced_columns}) AS cost_nano_usd, parser_version,
       cache_miss_reason, cache_missed_tokens, is_corrupt,
       call_is_partial({priced_columns}) AS is_partial,
       call_quality(stated_quality, is_inherited, {priced_columns}) AS quality, own_counts
FROM main.model_call;
