"""What is sent through the pipes arrives as it was."""

import io

from longtable.embedding import frames


def test_frames_are_read_one_after_the_other() -> None:
    stream = io.BytesIO(frames.pack({"query": "Größe \ud800"}) + frames.pack({}, b"\x00\n\xff"))

    assert frames.read(stream) == ({"query": "Größe \ud800"}, b"")
    assert frames.read(stream) == ({}, b"\x00\n\xff")
    assert frames.read(stream) is None


def test_a_frame_that_breaks_off_is_none() -> None:
    whole = frames.pack({"query": "text"}, b"body")

    assert [frames.read(io.BytesIO(whole[:length])) for length in (3, 8, len(whole) - 1)] == [None, None, None]
