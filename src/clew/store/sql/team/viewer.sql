-- The team server: what pages and the API need to know beside the archive.

-- archive_changes: a number for each owner, which changes when their rows do
SELECT owner, number FROM archive_change;

-- viewer_organisation: what all pages say about an organisation
SELECT shows_members FROM organisation WHERE id = :organisation_id;
