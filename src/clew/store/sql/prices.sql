-- stored_prices: which price table the stored costs rest on
SELECT digest FROM price_table;

-- store_prices: remember which price table the stored costs rest on
DELETE FROM price_table;
INSERT INTO price_table (date, digest) VALUES (:date, :digest);

-- calls_to_price: what bears on the cost of each model call
SELECT rowid, {priced_columns}, cost_nano_usd, is_partial FROM model_call;

-- priced_columns: what a model call is priced by
model, at, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens,
  cache_write_1h_tokens, cache_write_unsplit_tokens, web_searches, web_fetches, service_tier,
  inference_geo, speed;

-- price_call: give a model call another cost
UPDATE model_call SET cost_nano_usd = :cost, is_partial = :is_partial WHERE rowid = :row;
