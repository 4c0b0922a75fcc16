// What axe does not look for: one line for each fault.
() => {
  const faults = [];
  const fault = (rule, element) => faults.push(`${rule}: ${element.outerHTML.replace(/\s+/g, " ").slice(0, 120)}`);
  const all = (selector) => [...document.querySelectorAll(selector)];

  // Names that lead nowhere.
  const ids = new Set();
  for (const element of all("[id]")) {
    if (ids.has(element.id)) fault("the same id twice", element);
    ids.add(element.id);
  }
  for (const name of ["for", "popovertarget"]) {
    for (const element of all(`[${name}]`)) if (!ids.has(element.getAttribute(name))) fault(`${name} leads nowhere`, element);
  }
  for (const link of all("a[href^='#']")) {
    if (!ids.has(decodeURIComponent(link.hash.slice(1))) && !document.querySelector("[data-waiting]")) fault("a link that leads nowhere", link);
  }
  for (const cell of all("table.data th:not([scope])")) if (cell.checkVisibility()) fault("a heading of nothing", cell);

  // Contrast of the words in a drawing, and of what a field suggests.
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = text;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const groundOf = (element) => {
    if (!element) return [255, 255, 255, 1];
    const own = colour(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, groundOf(element.parentElement));
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (ink, below) => {
    const [one, two] = [light(over(ink, below)), light(below)].sort((x, y) => y - x);
    return (one + 0.05) / (two + 0.05);
  };
  for (const text of all("svg text")) {
    if (!text.checkVisibility({ visibilityProperty: true })) continue;
    const [r, g, b, a] = colour(getComputedStyle(text).fill);
    const ratio = contrast([r, g, b, a * Number(getComputedStyle(text).opacity)], groundOf(text.closest("svg").parentElement));
    if (ratio < 4.49) fault(`contrast ${ratio.toFixed(2)}`, text);
  }
  for (const field of all("input[placeholder]")) {
    if (field.checkVisibility() && contrast(colour(getComputedStyle(field, "::placeholder").color), groundOf(field)) < 4.49) fault("contrast of what a field suggests", field);
  }
  return faults;
}
