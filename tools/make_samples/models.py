"""The models that answer."""

from typing import Final

OPUS: Final = "claude-opus-5-5"
SONNET: Final = "claude-sonnet-5-5"
HAIKU: Final = "claude-haiku-5-5"
