"""Lines from a process, and answers in the size that is allowed."""

import json
from typing import Any

import pytest

from longtable.upstreams.framing import LineSplitter, TruncatedLine, truncated_result
from longtable.upstreams.results import limited_result


def fed(lines: LineSplitter, *pieces: bytes) -> list[bytes | TruncatedLine]:
    return [line for piece in pieces for line in lines.feed(piece)]


def test_lines_are_put_together_however_they_arrive() -> None:
    lines = LineSplitter(most=100, keep=10)

    found = fed(lines, b"one\ntw", b"o\n\nthr", b"ee", b"\nrest")

    assert found == [b"one", b"two", b"", b"three"]


def test_of_a_line_that_is_too_long_only_the_ends_are_kept() -> None:
    lines = LineSplitter(most=100, keep=10)

    found = fed(lines, b"a" * 50, b"b" * 5000, b"c" * 300 + b"\nshort\n")

    assert found == [TruncatedLine(b"a" * 10, b"c" * 256), b"short"]


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","id":7,"result":{"content":"%s"}}',
        '{"result":{"content":"%s"},"jsonrpc":"2.0","id":7}',
        '{"id": 7, "jsonrpc": "2.0", "result": {"content": "%s"}}',
        '{"result": {"content": "%s"}, "id": 7, "jsonrpc": "2.0"}',
    ],
)
def test_the_request_that_a_long_line_answers_is_found_at_its_ends(line: str) -> None:
    (found,) = fed(LineSplitter(most=500, keep=100), (line % ("x" * 1000) + "\n").encode())

    assert isinstance(found, TruncatedLine)
    assert found.request_id == 7


def test_a_long_line_that_answers_nobody_says_so() -> None:
    (found,) = fed(LineSplitter(most=500, keep=100), b"x" * 1000 + b"\n")

    assert isinstance(found, TruncatedLine)
    assert found.request_id is None


def size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())


def test_an_answer_within_its_limit_passes_whole() -> None:
    blocks = [{"type": "text", "text": "hello"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"}]

    result = limited_result(blocks, {"a": 1}, most=1000)

    assert (result.content, result.structured, result.truncated) == (blocks, {"a": 1}, False)


def test_a_long_text_is_cut_between_characters() -> None:
    result = limited_result([{"type": "text", "text": "é" * 5000}], None, most=1001)

    assert result.truncated
    assert 800 < size(result.content) <= 1001
    assert set(result.content[0]["text"]) == {"é"}


def test_what_cannot_be_cut_is_named_in_its_place() -> None:
    result = limited_result([{"type": "image", "data": "A" * 5000, "mimeType": "image/png"}], None, most=1000)

    assert result.truncated
    assert result.content == [{"type": "text", "text": "[image/png left out: too large]"}]


def test_an_object_is_kept_whole_or_not_at_all() -> None:
    result = limited_result([{"type": "text", "text": "see beside"}], {"much": "x" * 5000}, most=1000)

    assert (result.structured, result.truncated) == (None, True)
    assert result.content == [{"type": "text", "text": "see beside"}]


def test_an_object_that_its_text_repeats_does_not_count_twice() -> None:
    value = {"much": "x" * 800}

    result = limited_result([{"type": "text", "text": json.dumps(value)}], value, most=1000)

    assert (result.structured, result.truncated) == (value, False)


def test_what_was_cut_on_its_way_is_marked() -> None:
    result = truncated_result(b'{"content": "\xc3')

    answer = limited_result(result["content"], None, most=1000, meta=result["_meta"])

    assert (answer.truncated, answer.meta) == (True, {})
