"""Texts are computed together if that takes little padding and little time."""

import pytest

from longtable.embedding.chunks import batches


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([], []),
        ([10], [[0]]),
        ([256, 8, 256, 9], [[1, 3], [0], [2]]),
        ([40, 40, 40, 40], [[0, 1, 2], [3]]),
        ([128, 128], [[0], [1]]),
    ],
)
def test_texts_of_like_length_are_put_together_and_long_ones_are_left_alone(
    lengths: list[int], expected: list[list[int]]
) -> None:
    assert list(batches(lengths)) == expected
