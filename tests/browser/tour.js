// Notes what the Tab key reaches from here on, and what of it does not show that it has the focus.
() => {
  const tell = (element) => element.outerHTML.replace(/\s+/g, " ").slice(0, 140);
  const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex], [contenteditable]";
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0 && !element.closest("[inert]");
  const isChosen = (element) => element.type !== "radio" || element.checked || !document.querySelector(`input[name="${element.name}"]:checked`);
  const shown = [...document.querySelectorAll(controls)].filter((element) => !element.disabled && isShown(element));
  const widget = "svg, [role=grid], [role=group], [role=listbox], [role=menu], [role=slider], [role=tablist], [role=toolbar], [role=tree]";

  // Of a widget, one control is a stop, and arrows lead to the others.
  const isWithin = (element) => element.closest(widget)?.querySelector("[tabindex='0']");
  const cannot = shown.filter((element) => element.tabIndex < 0 && element.matches("a, button, input, select, textarea, summary") && !isWithin(element));

  const isOutlined = ({ outlineStyle, outlineWidth, boxShadow }) => (outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  const isDrawn = ({ stroke, strokeWidth, textDecorationLine }) => (stroke !== "none" && Number.parseFloat(strokeWidth) >= 2) || textDecorationLine.includes("underline");
  const reached = new Set();
  const unseen = new Set();
  addEventListener("focusin", ({ target }) => {
    reached.add(target);
    // Within a drawing, what is focused has no box of its own: a part of it shows the focus.
    const parts = target.closest("svg") ? [...target.querySelectorAll("*")] : [];
    if (!isOutlined(getComputedStyle(target)) && !parts.some((part) => isDrawn(getComputedStyle(part)))) unseen.add(tell(target));
  });
  const wanted = shown.filter((element) => element.tabIndex >= 0 && isChosen(element));
  window.tour = {
    stops: wanted.length,
    left: () => wanted.filter((element) => !reached.has(element) && isShown(element)).length,
    faults: () => [
      ...cannot.map((element) => `no stop: ${tell(element)}`),
      ...wanted.filter((element) => !reached.has(element) && isShown(element)).map((element) => `not reached: ${tell(element)}`),
      ...[...unseen].map((told) => `its focus is not seen: ${told}`),
    ],
  };
  return wanted.length;
}
