-- What readers add to sessions. `viewer` is who reads, `owner` whose session it is.

-- note_of_session: to join the note that the reader has of a session
LEFT JOIN note ON note.viewer = :viewer AND note.owner = session.owner
  AND note.session_id = session.id;

-- is_starred: whether the reader has starred a session
EXISTS (SELECT 1 FROM note WHERE note.viewer = :viewer AND note.owner = session.owner
  AND note.session_id = session.id AND note.is_starred = 1);

-- is_put_away: whether the reader has hidden a session
EXISTS (SELECT 1 FROM note WHERE note.viewer = :viewer AND note.owner = session.owner
  AND note.session_id = session.id AND note.is_hidden = 1);

-- is_listed: whether lists show a session, which they do not if the reader has hidden it
(:with_hidden = 1 OR :hidden IS NOT NULL OR NOT {is_put_away});

-- shown_title: what the reader calls a session, else what everybody does
coalesce((SELECT note.title FROM note WHERE note.viewer = :viewer AND note.owner = session.owner
  AND note.session_id = session.id AND note.title <> ''), session.title);

-- notes_of_viewer: the notes of a reader, or those of some sessions of all owners or of one
SELECT note.owner, note.session_id, note.is_starred, note.is_hidden, note.title, note.tags,
  note.text, note.changed_at
FROM note
WHERE note.viewer = :viewer AND (:of IS NULL OR note.owner = :of)
  AND (:sessions IS NULL OR note.session_id IN (SELECT value FROM json_each(:sessions)))
ORDER BY note.changed_at DESC, note.owner, note.session_id;

-- bookmarks_of_viewer: the bookmarks of a reader, or those in some sessions
SELECT bookmark.owner, bookmark.session_id, bookmark.message_id, bookmark.comment,
  bookmark.made_at
FROM bookmark
WHERE bookmark.viewer = :viewer AND (:of IS NULL OR bookmark.owner = :of)
  AND (:sessions IS NULL OR bookmark.session_id IN (SELECT value FROM json_each(:sessions)))
ORDER BY bookmark.owner, bookmark.session_id, bookmark.made_at, bookmark.message_id;

-- own_title_of_session: what the reader calls a session
SELECT title FROM note
WHERE viewer = :viewer AND owner = :owner AND session_id = :session AND title <> '';

-- set_note: keep a note in place of an earlier one
INSERT INTO note (
  viewer, owner, session_id, is_starred, is_hidden, title, tags, text, changed_at
)
VALUES (
  :viewer, :of, :session, :is_starred, :is_hidden, :title, :tags, :text, :changed_at
)
ON CONFLICT (viewer, owner, session_id) DO UPDATE SET
  is_starred = excluded.is_starred, is_hidden = excluded.is_hidden, title = excluded.title,
  tags = excluded.tags, text = excluded.text, changed_at = excluded.changed_at,
  revision = note.revision + 1;

-- delete_bookmarks: take all bookmarks in a session away
DELETE FROM bookmark WHERE viewer = :viewer AND owner = :of AND session_id = :session;

-- add_bookmark: a message that the reader wants to find again
INSERT INTO bookmark (viewer, owner, session_id, message_id, comment, made_at)
VALUES (:viewer, :of, :session, :message, :comment, :made_at);

-- messages_named: the messages of a session whose id begins so
SELECT message.message_id
FROM message JOIN session ON session.key = message.session_key
WHERE session.id = :session AND session.owner = :owner
  AND substr(message.message_id, 1, length(:name)) = :name
ORDER BY message.ordinal
LIMIT 2;
