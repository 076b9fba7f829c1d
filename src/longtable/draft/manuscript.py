"""A draft as one long text: which part of it an answer shows, and where the next one goes on."""

from collections.abc import Sequence
from itertools import accumulate

from longtable.draft.model import SectionVersion, SectionView
from longtable.toolkit.answer_size import part_of, size_of

_TOO_LITTLE = 200
"""Of a section that would be cut so short nothing is shown."""


def window(lengths: Sequence[int], offset: int, most: int) -> tuple[int, int, int]:
    """The place of the first section of a part, how many it touches at most, and the characters before them."""
    ends = list(accumulate(lengths))
    first = next((at for at, end in enumerate(ends) if end > offset or end - lengths[at] >= offset), len(ends))
    before = ends[first - 1] if first else 0
    last = next((at for at, end in enumerate(ends) if end >= offset + most), len(ends))
    return first, last - first + 1, before


def parts_within(
    sections: Sequence[SectionVersion], offset: int, most: int | None
) -> tuple[list[SectionView], int | None]:
    """The texts from `offset` on that fit, counted over all of these sections, and where to go on. The first of them is
    the one that the offset lies in."""
    shown: list[SectionView] = []
    position, left = 0, most
    for section in sections:
        text = section.content or ""
        if left is not None and shown and left < min(_TOO_LITTLE, len(text)):
            return shown, position
        view, end = _part_of(section, min(max(0, offset - position), len(text)), left)
        shown.append(view)
        if end is not None:
            return shown, position + end
        position += len(text)
        if left is not None:
            left -= len(view.content or "") if len(shown) == 1 else size_of(view.model_dump())
    return shown, None


def _part_of(section: SectionVersion, skipped: int, most: int | None) -> tuple[SectionView, int | None]:
    view = section.view()
    part, end = part_of(view.content or "", skipped, most)
    if part == view.content:
        return view, end
    return view.model_copy(update={"content": part, "truncated": True}), end
