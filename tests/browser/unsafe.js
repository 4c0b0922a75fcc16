// Everything on a page that only an attack could have put there.
() => {
  const found = [];
  // Our own scripts move the frame on the map, and reserve the height of sections that are not drawn.
  const sizes = /^(content-visibility|contain-intrinsic-[a-z-]+|min-height)$/;
  const isOurs = (element) => element.closest("[data-map]")
    || (element.matches("[data-section]") && [...element.style].every((property) => sizes.test(property)));
  const links = /^(href|src|action|formaction|xlink:href)$/;
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) found.push(`${element.tagName} ${name}`);
      if (links.test(name) && /^\s*(javascript|vbscript):/i.test(value)) found.push(value);
      if (name === "src" && !value.startsWith("data:image/") && !value.startsWith("/assets/")) found.push(value);
      if (name === "style" && !isOurs(element)) found.push(`${element.tagName} style`);
    }
  }
  for (const name of ["iframe", "object", "embed", "base"]) {
    for (const element of document.querySelectorAll(name)) found.push(element.outerHTML.slice(0, 80));
  }
  return found;
}
