-- One sync at a time: whoever has the writer lock is alone.

-- enter_with_others: write beside other syncs, unless one of them has to be alone
SELECT 1;

-- lock_digest_budget: let no other process reserve until the end of the transaction
SELECT 1;

-- enter_alone: write while no other sync does
SELECT 1;
