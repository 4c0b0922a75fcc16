// Colours for code, given where it is looked at: four shades, no claim to know a language whole.
const limit = 50_000;
const lists = {
  c: "abstract as async await break case catch class const continue default defer delete do else enum export extends extern false final finally fn for from func function go if impl implements import in instanceof interface let loop match mod move mut namespace new nil null nullptr of override package private protected pub public readonly ref return self Self sizeof static struct super switch template this throw trait true try type typedef typeof undefined union unsafe use using var virtual void volatile where while with yield int long float double char bool boolean string number any unknown never u8 u16 u32 u64 i32 i64 usize f32 f64 str Vec Option Result",
  python: "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
  ruby: "alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true unless until when while yield",
  shell: "if then else elif fi for in do done while until case esac function return export local unset source exit",
  sql: "select from where and or not in is null as on join left right inner outer full cross group by order having limit offset insert into values update set delete create table index view drop alter add column primary key foreign references unique default check case when then else end distinct union all exists between like with recursive returning begin commit pragma",
  lua: "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
  data: "true false null yes no on off",
  css: "important media supports import keyframes layer container from to",
};
const families = {
  c: "c h cc cpp cxx hpp cs java js jsx mjs cjs ts tsx mts javascript typescript go rs rust kt kotlin swift php scala dart zig vue svelte proto groovy gradle",
  python: "py python pyi pyw python3 starlark bzl",
  ruby: "rb ruby rake gemspec ex exs elixir",
  shell: "sh bash zsh fish shell console dockerfile makefile make mk ps1 powershell",
  sql: "sql sqlite postgresql mysql psql",
  lua: "lua",
  data: "json jsonc json5 jsonl yaml yml toml ini cfg conf env properties",
  css: "css scss sass less",
  markup: "html htm xml svg xhtml plist",
  diff: "diff patch",
};
const quotes = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const number = String.raw`\b(?:0x[\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b`;
const word = String.raw`[A-Za-z_][\w]*`;
const shapes = {
  c: [String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|(?![^]))`, String.raw`${quotes}|\x60(?:[^\x60\\]|\\.)*\x60`],
  python: [String.raw`#[^\n]*`, String.raw`"""[\s\S]*?(?:"""|(?![^]))|'''[\s\S]*?(?:'''|(?![^]))|${quotes}`],
  ruby: [String.raw`#[^\n]*`, quotes],
  shell: [String.raw`(?<=^|\s)#[^\n]*`, String.raw`"(?:[^"\\]|\\.)*"|'[^']*'`],
  sql: [String.raw`--[^\n]*|\/\*[\s\S]*?(?:\*\/|(?![^]))`, String.raw`'(?:[^']|'')*'`],
  lua: [String.raw`--[^\n]*`, quotes],
  data: [String.raw`(?<=^|\s)(?:[#;]|\/\/)[^\n]*`, quotes],
  css: [String.raw`\/\*[\s\S]*?(?:\*\/|(?![^]))`, quotes],
  markup: [String.raw`<!--[\s\S]*?(?:-->|(?![^]))`, quotes],
};
const byName = new Map(Object.entries(families).flatMap(([family, names]) => names.split(" ").map((name) => [name, family])));
const rules = new Map();

function rule(family) {
  if (!rules.has(family)) {
    const [comment, text] = shapes[family];
    const pattern = family === "markup" ? String.raw`(?<k><\/?[\w:-]+|\/?>)` : String.raw`(?<n>${family === "shell" ? "(?!)" : number})|(?<w>${word})(?<f>(?=\())?`;
    rules.set(family, {
      pattern: new RegExp(`(?<c>${comment})|(?<s>${text})|${pattern}`, "gm"),
      words: new Set((lists[family] ?? "").split(" ")),
      isLoose: family === "sql",
    });
  }
  return rules.get(family);
}

function shade(found, { words, isLoose }) {
  const { c, s, n, w, f, k } = found.groups;
  if (c !== undefined) return "c";
  if (s !== undefined) return "s";
  if (n !== undefined) return "n";
  if (k !== undefined) return "k";
  if (words.has(isLoose ? w.toLowerCase() : w)) return "k";
  return f === undefined ? "" : "f";
}

function spans(text, family) {
  const own = rule(family);
  const made = document.createDocumentFragment();
  let start = 0;
  for (const found of text.matchAll(own.pattern)) {
    const kind = shade(found, own);
    if (!kind || !found[0]) continue;
    if (found.index > start) made.append(text.slice(start, found.index));
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = found[0];
    made.append(span);
    start = found.index + found[0].length;
  }
  made.append(text.slice(start));
  return made;
}

function colour(holder) {
  const family = byName.get(holder.dataset.language);
  if (!family || family === "diff") return;
  const places = holder.tagName === "PRE" ? [holder.firstElementChild ?? holder] : holder.querySelectorAll("pre:not([aria-hidden])");
  for (const place of places) {
    const text = place.textContent;
    if (text.length <= limit && place.childElementCount === 0) place.replaceChildren(spans(text, family));
  }
}

const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting && target.getClientRects().length) { observer.unobserve(target); colour(target); target.dispatchEvent(new CustomEvent("clew:coloured", { bubbles: true })); }
  }
}, { rootMargin: "200px" });
for (const holder of document.querySelectorAll("main [data-language]")) observer.observe(holder);
document.addEventListener("clew:added", (event) => { for (const holder of event.target.querySelectorAll("[data-language]")) observer.observe(holder); });
