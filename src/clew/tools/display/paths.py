"""Paths for display: relative to the working directory, and the language of a file."""

import ntpath
import posixpath
from typing import Final

_SLASHES: Final = "/\\"
_NAMES: Final = {
    "containerfile": "dockerfile",
    "dockerfile": "dockerfile",
    "gnumakefile": "makefile",
    "justfile": "just",
    "makefile": "makefile",
}
_SUFFIXES: Final = {
    "bash": "bash",
    "bat": "batch",
    "c": "c",
    "cc": "cpp",
    "cfg": "ini",
    "cjs": "javascript",
    "clj": "clojure",
    "conf": "ini",
    "cpp": "cpp",
    "cs": "csharp",
    "css": "css",
    "cts": "typescript",
    "cxx": "cpp",
    "dart": "dart",
    "diff": "diff",
    "ex": "elixir",
    "exs": "elixir",
    "erl": "erlang",
    "go": "go",
    "gradle": "groovy",
    "graphql": "graphql",
    "h": "c",
    "hcl": "hcl",
    "hpp": "cpp",
    "hs": "haskell",
    "htm": "html",
    "html": "html",
    "ini": "ini",
    "ipynb": "json",
    "java": "java",
    "js": "javascript",
    "json": "json",
    "json5": "json5",
    "jsonc": "json",
    "jsonl": "json",
    "jsx": "jsx",
    "kt": "kotlin",
    "kts": "kotlin",
    "less": "less",
    "lua": "lua",
    "m": "objectivec",
    "markdown": "markdown",
    "md": "markdown",
    "mdx": "markdown",
    "mjs": "javascript",
    "ml": "ocaml",
    "mts": "typescript",
    "nix": "nix",
    "patch": "diff",
    "php": "php",
    "pl": "perl",
    "proto": "protobuf",
    "ps1": "powershell",
    "py": "python",
    "pyi": "python",
    "r": "r",
    "rb": "ruby",
    "rs": "rust",
    "rst": "rst",
    "sass": "sass",
    "scala": "scala",
    "scss": "scss",
    "sh": "bash",
    "sql": "sql",
    "svelte": "html",
    "svg": "xml",
    "swift": "swift",
    "tex": "latex",
    "tf": "hcl",
    "toml": "toml",
    "ts": "typescript",
    "tsx": "tsx",
    "vue": "html",
    "xml": "xml",
    "yaml": "yaml",
    "yml": "yaml",
    "zig": "zig",
    "zsh": "bash",
}


def language_of(path: str) -> str:
    """Return the language of a file, as written after a code fence; empty if unknown."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    if name in _NAMES:
        return _NAMES[name]
    _, dot, suffix = name.rpartition(".")
    return _SUFFIXES.get(suffix, "") if dot else ""


def short_path(path: str, cwd: str) -> str:
    """Make a path below the working directory relative to it."""
    folder = cwd.rstrip(_SLASHES)
    if not folder or not path.startswith(folder):
        return path
    below = path[len(folder) :]
    return below.lstrip(_SLASHES) if below.startswith(("/", "\\")) else path


def resolve_path(path: str, cwd: str) -> str:
    """Make a path absolute that is relative to a folder; it need not exist on this machine."""
    if not cwd or path.startswith(("/", "\\", "~")) or path[1:2] == ":":
        return path
    if "\\" in cwd and "/" not in cwd:
        return ntpath.normpath(ntpath.join(cwd, path))
    return posixpath.normpath(posixpath.join(cwd, path))


def searched_folder(path: str, cwd: str) -> str:
    """Return the folder of a search, relative; empty for the working directory itself."""
    return "" if path.rstrip(_SLASHES) == cwd.rstrip(_SLASHES) else short_path(path, cwd)


def search_label(pattern: str, *places: str) -> str:
    """Describe a search: the pattern, and where."""
    where = ", ".join(place for place in places if place)
    return f'"{pattern}" in {where}' if where else f'"{pattern}"'
