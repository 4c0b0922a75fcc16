-- Prices of one owner's calls. Nobody else changes these calls while their owner is locked, so each
-- is found by its place.

-- stored_prices: which price table the owner's costs rest on
SELECT digest FROM price_table WHERE owner = :owner;

-- store_prices: remember which price table the owner's costs rest on
INSERT INTO price_table (date, digest, owner) VALUES (:date, :digest, :owner)
ON CONFLICT (owner) DO UPDATE SET date = excluded.date, digest = excluded.digest;

-- calls_to_price: what bears on the cost of each model call of the owner
SELECT ctid, {priced_columns}, cost_nano_usd, is_partial FROM model_call
WHERE session_key IN (SELECT key FROM session WHERE owner = :owner);
