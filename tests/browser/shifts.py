"""How far a page moves by itself while it is drawn and read."""

from typing import Final

from playwright.sync_api import Browser, BrowserContext, Page

LEAST_SEEN: Final = 0.1
"""From here on a person is bothered, by the usual measure (cumulative layout shift)."""
_WATCH: Final = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    const moved = entry.sources.map(({ node }) => (node?.outerHTML ?? "").slice(0, 80));
    window.shifts.push({ value: entry.value, moved });
  }
}).observe({ type: "layout-shift", buffered: true });
"""
_IDLE: Final = "() => new Promise((done) => requestIdleCallback(() => requestAnimationFrame(done)))"


def watching_context(browser: Browser, width: int) -> BrowserContext:
    """Make a context whose pages note each time something moves."""
    context = browser.new_context(viewport={"width": width, "height": 800})
    context.add_init_script(_WATCH)
    return context


def find_shifts(page: Page) -> list[str]:
    """Read a page down to its end; tell what moved, if it was too much in all."""
    for step in range(4):
        page.evaluate(_IDLE)
        page.evaluate(f"scrollTo(0, {step} * innerHeight)")
    page.evaluate(_IDLE)
    shifts = page.evaluate("shifts")
    if sum(shift["value"] for shift in shifts) < LEAST_SEEN:
        return []
    return [f"{shift['value']:.3f} {shift['moved']}" for shift in shifts]
