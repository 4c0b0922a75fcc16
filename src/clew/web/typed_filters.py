"""Filters that are typed in a box, and those that are used most, as chips above a list."""

from collections.abc import Collection
from typing import Final

from clew.render.site.filter_chips import Chip, Params, make_url, plain_words
from clew.render.site.filter_line import QuickChip
from clew.search import filter_terms, without_term

_CURSOR: Final = "cursor"
_STARRED: Final = "starred"


def make_text_chips(place: str, params: Params, name: str) -> list[Chip]:
    """Return a chip for every filter in the text of a parameter."""
    text = dict(params).get(name, "")
    others = _without(params, name)
    chips = []
    for term in filter_terms(text):
        rest = without_term(text, term)
        url = make_url(place, [*others, (name, rest)] if rest else others)
        plain = plain_words(term.name, term.value)
        word, value = (plain, "") if plain else (term.name.replace("-", " "), term.value)
        chips.append(Chip(word if term.is_wanted else f"not {word}", value, url))
    return chips


def make_quick_chips(place: str, params: Params, filters: Collection[str]) -> list[QuickChip]:
    """Return the filters that are used most, but for those that are set.

    `filters` are the names of all: only where readers keep notes are there stars.
    """
    given = {name for name, _ in params}
    typed = {(term.name, term.value) for term in filter_terms(dict(params).get("text", ""))}
    chips = []
    if not {"project", "repository"} & given and "project" not in dict(typed):
        url = make_url(place, [*_without(params, "group"), ("group", "project")])
        chips.append(QuickChip("Project…", url, "project:"))
    if "is_running" not in given and ("is", "running") not in typed:
        chips.append(_set(place, params, "Running", ("is_running", "true")))
    if ("is", "waiting") not in typed:
        text = f"{dict(params).get('text', '')} is:waiting".strip()
        chips.append(_set(place, params, "Waiting", ("text", text)))
    if _STARRED in filters and _STARRED not in given:
        chips.append(_set(place, params, "Starred", (_STARRED, "true")))
    if not {"since", "day"} & given and "since" not in dict(typed):
        chips.append(_set(place, params, "Last 7 days", ("since", "7d")))
    return chips


def _set(place: str, params: Params, label: str, pair: tuple[str, str]) -> QuickChip:
    return QuickChip(label, make_url(place, [*_without(params, pair[0]), pair]))


def _without(params: Params, name: str) -> list[tuple[str, str]]:
    return [pair for pair in params if pair[0] not in (name, _CURSOR)]
