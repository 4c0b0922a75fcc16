"""Source files of an invented project: code in four languages, documents and settings."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Final

import msgspec

from bench.dice import Dice

# In every line: f and g are functions, a b c variables, t a type, s a short text, n a number.
PYTHON: Final = (
    "def {f}({a}: {t}, {b}: int = {n}) -> {t}:",
    '    """{s}."""',
    "    if {a} is None or not {b}:",
    '        raise ValueError("{s}")',
    "    {c} = {g}({a}, {b})",
    "    {c} = [{a} for {a} in {b} if {a}.{c}]",
    "    for {a} in sorted({b}, key=lambda item: item.{c}):",
    "        {c}.append({g}({a}))",
    "    with open({a}, encoding='utf-8') as {b}:",
    "        {a} = {b}.read().split({n})",
    "    return {t}({a}={a}, {b}={c})",
    "    assert {f}({a}) == {n}",
    "    # {s}",
    "",
    "class {t}:",
    "    {a}: {t} | None = None",
    "    logger.info('{s}: %s', {a})",
    "    self.{a} = {b}.get('{c}', {n})",
    "from .{a} import {t}, {f}",
    "    try:",
    "    except {t}Error as error:",
    "        {a} += {n} * len({b})",
    "",
    "        continue",
    "    else:",
    "    )",
    "        {a},",
    "    return {a}",
    '        "{a}": {b},',
    "    {a}.{b}()",
    "",
)
GO: Final = (
    "func (s *{t}) {f}({a} string, {b} int) (*{t}, error) {{",
    "\tif err := {g}({a}); err != nil {{",
    '\t\treturn nil, fmt.Errorf("{s}: %w", err)',
    "\t}}",
    "\t{a} := make([]{t}, 0, {n})",
    "\tfor _, {b} := range {a}.{c} {{",
    "\t\t{c} = append({c}, {b}.{f}())",
    "\treturn {a}, nil",
    "}}",
    "",
    "// {f} {s}.",
    "type {t} struct {{",
    '\t{a} string `json:"{b}"`',
    "\tdefer {a}.Close()",
    '\tt.Run("{s}", func(t *testing.T) {{',
    "\trequire.Equal(t, {n}, len({a}))",
    "\tctx, cancel := context.WithTimeout(ctx, {n}*time.Millisecond)",
    "\tswitch {a}.{b} {{",
    '\tcase "{c}":',
    "\t\t}}",
    "\t}}",
    "}}",
    "",
    "\t\t\tcontinue",
    "\t\treturn err",
    "\t\t\t{a}.{b}++",
    "\t\t{{{n}, {a}, nil}},",
    "\t\t\t\t{a}: {b},",
    "\tif !ok {{",
)
TYPESCRIPT: Final = (
    "export async function {f}({a}: {t}, {b} = {n}): Promise<{t}> {{",
    "  const {{ {a}, {b} }} = await {g}({c});",
    "  if (!{a}?.{b}) throw new Error(`{s}: ${{{c}}}`);",
    "  return {a}.map(({b}) => ({{ ...{b}, {c}: {n} }}));",
    "}}",
    "",
    "export interface {t} {{",
    "  {a}?: {t}[];",
    "  {b}: string;",
    '  expect({f}({a})).toEqual("{s}");',
    '  it("{s}", async () => {{',
    "  }});",
    "// {s}",
    'import {{ {t}, {f} }} from "./{a}";',
    "  const [{a}, set{t}] = useState<{t} | null>(null);",
    '    <{t} className="{a}-{b}" onClick={{() => {f}({n})}}>',
    "    </{t}>",
    "  useEffect(() => {{ {g}({a}); }}, [{a}, {b}]);",
    "  for (const {a} of {b}.{c} ?? []) {{",
    "    }}",
    "  }}",
    "  );",
    "",
    "      {a},",
    "    return {a};",
    '      "{a}",',
    "    {a}: {b},",
    "",
)
MARKDOWN: Final = (
    "## {s}",
    "",
    "{s}. See `{f}` and `{t}`: {s}.",
    "- `{a}`: {s} ({n})",
    "- [ ] {s}",
    "| `{a}` | {n} | {s} |",
    "```sh",
    "{a} --{b}={n} {c}",
    "```",
    "{s} \u2014 {s}.",
    "1. {s} \u2192 `{a}`",
    "",
    "- \u2713 {s}",
    "",
)
SETTINGS: Final = (
    '  "{a}": "{s}",',
    '  "{b}": {n},',
    '  "{c}": {{',
    '    "{a}": ["{b}", "{c}"],',
    '    "{f}": true',
    "  }},",
    "    {{",
    "    }},",
    '      "{a}"',
    "    ],",
)
NUMBERS: Final = (*range(33), *range(40, 400, 7), 404, 500, 512, 1000, 1024, 4096, 8080, 65_536)
TOGETHER: Final = 6
LANGUAGES: Final = {"py": PYTHON, "go": GO, "ts": TYPESCRIPT, "md": MARKDOWN, "json": SETTINGS}


class Names(msgspec.Struct, frozen=True):
    """What a project calls its things."""

    functions: Sequence[str]
    variables: Sequence[str]
    types: Sequence[str]
    phrases: Sequence[str]


class SourceFile:
    """A file of the project as it stands now; edits change it."""

    def __init__(self, path: str, write: Callable[[str], list[str]]) -> None:
        """Take a path, and what writes the lines once somebody opens the file."""
        self.path = path
        self._write = write

    @cached_property
    def lines(self) -> list[str]:
        """The lines as they stand now."""
        return self._write(self.suffix)

    @property
    def suffix(self) -> str:
        """What stands after the last dot of the path."""
        return self.path.rpartition(".")[2]

    def text(self) -> str:
        """Give the whole file."""
        return "\n".join(self.lines)


def write_lines(dice: Dice, names: Names, suffix: str, count: int) -> list[str]:
    """Write so many lines in the language that the suffix stands for."""
    patterns = iter(dice.choices(LANGUAGES[suffix], k=count))
    return [
        pattern.format_map(fillings)
        # Neighbouring lines speak of the same things, in real code too.
        for fillings in _fillings(dice, names, -(-count // TOGETHER))
        for pattern in islice(patterns, TOGETHER)
    ]


def _fillings(dice: Dice, names: Names, count: int) -> Iterator[dict[str, object]]:
    """Roll what stands for each letter, so many times."""
    few = dice.choices(names.variables, k=12)
    rolled: dict[str, Sequence[object]] = {letter: dice.choices(few, k=count) for letter in "abc"}
    rolled |= {letter: dice.choices(names.functions, k=count) for letter in "fg"}
    rolled |= {"t": dice.choices(names.types, k=count), "s": dice.choices(names.phrases, k=count)}
    rolled["n"] = dice.choices(NUMBERS, k=count)
    return (dict(zip(rolled, things, strict=True)) for things in zip(*rolled.values(), strict=True))
