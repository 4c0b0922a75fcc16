// Copy: a message as Markdown, a block of code, the command that goes on with the session.
const sources = "[data-part=code], [data-part=output], [data-part=diff], main [data-language], main [data-kind]";
let near = null;

const inline = {
  CODE: (text) => fenced(text, "`"),
  STRONG: (text) => `**${text}**`,
  EM: (text) => `*${text}*`,
  DEL: (text) => `~~${text}~~`,
  BR: () => "\n",
};

function fenced(text, tick) {
  const runs = text.match(/`+/g) ?? [];
  const longest = Math.max(0, ...runs.map((run) => run.length));
  const fence = tick.repeat(Math.max(tick.length, longest + 1));
  return text.startsWith("`") || text.endsWith("`") ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

function fence(text, language = "") {
  const runs = text.match(/^`{3,}/gm) ?? [];
  const ticks = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${ticks}${language}\n${text.replace(/\n$/, "")}\n${ticks}`;
}

function words(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  if (node.matches("ul, ol, p, pre, blockquote, table")) return `\n${block(node)}`;
  if (node.matches(".box")) return node.ariaLabel === "done" ? "[x]" : "[ ]";
  const text = [...node.childNodes].map(words).join("");
  if (node.tagName === "A" && node.href) return text === node.getAttribute("href") ? text : `[${text}](${node.getAttribute("href")})`;
  return inline[node.tagName] ? inline[node.tagName](text) : text;
}

function indent(text, first) {
  const blank = " ".repeat(first.length);
  return text.split("\n").map((line, index) => (index ? blank : first) + line).join("\n").replace(/ +$/gm, "");
}

function block(node) {
  switch (node.tagName) {
    case "UL": return [...node.children].map((item) => indent(words(item).trim(), "- ")).join("\n");
    case "OL": return [...node.children].map((item, index) => indent(words(item).trim(), `${node.start + index}. `)).join("\n");
    case "PRE": return fence(textOf(node), node.dataset.language);
    case "BLOCKQUOTE": return blocks(node).split("\n").map((line) => `> ${line}`).join("\n");
    case "H4": case "H5": case "H6": return `${"#".repeat(Number(node.tagName[1]) - 3)} ${words(node)}`;
    case "HR": return "---";
    case "DIV": return node.querySelector("table") ? table(node.querySelector("table")) : blocks(node);
    case "P": return [...node.childNodes].map(words).join("");
    default: return words(node);
  }
}

function blocks(holder) {
  return [...holder.childNodes].map(block).filter((text) => text.trim()).join("\n\n");
}

function table(element) {
  const lines = [...element.rows].map((row) => `| ${[...row.cells].map((cell) => words(cell).replaceAll("|", "\\|")).join(" | ")} |`);
  if (element.tHead) lines.splice(1, 0, `|${" --- |".repeat(element.rows[0].cells.length)}`);
  return lines.join("\n");
}

function plain(holder) {
  return [...holder.querySelectorAll("pre:not([aria-hidden])")].map((pre) => pre.textContent.replace(/\n$/, "")).join("\n");
}

const shapes = {
  prose: blocks,
  // What a person typed is drawn as paragraphs and fences, all other words as lines.
  words: (part) => (part.matches(".prose") ? blocks(part) : plain(part)),
  code: (part) => fence(plain(part), part.dataset.language),
  output: (part) => fence(plain(part)),
  diff: (part) => fence(plain(part), "diff"),
  thinking: () => "",
  call: (part) => callText(part),
  parallel: (part) => parts(part),
  called: (part) => parts(part),
  fold: (part) => parts(part),
};

function callText(part) {
  const line = part.querySelector("summary");
  const title = [...line.children].slice(0, 2).map((child) => child.textContent.trim()).join(" ");
  return `**${title}**\n\n${parts(part.lastElementChild)}`.trim();
}

function parts(holder) {
  const level = Math.max(Number(document.body.dataset.detail), 1);
  return [...holder.children].filter((part) => Number(part.dataset.level ?? 0) <= level && !part.matches("summary, button, .own-page")).map((part) => {
    const shape = shapes[part.dataset.part];
    return shape ? shape(part) : blocks(part);
  }).filter((text) => text.trim()).join("\n\n");
}

function asMarkdown(message) {
  const name = message.querySelector("h3")?.textContent.trim() ?? message.dataset.kind;
  const time = message.querySelector("time")?.dateTime ?? "";
  return `### ${name}${time ? ` (${time})` : ""}\n\n${parts(message.querySelector("[data-body]") ?? message)}\n`;
}

async function copy(text, feedback) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  feedback.textContent = "Copied";
  setTimeout(() => { feedback.textContent = "Copy"; }, 1200);
}

// Each block has a button of its own: one that moved with the pointer could copy another block than it was aimed at.
function buttonOf(source) {
  const known = source.querySelector(":scope > .copy");
  if (known) return known;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "kind" in source.dataset ? "Copy message as Markdown" : "Copy");
  source.append(button);
  return button;
}

// Shows the button of the innermost block around an element.
function offer(target) {
  const source = target.closest?.(sources);
  if (!source) return;
  near?.removeAttribute("data-near");
  near = buttonOf(source);
  near.toggleAttribute("data-near", true);
}

// The text of a block of code, without the button in it.
function textOf(pre) {
  return [...pre.childNodes].filter((node) => node.nodeName !== "BUTTON").map((node) => node.textContent).join("");
}

function contentOf(source) {
  if ("kind" in source.dataset) return asMarkdown(source);
  return source.tagName === "PRE" ? textOf(source) : plain(source);
}

document.addEventListener("pointerover", (event) => offer(event.target));
document.addEventListener("focusin", (event) => offer(event.target));
// Contents of closed folds may have to come first.
async function filled(message) {
  const wait = [];
  if (message.querySelector("[data-left]")) message.dispatchEvent(new CustomEvent("clew:fill", { bubbles: true, detail: { wait } }));
  await Promise.all(wait);
}

document.addEventListener("clew:copy", async (event) => {
  const message = event.target.closest("[data-kind]");
  offer(message);
  await filled(message);
  copy(asMarkdown(message), buttonOf(message));
});
document.addEventListener("click", async (event) => {
  const button = event.target.closest(".copy, [data-copy]");
  if (!button) return;
  event.preventDefault();
  if (button.parentElement.matches("[data-kind]")) await filled(button.parentElement);
  copy(button.matches(".copy") ? contentOf(button.parentElement) : button.parentElement.querySelector("[data-copied]").textContent, button);
});
