"""The projects of the stories, as they stand before a session begins."""
