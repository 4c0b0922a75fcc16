"""Model names: one spelling for the many ids under which one model is served."""

import re
from functools import lru_cache
from typing import Final

SYNTHETIC: Final = "<synthetic>"
"""The model that the client names on answers it wrote itself, without a call."""

# The whole id must fit: one that only begins like a known id is another model, at another price.
_CLAUDE: Final = re.compile(
    r"""
    (?: (?: (?P<region> [a-z]{2,6} (?: -gov )? ) \. )? anthropic [.:] )?   # Bedrock: us.anthropic.
    claude-
    (?:
        (?P<family> [a-z]+ ) - (?P<version> [1-9][0-9]? (?: [-.][0-9]{1,2} )? )
      | (?P<old_version> [1-9][0-9]? (?: [-.][0-9]{1,2} )? ) - (?P<old_family> [a-z]+ )
    )
    (?: -v[0-9] (?= @ ) )?                                     # Vertex: -v2@20241022
    (?: [-@] (?: [0-9]{8} | [0-9]{4}-[0-9]{2}-[0-9]{2} | latest | default ) )?
    (?: -v[0-9] (?: :[0-9] (?: :[0-9]+k )? )? )?               # Bedrock: -v1:0, -v1:0:200k
    (?: \[ [0-9]+ [km] \] )?                                   # Claude Code: [1m]
    """,
    re.VERBOSE,
)


_LOCATION: Final = re.compile(r"/locations/([a-z0-9-]+)/")
_ANYWHERE: Final = "global"


def normalise(model: str) -> str:
    """Return the name under which the price table lists `model`.

    Suffixes, dates, provider prefixes and the order of family and version are made equal:
    `us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]` is `claude-sonnet-4-5`. What does not have
    the form of a Claude id comes back as it is, and has no price.
    """
    parts = _family_and_version(model)
    if parts is None:
        return model
    family, version = parts
    # The third generation has the version first in its official names.
    if version.partition("-")[0] == "3":
        return f"claude-{version}-{family}"
    return f"claude-{family}-{version}"


@lru_cache(maxsize=256)
def region_of(model: str) -> str:
    """Return whether an id keeps requests in a region, which may cost more: `regional` or `gov`.

    Bedrock uses a prefix (`eu.anthropic.`), Vertex a path (`…/locations/europe-west1/…`).
    Empty where requests may go anywhere, or no region is named.
    """
    path, _, name = model.strip().lower().rpartition("/")
    match = _CLAUDE.fullmatch(name)
    location = _LOCATION.search(f"/{path}/")
    region = (match and match["region"]) or (location[1] if location else "")
    if region in ("", _ANYWHERE):
        return ""
    return "gov" if region.endswith("-gov") else "regional"


def display_name(model: str) -> str:
    """Return a name for people: `claude-opus-5-5` is "Opus 5.5". Others come back as they are."""
    parts = _family_and_version(model)
    if parts is None:
        return model
    family, version = parts
    return f"{family.capitalize()} {version.replace('-', '.')}"


def is_synthetic(model: str) -> bool:
    """Return whether `model` marks text of the client's own: no call was made, nothing is owed."""
    return model == SYNTHETIC


@lru_cache(maxsize=256)
def _family_and_version(model: str) -> tuple[str, str] | None:
    # A path before the id says who serves the model (an ARN, a gateway), not which one it is.
    match = _CLAUDE.fullmatch(model.strip().lower().rpartition("/")[2])
    if match is None:
        return None
    family = match["family"] or match["old_family"]
    version = (match["version"] or match["old_version"]).replace(".", "-").removesuffix("-0")
    return family, version
