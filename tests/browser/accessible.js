// What would hinder somebody who reads with other eyes or other hands: one line for each fault.
() => {
  const faults = [];
  const fault = (rule, element) => {
    const told = element ? element.outerHTML.replace(/\s+/g, " ").slice(0, 120) : "";
    faults.push(`${rule}: ${told}`);
  };
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("[aria-hidden=true]");
  const shown = (selector) => all(selector).filter(isShown);

  const textOf = (ids) => ids.split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  const nameOf = (element) => [
    element.getAttribute("aria-label"),
    element.hasAttribute("aria-labelledby") ? textOf(element.getAttribute("aria-labelledby")) : "",
    ...[...(element.labels ?? [])].map((label) => label.textContent),
    element.matches("input, select, textarea") ? "" : element.textContent,
    ...[...element.querySelectorAll("img")].map((image) => image.alt),
    element.querySelector("svg > title")?.textContent,
    element.title,
  ].filter((text) => text?.trim()).join(" ");

  if (!document.documentElement.lang) fault("no language");
  if (!document.title.trim()) fault("no title");
  if (shown("main").length !== 1) fault("not one main");
  if (shown("h1").length !== 1) fault("not one h1");
  if (!document.querySelector("a.skip[href^='#']")) fault("no link past the navigation");

  let level = 0;
  for (const heading of shown("h1, h2, h3, h4, h5, h6")) {
    const own = Number(heading.tagName[1]);
    if (level && own > level + 1) fault(`heading ${own} after ${level}`, heading);
    if (!heading.textContent.trim()) fault("empty heading", heading);
    level = own;
  }

  const ids = new Set();
  for (const element of all("[id]")) {
    if (ids.has(element.id)) fault("the same id twice", element);
    ids.add(element.id);
  }
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for", "popovertarget"]) {
    for (const element of all(`[${name}]`)) {
      for (const id of element.getAttribute(name).split(/\s+/)) if (!ids.has(id)) fault(`${name} leads nowhere`, element);
    }
  }
  for (const link of all("a[href^='#']")) {
    if (!ids.has(decodeURIComponent(link.hash.slice(1))) && !document.querySelector("[data-waiting]")) fault("a link that leads nowhere", link);
  }

  for (const field of shown("input, select, textarea")) if (!nameOf(field)) fault("a field without a label", field);
  for (const element of shown("button, a[href], summary, [role=button], dialog[open], [role=group], [role=img]")) {
    if (!nameOf(element)) fault("no name", element);
  }
  for (const image of all("img:not([alt])")) fault("no alternative text", image);
  for (const picture of shown("svg")) {
    if (!nameOf(picture) && !picture.closest("a, button, [role=img], [role=group]")) fault("a picture without a name", picture);
  }
  for (const element of all("[tabindex]")) if (element.tabIndex > 0) fault("its own order of tabs", element);
  for (const list of all("ul, ol")) {
    for (const child of list.children) if (!child.matches("li, script, template")) fault("no item of a list", child);
  }
  for (const cell of shown("table.data th:not([scope])")) fault("a heading of nothing", cell);
  const places = shown("nav");
  if (places.length > 1) for (const place of places) if (!nameOf({ ...place, getAttribute: (n) => place.getAttribute(n), hasAttribute: (n) => place.hasAttribute(n), matches: () => true, querySelectorAll: () => [], querySelector: () => null, title: "" })) fault("one of several without a name", place);

  // Contrast.
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const colour = (text) => {
    if (!known.has(text)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = text;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      known.set(text, [r, g, b, a / 255]);
    }
    return known.get(text);
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = new Map();
  const groundOf = (element) => {
    if (!element) return [255, 255, 255, 1];
    if (!ground.has(element)) {
      const own = colour(getComputedStyle(element).backgroundColor);
      ground.set(element, own[3] === 1 ? own : over(own, groundOf(element.parentElement)));
    }
    return ground.get(element);
  };
  const opacityOf = (element) => (element ? Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement) : 1);
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || seen.has(element) || element.closest("script, style, noscript, title, .sr, .skip, option")) continue;
    seen.add(element);
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    const ink = colour(element.closest("svg") ? style.fill : style.color);
    const below = groundOf(element.closest("svg")?.parentElement ?? element);
    const [r, g, b, a] = ink;
    const [one, two] = [light(over([r, g, b, a * opacityOf(element)], below)), light(below)].sort((x, y) => y - x);
    const ratio = (one + 0.05) / (two + 0.05);
    const size = Number.parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < least - 0.01) fault(`contrast ${ratio.toFixed(2)}`, element);
  }
  for (const field of shown("input[placeholder]")) {
    const [one, two] = [light(colour(getComputedStyle(field, "::placeholder").color)), light(groundOf(field))].sort((x, y) => y - x);
    if ((one + 0.05) / (two + 0.05) < 4.49) fault("contrast of what a field suggests", field);
  }
  return faults;
}
