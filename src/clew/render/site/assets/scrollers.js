// What scrolls sideways can be reached by keys in every browser, also where it holds no link.
const scrollers = ".numbered, .wide, pre";

const reach = (element) => {
  const isWide = element.scrollWidth > element.clientWidth && getComputedStyle(element).overflowX !== "visible";
  if (isWide && !element.querySelector("a[href], button")) element.tabIndex = 0;
};

// In a session, measured only when it is about to be seen: what is far away is not laid out.
const isLong = document.querySelector("[data-sections]") !== null;
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    reach(target);
  }
}, { rootMargin: isLong ? "50%" : "100000px" });

const watch = (place) => {
  for (const element of place.querySelectorAll(scrollers)) {
    if (!element.closest("details:not([open])")) seen.observe(element);
  }
};

document.addEventListener("toggle", ({ target }) => {
  if (target.open) for (const element of target.querySelectorAll(scrollers)) if (element.checkVisibility()) reach(element);
}, true);
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) watch(node);
}).observe(document.querySelector("main"), { childList: true, subtree: true });
watch(document);

// In a narrow window the pages of a session scroll sideways: they stay where they were, with the one that is shown in sight.
const tabs = document.querySelector(".site-head .session-links");
if (tabs && tabs.scrollWidth > tabs.clientWidth) {
  try { tabs.scrollLeft = Number(sessionStorage.getItem("clew-tabs")); } catch { /* They begin at the left. */ }
  tabs.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  addEventListener("pagehide", () => { try { sessionStorage.setItem("clew-tabs", tabs.scrollLeft); } catch { /* The next page begins at the left. */ } });
}
