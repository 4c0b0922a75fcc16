-- How far a model call's cost can be trusted, and which prices the stored costs rest on.
-- Of a corrupt call a count is left out, of a partial one a part of its price is not known.

ALTER TABLE model_call ADD COLUMN is_corrupt INTEGER NOT NULL DEFAULT 0;
ALTER TABLE model_call ADD COLUMN is_partial INTEGER NOT NULL DEFAULT 0;
ALTER TABLE model_call ADD COLUMN quality TEXT GENERATED ALWAYS AS (
  CASE WHEN is_inherited = 1
       THEN CASE WHEN stated_quality = 'exact' AND is_partial = 0
                 THEN 'inherited' ELSE 'inherited_lower_bound' END
       ELSE CASE WHEN stated_quality = 'exact' AND is_partial = 0
                 THEN 'exact' ELSE 'lower_bound' END END
) VIRTUAL;

CREATE TABLE price_table (
  date TEXT NOT NULL,
  digest TEXT NOT NULL
);
