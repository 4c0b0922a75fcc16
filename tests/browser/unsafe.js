// Everything on a page that only an attack could have put there.
() => {
  const found = [];
  const links = /^(href|src|action|formaction|xlink:href)$/;
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) found.push(`${element.tagName} ${name}`);
      if (links.test(name) && /^\s*(javascript|vbscript):/i.test(value)) found.push(value);
      if (name === "src" && !value.startsWith("data:image/") && !value.startsWith("/assets/")) found.push(value);
      // The frame on the map is moved by our own script.
      if (name === "style" && !element.closest("[data-map]")) found.push(`${element.tagName} style`);
    }
  }
  for (const name of ["iframe", "object", "embed", "base"]) {
    for (const element of document.querySelectorAll(name)) found.push(element.outerHTML.slice(0, 80));
  }
  return found;
}
