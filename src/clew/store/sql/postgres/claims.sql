-- Several syncs at once. These locks belong to a connection and end with it, however it ends.

-- enter_with_others: write beside other syncs, unless one of them has to be alone
SELECT pg_try_advisory_lock_shared(1668048248, hashint8(:owner));

-- lock_digest_budget: let no other process reserve until the end of the transaction
SELECT 1 FROM pg_advisory_xact_lock(1668048249);

-- enter_alone: write while no other sync does
SELECT pg_try_advisory_lock(1668048248, hashint8(:owner));

-- claim_names: claim some names; those that are not listed have been claimed by others
SELECT name FROM unnest(:names::text[]) AS listed (name)
WHERE pg_try_advisory_lock(hashtextextended(name, :owner));

-- release_names: let others claim some names
SELECT pg_advisory_unlock(hashtextextended(name, :owner))
FROM unnest(:names::text[]) AS listed (name);

-- release_all: let others claim all names of this connection
SELECT pg_advisory_unlock_all();
