"""Where a projected file is cut into pieces."""

from clew.protocol import MAX_FRAME_BYTES
from clew.push.projected import PIECE_BYTES, ProjectedPiece, cut_pieces


def test_a_small_file_is_one_piece() -> None:
    assert list(cut_pieces([(3, b"a\n"), (7, b"bcd\n")])) == [ProjectedPiece(7, b"a\nbcd\n")]


def test_no_line_makes_no_piece() -> None:
    assert list(cut_pieces([])) == []


def test_a_piece_ends_where_an_earlier_push_ended_it() -> None:
    lines = [(end, b"%d\n" % end) for end in range(10, 80, 10)]

    first = list(cut_pieces(lines[:3]))
    second = list(cut_pieces(lines[:5], [piece.source_end for piece in first]))
    third = list(cut_pieces(lines, [piece.source_end for piece in second]))

    assert second[:1] == first
    assert third[:2] == second
    assert [piece.source_end for piece in third] == [30, 50, 70]


def test_a_cut_that_no_line_has_any_longer_is_left_out() -> None:
    pieces = cut_pieces([(10, b"a\n"), (20, b"b\n"), (30, b"c\n")], [5, 20, 25])

    assert [piece.source_end for piece in pieces] == [20, 30]


def test_a_large_file_is_cut_by_itself() -> None:
    lines = [(end * PIECE_BYTES // 2, b"x\n") for end in range(1, 6)]

    assert [piece.source_end // PIECE_BYTES for piece in cut_pieces(lines)] == [1, 2, 2]


def test_no_piece_is_longer_than_a_frame() -> None:
    line = b"x" * (2 * MAX_FRAME_BYTES + 5)

    pieces = list(cut_pieces([(10, b"a\n"), (20, line), (30, b"b\n")], [10]))

    assert [len(piece.data) for piece in pieces] == [2, MAX_FRAME_BYTES, MAX_FRAME_BYTES, 5, 2]
    assert [piece.source_end for piece in pieces] == [10, 20, 20, 20, 30]
