"""axe in a page: what hinders somebody who reads with other eyes or other hands."""

from collections.abc import Iterator
from importlib import resources
from typing import Any, Final

from playwright.sync_api import Page

_SCRIPT: Final = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
_RUN: Final = """async (rules) => {
  const chosen = rules.length ? { runOnly: { type: "rule", values: rules } } : {};
  const found = await axe.run(document, { resultTypes: ["violations"], ...chosen });
  return found.violations;
}"""
_SHOWN: Final = 3
CONTRAST: Final = "color-contrast"
"""The rule that depends on colours."""


def find_violations(page: Page, *rules: str) -> list[str]:
    """Check a page as it is now, by all rules or some; give a line for each that is broken."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_SCRIPT)
    return [line for found in page.evaluate(_RUN, list(rules)) for line in _tell(found)]


def _tell(found: dict[str, Any]) -> Iterator[str]:
    for node in found["nodes"][:_SHOWN]:
        reasons = [check["message"] for check in (*node["any"], *node["all"], *node["none"])]
        html = " ".join(node["html"].split())[:160]
        yield f"{found['impact']} {found['id']}: {html} ({'; '.join(reasons)})"
    if len(found["nodes"]) > _SHOWN:
        yield f"{found['id']}: {len(found['nodes']) - _SHOWN} more"
