"""What can be told of a regular expression before it runs: what it looks for, how long it may take.

Only the plain part of the syntax is read: signs, sets, groups, choices and repeats. Of a pattern
with anything else, such as a look ahead or a reference back, nothing is told.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from clew.search.language import Regex

# Sets that a later Python may read in another way are left out.
_SYNTAX: Final = r"""
      (?P<sign>   [^\\.^$*+?{\[|()] | \\[^0-9A-Za-z] )
    | (?P<kind>   \. | \\[dDwWsS] | \[ \^? \]?+ (?: \\. | -(?!-) | [^\]\\\[&~|-] )* \] )
    | (?P<edge>   [$^] | \\[bBAZ] )
    | (?P<repeat> (?: [*+?] | \{ (?: [0-9]+ (?:,[0-9]*)? | ,[0-9]+ ) \} ) [?+]? )
    | (?P<open>   \( (?: \?: | (?!\?) ) )
    | (?P<close>  \) )
    | (?P<either> \| )
"""
# What grows faster than this is too much for any text.
_STEEP: Final = 4


class StepCount(msgspec.Struct, frozen=True):
    """At most `times` by (n + 1) ** `degree`, for a text of n signs."""

    times: float
    degree: float = 0

    def __add__(self, other: "StepCount") -> "StepCount":
        """Return what both are together."""
        return StepCount(self.times + other.times, max(self.degree, other.degree))

    def __mul__(self, other: "StepCount") -> "StepCount":
        """Return what the one is when it is done for each of the other."""
        return StepCount(self.times * other.times, self.degree + other.degree)

    def at(self, length: int) -> float:
        """Return the most it can be for a text of this length."""
        is_steep = self.degree > _STEEP
        return math.inf if is_steep else float(self.times * (length + 1) ** self.degree)


_NOTHING: Final = StepCount(0.0)
_ONE: Final = StepCount(1.0)
_ANY_LENGTH: Final = StepCount(1.0, 1)
_ENDLESS: Final = StepCount(1.0, math.inf)


class Shape(msgspec.Struct, frozen=True):
    """What is known of a pattern, or of a part of one.

    From one place in a text on, it can be tried in no more than so many `paths`, with so many
    `steps` in all. Whatever it matches holds one of the `needles`, if there are any, and one of
    each of the `others`. It begins with the `prefix`, and is `text` when that is known. `is_single`
    says that it always stands for one sign.
    """

    paths: StepCount
    steps: StepCount
    needles: tuple[str, ...] = ()
    text: str | None = None
    prefix: str = ""
    others: tuple[tuple[str, ...], ...] = ()
    is_single: bool = False


def shape_of(regex: Regex) -> Shape | None:
    """Tell what is known of an expression; None if it is more than plain."""
    # With `x`, spaces and comments in the source mean nothing.
    return None if "x" in regex.flags else read_shape(regex.source)


@lru_cache(maxsize=64)
def read_shape(source: str) -> Shape | None:
    """Tell what is known of a pattern that compiles; None if it is more than plain."""
    tokens = _split(source)
    if tokens is None:
        return None
    groups: list[list[list[Shape]]] = [[[]]]
    for number, (kind, text) in enumerate(tokens):
        branch = groups[-1][-1]
        match kind:
            case "open":
                groups.append([[]])
            case "either":
                groups[-1].append([])
            case "close":
                inner = _either(groups.pop())
                groups[-1][-1].append(inner)
            case "repeat":
                rest = tokens[number + 1 :]
                is_last = _is_last(rest, is_inside=len(groups) > 1)
                part = branch.pop()
                is_fenced = part.is_single and _is_fenced(tokens[number - 1][1], rest)
                branch.append(_repeated(part, text, is_last=is_last, is_fenced=is_fenced))
            case "sign":
                branch.append(Shape(_ONE, _ONE, text=text[-1], is_single=True))
            case "edge":
                branch.append(Shape(_ONE, _ONE, text=""))
            case _:
                branch.append(Shape(_ONE, _ONE, is_single=True))
    return _either(groups[0])


def _split(source: str) -> list[tuple[str, str]] | None:
    """Cut a pattern into tokens, each with its kind; None if some part of it is not plain."""
    # Compiled here, since few searches need it and every start would wait for it.
    pattern = re.compile(_SYNTAX, re.VERBOSE | re.DOTALL)
    tokens: list[tuple[str, str]] = []
    end = 0
    while end < len(source):
        token = pattern.match(source, end)
        if token is None:
            return None
        tokens.append((token.lastgroup or "", token[0]))
        end = token.end()
    return tokens


def _is_last(rest: Sequence[tuple[str, str]], *, is_inside: bool) -> bool:
    """Tell whether a pattern matches as soon as what stands before the rest of it does."""
    is_choice_done = bool(rest) and rest[0][0] == "either" and not is_inside
    return is_choice_done or all(kind == "close" for kind, _ in rest)


def _is_fenced(single: str, rest: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a sign must come next that what is repeated does not match itself."""
    kinds = [kind for kind, _ in rest[:2]]
    if kinds[:1] != ["sign"] or kinds[1:] == ["repeat"]:
        return False
    fence = rest[0][1][-1]
    flags = (re.DOTALL, re.DOTALL | re.IGNORECASE)
    return not any(re.fullmatch(single, fence, flag) for flag in flags)


def _either(branches: Sequence[Sequence[Shape]]) -> Shape:
    """Join choices: any of them may be what matches."""
    shapes = [_in_a_row(branch) for branch in branches]
    if len(shapes) == 1:
        return shapes[0]
    paths, steps = _NOTHING, _NOTHING
    for shape in shapes:
        paths, steps = paths + shape.paths, steps + shape.steps + _ONE
    is_known = all(shape.needles for shape in shapes)
    needles = tuple(needle for shape in shapes for needle in shape.needles) if is_known else ()
    return Shape(paths, steps, needles)


def _in_a_row(parts: Sequence[Shape]) -> Shape:
    """Join parts that all match, one behind the other: each is tried on every path up to it."""
    paths, steps = _ONE, _NOTHING
    runs = [""]
    found: list[tuple[str, ...]] = []
    for part in parts:
        steps += paths * part.steps
        paths *= part.paths
        if part.text is None:
            found.append(part.needles)
            runs.append("")
        else:
            runs[-1] += part.text
    found += [(run,) for run in runs]
    known = [ways for ways in found if ways and all(ways)]
    needles, *others = sorted(known, key=lambda ways: -min(map(len, ways))) or [()]
    text = runs[0] if len(runs) == 1 else None
    return Shape(paths, steps, needles, text, prefix=runs[0], others=tuple(others))


def _repeated(part: Shape, sign: str, *, is_last: bool, is_fenced: bool) -> Shape:
    """Let a part match several times; a group that does may go back and forth for ever."""
    least, most = _read_repeat(sign)
    needles = (part.needles or _known(part.text)) if least else ()
    if part.is_single and is_last:
        # Nothing behind it can fail, so that it never gives back what it took.
        return Shape(_ONE, StepCount(least + 1.0), needles)
    if part.is_single:
        ways = _ANY_LENGTH if most == math.inf else StepCount(most - least + 1.0)
        # Where the fence stands there is one way on, however many are tried.
        return Shape(_ONE if is_fenced else ways, ways + StepCount(float(least)), needles)
    if most == 1:
        return Shape(part.paths + _ONE, part.steps + _ONE, needles)
    return Shape(_ENDLESS, _ENDLESS, needles)


def _known(text: str | None) -> tuple[str, ...]:
    return (text,) if text else ()


def _read_repeat(sign: str) -> tuple[int, float]:
    """Return how often at least and at most: `{2,}` is twice or more, `{,2}` up to twice."""
    if sign[0] != "{":
        return int(sign[0] == "+"), 1 if sign[0] == "?" else math.inf
    least, comma, most = sign[1 : sign.index("}")].partition(",")
    return int(least or 0), int(most) if most else math.inf if comma else int(least)
