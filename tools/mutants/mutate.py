"""Source text → mutants: every small change that a test should notice."""

import ast
import copy
from collections.abc import Iterator
from typing import Final

import msgspec

_COMPARED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift,
}
_NOT_RUN: Final = ("annotation", "returns", "decorator_list", "bases", "type_params")
_CALLED: Final = {"min": "max", "max": "min", "sum": "max", "any": "all", "all": "any"}


class Mutant(msgspec.Struct, frozen=True):
    """One change of a module: where, from what, to what, and the module's text after it."""

    line: int
    before: str
    after: str
    text: str

    @property
    def change(self) -> str:
        """The change in one line."""
        return f"{_short(self.before)} → {_short(self.after)}"


def mutate(text: str) -> list[Mutant]:
    """Give every mutant of a module, in the order of its lines."""
    raw = text.encode()
    starts = _line_starts(raw)
    found = []
    for old, new in _changes(ast.parse(text)):
        start = starts[old.lineno - 1] + old.col_offset
        end = starts[(old.end_lineno or old.lineno) - 1] + (old.end_col_offset or 0)
        before = raw[start:end].decode()
        inner = f"({new})" if isinstance(old, ast.expr) else new
        found.append(
            Mutant(old.lineno, before, new, raw[:start].decode() + inner + raw[end:].decode())
        )
    return sorted(found, key=lambda mutant: (mutant.line, mutant.after))


def _line_starts(raw: bytes) -> list[int]:
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _changes(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Give each node that can be changed, with the text to put in its place."""
    for node in _code(tree):
        for changed in _variants(node):
            yield node, ast.unparse(changed)


def _code(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Walk through what runs: no annotations, no decorators, no docstrings, no f-strings."""
    for name, value in ast.iter_fields(node):
        if name in _NOT_RUN or (name == "keywords" and isinstance(node, ast.ClassDef)):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.JoinedStr) or not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            yield from _code(child)


def _variants(node: ast.expr | ast.stmt) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=[op, *_]) if type(op) in _COMPARED:
            yield _with(node, ops=[_COMPARED[type(op)](), *node.ops[1:]])
        case ast.BoolOp(op=op, values=values):
            yield _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
            yield from values
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BinOp(op=op) if type(op) in _COMPUTED and not _is_text(node):
            yield _with(node, op=_COMPUTED[type(op)]())
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value * 10 if value > 1 else value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in _CALLED:
            yield _with(node, func=ast.Name(_CALLED[name]))
        case ast.IfExp(body=body, orelse=orelse):
            yield body
            yield orelse
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case _:
            return


def _is_text(node: ast.BinOp) -> bool:
    """Tell whether an addition joins texts, where any other operator would just raise."""
    sides = (node.left, node.right)
    texts = (ast.JoinedStr, ast.List, ast.Tuple)
    return any(
        isinstance(side, texts) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return ast.fix_missing_locations(changed)


def _short(text: str, most: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
