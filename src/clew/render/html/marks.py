"""What the marks on pages mean: one list for the help of every page."""

from typing import Final

AT_LEAST: Final = "At least: some of it was not recorded, or has no known price"

PAGE_MARKS: Final = (
    ("✗", "Errors: failed calls, errors of the API"),
    ("≥, 9+", AT_LEAST),
    ("~, ≤", "About, at most: not measured, but inferred from times"),
    ("12 k → 340", "Tokens that the model read → tokens that it wrote"),
    ("+ \N{MINUS SIGN}", "Lines added and removed"),
    ("[", "Calls that ran side by side have a bracket at their left"),
    ("▸ ▾", "Opens and closes"),
    ("⚑", "Bookmark"),
    (
        "Right edge",
        "Map: prompts blue, calls pale, errors red; its line is how full the context was",
    ),
)
"""The marks on the page of a session, exported or in the app."""

APP_MARKS: Final = (
    ("★ ✎ ⚑", "In lists: starred, with a note, with bookmarks"),
    ("● ◆ ○", "Working, waiting for you, ended"),
    ("Bars", "In lists: a session from its start to its end: talk blue, calls grey, errors red"),
    ("≈", "May differ from what is on disk"),
)
"""What only the app has."""
