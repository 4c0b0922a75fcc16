"""What is said of a file as a whole."""

from pathlib import Path

from clew.check.counters import ProblemCounter
from clew.check.round_trip import RoundTripReader
from clew.check.scan import check_round_trip, scan_file
from clew.source import SourceFile, discover

ROW = '{"type":"summary","summary":"s","leafUuid":"x"}\n'


def listed(path: Path) -> SourceFile:
    path.write_text(ROW, "utf-8")
    return discover(path).files[0]


def test_lines_that_do_not_make_up_the_file_are_an_error(tmp_path: Path) -> None:
    file = listed(tmp_path / "s.jsonl")
    problems = ProblemCounter()

    with RoundTripReader(file.path) as without_lines:
        identical = check_round_trip(without_lines, file, "s.jsonl", problems)

    assert not identical
    assert "not_identical" in problems.counts


def test_a_file_that_grew_since_it_was_listed_is_read_to_its_end(tmp_path: Path) -> None:
    file = listed(tmp_path / "s.jsonl")
    file.path.write_text(ROW * 3, "utf-8")

    found = scan_file(file)

    assert (found.entries, found.identical, found.problem_counts) == (3, True, {})


def test_markers_that_name_their_client_are_counted_with_it(tmp_path: Path) -> None:
    file = listed(tmp_path / "s.jsonl")
    request = '{"type":"api-request","id":"r","version":"2.1.325","newKey":1}\n'
    file.path.write_text(ROW + request, "utf-8")

    found = scan_file(file)

    assert found.versions == {"2.1.325": 1}
    assert found.drift == {"2.1.325": {"api-request.newKey": 1}}


def test_a_prompt_history_is_read_but_holds_no_entries(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    (tmp_path / "history.jsonl").write_text('{"display":"hi"}\n', "utf-8")
    [file] = discover(tmp_path).files

    found = scan_file(file)

    assert (found.entries, found.identical, found.problem_counts) == (0, True, {})
